//! Text: where markup counts, unless it stands in code.

use super::Mode;
use super::hold::{Answer, Question};
use super::pass::{Becomes, Pass, Place};
use super::reader::Reader;
use crate::event::{Kind, NoticeCode, Sink};
use crate::lexicon::{Lexicon, Role};
use crate::line::is_space;
use crate::profile;
use crate::scan::Few;
use crate::token::{Candidate, Found, Shape};

/// What is known of the text since the last thing that is none. White space that touches a call,
/// with nothing else in the stretch, is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stretch {
    /// Nothing but white space so far.
    Start,
    /// The same, behind a call.
    BehindCall,
    /// The same, behind a call that lacked its wrapper: its closer may follow.
    BehindBareCall,
    /// Something else.
    Content,
}

impl<'r, S: Sink> Reader<'r, S> {
    pub(super) fn text_lexicon(&self) -> &'r Lexicon {
        if let (Some(calls), Some(_)) = (&self.rules.code_calls, &self.state.code.fence) {
            return calls;
        }
        match &self.rules.anchored_text {
            Some(lexicon) if self.state.anchored => lexicon,
            _ => &self.rules.text,
        }
    }

    pub(super) fn text(&mut self) {
        if self.state.code.fence.is_some() {
            return self.fence_with_calls();
        }
        if !self.state.code.is_calm() {
            return self.undecided();
        }
        if self.pass_known_plain() || self.blank_stretch() {
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

    fn is_blank_stretch(&self) -> bool {
        self.rules.calls.is_some() && self.state.stretch != Stretch::Content
    }

    /// White space at the start of a stretch waits for what follows it; true if it is read.
    fn blank_stretch(&mut self) -> bool {
        self.say_stretch(self.at);
        if !self.is_blank_stretch() {
            return false;
        }
        let bytes = &self.window.as_bytes()[self.at..self.end()];
        let space = bytes.iter().take_while(|b| is_space(**b)).count();
        let lexicon = self.text_lexicon();
        if space == 0 && !bytes.is_empty() {
            let waits = self.question() == Some(Question::Blank);
            let content = self.is_code_mark() || !lexicon.begins(bytes);
            if content {
                self.stretch_has_content(self.at);
            }
            // What may begin here is read as everywhere.
            return waits && content;
        }
        if self.state.hold.is_none() {
            self.settle_space(self.at + space);
        }
        self.at += space;
        true
    }

    /// Emits what has been read of a stretch without an eye for it, so that it is known what it is.
    fn say_stretch(&mut self, to: usize) {
        if self.is_blank_stretch() && self.state.hold.is_none() {
            self.plain(to);
        }
    }

    /// White space up to `to` is dropped, kept or held.
    fn settle_space(&mut self, to: usize) {
        if self.rules.trim_answer && !self.state.visible {
            return self.skip(to);
        }
        match self.known_from(self.place(to)) {
            Some(Answer::Content | Answer::Prose) => self.plain_text(to),
            Some(Answer::Call | Answer::Cut) => self.skip(to),
            Some(Answer::Other | Answer::Empty) => match self.state.stretch {
                Stretch::Start => self.plain_text(to),
                _ => self.skip(to),
            },
            _ => self.hold(self.at, self.at, Question::Blank),
        }
    }

    /// What is neither white space nor markup stands at `at`.
    fn stretch_has_content(&mut self, at: usize) {
        match self.question() {
            Some(Question::Blank) => self.go_back_with(Answer::Content, self.place(at)),
            _ => self.state.stretch = Stretch::Content,
        }
    }

    /// A candidate that stays in the text whatever becomes of it ends the white space before it.
    pub(super) fn settle_sure_text(&mut self) -> bool {
        let (Mode::Text, Some(candidate)) = (self.state.mode, self.state.candidate) else {
            return false;
        };
        let sure = self.question() == Some(Question::Blank) && !self.holds(&candidate);
        if sure {
            self.stretch_has_content(self.index(candidate.start));
        }
        sure
    }

    /// A candidate has turned out to be text.
    pub(super) fn text_is_text(&mut self, start: usize, blank: bool) {
        if self.is_blank_stretch() && !blank {
            self.stretch_has_content(start);
        }
    }

    pub(super) fn is_code_mark(&self) -> bool {
        self.rules.code && matches!(self.byte(self.at), b'`' | b'~')
    }

    pub(super) fn begin_in_text(&mut self) {
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
            // Elsewhere it is text.
            Role::WrapperEnd => {
                self.state.stretch == Stretch::BehindBareCall || !self.state.code.is_calm()
            }
            Role::Kept => false,
            _ => true,
        }
    }

    pub(super) fn text_found(&mut self, found: Found) {
        self.say_stretch(self.index(found.start));
        if self.is_blank_stretch() && self.ends_blank_stretch(&found) {
            return;
        }
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
            Role::Call(opener) => self.open_calls(opener, &found),
            Role::Orphan => self.drop_orphan(&found),
            Role::WrapperEnd => self.pass_over(&found),
            _ => self.remove(&found),
        }
    }

    /// Markup has been found at the end of a stretch that has only white space in it; true if
    /// that is all there is to it.
    fn ends_blank_stretch(&mut self, found: &Found) -> bool {
        let start = self.index(found.start);
        let waits = self.question() == Some(Question::Blank);
        let prose = self.known_at(found.start) == Some(Answer::Prose);
        match found.role {
            Role::Call(opener) if waits => self.open_calls(opener, found),
            Role::Call(_) if prose => {
                self.state.stretch = Stretch::Content;
                return false;
            }
            Role::WrapperEnd if self.state.stretch == Stretch::BehindBareCall => {
                return self.take_wrapper_end(found);
            }
            role if self.is_text_role(role) => {
                self.stretch_has_content(start);
                return waits;
            }
            Role::Marker | Role::Orphan if waits => self.pass_over(found),
            Role::Section(_) | Role::Element(_) | Role::AnyElement if waits => {
                self.go_back_with(Answer::Other, found.start);
            }
            _ => return false,
        }
        true
    }

    /// Whether a tag stays in the text.
    fn is_text_role(&self, role: Role) -> bool {
        match role {
            Role::Kept | Role::WrapperEnd => true,
            Role::Section(rule) => {
                self.rules.sections[usize::from(rule)].mode == profile::Mode::Show
            }
            _ => false,
        }
    }

    /// Whether this may be the closer of a wrapper, right behind a call that goes without.
    pub(super) fn may_close_calls(&self, candidate: &Candidate) -> bool {
        let closes = |role, _| role == Role::WrapperEnd;
        self.state.stretch == Stretch::BehindBareCall && candidate.may_be(self.lexicon(), closes)
    }

    /// The closer of a wrapper that a call had not: it goes with the call.
    fn take_wrapper_end(&mut self, found: &Found) -> bool {
        if self.state.hold.take().is_some() {
            self.state.candidate = None;
        }
        self.skip(self.index(found.end));
        self.pass_over(found);
        self.state.stretch = Stretch::BehindCall;
        true
    }

    /// Whether markup counts here. If that is undecided, it is held.
    fn counts_in_text(&mut self, found: &Found) -> bool {
        let promoted = self.rules.code_calls.is_some() && matches!(found.role, Role::Call(_));
        if promoted || !self.state.code.is_open_before(found.start) {
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
    pub(super) fn ends_paragraph(&self, found: &Found) -> bool {
        let opens = matches!(
            found.role,
            Role::Section(_) | Role::Element(_) | Role::Call(_)
        );
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

    pub(super) fn conclude_text(&mut self) -> bool {
        if self.question() == Some(Question::Blank) {
            self.go_back_with(Answer::Other, self.place(self.window.len()));
            return true;
        }
        if self.state.code.is_calm() {
            return false;
        }
        let settled = self.state.code.finish(self.place(self.at));
        self.settle_code(settled);
        true
    }

    pub(super) fn pass_text(&self) -> Option<Pass> {
        let (state, code) = (&*self.state, &self.state.code);
        let settled = state.visible && state.answered && !self.is_blank_stretch();
        let stops = match &code.fence {
            Some(_) if self.rules.code_calls.is_some() => return None,
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
        if self.state.stretch != Stretch::Content {
            let text = &self.window[self.mark..to];
            if !text.bytes().all(is_space) {
                self.state.stretch = Stretch::Content;
            }
        }
        if to > self.mark {
            self.emit(to, Kind::Text(&self.window[self.mark..to]));
        }
    }
}
