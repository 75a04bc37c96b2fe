//! Giving events of one choice to whoever takes them.

use crate::event::{WireEvent, WireKind};
use tagstream_core::{EventKind, NoticeCode, Span};

/// Takes events.
pub(crate) type Sink<'s> = &'s mut dyn FnMut(WireEvent<'_>);

/// Gives events of one choice.
pub(crate) struct Emit<'s> {
    pub(crate) choice: u64,
    pub(crate) sink: Sink<'s>,
}

impl Emit<'_> {
    /// What was found in text.
    pub(crate) fn found(&mut self, span: Span, kind: EventKind<'_>) {
        let event = WireKind::Message(kind);
        self.give(Some(span), event);
    }

    /// What the provider told apart by itself.
    pub(crate) fn native(&mut self, kind: EventKind<'_>) {
        self.give(None, WireKind::Message(kind));
    }

    pub(crate) fn notice(&mut self, code: NoticeCode, message: &str) {
        self.native(EventKind::Notice { code, message });
    }

    pub(crate) fn finish(&mut self, reason: &str) {
        self.give(None, WireKind::Finish { reason });
    }

    pub(crate) fn usage(&mut self, usage: &str) {
        self.give(None, WireKind::Usage { usage });
    }

    fn give(&mut self, span: Option<Span>, event: WireKind<'_>) {
        (self.sink)(WireEvent {
            choice: self.choice,
            span,
            event,
        });
    }
}
