//! The events of a chat completion as JSON objects, for any serde format.

use super::{ChatEvent, InlineTag, ToolCall};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

impl Serialize for ChatEvent<'_> {
    /// `kind` first, then its fields with the names of the system's document.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("kind", self.kind())?;
        let index = match self {
            ChatEvent::ContentDelta { delta, index } => {
                map.serialize_entry("delta", delta)?;
                index
            }
            ChatEvent::ThoughtStream(thought) => {
                map.serialize_entry("thoughtId", thought.thought_id)?;
                map.serialize_entry("thoughtType", thought.thought_type)?;
                map.serialize_entry("verbosity", thought.verbosity)?;
                map.serialize_entry("content", thought.content)?;
                &thought.index
            }
            ChatEvent::InlineTag { tag, index } => {
                map.serialize_entry("tag", tag)?;
                index
            }
            ChatEvent::ToolCall { call, index } => {
                map.serialize_entry("toolCall", call)?;
                index
            }
            ChatEvent::Notice {
                code,
                message,
                index,
            } => {
                map.serialize_entry("code", code)?;
                map.serialize_entry("message", message)?;
                index
            }
            ChatEvent::ContentComplete {
                content,
                tool_calls,
                finish_reason,
                index,
            } => {
                map.serialize_entry("content", content)?;
                map.serialize_entry("toolCalls", tool_calls)?;
                map.serialize_entry("finishReason", finish_reason)?;
                index
            }
        };
        map.serialize_entry("index", index)?;
        map.end()
    }
}

impl Serialize for InlineTag<'_> {
    /// `content` is absent if the tag closed itself.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", self.name)?;
        if let Some(content) = self.content {
            map.serialize_entry("content", content)?;
        }
        map.serialize_entry("attributes", &self.attributes)?;
        map.end()
    }
}

impl Serialize for ToolCall {
    /// Arguments that are JSON are written as JSON.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("id", &self.id)?;
        map.serialize_entry("name", &self.name)?;
        match serde_json::from_str::<&RawValue>(&self.arguments) {
            Ok(arguments) => map.serialize_entry("arguments", arguments)?,
            Err(_) => map.serialize_entry("arguments", &self.arguments)?,
        }
        map.end()
    }
}
