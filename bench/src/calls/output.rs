//! What came out of a contender, and whether it is right.

use serde_json::{Value, json};

use super::format::{Format, raw};
use super::scenario::Call;

/// Takes what comes out. It adds up lengths and reads a byte of each event, so that no contender
/// can skip the text; and it keeps everything on demand.
#[derive(Default)]
pub struct Output {
    /// Keep everything, for a check.
    keep: bool,
    /// How many chunks of the message have been read.
    pub chunks: usize,
    /// Bytes of arguments that were emitted before their call was complete.
    pub shown: usize,
    /// Fragments of arguments, whether to be shown or to be acted on.
    pub deltas: usize,
    /// Calls that were refused.
    pub errors: usize,
    sum: usize,
    seen: usize,
    calls: Vec<KeptCall>,
    text: String,
}

/// All that came out.
#[derive(PartialEq, Eq)]
pub struct Kept {
    pub text: String,
    calls: Vec<KeptCall>,
    errors: usize,
}

#[derive(Default, PartialEq, Eq)]
struct KeptCall {
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

impl Output {
    /// An output that keeps everything.
    pub fn keeping() -> Self {
        Output {
            keep: true,
            ..Self::default()
        }
    }

    /// A fragment of a call's arguments that may only be shown: they come whole at the end.
    #[inline]
    pub fn shown(&mut self, text: &str) {
        self.shown += text.len();
        self.deltas += 1;
        self.read(text);
    }

    /// A complete call.
    pub fn whole(&mut self, name: &str, arguments: &str) {
        let index = self.calls.len();
        self.part(index, Some(name), arguments);
    }

    /// A fragment of a call: its name, or the next fragment of the JSON text of its arguments.
    #[inline]
    pub fn part(&mut self, index: usize, name: Option<&str>, arguments: &str) {
        self.read(arguments);
        self.deltas += usize::from(!arguments.is_empty());
        if self.keep {
            self.keep(index, name, arguments);
        }
    }

    /// Text outside of calls.
    #[inline]
    pub fn text(&mut self, text: &str) {
        self.read(text);
        if self.keep {
            self.text.push_str(text);
        }
    }

    #[inline]
    fn read(&mut self, text: &str) {
        self.sum += text.len();
        if let Some(&byte) = text.as_bytes().first() {
            self.seen = self.seen.wrapping_add(usize::from(byte));
        }
    }

    #[cold]
    fn keep(&mut self, index: usize, name: Option<&str>, arguments: &str) {
        while self.calls.len() <= index {
            self.calls.push(KeptCall::default());
        }
        let call = &mut self.calls[index];
        call.name.push_str(name.unwrap_or(""));
        call.arguments.push_str(arguments);
    }

    /// What was kept.
    pub fn kept(self) -> Kept {
        Kept {
            text: self.text,
            calls: self.calls,
            errors: self.errors,
        }
    }
}

impl Kept {
    /// Compares with what was meant. Without schemas all values are strings.
    pub fn verdict(&self, format: &Format, calls: &[Call], typed: bool) -> Verdict {
        if self.calls.len() != calls.len() || self.errors > 0 {
            let (got, errors) = (self.calls.len(), self.errors);
            let wanted = calls.len();
            return Verdict::Wrong(format!("{got} calls of {wanted}, {errors} refused"));
        }
        let strings = !typed && !format.is_json;
        let pairs = self.calls.iter().zip(calls).enumerate();
        let mut wrong = pairs.filter_map(|(at, (got, meant))| got.mistake(at, meant, strings));
        wrong.next().map_or(Verdict::Right, Verdict::Wrong)
    }
}

impl KeptCall {
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
        let mut output = Output::keeping();
        for call in &row.calls {
            output.whole(call.name, &change(call.object().to_string()));
        }
        output.kept().verdict(&format::ALL[0], &row.calls, true)
    }

    #[test]
    fn what_was_meant_is_right_and_a_byte_less_is_wrong() {
        assert_eq!(read(|arguments| arguments), Verdict::Right);
        let shorter = read(|arguments| arguments.replace("\"//", "\"/"));
        assert!(matches!(shorter, Verdict::Wrong(_)));
    }
}
