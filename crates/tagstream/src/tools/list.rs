//! Finds the list of tools: by itself, in a request, or as one tool.

use super::form;
use super::{ToolsError, ToolsErrorKind};
use serde_json::{Map, Value};
use std::slice;

/// What may contain a list of tools, for a message.
const ALLOWED: &str = "a list of tools, one tool, or an object with `tools`, `functions`, \
                       `functionDeclarations` or `toolConfig`";

/// At most this many keys are named in a message.
const MAX_KEYS_NAMED: usize = 8;

/// Keys of a request, with tools or without.
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

/// Why there are no tools in a value.
pub(super) fn nothing(value: &Value) -> ToolsError {
    let problem = match value {
        Value::Object(map) if !map.is_empty() => {
            let keys = map
                .keys()
                .take(MAX_KEYS_NAMED)
                .map(|key| format!("`{key}`"));
            let keys = keys.collect::<Vec<_>>().join(", ");
            let more = if map.len() > MAX_KEYS_NAMED {
                ", …"
            } else {
                ""
            };
            format!("missing; there is {keys}{more}; allowed: {ALLOWED}")
        }
        _ => format!("missing; allowed: {ALLOWED}"),
    };
    ToolsError::new(ToolsErrorKind::Missing, "tools", problem)
}

/// A list of tools. Gemini accepts one tool of its form as a list, since it has many declarations.
fn listed<'a>(value: &'a Value, path: &str) -> Result<&'a [Value], ToolsError> {
    match value {
        Value::Array(list) => Ok(list),
        Value::Object(tool) if form::is_list(tool) => Ok(slice::from_ref(value)),
        _ => Err(ToolsError::wrong_type(path, "a list")),
    }
}

/// Whether this is one tool and not an object with tools.
fn is_tool(map: &Map<String, Value>) -> bool {
    let has_tools = ["tools", "functions", "toolConfig"];
    let other_keys = has_tools.iter().chain(&OF_REQUESTS);
    let named = map.get("name").is_some_and(Value::is_string);
    let wrapped = form::WRAPPERS
        .iter()
        .any(|key| map.get(*key).is_some_and(Value::is_object));
    (named || wrapped) && !other_keys.into_iter().any(|key| map.contains_key(*key))
}
