//! The events of a chat completion with tags in its content.

use super::{Inline, InlineSplitter, InlineTag, split_inline_xml};
use crate::view::{Whitespace, strip_inline_xml_tags_with};

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
    /// A thought found in the content.
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
            ChatEvent::ContentComplete { .. } => "content-complete",
        }
    }
}

/// A thought found in the content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thought<'a> {
    /// `thought_0`, `thought_1` and so on, for each choice.
    pub thought_id: &'a str,
    /// Its attribute `thoughtType` or `thought_type`, or else the name of its tag.
    pub thought_type: &'a str,
    /// Its attribute `verbosity`, or else `normal`.
    pub verbosity: &'a str,
    /// Its content, as written.
    pub content: &'a str,
    /// The choice it belongs to.
    pub index: u64,
}

/// A complete tool call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolCall {
    /// Its id.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments as the model wrote them.
    pub arguments: String,
}

/// How tags are removed from the content of a whole choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cleaning {
    /// As [`split_inline_xml`] does: the result is the joined content deltas.
    Split,
    /// As [`strip_inline_xml_tags_with`] does.
    Strip(Whitespace),
}

impl Default for Cleaning {
    fn default() -> Self {
        Cleaning::Strip(Whitespace::Collapse)
    }
}

/// The content of a whole choice without its tags.
///
/// ```
/// use tagstream::view::inline::{Cleaning, clean};
/// use tagstream::view::Whitespace;
///
/// let content = "One.\n<thinking>hm</thinking>\nTwo.";
/// assert_eq!(clean(content, Cleaning::default()), "One. Two.");
/// assert_eq!(clean(content, Cleaning::Strip(Whitespace::Preserve)), "One.\n\nTwo.");
/// assert_eq!(clean(content, Cleaning::Split), "One.Two.");
/// ```
#[must_use]
pub fn clean(content: &str, cleaning: Cleaning) -> String {
    match cleaning {
        Cleaning::Strip(whitespace) => strip_inline_xml_tags_with(content, whitespace),
        Cleaning::Split => {
            let mut cleaned = String::new();
            split_inline_xml([content], |piece| {
                if let Inline::Content(text) = piece {
                    cleaned.push_str(text);
                }
            });
            cleaned
        }
    }
}

/// Turns the content of one choice, and its tool calls, into [`ChatEvent`]s.
///
/// ```
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
/// let mut chat = InlineChat::new(0);
/// chat.push("Let me think. <thinking>I should ", &mut sink);
/// chat.tool_call(ToolCall { id: "c1".into(), name: "f".into(), arguments: "{}".into() });
/// chat.push("analyze</thinking> The answer is 42.", &mut sink);
/// chat.finish(Some("tool_calls"), &mut sink);
/// assert_eq!(
///     kinds,
///     ["content-delta", "thought-stream", "content-delta", "tool-call", "content-complete"]
/// );
/// assert_eq!(content, "Let me think. The answer is 42.");
/// ```
#[derive(Debug)]
pub struct InlineChat {
    splitter: InlineSplitter,
    thoughts: Thoughts,
    cleaning: Cleaning,
    /// The whole content, for the last event.
    content: String,
    calls: Vec<ToolCall>,
}

/// Turns content and tags into chat events.
#[derive(Clone, Copy, Debug)]
struct Thoughts {
    index: u64,
    given: u64,
}

impl InlineChat {
    /// A reader for the choice with this index.
    #[must_use]
    pub fn new(index: u64) -> Self {
        InlineChat {
            splitter: InlineSplitter::new(),
            thoughts: Thoughts { index, given: 0 },
            cleaning: Cleaning::default(),
            content: String::new(),
            calls: Vec::new(),
        }
    }

    /// Sets how tags are removed from the content of the last event.
    #[must_use]
    pub fn cleaning(mut self, cleaning: Cleaning) -> Self {
        self.cleaning = cleaning;
        self
    }

    /// Reads the next piece of content.
    pub fn push(&mut self, delta: &str, sink: &mut impl FnMut(ChatEvent<'_>)) {
        self.content.push_str(delta);
        let thoughts = &mut self.thoughts;
        let mut piece = |piece: Inline<'_>| thoughts.piece(piece, sink);
        self.splitter.push(delta, &mut piece);
    }

    /// Takes a tool call. Its event is emitted after all content.
    pub fn tool_call(&mut self, call: ToolCall) {
        self.calls.push(call);
    }

    /// Ends the choice.
    pub fn finish(mut self, finish_reason: Option<&str>, sink: &mut impl FnMut(ChatEvent<'_>)) {
        let index = self.thoughts.index;
        let mut piece = |piece: Inline<'_>| self.thoughts.piece(piece, sink);
        self.splitter.finish(&mut piece);
        for call in &self.calls {
            sink(ChatEvent::ToolCall { call, index });
        }
        sink(ChatEvent::ContentComplete {
            content: &clean(&self.content, self.cleaning),
            tool_calls: &self.calls,
            finish_reason,
            index,
        });
    }
}

impl Thoughts {
    fn piece(&mut self, piece: Inline<'_>, sink: &mut impl FnMut(ChatEvent<'_>)) {
        let index = self.index;
        match piece {
            Inline::Content(delta) => sink(ChatEvent::ContentDelta { delta, index }),
            Inline::Tag(tag) if is_thought(tag.name) => self.thought(tag, sink),
            Inline::Tag(tag) => sink(ChatEvent::InlineTag { tag, index }),
        }
    }

    /// White space alone is not a thought.
    fn thought(&mut self, tag: InlineTag<'_>, sink: &mut impl FnMut(ChatEvent<'_>)) {
        let content = tag.content.unwrap_or("");
        if content.trim_ascii().is_empty() {
            return;
        }
        let attribute = |name| tag.attributes.get(name);
        let kind = attribute("thoughtType").or_else(|| attribute("thought_type"));
        sink(ChatEvent::ThoughtStream(Thought {
            thought_id: &format!("thought_{}", self.given),
            thought_type: kind.unwrap_or(tag.name),
            verbosity: attribute("verbosity").unwrap_or("normal"),
            content,
            index: self.index,
        }));
        self.given += 1;
    }
}

fn is_thought(name: &str) -> bool {
    THOUGHT_TAGS
        .iter()
        .any(|tag| tag.eq_ignore_ascii_case(name))
}
