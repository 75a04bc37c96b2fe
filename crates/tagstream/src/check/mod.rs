//! Checks the arguments of a call against the schema of its tool.

mod arguments;
mod judge;
mod nested;

use crate::json::Json;
use crate::schema::Schema;
use crate::schema::shape::Shape;
use crate::schema::validate::Whole;
use crate::tools::{ToolSchema, Tools};
use crate::{CallText, Check, Problem, Verdict};
use arguments::Arguments;
use judge::Judge;
use nested::Brackets;
use serde_json::Value;
use std::collections::BTreeMap;

/// What happens to an argument that is not declared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnknownArgument {
    /// It is passed on; as a string, if it has no type of its own.
    #[default]
    Pass,
    /// It is an error.
    Reject,
}

/// Other names for arguments, by tool: the other name, and the argument.
pub(crate) type Aliases = BTreeMap<String, Vec<(String, String)>>;

/// Checks calls against the JSON Schemas of the tools.
///
/// A tool that is not among them may be called with any arguments, which stay as they are.
///
/// As a [`Check`] it can be used without an engine:
///
/// ```
/// use tagstream::{ArgumentText, ArgumentsText, CallText, Check, Schemas, Tools, Verdict};
///
/// let tools = Tools::parse(r#"[{"type": "function", "function": {"name": "read", "parameters": {
///     "type": "object",
///     "properties": {"path": {"type": "string"}, "limit": {"type": "integer"}},
///     "required": ["path"]
/// }}}]"#)?;
/// let schemas = Schemas::new(&tools);
/// let check = |values: &[(&str, &str)]| {
///     let values: Vec<_> = values
///         .iter()
///         .map(|&(name, text)| ArgumentText { name, text, is_string: None })
///         .collect();
///     schemas.check(&CallText { name: "read", arguments: ArgumentsText::Values(&values) })
/// };
///
/// let Verdict::Valid { arguments, .. } = check(&[("path", "02134"), ("limit", " 5 ")]) else {
///     panic!()
/// };
/// assert_eq!(arguments, r#"{"path":"02134","limit":5}"#);
///
/// let Verdict::Invalid(problems) = check(&[("path", "a"), ("limit", "many")]) else {
///     panic!()
/// };
/// assert_eq!(problems[0].message, r#"argument `limit`: expected an integer, got "many""#);
/// # Ok::<(), tagstream::ToolsError>(())
/// ```
#[derive(Debug)]
pub struct Schemas {
    tools: BTreeMap<String, ToolCheck>,
    aliases: Aliases,
    coerce: bool,
}

impl Schemas {
    /// A check for these tools, with default settings.
    #[must_use]
    pub fn new(tools: &Tools) -> Self {
        let check = |tool: &ToolSchema| Some((tool.name.clone(), ToolCheck::new(tool)?));
        Schemas {
            tools: tools.iter().filter_map(check).collect(),
            aliases: Aliases::new(),
            coerce: true,
        }
    }

    /// Sets whether a JSON value of another type is converted where it spells a value of the
    /// declared one.
    #[must_use]
    pub fn coerce(mut self, coerce: bool) -> Self {
        self.coerce = coerce;
        self
    }

    /// Sets what happens to an argument that is not declared.
    #[must_use]
    pub fn unknown_argument(mut self, unknown: UnknownArgument) -> Self {
        for tool in self.tools.values_mut() {
            tool.unknown = unknown;
        }
        self
    }

    /// Adds other names for the arguments of a tool: the other name, and the argument. The name of
    /// a declared argument always means that argument.
    #[must_use]
    pub fn aliases(
        mut self,
        tool: &str,
        aliases: impl IntoIterator<Item = (String, String)>,
    ) -> Self {
        let known = self.tools.get(tool);
        let is_own = |name: &str| known.is_some_and(|tool| tool.has(name));
        let aliases = aliases.into_iter().filter(|(other, _)| !is_own(other));
        let all = self.aliases.entry(tool.to_owned()).or_default();
        all.extend(aliases);
        self
    }

    /// The arguments, with their declared names.
    fn arguments(&self, call: &CallText<'_>) -> Result<Arguments, Problem> {
        let aliases = self.aliases.get(call.name).map_or(&[][..], Vec::as_slice);
        Arguments::read(&call.arguments, aliases)
    }
}

impl Check for Schemas {
    fn check(&self, call: &CallText<'_>) -> Verdict {
        let undeclared = ToolCheck::default();
        let tool = self.tools.get(call.name).unwrap_or(&undeclared);
        match self.arguments(call) {
            Ok(arguments) => Judge::new(tool, self.coerce, arguments).verdict(),
            Err(problem) => Verdict::Invalid(vec![problem]),
        }
    }
}

/// What is known about the arguments of a tool.
#[derive(Debug, Default)]
pub(crate) struct ToolCheck {
    /// The names of the declared arguments.
    names: Vec<String>,
    /// Whether the schema has types for arguments that it does not name.
    takes_others: bool,
    unknown: UnknownArgument,
    pub(crate) shape: Shape,
    pub(crate) whole: Whole,
    /// The schema, for values that are written as tags.
    parameters: Value,
}

impl ToolCheck {
    /// `None` if the schema is not a JSON Schema; [`Tools`] contains no such tool.
    fn new(tool: &ToolSchema) -> Option<Self> {
        let schema = Schema::new(&tool.parameters);
        Some(ToolCheck {
            names: schema.names().into_iter().map(str::to_owned).collect(),
            takes_others: schema.takes_others(),
            unknown: UnknownArgument::Pass,
            shape: Shape::new(&schema),
            whole: Whole::new(&tool.parameters)?,
            parameters: tool.parameters.clone(),
        })
    }

    fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    /// Reads a value that is written as tags; `None` if it is not.
    pub(crate) fn read_tags(&self, name: &str, text: &str, brackets: &Brackets) -> Option<Json> {
        let property = Schema::new(&self.parameters).property(name)?;
        nested::read(text, brackets, &property)
    }

    pub(crate) fn rejects(&self, name: &str) -> bool {
        let rejects = self.unknown == UnknownArgument::Reject && !self.takes_others;
        rejects && !self.has(name)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }
}
