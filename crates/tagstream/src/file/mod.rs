//! Data files (profiles, dialects): read from TOML or JSON, with errors that name the key, the
//! line and what is allowed.

mod blame;
mod error;
mod locate;
mod read;

pub use error::Error;
pub use read::Source;
