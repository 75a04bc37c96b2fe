//! A block that is JSON: the call in it.

use super::block::{Block, JSON_OPENER, Policies};
use super::error::BufferErrorKind;
use super::validate::Validator;
use super::{Fault, Given, Raw};
use crate::dialect::{Arguments, Dialect, Wrapper};
use crate::json::Json;
use crate::position::TextPosition;
use crate::{CallSettings, Limits, Policy, Profile, ProfileError};
use serde_json::{Map, Value};

const NAME: [&str; 2] = ["name", "tool"];
const ARGUMENTS: [&str; 4] = ["arguments", "parameters", "params", "input"];
/// Keys beside these that belong to the call and not to its arguments.
const ENVELOPE: [&str; 3] = ["id", "type", "index"];

const WAS_STRING: &str = "the arguments were a JSON string, which was read as JSON";

/// For an engine that reports the name in JSON as soon as it is known. An opener is pushed first,
/// because in a message JSON alone is not a call.
pub(super) fn name_policy(limits: Limits) -> Result<Policy, ProfileError> {
    let closer = JSON_OPENER.replace('<', "</");
    let dialect = Dialect::new("block", Arguments::envelope(NAME, ARGUMENTS))
        .wrapper(Wrapper::new([JSON_OPENER], [closer.as_str()]));
    let calls = CallSettings::dialects([dialect]);
    Profile::new().limits(limits).calls(calls).compile()
}

/// The call in a block that has stopped, if there is one.
pub(super) fn read(block: &Block, validator: &Validator) -> Option<Raw> {
    let at = block.text.len() - block.text.trim_start().len();
    let raw = |name, result: Result<Given, Fault>| Some(Raw { name, at, result });
    let (object, mut fixes) = match object(block, at) {
        Ok(read) => read,
        Err(fault) if is_begun(block, validator) => {
            return raw(block.name().map(str::to_owned), Err(fault));
        }
        Err(_) => return None,
    };
    if let Some(tool) = &block.tool {
        let arguments = all_arguments(object, tool, validator, &mut fixes);
        return raw(Some(tool.clone()), Ok(Given::json(arguments, fixes)));
    }
    let is_call = block.id.is_some();
    let Some(key) = name_key(&object, validator) else {
        let message = "Missing tool name: give it in \"name\"";
        let missing = || fault(BufferErrorKind::Tool, message, at);
        return is_call.then(|| raw(None, Err(missing())))?;
    };
    let envelope = Envelope::new(object, key, validator);
    let name = envelope.name.clone();
    let result = match envelope.meaning(is_call) {
        Meaning::Call(arguments, more) => {
            fixes.extend(more);
            Ok(Given::json(arguments, fixes))
        }
        Meaning::Mistake(kind, message) => Err(fault(kind, &message, at)),
        Meaning::Answer => return None,
    };
    raw(Some(name), result)
}

/// A call in JSON where it is not read: in a list, or in the tags of another dialect.
pub(super) fn elsewhere(text: &str, policies: &Policies, validator: &Validator) -> Option<Raw> {
    let read = |at, message| in_other_form(text, at, message, policies, validator);
    let start = text.len() - text.trim_start().len();
    if text[start..].starts_with('[') {
        return read(
            start,
            "A list is not a call; give each call in a block of its own, without the list",
        );
    }
    after_openers(text).find_map(|at| {
        let message = "Tags around JSON are not read; give the JSON alone";
        read(at, message)
    })
}

/// Where JSON in tags may begin: after the first opening tag of a line that starts with a tag. In a
/// code span it is an example.
fn after_openers(text: &str) -> impl Iterator<Item = usize> {
    let mut end = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let start = end;
        end += line.len();
        let opener = line.trim_start().starts_with('<').then_some(JSON_OPENER)?;
        Some(start + line.find(opener)? + opener.len())
    })
}

/// The call in the first object from here on, which is refused for this reason.
fn in_other_form(
    text: &str,
    at: usize,
    message: &str,
    policies: &Policies,
    validator: &Validator,
) -> Option<Raw> {
    let inside = text[at..].trim_start_matches(|c: char| c == '[' || c.is_whitespace());
    let mut values = serde_json::Deserializer::from_str(inside).into_iter::<Map<String, Value>>();
    let first = values.next()?.ok()?;
    let call = read(
        &Block::json(&Value::Object(first).to_string(), policies),
        validator,
    )?;
    let start = text.len() - inside.len();
    let result = Err(fault(BufferErrorKind::Json, message, start));
    Some(Raw { result, at, ..call })
}

/// Whether text that cannot be read was going to be a call.
fn is_begun(block: &Block, validator: &Validator) -> bool {
    let names_call = |name| block.has_arguments() || validator.knows(name);
    block.tool.is_some() || block.id.is_some() || block.name().is_some_and(names_call)
}

/// The object that the block is, and what was repaired to read it.
fn object(block: &Block, at: usize) -> Result<(Map<String, Value>, Vec<String>), Fault> {
    if block.cut {
        return Err(fault(BufferErrorKind::Limit, "The call is too long", at));
    }
    // A tool without arguments may come without any delta.
    if block.text.trim().is_empty() {
        return Ok((Map::new(), Vec::new()));
    }
    let read = read_json(&block.text);
    let (value, fixes) = read.map_err(|error| parse_fault(&block.text, &error))?;
    let Value::Object(object) = value else {
        let message = "JSON parse error: not an object";
        return Err(fault(BufferErrorKind::Json, message, at));
    };
    Ok((object, fixes))
}

/// JSON, and what was repaired to read it.
fn read_json(text: &str) -> Result<(Value, Vec<String>), serde_json::Error> {
    let (json, is_escaped) = Json::read_escaping(text)?;
    let written = Json::as_written_repaired(text);
    let is_repeated = written.is_ok_and(|(written, _)| written.text != json.text);
    let fixes = [
        (
            is_escaped,
            "raw control characters in a JSON string were escaped",
        ),
        (
            is_repeated,
            "of a key that was given twice, the last value counts",
        ),
    ];
    let fixes = fixes.iter().filter(|(is_made, _)| *is_made);
    let fixes = fixes.map(|(_, fix)| (*fix).to_owned()).collect();
    Ok((json.value, fixes))
}

fn fault(kind: BufferErrorKind, message: &str, at: usize) -> Fault {
    Fault {
        kind,
        message: message.to_owned(),
        at,
    }
}

fn parse_fault(text: &str, error: &serde_json::Error) -> Fault {
    let words = error.to_string();
    let words = words
        .rsplit_once(" at line ")
        .map_or(words.as_str(), |(words, _)| words);
    let at = TextPosition::byte_of_line(text, error.line(), error.column());
    fault(
        BufferErrorKind::Json,
        &format!("JSON parse error: {words}"),
        at,
    )
}

/// The key that names the tool: of several, one that names a tool that is known.
fn name_key(object: &Map<String, Value>, validator: &Validator) -> Option<&'static str> {
    let name = |key: &&str| object.get(*key)?.as_str().filter(|name| !name.is_empty());
    let given = NAME.into_iter().filter(|key| name(key).is_some());
    let mut known = given.clone();
    known
        .find(|key| name(key).is_some_and(|name| validator.knows(name)))
        .or_else(|| given.clone().next())
}

/// The arguments in a block whose start named the tool: all of the object, unless the object has them
/// under a key of its own that is not an argument of the tool, and nothing beside it.
fn all_arguments(
    object: Map<String, Value>,
    tool: &str,
    validator: &Validator,
    fixes: &mut Vec<String>,
) -> Map<String, Value> {
    let has = |key: &&str| object.contains_key(*key) && !validator.takes(tool, key);
    let Some(key) = ARGUMENTS.into_iter().find(has) else {
        return object;
    };
    let names_tool = |other: &str| NAME.contains(&other) && object[other] == *tool;
    let is_beside = |other: &str| other != key && !ENVELOPE.contains(&other) && !names_tool(other);
    if object.keys().any(|other| is_beside(other)) {
        return object;
    }
    match as_object(&object[key]) {
        Some((inner, more)) => {
            fixes.extend(more);
            inner
        }
        None => object,
    }
}

/// An object that names a tool.
struct Envelope<'v> {
    name: String,
    /// What is beside the name.
    rest: Map<String, Value>,
    validator: &'v Validator,
}

/// What such an object is.
enum Meaning {
    /// A call with these arguments, and what was repaired to read them.
    Call(Map<String, Value>, Vec<String>),
    Mistake(BufferErrorKind, String),
    /// Data that has a name.
    Answer,
}

impl<'v> Envelope<'v> {
    fn new(mut rest: Map<String, Value>, key: &str, validator: &'v Validator) -> Self {
        let name = rest.shift_remove(key);
        let name = name.as_ref().and_then(Value::as_str).unwrap_or_default();
        Envelope {
            name: name.to_owned(),
            rest,
            validator,
        }
    }

    /// What the object is; the block may be known to be a call.
    fn meaning(mut self, is_call: bool) -> Meaning {
        let Some(key) = self.arguments_key() else {
            return self.flat(is_call);
        };
        let value = self.rest.shift_remove(key).unwrap_or_default();
        match as_object(&value) {
            Some((arguments, fixes)) => self.nested(key, arguments, fixes),
            None if value.is_null() => self.nested(key, Map::new(), Vec::new()),
            None if !is_call && key != ARGUMENTS[0] && !self.validator.knows(&self.name) => {
                Meaning::Answer
            }
            None if is_blank(&value) => self.nested(key, Map::new(), vec![WAS_STRING.to_owned()]),
            None => {
                let message = "JSON parse error: the arguments are not an object";
                Meaning::Mistake(BufferErrorKind::Json, message.to_owned())
            }
        }
    }

    /// The key of the arguments. A key that is itself an argument of the tool is not, unless its value
    /// is an object.
    fn arguments_key(&self) -> Option<&'static str> {
        let is_key = |key: &&str| {
            let value = self.rest.get(*key);
            let is_own = || self.validator.takes(&self.name, key);
            value.is_some_and(|value| value.is_object() || !is_own())
        };
        ARGUMENTS.into_iter().find(is_key)
    }

    /// A call whose arguments are under this key. What is beside it would be lost.
    fn nested(&self, key: &str, arguments: Map<String, Value>, fixes: Vec<String>) -> Meaning {
        let mut beside = self.rest.iter();
        let lost = beside.find_map(|(name, value)| self.lost(key, name, value));
        match lost {
            Some(message) => Meaning::Mistake(BufferErrorKind::Validation, message),
            None => Meaning::Call(arguments, fixes),
        }
    }

    /// Why this, beside the key of the arguments, is a mistake.
    fn lost(&self, key: &str, name: &str, value: &Value) -> Option<String> {
        if is_envelope(name) || is_nothing(value) {
            return None;
        }
        let is_own = self.validator.takes(&self.name, name);
        if NAME.contains(&name) && !is_own {
            let tool = &self.name;
            return self
                .may_mean(value)
                .then(|| format!("\"{name}\" is {value}, but the tool is named '{tool}', too"));
        }
        Some(
            if ARGUMENTS.contains(&name) && value.is_object() && !is_own {
                format!("\"{name}\" is beside \"{key}\"; put all parameters in one of them")
            } else {
                format!("Parameter '{name}' is beside \"{key}\"; put it in there")
            },
        )
    }

    /// Whether another name may be meant as well: of two names the one of a tool counts.
    fn may_mean(&self, other: &Value) -> bool {
        let other = other.as_str().filter(|other| *other != self.name);
        let is_one = |name: &str| self.validator.knows(name) || !self.validator.knows(&self.name);
        other.is_some_and(is_one)
    }

    /// An object whose arguments are beside the name, if it is a call at all.
    fn flat(mut self, is_call: bool) -> Meaning {
        let takes = |key: &str| self.validator.takes(&self.name, key);
        let is_own = |key: &String| takes(key) || !is_envelope(key);
        let (own, _): (Map<_, _>, Map<_, _>) = std::mem::take(&mut self.rest)
            .into_iter()
            .partition(|(key, _)| is_own(key));
        let begins_call = is_call
            || self.validator.declares_tool(&self.name)
            || self.validator.knows(&self.name) && own.keys().any(|key| takes(key));
        if !begins_call {
            return Meaning::Answer;
        }
        if let Some(other) = own.keys().find(|key| !takes(key)) {
            let message = format!(
                "Parameter '{other}' is beside the name and not known; put all parameters in \
                 \"arguments\""
            );
            return Meaning::Mistake(BufferErrorKind::Validation, message);
        }
        let fix = (!own.is_empty()).then(|| "the arguments were beside the name".to_owned());
        Meaning::Call(own, Vec::from_iter(fix))
    }
}

fn is_envelope(key: &str) -> bool {
    ENVELOPE.contains(&key)
}

/// Whether a value cannot be an argument that is lost.
fn is_nothing(value: &Value) -> bool {
    value.is_null() || value.as_object().is_some_and(Map::is_empty)
}

/// Whether the arguments are an empty string: some servers send it where there are none.
fn is_blank(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.trim().is_empty())
}

/// An object, or a string that contains one; that is a repair.
fn as_object(value: &Value) -> Option<(Map<String, Value>, Vec<String>)> {
    match value {
        Value::Object(object) => Some((object.clone(), Vec::new())),
        Value::String(text) => match read_json(text).ok()? {
            (Value::Object(object), mut fixes) => {
                fixes.insert(0, WAS_STRING.to_owned());
                Some((object, fixes))
            }
            _ => None,
        },
        _ => None,
    }
}
