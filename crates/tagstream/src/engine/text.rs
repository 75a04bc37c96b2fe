//! Text: where markup counts, unless it stands in code.

use super::hold::Question;
use super::pass::{Becomes, Pass, Place};
use super::reader::Reader;
use crate::event::{Kind, NoticeCode, Sink};
use crate::lexicon::{Lexicon, Role};
use crate::line::is_space;
use crate::profile;
use crate::scan::Few;
use crate::token::{Found, Shape};

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
    pub(super) fn ends_paragraph(&self, found: &Found) -> bool {
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

    pub(super) fn conclude_text(&mut self) -> bool {
        if self.state.code.is_calm() {
            return false;
        }
        let settled = self.state.code.finish(self.place(self.at));
        self.settle_code(settled);
        true
    }

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
