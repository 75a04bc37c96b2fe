//! Writes responses.
//!
//! An answer is a list of items, each announced, streamed and ended by events that say its place,
//! and at the end it comes once more as a whole. So an item that is added or left out moves all
//! places and numbers after it, and the whole answer says the same as the stream.

use super::event::{Event, Numbers, Object};
use super::made::{self, Made};
use super::message::{Held, Message};
use super::{is_thought, output, slot};
use crate::format::Format;
use crate::format::shape::shape;
use crate::json::{list_of, string};
use crate::message::Course;
use crate::provider::Input;
use crate::rewrite::{Call, Change, ChangeKind, Changes, Cx, Out, Piece, Pieces, Write, text_of};
use std::collections::{BTreeMap, VecDeque};

/// No response has more; a stream that reports more is broken.
const MAX_ITEMS: usize = 1 << 12;

/// Messages come one after the other. Where this many are open, the first of them is over.
const MAX_MESSAGES: usize = 8;

/// Writes the events of one stream.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    /// The items of the provider, by their places there.
    items: BTreeMap<u64, Role>,
    /// The place of the last one that began.
    last: u64,
    /// The places of messages that are perhaps open.
    open: VecDeque<u64>,
    numbers: Numbers,
    made: Made,
    /// The stream goes on where another was interrupted: clients know what was announced there.
    is_resumed: bool,
    has_begun: bool,
}

/// What becomes of an item of the provider.
#[derive(Debug)]
enum Role {
    Message(Box<Message>),
    /// Passed on as it is.
    Passed(Passed),
    Dropped,
}

/// An item that is passed on.
#[derive(Clone, Copy, Debug)]
struct Passed {
    /// Its place here.
    number: u64,
    /// How many of its parts were announced.
    parts: u64,
}

/// What is at hand while an event is written.
pub(super) struct Desk<'d, 'c, 'o> {
    pub(super) numbers: &'d mut Numbers,
    pub(super) made: &'d mut Made,
    pub(super) cx: &'d mut Cx<'c, 'o>,
}

impl Desk<'_, '_, '_> {
    pub(super) fn event(&mut self, event: Event<'_>) {
        self.numbers.event(event, &mut self.cx.out);
    }

    pub(super) fn made(&mut self, kind: &str, members: &[(&str, &str)]) {
        self.numbers.made(kind, members, &mut self.cx.out);
    }

    /// Writes a frame that was held.
    pub(super) fn held(&mut self, held: Held) {
        match held {
            Held::Aside(bytes) => self.cx.out.bytes.extend(bytes),
            Held::Item(event) | Held::Part(event) | Held::OfPart(event) | Held::Event(event) => {
                self.event(event);
            }
        }
    }
}

/// What is to be done with an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Read,
    Pass,
    Drop,
}

impl Write for Writer {
    fn json(&mut self, input: Input<'_>, mut changes: Changes, cx: &mut Cx<'_, '_>) {
        let root = input.doc.root();
        let is_error = changes
            .list
            .iter()
            .any(|change| matches!(change.kind, ChangeKind::Error));
        let kind = input.kind();
        let short = kind.strip_prefix("response.").unwrap_or(&kind).to_owned();
        let is_response = root.has("output") || root.says("object", "response");
        if matches!(&*short, "" | "message") && is_response {
            let made = Made::new(&root.given("id").unwrap_or_default());
            return match output::rewrite(root, made, cx) {
                Some(json) => cx.out.edited(&json),
                None => cx.out.same(),
            };
        }
        if shape(input.doc.text).is_some_and(|other| other != Format::Responses) {
            // It is not read, as a notice says, and nothing in it is ours to number.
            self.flush(&mut changes, cx);
            return self.aside(cx);
        }
        self.numbers.limit(cx.options.frame_limit);
        if !std::mem::replace(&mut self.has_begun, true) {
            let number = root.number_at("sequence_number");
            self.is_resumed = number.is_some_and(|number| number > 0) && short != "created";
            self.numbers.begin(number);
        }
        let raw = cx.out.raw;
        let event = Event::new(kind, Object::of(root), raw, cx.is_replaced);
        let key = changes.place;
        match &*short {
            "created" | "queued" | "in_progress" => self.begins(event, cx),
            "completed" | "incomplete" | "failed" if root.get("response").is_some() => {
                self.flush(&mut changes, cx);
                self.ends(input, event, cx);
            }
            _ if is_error => {
                self.flush(&mut changes, cx);
                self.lose(cx);
                if short.is_empty() || input.is_value {
                    cx.out.same();
                } else {
                    self.numbers.event(event, &mut cx.out);
                }
            }
            "" => self.aside(cx),
            "output_item.added" => self.item_begins(key, event, &mut changes, cx),
            "output_item.done" => self.item_ends(key, input, event, &mut changes, cx),
            short if root.has("output_index") || root.has("item_id") || is_piece(short) => {
                self.of_item(key, short, event, &mut changes, cx);
            }
            _ => self.held(Held::Event(event.into_owned()), cx),
        }
    }

    fn done(&mut self, mut changes: Changes, cx: &mut Cx<'_, '_>) {
        self.flush(&mut changes, cx);
        self.end(cx);
        cx.out.same();
    }

    fn empty(&mut self, event: Option<&str>, cx: &mut Cx<'_, '_>) {
        // Clients take it for JSON.
        let at = cx.out.bytes.len();
        cx.out.comment(event.unwrap_or("ping"));
        let comment = cx.out.bytes.split_off(at);
        self.held(Held::Aside(comment), cx);
    }

    fn aside(&mut self, cx: &mut Cx<'_, '_>) {
        let raw = cx.out.raw.to_vec();
        self.held(Held::Aside(raw), cx);
    }

    fn hurry(&mut self, cx: &mut Cx<'_, '_>) {
        let last = self.last;
        let (mut desk, items) = self.desk(cx);
        if let Some(Role::Message(message)) = items.get_mut(&last) {
            message.release(&mut desk);
        }
    }

    fn finish(&mut self, mut changes: Changes, cx: &mut Cx<'_, '_>) {
        self.flush(&mut changes, cx);
        self.lose(cx);
    }
}

impl Writer {
    /// Writes an error event of our own.
    pub(crate) fn error(&mut self, code: &str, message: &str, out: &mut Out<'_>) {
        let (code, message) = (string(code), string(message));
        let members = [("code", &*code), ("message", &*message), ("param", "null")];
        self.numbers.made("error", &members, out);
    }
}

fn is_piece(kind: &str) -> bool {
    super::PieceKind::of(kind).is_some()
}

impl Writer {
    /// What is at hand, and the items.
    fn desk<'d, 'c, 'o>(
        &'d mut self,
        cx: &'d mut Cx<'c, 'o>,
    ) -> (Desk<'d, 'c, 'o>, &'d mut BTreeMap<u64, Role>) {
        let (numbers, made) = (&mut self.numbers, &mut self.made);
        (Desk { numbers, made, cx }, &mut self.items)
    }

    /// A frame that belongs to no item.
    fn held(&mut self, held: Held, cx: &mut Cx<'_, '_>) {
        let last = self.last;
        let (mut desk, items) = self.desk(cx);
        match items.get_mut(&last) {
            Some(Role::Message(message)) => message.aside(held, &mut desk),
            _ => desk.held(held),
        }
    }

    /// Writes what came out of texts that end, or ended before.
    fn flush(&mut self, changes: &mut Changes, cx: &mut Cx<'_, '_>) {
        for change in &mut changes.list {
            if let ChangeKind::Flushed { slot, pieces } = &mut change.kind {
                let pieces = std::mem::take(pieces);
                self.pieces(slot.block, pieces, cx);
            }
        }
    }

    fn pieces(&mut self, block: u64, pieces: Pieces, cx: &mut Cx<'_, '_>) {
        let is_resumed = self.is_resumed;
        if block == u64::MAX {
            let (mut desk, _) = self.desk(cx);
            for piece in pieces {
                if let Piece::Call(call) = piece {
                    write_call(&call, &mut desk);
                }
            }
            return;
        }
        let key = block >> 32;
        if !matches!(self.items.get(&key), Some(Role::Message(_))) {
            // The rest of a text whose message is over, or was never announced.
            let message = Message::new(None, None, &mut self.made, is_resumed.then_some(key));
            let (mut desk, _) = self.desk(cx);
            let mut message = message;
            message.select(block & u64::from(u32::MAX), &mut desk);
            message.pieces(pieces, &mut desk);
            return message.abandon(&mut desk);
        }
        let (mut desk, items) = self.desk(cx);
        if let Some(Role::Message(message)) = items.get_mut(&key) {
            message.select(block & u64::from(u32::MAX), &mut desk);
            message.pieces(pieces, &mut desk);
        }
    }

    /// The stream is over, with or without its end: what is open stays so.
    fn lose(&mut self, cx: &mut Cx<'_, '_>) {
        let (mut desk, items) = self.desk(cx);
        for role in items.values_mut() {
            if let Role::Message(message) = role {
                message.lose(&mut desk);
            }
        }
    }

    /// The response is over: so are all its items.
    fn end(&mut self, cx: &mut Cx<'_, '_>) {
        let (mut desk, items) = self.desk(cx);
        for role in std::mem::take(items).into_values() {
            if let Role::Message(message) = role {
                message.abandon(&mut desk);
            }
        }
    }

    fn begins(&mut self, mut event: Event<'_>, cx: &mut Cx<'_, '_>) {
        let mut response = event.object.inner("response");
        if self.made.suffix.is_empty() {
            self.made = Made::new(&response.text("id").unwrap_or_default());
        }
        if event.object.get("response").is_some() && response.get("output").is_none() {
            response.set("output", "[]");
            event.set("response", response.json());
        }
        self.numbers.event(event, &mut cx.out);
    }

    fn ends(&mut self, input: Input<'_>, mut event: Event<'_>, cx: &mut Cx<'_, '_>) {
        self.end(cx);
        let Some(response) = input.doc.root().get("response") else {
            return;
        };
        let output = response.get("output");
        if output.is_none_or(crate::json::Value::is_empty) {
            // An answer that leaves out at its end what it has said.
            let items = self.numbers.output().unwrap_or_default();
            let text = response.given("output_text").unwrap_or_default();
            let left = text_of(&cx.again(&text, Course::default(), 0, slot(0, 0)).pieces);
            if !items.is_empty() || left != text {
                let mut response = Object::of(response);
                if !items.is_empty() {
                    response.set("output", list_of(&items));
                }
                if left != text {
                    response.set("output_text", string(&left));
                }
                event.set("response", response.json());
            }
        } else {
            // The id of a response may change; those that are made from it do not.
            let id = response.given("id").unwrap_or_default();
            let mut made = Made::new(&id);
            if !self.made.suffix.is_empty() {
                made.suffix.clone_from(&self.made.suffix);
            }
            if let Some(json) = output::rewrite(response, made, cx) {
                event.set("response", json);
            }
        }
        self.numbers.event(event, &mut cx.out);
    }

    fn item_begins(
        &mut self,
        key: u64,
        event: Event<'_>,
        changes: &mut Changes,
        cx: &mut Cx<'_, '_>,
    ) {
        // An item at the place of another ends that, if nobody has said so.
        if let Some(Role::Message(message)) = self.items.remove(&key) {
            message.abandon(&mut self.desk(cx).0);
        }
        self.flush(changes, cx);
        let item = event.object.inner("item");
        if item.text("type").is_none() {
            // What it is, the events after it show: it is announced then.
            return self.numbers.shift();
        }
        match Fate::of_item(&item, changes, cx) {
            Fate::Read => {
                self.make_room(key, cx);
                let message = Message::new(Some(event), None, &mut self.made, None);
                self.put(key, Role::Message(Box::new(message)));
            }
            Fate::Pass => {
                let number = self.number(key);
                self.put(key, Role::Passed(Passed { number, parts: 0 }));
                self.pass(number, event, cx);
            }
            Fate::Drop => {
                self.put(key, Role::Dropped);
                self.numbers.shift();
            }
        }
    }

    fn item_ends(
        &mut self,
        key: u64,
        input: Input<'_>,
        event: Event<'_>,
        changes: &mut Changes,
        cx: &mut Cx<'_, '_>,
    ) {
        let item = event.object.inner("item");
        if cx.hides() && input.doc.root().get("item").is_some_and(is_thought) {
            self.flush(changes, cx);
            self.numbers.shift();
            if let Some(Role::Message(message)) = self.items.remove(&key) {
                message.abandon(&mut self.desk(cx).0);
            }
            return;
        }
        if !self.items.contains_key(&key) {
            self.announce(key, &event, &item, changes, cx);
        }
        let is_message = matches!(self.items.get(&key), Some(Role::Message(_)));
        if is_message {
            self.texts(key, input, changes, cx);
        } else {
            self.flush(changes, cx);
        }
        let Some(role) = self.items.get_mut(&key) else {
            return self.numbers.event(event, &mut cx.out);
        };
        match std::mem::replace(role, Role::Dropped) {
            Role::Message(message) => {
                let item = input.doc.root().get("item");
                let whole = item
                    .filter(|_| message.is_resumed())
                    .map(|item| output::last_content(item, cx).unwrap_or_default());
                message.end(event, whole, &mut self.desk(cx).0);
            }
            Role::Passed(passed) => {
                *role = Role::Passed(passed);
                self.pass(passed.number, event, cx);
            }
            Role::Dropped => self.numbers.shift(),
        }
    }

    /// Reads the texts of a message that come only with its end.
    fn texts(&mut self, key: u64, input: Input<'_>, changes: &mut Changes, cx: &mut Cx<'_, '_>) {
        let root = input.doc.root();
        let content = root.get("item").and_then(|item| item.get("content"));
        let parts: Vec<_> = content
            .into_iter()
            .flat_map(crate::json::Value::list)
            .collect();
        let mut whole = None;
        for change in &mut changes.list {
            match &mut change.kind {
                ChangeKind::BlockEnd { slot } if whole == Some(*slot) => {
                    let (mut desk, items) = self.desk(cx);
                    if let Some(Role::Message(message)) = items.get_mut(&key) {
                        message.end_whole(slot.block & u64::from(u32::MAX), &mut desk);
                    }
                }
                ChangeKind::Text { slot, pieces, .. } => {
                    whole = Some(*slot);
                    let text = change.at.and_then(|at| root.at(at).text());
                    let text = text.unwrap_or_default().into_owned();
                    let pieces = pieces.take().unwrap_or_else(|| vec![Piece::Text(text)]);
                    let part = parts
                        .iter()
                        .find(|part| change.at.is_some_and(|at| part.contains(at)));
                    let part = part.map(|part| Object::of(*part).into_owned());
                    let (mut desk, items) = self.desk(cx);
                    if let Some(Role::Message(message)) = items.get_mut(&key) {
                        message.begin_whole(slot.block & u64::from(u32::MAX), part, &mut desk);
                        message.pieces(pieces, &mut desk);
                    }
                }
                ChangeKind::Flushed { slot, pieces } => {
                    let pieces = std::mem::take(pieces);
                    self.pieces(slot.block, pieces, cx);
                }
                _ => {}
            }
        }
    }

    /// An item that comes unannounced, though clients want it announced.
    fn announce(
        &mut self,
        key: u64,
        event: &Event<'_>,
        item: &Object<'_>,
        changes: &Changes,
        cx: &mut Cx<'_, '_>,
    ) {
        let fate = Fate::of_item(item, changes, cx);
        if fate == Fate::Read {
            self.make_room(key, cx);
        }
        let json = event.object.get("item").filter(|_| fate == Fate::Pass);
        let with_id = output::with_id(item);
        let json = json.map(|json| with_id.as_deref().unwrap_or(json));
        let number = self.begin(key, fate, item.text("id").as_deref());
        if let (Some(json), Some(number), false) = (json, number, self.is_resumed) {
            let members = [("output_index", &*number.to_string()), ("item", json)];
            self.numbers
                .made("output_item.added", &members, &mut cx.out);
        }
    }

    /// An event of an item, other than its announcement and its end.
    fn of_item(
        &mut self,
        key: u64,
        kind: &str,
        event: Event<'_>,
        changes: &mut Changes,
        cx: &mut Cx<'_, '_>,
    ) {
        let fate = Fate::of_event(kind, &event, cx);
        if fate == Fate::Drop {
            self.flush(changes, cx);
            return self.numbers.shift();
        }
        let is_text = |change: &Change| matches!(change.kind, ChangeKind::Text { .. });
        if matches!(self.items.get(&key), Some(Role::Dropped)) && changes.list.iter().any(is_text) {
            // Text after the end of its item goes to another.
            self.make_room(key, cx);
            self.begin(key, Fate::Read, None);
        }
        if !self.items.contains_key(&key) {
            if fate == Fate::Read {
                self.make_room(key, cx);
            }
            self.begin(key, fate, event.object.text("item_id").as_deref());
        }
        if !matches!(self.items.get(&key), Some(Role::Message(_))) {
            self.flush(changes, cx);
        }
        let (mut desk, items) = self.desk(cx);
        match items.get_mut(&key) {
            Some(Role::Message(message)) => message.event(kind, event, changes, &mut desk),
            Some(Role::Passed(passed)) => passed.write(kind, event, &mut desk),
            Some(Role::Dropped) => self.numbers.shift(),
            None => self.numbers.event(event, &mut cx.out),
        }
        // What came out of other texts meanwhile.
        self.flush(changes, cx);
    }

    /// Another message begins. One that ends for it may go on, as another.
    fn make_room(&mut self, key: u64, cx: &mut Cx<'_, '_>) {
        let (items, open) = (&self.items, &mut self.open);
        open.retain(|key| matches!(items.get(key), Some(Role::Message(_))));
        if open.len() >= MAX_MESSAGES
            && let Some(first) = open.pop_front()
            && let Some(Role::Message(message)) = self.items.remove(&first)
        {
            message.abandon(&mut self.desk(cx).0);
        }
        self.open.push_back(key);
    }

    /// Begins an item that nobody has announced; returns its place, if it has one already.
    fn begin(&mut self, key: u64, fate: Fate, id: Option<&str>) -> Option<u64> {
        let number = (fate == Fate::Pass).then(|| self.number(key));
        let role = match (fate, number) {
            (Fate::Read, _) => {
                let place = self.is_resumed.then_some(key);
                if place.is_some() {
                    self.numbers.items = self.numbers.items.max(key + 1);
                }
                Role::Message(Box::new(Message::new(None, id, &mut self.made, place)))
            }
            (_, Some(number)) => Role::Passed(Passed {
                number,
                parts: if self.is_resumed { u64::MAX } else { 0 },
            }),
            _ => Role::Dropped,
        };
        self.put(key, role);
        number
    }

    /// The place of the next item; in a stream that goes on, at least the one that it has.
    fn number(&mut self, key: u64) -> u64 {
        if self.is_resumed {
            self.numbers.items = self.numbers.items.max(key);
        }
        self.numbers.item()
    }

    fn pass(&mut self, number: u64, mut event: Event<'_>, cx: &mut Cx<'_, '_>) {
        event.set_number("output_index", number);
        if let Some(item) = output::with_id(&event.object.inner("item")) {
            event.set("item", item);
        }
        self.numbers.event(event, &mut cx.out);
    }

    fn put(&mut self, key: u64, role: Role) {
        self.last = key;
        if self.items.len() < MAX_ITEMS {
            self.items.insert(key, role);
        }
    }
}

/// Writes a call that was found, from its announcement to its end.
pub(super) fn write_call(call: &Call, desk: &mut Desk<'_, '_, '_>) {
    let mut open = OpenCall::start(call, desk);
    open.delta(&call.arguments, desk);
    open.end(desk);
}

/// A call that is open in what was written.
#[derive(Debug)]
pub(super) struct OpenCall {
    ids: made::CallIds,
    number: String,
    name: String,
    arguments: String,
}

impl OpenCall {
    pub(super) fn start(call: &Call, desk: &mut Desk<'_, '_, '_>) -> Self {
        let open = OpenCall {
            ids: desk.made.call(call),
            number: desk.numbers.item().to_string(),
            name: call.name.clone(),
            arguments: String::new(),
        };
        let item = made::call(&open.ids, &open.name, None);
        let members = [("output_index", &*open.number), ("item", &item)];
        desk.made("output_item.added", &members);
        open
    }

    pub(super) fn delta(&mut self, json: &str, desk: &mut Desk<'_, '_, '_>) {
        self.arguments.push_str(json);
        let (id, delta) = (string(&self.ids.item), string(json));
        let members = [
            ("item_id", &*id),
            ("output_index", &*self.number),
            ("delta", &*delta),
        ];
        desk.made("function_call_arguments.delta", &members);
    }

    pub(super) fn end(self, desk: &mut Desk<'_, '_, '_>) {
        let (id, name) = (string(&self.ids.item), string(&self.name));
        let arguments = string(&self.arguments);
        let members = [
            ("item_id", &*id),
            ("output_index", &*self.number),
            ("name", &*name),
            ("arguments", &*arguments),
        ];
        desk.made("function_call_arguments.done", &members);
        let item = made::call(&self.ids, &self.name, Some(&self.arguments));
        let members = [("output_index", &*self.number), ("item", &item)];
        desk.made("output_item.done", &members);
    }
}

impl Passed {
    fn write(&mut self, kind: &str, mut event: Event<'_>, desk: &mut Desk<'_, '_, '_>) {
        event.set_number("output_index", self.number);
        if kind == "content_part.added" {
            let index = event.object.number("content_index").unwrap_or(self.parts);
            self.parts = self.parts.max(index.saturating_add(1));
        }
        if kind.starts_with("reasoning_text.") {
            self.announce_thought(&mut event, desk);
        }
        desk.event(event);
    }

    /// A thought's text that comes unannounced, though clients want it announced.
    fn announce_thought(&mut self, event: &mut Event<'_>, desk: &mut Desk<'_, '_, '_>) {
        let index = event.object.number("content_index").unwrap_or(0);
        event.set_number("content_index", index);
        if index < self.parts {
            return;
        }
        self.parts = index.saturating_add(1);
        let id = string(&event.object.text("item_id").unwrap_or_default());
        let (number, index) = (self.number.to_string(), index.to_string());
        let part = made::thought_part("");
        let members = [
            ("item_id", &*id),
            ("output_index", &*number),
            ("content_index", &*index),
            ("part", &*part),
        ];
        desk.made("content_part.added", &members);
    }
}

impl Fate {
    fn of_item(item: &Object<'_>, changes: &Changes, cx: &Cx<'_, '_>) -> Fate {
        let is_held = changes.list.iter().any(
            |change| matches!(&change.kind, ChangeKind::Call { native, .. } if native.is_held),
        );
        let has_content = item
            .get("content")
            .is_some_and(|json| json.starts_with('['));
        match item.text("type").as_deref() {
            Some("message") => Fate::Read,
            None if has_content => Fate::Read,
            Some("reasoning") if cx.hides() => Fate::Drop,
            _ if is_held => Fate::Drop,
            _ => Fate::Pass,
        }
    }

    /// The fate of an item of which only this event is known.
    fn of_event(kind: &str, event: &Event<'_>, cx: &Cx<'_, '_>) -> Fate {
        let part = event.object.inner("part").text("type").unwrap_or_default();
        let is_part = matches!(&*part, "reasoning_text" | "summary_text");
        let thinks = kind.starts_with("reasoning") || is_part;
        let (of, _) = kind.split_once('.').unwrap_or_default();
        match of {
            _ if thinks && cx.hides() => Fate::Drop,
            _ if thinks => Fate::Pass,
            "output_text" | "refusal" | "content_part" => Fate::Read,
            _ => Fate::Pass,
        }
    }
}
