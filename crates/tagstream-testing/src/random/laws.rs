//! The laws, checked on one message.
//!
//! | law | violated if |
//! |---|---|
//! | `panic` | the engine panics |
//! | `lossless` | spans do not tile the message, or text is not what is there |
//! | `balance` | what starts does not end, or ends with something else than was streamed |
//! | `chunking` | the joined events depend on the cut |
//! | `timing` | what is out after a prefix depends on the cut |
//! | `timing-skip` | the same, for skipped bytes only |
//! | `snapshot` | the snapshots of open elements after a prefix depend on the cut |
//! | `taken-back` | what is out after a prefix is not the beginning of what comes out in the end |
//! | `json` | a call is accepted, without a repair, whose JSON is not JSON |
//! | `brackets` | tags in brackets are read otherwise than tags (see [`brackets`](super::brackets)) |

use super::message::Vocabulary;
use super::{Event, Mark, Reading, Rng, Subject};
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A profile and a message in a cut, which together break a law.
#[derive(Clone, Debug)]
pub struct Case {
    /// The profile.
    pub profile: Value,
    /// The message. For the law `json`: what opens the call, its JSON, what closes it.
    pub chunks: Vec<Vec<u8>>,
    /// How the law is broken.
    pub failure: Failure,
}

/// How a law is broken.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The law.
    pub law: &'static str,
    /// The kinds of the events that differ, or what else failures have in common.
    pub signature: String,
    /// What was seen, in words and events.
    pub detail: Value,
}

impl Failure {
    fn new(law: &'static str, signature: impl Into<String>, detail: Value) -> Self {
        Failure {
            law,
            signature: signature.into(),
            detail,
        }
    }
}

/// A message in a cut, and how it breaks a law.
#[derive(Clone, Debug)]
pub struct Broken {
    /// The message.
    pub chunks: Vec<Vec<u8>>,
    /// How a law is broken.
    pub failure: Failure,
}

type Checked = Result<(), Failure>;

impl Case {
    /// The case as one line of JSON.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "law": self.failure.law,
            "signature": self.failure.signature,
            "profile": self.profile,
            "chunks": self.chunks.iter().map(|chunk| chunk_to_json(chunk)).collect::<Vec<_>>(),
            "detail": self.failure.detail,
        })
    }

    /// The chunks of a case as [`to_json`](Case::to_json) writes it.
    #[must_use]
    pub fn chunks_from_json(case: &Value) -> Vec<Vec<u8>> {
        let chunks = case["chunks"].as_array().into_iter().flatten();
        chunks.map(chunk_from_json).collect()
    }
}

fn chunk_from_json(chunk: &Value) -> Vec<u8> {
    if let Some(text) = chunk.as_str() {
        return text.as_bytes().to_vec();
    }
    let hex = chunk["hex"].as_str().unwrap_or_default().as_bytes();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    hex.chunks(2).filter_map(byte).collect()
}

/// A chunk as the command line reads it: text, or bytes in hexadecimal.
fn chunk_to_json(chunk: &[u8]) -> Value {
    match std::str::from_utf8(chunk) {
        Ok(text) => text.into(),
        Err(_) => {
            let hex: String = chunk.iter().map(|byte| format!("{byte:02x}")).collect();
            json!({"hex": hex})
        }
    }
}

/// Checks all laws but `json` on a message in one cut. Slow: each prefix that ends at a cut is read
/// by itself.
///
/// # Errors
/// The first law that is broken.
pub fn check_cut<S: Subject>(subject: &S, policy: &S::Policy, chunks: &[&[u8]]) -> Checked {
    caught(|| {
        let message = chunks.concat();
        let whole = subject.read(policy, &[&message], true);
        let cut = subject.read(policy, chunks, true);
        sound(&whole, &message)?;
        sound(&cut, &message)?;
        if whole.events != cut.events || whole.invalid != cut.invalid {
            return Err(different("chunking", &cut, &whole));
        }
        let mut pushed = 0;
        for (chunk, mark) in chunks.iter().zip(&cut.marks) {
            pushed += chunk.len();
            let prefix = subject.read(policy, &[&message[..pushed]], false);
            if !prefix.begins(&whole) {
                return Err(different("taken-back", &prefix, &whole));
            }
            same_mark(&cut, *mark, prefix.last_mark())?;
        }
        Ok(())
    })
}

/// Checks all laws but `json` on a message, in several cuts and with several continuations.
///
/// # Errors
/// A cut that breaks a law, and how.
pub fn check_message<S: Subject>(
    subject: &S,
    policy: &S::Policy,
    rng: &mut Rng,
    vocabulary: &Vocabulary,
    message: &[u8],
) -> Result<(), Box<Broken>> {
    let mut search = Search {
        subject,
        policy,
        message,
        suspects: Vec::new(),
    };
    let found = catch_unwind(AssertUnwindSafe(|| search.run(rng, vocabulary)));
    if let Ok(true) = found {
        return Ok(());
    }
    for suspect in &search.suspects {
        let chunks = suspect.chunks(message);
        let slices: Vec<&[u8]> = chunks.iter().map(Vec::as_slice).collect();
        if let Err(failure) = check_cut(subject, policy, &slices) {
            return Err(Box::new(Broken { chunks, failure }));
        }
    }
    unreachable!("a suspect breaks a law: {:?}", search.suspects);
}

/// Checks the law `json` on a message that is one call: what opens it, its JSON, what closes it.
///
/// # Errors
/// The call is accepted though its JSON is not JSON.
pub fn check_json<S: Subject>(subject: &S, policy: &S::Policy, parts: [&str; 3]) -> Checked {
    caught(|| {
        // What does not begin like JSON may belong to the name, and a tag in it may begin another call.
        let is_like_json = parts[1].starts_with(['{', '"']) && !parts[1].contains("<|");
        if !is_like_json || begins_with_json(parts[1]) || parts[0].trim().is_empty() {
            return Ok(());
        }
        let reading = subject.read(policy, &[parts.concat().as_bytes()], true);
        let is = |event: &&Event, kind: &str| event.kind == kind;
        let accepted = reading.events.iter().find(|event| is(event, "call_end"));
        let repaired = reading.events.iter().any(|event| is(&event, "notice"));
        // What is not JSON was a call of its own, and was refused.
        let refused = reading.events.iter().any(|event| is(&event, "call_error"));
        // What opens it may be prose, and a call of its own may be in what is not JSON.
        let is_prose = |event: &Event| event.kind == "text" && event.span[0] == 0;
        let is_other = reading.events.iter().any(is_prose);
        match accepted.filter(|_| !repaired && !refused && !is_other) {
            Some(call) => Err(Failure::new("json", "call_end", call.to_json())),
            None => Ok(()),
        }
    })
}

/// Whether JSON comes first; what follows it may be text.
fn begins_with_json(text: &str) -> bool {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    values.next().is_some_and(|value| value.is_ok())
}

/// Whether this is JSON, of numbers of any size.
fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

fn caught(check: impl FnOnce() -> Checked) -> Checked {
    catch_unwind(AssertUnwindSafe(check)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        Err(Failure::new("panic", "panic", text.into()))
    })
}

/// A fast search for cuts that may break a law.
struct Search<'a, S: Subject> {
    subject: &'a S,
    policy: &'a S::Policy,
    message: &'a [u8],
    /// What was being read when something went wrong.
    suspects: Vec<Suspect>,
}

/// A message in a cut.
#[derive(Clone, Debug)]
enum Suspect {
    Whole,
    Characters,
    /// Cut into chunks of these lengths.
    Cut(Vec<usize>),
    /// This many bytes of the message, and their continuation.
    Tail(usize, Vec<u8>),
}

impl Suspect {
    fn chunks(&self, message: &[u8]) -> Vec<Vec<u8>> {
        match self {
            Suspect::Whole => owned(&[message]),
            Suspect::Characters => owned(&characters(message)),
            Suspect::Cut(lengths) => {
                let mut rest = message;
                let chunk = |length: &usize| {
                    let (chunk, after) = rest.split_at(*length);
                    rest = after;
                    chunk.to_vec()
                };
                lengths.iter().map(chunk).collect()
            }
            Suspect::Tail(end, tail) => owned(&[&message[..*end], tail]),
        }
    }
}

impl<S: Subject> Search<'_, S> {
    /// Whether nothing is wrong.
    fn run(&mut self, rng: &mut Rng, vocabulary: &Vocabulary) -> bool {
        let message = self.message;
        self.suspects = vec![Suspect::Whole];
        let whole = self.subject.read(self.policy, &[message], true);
        if sound(&whole, message).is_err() {
            return false;
        }
        let characters = characters(message);
        self.suspects = vec![Suspect::Characters];
        let finest = self.subject.read(self.policy, &characters, true);
        if finest.events != whole.events || finest.invalid != whole.invalid {
            return false;
        }
        for mean in [2, 5, 16] {
            let cut = random_cut(rng, message, mean);
            let lengths = cut.iter().map(|chunk| chunk.len()).collect();
            self.suspects = vec![Suspect::Cut(lengths), Suspect::Characters];
            let reading = self.subject.read(self.policy, &cut, true);
            let same = reading.events == whole.events && reading.invalid == whole.invalid;
            if !same || !same_marks(&reading, &finest) {
                return false;
            }
        }
        (0..4).all(|i| self.prefix(rng, vocabulary, &finest, i < 2))
    }

    /// Looks at a random prefix, and at how it may go on.
    fn prefix(
        &mut self,
        rng: &mut Rng,
        vocabulary: &Vocabulary,
        finest: &Reading,
        goes_on: bool,
    ) -> bool {
        let end = rng.below(self.message.len() + 1);
        let (prefix, rest) = self.message.split_at(end);
        self.suspects = vec![Suspect::Cut(vec![end, rest.len()]), Suspect::Characters];
        let reading = self.subject.read(self.policy, &[prefix], false);
        if !reading.begins(finest) || !is_same(mark_at(finest, end), reading.last_mark()) {
            return false;
        }
        let tails = if goes_on { 2 } else { 0 };
        (0..tails).all(|_| {
            let tail = vocabulary.tail(rng, self.message);
            let message = [prefix, &tail].concat();
            self.suspects = vec![Suspect::Tail(end, tail)];
            let whole = self.subject.read(self.policy, &[&message], true);
            sound(&whole, &message).is_ok() && reading.begins(&whole)
        })
    }
}

fn owned(chunks: &[&[u8]]) -> Vec<Vec<u8>> {
    chunks.iter().map(|chunk| chunk.to_vec()).collect()
}

/// The message in characters; in bytes, if it is not UTF-8.
#[must_use]
pub fn characters(message: &[u8]) -> Vec<&[u8]> {
    let Ok(text) = std::str::from_utf8(message) else {
        return message.chunks(1).collect();
    };
    let places = text.char_indices();
    places.map(|(i, c)| &message[i..i + c.len_utf8()]).collect()
}

/// The message in chunks of about this length, sometimes cut inside a character or empty.
pub fn random_cut<'m>(rng: &mut Rng, mut message: &'m [u8], mean: usize) -> Vec<&'m [u8]> {
    let inside = rng.one_in(3);
    let mut chunks = Vec::new();
    while !message.is_empty() {
        let mut end = rng.below(2 * mean + 1).min(message.len());
        while !inside && end < message.len() && message[end] & 0xc0 == 0x80 {
            end += 1;
        }
        let (chunk, rest) = message.split_at(end);
        chunks.push(chunk);
        message = rest;
    }
    chunks
}

/// What was out once this many bytes had been pushed, an unfinished character not counted.
fn mark_at(finest: &Reading, pushed: usize) -> Mark {
    let after = finest.marks.partition_point(|mark| mark.pushed <= pushed);
    // The last mark is that of the end of the message.
    let after = after.min(finest.marks.len() - 1);
    after
        .checked_sub(1)
        .map_or_else(Mark::default, |i| finest.marks[i])
}

fn is_same(a: Mark, b: Mark) -> bool {
    let seen = |mark: Mark| (mark.points, mark.text, mark.end);
    let same_elements = a.snapshot == b.snapshot || a.pushed == 0 || b.pushed == 0;
    seen(a) == seen(b) && same_elements
}

fn same_marks(cut: &Reading, finest: &Reading) -> bool {
    let chunks = &cut.marks[..cut.marks.len() - 1];
    chunks
        .iter()
        .all(|mark| is_same(*mark, mark_at(finest, mark.pushed)))
}

fn same_mark(cut: &Reading, in_cut: Mark, alone: Mark) -> Checked {
    let (law, signature) = if (in_cut.points, in_cut.text) != (alone.points, alone.text) {
        ("timing", between(cut, in_cut, alone))
    } else if in_cut.end != alone.end {
        ("timing-skip", between(cut, in_cut, alone))
    } else if in_cut.snapshot != alone.snapshot {
        ("snapshot", String::new())
    } else {
        return Ok(());
    };
    let side =
        |mark: Mark| json!({"events": mark.points, "text_bytes": mark.text, "end": mark.end});
    let detail = json!({
        "after": in_cut.pushed,
        "this_cut": side(in_cut),
        "one_chunk": side(alone),
        "events": cut.to_json(),
    });
    Err(Failure::new(law, signature, detail))
}

/// The kinds of the events that are out in one of two cases only.
fn between(reading: &Reading, a: Mark, b: Mark) -> String {
    let (low, high) = (a.end.min(b.end), a.end.max(b.end));
    let mut kinds: Vec<&str> = Vec::new();
    let inside = |event: &&Event| event.span[1] >= low && event.span[0] <= high;
    for event in reading.events.iter().filter(inside) {
        if !kinds.contains(&event.kind) {
            kinds.push(event.kind);
        }
    }
    let first = if a.end < b.end { "later" } else { "earlier" };
    format!("{first}: {}", kinds.join(" "))
}

fn different(law: &'static str, got: &Reading, wanted: &Reading) -> Failure {
    let same = got
        .events
        .iter()
        .zip(&wanted.events)
        .take_while(|(a, b)| a == b);
    let first = same.count();
    let kind = |reading: &Reading| match reading.events.get(first) {
        Some(event) => event.kind.to_owned(),
        None => "nothing".to_owned(),
    };
    let mut kinds = [kind(got), kind(wanted)];
    kinds.sort();
    let from = first.saturating_sub(1);
    let shown = |reading: &Reading| {
        let list = reading.to_json();
        list.into_iter().skip(from).collect::<Vec<_>>()
    };
    let detail = json!({"this_cut": shown(got), "one_chunk": shown(wanted)});
    Failure::new(law, kinds.join(" / "), detail)
}

/// The laws `lossless` and `balance`, for a message that was finished.
fn sound(reading: &Reading, message: &[u8]) -> Checked {
    let text = String::from_utf8_lossy(message);
    if let Some(gap) = reading.gaps.first() {
        return Err(Failure::new("lossless", "gap", gap.as_str().into()));
    }
    let end = reading.last_mark().end;
    if end != text.len() as u64 {
        let detail = format!("the spans end at {end} of {}", text.len());
        return Err(Failure::new("lossless", "end", detail.into()));
    }
    let mut balance = Balance::default();
    let mut is_after_error = false;
    for event in &reading.events {
        let [start, end] = event.span.map(|place| place as usize);
        let Some(raw) = text.get(start..end) else {
            return Err(Failure::new("lossless", "boundary", event.to_json()));
        };
        // With `refused = "text"`, the text of a refused call comes after the events of its bytes.
        let is_right = event.text == raw || is_after_error && event.text.ends_with(raw);
        if matches!(event.kind, "text" | "thought" | "skip") && !is_right {
            return Err(Failure::new("lossless", "text", event.to_json()));
        }
        is_after_error = event.kind == "call_error";
        if event.kind == "notice" && !raw.is_empty() {
            return Err(Failure::new("lossless", "notice", event.to_json()));
        }
        let taken = balance.take(event, &text);
        if let Err(problem) = taken {
            let signature = format!("{}: {problem}", event.kind);
            return Err(Failure::new("balance", signature, event.to_json()));
        }
    }
    if !balance.is_idle() {
        let detail = "something has not ended";
        return Err(Failure::new("balance", "end", detail.into()));
    }
    Ok(())
}

/// An error unless this is right.
fn expect(is_right: bool, problem: &'static str) -> Result<(), &'static str> {
    if is_right { Ok(()) } else { Err(problem) }
}

/// What is open at one place of a list of events.
#[derive(Default)]
struct Balance {
    is_thinking: bool,
    has_thought: bool,
    /// The open elements with the text that has been streamed of their bodies and parts.
    elements: Vec<(u64, String, String)>,
    /// The open call, the text of its JSON arguments, and whether it has arguments in tags.
    call: Option<(u64, String, bool)>,
    /// The call whose errors are being reported.
    refused: Option<u64>,
    next_call: u64,
    elements_seen: HashSet<u64>,
    /// Something has been repaired.
    is_repaired: bool,
}

impl Balance {
    fn is_idle(&self) -> bool {
        !self.is_thinking && self.elements.is_empty() && self.call.is_none()
    }

    fn take(&mut self, event: &Event, message: &str) -> Result<(), &'static str> {
        match event.kind {
            "text" => expect(self.is_idle(), "something is open"),
            "thought" => {
                self.has_thought = true;
                expect(self.is_thinking && self.call.is_none(), "not in a thought")
            }
            "thought_start" => {
                let right = self.is_idle();
                self.is_thinking = true;
                expect(right, "something is open")
            }
            "thought_end" => {
                let right = self.call.is_none() && self.elements.is_empty();
                expect(
                    std::mem::take(&mut self.is_thinking) && right,
                    "not in a thought",
                )
            }
            "element_delta" => match self.elements.last_mut() {
                Some((id, body, parts)) if *id == event.index => {
                    let to = if event.part.is_some() { parts } else { body };
                    to.push_str(&event.text);
                    Ok(())
                }
                _ => Err("not the innermost element"),
            },
            "call_delta" => match &mut self.call {
                Some((index, json, has_tags)) if *index == event.index => {
                    *has_tags |= event.part.is_some();
                    json.push_str(&event.text);
                    Ok(())
                }
                _ => Err("not in that call"),
            },
            "skip" => Ok(()),
            _ => self.point(event.kind, &event.fields(), message),
        }
    }

    fn point(&mut self, kind: &str, fields: &Value, message: &str) -> Result<(), &'static str> {
        let index = fields["index"].as_u64().unwrap_or(u64::MAX);
        match kind {
            "element_start" => self.element_start(fields),
            "element_end" => self.element_end(fields),
            "call_start" => {
                let right = self.call.is_none() && self.elements.is_empty();
                self.call = Some((index, String::new(), false));
                self.new_call(index)
                    .filter(|()| right)
                    .ok_or("not the next call")
            }
            "call_end" => {
                let (open, json, has_tags) = self.call.take().ok_or("no call is open")?;
                let arguments = fields["arguments"].as_str().unwrap_or_default();
                let is_object = arguments.starts_with('{') && is_json(arguments);
                // Arguments that came before the name are streamed as they were written.
                let streamed = has_tags || json.is_empty() || self.is_repaired || is_json(&json);
                expect(open == index, "not that call")?;
                expect(is_object, "arguments are not an object")?;
                expect(streamed, "deltas are not JSON")
            }
            "call_error" => {
                let raw = fields["raw"].as_str().unwrap_or_default();
                let is_known = match self.call.take() {
                    Some((open, ..)) => open == index,
                    None => self.refused == Some(index) || self.new_call(index).is_some(),
                };
                self.refused = Some(index);
                expect(is_known, "not the next call")?;
                expect(message.contains(raw), "raw is not in the message")
            }
            "notice" => {
                self.is_repaired |= fields["code"] == "repaired";
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn new_call(&mut self, index: u64) -> Option<()> {
        let right = index == self.next_call;
        self.next_call = index.saturating_add(1);
        right.then_some(())
    }

    fn element_start(&mut self, fields: &Value) -> Result<(), &'static str> {
        let id = fields["id"].as_u64().unwrap_or(u64::MAX);
        let parent = self.elements.last().map(|(id, ..)| *id);
        let right = fields["parent"].as_u64() == parent;
        let is_new = self.elements_seen.insert(id);
        let outside = !self.is_thinking && self.call.is_none();
        self.elements.push((id, String::new(), String::new()));
        expect(right && is_new && outside, "not in its parent")
    }

    fn element_end(&mut self, fields: &Value) -> Result<(), &'static str> {
        let (id, body, parts) = self.elements.pop().ok_or("no element is open")?;
        let list = fields["parts"].as_array().into_iter().flatten();
        let given: String = list.filter_map(|part| part["text"].as_str()).collect();
        let same_body = fields["body"].as_str().unwrap_or_default() == body;
        let is_innermost = fields["id"].as_u64() == Some(id);
        expect(is_innermost, "not the innermost element")?;
        expect(same_body && given == parts, "not what was streamed")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An engine for which everything is text, with something wrong.
    enum Fake {
        Right,
        /// The first byte is missing.
        Gap,
        /// An event reports whether there was a cut.
        Notices,
        /// A chunk of one byte waits for the next chunk.
        Waits,
        /// The same, with skipped bytes.
        WaitsToSkip,
        /// What has an `x` in it is skipped.
        TakesBack,
        /// A thought does not end.
        Unbalanced,
        Panics,
    }

    impl Fake {
        fn plain(&self, message: &[u8]) -> &'static str {
            match self {
                Fake::WaitsToSkip => "skip",
                Fake::TakesBack if message.contains(&b'x') => "skip",
                Fake::Unbalanced => "thought",
                _ => "text",
            }
        }
    }

    impl Subject for Fake {
        type Policy = ();

        fn compile(&self, _: &Value) -> Result<(), String> {
            Ok(())
        }

        fn read(&self, (): &(), chunks: &[&[u8]], finish: bool) -> Reading {
            let message = chunks.concat();
            assert!(!matches!(self, Fake::Panics), "it was to be expected");
            let mut reading = Reading::default();
            let (mut from, mut to) = (usize::from(matches!(self, Fake::Gap)), 0);
            if matches!(self, Fake::Unbalanced) {
                reading.point([0, 0], "thought_start", "{}".to_owned());
            }
            for chunk in chunks {
                to += chunk.len();
                let waits = matches!(self, Fake::Waits | Fake::WaitsToSkip) && chunk.len() == 1;
                if !waits && from < to {
                    let text = std::str::from_utf8(&message[from..to]).expect("it is text");
                    let span = [from, to].map(|place| place as u64);
                    reading.run(span, self.plain(&message), 0, None, text);
                    from = to;
                }
                reading.mark(chunk.len(), 0);
            }
            if finish {
                let text = std::str::from_utf8(&message[from..]).expect("it is text");
                let span = [from, to].map(|place| place as u64);
                reading.run(span, self.plain(&message), 0, None, text);
                if matches!(self, Fake::Notices) && chunks.len() > 1 {
                    reading.point(span.map(|_| to as u64), "notice", "{}".to_owned());
                }
                reading.mark(0, 0);
            }
            reading
        }

        fn dialects(&self) -> Vec<Value> {
            Vec::new()
        }
    }

    fn broken(fake: &Fake, chunks: &[&str]) -> Option<&'static str> {
        let chunks: Vec<&[u8]> = chunks.iter().map(|chunk| chunk.as_bytes()).collect();
        check_cut(fake, &(), &chunks)
            .err()
            .map(|failure| failure.law)
    }

    #[test]
    fn each_law_can_be_broken() {
        let chunks = ["ab", "c", "x"];
        assert_eq!(broken(&Fake::Right, &chunks), None);
        assert_eq!(broken(&Fake::Gap, &chunks), Some("lossless"));
        assert_eq!(broken(&Fake::Notices, &chunks), Some("chunking"));
        assert_eq!(broken(&Fake::Waits, &chunks), Some("timing"));
        assert_eq!(broken(&Fake::WaitsToSkip, &chunks), Some("timing-skip"));
        assert_eq!(broken(&Fake::TakesBack, &chunks), Some("taken-back"));
        assert_eq!(broken(&Fake::Unbalanced, &chunks), Some("balance"));
        assert_eq!(broken(&Fake::Panics, &chunks), Some("panic"));
    }

    #[test]
    fn a_search_finds_what_breaks_a_law() {
        let vocabulary = Vocabulary::new(&mut Rng::new(0), &json!({}), &[]);
        let law = |fake: &Fake| {
            let rng = &mut Rng::new(1);
            let checked = check_message(fake, &(), rng, &vocabulary, b"abcdefgh, abcdefgh");
            checked.err().map(|broken| broken.failure.law)
        };
        assert_eq!(law(&Fake::Right), None);
        assert_eq!(law(&Fake::Gap), Some("lossless"));
        assert_eq!(law(&Fake::Notices), Some("chunking"));
        assert_eq!(law(&Fake::Waits), Some("timing"));
        assert_eq!(law(&Fake::Panics), Some("panic"));
    }
}
