//! Anthropic Messages.

mod write;

pub(crate) use write::Writer;

use super::{Input, Unknown, arguments, error};
use crate::delta::{CallPiece, Delta, Each, Joins, Slot};
use crate::json::Value;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// No message has more blocks open; a stream that reports more is broken.
const MAX_OPEN_BLOCKS: usize = 1 << 12;

/// What must be known of the frames before.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    /// The blocks that have begun and not ended.
    open: BTreeSet<u64>,
}

pub(super) fn slot(block: u64) -> Slot {
    Slot::new(0, block)
}

impl Reader {
    pub(super) fn read<'f>(
        &mut self,
        input: Input<'f>,
        each: &mut Each<'_, 'f>,
    ) -> Result<(), Unknown> {
        let root = input.doc.root();
        let is_error = error(root, each);
        let index = root.number_at("index").unwrap_or(0);
        match &*input.kind() {
            "message_start" => each.usage(root.get("message").and_then(|m| m.get("usage"))),
            "content_block_start" => {
                if !self.open.insert(index) {
                    // A block with the number of an open one ends that.
                    each.note(Delta::BlockEnd { slot: slot(index) });
                }
                if self.open.len() > MAX_OPEN_BLOCKS {
                    self.open.pop_first();
                }
                if let Some(block) = root.get("content_block") {
                    start(block, slot(index), each);
                }
            }
            "content_block_delta" => {
                if let Some(delta) = root.get("delta") {
                    read_delta(delta, slot(index), each);
                }
            }
            "content_block_stop" => {
                self.open.remove(&index);
                each.note(Delta::BlockEnd { slot: slot(index) });
            }
            "message_delta" => {
                each.finish(
                    0,
                    root.get("delta").and_then(|delta| delta.get("stop_reason")),
                );
                each.usage(root.get("usage"));
            }
            "message_stop" => each.note(Delta::End),
            "message" => body(root, each),
            "ping" => {}
            _ if is_error => {}
            _ => return Err(Unknown),
        }
        Ok(())
    }
}

fn body<'f>(message: Value<'f>, each: &mut Each<'_, 'f>) {
    let blocks = message.get("content").into_iter().flat_map(Value::list);
    for (block, index) in blocks.zip(0..) {
        start(block, slot(index), each);
        each.note(Delta::BlockEnd { slot: slot(index) });
    }
    each.finish(0, message.get("stop_reason"));
    each.usage(message.get("usage"));
    each.note(Delta::End);
}

/// What a block is. Some servers leave that out, or write something else than a word.
pub(super) fn block_kind(block: Value<'_>) -> Cow<'_, str> {
    let fields = ["thinking", "text"];
    let of_field = || fields.into_iter().find(|key| block.has(key));
    let kind = block.word("type").or_else(|| of_field().map(Cow::Borrowed));
    kind.unwrap_or_default()
}

/// A block begins, with what the server already puts into its start.
///
/// Calls that the server makes by itself (`server_tool_use`) are not for the user to make.
fn start<'f>(block: Value<'f>, slot: Slot, each: &mut Each<'_, 'f>) {
    match &*block_kind(block) {
        "text" => each.text(slot, block.get("text")),
        "thinking" => {
            each.reasoning(slot, block.get("thinking"));
        }
        "redacted_thinking" => each.trace(block.get("data")),
        "tool_use" => {
            let input = arguments(block.get("input"));
            let is_empty = input.bytes().all(|b| b"{} \t\r\n".contains(&b));
            let call = CallPiece {
                index: Some(slot.block),
                id: block.given("id"),
                name: block.given("name"),
                arguments: if is_empty { "".into() } else { input },
                joins: Joins::ByRule,
                is_own_tool: false,
            };
            let choice = slot.choice;
            each.give(block, Delta::Call { choice, call });
        }
        _ => {}
    }
}

/// Some servers leave the type of a delta out: then its field says what it is.
fn read_delta<'f>(delta: Value<'f>, slot: Slot, each: &mut Each<'_, 'f>) {
    let kind = delta.word("type").unwrap_or_default();
    let is = |name: &str| kind == name || kind.is_empty();
    if is("text_delta") {
        each.text(slot, delta.get("text"));
    }
    if is("thinking_delta") {
        each.reasoning(slot, delta.get("thinking"));
    }
    if kind == "signature_delta" {
        each.trace(delta.get("signature"));
    }
    if is("input_json_delta")
        && let Some(json) = delta.get("partial_json")
    {
        let call = CallPiece::more(slot.block, arguments(Some(json)));
        let choice = slot.choice;
        each.give(json, Delta::Call { choice, call });
    }
}
