//! Reading a profile from TOML or JSON.

use crate::error::{Error, LoadError, plain};
use crate::locate;
use std::{fs, path::Path};
use tagstream::Profile;

/// Reads a profile from TOML, or from JSON if the first character is a `{`, and checks that it
/// can work.
///
/// # Errors
/// An unknown key or value, a wrong type or a profile that cannot work: with the key, the line and
/// what is allowed.
pub fn parse(text: &str) -> Result<Profile, Error> {
    let text = text.trim_start_matches('\u{feff}');
    let format = if text.trim_start().starts_with('{') {
        &Format::JSON
    } else {
        &Format::TOML
    };
    let profile = (format.read)(text)?;
    profile.compile().map_err(|error| Error {
        line: (format.locate)(text, error.key()),
        key: Some(error.key().to_owned()),
        problem: error.problem().to_owned(),
    })?;
    Ok(profile)
}

/// Reads a profile from a file, as [`parse`] does.
///
/// # Errors
/// The file cannot be read, or it is no profile.
pub fn load(path: impl AsRef<Path>) -> Result<Profile, LoadError> {
    let path = path.as_ref();
    let text = fs::read_to_string(path).map_err(|source| LoadError::Read {
        path: path.to_owned(),
        source,
    })?;
    parse(&text).map_err(|source| LoadError::Invalid {
        path: path.to_owned(),
        source,
    })
}

struct Format {
    read: fn(&str) -> Result<Profile, Error>,
    locate: fn(&str, &str) -> Option<usize>,
}

impl Format {
    const TOML: Format = Format {
        read: read_toml,
        locate: locate::in_toml,
    };
    const JSON: Format = Format {
        read: read_json,
        locate: locate::in_json,
    };
}

fn read_toml(text: &str) -> Result<Profile, Error> {
    let syntax = |error: &toml::de::Error| Error {
        line: error.span().map(|span| locate::line(text, span.start)),
        key: None,
        problem: format!("not TOML: {}", error.message()),
    };
    let source = toml::Deserializer::parse(text).map_err(|error| syntax(&error))?;
    serde_path_to_error::deserialize(source).map_err(|error| {
        let path = error.path().to_string();
        let span = error.inner().span();
        let line = span.map(|span| locate::line(text, span.start));
        let line = line.or_else(|| locate::in_toml(text, &path));
        refused(line, path, error.inner().message())
    })
}

fn read_json(text: &str) -> Result<Profile, Error> {
    let syntax = |error: &serde_json::Error| Error {
        line: Some(error.line()),
        key: None,
        problem: format!("not JSON: {}", without_place(&error.to_string())),
    };
    // The whole text first: a mistake behind the profile's end is one too.
    serde_json::from_str::<serde::de::IgnoredAny>(text).map_err(|error| syntax(&error))?;
    let mut source = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(&mut source).map_err(|error| {
        let path = error.path().to_string();
        let line = locate::in_json(text, &path);
        let message = error.inner().to_string();
        refused(line, path, without_place(&message))
    })
}

/// serde_json's message ends with the place, which is told in front of it here.
fn without_place(message: &str) -> &str {
    message
        .rfind(" at line ")
        .map_or(message, |end| &message[..end])
}

/// The error for a profile that serde refused at this path.
fn refused(line: Option<usize>, path: String, message: &str) -> Error {
    let problem = if path == "calls" {
        "calls are not supported by this version".to_owned()
    } else {
        match choice(&path) {
            Some(_) if message.starts_with("unknown variant") => plain(message),
            Some(values) => plain(&format!("invalid type, expected {values}")),
            None => plain(message),
        }
    };
    // serde calls the whole profile `.`, which is no key.
    let key = (path != ".").then_some(path);
    Error { line, key, problem }
}

/// The values that a key with a choice allows.
///
/// For a number in its place serde says only that it wanted a string, so it is asked again with a
/// string that is no choice. A list of its own here would grow old.
fn choice(path: &str) -> Option<String> {
    let value = path
        .rsplit('.')
        .fold(r#""\u0000""#.to_owned(), |inner, key| {
            format!("{{{key:?}:{inner}}}")
        });
    let message = serde_json::from_str::<Profile>(&value).err()?.to_string();
    let values = message
        .strip_prefix("unknown variant")?
        .split_once("expected ")?
        .1;
    Some(without_place(values).to_owned())
}
