//! Calls in a list of JSON: what stands between them.

use super::super::reader::Reader;
use super::super::text::Stretch;
use crate::event::Sink;
use crate::token::Found;

impl<S: Sink> Reader<'_, S> {
    /// Whether this is between the calls of a list, and known to be there.
    fn is_between_calls(&self) -> bool {
        let json = &self.calls_ref().call.json;
        json.list && json.depth == 1 && json.level == 0 && self.state.hold.is_none()
    }

    pub(super) fn comma_in_list(&mut self) {
        if !self.is_between_calls() {
            return;
        }
        let json = &mut self.calls().call.json;
        json.commas = json.commas.saturating_add(1);
        if json.commas == 2 {
            self.repair_list("there was a comma too many between the calls of a list");
        }
    }

    /// Where something else has been dropped, that is what was wrong.
    fn repair_list(&mut self, message: &str) {
        self.plain(self.at);
        if !self.calls_ref().junk {
            self.repaired(message);
        }
    }

    pub(super) fn begin_in_list(&mut self) {
        let json = &self.calls_ref().call.json;
        if !json.object.is_empty() && json.commas == 0 {
            self.repair_list("there was no comma between the calls of a list");
        }
        self.plain(self.at);
        let calls = self.calls();
        let depth = calls.call.json.depth;
        calls.begin();
        calls.call.json.list = true;
        calls.call.json.depth = depth;
    }

    pub(super) fn end_list(&mut self) {
        if self.state.hold.is_some() {
            return self.is_call();
        }
        if self.calls_ref().call.json.commas == 1 {
            self.repair_list("there was a comma behind the last call of a list");
        }
        self.plain(self.at);
        // Models leave the wrapper's closer off. One that stands right behind goes with the list.
        self.leave_calls();
        if self.dialect().wrapper_closes {
            self.state.stretch = Stretch::BehindBareCall;
        }
    }

    /// A list of calls has no end of its own.
    pub(super) fn end_between_calls(&mut self, found: &Found) {
        self.skip(self.index(found.end));
        self.pass_over(found);
        self.leave_calls();
    }
}
