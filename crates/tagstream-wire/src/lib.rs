//! From any provider's stream to events, and to one message.
//!
//! ```text
//! bytes → Framing → Frame → Decoder → Delta → Session → WireEvent → Aggregator → Aggregate
//! ```
//!
//! | stage | knows |
//! |---|---|
//! | [`Framing`] | where a frame begins and ends: server-sent events, lines, JSON values |
//! | [`Decoder`] | what a provider's frame adds to a message, as one of a few [`Delta`]s |
//! | [`Session`] | what all of that means: one engine for each text, native thoughts and calls |
//! | [`Aggregator`] | the message that it all adds up to |
//!
//! The other way: a [`rewrite::Rewriter`] writes the stream again, with what was found in its texts
//! where the format has a place for it.
//!
//! Nothing here reads or waits: push bytes, in pieces of any size, and events come out. A body that
//! does not stream takes the same way. No stream is an error: a frame that cannot be read, an error
//! of the server and an end that does not come are notices.
//!
//! Bytes outlive a piece in four places, each with a cap: the frame that was cut, the start of a
//! stream whose format is not known, the arguments of a native call, and each text's engine.

mod aggregate;
mod anthropic;
mod body;
mod calls;
mod choice;
mod choices;
mod content;
mod delta;
mod detect;
mod emit;
mod event;
mod format;
mod frame;
mod framing;
mod gemini;
mod identity;
mod items;
mod judge;
mod ndjson;
mod numbers;
mod ollama;
mod openai;
mod partial;
mod policies;
mod responses;
pub mod rewrite;
mod session;
mod sse;
mod tell;
mod text;
mod thought;
mod tool_call;

pub use aggregate::{Aggregate, Aggregator, Notice, ToolCall, Whitespace};
pub use body::Values;
pub use delta::{CallPiece, Delta, Joins, Slot};
pub use event::{WireEvent, WireKind, WithSpan};
pub use format::{Decoder, Format, UnknownFormat};
pub use frame::{Content, Frame, Frames, Message, Split};
pub use framing::Framing;
pub use ndjson::Lines;
pub use policies::Policies;
pub use session::{Options, Session};
pub use sse::Sse;
