//! The fast path: a chunk in which nothing begins is one event.
//!
//! Such chunks are nearly all of a stream. When no candidate, no held byte and no question is left, the
//! driver asks the innermost place for a [`Fast`]; with it, one look at the next chunk tells whether
//! that can be passed on as it is.
//!
//! In a value a chunk often ends with what may be the beginning of its closing tag, or with a newline
//! that may be layout. Such an end, of at most [`MAX_UNREAD_BYTES`], is held *unread*: its candidate is
//! dropped, and the next byte to read is the first one held, as if the chunk had ended before it.

use crate::engine::Engine;
use crate::engine::frame::Frame;
use crate::event::{Event, EventKind, SkipReason, Span};
use crate::lexicon::Lexicon;
use crate::scan::{ShortMatch, ShortSearch};

/// What plain bytes are here, and which bytes are not plain.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Fast {
    pub(in crate::engine) plain: Plain,
    /// The bytes to stop at, and one more to look for: a backtick, which only the line has to know of,
    /// or a newline, which leaves the chunk to the driver.
    pub(in crate::engine) stops: ShortSearch,
    /// Whether the lexicon can tell that nothing begins at a byte to stop at.
    pub(in crate::engine) asks_lexicon: bool,
    /// A newline at the end of a chunk is held: it may be layout.
    pub(in crate::engine) holds_newline: bool,
    /// How many bytes may still be kept of what is open.
    pub(in crate::engine) room: usize,
}

impl Fast {
    /// Whether bytes may be held, unread, before a chunk.
    pub(in crate::engine) fn may_follow_held(&self) -> bool {
        matches!(self.plain, Plain::Value)
    }
}

/// What plain bytes are.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) enum Plain {
    Text,
    Thought,
    Hidden,
    Element,
    Value,
    Json,
}

/// At most this many bytes are held unread.
pub(in crate::engine) const MAX_UNREAD_BYTES: usize = 3;
/// A chunk that is copied, so that what is held before it and the chunk are one text, is at most this
/// long.
const MAX_SHORT_BYTES: usize = 64;

/// What a look at a chunk has found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Contents {
    /// Something may begin in it.
    Markup,
    /// Nothing begins in it, but it may have a backtick.
    Backtick,
    /// Nothing begins in it, and it has no backtick.
    Plain,
}

impl Engine {
    /// Passes the chunk on if nothing begins in it; false, and nothing has changed, if something may.
    #[inline(always)]
    pub(in crate::engine) fn pass(
        &mut self,
        chunk: &str,
        sink: &mut impl FnMut(Event<'_>),
    ) -> bool {
        let Some(fast) = self.fast else {
            return false;
        };
        debug_assert!(self.asked.is_none() && self.core.candidate.is_none());
        let bytes = chunk.as_bytes();
        let Some(last) = bytes.last() else {
            return true;
        };
        if bytes.len() > fast.room {
            return false;
        }
        match fast.plain {
            Plain::Json if self.reads_json(bytes) => self.emit_plain(chunk, Plain::Json, sink),
            Plain::Json => return false,
            Plain::Value if self.is_in_value(bytes, *last) => {
                self.emit_plain(chunk, Plain::Value, sink);
            }
            Plain::Value => return self.pass_held(chunk, sink),
            plain => {
                match self.look(bytes) {
                    Contents::Markup => return false,
                    // law: fast-line
                    Contents::Plain => self.work += self.line.advance_without_backticks(bytes),
                    Contents::Backtick => self.work += self.line.advance(bytes),
                }
                self.emit_plain(chunk, plain, sink);
            }
        }
        true
    }

    /// As [`pass`](Self::pass), for a chunk of a value that has held bytes before it or may have some
    /// at its end.
    #[inline(never)]
    fn pass_held(&mut self, chunk: &str, sink: &mut impl FnMut(Event<'_>)) -> bool {
        if chunk.len() > MAX_SHORT_BYTES {
            return false;
        }
        let mut tail = std::mem::take(&mut self.tail);
        let held = tail.len();
        let text = if held == 0 {
            chunk
        } else {
            tail.push_str(chunk);
            &tail
        };
        let certain = self.certain_of_value(text);
        match certain {
            Some(certain) => {
                let whole = text.len();
                self.emit_plain(&text[..certain], Plain::Value, sink);
                if held == 0 {
                    tail.push_str(&chunk[certain..]);
                } else if certain < whole {
                    tail.drain(..certain);
                } else {
                    tail.clear();
                }
            }
            None => tail.truncate(held),
        }
        self.tail = tail;
        certain.is_some()
    }

    /// How much of the text is certain to belong to the value, if only what is held unread follows it.
    fn certain_of_value(&mut self, text: &str) -> Option<usize> {
        debug_assert_eq!(self.core.reading.at, self.settled, "what is held is unread");
        let (Some(Frame::Value(value)), Some(fast)) = (self.core.stack.last_mut(), &self.fast)
        else {
            return None;
        };
        let bytes = text.as_bytes();
        let is_plain = bytes.len() <= ShortSearch::MAX_BYTES && !fast.stops.look(bytes).stop;
        let certain = if is_plain {
            value.certain(bytes)
        } else {
            value.certain_of(bytes, &self.policy.rules, &self.store.call)?
        };
        let may_pass =
            certain > 0 && text.len() <= fast.room && text.len() - certain <= MAX_UNREAD_BYTES;
        may_pass.then_some(certain)
    }

    /// Emits text that is not held and in which nothing begins.
    #[inline(always)]
    fn emit_plain(&mut self, text: &str, plain: Plain, sink: &mut impl FnMut(Event<'_>)) {
        let fast = self.fast.as_mut();
        let fast = fast.expect("only the fast path emits here");
        fast.room -= text.len();
        let span = Span::new(self.settled, self.settled + text.len() as u64);
        self.settled = span.end;
        self.core.reading.at = span.end;
        // The sink is called in each arm, so that the compiler knows the kind where it inlines it.
        let mut emit = |kind| {
            let raw = text;
            sink(Event { span, raw, kind });
        };
        match plain {
            Plain::Text => emit(EventKind::Text(text)),
            Plain::Thought => emit(EventKind::Thought(text)),
            Plain::Hidden => emit(EventKind::Skip {
                reason: SkipReason::Hidden,
            }),
            Plain::Element => emit(self.element_text(text)),
            Plain::Value | Plain::Json => {
                self.unlined += text.len();
                let call = &mut self.store.call;
                call.raw.push_str(text);
                if call.is_started {
                    emit(EventKind::CallDelta {
                        index: call.index,
                        argument: call.argument(),
                        text,
                    });
                } else {
                    let reason = SkipReason::Call;
                    emit(EventKind::Skip { reason });
                }
            }
        }
    }

    /// The markup that counts here.
    fn lexicon(&self) -> &Lexicon {
        let frame = self.core.stack.last();
        let place = frame.expect("the first frame is never popped").place();
        place.lexicon(&self.policy.rules, &self.core.reading)
    }

    #[inline(always)]
    fn look(&self, bytes: &[u8]) -> Contents {
        let Some(fast) = &self.fast else {
            return Contents::Markup;
        };
        if bytes.len() > ShortSearch::MAX_BYTES {
            return self.look_closer(bytes);
        }
        match fast.stops.look(bytes) {
            ShortMatch { stop: true, .. } => self.look_closer(bytes),
            ShortMatch { more: true, .. } if fast.stops.more() == b'\n' => Contents::Markup,
            ShortMatch { more: true, .. } => Contents::Backtick,
            _ => Contents::Plain,
        }
    }

    /// Whether JSON goes on through the chunk, and nothing else happens in it. If so, it has been read.
    #[inline(always)]
    fn reads_json(&mut self, bytes: &[u8]) -> bool {
        match self.core.stack.last_mut() {
            Some(Frame::Json(json)) => {
                json.reads_string(bytes) || json.reads_through(bytes, &self.policy.rules)
            }
            _ => false,
        }
    }

    /// Whether a value goes on through the chunk, with nothing held before it or at its end.
    #[inline(always)]
    fn is_in_value(&self, bytes: &[u8], last: u8) -> bool {
        let Some(fast) = &self.fast else {
            return false;
        };
        if !self.tail.is_empty() || fast.holds_newline && is_newline(last) {
            return false;
        }
        let is_plain = bytes.len() <= ShortSearch::MAX_BYTES && !fast.stops.look(bytes).stop;
        is_plain || self.look_closer(bytes) != Contents::Markup
    }

    /// The chunk is long, or has a byte to stop at. Something may begin there, or not.
    #[inline(never)]
    fn look_closer(&self, bytes: &[u8]) -> Contents {
        let Some(fast) = &self.fast else {
            return Contents::Markup;
        };
        if !fast.asks_lexicon {
            return if fast.stops.any(bytes) {
                Contents::Markup
            } else {
                Contents::Plain
            };
        }
        let lexicon = self.lexicon();
        match lexicon.find(bytes) {
            // law: fast-tag
            Some(_) => Contents::Markup,
            None if lexicon.stops.stop(b'`') => Contents::Plain,
            None if memchr::memchr(b'`', bytes).is_some() => Contents::Backtick,
            None => Contents::Plain,
        }
    }

    fn element_text<'a>(&'a mut self, text: &'a str) -> EventKind<'a> {
        let part = match self.core.stack.last() {
            Some(Frame::Element(element)) => element.part(),
            _ => None,
        };
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

fn is_newline(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}
