//! In place of `validate` without the feature `schema`: only what the names and types of arguments
//! say is checked, and a pattern matches nothing.

use serde_json::Value;

/// The schema of all arguments together, which is not asked.
#[derive(Debug, Default)]
pub(crate) struct Whole;

impl Whole {
    pub(crate) fn new(_schema: &Value) -> Option<Self> {
        Some(Whole)
    }

    pub(crate) fn fits(&self, _arguments: &Value) -> bool {
        true
    }
}

/// A key of `patternProperties`; there is none.
#[derive(Debug)]
pub(crate) enum Pattern {}

impl Pattern {
    pub(crate) fn new(_pattern: &str) -> Option<Self> {
        None
    }

    pub(crate) fn matches(&self, _name: &str) -> bool {
        match *self {}
    }
}

/// The places where a value is no JSON Schema: they are passed over where they are read.
pub(crate) fn mistakes(_schema: &Value) -> Vec<(String, String)> {
    Vec::new()
}

pub(crate) fn obstacle(_schema: &Value) -> Option<(String, String)> {
    None
}
