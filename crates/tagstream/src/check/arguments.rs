//! The arguments of a call, taken from what was written.

use super::{ArgumentText, ArgumentsText, CallErrorCode, EnvelopeText, Problem};
use crate::check::nested::Brackets;
use crate::json::{Json, is_too_large, mistake};
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
    /// As text, of which the dialect may have said whether it is a string or JSON.
    Text {
        text: String,
        is_string: Option<bool>,
    },
    /// As JSON.
    Json(Json),
}

/// All arguments of a call, and what had to be put right to read them.
#[derive(Debug, Default)]
pub(crate) struct Arguments {
    pub(crate) given: Vec<Given>,
    pub(crate) repaired: Vec<String>,
    /// The brackets of the tags that values may be made of.
    pub(crate) brackets: Option<Brackets>,
}

/// Other names that arguments may come under: the other name, and the argument.
type Aliases = [(String, String)];

/// The name that an argument has in the end.
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
        // Of those given twice the engine tells, which has counted their tags.
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
        let entries = json.entries().ok_or_else(|| no_object(&json))?;
        let written = entries.into_iter();
        let written = written.map(|(name, json)| (own_name(name, aliases), Written::Json(json)));
        for name in arguments.take(written) {
            arguments.repair(format!(
                "the argument `{name}` was given twice; the last one counts"
            ));
        }
        Ok(arguments)
    }

    /// Reads JSON; nothing at all, and `null`, are no arguments.
    fn json(&mut self, text: &str) -> Result<Json, Problem> {
        if text.trim().is_empty() {
            return Ok(Json::from(serde_json::json!({})));
        }
        let (json, escaped) = Json::as_written_escaping(text).map_err(|error| no_json(&error))?;
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

    /// Takes arguments in the order in which their names first came, each with the value that came
    /// last; gives the names that came more than once.
    fn take(&mut self, written: impl Iterator<Item = (String, Written)>) -> BTreeSet<String> {
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut twice = BTreeSet::new();
        for (name, value) in written {
            match places.get(&name) {
                Some(place) => {
                    self.given[*place].value = value;
                    twice.insert(name);
                }
                None => {
                    places.insert(name.clone(), self.given.len());
                    self.given.push(Given { name, value });
                }
            }
        }
        twice
    }
}

fn no_json(error: &serde_json::Error) -> Problem {
    let mistake = mistake(error);
    if is_too_large(error) {
        let message = format!("the arguments have {mistake}");
        Problem::new(CallErrorCode::Limit, None, message)
    } else {
        invalid_json(format!("the arguments are not JSON: {mistake}"))
    }
}

fn no_object(json: &Json) -> Problem {
    let got = crate::json::preview(&json.text);
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
    match serde_json::from_str::<serde::de::IgnoredAny>(&json) {
        Ok(_) => Ok(()),
        Err(error) => Err(invalid_json(format!(
            "the object around the arguments is not JSON: {}",
            mistake(&error)
        ))),
    }
}
