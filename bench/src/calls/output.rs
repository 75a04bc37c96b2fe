//! What came out of a contender, and whether it is right.

use serde_json::{Value, json};

use super::format::{Format, raw};
use super::scenario::Call;

/// Takes what a parser emits.
pub trait Sink {
    /// A fragment of a call's arguments that may only be shown: they come whole at the end.
    fn shown(&mut self, text: &str);
    /// A complete call.
    fn whole(&mut self, name: &str, arguments: &str);
    /// A fragment of a call: its name, or the next fragment of the JSON text of its arguments.
    fn part(&mut self, index: usize, name: Option<&str>, arguments: &str);
    /// Text outside of calls.
    fn text(&mut self, text: &str);
    /// A call that is not valid.
    fn refused(&mut self);
    /// `count` more chunks have been read.
    fn chunks(&mut self, count: usize);
}

/// Adds up lengths and reads a byte of each event, so that no contender can skip the text.
#[derive(Clone, Copy, Default)]
pub struct Tally {
    /// How many chunks of the message have been read.
    pub chunks: usize,
    /// Bytes of arguments that were emitted before their call was complete.
    pub shown: usize,
    /// Fragments of arguments, whether to be shown or to be acted on.
    pub deltas: usize,
    refused: usize,
    sum: usize,
    seen: usize,
}

/// Keeps everything.
#[derive(Default)]
pub struct Kept {
    pub tally: Tally,
    pub output: Output,
}

/// What came out, independent of how it was split into events.
#[derive(Default, PartialEq, Eq)]
pub struct Output {
    pub text: String,
    calls: Vec<OutputCall>,
    refused: usize,
}

#[derive(Default, PartialEq, Eq)]
struct OutputCall {
    name: String,
    arguments: String,
}

/// Whether the result is right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Right,
    Wrong(String),
    /// It was stopped before the end of the message.
    Stopped,
}

impl Sink for Tally {
    #[inline]
    fn shown(&mut self, text: &str) {
        self.shown += text.len();
        self.deltas += 1;
        self.read(text);
    }

    #[inline]
    fn whole(&mut self, name: &str, arguments: &str) {
        self.part(0, Some(name), arguments);
    }

    #[inline]
    fn part(&mut self, _: usize, _: Option<&str>, arguments: &str) {
        self.deltas += usize::from(!arguments.is_empty());
        self.read(arguments);
    }

    #[inline]
    fn text(&mut self, text: &str) {
        self.read(text);
    }

    #[inline]
    fn refused(&mut self) {
        self.refused += 1;
    }

    #[inline]
    fn chunks(&mut self, count: usize) {
        self.chunks += count;
    }
}

impl Tally {
    #[inline]
    fn read(&mut self, text: &str) {
        self.sum += text.len();
        if let Some(&byte) = text.as_bytes().first() {
            self.seen = self.seen.wrapping_add(usize::from(byte));
        }
    }
}

impl Sink for Kept {
    fn shown(&mut self, text: &str) {
        self.tally.shown(text);
    }

    fn whole(&mut self, name: &str, arguments: &str) {
        self.part(self.output.calls.len(), Some(name), arguments);
    }

    fn part(&mut self, index: usize, name: Option<&str>, arguments: &str) {
        self.tally.part(index, name, arguments);
        let calls = &mut self.output.calls;
        while calls.len() <= index {
            calls.push(OutputCall::default());
        }
        let call = &mut calls[index];
        call.name.push_str(name.unwrap_or(""));
        call.arguments.push_str(arguments);
    }

    fn text(&mut self, text: &str) {
        self.tally.text(text);
        self.output.text.push_str(text);
    }

    fn refused(&mut self) {
        self.tally.refused();
        self.output.refused += 1;
    }

    fn chunks(&mut self, count: usize) {
        self.tally.chunks(count);
    }
}

impl Output {
    /// Compares with what was meant. Without schemas all values are strings.
    pub fn verdict(&self, format: &Format, calls: &[Call], typed: bool) -> Verdict {
        if self.calls.len() != calls.len() || self.refused > 0 {
            let (got, refused) = (self.calls.len(), self.refused);
            let wanted = calls.len();
            return Verdict::Wrong(format!("{got} calls of {wanted}, {refused} refused"));
        }
        let strings = !typed && !format.is_json;
        let pairs = self.calls.iter().zip(calls).enumerate();
        let mut wrong = pairs.filter_map(|(at, (got, meant))| got.mistake(at, meant, strings));
        wrong.next().map_or(Verdict::Right, Verdict::Wrong)
    }
}

impl OutputCall {
    fn mistake(&self, at: usize, meant: &Call, strings: bool) -> Option<String> {
        if self.name != meant.name {
            return Some(format!(
                "call {at} is `{}`, not `{}`",
                self.name, meant.name
            ));
        }
        let Ok(got) = serde_json::from_str::<Value>(&self.arguments) else {
            let size = self.arguments.len();
            return Some(format!("call {at}: {size} bytes of arguments are not JSON"));
        };
        let names = meant.arguments.iter();
        names
            .map(|(name, value)| {
                let string = || json!(raw(value));
                (name, if strings { string() } else { value.clone() })
            })
            .find(|(name, value)| got.get(name) != Some(value))
            .map(|(name, value)| {
                let size = |value: &Value| raw(value).len() as i64;
                let got = got.get(name).unwrap_or(&Value::Null);
                let (off, size) = (size(got) - size(&value), size(got));
                format!("call {at}: `{name}` has {size} bytes ({off:+})")
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls::{format, scenario};

    fn read(change: impl Fn(String) -> String) -> Verdict {
        let [row, ..] = scenario::all();
        let mut kept = Kept::default();
        for call in &row.calls {
            kept.whole(call.name, &change(call.object().to_string()));
        }
        kept.output.verdict(&format::ALL[0], &row.calls, true)
    }

    #[test]
    fn what_was_meant_is_right_and_a_byte_less_is_wrong() {
        assert_eq!(read(|arguments| arguments), Verdict::Right);
        let shorter = read(|arguments| arguments.replace("\"//", "\"/"));
        assert!(matches!(shorter, Verdict::Wrong(_)));
    }
}
