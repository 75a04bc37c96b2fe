//! Tools, as requests to model servers declare them.

mod form;
mod list;

use crate::ToolSignature;
use crate::file::Cause;
use crate::json::mistake;
use crate::schema::Schema;
use form::Form;
use serde_json::Value;
use std::fmt;
use std::sync::Arc;

/// Tools, each with the JSON Schema of its arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tools {
    list: Vec<ToolSchema>,
    warnings: Vec<ToolsWarning>,
}

/// A tool and the JSON Schema of its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolSchema {
    pub(crate) name: String,
    pub(crate) parameters: Value,
}

/// What is wrong with a list of tools.
#[derive(Clone, Debug, thiserror::Error)]
#[error("`{place}`: {problem}")]
pub struct ToolsError {
    kind: ToolsErrorKind,
    place: String,
    problem: String,
    source: Option<Cause>,
}

/// What kind of mistake a list of tools has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ToolsErrorKind {
    /// The text is not JSON. The source says why.
    Syntax,
    /// Something is missing.
    Missing,
    /// A value has the wrong type.
    WrongType,
    /// A value has the right type, but it is not allowed.
    WrongValue,
    /// Two different tools have the same name.
    Duplicate,
    /// No tool in the list can be called.
    Empty,
}

impl ToolsError {
    fn new(kind: ToolsErrorKind, place: impl Into<String>, problem: impl Into<String>) -> Self {
        ToolsError {
            kind,
            place: place.into(),
            problem: problem.into(),
            source: None,
        }
    }

    fn wrong_type(place: &str, allowed: &str) -> Self {
        let problem = format!("wrong type; allowed: {allowed}");
        ToolsError::new(ToolsErrorKind::WrongType, place, problem)
    }

    /// What kind of mistake it is.
    #[must_use]
    pub fn kind(&self) -> ToolsErrorKind {
        self.kind
    }

    /// Where, as a path: `tools[1].function.name`.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.place
    }

    /// What is wrong and what is allowed.
    #[must_use]
    pub fn problem(&self) -> &str {
        &self.problem
    }
}

/// A defect in the schema of a tool. The tool can be used: the defective part is ignored, so that
/// any value fits there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolsWarning {
    place: String,
    tool: String,
    argument: Option<String>,
    problem: String,
}

impl ToolsWarning {
    /// Where, as a path: `tools[1].function.parameters.properties.limit.type`.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.place
    }

    /// The name of the tool; empty if it cannot be used.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The argument; `None` for all of them.
    #[must_use]
    pub fn argument(&self) -> Option<&str> {
        self.argument.as_deref()
    }

    /// What is wrong.
    #[must_use]
    pub fn problem(&self) -> &str {
        &self.problem
    }
}

impl fmt::Display for ToolsWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: ", self.place)?;
        match &self.argument {
            _ if self.tool.is_empty() => {}
            Some(argument) => write!(f, "tool `{}`, argument `{argument}`: ", self.tool)?,
            None => write!(f, "tool `{}`: ", self.tool)?,
        }
        write!(f, "{}; ignored", self.problem)
    }
}

impl ToolSchema {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The JSON Schema of its arguments, in which other names of types and other ways to write `null`
    /// are replaced by standard ones, and defective parts are removed.
    #[must_use]
    pub fn parameters(&self) -> &Value {
        &self.parameters
    }

    fn signature(&self) -> ToolSignature {
        let schema = Schema::new(&self.parameters);
        let mut signature = ToolSignature::new(self.name.as_str(), schema.names());
        signature.any_argument = !schema.has_properties();
        signature
    }
}

impl Tools {
    /// Reads tools from the text of a `tools` array, or of a request that contains one.
    ///
    /// # Errors
    /// The text is not JSON, or a tool is not declared in any of the known forms.
    pub fn parse(json: &str) -> Result<Self, ToolsError> {
        Tools::from_value(&parsed(json)?)
    }

    /// As [`Tools::parse`], for a text whose purpose is to declare tools: one without a list of them,
    /// or with a list of which none can be called, is a mistake. Otherwise a misspelled key would turn
    /// all checking off. An empty list is not a mistake: it declares that no tool may be called.
    ///
    /// # Errors
    /// As [`Tools::parse`]; or the text has no list of tools, or none of them can be called.
    pub fn parse_some(json: &str) -> Result<Self, ToolsError> {
        let value = parsed(json)?;
        let list = list::find(&value)?.ok_or_else(|| list::nothing(&value))?;
        let tools = Tools::from_list(list)?;
        if tools.is_empty() && !list.is_empty() {
            let problem = tools.why_none();
            return Err(ToolsError::new(ToolsErrorKind::Empty, "tools", problem));
        }
        Ok(tools)
    }

    /// Reads tools from a `tools` array, from a request that contains one, or from one tool.
    ///
    /// These forms are known: OpenAI's (`{"type": "function", "function": {"name", "parameters"}}`,
    /// and the older `functions`), that of its Responses (`{"type": "function", "name",
    /// "parameters"}`), Anthropic's (`{"name", "input_schema"}`), MCP's (`inputSchema`), Gemini's
    /// (`{"functionDeclarations": [{"name", "parameters"}]}`, also by itself) and Bedrock's
    /// (`{"toolConfig": {"tools": [{"toolSpec": {"name", "inputSchema": {"json"}}}]}}`). OpenAI's
    /// custom tools (`{"type": "custom", "name"}`) have one argument, the text `input`. Tools that
    /// the server runs itself (of other types, or `{"googleSearch": {}}`) are ignored. A request
    /// without tools has none.
    ///
    /// A schema with a defect is not an error: [`Tools::warnings`] reports it.
    ///
    /// # Errors
    /// A tool is not declared in any of these forms.
    pub fn from_value(value: &Value) -> Result<Self, ToolsError> {
        Tools::from_list(list::find(value)?.unwrap_or_default())
    }

    /// Reads tools from the items of a `tools` array.
    ///
    /// # Errors
    /// As [`Tools::from_value`].
    pub fn from_list(list: &[Value]) -> Result<Self, ToolsError> {
        let mut tools = Tools::default();
        for (index, value) in list.iter().enumerate() {
            let path = format!("tools[{index}]");
            let forms = Form::all(value, &path)?;
            if forms.is_empty() {
                tools.warnings.extend(form::warning(value, &path));
            }
            for form in forms {
                tools.add(&form)?;
            }
        }
        Ok(tools)
    }

    /// Why a list has no tool that could be called.
    pub(crate) fn why_none(&self) -> String {
        let warning = self.warnings.first();
        let warning = warning.map(|warning| format!(" (`{}`: {})", warning.place, warning.problem));
        let warning = warning.unwrap_or_default();
        format!(
            "no tool in the list can be called{warning}; tools that the server runs do not count"
        )
    }

    fn add(&mut self, form: &Form<'_>) -> Result<(), ToolsError> {
        let (tool, warnings) = form.read()?;
        let known = self.get(&tool.name);
        if known == Some(&tool) {
            return Ok(());
        }
        if known.is_some() {
            let name = &tool.name;
            let problem = format!("duplicate tool `{name}`, with another schema");
            let place = form.at("name");
            return Err(ToolsError::new(ToolsErrorKind::Duplicate, place, problem));
        }
        self.list.push(tool);
        self.warnings.extend(warnings);
        Ok(())
    }

    /// The tool with this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&ToolSchema> {
        self.list.iter().find(|tool| tool.name == name)
    }

    /// All tools, in order.
    pub fn iter(&self) -> impl Iterator<Item = &ToolSchema> {
        self.list.iter()
    }

    /// The defects in their schemas.
    #[must_use]
    pub fn warnings(&self) -> &[ToolsWarning] {
        &self.warnings
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// What reading a call needs to know about the tools.
    #[must_use]
    pub fn signatures(&self) -> Vec<ToolSignature> {
        self.list.iter().map(ToolSchema::signature).collect()
    }
}

fn parsed(json: &str) -> Result<Value, ToolsError> {
    let value = serde_json::from_str(json.trim_start_matches('\u{feff}'));
    value.map_err(|error: serde_json::Error| {
        let problem = format!("not JSON: {}", mistake(&error));
        let source: Cause = Arc::new(error);
        ToolsError {
            source: Some(source),
            ..ToolsError::new(ToolsErrorKind::Syntax, "tools", problem)
        }
    })
}
