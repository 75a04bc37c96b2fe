//! The dialect files. That none is missing is tested where they are listed.

use tagstream::Dialect;
use tagstream::dialect::{BuiltIn, built_in};

/// A dialect file.
pub struct DialectFile {
    /// Its name without `.toml`.
    pub stem: String,
    /// Its text.
    pub text: String,
    /// Its content, parsed.
    pub dialect: Dialect,
}

/// All of them, by name.
pub fn all() -> Vec<DialectFile> {
    built_in().iter().map(file).collect()
}

/// The dialect of this name.
pub fn dialect(name: &str) -> Dialect {
    let built_in = tagstream::dialect::find(name);
    let built_in = built_in.unwrap_or_else(|| panic!("no dialect is called {name}"));
    built_in.dialect().clone()
}

fn file(built_in: &BuiltIn) -> DialectFile {
    DialectFile {
        stem: built_in.name().to_owned(),
        text: built_in.source().to_owned(),
        dialect: built_in.dialect().clone(),
    }
}
