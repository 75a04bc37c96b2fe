//! Collects the events of a stream into one message for each choice.

use crate::event::{WireEvent, WireKind};
use serde::Serialize;
use serde_json::{Map, Value, value::RawValue};
use std::collections::BTreeMap;
pub use tagstream_core::message::Notice;
use tagstream_core::message::{self, Collector};
use tagstream_core::{Event, EventKind, SkipReason, Whitespace};

/// A complete message, for one choice of a stream.
#[derive(Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Aggregate {
    /// The choice.
    pub choice: u64,
    /// The visible text.
    pub content: String,
    /// Its thoughts, in order.
    pub thoughts: Vec<String>,
    /// Its calls that are complete and valid, in order.
    pub tool_calls: Vec<ToolCall>,
    /// The last reason that was given, in the provider's spelling.
    pub finish_reason: Option<String>,
    /// The tokens used by all choices: the provider's JSON object.
    pub usage: Option<Map<String, Value>>,
    /// The notices, and the errors of refused calls: of each code the first 1000, and how many more
    /// there are.
    pub notices: Vec<Notice>,
}

/// A call that is complete and valid.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct ToolCall {
    /// Its id.
    pub id: String,
    /// The tool.
    pub name: String,
    /// All arguments, as a JSON object.
    pub arguments: Box<RawValue>,
}

/// How many notices of one code a choice has, so that memory does not grow with what goes wrong.
const MAX_NOTICES: u64 = 1000;

/// Collects the events of a stream.
#[derive(Debug, Default)]
pub struct Aggregator {
    whitespace: Whitespace,
    choices: BTreeMap<u64, Open>,
    usage: Option<Map<String, Value>>,
}

#[derive(Debug)]
struct Open {
    message: Collector,
    finish_reason: Option<String>,
    /// How many notices there are of each code.
    notices: BTreeMap<&'static str, u64>,
}

impl Aggregator {
    /// Collects with the white space as it came, and a space where two words would touch.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets what becomes of white space where markup was taken out.
    #[must_use]
    pub fn whitespace(mut self, whitespace: Whitespace) -> Self {
        self.whitespace = whitespace;
        self
    }

    /// Takes the next event.
    pub fn event(&mut self, event: &WireEvent<'_>) {
        if let WireKind::Usage { usage } = event.event {
            return self.use_up(usage);
        }
        let whitespace = self.whitespace;
        let open = self.choices.entry(event.choice).or_insert_with(|| Open {
            message: Collector::new(whitespace),
            finish_reason: None,
            notices: BTreeMap::new(),
        });
        if let WireKind::Finish { reason } = event.event {
            open.finish_reason = Some(reason.to_owned());
        } else if let Some(message) = event.message() {
            open.event(message);
        }
    }

    /// The messages, one for each choice.
    #[must_use]
    pub fn finish(self) -> Vec<Aggregate> {
        let choices = self.choices.into_iter();
        choices
            .map(|(choice, open)| open.finish(choice, self.usage.clone()))
            .collect()
    }

    /// Later values replace earlier ones; keys that are not given again keep their values.
    fn use_up(&mut self, usage: &str) {
        if let Ok(Value::Object(new)) = serde_json::from_str(usage) {
            self.usage.get_or_insert_default().extend(new);
        }
    }
}

impl Open {
    fn event(&mut self, mut event: Event<'_>) {
        let code = match event.kind {
            EventKind::Notice { code, .. } => code.as_str(),
            EventKind::CallError { code, .. } => code.as_str(),
            _ => return self.message.event(&event),
        };
        let count = self.notices.entry(code).or_default();
        *count += 1;
        if *count > MAX_NOTICES {
            if matches!(event.kind, EventKind::Notice { .. }) {
                return;
            }
            // What was refused is still missing from the text.
            event.kind = EventKind::skip(SkipReason::Call);
        }
        self.message.event(&event);
    }

    fn finish(self, choice: u64, usage: Option<Map<String, Value>>) -> Aggregate {
        let mut message = self.message.finish();
        for (code, count) in self.notices {
            if let Some(more @ 1..) = count.checked_sub(MAX_NOTICES) {
                let more = format!("{more} more like these are left out");
                message.notices.push(Notice::new(code, &more));
            }
        }
        Aggregate {
            choice,
            content: message.content,
            thoughts: message.thoughts,
            tool_calls: message.tool_calls.into_iter().filter_map(call).collect(),
            finish_reason: self.finish_reason,
            usage,
            notices: message.notices,
        }
    }
}

fn call(call: message::ToolCall) -> Option<ToolCall> {
    Some(ToolCall {
        id: call.id,
        name: call.name,
        arguments: RawValue::from_string(call.arguments).ok()?,
    })
}
