//! The engine.

use crate::{ElementView, Event, Kind, Policy, Sink, Span};

/// Reads one message, in pieces.
#[derive(Debug)]
pub struct Engine {
    #[allow(dead_code)]
    policy: Policy,
    out: u64,
}

impl Engine {
    /// An engine for one message. Allocates nothing.
    #[must_use]
    pub fn new(policy: &Policy) -> Self {
        Engine { policy: policy.clone(), out: 0 }
    }

    /// Reads the next piece of the message and emits all that is certain now.
    pub fn push<S: Sink>(&mut self, chunk: &str, sink: &mut S) {
        let start = self.out;
        self.out += chunk.len() as u64;
        sink.event(Event { span: Span { start, end: self.out }, kind: Kind::Text(chunk) });
    }

    /// As [`push`](Self::push), for bytes that may be cut inside a character.
    pub fn push_bytes<S: Sink>(&mut self, chunk: &[u8], sink: &mut S) {
        self.push(&String::from_utf8_lossy(chunk), sink);
    }

    /// Ends the message and emits the rest.
    pub fn finish<S: Sink>(self, sink: &mut S) {
        let _ = sink;
    }

    /// The elements that are open now, outermost first.
    pub fn open_elements(&self) -> impl Iterator<Item = ElementView<'_>> {
        std::iter::empty()
    }

    /// What is held back now: the end of the message so far, not yet certain.
    #[must_use]
    pub fn held(&self) -> &str {
        ""
    }

    /// How many bytes have been looked at, each as often as it was: for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.out
    }
}
