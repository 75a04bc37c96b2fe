//! Reads the streams of language-model providers into events, and aggregates or rewrites them.
//!
//! ```text
//! bytes → Framing → Frame → Decoder → Delta → Session → WireEvent → Aggregator → Aggregate
//! ```
//!
//! | stage | knows |
//! |---|---|
//! | [`Framing`] | where a frame begins and ends: server-sent events, lines, JSON values |
//! | [`Decoder`] | what a provider's frame adds to a message, as one of a few [`Delta`]s |
//! | [`Session`] | what these mean: it has one engine for each text, and reads native thinking and calls |
//! | [`Aggregator`] | the complete message |
//!
//! A [`rewrite::Rewriter`] writes the stream again in the same format, with thinking and calls that
//! were found in text in the fields that the format has for them.
//!
//! The crate does no I/O: push bytes, in chunks of any size, and events are emitted. A body that
//! was not streamed is read in the same way. Nothing in a stream is an error: a frame that cannot
//! be read, an error of the server and a missing end are notices.
//!
//! What outlives a chunk has a cap, however long the stream is. A session keeps the frame that was
//! cut, the start of a stream whose format is not known yet, the engine of each text, native calls
//! that are not complete, and the ids and items so far. A rewriter keeps the cut frame, the ids and
//! items, the engines, and what is not written yet: text without an event, announcements and the
//! frames after them, Gemini's last frame, and for Responses the text of the open message and the
//! finished items. Only an [`Aggregator`] grows, with the message that it collects.

mod aggregate;
mod decode;
mod event;
mod framing;
pub mod rewrite;
mod session;

pub use aggregate::{Aggregate, Aggregator, Notice, ToolCall};
pub use decode::delta::{CallPiece, Delta, Joins, Slot};
pub use decode::{Decoder, Format, UnknownFormat};
pub use event::{WireEvent, WireKind, WithSpan};
pub use framing::Framing;
pub use framing::body::Values;
pub use framing::frame::{Content, Frame, Frames, Message, Split};
pub use framing::ndjson::Lines;
pub use framing::sse::Sse;
pub use session::policies::Policies;
pub use session::{Options, Session};
pub use tagstream_core::Whitespace;

/// Tests the README's example.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
