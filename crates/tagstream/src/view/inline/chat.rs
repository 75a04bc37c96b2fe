//! The events of a chat completion with tags in its content.

use super::{InlineSplitter, InlineTag};
use crate::{Attributes, Engine, Event, EventKind, Policy, TextCleaner, Whitespace};

/// The names of tags that are thoughts.
pub const THOUGHT_TAGS: [&str; 9] = [
    "thinking",
    "analysis",
    "reasoning",
    "reflection",
    "planning",
    "debugging",
    "decision",
    "observation",
    "strategizing",
];

/// The events of a chat completion: content, thoughts and tags as they arrive, then tool calls,
/// then the end.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ChatEvent<'a> {
    /// A piece of the content, without tags.
    ContentDelta {
        /// The piece.
        delta: &'a str,
        /// The choice it belongs to.
        index: u64,
    },
    /// A piece of a thought: of one in the content, or of one that the provider reports separately.
    ThoughtStream(Thought<'a>),
    /// A tag found in the content that is not a thought.
    InlineTag {
        /// The tag.
        tag: InlineTag<'a>,
        /// The choice it belongs to.
        index: u64,
    },
    /// A tool call.
    ToolCall {
        /// The call.
        call: &'a ToolCall,
        /// The choice it belongs to.
        index: u64,
    },
    /// Something the user may want to know, also about a call that was refused.
    Notice {
        /// Which one.
        code: &'a str,
        /// In words.
        message: &'a str,
        /// The choice it belongs to.
        index: u64,
    },
    /// The end of a choice.
    ContentComplete {
        /// All of the content, without tags.
        content: &'a str,
        /// All tool calls.
        tool_calls: &'a [ToolCall],
        /// Why it ended.
        finish_reason: Option<&'a str>,
        /// Which choice it is.
        index: u64,
    },
}

impl ChatEvent<'_> {
    /// The name of its kind, as in JSON.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            ChatEvent::ContentDelta { .. } => "content-delta",
            ChatEvent::ThoughtStream(_) => "thought-stream",
            ChatEvent::InlineTag { .. } => "inline-tag",
            ChatEvent::ToolCall { .. } => "tool-call",
            ChatEvent::Notice { .. } => "notice",
            ChatEvent::ContentComplete { .. } => "content-complete",
        }
    }
}

/// A piece of a thought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Thought<'a> {
    /// `thought_0`, `thought_1` and so on, for each choice. The pieces of a thought have the same.
    pub thought_id: &'a str,
    /// Its attribute `thoughtType` or `thought_type`, or else the name of its tag, or else
    /// `thinking`.
    pub thought_type: &'a str,
    /// Its attribute `verbosity`, or else `normal`.
    pub verbosity: &'a str,
    /// The next piece of what is in it, as it came.
    pub content: &'a str,
    /// The choice it belongs to.
    pub index: u64,
}

/// A complete tool call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolCall {
    /// Its id.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments as the model wrote them.
    pub arguments: String,
}

impl ToolCall {
    /// A call of this tool, with these arguments.
    pub fn new(
        id: impl Into<String>,
        name: impl Into<String>,
        arguments: impl Into<String>,
    ) -> Self {
        ToolCall {
            id: id.into(),
            name: name.into(),
            arguments: arguments.into(),
        }
    }
}

/// Turns the events of one choice into [`ChatEvent`]s: those of any engine or stream.
///
/// [`InlineChat`] is one with an engine of its own.
///
/// With [`Whitespace::Preserve`], the default, and with [`Split`](Whitespace::Split) and
/// [`AsIs`](Whitespace::AsIs), the content of the last event is the content deltas, joined. With
/// [`Collapse`](Whitespace::Collapse) the deltas are those of `Split`, and the content of the last
/// event has a space for each tag and for each run of white space: this is what the system's
/// document has.
#[derive(Debug)]
pub struct Chat {
    index: u64,
    deltas: TextCleaner,
    /// What cleans the content of the last event, where the deltas do not make it up.
    whole: Option<TextCleaner>,
    content: String,
    calls: Vec<ToolCall>,
    thought: Option<OpenThought>,
    thoughts: u64,
}

#[derive(Debug)]
struct OpenThought {
    id: String,
    kind: String,
    verbosity: String,
}

impl Chat {
    /// For the choice with this index.
    #[must_use]
    pub fn new(index: u64) -> Self {
        Chat {
            index,
            deltas: TextCleaner::new(Whitespace::Preserve),
            whole: None,
            content: String::new(),
            calls: Vec::new(),
            thought: None,
            thoughts: 0,
        }
    }

    /// Sets what becomes of white space where tags were.
    #[must_use]
    pub fn whitespace(mut self, whitespace: Whitespace) -> Self {
        let collapses = whitespace == Whitespace::Collapse;
        self.whole = collapses.then(|| TextCleaner::new(whitespace));
        self.deltas = TextCleaner::new(if collapses {
            Whitespace::Split
        } else {
            whitespace
        });
        self
    }

    /// Takes the next event.
    pub fn event(&mut self, event: &Event<'_>, mut sink: impl FnMut(ChatEvent<'_>)) {
        self.clean(event, &mut sink);
        let index = self.index;
        match event.kind {
            EventKind::ThoughtStart {
                tag, attributes, ..
            } => self.open_thought(tag, attributes),
            EventKind::Thought(text) => self.think(text, &mut sink),
            EventKind::ThoughtEnd { .. } => self.thought = None,
            EventKind::ElementEnd(view) => {
                let tag = InlineTag::of(&view);
                sink(ChatEvent::InlineTag { tag, index });
            }
            EventKind::CallEnd {
                id,
                name,
                arguments,
                ..
            } => self.tool_call(ToolCall::new(id, name, arguments)),
            EventKind::CallError { code, message, .. } => {
                let code = code.as_str();
                sink(ChatEvent::Notice {
                    code,
                    message,
                    index,
                });
            }
            EventKind::Notice { code, message, .. } => {
                let code = code.as_str();
                sink(ChatEvent::Notice {
                    code,
                    message,
                    index,
                });
            }
            _ => {}
        }
    }

    /// Takes a tool call from elsewhere; its event comes after all content.
    pub fn tool_call(&mut self, call: ToolCall) {
        self.calls.push(call);
    }

    /// Ends the choice.
    pub fn finish(mut self, finish_reason: Option<&str>, mut sink: impl FnMut(ChatEvent<'_>)) {
        let index = self.index;
        let (content, is_delta) = (&mut self.content, self.whole.is_none());
        self.deltas.finish(|delta| {
            if is_delta {
                content.push_str(delta);
            }
            sink(ChatEvent::ContentDelta { delta, index });
        });
        for call in &self.calls {
            sink(ChatEvent::ToolCall { call, index });
        }
        sink(ChatEvent::ContentComplete {
            content: &self.content,
            tool_calls: &self.calls,
            finish_reason,
            index,
        });
    }

    fn clean(&mut self, event: &Event<'_>, sink: &mut impl FnMut(ChatEvent<'_>)) {
        let (index, content) = (self.index, &mut self.content);
        if let Some(whole) = &mut self.whole {
            whole.event(event, |text| content.push_str(text));
        }
        let is_delta = self.whole.is_none();
        self.deltas.event(event, |delta| {
            if is_delta {
                content.push_str(delta);
            }
            sink(ChatEvent::ContentDelta { delta, index });
        });
    }

    fn open_thought(&mut self, tag: Option<&str>, attributes: Attributes<'_>) {
        let attribute = |name| attributes.get(name);
        let kind = attribute("thoughtType").or_else(|| attribute("thought_type"));
        self.thought = Some(OpenThought {
            id: format!("thought_{}", self.thoughts),
            kind: kind.or(tag).unwrap_or("thinking").to_owned(),
            verbosity: attribute("verbosity").unwrap_or("normal").to_owned(),
        });
        self.thoughts += 1;
    }

    fn think(&self, content: &str, sink: &mut impl FnMut(ChatEvent<'_>)) {
        if let Some(thought) = &self.thought {
            sink(ChatEvent::ThoughtStream(Thought {
                thought_id: &thought.id,
                thought_type: &thought.kind,
                verbosity: &thought.verbosity,
                content,
                index: self.index,
            }));
        }
    }
}

/// Turns the content of one choice, and its tool calls, into [`ChatEvent`]s.
///
/// ```
/// use tagstream::Whitespace;
/// use tagstream::view::inline::{ChatEvent, InlineChat, ToolCall};
///
/// let mut kinds = Vec::new();
/// let mut content = String::new();
/// let mut sink = |event: ChatEvent<'_>| {
///     kinds.push(event.kind());
///     if let ChatEvent::ContentComplete { content: all, .. } = event {
///         content.push_str(all);
///     }
/// };
/// let mut chat = InlineChat::new(0).whitespace(Whitespace::Collapse);
/// chat.push("Let me think. <thinking>I should ", &mut sink);
/// chat.tool_call(ToolCall::new("c1", "f", "{}"));
/// chat.push("analyze</thinking> The answer is 42.", &mut sink);
/// chat.finish(Some("tool_calls"), &mut sink);
/// assert_eq!(
///     kinds,
///     [
///         "content-delta", "thought-stream", "thought-stream", "content-delta", "tool-call",
///         "content-complete",
///     ]
/// );
/// assert_eq!(content, "Let me think. The answer is 42.");
/// ```
#[derive(Debug)]
pub struct InlineChat {
    engine: Engine,
    chat: Chat,
}

impl InlineChat {
    /// A reader for the choice with this index.
    ///
    /// # Panics
    /// Never: its profile is right.
    #[must_use]
    pub fn new(index: u64) -> Self {
        let policy = InlineSplitter::profile().compile();
        Self::with_policy(index, &policy.expect("its names are distinct"))
    }

    /// A reader with another policy, such as that of
    /// [`InlineSplitter::extend`]`(profile)` with the calls or the limits of a profile.
    #[must_use]
    pub fn with_policy(index: u64, policy: &Policy) -> Self {
        InlineChat {
            engine: Engine::new(policy),
            chat: Chat::new(index),
        }
    }

    /// Sets what becomes of white space where tags were: see [`Chat`].
    #[must_use]
    pub fn whitespace(mut self, whitespace: Whitespace) -> Self {
        self.chat = self.chat.whitespace(whitespace);
        self
    }

    /// Reads the next piece of content.
    pub fn push(&mut self, delta: &str, mut sink: impl FnMut(ChatEvent<'_>)) {
        let chat = &mut self.chat;
        self.engine
            .push(delta, |event| chat.event(&event, &mut sink));
    }

    /// Takes a tool call; its event comes after all content.
    pub fn tool_call(&mut self, call: ToolCall) {
        self.chat.tool_call(call);
    }

    /// Ends the choice.
    pub fn finish(self, finish_reason: Option<&str>, mut sink: impl FnMut(ChatEvent<'_>)) {
        let mut chat = self.chat;
        self.engine.finish(|event| chat.event(&event, &mut sink));
        chat.finish(finish_reason, sink);
    }
}
