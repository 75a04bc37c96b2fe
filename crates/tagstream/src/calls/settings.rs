//! The `[calls]` table of a profile.

use crate::calls::DialectChoice;
use crate::calls::dialects::{AUTO, BuiltIn, dialects, parse_dialect};
use crate::check::{Schemas, UnknownArgument};
use crate::tools::Tools;
use crate::{Calls, Checker, Dialect, Inside, OrphanClose, Tool, UnknownTool};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The `[calls]` table of a profile: plain data, with the contract's names and defaults.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Settings {
    /// The dialects that count.
    pub dialect: DialectChoice,
    /// Files with further dialects; one with the name of a built-in dialect replaces it.
    pub dialect_files: Vec<PathBuf>,
    /// Further dialects that a caller brings; they come before those of files.
    #[serde(skip)]
    pub own_dialects: Vec<Dialect>,
    /// The tools there are, as requests declare them.
    pub tools: Vec<Value>,
    /// A JSON file with tools, or with a request that holds them.
    pub tools_file: Option<PathBuf>,
    /// Whether a call without its wrapper counts, if its name is declared.
    pub unwrapped: bool,
    /// What becomes of calls in thinking.
    pub in_thinking: Inside,
    /// What becomes of calls in code.
    pub in_code: Inside,
    /// What becomes of a call of a tool that is not declared.
    pub unknown_tool: UnknownTool,
    /// What becomes of an argument that is not declared.
    pub unknown_argument: UnknownArgument,
    /// Whether JSON values are converted where they read exactly as the declared type.
    pub coerce: bool,
    /// Whether the entities of XML in values are decoded.
    pub decode_entities: bool,
    /// What becomes of a closer without an opener.
    pub orphan_close: OrphanClose,
    /// Per tool and argument, other names it may come under.
    pub aliases: BTreeMap<String, BTreeMap<String, Vec<String>>>,
    /// How many calls a message may have.
    pub max_calls: Option<u64>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            dialect: DialectChoice::default(),
            dialect_files: Vec::new(),
            own_dialects: Vec::new(),
            tools: Vec::new(),
            tools_file: None,
            unwrapped: false,
            in_thinking: Inside::Ignore,
            in_code: Inside::Ignore,
            unknown_tool: UnknownTool::Report,
            unknown_argument: UnknownArgument::Pass,
            coerce: true,
            decode_entities: false,
            orphan_close: OrphanClose::Keep,
            aliases: BTreeMap::new(),
            max_calls: None,
        }
    }
}

/// Why a `[calls]` table cannot work.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{key}`: {problem}")]
pub struct SettingsError {
    key: String,
    problem: String,
}

impl SettingsError {
    fn new(key: impl Into<String>, problem: impl Into<String>) -> Self {
        SettingsError {
            key: key.into(),
            problem: problem.into(),
        }
    }

    /// The key that is to blame, as a path from the profile's root: `calls.dialect`.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// What is wrong and what is allowed.
    #[must_use]
    pub fn problem(&self) -> &str {
        &self.problem
    }
}

impl Settings {
    /// Builds what a profile needs: the dialects, the tools and the judge of their calls. Files
    /// are looked for in `base`, the folder of the profile's file.
    ///
    /// # Errors
    /// A dialect or a tool that does not exist, a schema that is none, a file that cannot be read.
    pub fn resolve(&self, base: Option<&Path>) -> Result<Calls, SettingsError> {
        self.resolve_with(&self.read_tools(base)?, base)
    }

    /// As [`Settings::resolve`], but with tools from elsewhere, such as a request. Aliases of
    /// tools that are not among them mean nothing.
    ///
    /// # Errors
    /// A dialect that does not exist, a file that cannot be read.
    pub fn resolve_with(&self, tools: &Tools, base: Option<&Path>) -> Result<Calls, SettingsError> {
        let mut declared = tools.names();
        declared.iter_mut().for_each(|tool| self.add_aliases(tool));
        let calls = Calls::dialects(self.read_dialects(base)?)
            .tools(declared)
            .unwrapped(self.unwrapped)
            .in_thinking(self.in_thinking)
            .in_code(self.in_code)
            .unknown_tool(self.unknown_tool)
            .decode_entities(self.decode_entities)
            .orphan_close(self.orphan_close)
            .max_calls(self.max_calls)
            .checker(Checker::new(self.schemas(tools)));
        Ok(calls)
    }

    /// The tools of the table and of its file.
    ///
    /// # Errors
    /// A declaration that is none, a file that cannot be read, an alias for what is not declared.
    pub fn read_tools(&self, base: Option<&Path>) -> Result<Tools, SettingsError> {
        let tools = self.declared_tools(base)?;
        self.check_aliases(&tools)?;
        Ok(tools)
    }

    fn declared_tools(&self, base: Option<&Path>) -> Result<Tools, SettingsError> {
        let inline = Tools::from_list(&self.tools).map_err(|error| {
            SettingsError::new(format!("calls.{}", error.place()), error.problem())
        })?;
        if !self.tools.is_empty() && inline.is_empty() {
            return Err(SettingsError::new("calls.tools", inline.why_none()));
        }
        let Some(file) = &self.tools_file else {
            return Ok(inline);
        };
        if !self.tools.is_empty() {
            let problem = "given beside `tools`; allowed: one of the two";
            return Err(SettingsError::new("calls.tools_file", problem));
        }
        let wrong = |problem: String| SettingsError::new("calls.tools_file", problem);
        let text = read(base, file).map_err(wrong)?;
        Tools::parse_some(&text).map_err(|error| wrong(format!("{}: {error}", file.display())))
    }

    fn read_dialects(&self, base: Option<&Path>) -> Result<Vec<Dialect>, SettingsError> {
        let files = self.read_dialect_files(base)?;
        let mut chosen: Vec<Dialect> = Vec::new();
        for (index, name) in self.dialect.names().iter().enumerate() {
            let found = named(name, &files);
            if found.is_empty() {
                let key = self.dialect.key(index);
                return Err(SettingsError::new(key, unknown_dialect(name, &files)));
            }
            for dialect in found {
                if !chosen.iter().any(|known| known.name == dialect.name) {
                    chosen.push(dialect.clone());
                }
            }
        }
        Ok(chosen)
    }

    fn read_dialect_files(&self, base: Option<&Path>) -> Result<Vec<Dialect>, SettingsError> {
        let read = |(index, file): (usize, &PathBuf)| {
            let wrong =
                |problem| SettingsError::new(format!("calls.dialect_files[{index}]"), problem);
            let text = read(base, file).map_err(wrong)?;
            parse_dialect(&text).map_err(|error| wrong(format!("{}: {error}", file.display())))
        };
        let own = self.own_dialects.iter().cloned().map(Ok);
        let files = self.dialect_files.iter().enumerate().map(read);
        own.chain(files).collect()
    }

    fn check_aliases(&self, tools: &Tools) -> Result<(), SettingsError> {
        let declared = tools.names();
        for (tool, arguments) in &self.aliases {
            check_others(&format!("calls.aliases.{tool}"), arguments)?;
        }
        // Without tools here they come from elsewhere.
        for (name, arguments) in self.aliases.iter().filter(|_| !tools.is_empty()) {
            let key = format!("calls.aliases.{name}");
            let Some(tool) = declared.iter().find(|tool| tool.name == *name) else {
                let known = declared.iter().map(|tool| tool.name.as_str());
                let problem = format!("unknown tool `{name}`; allowed: {}", listed(known));
                return Err(SettingsError::new(key, problem));
            };
            check_arguments(&key, tool, arguments.keys())?;
            check_own(&key, tool, arguments)?;
        }
        Ok(())
    }

    /// The other names of a tool's arguments: the other name, and the argument.
    fn aliases_of(&self, tool: &str) -> Vec<(String, String)> {
        let arguments = self.aliases.get(tool).into_iter().flatten();
        let pairs = arguments.flat_map(|(argument, others)| {
            others.iter().map(|other| (other.clone(), argument.clone()))
        });
        pairs.collect()
    }

    /// Adds a tool's aliases. A name that is an argument of its own is none.
    fn add_aliases(&self, tool: &mut Tool) {
        let mut aliases = self.aliases_of(&tool.name);
        aliases.retain(|(other, argument)| {
            !tool.arguments.contains(other) && tool.arguments.contains(argument)
        });
        tool.aliases = aliases;
    }

    fn schemas(&self, tools: &Tools) -> Schemas {
        let mut schemas = Schemas::new(tools)
            .coerce(self.coerce)
            .unknown_argument(self.unknown_argument);
        for name in self.aliases.keys() {
            schemas = schemas.aliases(name, self.aliases_of(name));
        }
        schemas
    }
}

/// The text of a file that a profile names.
fn read(base: Option<&Path>, file: &Path) -> Result<String, String> {
    let path = base.map_or_else(|| file.to_owned(), |base| base.join(file));
    fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
}

/// The dialects that a name stands for: one, or for `auto` all that can be told apart.
fn named<'a>(name: &str, files: &'a [Dialect]) -> Vec<&'a Dialect> {
    let is_replaced = |name: &str| files.iter().any(|file| file.name == name);
    let built_in = dialects()
        .iter()
        .filter(|built_in| !is_replaced(built_in.name()));
    let built_in = built_in
        .filter(|built_in| built_in.name() == name || name == AUTO && built_in.in_auto())
        .map(BuiltIn::dialect);
    let files = files
        .iter()
        .filter(|file| file.name == name || name == AUTO);
    files.chain(built_in).collect()
}

fn unknown_dialect(name: &str, files: &[Dialect]) -> String {
    let mut known = vec![AUTO];
    known.extend(files.iter().map(|file| file.name.as_str()));
    for built_in in dialects() {
        known.push(built_in.name());
    }
    format!(
        "unknown dialect `{name}`; allowed: {}",
        listed(known.into_iter())
    )
}

fn check_arguments<'a>(
    key: &str,
    tool: &Tool,
    mut arguments: impl Iterator<Item = &'a String>,
) -> Result<(), SettingsError> {
    let Some(argument) = arguments.find(|argument| !tool.arguments.contains(argument)) else {
        return Ok(());
    };
    let known = listed(tool.arguments.iter().map(String::as_str));
    let problem = format!("unknown argument `{argument}`; allowed: {known}");
    Err(SettingsError::new(format!("{key}.{argument}"), problem))
}

/// Another name may stand for one argument only.
fn check_others(key: &str, arguments: &BTreeMap<String, Vec<String>>) -> Result<(), SettingsError> {
    let mut known: BTreeMap<&str, &str> = BTreeMap::new();
    for (argument, others) in arguments {
        for other in others {
            let before = known.insert(other, argument);
            if let Some(before) = before.filter(|before| before != argument) {
                let problem = format!("`{other}` is another name for `{before}` already");
                return Err(SettingsError::new(format!("{key}.{argument}"), problem));
            }
        }
    }
    Ok(())
}

/// Another name may not be the name of another argument.
fn check_own(
    key: &str,
    tool: &Tool,
    arguments: &BTreeMap<String, Vec<String>>,
) -> Result<(), SettingsError> {
    for (argument, others) in arguments {
        let is_own = |other: &&String| *other != argument && tool.arguments.contains(*other);
        if let Some(other) = others.iter().find(is_own) {
            let problem = format!("`{other}` is an argument of its own, no name for `{argument}`");
            return Err(SettingsError::new(format!("{key}.{argument}"), problem));
        }
    }
    Ok(())
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
    names.join(", ")
}
