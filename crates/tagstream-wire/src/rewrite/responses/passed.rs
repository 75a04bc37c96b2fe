//! Items of the provider's own: reasoning, calls, and whatever else there is.

use super::desk::Desk;
use super::event::Event;
use super::made;
use crate::rewrite::object::string;

/// An item that is passed on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passed {
    /// Its place here.
    pub(super) number: u64,
    /// How many of its parts were announced.
    pub(super) parts: u64,
}

impl Passed {
    pub(super) fn write(&mut self, kind: &str, mut event: Event<'_>, desk: &mut Desk<'_, '_>) {
        event.set_number("output_index", self.number);
        if kind == "content_part.added" {
            self.parts += 1;
        }
        if kind.starts_with("reasoning_text.") {
            self.announce_thought(&mut event, desk);
        }
        desk.event(event);
    }

    /// A thought's text that comes without a word, though clients want it announced.
    fn announce_thought(&mut self, event: &mut Event<'_>, desk: &mut Desk<'_, '_>) {
        let index = event.object.number("content_index").unwrap_or(0);
        event.set_number("content_index", index);
        if index < self.parts {
            return;
        }
        self.parts = index.saturating_add(1);
        let id = string(&event.object.text("item_id").unwrap_or_default());
        let (number, index) = (self.number.to_string(), index.to_string());
        let part = made::thought_part("");
        let place = [("item_id", &*id), ("output_index", &*number)];
        let part = [("content_index", &*index), ("part", &*part)];
        desk.made("content_part.added", &[place, part].concat());
    }
}
