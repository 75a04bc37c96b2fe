//! Keys that an object has more than once: the last one counts, as it does in what is read.

use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// A text without the entries that a later one of the same key replaces. It must be JSON without
/// layout, and `value` what it says.
pub(super) fn without(text: String, value: &Value) -> String {
    // Only few texts have such keys; all others are done with one look.
    if colons(&text) == entries(value) {
        return text;
    }
    let mut kept = String::with_capacity(text.len());
    let mut end = 0;
    for cut in Cutter::new(&text).cuts() {
        if cut.start >= end {
            kept.push_str(&text[end..cut.start]);
        }
        end = end.max(cut.end);
    }
    kept.push_str(&text[end..]);
    kept
}

/// How many entries the objects in a text have.
fn colons(text: &str) -> usize {
    let mut place = super::InString::default();
    let outside = text.chars().filter(|&c| !place.pass(c));
    outside.filter(|&c| c == ':').count()
}

/// How many entries the objects in a value have.
fn entries(value: &Value) -> usize {
    match value {
        Value::Array(list) => list.iter().map(entries).sum(),
        Value::Object(map) => map.len() + map.values().map(entries).sum::<usize>(),
        _ => 0,
    }
}

/// An object or a list that is open.
#[derive(Default)]
struct Open<'t> {
    /// Where each entry stands, with the comma behind it.
    known: HashMap<Cow<'t, str>, Range<usize>>,
    /// The key whose value is being read, and where it begins.
    key: Option<(&'t str, usize)>,
    is_object: bool,
}

/// Finds the entries that are replaced.
struct Cutter<'t> {
    text: &'t str,
    open: Vec<Open<'t>>,
    cuts: Vec<Range<usize>>,
}

impl<'t> Cutter<'t> {
    fn new(text: &'t str) -> Self {
        Cutter {
            text,
            open: Vec::new(),
            cuts: Vec::new(),
        }
    }

    /// The ranges that hold replaced entries, in order; one may lie inside another.
    fn cuts(mut self) -> Vec<Range<usize>> {
        let mut at = 0;
        while let Some(byte) = self.text.as_bytes().get(at) {
            match byte {
                b'"' => {
                    let end = at + string(&self.text.as_bytes()[at..]);
                    self.string(at, end);
                    at = end;
                    continue;
                }
                b'{' | b'[' => self.open.push(Open {
                    is_object: *byte == b'{',
                    ..Open::default()
                }),
                b',' => self.entry(at + 1),
                b'}' | b']' => {
                    self.entry(at);
                    self.open.pop();
                }
                _ => {}
            }
            at += 1;
        }
        self.cuts
            .sort_by_key(|cut| (cut.start, std::cmp::Reverse(cut.end)));
        self.cuts
    }

    /// A string is a key if none is being read.
    fn string(&mut self, start: usize, end: usize) {
        if let Some(open) = self.open.last_mut().filter(|open| open.is_object) {
            open.key.get_or_insert((&self.text[start..end], start));
        }
    }

    /// The entry that is being read ends.
    fn entry(&mut self, end: usize) {
        let Some(open) = self.open.last_mut() else {
            return;
        };
        if let Some((key, start)) = open.key.take() {
            self.cuts
                .extend(open.known.insert(unescaped(key), start..end));
        }
    }
}

/// The length of the string that a text begins with, with its quotes.
fn string(text: &[u8]) -> usize {
    let mut at = 1;
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    text.len()
}

/// What a key says.
fn unescaped(key: &str) -> Cow<'_, str> {
    let plain = key.trim_matches('"');
    match key.contains('\\') {
        true => serde_json::from_str(key).map_or(Cow::Borrowed(plain), Cow::Owned),
        false => Cow::Borrowed(plain),
    }
}
