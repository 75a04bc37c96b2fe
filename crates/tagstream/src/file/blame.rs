//! Which key of a file is wrong. serde reports only what is wrong with it.
//!
//! It is found by reading the file again with less of it: of the keys of a table, and of the items of
//! a list, the one to blame is the first whose addition brings the message about.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// The path of the wrong key, such as `thinking.tags[1]`; empty if no key by itself is to blame.
pub(super) fn wrong_key<T: DeserializeOwned>(file: &Value, message: &str) -> String {
    let blame = Blame {
        file,
        message,
        mistake: |file| Some(serde_json::from_value::<T>(file).err()?.to_string()),
    };
    let mut path = Vec::new();
    while let Some(step) = blame.step(&path) {
        path.push(step);
    }
    written(&path)
}

enum Step {
    Key(String),
    Index(usize),
}

impl Step {
    fn of<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        match self {
            Step::Key(key) => value.get_mut(key),
            Step::Index(index) => value.get_mut(index),
        }
    }
}

fn written(path: &[Step]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            Step::Index(index) => text.push_str(&format!("[{index}]")),
            Step::Key(key) => {
                text.push_str(if text.is_empty() { "" } else { "." });
                text.push_str(key);
            }
        }
    }
    text
}

struct Blame<'a> {
    file: &'a Value,
    message: &'a str,
    /// serde's message about a file; `None` if nothing is wrong with it.
    mistake: fn(Value) -> Option<String>,
}

impl Blame<'_> {
    /// The key or item to blame of the value at this path.
    fn step(&self, path: &[Step]) -> Option<Step> {
        let mut file = self.file.clone();
        match at(&mut file, path)?.take() {
            Value::Object(table) => {
                let mut keys: Vec<String> = table.keys().cloned().collect();
                // What is allowed may depend on a choice, such as `style`.
                keys.sort_by_cached_key(|key| !self.is_choice(path, key));
                let upto = |count| {
                    let keys = keys[..count].iter();
                    keys.map(|key| (key.clone(), table[key].clone())).collect()
                };
                let index = self.first(keys.len(), path, |count| Value::Object(upto(count)))?;
                let key = keys.swap_remove(index);
                let step = Step::Key(key.clone());
                self.is_to_blame(path, &step, &table[&key]).then_some(step)
            }
            Value::Array(list) => {
                let upto = |count: usize| Value::from(&list[..count]);
                let index = self.first(list.len(), path, upto)?;
                let step = Step::Index(index);
                self.is_to_blame(path, &step, &list[index]).then_some(step)
            }
            _ => None,
        }
    }

    /// The first of the children whose addition brings the message about.
    fn first(
        &self,
        children: usize,
        path: &[Step],
        upto: impl Fn(usize) -> Value,
    ) -> Option<usize> {
        let has_message =
            |count| self.mistake_with(path, upto(count)).as_deref() == Some(self.message);
        let mut before = has_message(0);
        (0..children).find(|index| {
            let without = std::mem::replace(&mut before, has_message(index + 1));
            before && !without
        })
    }

    /// Whether the message is about this child, and not about the value that it completes: a missing
    /// key or a wrong length is the fault of a table or a list, and so is what stays wrong whatever
    /// the child is.
    fn is_to_blame(&self, path: &[Step], step: &Step, child: &Value) -> bool {
        let starts_with = |words: &str| self.message.starts_with(words);
        if starts_with("unknown field") {
            return true;
        }
        if starts_with("missing field") {
            return has_table(child);
        }
        if child.is_array() || child.is_object() {
            return true;
        }
        let is_length = starts_with("invalid length") || starts_with("wrong length");
        let mut file = self.file.clone();
        if let Some(child) = at(&mut file, path).and_then(|value| step.of(value)) {
            *child = Value::from("\u{0}");
        }
        !is_length && (self.mistake)(file).as_deref() != Some(self.message)
    }

    /// Whether the key's value is one of a few names.
    fn is_choice(&self, path: &[Step], key: &str) -> bool {
        let mut file = self.file.clone();
        if let Some(table) = at(&mut file, path) {
            table[key] = Value::from("\u{0}");
        }
        let mistake = (self.mistake)(file);
        mistake.is_some_and(|mistake| mistake.starts_with("unknown variant `\u{0}`"))
    }

    fn mistake_with(&self, path: &[Step], value: Value) -> Option<String> {
        let mut file = self.file.clone();
        *at(&mut file, path)? = value;
        (self.mistake)(file)
    }
}

/// Whether a key can be missing in it.
fn has_table(value: &Value) -> bool {
    let list = value.as_array();
    value.is_object() || list.is_some_and(|list| list.iter().any(has_table))
}

fn at<'v>(file: &'v mut Value, path: &[Step]) -> Option<&'v mut Value> {
    path.iter().try_fold(file, |value, step| step.of(value))
}
