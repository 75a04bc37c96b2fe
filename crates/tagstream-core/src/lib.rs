//! Streaming parser for the markup that language models put in their output.
//!
//! Models stream text with tags in it: `<think>…</think>`, calls of tools, canvas nodes, directives.
//! The stream is cut anywhere. This crate says what each byte is, as soon as that is certain and
//! never before.
//!
//! # How it is used
//!
//! 1. A [`Profile`] says which markup counts. [`Profile::compile`] checks it and gives a
//!    [`Policy`], which any number of messages share.
//! 2. An [`Engine`] reads one message. Push it in pieces, of any size, and finish.
//! 3. [`Event`]s go to a closure. They borrow from the piece that was
//!    pushed: copy what you want to keep.
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
//! # While it streams
//!
//! An element can be read before it has ended. What may be the beginning of a tag is left off.
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
//! # Calls
//!
//! With [`Profile::calls`] a call of a tool is read too, in the [`Dialect`]s that the profile has,
//! and [`EventKind::CallEnd`] gives it when it is complete and a [`check::Check`] has found it valid. The
//! built-in dialects and the check by JSON Schema are in the crate `tagstream`, which re-exports
//! all of this one.
//!
//! # What it promises
//!
//! * **Chunking**: the joined events do not depend on how the input was cut.
//! * **Lossless**: the spans of all events tile the message.
//! * **Prompt**: no byte waits once its fate is sealed; nothing emitted is taken back.
//! * **Bounded**: memory stays under the profile's [`Limits`].
//! * **Linear**: work is proportional to bytes.
//!
//! [`Engine::push`] returns no `Result`: a model's output is never an error. Only a profile can be
//! wrong.
//!
//! # Features
//!
//! `serde`: profiles can be read and written, and events written, in any format.

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
    CallSettings, CallsInside, CodeStyle, Element, Limits, OrphanClose, Profile, Thinking,
    ThinkingAnchor, ThinkingMode, ThinkingNesting, ThinkingTrim, ToolSignature, UnclosedThinking,
    UnknownTool,
};
#[cfg(feature = "serde")]
pub use serialize::WithSpan;
