//! Values: raw text, up to the closer that ends them.

use super::super::Mode;
use super::super::hold::{Answer, Question};
use super::super::reader::Reader;
use super::Place;
use super::finish::shown;
use crate::check::CallErrorCode;
use crate::dialect::{Layout, Repair};
use crate::entities::{Entity, entity};
use crate::event::Sink;
use crate::lexicon::Role;
use crate::line::is_space;
use crate::policy::call::{NAMED, NameAt};
use crate::token::{Found, Shape};

impl<S: Sink> Reader<'_, S> {
    pub(super) fn found_in_value(&mut self, found: &Found) {
        let behind_head = self.count_head(found);
        match found.role {
            Role::Argument(NAMED) | Role::ValueEnd(NAMED) => self.tag_in_value(found),
            Role::ValueEnd(number) if self.calls_ref().call.closes(number) => {
                self.closer_in_value(found);
            }
            Role::Argument(number) => self.argument_in_value(number, found),
            Role::Head(head) if self.is_own_head(head) => self.head_in_value(found),
            Role::CallEnd => self.call_closer_in_value(found),
            Role::Key if !behind_head => self.key_in_value(found),
            Role::Value => {
                self.calls().call.open.depth += 1;
                self.pass_over(found);
            }
            _ => self.pass_over(found),
        }
    }

    /// A head that is followed by a tag of the dialect begins a whole call inside the value. True if
    /// only white space lies between a head and what was found.
    fn count_head(&mut self, found: &Found) -> bool {
        // What has been said already is white space, or it would not stand behind the head.
        let between = self.window.get(self.mark..self.index(found.start));
        let blank = between.unwrap_or("").bytes().all(is_space);
        let value = &mut self.calls().call.open;
        let behind_head = std::mem::take(&mut value.behind_head) && blank;
        if behind_head && matches!(found.role, Role::Argument(_)) {
            value.heads -= 1;
            value.calls += 1;
        }
        behind_head
    }

    pub(super) fn closer_in_value(&mut self, found: &Found) {
        let value = &mut self.calls().call.open;
        if value.calls > 0 {
            return self.pass_over(found);
        }
        if value.depth > 0 {
            value.depth -= 1;
            value.closer_inside.get_or_insert(found.end);
            return self.pass_over(found);
        }
        match self.known_at(found.start) {
            Some(Answer::EndsValue) => self.close_value(found),
            Some(Answer::EndsNothing) => {
                let value = &mut self.calls().call.open;
                value.closer_inside.get_or_insert(found.end);
                self.pass_over(found);
            }
            _ => self.ask_what_follows(found, Place::Follow),
        }
    }

    pub(super) fn ask_what_follows(&mut self, found: &Found, place: Place) {
        let start = self.index(found.start);
        self.plain(start);
        self.hold(start, self.index(found.end), Question::EndsValue);
        self.calls().closer = Some(*found);
        self.pass_over(found);
        self.set_place(place);
    }

    /// An opener of an argument: the same one is balanced, another one may end the value.
    fn argument_in_value(&mut self, number: u16, found: &Found) {
        let rules = self.call_rules();
        let begins_line = self.begins_line(self.index(found.start));
        let readable = self.is_readable(found);
        self.say_tag(found);
        let name = match readable {
            true => self.name_in_argument(number, found, self.tag_text(found)),
            false => "",
        };
        let call = &self.calls_ref().call;
        let value = call.open;
        let current = call.is_current(rules, name);
        let declared = call.rule(rules).and_then(|tool| tool.argument(name));
        let ends_here = value.start == found.start || begins_line;
        let ends = declared.is_some_and(|number| !call.is_given(number)) && ends_here;
        if value.calls > 0 || found.shape == Shape::SelfClosing {
            self.pass_over(found);
        } else if current {
            self.calls().call.open.depth += 1;
            self.pass_over(found);
        } else if ends && value.depth == 0 {
            self.close_value_without_closer(self.index(found.start));
        } else {
            self.pass_over(found);
        }
    }

    /// Emits the rest of a tag of which something has been emitted: it is text.
    pub(super) fn say_tag(&mut self, found: &Found) {
        if self.is_said(found) {
            self.plain(self.index(found.end));
        }
    }

    /// Whether something of a tag has been emitted, because it is text whatever it is.
    fn is_said(&self, found: &Found) -> bool {
        found.start < self.place(self.mark)
    }

    /// Whether a tag has been held, or is kept as text of the call: beyond the limit it is not, and
    /// then it must not matter how much of it has been emitted.
    pub(super) fn is_readable(&self, found: &Found) -> bool {
        let (call, limits) = (&self.calls_ref().call, &self.rules.limits);
        let more = found.end.saturating_sub(self.place(self.mark));
        let fits = found.end - call.open.start <= limits.value as u64;
        let kept = !call.cut && fits && more <= call.room_for(limits) as u64;
        kept || self.value_role_shows(found.role, found.start)
    }

    /// The text of a tag in a value: what has been emitted of it stands in the text of the call.
    pub(super) fn tag_text(&self, found: &Found) -> &str {
        if !self.is_said(found) {
            return &self.window[self.index(found.start)..self.index(found.end)];
        }
        let raw = &self.calls_ref().call.raw;
        let start = raw.len().checked_sub((found.end - found.start) as usize);
        start.and_then(|start| raw.get(start..)).unwrap_or("")
    }

    /// Whether the closer of a call with this head would be the closer of this call too.
    fn is_own_head(&self, head: u16) -> bool {
        match self.call_rules().heads[usize::from(head)].name {
            NameAt::Tag(tool) => self.calls_ref().call.tool == Some(tool),
            _ => true,
        }
    }

    fn head_in_value(&mut self, found: &Found) {
        self.pass_over(found);
        if found.shape == Shape::SelfClosing {
            return;
        }
        self.plain(self.at);
        let value = &mut self.calls().call.open;
        value.heads += 1;
        value.behind_head = true;
    }

    fn call_closer_in_value(&mut self, found: &Found) {
        let value = &mut self.calls().call.open;
        if value.calls > 0 {
            value.calls -= 1;
            return self.pass_over(found);
        }
        if value.heads > 0 {
            value.heads -= 1;
            return self.pass_over(found);
        }
        let start = self.index(found.start);
        match self.known_at(found.start) {
            _ if !self.calls_ref().wrapped => self.close_value_without_closer(start),
            Some(Answer::EndsValue) => self.close_value_without_closer(start),
            Some(Answer::EndsNothing) => self.pass_over(found),
            _ => self.ask_what_follows(found, Place::FollowCall),
        }
    }

    // What follows a closer.

    pub(super) fn behind_closer(&mut self) {
        let Some(byte) = self.next_byte() else { return };
        match self.lexicon().stops.stop(byte) {
            true => self.begin(false),
            false => self.ends_nothing(),
        }
    }

    pub(super) fn found_behind_closer(&mut self, place: Place, found: &Found) {
        match found.role {
            Role::Marker => self.pass_over(found),
            role if self.may_follow(place, role) => self.end_value_before(found),
            _ => self.ends_nothing(),
        }
    }

    /// What follows the closer makes it the end of the value. Neither is read a second time.
    fn end_value_before(&mut self, follower: &Found) {
        self.ends_value();
        let Some(closer) = self.calls().closer.take() else {
            return;
        };
        self.found_in_value(&closer);
        let behind = &self.window.as_bytes()[self.at..];
        let next = self.lexicon().find(behind).map(|next| self.at + next);
        if self.state.mode.is(Place::Between) && next == Some(self.index(follower.start)) {
            self.pass_over(follower);
            self.found_between(follower);
        }
    }

    /// Whether what stands behind a closer makes it one that ends the value.
    fn may_follow(&self, place: Place, role: Role) -> bool {
        match (place, role) {
            (_, Role::WrapperEnd) => true,
            (Place::FollowCall, role) => matches!(role, Role::Head(_) | Role::Again),
            (_, role) => matches!(role, Role::Argument(_) | Role::Key | Role::CallEnd),
        }
    }

    /// What is being read behind a closer can be nothing that may follow it.
    pub(in super::super) fn settle_sure_follower(&mut self) -> bool {
        let (Mode::Call(place @ (Place::Follow | Place::FollowCall)), Some(candidate)) =
            (self.state.mode, self.state.candidate)
        else {
            return false;
        };
        let answers = |role, _| role == Role::Marker || self.may_follow(place, role);
        let sure = !candidate.may_be(self.lexicon(), answers);
        if sure {
            self.ends_nothing();
        }
        sure
    }

    pub(super) fn ends_value(&mut self) {
        if let Some(hold) = self.state.hold {
            self.go_back_with(Answer::EndsValue, hold.at);
        }
    }

    pub(in super::super) fn ends_nothing(&mut self) {
        if let Some(hold) = self.state.hold {
            self.go_back_with(Answer::EndsNothing, hold.at);
        }
    }

    // Closing.

    fn close_value(&mut self, found: &Found) {
        self.end_value(self.index(found.start));
        self.skip_call(self.index(found.end));
        self.pass_over(found);
        self.set_place(Place::Between);
    }

    /// The call's closer or another argument has come instead of the value's closer.
    pub(super) fn close_value_without_closer(&mut self, start: usize) {
        self.end_value(start);
        let call = &self.calls_ref().call;
        let name = call.argument().unwrap_or("").to_owned();
        if let Some(closer) = call.open.closer_inside {
            let follows = self.told_behind(closer, start);
            let message = format!(
                "the value of `{name}` has a closing tag in it that does not end it{follows}. It \
                 has none at its end; close the value, or leave out what does not belong to it"
            );
            self.refuse(CallErrorCode::MalformedParameter, Some(&name), message);
        } else {
            self.mend_open_value(&name);
        }
        self.set_place(Place::Between);
        self.at = start;
    }

    fn mend_open_value(&mut self, name: &str) {
        let done = format!("the value of `{name}` had no closing tag");
        if !self.mends(Repair::MissingValueCloser, &done) {
            let message =
                format!("the value of `{name}` has no closing tag; write it behind the value");
            self.refuse(CallErrorCode::MalformedParameter, Some(name), message);
        }
    }

    /// What to say of the text between a closer and `end`, up to which the call has been read.
    fn told_behind(&self, closer: u64, end: usize) -> String {
        let call = &self.calls_ref().call;
        let len = (self.place(end) - closer) as usize;
        let start = call.raw.len().checked_sub(len);
        let text = shown(start.and_then(|at| call.raw.get(at..)).unwrap_or(""));
        match text.is_empty() || call.cut {
            true => String::new(),
            false => {
                format!(
                    ": `{text}` follows it, which is no declared argument and no end of the call"
                )
            }
        }
    }

    /// Emits the rest of a value that ends at `to`.
    pub(super) fn end_value(&mut self, to: usize) {
        self.begin_text(to, true);
        let text = &self.window[self.mark..to];
        let end = match self.dialect().layout {
            Layout::Lines => to - newline_at_end(text),
            Layout::Inline => to,
        };
        self.value_text(end, true);
        let call = &mut self.calls().call;
        let len = call.raw.len();
        call.text_start = None;
        if let Some(value) = call.values.last_mut() {
            value.text.end = len;
        }
        self.skip_call(to);
    }

    // Emitting.

    pub(super) fn plain_value(&mut self, to: usize) {
        if !self.begin_text(to, false) {
            return;
        }
        let text = &self.window[self.mark..to];
        let certain = self.calls_ref().call.open.certain(text);
        self.value_text(self.mark + certain, false);
    }

    /// Passes over the newline that a value may begin with; false if that is not known yet.
    fn begin_text(&mut self, to: usize, ends: bool) -> bool {
        let text = &self.window[self.mark..to];
        if !self.calls_ref().call.open.fresh || text.is_empty() && !ends {
            return true;
        }
        let lines = self.dialect().layout == Layout::Lines;
        if lines && text == "\r" && !ends {
            return false;
        }
        if lines {
            self.skip_call(self.mark + newline_at_start(text));
        }
        let call = &mut self.calls().call;
        call.open.fresh = false;
        let len = call.raw.len();
        call.text_start = Some(len);
        if let Some(value) = call.values.last_mut() {
            value.text = len..len;
        }
        true
    }

    fn value_text(&mut self, end: usize, ends: bool) {
        // Of what may be a tag it is not known yet whether it is text behind the head.
        let candidate = self.state.candidate.map(|c| self.index(c.start));
        let known = candidate.map_or(end, |start| start.min(end));
        let blank = |text: &str| text.bytes().all(is_space);
        let blank = self.window.get(self.mark..known).is_none_or(blank);
        self.calls().call.open.behind_head &= blank;
        match self.call_rules().decode_entities {
            true => self.decoded_text(end, ends),
            false => self.emit_delta(end),
        }
    }

    /// Emits text with its entities decoded. One that may go on is held back.
    fn decoded_text(&mut self, end: usize, ends: bool) {
        while self.mark < end {
            let text = &self.window[self.mark..end];
            let Some(plain) = memchr::memchr(b'&', text.as_bytes()) else {
                return self.emit_delta(end);
            };
            self.emit_delta(self.mark + plain);
            let text = &text[plain..];
            match entity(text) {
                Entity::Whole(c, len) => {
                    self.emit_instead(self.mark + len, c.encode_utf8(&mut [0; 4]));
                }
                Entity::Unfinished if !ends => return,
                _ => self.emit_delta(self.mark + 1),
            }
        }
    }

    /// Emits what the text up to `to` stands for.
    pub(super) fn emit_instead(&mut self, to: usize, text: &str) {
        self.collect(to);
        let call = &self.calls_ref().call;
        match call.started && !call.cut {
            true => self.say_delta(to, Some(text)),
            false => self.skip(to),
        }
    }
}

fn newline_at_start(text: &str) -> usize {
    match text.as_bytes() {
        [b'\n', ..] => 1,
        [b'\r', b'\n', ..] => 2,
        _ => 0,
    }
}

fn newline_at_end(text: &str) -> usize {
    match text.as_bytes() {
        [.., b'\r', b'\n'] => 2,
        [.., b'\n'] => 1,
        _ => 0,
    }
}
