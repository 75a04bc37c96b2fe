//! Events of a response, and writing them: each with its number, and none missing in between.

use crate::rewrite::object::{Object, string};
use crate::rewrite::out::{Out, Style};
use std::borrow::Cow;

/// An event that may be changed, and may wait.
#[derive(Clone, Debug)]
pub(super) struct Event<'a> {
    pub(super) kind: Cow<'a, str>,
    pub(super) object: Object<'a>,
    raw: Cow<'a, [u8]>,
    is_changed: bool,
}

impl<'a> Event<'a> {
    pub(super) fn new(object: Object<'a>, raw: &'a [u8], is_changed: bool) -> Self {
        Event {
            kind: object.text("type").unwrap_or_default(),
            object,
            raw: Cow::Borrowed(raw),
            is_changed,
        }
    }

    /// The object under a key, empty if there is none.
    pub(super) fn inner(&self, key: &str) -> Object<'a> {
        let object = self.object.given(key).and_then(Object::parse);
        object.unwrap_or_default()
    }

    pub(super) fn set(&mut self, key: &str, json: String) {
        self.object.set(key, json);
        self.is_changed = true;
    }

    pub(super) fn set_number(&mut self, key: &str, number: u64) {
        if self.object.number(key) != Some(number) {
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

    /// A copy that owns its text.
    pub(super) fn into_owned(self) -> Event<'static> {
        Event {
            kind: Cow::Owned(self.kind.into_owned()),
            object: self.object.into_owned(),
            raw: Cow::Owned(self.raw.into_owned()),
            is_changed: self.is_changed,
        }
    }

    fn write(&self, out: &mut Out<'_>) {
        let style = out.style;
        let mut out = Out {
            style,
            raw: &self.raw,
            bytes: &mut *out.bytes,
        };
        match (self.is_changed, style) {
            (false, _) => out.same(),
            (true, Style::Events) => out.named(&self.kind, &self.object.json()),
            (true, Style::Json) => out.edited(&self.object.json()),
        }
    }
}

/// Numbers events and items as they are written.
#[derive(Debug, Default)]
pub(super) struct Writer {
    /// The number of the last event.
    last: Option<u64>,
    /// Events were added, left out or moved: the numbers that they came with are wrong from here.
    is_shifted: bool,
    items: u64,
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
        match self.size <= limit {
            true => self.items.push((place, item.to_owned())),
            false => self.items = Vec::new(),
        }
    }
}

impl Writer {
    /// Keeps at most this many bytes of items.
    pub(super) fn limit(&mut self, bytes: usize) {
        self.limit = bytes;
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

    /// Writes an event of our own: its kind, and its keys with the JSON text of their values.
    pub(super) fn made(&mut self, kind: &str, fields: &[(&str, &str)], out: &mut Out<'_>) {
        self.is_shifted = true;
        let number = self.next();
        self.last = Some(number);
        let kind = format!("response.{kind}");
        let mut event = Object::default();
        event.set_text("type", &kind);
        event.set("sequence_number", number.to_string());
        fields
            .iter()
            .for_each(|(key, json)| event.set(key, (*json).to_owned()));
        if kind == "response.output_item.done" {
            self.done.note(&event, self.limit);
        }
        match out.style {
            Style::Events => out.new_event(&kind, &event.json()),
            Style::Json => out.new_frame(&event.json()),
        }
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
