//! The tools there are, as requests to model servers declare them.

use crate::json::{mistake, preview};
use crate::schema::{Schema, Steps, spell_out_nullable};
use crate::words;
use serde_json::{Map, Value, json};
use tagstream::Tool;

/// Tools, each with the JSON Schema of its arguments.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tools {
    list: Vec<ToolSchema>,
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

impl ToolSchema {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The JSON Schema of its arguments.
    #[must_use]
    pub fn parameters(&self) -> &Value {
        &self.parameters
    }

    /// The names of its arguments.
    fn arguments(&self) -> Vec<String> {
        let steps = Steps::new();
        let properties = Schema::new(&self.parameters, &steps).properties();
        let names = properties.into_iter().map(|(name, _)| name.to_owned());
        names.collect()
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
            let tool = form.read()?;
            if tools.get(&tool.name).is_some() {
                let problem = format!("duplicate tool `{}`", tool.name);
                return Err(ToolsError::new(form.at("name"), problem));
            }
            tools.list.push(tool);
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

    fn read(&self) -> Result<ToolSchema, ToolsError> {
        Ok(ToolSchema {
            name: self.name()?.to_owned(),
            parameters: self.parameters()?,
        })
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

    fn parameters(&self) -> Result<Value, ToolsError> {
        if self.schema == INPUT {
            let properties = json!({INPUT: {"type": "string"}});
            return Ok(json!({"type": "object", "properties": properties, "required": [INPUT]}));
        }
        let mut schema = match self.map.get(self.schema) {
            None | Some(Value::Null) => Value::Object(Map::new()),
            Some(schema @ Value::Object(_)) => schema.clone(),
            Some(_) => return Err(self.wrong_schema("", "wrong type; allowed: a JSON Schema")),
        };
        spell_out_nullable(&mut schema);
        validator(&schema).map_err(|error| {
            let place = error.instance_path().as_str().replace('/', ".");
            let got = preview(&error.instance().to_string());
            let problem = words::problem(&error);
            self.wrong_schema(&place, &format!("not a JSON Schema: {problem}, got {got}"))
        })?;
        self.must_be_object(&schema)?;
        Ok(schema)
    }

    /// Arguments are an object, so a schema of anything else fits none.
    fn must_be_object(&self, schema: &Value) -> Result<(), ToolsError> {
        let takes_objects = match schema.get("type") {
            None => true,
            Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "object"),
            Some(kind) => kind == "object",
        };
        if takes_objects {
            return Ok(());
        }
        Err(self.wrong_schema(".type", "wrong value; allowed: \"object\""))
    }

    fn wrong_schema(&self, inside: &str, problem: &str) -> ToolsError {
        ToolsError::new(format!("{}{inside}", self.at(self.schema)), problem)
    }
}

/// The validator for a schema. Nothing is fetched: a reference to another document is an error.
pub(crate) fn validator(
    schema: &Value,
) -> Result<jsonschema::Validator, jsonschema::ValidationError<'static>> {
    jsonschema::options().offline().build(schema)
}
