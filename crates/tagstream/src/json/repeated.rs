//! Keys that an object has more than once: the last one counts, as in the value that is read.

use serde_json::Value;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;
use tagstream_core::json::{Lexeme, lexemes};

/// A text without the entries that a later one of the same key replaces. It must be JSON without
/// layout, and `value` the value that it has.
pub(super) fn without(text: String, value: &Value) -> String {
    // Few texts have such keys, and counting is enough to recognise the others.
    if count_colons(&text) == count_entries(value) {
        return text;
    }
    let mut kept = String::with_capacity(text.len());
    let mut end = 0;
    for replaced in replaced_entries(&text) {
        if replaced.start >= end {
            kept.push_str(&text[end..replaced.start]);
        }
        end = end.max(replaced.end);
    }
    kept.push_str(&text[end..]);
    kept
}

/// How many entries the objects of a text have.
fn count_colons(text: &str) -> usize {
    let is_colon = |(lexeme, _): &(Lexeme, _)| *lexeme == Lexeme::Mark(b':');
    lexemes(text).filter(is_colon).count()
}

/// How many entries the objects of a value have.
fn count_entries(value: &Value) -> usize {
    match value {
        Value::Array(list) => list.iter().map(count_entries).sum(),
        Value::Object(map) => map.len() + map.values().map(count_entries).sum::<usize>(),
        _ => 0,
    }
}

/// An object or a list that is open.
#[derive(Default)]
struct Open {
    /// The entries by their keys, each with the comma after it.
    entries: HashMap<String, Range<usize>>,
    /// The range of the last string before a colon: the key of the entry that is being read.
    key: Option<Range<usize>>,
}

impl Open {
    /// The entry that is being read ends; returns the one that it replaces.
    fn end_entry(&mut self, text: &str, end: usize) -> Option<Range<usize>> {
        let key = self.key.take()?;
        let start = key.start;
        let key = serde_json::from_str(&text[key]).ok()?;
        self.entries.insert(key, start..end)
    }
}

/// The ranges of all replaced entries, in order; one may be inside another.
fn replaced_entries(text: &str) -> Vec<Range<usize>> {
    let mut open: Vec<Open> = Vec::new();
    let mut replaced = Vec::new();
    let mut string = 0..0;
    for (lexeme, range) in lexemes(text) {
        match (lexeme, open.last_mut()) {
            (Lexeme::Quote | Lexeme::Text | Lexeme::Escape, _) => {
                // Two strings are never next to each other.
                let start = if string.end == range.start {
                    string.start
                } else {
                    range.start
                };
                string = start..range.end;
            }
            (Lexeme::Mark(b':'), Some(inner)) => inner.key = Some(string.clone()),
            (Lexeme::Mark(b','), Some(inner)) => replaced.extend(inner.end_entry(text, range.end)),
            (Lexeme::Mark(b'}' | b']'), Some(inner)) => {
                replaced.extend(inner.end_entry(text, range.start));
                open.pop();
            }
            (Lexeme::Mark(b'{' | b'['), _) => open.push(Open::default()),
            _ => {}
        }
    }
    replaced.sort_by_key(|range| (range.start, Reverse(range.end)));
    replaced
}
