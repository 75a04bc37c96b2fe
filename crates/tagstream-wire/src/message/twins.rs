//! Calls that come twice: natively, and in the text.
//!
//! Some servers leave the markup of a call in the text although they report it natively. Calls with
//! the same name and the same arguments count once, if one of them is in the text and the other is
//! native. Two that are both native, or both in the text, are two calls.

use serde_json::{Number, Value};
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

/// A value with its keys in order and each number in one spelling, so that two spellings of one object
/// are the same text.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut members: Vec<(String, Value)> = map.into_iter().collect();
            members.sort_by(|one, other| one.0.cmp(&other.0));
            let members = members.into_iter().map(|(key, value)| (key, sorted(value)));
            Value::Object(members.collect())
        }
        Value::Array(list) => list.into_iter().map(sorted).collect(),
        Value::Number(number) => same_number(number),
        other => other,
    }
}

/// Whole numbers are written without a fraction or an exponent: `1.0` and `1e0` are `1`.
fn same_number(number: Number) -> Value {
    const MAX_EXACT: f64 = (1_u64 << 53) as f64;
    if number.is_i64() || number.is_u64() {
        return Value::Number(number);
    }
    match number.as_f64() {
        #[allow(clippy::cast_possible_truncation, reason = "it is whole, and in range")]
        Some(whole) if whole.fract() == 0.0 && whole.abs() <= MAX_EXACT => {
            Value::from(whole as i64)
        }
        Some(other) => Value::from(other),
        None => Value::Number(number),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn twin(arguments: &str) -> Option<Twin> {
        Twin::new("f", arguments)
    }

    #[test]
    fn spellings_of_one_object_are_twins() {
        for (one, other) in [
            (r#"{"a":1,"b":2}"#, r#"{ "b": 2, "a": 1 }"#),
            (r#"{"a":1}"#, r#"{"a":1.0}"#),
            (r#"{"a":[100]}"#, r#"{"a":[1e2]}"#),
            (r#"{"a":0}"#, r#"{"a":-0.0}"#),
            (r#"{"a":0.5}"#, r#"{"a":0.50}"#),
            ("", "{}"),
        ] {
            assert_eq!(twin(one), twin(other), "{one} {other}");
        }
        for (one, other) in [
            (r#"{"a":1}"#, r#"{"a":1.5}"#),
            (r#"{"a":1}"#, r#"{"a":"1"}"#),
            (r#"{"a":9007199254740993}"#, r#"{"a":9007199254740992.0}"#),
        ] {
            assert_ne!(twin(one), twin(other), "{one} {other}");
        }
    }
}
