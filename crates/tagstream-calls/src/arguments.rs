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

/// The names that arguments have in the end, and which of them are declared.
pub(crate) struct Names<'n> {
    /// Other names that arguments may come under: the other name, and the argument.
    pub(crate) aliases: &'n [(String, String)],
    pub(crate) is_declared: &'n dyn Fn(&str) -> bool,
}

impl Names<'_> {
    fn own(&self, name: String) -> String {
        let alias = self.aliases.iter().find(|(other, _)| *other == name);
        alias.map_or(name, |(_, own)| own.clone())
    }
}

impl Arguments {
    pub(crate) fn read(arguments: ArgumentsText<'_>, names: &Names<'_>) -> Result<Self, Problem> {
        match arguments {
            ArgumentsText::Values(values) => Ok(Arguments::of_values(values, names)),
            ArgumentsText::Nested { values, brackets } => Ok(Arguments {
                brackets: Some(brackets.map(str::to_owned)),
                ..Arguments::of_values(values, names)
            }),
            ArgumentsText::Json(text) => Arguments::of_json(text, names),
        }
    }

    fn of_values(values: &[ArgumentText<'_>], names: &Names<'_>) -> Self {
        let written = values.iter().map(|value| {
            let written = Written::Text {
                text: value.text.to_owned(),
                is_string: value.is_string,
            };
            (names.own(value.name.to_owned()), written)
        });
        let mut arguments = Arguments::default();
        // Of declared ones the engine tells, which has counted their tags.
        arguments.take(written, |name| !(names.is_declared)(name));
        arguments
    }

    fn of_json(text: &str, names: &Names<'_>) -> Result<Self, Problem> {
        let mut arguments = Arguments::default();
        let mut json = arguments.json(text)?;
        if let Some(inner) = json.value.as_str() {
            json = arguments.json(inner)?;
            arguments.repair("the arguments were a JSON string, which was read as JSON");
        }
        let entries = json.entries().ok_or_else(|| no_object(&json))?;
        let written = entries.into_iter();
        let written = written.map(|(name, json)| (names.own(name), Written::Json(json)));
        arguments.take(written, |_| true);
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
    /// last; says so of those that `tells` names.
    fn take(
        &mut self,
        written: impl Iterator<Item = (String, Written)>,
        tells: impl Fn(&str) -> bool,
    ) {
        let mut places: HashMap<String, (usize, bool)> = HashMap::new();
        for (name, value) in written {
            match places.get_mut(&name) {
                Some((place, told)) => {
                    self.given[*place].value = value;
                    if !std::mem::replace(told, true) && tells(&name) {
                        self.repair(format!(
                            "the argument `{name}` was given twice; the last one counts"
                        ));
                    }
                }
                None => {
                    places.insert(name.clone(), (self.given.len(), false));
                    self.given.push(Given { name, value });
                }
            }
        }
    }
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
