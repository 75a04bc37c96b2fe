//! Reading one window of the message: the loop, what is emitted, holding and going back.

use super::call::Place;
use super::pass::Pass;
use super::{Mode, State};
use crate::event::{Event, Kind, NoticeCode, Sink, Span};
use crate::lexicon::{Lexicon, Role};
use crate::policy::Rules;
use crate::token::{Candidate, Fate, Found, Grammar};

/// Reads a window: the chunk, or what is held with more of the chunk behind it.
///
/// Places in the message are `u64`; places in the window are `usize`.
pub(super) struct Reader<'r, S> {
    pub(super) rules: &'r Rules,
    pub(super) state: &'r mut State,
    pub(super) sink: &'r mut S,
    pub(super) window: &'r str,
    base: u64,
    /// The next byte to read.
    pub(super) at: usize,
    /// The first byte that no event has accounted for.
    pub(super) mark: usize,
    /// The message ends with this window.
    last: bool,
}

impl<'r, S: Sink> Reader<'r, S> {
    pub(super) fn new(
        rules: &'r Rules,
        state: &'r mut State,
        sink: &'r mut S,
        window: &'r str,
        last: bool,
    ) -> Self {
        let (base, at) = (state.base, state.read);
        Reader {
            rules,
            state,
            sink,
            window,
            base,
            at,
            mark: 0,
            last,
        }
    }

    /// Reads on in a tag of a call; true if it is still open behind the window, and held. Tags are
    /// cut into many small pieces, and to look at each for what can be settled would cost more than
    /// the reading.
    pub(super) fn reads_on_in_tag(&mut self) -> bool {
        let (Mode::Call(_), Some(tag)) = (self.state.mode, self.state.candidate) else {
            return false;
        };
        if self.at == self.window.len() {
            return false;
        }
        self.state.candidate = None;
        self.step_candidate(tag);
        let goes_on = |candidate: Candidate| candidate.start == tag.start && self.holds(&candidate);
        let goes_on = self.at == self.window.len() && self.state.candidate.is_some_and(goes_on);
        if goes_on {
            self.state.read = self.at;
        }
        goes_on
    }

    /// Reads all of the window; gives how much of it is settled.
    pub(super) fn read(&mut self) -> usize {
        let from = self.at;
        loop {
            if self.at < self.end() {
                self.step();
            } else if !self.settle_edge() && !self.flush() {
                break;
            }
        }
        let settled = self.mark;
        let state = &mut *self.state;
        state.looked += self.at.saturating_sub(from) as u64;
        state
            .line
            .advance(&self.window.as_bytes()[..settled], self.base);
        state.base = self.base + settled as u64;
        state.read = self.at - settled;
        self.state.pass = self.pass();
        let run = self.runs();
        if let Some(calls) = &mut self.state.calls {
            calls.run = run;
        }
        settled
    }

    /// How the next chunk can be passed on if there is nothing in it.
    fn pass(&self) -> Option<Pass> {
        let state = &*self.state;
        if state.candidate.is_some() || state.hold.is_some() {
            return None;
        }
        match state.mode {
            Mode::Text => self.pass_text(),
            Mode::Section(section) => self.pass_section(section),
            Mode::Prompted | Mode::Element | Mode::Call(_) => None,
        }
    }

    fn step(&mut self) {
        if let Some(candidate) = self.state.candidate.take() {
            return self.step_candidate(candidate);
        }
        match self.state.mode {
            Mode::Prompted => self.open_prompted(),
            Mode::Text => self.text(),
            Mode::Section(section) => self.section(section),
            Mode::Element => self.element(),
            Mode::Call(place) => self.call(place),
        }
    }

    /// How far may be read before a question must be answered.
    pub(super) fn end(&self) -> usize {
        let end = match self.state.hold {
            Some(hold) if self.state.candidate.is_none() => {
                self.index(hold.deadline).saturating_add(1)
            }
            _ => usize::MAX,
        };
        self.window.len().min(end).max(self.at)
    }

    /// All that may be read has been read. Answers what can be answered now; false if nothing can.
    fn settle_edge(&mut self) -> bool {
        if self.settle_expired_code()
            || self.settle_sure_paragraph()
            || self.settle_sure_content()
            || self.settle_sure_text()
            || self.settle_sure_follower()
            || self.settle_sure_key()
        {
            return true;
        }
        match self.state.hold {
            Some(hold) if self.is_too_late(hold) => {
                self.give_up(hold);
                true
            }
            _ => self.last && self.conclude(),
        }
    }

    /// The message has ended.
    fn conclude(&mut self) -> bool {
        if let Some(mut candidate) = self.state.candidate.take() {
            let closes_calls = self.may_close_calls(&candidate);
            match (candidate.finish(), self.state.mode) {
                (Fate::Text { .. }, Mode::Text) if closes_calls => {
                    self.skip(self.window.len());
                    return true;
                }
                // What was cut off may have been the tag that is missing.
                (Fate::Text { .. }, Mode::Call(place)) if place.awaits_tag() => {}
                (fate, _) => {
                    self.settle(fate, candidate.apart);
                    return true;
                }
            }
        }
        match self.state.mode {
            Mode::Prompted => false,
            Mode::Text => self.conclude_text(),
            Mode::Section(section) => self.conclude_section(section),
            Mode::Element => self.conclude_element(),
            Mode::Call(place) => self.conclude_call(place),
        }
    }

    /// Emits what is certain at the end of the window; true if that has raised a question.
    fn flush(&mut self) -> bool {
        let held_from = match self.state.candidate {
            Some(candidate) if self.holds(&candidate) => self.index(candidate.start),
            Some(candidate) => {
                let read = &self.window.as_bytes()[..self.at];
                self.without_space(candidate.read_for_good(self.lexicon(), self.base, read))
            }
            None => self.at,
        };
        let held = self.state.hold.is_some();
        self.plain(held_from);
        self.state.hold.is_some() != held
    }

    /// Whether something may come of the candidate that would look different from outside.
    pub(super) fn holds(&self, candidate: &Candidate) -> bool {
        // In a call all shows but what belongs to a value.
        if matches!(self.state.mode, Mode::Call(place) if place != Place::Value) {
            return true;
        }
        let in_word = self.state.code.is_calm() && self.begins_in_word(candidate.start);
        candidate.may_be(self.lexicon(), |role, shape| match self.state.mode {
            Mode::Prompted => false,
            _ if matches!(role, Role::Call(_)) && in_word => false,
            Mode::Text => self.text_role_shows(role),
            Mode::Section(section) => self.section_role_shows(section, role, shape),
            Mode::Element => self.element_role_shows(role),
            Mode::Call(_) => self.value_role_shows(role, candidate.start),
        })
    }

    // Places.

    pub(super) fn place(&self, index: usize) -> u64 {
        self.base + index as u64
    }

    /// Where in the window a place is; its start, for a place before it.
    pub(super) fn index(&self, place: u64) -> usize {
        place.saturating_sub(self.base) as usize
    }

    pub(super) fn byte(&self, at: usize) -> u8 {
        self.window.as_bytes()[at]
    }

    /// Passes over what has turned out to be text; true if there was any.
    pub(super) fn pass_known_plain(&mut self) -> bool {
        let plain = self.index(self.state.plain_until).min(self.end());
        let passes = plain > self.at;
        if passes {
            self.at = self.window.ceil_char_boundary(plain);
        }
        passes
    }

    pub(super) fn begins_line(&self, at: usize) -> bool {
        self.state.line.byte_before(self.window.as_bytes(), at) == b'\n'
    }

    /// The text of the attributes of a tag that stands in the window.
    pub(super) fn attributes(&self, found: &Found) -> &'r str {
        found.attributes(&self.window[self.index(found.start)..self.index(found.end)])
    }

    // Candidates.

    pub(super) fn lexicon(&self) -> &'r Lexicon {
        match self.state.mode {
            Mode::Prompted | Mode::Text => self.text_lexicon(),
            Mode::Section(section) => self.section_lexicon(section),
            Mode::Element => self.element_lexicon(),
            Mode::Call(place) => self.call_lexicon(place),
        }
    }

    /// Something may begin at the next byte.
    pub(super) fn begin(&mut self, quotable: bool) {
        self.step_candidate(self.candidate(quotable));
    }

    pub(super) fn candidate(&self, quotable: bool) -> Candidate {
        Candidate::new(self.place(self.at), quotable, self.lexicon())
    }

    pub(super) fn step_candidate(&mut self, mut candidate: Candidate) {
        let beside_code = self.code_reads_along() && !candidate.apart;
        let bytes = match beside_code {
            true => {
                // It may turn out that all this is quoted.
                self.state.candidate = Some(candidate);
                if self.read_code() || self.state.candidate.take().is_none() {
                    return;
                }
                &self.window.as_bytes()[self.at..=self.at]
            }
            false => &self.window.as_bytes()[self.at..],
        };
        let (read, fate) = candidate.read(bytes, &self.grammar());
        self.at += read;
        self.state.looked += read as u64;
        match fate {
            Fate::Open => self.state.candidate = Some(candidate),
            fate => self.settle(fate, candidate.apart),
        }
    }

    pub(super) fn grammar(&self) -> Grammar<'_> {
        let own_name = self.state.open.last().map_or("", |open| &open.any_name);
        Grammar {
            own_name: own_name.as_bytes(),
            ..self.rules.grammar(self.lexicon())
        }
    }

    fn settle(&mut self, fate: Fate, apart: bool) {
        if apart && self.code_reads_along() && self.settle_apart(fate) {
            return;
        }
        match (fate, self.state.mode) {
            (Fate::Open, _) => {}
            (
                Fate::Text {
                    start,
                    resume,
                    blank,
                },
                mode,
            ) => {
                self.at = self.window.ceil_char_boundary(self.index(resume));
                self.pass_rest_of_run();
                match mode {
                    Mode::Section(section) => {
                        self.section_text(section, self.index(start), blank);
                    }
                    Mode::Call(place) => self.call_text(place, self.index(start)),
                    Mode::Text => self.text_is_text(self.index(start), blank),
                    _ => {}
                }
            }
            (Fate::Found(found), Mode::Text) => self.text_found(found),
            (Fate::Found(found), Mode::Section(section)) => self.section_found(section, found),
            (Fate::Found(found), Mode::Element) => self.element_found(found),
            (Fate::Found(found), Mode::Call(place)) => self.call_found(place, found),
            (Fate::Found(_), Mode::Prompted) => {}
        }
    }

    // Emitting. While something is held, nothing is emitted.

    pub(super) fn emit(&mut self, to: usize, kind: Kind<'_>) {
        if self.state.hold.is_some() {
            return;
        }
        let span = Span {
            start: self.place(self.mark),
            end: self.place(to),
        };
        self.mark = to;
        self.sink.event(Event { span, kind });
    }

    pub(super) fn notice(&mut self, code: NoticeCode, message: &str) {
        self.emit(self.mark, Kind::Notice { code, message });
    }

    pub(super) fn skip(&mut self, to: usize) {
        if to > self.mark {
            self.emit(to, Kind::Skip(&self.window[self.mark..to]));
        }
    }

    /// Emits the bytes up to `to` as what plain bytes are here.
    pub(super) fn plain(&mut self, to: usize) {
        if to <= self.mark || self.state.hold.is_some() {
            return;
        }
        match self.state.mode {
            Mode::Prompted => {}
            Mode::Text => self.plain_text(to),
            Mode::Section(section) => self.plain_section(section, to),
            Mode::Element => self.plain_element(to),
            Mode::Call(place) => self.plain_call(place, to),
        }
    }

    /// What is found stands where it counts for nothing more.
    pub(super) fn pass_over(&mut self, found: &Found) {
        self.at = self.index(found.end);
    }
}
