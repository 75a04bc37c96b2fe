//! Raw streams of repaired or refused messages, for bug reports.

use crate::record::Record;
use crate::redact::redacted;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A stream is kept up to this many bytes.
const MAX_BYTES: usize = 1 << 20;
/// A process writes at most this many files.
const MAX_FILES: usize = 1000;

/// Keeps the raw bytes of an answer until it is known whether they are of interest.
#[derive(Debug)]
pub(crate) struct Tap {
    folder: PathBuf,
    bytes: Vec<u8>,
    secrets: Vec<Vec<u8>>,
}

impl Tap {
    pub(crate) fn new(folder: &Path, secrets: Vec<Vec<u8>>) -> Self {
        Tap {
            folder: folder.to_owned(),
            bytes: Vec::new(),
            secrets,
        }
    }

    pub(crate) fn push(&mut self, data: &[u8]) {
        let room = MAX_BYTES - self.bytes.len();
        self.bytes.extend_from_slice(&data[..data.len().min(room)]);
    }

    /// Writes the stream to a file if something was found in it.
    pub(crate) fn finish(self, record: &Record) {
        static FILES: AtomicUsize = AtomicUsize::new(0);
        let found = record.found;
        if found.thoughts + found.calls + found.refused == 0 {
            return;
        }
        let number = FILES.fetch_add(1, Ordering::Relaxed);
        if number >= MAX_FILES {
            return;
        }
        // The id may be the client's, and come twice.
        let name = format!("{number:04}-{}.{}.raw", record.id, record.format);
        let path = self.folder.join(name);
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(move || self.write(&path))),
            Err(_) => self.write(&path),
        }
    }

    fn write(self, path: &Path) {
        let bytes = redacted(&self.bytes, &self.secrets);
        let folder = std::fs::create_dir_all(&self.folder);
        let file = folder.and_then(|()| create(path));
        if let Err(error) = file.and_then(|mut file| file.write_all(&bytes)) {
            tracing::warn!(path = %path.display(), %error, "the stream cannot be captured");
        }
    }
}

/// A file that nobody else can read: it has what a model wrote.
fn create(path: &Path) -> std::io::Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
