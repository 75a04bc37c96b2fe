//! A whole response: what does not stream, and what comes at the end of a stream once more.

use super::event::{Object, set_list};
use super::made::{self, Made};
use super::{is_call, is_message, is_thought, part_text, slot};
use crate::json::{Value, list_of, string};
use crate::message::{Course, Twin, Twins};
use crate::rewrite::{Cx, Piece};

/// Edits a response; `None` if it can stay. Ids are made from this one on.
pub(super) fn rewrite(response: Value<'_>, made: Made, cx: &Cx<'_, '_>) -> Option<String> {
    let mut output = Output {
        made,
        ..Output::default()
    };
    for item in response.get("output").into_iter().flat_map(Value::list) {
        output.item(item, cx);
    }
    if !output.is_changed {
        return None;
    }
    let mut object = Object::of(response);
    object.set("output", list_of(&output.items));
    if object.get("output_text").is_some() {
        object.set("output_text", string(&output.text));
    }
    Some(object.json())
}

/// The content of the last message that an item becomes; `None` if nothing of it is left.
pub(super) fn last_content(item: Value<'_>, cx: &Cx<'_, '_>) -> Option<Vec<String>> {
    let mut output = Output::default();
    output.message(item, cx);
    let last = output.items.pop().map(|json| Object::parse(&json))?;
    last.says("type", "message").then(|| last.list("content"))
}

#[derive(Default)]
struct Output {
    made: Made,
    course: Course,
    twins: Twins,
    /// How many calls there were, refused ones too.
    calls: u64,
    items: Vec<String>,
    /// All text that is shown.
    text: String,
    is_changed: bool,
}

impl Output {
    fn item(&mut self, item: Value<'_>, cx: &Cx<'_, '_>) {
        let is_thought = is_thought(item);
        if is_thought {
            let list = |key: &str| item.get(key).into_iter().flat_map(Value::list);
            for part in list("summary").chain(list("content")) {
                self.course.thinks(&part.given("text").unwrap_or_default());
            }
        }
        if is_call(item) {
            self.course.acts();
            let name = item.given("name").unwrap_or_default();
            let arguments = item.given("arguments").unwrap_or_default();
            let twin = Twin::new(&name, &arguments);
            if self.twins.take_found(twin.as_ref()) {
                return self.is_changed = true;
            }
            self.twins.native(twin);
            self.calls += 1;
        }
        match () {
            () if is_message(item) => self.message(item, cx),
            () if is_thought && cx.hides() => self.is_changed = true,
            () => {
                let new = with_id(&Object::of(item));
                self.is_changed |= new.is_some();
                self.items
                    .push(new.unwrap_or_else(|| item.raw().to_owned()));
            }
        }
    }

    fn message(&mut self, item: Value<'_>, cx: &Cx<'_, '_>) {
        let before = self.items.len();
        let mut message = Split {
            item,
            is_split: false,
            parts: Vec::new(),
            output: self,
        };
        let mut is_same = true;
        for part in item.get("content").into_iter().flat_map(Value::list) {
            is_same &= message.part(part, cx);
        }
        if is_same {
            self.items.truncate(before);
            return self.items.push(item.raw().to_owned());
        }
        message.close(None);
        self.is_changed = true;
    }
}

/// A message that is being split at what was found in it.
struct Split<'s, 'a> {
    item: Value<'a>,
    /// An item has its id already.
    is_split: bool,
    /// The parts of the next item.
    parts: Vec<String>,
    output: &'s mut Output,
}

impl Split<'_, '_> {
    /// Reads a part; whether it can stay.
    fn part(&mut self, part: Value<'_>, cx: &Cx<'_, '_>) -> bool {
        let text = part_text(part).and_then(Value::text);
        let Some(text) = text.filter(|text| !text.is_empty()) else {
            self.parts.push(part.raw().to_owned());
            return true;
        };
        let output = &mut *self.output;
        let read = cx.again(&text, output.course, output.calls, slot(0, 0));
        output.course = read.course;
        output.calls += read.calls;
        let is_same = matches!(&read.pieces[..], [Piece::Text(left)] if *left == text);
        let mut stays = is_same;
        for piece in read.pieces {
            stays &= self.piece(piece, part);
        }
        stays
    }

    fn piece(&mut self, piece: Piece, part: Value<'_>) -> bool {
        match piece {
            Piece::Text(text) => {
                self.output.text.push_str(&text);
                let part = Object::of(part);
                let part = with_text(&part, &text).unwrap_or_else(|| part.json());
                self.parts.push(part);
            }
            Piece::Thought(text) => {
                self.close(Some("completed"));
                let id = self.output.made.thought();
                self.output.items.push(made::thought(&id, Some(&text)));
            }
            Piece::Call(call) => {
                let twin = Twin::new(&call.name, &call.arguments);
                if (twin.as_ref()).is_some_and(|twin| self.output.twins.take_native(twin)) {
                    return false;
                }
                self.output.twins.found(twin);
                self.close(Some("completed"));
                let ids = self.output.made.call(&call);
                let call = made::call(&ids, &call.name, Some(&call.arguments));
                self.output.items.push(call);
            }
            _ => {}
        }
        true
    }

    /// Ends the item whose parts there are.
    fn close(&mut self, status: Option<&str>) {
        if self.parts.is_empty() {
            return;
        }
        let mut item = Object::of(self.item);
        if std::mem::replace(&mut self.is_split, true) {
            item.set("id", string(&self.output.made.message()));
        }
        if let Some(status) = status.filter(|_| item.has("status")) {
            item.set("status", string(status));
        }
        set_list(&mut item, "content", &self.parts);
        self.parts.clear();
        self.output.items.push(item.json());
    }
}

/// A call with an id, if it has none: events name it by the id of its call.
pub(super) fn with_id(item: &Object<'_>) -> Option<String> {
    let id = item.text("call_id").filter(|_| item.get("id").is_none())?;
    let mut item = item.clone();
    item.set("id", string(&id));
    Some(item.json())
}

/// The key under which a part has its text.
pub(super) fn text_key(part: &Object<'_>) -> &'static str {
    if part.has("refusal") && !part.has("text") {
        "refusal"
    } else {
        "text"
    }
}

/// The part with another text; `None` if it is this one.
pub(super) fn with_text(part: &Object<'_>, text: &str) -> Option<String> {
    let key = text_key(part);
    if part.says(key, text) {
        return None;
    }
    let mut part = part.clone();
    part.set(key, string(text));
    if part.get("logprobs").is_some() {
        part.set("logprobs", "[]");
    }
    Some(part.json())
}
