//! Between calls.

use super::super::hold::{Answer, Question};
use super::super::reader::Reader;
use super::Place;
use super::state::SeenHead;
use crate::event::Sink;
use crate::lexicon::Role;
use crate::line::is_space;
use crate::policy::call::Style;
use crate::token::Found;
use std::fmt::Write;

impl<S: Sink> Reader<'_, S> {
    // In a wrapper.

    pub(super) fn in_wrapper(&mut self) {
        match self.is_open_end() {
            true => self.behind_last_json(),
            false => self.find_in_call(),
        }
    }

    /// Whether the wrapper ends where its JSON ends.
    fn is_open_end(&self) -> bool {
        let rule = self.dialect();
        rule.style == Style::Envelope && !rule.wrapper_closes
    }

    /// Another JSON may follow, by itself or behind a literal that means nothing, such as `;`.
    fn behind_last_json(&mut self) {
        let next = self.next_byte();
        match next {
            _ if self.at - self.mark > self.rules.limits.lookahead => self.leave_open_end(),
            None => {}
            Some(byte) if self.lexicon().stops.stop(byte) => self.begin(false),
            Some(b'{') if self.dialect().several => self.next_in_wrapper(),
            Some(_) => self.leave_open_end(),
        }
    }

    /// A bracket behind the last call begins the next one, or text.
    fn next_in_wrapper(&mut self) {
        let here = self.place(self.at);
        match self.known_at(here) {
            Some(Answer::Call) => self.begin_seen_call(self.calls_ref().seen),
            Some(Answer::Prose | Answer::Cut) => self.leave_open_end(),
            _ => {
                self.hold(self.at, self.at, Question::IsCall);
                self.calls().seen = SeenHead::at(here, here);
                self.see_json(self.calls_ref().dialect);
            }
        }
    }

    /// No other call follows: what is here, white space too, is text.
    pub(super) fn leave_open_end(&mut self) {
        self.at = self.mark;
        // What is known of what follows is not true of it as text.
        self.state.known = None;
        self.leave_calls();
    }

    /// The message ends without the wrapper's closer.
    pub(super) fn leave_wrapper_at_end(&mut self) {
        if self.is_open_end() && self.mark < self.window.len() {
            return self.leave_open_end();
        }
        self.plain(self.window.len());
        self.leave_calls();
    }

    pub(super) fn text_in_wrapper(&mut self) {
        if self.is_open_end() {
            self.leave_open_end();
        }
    }

    fn separator_in_wrapper(&mut self, found: &Found) {
        match self.known_at(found.start) {
            Some(Answer::Call) => self.begin_seen_call(self.calls_ref().seen),
            Some(Answer::Prose | Answer::Cut) => {
                self.leave_open_end();
            }
            _ => {
                let start = self.index(found.start);
                self.hold(start, self.index(found.end), Question::IsCall);
                let dialect = self.calls_ref().dialect;
                self.calls().seen = SeenHead::at(found.start, found.end);
                self.pass_over(found);
                self.look_behind_wrapper(dialect);
            }
        }
    }

    pub(super) fn found_in_wrapper(&mut self, found: &Found) {
        match found.role {
            Role::Head(head) => self.head_in_wrapper(head, found),
            Role::WrapperEnd => self.close_wrapper(found),
            Role::Marker if self.is_open_end() => self.separator_in_wrapper(found),
            _ => self.remove(found),
        }
    }

    fn head_in_wrapper(&mut self, head: u16, found: &Found) {
        match self.known_at(found.start) {
            Some(Answer::Call) => self.begin_seen_call(self.calls_ref().seen),
            Some(Answer::Prose) => self.pass_over(found),
            Some(Answer::Cut) => self.report_cut_off(),
            Some(Answer::Empty) => self.pass_empty_wrapper(),
            _ => {
                let start = self.index(found.start);
                self.plain(start);
                self.hold(start, self.index(found.end), Question::IsCall);
                self.calls().seen = SeenHead::at(found.start, found.end);
                self.pass_over(found);
                self.see_head(head, found);
            }
        }
    }

    fn close_wrapper(&mut self, found: &Found) {
        self.remove(found);
        self.leave_calls();
    }

    /// Passes over what stands between calls. White space is layout, all else is not.
    pub(super) fn plain_wrapper(&mut self, to: usize) {
        if self.is_open_end() {
            return;
        }
        self.drop_between_calls(to, is_space);
    }

    /// Drops what stands between calls, with a notice for what is no layout.
    pub(super) fn drop_between_calls(&mut self, to: usize, is_layout: fn(u8) -> bool) {
        let mut text = self.window[self.mark..to].bytes();
        if let Some(layout) = text.position(|b| !is_layout(b))
            && !self.calls_ref().junk
        {
            self.skip(self.mark + layout);
            self.calls().junk = true;
            self.dropped("text between calls was dropped");
        }
        self.skip(to);
    }

    // Beginning a call.

    /// Begins the call whose head has been seen; what stands before it opens the wrapper.
    pub(super) fn begin_seen_call(&mut self, seen: SeenHead) {
        let (start, end) = (self.index(seen.start), self.index(seen.end));
        let name = self.seen_name(seen);
        let id = &self.window[self.index(seen.name.0)..self.index(seen.name.1)];
        let own_id = &self.window[self.index(seen.id.0)..self.index(seen.id.1)];
        self.skip(start);
        let rules = self.call_rules();
        let Some(head) = seen.head else {
            self.at = end;
            return self.begin_envelope();
        };
        let calls = self.calls();
        calls.dialect = rules.heads[usize::from(head)].dialect;
        calls.begin();
        if calls.rule(rules).id.is_some() {
            calls.call.id.push_str(id);
        }
        calls.call.id.push_str(own_id.trim());
        self.at = end;
        self.accept_name(name, end);
        let style = self.dialect().style;
        match style {
            Style::Elements | Style::Pairs if !self.dialect().json => {
                self.set_place(Place::Between);
            }
            _ => self.set_place(Place::Json),
        }
        if seen.whole {
            self.finish_call(end);
            self.after_call();
        }
    }

    /// JSON that holds a call, or a list of them, begins here.
    pub(super) fn begin_envelope(&mut self) {
        self.set_place(Place::Json);
        if self.byte(self.at) == b'[' {
            self.skip(self.at);
            self.calls().call.json = Default::default();
        } else {
            self.calls().begin();
        }
    }

    /// The name of the call is certain.
    pub(super) fn accept_name(&mut self, name: &str, end: usize) {
        let rules = self.call_rules();
        let count = self
            .calls_ref()
            .count
            .saturating_add(self.state.calls_elsewhere);
        let too_many = count > rules.max_calls;
        let call = &mut self.calls().call;
        call.name.clear();
        call.name.push_str(name);
        call.tool = rules.tool(&call.name);
        if call.id.is_empty() {
            // A text takes all that is written to it.
            let _ = write!(call.id, "{}{}", rules.id_prefix, call.index);
        }
        self.refuse_unknown_tool();
        if too_many {
            self.refuse_one_too_many();
        }
        self.start_call(end);
    }

    /// A call has come to its end: another may follow in its wrapper.
    pub(super) fn after_call(&mut self) {
        match self.calls_ref().wrapped {
            true => self.set_place(Place::Wrapper),
            false => self.leave_calls(),
        }
    }
}
