//! Streaming parser for the markup that language models put in their output.
//!
//! ```sh
//! cargo add tagstream
//! ```
//!
//! Models stream text with tags in it: `<think>…</think>`, tool calls, canvas nodes, directives. The
//! stream may be cut anywhere, even inside a tag or a character. This crate reports what each byte is
//! as soon as that is certain, and never before.
//!
//! # Usage
//!
//! 1. A [`Profile`] declares which markup counts. [`Profile::compile`] checks it and returns a
//!    [`Policy`], which any number of messages can share.
//! 2. An [`Engine`] reads one message. Push its chunks, of any size, and then finish it.
//! 3. Each [`Event`] is passed to a closure. It borrows from the chunk; [`Event::to_owned`] copies
//!    it.
//!
//! [`events`] does the same for an iterator of chunks and returns owned events. With the feature
//! `futures` there are `event_stream` and `try_event_stream` for asynchronous streams.
//!
//! ```
//! use tagstream::{Element, Engine, Event, EventKind, Profile, Thinking};
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
//! # Ok::<(), tagstream::ProfileError>(())
//! ```
//!
//! # Snapshots
//!
//! An element can be read while it is open. A snapshot omits what may be the start of a tag.
//!
//! ```
//! # use tagstream::{Element, Engine, Profile};
//! # let policy = Profile::new().element(Element::named("node")).compile()?;
//! let mut engine = Engine::new(&policy);
//! engine.push("<node id='n1'>Content text</", |_| ());
//! let node = engine.open_elements().next().unwrap();
//! assert_eq!(node.body, Some("Content text"));
//! assert!(!node.complete);
//! # Ok::<(), tagstream::ProfileError>(())
//! ```
//!
//! # Tool calls
//!
//! A call is reported only once it is complete and valid, wherever the stream was cut:
//!
//! ```
//! use tagstream::{Calls, Engine, Event, EventKind, Profile, Tools};
//!
//! let tools = Tools::parse(r#"[{"type": "function", "function": {"name": "read", "parameters": {
//!     "type": "object",
//!     "properties": {"path": {"type": "string"}, "limit": {"type": "integer"}},
//!     "required": ["path"]
//! }}}]"#)?;
//! // Calls in any built-in dialect. If the model's dialect is known, use `Calls::dialect`.
//! let policy = Profile::new().calls(Calls::auto(&tools)).compile()?;
//!
//! let mut seen = Vec::new();
//! let mut sink = |event: Event<'_>| match event.kind {
//!     EventKind::Text(text) => seen.push(text.to_owned()),
//!     EventKind::CallEnd { name, arguments, .. } => seen.push(format!("{name} {arguments}")),
//!     EventKind::CallError { message, .. } => seen.push(format!("refused: {message}")),
//!     _ => {}
//! };
//! let mut engine = Engine::new(&policy);
//! for chunk in [
//!     "Let me look.<tool_",
//!     "call>\n<function=re",
//!     "ad>\n<parameter=path>\n02134\n</para",
//!     "meter>\n<parameter=limit> 5 </parameter>\n</function",
//!     ">\n</tool_call><tool_call>{\"na",
//!     "me\": \"read\", \"arguments\": {\"limit\": \"many\", \"path\": \"</tool_ca",
//!     "ll>\"}}</tool_call>",
//! ] {
//!     engine.push(chunk, &mut sink);
//! }
//! engine.finish(&mut sink);
//! assert_eq!(
//!     seen,
//!     [
//!         "Let me look.",
//!         r#"read {"path":"02134","limit":5}"#,
//!         r#"refused: argument `limit`: expected an integer, got "many""#,
//!     ]
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Before that, [`EventKind::CallStart`] reports the name, and [`EventKind::CallDelta`] the text of
//! the arguments as it arrives. They are meant to be shown, not to be acted on.
//!
//! The engine finds where a call begins and ends. Whether its arguments are valid is decided by the
//! JSON Schema of the tool. [`Schemas`] does this, and can also be used alone, for calls that come
//! from elsewhere; to decide differently, implement [`check::Check`].
//!
//! # Modules
//!
//! * [`profile`]: profiles from TOML or JSON, and the built-in presets.
//! * [`calls`]: settings of tool calls.
//! * [`dialect`]: the built-in dialects, and how to read your own.
//! * [`tools`]: tools with their JSON Schemas.
//! * [`check`]: what decides whether a call is valid.
//! * [`view`]: events in the shape that a kind of application needs: canvas nodes, inline tags of any
//!   name, the content filter of a chat client, a list of directives, whole calls from content blocks,
//!   a message without tags.
//! * [`message`]: a whole message at once: content, thoughts, tool calls and notices.
//! * [`mod@file`]: the errors of files with profiles and dialects.
//! * [`entities`]: decodes XML entities.
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
//! * `schema` (default): checks arguments against all of a tool's JSON Schema. Without it, the
//!   dependency `jsonschema` is left out. Calls of undeclared tools and calls that lack a required
//!   argument are still refused, and values are still converted to their declared types. Ranges,
//!   formats, patterns and the contents of objects and lists are not checked, and mistakes in a schema
//!   are not reported.
//! * `futures`: adapters for asynchronous streams.
//! * `wire`: the streams of providers. It re-exports the crate `tagstream-wire` as `wire`, and adds
//!   `view::inline::ChatSession`.

pub mod calls;
pub mod check;
pub mod dialect;
mod events;
pub mod file;
mod json;
mod position;
pub mod profile;
mod schema;
#[cfg(feature = "futures")]
mod stream;
pub mod tools;
pub mod view;

pub use calls::Calls;
pub use check::{CallErrorCode, Schemas, UnknownArgument};
pub use dialect::{Dialect, UnknownDialect};
pub use events::{Events, events};
pub use file::{FileError, FileErrorKind};
pub use json::json_entries;
pub use position::TextPosition;
pub use profile::{ForModel, UnknownPreset, preset};
#[cfg(feature = "futures")]
pub use stream::{EventStream, TryEventStream, event_stream, try_event_stream};
#[doc(hidden)]
pub use tagstream_core::names;
pub use tagstream_core::{
    Attribute, AttributeIter, Attributes, CallSettings, CallsInThinking, CallsInside, CodeNotices,
    CodeStyle, Element, ElementPart, ElementParts, ElementView, Engine, Event, EventKind, Limits,
    NoticeCode, OrphanClose, OwnedAttributes, OwnedElement, OwnedElementPart, OwnedEvent,
    OwnedEventKind, Policy, Profile, ProfileError, ProfileErrorKind, RefusedCalls, SkipReason,
    Span, TextCleaner, Thinking, ThinkingAnchor, ThinkingMode, ThinkingNesting, ThinkingTrim,
    ToolSignature, UnclosedThinking, UnknownTool, Whitespace, WithSpan, entities, is_space,
    message,
};
pub use tools::{ToolSchema, Tools, ToolsError, ToolsErrorKind, ToolsWarning};

#[cfg(feature = "wire")]
pub use tagstream_wire as wire;

/// Tests the example of this crate's README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// Tests the examples of the project's README.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct ProjectReadme;

/// Tests the examples of the page on the five systems.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/systems.md")]
struct Systems;
