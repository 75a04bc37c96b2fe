//! Names of arguments that stand before their values, in tags of their own.

use super::super::hold::Answer;
use super::super::reader::Reader;
use super::Place;
use crate::check::CallErrorCode;
use crate::dialect::Repair;
use crate::event::Sink;
use crate::lexicon::Role;
use crate::token::Found;

impl<S: Sink> Reader<'_, S> {
    pub(super) fn open_key(&mut self, found: &Found) {
        self.skip_call(self.index(found.end));
        self.pass_over(found);
        let call = &mut self.calls().call;
        call.key = call.raw.len();
        self.set_place(Place::Key);
    }

    pub(super) fn found_in_key(&mut self, place: Place, found: &Found) {
        let start = self.index(found.start);
        self.plain(start);
        self.calls().junk = false;
        match (place, found.role) {
            (Place::Key, Role::KeyEnd | Role::Value) => {
                let call = &mut self.calls().call;
                call.name_of_key();
                if found.role == Role::KeyEnd {
                    self.skip_call(self.index(found.end));
                    self.pass_over(found);
                } else {
                    self.at = start;
                    self.report_open_key();
                }
                self.set_place(Place::KeyEnd);
            }
            (Place::KeyEnd, Role::Value) => {
                self.skip_call(self.index(found.end));
                self.pass_over(found);
                self.begin_value_of_key();
            }
            (Place::KeyEnd, Role::ValueEnd(_)) => self.begin_value_without_opener(start),
            (_, Role::CallEnd | Role::WrapperEnd | Role::Head(_) | Role::Again | Role::Key) => {
                if place == Place::Key {
                    self.calls().call.name_of_key();
                }
                self.refuse_key_without_value();
                self.set_place(Place::Between);
                self.at = start;
            }
            _ => self.pass_over(found),
        }
    }

    pub(super) fn behind_key(&mut self) {
        let Some(byte) = self.next_byte() else { return };
        match self.lexicon().stops.stop(byte) {
            true => self.begin(false),
            false => self.begin_value_without_opener(self.at),
        }
    }

    fn begin_value_of_key(&mut self) {
        let key = std::mem::take(&mut self.calls().call.key_name);
        self.begin_value(&key, None);
        self.calls().call.key_name = key;
    }

    /// The value begins right behind its key.
    pub(super) fn begin_value_without_opener(&mut self, start: usize) {
        self.skip_call(start);
        self.at = start;
        let done = "the value had no opening tag and begins behind its key";
        if !self.mends(Repair::MissingValueOpener, done) {
            let key = self.calls_ref().call.key_name.clone();
            let message =
                format!("the value of `{key}` has no opening tag; write it behind the key");
            self.refuse(CallErrorCode::MalformedParameter, Some(&key), message);
        }
        self.begin_value_of_key();
    }

    /// The value's opener has come before the key's closer.
    fn report_open_key(&mut self) {
        let key = self.calls_ref().call.key_name.clone();
        // With a wrong tag at its end it is the name of no argument.
        let has_tag = key.contains('<');
        let done = format!("the key `{key}` had no closing tag");
        if !has_tag && self.mends(Repair::MissingKeyCloser, &done) {
            return;
        }
        let message = match has_tag {
            true => format!("the key `{key}` has a wrong tag in it; close it with its own"),
            false => format!("the key `{key}` has no closing tag; write it before the value"),
        };
        self.refuse(CallErrorCode::MalformedParameter, Some(&key), message);
    }

    fn refuse_key_without_value(&mut self) {
        let key = self.calls_ref().call.key_name.clone();
        let message = format!("the argument `{key}` has no value");
        self.refuse(CallErrorCode::MalformedParameter, Some(&key), message);
    }

    // Keys in a value that has no closer.

    /// The key of another declared argument ends the value, at its start or at that of a line.
    pub(super) fn key_in_value(&mut self, found: &Found) {
        match self.known_at(found.start) {
            Some(Answer::EndsValue) => {
                self.close_value_without_closer(self.index(found.start));
            }
            Some(Answer::EndsNothing) => self.pass_over(found),
            _ if self.value_role_shows(Role::Key, found.start) => {
                self.ask_what_follows(found, Place::FollowKey);
            }
            _ => self.pass_over(found),
        }
    }

    pub(super) fn found_behind_key_in_value(&mut self, found: &Found) {
        let name = self.key_before(self.index(found.start)).trim();
        match found.role == Role::KeyEnd && self.awaits(|other| other == name) {
            true => self.ends_value(),
            false => self.ends_nothing(),
        }
    }

    /// What is being read as a key in a value can be none that ends it.
    pub(in super::super) fn settle_sure_key(&mut self) -> bool {
        if !self.state.mode.is(Place::FollowKey) {
            return false;
        }
        let may_be = match self.state.candidate {
            Some(candidate) => {
                let key = self.key_before(self.index(candidate.start)).trim();
                candidate.may_be(self.lexicon(), |role, _| role == Role::KeyEnd)
                    && self.awaits(|other| other == key)
            }
            None => {
                let key = self.key_before(self.at).trim_start();
                self.awaits(|other| other.starts_with(key) || key.trim_end() == other)
            }
        };
        if !may_be {
            self.ends_nothing();
        }
        !may_be
    }

    /// The text of a key in a value, up to `end`.
    fn key_before(&self, end: usize) -> &str {
        let closer = self.calls_ref().closer.as_ref();
        let start = closer.map_or(end, |opener| self.index(opener.end));
        self.window.get(start..end).unwrap_or("")
    }

    /// Whether there is such an argument among those that have not come yet.
    fn awaits(&self, is_it: impl Fn(&str) -> bool) -> bool {
        let call = &self.calls_ref().call;
        let names = call.rule(self.call_rules()).map(|tool| &tool.names);
        let mut awaited = names
            .into_iter()
            .flatten()
            .filter(|(_, n)| !call.is_given(*n));
        awaited.any(|(name, _)| is_it(name))
    }
}
