//! An output file that is not complete yet, under a hidden name.

use crate::codec::Format;
use crate::error::{At, BatchError};
use crate::journal::beside;
use crate::plan::Job;
use crate::segment;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Bytes that become the output file once they are complete.
pub(crate) struct Partial {
    path: PathBuf,
    file: File,
    len: u64,
}

impl Partial {
    /// Opens the partial file and cuts off what the journal does not know of.
    pub(crate) fn open(output: &Path, len: u64) -> Result<Self, BatchError> {
        let path = beside(output, "partial");
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        let mut file = options.open(&path).at(&path)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                return Err(BatchError::settings(output, "another run is writing it"));
            }
            // A file system without locks is no reason not to write to it.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        if file.metadata().at(&path)?.len() < len {
            let text = "is shorter than its journal says; run without --resume";
            return Err(BatchError::settings(&path, text));
        }
        file.set_len(len).at(&path)?;
        file.seek(SeekFrom::Start(len)).at(&path)?;
        Ok(Partial { path, file, len })
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), BatchError> {
        self.len += bytes.len() as u64;
        self.file.write_all(bytes).at(&self.path)
    }

    /// How long it is.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Writes everything to disk. The journal may speak of it from then on.
    pub(crate) fn sync(&mut self) -> Result<(), BatchError> {
        self.file.sync_data().at(&self.path)
    }
}

/// Removes the partial file of an output that will not be.
pub(crate) fn remove(output: &Path) {
    let _ = fs::remove_file(beside(output, "partial"));
}

/// Gives a complete partial file its name, if that has not happened yet. The journal must say that it
/// is complete: if the process ends in here, a resumed run does the same.
pub(crate) fn publish(job: &Job) -> Result<(), BatchError> {
    let output = &job.output;
    let partial = beside(output, "partial");
    if !partial.exists() {
        return Ok(());
    }
    match job.to {
        Format::Lines(_) => fs::rename(&partial, output).at(output),
        Format::Parquet => {
            let joined = beside(output, "joined");
            segment::join(&partial, &joined).at(&joined)?;
            fs::rename(&joined, output).at(output)?;
            fs::remove_file(&partial).at(&partial)
        }
    }
}
