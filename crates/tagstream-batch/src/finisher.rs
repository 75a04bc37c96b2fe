//! Completes output files while the run goes on with the next ones.

use crate::error::{At, BatchError};
use crate::file::Rest;
use std::collections::VecDeque;
use std::panic;
use std::thread::{self, JoinHandle};

/// Files that are being completed. Nearly all of that is waiting for the disk, and files that are synced
/// at the same time wait hardly longer than one: so each has a thread of its own.
#[derive(Default)]
pub(crate) struct Finisher {
    waiting: VecDeque<JoinHandle<Result<(), BatchError>>>,
}

/// How many files are completed at once.
const MAX_FILES: usize = 8;

impl Finisher {
    /// Completes a file; an error can be that of an earlier one.
    pub(crate) fn add(&mut self, rest: Rest) -> Result<(), BatchError> {
        if self.waiting.len() == MAX_FILES {
            self.wait_for_one()?;
        }
        let output = rest.job().output.clone();
        let thread = thread::Builder::new().spawn(move || rest.complete());
        self.waiting.push_back(thread.at(&output)?);
        Ok(())
    }

    /// Waits until all files are complete.
    pub(crate) fn finish(&mut self) -> Result<(), BatchError> {
        while !self.waiting.is_empty() {
            self.wait_for_one()?;
        }
        Ok(())
    }

    fn wait_for_one(&mut self) -> Result<(), BatchError> {
        let thread = self.waiting.pop_front();
        let done = thread.map_or(Ok(Ok(())), JoinHandle::join);
        done.unwrap_or_else(|panic| panic::resume_unwind(panic))
    }
}

impl Drop for Finisher {
    /// A run that stops leaves no file that is still changing.
    fn drop(&mut self) {
        for thread in self.waiting.drain(..) {
            let _ = thread.join();
        }
    }
}
