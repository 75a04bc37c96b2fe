//! A block that is JSON: the call in it.

use super::block::{Block, JSON_OPENER};
use super::error::{BufferErrorKind, Place};
use super::validate::{Validator, Written};
use super::{Fault, Raw};
use crate::dialect::{Arguments, Dialect, Wrapper};
use crate::json::Json;
use crate::{CallSettings, Limits, Policy, Profile, ProfileError};
use serde_json::{Map, Value};

const NAME: [&str; 2] = ["name", "tool"];
const ARGUMENTS: [&str; 4] = ["arguments", "parameters", "params", "input"];

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
    let known = block.name().map(str::to_owned);
    let at = block.text.len() - block.text.trim_start().len();
    let is_call = known.is_some() || block.id.is_some();
    let raw = |name, result| Raw { name, at, result };
    let fail = |fault| is_call.then(|| raw(known.clone(), Err(fault)));
    if block.cut {
        return fail(fault(BufferErrorKind::Limit, "The call is too long", at));
    }
    // A tool without arguments may come without any delta.
    let text = if block.text.trim().is_empty() {
        "{}"
    } else {
        block.text.as_str()
    };
    let object = match Json::read_escaping(text) {
        Ok((
            Json {
                value: Value::Object(object),
                ..
            },
            _,
        )) => object,
        Ok(_) => {
            return fail(fault(
                BufferErrorKind::Json,
                "JSON parse error: not an object",
                at,
            ));
        }
        Err(error) => return fail(parse_fault(&block.text, &error)),
    };
    let name = block.tool.clone().or_else(|| named(&object));
    if name.is_none() {
        let message = "Missing tool name: give it in \"name\"";
        let fault = fault(BufferErrorKind::Tool, message, at);
        return block.id.as_ref().map(|_| raw(None, Err(fault)));
    }
    let result = arguments(object, block.tool.as_deref(), validator);
    let result = result.ok_or_else(|| {
        fault(
            BufferErrorKind::Json,
            "JSON parse error: the arguments are not an object",
            at,
        )
    });
    Some(raw(
        name,
        result.map(|arguments| (arguments, Written::Json)),
    ))
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
    let at = Place::byte_of_line(text, error.line(), error.column());
    fault(
        BufferErrorKind::Json,
        &format!("JSON parse error: {words}"),
        at,
    )
}

fn named(object: &Map<String, Value>) -> Option<String> {
    let mut names = NAME.iter().filter_map(|key| object.get(*key)?.as_str());
    names.find(|name| !name.is_empty()).map(str::to_owned)
}

/// The arguments. If the start of the block named the tool, a key that is itself an argument of the
/// tool, or whose value is not an object, is an argument like any other.
fn arguments(
    mut object: Map<String, Value>,
    tool: Option<&str>,
    validator: &Validator,
) -> Option<Map<String, Value>> {
    let is_own = |key: &str| tool.is_some_and(|tool| validator.declares(tool, key));
    let key = ARGUMENTS
        .into_iter()
        .find(|key| object.contains_key(*key) && !is_own(key));
    let inner = key.map(|key| object.get(key).and_then(as_object));
    match (inner, tool, key) {
        (Some(Some(inner)), _, _) => Some(inner),
        (_, Some(_), _) => Some(object),
        (Some(None), None, Some(key)) => object.remove(key)?.is_null().then(Map::new),
        _ => Some(Map::new()),
    }
}

/// An object, or a string that contains one.
fn as_object(value: &Value) -> Option<Map<String, Value>> {
    match value {
        Value::Object(object) => Some(object.clone()),
        Value::String(text) => serde_json::from_str(text).ok(),
        _ => None,
    }
}
