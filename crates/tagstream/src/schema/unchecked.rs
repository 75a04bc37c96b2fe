//! Replaces `validate` without the feature `schema`: only the names and types of arguments are
//! checked, and a pattern matches nothing.

use serde_json::Value;

/// The schema of all arguments together, which is not used.
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

/// A key of `patternProperties`, which does not exist here.
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

/// The mistakes in a schema, which are not searched for.
pub(crate) fn mistakes(_schema: &Value) -> Vec<(String, String)> {
    Vec::new()
}

pub(crate) fn obstacle(_schema: &Value) -> Option<(String, String)> {
    None
}
