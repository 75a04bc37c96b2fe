//! The arguments of a call, read from what was written.

use super::{ArgumentText, ArgumentsText, CallErrorCode, EnvelopeText, Problem};
use crate::check::nested::Brackets;
use crate::json::{Json, is_too_large, mistake, preview};
use std::collections::{BTreeSet, HashMap};

/// An argument as it was given.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    pub(crate) name: String,
    pub(crate) value: Written,
}

/// A value as it was written.
#[derive(Clone, Debug)]
pub(crate) enum Written {
    /// As text; the dialect may say whether it is a string or JSON.
    Text {
        text: String,
        is_string: Option<bool>,
    },
    /// As JSON.
    Json(Json),
}

/// All arguments of a call, and what had to be repaired to read them.
#[derive(Debug, Default)]
pub(crate) struct Arguments {
    pub(crate) given: Vec<Given>,
    pub(crate) repaired: Vec<String>,
    /// The brackets of the tags that values may be written as.
    pub(crate) brackets: Option<Brackets>,
}

/// Other names for arguments: the other name, and the argument.
type Aliases = [(String, String)];

/// The declared name of an argument.
fn own_name(name: String, aliases: &Aliases) -> String {
    let alias = aliases.iter().find(|(other, _)| *other == name);
    alias.map_or(name, |(_, own)| own.clone())
}

impl Arguments {
    pub(crate) fn read(arguments: &ArgumentsText<'_>, aliases: &Aliases) -> Result<Self, Problem> {
        match arguments {
            ArgumentsText::Values(values) => Ok(Arguments::of_values(values, aliases)),
            ArgumentsText::Nested {
                values, brackets, ..
            } => Ok(Arguments {
                brackets: Some(brackets.map(str::to_owned)),
                ..Arguments::of_values(values, aliases)
            }),
            ArgumentsText::Json { text, envelope, .. } => {
                envelope.as_ref().map_or(Ok(()), check_envelope)?;
                Arguments::of_json(text, aliases)
            }
            _ => Ok(Arguments::default()),
        }
    }

    fn of_values(values: &[ArgumentText<'_>], aliases: &Aliases) -> Self {
        let written = values.iter().map(|value| {
            let written = Written::Text {
                text: value.text.to_owned(),
                is_string: value.is_string,
            };
            (own_name(value.name.to_owned(), aliases), written)
        });
        let mut arguments = Arguments::default();
        // The engine reports arguments that are given twice.
        arguments.take(written);
        arguments
    }

    fn of_json(text: &str, aliases: &Aliases) -> Result<Self, Problem> {
        let mut arguments = Arguments::default();
        let mut json = arguments.json(text)?;
        if let Some(inner) = json.value.as_str() {
            json = arguments.json(inner)?;
            arguments.repair("the arguments were a JSON string, which was read as JSON");
        }
        let entries = json.entries().ok_or_else(|| not_object(&json))?;
        let written = entries.into_iter();
        let written = written.map(|(name, json)| (own_name(name, aliases), Written::Json(json)));
        for name in arguments.take(written) {
            arguments.repair(format!(
                "the argument `{name}` was given twice; the last one counts"
            ));
        }
        Ok(arguments)
    }

    /// Reads JSON. An empty text and `null` mean that there are no arguments.
    fn json(&mut self, text: &str) -> Result<Json, Problem> {
        if text.trim().is_empty() {
            return Ok(Json::from(serde_json::json!({})));
        }
        let (json, escaped) = Json::as_written_escaping(text).map_err(|error| not_json(&error))?;
        if escaped {
            self.repair("raw control characters in a JSON string were escaped");
        }
        if json.value.is_null() {
            self.repair("the arguments were `null`, which was read as no arguments");
            return Ok(Json::from(serde_json::json!({})));
        }
        Ok(json)
    }

    pub(crate) fn repair(&mut self, what: impl Into<String>) {
        self.repaired.push(what.into());
    }

    /// Adds arguments in the order of the first occurrence of their names, each with its last value.
    /// Returns the names that occur more than once.
    fn take(&mut self, written: impl Iterator<Item = (String, Written)>) -> BTreeSet<String> {
        let mut indexes: HashMap<String, usize> = HashMap::new();
        let mut twice = BTreeSet::new();
        for (name, value) in written {
            match indexes.get(&name) {
                Some(index) => {
                    self.given[*index].value = value;
                    twice.insert(name);
                }
                None => {
                    indexes.insert(name.clone(), self.given.len());
                    self.given.push(Given { name, value });
                }
            }
        }
        twice
    }
}

fn not_json(error: &serde_json::Error) -> Problem {
    if is_too_large(error) {
        let message = format!("the arguments have {}", mistake(error));
        return Problem::new(CallErrorCode::Limit, None, message);
    }
    invalid_json(format!("the arguments are not JSON: {}", mistake(error)))
}

fn not_object(json: &Json) -> Problem {
    let got = preview(&json.text);
    invalid_json(format!("the arguments must be a JSON object, got {got}"))
}

fn invalid_json(message: String) -> Problem {
    Problem::new(CallErrorCode::InvalidJson, None, message)
}

/// The object around the arguments must be JSON too.
fn check_envelope(envelope: &EnvelopeText<'_>) -> Result<(), Problem> {
    let (before, rest) = envelope.text.split_at(envelope.arguments.start);
    let after = &rest[envelope.arguments.len()..];
    let placeholder = if envelope.arguments.is_empty() {
        ""
    } else {
        "{}"
    };
    let json = format!("{before}{placeholder}{after}");
    let checked = serde_json::from_str::<serde::de::IgnoredAny>(&json);
    checked.map(drop).map_err(|error| {
        let mistake = mistake(&error);
        invalid_json(format!(
            "the object around the arguments is not JSON: {mistake}"
        ))
    })
}
