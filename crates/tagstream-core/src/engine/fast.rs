//! The fast path: a chunk in which nothing begins is one event.
//!
//! Such chunks are nearly all of a stream. A place offers [`Fast`] when no candidate, no held byte
//! and no question is open; then one look at the chunk tells whether it can be passed on as it is.
//!
//! In a value, a chunk often ends with a `<` or a newline that only the next byte explains. It is held
//! unread: the position to read on at is that of the first byte held, as if the chunk had ended
//! before it.

use super::Engine;
use super::call::value::layout_at_end;
use super::frame::Frame;
use crate::event::{Event, EventKind, SkipReason, Span};
use crate::lexicon::{Lexicon, Number};
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
    Value(PlainValue),
    Json,
}

/// What is held at the end of a chunk in a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlainValue {
    /// A newline may be layout.
    pub(super) on_lines: bool,
    /// A `<` may begin the closing tag.
    pub(super) holds_bracket: bool,
}

impl PlainValue {
    /// Whether the last byte may be held.
    #[inline(always)]
    fn may_hold(self, last: u8) -> bool {
        self.on_lines && matches!(last, b'\n' | b'\r')
    }

    /// How many of these bytes are certain to be text of the value; `None` if markup may begin before
    /// the last of them.
    fn certain(self, bytes: &[u8], lexicon: &Lexicon) -> Option<usize> {
        let text = match lexicon.find(bytes) {
            None => bytes,
            Some(at) if self.holds_bracket && bytes[at..] == *b"<" => &bytes[..at],
            Some(_) => return None,
        };
        let layout = if self.on_lines { layout_at_end(text) } else { 0 };
        Some(text.len() - layout)
    }
}

/// A chunk with what is held before it is at most this long, to be looked at as one text.
const MAX_JOINED_BYTES: usize = 24;

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
        debug_assert!(self.asked.is_none() && self.core.candidate.is_none());
        let bytes = chunk.as_bytes();
        let Some(last) = bytes.last() else {
            return true;
        };
        if !self.has_room(fast.plain, chunk) {
            return false;
        }
        if let Plain::Value(value) = fast.plain
            && (!self.tail.is_empty() || value.may_hold(*last))
        {
            return self.pass_cut(fast.plain, value, chunk, sink);
        }
        let look = if matches!(fast.plain, Plain::Json) {
            self.look_at_json(bytes)
        } else {
            self.look(fast, bytes)
        };
        if look == Look::Something {
            return match fast.plain {
                Plain::Value(value) if *last == b'<' => {
                    self.pass_cut(fast.plain, value, chunk, sink)
                }
                _ => false,
            };
        }
        if look == Look::Nothing {
            // law: fast-line
            self.work += self.line.advance_without_backticks(bytes);
        } else {
            self.work += self.line.advance(bytes);
        }
        self.emit_plain(fast.plain, chunk, sink);
        true
    }

    /// As [`pass`](Self::pass), for a chunk in a value that has held bytes before it or at its end.
    #[inline(never)]
    fn pass_cut(
        &mut self,
        plain: Plain,
        value: PlainValue,
        chunk: &str,
        sink: &mut dyn FnMut(Event<'_>),
    ) -> bool {
        debug_assert_eq!(self.core.reading.at, self.settled, "what is held is unread");
        let held = self.tail.len();
        let mut joined = [0; MAX_JOINED_BYTES];
        let Some(joined) = joined.get_mut(..held + chunk.len()) else {
            return false;
        };
        joined[..held].copy_from_slice(self.tail.as_bytes());
        joined[held..].copy_from_slice(chunk.as_bytes());
        let has_room = self.store.call.room_for(&self.policy.rules.limits) >= joined.len();
        let certain = value.certain(joined, self.lexicon());
        let Some(certain) = certain.filter(|certain| has_room && *certain >= held) else {
            return false;
        };
        let (text, rest) = chunk.split_at(certain - held);
        let mut tail = std::mem::take(&mut self.tail);
        for text in [&*tail, text] {
            if !text.is_empty() {
                self.work += self.line.advance(text.as_bytes());
                self.emit_plain(plain, text, &mut |event| sink(event));
            }
        }
        tail.clear();
        tail.push_str(rest);
        self.tail = tail;
        true
    }

    /// Emits text that is not held and in which nothing begins.
    #[inline(always)]
    fn emit_plain(&mut self, plain: Plain, text: &str, sink: &mut impl FnMut(Event<'_>)) {
        let span = Span::new(self.settled, self.settled + text.len() as u64);
        self.settled = span.end;
        self.core.reading.at = span.end;
        let kind = self.plain(plain, text);
        let raw = text;
        sink(Event { span, raw, kind });
    }

    /// The markup that counts here.
    fn lexicon(&self) -> &Lexicon {
        let frame = self.core.stack.last();
        let place = frame.expect("the first frame is never popped").place();
        place.lexicon(&self.policy.rules, &self.core.reading)
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
        let lexicon = self.lexicon();
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
            Plain::Value(_) | Plain::Json => self.store.call.room_for(limits) >= chunk.len(),
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
            Plain::Value(_) | Plain::Json => {
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
