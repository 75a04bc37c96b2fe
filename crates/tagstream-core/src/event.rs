//! What comes out: events, each with its place in the message.

use crate::attributes::Attributes;
use crate::check::CallErrorCode;
use crate::element::Parts;

/// A stretch of the message, in bytes: `start` is in it, `end` is not.
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

/// Something that is certain about the message.
///
/// The spans of all events tile the message: each starts where the one before ended.
///
/// With the feature `serde` it can be written in any format. A format gets values, and no JSON text:
/// there, a number in the arguments of a call is a `u64`, an `i64` or else the nearest `f64`. So
/// `1.50` is written as `1.5`, an integer of more than 19 digits may lose some, and what no `f64`
/// holds, such as `1e400`, is infinite, which JSON writes as `null`. [`EventKind::CallEnd`] has the text,
/// with every number as it was spelled: write that where it matters, in JSON as a raw value. The
/// command line, and the events of `tagstream-wire`, do so.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event<'a> {
    /// The bytes of the message that this event accounts for.
    pub span: Span,
    /// These bytes, as they came.
    pub raw: &'a str,
    /// What they are.
    pub kind: EventKind<'a>,
}

/// What the bytes of an event are.
///
/// Text borrows from the chunk that was pushed, or from what the engine had held back.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum EventKind<'a> {
    /// Visible text.
    Text(&'a str),
    /// A thinking section that has something in it.
    ThoughtStart {
        /// The profile's spelling of its tag, or its opening literal; `None` where the prompt
        /// opened it.
        tag: Option<&'a str>,
        /// The attributes of its tag.
        attributes: Attributes<'a>,
    },
    /// Text of a thought.
    Thought(&'a str),
    /// The end of a thought.
    ThoughtEnd {
        /// Whether it had a closer.
        closed: bool,
    },
    /// A call begins: its name is certain and accepted.
    CallStart {
        /// Its number in this message, counted from 0; a refused call takes one too.
        index: u64,
        /// The model's id for it, or one made from its number.
        id: &'a str,
        /// The tool.
        name: &'a str,
    },
    /// Text of a call's arguments: to be shown, not to be acted on.
    CallDelta {
        /// The call's number.
        index: u64,
        /// The argument it belongs to; `None` for JSON, where it is the next piece of the object.
        argument: Option<&'a str>,
        /// The text.
        text: &'a str,
    },
    /// A call is complete and valid.
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
    /// A call is refused; one for each thing wrong with it.
    CallError {
        /// The call's number.
        index: u64,
        /// The tool, if that is known.
        name: Option<&'a str>,
        /// What is wrong.
        code: CallErrorCode,
        /// The argument it is about.
        argument: Option<&'a str>,
        /// What was seen and what would be right, in words that can be sent back to the model.
        message: &'a str,
        /// The text of the whole call.
        raw: &'a str,
    },
    /// An element begins.
    ElementStart {
        /// Its number in this message, counted from 0.
        id: u64,
        /// The element it stands in.
        parent: Option<u64>,
        /// The profile's spelling of its name; as written, for an element of any name.
        name: &'a str,
        /// Its attributes.
        attributes: Attributes<'a>,
    },
    /// Text of an element.
    ElementDelta {
        /// The element's number.
        id: u64,
        /// The part it belongs to; `None` for the body.
        part: Option<&'a str>,
        /// The text.
        text: &'a str,
    },
    /// An element ends.
    ElementEnd(ElementView<'a>),
    /// Something the user may want to know; it takes no bytes.
    Notice {
        /// Which one.
        code: NoticeCode,
        /// In words.
        message: &'a str,
    },
    /// What makes no other event: hidden sections, markers, dropped closers and white space.
    Skip {
        /// Why.
        reason: SkipReason,
    },
}

/// Why bytes make no other event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SkipReason {
    /// A tag that opens or closes a section.
    Tag,
    /// Text of a hidden section.
    Hidden,
    /// A section with nothing but white space in it.
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
    /// What is longer than a limit.
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
pub struct ElementView<'a> {
    /// Its number in this message, counted from 0.
    pub id: u64,
    /// The element it stands in.
    pub parent: Option<u64>,
    /// The profile's spelling of its name; as written, for an element of any name.
    pub name: &'a str,
    /// Its attributes.
    pub attributes: Attributes<'a>,
    /// The text in it that belongs to no child; `None` if the tag closed itself.
    pub body: Option<&'a str>,
    /// Its parts, in order.
    pub parts: Parts<'a>,
    /// Whether it has ended with its own closer, with all its text.
    pub complete: bool,
}

/// What a notice is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NoticeCode {
    /// A thinking or hidden section had no closer.
    UnclosedThought,
    /// A closer had no opener and was dropped.
    OrphanClose,
    /// Bytes that are no UTF-8 became U+FFFD.
    InvalidUtf8,
    /// A body was longer than the limit; the rest was passed over.
    Limit,
    /// A mistake in a call was put right.
    Repaired,
    /// Text that is no call, between calls or arguments, was dropped.
    Dropped,
    /// A stream ended without its end.
    TruncatedStream,
    /// A call came under another name than before.
    IdentityConflict,
    /// A frame of a stream could not be read.
    InvalidFrame,
    /// The server reported an error in the stream.
    StreamError,
}

impl NoticeCode {
    /// The code as the contract spells it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            NoticeCode::UnclosedThought => "unclosed_thought",
            NoticeCode::OrphanClose => "orphan_close",
            NoticeCode::InvalidUtf8 => "invalid_utf8",
            NoticeCode::Limit => "limit",
            NoticeCode::Repaired => "repaired",
            NoticeCode::Dropped => "dropped",
            NoticeCode::TruncatedStream => "truncated_stream",
            NoticeCode::IdentityConflict => "identity_conflict",
            NoticeCode::InvalidFrame => "invalid_frame",
            NoticeCode::StreamError => "stream_error",
        }
    }
}
