//! All that a place sees of the rest: the unread text, the rules, and where output goes.

use crate::code::{Code, Settled};
use crate::engine::frame::Step;
use crate::engine::store::Store;
use crate::engine::unproved::Pairs;
use crate::event::{Event, EventKind, NoticeCode, SkipReason, Span};
use crate::lexicon::{Lexicon, Number};
use crate::line::{Counted, Line};
use crate::policy::Rules;
use crate::token::{Shape, Token};

/// How far the message has been read, apart from the places around it.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Reading {
    /// The next byte to read.
    pub(in crate::engine) at: u64,
    /// No markup begins before this position: it has turned out to be text.
    pub(in crate::engine) plain_until: u64,
    /// What is known about Markdown code here.
    pub(in crate::engine) code: Code,
    /// Where the backticks of a line were last counted.
    pub(in crate::engine) counted: Counted,
    /// There has been visible text.
    pub(in crate::engine) has_visible_text: bool,
    /// There has been visible text, an element or a call.
    pub(in crate::engine) has_answer: bool,
    /// The number of the next element.
    pub(in crate::engine) next_element: u64,
    /// The number of the next call.
    pub(in crate::engine) next_call: u64,
}

impl Reading {
    pub(in crate::engine) fn new(rules: &Rules) -> Self {
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
/// The window, the sink, the store and whether a question is open are fields for the driver only.
/// Places read the text, keep and emit through methods.
///
/// Invariant: `base <= mark <= base + window.len()`, and nothing is emitted while a question is
/// open: places may emit without knowing, and the context drops it.
pub(in crate::engine) struct Context<'a> {
    pub(in crate::engine) rules: &'a Rules,
    /// The tail with a piece of the chunk after it, or the chunk itself.
    pub(super) window: &'a str,
    pub(super) base: u64,
    /// The first byte that no event accounts for.
    pub(in crate::engine) mark: u64,
    /// How far may be read now. While a question is open it may be inside a character.
    pub(in crate::engine) limit: u64,
    /// The message ends with this window.
    pub(super) is_last: bool,
    /// A question is open.
    pub(super) is_asking: bool,
    /// The line in which the window begins.
    pub(in crate::engine) line: &'a Line,
    pub(in crate::engine) reading: &'a mut Reading,
    pub(super) store: &'a mut Store,
    pub(super) pairs: &'a mut Option<Box<Pairs>>,
    /// Bytes looked at, besides once when they are emitted.
    pub(in crate::engine) work: &'a mut u64,
    pub(super) sink: &'a mut dyn FnMut(Event<'_>),
}

impl<'a> Context<'a> {
    // The text.

    pub(in crate::engine) fn index(&self, position: u64) -> usize {
        debug_assert!(position >= self.base, "the text before the window is gone");
        debug_assert!(position <= self.end(), "the window ends before this");
        (position - self.base) as usize
    }

    /// Where the window ends.
    pub(in crate::engine) fn end(&self) -> u64 {
        self.base + self.window.len() as u64
    }

    pub(in crate::engine) fn text(&self, from: u64, to: u64) -> &'a str {
        &self.window[self.index(from)..self.index(to)]
    }

    /// As [`text`](Self::text), for a range that may be empty because there is nothing.
    pub(in crate::engine) fn text_of(&self, (from, to): (u64, u64)) -> &'a str {
        if from == to { "" } else { self.text(from, to) }
    }

    /// As [`text`](Self::text), for a range that may begin or end inside a character.
    pub(in crate::engine) fn bytes(&self, from: u64, to: u64) -> &'a [u8] {
        let window: &'a str = self.window;
        &window.as_bytes()[self.index(from)..self.index(to)]
    }

    /// All unread text.
    pub(in crate::engine) fn unread(&self) -> &'a [u8] {
        self.bytes(self.reading.at, self.end())
    }

    pub(in crate::engine) fn byte(&self, at: u64) -> u8 {
        self.window.as_bytes()[self.index(at)]
    }

    /// The bytes that may be read now.
    pub(in crate::engine) fn rest(&self) -> &'a [u8] {
        self.bytes(self.reading.at, self.limit)
    }

    /// Reads on to where the lexicon says that something may begin.
    pub(in crate::engine) fn read_to(&mut self, lexicon: &Lexicon) -> Step {
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
    pub(in crate::engine) fn deadline(&self, token: &Token) -> u64 {
        let lookahead = self.rules.limits.lookahead as u64;
        token.end.saturating_add(lookahead)
    }

    /// Passes over white space; returns the next byte, if there is one.
    pub(in crate::engine) fn next_byte(&mut self) -> Option<u8> {
        let rest = self.rest();
        let space = count_spaces(rest);
        self.reading.at += space as u64;
        rest.get(space).copied()
    }

    /// Whether only white space lies between these positions.
    pub(in crate::engine) fn is_blank(&self, from: u64, to: u64) -> bool {
        is_blank(self.text(from, to))
    }

    pub(in crate::engine) fn byte_before(&self, at: u64) -> u8 {
        self.line
            .byte_before(self.window.as_bytes(), self.index(at))
    }

    /// Whether a line begins at this position. The position may not be before the window: what begins
    /// before the mark must be ruled out first.
    pub(in crate::engine) fn begins_line(&self, at: u64) -> bool {
        self.byte_before(at) == b'\n'
    }

    /// Whether only spaces and tabs precede this position in its line.
    pub(in crate::engine) fn begins_after_indent(&self, at: u64) -> bool {
        self.line
            .indent_before(self.window.as_bytes(), self.index(at))
    }

    /// Whether the line has an odd number of backticks before this position.
    pub(in crate::engine) fn has_odd_backticks(&mut self, at: u64) -> bool {
        let (window, index) = (self.window.as_bytes(), self.index(at));
        let counted = &mut self.reading.counted;
        let (odd, looked) = self.line.odd_before(counted, window, self.base, index);
        *self.work += looked;
        odd
    }

    /// Whether an opener of calls cannot count here: a word continues, or it must begin a line. What has
    /// been emitted of it could not, or it would have been held.
    pub(in crate::engine) fn is_out_of_place(&self, opener: Number, at: u64) -> bool {
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        at < self.mark
            || is_word(self.byte(at)) && is_word(self.byte_before(at))
            // law: word-line
            || self.call_rules().opener(opener).begins_line() && !self.begins_after_indent(at)
    }

    /// Whether this is also a marker.
    pub(in crate::engine) fn is_marker(&self, token: &Token) -> bool {
        let text = self.text(token.start, token.end);
        self.rules.markers.iter().any(|marker| **marker == *text)
    }

    /// The longest literal that begins where this one does, and is shorter: what it is, once it has turned
    /// out that this one is nothing. If some of this one has been emitted, there is none.
    pub(in crate::engine) fn shorter(&self, token: &Token, lexicon: &Lexicon) -> Option<Token> {
        if token.shape != Shape::Literal || token.start < self.mark {
            return None;
        }
        let (role, len) = lexicon.shorter(self.bytes(token.start, token.end))?;
        Some(Token::literal(role, token.start, token.start + len as u64))
    }

    /// The text of a tag's attributes.
    pub(in crate::engine) fn attributes(&self, token: &Token) -> &'a str {
        token.attributes(self.text(token.start, token.end))
    }

    // Reading on.

    /// Reading continues after the token.
    pub(in crate::engine) fn pass(&mut self, token: &Token) {
        self.reading.at = token.end;
    }

    /// Reading continues here, which may be in the middle of a character, or before the window if it
    /// was certain already that nothing begins there.
    pub(in crate::engine) fn go_to(&mut self, at: u64) {
        let index = self.index(at.clamp(self.base, self.end()));
        self.reading.at = self.base + self.window.ceil_char_boundary(index) as u64;
    }

    /// Passes over what has turned out to be text; false if there is none.
    pub(in crate::engine) fn pass_known_text(&mut self) -> bool {
        let until = self.reading.plain_until.min(self.limit);
        let passes = until > self.reading.at;
        if passes {
            self.go_to(until);
        }
        passes
    }

    // Markdown code and tags of any name, which are read by machines of their own.

    /// Lets the code machine read the next byte. `opens` says that a run of marks may begin with it.
    pub(in crate::engine) fn step_code(&mut self, opens: bool) -> Settled {
        let at = self.reading.at;
        let (byte, index) = (self.byte(at), self.index(at));
        let (line, window) = (self.line, self.window.as_bytes());
        let is_blank = || match byte {
            b'\n' => line.blank_before(window, index),
            _ => line.indent_before(window, index),
        };
        self.reading.code.step(byte, at, is_blank, opens)
    }

    /// Whether a code machine that follows a stretch of text, for a place that looks ahead, finds that
    /// this position is in code, or may be.
    pub(in crate::engine) fn may_be_in_code(&self, code: &mut Code, at: u64) -> bool {
        code.may_cover(at, self.line, self.window.as_bytes(), self.base)
    }

    /// Reads on in a fence, up to `until` at most.
    pub(in crate::engine) fn read_fence(&mut self, until: u64) {
        let bytes = &self.window.as_bytes()[..self.index(until)];
        let mut at = self.index(self.reading.at);
        while let Some(fence) = &mut self.reading.code.fence {
            if fence.in_body() {
                let next = memchr::memchr(fence.mark, &bytes[at..]);
                at = next.map_or(bytes.len(), |next| at + next);
            }
            let Some(byte) = bytes.get(at) else { break };
            let line = self.line;
            if fence.step(*byte, || line.blank_before(bytes, at)) {
                // The line break is text like any other.
                self.reading.code.fence = None;
                break;
            }
            at += 1;
        }
        self.reading.at = self.base + at as u64;
    }

    /// What was read from here on is text, after all: if it is in a fence, the fence must read it too.
    pub(in crate::engine) fn read_fence_again(&mut self, from: u64) {
        if self.reading.code.fence.is_some() {
            let until = self.reading.at;
            self.reading.at = from.max(self.base);
            self.read_fence(until);
        }
    }

    /// The tags of any name that have been read ahead.
    pub(in crate::engine) fn pairs(&self) -> Option<&Pairs> {
        self.pairs.as_deref()
    }

    pub(in crate::engine) fn pairs_mut(&mut self) -> &mut Pairs {
        self.pairs.get_or_insert_default()
    }

    /// Reads ahead all tags that begin at the deadline at the latest, as far as the text goes.
    pub(in crate::engine) fn read_pairs(&mut self, deadline: u64) -> &Pairs {
        let pairs = self.pairs.get_or_insert_default();
        let window = self.window.as_bytes();
        *self.work += pairs.read(window, self.base, deadline, self.rules);
        pairs
    }

    // The store.

    pub(in crate::engine) fn store(&self) -> &Store {
        self.store
    }

    /// The store, to be written to. A rewind does not restore it, so nothing may be written while a
    /// question is open.
    pub(in crate::engine) fn store_mut(&mut self) -> &mut Store {
        debug_assert!(!self.is_asking, "nothing is kept while a question is open");
        self.store
    }

    // Output.

    /// Emits an event for the bytes up to `to`.
    pub(in crate::engine) fn emit(&mut self, to: u64, kind: EventKind<'_>) {
        if self.is_asking {
            return;
        }
        let (span, raw) = self.account(to);
        (self.sink)(Event { span, raw, kind });
    }

    /// As [`emit`](Self::emit), for an event that borrows from the store.
    pub(in crate::engine) fn emit_stored<'s>(
        &'s mut self,
        to: u64,
        kind: impl FnOnce(&'s Store) -> EventKind<'s>,
    ) {
        if self.is_asking {
            return;
        }
        let (span, raw) = self.account(to);
        let kind = kind(self.store);
        (self.sink)(Event { span, raw, kind });
    }

    /// Accounts for the bytes up to `to`.
    fn account(&mut self, to: u64) -> (Span, &'a str) {
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
    pub(in crate::engine) fn trim_answer(&mut self, to: u64) {
        if self.rules.trim_answer && !self.reading.has_visible_text && to > self.mark {
            let spaces = count_spaces(self.text(self.mark, to).as_bytes());
            self.skip(self.mark + spaces as u64, SkipReason::WhiteSpace);
        }
    }

    pub(in crate::engine) fn emit_text(&mut self, to: u64) {
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

    pub(in crate::engine) fn skip(&mut self, to: u64, reason: SkipReason) {
        if to > self.mark {
            // law: skip
            self.emit(to, EventKind::Skip { reason });
        }
    }

    pub(in crate::engine) fn notice(&mut self, code: NoticeCode, message: &str) {
        self.emit(self.mark, EventKind::Notice { code, message });
    }
}

pub(in crate::engine) fn count_spaces(bytes: &[u8]) -> usize {
    let spaces = bytes.iter().take_while(|b| crate::line::is_space(**b));
    spaces.count()
}

pub(in crate::engine) fn is_blank(text: &str) -> bool {
    text.bytes().all(crate::line::is_space)
}
