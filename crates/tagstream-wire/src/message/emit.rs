//! Emitting the events of one choice.

use crate::event::{WireEvent, WireKind};
use tagstream_core::{Event, EventKind, NoticeCode};

/// Where an event comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// It was found in the text of this block.
    Text(u64),
    /// The provider reported it, and it was passed on as it came.
    Native,
    /// All of a native call whose pieces were held, besides the events about it: for writers.
    Held,
}

/// Takes events.
pub(crate) type Sink<'s> = &'s mut dyn FnMut(Origin, WireEvent<'_>);

/// Emits events of one choice.
pub(crate) struct Emit<'s> {
    pub(crate) choice: u64,
    pub(crate) sink: Sink<'s>,
}

impl Emit<'_> {
    /// What was found in the text of a block.
    pub(crate) fn found(&mut self, block: u64, event: Event<'_>) {
        let event = WireEvent {
            choice: self.choice,
            span: Some(event.span),
            raw: event.raw,
            event: WireKind::Message(event.kind),
        };
        (self.sink)(Origin::Text(block), event);
    }

    /// Native events, which the provider reports separately.
    pub(crate) fn native(&mut self, kind: EventKind<'_>) {
        self.give(Origin::Native, WireKind::Message(kind));
    }

    /// A native call whose pieces were held.
    pub(crate) fn held(&mut self, kind: EventKind<'_>) {
        self.give(Origin::Held, WireKind::Message(kind));
    }

    pub(crate) fn notice(&mut self, code: NoticeCode, message: &str) {
        self.native(EventKind::notice(code, message));
    }

    pub(crate) fn finish(&mut self, reason: &str) {
        self.give(Origin::Native, WireKind::Finish { reason });
    }

    pub(crate) fn usage(&mut self, usage: &str) {
        self.give(Origin::Native, WireKind::Usage { usage });
    }

    fn give(&mut self, origin: Origin, event: WireKind<'_>) {
        let event = WireEvent {
            choice: self.choice,
            span: None,
            raw: "",
            event,
        };
        (self.sink)(origin, event);
    }
}
