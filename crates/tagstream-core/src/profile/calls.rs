//! The settings of tool calls.

use super::OrphanClose;
use crate::check::Checker;
use crate::dialect::Dialect;

/// Tool calls: how they are written, which tools are declared, and what the rest becomes.
///
/// Its fields are the settings, to be assigned.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallSettings {
    /// The ways in which a call may be written.
    pub dialects: Vec<Dialect>,
    /// The declared tools.
    pub tools: Vec<ToolSignature>,
    /// Whether no list of tools is given, so that every name is accepted. An empty list of tools
    /// accepts none.
    pub any_tool: bool,
    /// Whether a call without its wrapper counts, if its name is declared.
    pub unwrapped: bool,
    /// Whether a call whose arguments are tags, all of them closed, is complete if the message ends
    /// before its closer.
    pub missing_end: bool,
    /// What calls in thinking become.
    pub in_thinking: CallsInThinking,
    /// What calls in code become.
    pub in_code: CallsInside,
    /// What a call of an undeclared tool becomes.
    pub unknown_tool: UnknownTool,
    /// What the text of a refused call becomes, besides an error.
    pub refused: RefusedCalls,
    /// Whether there is a notice where an opener of calls is text because no call follows it.
    pub near_misses: bool,
    /// Whether XML entities in argument values are decoded.
    pub decode_entities: bool,
    /// What a closer without an opener becomes.
    pub orphan_close: OrphanClose,
    /// The number of calls that a message may have.
    pub max_calls: Option<u64>,
    /// The start of an id that the model did not give; the number of the call follows it.
    pub id_prefix: String,
    /// The check of calls that are complete.
    pub checker: Checker,
}

impl Default for CallSettings {
    fn default() -> Self {
        CallSettings {
            dialects: Vec::new(),
            tools: Vec::new(),
            any_tool: true,
            unwrapped: false,
            missing_end: false,
            in_thinking: CallsInThinking::Ignore,
            in_code: CallsInside::Ignore,
            unknown_tool: UnknownTool::Report,
            refused: RefusedCalls::Drop,
            near_misses: false,
            decode_entities: false,
            orphan_close: OrphanClose::Keep,
            max_calls: None,
            id_prefix: "call_".to_owned(),
            checker: Checker::default(),
        }
    }
}

impl CallSettings {
    /// Calls in these dialects.
    pub fn dialects(dialects: impl IntoIterator<Item = Dialect>) -> Self {
        CallSettings {
            dialects: dialects.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Adds a tool. From now on only declared tools are accepted.
    #[must_use]
    pub fn tool(mut self, tool: ToolSignature) -> Self {
        self.tools.push(tool);
        self.any_tool = false;
        self
    }

    /// Sets the tools: only these are accepted, so none if there are none.
    #[must_use]
    pub fn tools(mut self, tools: impl IntoIterator<Item = ToolSignature>) -> Self {
        self.tools = tools.into_iter().collect();
        self.any_tool = false;
        self
    }

    /// Sets the check of calls that are complete.
    #[must_use]
    pub fn checker(mut self, checker: Checker) -> Self {
        self.checker = checker;
        self
    }
}

/// What reading a call needs to know about a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolSignature {
    /// Its name.
    pub name: String,
    /// The names of its arguments.
    pub arguments: Vec<String>,
    /// Aliases of arguments: the alias, and the argument that it means.
    pub aliases: Vec<(String, String)>,
    /// It takes any argument.
    pub any_argument: bool,
}

impl ToolSignature {
    /// A tool with these arguments.
    pub fn new<S: Into<String>>(
        name: impl Into<String>,
        arguments: impl IntoIterator<Item = S>,
    ) -> Self {
        ToolSignature {
            name: name.into(),
            arguments: arguments.into_iter().map(Into::into).collect(),
            aliases: Vec::new(),
            any_argument: false,
        }
    }
}

/// What calls in thinking become.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum CallsInThinking {
    /// Part of the thought.
    #[default]
    Ignore,
    /// Calls inside the thought.
    Promote,
    /// The end of the thought, if it has no closing tag.
    End,
}

/// What calls inside something else become.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum CallsInside {
    /// Part of it.
    #[default]
    Ignore,
    /// Calls.
    Promote,
}

/// What the text of a refused call becomes, besides an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum RefusedCalls {
    /// Nothing.
    #[default]
    Drop,
    /// Text, after the error; that of a call that was cut off does not.
    Text,
}

/// What a call of an undeclared tool becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum UnknownTool {
    /// An error.
    #[default]
    Report,
    /// Text.
    Text,
    /// A call.
    Pass,
}
