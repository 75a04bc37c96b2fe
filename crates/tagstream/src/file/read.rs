//! Reading a data file from TOML or JSON.

use super::blame::key_inside;
use super::error::{Cause, FileError, FileErrorKind, plain};
use super::locate;
use crate::json::without_position;
use serde::de::DeserializeOwned;
use std::sync::Arc;

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
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, FileError> {
        match self.format {
            Format::Toml => self.read_toml(),
            Format::Json => self.read_json(),
        }
    }

    /// The error for a key whose value can be read but is not allowed, with its line.
    #[must_use]
    pub fn error(&self, key: &str, problem: &str) -> FileError {
        self.error_at(key, FileErrorKind::WrongValue, problem, None)
    }

    /// The error for a file that cannot work because of this key.
    pub(crate) fn unusable(
        &self,
        key: &str,
        problem: &str,
        source: impl std::error::Error + Send + Sync + 'static,
    ) -> FileError {
        self.error_at(
            key,
            FileErrorKind::Unusable,
            problem,
            Some(Arc::new(source)),
        )
    }

    fn error_at(
        &self,
        key: &str,
        kind: FileErrorKind,
        problem: &str,
        source: Option<Cause>,
    ) -> FileError {
        let error = FileError::new(kind, problem.to_owned(), source);
        error.at(self.locate(key), Some(key.to_owned()))
    }

    fn locate(&self, key: &str) -> Option<usize> {
        match self.format {
            Format::Toml => locate::in_toml(self.text, key),
            Format::Json => locate::in_json(self.text, key),
        }
    }

    fn read_toml<T: DeserializeOwned>(&self) -> Result<T, FileError> {
        let line = |span: Option<std::ops::Range<usize>>| {
            span.map(|span| locate::line(self.text, span.start))
        };
        let source = toml::Deserializer::parse(self.text).map_err(|error| {
            let problem = format!("not TOML: {}", error.message());
            let line = line(error.span());
            FileError::new(FileErrorKind::Syntax, problem, Some(Arc::new(error))).at(line, None)
        })?;
        serde_path_to_error::deserialize(source).map_err(|error| {
            let path = error.path().to_string();
            let error = error.into_inner();
            let message = error.message().to_owned();
            self.refused::<T>(line(error.span()), path, &message, Arc::new(error))
        })
    }

    fn read_json<T: DeserializeOwned>(&self) -> Result<T, FileError> {
        // The whole text first: a mistake after the end of the object is one too.
        serde_json::from_str::<serde::de::IgnoredAny>(self.text).map_err(|error| {
            let problem = format!("not JSON: {}", without_position(&error.to_string()));
            let line = Some(error.line());
            FileError::new(FileErrorKind::Syntax, problem, Some(Arc::new(error))).at(line, None)
        })?;
        let mut source = serde_json::Deserializer::from_str(self.text);
        serde_path_to_error::deserialize(&mut source).map_err(|error| {
            let path = error.path().to_string();
            let error = error.into_inner();
            let message = error.to_string();
            self.refused::<T>(None, path, without_position(&message), Arc::new(error))
        })
    }

    /// The error for a text that serde refused at this path.
    fn refused<T: DeserializeOwned>(
        &self,
        line: Option<usize>,
        path: String,
        message: &str,
        source: Cause,
    ) -> FileError {
        let (kind, problem) = match choice::<T>(&path) {
            Some(_) if message.starts_with("unknown variant") => plain(message),
            Some(values) => plain(&format!("invalid type, expected {values}")),
            None => plain(message),
        };
        let inner = unknown_key_inside(&path, message)
            .or_else(|| self.wrong_key_inside::<T>(&path, message));
        let line = line.filter(|_| inner.is_none());
        let path = inner.unwrap_or(path);
        let line = line.or_else(|| self.locate(&path));
        // serde's path of the whole file is `.`, which is not a key.
        let key = (path != ".").then_some(path);
        FileError::new(kind, problem, Some(source)).at(line, key)
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
    let is_named = path.ends_with(key);
    (!is_named && path != ".").then(|| format!("{path}.{key}"))
}

/// The values that a key with a choice allows.
///
/// For a number, serde only reports that it expected a string, so it is asked again
/// with a string that is not a choice. A list here would become outdated.
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
    Some(without_position(values).to_owned())
}
