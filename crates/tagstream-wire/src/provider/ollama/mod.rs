//! Ollama's own `/api/chat` and `/api/generate`.

mod write;

pub(crate) use write::Writer;

use super::{Input, Unknown, error, tool_call};
use crate::delta::{Again, CallPiece, Delta, Each, Joins, Slot};
use crate::json::Value;
use std::borrow::Cow;

/// Every line says all that it needs.
#[derive(Debug)]
pub(crate) struct Reader;

/// There is one choice, with one text.
pub(super) const SLOT: Slot = Slot {
    choice: 0,
    block: 0,
};

/// The counts of the last line, which has no object for them.
const COUNTS: [&str; 6] = [
    "prompt_eval_count",
    "eval_count",
    "total_duration",
    "load_duration",
    "prompt_eval_duration",
    "eval_duration",
];

impl Reader {
    #[allow(
        clippy::unused_self,
        reason = "the readers of all formats are called alike"
    )]
    pub(super) fn read<'f>(
        &mut self,
        input: Input<'f>,
        each: &mut Each<'_, 'f>,
    ) -> Result<(), Unknown> {
        let root = input.doc.root();
        let message = root.get("message").filter(|message| message.is_object());
        // What `/api/generate` has in place of a message is the line itself.
        let inner = message.unwrap_or(root);
        let text = if message.is_some() {
            "content"
        } else {
            "response"
        };
        each.reasoning(SLOT, inner.get("thinking"));
        each.text(SLOT, inner.get(text));
        if message.is_some() {
            each.again(SLOT, Again::Frame, root.get("response"));
        }
        for at in inner.get("tool_calls").into_iter().flat_map(Value::objects) {
            // Calls come whole, often all with the same index.
            let call = CallPiece {
                index: None,
                ..tool_call(at, Joins::Nothing)
            };
            each.give(at, Delta::Call { choice: 0, call });
        }
        let is_error = error(root, each);
        let is_done = root.is_true("done");
        if is_done {
            end(root, each);
        }
        let is_line = message.is_some() || root.has("response") || is_done;
        if is_error || is_line {
            Ok(())
        } else {
            Err(Unknown)
        }
    }
}

fn end<'f>(root: Value<'f>, each: &mut Each<'_, 'f>) {
    let reason = root.given("done_reason").unwrap_or(Cow::Borrowed("stop"));
    each.note(Delta::Finish { choice: 0, reason });
    if let Some(usage) = usage(root) {
        let usage = usage.into();
        each.note(Delta::Usage { usage });
    }
    each.note(Delta::End);
}

fn usage(root: Value<'_>) -> Option<String> {
    let counts = COUNTS.iter().filter_map(|name| {
        let count = root.number_at(name)?;
        Some(format!("\"{name}\":{count}"))
    });
    let counts: Vec<String> = counts.collect();
    (!counts.is_empty()).then(|| format!("{{{}}}", counts.join(",")))
}
