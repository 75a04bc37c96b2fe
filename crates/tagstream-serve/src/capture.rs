//! Raw streams of repaired or refused messages, for bug reports.

use crate::record::Record;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A stream is kept up to this many bytes.
const MAX_BYTES: usize = 1 << 20;
/// A process writes at most this many files.
const MAX_FILES: usize = 1000;
/// What is shorter may be an ordinary word; it is not removed.
const SECRET_BYTES: usize = 4;

/// Keeps the raw bytes of an answer until it is known whether they are of interest.
#[derive(Debug)]
pub(crate) struct Tap {
    folder: PathBuf,
    bytes: Vec<u8>,
    secrets: Vec<Vec<u8>>,
}

impl Tap {
    pub(crate) fn new(folder: &Path, mut secrets: Vec<Vec<u8>>) -> Self {
        secrets.retain(|secret| secret.len() >= SECRET_BYTES);
        // One may contain another.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
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

    fn write(mut self, path: &Path) {
        for secret in &self.secrets {
            self.bytes = without(&self.bytes, secret);
        }
        let folder = std::fs::create_dir_all(&self.folder);
        let file = folder.and_then(|()| create(path));
        if let Err(error) = file.and_then(|mut file| file.write_all(&self.bytes)) {
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

/// The bytes without a secret, which is not empty.
fn without(bytes: &[u8], secret: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = rest
        .windows(secret.len())
        .position(|window| window == secret)
    {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(b"[removed]");
        rest = &rest[at + secret.len()..];
    }
    out.extend_from_slice(rest);
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn secrets_are_removed() {
        assert_eq!(
            super::without(b"a sk-1 b sk-1", b"sk-1"),
            b"a [removed] b [removed]"
        );
    }
}
