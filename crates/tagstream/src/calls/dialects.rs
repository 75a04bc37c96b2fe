//! The built-in dialects: data files that anyone can read, copy and change.

use crate::file::{Error, Source};
use crate::{Calls, CodeStyle, Dialect, Profile};
use std::sync::LazyLock;

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../dialects/", $name, ".toml")))),*]
    };
}

/// The files, by name. A new dialect is a file and a line here.
const FILES: &[(&str, &str)] = files![
    "apertus",
    "beam",
    "cohere",
    "deepseek-v3",
    "deepseek-v3.1",
    "dsml",
    "function_calls",
    "gemma4",
    "glm",
    "granite",
    "granite-20b",
    "harmony",
    "hermes",
    "hy-v4",
    "inkling",
    "internlm",
    "jamba",
    "kimi-k2",
    "kimi-k3",
    "llama",
    "llama-function",
    "longcat",
    "longcat-2",
    "minimax",
    "minimax-m3",
    "mistral",
    "mistral-args",
    "muse-spark",
    "nemotron",
    "phi4",
    "qwen3-coder",
    "seed-oss",
    "step3",
    "tags"
];

static BUILT_IN: LazyLock<Vec<BuiltIn>> = LazyLock::new(|| {
    // A file that cannot be read is left out, so that a program cannot die of a data file. A test
    // below reads them all; the others ask this list.
    FILES.iter().filter_map(BuiltIn::read).collect()
});

/// A built-in dialect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuiltIn {
    name: &'static str,
    source: &'static str,
    dialect: Dialect,
}

impl BuiltIn {
    fn read((name, source): &(&'static str, &'static str)) -> Option<Self> {
        Some(BuiltIn {
            name,
            source,
            dialect: read(&Source::new(source)).ok()?,
        })
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The text of its file, in TOML.
    #[must_use]
    pub fn source(&self) -> &'static str {
        self.source
    }

    /// The dialect.
    #[must_use]
    pub fn dialect(&self) -> &Dialect {
        &self.dialect
    }

    /// Whether `auto` accepts it: whether anything but JSON tells that a call begins.
    #[must_use]
    pub fn in_auto(&self) -> bool {
        self.dialect.wrapper.is_some() || self.dialect.call.is_some()
    }
}

/// All built-in dialects, by name.
#[must_use]
pub fn dialects() -> &'static [BuiltIn] {
    &BUILT_IN
}

/// The built-in dialect with this name.
#[must_use]
pub fn dialect(name: &str) -> Option<&'static BuiltIn> {
    BUILT_IN.iter().find(|built_in| built_in.name == name)
}

/// Reads a dialect from TOML, or from JSON if the first character is a `{`.
///
/// # Errors
/// An unknown key or value, a wrong type, a missing key, a pattern that cannot work: with the key,
/// the line and what is allowed.
pub fn parse_dialect(text: &str) -> Result<Dialect, Error> {
    let source = Source::new(text);
    let dialect = read(&source)?;
    let calls = Calls::dialects([dialect.clone()]);
    // Whether code comes first is for the profile to say that the dialect is used in.
    let profile = Profile::new().code(CodeStyle::None).calls(calls);
    let compiled = profile.compile();
    compiled.map_err(|error| source.error(own_key(error.key()), error.problem()))?;
    Ok(dialect)
}

/// The key of a profile that has this dialect alone, as the dialect's file has it.
fn own_key(key: &str) -> &str {
    key.trim_start_matches("calls.dialects[0]")
        .trim_start_matches('.')
}

fn read(source: &Source<'_>) -> Result<Dialect, Error> {
    let dialect: Dialect = source.read()?;
    if dialect.name.is_empty() || dialect.name == AUTO {
        return Err(source.error("name", "wrong value; allowed: a name of its own"));
    }
    Ok(dialect)
}

/// What a profile says for all dialects that can be told apart.
pub(crate) const AUTO: &str = "auto";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_a_dialect_of_the_name_it_is_listed_under() {
        for (name, source) in FILES {
            assert_eq!(parse_dialect(source).unwrap().name, *name);
        }
    }

    #[test]
    fn the_list_is_sorted_and_complete() {
        assert!(FILES.is_sorted());
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/dialects");
        let mut names: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        let listed: Vec<_> = FILES
            .iter()
            .map(|(name, _)| format!("{name}.toml"))
            .collect();
        // Not compared as lists: `a-b.toml` comes before `a.toml`.
        assert_eq!(names.len(), listed.len());
        assert!(names.iter().all(|name| listed.contains(name)), "{names:?}");
    }
}
