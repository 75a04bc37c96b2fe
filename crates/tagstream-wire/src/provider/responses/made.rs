//! Items of our own: thoughts and calls that were found in text, and the rest of a text after
//! them. The stream and the whole answer count them alike, so that their ids agree.

use crate::json::{list_of, string};
use crate::provider::ids;
use crate::rewrite::Call;

/// Makes ids.
#[derive(Clone, Debug, Default)]
pub(super) struct Made {
    pub(super) suffix: String,
    thoughts: u64,
    calls: u64,
    messages: u64,
}

/// The two ids of a call.
#[derive(Clone, Debug)]
pub(super) struct CallIds {
    pub(super) item: String,
    call: String,
}

impl Made {
    pub(super) fn new(id: &str) -> Self {
        Made {
            suffix: ids::suffix(id),
            ..Self::default()
        }
    }

    pub(super) fn thought(&mut self) -> String {
        self.thoughts += 1;
        ids::call("rs", &self.suffix, 0, self.thoughts - 1)
    }

    pub(super) fn message(&mut self) -> String {
        self.messages += 1;
        ids::call("msg", &self.suffix, 0, self.messages - 1)
    }

    pub(super) fn call(&mut self, call: &Call) -> CallIds {
        self.calls += 1;
        let id = |prefix| ids::call(prefix, &self.suffix, 0, self.calls - 1);
        CallIds {
            item: id("fc"),
            call: call.id.clone().unwrap_or_else(|| id("call")),
        }
    }
}

/// A part of a thought.
pub(super) fn thought_part(text: &str) -> String {
    let text = string(text);
    format!("{{\"type\":\"reasoning_text\",\"text\":{text}}}")
}

/// A thought, with its text or before it.
pub(super) fn thought(id: &str, text: Option<&str>) -> String {
    let parts: Vec<String> = text.map(thought_part).into_iter().collect();
    let (id, content, status) = (string(id), list_of(&parts), status(text.is_some()));
    format!(
        "{{\"id\":{id},\"type\":\"reasoning\",\"summary\":[],\"content\":{content},\"status\":{status}}}"
    )
}

/// A call, with its arguments or before them.
pub(super) fn call(ids: &CallIds, name: &str, arguments: Option<&str>) -> String {
    let status = status(arguments.is_some());
    let arguments = string(arguments.unwrap_or(""));
    let (id, call_id, name) = (string(&ids.item), string(&ids.call), string(name));
    format!(
        "{{\"id\":{id},\"type\":\"function_call\",\"call_id\":{call_id},\"name\":{name},\"arguments\":{arguments},\"status\":{status}}}"
    )
}

fn status(is_whole: bool) -> &'static str {
    if is_whole {
        "\"completed\""
    } else {
        "\"in_progress\""
    }
}
