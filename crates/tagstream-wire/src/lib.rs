//! Reads the streams of language-model providers into events, and aggregates or rewrites them.
//!
//! ```text
//! bytes → Framing → Frame → reader → messages ─┬→ Session → WireEvent → Aggregator → Aggregate
//!                                              └→ Rewriter → bytes
//! ```
//!
//! | stage | knows |
//! |---|---|
//! | [`Framing`] | where a frame begins and ends: server-sent events, lines, JSON values |
//! | a reader for each provider | where in a frame each piece of text, of thinking and of a call is |
//! | the messages | what these mean: an engine for each text, the numbers, the checks of native calls |
//! | [`Session`] | the events |
//! | [`Aggregator`] | the complete message |
//! | [`Rewriter`](rewrite::Rewriter) | the stream in the same format, with thinking and calls that were found in text in the fields that the format has for them |
//!
//! The crate does no I/O: push bytes, in chunks of any size, and events are emitted. A body that
//! was not streamed is read in the same way. Nothing in a stream is an error: a frame that cannot
//! be read, an error of the server and a missing end are notices.
//!
//! What outlives a chunk has a cap, however long the stream is. Both a session and a rewriter keep
//! the frame that was cut, the engine of each text, native calls that are not complete, and the ids
//! and items so far; a session also the start of a stream whose format is not known yet. A rewriter
//! also keeps what is not written yet: announcements and the frames after them, Gemini's last
//! frame, and for Responses the text of the open message and the finished items. Only an
//! [`Aggregator`] grows, with the message that it collects.

mod aggregate;
mod delta;
mod endpoint;
mod error_frame;
mod event;
mod format;
mod framing;
mod json;
mod message;
mod provider;
pub mod rewrite;
mod session;
mod source;

pub use aggregate::{Aggregate, Aggregator, Notice, ToolCall};
pub use endpoint::{Endpoint, Request, model_in_path, with_model};
pub use error_frame::{ServerError, keep_alive};
pub use event::{WireEvent, WireKind, WithSpan};
pub use format::{Format, UnknownFormat};
pub use framing::Framing;
pub use framing::body::Values;
pub use framing::frame::{Content, Frame, Frames, Message, Split};
pub use framing::ndjson::Lines;
pub use framing::sse::Sse;
pub use session::Session;
pub use tagstream_core::Whitespace;

/// Tests the README's example.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
