//! A whole message: its content, its thoughts, its tool calls, and what was odd.

use crate::{Engine, Event, EventKind, Policy, TextCleaner, Whitespace};

/// What a message consists of.
///
/// A message that streams is better read with an [`Engine`]; this is for text that is complete, such as
/// a log, and for places that can only show what is complete.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Message {
    /// The visible text.
    pub content: String,
    /// Its thoughts, in order.
    pub thoughts: Vec<String>,
    /// Its calls that are complete and valid, in order.
    pub tool_calls: Vec<ToolCall>,
    /// The notices, and what is wrong with each refused call, in order.
    pub notices: Vec<Notice>,
}

/// A call that is complete and valid.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolCall {
    /// The model's id for it, or one made from its number.
    pub id: String,
    /// The tool.
    pub name: String,
    /// All arguments, as the text of a JSON object, with every number as it was spelled.
    pub arguments: String,
}

/// Something to know about a message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Notice {
    /// Its code: of a [`NoticeCode`](crate::NoticeCode), or of a
    /// [`CallErrorCode`](crate::CallErrorCode) for a refused call.
    pub code: &'static str,
    /// The same in words.
    pub message: String,
    /// The number of the refused call that it is about, counted from 0 with the accepted ones. A call
    /// with several problems has several notices.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub call: Option<u64>,
    /// The tool of that call, if it has a name.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub tool: Option<String>,
}

impl Notice {
    /// A notice that is not about a refused call.
    #[must_use]
    pub fn new(code: &'static str, message: &str) -> Self {
        Notice {
            code,
            message: message.to_owned(),
            call: None,
            tool: None,
        }
    }
}

/// Reads one message.
///
/// ```
/// use tagstream_core::{Profile, Thinking, message};
///
/// let policy = Profile::new().thinking(Thinking::tags(["think"])).compile()?;
/// let message = message::parse(&policy, "<think>plan</think>5 < 6");
/// assert_eq!(message.content, "5 < 6");
/// assert_eq!(message.thoughts, ["plan"]);
/// # Ok::<(), tagstream_core::ProfileError>(())
/// ```
#[must_use]
pub fn parse(policy: &Policy, text: &str) -> Message {
    let mut reader = MessageReader::new(policy);
    reader.read(text);
    reader.into_message()
}

/// Reads messages one after the other, for those who have many: it keeps its buffers.
///
/// ```
/// use tagstream_core::{Profile, Thinking, message::MessageReader};
///
/// let policy = Profile::new().thinking(Thinking::tags(["think"])).compile()?;
/// let mut reader = MessageReader::new(&policy);
/// for text in ["<think>a</think>one", "two"] {
///     assert!(["one", "two"].contains(&reader.read(text).content.as_str()));
/// }
/// # Ok::<(), tagstream_core::ProfileError>(())
/// ```
#[derive(Clone, Debug)]
pub struct MessageReader {
    policy: Policy,
    whitespace: Whitespace,
    message: Message,
}

impl MessageReader {
    /// A reader of messages with this policy. White space stays as it is, and a space is added where
    /// two words would touch.
    #[must_use]
    pub fn new(policy: &Policy) -> Self {
        MessageReader {
            policy: policy.clone(),
            whitespace: Whitespace::default(),
            message: Message::default(),
        }
    }

    /// Sets what becomes of white space where markup was taken out.
    #[must_use]
    pub fn whitespace(mut self, whitespace: Whitespace) -> Self {
        self.whitespace = whitespace;
        self
    }

    /// Reads one message. The result is valid until the next one is read.
    pub fn read(&mut self, text: &str) -> &Message {
        self.read_with(text.len(), |engine, take| engine.push(text, take))
    }

    /// Reads one message from bytes. What is not UTF-8 is replaced and reported in a notice.
    pub fn read_bytes(&mut self, bytes: &[u8]) -> &Message {
        self.read_with(bytes.len(), |engine, take| engine.push_bytes(bytes, take))
    }

    /// The message that was read last.
    #[must_use]
    pub fn into_message(self) -> Message {
        self.message
    }

    fn read_with(
        &mut self,
        len: usize,
        push: impl FnOnce(&mut Engine, &mut dyn FnMut(Event<'_>)),
    ) -> &Message {
        let mut message = std::mem::take(&mut self.message);
        message.clear();
        message.content.reserve(len);
        let mut collector = Collector::reuse(message, self.whitespace);
        let mut take = |event: Event<'_>| collector.event(&event);
        let mut engine = Engine::new(&self.policy);
        push(&mut engine, &mut take);
        engine.finish(&mut take);
        self.message = collector.finish();
        &self.message
    }
}

impl Message {
    /// Forgets everything but the memory of the content.
    fn clear(&mut self) {
        self.content.clear();
        self.thoughts.clear();
        self.tool_calls.clear();
        self.notices.clear();
    }
}

/// Puts the events of one message together.
#[derive(Debug)]
pub struct Collector {
    message: Message,
    cleaner: TextCleaner,
}

impl Collector {
    /// An empty message.
    #[must_use]
    pub fn new(whitespace: Whitespace) -> Self {
        Collector::reuse(Message::default(), whitespace)
    }

    fn reuse(message: Message, whitespace: Whitespace) -> Self {
        Collector {
            message,
            cleaner: TextCleaner::new(whitespace),
        }
    }

    /// Takes the next event.
    pub fn event(&mut self, event: &Event<'_>) {
        let content = &mut self.message.content;
        self.cleaner.event(event, |piece| content.push_str(piece));
        match event.kind {
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
            } => self.message.tool_calls.push(ToolCall {
                id: id.to_owned(),
                name: name.to_owned(),
                arguments: arguments.to_owned(),
            }),
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
                let notice = Notice::new(code.as_str(), message);
                self.message.notices.push(notice);
            }
            _ => {}
        }
    }

    /// The message is over.
    #[must_use]
    pub fn finish(self) -> Message {
        let mut message = self.message;
        self.cleaner.finish(|piece| message.content.push_str(piece));
        message
    }
}
