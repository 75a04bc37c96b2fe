//! A compiled profile, and what can be done with a whole message.

use crate::options;
use serde::Serialize;
use tagstream::message::{Message, MessageReader, Notice};
use tagstream::profile::Loaded;
use tagstream::view::{strip_inline_xml_tags, strip_profile};
use tagstream::{Engine, Event, Policy, TextCleaner, Whitespace};
use wasm_bindgen::prelude::*;

/// A compiled profile, which any number of messages can share.
#[wasm_bindgen]
pub struct RawProfile {
    pub(crate) loaded: Loaded,
    pub(crate) policy: Policy,
}

#[wasm_bindgen]
impl RawProfile {
    /// Compiles the options, which are the text of a JSON object.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &str) -> Result<RawProfile, JsValue> {
        let loaded = options::load(options)?;
        let policy = loaded.profile.compile();
        let policy = policy.map_err(|error| options::of_profile(&error))?;
        Ok(RawProfile { loaded, policy })
    }

    /// A whole message, as JSON.
    pub fn parse(&self, text: &str, whitespace: &str) -> Result<String, JsValue> {
        let mut reader = MessageReader::new(&self.policy);
        reader = reader.whitespace(options::whitespace(whitespace)?);
        Ok(serde_json::to_string(&Whole::from(reader.read(text))).unwrap_or_default())
    }

    /// The text without its tags and their content.
    pub fn strip(&self, text: &str, whitespace: &str) -> Result<String, JsValue> {
        let whitespace = options::whitespace(whitespace)?;
        if whitespace == Whitespace::Collapse {
            return Ok(strip_inline_xml_tags(text));
        }
        let policy = strip_profile(&self.loaded.profile).compile();
        let policy = policy.map_err(|error| options::of_profile(&error))?;
        let (mut cleaner, mut left) = (TextCleaner::new(whitespace), String::new());
        let mut engine = Engine::new(&policy);
        let mut take = |event: Event<'_>| cleaner.event(&event, |piece| left.push_str(piece));
        engine.push(text, &mut take);
        engine.finish(&mut take);
        cleaner.finish(|piece| left.push_str(piece));
        Ok(left)
    }
}

/// A message whose arguments are texts, so that no number in them changes.
#[derive(Serialize)]
pub(crate) struct Whole<'m, N> {
    pub(crate) content: &'m str,
    pub(crate) thoughts: &'m [String],
    pub(crate) tool_calls: Vec<Call<'m>>,
    pub(crate) notices: &'m [N],
}

#[derive(Serialize)]
pub(crate) struct Call<'m> {
    pub(crate) id: &'m str,
    pub(crate) name: &'m str,
    pub(crate) arguments_json: &'m str,
}

impl<'m> From<&'m Message> for Whole<'m, Notice> {
    fn from(message: &'m Message) -> Self {
        let calls = message.tool_calls.iter().map(|call| Call {
            id: &call.id,
            name: &call.name,
            arguments_json: &call.arguments,
        });
        Whole {
            content: &message.content,
            thoughts: &message.thoughts,
            tool_calls: calls.collect(),
            notices: &message.notices,
        }
    }
}
