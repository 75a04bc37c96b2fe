//! Calls, set up in one line.

use crate::calls::AliasTable;
use crate::check::{Checker, Schemas, UnknownArgument};
use crate::dialect::{self, AUTO, Dialect, UnknownDialect};
use crate::tools::Tools;
use crate::{
    CallSettings, CallsInThinking, CallsInside, OrphanClose, RefusedCalls, ToolSignature,
    UnknownTool,
};

/// Tool calls in the built-in dialects, checked by the JSON Schemas of their tools.
///
/// ```
/// use tagstream::{Calls, Profile, Tools};
///
/// let tools = Tools::parse(r#"[{"name": "now", "input_schema": {"type": "object"}}]"#)?;
/// // In any dialect:
/// let policy = Profile::new().calls(Calls::auto(&tools)).compile()?;
/// // In the dialect that the model is known to use:
/// let calls = Calls::dialect("qwen3-coder")?.tools(&tools).max_calls(8);
/// let policy = Profile::new().calls(calls).compile()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Where no tools are set, every name is accepted, and values stay as they were written. With an empty
/// list of tools no call is accepted.
///
/// [`Profile::calls`](crate::Profile::calls) takes it. It converts into [`CallSettings`], where
/// everything can be set, a [`Checker`] of your own too.
#[derive(Clone, Debug, PartialEq)]
pub struct Calls {
    settings: CallSettings,
    tools: Option<Tools>,
    aliases: AliasTable,
    coerce: bool,
    wrap_single: bool,
    infer_types: bool,
    unknown_argument: UnknownArgument,
}

impl Calls {
    /// Calls of these tools in any built-in dialect that can be recognized by its markup.
    #[must_use]
    pub fn auto(tools: &Tools) -> Self {
        Calls::dialects(dialect::named(AUTO, &[]).into_iter().cloned()).tools(tools)
    }

    /// Calls in the built-in dialect with this name; `auto` means all that [`Calls::auto`] accepts.
    ///
    /// # Errors
    /// There is no such dialect.
    pub fn dialect(name: &str) -> Result<Self, UnknownDialect> {
        let found = dialect::named(name, &[]);
        if found.is_empty() {
            return Err(UnknownDialect::new(name, &[]));
        }
        Ok(Calls::dialects(found.into_iter().cloned()))
    }

    /// Calls in these dialects.
    pub fn dialects(dialects: impl IntoIterator<Item = Dialect>) -> Self {
        Calls {
            settings: CallSettings::dialects(dialects),
            tools: None,
            aliases: AliasTable::default(),
            coerce: true,
            wrap_single: false,
            infer_types: false,
            unknown_argument: UnknownArgument::default(),
        }
    }

    /// Sets the declared tools: only these are accepted, so none if there are none.
    #[must_use]
    pub fn tools(self, tools: &Tools) -> Self {
        self.some_tools(Some(tools))
    }

    /// Sets the declared tools, or none at all, so that every name is accepted.
    pub(crate) fn some_tools(mut self, tools: Option<&Tools>) -> Self {
        self.tools = tools.cloned();
        self
    }

    /// Adds another name that an argument of a tool is accepted under. The name of another argument
    /// is not accepted for it.
    #[must_use]
    pub fn alias(
        mut self,
        tool: impl Into<String>,
        argument: impl Into<String>,
        alias: impl Into<String>,
    ) -> Self {
        let arguments = self.aliases.entry(tool.into()).or_default();
        let aliases = arguments.entry(argument.into()).or_default();
        aliases.push(alias.into());
        self
    }

    /// Sets whether JSON values are converted if they are exactly the text of the declared type:
    /// they are, by default.
    #[must_use]
    pub fn coerce(mut self, coerce: bool) -> Self {
        self.coerce = coerce;
        self
    }

    /// Sets whether one value becomes a list where a list is declared: it does not, by default.
    #[must_use]
    pub fn wrap_single(mut self, wrap_single: bool) -> Self {
        self.wrap_single = wrap_single;
        self
    }

    /// Sets whether a text for which nothing is declared is read as the number, the truth value or the
    /// JSON that it spells: it stays a string, by default.
    #[must_use]
    pub fn infer_types(mut self, infer_types: bool) -> Self {
        self.infer_types = infer_types;
        self
    }

    /// Sets what an undeclared argument becomes.
    #[must_use]
    pub fn unknown_argument(mut self, unknown_argument: UnknownArgument) -> Self {
        self.unknown_argument = unknown_argument;
        self
    }

    /// Sets whether a call without its wrapper counts, if its name is declared.
    #[must_use]
    pub fn unwrapped(mut self, unwrapped: bool) -> Self {
        self.settings.unwrapped = unwrapped;
        self
    }

    /// Sets whether a call whose arguments are tags, all of them closed, is complete if the message ends
    /// before its closer.
    #[must_use]
    pub fn missing_end(mut self, missing_end: bool) -> Self {
        self.settings.missing_end = missing_end;
        self
    }

    /// Sets what the text of a refused call becomes, besides an error.
    #[must_use]
    pub fn refused(mut self, refused: RefusedCalls) -> Self {
        self.settings.refused = refused;
        self
    }

    /// Sets what calls in thinking become.
    #[must_use]
    pub fn in_thinking(mut self, in_thinking: CallsInThinking) -> Self {
        self.settings.in_thinking = in_thinking;
        self
    }

    /// Sets what calls in code become.
    #[must_use]
    pub fn in_code(mut self, in_code: CallsInside) -> Self {
        self.settings.in_code = in_code;
        self
    }

    /// Sets what a call of an undeclared tool becomes.
    #[must_use]
    pub fn unknown_tool(mut self, unknown_tool: UnknownTool) -> Self {
        self.settings.unknown_tool = unknown_tool;
        self
    }

    /// Sets whether there is a notice where an opener of calls is text because no call follows it.
    #[must_use]
    pub fn near_misses(mut self, near_misses: bool) -> Self {
        self.settings.near_misses = near_misses;
        self
    }

    /// Sets whether XML entities in argument values are decoded.
    #[must_use]
    pub fn decode_entities(mut self, decode_entities: bool) -> Self {
        self.settings.decode_entities = decode_entities;
        self
    }

    /// Sets what a closer without an opener becomes.
    #[must_use]
    pub fn orphan_close(mut self, orphan_close: OrphanClose) -> Self {
        self.settings.orphan_close = orphan_close;
        self
    }

    /// Sets the number of calls that a message may have.
    #[must_use]
    pub fn max_calls(mut self, max_calls: impl Into<Option<u64>>) -> Self {
        self.settings.max_calls = max_calls.into();
        self
    }

    /// Sets the start of an id that the model did not give: `call_`, by default. The number of the call
    /// follows it.
    #[must_use]
    pub fn id_prefix(mut self, id_prefix: impl Into<String>) -> Self {
        self.settings.id_prefix = id_prefix.into();
        self
    }

    /// Sets all aliases, per tool and argument.
    pub(crate) fn aliases(mut self, aliases: &AliasTable) -> Self {
        self.aliases.clone_from(aliases);
        self
    }

    /// What reading the calls needs to know about the tools.
    fn signatures(&self) -> Vec<ToolSignature> {
        let mut signatures: Vec<_> = self.tools.iter().flat_map(Tools::signatures).collect();
        for tool in &mut signatures {
            let mut aliases = self.aliases_of(&tool.name);
            aliases.retain(|(alias, argument)| {
                !tool.arguments.contains(alias) && tool.arguments.contains(argument)
            });
            tool.aliases = aliases;
        }
        signatures
    }

    fn schemas(&self) -> Schemas {
        let mut schemas = Schemas::new(self.tools.as_ref().unwrap_or(&Tools::default()))
            .coerce(self.coerce)
            .wrap_single(self.wrap_single)
            .infer_types(self.infer_types)
            .unknown_argument(self.unknown_argument);
        for name in self.aliases.keys() {
            schemas = schemas.aliases(name, self.aliases_of(name));
        }
        schemas
    }

    /// The aliases of a tool's arguments: the alias, and the argument that it means.
    fn aliases_of(&self, tool: &str) -> Vec<(String, String)> {
        let arguments = self.aliases.get(tool).into_iter().flatten();
        let pairs = arguments.flat_map(|(argument, aliases)| {
            aliases
                .iter()
                .map(|alias| (alias.clone(), argument.clone()))
        });
        pairs.collect()
    }
}

impl From<Calls> for CallSettings {
    fn from(calls: Calls) -> Self {
        let (signatures, schemas) = (calls.signatures(), calls.schemas());
        let mut settings = calls.settings.checker(Checker::new(schemas));
        if calls.tools.is_some() {
            settings = settings.tools(signatures);
        }
        settings
    }
}
