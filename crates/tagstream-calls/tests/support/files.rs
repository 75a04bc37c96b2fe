//! The dialect files, read from the disk.

use std::{fs, path::PathBuf};
use tagstream::Dialect;

/// A dialect file.
pub struct DialectFile {
    /// Its name without `.toml`.
    pub stem: String,
    /// Its text.
    pub text: String,
    /// What it says.
    pub dialect: Dialect,
}

/// All of them, by name.
pub fn all() -> Vec<DialectFile> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder())
        .expect("there is a folder of dialects")
        .map(|entry| entry.expect("it can be listed").path())
        .collect();
    paths.sort();
    paths.iter().map(read).collect()
}

/// The dialect of this name.
pub fn dialect(name: &str) -> Dialect {
    read(&folder().join(format!("{name}.toml"))).dialect
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("dialects")
}

fn read(path: &PathBuf) -> DialectFile {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let dialect = toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let stem = path.file_stem().expect("it has a name");
    DialectFile {
        stem: stem.to_string_lossy().into_owned(),
        text,
        dialect,
    }
}
