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
const ENVELOPE: [&str; 2] = ["id", "type"];

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
        Meaning::Call(arguments, fix) => {
            fixes.extend(fix.map(str::to_owned));
            Ok(Given::json(arguments, fixes))
        }
        Meaning::Mistake(kind, message) => Err(fault(kind, &message, at)),
        Meaning::Answer => return None,
    };
    raw(Some(name), result)
}

/// Calls in JSON where it is not read: in a list, or in the tags of another dialect.
pub(super) fn elsewhere(text: &str, policies: &Policies, validator: &Validator) -> Option<Raw> {
    let start = text.len() - text.trim_start().len();
    let (at, message) = if text[start..].starts_with('[') {
        (
            start,
            "A list is not a call; give each call in a block of its own, without the list",
        )
    } else if text[start..].starts_with(JSON_OPENER) {
        (
            start + JSON_OPENER.len(),
            "Tags around JSON are not read; give the JSON alone",
        )
    } else {
        return None;
    };
    let inside = text[at..].trim_start_matches(|c: char| c == '[' || c.is_whitespace());
    let mut values = serde_json::Deserializer::from_str(inside).into_iter::<Map<String, Value>>();
    let first = values.next()?.ok()?;
    let call = read(
        &Block::json(&Value::Object(first).to_string(), policies),
        validator,
    )?;
    let result = Err(fault(
        BufferErrorKind::Json,
        message,
        text.len() - inside.len(),
    ));
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
    let read = Json::read_escaping(&block.text);
    let (json, is_escaped) = read.map_err(|error| parse_fault(&block.text, &error))?;
    let written = Json::as_written_repaired(&block.text);
    let is_repeated = written.is_ok_and(|(written, _)| written.text != json.text);
    let Value::Object(object) = json.value else {
        let message = "JSON parse error: not an object";
        return Err(fault(BufferErrorKind::Json, message, at));
    };
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
    Ok((object, fixes.map(|(_, fix)| (*fix).to_owned()).collect()))
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
        Some((inner, fix)) => {
            fixes.extend(fix.map(str::to_owned));
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
    Call(Map<String, Value>, Option<&'static str>),
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
            Some((arguments, fix)) => self.nested(key, arguments, fix),
            None if value.is_null() => self.nested(key, Map::new(), None),
            None if is_call || key == ARGUMENTS[0] || self.validator.knows(&self.name) => {
                let message = "JSON parse error: the arguments are not an object";
                Meaning::Mistake(BufferErrorKind::Json, message.to_owned())
            }
            None => Meaning::Answer,
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

    /// A call whose arguments are under this key. What the tool takes must not be beside it.
    fn nested(
        &self,
        key: &str,
        arguments: Map<String, Value>,
        fix: Option<&'static str>,
    ) -> Meaning {
        for (name, value) in self.rest.iter().filter(|(name, _)| !is_envelope(name)) {
            let message = if self.validator.takes(&self.name, name) {
                format!("Parameter '{name}' is beside \"{key}\"; put it in there")
            } else if ARGUMENTS.contains(&name.as_str()) && value.is_object() {
                format!("\"{name}\" is beside \"{key}\"; put all parameters in one of them")
            } else if NAME.contains(&name.as_str()) && self.may_mean(value) {
                format!(
                    "\"{name}\" is {value}, but the tool is named '{}', too",
                    self.name
                )
            } else {
                continue;
            };
            return Meaning::Mistake(BufferErrorKind::Validation, message);
        }
        Meaning::Call(arguments, fix)
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
        let fix = (!own.is_empty()).then_some("the arguments were beside the name");
        Meaning::Call(own, fix)
    }
}

fn is_envelope(key: &str) -> bool {
    ENVELOPE.contains(&key)
}

/// An object, or a string that contains one; that is a repair.
fn as_object(value: &Value) -> Option<(Map<String, Value>, Option<&'static str>)> {
    let fix = "the arguments were a JSON string, which was read as JSON";
    match value {
        Value::Object(object) => Some((object.clone(), None)),
        Value::String(text) => Some((serde_json::from_str(text).ok()?, Some(fix))),
        _ => None,
    }
}
