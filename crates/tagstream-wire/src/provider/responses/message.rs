//! A message item as it streams.
//!
//! Its announcement waits until there is text to show: there may be none. What is found in the
//! text goes to items of its own, and the text after that to another message.

use super::event::{Event, Object};
use super::made::{self, Made};
use super::output::{text_key, with_text};
use super::write::{Desk, OpenCall, write_call};
use crate::json::{list_of, string};
use crate::message::Course;
use crate::rewrite::{ChangeKind, Changes, Piece, Pieces, joined, text_of};
use std::collections::HashMap;

/// A message has no more frames that wait.
const MAX_HELD_FRAMES: usize = 16;

/// A frame that waits until a message has text to show.
#[derive(Debug)]
pub(super) enum Held {
    /// The announcement of the item.
    Item(Event<'static>),
    /// The announcement of its part.
    Part(Event<'static>),
    /// It belongs to the part, and is nothing without it.
    OfPart(Event<'static>),
    /// An event that belongs to no item.
    Event(Event<'static>),
    /// A frame that is not an event.
    Aside(Vec<u8>),
}

impl Held {
    fn is_of_part(&self) -> bool {
        matches!(self, Held::OfPart(_))
    }

    fn is_aside(&self) -> bool {
        matches!(self, Held::Event(_) | Held::Aside(_))
    }

    fn size(&self) -> usize {
        match self {
            Held::Item(event) | Held::Part(event) | Held::OfPart(event) | Held::Event(event) => {
                event.size()
            }
            Held::Aside(bytes) => bytes.len(),
        }
    }
}

/// A message item of the provider.
#[derive(Debug)]
pub(super) struct Message {
    /// The item as it was announced.
    item: Object<'static>,
    /// Its id, until an item was written under it.
    id: Option<String>,
    /// What waits until there is text to show, in its order.
    held: Vec<Held>,
    /// Frames that belong to no item wait too.
    is_patient: bool,
    /// Any text has come.
    has_come: bool,
    /// How many parts have begun.
    begun: u64,
    part: Option<Part>,
    /// The message item that is open in what was written.
    place: Option<Place>,
    /// The thought, and the call, that is open in what was written.
    thought: Option<Thought>,
    call: Option<OpenCall>,
    /// It was announced before the stream was interrupted.
    is_resumed: bool,
}

/// The part of a message that is being read.
#[derive(Debug)]
struct Part {
    index: u64,
    /// The part as it was announced.
    json: Object<'static>,
    has_come: bool,
    /// It is open in what was written, with this text so far.
    is_open: bool,
    text: String,
    /// What the message had contained before its text.
    course: Course,
    /// Its text has been seen from the start.
    is_whole: bool,
}

/// A message item that is open in what was written.
#[derive(Debug)]
struct Place {
    /// Its place among the items.
    number: u64,
    id: String,
    /// Its parts that are over.
    parts: Vec<Done>,
    /// Where the first of them is that has this place in the provider's item.
    places: HashMap<u64, usize>,
    /// Their bytes.
    size: usize,
    /// How many parts were written before the stream was interrupted.
    before: u64,
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

/// A thought that is open in what was written.
#[derive(Debug)]
struct Thought {
    number: String,
    id: String,
    text: String,
}

impl Place {
    fn new(number: u64, id: String) -> Self {
        Place {
            number,
            id,
            parts: Vec::new(),
            places: HashMap::new(),
            size: 0,
            before: 0,
        }
    }

    /// The place of the next part.
    fn next(&self) -> u64 {
        self.before + self.parts.len() as u64
    }

    /// A part of text is over.
    fn add(&mut self, index: u64, part: &Object<'_>, text: String) {
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
        self.before + at as u64
    }

    /// The content of the item, from what the provider says of it.
    fn content(&self, given: &[String]) -> Vec<String> {
        // A server may count the parts of all items together.
        let first = self.parts.iter().map(|done| done.index).min().unwrap_or(0);
        let last = self.parts.iter().map(|done| done.index).max().unwrap_or(0);
        let shift = if last >= given.len() as u64 { first } else { 0 };
        let part = |done: &Done| {
            let at = usize::try_from(done.index - shift).ok();
            let given = at.and_then(|at| given.get(at));
            let json = given.map_or(&*done.json, |json| json);
            let part = Object::parse(json);
            // What was passed on was not a text. If it is one now, nobody has read it.
            let unread = is_text(&part).then_some("");
            let changed = done.text.as_deref().or(unread);
            let changed = changed.and_then(|text| with_text(&part, text));
            changed.unwrap_or_else(|| json.to_owned())
        };
        self.parts.iter().map(part).collect()
    }
}

impl Message {
    /// One that an event announces; or one that begins without, perhaps at a place that it has had
    /// since before the stream was interrupted.
    pub(super) fn new(
        announced: Option<Event<'_>>,
        id: Option<&str>,
        made: &mut Made,
        resumed: Option<u64>,
    ) -> Self {
        let mut item = announced.as_ref().map(|event| event.object.inner("item"));
        let mut held = Vec::new();
        if let (Some(mut event), Some(item)) = (announced, &mut item) {
            // What is in it comes again at its end.
            if !item.list("content").is_empty() {
                item.set("content", "[]");
                event.set("item", item.json());
            }
            held.push(Held::Item(event.into_owned()));
        }
        let item = item.unwrap_or_else(|| Object::parse(BARE_ITEM));
        let given = item.text("id").or(id.map(str::to_owned));
        let id = given.unwrap_or_else(|| made.message());
        let place = resumed.map(|number| Place::new(number, id.clone()));
        Message {
            item,
            id: resumed.is_none().then_some(id),
            held,
            is_patient: true,
            has_come: false,
            begun: 0,
            part: None,
            place,
            thought: None,
            call: None,
            is_resumed: resumed.is_some(),
        }
    }

    pub(super) fn is_resumed(&self) -> bool {
        self.is_resumed
    }

    /// An event of the message, other than its announcement and its end.
    pub(super) fn event(
        &mut self,
        kind: &str,
        event: Event<'_>,
        changes: &mut Changes,
        desk: &mut Desk<'_, '_, '_>,
    ) {
        match kind {
            "content_part.added" => self.part_begins(event, changes, desk),
            "output_text.delta" | "refusal.delta" => self.delta(event, changes, desk),
            "output_text.done" | "refusal.done" => self.text_ends(event, changes, desk),
            "content_part.done" => self.part_ends(event, changes, desk),
            _ if kind.starts_with("output_text.") => self.beside_text(event, desk),
            _ => self.pass(event, desk),
        }
    }

    /// What the event's text becomes, if it has any; `None` if it stays. If the text began with it,
    /// that is noted.
    fn text(&mut self, changes: &mut Changes) -> Option<Option<Pieces>> {
        let text = changes
            .list
            .iter_mut()
            .find_map(|change| match &mut change.kind {
                ChangeKind::Text { pieces, began, .. } => Some((pieces.take(), *began)),
                _ => None,
            });
        let (pieces, began) = text?;
        if let (Some(part), Some(course)) = (&mut self.part, began) {
            part.course = course;
        }
        Some(pieces)
    }

    /// Text that came in no delta, and what came out of it at its end.
    fn whole(&mut self, text: Option<String>, changes: &mut Changes, desk: &mut Desk<'_, '_, '_>) {
        if let Some(pieces) = self.text(changes) {
            let pieces = pieces.or(text.map(|text| vec![Piece::Text(text)]));
            self.come();
            self.pieces(pieces.unwrap_or_default(), desk);
        }
        self.flushed(changes, desk);
    }

    fn flushed(&mut self, changes: &mut Changes, desk: &mut Desk<'_, '_, '_>) {
        let index = self.part_index();
        for change in &mut changes.list {
            if let ChangeKind::Flushed { slot, pieces } = &mut change.kind
                && slot.block & u64::from(u32::MAX) == index
                && slot.block != u64::MAX
            {
                let pieces = std::mem::take(pieces);
                self.pieces(pieces, desk);
            }
        }
    }

    fn come(&mut self) {
        self.has_come = true;
        if let Some(part) = &mut self.part {
            part.has_come = true;
        }
    }

    fn part_begins(
        &mut self,
        mut event: Event<'_>,
        changes: &mut Changes,
        desk: &mut Desk<'_, '_, '_>,
    ) {
        self.leave_part(desk);
        let mut json = event.object.inner("part");
        if json.get("type").is_none() && !is_text(&json) {
            // It does not say what it is: it is announced with its text.
            return desk.numbers.shift();
        }
        if !is_text(&json) {
            return self.pass(event, desk);
        }
        let key = text_key(&json);
        let given = json.text(key);
        if given.is_some() {
            json.set(key, "\"\"");
            event.set("part", json.json());
        }
        let index = event.object.number("content_index").unwrap_or(self.begun);
        self.begin_part(index, json, true);
        self.held.push(Held::Part(event.into_owned()));
        self.whole(given, changes, desk);
    }

    fn begin_part(&mut self, index: u64, json: Object<'static>, is_whole: bool) {
        self.begun = self.begun.max(index.saturating_add(1));
        let mut is_open = false;
        if let Some(place) = &mut self.place
            && self.is_resumed
            && place.parts.is_empty()
        {
            // Clients know it from before.
            place.before = index;
            is_open = true;
        }
        self.part = Some(Part {
            index,
            json,
            has_come: false,
            is_open,
            text: String::new(),
            course: Course::default(),
            is_whole: is_whole && !is_open,
        });
    }

    /// Turns to a part; it may have begun unannounced.
    pub(super) fn select(&mut self, index: u64, desk: &mut Desk<'_, '_, '_>) {
        self.select_as(index, BARE_PART, desk);
    }

    fn select_as(&mut self, index: u64, bare: &str, desk: &mut Desk<'_, '_, '_>) {
        if self.part.as_ref().is_none_or(|part| part.index != index) {
            self.leave_part(desk);
            self.begin_part(index, Object::parse(bare), !self.is_resumed);
        }
    }

    /// Turns to the part that an event belongs to.
    fn select_of(&mut self, event: &Event<'_>, desk: &mut Desk<'_, '_, '_>) {
        let open = self.part.as_ref().map(|part| part.index);
        let index = event.object.number("content_index").or(open).unwrap_or(0);
        let is_refusal = event.kind.contains("refusal");
        let bare = if is_refusal { BARE_REFUSAL } else { BARE_PART };
        self.select_as(index, bare, desk);
    }

    /// Begins a part of which all comes at the end of the item.
    pub(super) fn begin_whole(
        &mut self,
        index: u64,
        part: Option<Object<'static>>,
        desk: &mut Desk<'_, '_, '_>,
    ) {
        if self.part.as_ref().is_none_or(|part| part.index != index) {
            self.leave_part(desk);
            let part = part.unwrap_or_else(|| Object::parse(BARE_PART));
            self.begin_part(index, part, true);
        }
        self.come();
    }

    /// Ends such a part, as clients want it.
    pub(super) fn end_whole(&mut self, index: u64, desk: &mut Desk<'_, '_, '_>) {
        if self.part.as_ref().is_some_and(|part| part.index == index) {
            self.part_done(desk);
            self.leave_part(desk);
        }
    }

    fn delta(&mut self, event: Event<'_>, changes: &mut Changes, desk: &mut Desk<'_, '_, '_>) {
        self.select_of(&event, desk);
        let Some(pieces) = self.text(changes) else {
            return self.beside_text(event, desk);
        };
        self.come();
        let Some(pieces) = pieces else {
            let text = event.object.text("delta").unwrap_or_default();
            self.make_room(text.len(), desk);
            self.open(true, desk);
            self.note(&text);
            return self.write_in_part(event, desk);
        };
        desk.numbers.shift();
        self.pieces(pieces, desk);
    }

    fn text_ends(
        &mut self,
        mut event: Event<'_>,
        changes: &mut Changes,
        desk: &mut Desk<'_, '_, '_>,
    ) {
        self.select_of(&event, desk);
        let key = if event.kind.contains("refusal") {
            "refusal"
        } else {
            "text"
        };
        let whole = event.object.text(key);
        self.whole(whole.clone(), changes, desk);
        if !self.is_shown(desk) {
            return desk.numbers.shift();
        }
        let text = self.text_left(whole.as_deref(), desk);
        let changes = event.set_text(key, &text);
        if changes && event.object.get("logprobs").is_some() {
            event.set("logprobs", "[]".to_owned());
        }
        self.write_in_part(event, desk);
    }

    /// The text that is left of the part that is open. If its start was not seen, because the stream
    /// goes on where another was interrupted, it is found in all of the text.
    fn text_left(&self, whole: Option<&str>, desk: &Desk<'_, '_, '_>) -> String {
        let Some(part) = &self.part else {
            return String::new();
        };
        let Some(whole) = whole.filter(|_| !part.is_whole) else {
            return part.text.clone();
        };
        let again = desk.cx.again(whole, part.course, 0, super::slot(0, 0));
        let is_text = |piece: &Piece| matches!(piece, Piece::Text(_));
        let from = again.pieces.iter().rposition(|piece| !is_text(piece));
        text_of(&again.pieces[from.map_or(0, |at| at + 1)..])
    }

    fn part_ends(
        &mut self,
        mut event: Event<'_>,
        changes: &mut Changes,
        desk: &mut Desk<'_, '_, '_>,
    ) {
        let mut json = event.object.inner("part");
        if json.get("type").is_none() {
            // It does not say what it is: it is what has begun.
            let known = self.part.as_ref().map(|part| part.json.clone());
            json = known.unwrap_or_else(|| Object::parse(BARE_PART));
            event.set("part", json.json());
        } else if !is_text(&json) {
            return self.pass(event, desk);
        }
        self.select_of(&event, desk);
        let whole = json.text(text_key(&json));
        self.whole(whole.clone(), changes, desk);
        if !self.is_shown(desk) {
            desk.numbers.shift();
            return self.leave_part(desk);
        }
        let text = self.text_left(whole.as_deref(), desk);
        if let Some(part) = &mut self.part {
            part.json = json;
            part.text = text;
            if let Some(json) = with_text(&part.json, &part.text) {
                event.set("part", json);
            }
        }
        self.write_in_part(event, desk);
        self.leave_part(desk);
    }

    /// Whether the end of the part may be written: some of it was, or nothing came that could be.
    fn is_shown(&mut self, desk: &mut Desk<'_, '_, '_>) -> bool {
        let Some(part) = &self.part else { return false };
        if !part.has_come {
            // The provider's own is empty, and may stay so.
            self.open(true, desk);
        }
        self.part.as_ref().is_some_and(|part| part.is_open)
    }

    /// What belongs to a text but is not text, such as annotations.
    fn beside_text(&mut self, event: Event<'_>, desk: &mut Desk<'_, '_, '_>) {
        match &self.part {
            Some(part) if part.is_open => self.write_in_part(event, desk),
            Some(part) if !part.has_come && !self.held.iter().any(Held::is_of_part) => {
                self.held.push(Held::OfPart(event.into_owned()));
            }
            _ => desk.numbers.shift(),
        }
    }

    /// A part that is not text.
    fn pass(&mut self, event: Event<'_>, desk: &mut Desk<'_, '_, '_>) {
        let index = event.object.number("content_index").unwrap_or(0);
        if self.part.as_ref().is_some_and(|part| part.index != index) {
            self.leave_part(desk);
        }
        self.begun = self.begun.max(index.saturating_add(1));
        self.make_room(0, desk);
        self.open(false, desk);
        let at = self.place.as_mut().map_or(0, |place| place.passed(index));
        self.write_with(event, at, desk);
    }

    /// The item is over; where its start was not seen, this is what is left of its content.
    pub(super) fn end(
        mut self,
        mut event: Event<'_>,
        whole: Option<Vec<String>>,
        desk: &mut Desk<'_, '_, '_>,
    ) {
        let mut item = event.object.inner("item");
        let content = item.list("content");
        self.rest(&content, desk);
        self.leave_part(desk);
        if !self.has_come && self.place.is_none() {
            self.open(false, desk);
        }
        self.release(desk);
        self.close_made(desk);
        let Some(place) = self.place.take() else {
            return desk.numbers.shift();
        };
        event.set_number("output_index", place.number);
        let own = item.says("id", &place.id);
        let parts = whole.unwrap_or_else(|| place.content(&content));
        if !own || parts != content {
            item.set("id", string(&place.id));
            item.set("content", list_of(&parts));
            event.set("item", item.json());
        }
        desk.event(event);
    }

    /// The parts that are not text and come only with the end of the item.
    fn rest(&mut self, content: &[String], desk: &mut Desk<'_, '_, '_>) {
        for (json, index) in content.iter().zip(0..) {
            let json = Object::parse(json);
            let is_empty_text = is_text(&json) && json.text(text_key(&json)).is_none();
            if index < self.begun || (is_text(&json) && !is_empty_text) {
                continue;
            }
            self.leave_part(desk);
            self.begun = index + 1;
            self.open(false, desk);
            if let Some(place) = &mut self.place {
                place.passed(index);
            }
        }
    }

    /// The part is over, whether anybody said so or not.
    fn leave_part(&mut self, desk: &mut Desk<'_, '_, '_>) {
        self.close_made(desk);
        let Some(part) = self.part.take() else { return };
        if let Some(place) = self.place.as_mut().filter(|_| part.is_open) {
            place.add(part.index, &part.json, part.text);
        }
        self.held.retain(|held| !held.is_of_part());
        if part.has_come || self.holds_too_much(desk.cx.options.frame_limit) {
            self.held.retain(|held| !matches!(held, Held::Part(_)));
        }
    }

    /// The response is over, and nobody has said that the item is.
    pub(super) fn abandon(mut self, desk: &mut Desk<'_, '_, '_>) {
        self.release(desk);
        self.close_made(desk);
        self.close("incomplete", desk);
    }

    /// The stream is over: what is open stays so.
    pub(super) fn lose(&mut self, desk: &mut Desk<'_, '_, '_>) {
        if !self.has_come && !self.held.is_empty() {
            self.open(false, desk);
        }
        self.release(desk);
    }

    fn part_index(&self) -> u64 {
        self.part.as_ref().map_or(0, |part| part.index)
    }

    /// A frame between others.
    pub(super) fn aside(&mut self, held: Held, desk: &mut Desk<'_, '_, '_>) {
        if self.held.is_empty() {
            return desk.held(held);
        }
        // One may wait, so that the order stays. The next may be what keeps the connection alive.
        let waits = self.is_patient && !self.held.iter().any(Held::is_aside);
        if waits {
            self.held.push(held);
        } else {
            self.release(desk);
            desk.held(held);
        }
    }

    /// Writes what does not depend on the announcement, before it.
    pub(super) fn release(&mut self, desk: &mut Desk<'_, '_, '_>) {
        if self.held.is_empty() {
            return;
        }
        self.is_patient = false;
        desk.numbers.shift();
        for held in std::mem::take(&mut self.held) {
            if held.is_aside() {
                desk.held(held);
            } else {
                self.held.push(held);
            }
        }
    }

    /// Parts without a text may be announced any number of times.
    fn holds_too_much(&self, limit: usize) -> bool {
        let size: usize = self.held.iter().map(Held::size).sum();
        self.held.len() > MAX_HELD_FRAMES || size > limit
    }

    /// Writes what was found, each in an item of its kind.
    pub(super) fn pieces(&mut self, pieces: Pieces, desk: &mut Desk<'_, '_, '_>) {
        if pieces.is_empty() && self.has_come {
            // The announcement goes on waiting, but not what keeps the connection alive.
            self.release(desk);
        }
        for piece in joined(pieces) {
            match piece {
                Piece::Text(text) => self.show(&text, desk),
                Piece::Thought(text) => self.think(&text, desk),
                Piece::Call(call) => {
                    self.close("completed", desk);
                    self.close_made(desk);
                    write_call(&call, desk);
                }
                Piece::CallStart(call) => {
                    self.close("completed", desk);
                    self.close_made(desk);
                    self.call = Some(OpenCall::start(&call, desk));
                }
                Piece::CallDelta(json) => {
                    if let Some(call) = &mut self.call {
                        call.delta(&json, desk);
                    }
                }
                Piece::CallEnd => self.close_made(desk),
                Piece::CallFailed { code, message } => {
                    self.call = None;
                    let (code, message) = (string(code), string(&message));
                    let members = [("code", &*code), ("message", &*message), ("param", "null")];
                    desk.made("error", &members);
                }
            }
        }
    }

    fn show(&mut self, text: &str, desk: &mut Desk<'_, '_, '_>) {
        self.make_room(text.len(), desk);
        self.open(true, desk);
        self.note(text);
        let kind = format!("{}.delta", self.kind());
        self.made_in_part(&kind, "delta", &string(text), desk);
    }

    fn think(&mut self, text: &str, desk: &mut Desk<'_, '_, '_>) {
        self.close("completed", desk);
        let limit = desk.cx.options.frame_limit;
        if let Some(thought) = &self.thought
            && thought.text.len() + text.len() > limit
        {
            self.close_made(desk);
        }
        let thought = self.thought.get_or_insert_with(|| Thought::open(desk));
        thought.text.push_str(text);
        thought.made("reasoning_text.delta", "delta", &string(text), desk);
    }

    /// Writes all that waits, so that text or another part can follow.
    fn open(&mut self, for_text: bool, desk: &mut Desk<'_, '_, '_>) {
        self.close_made(desk);
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
                other => desk.held(other),
            }
        }
        if for_text && let Some(part) = self.part.as_ref().filter(|part| !part.is_open) {
            let mut json = part.json.clone();
            json.set(text_key(&part.json), "\"\"");
            json.remove("logprobs");
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
    fn open_item(&mut self, desk: &mut Desk<'_, '_, '_>) {
        let id = self.id.take().unwrap_or_else(|| desk.made.message());
        let number = desk.numbers.item();
        let is_item = |held: &Held| matches!(held, Held::Item(_));
        if !self.held.iter().any(is_item) {
            let item = self.item_with(&id, "in_progress", &[]);
            let members = [("output_index", &*number.to_string()), ("item", &item)];
            desk.made("output_item.added", &members);
        }
        self.place = Some(Place::new(number, id));
    }

    fn write_item(&self, mut event: Event<'_>, desk: &mut Desk<'_, '_, '_>) {
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
    fn write_in_part(&mut self, event: Event<'_>, desk: &mut Desk<'_, '_, '_>) {
        let at = self.place.as_ref().map_or(0, Place::next);
        self.write_with(event, at, desk);
    }

    fn write_with(&self, mut event: Event<'_>, at: u64, desk: &mut Desk<'_, '_, '_>) {
        if let Some(place) = &self.place {
            event.set_text("item_id", &place.id);
            event.set_number("output_index", place.number);
            event.set_number("content_index", at);
        }
        desk.event(event);
    }

    /// What events of the part that is read are called.
    fn kind(&self) -> &'static str {
        let part = self.part.as_ref();
        if part.is_some_and(|part| text_key(&part.json) == "refusal") {
            "refusal"
        } else {
            "output_text"
        }
    }

    /// Writes an event of the part that is open, which is ours.
    fn made_in_part(&self, kind: &str, key: &str, json: &str, desk: &mut Desk<'_, '_, '_>) {
        let Some(place) = &self.place else { return };
        let (id, number) = (string(&place.id), place.number.to_string());
        let at = place.next().to_string();
        let mut members = vec![("item_id", &*id), ("output_index", &number)];
        members.extend([("content_index", &*at), (key, json)]);
        if kind.starts_with("output_text.") {
            members.push(("logprobs", "[]"));
        }
        desk.made(kind, &members);
    }

    /// The text that the part has now.
    fn note(&mut self, text: &str) {
        if let Some(part) = &mut self.part {
            part.text.push_str(text);
        }
    }

    /// A message that is too long for one event ends here; another goes on.
    fn make_room(&mut self, length: usize, desk: &mut Desk<'_, '_, '_>) {
        let written = self.part.as_ref().map_or(0, |part| part.text.len());
        let parts = self.place.as_ref().map_or(0, |place| place.size);
        let size = written + parts;
        if size > 0 && size + length > desk.cx.options.frame_limit {
            self.close("completed", desk);
        }
    }

    /// Ends the part that is open.
    fn part_done(&mut self, desk: &mut Desk<'_, '_, '_>) {
        if let Some(part) = self.part.as_ref().filter(|part| part.is_open) {
            let text = string(&part.text);
            let json = with_text(&part.json, &part.text).unwrap_or_else(|| part.json.json());
            let key = text_key(&part.json);
            let kind = format!("{}.done", self.kind());
            self.made_in_part(&kind, key, &text, desk);
            self.made_in_part("content_part.done", "part", &json, desk);
        }
    }

    /// Ends the message that is open.
    fn close(&mut self, status: &str, desk: &mut Desk<'_, '_, '_>) {
        self.part_done(desk);
        let index = self.part_index();
        if let (Some(part), Some(place)) = (&mut self.part, &mut self.place)
            && std::mem::take(&mut part.is_open)
        {
            place.add(index, &part.json, std::mem::take(&mut part.text));
            part.is_whole = true;
        }
        let Some(place) = self.place.take() else {
            return;
        };
        let item = self.item_with(&place.id, status, &place.content(&[]));
        let members = [
            ("output_index", &*place.number.to_string()),
            ("item", &item),
        ];
        desk.made("output_item.done", &members);
    }

    /// Ends the thought, and the call, that is open.
    fn close_made(&mut self, desk: &mut Desk<'_, '_, '_>) {
        if let Some(call) = self.call.take() {
            call.end(desk);
        }
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
    fn open(desk: &mut Desk<'_, '_, '_>) -> Self {
        let thought = Thought {
            number: desk.numbers.item().to_string(),
            id: desk.made.thought(),
            text: String::new(),
        };
        let item = made::thought(&thought.id, None);
        let members = [("output_index", &*thought.number), ("item", &item)];
        desk.made("output_item.added", &members);
        thought.made("content_part.added", "part", &made::thought_part(""), desk);
        thought
    }

    fn made(&self, kind: &str, key: &str, json: &str, desk: &mut Desk<'_, '_, '_>) {
        let id = string(&self.id);
        let place = [("item_id", &*id), ("output_index", &self.number)];
        let members = [&place[..], &[("content_index", "0"), (key, json)]].concat();
        desk.made(kind, &members);
    }
}

/// Whether a part is text that is read.
fn is_text(part: &Object<'_>) -> bool {
    match part.text("type").as_deref() {
        Some(kind) => matches!(kind, "output_text" | "refusal"),
        None => part.has("text") || part.has("refusal"),
    }
}

/// A message that nobody has announced.
const BARE_ITEM: &str =
    r#"{"type":"message","status":"in_progress","role":"assistant","content":[]}"#;

/// A part that nobody has announced.
const BARE_PART: &str = r#"{"type":"output_text","text":"","annotations":[]}"#;
const BARE_REFUSAL: &str = r#"{"type":"refusal","refusal":""}"#;
