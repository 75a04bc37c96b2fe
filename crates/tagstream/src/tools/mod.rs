//! The tools there are, as requests to model servers declare them.

mod form;
mod list;

use crate::Tool;
use crate::json::mistake;
use crate::schema::Schema;
use form::Form;
use serde_json::Value;
use std::fmt;

/// Tools, each with the JSON Schema of its arguments.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tools {
    list: Vec<ToolSchema>,
    warnings: Vec<ToolsWarning>,
}

/// A tool and the JSON Schema of its arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSchema {
    pub(crate) name: String,
    pub(crate) parameters: Value,
}

/// What is wrong with a list of tools.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{place}`: {problem}")]
pub struct ToolsError {
    place: String,
    problem: String,
}

impl ToolsError {
    fn new(place: impl Into<String>, problem: impl Into<String>) -> Self {
        ToolsError {
            place: place.into(),
            problem: problem.into(),
        }
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

/// What is odd about the schema of a tool. The tool can be used: the part that is odd is passed
/// over, so that there any value fits.
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

    /// The name of the tool; empty if it is none that can be used.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The argument that it is about; `None` for all of them.
    #[must_use]
    pub fn argument(&self) -> Option<&str> {
        self.argument.as_deref()
    }

    /// What is odd.
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
        write!(f, "{}; passed over", self.problem)
    }
}

impl ToolSchema {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The JSON Schema of its arguments, with other names for types and other ways to say `null`
    /// put into its words, and without what is odd.
    #[must_use]
    pub fn parameters(&self) -> &Value {
        &self.parameters
    }

    /// The names of its arguments.
    fn arguments(&self) -> Vec<String> {
        let names = Schema::new(&self.parameters).names().into_iter();
        names.map(str::to_owned).collect()
    }
}

impl Tools {
    /// Reads tools from the text of a `tools` array, or of a request that holds one.
    ///
    /// # Errors
    /// The text is no JSON, or a tool is not declared as any of the known forms has it.
    pub fn parse(json: &str) -> Result<Self, ToolsError> {
        Tools::from_value(&parsed(json)?)
    }

    /// As [`Tools::parse`], for a text that is there to declare tools: one in which none is found
    /// is a mistake. Else a misspelled key would turn all checking off.
    ///
    /// # Errors
    /// As [`Tools::parse`]; or no tool is declared.
    pub fn parse_some(json: &str) -> Result<Self, ToolsError> {
        let value = parsed(json)?;
        let list = list::find(&value)?.ok_or_else(|| list::nothing(&value))?;
        let tools = Tools::from_list(list)?;
        match tools.is_empty() {
            true => Err(ToolsError::new("tools", tools.why_none())),
            false => Ok(tools),
        }
    }

    /// Reads tools from a `tools` array, from a request that holds one, or from one tool.
    ///
    /// These forms are known: OpenAI's (`{"type": "function", "function": {"name", "parameters"}}`,
    /// and the older `functions`), that of its Responses (`{"type": "function", "name",
    /// "parameters"}`), Anthropic's (`{"name", "input_schema"}`), MCP's (`inputSchema`), Gemini's
    /// (`{"functionDeclarations": [{"name", "parameters"}]}`, also by itself) and Bedrock's
    /// (`{"toolConfig": {"tools": [{"toolSpec": {"name", "inputSchema": {"json"}}}]}}`). OpenAI's
    /// custom tools (`{"type": "custom", "name"}`) have one argument, the text `input`. Tools that
    /// the server runs itself (of other types, or `{"googleSearch": {}}`) are passed over. A
    /// request without tools has none.
    ///
    /// A schema that is odd in a part is no mistake; [`Tools::warnings`] tells.
    ///
    /// # Errors
    /// A tool is not declared as any of these forms has it.
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
            let place = format!("tools[{index}]");
            let forms = Form::all(value, &place)?;
            if forms.is_empty() {
                tools.warnings.extend(form::oddity(value, &place));
            }
            for form in forms {
                tools.add(&form)?;
            }
        }
        Ok(tools)
    }

    /// Why a list has no tool that could be called.
    pub(crate) fn why_none(&self) -> String {
        let odd = self.warnings.first();
        let odd = odd.map(|odd| format!(" (`{}`: {})", odd.place, odd.problem));
        let odd = odd.unwrap_or_default();
        format!("no tool in the list can be called{odd}; tools that the server runs do not count")
    }

    fn add(&mut self, form: &Form<'_>) -> Result<(), ToolsError> {
        let (tool, warnings) = form.read()?;
        if self.get(&tool.name).is_some() {
            let problem = format!("duplicate tool `{}`", tool.name);
            return Err(ToolsError::new(form.at("name"), problem));
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

    /// What is odd about their schemas.
    #[must_use]
    pub fn warnings(&self) -> &[ToolsWarning] {
        &self.warnings
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The tools as far as reading a call depends on them.
    #[must_use]
    pub fn names(&self) -> Vec<Tool> {
        let tool = |tool: &ToolSchema| Tool::new(tool.name.as_str(), tool.arguments());
        self.list.iter().map(tool).collect()
    }
}

fn parsed(json: &str) -> Result<Value, ToolsError> {
    let value = serde_json::from_str(json.trim_start_matches('\u{feff}'));
    value.map_err(|error| ToolsError::new("tools", format!("not JSON: {}", mistake(&error))))
}
