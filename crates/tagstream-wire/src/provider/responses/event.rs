//! Events of a response, and writing them: each with its number, and none missing in between.

use crate::json::{Tape, Value, list_of, push_string, string};
use crate::rewrite::Out;
use std::borrow::Cow;

/// An object that is edited member by member, and may wait: what is not touched stays as it was
/// written.
#[derive(Clone, Debug, Default)]
pub(super) struct Object<'a> {
    members: Vec<(Cow<'a, str>, Cow<'a, str>)>,
}

impl<'a> Object<'a> {
    pub(super) fn of(value: Value<'a>) -> Self {
        let mut members: Vec<(Cow<'a, str>, Cow<'a, str>)> = Vec::new();
        for member in value.items().filter(|_| value.is_object()) {
            let key = member.key();
            // The last of repeated keys counts.
            members.retain(|(known, _)| *known != key);
            members.push((key, Cow::Borrowed(member.raw())));
        }
        Object { members }
    }

    /// The object that a JSON text is; empty if it is not one.
    pub(super) fn parse(json: &str) -> Object<'static> {
        let mut tape = Tape::default();
        let doc = tape.read(json);
        doc.map_or_else(
            |_| Object::default(),
            |doc| Object::of(doc.root()).into_owned(),
        )
    }

    /// The JSON text of a member; `None` for null.
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        let (_, json) = self.members.iter().find(|(known, _)| known == key)?;
        (json != "null").then_some(json.as_ref())
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.members.iter().any(|(known, _)| known == key)
    }

    /// The object under a key; empty if there is none.
    pub(super) fn inner(&self, key: &str) -> Object<'static> {
        self.get(key).map_or_else(Object::default, Object::parse)
    }

    /// The elements of the list under a key.
    pub(super) fn list(&self, key: &str) -> Vec<String> {
        let mut tape = Tape::default();
        let doc = self.get(key).and_then(|json| tape.read(json).ok());
        let items = doc.into_iter().flat_map(|doc| doc.root().list());
        items.map(|item| item.raw().to_owned()).collect()
    }

    /// A string that is not empty.
    pub(super) fn text(&self, key: &str) -> Option<String> {
        let json = self.get(key).filter(|json| json.starts_with('"'))?;
        let mut tape = Tape::default();
        let text = tape.read(json).ok()?.root().text()?.into_owned();
        (!text.is_empty()).then_some(text)
    }

    pub(super) fn says(&self, key: &str, text: &str) -> bool {
        let is_string = self.get(key).is_some_and(|json| json.starts_with('"'));
        is_string && self.text(key).unwrap_or_default() == text
    }

    /// Whether a number is written as one, and is this one.
    pub(super) fn is_number(&self, key: &str, number: u64) -> bool {
        self.get(key).is_some_and(|json| json == number.to_string())
    }

    pub(super) fn number(&self, key: &str) -> Option<u64> {
        let mut tape = Tape::default();
        tape.read(self.get(key)?).ok()?.root().number()
    }

    pub(super) fn set(&mut self, key: &str, json: impl Into<Cow<'a, str>>) {
        let json = json.into();
        match self.members.iter_mut().find(|(known, _)| known == key) {
            Some((_, value)) => *value = json,
            None => self.members.push((Cow::Owned(key.to_owned()), json)),
        }
    }

    pub(super) fn remove(&mut self, key: &str) {
        self.members.retain(|(known, _)| known != key);
    }

    pub(super) fn into_owned(self) -> Object<'static> {
        let owned = |(key, json): (Cow<'a, str>, Cow<'a, str>)| {
            (Cow::Owned(key.into_owned()), Cow::Owned(json.into_owned()))
        };
        let members = self.members.into_iter().map(owned).collect();
        Object { members }
    }

    pub(super) fn json(&self) -> String {
        let mut json = String::from("{");
        for (key, value) in &self.members {
            if json.len() > 1 {
                json.push(',');
            }
            push_string(key, &mut json);
            json.push(':');
            json.push_str(value);
        }
        json.push('}');
        json
    }
}

/// An event that may be changed, and may wait.
#[derive(Clone, Debug)]
pub(super) struct Event<'a> {
    pub(super) kind: Cow<'a, str>,
    pub(super) object: Object<'a>,
    raw: Cow<'a, [u8]>,
    is_changed: bool,
}

impl<'a> Event<'a> {
    pub(super) fn new(
        kind: Cow<'a, str>,
        object: Object<'a>,
        raw: &'a [u8],
        is_changed: bool,
    ) -> Self {
        Event {
            kind,
            object,
            raw: Cow::Borrowed(raw),
            is_changed,
        }
    }

    pub(super) fn set(&mut self, key: &str, json: String) {
        self.object.set(key, json);
        self.is_changed = true;
    }

    pub(super) fn set_number(&mut self, key: &str, number: u64) {
        if !self.object.is_number(key, number) {
            self.set(key, number.to_string());
        }
    }

    /// Whether the text is another one now.
    pub(super) fn set_text(&mut self, key: &str, text: &str) -> bool {
        let is_same = self.object.says(key, text);
        if !is_same {
            self.set(key, string(text));
        }
        !is_same
    }

    /// The bytes of its frame.
    pub(super) fn size(&self) -> usize {
        self.raw.len()
    }

    pub(super) fn into_owned(self) -> Event<'static> {
        Event {
            kind: Cow::Owned(self.kind.into_owned()),
            object: self.object.into_owned(),
            raw: Cow::Owned(self.raw.into_owned()),
            is_changed: self.is_changed,
        }
    }

    fn write(&self, out: &mut Out<'_>) {
        let mut out = Out {
            style: out.style,
            raw: &self.raw,
            bytes: &mut *out.bytes,
        };
        if self.is_changed {
            out.named(&self.kind, &self.object.json());
        } else {
            out.same();
        }
    }
}

/// Numbers events and items as they are written.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// The number of the last event.
    last: Option<u64>,
    /// Events were added, left out or moved: the numbers that they came with are wrong from here.
    is_shifted: bool,
    pub(super) items: u64,
    done: Done,
    /// How many bytes of items are kept.
    limit: usize,
}

/// The items that are over, as they were written: some servers leave them out at the end.
#[derive(Debug, Default)]
struct Done {
    items: Vec<(u64, String)>,
    /// Their bytes.
    size: usize,
}

impl Done {
    fn note(&mut self, event: &Object<'_>, limit: usize) {
        let place = event.number("output_index").unwrap_or(0);
        let item = event.get("item").unwrap_or("{}");
        self.size += item.len();
        if self.size <= limit {
            self.items.push((place, item.to_owned()));
        } else {
            self.items = Vec::new();
        }
    }
}

impl Numbers {
    /// Keeps at most this many bytes of items.
    pub(super) fn limit(&mut self, bytes: usize) {
        self.limit = bytes;
    }

    /// Continues with this number, if none was written before.
    pub(super) fn begin(&mut self, number: Option<u64>) {
        if self.last.is_none() {
            self.last = number.and_then(|number| number.checked_sub(1));
        }
    }

    /// All items that are over, in their order; `None` if they were too many to be kept.
    pub(super) fn output(&mut self) -> Option<Vec<String>> {
        let mut done = std::mem::take(&mut self.done);
        done.items.sort_by_key(|(place, _)| *place);
        let items = done.items.into_iter().map(|(_, item)| item).collect();
        (done.size <= self.limit).then_some(items)
    }

    /// Writes an event that came.
    pub(super) fn event(&mut self, mut event: Event<'_>, out: &mut Out<'_>) {
        let given = event.object.number("sequence_number");
        self.is_shifted |= given.is_none();
        let number = match given {
            Some(number) if !self.is_shifted => number,
            _ => self.next(),
        };
        self.last = Some(number);
        event.set_number("sequence_number", number);
        if event.kind == "response.output_item.done" {
            self.done.note(&event.object, self.limit);
        }
        event.write(out);
    }

    /// Writes an event of our own: its kind, and its members with their JSON texts.
    pub(super) fn made(&mut self, kind: &str, members: &[(&str, &str)], out: &mut Out<'_>) {
        self.is_shifted = true;
        let number = self.next();
        self.last = Some(number);
        let kind = match kind {
            "error" => kind.to_owned(),
            _ => format!("response.{kind}"),
        };
        let mut event = Object::default();
        event.set("type", string(&kind));
        event.set("sequence_number", number.to_string());
        for (key, json) in members {
            event.set(key, (*json).to_owned());
        }
        if kind == "response.output_item.done" {
            self.done.note(&event, self.limit);
        }
        out.new_event(&kind, &event.json());
    }

    /// An event is not written, or not at its place.
    pub(super) fn shift(&mut self) {
        self.is_shifted = true;
    }

    /// The place of the next item.
    pub(super) fn item(&mut self) -> u64 {
        self.items += 1;
        self.items - 1
    }

    fn next(&self) -> u64 {
        self.last.map_or(0, |last| last.saturating_add(1))
    }
}

/// The parts of an object under a key, as JSON.
pub(super) fn set_list(object: &mut Object<'_>, key: &str, elements: &[String]) {
    object.set(key, list_of(elements));
}
