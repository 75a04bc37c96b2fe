//! What a caller sets about calls: the flags of a command, the tools of a request.

use crate::calls::{CallsTable, CallsTableError, DialectChoice};
use crate::tools::{Tools, ToolsWarning};
use crate::{CallSettings, Dialect};
use std::path::Path;

/// What a caller sets about calls. It overrides the profile.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct CallOptions {
    /// Whether calls are read even if the profile has no `[calls]`.
    pub wanted: bool,
    /// The dialects that count, in place of the profile's.
    pub dialect: Option<DialectChoice>,
    /// Further dialects, in addition to those of the profile.
    pub dialects: Vec<Dialect>,
    /// The declared tools, in place of the profile's.
    pub tools: Option<Tools>,
}

impl CallOptions {
    /// Nothing is overridden.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets whether calls are read even if the profile has no `[calls]`.
    #[must_use]
    pub fn wanted(mut self, wanted: bool) -> Self {
        self.wanted = wanted;
        self
    }

    /// Sets the dialects that count, in place of the profile's.
    #[must_use]
    pub fn dialect(mut self, dialect: impl Into<Option<DialectChoice>>) -> Self {
        self.dialect = dialect.into();
        self
    }

    /// Sets further dialects, in addition to those of the profile.
    #[must_use]
    pub fn dialects(mut self, dialects: impl IntoIterator<Item = Dialect>) -> Self {
        self.dialects = dialects.into_iter().collect();
        self
    }

    /// Sets the declared tools, in place of the profile's.
    #[must_use]
    pub fn tools(mut self, tools: impl Into<Option<Tools>>) -> Self {
        self.tools = tools.into();
        self
    }

    /// The calls of a profile with this table.
    pub(crate) fn resolve(
        &self,
        table: Option<CallsTable>,
        base: Option<&Path>,
    ) -> Result<Resolved, CallsTableError> {
        let table = table.or_else(|| self.is_any().then(CallsTable::default));
        let Some(mut table) = table else {
            return Ok(Resolved::default());
        };
        if let Some(dialect) = &self.dialect {
            table.dialect.clone_from(dialect);
        }
        table.own_dialects.clone_from(&self.dialects);
        let (tools, warnings) = match &self.tools {
            Some(tools) => (Some(tools.clone()), Vec::new()),
            None => {
                let tools = table.read_tools(base)?;
                let warnings = tools.iter().flat_map(|tools| tools.warnings().to_vec());
                let warnings = warnings.collect();
                (tools, warnings)
            }
        };
        Ok(Resolved {
            calls: Some(table.resolve_with(tools.as_ref(), base)?),
            tools,
            warnings,
        })
    }

    fn is_any(&self) -> bool {
        let dialect = self.dialect.is_some() || !self.dialects.is_empty();
        self.wanted || dialect || self.tools.is_some()
    }
}

/// What a profile's file says about calls.
#[derive(Default)]
pub(crate) struct Resolved {
    /// `None` if it has none.
    pub(crate) calls: Option<CallSettings>,
    /// The declared tools, if a list of them is given.
    pub(crate) tools: Option<Tools>,
    /// The warnings about the file's own tools.
    pub(crate) warnings: Vec<ToolsWarning>,
}
