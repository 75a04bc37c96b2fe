//! Dialects: how tool calls are written. The built-in ones are data files that anyone can read,
//! copy and change.
//!
//! ```
//! use tagstream::dialect;
//!
//! let hermes = dialect::find("hermes").expect("it is built in");
//! assert!(hermes.source().contains("<tool_call>"));
//!
//! let mine = dialect::parse(&hermes.source().replace("tool_call>", "use_tool>"))?;
//! assert_eq!(mine.wrapper.unwrap().open, ["<use_tool>"]);
//! # Ok::<(), tagstream::FileError>(())
//! ```
//!
//! [`Calls::dialect`](crate::Calls::dialect) takes a built-in dialect by its name, and
//! [`Calls::dialects`](crate::Calls::dialects) any others.
//! How the strings of a dialect are read is described at [`tagstream_core::dialect`].

mod example;

use crate::file::{FileError, Source};
use crate::{CallSettings, CodeStyle, Profile};
use std::sync::LazyLock;
use tagstream_core::names::{did_you_mean, listed};

pub use example::{example, example_like};
#[doc(hidden)]
pub use tagstream_core::dialect::spellings;
pub use tagstream_core::dialect::{Arguments, Dialect, Head, Layout, Repair, Wrapper};

/// The files, by name. The build script lists them.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/dialects.rs"));

static BUILT_IN: LazyLock<Vec<BuiltIn>> =
    LazyLock::new(|| FILES.iter().map(BuiltIn::read).collect());

/// A built-in dialect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuiltIn {
    name: &'static str,
    source: &'static str,
    dialect: Dialect,
}

impl BuiltIn {
    /// # Panics
    /// If the file is not a dialect. A test reads them all.
    fn read((name, source): &(&'static str, &'static str)) -> Self {
        BuiltIn {
            name,
            source,
            dialect: read(&Source::new(source))
                .unwrap_or_else(|error| panic!("the built-in dialect `{name}`: {error}")),
        }
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

    /// Whether `auto` includes it: whether anything but JSON shows that a call begins.
    #[must_use]
    pub fn in_auto(&self) -> bool {
        let wrapper = self.dialect.wrapper.as_ref();
        wrapper.map_or(self.dialect.call.is_some(), |wrapper| !wrapper.bare)
    }
}

/// All built-in dialects, by name.
#[must_use]
pub fn built_in() -> &'static [BuiltIn] {
    &BUILT_IN
}

/// The built-in dialect with this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static BuiltIn> {
    BUILT_IN.iter().find(|built_in| built_in.name == name)
}

/// The dialects with this name; for `auto` all that can be recognized by their markup. `own`
/// dialects replace built-in ones of the same name.
pub(crate) fn named<'a>(name: &str, own: &'a [Dialect]) -> Vec<&'a Dialect> {
    let is_replaced = |name: &str| own.iter().any(|own| own.name == name);
    let built_in = BUILT_IN
        .iter()
        .filter(|built_in| !is_replaced(built_in.name))
        .filter(|built_in| built_in.name == name || name == AUTO && built_in.in_auto())
        .map(BuiltIn::dialect);
    let own = own.iter().filter(|own| own.name == name || name == AUTO);
    own.chain(built_in).collect()
}

/// No dialect has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown dialect `{name}`{}; allowed: {}",
    did_you_mean(name, known.iter().map(String::as_str)),
    listed(known)
)]
pub struct UnknownDialect {
    name: String,
    known: Vec<String>,
}

impl UnknownDialect {
    pub(crate) fn new(name: &str, own: &[Dialect]) -> Self {
        let own = own.iter().map(|own| own.name.clone());
        let built_in = BUILT_IN.iter().map(|built_in| built_in.name.to_owned());
        UnknownDialect {
            name: name.to_owned(),
            known: [AUTO.to_owned()]
                .into_iter()
                .chain(own)
                .chain(built_in)
                .collect(),
        }
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// Reads a dialect from TOML, or from JSON if the first character is a `{`.
///
/// # Errors
/// An unknown key or value, a wrong type, a missing key, a pattern that cannot work: with the key,
/// the line and what is allowed.
pub fn parse(text: &str) -> Result<Dialect, FileError> {
    let source = Source::new(text);
    let dialect = read(&source)?;
    let calls = CallSettings::dialects([dialect.clone()]);
    // Whether code has precedence depends on the profile that the dialect is used in.
    let profile = Profile::new().code(CodeStyle::None).calls(calls);
    match profile.compile() {
        Ok(_) => Ok(dialect),
        Err(error) => Err(source.unusable(own_key(error.key()), error.problem(), error.clone())),
    }
}

/// A key of a profile that has only this dialect, as the dialect's file has it.
fn own_key(key: &str) -> &str {
    key.trim_start_matches("calls.dialects[0]")
        .trim_start_matches('.')
}

fn read(source: &Source<'_>) -> Result<Dialect, FileError> {
    let dialect: Dialect = source.read()?;
    if dialect.name.is_empty() || dialect.name == AUTO {
        return Err(source.error("name", "wrong value; allowed: a name of its own"));
    }
    Ok(dialect)
}

/// The name for all dialects that can be recognized by their markup.
pub(crate) const AUTO: &str = "auto";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_a_dialect_of_the_name_it_is_listed_under() {
        for (name, source) in FILES {
            assert_eq!(parse(source).unwrap().name, *name);
        }
    }
}
