//! Streaming parser for the markup that language models put in their output.
//!
//! ```sh
//! cargo add tagstream
//! ```
//!
//! Models stream text with tags in it: `<think>…</think>`, tool calls, canvas nodes, directives. The
//! stream is cut anywhere. This crate reports what each byte is, as soon as that is certain and never
//! before.
//!
//! # How it is used
//!
//! 1. A [`Profile`] declares which markup counts. [`Profile::compile`] checks it and returns a
//!    [`Policy`], which any number of messages share.
//! 2. An [`Engine`] reads one message. Push it in chunks of any size, and finish.
//! 3. [`Event`]s go to a closure. They borrow from the chunk that was pushed: copy what you want to
//!    keep, or iterate over owned events with [`events`].
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
//! # While it streams
//!
//! An element can be read before it has ended. What may be the beginning of a tag is left off.
//!
//! ```
//! # use tagstream::{Element, Engine, Event, Profile};
//! # let policy = Profile::new().element(Element::named("node")).compile()?;
//! let mut engine = Engine::new(&policy);
//! engine.push("<node id='n1'>Content text</", |_| ());
//! let node = engine.open_elements().next().unwrap();
//! assert_eq!(node.body, Some("Content text"));
//! assert!(!node.complete);
//! # Ok::<(), tagstream::ProfileError>(())
//! ```
//!
//! # Calls
//!
//! A call reaches you only when it is complete and valid, wherever the stream was cut:
//!
//! ```
//! use tagstream::{Calls, Engine, Event, EventKind, Profile, Tools};
//!
//! let tools = Tools::parse(r#"[{"type": "function", "function": {"name": "read", "parameters": {
//!     "type": "object",
//!     "properties": {"path": {"type": "string"}, "limit": {"type": "integer"}},
//!     "required": ["path"]
//! }}}]"#)?;
//! // Calls in any built-in dialect; `Calls::dialect` names one, where it is known.
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
//! Before that, [`EventKind::CallStart`] reports the name, and [`EventKind::CallDelta`] the text of the
//! arguments as it arrives: to be shown, not to be acted on.
//!
//! The engine knows where a call begins and ends. What its arguments must be is declared by the JSON
//! Schema of the tool, which [`Schemas`] reads and checks; it has an example of its own, for those
//! who judge calls that come from elsewhere, or who write a [`check::Check`].
//!
//! # Modules
//!
//! * [`profile`]: profiles read from TOML or JSON, and the built-in presets.
//! * [`calls`]: the built-in dialects, and the settings of calls.
//! * [`tools`]: tools with their JSON Schemas.
//! * [`view`]: what some systems need ready-made: the nodes of a canvas, inline tags of any name,
//!   the content filter of a chat client, a message as a list of directives, whole calls from
//!   content blocks, a message without any tags.
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
//! `schema`, on by default: arguments are checked against all of a tool's JSON Schema. Without it
//! the dependency `jsonschema` is left out and the tree is small. Calls of undeclared tools and
//! calls without a required argument are still refused, and values are still read and converted by
//! their declared types; but ranges, formats, patterns and what is inside objects and lists are not
//! checked, and mistakes in a schema are not reported.
//!
//! `futures`: adapters for asynchronous streams.
//!
//! `wire`: providers' streams. It re-exports the crate `tagstream-wire` as `wire`, and adds
//! `view::inline::ChatSession`.

pub mod calls;
pub mod check;
pub mod dialect;
mod events;
pub mod file;
mod json;
mod names;
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
pub use profile::{UnknownPreset, preset};
#[cfg(feature = "futures")]
pub use stream::{EventStream, TryEventStream, event_stream, try_event_stream};
pub use tagstream_core::{
    Attribute, AttributeIter, Attributes, CallSettings, CallsInside, CodeStyle, Element,
    ElementPart, ElementParts, ElementView, Engine, Event, EventKind, Limits, NoticeCode,
    OrphanClose, OwnedAttributes, OwnedElement, OwnedElementPart, OwnedEvent, OwnedEventKind,
    Policy, Profile, ProfileError, ProfileErrorKind, SkipReason, Span, TextCleaner, Thinking,
    ThinkingAnchor, ThinkingMode, ThinkingNesting, ThinkingTrim, ToolSignature, UnclosedThinking,
    UnknownTool, Whitespace, WithSpan, entities, is_space,
};
pub use tools::{ToolSchema, Tools, ToolsError, ToolsErrorKind, ToolsWarning};

#[cfg(feature = "wire")]
pub use tagstream_wire as wire;

/// Tests the README's examples.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
