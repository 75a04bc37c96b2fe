//! Why a block does not contain a call: what is wrong, where, and the correct form.

use crate::dialect;
use std::fmt;

/// What kind of thing is wrong with a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BufferErrorKind {
    /// `Missing function_calls tags`.
    MissingWrapper,
    /// `Missing invoke tag`.
    MissingInvoke,
    /// `Missing 'name' attribute in <invoke> tag`.
    MissingInvokeName,
    /// `Missing 'name' attribute in <parameter> tag`.
    MissingParameterName,
    /// The call is in a Markdown fence, where it is text.
    InFence,
    /// The XML is incomplete or malformed.
    Xml,
    /// The JSON cannot be read.
    Json,
    /// The tool is not named, or not declared.
    Tool,
    /// The arguments are invalid.
    Validation,
    /// The block is too long, or the call is one too many.
    Limit,
}

/// Why a call cannot be executed, in words that can be sent back to the model.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BufferError {
    /// The content block.
    pub index: u64,
    /// The id of the call.
    pub id: String,
    /// The tool, if that is known.
    pub name: Option<String>,
    /// What kind of thing is wrong.
    pub kind: BufferErrorKind,
    /// What is wrong.
    pub message: String,
    /// The line of the block, counted from 1.
    pub line: usize,
    /// The character of that line, counted from 1.
    pub column: usize,
    /// That line, and below it a caret that marks the position.
    pub excerpt: String,
    /// How it should be written.
    pub suggestion: String,
}

impl fmt::Display for BufferError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BufferError {
            message,
            line,
            column,
            excerpt,
            suggestion,
            ..
        } = self;
        write!(
            f,
            "{message}\nline {line}, column {column}:\n{excerpt}\nWrite it like this:\n{suggestion}"
        )
    }
}

impl std::error::Error for BufferError {}

/// How a call of this tool is written in XML.
pub(super) fn xml_form(name: Option<&str>, arguments: &[&str]) -> String {
    let built_in = dialect::find("function_calls").expect("it is built in");
    let arguments = if arguments.is_empty() {
        &["parameter_name"]
    } else {
        arguments
    };
    let name = name.unwrap_or("tool_name");
    dialect::example(built_in.dialect(), name, arguments, "")
}

/// How a call of this tool is written in JSON.
pub(super) fn json_form(name: Option<&str>, arguments: &[&str]) -> String {
    let name = serde_json::Value::from(name.unwrap_or("tool_name"));
    let arguments = arguments
        .iter()
        .map(|argument| ((*argument).to_owned(), "value".into()));
    let arguments = serde_json::Value::Object(arguments.collect());
    format!("{{\"name\": {name}, \"arguments\": {arguments}}}")
}
