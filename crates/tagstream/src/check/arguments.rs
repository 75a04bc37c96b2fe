//! The arguments of a call, read from what was written.

use super::{ArgumentText, ArgumentsText, CallErrorCode, EnvelopeText, Problem, ToolCheck};
use crate::check::nested::Brackets;
use crate::json::lenient::{self, AlmostValue};
use crate::json::{Fix, Json, is_almost_json, is_too_large, mistake, preview};
use std::collections::HashMap;

/// An argument as it was given.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    pub(crate) name: String,
    pub(crate) value: Written,
    /// The values that came before under the same name.
    pub(crate) earlier: Vec<Written>,
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
    /// As words without quotes, where JSON has a string.
    Words(String),
}

impl Written {
    /// The entries of an object, which may be in a string.
    fn entries(&self) -> Option<Vec<(String, Json)>> {
        let read = |text: &str| Json::as_written_repaired(text).ok().map(|(json, _)| json);
        let json = match self {
            Written::Json(json) => json.clone(),
            Written::Words(_) => return None,
            Written::Text { text, .. } => read(text)?,
        };
        match json.value.as_str() {
            Some(inner) => read(inner)?.entries(),
            None => json.entries(),
        }
    }
}

/// All arguments of a call, and what had to be repaired to read them.
#[derive(Debug, Default)]
pub(crate) struct Arguments {
    pub(crate) given: Vec<Given>,
    pub(crate) repaired: Vec<String>,
    /// The brackets of the tags that values may be written as.
    pub(crate) brackets: Option<Brackets>,
}

/// Names of arguments that models put all others into.
const PACKAGES: [&str; 2] = ["arguments", "input"];

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
            ArgumentsText::Json {
                text,
                envelope,
                has_words,
                ..
            } => {
                let fix = envelope.as_ref().map_or(Ok(None), check_envelope)?;
                let mut arguments = Arguments::of_json(text, aliases, *has_words)?;
                if let Some(fix) = fix
                    && arguments.repaired.is_empty()
                {
                    arguments.repair(fix.words());
                }
                Ok(arguments)
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
        arguments.take(written);
        arguments
    }

    fn of_json(text: &str, aliases: &Aliases, has_words: bool) -> Result<Self, Problem> {
        let mut arguments = Arguments::default();
        let mut json = match arguments.json(text) {
            Ok(json) => json,
            Err(problem) if has_words => {
                return arguments.with_words(text, aliases).ok_or(problem);
            }
            Err(problem) => return Err(problem),
        };
        if let Some(inner) = json.value.as_str() {
            json = match Json::read_escaped(inner) {
                Some(json) if json.value.is_object() => json,
                _ => arguments.json(inner)?,
            };
            arguments.repair("the arguments were a JSON string, which was read as JSON");
        }
        let entries = json.entries().ok_or_else(|| not_object(&json))?;
        arguments.take_entries(entries, aliases);
        Ok(arguments)
    }

    /// Reads an object some of whose values are words without quotes.
    fn with_words(mut self, text: &str, aliases: &Aliases) -> Option<Self> {
        let written = |(name, value): (String, AlmostValue<'_>)| {
            let value = match value {
                AlmostValue::Words(words) => Written::Words(words.to_owned()),
                AlmostValue::Json(json) => Written::Json(Json::read(&json).ok()?),
            };
            Some((own_name(name, aliases), value))
        };
        let entries = lenient::entries(text)?.into_iter();
        let entries: Vec<_> = entries.map(written).collect::<Option<_>>()?;
        self.take(entries.into_iter());
        self.repair("words without quotes were read as strings");
        Some(self)
    }

    pub(crate) fn take_entries(&mut self, entries: Vec<(String, Json)>, aliases: &Aliases) {
        let written = entries.into_iter();
        let written = written.map(|(name, json)| (own_name(name, aliases), Written::Json(json)));
        self.take(written);
    }

    /// Models put all arguments into one, with a name that means no more than that. If the tool has no
    /// such argument, but those that are in it, these are meant.
    pub(crate) fn open_single(&mut self, tool: &ToolCheck, aliases: &Aliases) {
        let [given] = &self.given[..] else { return };
        let is_package = PACKAGES.contains(&given.name.as_str()) && !tool.knows(&given.name);
        if !is_package {
            return;
        }
        let Some(entries) = given.value.entries() else {
            return;
        };
        let own = |name: &String| tool.has(&own_name(name.clone(), aliases));
        if !entries.iter().any(|(name, _)| own(name)) {
            return;
        }
        let name = &given.name;
        self.repaired
            .push(format!("the arguments were inside an argument `{name}`"));
        self.given.clear();
        self.take_entries(entries, aliases);
    }

    /// Reads JSON. An empty text and `null` mean that there are no arguments.
    fn json(&mut self, text: &str) -> Result<Json, Problem> {
        if text.trim().is_empty() {
            return Ok(Json::from(serde_json::json!({})));
        }
        let (json, fix) = Json::as_written_repaired(text).map_err(|error| not_json(&error))?;
        if let Some(fix) = fix {
            self.repair(fix.words());
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

    /// Adds arguments in the order of the first occurrence of their names, each with its last value and
    /// those before it.
    fn take(&mut self, written: impl Iterator<Item = (String, Written)>) {
        let mut indexes: HashMap<String, usize> = HashMap::new();
        for (name, value) in written {
            match indexes.get(&name) {
                Some(index) => {
                    let given = &mut self.given[*index];
                    given
                        .earlier
                        .push(std::mem::replace(&mut given.value, value));
                }
                None => {
                    indexes.insert(name.clone(), self.given.len());
                    self.given.push(Given {
                        name,
                        value,
                        earlier: Vec::new(),
                    });
                }
            }
        }
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
fn check_envelope(envelope: &EnvelopeText<'_>) -> Result<Option<Fix>, Problem> {
    let (before, rest) = envelope.text.split_at(envelope.arguments.start);
    let after = &rest[envelope.arguments.len()..];
    let placeholder = if envelope.arguments.is_empty() {
        ""
    } else {
        "{}"
    };
    let json = format!("{before}{placeholder}{after}");
    let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(&json) else {
        return Ok(None);
    };
    if is_almost_json(&json) {
        return Ok(Some(Fix::AlmostJson));
    }
    let mistake = mistake(&error);
    Err(invalid_json(format!(
        "the object around the arguments is not JSON: {mistake}"
    )))
}
