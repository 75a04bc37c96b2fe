//! The arguments of a call, taken from what was written.

use crate::json::{Json, mistake};
use crate::nested::Brackets;
use std::collections::HashMap;
use tagstream::{ArgumentText, ArgumentsText, CallErrorCode, Problem};

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

impl Arguments {
    pub(crate) fn read(arguments: ArgumentsText<'_>) -> Result<Self, Problem> {
        match arguments {
            ArgumentsText::Values(values) => Ok(Arguments::of_values(values)),
            ArgumentsText::Nested { values, brackets } => Ok(Arguments {
                brackets: Some(brackets.map(str::to_owned)),
                ..Arguments::of_values(values)
            }),
            ArgumentsText::Json(text) => Arguments::of_json(text),
        }
    }

    fn of_values(values: &[ArgumentText<'_>]) -> Self {
        let written = values.iter().map(|value| {
            let written = Written::Text {
                text: value.text.to_owned(),
                is_string: value.is_string,
            };
            (value.name.to_owned(), written)
        });
        Arguments {
            given: last_of_each(written),
            ..Arguments::default()
        }
    }

    fn of_json(text: &str) -> Result<Self, Problem> {
        let mut arguments = Arguments::default();
        let mut json = arguments.json(text)?;
        if let Some(inner) = json.value.as_str() {
            json = arguments.json(inner)?;
            arguments.repair("the arguments were a JSON string, which was read as JSON");
        }
        let entries = json.entries().ok_or_else(|| no_object(&json))?;
        let written = entries.into_iter();
        arguments.given = last_of_each(written.map(|(name, json)| (name, Written::Json(json))));
        Ok(arguments)
    }

    /// Reads JSON; nothing at all, and `null`, are no arguments.
    fn json(&mut self, text: &str) -> Result<Json, Problem> {
        if text.trim().is_empty() {
            return Ok(Json::from(serde_json::json!({})));
        }
        let (json, escaped) = Json::read_escaping(text).map_err(|error| no_json(&error))?;
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

    pub(crate) fn has(&self, name: &str) -> bool {
        self.given.iter().any(|given| given.name == name)
    }

    /// Gives arguments that came under another name their own. One that came under its own name
    /// too stays as it is.
    pub(crate) fn rename(&mut self, aliases: &[(String, String)]) {
        for (other, name) in aliases {
            let Some(at) = self.given.iter().position(|given| given.name == *other) else {
                continue;
            };
            if self.has(name) {
                self.given.remove(at);
                self.repair(format!(
                    "argument `{other}` was dropped: `{name}` was given too"
                ));
            } else {
                self.given[at].name.clone_from(name);
                self.repair(format!("argument `{other}` was taken for `{name}`"));
            }
        }
    }
}

/// Arguments in the order in which their names first came, each with the value that came last.
fn last_of_each(written: impl Iterator<Item = (String, Written)>) -> Vec<Given> {
    let mut given: Vec<Given> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (name, value) in written {
        match places.get(&name) {
            Some(&place) => given[place].value = value,
            None => {
                places.insert(name.clone(), given.len());
                given.push(Given { name, value });
            }
        }
    }
    given
}

fn no_json(error: &serde_json::Error) -> Problem {
    invalid_json(format!("the arguments are not JSON: {}", mistake(error)))
}

fn no_object(json: &Json) -> Problem {
    let got = crate::json::preview(&json.text);
    invalid_json(format!("the arguments must be a JSON object, got {got}"))
}

fn invalid_json(message: String) -> Problem {
    Problem {
        code: CallErrorCode::InvalidJson,
        argument: None,
        message,
    }
}
