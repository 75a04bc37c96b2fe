//! Calls for [`tagstream`]: the built-in dialects, tools with their JSON Schemas, and the check of
//! arguments.
//!
//! The core knows where a call begins and ends. What its arguments must be is said by the JSON
//! Schema of the tool, which [`Schemas`] reads and asks.
//!
//! ```
//! use tagstream::{ArgumentText, ArgumentsText, CallText, Check, Verdict};
//! use tagstream_calls::{Schemas, Tools};
//!
//! let tools = Tools::parse(r#"[{"type": "function", "function": {"name": "read", "parameters": {
//!     "type": "object",
//!     "properties": {"path": {"type": "string"}, "limit": {"type": "integer"}},
//!     "required": ["path"]
//! }}}]"#)?;
//! let schemas = Schemas::new(&tools);
//! let check = |values: &[(&str, &str)]| {
//!     let values: Vec<_> = values
//!         .iter()
//!         .map(|&(name, text)| ArgumentText { name, text, is_string: None })
//!         .collect();
//!     schemas.check(&CallText { name: "read", arguments: ArgumentsText::Values(&values) })
//! };
//!
//! let Verdict::Valid { arguments, .. } = check(&[("path", "02134"), ("limit", " 5 ")]) else {
//!     panic!()
//! };
//! assert_eq!(arguments, r#"{"path":"02134","limit":5}"#);
//!
//! let Verdict::Invalid(problems) = check(&[("path", "a"), ("limit", "many")]) else {
//!     panic!()
//! };
//! assert_eq!(problems[0].message, r#"argument `limit`: expected an integer, got "many""#);
//! # Ok::<(), tagstream_calls::ToolsError>(())
//! ```
//!
//! [`buffer`] is for programs that get content blocks in pieces and want whole calls: it gives them
//! when their block stops.
//!
//! [`Settings`] is the `[calls]` table of a profile, which brings all of it together.

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
