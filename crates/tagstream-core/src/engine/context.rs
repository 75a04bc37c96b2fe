//! All that a place sees of the rest: the unread text, the rules, and where output goes.

use super::frame::Step;
use super::store::Store;
use super::unproved::Pairs;
use crate::code::Code;
use crate::event::{Event, EventKind, NoticeCode, SkipReason, Span};
use crate::lexicon::Lexicon;
use crate::line::{Counted, Line};
use crate::policy::Rules;
use crate::token::Token;

/// How far the message has been read, apart from the places around it.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    /// The next byte to read.
    pub(super) at: u64,
    /// No markup begins before this position: it has turned out to be text.
    pub(super) plain_until: u64,
    /// What is known about Markdown code here.
    pub(super) code: Code,
    /// Where the backticks of a line were last counted.
    pub(super) counted: Counted,
    /// There has been visible text.
    pub(super) has_visible_text: bool,
    /// There has been visible text, an element or a call.
    pub(super) has_answer: bool,
    /// The number of the next element.
    pub(super) next_element: u64,
    /// The number of the next call.
    pub(super) next_call: u64,
}

impl Reading {
    pub(super) fn new(rules: &Rules) -> Self {
        Reading {
            at: 0,
            plain_until: 0,
            code: Code::new(rules.limits.span),
            counted: Counted::default(),
            has_visible_text: false,
            has_answer: false,
            next_element: 0,
            next_call: 0,
        }
    }
}

/// What a place works with. Positions are bytes of the message.
///
/// Invariant: `base <= mark <= base + window.len()`, and nothing is emitted while a question is
/// open: places may emit without knowing, and the context drops it.
pub(super) struct Context<'a> {
    pub(super) rules: &'a Rules,
    /// The tail with a piece of the chunk after it, or the chunk itself.
    pub(super) window: &'a str,
    pub(super) base: u64,
    /// The first byte that no event accounts for.
    pub(super) mark: u64,
    /// How far may be read now. While a question is open it may be inside a character.
    pub(super) limit: u64,
    /// The message ends with this window.
    pub(super) is_last: bool,
    /// A question is open.
    pub(super) is_asking: bool,
    /// The line in which the window begins.
    pub(super) line: &'a Line,
    pub(super) reading: &'a mut Reading,
    pub(super) store: &'a mut Store,
    pub(super) pairs: &'a mut Option<Box<Pairs>>,
    /// Bytes looked at, besides once when they are emitted.
    pub(super) work: &'a mut u64,
    pub(super) sink: &'a mut dyn FnMut(Event<'_>),
}

impl<'a> Context<'a> {
    // The text.

    pub(super) fn index(&self, position: u64) -> usize {
        debug_assert!(position >= self.base, "the text before the window is gone");
        debug_assert!(position <= self.end(), "the window ends before this");
        (position - self.base) as usize
    }

    /// Where the window ends.
    pub(super) fn end(&self) -> u64 {
        self.base + self.window.len() as u64
    }

    pub(super) fn text(&self, from: u64, to: u64) -> &'a str {
        &self.window[self.index(from)..self.index(to)]
    }

    /// As [`text`](Self::text), for a range that may be empty because there is nothing.
    pub(super) fn text_of(&self, (from, to): (u64, u64)) -> &'a str {
        if from == to { "" } else { self.text(from, to) }
    }

    pub(super) fn byte(&self, at: u64) -> u8 {
        self.window.as_bytes()[self.index(at)]
    }

    /// The bytes that may be read now.
    pub(super) fn rest(&self) -> &'a [u8] {
        let window: &'a str = self.window;
        &window.as_bytes()[self.index(self.reading.at)..self.index(self.limit)]
    }

    /// Reads on to where the lexicon says that something may begin.
    pub(super) fn read_to(&mut self, lexicon: &Lexicon) -> Step {
        match lexicon.find(self.rest()) {
            Some(next) => {
                self.reading.at += next as u64;
                Step::BEGIN
            }
            None => {
                self.reading.at = self.limit;
                Step::Continue
            }
        }
    }

    /// Where the answer to a question about this token must begin at the latest.
    pub(super) fn deadline(&self, token: &Token) -> u64 {
        let lookahead = self.rules.limits.lookahead as u64;
        token.end.saturating_add(lookahead)
    }

    /// Passes over white space; returns the next byte, if there is one.
    pub(super) fn next_byte(&mut self) -> Option<u8> {
        let rest = self.rest();
        let space = count_spaces(rest);
        self.reading.at += space as u64;
        rest.get(space).copied()
    }

    /// Whether only white space lies between these positions.
    pub(super) fn is_blank(&self, from: u64, to: u64) -> bool {
        is_blank(self.text(from, to))
    }

    pub(super) fn byte_before(&self, at: u64) -> u8 {
        self.line
            .byte_before(self.window.as_bytes(), self.index(at))
    }

    pub(super) fn begins_line(&self, at: u64) -> bool {
        self.byte_before(at) == b'\n'
    }

    /// Whether the line has an odd number of backticks before this position.
    pub(super) fn has_odd_backticks(&mut self, at: u64) -> bool {
        let (window, index) = (self.window.as_bytes(), self.index(at));
        let counted = &mut self.reading.counted;
        let (odd, looked) = self.line.odd_before(counted, window, self.base, index);
        *self.work += looked;
        odd
    }

    /// Whether a word continues here. What has been emitted of it was in a word, or it would have been
    /// held.
    pub(super) fn is_in_word(&self, at: u64) -> bool {
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        at < self.mark || is_word(self.byte(at)) && is_word(self.byte_before(at))
    }

    /// The text of a tag's attributes.
    pub(super) fn attributes(&self, token: &Token) -> &'a str {
        token.attributes(self.text(token.start, token.end))
    }

    // Reading on.

    /// Reading continues after the token.
    pub(super) fn pass(&mut self, token: &Token) {
        self.reading.at = token.end;
    }

    /// Reading continues here, which may be in the middle of a character, or before the window if it
    /// was certain already that nothing begins there.
    pub(super) fn go_to(&mut self, at: u64) {
        let index = self.index(at.clamp(self.base, self.end()));
        self.reading.at = self.base + self.window.ceil_char_boundary(index) as u64;
    }

    /// Passes over what has turned out to be text; false if there is none.
    pub(super) fn pass_known_text(&mut self) -> bool {
        let until = self.reading.plain_until.min(self.limit);
        let passes = until > self.reading.at;
        if passes {
            self.go_to(until);
        }
        passes
    }

    // Output.

    /// Emits an event for the bytes up to `to`.
    pub(super) fn emit(&mut self, to: u64, kind: EventKind<'_>) {
        if self.is_asking {
            return;
        }
        let (span, raw) = self.account(to);
        (self.sink)(Event { span, raw, kind });
    }

    /// Accounts for the bytes up to `to`.
    pub(super) fn account(&mut self, to: u64) -> (Span, &'a str) {
        debug_assert!(
            !self.is_asking,
            "nothing is emitted while a question is open"
        );
        debug_assert!(to >= self.mark, "nothing is emitted twice");
        let span = Span::new(self.mark, to);
        let raw = self.text(self.mark, to);
        self.mark = to;
        (span, raw)
    }

    /// Drops the white space before the first visible text, where the profile wants that.
    pub(super) fn trim_answer(&mut self, to: u64) {
        if self.rules.trim_answer && !self.reading.has_visible_text && to > self.mark {
            let spaces = count_spaces(self.text(self.mark, to).as_bytes());
            self.skip(self.mark + spaces as u64, SkipReason::WhiteSpace);
        }
    }

    pub(super) fn emit_text(&mut self, to: u64) {
        self.trim_answer(to);
        if to <= self.mark {
            return;
        }
        let text = self.text(self.mark, to);
        if !(self.is_asking || self.reading.has_visible_text) {
            self.reading.has_visible_text = !is_blank(text);
        }
        self.emit(to, EventKind::Text(text));
    }

    pub(super) fn skip(&mut self, to: u64, reason: SkipReason) {
        if to > self.mark {
            // law: skip
            self.emit(to, EventKind::Skip { reason });
        }
    }

    pub(super) fn notice(&mut self, code: NoticeCode, message: &str) {
        self.emit(self.mark, EventKind::Notice { code, message });
    }
}

pub(super) fn count_spaces(bytes: &[u8]) -> usize {
    let spaces = bytes.iter().take_while(|b| crate::line::is_space(**b));
    spaces.count()
}

pub(super) fn is_blank(text: &str) -> bool {
    text.bytes().all(crate::line::is_space)
}
