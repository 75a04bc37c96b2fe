//! Profiles for [`tagstream`]: read from TOML or JSON, and the built-in presets.
//!
//! ```
//! let profile = tagstream_profiles::parse("[thinking]\ntags = ['think']")?;
//! assert_eq!(profile.thinking.tags, ["think"]);
//!
//! let error = tagstream_profiles::parse("[thinking]\nmode = 'loud'").unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "line 2: `thinking.mode`: unknown value `loud`; allowed: `extract`, `hide`, `show`"
//! );
//! # Ok::<(), tagstream_profiles::Error>(())
//! ```

mod document;
mod error;
mod options;
mod preset;
mod read;

pub use error::LoadError;
pub use options::CallOptions;
pub use preset::{Preset, preset, presets};
pub use read::{load, load_with, load_with_warnings, parse, parse_with};
pub use tagstream_calls::file::Error;
