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
//! # Ok::<(), tagstream::FileError>(())
//! ```
//!
//! [`load`] reads a file, and each [`Preset`] has its [source](Preset::source). A program that
//! overrides the settings of calls, or that shows warnings about the schemas of tools, uses
//! [`parse_with`] and [`load_with`].

mod document;
mod error;
mod model;
mod options;
mod preset;
mod read;
mod tokenizer;

pub use error::LoadError;
pub use options::CallOptions;
pub use preset::{ForModel, Preset, UnknownModel, UnknownPreset, preset, presets};
pub use read::{Loaded, load, load_with, parse, parse_with};
pub use tokenizer::{FromTokenizer, TokenizerError, TokenizerErrorKind, from_tokenizer};
