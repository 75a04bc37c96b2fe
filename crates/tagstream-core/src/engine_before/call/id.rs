//! Words in what opens a call that are no names: its id, and what means nothing.

use super::super::Mode;
use super::super::reader::Reader;
use super::Place;
use super::name::{LONGEST_NAME, is_name_byte};
use crate::event::Sink;
use crate::lexicon::Lexicon;
use crate::token::Found;

impl<'r, S: Sink> Reader<'r, S> {
    pub(super) fn skip_lexicon(&self, opener: u16) -> &'r Lexicon {
        let opener = &self.call_rules().openers[usize::from(opener)];
        opener.skip.as_ref().unwrap_or(&opener.lexicon)
    }

    pub(super) fn begin_skip(&mut self, opener: u16) {
        let here = self.place(self.at);
        self.calls().seen.id = (here, here);
        self.set_place(Place::Skip(opener));
    }

    pub(super) fn begin_id(&mut self, found: &Found) {
        let seen = &mut self.calls().seen;
        seen.id = (found.end, found.end);
        let Some(head) = seen.head.filter(|_| seen.name.0 < seen.name.1) else {
            return self.is_prose();
        };
        self.pass_over(found);
        self.set_place(Place::Id(head));
    }

    /// Reads a word up to what may end it. Longer than a name it cannot be.
    pub(super) fn in_word(&mut self) {
        let bytes = &self.window.as_bytes()[..self.end()];
        let stops = &self.lexicon().stops;
        let rest = bytes[self.at..].iter();
        self.at += rest
            .take_while(|b| is_name_byte(**b) && !stops.stop(**b))
            .count();
        self.end_word();
        match bytes.get(self.at) {
            Some(byte) if self.is_in_word() && stops.stop(*byte) => self.begin(false),
            Some(_) if self.is_in_word() => self.is_prose(),
            _ => {}
        }
    }

    fn is_in_word(&self) -> bool {
        matches!(self.state.mode, Mode::Call(Place::Id(_) | Place::Skip(_)))
    }

    /// The word goes up to here at least.
    fn end_word(&mut self) {
        let here = self.place(self.at);
        let seen = &mut self.calls().seen;
        seen.id.1 = here;
        if here - seen.id.0 > LONGEST_NAME {
            self.is_prose();
        }
    }

    /// What might have ended the word does not.
    pub(super) fn no_end_of_word(&mut self, start: usize) {
        match is_name_byte(self.byte(start)) {
            true => self.at = start + 1,
            false => self.is_prose(),
        }
    }

    pub(super) fn found_behind_id(&mut self, found: &Found) {
        let seen = &mut self.calls().seen;
        seen.id.1 = found.start;
        seen.end = found.end;
        self.is_call();
    }

    pub(super) fn found_behind_skip(&mut self, opener: u16, found: &Found) {
        self.calls().seen.id = (0, 0);
        self.pass_over(found);
        self.set_place(Place::Opened(opener));
    }
}
