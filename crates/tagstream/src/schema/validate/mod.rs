//! Checking against a whole JSON Schema, and reporting what does not fit.

pub(crate) mod explain;
pub(crate) mod forms;
pub(crate) mod parts;
pub(crate) mod words;

use crate::json::preview;
use jsonschema::paths::Location;
use jsonschema::{ValidationError, Validator};
use parts::Parts;
use serde_json::{Value, json};

/// The validator for a schema. Nothing is fetched: a reference to another document is an error.
fn validator(schema: &Value) -> Result<Validator, ValidationError<'static>> {
    jsonschema::options().offline().build(schema)
}

/// The schema of all arguments together.
#[derive(Debug, Default)]
pub(crate) struct Whole {
    /// `None` for a tool that is not declared.
    pub(crate) validator: Option<Validator>,
    /// The schema in parts, if it is recursive.
    pub(crate) parts: Option<Parts>,
}

impl Whole {
    /// `None` if it is not a JSON Schema.
    pub(crate) fn new(schema: &Value) -> Option<Self> {
        Some(Whole {
            validator: Some(validator(schema).ok()?),
            parts: Parts::new(schema),
        })
    }

    /// Whether these arguments are valid.
    pub(crate) fn fits(&self, arguments: &Value) -> bool {
        let validator = self.validator.as_ref();
        validator.is_none_or(|validator| validator.is_valid(arguments))
    }
}

/// A key of `patternProperties`, as the validator of the schema reads it.
#[derive(Debug)]
pub(crate) struct Pattern(Validator);

impl Pattern {
    pub(crate) fn new(pattern: &str) -> Option<Self> {
        let validator = validator(&json!({ "pattern": pattern }));
        validator.ok().map(Pattern)
    }

    pub(crate) fn matches(&self, name: &str) -> bool {
        self.0.is_valid(&Value::from(name))
    }
}

/// The pointers at which a value is not a JSON Schema, and why.
pub(crate) fn mistakes(schema: &Value) -> Vec<(String, String)> {
    let Ok(language) = jsonschema::meta::validator_for(schema) else {
        let problem = "unknown version of JSON Schema".to_owned();
        return vec![("/$schema".to_owned(), problem)];
    };
    language.iter_errors(schema).map(mistake).collect()
}

/// What prevents the use of a schema that is written as its version requires.
pub(crate) fn obstacle(schema: &Value) -> Option<(String, String)> {
    validator(schema).err().map(mistake)
}

#[allow(clippy::needless_pass_by_value, reason = "it is handed to `map`")]
fn mistake(error: ValidationError<'_>) -> (String, String) {
    let got = preview(&error.instance().to_string());
    let problem = words::problem(&error, &Location::new());
    let problem = format!("not a JSON Schema: {problem}, got {got}");
    (error.instance_path().as_str().to_owned(), problem)
}
