//! Text: where markup counts, unless it stands in code.

use super::pass::{Becomes, Pass, Place};
use super::reader::Reader;
use super::{Known, Mode, Question};
use crate::code::{Settled, whole_opening_line, whole_span};
use crate::event::{Kind, NoticeCode, Sink};
use crate::lexicon::{Lexicon, Role};
use crate::line::is_space;
use crate::profile;
use crate::scan::Few;
use crate::token::{Fate, Found, Shape};

impl<'r, S: Sink> Reader<'r, S> {
    pub(super) fn text_lexicon(&self) -> &'r Lexicon {
        match &self.rules.anchored_text {
            Some(lexicon) if self.state.anchored => lexicon,
            _ => &self.rules.text,
        }
    }

    pub(super) fn text(&mut self) {
        if self.state.code.fence.is_some() {
            return self.fence();
        }
        if !self.state.code.is_calm() {
            return self.undecided();
        }
        if self.pass_known_plain() {
            return;
        }
        let lexicon = self.text_lexicon();
        match lexicon.find(&self.window.as_bytes()[self.at..]) {
            None => self.at = self.window.len(),
            Some(n) => {
                self.at += n;
                if self.is_code_mark() {
                    self.begin_code();
                } else {
                    self.begin_in_text();
                }
            }
        }
    }

    fn is_code_mark(&self) -> bool {
        self.rules.code && matches!(self.byte(self.at), b'`' | b'~')
    }

    fn begin_in_text(&mut self) {
        if self.rules.anchored_text.is_some() && !self.state.anchored {
            // Whether a tag counts depends on the text before it.
            self.plain(self.at);
            self.state.anchored = self.state.answered;
            if !self.text_lexicon().stops.stop(self.byte(self.at)) {
                self.at += 1;
                return;
            }
        }
        let mut candidate = self.candidate(false);
        candidate.apart = !self.state.code.is_calm() && self.begins_line(self.at);
        self.step_candidate(candidate);
    }

    pub(super) fn text_role_shows(&self, role: Role) -> bool {
        match role {
            Role::Section(rule) => {
                let shown = self.rules.sections[usize::from(rule)].mode == profile::Mode::Show;
                !shown || !self.state.code.is_calm()
            }
            Role::Kept => false,
            _ => true,
        }
    }

    pub(super) fn text_found(&mut self, found: Found) {
        if found.role == Role::Kept {
            return self.pass_over(&found);
        }
        if self.state.hold.is_some() {
            return self.found_while_held(&found);
        }
        if !self.counts_in_text(&found) {
            return self.pass_over(&found);
        }
        match found.role {
            Role::Section(rule) => self.open_section(rule, &found),
            Role::Element(rule) => self.open_element(rule, &found),
            Role::AnyElement => self.open_any_element(&found),
            Role::Orphan => self.drop_orphan(&found),
            _ => self.remove(&found),
        }
    }

    /// Whether markup counts here. If that is undecided, it is held.
    fn counts_in_text(&mut self, found: &Found) -> bool {
        if !self.state.code.is_open_before(found.start) {
            return true;
        }
        if self.ends_paragraph(found) {
            self.state.code.end_paragraph();
            return true;
        }
        let start = self.index(found.start);
        self.plain(start);
        self.hold(start, start, Question::InCode);
        false
    }

    fn found_while_held(&mut self, found: &Found) {
        if self.ends_paragraph(found) {
            self.return_to_markup();
        } else {
            self.pass_over(found);
        }
    }

    /// Whether this is a listed opener at the start of a line.
    fn ends_paragraph(&self, found: &Found) -> bool {
        let opens = matches!(found.role, Role::Section(_) | Role::Element(_));
        opens && found.shape != Shape::Close && self.begins_line(self.index(found.start))
    }

    pub(super) fn remove(&mut self, found: &Found) {
        self.plain(self.index(found.start));
        self.skip(self.index(found.end));
        self.pass_over(found);
    }

    fn drop_orphan(&mut self, found: &Found) {
        let (start, end) = (self.index(found.start), self.index(found.end));
        self.plain(start);
        let message = format!(
            "`{}` closes nothing and was dropped",
            &self.window[start..end]
        );
        self.notice(NoticeCode::OrphanClose, &message);
        self.remove(found);
    }

    // Code.

    fn begin_code(&mut self) {
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
        let window = self.window.as_bytes();
        let (text, limit) = (&window[self.at..], self.rules.limits.span);
        if let Some(end) = whole_span(text, limit) {
            self.at += end;
            return true;
        }
        match whole_opening_line(text, limit) {
            Some((end, len)) if self.state.line.blank_before(window, self.at) => {
                self.state.code.open_fence_block(len);
                self.at += end;
                true
            }
            _ => false,
        }
    }

    /// Some run of backticks may or may not be code.
    fn undecided(&mut self) {
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
        let counts = match self.state.hold {
            // What is held waits for code; only the end of the paragraph is of interest.
            Some(hold) => self.begins_line(self.at) && place > hold.at,
            None => true,
        };
        if markup && counts && place >= self.state.plain_until {
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
        let opens = self.state.candidate.is_none() && place >= self.state.plain_until;
        let settled = self.state.code.end_run(byte, place, opens);
        if self.settle_code(settled) || self.settle_expired_code() {
            return true;
        }
        if self.state.code.is_calm() && !self.is_code_mark() {
            return false;
        }
        let (line, window) = (&self.state.line, self.window.as_bytes());
        let blank = || line.blank_before(window, self.at);
        let settled = self.state.code.step(byte, place, blank, opens);
        let elsewhere = self.settle_code(settled);
        if elsewhere && self.state.code.fence.is_some() {
            // The byte was the last of what opens the fence.
            self.at += 1;
        }
        elsewhere
    }

    pub(super) fn settle_expired_code(&mut self) -> bool {
        if !self.code_reads_along() {
            return false;
        }
        let settled = self
            .state
            .code
            .expire(self.place(self.at), self.rules.limits.span);
        self.settle_code(settled)
    }

    /// Draws the consequences for what is held; true if reading goes on elsewhere.
    fn settle_code(&mut self, settled: Settled) -> bool {
        let held = self.state.hold.map(|hold| hold.at);
        let begun = self.state.candidate.map(|candidate| candidate.start);
        let is_code = |place: u64| match settled {
            Settled::Span { from, to } => from <= place && place < to,
            Settled::Fence { from } => from <= place,
            _ => false,
        };
        if settled == Settled::Nothing {
            return false;
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
    fn return_to_markup(&mut self) {
        self.go_back(Known::Nothing);
        self.state.code.end_paragraph();
        self.state.code.fence = None;
        self.state.code.read = self.place(self.at);
        self.state.plain_until = 0;
    }

    fn fence(&mut self) {
        let bytes = self.window.as_bytes();
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
                self.state.code.fence = None;
            }
            self.at += 1;
        }
    }

    pub(super) fn conclude_text(&mut self) -> bool {
        if self.state.code.is_calm() {
            return false;
        }
        let settled = self.state.code.finish(self.place(self.at));
        self.settle_code(settled);
        true
    }

    // Emitting.

    pub(super) fn pass_text(&self) -> Option<Pass> {
        let (state, code) = (&*self.state, &self.state.code);
        let settled = state.visible && state.answered;
        let stops = match &code.fence {
            Some(fence) if fence.in_body() => Few {
                stops: [fence.mark; 3],
                more: b'`',
            },
            Some(_) => return None,
            None if code.is_calm() => self.text_lexicon().stops.few(b'`')?,
            // A blank line ends the paragraph, and with it what is undecided.
            None if code.only_lacks_partners() => self.text_lexicon().stops.few(b'\n')?,
            None => return None,
        };
        let place = match self.rules.anchored_text {
            _ if code.fence.is_some() || !code.is_calm() => None,
            Some(_) => Some(Place::AnchoredText),
            None => Some(Place::Text),
        };
        settled.then_some(Pass {
            becomes: Becomes::Text,
            stops,
            place,
        })
    }

    pub(super) fn plain_text(&mut self, to: usize) {
        if !self.state.answered || !self.state.visible {
            let text = &self.window[self.mark..to];
            let space = text.bytes().take_while(|b| is_space(*b)).count();
            if self.rules.trim_answer && !self.state.visible {
                self.skip(self.mark + space);
            }
            self.state.visible |= space < text.len();
            self.state.answered |= space < text.len();
        }
        if to > self.mark {
            self.emit(to, Kind::Text(&self.window[self.mark..to]));
        }
    }
}
