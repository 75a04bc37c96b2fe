//! Native calls of a message: numbered so that there is room for those found in text, and written as
//! clients expect them.

use crate::json::{Kind, Patch, Value, string};
use crate::message::NativePiece;

/// Edits a piece of a native call in a stream; `id` makes ids from numbers.
pub(super) fn edit_piece(
    call: Value<'_>,
    native: NativePiece,
    id: impl Fn(u64) -> String,
    patch: &mut Patch,
) {
    let Some(number) = native.number else { return };
    let is_number = |index: &Value<'_>| index.kind() == Kind::Number;
    let index = call.get("index").filter(is_number).and_then(Value::number);
    if index != Some(number) {
        patch.set(call, "index", &number.to_string(), true);
    }
    if native.is_first {
        complete(call, true, || id(number), patch);
    } else if call.given("id").is_some() {
        patch.drop_member(call, "id");
    }
    if let Some(function) = call.get("function") {
        straighten(function, patch);
        // Clients join names as they join arguments.
        if native.was_named && function.given("name").is_some() {
            patch.drop_member(function, "name");
        }
    }
}

/// Edits a whole native call.
pub(super) fn edit_whole(call: Value<'_>, id: impl FnOnce() -> String, patch: &mut Patch) {
    complete(call, false, id, patch);
    if let Some(function) = call.get("function") {
        straighten(function, patch);
    }
}

/// A call has an id and a type.
fn complete(call: Value<'_>, is_piece: bool, id: impl FnOnce() -> String, patch: &mut Patch) {
    if call.given("id").is_none() {
        patch.set(call, "id", &string(&id()), false);
    }
    if is_piece && call.get("type").is_none() {
        patch.set(call, "type", "\"function\"", false);
    }
}

/// Arguments are a string that holds JSON.
fn straighten(function: Value<'_>, patch: &mut Patch) {
    if let Some(arguments) = function.get("arguments")
        && arguments.kind() != Kind::String
    {
        patch.replace(arguments, string(arguments.raw()));
    }
}
