//! Code in text: reading along with markup, and what that settles.

use super::Mode;
use super::hold::Question;
use super::reader::Reader;
use super::text::Stretch;
use crate::code::{Settled, whole_opening_line, whole_span};
use crate::event::Sink;
use crate::lexicon::Role;
use crate::token::Fate;

impl<S: Sink> Reader<'_, S> {
    pub(super) fn begin_code(&mut self) {
        if self.take_whole_code() {
            return;
        }
        self.state.code.read = self.place(self.at);
        self.read_code();
        self.at += 1;
    }

    /// Reads the code that begins here, in the two plain cases that nearly all code is. Nothing
    /// is undecided here, so that there is nothing else to it.
    fn take_whole_code(&mut self) -> bool {
        if self.rules.code_calls.is_some() {
            return false;
        }
        let window = self.window.as_bytes();
        let (text, limit) = (&window[self.at..], self.rules.limits.span);
        if let Some(end) = whole_span(text, limit) {
            self.at += end;
            return true;
        }
        match whole_opening_line(text, limit) {
            Some((end, len)) if self.state.line.indent_before(window, self.at) => {
                self.state.code.open_fence_block(len);
                self.at += end;
                true
            }
            _ => false,
        }
    }

    /// Some run of backticks may or may not be code.
    pub(super) fn undecided(&mut self) {
        if self.state.code.only_lacks_partners() {
            self.pass_plain();
            if self.at == self.window.len() {
                return;
            }
        }
        if self.read_code() {
            return;
        }
        let byte = self.byte(self.at);
        let place = self.place(self.at);
        let markup = self.text_lexicon().stops.stop(byte) && !self.is_code_mark();
        if markup && place >= self.state.plain_until {
            return self.begin_in_text();
        }
        self.at += 1;
        self.state.looked += 1;
    }

    /// What begins a line has been read without code. If it does not end the paragraph, code
    /// must read it now; true in that case.
    pub(super) fn settle_apart(&mut self, fate: Fate) -> bool {
        let (start, end) = match fate {
            Fate::Open => return false,
            Fate::Found(found) if self.ends_paragraph(&found) => return false,
            Fate::Found(found) => (found.start, found.end),
            Fate::Text { start, resume, .. } => (start, resume),
        };
        let start = self.index(start);
        let counts = matches!(fate, Fate::Found(found) if found.role != Role::Kept);
        if counts && self.state.hold.is_none() {
            self.plain(start);
            self.hold(start, start, Question::InCode);
        }
        self.state.plain_until = end;
        self.at = start;
        true
    }

    /// Passes over bytes that tell nothing of code and begin nothing.
    fn pass_plain(&mut self) {
        let stops = &self.text_lexicon().stops;
        let bytes = &self.window.as_bytes()[self.at..];
        let plain = bytes
            .iter()
            .take_while(|b| !stops.stop(**b) && **b != b'\n')
            .count();
        self.at += plain;
        self.state.looked += plain as u64;
    }

    pub(super) fn code_reads_along(&self) -> bool {
        matches!(self.state.mode, Mode::Text) && !self.state.code.is_calm()
    }

    /// Lets the next byte tell what it can of code; true if reading goes on elsewhere, or in
    /// another way.
    pub(super) fn read_code(&mut self) -> bool {
        let (byte, place) = (self.byte(self.at), self.place(self.at));
        if place < self.state.code.read {
            return false;
        }
        // Backticks inside what may be a tag open nothing.
        let opens = self.is_code_mark()
            && place >= self.state.plain_until
            && !self.candidate_takes(byte, place);
        let settled = self.state.code.end_run(byte, place);
        if self.settle_code(settled) || self.settle_expired_code() {
            return true;
        }
        if self.state.code.is_calm() && !self.is_code_mark() {
            return false;
        }
        let (line, window) = (&self.state.line, self.window.as_bytes());
        let blank = || match byte {
            b'\n' => line.blank_before(window, self.at),
            _ => line.indent_before(window, self.at),
        };
        let settled = self.state.code.step(byte, place, blank, opens);
        let elsewhere = self.settle_code(settled);
        if elsewhere && self.state.code.fence.is_some() {
            // The byte was the last of what opens the fence.
            self.at += 1;
        }
        elsewhere
    }

    /// A run of backticks that begins in what is no tag opens nothing, also if it goes on behind it.
    pub(super) fn pass_rest_of_run(&mut self) {
        let text = matches!(self.state.mode, Mode::Text) && self.rules.code;
        let before = self.state.line.byte_before(self.window.as_bytes(), self.at);
        if text && before == b'`' && self.state.code.is_calm() {
            self.state.code.pass_run(self.place(self.at));
        }
    }

    /// Whether the candidate goes on with this byte.
    fn candidate_takes(&self, byte: u8, place: u64) -> bool {
        let Some(mut candidate) = self.state.candidate else {
            return false;
        };
        match candidate.read(&[byte], &self.grammar()).1 {
            Fate::Open => true,
            Fate::Text { resume, .. } => resume > place,
            Fate::Found(found) => found.end > place,
        }
    }

    pub(super) fn settle_expired_code(&mut self) -> bool {
        if !self.code_reads_along() {
            return false;
        }
        let settled = self.state.code.expire(self.place(self.at));
        self.settle_code(settled)
    }

    /// Draws the consequences for what is held; true if reading goes on elsewhere.
    pub(super) fn settle_code(&mut self, settled: Settled) -> bool {
        let held = self.state.hold.map(|hold| hold.at);
        let begun = self.state.candidate.map(|candidate| candidate.start);
        let is_code = |place: u64| match settled {
            Settled::Span { from, to } => from <= place && place < to,
            Settled::Fence { from } => from <= place,
            _ => false,
        };
        match settled {
            Settled::Nothing => return false,
            // What had turned out to be text is code up to here, and nothing behind that.
            Settled::Span { to, .. } => self.state.plain_until = self.state.plain_until.min(to),
            _ => {}
        }
        if begun.is_some_and(is_code) {
            self.state.candidate = None;
        }
        match held {
            Some(place) if is_code(place) => {
                self.state.hold = None;
                self.state.candidate = None;
                if let Settled::Span { to, .. } = settled {
                    return self.go_on_behind(to);
                }
            }
            Some(place) if !self.state.code.is_open_before(place) => {
                self.return_to_markup();
                return true;
            }
            _ => {}
        }
        if matches!(settled, Settled::Fence { .. }) && self.state.candidate.is_some() {
            // The fence stands inside what may be a tag.
            self.state.code.fence = None;
        }
        begun.is_some() != self.state.candidate.is_some() || self.state.code.fence.is_some()
    }

    /// Goes on where a span has ended, which may be before the byte that has told so.
    fn go_on_behind(&mut self, place: u64) -> bool {
        let back = place < self.place(self.at);
        if back {
            self.at = self.index(place);
            self.state.code.read_again(place);
        }
        back
    }

    /// A line begins with an opener, whichever it is: the paragraph is over.
    pub(super) fn settle_sure_paragraph(&mut self) -> bool {
        let opens = |role| matches!(role, Role::Section(_));
        match self.state.candidate {
            Some(candidate)
                if candidate.apart
                    && self.code_reads_along()
                    && candidate.must_be(self.text_lexicon(), opens) =>
            {
                match self.state.hold {
                    Some(_) => self.return_to_markup(),
                    None => self.state.code.end_paragraph(),
                }
                true
            }
            _ => false,
        }
    }

    /// The held markup does not stand in code.
    pub(super) fn return_to_markup(&mut self) {
        self.go_back(None);
        self.state.code.end_paragraph();
        self.state.code.fence = None;
        self.state.code.read = self.place(self.at);
        self.state.plain_until = 0;
    }

    /// Reads on in a fence, up to what may be a call if those count there.
    pub(super) fn fence_with_calls(&mut self) {
        // White space in code is code, also behind a call.
        self.state.stretch = Stretch::Content;
        let end = self.window.len();
        let calls = self.rules.code_calls.as_ref();
        let call = calls.and_then(|calls| calls.find(&self.window.as_bytes()[self.at..]));
        let until = call.map_or(end, |n| self.at + n);
        self.fence(until);
        if self.at == until && until < end && self.state.code.fence.is_some() {
            self.begin(false);
        }
    }

    fn fence(&mut self, until: usize) {
        let bytes = &self.window.as_bytes()[..until];
        while let Some(fence) = &mut self.state.code.fence {
            if self.at == bytes.len() {
                return;
            }
            if fence.in_body() {
                match memchr::memchr(fence.mark, &bytes[self.at..]) {
                    None => self.at = bytes.len(),
                    Some(n) => self.at += n,
                }
            }
            if self.at == bytes.len() {
                return;
            }
            let (line, at) = (&self.state.line, self.at);
            if fence.step(bytes[at], || line.blank_before(bytes, at)) {
                // The line break is text like any other.
                self.state.code.fence = None;
                return;
            }
            self.at += 1;
        }
    }
}
