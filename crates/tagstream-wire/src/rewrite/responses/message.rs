//! A message item as it streams: what comes of it.
//!
//! Its announcement waits until there is text to show: there may be none. What is found in the
//! text goes to items of its own, and the text after that to another message.

use super::desk::Desk;
use super::event::Event;
use super::held::Held;
use super::made::Made;
use super::written::{Place, Thought};
use crate::rewrite::object::{Object, list, list_of, string};
use crate::rewrite::reading::{Pieces, Reading};

/// A message item of the provider.
#[derive(Debug)]
pub(super) struct Message {
    /// The item as it was announced.
    pub(super) item: Object<'static>,
    /// Its id, until an item was written under it.
    pub(super) id: Option<String>,
    /// What waits until there is text to show, in its order.
    pub(super) held: Vec<Held>,
    /// Frames that belong to no item wait too.
    pub(super) is_patient: bool,
    /// Any text has come.
    pub(super) has_come: bool,
    /// How many parts have begun.
    begun: u64,
    pub(super) part: Option<Part>,
    /// The message item that is open in what was written.
    pub(super) place: Option<Place>,
    /// The thought that is open in what was written.
    pub(super) thought: Option<Thought>,
}

/// The part of a message that is being read.
#[derive(Debug)]
pub(super) struct Part {
    index: u64,
    /// The part as it was announced.
    pub(super) json: Object<'static>,
    /// `None` once it has been read to its end.
    reading: Option<Reading>,
    has_come: bool,
    /// It is open in what was written, with this text so far.
    pub(super) is_open: bool,
    pub(super) text: String,
}

impl Message {
    /// One that an event announces; or one that begins without.
    pub(super) fn new(announced: Option<Event<'_>>, id: Option<&str>, made: &mut Made) -> Self {
        let mut item = announced.as_ref().map(|event| event.inner("item"));
        let mut held = Vec::new();
        if let (Some(mut event), Some(item)) = (announced, &mut item) {
            // What is in it comes again at its end.
            if !list(item.given("content")).is_empty() {
                item.set("content", "[]");
                event.set("item", item.json());
            }
            held.push(Held::Item(event.into_owned()));
        }
        let item = item.map_or_else(bare_item, Object::into_owned);
        let given = item.text("id").map(std::borrow::Cow::into_owned);
        let id = given.or(id.map(str::to_owned));
        Message {
            item,
            id: Some(id.unwrap_or_else(|| made.message())),
            held,
            is_patient: true,
            has_come: false,
            begun: 0,
            part: None,
            place: None,
            thought: None,
        }
    }

    /// An event of the message, other than its announcement and its end.
    pub(super) fn event(&mut self, kind: &str, event: Event<'_>, desk: &mut Desk<'_, '_>) {
        match kind {
            "content_part.added" => self.part_begins(event, desk),
            "output_text.delta" => self.delta(event, desk),
            "output_text.done" => self.text_ends(event, desk),
            "content_part.done" => self.part_ends(event, desk),
            _ if kind.starts_with("output_text.") => self.beside_text(event, desk),
            _ => {
                self.announce_refusal(kind, &event, desk);
                self.pass(event, desk);
            }
        }
    }

    /// A refusal that comes without a word, though clients want it announced.
    fn announce_refusal(&mut self, kind: &str, event: &Event<'_>, desk: &mut Desk<'_, '_>) {
        let index = event.object.number("content_index").unwrap_or(0);
        if kind.starts_with("refusal.") && index >= self.begun {
            self.pass_made(index, r#"{"type":"refusal","refusal":""}"#, desk);
        }
    }

    fn part_begins(&mut self, mut event: Event<'_>, desk: &mut Desk<'_, '_>) {
        self.leave_part(desk);
        let mut json = event.inner("part");
        if json.text("type").as_deref() != Some("output_text") {
            return self.pass(event, desk);
        }
        let given = json.text("text");
        if given.is_some() {
            json.set("text", "\"\"");
            event.set("part", json.json());
        }
        let index = event.object.number("content_index").unwrap_or(self.begun);
        self.begin_part(index, json.into_owned(), desk);
        self.held.push(Held::Part(event.into_owned()));
        if let Some(text) = given {
            self.read(&text, desk);
        }
    }

    fn begin_part(&mut self, index: u64, json: Object<'static>, desk: &Desk<'_, '_>) {
        self.begun = self.begun.max(index.saturating_add(1));
        self.part = Some(Part {
            index,
            json,
            reading: Some(Reading::new(*desk.course, desk.setup)),
            has_come: false,
            is_open: false,
            text: String::new(),
        });
    }

    /// The part that an event belongs to; it may have begun without a word.
    fn select(&mut self, event: &Event<'_>, desk: &mut Desk<'_, '_>) {
        let open = self.part.as_ref().map(|part| part.index);
        let index = event.object.number("content_index");
        let index = index.or(open).unwrap_or(0);
        if open != Some(index) {
            self.leave_part(desk);
            self.begin_part(index, bare_part(), desk);
        }
    }

    fn delta(&mut self, event: Event<'_>, desk: &mut Desk<'_, '_>) {
        let text = event.object.text("delta").unwrap_or_default();
        self.select(&event, desk);
        if text.is_empty() {
            return self.beside_text(event, desk);
        }
        let mut pieces = Pieces::default();
        if self.push(&text, &mut pieces, desk) {
            self.make_room(text.len(), desk);
            self.open(true, desk);
            self.note(&text);
            return self.write_in_part(event, desk);
        }
        desk.writer.shift();
        self.pieces(pieces, desk);
    }

    /// Reads on; whether the text is left as it is.
    fn push(&mut self, text: &str, pieces: &mut Pieces, desk: &mut Desk<'_, '_>) -> bool {
        self.has_come = true;
        let Some(part) = &mut self.part else {
            return false;
        };
        part.has_come = true;
        match &mut part.reading {
            Some(reading) => reading.push(text, desk.setup, pieces),
            None => false,
        }
    }

    /// Reads text that came in no delta.
    fn read(&mut self, text: &str, desk: &mut Desk<'_, '_>) {
        let mut pieces = Pieces::default();
        self.push(text, &mut pieces, desk);
        self.pieces(pieces, desk);
    }

    /// Reads the part to its end, of which this is all the text, if it has not come before.
    fn end_text(&mut self, whole: Option<&str>, desk: &mut Desk<'_, '_>) {
        let Some(part) = &mut self.part else { return };
        if let Some(text) = whole.filter(|_| !part.has_come) {
            self.read(text, desk);
        }
        let reading = self.part.as_mut().and_then(|part| part.reading.take());
        if let Some(reading) = reading {
            let mut pieces = Pieces::default();
            *desk.course = reading.finish(desk.setup, &mut pieces);
            self.pieces(pieces, desk);
        }
    }

    fn text_ends(&mut self, mut event: Event<'_>, desk: &mut Desk<'_, '_>) {
        self.select(&event, desk);
        self.end_text(event.object.text("text").as_deref(), desk);
        if !self.is_shown(desk) {
            return desk.writer.shift();
        }
        let text = self.part.as_ref().map_or("", |part| &part.text);
        let changes = event.set_text("text", text);
        if changes && event.object.get("logprobs").is_some() {
            event.set("logprobs", "[]".to_owned());
        }
        self.write_in_part(event, desk);
    }

    fn part_ends(&mut self, mut event: Event<'_>, desk: &mut Desk<'_, '_>) {
        let json = event.inner("part");
        if json.text("type").as_deref() != Some("output_text") {
            return self.pass(event, desk);
        }
        self.select(&event, desk);
        self.end_text(json.text("text").as_deref(), desk);
        if !self.is_shown(desk) {
            desk.writer.shift();
            return self.leave_part(desk);
        }
        if let Some(part) = &mut self.part {
            part.json = json.into_owned();
            if let Some(json) = with_text(&part.json, &part.text) {
                event.set("part", json);
            }
        }
        self.write_in_part(event, desk);
        self.leave_part(desk);
    }

    /// Whether the end of the part may be written: some of it was, or nothing came that could be.
    fn is_shown(&mut self, desk: &mut Desk<'_, '_>) -> bool {
        let Some(part) = &self.part else { return false };
        let is_empty = !part.has_come;
        if is_empty {
            // The provider's own is empty, and may stay so.
            self.open(true, desk);
        }
        self.part.as_ref().is_some_and(|part| part.is_open)
    }

    /// What belongs to a text but is not text, such as annotations.
    fn beside_text(&mut self, event: Event<'_>, desk: &mut Desk<'_, '_>) {
        match &self.part {
            Some(part) if part.is_open => self.write_in_part(event, desk),
            Some(part) if !part.has_come && !self.held.iter().any(Held::is_of_part) => {
                self.held.push(Held::OfPart(event.into_owned()));
            }
            _ => desk.writer.shift(),
        }
    }

    /// A part that is not text, such as a refusal.
    fn pass(&mut self, event: Event<'_>, desk: &mut Desk<'_, '_>) {
        let index = event.object.number("content_index").unwrap_or(0);
        self.turn_to(index, desk);
        self.write_at(event, index, desk);
    }

    /// The same, announced by us.
    fn pass_made(&mut self, index: u64, part: &str, desk: &mut Desk<'_, '_>) {
        self.turn_to(index, desk);
        self.made_in_part("content_part.added", "part", part, desk);
        self.pass_part(index);
    }

    fn turn_to(&mut self, index: u64, desk: &mut Desk<'_, '_>) {
        if self.part.as_ref().is_some_and(|part| part.index != index) {
            self.leave_part(desk);
        }
        self.begun = self.begun.max(index.saturating_add(1));
        self.make_room(0, desk);
        self.open(false, desk);
    }

    /// The item is over.
    pub(super) fn end(mut self, mut event: Event<'_>, desk: &mut Desk<'_, '_>) {
        let mut item = event.inner("item");
        let content = list(item.given("content"));
        self.last_parts(&content, desk);
        self.leave_part(desk);
        if !self.has_come && self.place.is_none() {
            self.open(false, desk);
        }
        self.release(desk);
        self.close_thought(desk);
        let Some(place) = self.place.take() else {
            return desk.writer.shift();
        };
        event.set_number("output_index", place.number);
        let own = item.says("id", &place.id);
        let parts = place.content(&content);
        if !own || parts != content {
            item.set_text("id", &place.id);
            item.set("content", list_of(&parts));
            event.set("item", item.json());
        }
        desk.event(event);
    }

    /// The parts that come only with the end of the item.
    fn last_parts(&mut self, content: &[&str], desk: &mut Desk<'_, '_>) {
        for (json, index) in content.iter().zip(0..) {
            let json = Object::parse(json).unwrap_or_default();
            let is_text = json.text("type").as_deref() == Some("output_text");
            let text = json.text("text");
            if self.part.as_ref().is_some_and(|part| part.index == index) {
                self.end_text(text.as_deref(), desk);
                continue;
            }
            if index < self.begun {
                continue;
            }
            self.leave_part(desk);
            match text {
                Some(text) if is_text => {
                    self.begin_part(index, json.into_owned(), desk);
                    self.end_text(Some(&text), desk);
                }
                _ => {
                    self.begun = index + 1;
                    self.open(false, desk);
                    self.pass_part(index);
                }
            }
        }
    }

    /// The part is over, whether anybody said so or not.
    pub(super) fn leave_part(&mut self, desk: &mut Desk<'_, '_>) {
        self.end_text(None, desk);
        self.close_thought(desk);
        let Some(part) = self.part.take() else { return };
        if let Some(place) = self.place.as_mut().filter(|_| part.is_open) {
            place.add(part.index, &part.json, part.text);
        }
        self.held.retain(|held| !held.is_of_part());
        if part.has_come || self.holds_too_much(desk.setup.options.frame_limit) {
            self.held.retain(|held| !matches!(held, Held::Part(_)));
        }
    }

    /// The response is over, and nobody has said that the item is.
    pub(super) fn abandon(mut self, desk: &mut Desk<'_, '_>) {
        self.end_text(None, desk);
        self.release(desk);
        self.close_thought(desk);
        self.close("incomplete", desk);
    }

    /// The stream is over: what is open stays so.
    pub(super) fn lose(&mut self, desk: &mut Desk<'_, '_>) {
        self.end_text(None, desk);
        if !self.has_come && !self.held.is_empty() {
            self.open(false, desk);
        }
        self.release(desk);
    }

    pub(super) fn part_index(&self) -> u64 {
        self.part.as_ref().map_or(0, |part| part.index)
    }
}

/// The part with another text; `None` if it is this one.
pub(super) fn with_text(part: &Object<'_>, text: &str) -> Option<String> {
    if part.says("text", text) {
        return None;
    }
    let mut part = part.clone();
    part.set("text", string(text));
    if part.get("logprobs").is_some() {
        part.set("logprobs", "[]");
    }
    Some(part.json())
}

/// A message that nobody has announced.
fn bare_item() -> Object<'static> {
    let json = r#"{"type":"message","status":"in_progress","role":"assistant","content":[]}"#;
    Object::parse(json).unwrap_or_default()
}

/// A part that nobody has announced.
fn bare_part() -> Object<'static> {
    let json = r#"{"type":"output_text","text":"","annotations":[]}"#;
    Object::parse(json).unwrap_or_default()
}
