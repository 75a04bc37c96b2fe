//! Writes the lines of Ollama's own API.

use crate::json::{Kind, Patch, Value, list_of, object_of, string};
use crate::provider::{Input, are_tokens_of, ids};
use crate::rewrite::{ChangeKind, Changes, Cx, Piece, Pieces, Write, joined};

/// What every line says of the answer.
const HEAD: [&str; 2] = ["model", "created_at"];

/// Writes the lines of one stream.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    head: Option<Head>,
    suffix: String,
}

/// What the first line says of the answer.
#[derive(Clone, Debug)]
struct Head {
    members: Vec<(&'static str, String)>,
    is_chat: bool,
}

impl Head {
    fn of(root: Value<'_>, is_chat: bool) -> Self {
        let member = |key: &&'static str| Some((*key, root.get(key)?.raw().to_owned()));
        let members = HEAD.iter().filter_map(member).collect();
        Head { members, is_chat }
    }

    /// A line of its own.
    fn line(&self, group: &Group) -> String {
        let calls = list_of(&group.calls);
        let (text, thinking) = (string(&group.text), string(&group.thinking));
        let mut inner = vec![(text_key(self.is_chat), text.as_str())];
        if !group.thinking.is_empty() {
            inner.push(("thinking", &thinking));
        }
        if !group.calls.is_empty() {
            inner.push(("tool_calls", &calls));
        }
        let mut line: Vec<(&str, &str)> = self
            .members
            .iter()
            .map(|(key, json)| (*key, json.as_str()))
            .collect();
        let message;
        if self.is_chat {
            inner.insert(0, ("role", "\"assistant\""));
            message = object_of(&inner);
            line.push(("message", &message));
        } else {
            line.append(&mut inner);
        }
        line.push(("done", "false"));
        object_of(&line)
    }
}

/// What goes into a line.
#[derive(Debug, Default)]
struct Group {
    text: String,
    thinking: String,
    calls: Vec<String>,
}

impl Write for Writer {
    fn json(&mut self, input: Input<'_>, mut changes: Changes, cx: &mut Cx<'_, '_>) {
        let root = input.doc.root();
        let message = root.get("message").filter(|message| message.is_object());
        if message.is_none() && !root.has("response") {
            // An error, for one: what waits comes before it. Nothing is found here, but a thought may be.
            self.flush(&mut changes, cx);
            let mut patch = Patch::default();
            if cx.hides() {
                patch.drop_member(root, "logprobs");
                if let Some(thought) = root.get("thinking").filter(|thought| !thought.is_empty()) {
                    patch.replace(thought, "\"\"");
                }
            }
            return if patch.is_empty() {
                cx.out.same();
            } else {
                cx.out.patched(input.doc, patch, None);
            };
        }
        let is_chat = message.is_some();
        let is_done = root.is_true("done");
        // One that is the first and the last is an answer that does not stream.
        let is_body = is_done && self.head.is_none();
        if self.head.is_none() {
            let time = root.given("created_at").unwrap_or_default();
            self.suffix = ids::suffix(&time);
            self.head = Some(Head::of(root, is_chat));
        }
        let mut line = Line {
            root,
            inner: message.unwrap_or(root),
            is_chat,
            is_hidden: false,
            has_calls: false,
            patch: Patch::default(),
        };
        line.native(&changes, cx);
        let pieces = line.pieces(&mut changes);
        let is_changed = pieces.is_some();
        let mut left = None;
        if let Some(pieces) = pieces {
            let mut groups = self.groups(pieces, is_body);
            let last = groups.pop().unwrap_or_default();
            let head = Head::of(root, is_chat);
            groups
                .iter()
                .for_each(|group| cx.out.new_frame(&head.line(group)));
            line.merge(&last);
            left = Some(last.text);
        }
        let text = line.inner.given(text_key(is_chat)).unwrap_or_default();
        if is_chat && (is_changed || cx.hides()) {
            line.repeat(left.as_deref().unwrap_or(&text));
        }
        let tokens = root.get("logprobs").into_iter().flat_map(Value::list);
        if is_changed || line.is_hidden || (cx.hides() && !are_tokens_of(tokens, &text)) {
            line.patch.drop_member(root, "logprobs");
        }
        let mut patch = line.patch;
        if patch.is_empty() {
            return cx.out.same();
        }
        patch.drop_shadowed(input.doc);
        if !is_done && is_void(line.inner, is_chat, &patch) {
            return;
        }
        cx.out.patched(input.doc, patch, None);
    }

    fn done(&mut self, mut changes: Changes, cx: &mut Cx<'_, '_>) {
        self.flush(&mut changes, cx);
        cx.out.same();
    }

    fn empty(&mut self, _event: Option<&str>, cx: &mut Cx<'_, '_>) {
        cx.out.same();
    }

    fn finish(&mut self, mut changes: Changes, cx: &mut Cx<'_, '_>) {
        self.flush(&mut changes, cx);
    }
}

impl Writer {
    /// Writes the rest of a text, in lines of its own.
    fn flush(&mut self, changes: &mut Changes, cx: &mut Cx<'_, '_>) {
        let Some(head) = self.head.clone() else {
            return;
        };
        for change in &mut changes.list {
            if let ChangeKind::Flushed { pieces, .. } = &mut change.kind {
                let pieces = std::mem::take(pieces);
                for group in self.groups(pieces, false) {
                    cx.out.new_frame(&head.line(&group));
                }
            }
        }
    }

    /// The pieces, a line for each; all in one where nothing streams.
    fn groups(&self, pieces: Pieces, is_one: bool) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for piece in joined(pieces) {
            if groups.is_empty() || !is_one {
                groups.push(Group::default());
            }
            let Some(group) = groups.last_mut() else {
                continue;
            };
            match piece {
                Piece::Text(text) => group.text.push_str(&text),
                Piece::Thought(text) => group.thinking.push_str(&text),
                Piece::Call(call) => {
                    let number = call.number;
                    let made = ids::call("call", &self.suffix, 0, number);
                    let id = string(call.id.as_deref().unwrap_or(&made));
                    let (name, arguments) = (string(&call.name), &call.arguments);
                    group.calls.push(format!(
                        "{{\"id\":{id},\"function\":{{\"index\":{number},\"name\":{name},\"arguments\":{arguments}}}}}"
                    ));
                }
                // Calls have no fragments here: they are always whole.
                _ => {}
            }
        }
        groups
    }
}

/// A line, while it is edited.
struct Line<'a> {
    root: Value<'a>,
    /// What has the text.
    inner: Value<'a>,
    is_chat: bool,
    is_hidden: bool,
    has_calls: bool,
    patch: Patch,
}

impl Line<'_> {
    /// Hides native thinking, and drops native calls that came in the text.
    fn native(&mut self, changes: &Changes, cx: &Cx<'_, '_>) {
        let list = self
            .inner
            .get("tool_calls")
            .filter(|list| list.kind() == Kind::List);
        let mut left = list.map_or(0, |list| list.objects().count());
        for change in &changes.list {
            let Some(value) = change.at.map(|at| self.root.at(at)) else {
                continue;
            };
            match &change.kind {
                ChangeKind::Thought { .. } if cx.hides() => {
                    self.is_hidden = true;
                    self.patch.remove(value);
                }
                ChangeKind::Call { native, .. } if native.is_twin || native.is_held => {
                    self.patch.remove(value);
                    left -= 1;
                }
                _ => {}
            }
        }
        self.has_calls = left > 0;
        if let Some(list) = list.filter(|list| left == 0 && !list.is_empty()) {
            self.patch.remove(list);
        }
    }

    /// What becomes of the line's text; `None` if it stays.
    fn pieces(&self, changes: &mut Changes) -> Option<Pieces> {
        let mut same = None;
        let mut pieces: Option<Pieces> = None;
        for change in &mut changes.list {
            match &mut change.kind {
                ChangeKind::Text { pieces: new, .. } => match new.take() {
                    Some(new) => pieces.get_or_insert_default().extend(new),
                    None => same = change.at.and_then(|at| self.root.at(at).text()),
                },
                ChangeKind::Flushed { pieces: new, .. } => {
                    let text = same.take().map(|text| Piece::Text(text.into_owned()));
                    pieces.get_or_insert_default().extend(text);
                    pieces.get_or_insert_default().append(new);
                }
                _ => {}
            }
        }
        let pieces = joined(pieces?);
        let text = self.inner.given(text_key(self.is_chat)).unwrap_or_default();
        let is_same = matches!(&pieces[..], [Piece::Text(left)] if *left == text);
        (!is_same).then_some(pieces)
    }

    /// The text that a line repeats beside its message is the same.
    fn repeat(&mut self, text: &str) {
        let copy = self.root.get("response").filter(|copy| !copy.is(text));
        if let Some(copy) = copy.filter(|copy| !copy.is_empty()) {
            self.patch.replace(copy, string(text));
        }
    }

    /// Puts what was found beside what is there.
    fn merge(&mut self, group: &Group) {
        let (inner, patch) = (self.inner, &mut self.patch);
        patch.set(inner, text_key(self.is_chat), &string(&group.text), false);
        if !group.thinking.is_empty() {
            let is_there = inner
                .member("thinking")
                .and_then(|t| patch.value_of(t))
                .is_some();
            let before = inner
                .given("thinking")
                .filter(|_| is_there)
                .unwrap_or_default();
            let all = string(&format!("{before}{}", group.thinking));
            patch.set(inner, "thinking", &all, false);
        }
        if group.calls.is_empty() {
            return;
        }
        match inner.get("tool_calls") {
            Some(list) if self.has_calls => patch.append(list, &group.calls.join(",")),
            Some(list) => {
                patch.restore(list);
                patch.replace(list, list_of(&group.calls));
            }
            None => patch.set(inner, "tool_calls", &list_of(&group.calls), false),
        }
    }
}

/// Whether nothing is left in a message.
fn is_void(inner: Value<'_>, is_chat: bool, patch: &Patch) -> bool {
    let keys = [text_key(is_chat), "thinking", "tool_calls"];
    let says = |key: &&str| match inner.member(key) {
        Some(value) => patch
            .value_of(value)
            .is_some_and(|json| json != "\"\"" && json != "null"),
        None => patch.adds(inner, key),
    };
    !keys.iter().any(says)
}

fn text_key(is_chat: bool) -> &'static str {
    if is_chat { "content" } else { "response" }
}
