//! Anthropic Messages.

use super::delta::{CallPiece, Delta, Each, Joins, Slot};
use super::number::number_or_0;
use super::tell;
use super::text::{Text, arguments, list};
use serde::Deserialize;
use serde_json::value::RawValue;

/// An event of the stream, or, with the type `message`, the body of an answer that does not stream.
#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Text<'a>,
    #[serde(default, deserialize_with = "number_or_0")]
    index: u64,
    #[serde(borrow)]
    message: Option<Message<'a>>,
    #[serde(borrow)]
    content_block: Option<Block<'a>>,
    #[serde(borrow)]
    delta: Option<BlockDelta<'a>>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "list")]
    content: Vec<Block<'a>>,
    #[serde(borrow)]
    stop_reason: Option<Text<'a>>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Text<'a>,
    #[serde(borrow, default)]
    text: Text<'a>,
    #[serde(borrow, default)]
    thinking: Text<'a>,
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow)]
    name: Option<Text<'a>>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct BlockDelta<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Text<'a>,
    #[serde(borrow, default)]
    text: Text<'a>,
    #[serde(borrow, default)]
    thinking: Text<'a>,
    #[serde(borrow, default)]
    partial_json: Text<'a>,
    #[serde(borrow)]
    stop_reason: Option<Text<'a>>,
}

/// What a frame adds.
pub(crate) fn read<'a>(data: &'a str, each: Each<'_, 'a>) -> Result<(), serde_json::Error> {
    let event: Event<'a> = serde_json::from_str(data)?;
    let slot = slot(event.index);
    tell::error(event.error, each);
    match &*event.kind.0 {
        "message_start" => tell::usage(event.message.and_then(|message| message.usage), each),
        "content_block_start" => {
            if let Some(block) = event.content_block {
                block.start(slot, each);
            }
        }
        "content_block_delta" => {
            if let Some(delta) = event.delta {
                delta.read(slot, each);
            }
        }
        "content_block_stop" => each(Delta::BlockEnd { slot }),
        "message_delta" => {
            finish(event.delta.and_then(|delta| delta.stop_reason), each);
            tell::usage(event.usage, each);
        }
        "message_stop" => each(Delta::End),
        "message" => body(event, each),
        _ => {}
    }
    Ok(())
}

fn body<'a>(message: Event<'a>, each: Each<'_, 'a>) {
    for (index, block) in message.content.into_iter().enumerate() {
        let slot = slot(index as u64);
        block.start(slot, each);
        each(Delta::BlockEnd { slot });
    }
    finish(message.stop_reason, each);
    tell::usage(message.usage, each);
    each(Delta::End);
}

impl<'a> Block<'a> {
    /// A block begins, and holds what the server already puts into its start.
    ///
    /// Calls that the server makes by itself (`server_tool_use`) are not for the user to make.
    fn start(self, slot: Slot, each: Each<'_, 'a>) {
        match &*self.kind.0 {
            "text" => tell::text(slot, Some(self.text), each),
            "thinking" => tell::reasoning(slot, Some(self.thinking), each),
            "tool_use" => {
                let input = arguments(self.input);
                let is_empty = input.bytes().all(|b| b"{} \t\r\n".contains(&b));
                let call = CallPiece {
                    index: Some(slot.block),
                    id: Text::given(self.id),
                    name: Text::given(self.name),
                    arguments: if is_empty { "".into() } else { input },
                    joins: Joins::ByRule,
                };
                let choice = slot.choice;
                each(Delta::Call { choice, call });
            }
            _ => {}
        }
    }
}

impl<'a> BlockDelta<'a> {
    fn read(self, slot: Slot, each: Each<'_, 'a>) {
        match &*self.kind.0 {
            "text_delta" => tell::text(slot, Some(self.text), each),
            "thinking_delta" => tell::reasoning(slot, Some(self.thinking), each),
            "input_json_delta" => {
                let call = CallPiece::more(slot.block, self.partial_json.0);
                let choice = slot.choice;
                each(Delta::Call { choice, call });
            }
            _ => {}
        }
    }
}

fn slot(block: u64) -> Slot {
    Slot { choice: 0, block }
}

fn finish<'a>(reason: Option<Text<'a>>, each: Each<'_, 'a>) {
    if let Some(reason) = Text::given(reason) {
        each(Delta::Finish { choice: 0, reason });
    }
}
