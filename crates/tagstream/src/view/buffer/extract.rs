//! One call from a whole text, in the shape of a simple result.

use super::block::Block;
use super::error::BufferError;
use super::{Raw, ToolCallBuffer, xml};
use serde_json::{Map, Value};

/// What [`ToolCallBuffer::extract_xml_tool_call`] has found.
///
/// In JSON it has only the fields that apply: `success`, `tool_name` and `parameters`, or `success`,
/// `error` and `feedback`.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct ExtractedCall {
    /// Whether there is a call that can be read.
    pub success: bool,
    /// The tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// Its parameters, as they were written: strings that have not been checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Map<String, Value>>,
    /// What is wrong, such as `Missing function_calls tags`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The same with its line, its column and the correct form, to be sent back to the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feedback: Option<String>,
}

impl ToolCallBuffer {
    /// Reads the first call of a whole text, without checking its parameters. It touches neither the
    /// blocks nor the count of attempts.
    ///
    /// ```
    /// # use tagstream::view::buffer::{BufferOptions, ToolCallBuffer};
    /// let buffer = ToolCallBuffer::new(&BufferOptions::default())?;
    /// let found = buffer.extract_xml_tool_call(
    ///     "<function_calls><invoke name=\"dc_bash\">\
    ///      <parameter name=\"command\">ls 2>&1</parameter></invoke></function_calls>",
    /// );
    /// assert!(found.success);
    /// assert_eq!(found.tool_name.as_deref(), Some("dc_bash"));
    /// assert_eq!(found.parameters.unwrap()["command"], "ls 2>&1");
    ///
    /// let found = buffer.extract_xml_tool_call("ls");
    /// assert_eq!(found.error.as_deref(), Some("Missing function_calls tags"));
    /// # Ok::<(), tagstream::ProfileError>(())
    /// ```
    #[must_use]
    pub fn extract_xml_tool_call(&self, text: &str) -> ExtractedCall {
        let mut block = Block::text(text, &self.policies, self.limits.value);
        let call = self.read_text(&mut block).into_iter().next();
        let Raw { name, result, .. } = call.unwrap_or_else(|| xml::no_call(&block.text));
        match result {
            Ok(given) => ExtractedCall {
                success: true,
                tool_name: name,
                parameters: Some(given.arguments),
                ..ExtractedCall::default()
            },
            Err(fault) => {
                let id = String::new();
                self.error(0, id, name, fault, &Map::new(), &block).into()
            }
        }
    }
}

impl From<BufferError> for ExtractedCall {
    fn from(error: BufferError) -> Self {
        ExtractedCall {
            feedback: Some(error.to_string()),
            error: Some(error.message),
            ..ExtractedCall::default()
        }
    }
}
