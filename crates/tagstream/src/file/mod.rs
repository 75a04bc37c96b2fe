//! Data files (profiles, dialects): read from TOML or JSON, with errors that name the key, the
//! line and what is allowed.

mod blame;
mod error;
mod locate;
mod read;

pub(crate) use error::Cause;
pub use error::{FileError, FileErrorKind};
pub use read::Source;
