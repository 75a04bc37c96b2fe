//! Finding the line of a key in the text of a data file.

use serde_json::value::RawValue;
use std::{borrow::Cow, collections::BTreeMap};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

/// One step of a key's path.
enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

/// The steps of a path like `thinking.tags[1]`.
fn steps(path: &str) -> impl Iterator<Item = Step<'_>> {
    path.split(['.', '['])
        .filter(|step| !step.is_empty())
        .map(|step| match step.strip_suffix(']').map(str::parse) {
            Some(Ok(index)) => Step::Index(index),
            _ => Step::Key(step),
        })
}

/// The line of a byte, counted from 1.
pub(super) fn line(text: &str, offset: usize) -> usize {
    let before = text.as_bytes().iter().take(offset);
    1 + before.filter(|&&byte| byte == b'\n').count()
}

/// The line of the key in a TOML text, or of the innermost table around it that is there.
pub(super) fn in_toml(text: &str, path: &str) -> Option<usize> {
    let table = DeTable::parse(text).ok()?;
    let mut steps = steps(path);
    let Some(Step::Key(first)) = steps.next() else {
        return None;
    };
    let (mut offset, mut value) = entry(table.get_ref(), first)?;
    for step in steps {
        let found = match (step, value) {
            (Step::Key(key), DeValue::Table(table)) => entry(table, key),
            (Step::Index(index), DeValue::Array(list)) => list.get(index).map(item),
            _ => None,
        };
        let Some(found) = found else { break };
        (offset, value) = found;
    }
    Some(line(text, offset))
}

/// Where a key is, and its value.
fn entry<'a, 'i>(table: &'a DeTable<'i>, key: &str) -> Option<(usize, &'a DeValue<'i>)> {
    let (key, value) = table.iter().find(|(name, _)| name.get_ref() == key)?;
    Some((key.span().start, value.get_ref()))
}

/// Where an item of a list is, and its value.
fn item<'a, 'i>(value: &'a Spanned<DeValue<'i>>) -> (usize, &'a DeValue<'i>) {
    (value.span().start, value.get_ref())
}

/// The line of the key's value in a JSON text, or of the innermost object around it that is there.
pub(super) fn in_json(text: &str, path: &str) -> Option<usize> {
    let mut value: &RawValue = serde_json::from_str(text).ok()?;
    for step in steps(path) {
        let Some(found) = child(value, &step) else {
            break;
        };
        value = found;
    }
    // A raw value is a slice of the text it was read from, so its address reveals its place.
    let offset = (value.get().as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
    Some(line(text, offset))
}

fn child<'a>(value: &'a RawValue, step: &Step<'_>) -> Option<&'a RawValue> {
    match step {
        Step::Key(key) => {
            let map: BTreeMap<Cow<'_, str>, &RawValue> = serde_json::from_str(value.get()).ok()?;
            map.get(*key).copied()
        }
        Step::Index(index) => {
            let list: Vec<&RawValue> = serde_json::from_str(value.get()).ok()?;
            list.get(*index).copied()
        }
    }
}
