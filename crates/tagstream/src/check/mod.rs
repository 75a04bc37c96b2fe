//! Checking calls: whether their arguments fit the JSON Schemas of the tools.

mod arguments;
mod beside;
mod judge;
mod nested;
mod prune;

use crate::json::Json;
use crate::schema::Schema;
use crate::schema::shape::Shape;
use crate::schema::types::Declared;
use crate::schema::validate::Whole;
use crate::tools::{ToolSchema, Tools};
use arguments::Arguments;
use beside::{Beside, misplaced};
use judge::Judge;
use nested::Brackets;
use serde_json::Value;
use std::collections::BTreeMap;

pub use tagstream_core::check::{
    ArgumentText, ArgumentsText, AsWritten, CallErrorCode, CallText, Check, Checker, EnvelopeText,
    Problem, Verdict,
};

/// What an undeclared argument becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum UnknownArgument {
    /// An argument of the call, as a string if its text has no type of its own.
    #[default]
    Pass,
    /// An error.
    Reject,
    /// Nothing: it is left out, with a notice. So are undeclared keys of objects inside the arguments.
    Drop,
}

/// Aliases of arguments, by tool: the alias, and the argument that it means.
pub(crate) type Aliases = BTreeMap<String, Vec<(String, String)>>;

/// Checks calls by the JSON Schemas of the tools.
///
/// A tool that is not among them may be called with anything: its values stay as they are.
///
/// It is a [`Check`], and can be used without an engine:
///
/// ```
/// use tagstream::check::{ArgumentText, ArgumentsText, CallText, Check, Schemas, Verdict};
/// use tagstream::Tools;
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
///         .map(|&(name, text)| ArgumentText::new(name, text, None))
///         .collect();
///     schemas.check(&CallText::new("read", ArgumentsText::Values(&values)))
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
    settings: Settings,
}

/// How values are read, whatever their tool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    coerce: bool,
    /// One value is a list where a list is declared.
    wrap_single: bool,
    /// Without a schema, a text is read as what JSON spells like that.
    infer_types: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            coerce: true,
            wrap_single: false,
            infer_types: false,
        }
    }
}

impl Schemas {
    /// A check for these tools, with the default settings.
    #[must_use]
    pub fn new(tools: &Tools) -> Self {
        let check = |tool: &ToolSchema| Some((tool.name.clone(), ToolCheck::new(tool)?));
        Schemas {
            tools: tools.iter().filter_map(check).collect(),
            aliases: Aliases::new(),
            settings: Settings::default(),
        }
    }

    /// Sets whether a JSON value of the wrong type is converted if it is exactly the text of the
    /// declared type.
    #[must_use]
    pub fn coerce(mut self, coerce: bool) -> Self {
        self.settings.coerce = coerce;
        self
    }

    /// Sets whether one value becomes a list where a list is declared. It does not, by default.
    #[must_use]
    pub fn wrap_single(mut self, wrap_single: bool) -> Self {
        self.settings.wrap_single = wrap_single;
        self
    }

    /// Sets whether a text for which nothing is declared is read as the number, the truth value or the
    /// JSON that it spells. It stays a string, by default.
    #[must_use]
    pub fn infer_types(mut self, infer_types: bool) -> Self {
        self.settings.infer_types = infer_types;
        self
    }

    /// Sets what an undeclared argument becomes.
    #[must_use]
    pub fn unknown_argument(mut self, unknown: UnknownArgument) -> Self {
        for tool in self.tools.values_mut() {
            tool.unknown = unknown;
        }
        self
    }

    /// Adds aliases of a tool's arguments: the alias, and the argument that it means. The name of
    /// another argument is not an alias.
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

    /// The arguments under the names that are declared.
    fn arguments(&self, call: &CallText<'_>, tool: &ToolCheck) -> Result<Arguments, Problem> {
        let aliases = self.aliases.get(call.name).map_or(&[][..], Vec::as_slice);
        let mut arguments = Arguments::read(&call.arguments, aliases)?;
        if let Some(beside) = Beside::of(call) {
            self.take_beside(beside, &mut arguments, call, aliases)?;
        }
        arguments.open_single(tool, aliases);
        Ok(arguments)
    }

    /// Arguments beside the name are those of a declared tool, if it takes all of them. They are never
    /// dropped: one that cannot be taken refuses the call.
    fn take_beside(
        &self,
        beside: Beside,
        arguments: &mut Arguments,
        call: &CallText<'_>,
        aliases: &[(String, String)],
    ) -> Result<(), Problem> {
        let Beside {
            entries,
            has_arguments,
        } = beside;
        let tool = self.tools.get(call.name);
        if has_arguments {
            let is_own = |name: &str| tool.is_some_and(|tool| tool.has(name));
            let own = entries.iter().find(|(name, _)| is_own(name));
            return own.map_or(Ok(()), |(name, _)| Err(misplaced(name, "the arguments")));
        }
        let Some((first, _)) = entries.first() else {
            return Ok(());
        };
        let Some(tool) = tool else {
            return Err(misplaced(first, "the name"));
        };
        arguments.take_entries(entries, aliases);
        arguments.open_single(tool, aliases);
        let mut given = arguments.given.iter().map(|given| &given.name);
        if let Some(name) = given.find(|name| !tool.knows(name)) {
            return Err(misplaced(name, "the name"));
        }
        arguments.repair("the arguments were beside the name");
        Ok(())
    }
}

impl Check for Schemas {
    fn check(&self, call: &CallText<'_>) -> Verdict {
        let undeclared = ToolCheck::default();
        let tool = self.tools.get(call.name).unwrap_or(&undeclared);
        match self.arguments(call, tool) {
            Ok(arguments) => Judge::new(tool, self.settings, arguments).verdict(),
            Err(problem) => Verdict::Invalid(vec![problem]),
        }
    }

    fn is_text(&self, tool: &str, argument: &str) -> bool {
        let aliases = self.aliases.get(tool).into_iter().flatten();
        let is_alias = aliases.into_iter().any(|(alias, _)| alias == argument);
        let tool = self.tools.get(tool);
        !is_alias && tool.is_some_and(|tool| tool.has(argument) && tool.shape.is_text(argument))
    }
}

/// What is known of a tool's arguments.
#[derive(Debug, Default)]
pub(crate) struct ToolCheck {
    /// The names of the declared arguments.
    names: Vec<String>,
    /// Whether the schema itself has rules for arguments that it does not name.
    takes_others: bool,
    /// Whether the schema does not say what arguments there are.
    is_open: bool,
    unknown: UnknownArgument,
    pub(crate) shape: Shape,
    pub(crate) whole: Whole,
    /// The schema, for values that are read by it.
    parameters: Value,
}

impl ToolCheck {
    /// `None` for an invalid schema; [`Tools`] contains no such tool.
    fn new(tool: &ToolSchema) -> Option<Self> {
        let schema = Schema::new(&tool.parameters);
        Some(ToolCheck {
            names: schema.names().into_iter().map(str::to_owned).collect(),
            takes_others: schema.takes_others(),
            is_open: !schema.has_properties(),
            unknown: UnknownArgument::Pass,
            shape: Shape::new(&schema),
            whole: Whole::new(&tool.parameters)?,
            parameters: tool.parameters.clone(),
        })
    }

    fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    /// Reads a value that is made of tags, if it is one.
    pub(crate) fn read_tags(&self, name: &str, text: &str, brackets: &Brackets) -> Option<Json> {
        let property = Schema::new(&self.parameters).property(name)?;
        nested::read(text, brackets, &property)
    }

    /// What is declared for the items of a list.
    pub(crate) fn items(&self, name: &str) -> Declared {
        let property = Schema::new(&self.parameters).property(name);
        let items = property.and_then(|property| property.items());
        items.map_or_else(Declared::default, |items| Declared::new(&items))
    }

    /// Whether an argument with this name is expected.
    pub(crate) fn knows(&self, name: &str) -> bool {
        self.has(name) || self.takes_others || self.is_open
    }

    pub(crate) fn rejects(&self, name: &str) -> bool {
        self.unknown == UnknownArgument::Reject && !self.knows(name)
    }

    /// Whether an argument with this name is left out.
    pub(crate) fn drops(&self, name: &str) -> bool {
        self.unknown == UnknownArgument::Drop && !self.knows(name)
    }

    /// The value of an argument without keys that are not declared, and the first of these; `None` if
    /// nothing is left out.
    pub(crate) fn pruned(&self, name: &str, json: &Json) -> Option<(Json, String)> {
        if self.unknown != UnknownArgument::Drop {
            return None;
        }
        let property = Schema::new(&self.parameters).property(name)?;
        prune::pruned(json, &property, name)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }
}
