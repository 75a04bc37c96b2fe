//! A line of `--blocks`: a piece of a content block.

use serde::Deserialize;

/// What happens to a block: it starts with a tool, it goes on, it stops. One line may do all.
#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub(super) struct Delta {
    pub(super) index: u64,
    #[serde(default)]
    pub(super) tool: Option<String>,
    #[serde(default)]
    pub(super) tool_id: Option<String>,
    #[serde(default)]
    pub(super) delta: Option<String>,
    #[serde(default)]
    pub(super) stop: bool,
}

impl Delta {
    pub(super) fn read(line: &[u8]) -> Result<Self, String> {
        serde_json::from_slice(line).map_err(|error| {
            format!(
                "{error}; a line is {{\"index\":0}} with \"delta\", \"stop\", \"tool\" or \"tool_id\""
            )
        })
    }
}
