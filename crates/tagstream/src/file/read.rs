//! Reading a data file from TOML or JSON.

use super::blame::key_inside;
use super::error::{Error, plain};
use super::locate;
use serde::de::DeserializeOwned;

/// The text of a data file.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    text: &'a str,
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Toml,
    Json,
}

impl<'a> Source<'a> {
    /// A text in TOML, or in JSON if its first character is a `{`.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        let text = text.trim_start_matches('\u{feff}');
        let format = if text.trim_start().starts_with('{') {
            Format::Json
        } else {
            Format::Toml
        };
        Source { text, format }
    }

    /// Reads it.
    ///
    /// # Errors
    /// A text that is neither format, an unknown key or value, a wrong type: with the key, the
    /// line and what is allowed.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, Error> {
        match self.format {
            Format::Toml => self.read_toml(),
            Format::Json => self.read_json(),
        }
    }

    /// The error for a key that can be read but cannot work, with its line.
    #[must_use]
    pub fn error(&self, key: &str, problem: &str) -> Error {
        Error {
            line: self.locate(key),
            key: Some(key.to_owned()),
            problem: problem.to_owned(),
        }
    }

    fn locate(&self, key: &str) -> Option<usize> {
        match self.format {
            Format::Toml => locate::in_toml(self.text, key),
            Format::Json => locate::in_json(self.text, key),
        }
    }

    fn read_toml<T: DeserializeOwned>(&self) -> Result<T, Error> {
        let line = |span: Option<std::ops::Range<usize>>| {
            span.map(|span| locate::line(self.text, span.start))
        };
        let syntax = |error: &toml::de::Error| Error {
            line: line(error.span()),
            key: None,
            problem: format!("not TOML: {}", error.message()),
        };
        let source = toml::Deserializer::parse(self.text).map_err(|error| syntax(&error))?;
        serde_path_to_error::deserialize(source).map_err(|error| {
            let at = line(error.inner().span());
            self.refused::<T>(at, error.path().to_string(), error.inner().message())
        })
    }

    fn read_json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        let syntax = |error: &serde_json::Error| Error {
            line: Some(error.line()),
            key: None,
            problem: format!("not JSON: {}", without_place(&error.to_string())),
        };
        // The whole text first: a mistake behind the object's end is one too.
        serde_json::from_str::<serde::de::IgnoredAny>(self.text).map_err(|error| syntax(&error))?;
        let mut source = serde_json::Deserializer::from_str(self.text);
        serde_path_to_error::deserialize(&mut source).map_err(|error| {
            let message = error.inner().to_string();
            self.refused::<T>(None, error.path().to_string(), without_place(&message))
        })
    }

    /// The error for a text that serde refused at this path.
    fn refused<T: DeserializeOwned>(
        &self,
        line: Option<usize>,
        path: String,
        message: &str,
    ) -> Error {
        let problem = match choice::<T>(&path) {
            Some(_) if message.starts_with("unknown variant") => plain(message),
            Some(values) => plain(&format!("invalid type, expected {values}")),
            None => plain(message),
        };
        let inner = unknown_key_inside(&path, message)
            .or_else(|| self.wrong_key_inside::<T>(&path, message));
        let line = line.filter(|_| inner.is_none());
        let path = inner.unwrap_or(path);
        Error {
            line: line.or_else(|| self.locate(&path)),
            // serde calls the whole file `.`, which is no key.
            key: (path != ".").then_some(path),
            problem,
        }
    }

    /// The path of a key with a wrong value where serde's path stops at the table around it.
    fn wrong_key_inside<T: DeserializeOwned>(&self, path: &str, message: &str) -> Option<String> {
        if !message.starts_with("invalid ") {
            return None;
        }
        let file = match self.format {
            Format::Toml => toml::from_str(self.text).ok()?,
            Format::Json => serde_json::from_str(self.text).ok()?,
        };
        key_inside::<T>(&file, path, message)
    }
}

/// The path of an unknown key where serde's path stops at the table around it, as it does in a
/// table whose keys depend on one of them.
fn unknown_key_inside(path: &str, message: &str) -> Option<String> {
    let rest = message.strip_prefix("unknown field `")?;
    let (key, _) = rest.split_once('`')?;
    let told = path.ends_with(key);
    (!told && path != ".").then(|| format!("{path}.{key}"))
}

/// serde_json's message ends with the place, which is told in front of it here.
fn without_place(message: &str) -> &str {
    message
        .rfind(" at line ")
        .map_or(message, |end| &message[..end])
}

/// The values that a key with a choice allows.
///
/// For a number in its place serde says only that it wanted a string, so it is asked again with a
/// string that is no choice. A list of its own here would grow old.
fn choice<T: DeserializeOwned>(path: &str) -> Option<String> {
    let value = path
        .rsplit('.')
        .fold(r#""\u0000""#.to_owned(), |inner, key| {
            format!("{{{key:?}:{inner}}}")
        });
    let message = serde_json::from_str::<T>(&value).err()?.to_string();
    let values = message
        .strip_prefix("unknown variant")?
        .split_once("expected ")?
        .1;
    Some(without_place(values).to_owned())
}
