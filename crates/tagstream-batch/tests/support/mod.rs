//! What the tests of all formats have in common.

#![allow(dead_code, reason = "each test file uses a part of it")]

use serde_json::Value;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use tagstream::{Policy, Profile, Thinking};
use tagstream_batch::{Batch, BatchError, Observer, Progress, Quiet, Settings, Summary};

pub(crate) fn policy() -> Policy {
    let profile = Profile::new().thinking(Thinking::tags(["think"]));
    profile.compile().unwrap()
}

/// An empty folder of this test.
pub(crate) fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// Small blocks, and a journal after each.
pub(crate) fn small(mut settings: Settings) -> Settings {
    (settings.block_bytes, settings.commit_bytes) = (100, 1);
    settings
}

pub(crate) fn run(settings: &Settings, input: &Path, output: &Path) -> Result<Summary, BatchError> {
    Batch::new(&policy(), settings.clone()).run(&[input.to_owned()], output, &mut Quiet)
}

pub(crate) fn read(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Ends the run after this many blocks.
pub(crate) struct StopAfter(pub(crate) usize);

impl Observer for StopAfter {
    fn progress(&mut self, _progress: &Progress<'_>) -> ControlFlow<()> {
        if self.0 == 0 {
            return ControlFlow::Break(());
        }
        self.0 -= 1;
        ControlFlow::Continue(())
    }
}
