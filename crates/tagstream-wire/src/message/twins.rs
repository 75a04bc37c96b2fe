//! Calls that come twice: natively, and in the text.
//!
//! Some servers leave the markup of a call in the text although they report it natively. Calls with
//! the same name and the same arguments count once, if one of them is in the text and the other is
//! native. Two that are both native, or both in the text, are two calls.

use serde_json::Value;
use std::hash::{DefaultHasher, Hash, Hasher};

/// How many calls are remembered.
const MAX_CALLS: usize = 1024;

/// The complete calls of a choice that have no twin so far.
#[derive(Debug, Default)]
pub(crate) struct Twins {
    found: Vec<Twin>,
    native: Vec<Twin>,
}

/// A call: hashes of its name, and of its name and arguments. Arguments may be long.
#[derive(Debug, PartialEq, Eq)]
struct Twin {
    name: u64,
    call: u64,
}

impl Twin {
    fn new(name: &str, arguments: &str) -> Self {
        let arguments: Option<Value> = serde_json::from_str(arguments).ok();
        let arguments = arguments.map(sorted).map(|value| value.to_string());
        Twin {
            name: hash(&name),
            call: hash(&(name, arguments)),
        }
    }
}

/// A value with its keys in order, so that two spellings of one object are the same text.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut members: Vec<(String, Value)> = map.into_iter().collect();
            members.sort_by(|one, other| one.0.cmp(&other.0));
            let members = members.into_iter().map(|(key, value)| (key, sorted(value)));
            Value::Object(members.collect())
        }
        Value::Array(list) => list.into_iter().map(sorted).collect(),
        other => other,
    }
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

impl Twins {
    /// A call was found in the text.
    pub(crate) fn found(&mut self, name: &str, arguments: &str) {
        add(&mut self.found, Twin::new(name, arguments));
    }

    /// A native call is complete.
    pub(crate) fn native(&mut self, name: &str, arguments: &str) {
        add(&mut self.native, Twin::new(name, arguments));
    }

    /// Whether a native call of this tool may be one that was found in the text.
    pub(crate) fn has_found(&self, name: &str) -> bool {
        has(&self.found, name)
    }

    /// Whether a call of this tool in the text may be a native one.
    pub(crate) fn has_native(&self, name: &str) -> bool {
        has(&self.native, name)
    }

    /// Whether a native call was found in the text; from now on that one has its twin.
    pub(crate) fn take_found(&mut self, name: &str, arguments: &str) -> bool {
        take(&mut self.found, &Twin::new(name, arguments))
    }

    /// Whether a call in the text has come natively; from now on that one has its twin.
    pub(crate) fn take_native(&mut self, name: &str, arguments: &str) -> bool {
        take(&mut self.native, &Twin::new(name, arguments))
    }
}

fn add(list: &mut Vec<Twin>, twin: Twin) {
    if list.len() < MAX_CALLS {
        list.push(twin);
    }
}

fn has(list: &[Twin], name: &str) -> bool {
    !list.is_empty() && {
        let name = hash(&name);
        list.iter().any(|twin| twin.name == name)
    }
}

fn take(list: &mut Vec<Twin>, twin: &Twin) -> bool {
    let at = list.iter().position(|known| known == twin);
    at.map(|at| list.remove(at)).is_some()
}
