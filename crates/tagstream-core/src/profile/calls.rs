//! Which calls count, and what becomes of them.

use super::OrphanClose;
use crate::check::Checker;
use crate::dialect::Dialect;

/// Calls: how they are written, which tools there are, and what becomes of the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Calls {
    /// The ways in which a call may be written.
    pub dialects: Vec<Dialect>,
    /// The tools there are. With none, every name is accepted.
    pub tools: Vec<Tool>,
    /// Whether a call without its wrapper counts, if its name is declared.
    pub unwrapped: bool,
    /// What becomes of calls in thinking.
    pub in_thinking: Inside,
    /// What becomes of calls in code.
    pub in_code: Inside,
    /// What becomes of a call of a tool that is not declared.
    pub unknown_tool: UnknownTool,
    /// Whether the entities of XML in values are decoded.
    pub decode_entities: bool,
    /// What becomes of a closer without an opener.
    pub orphan_close: OrphanClose,
    /// How many calls a message may have.
    pub max_calls: Option<u64>,
    /// What ids begin with where the model gives none; the number of the call follows.
    pub id_prefix: String,
    /// Who judges the calls that are complete.
    pub checker: Checker,
}

impl Default for Calls {
    fn default() -> Self {
        Calls {
            dialects: Vec::new(),
            tools: Vec::new(),
            unwrapped: false,
            in_thinking: Inside::Ignore,
            in_code: Inside::Ignore,
            unknown_tool: UnknownTool::Report,
            decode_entities: false,
            orphan_close: OrphanClose::Keep,
            max_calls: None,
            id_prefix: "call_".to_owned(),
            checker: Checker::default(),
        }
    }
}

impl Calls {
    /// Calls in these dialects.
    pub fn dialects(dialects: impl IntoIterator<Item = Dialect>) -> Self {
        Calls {
            dialects: dialects.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Adds a tool.
    #[must_use]
    pub fn tool(mut self, tool: Tool) -> Self {
        self.tools.push(tool);
        self
    }

    /// Sets the tools.
    #[must_use]
    pub fn tools(mut self, tools: impl IntoIterator<Item = Tool>) -> Self {
        self.tools = tools.into_iter().collect();
        self
    }

    /// Sets whether a call without its wrapper counts, if its name is declared.
    #[must_use]
    pub fn unwrapped(mut self, unwrapped: bool) -> Self {
        self.unwrapped = unwrapped;
        self
    }

    /// Sets what becomes of calls in thinking.
    #[must_use]
    pub fn in_thinking(mut self, in_thinking: Inside) -> Self {
        self.in_thinking = in_thinking;
        self
    }

    /// Sets what becomes of calls in code.
    #[must_use]
    pub fn in_code(mut self, in_code: Inside) -> Self {
        self.in_code = in_code;
        self
    }

    /// Sets what becomes of a call of a tool that is not declared.
    #[must_use]
    pub fn unknown_tool(mut self, unknown_tool: UnknownTool) -> Self {
        self.unknown_tool = unknown_tool;
        self
    }

    /// Sets whether the entities of XML in values are decoded.
    #[must_use]
    pub fn decode_entities(mut self, decode_entities: bool) -> Self {
        self.decode_entities = decode_entities;
        self
    }

    /// Sets what becomes of a closer without an opener.
    #[must_use]
    pub fn orphan_close(mut self, orphan_close: OrphanClose) -> Self {
        self.orphan_close = orphan_close;
        self
    }

    /// Sets how many calls a message may have.
    #[must_use]
    pub fn max_calls(mut self, max_calls: impl Into<Option<u64>>) -> Self {
        self.max_calls = max_calls.into();
        self
    }

    /// Sets who judges the calls that are complete.
    #[must_use]
    pub fn checker(mut self, checker: Checker) -> Self {
        self.checker = checker;
        self
    }
}

/// A tool as far as reading a call depends on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// The names of its arguments.
    pub arguments: Vec<String>,
    /// Other names that arguments may come under: the other name, and the argument.
    pub aliases: Vec<(String, String)>,
}

impl Tool {
    /// A tool with these arguments.
    pub fn new<S: Into<String>>(
        name: impl Into<String>,
        arguments: impl IntoIterator<Item = S>,
    ) -> Self {
        Tool {
            name: name.into(),
            arguments: arguments.into_iter().map(Into::into).collect(),
            aliases: Vec::new(),
        }
    }
}

/// What becomes of calls that stand inside something else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Inside {
    /// They are part of it.
    #[default]
    Ignore,
    /// They are calls all the same.
    Promote,
}

/// What becomes of a call of a tool that is not declared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum UnknownTool {
    /// It is an error.
    #[default]
    Report,
    /// It is text.
    Text,
    /// It is a call.
    Pass,
}
