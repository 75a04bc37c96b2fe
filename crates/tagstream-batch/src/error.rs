//! What can stop a run. A bad record is not among it: it is passed on.

use std::io;
use std::path::{Path, PathBuf};

/// Why a run stopped, and at which file.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", path.display())]
#[non_exhaustive]
pub struct BatchError {
    /// The file or directory.
    pub path: PathBuf,
    /// What is wrong with it.
    #[source]
    pub problem: Problem,
}

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// It could not be read or written.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// Its name or its contents do not fit the settings. The text says what to do.
    #[error("{0}")]
    Settings(String),
    /// The observer ended the run. What was written is kept for a resumed run.
    #[error("interrupted; what was done is kept, and --resume continues from there")]
    Interrupted,
}

impl BatchError {
    /// Whether this is about what an input contains, so that others can still be read.
    pub(crate) fn is_about_input(&self, input: &Path) -> bool {
        self.path == input && !matches!(self.problem, Problem::Interrupted)
    }

    pub(crate) fn settings(path: &Path, text: impl Into<String>) -> Self {
        BatchError::new(path, Problem::Settings(text.into()))
    }

    pub(crate) fn new(path: &Path, problem: impl Into<Problem>) -> Self {
        BatchError {
            path: path.to_owned(),
            problem: problem.into(),
        }
    }
}

/// Names the file that an operation failed at.
pub(crate) trait At<T> {
    fn at(self, path: &Path) -> Result<T, BatchError>;
}

impl<T, E: Into<Problem>> At<T> for Result<T, E> {
    fn at(self, path: &Path) -> Result<T, BatchError> {
        self.map_err(|problem| BatchError::new(path, problem))
    }
}
