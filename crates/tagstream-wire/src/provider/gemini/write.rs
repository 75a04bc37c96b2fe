//! Writes Gemini's responses.
//!
//! A frame holds any number of parts, so that no frame needs to be added.

use super::candidates;
use crate::json::{Kind, Patch, Tape, Value, list_of, string};
use crate::provider::Input;
use crate::rewrite::{ChangeKind, Changes, Cx, Out, Piece, Pieces, Style, Write, joined};

/// What a candidate says of the tokens of its text: it no longer does.
const SIDE: [&str; 2] = ["logprobsResult", "avgLogprobs"];

/// A part in the place of those that are gone.
const NOTHING: &str = r#"{"text":""}"#;

/// Writes the frames of one stream.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    /// A frame that says that it is the last. Some versions say so in every frame, so that it
    /// waits for the next one, or for the end.
    last: Option<Last>,
}

#[derive(Debug)]
struct Last {
    raw: Vec<u8>,
    style: Style,
    json: String,
    is_changed: bool,
    /// What came after it.
    after: Vec<u8>,
}

impl Write for Writer {
    fn json(&mut self, input: Input<'_>, mut changes: Changes, cx: &mut Cx<'_, '_>) {
        self.flush(&mut changes, cx);
        self.release(&mut cx.out);
        let root = input.doc.root();
        let mut patch = Patch::default();
        let mut is_last = false;
        for (index, candidate) in candidates(root) {
            is_last |= candidate.get("finishReason").is_some();
            edit(candidate, index, &mut changes, &mut patch, cx);
        }
        let is_changed = !patch.is_empty();
        if is_changed {
            patch.drop_shadowed(input.doc);
        }
        match (is_last, is_changed) {
            (true, _) => {
                self.last = Some(Last {
                    raw: cx.out.raw.to_vec(),
                    style: cx.out.style,
                    json: patch.json(input.doc),
                    is_changed,
                    after: Vec::new(),
                });
            }
            (false, true) => cx.out.patched(input.doc, patch, None),
            (false, false) => cx.out.same(),
        }
    }

    fn done(&mut self, mut changes: Changes, cx: &mut Cx<'_, '_>) {
        self.flush(&mut changes, cx);
        self.release(&mut cx.out);
        cx.out.same();
    }

    fn empty(&mut self, _event: Option<&str>, cx: &mut Cx<'_, '_>) {
        self.aside(cx);
    }

    /// What says nothing. If too much of it comes after the last frame, nobody waits for the end
    /// any longer.
    fn aside(&mut self, cx: &mut Cx<'_, '_>) {
        if let Some(last) = &mut self.last {
            if last.after.len() + cx.out.raw.len() <= cx.options.frame_limit {
                return last.after.extend_from_slice(cx.out.raw);
            }
            self.release(&mut cx.out);
        }
        cx.out.same();
    }

    fn hurry(&mut self, cx: &mut Cx<'_, '_>) {
        self.release(&mut cx.out);
    }

    fn finish(&mut self, mut changes: Changes, cx: &mut Cx<'_, '_>) {
        self.flush(&mut changes, cx);
        self.release(&mut cx.out);
    }
}

impl Writer {
    /// Writes the rest of texts: into the last frame, if it was one.
    fn flush(&mut self, changes: &mut Changes, cx: &mut Cx<'_, '_>) {
        for change in &mut changes.list {
            let ChangeKind::Flushed { slot, pieces } = &mut change.kind else {
                continue;
            };
            let parts: Vec<String> = parts_of(std::mem::take(pieces));
            match &mut self.last {
                _ if parts.is_empty() => {}
                Some(last) => last.add(slot.choice, &parts),
                None => lost(slot.choice, &parts, &mut cx.out),
            }
        }
    }

    /// Writes the frame that seemed to be the last.
    fn release(&mut self, out: &mut Out<'_>) {
        let Some(last) = self.last.take() else { return };
        let mut out = Out {
            style: last.style,
            raw: &last.raw,
            bytes: &mut *out.bytes,
        };
        if last.is_changed {
            out.edited(&last.json);
        } else {
            out.same();
        }
        out.bytes.extend(last.after);
    }
}

/// Edits a candidate.
fn edit(
    candidate: Value<'_>,
    index: u64,
    changes: &mut Changes,
    patch: &mut Patch,
    cx: &Cx<'_, '_>,
) {
    if cx.hides() {
        drop_side(candidate, patch);
    }
    let content = candidate.get("content");
    let Some(list) = content.and_then(|content| content.get("parts")) else {
        return;
    };
    let mut is_changed = false;
    let mut parts = Vec::new();
    for part in list.list() {
        match edited_part(part, index, changes, cx) {
            Some(new) => {
                is_changed = true;
                parts.extend(new);
            }
            None => parts.push(part.raw().to_owned()),
        }
    }
    if !is_changed {
        return;
    }
    if parts.is_empty() {
        parts.push(NOTHING.to_owned());
    }
    patch.replace(list, list_of(&parts));
    drop_side(candidate, patch);
}

fn drop_side(candidate: Value<'_>, patch: &mut Patch) {
    for key in SIDE {
        patch.drop_member(candidate, key);
    }
}

/// What a part becomes; `None` if it stays.
fn edited_part(
    part: Value<'_>,
    index: u64,
    changes: &mut Changes,
    cx: &Cx<'_, '_>,
) -> Option<Vec<String>> {
    for change in &mut changes.list {
        if !change.at.is_some_and(|at| part.contains(at)) {
            continue;
        }
        match &mut change.kind {
            ChangeKind::Text { slot, pieces, .. } if slot.choice == index => {
                let mut parts = parts_of(pieces.take()?);
                sign(&mut parts, part);
                return Some(parts);
            }
            ChangeKind::Thought { .. } if cx.hides() => return Some(Vec::new()),
            ChangeKind::Call { native, .. } if native.is_held || native.is_twin => {
                return Some(Vec::new());
            }
            _ => {}
        }
    }
    // A signature signs thinking, also where it is alone.
    let is_thought = part.is_true("thought");
    (is_thought && cx.hides()).then(Vec::new)
}

impl Last {
    /// Puts further parts into one of its candidates, or into a new one.
    fn add(&mut self, index: u64, parts: &[String]) {
        let json = std::mem::take(&mut self.json);
        let mut tape = Tape::default();
        let Ok(doc) = tape.read(&json) else { return };
        let mut patch = Patch::default();
        let known = candidates(doc.root()).find(|(known, _)| *known == index);
        let list = doc.root().get("candidates");
        match (known, list.filter(|list| list.kind() == Kind::List)) {
            (Some((_, candidate)), _) => with_parts(candidate, parts, &mut patch),
            (None, Some(list)) if list.is_empty() => {
                patch.replace(list, list_of(&[candidate_of(index, parts)]));
            }
            (None, Some(list)) => patch.append(list, &candidate_of(index, parts)),
            (None, None) => {}
        }
        self.json = patch.json(doc);
        self.is_changed = true;
    }
}

fn with_parts(candidate: Value<'_>, parts: &[String], patch: &mut Patch) {
    let content = candidate
        .get("content")
        .filter(|content| content.is_object());
    let Some(content) = content else {
        let content = format!("{{\"parts\":{},\"role\":\"model\"}}", list_of(parts));
        return patch.set(candidate, "content", &content, false);
    };
    let list = content.get("parts").into_iter().flat_map(Value::list);
    let given = list.map(Value::raw).filter(|json| *json != NOTHING);
    let all: Vec<&str> = given.chain(parts.iter().map(String::as_str)).collect();
    patch.set(content, "parts", &list_of(&all), false);
    if !content.has("role") {
        patch.set(content, "role", "\"model\"", false);
    }
}

fn candidate_of(index: u64, parts: &[String]) -> String {
    let parts = list_of(parts);
    format!("{{\"content\":{{\"parts\":{parts},\"role\":\"model\"}},\"index\":{index}}}")
}

/// The rest of a text whose stream has lost its end.
fn lost(index: u64, parts: &[String], out: &mut Out<'_>) {
    let response = format!("{{\"candidates\":[{}]}}", candidate_of(index, parts));
    out.new_frame(&response);
}

/// What else was in a part, such as its signature, stays with the last of what it became.
fn sign(parts: &mut Vec<String>, part: Value<'_>) {
    let rest = part.items().filter(|member| member.key() != "text");
    let rest: Vec<String> = rest
        .map(|member| format!("{}:{}", string(&member.key()), member.raw()))
        .collect();
    if !rest.is_empty() {
        let last = parts.pop().unwrap_or(NOTHING.to_owned());
        parts.push(format!("{},{}}}", &last[..last.len() - 1], rest.join(",")));
    }
}

fn parts_of(pieces: Pieces) -> Vec<String> {
    joined(pieces).into_iter().filter_map(part).collect()
}

/// Calls have no fragments here: they are always whole.
fn part(piece: Piece) -> Option<String> {
    match piece {
        Piece::Text(text) => Some(format!("{{\"text\":{}}}", string(&text))),
        Piece::Thought(text) => Some(format!("{{\"text\":{},\"thought\":true}}", string(&text))),
        Piece::Call(call) => Some(format!(
            "{{\"functionCall\":{{\"name\":{},\"args\":{}}}}}",
            string(&call.name),
            call.arguments
        )),
        _ => None,
    }
}
