//! The `[calls]` table of a profile.

use crate::calls::{AliasTable, Calls, DialectChoice};
use crate::check::UnknownArgument;
use crate::dialect::{self, Dialect, UnknownDialect};
use crate::file::Cause;
use crate::tools::Tools;
use crate::{
    CallSettings, CallsInThinking, CallsInside, OrphanClose, RefusedCalls, ToolSignature,
    UnknownTool,
};
use serde_json::Value;
use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tagstream_core::names::listed;

/// The `[calls]` table of a profile: plain data, with the names and defaults of the specification.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct CallsTable {
    /// The dialects that count.
    pub dialect: DialectChoice,
    /// Files with further dialects; one with the name of a built-in dialect replaces it.
    pub dialect_files: Vec<PathBuf>,
    /// Further dialects that the caller brings; they have precedence over those of files.
    #[serde(skip)]
    pub own_dialects: Vec<Dialect>,
    /// The declared tools, in the form of a request.
    pub tools: Option<Vec<Value>>,
    /// A JSON file with tools, or with a request that contains them.
    pub tools_file: Option<PathBuf>,
    /// Whether a call without its wrapper counts, if its name is declared.
    pub unwrapped: bool,
    /// Whether a call whose arguments are tags, all of them closed, is complete if the message ends
    /// before its closer.
    pub missing_end: bool,
    /// What calls in thinking become.
    pub in_thinking: CallsInThinking,
    /// What calls in code become.
    pub in_code: CallsInside,
    /// What a call of an undeclared tool becomes.
    pub unknown_tool: UnknownTool,
    /// What the text of a refused call becomes, besides an error.
    pub refused: RefusedCalls,
    /// What an undeclared argument becomes.
    pub unknown_argument: UnknownArgument,
    /// Whether JSON values are converted if they are exactly the text of the declared type.
    pub coerce: bool,
    /// Whether one value becomes a list where a list is declared.
    pub wrap_single: bool,
    /// Whether a text for which nothing is declared is read as what JSON spells like that.
    pub infer_types: bool,
    /// Whether XML entities in argument values are decoded.
    pub decode_entities: bool,
    /// Whether there is a notice where an opener of calls is text because no call follows it.
    pub near_misses: bool,
    /// What a closer without an opener becomes.
    pub orphan_close: OrphanClose,
    /// Per tool and argument, other names that the argument is accepted under.
    pub aliases: AliasTable,
    /// The number of calls that a message may have.
    pub max_calls: Option<u64>,
}

impl Default for CallsTable {
    fn default() -> Self {
        CallsTable {
            dialect: DialectChoice::default(),
            dialect_files: Vec::new(),
            own_dialects: Vec::new(),
            tools: None,
            tools_file: None,
            unwrapped: false,
            missing_end: false,
            in_thinking: CallsInThinking::Ignore,
            in_code: CallsInside::Ignore,
            unknown_tool: UnknownTool::Report,
            refused: RefusedCalls::Drop,
            unknown_argument: UnknownArgument::Pass,
            coerce: true,
            wrap_single: false,
            infer_types: false,
            decode_entities: false,
            near_misses: false,
            orphan_close: OrphanClose::Keep,
            aliases: AliasTable::new(),
            max_calls: None,
        }
    }
}

/// Why a `[calls]` table cannot work.
///
/// [`Display`](std::fmt::Display) gives the whole message. [`source`](Error::source) is the error
/// it was made from, for programs that look for one type of error.
#[derive(Clone, Debug, thiserror::Error)]
#[error("`{key}`: {problem}")]
pub struct CallsTableError {
    kind: CallsTableErrorKind,
    key: String,
    problem: String,
    source: Option<Cause>,
}

/// What is wrong with a `[calls]` table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CallsTableErrorKind {
    /// A dialect does not exist.
    UnknownDialect,
    /// A file does not contain a dialect.
    InvalidDialect,
    /// The declaration of the tools is wrong, or given twice.
    InvalidTools,
    /// An alias cannot be what it is listed as.
    InvalidAlias,
    /// A file cannot be read.
    Io,
}

impl CallsTableError {
    fn new(kind: CallsTableErrorKind, key: impl Into<String>, problem: impl Into<String>) -> Self {
        CallsTableError {
            kind,
            key: key.into(),
            problem: problem.into(),
            source: None,
        }
    }

    fn because(mut self, source: impl Error + Send + Sync + 'static) -> Self {
        self.source = Some(Arc::new(source));
        self
    }

    /// What is wrong.
    #[must_use]
    pub fn kind(&self) -> CallsTableErrorKind {
        self.kind
    }

    /// The key that is wrong, as a path from the profile's root: `calls.dialect`.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// What is wrong and what is allowed, in words.
    #[must_use]
    pub fn problem(&self) -> &str {
        &self.problem
    }
}

impl CallsTable {
    /// Builds what a profile needs: the dialects, the tools and the check of their calls. Files are
    /// looked for in `base`, the folder of the profile's file.
    ///
    /// # Errors
    /// A dialect or a tool that does not exist, an invalid declaration, a file that cannot be read.
    pub fn resolve(&self, base: Option<&Path>) -> Result<CallSettings, CallsTableError> {
        self.resolve_with(self.read_tools(base)?.as_ref(), base)
    }

    /// As [`CallsTable::resolve`], but with tools from elsewhere, such as a request; with `None`
    /// every tool is accepted. Aliases of tools that are not among them have no effect.
    ///
    /// # Errors
    /// A dialect that does not exist, a file that cannot be read.
    pub fn resolve_with(
        &self,
        tools: Option<&Tools>,
        base: Option<&Path>,
    ) -> Result<CallSettings, CallsTableError> {
        let calls = Calls::dialects(self.read_dialects(base)?)
            .some_tools(tools)
            .aliases(&self.aliases)
            .coerce(self.coerce)
            .wrap_single(self.wrap_single)
            .infer_types(self.infer_types)
            .unknown_argument(self.unknown_argument)
            .unwrapped(self.unwrapped)
            .missing_end(self.missing_end)
            .in_thinking(self.in_thinking)
            .in_code(self.in_code)
            .unknown_tool(self.unknown_tool)
            .refused(self.refused)
            .decode_entities(self.decode_entities)
            .orphan_close(self.orphan_close)
            .near_misses(self.near_misses)
            .max_calls(self.max_calls);
        Ok(calls.into())
    }

    /// The tools of the table, or of its file; `None` if it has neither.
    ///
    /// # Errors
    /// An invalid declaration, a file that cannot be read, an alias of what is not declared.
    pub fn read_tools(&self, base: Option<&Path>) -> Result<Option<Tools>, CallsTableError> {
        let tools = self.declared_tools(base)?;
        self.check_aliases(tools.as_ref().unwrap_or(&Tools::default()))?;
        Ok(tools)
    }

    fn declared_tools(&self, base: Option<&Path>) -> Result<Option<Tools>, CallsTableError> {
        let invalid = |key: &str, problem: String| {
            CallsTableError::new(CallsTableErrorKind::InvalidTools, key, problem)
        };
        let list = self.tools.as_deref();
        let inline = list.map(Tools::from_list).transpose().map_err(|error| {
            let key = format!("calls.{}", error.place());
            invalid(&key, error.problem().to_owned()).because(error)
        })?;
        let is_usable = |tools: &Tools| !tools.is_empty() || list.is_some_and(<[_]>::is_empty);
        if let Some(tools) = inline.as_ref().filter(|tools| !is_usable(tools)) {
            return Err(invalid("calls.tools", tools.why_none()));
        }
        let Some(file) = &self.tools_file else {
            return Ok(inline);
        };
        let key = "calls.tools_file";
        if inline.is_some() {
            let problem = "given beside `tools`; allowed: one of the two";
            return Err(invalid(key, problem.to_owned()));
        }
        let text = read(base, file, key)?;
        Tools::parse_some(&text)
            .map(Some)
            .map_err(|error| invalid(key, format!("{}: {error}", file.display())).because(error))
    }

    fn read_dialects(&self, base: Option<&Path>) -> Result<Vec<Dialect>, CallsTableError> {
        let own = self.read_own_dialects(base)?;
        let mut chosen: Vec<Dialect> = Vec::new();
        for (index, name) in self.dialect.names().iter().enumerate() {
            let found = dialect::named(name, &own);
            if found.is_empty() {
                let unknown = UnknownDialect::new(name, &own);
                let (kind, key) = (CallsTableErrorKind::UnknownDialect, self.dialect.key(index));
                let error = CallsTableError::new(kind, key, unknown.to_string());
                return Err(error.because(unknown));
            }
            for dialect in found {
                if !chosen.iter().any(|known| known.name == dialect.name) {
                    chosen.push(dialect.clone());
                }
            }
        }
        Ok(chosen)
    }

    /// The dialects that the caller brings, and those of files.
    fn read_own_dialects(&self, base: Option<&Path>) -> Result<Vec<Dialect>, CallsTableError> {
        let read = |(index, file): (usize, &PathBuf)| {
            let key = format!("calls.dialect_files[{index}]");
            let text = read(base, file, &key)?;
            dialect::parse(&text).map_err(|error| {
                let problem = format!("{}: {error}", file.display());
                let kind = CallsTableErrorKind::InvalidDialect;
                CallsTableError::new(kind, key, problem).because(error)
            })
        };
        let own = self.own_dialects.iter().cloned().map(Ok);
        let files = self.dialect_files.iter().enumerate().map(read);
        own.chain(files).collect()
    }

    fn check_aliases(&self, tools: &Tools) -> Result<(), CallsTableError> {
        let declared = tools.signatures();
        for (tool, arguments) in &self.aliases {
            check_shared(&format!("calls.aliases.{tool}"), arguments)?;
        }
        // Without tools here they come from elsewhere.
        for (name, arguments) in self.aliases.iter().filter(|_| !tools.is_empty()) {
            let key = format!("calls.aliases.{name}");
            let Some(tool) = declared.iter().find(|tool| tool.name == *name) else {
                let known = listed(declared.iter().map(|tool| &tool.name));
                let problem = format!("unknown tool `{name}`; allowed: {known}");
                return Err(invalid_alias(key, problem));
            };
            check_arguments(&key, tool, arguments.keys())?;
            check_own(&key, tool, arguments)?;
        }
        Ok(())
    }
}

fn invalid_alias(key: String, problem: String) -> CallsTableError {
    CallsTableError::new(CallsTableErrorKind::InvalidAlias, key, problem)
}

/// The text of a file that the key names.
fn read(base: Option<&Path>, file: &Path, key: &str) -> Result<String, CallsTableError> {
    let path = base.map_or_else(|| file.to_owned(), |base| base.join(file));
    fs::read_to_string(&path).map_err(|error| {
        let problem = format!("{}: {error}", path.display());
        CallsTableError::new(CallsTableErrorKind::Io, key, problem).because(error)
    })
}

fn check_arguments<'a>(
    key: &str,
    tool: &ToolSignature,
    mut arguments: impl Iterator<Item = &'a String>,
) -> Result<(), CallsTableError> {
    let Some(argument) = arguments.find(|argument| !tool.arguments.contains(argument)) else {
        return Ok(());
    };
    let known = listed(&tool.arguments);
    let problem = format!("unknown argument `{argument}`; allowed: {known}");
    Err(invalid_alias(format!("{key}.{argument}"), problem))
}

/// An alias belongs to one argument only.
fn check_shared(
    key: &str,
    arguments: &BTreeMap<String, Vec<String>>,
) -> Result<(), CallsTableError> {
    let mut known: BTreeMap<&str, &str> = BTreeMap::new();
    for (argument, aliases) in arguments {
        for alias in aliases {
            let before = known.insert(alias, argument);
            if let Some(before) = before.filter(|before| before != argument) {
                let problem = format!("`{alias}` is another name for `{before}` already");
                return Err(invalid_alias(format!("{key}.{argument}"), problem));
            }
        }
    }
    Ok(())
}

/// An alias may not be the name of another argument.
fn check_own(
    key: &str,
    tool: &ToolSignature,
    arguments: &BTreeMap<String, Vec<String>>,
) -> Result<(), CallsTableError> {
    for (argument, aliases) in arguments {
        let is_own = |alias: &&String| *alias != argument && tool.arguments.contains(*alias);
        if let Some(alias) = aliases.iter().find(is_own) {
            let problem = format!(
                "`{alias}` is another argument of the tool; allowed: a name that no argument has"
            );
            return Err(invalid_alias(format!("{key}.{argument}"), problem));
        }
    }
    Ok(())
}
