//! Elements: their bodies, parts and children.

pub(super) mod open;

use super::Mode;
use super::hold::{Answer, Question};
use super::reader::Reader;
use super::text::Stretch;
use crate::attributes::Attributes;
use crate::event::{Kind, NoticeCode, Sink};
use crate::lexicon::{Lexicon, Role};
use crate::token::{Found, Shape};
use open::Open;

impl<'r, S: Sink> Reader<'r, S> {
    /// What counts in the innermost open element.
    pub(super) fn element_lexicon(&self) -> &'r Lexicon {
        let open = self.state.open.last();
        match open.and_then(|open| open.rule(self.rules).zip(Some(open.part))) {
            Some((rule, Some(part))) => &rule.parts[usize::from(part)].lexicon,
            Some((rule, None)) => &rule.lexicon,
            None => &self.rules.any_body,
        }
    }

    pub(super) fn element(&mut self) {
        let end = self.end();
        let bytes = &self.window.as_bytes()[self.at..end];
        match self.element_lexicon().find(bytes) {
            None => self.at = end,
            Some(n) => {
                self.at += n;
                self.begin(false);
            }
        }
    }

    pub(super) fn element_role_shows(&self, role: Role) -> bool {
        let depth = self.state.open.last().map_or(0, |open| open.depth);
        match role {
            Role::Again => false,
            Role::End => {
                depth == 0
                    || self
                        .state
                        .open
                        .last()
                        .is_some_and(|open| open.part.is_some())
            }
            _ => true,
        }
    }

    pub(super) fn element_found(&mut self, found: Found) {
        let Some(open) = self.state.open.last_mut() else {
            return;
        };
        match found.role {
            Role::Again => {
                if found.shape == Shape::Open && open.depth + 1 < self.rules.limits.depth {
                    open.depth += 1;
                }
                self.pass_over(&found);
            }
            Role::End if open.part.is_some() => self.close_part(&found),
            Role::End if open.depth > 0 => {
                open.depth -= 1;
                self.pass_over(&found);
            }
            Role::EndParent if open.depth > 0 => self.end_part_early(&found),
            Role::End | Role::EndParent => self.close_element(&found),
            Role::Part(part) => self.open_part(part, &found),
            Role::Element(rule) => self.open_element(rule, &found),
            _ => self.pass_over(&found),
        }
    }

    // Opening.

    pub(super) fn open_element(&mut self, rule: u16, found: &Found) {
        if self.state.open.len() >= self.rules.limits.depth {
            return self.pass_over(found);
        }
        self.plain(self.index(found.start));
        let parent = self.state.open.last_mut().map(|parent| {
            parent.interrupt();
            parent.id
        });
        let open = Open::new(
            self.state.next_id,
            parent,
            Some(rule),
            self.attributes(found),
        );
        self.start_element(open, found);
    }

    /// An element of any name is one only if its closer comes.
    pub(super) fn open_any_element(&mut self, found: &Found) {
        let start = self.index(found.start);
        self.plain(start);
        let closed =
            found.shape == Shape::SelfClosing || self.known_at(found.start) == Some(Answer::Closed);
        if !closed {
            self.hold(start, self.index(found.end), Question::ElementClosed);
        }
        let mut open = Open::new(self.state.next_id, None, None, self.attributes(found));
        let name = start + 1;
        open.any_name = self.window[name..name + found.name_len].to_owned();
        self.start_element(open, found);
    }

    fn start_element(&mut self, open: Open, found: &Found) {
        let end = self.index(found.end);
        let kind = Kind::ElementStart {
            id: open.id,
            parent: open.parent,
            name: open.name(self.rules),
            attributes: Attributes::new(self.attributes(found)),
        };
        self.emit(end, kind);
        self.pass_over(found);
        if found.shape == Shape::SelfClosing {
            self.state.answered = true;
            self.state.next_id += 1;
            let view = open.view(self.rules, true);
            return self.emit(
                end,
                Kind::ElementEnd(crate::ElementView { body: None, ..view }),
            );
        }
        if self.state.hold.is_none() {
            self.state.answered = true;
            self.state.next_id += 1;
        }
        self.state.open.push(open);
        self.state.mode = Mode::Element;
    }

    fn open_part(&mut self, part: u16, found: &Found) {
        self.plain(self.index(found.start));
        self.skip(self.index(found.end));
        self.pass_over(found);
        let attributes = self.attributes(found);
        let limit = self.rules.limits.value;
        let Some(open) = self.state.open.last_mut() else {
            return;
        };
        let fits = !open.cut && open.has_room_for_part(attributes, limit);
        open.interrupt();
        if fits {
            open.add_part(part, attributes);
        }
        if found.shape != Shape::SelfClosing {
            open.part = Some(part);
        }
        if !fits {
            self.cut_element();
        }
    }

    // Closing.

    fn close_part(&mut self, found: &Found) {
        self.plain(self.index(found.start));
        self.skip(self.index(found.end));
        self.pass_over(found);
        if let Some(open) = self.state.open.last_mut() {
            open.interrupt();
        }
    }

    /// The closer balances an inner opener of the element, and ends the part before it.
    fn end_part_early(&mut self, found: &Found) {
        self.plain(self.index(found.start));
        if let Some(open) = self.state.open.last_mut() {
            open.interrupt();
            open.depth -= 1;
        }
        self.pass_over(found);
    }

    fn close_element(&mut self, found: &Found) {
        if let Some(hold) = self.state.hold {
            self.state.open.pop();
            return self.go_back_with(Answer::Closed, hold.at);
        }
        self.plain(self.index(found.start));
        self.end_element(self.index(found.end), true);
        self.pass_over(found);
    }

    fn end_element(&mut self, end: usize, closed: bool) {
        if let Some(open) = self.state.open.pop() {
            let view = open.view(self.rules, closed && !open.cut);
            self.emit(end, Kind::ElementEnd(view));
        }
        if self.state.open.is_empty() {
            self.state.mode = Mode::Text;
            self.state.stretch = Stretch::Start;
        }
    }

    /// The closer of an element of any name did not come: all of it is text.
    pub(super) fn drop_any_element(&mut self, until: u64) {
        self.state.hold = None;
        self.state.candidate = None;
        self.state.open.pop();
        self.state.mode = Mode::Text;
        self.state.plain_until = until;
        self.at = self
            .window
            .ceil_char_boundary(self.index(until).min(self.window.len()));
    }

    pub(super) fn conclude_element(&mut self) -> bool {
        if self.state.hold.is_some() {
            self.drop_any_element(u64::MAX);
            return true;
        }
        let end = self.window.len();
        self.plain(end);
        self.end_element(end, false);
        true
    }

    // Emitting.

    pub(super) fn plain_element(&mut self, to: usize) {
        let text = &self.window[self.mark..to];
        let limit = self.rules.limits.value;
        let Some(open) = self.state.open.last_mut() else {
            return;
        };
        if open.cut {
            return self.skip(to);
        }
        let room = open.room(text, limit);
        if room > 0 {
            open.collect(&text[..room], self.rules);
            let kind = Kind::ElementDelta {
                id: open.id,
                part: open.part_name(self.rules),
                text: &text[..room],
            };
            self.emit(self.mark + room, kind);
        }
        if self.mark < to {
            self.cut_element();
            self.skip(to);
        }
    }

    /// The rest of the element is passed over.
    fn cut_element(&mut self) {
        let Some(open) = self.state.open.last_mut().filter(|open| !open.cut) else {
            return;
        };
        open.cut = true;
        let message = format!(
            "the element {} is longer than limits.value = {}; the rest of it is passed over",
            open.name(self.rules),
            self.rules.limits.value
        );
        self.notice(NoticeCode::Limit, &message);
    }
}
