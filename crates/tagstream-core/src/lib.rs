//! The engine of tagstream: a streaming parser for the markup that language models put in their
//! output.
//!
//! Models stream text with tags in it: `<think>…</think>`, tool calls, canvas nodes, directives. The
//! stream may be cut anywhere, even inside a tag or a character. The engine reports what each byte is
//! as soon as that is certain, and never before.
//!
//! Most programs use the crate `tagstream`, which re-exports this one and adds presets, the dialects
//! of tool calls, checks by JSON Schema, and views.
//!
//! # Usage
//!
//! 1. A [`Profile`] declares which markup counts. [`Profile::compile`] checks it and returns a
//!    [`Policy`], which any number of messages can share.
//! 2. An [`Engine`] reads one message. Push its chunks, of any size, and then finish it.
//! 3. Each [`Event`] is passed to a closure. It borrows from the chunk; [`Event::to_owned`] copies
//!    it.
//!
//! ```
//! use tagstream_core::{Element, Engine, Event, EventKind, Profile, Thinking};
//!
//! let policy = Profile::new()
//!     .thinking(Thinking::tags(["think"]))
//!     .element(Element::named("node").children(["title"]))
//!     .compile()?;
//!
//! let mut seen = Vec::new();
//! let mut sink = |event: Event<'_>| match event.kind {
//!     EventKind::Text(text) => seen.push(format!("text {text:?}")),
//!     EventKind::Thought(text) => seen.push(format!("thought {text:?}")),
//!     EventKind::ElementEnd(node) => {
//!         let id = node.attributes.get("id").unwrap_or("?");
//!         let title = node.parts.iter().find(|part| part.name == "title").unwrap();
//!         seen.push(format!("node {id}, {:?}: {:?}", title.text, node.body.unwrap()));
//!     }
//!     _ => {}
//! };
//! let mut engine = Engine::new(&policy);
//! for chunk in ["<think>hm</think>", "So: <node id=\"n1\"><ti", "tle>One</title>a < b</no", "de>"] {
//!     engine.push(chunk, &mut sink);
//! }
//! engine.finish(&mut sink);
//! assert_eq!(seen, ["thought \"hm\"", "text \"So: \"", "node n1, \"One\": \"a < b\""]);
//! # Ok::<(), tagstream_core::ProfileError>(())
//! ```
//!
//! # Snapshots
//!
//! An element can be read while it is open. A snapshot omits what may be the start of a tag.
//!
//! ```
//! # use tagstream_core::{Element, Engine, Profile};
//! # let policy = Profile::new().element(Element::named("node")).compile()?;
//! let mut engine = Engine::new(&policy);
//! engine.push("<node id='n1'>Content text</", |_| ());
//! let node = engine.open_elements().next().unwrap();
//! assert_eq!(node.body, Some("Content text"));
//! assert!(!node.complete);
//! # Ok::<(), tagstream_core::ProfileError>(())
//! ```
//!
//! # Tool calls
//!
//! With [`Profile::calls`], the engine also reads tool calls in the given [`Dialect`]s. It emits
//! [`EventKind::CallEnd`] once a call is complete and a [`check::Check`] has accepted it. The built-in
//! dialects and the check by JSON Schema are in the crate `tagstream`.
//!
//! # Guarantees
//!
//! * **Chunking**: the joined events do not depend on where the message was cut.
//! * **Lossless**: the spans of all events tile the message.
//! * **Prompt**: no byte is held once its meaning is certain, and nothing emitted is taken back.
//! * **Bounded**: memory stays within the profile's [`Limits`].
//! * **Linear**: the work is proportional to the number of bytes.
//!
//! [`Engine::push`] does not return a `Result`: what is not markup is text, so a model's output
//! cannot be an error. Only a profile can be.
//!
//! # Features
//!
//! * `serde`: reads and writes profiles, and writes events, in any serde format.

mod attributes;
mod brackets;
pub mod check;
mod clean;
mod code;
pub mod dialect;
mod element;
mod engine;
pub mod entities;
mod event;
#[doc(hidden)]
pub mod json;
mod lexicon;
mod line;
pub mod message;
#[doc(hidden)]
pub mod names;
mod owned;
mod policy;
mod profile;
mod scan;
#[cfg(feature = "serde")]
mod serialize;
mod token;
mod utf8;

pub use attributes::{Attribute, AttributeIter, Attributes};
pub use check::CallErrorCode;
pub use clean::{TextCleaner, Whitespace};
pub use dialect::Dialect;
pub use element::{ElementPart, ElementParts};
pub use engine::Engine;
pub use event::{ElementView, Event, EventKind, NoticeCode, SkipReason, Span};
pub use line::is_space;
pub use owned::{OwnedAttributes, OwnedElement, OwnedElementPart, OwnedEvent, OwnedEventKind};
pub use policy::{Policy, ProfileError, ProfileErrorKind};
pub use profile::{
    CallSettings, CallsInThinking, CallsInside, CodeNotices, CodeStyle, Element, Limits,
    OrphanClose, Profile, RefusedCalls, Thinking, ThinkingAnchor, ThinkingMode, ThinkingNesting,
    ThinkingTrim, ToolSignature, UnclosedThinking, UnknownTool,
};
#[cfg(feature = "serde")]
pub use serialize::WithSpan;

/// Tests the README's example.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
