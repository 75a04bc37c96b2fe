//! Streaming parser for the markup that language models put in their output.

mod attributes;
mod code;
mod element;
mod engine;
mod event;
mod lexicon;
mod line;
mod policy;
mod profile;
mod scan;
#[cfg(feature = "serde")]
mod serialize;
mod token;
mod utf8;

pub use attributes::{Attribute, Attributes};
pub use element::{Part, Parts};
pub use engine::Engine;
pub use event::{ElementView, Event, Kind, NoticeCode, Sink, Span};
pub use policy::{Policy, ProfileError};
pub use profile::{
    Anchor, CodeStyle, Element, Limits, Mode, Nesting, OrphanClose, Profile, Thinking, Trim,
    Unclosed,
};
#[cfg(feature = "serde")]
pub use serialize::WithSpan;
