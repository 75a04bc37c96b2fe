//! What well-known kinds of tools require: data, read from a small file.

use crate::file::{FileError, Source};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::LazyLock;

static BUILT_IN: LazyLock<ToolRules> = LazyLock::new(|| {
    // A test reads the file.
    ToolRules::parse(ToolRules::SOURCE)
        .unwrap_or_else(|error| panic!("the built-in rules: {error}"))
});

/// What tools require beyond their schemas: aliases of arguments, and what an action needs.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct ToolRules {
    /// The rules; the first one that matches a tool's name applies.
    pub rules: Vec<ToolRule>,
}

/// What tools of one kind require.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct ToolRule {
    /// What these tools are, in words.
    pub about: String,
    /// Their names; `*` at the start matches anything.
    pub tools: Vec<String>,
    /// For an argument, other names that it is accepted under.
    pub aliases: BTreeMap<String, Vec<String>>,
    /// Arguments that must be strings, and not blank.
    pub text: Vec<String>,
    /// Required arguments; `a|b` means one of the two.
    pub required: Vec<String>,
    /// The argument that decides what else is required.
    pub by: Option<String>,
    /// What else is required, by its value.
    pub when: BTreeMap<String, Vec<String>>,
}

impl ToolRules {
    /// The text of the built-in rules, in TOML.
    pub const SOURCE: &'static str = include_str!("../../../rules/tools.toml");

    /// The built-in rules: for shells, screens and editors.
    #[must_use]
    pub fn built_in() -> &'static ToolRules {
        &BUILT_IN
    }

    /// Reads rules from TOML, or from JSON if the first character is a `{`.
    ///
    /// # Errors
    /// An unknown key, a wrong type: with the key, the line and what is allowed.
    pub fn parse(text: &str) -> Result<Self, FileError> {
        Source::new(text).read()
    }

    /// The rule for this tool.
    #[must_use]
    pub fn rule(&self, tool: &str) -> Option<&ToolRule> {
        self.rules.iter().find(|rule| rule.is_for(tool))
    }
}

impl ToolRule {
    fn is_for(&self, tool: &str) -> bool {
        let fits = |name: &String| match name.strip_prefix('*') {
            Some(end) => tool.ends_with(end),
            None => tool == name,
        };
        self.tools.iter().any(fits)
    }

    /// Renames arguments that were given under an alias, and returns what was done. Names that are
    /// `declared` are not aliases.
    pub(super) fn recover(
        &self,
        arguments: &mut Map<String, Value>,
        declared: &[String],
    ) -> Vec<String> {
        let mut fixes = Vec::new();
        for (name, others) in &self.aliases {
            let free = others.iter().filter(|other| !declared.contains(other));
            let mut given = free.filter(|other| !is_blank(arguments.get(*other)));
            if is_blank(arguments.get(name))
                && let Some(other) = given.next()
                && let Some(value) = arguments.shift_remove(other)
            {
                arguments.insert(name.clone(), value);
                fixes.push(format!("parameter '{other}' was taken for '{name}'"));
            }
        }
        fixes
    }

    /// All that is wrong with these arguments.
    pub(super) fn problems(&self, arguments: &Map<String, Value>) -> Vec<String> {
        let mut problems: Vec<_> = self.wrong_texts(arguments).collect();
        for group in &self.required {
            if is_missing(group, arguments, is_blank) {
                problems.push(format!(
                    "Missing required {} parameter",
                    alternatives(group)
                ));
            }
        }
        problems.extend(self.missing_for_value(arguments));
        problems
    }

    fn wrong_texts<'a>(
        &'a self,
        arguments: &'a Map<String, Value>,
    ) -> impl Iterator<Item = String> + 'a {
        let given = self
            .text
            .iter()
            .filter_map(|name| Some((name, arguments.get(name)?)));
        let wrong = given.filter(|(_, value)| !value.is_string() && !value.is_null());
        wrong.map(|(name, value)| {
            let got = crate::json::preview(&value.to_string());
            format!("Parameter '{name}' must be a string, got {got}")
        })
    }

    /// What the argument that decides requires. An empty text is a text there: a file may be
    /// empty, and a replacement too.
    fn missing_for_value(&self, arguments: &Map<String, Value>) -> Vec<String> {
        let (by, value) = self.deciding(arguments);
        let groups = self.when.get(value).into_iter().flatten();
        let missing = groups.filter(|group| is_missing(group, arguments, is_absent));
        missing
            .map(|group| {
                let names = alternatives(group);
                format!("Missing required {names} parameter for {by} '{value}'")
            })
            .collect()
    }

    /// The argument that decides what else is required, and its value.
    fn deciding<'a>(&'a self, arguments: &'a Map<String, Value>) -> (&'a str, &'a str) {
        let by = self.by.as_deref().unwrap_or_default();
        let value = arguments.get(by).and_then(Value::as_str);
        (by, value.unwrap_or_default().trim())
    }

    /// Whether this is an argument that the rule names, or an alias of one.
    pub(super) fn names(&self, argument: &str) -> bool {
        let groups = self.required.iter().chain(self.when.values().flatten());
        let mut names = groups.flat_map(|group| group.split('|'));
        let mut aliases = self.aliases.iter();
        names.any(|name| name == argument)
            || self.text.iter().any(|name| name == argument)
            || aliases.any(|(name, others)| {
                name == argument || others.iter().any(|other| other == argument)
            })
    }

    /// The arguments that a call needs, the first name of each.
    pub(super) fn needed(&self, arguments: &Map<String, Value>) -> Vec<&str> {
        let (_, value) = self.deciding(arguments);
        let further = self.when.get(value).into_iter().flatten();
        let groups = self.required.iter().chain(further);
        groups
            .map(|group| group.split('|').next().unwrap_or(group))
            .collect()
    }
}

fn is_missing(
    group: &str,
    arguments: &Map<String, Value>,
    missing: fn(Option<&Value>) -> bool,
) -> bool {
    group.split('|').all(|name| missing(arguments.get(name)))
}

fn is_absent(value: Option<&Value>) -> bool {
    value.is_none_or(Value::is_null)
}

fn is_blank(value: Option<&Value>) -> bool {
    match value {
        Some(Value::String(text)) => text.trim().is_empty(),
        other => is_absent(other),
    }
}

/// `'a'`, or `'a' or 'b'`.
fn alternatives(group: &str) -> String {
    let names: Vec<_> = group.split('|').map(|name| format!("'{name}'")).collect();
    names.join(" or ")
}
