//! Finding all errors of a value, with bounded work.

use crate::schema::validate::parts::{self, Parts};
use jsonschema::{ValidationError, Validator, error::ValidationErrorKind};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// The errors of at most this many parts of one value are collected.
const MAX_PARTS: usize = 256;

/// A value that contains more values than this is shortened first: there may be as many errors as
/// values.
const MAX_VALUES: usize = 10_000;

/// Then at most this many items of each list remain.
const MAX_ITEMS: usize = 32;

/// The part of a recursive schema that a value inside does not fit.
pub(crate) fn part(error: &ValidationError<'_>) -> Option<usize> {
    match error.kind() {
        ValidationErrorKind::Not { schema } => parts::number(schema),
        _ => None,
    }
}

/// Chooses the validators that collect the errors of a value.
#[derive(Default)]
pub(crate) struct Explainer<'s> {
    parts: Option<&'s Parts>,
    built: HashMap<usize, Option<Rc<Validator>>>,
    seen: HashSet<(usize, String)>,
}

impl<'s> Explainer<'s> {
    pub(crate) fn new(parts: Option<&'s Parts>) -> Self {
        Explainer {
            parts,
            ..Explainer::default()
        }
    }

    /// The validator for the value at a location by one part of the schema; `None` if it has been
    /// used there, or too many have been.
    pub(crate) fn validator(&mut self, part: usize, location: &str) -> Option<Rc<Validator>> {
        let parts = self.parts.filter(|_| self.seen.len() < MAX_PARTS)?;
        if !self.seen.insert((part, location.to_owned())) {
            return None;
        }
        let build = || parts.validator(part).map(Rc::new);
        self.built.entry(part).or_insert_with(build).clone()
    }
}

/// A value with a bounded number of errors; `None` if it contains too much.
pub(crate) fn shortened(value: Cow<'_, Value>) -> Option<Cow<'_, Value>> {
    if count(&value) <= MAX_VALUES {
        return Some(value);
    }
    let mut short = value.into_owned();
    shorten(&mut short);
    (count(&short) <= MAX_VALUES).then_some(Cow::Owned(short))
}

/// How many values a value contains, itself included.
fn count(value: &Value) -> usize {
    let inside: usize = match value {
        Value::Array(list) => list.iter().map(count).sum(),
        Value::Object(map) => map.values().map(count).sum(),
        _ => 0,
    };
    inside + 1
}

fn shorten(value: &mut Value) {
    match value {
        Value::Array(list) => {
            list.truncate(MAX_ITEMS);
            list.iter_mut().for_each(shorten);
        }
        Value::Object(map) => map.values_mut().for_each(shorten),
        _ => {}
    }
}
