//! Ollama's own `/api/chat` and `/api/generate`.

use super::delta::{CallPiece, Delta, Each, Joins, Slot};
use super::number::{flag, number};
use super::tell;
use super::text::{Text, list};
use super::tool_call::ToolCall;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    message: Option<Message<'a>>,
    /// What `/api/generate` has in place of a message.
    #[serde(borrow, default)]
    response: Text<'a>,
    #[serde(borrow, default)]
    thinking: Text<'a>,
    #[serde(default, deserialize_with = "flag")]
    done: bool,
    #[serde(borrow)]
    done_reason: Option<Text<'a>>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "number")]
    total_duration: Option<u64>,
    #[serde(default, deserialize_with = "number")]
    load_duration: Option<u64>,
    #[serde(default, deserialize_with = "number")]
    prompt_eval_count: Option<u64>,
    #[serde(default, deserialize_with = "number")]
    prompt_eval_duration: Option<u64>,
    #[serde(default, deserialize_with = "number")]
    eval_count: Option<u64>,
    #[serde(default, deserialize_with = "number")]
    eval_duration: Option<u64>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    content: Text<'a>,
    #[serde(borrow, default)]
    thinking: Text<'a>,
    #[serde(borrow, default, deserialize_with = "list")]
    tool_calls: Vec<ToolCall<'a>>,
}

/// There is one choice, with one text.
const SLOT: Slot = Slot {
    choice: 0,
    block: 0,
};

/// What a frame adds.
pub(crate) fn read<'a>(data: &'a str, each: Each<'_, 'a>) -> Result<(), serde_json::Error> {
    let line: Line<'a> = serde_json::from_str(data)?;
    let usage = line.usage();
    tell::error(line.error, each);
    if let Some(message) = line.message {
        tell::reasoning(SLOT, Some(message.thinking), each);
        tell::text(SLOT, Some(message.content), each);
        for call in message.tool_calls {
            // Calls come whole, often all with the same index.
            let index = None;
            let call = CallPiece {
                index,
                ..call.piece(Joins::Nothing)
            };
            each(Delta::Call { choice: 0, call });
        }
    }
    tell::reasoning(SLOT, Some(line.thinking), each);
    tell::text(SLOT, Some(line.response), each);
    if line.done {
        let reason = Text::given(line.done_reason).unwrap_or(Cow::Borrowed("stop"));
        each(Delta::Finish { choice: 0, reason });
        if let Some(usage) = usage.map(Cow::Owned) {
            each(Delta::Usage { usage });
        }
        each(Delta::End);
    }
    Ok(())
}

impl Line<'_> {
    /// The counts of the last line, which has no object for them.
    fn usage(&self) -> Option<String> {
        let counts = [
            ("prompt_eval_count", self.prompt_eval_count),
            ("eval_count", self.eval_count),
            ("total_duration", self.total_duration),
            ("load_duration", self.load_duration),
            ("prompt_eval_duration", self.prompt_eval_duration),
            ("eval_duration", self.eval_duration),
        ];
        let given = counts.into_iter().filter_map(|(name, n)| Some((name, n?)));
        let pairs: Vec<String> = given.map(|(name, n)| format!("\"{name}\":{n}")).collect();
        (!pairs.is_empty()).then(|| format!("{{{}}}", pairs.join(",")))
    }
}
