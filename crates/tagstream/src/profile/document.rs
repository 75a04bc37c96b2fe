//! A profile as its file has it.

use crate::calls::CallsTable;
use crate::view::filter::FilterRule;
use crate::{CodeNotices, CodeStyle, Element, Limits, Profile, Thinking};
use serde::{Deserialize, Serialize};

/// The keys of a profile's file: those of [`Profile`], and `calls`, which names dialects and
/// declares tools by their schemas.
#[derive(Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Document {
    /// The models that a preset fits. The profile does not depend on it.
    #[serde(skip_serializing)]
    models: Vec<String>,
    code: CodeStyle,
    code_notices: CodeNotices,
    markers: Vec<String>,
    unwrap: Vec<String>,
    hide: Vec<String>,
    hide_in_thinking: bool,
    thinking: Thinking,
    pub(crate) calls: Option<CallsTable>,
    elements: Vec<Element>,
    /// What the content filter shows of the sections of some tags. The profile does not depend on it.
    #[serde(skip_serializing)]
    pub(crate) filter: Vec<FilterRule>,
    limits: Limits,
}

impl From<Document> for Profile {
    /// The profile, without its calls.
    fn from(document: Document) -> Self {
        let mut profile = Profile::new();
        profile.code = document.code;
        profile.code_notices = document.code_notices;
        profile.markers = document.markers;
        profile.unwrap = document.unwrap;
        profile.hide = document.hide;
        profile.hide_in_thinking = document.hide_in_thinking;
        profile.thinking = document.thinking;
        profile.elements = document.elements;
        profile.limits = document.limits;
        profile
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json, to_value};

    #[test]
    fn a_file_has_the_keys_of_a_profile_and_calls() {
        let mut keys = to_value(Profile::new()).unwrap();
        keys["calls"] = Value::Null;
        assert_eq!(to_value(Document::default()).unwrap(), keys);
    }

    #[test]
    fn every_key_reaches_the_profile() {
        let text = json!({
            "code": "none", "code_notices": "all", "markers": ["m"], "unwrap": ["u"], "hide": ["h"],
            "hide_in_thinking": true, "thinking": {"tags": ["t"]},
            "elements": [{"name": "e"}], "limits": {"tag": 7},
        });
        let document: Document = serde_json::from_value(text.clone()).unwrap();
        let profile: Profile = serde_json::from_value(text).unwrap();
        assert_eq!(Profile::from(document), profile);
    }
}
