//! Ollama's own `/api/chat` and `/api/generate`.

use super::object::{Object, list, list_of, string};
use super::out::Out;
use super::reading::{Piece, Pieces, Reading, Setup};
use super::{Thinking, ids};
use crate::framing::frame::Message;
use crate::session::policies::Course;

/// What every line says of the answer.
const HEAD: [&str; 2] = ["model", "created_at"];

/// A stream of lines.
#[derive(Debug, Default)]
pub(super) struct Ollama {
    /// What its first line says of the answer, and whether it is a chat.
    head: Option<(Object<'static>, bool)>,
    suffix: String,
    reading: Option<Reading>,
    course: Course,
    /// How many calls there are.
    calls: u64,
}

impl Ollama {
    pub(super) fn frame(&mut self, message: &Message<'_>, setup: &mut Setup, out: &mut Out<'_>) {
        let data = message.json();
        match Object::parse(data) {
            Some(line) if line.has("message") || line.has("response") => {
                self.line(line, setup, out);
            }
            _ => out.same(),
        }
    }

    /// Ends the text of a stream that has lost its end.
    pub(super) fn finish(&mut self, setup: &mut Setup, out: &mut Out<'_>) {
        let mut pieces = Pieces::default();
        self.end(setup, &mut pieces);
        if let Some((head, is_chat)) = self.head.clone() {
            for inner in self.groups(pieces.0, false) {
                out.new_frame(&line_of(&head, &inner, is_chat));
            }
        }
    }

    fn line(&mut self, mut line: Object<'_>, setup: &mut Setup, out: &mut Out<'_>) {
        let is_chat = line.has("message");
        let is_done = line.get("done") == Some("true");
        // One that is the first and the last is an answer that does not stream.
        let is_body = is_done && self.head.is_none();
        self.learn(&line, is_chat);
        let mut inner = match is_chat {
            true => line
                .given("message")
                .and_then(Object::parse)
                .unwrap_or_default(),
            false => line.clone(),
        };
        let mut is_changed = self.native(&mut inner, setup);
        if let Some(pieces) = self.text(&inner, is_chat, is_done, setup) {
            is_changed = true;
            let mut groups = self.groups(pieces, is_body);
            merge(
                &mut inner,
                &groups.pop().unwrap_or_default(),
                text_key(is_chat),
            );
            let head = line.only(&HEAD);
            let lines = groups.iter().map(|group| line_of(&head, group, is_chat));
            lines.for_each(|line| out.new_frame(&line));
        }
        if !is_changed {
            return out.same();
        }
        if is_void(&inner, is_chat) && !is_done {
            return;
        }
        match is_chat {
            true => line.set("message", inner.json()),
            false => line = inner,
        }
        out.edited(&line.json());
    }

    /// What becomes of a line's text; `None` if it can stay.
    fn text(
        &mut self,
        inner: &Object<'_>,
        is_chat: bool,
        is_done: bool,
        setup: &mut Setup,
    ) -> Option<Vec<Piece>> {
        let mut pieces = Pieces::default();
        let text = inner.text(text_key(is_chat)).unwrap_or_default();
        let mut is_same = text.is_empty() || self.read(&text, setup, &mut pieces);
        if is_done {
            let before = pieces.0.clone();
            self.end(setup, &mut pieces);
            is_same &= before == pieces.0;
        }
        (!is_same).then_some(pieces.0)
    }

    fn learn(&mut self, line: &Object<'_>, is_chat: bool) {
        if self.head.is_none() {
            let time = line.text("created_at").unwrap_or_default();
            self.suffix = ids::suffix(&time);
            self.head = Some((line.only(&HEAD).into_owned(), is_chat));
        }
    }

    /// Edits native thinking and calls; returns whether anything changed.
    fn native(&mut self, inner: &mut Object<'_>, setup: &Setup) -> bool {
        self.course
            .thinks(&inner.text("thinking").unwrap_or_default());
        let calls = list(inner.given("tool_calls")).len() as u64;
        self.calls += calls;
        self.course.calls(calls);
        let hides = setup.options.thinking == Thinking::Hide;
        hides && inner.text("thinking").is_some() && inner.remove("thinking")
    }

    fn read(&mut self, text: &str, setup: &mut Setup, pieces: &mut Pieces) -> bool {
        let course = self.course;
        let reading = self
            .reading
            .get_or_insert_with(|| Reading::new(course, setup));
        reading.push(text, setup, pieces)
    }

    fn end(&mut self, setup: &mut Setup, pieces: &mut Pieces) {
        if let Some(reading) = self.reading.take() {
            reading.finish(setup, pieces);
        }
    }

    /// The pieces, a line for each; all in one where nothing streams.
    fn groups(&mut self, pieces: Vec<Piece>, is_one: bool) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for piece in pieces {
            if groups.is_empty() || !is_one {
                groups.push(Group::default());
            }
            let call = matches!(piece, Piece::Call(_)).then(|| self.number());
            if let Some(group) = groups.last_mut() {
                group.add(piece, call, &self.suffix);
            }
        }
        groups
    }

    fn number(&mut self) -> u64 {
        self.calls += 1;
        self.calls - 1
    }
}

/// What goes into a line.
#[derive(Debug, Default)]
struct Group {
    text: String,
    thinking: String,
    calls: Vec<String>,
}

impl Group {
    fn add(&mut self, piece: Piece, number: Option<u64>, suffix: &str) {
        match piece {
            Piece::Text(text) => self.text.push_str(&text),
            Piece::Thought(text) => self.thinking.push_str(&text),
            Piece::Call(call) => {
                let number = number.unwrap_or(0);
                let id = string(&ids::call("call", suffix, 0, number));
                let (name, arguments) = (string(&call.name), &call.arguments);
                self.calls.push(format!(
                    "{{\"id\":{id},\"function\":{{\"index\":{number},\"name\":{name},\"arguments\":{arguments}}}}}"
                ));
            }
        }
    }
}

/// Puts what was found into a message, beside what is there.
fn merge(inner: &mut Object<'_>, group: &Group, key: &str) {
    inner.set_text(key, &group.text);
    if !group.thinking.is_empty() {
        let before = inner.text("thinking").unwrap_or_default();
        let all = format!("{before}{}", group.thinking);
        inner.set_text("thinking", &all);
    }
    if !group.calls.is_empty() {
        let mut calls = list(inner.given("tool_calls"));
        calls.extend(group.calls.iter().map(String::as_str));
        inner.set("tool_calls", list_of(&calls));
    }
}

/// A line of its own.
fn line_of(head: &Object<'_>, group: &Group, is_chat: bool) -> String {
    let mut line = head.clone();
    if is_chat {
        let mut message = Object::default();
        message.set("role", "\"assistant\"");
        merge(&mut message, group, "content");
        line.set("message", message.json());
    } else {
        merge(&mut line, group, "response");
    }
    line.set("done", "false");
    line.json()
}

/// Whether nothing is left in a message.
fn is_void(inner: &Object<'_>, is_chat: bool) -> bool {
    let keys = [text_key(is_chat), "thinking", "tool_calls"];
    let says = |key: &&str| inner.get(key).is_some_and(|json| json != "\"\"");
    !keys.iter().any(says)
}

fn text_key(is_chat: bool) -> &'static str {
    match is_chat {
        true => "content",
        false => "response",
    }
}
