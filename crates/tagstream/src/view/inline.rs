//! Inline tags: separates tags of any name from the content.
//!
//! Models put thoughts into their answers as tags: `<thinking>…</thinking>`, `<analysis …>`.
//! [`split_inline_xml`] takes every tag out of the content, whatever its name:
//!
//! ```
//! use tagstream::view::inline::{Inline, split_inline_xml};
//!
//! let mut seen = Vec::new();
//! let chunks = ["Hello <ta", "g attr=\"val\"/> World, a < b"];
//! split_inline_xml(chunks, |piece| match piece {
//!     Inline::Content(text) => seen.push(text.to_owned()),
//!     Inline::Tag(tag) => seen.push(format!("[{} {:?}]", tag.name, tag.attributes.get("attr"))),
//!     _ => {}
//! });
//! assert_eq!(seen.concat(), "Hello[tag Some(\"val\")]World, a < b");
//! ```
//!
//! | rule | |
//! |---|---|
//! | a name | `[A-Za-z_:][\w:.-]*` |
//! | white space between content and a tag | is dropped; it is held until what follows is known |
//! | white space in a tag | is kept |
//! | tags of the same name inside a tag | are counted, and stay in its content |
//! | a closer without an opener | is dropped |
//! | a tag that is never closed, or unfinished at the end | is content, as it came; what follows it is read on |
//! | one of the [`THOUGHT_TAGS`] | may be of any length; without a closer it reaches to the end |
//! | tags in Markdown code | are content; the profile can say otherwise |
//!
//! [`InlineSplitter`] does the same for chunks that come one by one. [`InlineChat`] makes the events
//! of a chat completion of it, and [`Chat`] makes them of the events of any engine or stream.
//! With the feature `wire`, `ChatSession` goes all the way from a provider's stream.
//!
//! The preset `inline` is the [profile](InlineSplitter::profile) of all of these, for other views
//! and the command line.

mod chat;
mod serialize;
#[cfg(feature = "wire")]
mod session;

pub use chat::{Chat, ChatEvent, InlineChat, THOUGHT_TAGS, Thought, ToolCall};
#[cfg(feature = "wire")]
pub use session::{ChatSession, Chats};

use super::strip::with_thought_tags;
use crate::{Attributes, Element, ElementView, Engine, Event, EventKind, OrphanClose, Policy};
use crate::{Profile, SkipReason, TextCleaner, Whitespace};
use std::sync::LazyLock;

/// A piece of content, or a tag found in it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Inline<'a> {
    /// Content. One run of content may be split into several pieces.
    Content(&'a str),
    /// A complete tag.
    Tag(InlineTag<'a>),
}

/// A tag found in the content.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct InlineTag<'a> {
    /// Its name as written.
    pub name: &'a str,
    /// Its content; `None` if it is self-closing.
    pub content: Option<&'a str>,
    /// Its attributes. For one that occurs more than once see [`Attributes::get_all`].
    pub attributes: Attributes<'a>,
}

/// Splits a message, given in chunks, into content and tags.
pub fn split_inline_xml<'c>(
    chunks: impl IntoIterator<Item = &'c str>,
    mut sink: impl FnMut(Inline<'_>),
) {
    let mut splitter = InlineSplitter::new();
    for chunk in chunks {
        splitter.push(chunk, &mut sink);
    }
    splitter.finish(sink);
}

/// Splits a message into content and tags, as its chunks arrive.
///
/// ```
/// use tagstream::view::InlineSplitter;
/// use tagstream::view::inline::Inline;
///
/// let mut splitter = InlineSplitter::new();
/// let mut content = String::new();
/// let mut sink = |piece: Inline<'_>| {
///     if let Inline::Content(text) = piece {
///         content.push_str(text);
///     }
/// };
/// splitter.push("a <b>x</", &mut sink);
/// splitter.push("b> c", &mut sink);
/// splitter.finish(&mut sink);
/// assert_eq!(content, "ac");
/// ```
#[derive(Debug)]
pub struct InlineSplitter {
    engine: Engine,
    pieces: Pieces,
}

impl Default for InlineSplitter {
    fn default() -> Self {
        Self::new()
    }
}

impl InlineSplitter {
    /// A splitter for one message.
    ///
    /// # Panics
    /// Never: its profile is valid.
    #[must_use]
    pub fn new() -> Self {
        let policy = Self::profile().compile();
        Self::with_policy(&policy.expect("its names are distinct"))
    }

    /// A splitter with another policy, such as one with `code = "none"`.
    #[must_use]
    pub fn with_policy(policy: &Policy) -> Self {
        let limits = policy.limits();
        let cleaner = TextCleaner::new(Whitespace::Split).max_wait(limits.lookahead);
        InlineSplitter {
            engine: Engine::new(policy),
            pieces: Pieces {
                cleaner,
                thought: None,
                max_thought: limits.value,
            },
        }
    }

    /// The profile in which every tag counts, and [`THOUGHT_TAGS`] are thinking; the preset `inline`
    /// says the same.
    #[must_use]
    pub fn profile() -> Profile {
        Self::extend(Profile::new())
    }

    /// The same profile for messages in which other things count too: every tag counts that this
    /// one does not list, and [`THOUGHT_TAGS`] are thinking.
    #[must_use]
    pub fn extend(mut profile: Profile) -> Profile {
        let is_free = |tag: &String| {
            let mut elements = profile.elements.iter().map(|element| &element.name);
            let mut listed = profile.hide.iter();
            !elements.any(|name| name.eq_ignore_ascii_case(tag))
                && !listed.any(|name| name.eq_ignore_ascii_case(tag))
        };
        let mut tags = with_thought_tags(&profile.thinking.tags);
        tags.retain(is_free);
        profile.thinking.tags = tags;
        if !profile.elements.iter().any(|element| element.name == "*") {
            let any = Element::named("*").orphan_close(OrphanClose::Drop);
            profile.elements.push(any);
        }
        profile
    }

    /// Reads the next chunk.
    pub fn push(&mut self, chunk: &str, mut sink: impl FnMut(Inline<'_>)) {
        let pieces = &mut self.pieces;
        self.engine
            .push(chunk, |event| pieces.event(&event, &mut sink));
    }

    /// Ends the message.
    pub fn finish(self, mut sink: impl FnMut(Inline<'_>)) {
        let mut pieces = self.pieces;
        self.engine.finish(|event| pieces.event(&event, &mut sink));
        pieces.cleaner.finish(|text| sink(Inline::Content(text)));
    }
}

/// Makes pieces of events.
#[derive(Debug)]
struct Pieces {
    cleaner: TextCleaner,
    /// The thought that is open.
    thought: Option<OpenThought>,
    /// How much of a thought is kept.
    max_thought: usize,
}

#[derive(Debug)]
struct OpenThought {
    name: String,
    attributes: String,
    content: String,
}

impl Pieces {
    fn event(&mut self, event: &Event<'_>, sink: &mut impl FnMut(Inline<'_>)) {
        self.cleaner
            .event(event, |text| sink(Inline::Content(text)));
        match event.kind {
            EventKind::ThoughtStart {
                tag, attributes, ..
            } => {
                self.thought = Some(OpenThought {
                    name: tag.unwrap_or("").to_owned(),
                    attributes: attributes.raw().to_owned(),
                    content: String::new(),
                });
            }
            EventKind::Thought(text) => self.think(text),
            EventKind::ThoughtEnd { .. } => {
                if let Some(thought) = self.thought.take() {
                    sink(Inline::Tag(thought.as_tag()));
                }
            }
            EventKind::ElementEnd(view) => sink(Inline::Tag(InlineTag::of(&view))),
            EventKind::Skip {
                reason: SkipReason::EmptySection,
                ..
            } => empty_thought(event.raw, sink),
            _ => {}
        }
    }

    fn think(&mut self, text: &str) {
        if let Some(thought) = &mut self.thought {
            let room = self.max_thought.saturating_sub(thought.content.len());
            let room = text.floor_char_boundary(room);
            thought.content.push_str(&text[..room]);
        }
    }
}

impl OpenThought {
    fn as_tag(&self) -> InlineTag<'_> {
        InlineTag {
            name: &self.name,
            content: Some(&self.content),
            attributes: Attributes::new(&self.attributes),
        }
    }
}

/// The policy in which every tag counts, and none is thinking.
static ANY_TAG: LazyLock<Policy> = LazyLock::new(|| {
    let policy = Profile::new().element(Element::named("*")).compile();
    policy.expect("a profile with one element is right")
});

/// An empty thought makes no events, but it is a tag: this is its text.
fn empty_thought(raw: &str, sink: &mut impl FnMut(Inline<'_>)) {
    let mut engine = Engine::new(&ANY_TAG);
    let mut tag = |event: Event<'_>| {
        if let EventKind::ElementEnd(view) = event.kind {
            sink(Inline::Tag(InlineTag::of(&view)));
        }
    };
    engine.push(raw, &mut tag);
    engine.finish(&mut tag);
}

impl<'a> InlineTag<'a> {
    fn of(view: &ElementView<'a>) -> Self {
        InlineTag {
            name: view.name,
            content: view.body,
            attributes: view.attributes,
        }
    }
}
