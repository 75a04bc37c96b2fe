//! Reading a data file from TOML or JSON.

use super::blame::wrong_key;
use super::error::{Cause, FileError, FileErrorKind, plain};
use super::locate;
use crate::json::without_position;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::Arc;
use toml::de::{DeTable, DeValue};

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
        let file = self.value()?;
        serde_json::from_value(file.clone()).map_err(|error| self.refused::<T>(&file, error))
    }

    /// The file as a value, so that what it means is read from one type whatever its format is.
    fn value(&self) -> Result<Value, FileError> {
        match self.format {
            Format::Toml => DeTable::parse(self.text)
                .map(|table| of_table(table.get_ref()))
                .map_err(|error| {
                    let line = error.span().map(|span| locate::line(self.text, span.start));
                    let problem = format!("not TOML: {}", error.message());
                    syntax_error(line, problem, Arc::new(error))
                }),
            Format::Json => serde_json::from_str(self.text).map_err(|error| {
                let problem = format!("not JSON: {}", without_position(&error.to_string()));
                syntax_error(Some(error.line()), problem, Arc::new(error))
            }),
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

    /// The error for a file that serde refused.
    fn refused<T: DeserializeOwned>(&self, file: &Value, error: serde_json::Error) -> FileError {
        let message = error.to_string();
        let path = wrong_key::<T>(file, &message);
        let (kind, problem) = match choice::<T>(&path) {
            Some(_) if message.starts_with("unknown variant") => plain(&message),
            Some(values) => plain(&format!("invalid type, expected {values}")),
            None => plain(&message),
        };
        // Where no key is to blame, the file is.
        let line = if path.is_empty() {
            Some(1)
        } else {
            self.locate(&path)
        };
        let key = (!path.is_empty()).then_some(path);
        FileError::new(kind, problem, Some(Arc::new(error))).at(line, key)
    }
}

fn syntax_error(line: Option<usize>, problem: String, source: Cause) -> FileError {
    FileError::new(FileErrorKind::Syntax, problem, Some(source)).at(line, None)
}

fn of_table(table: &DeTable<'_>) -> Value {
    let entries = table.iter();
    let entries = entries.map(|(key, value)| (key.get_ref().to_string(), of_toml(value.get_ref())));
    Value::Object(entries.collect())
}

fn of_toml(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::from(text.as_ref()),
        DeValue::Boolean(value) => Value::from(*value),
        DeValue::Integer(number) => of_integer(number.as_str(), number.radix()),
        DeValue::Float(number) => number
            .as_str()
            .parse::<f64>()
            .ok()
            .and_then(serde_json::Number::from_f64)
            // `inf` and `nan` are no numbers in JSON: what is refused is named as it was written.
            .map_or_else(|| Value::from(number.as_str()), Value::Number),
        DeValue::Datetime(time) => Value::from(time.to_string()),
        DeValue::Array(list) => list.iter().map(|item| of_toml(item.get_ref())).collect(),
        DeValue::Table(table) => of_table(table),
    }
}

/// An integer that is too large is what is nearest, as in JSON.
fn of_integer(digits: &str, radix: u32) -> Value {
    let signed = i64::from_str_radix(digits, radix).map(Value::from);
    signed
        .or_else(|_| u64::from_str_radix(digits, radix).map(Value::from))
        .unwrap_or_else(|_| digits.parse::<f64>().map_or(Value::Null, Value::from))
}

/// The values that a key with a choice allows.
///
/// For a number, serde only reports that it expected a string, so it is asked again
/// with a string that is not a choice. A list here would become outdated.
fn choice<T: DeserializeOwned>(path: &str) -> Option<String> {
    let inside = |inner, key: &str| json!({ key: inner });
    let file = path.rsplit('.').fold(Value::from("\u{0}"), inside);
    let message = serde_json::from_value::<T>(file).err()?.to_string();
    let values = message.strip_prefix("unknown variant")?;
    Some(values.split_once("expected ")?.1.to_owned())
}
