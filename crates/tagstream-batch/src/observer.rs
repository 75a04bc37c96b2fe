//! Reports of how far a run has come.

use crate::error::BatchError;
use std::ops::ControlFlow;
use std::path::Path;

/// A record that could not be read.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BadRecord {
    /// Where it is and what is wrong: the text of the column `error`.
    pub error: String,
}

/// How far a run has come.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Progress<'a> {
    /// The file that is being read.
    pub input: &'a Path,
    /// Bytes of all input files that have been dealt with, as they are on disk.
    pub bytes: u64,
    /// Bytes of all input files.
    pub total_bytes: u64,
    /// Records so far.
    pub records: u64,
}

/// Receives reports of how far a run has come, on the thread that started it, in the order of the records.
pub trait Observer {
    /// A record could not be read. It is passed on with its error.
    fn bad_record(&mut self, _record: &BadRecord) {}

    /// A file could not be read, or does not fit the settings. It has no output; the run goes on with the
    /// others.
    fn bad_file(&mut self, _error: &BatchError) {}

    /// A block has been written, or a small file. With `Break` the run stops as if the process had been killed, except
    /// that it returns an error.
    fn progress(&mut self, _progress: &Progress<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Does not want to know.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl Observer for Quiet {}
