//! Arguments of a call that come piece by piece, each with the path of where it belongs, as
//! Gemini streams them.

use serde::Deserialize;
use serde_json::{Map, Value};

/// Paths are no deeper.
const DEEPEST: usize = 64;
/// All arguments of a call are no longer, in bytes.
const LONGEST: usize = 16_777_216;

/// A piece of an argument.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Piece {
    #[serde(default)]
    json_path: String,
    string_value: Option<String>,
    number_value: Option<serde_json::Number>,
    bool_value: Option<bool>,
}

impl Piece {
    /// What it says; null is all that is left.
    fn value(self) -> Value {
        let text = self.string_value.map(Value::String);
        let number = || self.number_value.map(Value::Number);
        let truth = || self.bool_value.map(Value::Bool);
        text.or_else(number).or_else(truth).unwrap_or(Value::Null)
    }
}

/// The arguments so far.
#[derive(Debug)]
pub(crate) struct Partial {
    arguments: Value,
    size: usize,
    is_broken: bool,
}

impl Partial {
    /// With those arguments that came whole.
    pub(crate) fn new(whole: Option<Map<String, Value>>) -> Self {
        Partial {
            arguments: Value::Object(whole.unwrap_or_default()),
            size: 0,
            is_broken: false,
        }
    }

    /// Puts a piece where it belongs.
    pub(crate) fn add(&mut self, piece: Piece) {
        self.size += piece.json_path.len() + piece.string_value.as_ref().map_or(0, String::len);
        let steps = steps(&piece.json_path);
        let place = steps.and_then(|steps| find(&mut self.arguments, &steps));
        let fits = place.is_some_and(|place| put(place, piece.value()));
        self.is_broken |= !fits || self.size > LONGEST;
    }

    /// The JSON text of the arguments; `None` if their pieces did not fit together.
    pub(crate) fn json(&self) -> Option<String> {
        (!self.is_broken).then(|| self.arguments.to_string())
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

/// The steps of a path such as `$.a['b'][0].c`; `None` if it is none, or leads nowhere.
fn steps(path: &str) -> Option<Vec<Step<'_>>> {
    let mut rest = path.strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        let (step, behind) = match rest.strip_prefix('[') {
            Some(inside) => bracket(inside)?,
            None => key(rest.strip_prefix('.')?)?,
        };
        steps.push(step);
        rest = behind;
    }
    (1..=DEEPEST).contains(&steps.len()).then_some(steps)
}

fn key(rest: &str) -> Option<(Step<'_>, &str)> {
    let end = rest.find(['.', '[']).unwrap_or(rest.len());
    let (name, behind) = rest.split_at(end);
    (!name.is_empty()).then_some((Step::Key(name), behind))
}

fn bracket(inside: &str) -> Option<(Step<'_>, &str)> {
    for quote in ['\'', '"'] {
        if let Some(name) = inside.strip_prefix(quote) {
            let (name, behind) = name.split_once(quote)?;
            return Some((Step::Key(name), behind.strip_prefix(']')?));
        }
    }
    let (number, behind) = inside.split_once(']')?;
    Some((Step::At(number.parse().ok()?), behind))
}

/// The value at the end of a path; what is missing on the way is made. A list has no gaps.
fn find<'v>(root: &'v mut Value, steps: &[Step<'_>]) -> Option<&'v mut Value> {
    let mut value = root;
    for step in steps {
        value = match step {
            Step::Key(name) => {
                if value.is_null() {
                    *value = Value::Object(Map::new());
                }
                let map = value.as_object_mut()?;
                map.entry(*name).or_insert(Value::Null)
            }
            Step::At(index) => {
                if value.is_null() {
                    *value = Value::Array(Vec::new());
                }
                let list = value.as_array_mut()?;
                if *index == list.len() {
                    list.push(Value::Null);
                }
                list.get_mut(*index)?
            }
        };
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(pieces: &Value) -> Option<Value> {
        let mut partial = Partial::new(None);
        for piece in pieces.as_array().unwrap() {
            partial.add(serde_json::from_value(piece.clone()).unwrap());
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
}
