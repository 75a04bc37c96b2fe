//! The fast path: a chunk in which nothing begins is one event.
//!
//! Such chunks are nearly all of a stream. A place offers [`Fast`] when no candidate, no held byte
//! and no question is open; then one look at the chunk tells whether it can be passed on as it is.

use super::Engine;
use super::frame::Frame;
use crate::event::{Event, EventKind, SkipReason, Span};
use crate::lexicon::Number;
use crate::scan::{Few, Seen};

/// What plain bytes are here, and which bytes are not plain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fast {
    pub(super) plain: Plain,
    /// The bytes to stop at; one more byte matters to the state of the line, or ends the look.
    pub(super) stops: Few,
    /// Whether the lexicon can tell that nothing begins at a byte to stop at.
    pub(super) asks_lexicon: bool,
}

/// What plain bytes are.
#[derive(Clone, Copy, Debug)]
pub(super) enum Plain {
    Text,
    Thought,
    Skip(SkipReason),
    Element { part: Option<Number> },
    Value { on_lines: bool },
    Json,
}

/// What a look at a chunk has found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    /// Something may begin in it.
    Something,
    /// Nothing begins in it, but it may have a backtick.
    Backtick,
    Nothing,
}

impl Engine {
    /// Passes the chunk on if nothing begins in it; false, and nothing has changed, if something may.
    #[inline(always)]
    pub(super) fn pass(
        &mut self,
        fast: Fast,
        chunk: &str,
        sink: &mut impl FnMut(Event<'_>),
    ) -> bool {
        debug_assert!(self.tail.is_empty() && self.asked.is_none());
        let bytes = chunk.as_bytes();
        if bytes.is_empty() {
            return true;
        }
        if !self.has_room(fast.plain, chunk) {
            return false;
        }
        let look = if matches!(fast.plain, Plain::Json) {
            self.look_at_json(bytes)
        } else {
            self.look(fast, bytes)
        };
        if look == Look::Something {
            return false;
        }
        if look == Look::Nothing {
            // law: fast-line
            self.work += self.line.advance_without_backticks(bytes);
        } else {
            self.work += self.line.advance(bytes);
        }
        let span = Span::new(self.settled, self.settled + bytes.len() as u64);
        self.settled = span.end;
        self.core.reading.at = span.end;
        let kind = self.plain(fast.plain, chunk);
        sink(Event {
            span,
            raw: chunk,
            kind,
        });
        true
    }

    #[inline(always)]
    fn look(&self, fast: Fast, bytes: &[u8]) -> Look {
        if bytes.len() > Few::MOST {
            return self.look_closer(fast, bytes);
        }
        match fast.stops.look(bytes) {
            Seen { stop: true, .. } => self.look_closer(fast, bytes),
            Seen { more: true, .. } if fast.stops.more == b'\n' => Look::Something,
            Seen { more: true, .. } => Look::Backtick,
            _ => Look::Nothing,
        }
    }

    /// JSON goes on through the chunk, or something happens in it.
    #[inline]
    fn look_at_json(&mut self, bytes: &[u8]) -> Look {
        let Some(Frame::Json(json)) = self.core.stack.last_mut() else {
            return Look::Something;
        };
        if json.reads_through(bytes, &self.policy.rules) {
            Look::Backtick
        } else {
            Look::Something
        }
    }

    /// The chunk is long, or has a byte to stop at. Something may begin there, or not.
    #[inline(never)]
    fn look_closer(&self, fast: Fast, bytes: &[u8]) -> Look {
        if !fast.asks_lexicon {
            return if fast.stops.any(bytes) {
                Look::Something
            } else {
                Look::Nothing
            };
        }
        let frame = self.core.stack.last();
        let place = frame.expect("the first frame is never popped").place();
        let lexicon = place.lexicon(&self.policy.rules, &self.core.reading);
        match lexicon.find(bytes) {
            // law: fast-tag
            Some(_) => Look::Something,
            None if lexicon.stops.stop(b'`') => Look::Nothing,
            None if memchr::memchr(b'`', bytes).is_some() => Look::Backtick,
            None => Look::Nothing,
        }
    }

    /// Whether all of the chunk can be kept, and is certain to belong to what is open.
    #[inline(always)]
    fn has_room(&self, plain: Plain, chunk: &str) -> bool {
        let limits = &self.policy.rules.limits;
        match plain {
            Plain::Text | Plain::Thought | Plain::Skip(_) => true,
            Plain::Element { .. } => {
                let element = self.store.elements.last();
                element.is_some_and(|element| element.room(chunk, limits.value) == chunk.len())
            }
            Plain::Value { on_lines } => {
                let may_be_layout = on_lines && chunk.ends_with(['\n', '\r']);
                !may_be_layout && self.store.call.room_for(limits) >= chunk.len()
            }
            Plain::Json => self.store.call.room_for(limits) >= chunk.len(),
        }
    }

    /// What the chunk is; keeps it where that is wanted.
    #[inline(always)]
    fn plain<'a>(&'a mut self, plain: Plain, text: &'a str) -> EventKind<'a> {
        match plain {
            Plain::Text => EventKind::Text(text),
            Plain::Thought => EventKind::Thought(text),
            Plain::Skip(reason) => EventKind::Skip { reason },
            Plain::Element { part } => self.element_text(part, text),
            Plain::Value { .. } | Plain::Json => {
                let call = &mut self.store.call;
                call.raw.push_str(text);
                if call.is_started {
                    EventKind::CallDelta {
                        index: call.index,
                        argument: call.argument(),
                        text,
                    }
                } else {
                    EventKind::Skip {
                        reason: SkipReason::Call,
                    }
                }
            }
        }
    }

    fn element_text<'a>(&'a mut self, part: Option<Number>, text: &'a str) -> EventKind<'a> {
        let rules = &self.policy.rules;
        let element = self.store.innermost();
        element.collect(text, rules);
        let rule = element.rule.map(|rule| rules.element(rule));
        EventKind::ElementDelta {
            id: element.id,
            part: rule
                .zip(part)
                .map(|(rule, part)| &*rule.parts[part as usize].name),
            text,
        }
    }
}
