//! A message item as it streams: what is written of it.

use super::desk::Desk;
use super::event::Event;
use super::held::Held;
use super::made;
use super::message::{Message, with_text};
use crate::rewrite::object::{Object, list_of, string};
use crate::rewrite::reading::{Call, Piece, Pieces};
use std::collections::HashMap;

/// A message item that is open in what was written.
#[derive(Debug)]
pub(super) struct Place {
    /// Its place among the items.
    pub(super) number: u64,
    pub(super) id: String,
    /// Its parts that are over.
    parts: Vec<Done>,
    /// Where the first of them is that has this place in the provider's item.
    places: HashMap<u64, usize>,
    /// Their bytes.
    size: usize,
}

/// A part that is over.
#[derive(Debug)]
struct Done {
    /// Its place in the provider's item.
    index: u64,
    /// It as far as it is known.
    json: String,
    /// The text that is left of it; `None` if it is not text.
    text: Option<String>,
}

impl Place {
    /// A part of text is over.
    pub(super) fn add(&mut self, index: u64, part: &Object<'_>, text: String) {
        let json = with_text(part, &text).unwrap_or_else(|| part.json());
        self.size += json.len();
        self.places.entry(index).or_insert(self.parts.len());
        self.parts.push(Done {
            index,
            json,
            text: Some(text),
        });
    }

    /// The place of a part that is passed on.
    fn passed(&mut self, index: u64) -> u64 {
        let at = *self.places.entry(index).or_insert(self.parts.len());
        if at == self.parts.len() {
            let (json, text) = ("{}".to_owned(), None);
            self.size += size_of::<Done>() + size_of::<(u64, usize)>();
            self.parts.push(Done { index, json, text });
        }
        at as u64
    }

    /// The content of the item, from what the provider says of it.
    pub(super) fn content(&self, given: &[&str]) -> Vec<String> {
        let part = |done: &Done| {
            let given = usize::try_from(done.index)
                .ok()
                .and_then(|at| given.get(at));
            let json = given.map_or(&*done.json, |json| json);
            let changed = match (&done.text, Object::parse(json)) {
                (Some(text), Some(part)) => with_text(&part, text),
                _ => None,
            };
            changed.unwrap_or_else(|| json.to_owned())
        };
        self.parts.iter().map(part).collect()
    }
}

/// A thought that is open in what was written.
#[derive(Debug)]
pub(super) struct Thought {
    number: String,
    id: String,
    text: String,
}

impl Message {
    /// Writes what was found, each in an item of its kind.
    pub(super) fn pieces(&mut self, pieces: Pieces, desk: &mut Desk<'_, '_>) {
        if pieces.0.is_empty() {
            self.wait(desk);
        }
        for piece in pieces.0 {
            match piece {
                Piece::Text(text) => self.text(&text, desk),
                Piece::Thought(text) => self.think(&text, desk),
                Piece::Call(call) => self.call(&call, desk),
            }
        }
    }

    fn text(&mut self, text: &str, desk: &mut Desk<'_, '_>) {
        self.make_room(text.len(), desk);
        self.open(true, desk);
        self.note(text);
        let text = string(text);
        self.made_in_part("output_text.delta", "delta", &text, desk);
    }

    fn think(&mut self, text: &str, desk: &mut Desk<'_, '_>) {
        self.close("completed", desk);
        let limit = desk.setup.options.frame_limit;
        if let Some(thought) = &self.thought
            && thought.text.len() + text.len() > limit
        {
            self.close_thought(desk);
        }
        let thought = self.thought.get_or_insert_with(|| Thought::open(desk));
        thought.text.push_str(text);
        thought.made("reasoning_text.delta", "delta", &string(text), desk);
    }

    fn call(&mut self, call: &Call, desk: &mut Desk<'_, '_>) {
        self.close("completed", desk);
        self.close_thought(desk);
        let ids = desk.made.call();
        let number = desk.writer.item().to_string();
        let (id, name) = (string(&ids.item), string(&call.name));
        let arguments = string(&call.arguments);
        let (begun, whole) = (made::call(&ids, call, false), made::call(&ids, call, true));
        let place = ("output_index", &*number);
        let of_item = [("item_id", &*id), place];
        let delta = [&of_item[..], &[("delta", &*arguments)]].concat();
        let done = [("name", &*name), ("arguments", &*arguments)];
        let done = [&of_item[..], &done].concat();
        desk.made("output_item.added", &[place, ("item", &begun)]);
        desk.made("function_call_arguments.delta", &delta);
        desk.made("function_call_arguments.done", &done);
        desk.made("output_item.done", &[place, ("item", &whole)]);
    }

    /// Writes all that waits, so that text or another part can follow.
    pub(super) fn open(&mut self, for_text: bool, desk: &mut Desk<'_, '_>) {
        self.close_thought(desk);
        if self.place.is_none() {
            self.open_item(desk);
        }
        for held in std::mem::take(&mut self.held) {
            match held {
                Held::Item(event) => self.write_item(event, desk),
                Held::Part(event) => {
                    self.write_in_part(event, desk);
                    self.is_open_now();
                }
                Held::OfPart(event) => self.write_in_part(event, desk),
                Held::Aside(aside) => aside.write(desk),
            }
        }
        if for_text && let Some(part) = self.part.as_ref().filter(|part| !part.is_open) {
            let mut json = part.json.clone();
            json.set("text", "\"\"");
            self.made_in_part("content_part.added", "part", &json.json(), desk);
            self.is_open_now();
        }
    }

    fn is_open_now(&mut self) {
        if let Some(part) = &mut self.part {
            part.is_open = true;
        }
    }

    /// The item gets its place; its announcement waits, or is made.
    fn open_item(&mut self, desk: &mut Desk<'_, '_>) {
        let id = self.id.take().unwrap_or_else(|| desk.made.message());
        let number = desk.writer.item();
        let is_held = |held: &Held| matches!(held, Held::Item(_));
        if !self.held.iter().any(is_held) {
            let item = self.item_with(&id, "in_progress", &[]);
            let fields = [("output_index", &*number.to_string()), ("item", &item)];
            desk.made("output_item.added", &fields);
        }
        self.place = Some(Place {
            number,
            id,
            parts: Vec::new(),
            places: HashMap::new(),
            size: 0,
        });
    }

    fn write_item(&self, mut event: Event<'_>, desk: &mut Desk<'_, '_>) {
        if let Some(place) = &self.place {
            event.set_number("output_index", place.number);
            if !self.item.says("id", &place.id) {
                event.set("item", self.item_with(&place.id, "in_progress", &[]));
            }
        }
        desk.event(event);
    }

    fn item_with(&self, id: &str, status: &str, parts: &[String]) -> String {
        let mut item = self.item.clone();
        item.set("id", string(id));
        item.set("status", string(status));
        item.set("content", list_of(parts));
        item.json()
    }

    /// Writes an event of the part that is open, which came.
    pub(super) fn write_in_part(&mut self, event: Event<'_>, desk: &mut Desk<'_, '_>) {
        let at = self.place.as_ref().map_or(0, |place| place.parts.len());
        self.write_with(event, at as u64, desk);
    }

    /// Writes an event of a part that is passed on.
    pub(super) fn write_at(&mut self, event: Event<'_>, index: u64, desk: &mut Desk<'_, '_>) {
        let at = self.pass_part(index);
        self.write_with(event, at, desk);
    }

    /// The place of a part that is passed on.
    pub(super) fn pass_part(&mut self, index: u64) -> u64 {
        let place = self.place.as_mut();
        place.map_or(0, |place| place.passed(index))
    }

    fn write_with(&self, mut event: Event<'_>, at: u64, desk: &mut Desk<'_, '_>) {
        if let Some(place) = &self.place {
            event.set_text("item_id", &place.id);
            event.set_number("output_index", place.number);
            event.set_number("content_index", at);
        }
        desk.event(event);
    }

    /// Writes an event of the part that is open, which is ours.
    pub(super) fn made_in_part(&self, kind: &str, key: &str, json: &str, desk: &mut Desk<'_, '_>) {
        let Some(place) = &self.place else { return };
        let (id, number) = (string(&place.id), place.number.to_string());
        let at = place.parts.len().to_string();
        let mut fields = vec![("item_id", &*id), ("output_index", &number)];
        fields.extend([("content_index", &*at), (key, json)]);
        if kind.starts_with("output_text.") {
            fields.push(("logprobs", "[]"));
        }
        desk.made(kind, &fields);
    }

    /// The text that the part has now.
    pub(super) fn note(&mut self, text: &str) {
        if let Some(part) = &mut self.part {
            part.text.push_str(text);
        }
    }

    /// A message that is too long for one event ends here; another goes on.
    pub(super) fn make_room(&mut self, length: usize, desk: &mut Desk<'_, '_>) {
        let written = self.part.as_ref().map_or(0, |part| part.text.len());
        let parts = self.place.as_ref().map_or(0, |place| place.size);
        let size = written + parts;
        if size > 0 && size + length > desk.setup.options.frame_limit {
            self.close("completed", desk);
        }
    }

    /// Ends the message that is open.
    pub(super) fn close(&mut self, status: &str, desk: &mut Desk<'_, '_>) {
        if let Some(part) = self.part.as_ref().filter(|part| part.is_open) {
            let text = string(&part.text);
            let json = with_text(&part.json, &part.text).unwrap_or_else(|| part.json.json());
            self.made_in_part("output_text.done", "text", &text, desk);
            self.made_in_part("content_part.done", "part", &json, desk);
        }
        let index = self.part_index();
        if let (Some(part), Some(place)) = (&mut self.part, &mut self.place)
            && std::mem::take(&mut part.is_open)
        {
            place.add(index, &part.json, std::mem::take(&mut part.text));
        }
        let Some(place) = self.place.take() else {
            return;
        };
        let item = self.item_with(&place.id, status, &place.content(&[]));
        let fields = [
            ("output_index", &*place.number.to_string()),
            ("item", &item),
        ];
        desk.made("output_item.done", &fields);
    }

    /// Ends the thought that is open.
    pub(super) fn close_thought(&mut self, desk: &mut Desk<'_, '_>) {
        let Some(thought) = self.thought.take() else {
            return;
        };
        let (text, part) = (string(&thought.text), made::thought_part(&thought.text));
        thought.made("reasoning_text.done", "text", &text, desk);
        thought.made("content_part.done", "part", &part, desk);
        let item = made::thought(&thought.id, Some(&thought.text));
        desk.made(
            "output_item.done",
            &[("output_index", &thought.number), ("item", &item)],
        );
    }
}

impl Thought {
    fn open(desk: &mut Desk<'_, '_>) -> Self {
        let thought = Thought {
            number: desk.writer.item().to_string(),
            id: desk.made.thought(),
            text: String::new(),
        };
        let item = made::thought(&thought.id, None);
        let fields = [("output_index", &*thought.number), ("item", &item)];
        desk.made("output_item.added", &fields);
        thought.made("content_part.added", "part", &made::thought_part(""), desk);
        thought
    }

    fn made(&self, kind: &str, key: &str, json: &str, desk: &mut Desk<'_, '_>) {
        let id = string(&self.id);
        let place = [("item_id", &*id), ("output_index", &self.number)];
        let fields = [&place[..], &[("content_index", "0"), (key, json)]].concat();
        desk.made(kind, &fields);
    }
}
