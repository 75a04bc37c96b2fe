//! Why a profile could not be loaded.

use crate::file::Error;
use std::{io, path::PathBuf};

/// Why a profile could not be loaded from a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The file could not be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is called JSON, but it holds no object.
    #[error("{}: line 1: a profile in JSON is an object; begin it with `{{` and end it with `}}`", path.display())]
    NoObject {
        /// The file.
        path: PathBuf,
    },
    /// The file was read, but it is no profile.
    #[error("{}: {source}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: Error,
    },
}
