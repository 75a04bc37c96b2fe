//! Events: what the engine reports, each with its span of the message.

use crate::attributes::Attributes;
use crate::check::{CallErrorCode, Problem};
use crate::element::ElementParts;

/// A stretch of the message, in bytes: `start` belongs to it, `end` does not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// Where it starts.
    pub start: u64,
    /// Where it ends.
    pub end: u64,
}

impl Span {
    /// The bytes from `start` to `end`.
    #[must_use]
    pub fn new(start: u64, end: u64) -> Self {
        debug_assert!(start <= end);
        Span { start, end }
    }
}

/// One certain statement about the message.
///
/// The spans of all events tile the message: each starts where the previous one ended.
///
/// An event borrows from the chunk that was pushed. [`to_owned`](Event::to_owned) copies it, for
/// channels and async code.
///
/// With the feature `serde` an event can be written in any format. A format receives values, not
/// JSON text: there, a number in the arguments of a call is a `u64`, an `i64` or else the nearest
/// `f64`. So `1.50` is written as `1.5`, an integer of more than 19 digits may lose some, and what
/// no `f64` holds, such as `1e400`, is infinite, which JSON writes as `null`.
/// [`EventKind::CallEnd`] has the text with every number as it was spelled: where that matters,
/// write it as a raw JSON value. The command line and the events of `tagstream-wire` do so.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Event<'a> {
    /// The bytes of the message that this event accounts for.
    pub span: Span,
    /// Those bytes, as they arrived.
    pub raw: &'a str,
    /// What they are.
    pub kind: EventKind<'a>,
}

impl<'a> Event<'a> {
    /// An event about these bytes.
    #[must_use]
    pub fn new(span: Span, raw: &'a str, kind: EventKind<'a>) -> Self {
        Event { span, raw, kind }
    }
}

/// What the bytes of an event are.
///
/// Text borrows from the chunk that was pushed, or from what the engine held.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum EventKind<'a> {
    /// Visible text.
    Text(&'a str),
    /// The start of a thinking section that is not empty.
    #[non_exhaustive]
    ThoughtStart {
        /// The profile's spelling of its tag, or its opening literal; `None` if the prompt opened
        /// it.
        tag: Option<&'a str>,
        /// The attributes of its tag.
        attributes: Attributes<'a>,
    },
    /// Text of a thought.
    Thought(&'a str),
    /// The end of a thought.
    #[non_exhaustive]
    ThoughtEnd {
        /// Whether it had a closer.
        closed: bool,
    },
    /// The start of a call: its name is certain and accepted.
    #[non_exhaustive]
    CallStart {
        /// Its number in this message, counted from 0; a refused call takes one too.
        index: u64,
        /// The model's id for it, or one made from its number.
        id: &'a str,
        /// The tool.
        name: &'a str,
    },
    /// Text of a call's arguments: to be shown, not to be acted on.
    #[non_exhaustive]
    CallDelta {
        /// The call's number.
        index: u64,
        /// The argument it belongs to; `None` for JSON, where it is the next piece of the object.
        argument: Option<&'a str>,
        /// The text.
        text: &'a str,
    },
    /// A call is complete and valid.
    #[non_exhaustive]
    CallEnd {
        /// The call's number.
        index: u64,
        /// The id from its start.
        id: &'a str,
        /// The tool.
        name: &'a str,
        /// All arguments, as the text of a JSON object.
        arguments: &'a str,
    },
    /// A call is refused; one event for each problem.
    #[non_exhaustive]
    CallError {
        /// The call's number.
        index: u64,
        /// The tool, if it is known.
        name: Option<&'a str>,
        /// What is wrong.
        code: CallErrorCode,
        /// The argument that is wrong.
        argument: Option<&'a str>,
        /// What was found and what was expected, in words that can be sent back to the model.
        message: &'a str,
        /// The text of the whole call.
        raw: &'a str,
    },
    /// The start of an element.
    #[non_exhaustive]
    ElementStart {
        /// Its number in this message, counted from 0.
        id: u64,
        /// The element that contains it.
        parent: Option<u64>,
        /// The profile's spelling of its name; as written, for an element of any name.
        name: &'a str,
        /// Its attributes.
        attributes: Attributes<'a>,
    },
    /// Text of an element.
    #[non_exhaustive]
    ElementDelta {
        /// The element's number.
        id: u64,
        /// The part it belongs to; `None` for the body.
        part: Option<&'a str>,
        /// The text.
        text: &'a str,
    },
    /// The end of an element.
    ElementEnd(ElementView<'a>),
    /// Something the user may want to know; it takes no bytes.
    #[non_exhaustive]
    Notice {
        /// What it is about.
        code: NoticeCode,
        /// The same in words.
        message: &'a str,
    },
    /// Bytes that produce no other event: see [`SkipReason`].
    #[non_exhaustive]
    Skip {
        /// Why they are skipped.
        reason: SkipReason,
    },
}

/// Constructors for the kinds that have fields, for those who produce events themselves.
impl<'a> EventKind<'a> {
    /// A [`ThoughtStart`](EventKind::ThoughtStart).
    #[must_use]
    pub fn thought_start(tag: Option<&'a str>, attributes: Attributes<'a>) -> Self {
        EventKind::ThoughtStart { tag, attributes }
    }

    /// A [`ThoughtEnd`](EventKind::ThoughtEnd).
    #[must_use]
    pub fn thought_end(closed: bool) -> Self {
        EventKind::ThoughtEnd { closed }
    }

    /// A [`CallStart`](EventKind::CallStart).
    #[must_use]
    pub fn call_start(index: u64, id: &'a str, name: &'a str) -> Self {
        EventKind::CallStart { index, id, name }
    }

    /// A [`CallDelta`](EventKind::CallDelta).
    #[must_use]
    pub fn call_delta(index: u64, argument: Option<&'a str>, text: &'a str) -> Self {
        EventKind::CallDelta {
            index,
            argument,
            text,
        }
    }

    /// A [`CallEnd`](EventKind::CallEnd).
    #[must_use]
    pub fn call_end(index: u64, id: &'a str, name: &'a str, arguments: &'a str) -> Self {
        EventKind::CallEnd {
            index,
            id,
            name,
            arguments,
        }
    }

    /// A [`CallError`](EventKind::CallError) about this problem of the call whose text is `raw`.
    #[must_use]
    pub fn call_error(
        index: u64,
        name: Option<&'a str>,
        problem: &'a Problem,
        raw: &'a str,
    ) -> Self {
        EventKind::CallError {
            index,
            name,
            code: problem.code,
            argument: problem.argument.as_deref(),
            message: &problem.message,
            raw,
        }
    }

    /// An [`ElementStart`](EventKind::ElementStart).
    #[must_use]
    pub fn element_start(
        id: u64,
        parent: Option<u64>,
        name: &'a str,
        attributes: Attributes<'a>,
    ) -> Self {
        EventKind::ElementStart {
            id,
            parent,
            name,
            attributes,
        }
    }

    /// An [`ElementDelta`](EventKind::ElementDelta).
    #[must_use]
    pub fn element_delta(id: u64, part: Option<&'a str>, text: &'a str) -> Self {
        EventKind::ElementDelta { id, part, text }
    }

    /// A [`Notice`](EventKind::Notice).
    #[must_use]
    pub fn notice(code: NoticeCode, message: &'a str) -> Self {
        EventKind::Notice { code, message }
    }

    /// A [`Skip`](EventKind::Skip).
    #[must_use]
    pub fn skip(reason: SkipReason) -> Self {
        EventKind::Skip { reason }
    }
}

/// Why bytes produce no other event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SkipReason {
    /// A tag listed in `unwrap`, or one of a section that no other event covers.
    Tag,
    /// A hidden section, with its tags.
    Hidden,
    /// A section that contains only white space.
    EmptySection,
    /// A marker of the profile.
    Marker,
    /// A closing tag without an opening tag.
    OrphanClose,
    /// White space that is trimmed, or that touches a call.
    WhiteSpace,
    /// A wrapper of calls, and what is in it that is not a call.
    Wrapper,
    /// Markup of a call.
    Call,
    /// Markup of an element.
    Element,
    /// Bytes beyond a limit.
    Limit,
}

impl SkipReason {
    /// The reason as the specification spells it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            SkipReason::Tag => "tag",
            SkipReason::Hidden => "hidden",
            SkipReason::EmptySection => "empty_section",
            SkipReason::Marker => "marker",
            SkipReason::OrphanClose => "orphan_close",
            SkipReason::WhiteSpace => "white_space",
            SkipReason::Wrapper => "wrapper",
            SkipReason::Call => "call",
            SkipReason::Element => "element",
            SkipReason::Limit => "limit",
        }
    }
}

/// An element as it is at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ElementView<'a> {
    /// Its number in this message, counted from 0.
    pub id: u64,
    /// The element that contains it.
    pub parent: Option<u64>,
    /// The profile's spelling of its name; as written, for an element of any name.
    pub name: &'a str,
    /// Its attributes.
    pub attributes: Attributes<'a>,
    /// The text in it that belongs to no child; `None` if the tag closed itself.
    pub body: Option<&'a str>,
    /// Its parts, in order.
    pub parts: ElementParts<'a>,
    /// Whether it has ended with its own closing tag, with all its text.
    pub complete: bool,
    pub(crate) tail: TagStart,
}

/// What may be the beginning of a tag at the end of an element that is open or was cut off.
///
/// It says nothing about what the element is, so that views that differ only in it are equal.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TagStart {
    /// Where it begins in the body, or else in the text of all parts.
    pub(crate) at: Option<usize>,
    pub(crate) in_part: bool,
}

impl PartialEq for TagStart {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl<'a> ElementView<'a> {
    /// An element without attributes, body and parts that is still open. Set the fields that differ.
    #[must_use]
    pub fn new(id: u64, name: &'a str) -> Self {
        ElementView {
            id,
            parent: None,
            name,
            attributes: Attributes::default(),
            body: None,
            parts: ElementParts::default(),
            complete: false,
            tail: TagStart::default(),
        }
    }

    /// The element without what may be the beginning of a tag at its end. The engine's snapshots
    /// leave it off; an element that the message cuts off has it, because it is text there.
    #[must_use]
    pub fn without_tag_start(self) -> Self {
        let (mut body, mut parts) = (self.body, self.parts);
        match self.tail {
            TagStart { at: None, .. } => {}
            TagStart {
                at: Some(at),
                in_part: true,
            } => parts = parts.up_to(at),
            TagStart { at: Some(at), .. } => body = body.map(|body| &body[..at]),
        }
        ElementView {
            body,
            parts,
            tail: TagStart::default(),
            ..self
        }
    }
}

/// What a notice is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NoticeCode {
    /// A thinking or hidden section had no closer.
    UnclosedThought,
    /// A closer had no opener and was dropped.
    OrphanClose,
    /// Bytes that are not UTF-8 became U+FFFD.
    InvalidUtf8,
    /// A body was longer than the limit; the rest was skipped.
    Limit,
    /// A mistake in a call was repaired.
    Repaired,
    /// Text that is not a call, between calls or arguments, was dropped.
    Dropped,
    /// An element or a call in a Markdown fence was left as text.
    InCode,
    /// The same, in a fence that was never closed.
    UnclosedFence,
    /// An opener of calls was left as text: no call follows it.
    NearMiss,
    /// A stream ended early.
    TruncatedStream,
    /// A call changed its name.
    IdentityConflict,
    /// A frame of a stream could not be read.
    InvalidFrame,
    /// The server reported an error in the stream.
    StreamError,
}

impl NoticeCode {
    /// The code as the specification spells it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            NoticeCode::UnclosedThought => "unclosed_thought",
            NoticeCode::OrphanClose => "orphan_close",
            NoticeCode::InvalidUtf8 => "invalid_utf8",
            NoticeCode::Limit => "limit",
            NoticeCode::Repaired => "repaired",
            NoticeCode::Dropped => "dropped",
            NoticeCode::InCode => "in_code",
            NoticeCode::UnclosedFence => "unclosed_fence",
            NoticeCode::NearMiss => "near_miss",
            NoticeCode::TruncatedStream => "truncated_stream",
            NoticeCode::IdentityConflict => "identity_conflict",
            NoticeCode::InvalidFrame => "invalid_frame",
            NoticeCode::StreamError => "stream_error",
        }
    }
}
