//! OpenAI Responses.
//!
//! An answer is a list of items, each announced, streamed and ended by events that say its place,
//! and at the end it comes once more as a whole. So an item that is added or left out moves all
//! places and numbers after it, and the whole answer says the same as the stream.

mod body;
mod desk;
mod event;
mod held;
mod made;
mod message;
mod passed;
mod written;

use super::Thinking;
use super::object::{Object, list, list_of};
use super::out::Out;
use super::reading::Setup;
use crate::decode::items::Items;
use crate::framing::frame;
use crate::session::policies::Course;
use desk::Desk;
use event::{Event, Writer};
use held::Aside;
use made::Made;
use message::Message;
use passed::Passed;
use std::collections::{BTreeMap, VecDeque};

/// No response has more; a stream that says so is broken.
const MOST_ITEMS: usize = 1 << 12;

/// Messages come one after the other. Where this many are open, the first of them is over.
const MOST_MESSAGES: usize = 8;

/// A stream of events.
#[derive(Debug, Default)]
pub(super) struct Responses {
    places: Items,
    /// The items of the provider, by their places there.
    items: BTreeMap<u64, Role>,
    /// The place of the last one that began.
    last: u64,
    /// The places of messages that are perhaps open.
    open: VecDeque<u64>,
    writer: Writer,
    made: Made,
    course: Course,
}

/// What becomes of an item of the provider.
#[derive(Debug)]
enum Role {
    Message(Box<Message>),
    /// Passed on as it is.
    Passed(Passed),
    Dropped,
}

impl Role {
    fn passed(number: u64) -> Role {
        Role::Passed(Passed { number, parts: 0 })
    }
}

impl Responses {
    pub(super) fn frame(
        &mut self,
        message: &frame::Message<'_>,
        setup: &mut Setup,
        out: &mut Out<'_>,
    ) {
        let data = message.json();
        let Some(object) = Object::parse(data) else {
            return self.other(data, message, setup, out);
        };
        self.writer.limit(setup.options.frame_limit);
        let event = Event::new(object, out.raw, message.replaced);
        let kind = event.kind.clone();
        match kind.strip_prefix("response.").unwrap_or(&kind) {
            "" if event.object.has("output") => match body::rewrite(event.object, setup) {
                Some(json) => out.edited(&json),
                None => out.same(),
            },
            "created" | "queued" | "in_progress" => self.begins(event, out),
            "completed" | "incomplete" | "failed" => self.ends(event, setup, out),
            // After an error nobody reads on.
            "" | "error" if kind == "error" || event.object.get("error").is_some() => {
                self.finish(setup, out);
                self.writer.event(event, out);
            }
            "" => self.aside(&Aside::Bytes(out.raw.to_vec()), setup, out),
            "output_item.added" => self.item_begins(event, setup, out),
            "output_item.done" => self.item_ends(event, setup, out),
            kind if is_of_item(&event) => self.of_item(kind, event, setup, out),
            _ => self.aside(&Aside::Event(event.into_owned()), setup, out),
        }
    }

    /// A frame that holds no event.
    fn other(
        &mut self,
        data: &str,
        message: &frame::Message<'_>,
        setup: &mut Setup,
        out: &mut Out<'_>,
    ) {
        if data == "[DONE]" {
            self.end(setup, out);
            return out.same();
        }
        let mut bytes = out.raw.to_vec();
        if data.is_empty() {
            // Clients take it for JSON.
            bytes.clear();
            let name = message.event.as_deref().unwrap_or("ping");
            Out {
                bytes: &mut bytes,
                ..*out
            }
            .comment(name);
        }
        self.aside(&Aside::Bytes(bytes), setup, out);
    }

    /// Comments and blank lines.
    pub(super) fn nothing(&mut self, setup: &mut Setup, out: &mut Out<'_>) {
        self.aside(&Aside::Bytes(out.raw.to_vec()), setup, out);
    }

    /// Writes the frames that are held.
    pub(super) fn hurry(&mut self, setup: &mut Setup, out: &mut Out<'_>) {
        let last = self.last;
        let (mut desk, items) = self.desk(setup, out);
        if let Some(Role::Message(message)) = items.get_mut(&last) {
            message.release(&mut desk);
        }
    }

    /// A frame that belongs to no item.
    fn aside(&mut self, aside: &Aside, setup: &mut Setup, out: &mut Out<'_>) {
        let last = self.last;
        let (mut desk, items) = self.desk(setup, out);
        let waits = match items.get_mut(&last) {
            Some(Role::Message(message)) => message.aside(aside, &mut desk),
            _ => false,
        };
        if !waits {
            aside.clone().write(&mut desk);
        }
    }

    /// The stream is over, with or without its end: what is open stays so.
    pub(super) fn finish(&mut self, setup: &mut Setup, out: &mut Out<'_>) {
        let (mut desk, items) = self.desk(setup, out);
        for role in items.values_mut() {
            if let Role::Message(message) = role {
                message.lose(&mut desk);
            }
        }
    }

    /// The response is over: so are all its items.
    fn end(&mut self, setup: &mut Setup, out: &mut Out<'_>) {
        let (mut desk, items) = self.desk(setup, out);
        for role in std::mem::take(items).into_values() {
            if let Role::Message(message) = role {
                message.abandon(&mut desk);
            }
        }
    }

    fn begins(&mut self, mut event: Event<'_>, out: &mut Out<'_>) {
        let mut response = event.inner("response");
        if self.made.suffix.is_empty() {
            self.made = Made::new(&response);
        }
        if response.get("output").is_none() {
            response.set("output", "[]");
            event.set("response", response.json());
        }
        self.writer.event(event, out);
    }

    fn ends(&mut self, mut event: Event<'_>, setup: &mut Setup, out: &mut Out<'_>) {
        let has_streamed = !self.items.is_empty();
        self.end(setup, out);
        let noticed = setup.notices.len();
        let mut response = event.inner("response");
        if list(response.given("output")).is_empty() {
            self.fill(&mut response, &mut event);
        } else if let Some(json) = body::rewrite(response, setup) {
            event.set("response", json);
        }
        if has_streamed {
            // What is to be noticed has been noticed as it came.
            setup.notices.truncate(noticed);
        }
        self.writer.event(event, out);
    }

    /// An answer that leaves out at its end what it has said.
    fn fill(&mut self, response: &mut Object<'_>, event: &mut Event<'_>) {
        let items = self.writer.output().unwrap_or_default();
        if !items.is_empty() {
            response.set("output", list_of(&items));
            event.set("response", response.json());
        }
    }

    fn item_begins(&mut self, event: Event<'_>, setup: &mut Setup, out: &mut Out<'_>) {
        let item = event.inner("item");
        let key = self.place(&event, &item);
        // An item at the place of another ends that, if nobody has said so.
        if let Some(Role::Message(message)) = self.items.remove(&key) {
            message.abandon(&mut self.desk(setup, out).0);
        }
        if item.says("type", "function_call") {
            self.course.calls(1);
        }
        match Fate::of_item(&item, setup) {
            Fate::Read => {
                self.make_room(key, setup, out);
                let message = Message::new(Some(event), None, &mut self.made);
                self.put(key, Role::Message(Box::new(message)));
            }
            Fate::Pass => {
                let number = self.writer.item();
                self.put(key, Role::passed(number));
                self.pass(number, event, out);
            }
            Fate::Drop => {
                self.put(key, Role::Dropped);
                self.writer.shift();
            }
        }
    }

    fn item_ends(&mut self, event: Event<'_>, setup: &mut Setup, out: &mut Out<'_>) {
        let item = event.inner("item");
        let key = self.place(&event, &item);
        if !self.items.contains_key(&key) {
            self.announce(key, &event, &item, setup, out);
        }
        let Some(role) = self.items.get_mut(&key) else {
            return self.writer.event(event, out);
        };
        match std::mem::replace(role, Role::Dropped) {
            Role::Message(message) => message.end(event, &mut self.desk(setup, out).0),
            Role::Passed(passed) => {
                *role = Role::Passed(passed);
                self.pass(passed.number, event, out);
            }
            Role::Dropped => self.writer.shift(),
        }
    }

    /// An item that comes without a word, though clients want it announced.
    fn announce(
        &mut self,
        key: u64,
        event: &Event<'_>,
        item: &Object<'_>,
        setup: &mut Setup,
        out: &mut Out<'_>,
    ) {
        let fate = Fate::of_item(item, setup);
        if fate == Fate::Read {
            self.make_room(key, setup, out);
        }
        let json = event.object.given("item").filter(|_| fate == Fate::Pass);
        let number = self.begin(key, fate, item.text("id").as_deref());
        if let (Some(json), Some(number)) = (json, number) {
            let fields = [("output_index", &*number.to_string()), ("item", json)];
            self.writer.made("output_item.added", &fields, out);
        }
    }

    /// An event of an item, other than its announcement and its end.
    fn of_item(&mut self, kind: &str, event: Event<'_>, setup: &mut Setup, out: &mut Out<'_>) {
        let key = self.place(&event, &Object::default());
        if kind.starts_with("reasoning_") {
            let text = event.object.text("delta").unwrap_or_default();
            self.course.thinks(&text);
        }
        if !self.items.contains_key(&key) {
            let fate = Fate::of_event(kind, &event, setup);
            if fate == Fate::Read {
                self.make_room(key, setup, out);
            }
            self.begin(key, fate, event.object.text("item_id").as_deref());
        }
        let (mut desk, items) = self.desk(setup, out);
        match items.get_mut(&key) {
            Some(Role::Message(message)) => message.event(kind, event, &mut desk),
            Some(Role::Passed(passed)) => passed.write(kind, event, &mut desk),
            Some(Role::Dropped) => self.writer.shift(),
            None => self.writer.event(event, out),
        }
    }

    /// Another message begins. One that ends for it may go on, as another.
    fn make_room(&mut self, key: u64, setup: &mut Setup, out: &mut Out<'_>) {
        let (items, open) = (&self.items, &mut self.open);
        open.retain(|key| matches!(items.get(key), Some(Role::Message(_))));
        if open.len() >= MOST_MESSAGES
            && let Some(first) = open.pop_front()
            && let Some(Role::Message(message)) = self.items.remove(&first)
        {
            message.abandon(&mut self.desk(setup, out).0);
        }
        self.open.push_back(key);
    }

    /// Begins an item that nobody has announced; gives its place, if it has one already.
    fn begin(&mut self, key: u64, fate: Fate, id: Option<&str>) -> Option<u64> {
        let number = (fate == Fate::Pass).then(|| self.writer.item());
        let role = match (fate, number) {
            (Fate::Read, _) => Role::Message(Box::new(Message::new(None, id, &mut self.made))),
            (_, Some(number)) => Role::passed(number),
            _ => Role::Dropped,
        };
        self.put(key, role);
        number
    }

    fn pass(&mut self, number: u64, mut event: Event<'_>, out: &mut Out<'_>) {
        event.set_number("output_index", number);
        self.writer.event(event, out);
    }

    /// The place of an event's item, as the provider counts.
    fn place(&mut self, event: &Event<'_>, item: &Object<'_>) -> u64 {
        let id = event.object.text("item_id").or_else(|| item.text("id"));
        let id = id.or_else(|| item.text("call_id"));
        let index = event.object.number("output_index");
        self.places.place(index, id.as_deref())
    }

    fn put(&mut self, key: u64, role: Role) {
        self.last = key;
        if self.items.len() < MOST_ITEMS {
            self.items.insert(key, role);
        }
    }

    /// What is at hand, and the items.
    fn desk<'d, 'o>(
        &'d mut self,
        setup: &'d mut Setup,
        out: &'d mut Out<'o>,
    ) -> (Desk<'d, 'o>, &'d mut BTreeMap<u64, Role>) {
        let (writer, made) = (&mut self.writer, &mut self.made);
        let desk = Desk {
            setup,
            writer,
            made,
            course: &mut self.course,
            out,
        };
        (desk, &mut self.items)
    }
}

/// What is to be done with an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Read,
    Pass,
    Drop,
}

impl Fate {
    fn of_item(item: &Object<'_>, setup: &Setup) -> Fate {
        let hides = setup.options.thinking == Thinking::Hide;
        match item.text("type").as_deref() {
            Some("message") => Fate::Read,
            Some("reasoning") if hides => Fate::Drop,
            _ => Fate::Pass,
        }
    }

    /// The fate of an item of which only this event is known.
    fn of_event(kind: &str, event: &Event<'_>, setup: &Setup) -> Fate {
        let hides = setup.options.thinking == Thinking::Hide;
        let part = event.inner("part").text("type").unwrap_or_default();
        let thinks = kind.starts_with("reasoning_") || part == "reasoning_text";
        let (of, _) = kind.split_once('.').unwrap_or_default();
        match of {
            _ if thinks && hides => Fate::Drop,
            _ if thinks => Fate::Pass,
            "output_text" | "refusal" | "content_part" => Fate::Read,
            _ => Fate::Pass,
        }
    }
}

/// Whether an event belongs to an item.
fn is_of_item(event: &Event<'_>) -> bool {
    event.object.has("output_index") || event.object.has("item_id")
}
