//! Collects the events of a stream into one message for each choice.

use crate::event::{WireEvent, WireKind};
use serde::Serialize;
use serde_json::{Map, Value, value::RawValue};
use std::collections::BTreeMap;
use tagstream_core::{EventKind, TextCleaner, Whitespace};

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
    /// The notices, and the errors of refused calls.
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

/// A notice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Notice {
    /// Its code.
    pub code: &'static str,
    /// Its message.
    pub message: String,
    /// The call that was refused, counted from 0 in the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<u64>,
    /// The tool of that call, if it has a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
}

impl Notice {
    /// A notice that is not about a refused call.
    pub(crate) fn new(code: &'static str, message: &str) -> Self {
        Notice {
            code,
            message: message.to_owned(),
            call: None,
            tool: None,
        }
    }
}

/// Collects the events of a stream.
#[derive(Debug, Default)]
pub struct Aggregator {
    whitespace: Whitespace,
    choices: BTreeMap<u64, Open>,
    usage: Option<Map<String, Value>>,
}

#[derive(Debug)]
struct Open {
    message: Aggregate,
    cleaner: TextCleaner,
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
            message: Aggregate::default(),
            cleaner: TextCleaner::new(whitespace),
        });
        match event.event {
            WireKind::Finish { reason } => open.message.finish_reason = Some(reason.to_owned()),
            WireKind::Message(kind) => open.kind(kind),
            WireKind::Usage { .. } => {}
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
    fn kind(&mut self, kind: EventKind<'_>) {
        match kind {
            EventKind::Text(text) => {
                let content = &mut self.message.content;
                return self.cleaner.text(text, |piece| content.push_str(piece));
            }
            EventKind::ThoughtStart { .. } => self.message.thoughts.push(String::new()),
            EventKind::Thought(text) => {
                if let Some(thought) = self.message.thoughts.last_mut() {
                    thought.push_str(text);
                }
            }
            EventKind::CallEnd {
                id,
                name,
                arguments,
                ..
            } => self.call(id, name, arguments),
            EventKind::CallError {
                index,
                name,
                code,
                message,
                ..
            } => self.message.notices.push(Notice {
                call: Some(index),
                tool: name.map(str::to_owned),
                ..Notice::new(code.as_str(), message)
            }),
            EventKind::Notice { code, message, .. } => {
                return self
                    .message
                    .notices
                    .push(Notice::new(code.as_str(), message));
            }
            _ => {}
        }
        self.cleaner.markup();
    }

    fn call(&mut self, id: &str, name: &str, arguments: &str) {
        if let Ok(arguments) = RawValue::from_string(arguments.to_owned()) {
            self.message.tool_calls.push(ToolCall {
                id: id.to_owned(),
                name: name.to_owned(),
                arguments,
            });
        }
    }

    fn finish(self, choice: u64, usage: Option<Map<String, Value>>) -> Aggregate {
        let mut message = self.message;
        let content = &mut message.content;
        self.cleaner.finish(|piece| content.push_str(piece));
        Aggregate {
            choice,
            usage,
            ..message
        }
    }
}
