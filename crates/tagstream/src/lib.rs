//! Streaming parser for the markup that language models put in their output.

mod attributes;
mod element;
mod engine;
mod event;
mod policy;
mod profile;
#[cfg(feature = "serde")]
mod serialize;

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
