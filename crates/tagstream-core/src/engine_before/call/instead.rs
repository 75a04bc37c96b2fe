//! One JSON object in place of arguments that are tags: behind the head, or between tags of its own.

use super::super::hold::{Answer, Question};
use super::super::reader::Reader;
use super::Place;
use super::state::SeenHead;
use crate::check::CallErrorCode;
use crate::dialect::Repair;
use crate::event::Sink;
use crate::line::is_space;
use crate::policy::call::Style;
use crate::token::Found;

impl<S: Sink> Reader<'_, S> {
    // Behind the head.

    /// Whether nothing has told yet how the arguments are written.
    pub(super) fn may_be_tags(&self) -> bool {
        let json = &self.calls_ref().call.json;
        self.dialect().json && json.depth == 0 && json.start.is_none() && !json.in_tags
    }

    /// White space aside, the first thing behind the head tells how the arguments are written.
    pub(super) fn before_arguments(&mut self, byte: u8) {
        match byte {
            b'{' => self.bracket_for_arguments(),
            _ if is_space(byte) => self.at += 1,
            _ => self.set_place(Place::Between),
        }
    }

    /// It is JSON if what follows the bracket may follow it there.
    fn bracket_for_arguments(&mut self) {
        let here = self.place(self.at);
        match self.known_at(here) {
            Some(Answer::Call) => self.open_bracket(b'{'),
            Some(Answer::Prose | Answer::Cut) => self.set_place(Place::Between),
            _ => {
                self.plain(self.at);
                self.hold(self.at, self.at, Question::IsCall);
                self.calls().seen = SeenHead::at(here, here);
                self.see_json(self.calls_ref().dialect);
            }
        }
    }

    /// Whether the bracket that is held belongs to a call that has begun.
    pub(super) fn is_in_call(&self) -> bool {
        matches!(self.state.hold, Some(hold) if hold.mode.is(Place::Json))
    }

    // Between tags.

    /// Whether the arguments may still be JSON: no other has come.
    pub(super) fn may_be_json(&self) -> bool {
        self.dialect().style == Style::Elements && self.calls_ref().call.values.is_empty()
    }

    pub(super) fn open_json(&mut self, found: &Found) {
        self.skip_call(self.index(found.end));
        self.pass_over(found);
        self.calls().call.json.in_tags = true;
        self.set_place(Place::Json);
    }

    /// What closes the JSON has come: behind it, or too early, or once more.
    pub(super) fn close_json(&mut self, place: Place, found: &Found) {
        let end = self.index(found.end);
        self.pass_over(found);
        let closes = std::mem::take(&mut self.calls().call.json.in_tags);
        match place {
            Place::JsonEnd if closes => self.skip_call(end),
            Place::JsonEnd => self.junk_behind_json(self.index(found.start)),
            _ => self.set_place(Place::Broken),
        }
    }

    /// The call ends, and what closes its JSON has not come.
    pub(super) fn report_open_json(&mut self) {
        if !std::mem::take(&mut self.calls().call.json.in_tags) {
            return;
        }
        if !self.mends(Repair::MissingValueCloser, "the JSON had no closing tag") {
            let message = "the JSON has no closing tag; write it before the call ends";
            self.refuse(CallErrorCode::MalformedCall, None, message);
        }
    }
}
