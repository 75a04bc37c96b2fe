//! How far an output file has come: what a resumed run needs to know.

use crate::error::{At, BatchError};
use crate::plan::Job;
use crate::source::Extent;
use crate::summary::Summary;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// The state of one output file. It is written after the bytes it speaks of, and replaced as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Journal {
    /// What the run was started with.
    fingerprint: u64,
    /// The input: its size and the time of its last change.
    input_bytes: u64,
    input_changed: u128,
    /// How much of the input has been dealt with.
    pub(crate) read: Extent,
    /// How many bytes of the output belong to it.
    pub(crate) written: u64,
    /// Everything has been written; only the name is missing, or not even that.
    pub(crate) is_done: bool,
    pub(crate) summary: Summary,
}

impl Journal {
    /// The journal of a file that has just been begun.
    pub(crate) fn new(job: &Job, fingerprint: u64) -> Result<Self, BatchError> {
        let metadata = fs::metadata(&job.input).at(&job.input)?;
        let changed = metadata.modified().at(&job.input)?;
        let changed = changed.duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(Journal {
            fingerprint,
            input_bytes: metadata.len(),
            input_changed: changed.as_nanos(),
            ..Journal::default()
        })
    }

    /// The journal that an interrupted run has left, if there is one. It must be of the same input and
    /// the same settings.
    pub(crate) fn left(job: &Job, fingerprint: u64) -> Result<Option<Self>, BatchError> {
        let path = beside(&job.output, "journal");
        let Ok(text) = fs::read(&path) else {
            return Ok(None);
        };
        let fresh = Journal::new(job, fingerprint)?;
        if text.is_empty() {
            // The machine stopped before the journal was on disk.
            return Ok(Some(fresh));
        }
        let left: Journal = serde_json::from_slice(&text).map_err(|error| {
            BatchError::settings(
                &path,
                format!("is not a journal ({error}); run without --resume"),
            )
        })?;
        if left.read == Extent::default() && !left.is_done {
            // Nothing was done that could differ.
            return Ok(Some(fresh));
        }
        let is_same = |journal: &Journal| (journal.input_bytes, journal.input_changed);
        if is_same(&left) != is_same(&fresh) {
            let text = "has changed since the interrupted run; run without --resume";
            return Err(BatchError::settings(&job.input, text));
        }
        if left.fingerprint != fingerprint {
            let text = "was begun with other settings or another version; give the same, or run without --resume";
            return Err(BatchError::settings(&job.output, text));
        }
        Ok(Some(left))
    }

    /// Replaces the journal. It need not be on disk at once: an older one, or an empty one, only makes a
    /// resumed run do more again. What it speaks of must be.
    pub(crate) fn write(&self, output: &Path) -> Result<(), BatchError> {
        let (path, new) = (beside(output, "journal"), beside(output, "journal-new"));
        let text = serde_json::to_vec(self)
            .map_err(std::io::Error::from)
            .at(&path)?;
        fs::write(&new, text).at(&new)?;
        fs::rename(&new, &path).at(&path)
    }

    /// Whether a partial file or the output itself is there, as this journal expects.
    pub(crate) fn has_output(&self, output: &Path) -> bool {
        output.exists() || beside(output, "partial").exists()
    }

    /// Removes the journal of this output.
    pub(crate) fn remove(output: &Path) {
        let _ = fs::remove_file(beside(output, "journal"));
    }
}

/// A hidden file next to the output: in the same file system, so that it can be renamed.
pub(crate) fn beside(output: &Path, what: &str) -> PathBuf {
    let name = output.file_name().unwrap_or_default().to_string_lossy();
    output.with_file_name(format!(".{name}.tagstream-{what}"))
}
