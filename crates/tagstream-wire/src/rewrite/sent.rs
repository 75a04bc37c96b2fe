//! A call that is sent while it arrives: which JSON its arguments make so far.

use crate::delta::Slot;
use crate::json::{push_escaped, push_string};
use serde_json::value::RawValue;
use std::collections::HashMap;
use tagstream_core::check::Checker;

/// A call whose start was sent.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) slot: Slot,
    tool: String,
    /// Where the arguments are JSON, what was sent of them.
    json: String,
    /// Where they are texts, those that were sent, each with its name. Only the last may be open.
    texts: Vec<(String, String)>,
    is_open: bool,
}

/// What was sent is not what the call has become.
#[derive(Debug)]
pub(super) struct Changed;

impl Sent {
    pub(super) fn new(slot: Slot, tool: &str) -> Self {
        Sent {
            slot,
            tool: tool.to_owned(),
            json: String::new(),
            texts: Vec::new(),
            is_open: false,
        }
    }

    /// The next piece of JSON arguments.
    pub(super) fn json(&mut self, text: &str) -> String {
        self.json.push_str(text);
        text.to_owned()
    }

    /// The JSON of the next piece of an argument that is text. Of any other, and of one that comes
    /// twice, the value is certain only at the end.
    pub(super) fn text(&mut self, argument: &str, text: &str, checker: &Checker) -> String {
        let mut json = String::new();
        let last = self.texts.last_mut().filter(|(name, _)| name == argument);
        if let Some((_, known)) = last.filter(|_| self.is_open) {
            known.push_str(text);
            push_escaped(text, &mut json);
            return json;
        }
        if std::mem::take(&mut self.is_open) {
            json.push('"');
        }
        let is_known = self.texts.iter().any(|(name, _)| name == argument);
        if is_known || !checker.is_text(&self.tool, argument) {
            return json;
        }
        json.push(if self.texts.is_empty() { '{' } else { ',' });
        push_string(argument, &mut json);
        json.push_str(":\"");
        push_escaped(text, &mut json);
        self.texts.push((argument.to_owned(), text.to_owned()));
        self.is_open = true;
        json
    }

    /// What has not been sent of the arguments that the call has. Where JSON was changed, by a type
    /// or another name, what was sent stays: the model wrote it so.
    pub(super) fn rest(&self, arguments: &str) -> Result<String, Changed> {
        if self.texts.is_empty() {
            return Ok(match arguments.strip_prefix(&self.json) {
                Some(rest) => rest.to_owned(),
                None => String::new(),
            });
        }
        let all: HashMap<String, &RawValue> =
            serde_json::from_str(arguments).map_err(|_| Changed)?;
        for (name, text) in &self.texts {
            let value = all.get(name).map(|value| value.get());
            let value: Option<String> = value.and_then(|value| serde_json::from_str(value).ok());
            if value.as_ref() != Some(text) {
                return Err(Changed);
            }
        }
        let mut json = String::from(if self.is_open { "\"" } else { "" });
        let is_sent = |name: &str| self.texts.iter().any(|(sent, _)| sent == name);
        let mut others: Vec<_> = all.iter().filter(|(name, _)| !is_sent(name)).collect();
        // As they are in the arguments.
        others.sort_by_key(|(_, value)| value.get().as_ptr() as usize);
        for (name, value) in others {
            json.push(',');
            push_string(name, &mut json);
            json.push(':');
            json.push_str(value.get());
        }
        json.push('}');
        Ok(json)
    }
}
