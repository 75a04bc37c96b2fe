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
pub(crate) struct Twin {
    name: u64,
    call: u64,
}

impl Twin {
    /// `None` if the arguments are not complete. No arguments at all are an empty object.
    pub(crate) fn new(name: &str, arguments: &str) -> Option<Self> {
        let arguments = match arguments.trim_ascii() {
            "" | "null" => "{}",
            json => json,
        };
        let arguments = serde_json::from_str(arguments).ok().map(sorted)?;
        Some(Twin {
            name: hash(&name),
            call: hash(&(name, arguments.to_string())),
        })
    }

    pub(crate) fn has_name(&self, name: &str) -> bool {
        self.name == hash(&name)
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
    pub(crate) fn found(&mut self, twin: Option<Twin>) {
        add(&mut self.found, twin);
    }

    /// A native call is complete.
    pub(crate) fn native(&mut self, twin: Option<Twin>) {
        add(&mut self.native, twin);
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
    pub(crate) fn take_found(&mut self, twin: Option<&Twin>) -> bool {
        twin.is_some_and(|twin| take(&mut self.found, twin))
    }

    /// Whether a call in the text has come natively; from now on that one has its twin.
    pub(crate) fn take_native(&mut self, twin: &Twin) -> bool {
        take(&mut self.native, twin)
    }
}

fn add(list: &mut Vec<Twin>, twin: Option<Twin>) {
    if list.len() < MAX_CALLS {
        list.extend(twin);
    }
}

fn has(list: &[Twin], name: &str) -> bool {
    let name = hash(&name);
    list.iter().any(|twin| twin.name == name)
}

fn take(list: &mut Vec<Twin>, twin: &Twin) -> bool {
    let at = list.iter().position(|known| known == twin);
    at.map(|at| list.remove(at)).is_some()
}
