//! Where a list of tools stands: by itself, in a request, or as one tool.

use super::form;
use super::{ToolsError, ToolsErrorKind};
use serde_json::{Map, Value};
use std::slice;

/// What holds a list of tools, for a message.
const ALLOWED: &str = "a list of tools, one tool, or an object with `tools`, `functions`, \
                       `functionDeclarations` or `toolConfig`";

/// How many keys a message names.
const NAMED: usize = 8;

/// Keys of what is sent to a model, with tools or without.
const OF_REQUESTS: [&str; 4] = ["model", "messages", "contents", "input"];

/// The list of tools in a value; `None` for a request that has none.
pub(super) fn find(value: &Value) -> Result<Option<&[Value]>, ToolsError> {
    let Value::Object(map) = value else {
        return listed(value, "tools").map(Some);
    };
    if form::is_list(map) || is_tool(map) {
        return Ok(Some(slice::from_ref(value)));
    }
    let given =
        |map: &'_ Map<String, Value>, key: &str| map.get(key).is_some_and(|value| !value.is_null());
    for key in ["tools", "functions"] {
        if given(map, key) {
            return listed(&map[key], key).map(Some);
        }
    }
    let config = map.get("toolConfig").and_then(Value::as_object);
    match config.and_then(|config| config.get("tools")) {
        Some(tools) => listed(tools, "toolConfig.tools").map(Some),
        None => Ok(None),
    }
}

/// Why there is nothing to read in a value.
pub(super) fn nothing(value: &Value) -> ToolsError {
    let problem = match value {
        Value::Object(map) if !map.is_empty() => {
            let keys = map.keys().take(NAMED).map(|key| format!("`{key}`"));
            let keys = keys.collect::<Vec<_>>().join(", ");
            let more = if map.len() > NAMED { ", …" } else { "" };
            format!("missing; there is {keys}{more}; allowed: {ALLOWED}")
        }
        _ => format!("missing; allowed: {ALLOWED}"),
    };
    ToolsError::new(ToolsErrorKind::Missing, "tools", problem)
}

/// A list of tools. Gemini takes one tool of its form for a list, since that holds many.
fn listed<'a>(value: &'a Value, place: &str) -> Result<&'a [Value], ToolsError> {
    match value {
        Value::Array(list) => Ok(list),
        Value::Object(tool) if form::is_list(tool) => Ok(slice::from_ref(value)),
        _ => Err(ToolsError::wrong_type(place, "a list")),
    }
}

/// Whether this is one tool rather than what holds tools.
fn is_tool(map: &Map<String, Value>) -> bool {
    let has_tools = ["tools", "functions", "toolConfig"];
    let holds = has_tools.iter().chain(&OF_REQUESTS);
    let named = map.get("name").is_some_and(Value::is_string);
    let wrapped = form::WRAPPERS
        .iter()
        .any(|key| map.get(*key).is_some_and(Value::is_object));
    (named || wrapped) && !holds.into_iter().any(|key| map.contains_key(*key))
}
