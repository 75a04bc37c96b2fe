//! From any provider's stream to events, and to one message.

mod aggregate;
mod anthropic;
mod body;
mod calls;
mod choice;
mod content;
mod delta;
mod detect;
mod emit;
mod event;
mod format;
mod frame;
mod framing;
mod gemini;
mod judge;
mod ndjson;
mod numbers;
mod ollama;
mod openai;
mod responses;
mod session;
mod sse;
mod text;
mod thought;

pub use aggregate::{Aggregate, Aggregator, Notice, ToolCall, Whitespace};
pub use body::Values;
pub use delta::{CallPiece, Delta, Joins, Slot};
pub use event::{WireEvent, WireKind, WithSpan};
pub use format::{Decoder, Format, UnknownFormat};
pub use frame::{Content, Frame, Frames, Message, Split};
pub use framing::Framing;
pub use ndjson::Lines;
pub use session::{Options, Session};
pub use sse::Sse;
