//! What a caller says of calls: the flags of a command, the tools of a request.

use crate::{Calls, Dialect};
use crate::{
    calls::{DialectChoice, Settings, SettingsError},
    tools::{Tools, ToolsWarning},
};
use std::path::Path;

/// What a caller says of calls, over what a profile says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallOptions {
    /// Calls are read also where the profile has no `[calls]`.
    pub wanted: bool,
    /// The dialects that count, in place of the profile's.
    pub dialect: Option<DialectChoice>,
    /// Further dialects, beside those that the profile brings.
    pub dialects: Vec<Dialect>,
    /// The tools there are, in place of the profile's.
    pub tools: Option<Tools>,
}

impl CallOptions {
    /// The calls of a profile with these settings, `None` if nobody wants any; and what is odd
    /// about its own tools.
    pub(crate) fn resolve(
        &self,
        settings: Option<Settings>,
        base: Option<&Path>,
    ) -> Result<(Option<Calls>, Vec<ToolsWarning>), SettingsError> {
        let settings = settings.or_else(|| self.is_any().then(Settings::default));
        let Some(mut settings) = settings else {
            return Ok((None, Vec::new()));
        };
        if let Some(dialect) = &self.dialect {
            settings.dialect.clone_from(dialect);
        }
        settings.own_dialects.clone_from(&self.dialects);
        if let Some(tools) = &self.tools {
            let calls = settings.resolve_with(tools, base)?;
            return Ok((Some(calls), Vec::new()));
        }
        let tools = settings.read_tools(base)?;
        let calls = settings.resolve_with(&tools, base)?;
        Ok((Some(calls), tools.warnings().to_vec()))
    }

    fn is_any(&self) -> bool {
        let dialect = self.dialect.is_some() || !self.dialects.is_empty();
        self.wanted || dialect || self.tools.is_some()
    }
}
