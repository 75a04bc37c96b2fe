//! Names that are text: behind an opener, up to what ends them.

use super::super::reader::Reader;
use super::Place;
use super::state::SeenHead;
use crate::event::Sink;
use crate::lexicon::Role;
use crate::line::is_space;
use crate::policy::call::Style;
use crate::token::Found;

/// A longer name is none.
pub(super) const LONGEST_NAME: u64 = 256;

impl<S: Sink> Reader<'_, S> {
    pub(super) fn begin_name(&mut self, head: u16, start: u64) {
        let here = self.place(self.at);
        let seen = &mut self.calls().seen;
        seen.head = Some(head);
        seen.start = start;
        seen.name = (here, here);
        seen.id = (here, here);
        self.set_place(Place::Name(head));
    }

    pub(super) fn in_name(&mut self, head: u16) {
        let rule = &self.call_rules().heads[usize::from(head)];
        let bytes = &self.window.as_bytes()[..self.end()];
        let is_plain = |b: &u8| is_name_byte(*b) && !rule.lexicon.stops.stop(*b);
        let name = bytes[self.at..].iter().take_while(|b| is_plain(b)).count();
        self.at += name;
        let (here, first) = (self.place(self.at), bytes.get(self.at - name));
        let seen = &mut self.calls().seen;
        let begins = seen.name.0 == seen.name.1 && name > 0;
        seen.name.1 = here;
        let is_name = !begins || first.is_some_and(|byte| begins_name(*byte));
        if !is_name || here - seen.name.0 > LONGEST_NAME {
            return self.is_prose();
        }
        match bytes.get(self.at) {
            None => {}
            Some(byte) if rule.lexicon.stops.stop(*byte) => self.begin(false),
            Some(byte) if is_space(*byte) => self.end_name(head),
            Some(b'{') if rule.bare => self.json_behind_name(head),
            Some(_) => self.is_prose(),
        }
    }

    /// White space stands before the name or behind it.
    fn end_name(&mut self, head: u16) {
        let here = self.place(self.at);
        let seen = &mut self.calls().seen;
        if seen.name.0 == here {
            seen.name = (here + 1, here + 1);
        } else {
            self.set_place(Place::NameEnd(head));
        }
        self.at += 1;
    }

    /// What might have ended the name does not: it is part of it, or there is none.
    pub(super) fn no_tag_in_name(&mut self, head: u16, start: usize) {
        let byte = self.byte(start);
        self.at = start;
        if is_space(byte) {
            self.end_name(head);
        } else if is_name_byte(byte) {
            self.at += 1;
        } else {
            self.is_prose();
        }
    }

    pub(super) fn behind_name(&mut self) {
        let bytes = &self.window.as_bytes()[..self.end()];
        let stops = &self.lexicon().stops;
        while self.at < bytes.len() && !stops.stop(bytes[self.at]) {
            if !is_space(bytes[self.at]) {
                return self.end_behind_name(bytes[self.at]);
            }
            self.at += 1;
        }
        if self.at < bytes.len() {
            self.begin(false);
        }
    }

    pub(super) fn found_behind_name(&mut self, found: &Found) {
        let seen = &mut self.calls().seen;
        seen.name.1 = seen.name.1.min(found.start).max(seen.name.0);
        if found.role == Role::Id {
            return self.begin_id(found);
        }
        let separator = found.role == Role::Separator;
        seen.end = if separator { found.end } else { found.start };
        let seen = *seen;
        if seen.name.0 < seen.name.1 {
            self.see_name(seen, found);
        } else if found.role == Role::CallEnd {
            self.pass_empty_call(seen, found);
        } else {
            self.is_prose();
        }
    }

    /// A call with nothing in it is nothing; in a wrapper another may follow.
    fn pass_empty_call(&mut self, seen: SeenHead, found: &Found) {
        let Some(dialect) = seen.wrapper else {
            return self.is_empty_wrapper(found);
        };
        self.calls().seen = SeenHead {
            wrapper: Some(dialect),
            ..SeenHead::at(seen.opener, found.end)
        };
        self.pass_over(found);
        self.look_behind_wrapper(dialect);
    }

    /// The name is whole. Where JSON has to follow, it must, unless the name is declared and stands
    /// in its wrapper.
    fn see_name(&mut self, seen: SeenHead, found: &Found) {
        let Some(head) = seen.head else {
            return self.is_prose();
        };
        let dialect = self.call_rules().heads[usize::from(head)].dialect;
        let style = self.call_rules().dialects[usize::from(dialect)].style;
        if style != Style::Json || self.is_certain(seen) {
            return self.is_call();
        }
        self.calls().dialect = dialect;
        self.at = self.index(found.end.min(seen.end));
        self.set_place(Place::Named(head));
    }
}

pub(super) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'_' | b'-' | b'.' | b':' | b'/')
        || !byte.is_ascii()
}

fn begins_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}
