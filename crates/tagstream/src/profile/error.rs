//! Why a profile could not be loaded.

use crate::file::FileError;
use std::{io, path::PathBuf};

/// Why a profile could not be loaded from a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The file could not be read.
    #[error("{}: {source}", path.display())]
    #[non_exhaustive]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The name of the file ends in `.json`, but it does not contain an object.
    #[error("{}: line 1: a profile in JSON is an object; begin it with `{{` and end it with `}}`", path.display())]
    #[non_exhaustive]
    NoObject {
        /// The file.
        path: PathBuf,
    },
    /// The file can be read, but it is not a profile.
    #[error("{}: {source}", path.display())]
    #[non_exhaustive]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: FileError,
    },
}
