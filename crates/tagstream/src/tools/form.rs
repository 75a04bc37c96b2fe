//! The forms in which requests declare a tool.

use super::{ToolSchema, ToolsError, ToolsErrorKind, ToolsWarning};
use crate::schema::reference::unescaped;
use crate::schema::repair::{Defect, repair};
use serde_json::{Map, Value, json};

/// Keys that may have the schema; the first one that is present counts.
const SCHEMAS: [&str; 5] = [
    "input_schema",
    "inputSchema",
    "parameters",
    "parametersJsonSchema",
    "parameters_json_schema",
];

/// Keys of a list of declarations, in Gemini's form.
const LISTS: [&str; 2] = ["functionDeclarations", "function_declarations"];

/// Keys that may have the declaration: OpenAI's and Bedrock's.
pub(super) const WRAPPERS: [&str; 2] = ["function", "toolSpec"];

/// Tools that servers run themselves, in lists whose tools have no type; `_` and case are ignored.
const SETTINGS: [&str; 11] = [
    "cachepoint",
    "codeexecution",
    "computeruse",
    "enterprisewebsearch",
    "filesearch",
    "googlemaps",
    "googlesearch",
    "googlesearchretrieval",
    "retrieval",
    "systemtool",
    "urlcontext",
];

/// The only argument of a custom tool, which has no schema.
const INPUT: &str = "input";

/// A declaration of a tool, and the key of its schema.
pub(super) struct Form<'a> {
    path: String,
    map: &'a Map<String, Value>,
    schema: &'static str,
}

/// Whether this is a list of declarations in Gemini's form, even if it is empty.
pub(super) fn is_list(tool: &Map<String, Value>) -> bool {
    LISTS.iter().any(|key| tool.contains_key(*key))
}

impl<'a> Form<'a> {
    /// The declarations in a tool: one, or any number in Gemini's form; none if the server runs the
    /// tool itself.
    pub(super) fn all(tool: &'a Value, path: &str) -> Result<Vec<Self>, ToolsError> {
        let map = object(tool, path)?;
        if !is_list(map) {
            return Ok(Form::one(map, path)?.into_iter().collect());
        }
        let given = |key: &&str| map.get(*key).filter(|list| !list.is_null());
        let mut forms = Vec::new();
        for (key, list) in LISTS.iter().filter_map(|key| Some((key, given(key)?))) {
            let path = format!("{path}.{key}");
            let wrong_type = || ToolsError::wrong_type(&path, "a list");
            for (index, value) in list.as_array().ok_or_else(wrong_type)?.iter().enumerate() {
                let path = format!("{path}[{index}]");
                forms.push(Form::with_schema(object(value, &path)?, path));
            }
        }
        Ok(forms)
    }

    fn one(tool: &'a Map<String, Value>, path: &str) -> Result<Option<Self>, ToolsError> {
        let kind = tool.get("type").and_then(Value::as_str);
        let wrapper = WRAPPERS.iter().find(|key| tool.contains_key(**key));
        Ok(match wrapper {
            Some(key) => {
                let path = format!("{path}.{key}");
                Some(Form::with_schema(object(&tool[*key], &path)?, path))
            }
            None if kind == Some("custom") && !tool.contains_key("input_schema") => Some(Form {
                path: path.to_owned(),
                map: tool
                    .get("custom")
                    .and_then(Value::as_object)
                    .unwrap_or(tool),
                schema: INPUT,
            }),
            None if kind.is_some_and(|kind| !["custom", "function"].contains(&kind)) => None,
            None if is_setting(tool) => None,
            None => Some(Form::with_schema(tool, path.to_owned())),
        })
    }

    fn with_schema(map: &'a Map<String, Value>, path: String) -> Self {
        let is_given = |key: &&&str| map.get(**key).is_some_and(|schema| !schema.is_null());
        let schema = SCHEMAS.iter().find(is_given).unwrap_or(&"parameters");
        Form { path, map, schema }
    }

    pub(super) fn at(&self, key: &str) -> String {
        format!("{}.{key}", self.path)
    }

    pub(super) fn read(&self) -> Result<(ToolSchema, Vec<ToolsWarning>), ToolsError> {
        let name = self.name()?.to_owned();
        let (parameters, defects) = self.parameters();
        let warnings = defects
            .into_iter()
            .map(|defect| self.warning(&name, defect));
        let warnings = warnings.collect();
        Ok((ToolSchema { name, parameters }, warnings))
    }

    fn name(&self) -> Result<&'a str, ToolsError> {
        let path = self.at("name");
        let (kind, problem) = match self.map.get("name") {
            Some(Value::String(name)) if !name.is_empty() => return Ok(name),
            Some(Value::String(_)) => (
                ToolsErrorKind::WrongValue,
                "wrong value; allowed: a name that is not empty",
            ),
            Some(_) => return Err(ToolsError::wrong_type(&path, "a string")),
            None => (ToolsErrorKind::Missing, "missing"),
        };
        Err(ToolsError::new(kind, path, problem))
    }

    fn parameters(&self) -> (Value, Vec<Defect>) {
        if self.schema == INPUT {
            let properties = json!({INPUT: {"type": "string"}});
            let schema = json!({"type": "object", "properties": properties, "required": [INPUT]});
            return (schema, Vec::new());
        }
        repair(self.schema().1)
    }

    /// The schema and its path. Bedrock has it one level deeper.
    fn schema(&self) -> (String, &'a Value) {
        let path = self.at(self.schema);
        let schema = self.map.get(self.schema).unwrap_or(&Value::Null);
        match schema.get("json").filter(|inner| inner.is_object()) {
            Some(inner) if self.schema == "inputSchema" => (format!("{path}.json"), inner),
            _ => (path, schema),
        }
    }

    fn warning(&self, tool: &str, defect: Defect) -> ToolsWarning {
        let inside = unescaped(&defect.pointer.replace('/', "."));
        ToolsWarning {
            place: format!("{}{inside}", self.schema().0),
            tool: tool.to_owned(),
            argument: defect.argument,
            problem: defect.problem,
        }
    }
}

fn object<'a>(value: &'a Value, path: &str) -> Result<&'a Map<String, Value>, ToolsError> {
    let wrong_type = || ToolsError::wrong_type(path, "an object");
    value.as_object().ok_or_else(wrong_type)
}

/// Whether a tool only enables something that the server runs, as `{"googleSearch": {}}` does.
fn is_setting(tool: &Map<String, Value>) -> bool {
    let is_group = |value: &Value| value.is_object() || value.is_array() || value.is_null();
    !tool.is_empty() && !has_schema(tool) && tool.values().all(is_group)
}

fn has_schema(tool: &Map<String, Value>) -> bool {
    SCHEMAS.iter().any(|key| tool.contains_key(*key))
}

/// A warning about a tool that is ignored: an unknown key or type may be misspelled.
pub(super) fn warning(tool: &Value, path: &str) -> Option<ToolsWarning> {
    let map = tool.as_object().filter(|map| !is_list(map))?;
    let warning = |key: &str, problem: String| ToolsWarning {
        place: format!("{path}.{key}"),
        tool: String::new(),
        argument: None,
        problem,
    };
    match map.get("type") {
        Some(kind) if has_schema(map) => {
            let problem = format!(
                "unknown type {kind} of a tool with a schema; allowed: \"function\", \"custom\""
            );
            Some(warning("type", problem))
        }
        Some(_) => None,
        None => {
            let key = map.keys().find(|key| !is_known(key))?;
            Some(warning(
                key,
                "unknown key, which declares no tool".to_owned(),
            ))
        }
    }
}

fn is_known(setting: &str) -> bool {
    let word = setting.replace('_', "").to_ascii_lowercase();
    SETTINGS.contains(&word.as_str())
}
