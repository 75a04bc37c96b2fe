//! Profiles: read from TOML or JSON, and the built-in presets.
//!
//! ```
//! let profile = tagstream::profile::parse("[thinking]\ntags = ['think']")?;
//! assert_eq!(profile.thinking.tags, ["think"]);
//!
//! let error = tagstream::profile::parse("[thinking]\nmode = 'loud'").unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "line 2: `thinking.mode`: unknown value `loud`; allowed: `extract`, `hide`, `show`"
//! );
//! # Ok::<(), tagstream::profile::Error>(())
//! ```
//!
//! [`load`] reads a file, and each [`Preset`] has its [source](Preset::source). Where a program has
//! its own say in calls, or tells its users what is odd about their tools, [`parse_with`] and
//! [`load_with`] take [`CallOptions`] and give warnings too.

mod document;
mod error;
mod options;
mod preset;
mod read;

pub use crate::file::Error;
pub use error::LoadError;
pub use options::CallOptions;
pub use preset::{Preset, preset, presets};
pub use read::{Loaded, load, load_with, parse, parse_with};
