//! What is in the object of a call beside its name and its arguments.

use super::{ArgumentsText, CallErrorCode, CallText, Problem};
use crate::json::Json;

/// Keys that belong to the call and not to its arguments.
const OF_THE_CALL: [&str; 8] = [
    "name",
    "tool",
    "tool_name",
    "function",
    "id",
    "tool_call_id",
    "type",
    "index",
];

/// What is beside the name and the arguments of a call, and whether there are arguments.
pub(super) struct Beside {
    pub(super) entries: Vec<(String, Json)>,
    pub(super) has_arguments: bool,
}

impl Beside {
    pub(super) fn of(call: &CallText<'_>) -> Option<Self> {
        let ArgumentsText::Json {
            envelope: Some(envelope),
            ..
        } = &call.arguments
        else {
            return None;
        };
        let has_arguments = !envelope.arguments.is_empty();
        let (before, rest) = envelope.text.split_at(envelope.arguments.start);
        let after = &rest[envelope.arguments.len()..];
        let placeholder = if has_arguments { "null" } else { "" };
        let json = format!("{before}{placeholder}{after}");
        let (json, _) = Json::as_written_repaired(&json).ok()?;
        let mut entries = named(&json)?;
        entries.retain(|(key, value)| !OF_THE_CALL.contains(&key.as_str()) && !is_nothing(value));
        Some(Beside {
            entries,
            has_arguments,
        })
    }
}

/// The entries of the object that has the name: this one, or the one in it under `function`.
fn named(json: &Json) -> Option<Vec<(String, Json)>> {
    let entries = json.entries()?;
    let inner = entries.iter().find(|(key, _)| key == "function");
    let inner = inner.and_then(|(_, value)| value.entries());
    Some(inner.unwrap_or(entries))
}

/// Whether a value says nothing, so that nothing is lost with it.
fn is_nothing(value: &Json) -> bool {
    value.value.is_null()
        || value
            .value
            .as_object()
            .is_some_and(serde_json::Map::is_empty)
}

/// An argument that is not where it belongs: what it would mean is a guess.
pub(super) fn misplaced(name: &str, is_beside: &str) -> Problem {
    let message =
        format!("`{name}` is beside {is_beside} of the call; write all arguments in one object");
    Problem::new(CallErrorCode::MalformedCall, None, message)
}
