//! Inline tags: content and tags apart, for tags of any name.
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
//! });
//! assert_eq!(seen.concat(), "Hello[tag Some(\"val\")]World, a < b");
//! ```
//!
//! | rule | |
//! |---|---|
//! | a name | `[A-Za-z_:][\w:.-]*` |
//! | white space between content and a tag | is dropped; it waits until one knows what follows |
//! | white space in a tag | is kept |
//! | tags of the same name inside a tag | are counted, and stay in its content |
//! | a closer without an opener | is dropped |
//! | a tag that is never closed, or unfinished at the end | is content, as it came; what follows it is read on |
//! | tags in Markdown code | are content; the profile can say otherwise |
//!
//! [`InlineSplitter`] does the same for chunks that come one by one. [`InlineChat`] makes the events
//! of a chat completion of it, and [`clean`] gives a whole content without its tags.

mod chat;

pub use chat::{ChatEvent, Cleaning, InlineChat, THOUGHT_TAGS, Thought, ToolCall, clean};

use crate::Attributes;
use crate::{Element, Engine, OrphanClose, Policy, Profile};
use crate::{ElementView, Event, EventKind};

/// A piece of content, or a tag that stood in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Inline<'a> {
    /// Content. A run of it may come in several pieces.
    Content(&'a str),
    /// A tag, once it is whole.
    Tag(InlineTag<'a>),
}

/// A tag that stood in the content.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InlineTag<'a> {
    /// Its name as written.
    pub name: &'a str,
    /// What is in it; `None` if it closed itself.
    pub content: Option<&'a str>,
    /// Its attributes; one that is given twice has [all its values](Attributes::get_all).
    pub attributes: Attributes<'a>,
}

/// Splits a message that comes in chunks.
pub fn split_inline_xml<'c>(
    chunks: impl IntoIterator<Item = &'c str>,
    mut sink: impl FnMut(Inline<'_>),
) {
    let mut splitter = InlineSplitter::new();
    for chunk in chunks {
        splitter.push(chunk, &mut sink);
    }
    splitter.finish(&mut sink);
}

/// Splits a message into content and tags, chunk by chunk.
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
    edge: Edge,
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
    /// Never: its profile is right.
    #[must_use]
    pub fn new() -> Self {
        let policy = Self::profile().compile();
        Self::with_policy(&policy.expect("a profile with one element is right"))
    }

    /// A splitter with another policy, such as one with `code = "none"`.
    #[must_use]
    pub fn with_policy(policy: &Policy) -> Self {
        InlineSplitter {
            engine: Engine::new(policy),
            edge: Edge {
                longest: policy.limits().lookahead,
                ..Edge::default()
            },
        }
    }

    /// The profile in which every tag counts.
    #[must_use]
    pub fn profile() -> Profile {
        Profile::new().element(Element::named("*").orphan_close(OrphanClose::Drop))
    }

    /// Reads the next chunk.
    pub fn push(&mut self, chunk: &str, sink: &mut impl FnMut(Inline<'_>)) {
        let edge = &mut self.edge;
        self.engine.push(chunk, |event| edge.event(&event, sink));
    }

    /// Ends the message.
    pub fn finish(self, sink: &mut impl FnMut(Inline<'_>)) {
        let mut edge = self.edge;
        self.engine.finish(|event| edge.event(&event, sink));
        edge.keep_space(sink);
    }
}

/// The white space at the end of the content so far.
#[derive(Debug, Default)]
struct Edge {
    /// It waits for what follows.
    space: String,
    /// It was longer than it may be: the rest of the run is kept too.
    keeps: bool,
    /// Nothing but white space has come since a tag.
    behind_tag: bool,
    /// How long it may be.
    longest: usize,
}

fn is_space(c: char) -> bool {
    c.is_ascii() && crate::is_space(c as u8)
}

impl Edge {
    fn event(&mut self, event: &Event<'_>, sink: &mut impl FnMut(Inline<'_>)) {
        match event.kind {
            EventKind::Text(text) => self.text(text, sink),
            EventKind::ElementEnd(view) => {
                self.space.clear();
                self.keeps = false;
                self.behind_tag = true;
                sink(Inline::Tag(InlineTag::of(&view)));
            }
            _ => {}
        }
    }

    fn text(&mut self, mut text: &str, sink: &mut impl FnMut(Inline<'_>)) {
        if self.behind_tag {
            text = text.trim_start_matches(is_space);
        }
        let (content, space) = text.split_at(text.trim_end_matches(is_space).len());
        if !content.is_empty() {
            self.keep_space(sink);
            (self.behind_tag, self.keeps) = (false, false);
            sink(Inline::Content(content));
        }
        self.space.push_str(space);
        if self.keeps || self.space.len() > self.longest {
            self.keep_space(sink);
            self.keeps = true;
        }
    }

    fn keep_space(&mut self, sink: &mut impl FnMut(Inline<'_>)) {
        if !self.space.is_empty() {
            sink(Inline::Content(&self.space));
            self.space.clear();
        }
    }
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
