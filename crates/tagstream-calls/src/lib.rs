//! Calls for [`tagstream`]: the built-in dialects, tools with their JSON Schemas, and the check of
//! arguments.
//!
//! A call reaches you only when it is complete and valid, wherever the stream was cut:
//!
//! ```
//! use tagstream::{Engine, Event, Kind, Profile};
//! use tagstream_calls::{Settings, Tools};
//!
//! let tools = Tools::parse(r#"[{"type": "function", "function": {"name": "read", "parameters": {
//!     "type": "object",
//!     "properties": {"path": {"type": "string"}, "limit": {"type": "integer"}},
//!     "required": ["path"]
//! }}}]"#)?;
//! // Calls in any built-in dialect; `settings.dialect` says which, where that is known.
//! let settings = Settings::default();
//! let policy = Profile::new().calls(settings.resolve_with(&tools, None)?).compile()?;
//!
//! let mut seen = Vec::new();
//! let mut sink = |event: Event<'_>| match event.kind {
//!     Kind::Text(text) => seen.push(text.to_owned()),
//!     Kind::CallEnd { name, arguments, .. } => seen.push(format!("{name} {arguments}")),
//!     Kind::CallError { message, .. } => seen.push(format!("refused: {message}")),
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
//! Before that, [`Kind::CallStart`](tagstream::Kind::CallStart) tells the name, and
//! [`Kind::CallDelta`](tagstream::Kind::CallDelta) the text of the arguments as it comes: to be
//! shown, not to be acted on.
//!
//! [`Settings`] is the `[calls]` table of a profile, which brings all of it together. The core knows
//! where a call begins and ends. What its arguments must be is said by the JSON Schema of the tool,
//! which [`Schemas`] reads and asks: it has an example of its own, for those who judge calls that
//! come from elsewhere, or who write a [`Check`](tagstream::Check).
//!
//! [`buffer`] is for programs that get content blocks in pieces and want whole calls: it gives them
//! when their block stops.

mod arguments;
pub mod buffer;
mod check;
mod choice;
mod dialects;
pub mod file;
mod json;
mod judge;
mod nested;
mod schema;
mod settings;
mod similar;
mod tools;

pub use check::{Schemas, UnknownArgument};
pub use choice::DialectChoice;
pub use dialects::{BuiltIn, dialect, dialects, parse_dialect};
pub use file::Error as DialectError;
pub use settings::{Settings, SettingsError};
pub use tools::{ToolSchema, Tools, ToolsError, ToolsWarning};

/// The README's examples are tested here, since they need this crate and its core.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
