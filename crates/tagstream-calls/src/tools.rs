//! The tools there are, as requests to model servers declare them.

use crate::json::mistake;
use crate::schema::Schema;
use crate::schema::mend::{Oddity, mend};
use crate::schema::reference::unescaped;
use serde_json::{Map, Value, json};
use std::fmt;
use tagstream::Tool;

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

    /// The name of the tool.
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
        write!(f, "`{}`: tool `{}`", self.place, self.tool)?;
        if let Some(argument) = &self.argument {
            write!(f, ", argument `{argument}`")?;
        }
        write!(f, ": {}; passed over", self.problem)
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
        let value = serde_json::from_str(json.trim_start_matches('\u{feff}'));
        let value = value
            .map_err(|error| ToolsError::new("tools", format!("not JSON: {}", mistake(&error))))?;
        Tools::from_value(&value)
    }

    /// Reads tools from a `tools` array, or from a request that holds one.
    ///
    /// Three forms are known: OpenAI's (`{"type": "function", "function": {"name", "parameters"}}`),
    /// that of its Responses (`{"type": "function", "name", "parameters"}`) and Anthropic's
    /// (`{"name", "input_schema"}`). OpenAI's custom tools (`{"type": "custom", "name"}`) have one
    /// argument, the text `input`. Tools of other types, which the server runs itself, are
    /// passed over. A request without `tools` has none.
    ///
    /// A schema that is odd in a part is no mistake; [`Tools::warnings`] tells.
    ///
    /// # Errors
    /// A tool is not declared as any of these forms has it.
    pub fn from_value(value: &Value) -> Result<Self, ToolsError> {
        let list = match value {
            Value::Array(list) => list.as_slice(),
            Value::Object(request) => match request.get("tools") {
                Some(Value::Array(list)) => list.as_slice(),
                None | Some(Value::Null) => &[],
                Some(_) => return Err(ToolsError::new("tools", "wrong type; allowed: a list")),
            },
            _ => return Err(ToolsError::new("tools", "wrong type; allowed: a list")),
        };
        Tools::from_list(list)
    }

    /// Reads tools from the items of a `tools` array.
    ///
    /// # Errors
    /// As [`Tools::from_value`].
    pub fn from_list(list: &[Value]) -> Result<Self, ToolsError> {
        let mut tools = Tools::default();
        for (index, value) in list.iter().enumerate() {
            let Some(form) = Form::of(value, &format!("tools[{index}]"))? else {
                continue;
            };
            let (tool, warnings) = form.read()?;
            if tools.get(&tool.name).is_some() {
                let problem = format!("duplicate tool `{}`", tool.name);
                return Err(ToolsError::new(form.at("name"), problem));
            }
            tools.list.push(tool);
            tools.warnings.extend(warnings);
        }
        Ok(tools)
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

/// Stands for the schema of a custom tool, which has none of its own.
const INPUT: &str = "input";

/// Where the parts of a declaration stand.
struct Form<'a> {
    place: String,
    map: &'a Map<String, Value>,
    schema: &'static str,
}

impl<'a> Form<'a> {
    /// The form of a declaration; `None` if it is a tool that the server runs itself.
    fn of(value: &'a Value, place: &str) -> Result<Option<Self>, ToolsError> {
        let wrong = |place: &str| ToolsError::new(place, "wrong type; allowed: an object");
        let map = value.as_object().ok_or_else(|| wrong(place))?;
        let form = |place: String, map, schema| Form { place, map, schema };
        let kind = map.get("type").and_then(Value::as_str);
        Ok(match map.get("function") {
            Some(function) => {
                let place = format!("{place}.function");
                let map = function.as_object().ok_or_else(|| wrong(&place))?;
                Some(form(place, map, "parameters"))
            }
            None if map.contains_key("input_schema") => {
                Some(form(place.to_owned(), map, "input_schema"))
            }
            None if kind == Some("custom") => {
                let inner = map.get("custom").and_then(Value::as_object);
                Some(form(place.to_owned(), inner.unwrap_or(map), INPUT))
            }
            None if kind.is_some_and(|kind| kind != "function") => None,
            None => Some(form(place.to_owned(), map, "parameters")),
        })
    }

    fn at(&self, key: &str) -> String {
        format!("{}.{key}", self.place)
    }

    fn read(&self) -> Result<(ToolSchema, Vec<ToolsWarning>), ToolsError> {
        let name = self.name()?.to_owned();
        let (parameters, odd) = self.parameters();
        let warnings = odd.into_iter().map(|oddity| self.warning(&name, oddity));
        let warnings = warnings.collect();
        Ok((ToolSchema { name, parameters }, warnings))
    }

    fn name(&self) -> Result<&'a str, ToolsError> {
        let problem = match self.map.get("name") {
            Some(Value::String(name)) if !name.is_empty() => return Ok(name),
            Some(Value::String(_)) => "wrong value; allowed: a name that is not empty",
            Some(_) => "wrong type; allowed: a string",
            None => "missing",
        };
        Err(ToolsError::new(self.at("name"), problem))
    }

    fn parameters(&self) -> (Value, Vec<Oddity>) {
        if self.schema == INPUT {
            let properties = json!({INPUT: {"type": "string"}});
            let schema = json!({"type": "object", "properties": properties, "required": [INPUT]});
            return (schema, Vec::new());
        }
        mend(self.map.get(self.schema).unwrap_or(&Value::Null))
    }

    fn warning(&self, tool: &str, oddity: Oddity) -> ToolsWarning {
        let inside = unescaped(&oddity.place.replace('/', "."));
        ToolsWarning {
            place: format!("{}{inside}", self.at(self.schema)),
            tool: tool.to_owned(),
            argument: oddity.argument,
            problem: oddity.problem,
        }
    }
}
