//! Giving events of one choice to whoever takes them.

use crate::event::{WireEvent, WireKind};
use tagstream_core::{Event, EventKind, NoticeCode};

/// Takes events.
pub(crate) type Sink<'s> = &'s mut dyn FnMut(WireEvent<'_>);

/// Gives events of one choice.
pub(crate) struct Emit<'s> {
    pub(crate) choice: u64,
    pub(crate) sink: Sink<'s>,
}

impl Emit<'_> {
    /// What was found in text.
    pub(crate) fn found(&mut self, event: Event<'_>) {
        (self.sink)(WireEvent {
            choice: self.choice,
            span: Some(event.span),
            raw: event.raw,
            event: WireKind::Message(event.kind),
        });
    }

    /// Native events, which the provider reports separately.
    pub(crate) fn native(&mut self, kind: EventKind<'_>) {
        self.give(WireKind::Message(kind));
    }

    pub(crate) fn notice(&mut self, code: NoticeCode, message: &str) {
        self.native(EventKind::notice(code, message));
    }

    pub(crate) fn finish(&mut self, reason: &str) {
        self.give(WireKind::Finish { reason });
    }

    pub(crate) fn usage(&mut self, usage: &str) {
        self.give(WireKind::Usage { usage });
    }

    fn give(&mut self, event: WireKind<'_>) {
        (self.sink)(WireEvent {
            choice: self.choice,
            span: None,
            raw: "",
            event,
        });
    }
}
