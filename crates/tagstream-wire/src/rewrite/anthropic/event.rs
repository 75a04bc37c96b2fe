//! Events of a message, changed or made.

use crate::rewrite::ids;
use crate::rewrite::object::{Object, string};
use crate::rewrite::out::Out;
use crate::rewrite::reading::Call;

/// An event that may be changed.
pub(super) struct Event<'a> {
    pub(super) kind: &'a str,
    pub(super) event: Object<'a>,
    pub(super) is_changed: bool,
}

impl Event<'_> {
    pub(super) fn index(&self) -> u64 {
        self.event.number("index").unwrap_or(0)
    }

    pub(super) fn renumber(&mut self, number: u64) {
        if self.event.number("index") != Some(number) {
            self.event.set("index", number.to_string());
            self.is_changed = true;
        }
    }

    /// Its frame, to be written later.
    pub(super) fn bytes(&self, out: &Out<'_>) -> Vec<u8> {
        let mut bytes = Vec::new();
        let (style, raw) = (out.style, out.raw);
        self.write(&mut Out {
            style,
            raw,
            bytes: &mut bytes,
        });
        bytes
    }

    pub(super) fn write(&self, out: &mut Out<'_>) {
        match self.is_changed {
            true => out.named(self.kind, &self.event.json()),
            false => out.same(),
        }
    }
}

/// The block of a call that was found.
pub(super) fn tool_use(suffix: &str, number: u64, call: &Call, input: &str) -> String {
    format!(
        "{{\"type\":\"tool_use\",\"id\":{},\"name\":{},\"input\":{input}}}",
        string(&ids::call("toolu", suffix, 0, number)),
        string(&call.name),
    )
}

pub(super) fn block_event(kind: &str, number: u64, key: &str, json: &str, out: &mut Out<'_>) {
    let event = format!("{{\"type\":\"{kind}\",\"index\":{number},\"{key}\":{json}}}");
    out.new_event(kind, &event);
}

pub(super) fn stop_event(number: u64, out: &mut Out<'_>) {
    let kind = "content_block_stop";
    out.new_event(kind, &format!("{{\"type\":\"{kind}\",\"index\":{number}}}"));
}
