//! JSON: where it ends, and, where it holds the call, what its keys say.
//!
//! Whether it is right JSON is for the check to say; here only strings and brackets count.

use super::super::reader::Reader;
use super::Place;
use super::finish::shown;
use super::state::Field;
use crate::check::CallErrorCode;
use crate::event::{Event, Kind, Sink, Span};
use crate::json::escapes::{escape, unescaped};
use crate::json::relaxed::RealJson;
use crate::lexicon::Role;
use crate::line::is_space;
use crate::policy::call::{EnvelopeKeys, Style};
use crate::token::Found;

/// A longer key is none that counts.
const LONGEST_KEY: usize = LONGEST_NAME;
const NO_OBJECT: &str = "the arguments are no JSON object; write them as {\"name\": value}";
/// A longer name or id is cut.
const LONGEST_NAME: usize = 256;

impl<S: Sink> Reader<'_, S> {
    /// Reads on in JSON until something happens that matters elsewhere.
    pub(super) fn json(&mut self, place: Place) {
        let bytes = self.window.as_bytes();
        let end = self.end();
        while self.at < end && self.state.mode.is(place) && self.state.candidate.is_none() {
            if self.calls_ref().call.json.string {
                self.json_string(end);
            } else {
                self.json_byte(bytes[self.at]);
            }
        }
    }

    fn json_byte(&mut self, byte: u8) {
        match byte {
            _ if self.may_be_tags() => self.before_arguments(byte),
            _ if self.refuses_before_json(byte) => self.junk_before_json(),
            b'{' | b'[' => self.open_bracket(byte),
            b'}' | b']' => self.close_bracket(),
            b'"' => self.open_string(),
            b',' => {
                self.comma_in_list();
                let json = &mut self.calls().call.json;
                json.at_key = json.depth == json.level;
                self.at += 1;
            }
            b' ' | b'\n' | b'\t' | b'\r' | b':' => self.at += 1,
            _ if self.awaits_arguments() => self.word_for_arguments(byte),
            _ if self.lexicon().stops.stop(byte) => self.begin(false),
            _ => self.at += 1,
        }
    }

    /// Whether this stands where the object of the arguments should begin.
    fn refuses_before_json(&self, byte: u8) -> bool {
        let json = &self.calls_ref().call.json;
        let bare = self.dialect().style == Style::Json || json.in_tags;
        let before = bare && json.depth == 0;
        before && byte != b'{' && !is_space(byte) && !self.lexicon().stops.stop(byte)
    }

    fn junk_before_json(&mut self) {
        self.plain(self.at);
        self.refuse(CallErrorCode::InvalidJson, None, NO_OBJECT);
        self.set_place(Place::Broken);
    }

    /// Whether the value that begins here should be the object of the arguments.
    fn awaits_arguments(&self) -> bool {
        let json = &self.calls_ref().call.json;
        let here = json.depth == json.level && json.level > 0 && !json.at_key;
        here && json.field == Field::Arguments && json.start.is_none()
    }

    /// A number or a name stands for the arguments. `null` says that there are none.
    fn word_for_arguments(&mut self, byte: u8) {
        let call = &mut self.calls().call;
        call.json.field = Field::Other;
        if byte != b'n' {
            call.problem(CallErrorCode::InvalidJson, None, NO_OBJECT);
        }
    }

    // Strings.

    fn open_string(&mut self) {
        let json = &self.calls_ref().call.json;
        let quoted = json.field == Field::Arguments && json.depth == json.level && !json.at_key;
        if quoted && json.start.is_none() && json.level > 0 {
            self.begin_arguments(true);
        }
        let json = &mut self.calls().call.json;
        json.string = true;
        if json.at_key {
            json.key.clear();
        }
        self.at += 1;
    }

    fn json_string(&mut self, end: usize) {
        let rest = &self.window.as_bytes()[self.at..end];
        let json = &mut self.calls().call.json;
        if std::mem::take(&mut json.escaped) {
            return self.take_string(1);
        }
        match memchr::memchr2(b'"', b'\\', rest) {
            Some(0) if rest[0] == b'"' => self.close_string(),
            Some(0) => {
                json.escaped = true;
                self.take_string(1);
            }
            plain => self.plain_string(&rest[..plain.unwrap_or(rest.len())]),
        }
    }

    /// Text of a string without quotes and escapes. A control character may not stand there; models
    /// write newlines all the same.
    fn plain_string(&mut self, text: &[u8]) {
        let told = self.calls_ref().call.json.is_in_arguments();
        match text.iter().position(|byte| *byte < b' ').filter(|_| told) {
            Some(0) if self.dialect().relaxed.is_none() => self.escape_control(text[0]),
            Some(plain) if plain > 0 => self.take_string(plain),
            _ => self.take_string(text.len()),
        }
    }

    /// Emits a control character as the escape that it should be, so that what was emitted is JSON.
    fn escape_control(&mut self, byte: u8) {
        self.plain(self.at);
        self.at += 1;
        if self.state.hold.is_none() {
            let mut text = String::new();
            escape(byte, &mut text);
            self.emit_instead(self.at, &text);
        }
    }

    /// Passes over text of a string, and keeps it if it is a key, a name or an id.
    fn take_string(&mut self, len: usize) {
        // An escaped character may have more than one byte.
        let end = self.window.ceil_char_boundary(self.at + len);
        let text = &self.window[self.at..end];
        self.at = end;
        let call = &mut self.calls().call;
        let json = &mut call.json;
        if json.depth != json.level || json.level == 0 {
            return;
        }
        let (kept, longest) = match json.field {
            _ if json.at_key => (&mut json.key, LONGEST_KEY),
            Field::Name => (&mut call.name, LONGEST_NAME),
            Field::Id if !call.started => (&mut call.id, LONGEST_NAME),
            _ => return,
        };
        let room = longest.saturating_sub(kept.len()).min(text.len());
        kept.push_str(&text[..text.floor_char_boundary(room)]);
    }

    fn close_string(&mut self) {
        self.at += 1;
        let keys = self.dialect().keys.as_ref();
        let json = &mut self.calls().call.json;
        json.string = false;
        if json.depth != json.level || json.level == 0 {
            return;
        }
        if std::mem::take(&mut json.at_key) {
            if keys.is_some_and(|keys| keys.by_key) {
                return self.name_is_key();
            }
            let key = unescaped(&json.key).unwrap_or_default();
            json.field = keys.map_or(Field::Other, |keys| keys.field(&key));
            return self.refuse_second_field();
        }
        match std::mem::take(&mut json.field) {
            Field::Name => self.name_in_json(),
            Field::Id => self.id_in_json(),
            Field::Arguments if json.quoted => self.end_arguments(),
            _ => {}
        }
    }

    /// What has been told of a call cannot be told otherwise by the same key again.
    fn refuse_second_field(&mut self) {
        let call = &mut self.calls().call;
        let (what, told) = match call.json.field {
            Field::Name => ("its name", !call.name.is_empty()),
            Field::Id if !call.started => return call.id.clear(),
            Field::Arguments => ("its arguments", call.json.start.is_some()),
            _ => ("", false),
        };
        if told {
            call.json.field = Field::Other;
            let message = format!("the call says {what} twice; say it once");
            call.problem(CallErrorCode::MalformedCall, None, message);
        }
    }

    fn id_in_json(&mut self) {
        let call = &mut self.calls().call;
        if !call.started {
            call.id = unescaped(&call.id).unwrap_or_default().into_owned();
        }
    }

    fn name_in_json(&mut self) {
        if self.state.hold.is_some() {
            return self.probed();
        }
        if self.calls_ref().call.started || self.calls_ref().call.name.is_empty() {
            return;
        }
        self.plain(self.at);
        let name = std::mem::take(&mut self.calls().call.name);
        let name = unescaped(&name).unwrap_or_default();
        self.accept_name(&name, self.at);
        self.say_earlier_arguments();
    }

    /// Arguments that came before the name have waited for it.
    fn say_earlier_arguments(&mut self) {
        let Some(calls) = &self.state.calls else {
            return;
        };
        let text = calls.call.json_text();
        if text.is_empty() || !calls.call.started || calls.call.json.quoted {
            return;
        }
        let here = self.place(self.mark);
        let span = Span {
            start: here,
            end: here,
        };
        let kind = Kind::CallDelta {
            index: calls.call.index,
            argument: None,
            text,
        };
        self.sink.event(Event { span, kind });
    }

    // Brackets.

    pub(super) fn open_bracket(&mut self, byte: u8) {
        let envelope = self.dialect().style == Style::Envelope;
        let probing = self.state.hold.is_some();
        let json = &mut self.calls().call.json;
        let depth = json.depth;
        if !envelope {
            if depth == 0 {
                self.begin_arguments(false);
            }
        } else if depth == 0 && byte == b'[' {
            json.list = true;
        } else if depth == u32::from(json.list) && byte == b'{' {
            if json.list && !probing {
                self.begin_in_list();
            }
            self.plain(self.at);
            let call = &mut self.calls().call;
            call.json.object.start = call.raw.len();
            call.json.level = depth + 1;
            call.json.at_key = true;
        } else if depth == json.level && json.field == Field::Inside {
            json.level += 1;
            json.at_key = true;
            json.field = Field::Other;
        } else if depth == json.level && json.field == Field::Arguments && json.start.is_none() {
            self.begin_arguments(false);
        }
        self.calls().call.json.depth += 1;
        self.at += 1;
    }

    fn close_bracket(&mut self) {
        self.at += 1;
        let envelope = self.dialect().style == Style::Envelope;
        let json = &mut self.calls().call.json;
        json.depth = json.depth.saturating_sub(1);
        let (depth, list) = (json.depth, u32::from(json.list));
        if json.start.is_some() && json.end.is_none() && depth == json.level {
            json.field = Field::Other;
            self.end_arguments();
        }
        let json = &mut self.calls().call.json;
        if depth < json.level && depth > list {
            json.level = depth;
        }
        match depth {
            0 if !envelope => self.end_json(),
            0 if list == 1 => self.end_list(),
            _ if depth == list && json.level == depth + 1 => self.end_object(),
            _ => {}
        }
    }

    fn begin_arguments(&mut self, quoted: bool) {
        self.plain(self.at);
        let call = &mut self.calls().call;
        call.json.start = Some(call.raw.len());
        call.json.quoted = quoted;
        call.text_start = call.json.start;
    }

    fn end_arguments(&mut self) {
        self.plain(self.at);
        let call = &mut self.calls().call;
        call.json.end = Some(call.raw.len());
        call.text_start = None;
    }

    // Ends.

    fn end_json(&mut self) {
        match self.dialect().call_closes {
            true => self.set_place(Place::JsonEnd),
            false => {
                self.finish_call(self.at);
                self.after_call();
            }
        }
    }

    fn end_object(&mut self) {
        if self.state.hold.is_some() {
            return self.is_call();
        }
        self.plain(self.at - 1);
        let call = &mut self.calls().call;
        call.json.object.end = call.raw.len() + 1;
        call.json.level = 0;
        let in_list = self.calls_ref().call.json.list;
        if self.dialect().wrapper_closes && !in_list {
            return self.set_place(Place::JsonEnd);
        }
        self.finish_call(self.at);
        if !in_list {
            self.set_place(Place::Wrapper);
        }
    }

    pub(super) fn behind_json(&mut self) {
        let Some(byte) = self.next_byte() else { return };
        match byte {
            _ if self.lexicon().stops.stop(byte) => self.begin(false),
            b'{' if self.dialect().several => self.next_object(),
            _ => self.junk_behind_json(self.at),
        }
    }

    /// The call ends where the next one begins.
    fn next_object(&mut self) {
        self.plain(self.at);
        self.finish_call(self.at);
        self.begin_envelope();
    }

    pub(super) fn junk_behind_json(&mut self, start: usize) {
        self.plain(start);
        let call = &mut self.calls().call;
        call.json.behind = Some(call.raw.len());
        self.set_place(Place::Broken);
    }

    /// What stands behind the JSON is known up to its end.
    pub(super) fn report_junk_behind_json(&mut self) {
        let call = &mut self.calls().call;
        let Some(start) = call.json.behind.take() else {
            return;
        };
        let junk = shown(call.raw.get(start..).unwrap_or(""));
        let message = format!("`{junk}` stands between the JSON and the closing tag; leave it out");
        call.problem(CallErrorCode::MalformedCall, None, message);
    }

    /// A closer, or another opener, stands where JSON has no string.
    pub(super) fn found_in_json(&mut self, place: Place, found: &Found) {
        if self.state.hold.is_some() {
            return self.is_call();
        }
        if found.role == Role::Quote {
            return self.quote_in_json(place, found);
        }
        let start = self.index(found.start);
        self.plain(start);
        self.report_junk_behind_json();
        if place == Place::Json && self.calls_ref().active {
            self.refuse_unfinished_json();
        }
        if place == Place::JsonEnd && !matches!(found.role, Role::ValueEnd(_)) {
            self.report_open_json();
        }
        match found.role {
            _ if !self.calls_ref().active => self.end_between_calls(found),
            Role::ValueEnd(_) => self.close_json(place, found),
            Role::CallEnd => self.finish_with(found),
            Role::WrapperEnd if !self.dialect().call_closes => {
                self.finish_with(found);
                self.leave_calls();
            }
            Role::Again => {
                if place == Place::JsonEnd {
                    self.refuse_open_call();
                }
                self.finish_call(start);
                self.leave_calls();
                self.at = start;
            }
            _ if place == Place::JsonEnd => self.close_call_without_closer(start),
            _ => {
                self.finish_call(start);
                self.after_call();
                self.at = start;
            }
        }
    }

    fn finish_with(&mut self, found: &Found) {
        self.pass_over(found);
        self.finish_call(self.at);
        self.after_call();
    }

    fn refuse_unfinished_json(&mut self) {
        let message = match self.calls_ref().call.json.depth {
            0 => "the call has no arguments; write a JSON object, `{}` if there are none",
            _ => "the JSON is not complete: a bracket or a quote is missing",
        };
        self.refuse(CallErrorCode::InvalidJson, None, message);
    }

    // Emitting.

    pub(super) fn plain_json(&mut self, to: usize) {
        let calls = self.calls_ref();
        let json = &calls.call.json;
        let in_arguments = json.start.is_some() && json.end.is_none() && !json.quoted;
        match (calls.active, in_arguments) {
            (false, _) => {
                let is_layout = |b| is_space(b) || matches!(b, b'[' | b',' | b']');
                self.drop_between_calls(to, is_layout);
            }
            (true, true) if self.dialect().relaxed.is_some() => {
                self.emit_real(to, RealJson::take);
            }
            (true, true) => self.emit_delta(to),
            (true, false) => self.skip_call(to),
        }
    }
}

impl EnvelopeKeys {
    fn field(&self, key: &str) -> Field {
        let has = |keys: &[Box<str>]| keys.iter().any(|other| **other == *key);
        if has(&self.name) {
            Field::Name
        } else if has(&self.arguments) {
            Field::Arguments
        } else if has(&self.id) {
            Field::Id
        } else if self.inside.as_deref() == Some(key) {
            Field::Inside
        } else {
            Field::Other
        }
    }
}
