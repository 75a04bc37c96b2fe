//! Thinking and hidden sections.

use super::reader::Reader;
use super::{Known, Mode, Pass, PassKind, Question};
use crate::attributes::Attributes;
use crate::event::{Kind, NoticeCode, Sink};
use crate::lexicon::{Lexicon, Role};
use crate::line::is_space;
use crate::policy::SectionRule;
use crate::profile::{self, Unclosed};
use crate::token::{Found, Shape};

/// A section that is open.
#[derive(Clone, Copy, Debug)]
pub(super) struct Section {
    rule: u16,
    becomes: Becomes,
    /// How many more closers it needs than one.
    depth: usize,
    /// Nothing but white space has come since its opener.
    fresh: bool,
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

impl<'r, S: Sink> Reader<'r, S> {
    fn section_rule(&self, section: Section) -> &'r SectionRule {
        &self.rules.sections[usize::from(section.rule)]
    }

    pub(super) fn section_lexicon(&self, section: Section) -> &'r Lexicon {
        &self.section_rule(section).lexicon
    }

    // Opening.

    pub(super) fn open_prompted(&mut self) {
        if let Some(rule) = self.rules.prompted {
            self.enter(rule, self.at, self.at, "");
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
        self.enter(rule, start, end, self.attributes(found));
    }

    fn enter(&mut self, rule: u16, start: usize, end: usize, attributes: &str) {
        let becomes = self.what_becomes(rule, start, end);
        match becomes {
            None if self.rules.sections[usize::from(rule)].waits => {
                self.hold(start, Question::SectionClosed);
            }
            None => self.hold(start, Question::Blank),
            Some(Becomes::Shown) => {}
            Some(Becomes::Thought) => {
                let tag = self.rules.sections[usize::from(rule)].tag.as_deref();
                let attributes = Attributes::new(attributes);
                self.emit(end, Kind::ThoughtStart { tag, attributes });
            }
            Some(_) => self.skip(end),
        }
        let becomes = becomes.unwrap_or(Becomes::Thought);
        let fresh = becomes != Becomes::Shown;
        self.state.mode = Mode::Section(Section {
            rule,
            becomes,
            depth: 0,
            fresh,
        });
        self.at = end;
    }

    /// What the section between here and its closer becomes, if that is known.
    fn what_becomes(&self, rule: u16, start: usize, end: usize) -> Option<Becomes> {
        let rule = &self.rules.sections[usize::from(rule)];
        let usual = match rule.mode {
            profile::Mode::Show => return Some(Becomes::Shown),
            profile::Mode::Hide => Becomes::Nothing,
            profile::Mode::Extract => Becomes::Thought,
        };
        let here = self.place(start);
        match self.state.known {
            Known::Closed(at) | Known::TooLong(at) if at == here => Some(usual),
            Known::Unclosed(at) if at == here && rule.unclosed == Unclosed::Reveal => {
                Some(Becomes::Revealed)
            }
            Known::Unclosed(at) if at == here => Some(Becomes::Nothing),
            _ if rule.waits => None,
            _ if usual == Becomes::Nothing => Some(usual),
            Known::Content(at) if at >= self.place(end) => Some(usual),
            _ => None,
        }
    }

    // Reading.

    pub(super) fn section(&mut self, section: Section) {
        let bytes = &self.window.as_bytes()[..self.end()];
        let stops = &self.section_lexicon(section).stops;
        if self.only_space_so_far(section) {
            while self.at < bytes.len() && is_space(bytes[self.at]) && !stops.stop(bytes[self.at]) {
                self.at += 1;
            }
            if self.at < bytes.len() && !stops.stop(bytes[self.at]) {
                self.content(section, self.at);
                return;
            }
        } else {
            let next = self.section_lexicon(section).find(&bytes[self.at..]);
            self.at += next.unwrap_or(bytes.len() - self.at);
        }
        if self.at < bytes.len() {
            let quotable = self.is_quotable();
            self.begin(quotable);
        }
    }

    /// Whether the next byte that is not white space matters.
    fn only_space_so_far(&self, section: Section) -> bool {
        section.fresh || self.question() == Some(Question::Blank)
    }

    /// Whether a backtick behind the tag that begins here would make it a quotation.
    fn is_quotable(&mut self) -> bool {
        let window = self.window.as_bytes();
        let base = self.place(0);
        self.byte(self.at) == b'<'
            && self.state.line.byte_before(window, self.at) == b'`'
            && self.state.line.odd_before(window, base, self.at)
    }

    /// What is not white space stands at `at`; true if reading goes back because of it.
    fn content(&mut self, mut section: Section, at: usize) -> bool {
        if self.question() == Some(Question::Blank) {
            self.go_back(Known::Content(self.place(at)));
            return true;
        }
        if section.fresh {
            self.plain(at);
            section.fresh = false;
            self.state.mode = Mode::Section(section);
        }
        false
    }

    /// A candidate has turned out to be text.
    pub(super) fn section_text(&mut self, section: Section, start: usize, blank: bool) {
        if !blank && self.only_space_so_far(section) {
            self.content(section, start);
        }
    }

    pub(super) fn section_role_shows(&self, section: Section, role: Role) -> bool {
        let keeps_text = section.becomes != Becomes::Nothing;
        match role {
            Role::Section(_) => true,
            Role::Marker => keeps_text,
            Role::Again => keeps_text && section.fresh,
            _ => keeps_text && section.becomes != Becomes::Shown && section.depth == 0,
        }
    }

    pub(super) fn section_found(&mut self, section: Section, found: Found) {
        match found.role {
            Role::Section(rule) => self.open_section(rule, &found),
            Role::Marker => self.remove_in_section(&found),
            Role::Again if section.fresh && found.shape != Shape::SelfClosing => {
                self.remove_in_section(&found);
            }
            Role::End if section.depth == 0 => self.close_section(section, &found),
            _ => self.inner_tag(section, &found),
        }
    }

    fn remove_in_section(&mut self, found: &Found) {
        self.plain(self.index(found.start));
        self.skip(self.index(found.end));
        self.pass_over(found);
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
            Shape::Open if rule.nests && section.depth + 1 < self.rules.limits.depth => {
                section.depth += 1;
            }
            _ => {}
        }
        self.state.mode = Mode::Section(section);
        self.pass_over(found);
    }

    // Closing.

    fn close_section(&mut self, section: Section, found: &Found) {
        let (start, end) = (self.index(found.start), self.index(found.end));
        match self.question() {
            Some(Question::SectionClosed) if !section.fresh => {
                let Some(hold) = self.state.hold else { return };
                return self.go_back(Known::Closed(hold.at));
            }
            _ if self.is_blank(section) => self.forget_blank(end),
            _ => match section.becomes {
                Becomes::Thought => {
                    self.end_thought(section, start);
                    self.emit(end, Kind::ThoughtEnd { closed: true });
                }
                Becomes::Nothing | Becomes::Revealed => {
                    self.plain(start);
                    self.skip(end);
                }
                Becomes::Shown => self.plain(end),
            },
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

    /// Emits the rest of a thought, whose end is known now.
    fn end_thought(&mut self, section: Section, to: usize) {
        if self.question() == Some(Question::Blank) {
            self.state.hold = None;
            return self.skip(to);
        }
        if self.section_rule(section).trims {
            let end = if section.fresh {
                self.mark
            } else {
                self.trimmed(to)
            };
            self.thought(end);
            self.skip(to);
        } else {
            self.thought(to);
        }
    }

    fn leave_section(&mut self) {
        self.state.mode = match self.state.shown.take() {
            Some(around) => Mode::Section(around),
            None => Mode::Text,
        };
    }

    pub(super) fn conclude_section(&mut self, section: Section) -> bool {
        let end = self.window.len();
        if section.becomes == Becomes::Shown {
            self.plain(end);
            self.leave_section();
            return true;
        }
        if self.is_blank(section) {
            self.forget_blank(end);
            self.leave_section();
            return true;
        }
        if self.question() == Some(Question::SectionClosed) {
            let Some(hold) = self.state.hold else {
                return false;
            };
            self.go_back(Known::Unclosed(hold.at));
            return true;
        }
        if section.becomes == Becomes::Thought {
            self.end_thought(section, end);
            self.emit(end, Kind::ThoughtEnd { closed: false });
        }
        self.plain(end);
        self.leave_section();
        let tag = self
            .section_rule(section)
            .tag
            .as_deref()
            .unwrap_or("that the prompt opened");
        let message = format!("the section {tag} has no closer");
        self.notice(NoticeCode::UnclosedThought, &message);
        true
    }

    // Emitting.

    pub(super) fn plain_section(&mut self, section: Section, to: usize) {
        let trims = self.section_rule(section).trims;
        match section.becomes {
            Becomes::Nothing => self.skip(to),
            Becomes::Revealed => self.plain_text(to),
            Becomes::Shown => {
                self.state.visible = true;
                self.emit(to, Kind::Text(&self.window[self.mark..to]));
            }
            Becomes::Thought if trims && section.fresh => self.skip(to),
            Becomes::Thought if trims => {
                let end = self.trimmed(to);
                self.thought(end);
                if end < to {
                    self.hold(end, Question::Blank);
                }
            }
            Becomes::Thought => self.thought(to),
        }
    }

    pub(super) fn pass_section(&self, section: Section) -> Option<Pass> {
        let rule = self.section_rule(section);
        let kind = match section.becomes {
            Becomes::Thought if !rule.trims => PassKind::Thought,
            Becomes::Nothing => PassKind::Skip,
            Becomes::Shown => PassKind::Text,
            _ => return None,
        };
        let stops = rule.lexicon.stops.few(false).filter(|_| !section.fresh)?;
        Some(Pass { kind, stops })
    }

    fn thought(&mut self, to: usize) {
        if to > self.mark {
            self.emit(to, Kind::Thought(&self.window[self.mark..to]));
        }
    }

    /// Where the thought up to `to` ends without the white space behind it, except what is known
    /// to have something behind it.
    fn trimmed(&self, to: usize) -> usize {
        let kept = match self.state.known {
            Known::Content(at) => self.index(at).clamp(self.mark, to),
            _ => self.mark,
        };
        let text = &self.window.as_bytes()[kept..to];
        let space = text.iter().rev().take_while(|b| is_space(**b)).count();
        to - space
    }
}
