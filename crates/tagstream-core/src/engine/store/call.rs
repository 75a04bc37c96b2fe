//! What has been collected of a call that is open.

use crate::check::{ArgumentText, CallErrorCode, Problem};
use crate::lexicon::Number;
use crate::policy::call::{ANY_NAME, CallRules, ToolRule};
use crate::profile::Limits;
use std::borrow::Cow;
use std::ops::Range;

/// At most this many problems are reported for one call.
pub(in crate::engine) const MAX_PROBLEMS: usize = 32;
/// What an argument counts besides its text, so that empty ones are limited too.
const ARGUMENT_BYTES: usize = 64;
/// A call may be this many times as long as a value.
const MAX_VALUES: usize = 4;

/// One call. There is at most one at a time, so its buffers serve all calls of the message.
#[derive(Debug, Default)]
pub(in crate::engine) struct OpenCall {
    pub(in crate::engine) index: u64,
    pub(in crate::engine) tool: Option<Number>,
    pub(in crate::engine) name: String,
    pub(in crate::engine) id: String,
    /// Its start has been emitted: its name is certain and accepted.
    pub(in crate::engine) is_started: bool,
    /// Its text, from its opening tag on.
    pub(in crate::engine) raw: String,
    /// Where the value or the JSON that is being read begins in `raw`.
    pub(in crate::engine) text_start: Option<usize>,
    /// It was longer than the limit.
    pub(in crate::engine) is_truncated: bool,
    pub(in crate::engine) problems: Vec<Problem>,
    pub(in crate::engine) values: Vec<Value>,
    /// The name of the argument that is being read.
    argument: String,
    /// The names of arguments that are not declared, one after the other.
    names: String,
    /// How often each declared argument has come.
    given: Vec<u8>,
}

/// The value of one argument.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Value {
    name: Name,
    /// Its text, as a range of `raw`.
    pub(in crate::engine) text: Range<usize>,
    is_string: Option<bool>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Name {
    Declared(Number),
    /// A range of `names`.
    Other(Range<usize>),
}

impl OpenCall {
    /// Begins the call with this number.
    pub(in crate::engine) fn begin(&mut self, index: u64) {
        self.index = index;
        self.tool = None;
        self.is_started = false;
        self.is_truncated = false;
        self.text_start = None;
        self.problems.clear();
        self.values.clear();
        self.given.clear();
        for text in [&mut self.name, &mut self.id, &mut self.raw, &mut self.names] {
            text.clear();
        }
    }

    pub(in crate::engine) fn rule<'r>(&self, rules: &'r CallRules) -> Option<&'r ToolRule> {
        self.tool.map(|tool| rules.tool_rule(tool))
    }

    pub(in crate::engine) fn add_problem(
        &mut self,
        code: CallErrorCode,
        argument: Option<&str>,
        message: impl Into<String>,
    ) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(Problem::new(code, argument, message));
        }
    }

    // Its text.

    /// How much of `text` may still be kept.
    pub(in crate::engine) fn room(&self, text: &str, limits: &Limits) -> usize {
        text.floor_char_boundary(self.room_for(limits))
    }

    /// How many bytes may still be kept: of the value that is being read, and of the call.
    pub(in crate::engine) fn room_for(&self, limits: &Limits) -> usize {
        let used = self.raw.len() + self.names.len() + self.values.len() * ARGUMENT_BYTES;
        let whole = limits.value.saturating_mul(MAX_VALUES);
        let of_call = whole.saturating_add(limits.tag).saturating_sub(used);
        let of_value = match self.text_start {
            Some(start) => limits.value.saturating_sub(self.raw.len() - start),
            None => usize::MAX,
        };
        // law: call-limit
        of_call.min(of_value)
    }

    /// Keeps text of the call, as much as the limits allow.
    pub(in crate::engine) fn collect(&mut self, text: &str, limits: &Limits) {
        if self.is_truncated {
            return;
        }
        let room = self.room(text, limits);
        self.raw.push_str(&text[..room]);
        if room == text.len() {
            return;
        }
        self.is_truncated = true;
        let message = format!(
            "the call is too long: a value may have {} bytes, and all values together {MAX_VALUES} \
             times that; write less at once, in several calls",
            limits.value
        );
        let argument = self.text_start.and_then(|_| self.argument());
        let argument = argument.map(str::to_owned);
        self.add_problem(CallErrorCode::Limit, argument.as_deref(), message);
    }

    /// Text of the value or of the JSON begins here.
    pub(in crate::engine) fn begin_text(&mut self) {
        let start = self.raw.len();
        self.text_start = Some(start);
        if let Some(value) = self.values.last_mut() {
            value.text = start..start;
        }
    }

    /// Text of the value ends here.
    pub(in crate::engine) fn end_text(&mut self) {
        self.text_start = None;
        if let Some(value) = self.values.last_mut() {
            value.text.end = self.raw.len();
        }
    }

    /// The last `len` bytes of the call, if all of them were kept.
    pub(in crate::engine) fn last_bytes(&self, len: u64) -> &str {
        let start = usize::try_from(len).ok();
        let start = start.and_then(|len| self.raw.len().checked_sub(len));
        start.and_then(|start| self.raw.get(start..)).unwrap_or("")
    }

    // Its arguments.

    /// Begins the value of the argument that came under this name.
    pub(in crate::engine) fn begin_value(
        &mut self,
        rules: &CallRules,
        name: &str,
        is_string: Option<bool>,
    ) {
        if self.is_truncated {
            // The call is refused; of its arguments only the last one matters.
            self.values.clear();
            self.names.clear();
        }
        let tool = self.rule(rules);
        let number = tool.and_then(|tool| tool.argument(name));
        let canonical = match (tool, number) {
            (Some(tool), Some(number)) => &tool.arguments[number as usize],
            _ => name,
        };
        self.argument.clear();
        self.argument.push_str(canonical);
        let name = match number {
            Some(number) => {
                self.count(number);
                Name::Declared(number)
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

    fn count(&mut self, argument: Number) {
        let argument = argument as usize;
        let len = self.given.len().max(argument + 1);
        self.given.resize(len, 0);
        self.given[argument] = self.given[argument].saturating_add(1);
    }

    /// Whether a closing tag with this number closes the argument that is being read.
    pub(in crate::engine) fn closes(&self, number: Number) -> bool {
        let last = self.values.last().map(|value| &value.name);
        number >= ANY_NAME || last == Some(&Name::Declared(number))
    }

    pub(in crate::engine) fn is_given(&self, number: Number) -> bool {
        let times = self.given.get(number as usize);
        times.is_some_and(|times| *times > 0)
    }

    /// Whether this is the name of the argument that is being read.
    pub(in crate::engine) fn is_current(&self, rules: &CallRules, name: &str) -> bool {
        let number = self.rule(rules).and_then(|tool| tool.argument(name));
        match (self.values.last().map(|value| &value.name), number) {
            (Some(Name::Declared(current)), Some(number)) => *current == number,
            (Some(Name::Other(range)), None) => self.names[range.clone()] == *name,
            _ => false,
        }
    }

    /// Whether the tool has such an argument among those that have not come yet.
    pub(in crate::engine) fn awaits(
        &self,
        rules: &CallRules,
        is_it: impl Fn(&str) -> bool,
    ) -> bool {
        let names = self.rule(rules).map(|tool| &tool.names);
        let mut names = names.into_iter().flatten();
        names.any(|(name, number)| !self.is_given(*number) && is_it(name))
    }

    /// The name of the argument that is being read.
    pub(in crate::engine) fn argument(&self) -> Option<&str> {
        (!self.values.is_empty()).then_some(&*self.argument)
    }

    fn name_of<'a>(&'a self, value: &Value, rules: &'a CallRules) -> &'a str {
        match &value.name {
            Name::Declared(number) => self
                .rule(rules)
                .map_or("", |tool| &tool.arguments[*number as usize]),
            Name::Other(range) => &self.names[range.clone()],
        }
    }

    /// The arguments as they were written, with entities decoded where the profile wants that.
    pub(in crate::engine) fn texts<'a>(
        &'a self,
        rules: &'a CallRules,
    ) -> Vec<(&'a str, Cow<'a, str>, Option<bool>)> {
        let text = |value: &Value| {
            let raw = &self.raw[value.text.clone()];
            if rules.decode_entities {
                crate::entities::decode(raw)
            } else {
                Cow::Borrowed(raw)
            }
        };
        let values = self.values.iter();
        values
            .map(|value| (self.name_of(value, rules), text(value), value.is_string))
            .collect()
    }
}

/// The borrowed form of what [`OpenCall::texts`] returns.
pub(in crate::engine) fn borrowed<'a>(
    texts: &'a [(&'a str, Cow<'a, str>, Option<bool>)],
) -> Vec<ArgumentText<'a>> {
    let text = |(name, text, is_string): &'a (&'a str, Cow<'a, str>, Option<bool>)| {
        ArgumentText::new(name, text, *is_string)
    };
    texts.iter().map(text).collect()
}
