//! A call while it is open: what has been collected of it.

mod json;

use super::super::section::Section;
use super::run::Run;
use crate::check::{ArgumentText, CallErrorCode, Problem};
use crate::event::Kind;
use crate::lexicon::{Lexicon, Role};
use crate::policy::call::{CallRules, DialectRule, NAMED, ToolRule};
use crate::profile::Limits;
use crate::token::{Candidate, Found};
use std::borrow::Cow;
use std::ops::Range;

pub(crate) use json::{Field, JsonReader};

/// So many things wrong with one call are told.
pub(crate) const MOST_PROBLEMS: usize = 32;
/// What an argument counts besides its text, so that empty ones are limited too.
const ARGUMENT: usize = 64;
/// A call may be so many times as long as a value.
const MOST_VALUES: usize = 4;

/// The calls of a message. There is one of these once the first opener has been seen.
#[derive(Debug, Default)]
pub(crate) struct CallState {
    /// What has been found out about an opener, while it is not certain that it is a call.
    pub(crate) seen: SeenHead,
    /// How many calls have begun.
    pub(crate) count: u64,
    /// The dialect that is being read.
    pub(crate) dialect: u16,
    /// The calls stand in a wrapper.
    pub(crate) wrapped: bool,
    /// Text that is no call has come since the last thing that counts.
    pub(crate) junk: bool,
    /// What may be the closer of the value that is being read, while that is not certain.
    pub(crate) closer: Option<Found>,
    /// The section around them.
    pub(crate) around: Option<Section>,
    /// A call is open.
    pub(crate) active: bool,
    pub(crate) call: OpenCall,
    /// How small chunks can be passed on, where the last reader stood.
    pub(crate) run: Option<Run>,
}

/// What follows an opener, as far as it has been read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SeenHead {
    /// Where the opener stands.
    pub(crate) opener: u64,
    /// The dialect of the wrapper that was opened.
    pub(crate) wrapper: Option<u16>,
    /// What opens the call, and where.
    pub(crate) head: Option<u16>,
    pub(crate) start: u64,
    /// Where its name stands.
    pub(crate) name: (u64, u64),
    /// Where its id stands, if it has one of its own.
    pub(crate) id: (u64, u64),
    /// Where the opener ends, and where the head ends: what follows belongs to the arguments.
    pub(crate) behind: u64,
    pub(crate) end: u64,
    /// The opening tag closed itself.
    pub(crate) whole: bool,
}

impl SeenHead {
    /// An opener from here to there.
    pub(crate) fn at(start: u64, end: u64) -> Self {
        SeenHead {
            opener: start,
            start,
            behind: end,
            end,
            ..Self::default()
        }
    }
}

/// One call.
#[derive(Debug, Default)]
pub(crate) struct OpenCall {
    pub(crate) index: u64,
    pub(crate) tool: Option<u16>,
    pub(crate) name: String,
    pub(crate) id: String,
    /// Its name is certain and accepted: it has been said to begin.
    pub(crate) started: bool,
    /// Its text from its opener on.
    pub(crate) raw: String,
    /// Where the value or the JSON that is being read begins in it.
    pub(crate) text_start: Option<usize>,
    /// It was longer than the limit.
    pub(crate) cut: bool,
    pub(crate) problems: Vec<Problem>,
    pub(crate) values: Vec<Value>,
    /// The name of the argument that is being read.
    argument: String,
    /// The names of arguments that are not declared.
    names: String,
    /// How often each declared argument has come.
    given: Vec<u8>,
    /// Where the key that is being read begins in the text.
    pub(crate) key: usize,
    pub(crate) key_name: String,
    /// The value that is being read.
    pub(crate) open: OpenValue,
    pub(crate) json: JsonReader,
}

/// The value of one argument.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    name: Name,
    /// Where it stands in the text of the call.
    pub(crate) text: Range<usize>,
    is_string: Option<bool>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    Declared(u16),
    /// Where it stands among the names that are not declared.
    Other(Range<usize>),
}

/// What must be known of a value to find its end.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OpenValue {
    /// Where it begins in the message.
    pub(crate) start: u64,
    /// Nothing of it has been emitted.
    pub(crate) fresh: bool,
    /// A newline at its end may be layout.
    pub(crate) lines: bool,
    /// How many closers of its own it needs besides its last.
    pub(crate) depth: u32,
    /// Heads of calls in it that have no closer yet: those that arguments follow, and others.
    pub(crate) calls: u32,
    pub(crate) heads: u32,
    /// Only white space has come since the last head.
    pub(crate) behind_head: bool,
    /// The end of the first closer of its own in it that does not end it.
    pub(crate) closer_inside: Option<u64>,
}

impl CallState {
    pub(crate) fn rule<'r>(&self, rules: &'r CallRules) -> &'r DialectRule {
        &rules.dialects[usize::from(self.dialect)]
    }

    /// Takes text of the argument being read.
    #[inline]
    pub(crate) fn pass<'a>(&'a mut self, text: &'a str) -> Kind<'a> {
        self.call.raw.push_str(text);
        match self.call.started {
            true => Kind::CallDelta {
                index: self.call.index,
                argument: self.call.argument(),
                text,
            },
            false => Kind::Skip(text),
        }
    }

    /// What counts in the value that is being read.
    pub(crate) fn value_lexicon<'r>(&self, rules: &'r CallRules) -> &'r Lexicon {
        self.rule(rules).value(self.call.tool)
    }

    /// Whether what begins at `start` ends the value, or may. All else in it is text, whatever
    /// it balances.
    pub(crate) fn shows_in_value(&self, role: Role, start: u64, begins_line: bool) -> bool {
        let value = &self.call.open;
        let bare = value.calls == 0 && value.depth == 0;
        let begins = self.call.tool.is_some() && (begins_line || start == value.start);
        match role {
            Role::ValueEnd(number) => bare && self.call.closes(number),
            Role::CallEnd => value.calls == 0 && value.heads == 0,
            Role::Argument(NAMED) => false,
            Role::Argument(number) => bare && begins && !self.call.is_given(number),
            Role::Key => bare && begins,
            _ => false,
        }
    }

    /// Whether the value may end where the candidate begins, behind text that has not been passed
    /// on yet.
    pub(crate) fn may_end_value(
        &self,
        candidate: &Candidate,
        lexicon: &Lexicon,
        before: &str,
    ) -> bool {
        let passed = self.call.raw.as_bytes();
        let begins_line = before.as_bytes().last().or(passed.last()) == Some(&b'\n');
        let shows = |role, _| self.shows_in_value(role, candidate.start, begins_line);
        candidate.may_be(lexicon, shows)
    }

    /// Begins the next call.
    pub(crate) fn begin(&mut self) {
        let call = &mut self.call;
        call.index = self.count;
        self.count += 1;
        self.junk = false;
        self.active = true;
        call.tool = None;
        call.started = false;
        call.cut = false;
        call.text_start = None;
        call.open = OpenValue::default();
        call.json = JsonReader::default();
        call.problems.clear();
        call.values.clear();
        call.given.clear();
        for text in [&mut call.name, &mut call.id, &mut call.raw, &mut call.names] {
            text.clear();
        }
    }
}

impl OpenValue {
    /// How much of the text is certain to belong to the value, if it may end behind it.
    #[inline]
    pub(crate) fn certain(&self, text: &str) -> usize {
        match text.as_bytes().last() {
            Some(b'\n' | b'\r') if self.lines => text.len() - newline_at_end(text),
            _ => text.len(),
        }
    }
}

/// How many bytes of the text are one newline at its end, or may become one.
fn newline_at_end(text: &str) -> usize {
    if text.ends_with("\r\n") { 2 } else { 1 }
}

impl OpenCall {
    pub(crate) fn rule<'r>(&self, rules: &'r CallRules) -> Option<&'r ToolRule> {
        self.tool.map(|tool| &rules.tools[usize::from(tool)])
    }

    pub(crate) fn problem(
        &mut self,
        code: CallErrorCode,
        argument: Option<&str>,
        message: impl Into<String>,
    ) {
        if self.problems.len() == MOST_PROBLEMS {
            return;
        }
        self.problems.push(Problem {
            code,
            argument: argument.map(Into::into),
            message: message.into(),
        });
    }

    /// How much of `text` may still be kept.
    pub(crate) fn room(&self, text: &str, limits: &Limits) -> usize {
        text.floor_char_boundary(self.room_for(limits))
    }

    /// How many bytes may still be kept: of the value that is being read, and of the call.
    pub(crate) fn room_for(&self, limits: &Limits) -> usize {
        let used = self.raw.len() + self.names.len() + self.values.len() * ARGUMENT;
        let whole = limits.value.saturating_mul(MOST_VALUES);
        let of_call = whole.saturating_add(limits.tag).saturating_sub(used);
        let of_value = match self.text_start {
            Some(start) => limits.value.saturating_sub(self.raw.len() - start),
            None => usize::MAX,
        };
        of_call.min(of_value)
    }

    /// Keeps text of the call, as much as the limit allows.
    pub(crate) fn collect(&mut self, text: &str, limits: &Limits) {
        if self.cut {
            return;
        }
        let room = self.room(text, limits);
        self.raw.push_str(&text[..room]);
        if room == text.len() {
            return;
        }
        self.cut = true;
        let message = format!(
            "the call is too long: a value may have {} bytes, and all together {MOST_VALUES} times \
             that; write less at once, in several calls",
            limits.value
        );
        let argument = self
            .text_start
            .and_then(|_| self.argument())
            .map(str::to_owned);
        self.problem(CallErrorCode::Limit, argument.as_deref(), message);
    }

    /// Begins the value of the argument that came under this name.
    pub(crate) fn begin_value(&mut self, rules: &CallRules, name: &str, is_string: Option<bool>) {
        if self.cut {
            // The call is refused; of its arguments only the last one matters.
            self.values.clear();
            self.names.clear();
        }
        let tool = self.rule(rules);
        let number = tool.and_then(|tool| tool.argument(name));
        let canonical = match (tool, number) {
            (Some(tool), Some(number)) => &tool.arguments[usize::from(number)],
            _ => name,
        };
        self.argument.clear();
        self.argument.push_str(canonical);
        let name = match number {
            Some(number) => {
                let number = usize::from(number);
                self.given.resize(self.given.len().max(number + 1), 0);
                self.given[number] = self.given[number].saturating_add(1);
                Name::Declared(number as u16)
            }
            None => {
                let start = self.names.len();
                self.names.push_str(name);
                Name::Other(start..self.names.len())
            }
        };
        self.values.push(Value {
            name,
            text: 0..0,
            is_string,
        });
    }

    /// The key that has been read is the name of the next value.
    pub(crate) fn name_of_key(&mut self) {
        self.key_name.clear();
        self.key_name
            .push_str(self.raw[self.key.min(self.raw.len())..].trim());
    }

    /// Whether a closer with this number closes the argument that is being read.
    pub(crate) fn closes(&self, number: u16) -> bool {
        let last = self.values.last().map(|value| &value.name);
        number >= NAMED || last == Some(&Name::Declared(number))
    }

    pub(crate) fn is_given(&self, number: u16) -> bool {
        self.given.get(usize::from(number)).is_some_and(|n| *n > 0)
    }

    /// Whether this is the name of the argument that is being read.
    pub(crate) fn is_current(&self, rules: &CallRules, name: &str) -> bool {
        let number = self.rule(rules).and_then(|tool| tool.argument(name));
        match (self.values.last().map(|value| &value.name), number) {
            (Some(Name::Declared(current)), Some(number)) => *current == number,
            (Some(Name::Other(range)), None) => self.names[range.clone()] == *name,
            _ => false,
        }
    }

    /// The name of the argument that is being read.
    pub(crate) fn argument(&self) -> Option<&str> {
        (!self.values.is_empty()).then_some(&*self.argument)
    }

    fn name_of<'a>(&'a self, value: &Value, rules: &'a CallRules) -> &'a str {
        match &value.name {
            Name::Declared(number) => self
                .rule(rules)
                .map_or("", |tool| &tool.arguments[usize::from(*number)]),
            Name::Other(range) => &self.names[range.clone()],
        }
    }

    /// The arguments as they were written, entities decoded if they are to be.
    pub(crate) fn texts<'a>(
        &'a self,
        rules: &'a CallRules,
    ) -> Vec<(&'a str, Cow<'a, str>, Option<bool>)> {
        let text = |value: &Value| {
            let raw = &self.raw[value.text.clone()];
            match rules.decode_entities {
                true => crate::entities::decode(raw),
                false => Cow::Borrowed(raw),
            }
        };
        let values = self.values.iter();
        values
            .map(|value| (self.name_of(value, rules), text(value), value.is_string))
            .collect()
    }

    /// The arguments that came more than once.
    pub(crate) fn repeated<'a>(&'a self, rules: &'a CallRules) -> Vec<&'a str> {
        let declared = self.rule(rules).map_or(&[][..], |tool| &tool.arguments);
        let twice = declared.iter().zip(&self.given).filter(|(_, n)| **n > 1);
        let other = |value: &Value| match &value.name {
            Name::Other(range) => Some(&self.names[range.clone()]),
            Name::Declared(_) => None,
        };
        let mut others: Vec<&str> = self.values.iter().filter_map(other).collect();
        others.sort_unstable();
        let same = others.chunk_by(|a, b| a == b).filter(|same| same.len() > 1);
        let declared = twice.map(|(name, _)| &**name);
        declared.chain(same.map(|same| same[0])).collect()
    }

    /// Where the object that holds the call is no JSON, if there is one; its arguments are judged
    /// by themselves.
    pub(crate) fn broken_object(&self) -> Option<&str> {
        let (json, object) = (&self.json, self.json.object.clone());
        let text = self.raw.get(object.clone()).unwrap_or("");
        let arguments = match (json.start, json.end) {
            (Some(start), Some(end)) if !json.quoted => start - object.start..end - object.start,
            _ => 0..0,
        };
        let fault = crate::json::fault::fault(text, arguments)?;
        Some(&text[fault.min(text.len())..])
    }

    /// The arguments that were written as JSON.
    pub(crate) fn json_text(&self) -> &str {
        match (self.json.start, self.json.end) {
            (Some(_), Some(_)) if !self.json.real.text.is_empty() => &self.json.real.text,
            (Some(start), Some(end)) => self.raw.get(start..end).unwrap_or(""),
            _ => "",
        }
    }
}

/// The borrowed form of what [`OpenCall::texts`] gives.
pub(crate) fn borrowed<'a>(
    texts: &'a [(&'a str, Cow<'a, str>, Option<bool>)],
) -> Vec<ArgumentText<'a>> {
    let text = |(name, text, is_string): &'a (&'a str, Cow<'a, str>, Option<bool>)| ArgumentText {
        name,
        text,
        is_string: *is_string,
    };
    texts.iter().map(text).collect()
}
