//! Whether an opener is a call or prose.
//!
//! All of this is read while the opener is held; what is found out is kept in [`SeenHead`].

use super::super::Mode;
use super::super::hold::{Answer, Question};
use super::super::reader::Reader;
use super::Place;
use super::state::SeenHead;
use crate::attributes::Attributes;
use crate::event::{Kind, Sink};
use crate::json::escapes::unescaped;
use crate::lexicon::Role;
use crate::policy::call::{NameAt, Style};
use crate::profile::UnknownTool;
use crate::token::{Found, Shape};

/// So far into JSON its name is looked for before anything is said.
const PROBE: u64 = 1024;

impl<'r, S: Sink> Reader<'r, S> {
    /// An opener of calls has been found in text or in a section.
    pub(in super::super) fn open_calls(&mut self, opener: u16, found: &Found) {
        match self.known_at(found.start) {
            _ if self.begins_in_word(found.start) => self.pass_over(found),
            Some(Answer::Call) => self.enter_calls(),
            Some(Answer::Prose) => self.pass_over(found),
            Some(Answer::Cut) => self.report_cut_off(),
            Some(Answer::Empty) => self.pass_empty_wrapper(),
            _ => self.ask_whether_call(opener, found),
        }
    }

    /// Whether a word goes on here: no opener begins in one. What has been emitted already stands
    /// in a word, or it would have been held.
    pub(in super::super) fn begins_in_word(&self, start: u64) -> bool {
        let (bytes, at) = (self.window.as_bytes(), self.index(start));
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let before = || self.state.line.byte_before(bytes, at);
        start < self.place(self.mark) || is_word(bytes[at]) && is_word(before())
    }

    fn ask_whether_call(&mut self, opener: u16, found: &Found) {
        let rule = &self.call_rules().openers[usize::from(opener)];
        if found.shape == Shape::Close {
            return self.pass_over(found);
        }
        self.hold_for_call(found);
        self.calls().seen = SeenHead::at(found.start, found.end);
        self.pass_over(found);
        match rule.named {
            Some(head) => self.see_head(head, found),
            None if found.shape == Shape::SelfClosing => self.is_empty_wrapper(found),
            None if rule.skip.is_some() => self.begin_skip(opener),
            None => self.set_place(Place::Opened(opener)),
        }
    }

    /// Holds from the opener on, or from the white space before it if that waits too.
    fn hold_for_call(&mut self, found: &Found) {
        let start = self.index(found.start);
        match &mut self.state.hold {
            Some(hold) => hold.question = Question::IsCall,
            None => {
                self.plain(start);
                self.hold(start, self.index(found.end), Question::IsCall);
            }
        }
        let deadline = found.end.saturating_add(self.rules.limits.lookahead as u64);
        if let Some(hold) = &mut self.state.hold {
            hold.deadline = deadline;
        }
    }

    // Behind an opener.

    pub(super) fn behind_opener(&mut self, opener: u16) {
        let rule = &self.call_rules().openers[usize::from(opener)];
        let Some(byte) = self.next_byte() else { return };
        match (byte, rule.envelope, rule.text) {
            (b'{' | b'[', Some(dialect), _) => {
                self.calls().seen.wrapper = Some(dialect);
                self.see_json(dialect);
            }
            _ if rule.lexicon.stops.stop(byte) => self.begin(false),
            (_, _, Some(head)) => self.begin_name(head, self.calls_ref().seen.start),
            _ => self.is_prose(),
        }
    }

    pub(super) fn found_behind_opener(&mut self, found: &Found) {
        self.pass_over(found);
        match found.role {
            Role::Head(head) => {
                let dialect = self.call_rules().heads[usize::from(head)].dialect;
                self.calls().seen.wrapper = Some(dialect);
                self.see_head(head, found);
            }
            Role::WrapperEnd | Role::CallEnd => self.is_empty_wrapper(found),
            Role::Marker => {}
            _ => self.is_prose(),
        }
    }

    /// A head of a call has been found: its name stands in it or follows it.
    pub(super) fn see_head(&mut self, head: u16, found: &Found) {
        let rule = &self.call_rules().heads[usize::from(head)];
        let whole = found.shape == Shape::SelfClosing;
        let (start, end) = (found.start, found.end);
        if rule.name == NameAt::Text {
            return self.begin_name(head, start);
        }
        let Some(name) = self.name_in_tag(&rule.name, found) else {
            return self.is_prose();
        };
        let seen = SeenHead {
            head: Some(head),
            start,
            name,
            end,
            whole,
            ..self.calls_ref().seen
        };
        self.calls().seen = seen;
        if self.is_certain(seen) {
            self.is_call();
        } else if whole {
            self.is_prose();
        } else {
            self.calls().dialect = rule.dialect;
            self.set_place(Place::Named(head));
        }
    }

    fn is_in_wrapper(&self) -> bool {
        matches!(self.state.hold, Some(hold) if matches!(hold.mode, Mode::Call(_)))
    }

    /// Whether the call should stand in a wrapper and does not.
    fn lacks_wrapper(&self, seen: SeenHead) -> bool {
        let rules = self.call_rules();
        let head = seen.head.map(|head| &rules.heads[usize::from(head)]);
        let has_wrapper =
            head.is_some_and(|head| rules.dialects[usize::from(head.dialect)].has_wrapper);
        has_wrapper && seen.wrapper.is_none() && !self.is_in_wrapper()
    }

    fn is_in_thinking(&self) -> bool {
        let held = matches!(self.state.hold, Some(hold) if matches!(hold.mode, Mode::Section(_)));
        held || self.calls_ref().around.is_some()
    }

    /// Where the name stands in a tag.
    pub(super) fn name_in_tag(&self, name: &NameAt, found: &Found) -> Option<(u64, u64)> {
        let tag = &self.window[self.index(found.start)..self.index(found.end)];
        let text = name_in(name, found, tag)?;
        let start = found.start + (text.as_ptr() as usize - tag.as_ptr() as usize) as u64;
        Some((start, start + text.len() as u64))
    }

    /// The name that was seen: the declared spelling, where its tag is its name.
    pub(super) fn seen_name(&self, seen: SeenHead) -> &'r str {
        let rules = self.call_rules();
        let text = &self.window[self.index(seen.name.0)..self.index(seen.name.1)];
        match seen.head.map(|head| &rules.heads[usize::from(head)]) {
            Some(head) => match (&head.name, &rules.dialects[usize::from(head.dialect)].id) {
                (NameAt::Tag(tool), _) => rules.spelled(text, *tool),
                (_, Some((before, behind))) => name_in_id(text, before, behind),
                _ => text,
            },
            None => text,
        }
    }

    // Behind a head that has its name.

    pub(super) fn behind_named_head(&mut self) {
        let Some(byte) = self.next_byte() else { return };
        let rule = self.dialect();
        match byte {
            b'{' if rule.style == Style::Json || rule.json => {
                self.see_json(self.calls_ref().dialect);
            }
            _ if self.lexicon().stops.stop(byte) => self.begin(false),
            _ => self.is_prose(),
        }
    }

    pub(super) fn found_behind_named_head(&mut self, found: &Found) {
        match found.role {
            Role::Head(_) | Role::Again | Role::Marker => self.is_prose(),
            _ => self.is_call(),
        }
    }

    /// Goes on behind what opens the wrapper of a dialect.
    pub(super) fn look_behind_wrapper(&mut self, dialect: u16) {
        let mut openers = self.call_rules().openers.iter();
        if let Some(opener) = openers.position(|o| o.wraps.contains(&dialect)) {
            self.set_place(Place::Opened(opener as u16));
        }
    }

    /// Whether a head is a call whatever follows: it stands in its wrapper, and its name is
    /// declared.
    pub(super) fn is_certain(&self, seen: SeenHead) -> bool {
        let wrapped = seen.wrapper.is_some() || self.is_in_wrapper();
        let declared = self.call_rules().is_declared(self.seen_name(seen));
        wrapped && declared && !self.is_in_thinking()
    }

    // JSON.

    /// JSON may begin here.
    pub(super) fn see_json(&mut self, dialect: u16) {
        let here = self.place(self.at);
        let calls = self.calls();
        calls.dialect = dialect;
        if calls.seen.head.is_none() {
            calls.seen.start = calls.seen.opener;
            calls.seen.end = here;
        }
        self.at += 1;
        self.set_place(Place::Brace);
    }

    pub(super) fn behind_brace(&mut self) {
        let Some(byte) = self.next_byte() else { return };
        let before = self.window[..self.at].trim_end().bytes().next_back();
        match (before, byte) {
            (Some(b'['), b'{') => self.at += 1,
            (Some(b'['), b']') => self.is_json(),
            (Some(b'{'), b'"' | b'}') => self.is_json(),
            (Some(b'{'), _) if self.may_begin_key(byte) => self.is_json(),
            _ => self.is_prose(),
        }
    }

    /// Where an unknown tool is text, the name must be read before anything is said.
    fn is_json(&mut self) {
        let rules = self.call_rules();
        let waits = rules.unknown_tool == UnknownTool::Text && !rules.tools.is_empty();
        if !waits || self.calls_ref().seen.head.is_some() || self.is_in_call() {
            return self.is_call();
        }
        let here = self.calls_ref().seen.end;
        let at = self.index(here);
        let call = &mut self.calls().call;
        call.json = Default::default();
        call.name.clear();
        self.at = at;
        if let Some(hold) = &mut self.state.hold {
            hold.deadline = hold.deadline.min(here + PROBE);
        }
        self.set_place(Place::Probe);
    }

    /// The name has been read in JSON of which nothing has been said.
    pub(super) fn probed(&mut self) {
        let name = unescaped(&self.calls_ref().call.name).unwrap_or_default();
        let known = self.call_rules().is_declared(&name);
        match known {
            true => self.answer(Answer::Call),
            false => self.is_prose(),
        }
    }

    // Answers.

    /// It is a call, unless its tool is unknown and that makes it text.
    pub(super) fn is_call(&mut self) {
        let rules = self.call_rules();
        let seen = self.calls_ref().seen;
        let unknown = seen.head.is_some() && !rules.is_declared(self.seen_name(seen));
        let is_text = rules.unknown_tool == UnknownTool::Text && !rules.tools.is_empty();
        match unknown && (is_text || self.lacks_wrapper(seen)) {
            true => self.is_prose(),
            false => self.begin_known_call(),
        }
    }

    /// Goes back and begins the call. Its opener is not read again where only white space, which
    /// goes with a call, is held before it.
    fn begin_known_call(&mut self) {
        self.answer(Answer::Call);
        let seen = self.calls_ref().seen;
        match self.state.mode {
            Mode::Call(Place::Wrapper) => self.begin_seen_call(seen),
            Mode::Text if self.state.code.is_calm() && self.state.code.fence.is_none() => {
                self.skip(self.index(seen.opener));
                self.enter_calls();
            }
            _ => {}
        }
    }

    /// It is prose, unless it is a call of another dialect that has the same head.
    pub(in super::super) fn is_prose(&mut self) {
        match self.other_head() {
            Some(head) => self.try_head(head),
            None => self.answer(Answer::Prose),
        }
    }

    fn other_head(&self) -> Option<u16> {
        let seen = self.calls_ref().seen;
        let bare = seen.wrapper.is_none() && !self.is_in_wrapper();
        let head = &self.call_rules().heads[usize::from(seen.head?)];
        head.next.filter(|_| bare)
    }

    /// Reads on behind the opener, as this head would have it.
    fn try_head(&mut self, head: u16) {
        let rule = &self.call_rules().heads[usize::from(head)];
        let behind = self.index(self.calls_ref().seen.behind);
        self.state.looked += self.at.saturating_sub(behind) as u64;
        self.state.candidate = None;
        self.at = behind;
        let calls = self.calls();
        calls.seen.head = Some(head);
        calls.dialect = rule.dialect;
        match rule.name {
            NameAt::Text => self.begin_name(head, self.calls_ref().seen.start),
            _ if self.calls_ref().seen.whole => self.is_prose(),
            _ => self.set_place(Place::Named(head)),
        }
    }

    pub(super) fn is_empty_wrapper(&mut self, found: &Found) {
        self.calls().seen.end = found.end;
        self.answer(Answer::Empty);
    }

    /// The message has ended behind an opener. A word at its end is more likely a word.
    pub(super) fn cut_off_head(&mut self) {
        let opener = self.index(self.calls_ref().seen.opener);
        let text = self.window[opener..].trim_end();
        match text.bytes().all(|b| b.is_ascii_alphanumeric()) {
            true => self.is_prose(),
            false => self.answer(Answer::Cut),
        }
    }

    /// Goes back with an answer about the opener, which may stand behind white space that waits.
    fn answer(&mut self, answer: Answer) {
        self.go_back_with(answer, self.calls_ref().seen.opener);
    }

    // Acting on an answer.

    /// What stands here is a call, or a wrapper with a call in it.
    fn enter_calls(&mut self) {
        let seen = self.calls_ref().seen;
        self.say_space_before(seen);
        if let Mode::Section(section) = self.state.mode {
            self.calls().around = Some(section);
        }
        self.state.answered = true;
        let calls = self.calls();
        calls.wrapped = seen.wrapper.is_some();
        if let Some(dialect) = seen.wrapper {
            calls.dialect = dialect;
        }
        self.begin_seen_call(seen);
    }

    /// In thinking, white space before a call belongs to the thought.
    fn say_space_before(&mut self, seen: SeenHead) {
        if let Mode::Section(_) = self.state.mode {
            self.keep_space();
            self.plain(self.index(seen.opener));
        }
    }

    pub(super) fn pass_empty_wrapper(&mut self) {
        self.say_space_before(self.calls_ref().seen);
        let end = self.index(self.calls_ref().seen.end);
        self.skip(end);
        self.at = end;
    }

    pub(super) fn report_cut_off(&mut self) {
        let seen = self.calls_ref().seen;
        self.say_space_before(seen);
        let start = seen.opener;
        let index = self.calls_ref().count;
        self.calls().count += 1;
        let raw = &self.window[self.index(start)..];
        let name = self.seen_name(seen);
        let kind = Kind::CallError {
            index,
            name: (!name.is_empty()).then_some(name),
            code: crate::check::CallErrorCode::IncompleteCall,
            argument: None,
            message: super::finish::CUT_OFF,
            raw,
        };
        self.at = self.window.len();
        self.emit(self.at, kind);
    }
}

/// The name in a tag with this text, if it has one.
pub(super) fn name_in<'t>(name: &NameAt, found: &Found, tag: &'t str) -> Option<&'t str> {
    let text = match name {
        NameAt::Attribute(key) => Attributes::new(found.attributes(tag)).get(key)?,
        NameAt::Behind => trim_quotes(found.attributes(tag)),
        NameAt::Tag(_) | NameAt::Name => found.name(tag),
        NameAt::Text => "",
    };
    let text = text.trim();
    (!text.is_empty()).then_some(text)
}

/// A name as models write it behind `=`: it may have quotes.
pub(super) fn trim_quotes(text: &str) -> &str {
    let text = text.trim();
    let quoted = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    quoted('"').or_else(|| quoted('\'')).unwrap_or(text)
}

/// The name in an id such as `functions.read:0`; what is missing of the rest is forgiven.
fn name_in_id<'a>(id: &'a str, before: &str, behind: &str) -> &'a str {
    let name = id.strip_prefix(before).unwrap_or(id);
    match name.rsplit_once(behind) {
        Some((name, number)) if number.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => name,
    }
}
