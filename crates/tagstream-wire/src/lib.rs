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
//! What outlives a piece has a cap, however long the stream is. A session keeps the frame that was
//! cut, the start of a stream whose format is not known, each text's engine, native calls that are
//! not over, and which ids and items there were. A rewriter keeps the first and the last of these,
//! the engines, and what waits to be written: the text that is in no event yet, announcements and
//! what stands behind them, Gemini's last frame, and of Responses the text of the open message and
//! the items that are over. Only an [`Aggregator`] grows, with the message that it collects.

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
