//! Calls: from an opener that may be one to the call's end.

mod arguments;
mod finish;
mod head;
mod id;
mod instead;
mod json;
mod key;
mod keyed;
mod list;
mod name;
mod nested;
mod quoted;
mod run;
pub(super) mod state;
mod value;
mod wrapper;

use super::Mode;
use super::reader::Reader;
use super::text::Stretch;
use crate::check::CallErrorCode;
use crate::dialect::Repair;
use crate::event::{Event, Kind, NoticeCode, Sink, Span};
use crate::lexicon::{Lexicon, Role};
use crate::line::is_space;
use crate::policy::call::{CallRules, DialectRule};
use crate::token::Found;
use state::CallState;

/// Where in a call the reader stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    // While it is not certain that there is a call.
    /// Behind an opener.
    Opened(u16),
    /// Behind a head that has its name: a tag of the dialect must follow.
    Named(u16),
    /// In the text of a name, or behind it.
    Name(u16),
    NameEnd(u16),
    /// In an id behind the name.
    Id(u16),
    /// In text that means nothing, behind an opener.
    Skip(u16),
    /// Behind the first bracket of JSON.
    Brace,
    /// In JSON that has yet to tell whether its tool is known.
    Probe,

    // In calls.
    /// In the wrapper, between calls.
    Wrapper,
    /// In a call, between arguments.
    Between,
    /// In the name of an argument, and behind it.
    Key,
    KeyEnd,
    Value,
    /// Before, in and behind JSON.
    Json,
    JsonEnd,
    /// In a string of JSON that has other quotes.
    Quoted,
    /// The call is broken: all is passed over to its end.
    Broken,

    // While it is not certain that a closer ends the value.
    /// Behind the value's closer.
    Follow,
    /// Behind the call's closer.
    FollowCall,
    /// In what may be the key of the next argument.
    FollowKey,
}

impl Place {
    /// Whether a tag must follow here, or nothing.
    pub(super) fn awaits_tag(self) -> bool {
        !matches!(
            self,
            Place::Value
                | Place::Follow
                | Place::FollowCall
                | Place::FollowKey
                | Place::Json
                | Place::Probe
        )
    }
}

impl<'r, S: Sink> Reader<'r, S> {
    /// The rules of calls. Only asked where something of a call has been found.
    pub(super) fn call_rules(&self) -> &'r CallRules {
        self.rules.calls.as_ref().expect("only calls ask for this")
    }

    pub(super) fn calls(&mut self) -> &mut CallState {
        self.state.calls.get_or_insert_default()
    }

    fn calls_ref(&self) -> &CallState {
        self.state.calls.as_ref().expect("a call has been begun")
    }

    pub(super) fn dialect(&self) -> &'r DialectRule {
        self.calls_ref().rule(self.call_rules())
    }

    pub(super) fn set_place(&mut self, place: Place) {
        self.state.mode = Mode::Call(place);
    }

    pub(super) fn call_lexicon(&self, place: Place) -> &'r Lexicon {
        let rules = self.call_rules();
        match place {
            Place::Opened(opener) => &rules.openers[usize::from(opener)].lexicon,
            Place::Named(head) => {
                let head = &rules.heads[usize::from(head)];
                let seen = self.calls_ref().seen;
                let tool = rules.tool(self.seen_name(seen));
                rules.dialects[usize::from(head.dialect)].between(tool)
            }
            Place::Name(head) | Place::NameEnd(head) => &rules.heads[usize::from(head)].lexicon,
            Place::Id(head) => &rules.heads[usize::from(head)].behind_id,
            Place::Skip(opener) => self.skip_lexicon(opener),
            Place::Brace | Place::Probe | Place::Json | Place::JsonEnd | Place::Broken => {
                &self.dialect().closers
            }
            Place::Quoted => self.quoted_lexicon(),
            Place::Wrapper => &self.dialect().wrapper,
            Place::Value => self.calls_ref().value_lexicon(rules),
            Place::Between
            | Place::Key
            | Place::KeyEnd
            | Place::Follow
            | Place::FollowCall
            | Place::FollowKey => self.dialect().between(self.calls_ref().call.tool),
        }
    }

    pub(super) fn call(&mut self, place: Place) {
        match place {
            Place::Opened(opener) => self.behind_opener(opener),
            Place::Named(_) => self.behind_named_head(),
            Place::Name(head) => self.in_name(head),
            Place::NameEnd(_) => self.behind_name(),
            Place::Id(_) | Place::Skip(_) => self.in_word(),
            Place::Brace => self.behind_brace(),
            Place::Probe | Place::Json => self.json(place),
            Place::Follow | Place::FollowCall => self.behind_closer(),
            Place::JsonEnd => self.behind_json(),
            Place::Wrapper => self.in_wrapper(),
            Place::KeyEnd => self.behind_key(),
            Place::Between
            | Place::Key
            | Place::Value
            | Place::FollowKey
            | Place::Broken
            | Place::Quoted => self.find_in_call(),
        }
    }

    /// Passes over white space; the next byte, if there is one.
    fn next_byte(&mut self) -> Option<u8> {
        let bytes = &self.window.as_bytes()[self.at..self.end()];
        let space = bytes.iter().take_while(|b| is_space(**b)).count();
        self.at += space;
        bytes.get(space).copied()
    }

    /// Goes on to the next thing that may count.
    fn find_in_call(&mut self) {
        let bytes = &self.window.as_bytes()[..self.end()];
        let next = self.lexicon().find(&bytes[self.at..]);
        self.at += next.unwrap_or(bytes.len() - self.at);
        if self.at < bytes.len() {
            self.begin(false);
        }
    }

    pub(super) fn call_found(&mut self, place: Place, found: Found) {
        match place {
            Place::Opened(_) => self.found_behind_opener(&found),
            Place::Named(_) => self.found_behind_named_head(&found),
            Place::Name(_) | Place::NameEnd(_) => self.found_behind_name(&found),
            Place::Id(_) => self.found_behind_id(&found),
            Place::Skip(opener) => self.found_behind_skip(opener, &found),
            Place::Follow | Place::FollowCall => self.found_behind_closer(place, &found),
            Place::FollowKey => self.found_behind_key_in_value(&found),
            Place::Probe | Place::Json | Place::JsonEnd | Place::Broken => {
                self.found_in_json(place, &found);
            }
            Place::Wrapper => self.found_in_wrapper(&found),
            Place::Between => self.found_between(&found),
            Place::Key | Place::KeyEnd => self.found_in_key(place, &found),
            Place::Value => self.found_in_value(&found),
            Place::Quoted => self.take_quote(&found, Place::Json),
            Place::Brace => self.pass_over(&found),
        }
    }

    /// A candidate has turned out to be text.
    pub(super) fn call_text(&mut self, place: Place, start: usize) {
        match place {
            Place::Name(head) => self.no_tag_in_name(head, start),
            Place::Opened(_) | Place::Named(_) | Place::Brace => self.is_prose(),
            Place::NameEnd(_) => {
                self.at = start;
                self.end_behind_name(self.byte(start));
            }
            Place::Id(_) | Place::Skip(_) => self.no_end_of_word(start),
            Place::Follow | Place::FollowCall | Place::FollowKey => self.ends_nothing(),
            Place::JsonEnd => self.junk_behind_json(start),
            Place::Wrapper => self.text_in_wrapper(),
            Place::KeyEnd => self.begin_value_without_opener(start),
            Place::Value => self.calls().call.open.behind_head = false,
            _ => {}
        }
    }

    /// Whether what begins at `start` in a value may end it.
    pub(super) fn value_role_shows(&self, role: Role, start: u64) -> bool {
        let (at, calls) = (self.index(start), self.calls_ref());
        let Some(before) = self.window.get(self.mark..at) else {
            // Something of it has been emitted.
            return false;
        };
        // Behind a head an argument belongs to the call that begins there.
        let behind_head = calls.call.open.behind_head && before.bytes().all(is_space);
        let begins_line = self.begins_line(at) && !behind_head;
        start >= self.place(self.mark) && calls.shows_in_value(role, start, begins_line)
    }

    pub(super) fn conclude_call(&mut self, place: Place) -> bool {
        match place {
            Place::Opened(_)
            | Place::Named(_)
            | Place::Name(_)
            | Place::NameEnd(_)
            | Place::Id(_)
            | Place::Skip(_)
            | Place::Brace
            | Place::Probe => self.cut_off_head(),
            Place::Follow => self.ends_value(),
            // Nothing says that this is the end of the call or of the value, and no text.
            Place::FollowCall | Place::FollowKey => self.ends_nothing(),
            Place::Wrapper => self.leave_wrapper_at_end(),
            Place::JsonEnd if !self.dialect().call_closes => {
                self.finish_call(self.window.len());
                self.leave_calls();
            }
            _ => self.cut_off_call(),
        }
        true
    }

    /// Goes back to what stands around the calls.
    fn leave_calls(&mut self) {
        self.state.mode = match self.calls().around.take() {
            Some(section) => Mode::Section(section),
            None => Mode::Text,
        };
        let bare = !self.calls_ref().wrapped && self.dialect().has_wrapper;
        self.state.stretch = match bare {
            true => Stretch::BehindBareCall,
            false => Stretch::BehindCall,
        };
    }

    // Emitting.

    /// Keeps the text of the call up to `to`, and says what it is.
    fn emit_call<'k>(&mut self, to: usize, kind: impl FnOnce(&'k str) -> Kind<'k>)
    where
        'r: 'k,
    {
        if self.state.hold.is_some() {
            return;
        }
        self.collect(to);
        let text = &self.window[self.mark..to];
        self.emit(to, kind(text));
    }

    fn collect(&mut self, to: usize) {
        let text = &self.window[self.mark..to];
        let limits = &self.rules.limits;
        self.calls().call.collect(text, limits);
    }

    /// Passes over the text of a call up to `to`.
    fn skip_call(&mut self, to: usize) {
        if to > self.mark {
            self.emit_call(to, Kind::Skip);
        }
    }

    /// Emits text of an argument up to `to`.
    fn emit_delta(&mut self, to: usize) {
        if to <= self.mark || self.state.hold.is_some() {
            return;
        }
        let call = &self.calls_ref().call;
        if call.started && !call.cut {
            let room = call.room(&self.window[self.mark..to], &self.rules.limits);
            let end = self.mark + room;
            self.collect(end);
            if room > 0 {
                self.say_delta(end, None);
            }
        }
        self.skip_call(to);
    }

    /// Emits the bytes up to `to` as text of an argument, or as what they stand for.
    fn say_delta(&mut self, to: usize, text: Option<&str>) {
        let span = Span {
            start: self.place(self.mark),
            end: self.place(to),
        };
        let text = text.unwrap_or(&self.window[self.mark..to]);
        self.mark = to;
        let Some(calls) = &self.state.calls else {
            return;
        };
        let kind = Kind::CallDelta {
            index: calls.call.index,
            argument: calls.call.argument(),
            text,
        };
        self.sink.event(Event { span, kind });
    }

    pub(super) fn plain_call(&mut self, place: Place, to: usize) {
        match place {
            Place::Value => self.plain_value(to),
            Place::Json => self.plain_json(to),
            Place::Quoted => self.emit_real(to, |json, text, _| json.take_string(text)),
            Place::Wrapper => self.plain_wrapper(to),
            _ => self.plain_between(to),
        }
    }

    /// Passes over what stands between arguments. White space is layout, all else is not.
    fn plain_between(&mut self, to: usize) {
        let text = self.window[self.mark..to].bytes();
        let junk = !text.into_iter().all(is_space);
        self.calls().junk |= junk;
        self.skip_call(to);
    }

    fn dropped(&mut self, message: &str) {
        self.notice(NoticeCode::Dropped, message);
    }

    fn repaired(&mut self, message: &str) {
        self.notice(NoticeCode::Repaired, message);
    }

    /// Whether something is put right because the dialect lists that repair, and says so.
    fn mends(&mut self, repair: Repair, message: &str) -> bool {
        let mends = self.dialect().repairs(repair);
        if mends {
            self.repaired(message);
        }
        mends
    }

    /// Something is wrong with the call: it will be an error.
    fn refuse(&mut self, code: CallErrorCode, argument: Option<&str>, message: impl Into<String>) {
        self.calls().call.problem(code, argument, message);
    }
}
