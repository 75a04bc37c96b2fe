//! Thinking and hidden sections.

use super::Mode;
use super::hold::{Answer, Known, Question};
use super::pass::{self, Pass, Place};
use super::reader::Reader;
use super::text::Stretch;
use crate::attributes::Attributes;
use crate::event::{Kind, NoticeCode, Sink};
use crate::lexicon::{Lexicon, Role};
use crate::line::is_space;
use crate::policy::SectionRule;
use crate::profile::{self, Unclosed};
use crate::token::{Found, Shape};

/// A section that is open.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Section {
    rule: u16,
    becomes: Becomes,
    /// How many more closers it needs than one.
    depth: u32,
    /// Nothing but white space is in it so far.
    fresh: bool,
    /// Nothing but white space has come since an opener: another one would repeat it.
    behind_opener: bool,
    /// White space has waited too long: what is left of it is kept.
    keeps_space: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Becomes {
    Thought,
    Nothing,
    /// Text without the tags.
    Revealed,
    /// Text with the tags.
    Shown,
}

impl Section {
    pub(super) fn is_fresh(&self) -> bool {
        self.fresh
    }
}

impl<'r, S: Sink> Reader<'r, S> {
    fn section_rule(&self, section: Section) -> &'r SectionRule {
        &self.rules.sections[usize::from(section.rule)]
    }

    pub(super) fn section_lexicon(&self, section: Section) -> &'r Lexicon {
        let rule = self.section_rule(section);
        match &rule.late_lexicon {
            Some(lexicon) if !section.behind_opener => lexicon,
            _ => &rule.lexicon,
        }
    }

    // Opening.

    pub(super) fn open_prompted(&mut self) {
        if let Some(rule) = self.rules.prompted {
            self.enter(rule, self.at, self.at, None);
        }
    }

    pub(super) fn open_section(&mut self, rule: u16, found: &Found) {
        let (start, end) = (self.index(found.start), self.index(found.end));
        self.plain(start);
        let shown = self.rules.sections[usize::from(rule)].mode == profile::Mode::Show;
        if found.shape == Shape::SelfClosing {
            if !shown {
                self.skip(end);
            }
            return self.pass_over(found);
        }
        if let Mode::Section(around) = self.state.mode {
            self.state.shown = Some(around);
        }
        self.enter(rule, start, end, Some(found));
    }

    fn enter(&mut self, number: u16, start: usize, end: usize, opener: Option<&Found>) {
        let rule = &self.rules.sections[usize::from(number)];
        let becomes = self.what_becomes(rule, start, end);
        match becomes {
            None if rule.waits => self.hold(start, end, Question::SectionClosed),
            None => self.hold(start, end, Question::Blank),
            Some(Becomes::Shown) => {}
            Some(Becomes::Thought) => {
                let tag = rule.tag.as_deref();
                let attributes = opener.map_or("", |found| self.attributes(found));
                let attributes = Attributes::new(attributes);
                self.emit(end, Kind::ThoughtStart { tag, attributes });
            }
            Some(_) => self.skip(end),
        }
        let becomes = becomes.unwrap_or(Becomes::Thought);
        let too_blank = becomes == Becomes::Thought
            && self.known_at(self.place(start)) == Some(Answer::TooBlank);
        self.state.mode = Mode::Section(Section {
            rule: number,
            becomes,
            depth: 0,
            fresh: becomes != Becomes::Shown && !too_blank,
            behind_opener: true,
            keeps_space: too_blank,
        });
        self.at = end;
    }

    /// What the section that begins here becomes, if that is known.
    fn what_becomes(&self, rule: &SectionRule, start: usize, end: usize) -> Option<Becomes> {
        let usual = match rule.mode {
            profile::Mode::Show => return Some(Becomes::Shown),
            profile::Mode::Hide => Becomes::Nothing,
            profile::Mode::Extract => Becomes::Thought,
        };
        match self.known_at(self.place(start)) {
            Some(Answer::Closed | Answer::TooLong | Answer::TooBlank) => Some(usual),
            Some(Answer::Unclosed) => match rule.unclosed {
                Unclosed::Reveal => Some(Becomes::Revealed),
                _ => Some(Becomes::Nothing),
            },
            _ if rule.waits => None,
            _ if usual == Becomes::Nothing => Some(usual),
            _ if self.known_from(self.place(end)) == Some(Answer::Content) => Some(usual),
            _ => None,
        }
    }

    // Reading.

    pub(super) fn section(&mut self, section: Section) {
        if self.pass_known_plain() {
            return;
        }
        let bytes = &self.window.as_bytes()[..self.end()];
        let lexicon = self.section_lexicon(section);
        if self.only_space_so_far(section) {
            let is_plain = |b: &u8| is_space(*b) && !lexicon.stops.stop(*b);
            self.at += bytes[self.at..].iter().take_while(|b| is_plain(b)).count();
            if self.at < bytes.len() && !lexicon.stops.stop(bytes[self.at]) {
                self.content(section, self.at);
                return;
            }
        } else {
            let next = lexicon.find(&bytes[self.at..]);
            self.at += next.unwrap_or(bytes.len() - self.at);
        }
        if self.at < bytes.len() {
            let quotable = self.is_quotable();
            self.begin(quotable);
        }
    }

    /// Whether the next byte that is not white space matters.
    fn only_space_so_far(&self, section: Section) -> bool {
        section.fresh || section.behind_opener || self.question() == Some(Question::Blank)
    }

    /// Whether a backtick behind the tag that begins here would make it a quotation.
    fn is_quotable(&mut self) -> bool {
        let window = self.window.as_bytes();
        let base = self.place(0);
        self.rules.code
            && self.byte(self.at) == b'<'
            && self.state.line.byte_before(window, self.at) == b'`'
            && self.state.line.odd_before(window, base, self.at)
    }

    /// What is not white space stands at `at`; true if reading goes back because of it.
    fn content(&mut self, mut section: Section, at: usize) -> bool {
        if self.question() == Some(Question::Blank) {
            self.go_back_with(Answer::Content, self.place(at));
            return true;
        }
        if section.fresh {
            self.plain(at);
        }
        section.fresh = false;
        section.behind_opener = false;
        self.state.mode = Mode::Section(section);
        false
    }

    /// A candidate has turned out to be text.
    pub(super) fn section_text(&mut self, section: Section, start: usize, blank: bool) {
        if !blank && self.only_space_so_far(section) {
            self.content(section, start);
        }
    }

    /// A candidate that stays in the text whatever becomes of it answers whether there is
    /// anything but white space.
    pub(super) fn settle_sure_content(&mut self) -> bool {
        let (Mode::Section(mut section), Some(candidate)) = (self.state.mode, self.state.candidate)
        else {
            return false;
        };
        // In a hidden section nothing shows, whatever it is.
        let hidden = section.becomes == Becomes::Nothing;
        if hidden || !self.only_space_so_far(section) || self.holds(&candidate) {
            return false;
        }
        let start = self.index(candidate.start);
        if self.question() == Some(Question::Blank) {
            return self.content(section, start);
        }
        // The candidate is still being read, so nothing else changes yet.
        if section.fresh {
            self.plain(start);
            section.fresh = false;
            self.state.mode = Mode::Section(section);
        }
        false
    }

    pub(super) fn section_role_shows(&self, section: Section, role: Role, shape: Shape) -> bool {
        let loses_tags = matches!(section.becomes, Becomes::Thought | Becomes::Revealed);
        match role {
            Role::Section(_) | Role::Call(_) => true,
            Role::Marker => section.becomes != Becomes::Nothing,
            Role::Again => loses_tags && section.behind_opener && shape != Shape::SelfClosing,
            _ => loses_tags && section.depth == 0,
        }
    }

    pub(super) fn section_found(&mut self, section: Section, found: Found) {
        match found.role {
            Role::Section(rule) => {
                if !self.content(section, self.index(found.start)) {
                    self.open_section(rule, &found);
                }
            }
            Role::Call(opener) => self.call_in_section(section, opener, &found),
            Role::Marker => self.remove(&found),
            Role::Again if section.behind_opener && found.shape != Shape::SelfClosing => {
                match section.becomes {
                    Becomes::Shown => self.pass_over(&found),
                    _ => self.remove(&found),
                }
            }
            Role::End if section.depth == 0 => self.close_section(section, &found),
            _ => self.inner_tag(section, &found),
        }
    }

    /// A call that may count in thinking. One in a section that is not certain itself is text.
    fn call_in_section(&mut self, section: Section, opener: u16, found: &Found) {
        if self.question() == Some(Question::SectionClosed) {
            return self.inner_text(section, found);
        }
        if !self.content(section, self.index(found.start)) {
            self.open_calls(opener, found);
        }
    }

    fn inner_text(&mut self, section: Section, found: &Found) {
        if !self.content(section, self.index(found.start)) {
            self.pass_over(found);
        }
    }

    /// A tag that stays in the text of the section.
    fn inner_tag(&mut self, section: Section, found: &Found) {
        if self.content(section, self.index(found.start)) {
            return;
        }
        let Mode::Section(mut section) = self.state.mode else {
            return;
        };
        let rule = self.section_rule(section);
        match found.shape {
            Shape::Close => section.depth -= 1,
            Shape::Open => {
                section.behind_opener = true;
                if rule.nests && (section.depth as usize) + 1 < self.rules.limits.depth {
                    section.depth = section.depth.saturating_add(1);
                }
            }
            _ => {}
        }
        self.state.mode = Mode::Section(section);
        self.pass_over(found);
    }

    // Closing.

    fn close_section(&mut self, section: Section, found: &Found) {
        let (start, end) = (self.index(found.start), self.index(found.end));
        if self.is_blank(section) {
            self.forget_blank(end);
        } else if self.question() == Some(Question::SectionClosed) {
            let Some(hold) = self.state.hold else { return };
            return self.go_back_with(Answer::Closed, hold.at);
        } else {
            match section.becomes {
                Becomes::Thought => {
                    self.end_run(section, start);
                    self.emit(end, Kind::ThoughtEnd { closed: true });
                }
                Becomes::Shown => self.plain(end),
                Becomes::Nothing | Becomes::Revealed => self.skip(end),
            }
        }
        self.leave_section();
        self.pass_over(found);
    }

    /// Whether nothing but white space is in the section, and nothing has been said of it.
    fn is_blank(&self, section: Section) -> bool {
        section.fresh && (self.state.hold.is_some() || section.becomes != Becomes::Thought)
    }

    fn forget_blank(&mut self, end: usize) {
        self.state.hold = None;
        self.skip(end);
    }

    fn leave_section(&mut self) {
        self.state.mode = match self.state.shown.take() {
            Some(around) => Mode::Section(around),
            None => Mode::Text,
        };
        self.state.stretch = Stretch::Start;
    }

    pub(super) fn conclude_section(&mut self, section: Section) -> bool {
        let end = self.window.len();
        if section.becomes == Becomes::Shown {
            self.plain(end);
        } else if self.is_blank(section) {
            self.forget_blank(end);
        } else if self.question() == Some(Question::SectionClosed) {
            let Some(hold) = self.state.hold else {
                return false;
            };
            self.go_back_with(Answer::Unclosed, hold.at);
            return true;
        } else {
            self.end_unclosed(section, end);
        }
        self.leave_section();
        true
    }

    fn end_unclosed(&mut self, section: Section, end: usize) {
        match section.becomes {
            Becomes::Nothing => self.skip(end),
            _ => self.end_run(section, end),
        }
        if section.becomes == Becomes::Thought {
            self.emit(end, Kind::ThoughtEnd { closed: false });
        }
        let message = match &self.section_rule(section).tag {
            Some(tag) => format!("the section `{tag}` has no closer"),
            None => "the section that the prompt opened has no closer".to_owned(),
        };
        self.notice(NoticeCode::UnclosedThought, &message);
    }

    // Emitting.

    pub(super) fn pass_section(&self, section: Section) -> Option<Pass> {
        let rule = self.section_rule(section);
        let becomes = match section.becomes {
            Becomes::Thought if !rule.trims => pass::Becomes::Thought,
            Becomes::Nothing => pass::Becomes::Nothing,
            Becomes::Shown => pass::Becomes::Text,
            _ => return None,
        };
        let plain = !section.fresh && !section.behind_opener;
        let stops = self
            .section_lexicon(section)
            .stops
            .few(b'`')
            .filter(|_| plain)?;
        let place = Some(Place::Section(section.rule));
        Some(Pass {
            becomes,
            stops,
            place,
        })
    }

    pub(super) fn plain_section(&mut self, section: Section, to: usize) {
        let trims = self.section_rule(section).trims;
        match section.becomes {
            Becomes::Nothing => self.skip(to),
            Becomes::Shown => {
                self.state.visible = true;
                self.emit(to, Kind::Text(&self.window[self.mark..to]));
            }
            _ if trims && section.fresh => self.skip(to),
            _ if trims && !self.keeps_all(section, to) => {
                let end = self.trimmed(to);
                self.run(section, end);
                if end < to {
                    self.hold(end, end, Question::Blank);
                    self.state.plain_until = self.place(to);
                }
            }
            _ => self.run(section, to),
        }
    }

    /// Emits the rest of a thought, whose end is known now.
    fn end_run(&mut self, section: Section, to: usize) {
        if self.question() == Some(Question::Blank) {
            self.state.hold = None;
        } else if self.section_rule(section).trims && !self.keeps_all(section, to) {
            let end = self.trimmed(to);
            let too_long = to - end > self.rules.limits.lookahead;
            self.run(section, if too_long { to } else { end });
        } else {
            self.run(section, to);
        }
        self.skip(to);
    }

    fn run(&mut self, section: Section, to: usize) {
        if to <= self.mark {
            return;
        }
        match section.becomes {
            Becomes::Revealed => self.plain_text(to),
            _ => self.emit(to, Kind::Thought(&self.window[self.mark..to])),
        }
    }

    /// Whether the bytes up to `to` are white space that has waited too long to be dropped.
    fn keeps_all(&mut self, mut section: Section, to: usize) -> bool {
        let blank = self.window.as_bytes()[self.mark..to]
            .iter()
            .all(|b| is_space(*b));
        if section.keeps_space && !blank {
            section.keeps_space = false;
            self.state.mode = Mode::Section(section);
        }
        section.keeps_space
    }

    /// Where what is read ends without the white space behind it, if that may be dropped. It may
    /// stand in a candidate, which must not be lost over the question.
    pub(super) fn without_space(&self, to: usize) -> usize {
        match self.state.mode {
            Mode::Section(section) if self.section_rule(section).trims => {
                let text = &self.window.as_bytes()[self.mark.min(to)..to];
                to - text.iter().rev().take_while(|b| is_space(**b)).count()
            }
            _ => to,
        }
    }

    pub(super) fn keep_space(&mut self) {
        if let Mode::Section(section) = &mut self.state.mode {
            section.keeps_space = true;
        }
    }

    /// Where the run up to `to` ends without the white space behind it, except what is known to
    /// have something behind it.
    fn trimmed(&self, to: usize) -> usize {
        let kept = match self.state.known {
            Some(Known {
                at,
                answer: Answer::Content,
            }) => self.index(at).clamp(self.mark, to),
            _ => self.mark,
        };
        let text = &self.window.as_bytes()[kept..to];
        let space = text.iter().rev().take_while(|b| is_space(**b)).count();
        to - space
    }
}
