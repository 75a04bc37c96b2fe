//! Arguments of a call that come piece by piece, each with the path of where it belongs, as
//! Gemini streams them.

use crate::json;
use serde_json::{Map, Number, Value};

/// Paths are no deeper.
const MAX_PATH_DEPTH: usize = 64;
/// No call has more keys and elements: each takes room, however short its text is.
const MAX_PLACES: usize = 1 << 16;
/// What a key or an element has for bytes beside its name and its value.
const PLACE_BYTES: usize = 8;

/// A piece of an argument.
pub(super) struct Piece {
    path: String,
    value: Value,
}

impl Piece {
    /// The piece that a value of a frame is; what it says of its value is text, a number, a truth
    /// value, or else null.
    pub(super) fn of(piece: json::Value<'_>) -> Self {
        let text = piece.get("stringValue").and_then(json::Value::text);
        let text = text.map(|text| Value::String(text.into_owned()));
        let number = piece.get("numberValue").map(json::Value::raw);
        let number = number.and_then(|raw| raw.parse::<Number>().ok());
        let truth = piece.get("boolValue").map(json::Value::raw);
        let truth = truth.and_then(|raw| raw.parse().ok()).map(Value::Bool);
        let value = text.or(number.map(Value::Number)).or(truth);
        Piece {
            path: piece.given("jsonPath").unwrap_or_default().into_owned(),
            value: value.unwrap_or(Value::Null),
        }
    }

    fn text_length(&self) -> usize {
        self.value.as_str().map_or(0, str::len)
    }
}

/// The arguments so far; nothing of them once a piece did not fit, or they were too long.
#[derive(Debug)]
pub(super) struct Partial {
    arguments: Option<Value>,
    /// Their bytes, nearly.
    size: usize,
    /// How many bytes they may have.
    limit: usize,
    /// How many keys and elements were made.
    places: usize,
}

impl Partial {
    /// With those arguments that came whole, as JSON.
    pub(super) fn new(whole: Option<&str>, limit: usize) -> Self {
        let whole = whole.unwrap_or("{}");
        let read: Option<Map<String, Value>> = if whole.len() <= limit {
            serde_json::from_str(whole).ok()
        } else {
            None
        };
        Partial {
            arguments: read.map(Value::Object),
            size: whole.len(),
            limit,
            places: 0,
        }
    }

    /// Puts a piece where it belongs.
    pub(super) fn add(&mut self, piece: Piece) {
        let Some(arguments) = &mut self.arguments else {
            return;
        };
        self.size += piece.text_length();
        let steps = steps(&piece.path);
        let place = steps.and_then(|steps| find(arguments, &steps));
        let fits = place.is_some_and(|found| {
            self.size += found.bytes + PLACE_BYTES * found.made;
            self.places += found.made;
            put(found.place, piece.value)
        });
        if !fits || self.size > self.limit || self.places > MAX_PLACES {
            self.arguments = None;
        }
    }

    /// The JSON text of the arguments; `None` if their pieces did not fit together.
    pub(super) fn json(&self) -> Option<String> {
        self.arguments.as_ref().map(Value::to_string)
    }
}

/// A string goes on, and anything else comes once.
fn put(place: &mut Value, value: Value) -> bool {
    match (&mut *place, value) {
        (Value::String(text), Value::String(more)) => text.push_str(&more),
        (Value::Null, value) => *place = value,
        _ => return false,
    }
    true
}

/// A step of a path.
#[derive(Debug, PartialEq, Eq)]
enum Step<'p> {
    Key(&'p str),
    At(usize),
}

/// The steps of a path such as `$.a['b'][0].c`; `None` if it is not one, or leads nowhere.
fn steps(path: &str) -> Option<Vec<Step<'_>>> {
    let mut rest = path.strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        let (step, left) = match rest.strip_prefix('[') {
            Some(inside) => bracket(inside)?,
            None => key(rest.strip_prefix('.')?)?,
        };
        steps.push(step);
        rest = left;
    }
    (1..=MAX_PATH_DEPTH).contains(&steps.len()).then_some(steps)
}

fn key(rest: &str) -> Option<(Step<'_>, &str)> {
    let end = rest.find(['.', '[']).unwrap_or(rest.len());
    let (name, rest) = rest.split_at(end);
    (!name.is_empty()).then_some((Step::Key(name), rest))
}

fn bracket(inside: &str) -> Option<(Step<'_>, &str)> {
    for quote in ['\'', '"'] {
        if let Some(name) = inside.strip_prefix(quote) {
            let (name, rest) = name.split_once(quote)?;
            return Some((Step::Key(name), rest.strip_prefix(']')?));
        }
    }
    let (number, rest) = inside.split_once(']')?;
    Some((Step::At(number.parse().ok()?), rest))
}

/// The end of a path, and what had to be made on the way.
struct Found<'v> {
    place: &'v mut Value,
    made: usize,
    /// The bytes of the keys that were made.
    bytes: usize,
}

/// The value at the end of a path; what is missing on the way is made. A list has no gaps.
fn find<'v>(root: &'v mut Value, steps: &[Step<'_>]) -> Option<Found<'v>> {
    let mut found = Found {
        place: root,
        made: 0,
        bytes: 0,
    };
    for step in steps {
        found = match step {
            Step::Key(name) => found.key(name)?,
            Step::At(index) => found.at(*index)?,
        };
    }
    Some(found)
}

impl<'v> Found<'v> {
    fn key(mut self, name: &str) -> Option<Self> {
        if self.place.is_null() {
            *self.place = Value::Object(Map::new());
        }
        let map = self.place.as_object_mut()?;
        if !map.contains_key(name) {
            self.made += 1;
            self.bytes += name.len();
        }
        self.place = map.entry(name).or_insert(Value::Null);
        Some(self)
    }

    fn at(mut self, index: usize) -> Option<Self> {
        if self.place.is_null() {
            *self.place = Value::Array(Vec::new());
        }
        let list = self.place.as_array_mut()?;
        if index == list.len() {
            self.made += 1;
            list.push(Value::Null);
        }
        self.place = list.get_mut(index)?;
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn piece_of(piece: &Value) -> Piece {
        let text = piece.to_string();
        Piece::of(json::Tape::default().read(&text).unwrap().root())
    }

    fn of(pieces: &Value) -> Option<Value> {
        let mut partial = Partial::new(None, 100);
        for piece in pieces.as_array().unwrap() {
            partial.add(piece_of(piece));
        }
        let json = partial.json()?;
        Some(serde_json::from_str(&json).unwrap())
    }

    #[test]
    fn pieces_go_where_their_paths_say() {
        let pieces = json!([
            {"jsonPath": "$.a.b[0].c", "stringValue": "x", "willContinue": true},
            {"jsonPath": "$.a.b[0].c", "stringValue": "y"},
            {"jsonPath": "$.a.b[1]", "numberValue": 50},
            {"jsonPath": "$['on.e']", "boolValue": true},
            {"jsonPath": "$[\"n\"]", "nullValue": "NULL_VALUE"},
        ]);
        let expected = json!({"a": {"b": [{"c": "xy"}, 50]}, "on.e": true, "n": null});
        assert_eq!(of(&pieces), Some(expected));
    }

    #[test]
    fn what_does_not_fit_breaks_the_call() {
        for path in [
            "", "a", "$", "$.", "$..a", "$.a[", "$.a[7]", "$.a['b", "$[0]",
        ] {
            let piece = json!([{"jsonPath": path, "stringValue": "x"}]);
            assert_eq!(of(&piece), None, "{path}");
        }
        let twice = json!([
            {"jsonPath": "$.a", "numberValue": 1},
            {"jsonPath": "$.a", "numberValue": 2},
        ]);
        assert_eq!(of(&twice), None);
        let deep = "$".to_owned() + &".a".repeat(65);
        assert_eq!(of(&json!([{"jsonPath": deep, "numberValue": 1}])), None);
    }

    #[test]
    fn arguments_that_are_too_long_are_not_kept() {
        let piece = |length| json!([{"jsonPath": "$.a", "stringValue": "x".repeat(length)}]);
        assert!(of(&piece(89)).is_some());
        assert_eq!(of(&piece(90)), None);
        let mut partial = Partial::new(Some("{\"a\":1}"), 7);
        assert_eq!(partial.json().as_deref(), Some("{\"a\":1}"));
        let more = json!({"jsonPath": "$.b", "numberValue": 1});
        partial.add(piece_of(&more));
        assert!(partial.arguments.is_none());
    }
}
