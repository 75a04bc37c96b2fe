//! A whole response: what does not stream, and what comes at the end of a stream once more.

use super::made::{self, Made};
use super::message::with_text;
use crate::rewrite::Thinking;
use crate::rewrite::object::{Object, list, list_of, string};
use crate::rewrite::reading::{Piece, Pieces, Reading, Setup};
use crate::session::policies::Course;

/// The response as it should be; `None` if it can stay.
pub(super) fn rewrite(mut response: Object<'_>, setup: &mut Setup) -> Option<String> {
    let mut output = Output {
        made: Made::new(&response),
        ..Output::default()
    };
    for item in list(response.given("output")) {
        output.item(item, setup);
    }
    if !output.is_changed {
        return None;
    }
    response.set("output", list_of(&output.items));
    if response.get("output_text").is_some() {
        response.set("output_text", string(&output.text));
    }
    Some(response.json())
}

#[derive(Default)]
struct Output {
    made: Made,
    course: Course,
    items: Vec<String>,
    /// All text that is shown.
    text: String,
    is_changed: bool,
}

impl Output {
    fn item(&mut self, json: &str, setup: &mut Setup) {
        let item = Object::parse(json).unwrap_or_default();
        let hides = setup.options.thinking == Thinking::Hide;
        note(&item, &mut self.course);
        match item.text("type").as_deref() {
            Some("message") => self.message(&item, json, setup),
            Some("reasoning") if hides => self.is_changed = true,
            _ => self.items.push(json.to_owned()),
        }
    }

    fn message(&mut self, item: &Object<'_>, json: &str, setup: &mut Setup) {
        let mut message = Split {
            item,
            is_split: false,
            parts: Vec::new(),
            output: self,
        };
        let mut is_same = true;
        let before = message.output.items.len();
        for part in list(item.given("content")) {
            is_same &= message.part(part, setup);
        }
        if is_same {
            self.items.truncate(before);
            return self.items.push(json.to_owned());
        }
        message.close(None);
        self.is_changed = true;
    }
}

/// A message that is being split at what was found in it.
struct Split<'s> {
    item: &'s Object<'s>,
    /// An item has its id already.
    is_split: bool,
    /// The parts of the next item.
    parts: Vec<String>,
    output: &'s mut Output,
}

impl Split<'_> {
    /// Reads a part; whether it can stay.
    fn part(&mut self, json: &str, setup: &mut Setup) -> bool {
        let part = Object::parse(json).unwrap_or_default();
        let is_text = part.text("type").as_deref() == Some("output_text");
        let Some(text) = part.text("text").filter(|_| is_text) else {
            self.parts.push(json.to_owned());
            return true;
        };
        let mut pieces = Pieces::default();
        let mut reading = Reading::new(self.output.course, setup);
        reading.push(&text, setup, &mut pieces);
        self.output.course = reading.finish(setup, &mut pieces);
        let is_same = matches!(&pieces.0[..], [Piece::Text(left)] if *left == text);
        for piece in pieces.0 {
            self.piece(piece, &part);
        }
        is_same
    }

    fn piece(&mut self, piece: Piece, part: &Object<'_>) {
        match piece {
            Piece::Text(text) => {
                self.output.text.push_str(&text);
                let part = with_text(part, &text).unwrap_or_else(|| part.json());
                self.parts.push(part);
            }
            Piece::Thought(text) => {
                self.close(Some("completed"));
                let id = self.output.made.thought();
                self.output.items.push(made::thought(&id, Some(&text)));
            }
            Piece::Call(call) => {
                self.close(Some("completed"));
                let ids = self.output.made.call();
                self.output.items.push(made::call(&ids, &call, true));
            }
        }
    }

    /// Ends the item whose parts there are.
    fn close(&mut self, status: Option<&str>) {
        if self.parts.is_empty() {
            return;
        }
        let mut item = self.item.clone();
        if std::mem::replace(&mut self.is_split, true) {
            item.set("id", string(&self.output.made.message()));
        }
        if let Some(status) = status.filter(|_| item.has("status")) {
            item.set("status", string(status));
        }
        item.set("content", list_of(&self.parts));
        self.parts.clear();
        self.output.items.push(item.json());
    }
}

/// What an item of the provider's own says of how far the answer has come.
fn note(item: &Object<'_>, course: &mut Course) {
    match item.text("type").as_deref() {
        Some("function_call") => course.calls(1),
        Some("reasoning") => {
            let parts = ["summary", "content"].map(|key| list(item.given(key)));
            for part in parts.concat().into_iter().filter_map(Object::parse) {
                course.thinks(&part.text("text").unwrap_or_default());
            }
        }
        _ => {}
    }
}
