//! Frames that wait until a message has text to show.

use super::desk::Desk;
use super::event::Event;
use super::message::Message;

/// A message has no more frames that wait.
const MOST_HELD: usize = 16;

/// A frame that waits.
#[derive(Debug)]
pub(super) enum Held {
    /// The announcement of the item.
    Item(Event<'static>),
    /// The announcement of its part.
    Part(Event<'static>),
    /// It belongs to the part, and is nothing without it.
    OfPart(Event<'static>),
    /// It does not depend on the announcement.
    Aside(Aside),
}

impl Held {
    pub(super) fn is_of_part(&self) -> bool {
        matches!(self, Held::OfPart(_))
    }

    fn size(&self) -> usize {
        match self {
            Held::Item(event) | Held::Part(event) | Held::OfPart(event) => event.size(),
            Held::Aside(Aside::Event(event)) => event.size(),
            Held::Aside(Aside::Bytes(bytes)) => bytes.len(),
        }
    }

    pub(super) fn is_aside(&self) -> bool {
        matches!(self, Held::Aside(_))
    }
}

/// A frame that belongs to no item.
#[derive(Clone, Debug)]
pub(super) enum Aside {
    Event(Event<'static>),
    Bytes(Vec<u8>),
}

impl Aside {
    pub(super) fn write(self, desk: &mut Desk<'_, '_>) {
        match self {
            Aside::Event(event) => desk.event(event),
            Aside::Bytes(bytes) => desk.out.bytes.extend(bytes),
        }
    }
}

impl Message {
    /// A frame between others. Whether it waits here.
    pub(super) fn aside(&mut self, aside: &Aside, desk: &mut Desk<'_, '_>) -> bool {
        if self.held.is_empty() {
            return false;
        }
        // One may wait, so that the order stays. The next may be what keeps the connection alive.
        let waits = self.is_patient && !self.held.iter().any(Held::is_aside);
        match waits {
            true => self.held.push(Held::Aside(aside.clone())),
            false => self.release(desk),
        }
        waits
    }

    /// Writes what does not depend on the announcement, before it.
    pub(super) fn release(&mut self, desk: &mut Desk<'_, '_>) {
        if self.held.is_empty() {
            return;
        }
        self.is_patient = false;
        desk.writer.shift();
        for held in std::mem::take(&mut self.held) {
            match held {
                Held::Aside(aside) => aside.write(desk),
                other => self.held.push(other),
            }
        }
    }

    /// Parts without a text may be announced as often as one likes.
    pub(super) fn holds_too_much(&self, limit: usize) -> bool {
        let size: usize = self.held.iter().map(Held::size).sum();
        self.held.len() > MOST_HELD || size > limit
    }

    /// Nothing to show yet: the announcement goes on waiting, but not what keeps the connection
    /// alive.
    pub(super) fn wait(&mut self, desk: &mut Desk<'_, '_>) {
        if self.has_come {
            self.release(desk);
        }
    }
}
