//! JSON that a dialect writes with other quotes or bare keys: what is told of it is real JSON.

use super::super::Mode;
use super::super::reader::Reader;
use super::Place;
use crate::event::{Event, Kind, Sink, Span};
use crate::json::relaxed::{RealJson, Relaxed};
use crate::lexicon::Lexicon;
use crate::token::Found;

impl<'r, S: Sink> Reader<'r, S> {
    fn relaxed(&self) -> &'r Relaxed {
        let rule = self.dialect().relaxed.as_ref();
        rule.expect("only such a dialect has these quotes")
    }

    pub(super) fn quoted_lexicon(&self) -> &'r Lexicon {
        &self.relaxed().in_string
    }

    // Before it.

    /// The name may end where JSON begins.
    pub(super) fn json_behind_name(&mut self, head: u16) {
        let here = self.place(self.at);
        let seen = &mut self.calls().seen;
        seen.end = here;
        match seen.name.0 < seen.name.1 {
            true => self.see_json(self.call_rules().heads[usize::from(head)].dialect),
            false => self.is_prose(),
        }
    }

    /// Something else than white space stands behind a name.
    pub(super) fn end_behind_name(&mut self, byte: u8) {
        let heads = &self.call_rules().heads;
        match self.state.mode {
            Mode::Call(Place::NameEnd(head)) if byte == b'{' && heads[usize::from(head)].bare => {
                self.json_behind_name(head);
            }
            _ if self.is_certain(self.calls_ref().seen) => {
                self.calls().seen.end = self.place(self.at);
                self.is_call();
            }
            _ => self.is_prose(),
        }
    }

    pub(super) fn may_begin_key(&self, byte: u8) -> bool {
        let rule = self.dialect().relaxed.as_ref();
        rule.is_some_and(|rule| rule.begins_key(byte))
    }

    // In it.

    /// One of the dialect's quotes stands outside of a string.
    pub(super) fn quote_in_json(&mut self, place: Place, found: &Found) {
        match place {
            Place::Json => self.take_quote(found, Place::Quoted),
            Place::JsonEnd => self.junk_behind_json(self.index(found.start)),
            _ => self.pass_over(found),
        }
    }

    /// A quote begins or ends a string.
    pub(super) fn take_quote(&mut self, found: &Found, place: Place) {
        self.plain(self.index(found.start));
        self.emit_real(self.index(found.end), |json, _, _| json.take_quote());
        self.pass_over(found);
        self.set_place(place);
    }

    /// Emits what the text up to `to` is in real JSON.
    pub(super) fn emit_real(
        &mut self,
        to: usize,
        take: impl FnOnce(&mut RealJson, &str, &Relaxed),
    ) {
        if to <= self.mark || self.state.hold.is_some() {
            return;
        }
        let call = &self.calls_ref().call;
        if !call.started || call.cut {
            return self.skip_call(to);
        }
        let room = call.room(&self.window[self.mark..to], &self.rules.limits);
        let end = self.mark + room;
        if room > 0 {
            self.say_real(end, take);
        }
        if end < to {
            self.skip_call(to);
        }
    }

    fn say_real(&mut self, to: usize, take: impl FnOnce(&mut RealJson, &str, &Relaxed)) {
        let (rule, text) = (self.relaxed(), &self.window[self.mark..to]);
        let json = &mut self.calls().call.json.real;
        let from = json.text.len();
        take(json, text, rule);
        let to = to - usize::from(json.give_back());
        if to == self.mark {
            return;
        }
        self.collect(to);
        let span = Span {
            start: self.place(self.mark),
            end: self.place(to),
        };
        let Some(calls) = &self.state.calls else {
            return;
        };
        let kind = Kind::CallDelta {
            index: calls.call.index,
            argument: None,
            text: &calls.call.json.real.text[from..],
        };
        self.mark = to;
        self.sink.event(Event { span, kind });
    }
}
