//! What is wrong with a value, found in work that is bounded by the value and the schema.

use crate::schema::validate::parts::{self, Parts};
use jsonschema::{ValidationError, Validator, error::ValidationErrorKind};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// How many parts of one value are looked into.
const LOOKS: usize = 256;

/// A value with more in it than this is shortened before it is looked into: there may be as many
/// mistakes as values.
const VALUES: usize = 10_000;

/// What is left of each list then.
const ITEMS: usize = 32;

/// The part of a value that does not fit, where why is asked of that part.
pub(crate) fn part(error: &ValidationError<'_>) -> Option<usize> {
    match error.kind() {
        ValidationErrorKind::Not { schema } => parts::number(schema),
        _ => None,
    }
}

/// Chooses what a value that does not fit is looked into with.
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

    /// Tells what is wrong with the value at a place by one part of the schema; `None` if that has
    /// been asked, or too much has.
    pub(crate) fn look(&mut self, part: usize, place: &str) -> Option<Rc<Validator>> {
        let parts = self.parts.filter(|_| self.seen.len() < LOOKS)?;
        if !self.seen.insert((part, place.to_owned())) {
            return None;
        }
        let build = || parts.validator(part).map(Rc::new);
        self.built.entry(part).or_insert_with(build).clone()
    }
}

/// A value of which not too much is wrong to be told; `None` if there is too much in it.
pub(crate) fn shortened(value: Cow<'_, Value>) -> Option<Cow<'_, Value>> {
    if count(&value) <= VALUES {
        return Some(value);
    }
    let mut short = value.into_owned();
    shorten(&mut short);
    (count(&short) <= VALUES).then_some(Cow::Owned(short))
}

/// How many values there are in one, itself too.
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
            list.truncate(ITEMS);
            list.iter_mut().for_each(shorten);
        }
        Value::Object(map) => map.values_mut().for_each(shorten),
        _ => {}
    }
}
