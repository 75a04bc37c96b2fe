//! Whether the arguments of a complete call are valid, and what they are once they are repaired.

use super::rules::ToolRules;
use crate::ToolSignature;
use crate::check::Schemas;
use crate::check::{ArgumentText, ArgumentsText, CallErrorCode, CallText, Check, Problem, Verdict};
use crate::tools::Tools;
use serde_json::{Map, Value};
use tagstream_core::names::similar;

/// The message about valid arguments.
pub(super) const VALID: &str = "Parameters validated successfully";

/// The result of a validation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Validation {
    /// Whether the call may be executed.
    pub ok: bool,
    /// `Parameters validated successfully`, or what is wrong.
    pub message: String,
    /// The arguments, repaired as far as possible.
    pub arguments: Map<String, Value>,
    /// What was repaired, in words.
    pub fixes: Vec<String>,
}

/// How arguments were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// As text; the schema decides about types.
    Text,
    Json,
}

/// Judges calls by the rules, then by the schemas.
#[derive(Debug)]
pub(super) struct Validator {
    rules: ToolRules,
    /// `None` if every name is accepted.
    tools: Option<Vec<ToolSignature>>,
    schemas: Schemas,
}

impl Validator {
    pub(super) fn new(rules: &ToolRules, tools: Option<&Tools>) -> Self {
        Validator {
            rules: rules.clone(),
            tools: tools.map(Tools::signatures),
            schemas: Schemas::new(tools.unwrap_or(&Tools::default())),
        }
    }

    pub(super) fn validate(
        &self,
        name: &str,
        mut arguments: Map<String, Value>,
        written: Written,
    ) -> Validation {
        let mut fixes = Vec::new();
        let mut problems = Vec::new();
        if let Some(rule) = self.rules.rule(name) {
            fixes = rule.recover(&mut arguments, self.declared(name));
            problems = rule.problems(&arguments);
        }
        problems.extend(self.unknown_tool(name));
        if problems.is_empty() {
            problems = self.ask_schema(name, &mut arguments, &mut fixes, written);
        }
        Validation {
            ok: problems.is_empty(),
            message: if problems.is_empty() {
                VALID.to_owned()
            } else {
                problems.join("; ")
            },
            arguments,
            fixes,
        }
    }

    /// The arguments that a call of this tool requires, as far as is known.
    pub(super) fn needed(&self, name: &str, arguments: &Map<String, Value>) -> Vec<&str> {
        match self.rules.rule(name) {
            Some(rule) => rule.needed(arguments),
            None => self.declared(name).iter().map(String::as_str).collect(),
        }
    }

    /// Whether the tool is known to take this argument.
    pub(super) fn takes(&self, tool: &str, argument: &str) -> bool {
        let rule = self.rules.rule(tool).filter(|_| self.knows(tool));
        self.declared(tool).iter().any(|own| own == argument)
            || rule.is_some_and(|rule| rule.names(argument))
    }

    pub(super) fn declares_tool(&self, name: &str) -> bool {
        self.tool(name).is_some()
    }

    /// Whether this is the name of a tool: a declared one or, where none is declared, one that a rule
    /// is for.
    pub(super) fn knows(&self, name: &str) -> bool {
        let is_ruled = || self.tools.is_none() && self.rules.rule(name).is_some();
        self.declares_tool(name) || is_ruled()
    }

    fn tool(&self, name: &str) -> Option<&ToolSignature> {
        let mut tools = self.tools.iter().flatten();
        tools.find(|tool| tool.name == name)
    }

    fn declared(&self, name: &str) -> &[String] {
        self.tool(name).map_or(&[], |tool| &tool.arguments)
    }

    /// The tool that a suggestion is for: this one or, if it is unknown, the declared one that is most
    /// like it, or the first.
    pub(super) fn meant<'a>(&'a self, name: &'a str) -> &'a str {
        let Some(tools) = self.tools.as_ref().filter(|_| !self.declares_tool(name)) else {
            return name;
        };
        let mut names = tools.iter().map(|tool| tool.name.as_str());
        let like = similar(name, names.clone());
        like.or_else(|| names.next()).unwrap_or("tool_name")
    }

    fn unknown_tool(&self, name: &str) -> Option<String> {
        let tools = self.tools.as_ref()?;
        if self.tool(name).is_some() {
            return None;
        }
        let names = tools.iter().map(|tool| tool.name.as_str());
        let hint = similar(name, names.clone());
        let hint = hint.map_or(".".to_owned(), |known| format!("; did you mean '{known}'?"));
        let names: Vec<_> = names.map(|name| format!("'{name}'")).collect();
        Some(match names.join(", ") {
            names if names.is_empty() => format!("Unknown tool '{name}'. There are none"),
            names => format!("Unknown tool '{name}'{hint} There are: {names}"),
        })
    }

    fn ask_schema(
        &self,
        name: &str,
        arguments: &mut Map<String, Value>,
        fixes: &mut Vec<String>,
        written: Written,
    ) -> Vec<String> {
        match self.check(name, arguments, written).into_result() {
            Ok((text, repaired)) => {
                if let Ok(Value::Object(checked)) = serde_json::from_str(&text) {
                    *arguments = checked;
                }
                fixes.extend(repaired);
                Vec::new()
            }
            Err(problems) => problems.iter().map(words).collect(),
        }
    }

    fn check(&self, name: &str, arguments: &Map<String, Value>, written: Written) -> Verdict {
        if written == Written::Json {
            let json = Value::Object(arguments.clone()).to_string();
            let arguments = ArgumentsText::json(&json);
            return self.schemas.check(&CallText::new(name, arguments));
        }
        let values = arguments
            .iter()
            .map(|(name, value)| ArgumentText::new(name, value.as_str().unwrap_or_default(), None));
        let values: Vec<_> = values.collect();
        let arguments = ArgumentsText::Values(&values);
        self.schemas.check(&CallText::new(name, arguments))
    }
}

/// A problem in the wording of this view.
fn words(problem: &Problem) -> String {
    match (problem.code, &problem.argument) {
        (CallErrorCode::MissingRequired, Some(name)) => missing(name),
        _ => problem.message.clone(),
    }
}

fn missing(name: &str) -> String {
    format!("Missing required '{name}' parameter")
}
