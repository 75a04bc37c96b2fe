//! Messages in OpenAI's form: those of the assistant are cleaned.

use crate::json::{self, Text};
use crate::summary::Summary;
use serde_json::value::RawValue;
use std::borrow::Cow;
use tagstream::message::{Message, MessageReader};

/// Cleans the messages of one record.
pub(crate) struct Chat<'r> {
    reader: &'r mut MessageReader,
    summary: &'r mut Summary,
    /// The notices of all messages, as the items of a JSON list.
    notices: &'r mut String,
}

type Entries<'a> = [(Cow<'a, str>, &'a RawValue)];

impl<'r> Chat<'r> {
    pub(crate) fn new(
        reader: &'r mut MessageReader,
        summary: &'r mut Summary,
        notices: &'r mut String,
    ) -> Self {
        Chat {
            reader,
            summary,
            notices,
        }
    }

    /// Adds the list, with its messages cleaned. The error says what is wrong with it.
    pub(crate) fn messages(&mut self, list: &str, out: &mut String) -> Result<(), String> {
        let messages: Vec<&RawValue> =
            serde_json::from_str(list).map_err(|_| "the messages are not a list".to_owned())?;
        out.push('[');
        for (number, message) in messages.iter().enumerate() {
            out.push_str(if number > 0 { "," } else { "" });
            let entries = json::entries(message.get())
                .map_err(|_| format!("message {number} is not an object"))?;
            self.message(number, message.get(), &entries, out);
        }
        out.push(']');
        Ok(())
    }

    /// Adds a message: cleaned if it is of the assistant and has text, or else as it is.
    fn message(&mut self, number: usize, raw: &str, entries: &Entries<'_>, out: &mut String) {
        let get = |name: &str| entries.iter().rev().find(|(key, _)| key == name);
        let value = |name: &str| get(name).map(|(_, value)| value.get());
        let is_assistant = value("role").is_some_and(|role| role == "\"assistant\"");
        let content = value("content").filter(|_| is_assistant);
        let Some(text) = content.and_then(text_of) else {
            self.summary.nulls += u64::from(is_assistant);
            return out.push_str(raw);
        };
        let message = self.reader.read(&text);
        self.summary.count(&text, message);
        for notice in &message.notices {
            self.notices
                .push_str(if self.notices.is_empty() { "" } else { "," });
            json::notice(notice, Some(number), self.notices);
        }
        write(message, entries, out);
    }
}

/// The text of a content: a string, or parts that are all text.
fn text_of(content: &str) -> Option<Cow<'_, str>> {
    if let Ok(Text::Is(text)) = serde_json::from_str(content) {
        return Some(text);
    }
    if let Some(mended) = json::without_lone_surrogates(content) {
        return text_of(&mended).map(|text| text.into_owned().into());
    }
    #[derive(serde::Deserialize)]
    struct Part<'a> {
        #[serde(borrow)]
        r#type: Cow<'a, str>,
        text: String,
    }
    let parts: Vec<Part<'_>> = serde_json::from_str(content).ok()?;
    let is_text = parts.iter().all(|part| part.r#type == "text");
    is_text.then(|| parts.into_iter().map(|part| part.text).collect())
}

/// The fields of a message that change.
const CHANGED: [&str; 3] = ["content", "reasoning_content", "tool_calls"];

fn write(message: &Message, entries: &Entries<'_>, out: &mut String) {
    let old = |name: &str| entries.iter().rev().find(|(key, _)| key == name);
    out.push('{');
    for (key, value) in entries.iter().filter(|(key, _)| !CHANGED.contains(&&**key)) {
        json::key(key, out);
        out.push_str(value.get());
        out.push(',');
    }
    json::key("content", out);
    json::string(&message.content, out);
    let old_thinking = old("reasoning_content").map(|(_, value)| value.get());
    if !message.thoughts.is_empty() {
        let before = old_thinking.and_then(text_of).unwrap_or_default();
        let before = (!before.is_empty()).then_some(&*before);
        let thoughts = message.thoughts.iter().map(String::as_str);
        let all: Vec<_> = before.into_iter().chain(thoughts).collect();
        out.push_str(",\"reasoning_content\":");
        json::string(&all.join("\n\n"), out);
    } else if let Some(old) = old_thinking {
        out.push_str(&format!(",\"reasoning_content\":{old}"));
    }
    let old_calls = old("tool_calls").map(|(_, value)| value.get());
    if !message.tool_calls.is_empty() {
        let old: Vec<&RawValue> = old_calls
            .and_then(|old| serde_json::from_str(old).ok())
            .unwrap_or_default();
        let new = message.tool_calls.iter().map(call);
        let all: Vec<_> = old
            .iter()
            .map(|old| old.get().to_owned())
            .chain(new)
            .collect();
        out.push_str(&format!(",\"tool_calls\":[{}]", all.join(",")));
    } else if let Some(old) = old_calls {
        out.push_str(&format!(",\"tool_calls\":{old}"));
    }
    out.push('}');
}

/// A call in OpenAI's form.
fn call(call: &tagstream::message::ToolCall) -> String {
    let mut out = String::from("{\"id\":");
    json::string(&call.id, &mut out);
    out.push_str(",\"type\":\"function\",\"function\":{\"name\":");
    json::string(&call.name, &mut out);
    out.push_str(",\"arguments\":");
    json::string(&call.arguments, &mut out);
    out.push_str("}}");
    out
}
