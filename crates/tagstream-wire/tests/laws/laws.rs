//! The laws of rewriting. Each takes a stream and panics if it breaks the law.

use super::generator::{Bytes, Choose, FORMATS, Oddity, SECRET, Stream, stream};
use serde_json::{Value, json};
use tagstream::{EventKind, NoticeCode, Profile};
use tagstream_wire::rewrite::{CallMode, Options, Rewriter, Thinking};
use tagstream_wire::{
    Aggregate, Aggregator, Format, Session, ToolCall, Whitespace, WireEvent, WireKind,
};

/// Profiles under which the laws hold: with calls and without, with elements and markers.
pub const PROFILES: [&str; 3] = [
    "[thinking]\ntags = ['think']\n[calls]\ndialect = 'hermes'",
    "[thinking]\ntags = ['think', 'thinking']",
    "markers = ['&lt;']\n[thinking]\ntags = ['think']\n[calls]\ndialect = 'auto'\n[[elements]]\nname = 'b'",
];

/// The options under which nothing is lost.
const VISIBLE: [(Thinking, CallMode); 3] = [
    (Thinking::Move, CallMode::Whole),
    (Thinking::Move, CallMode::Stream),
    (Thinking::Keep, CallMode::Whole),
];

pub fn profile(number: usize) -> Profile {
    let text = PROFILES[number % PROFILES.len()];
    tagstream::profile::parse(text).expect("the profile is valid")
}

/// All laws, on the stream that these bytes of a fuzzer make.
pub fn all(bytes: &[u8]) {
    let mut choose = Bytes(bytes);
    let format = FORMATS[choose.below(FORMATS.len())];
    let profile = &profile(choose.below(PROFILES.len()));
    let cut = 1 + choose.below(30);
    let is_plain = choose.chance(8);
    let oddity = if is_plain { Oddity::Plain } else { Oddity::Odd };
    let stream = &stream(format, oddity, &mut choose);
    let law = Law { profile, stream };
    if is_plain {
        return law.passes();
    }
    law.means_the_same();
    law.hides();
    law.ignores_cuts(cut);
    law.is_idempotent();
    law.stays_json();
}

/// A law under a profile.
pub struct Law<'l> {
    pub profile: &'l Profile,
    pub stream: &'l Stream,
}

impl Law<'_> {
    /// `aggregate(rewrite(s)) == aggregate(s)`.
    pub fn means_the_same(&self) {
        if self.contradicts_itself() {
            return;
        }
        let before = self.meaning(&self.stream.bytes);
        for (thinking, calls) in VISIBLE {
            let out = self.rewrite(thinking, calls, [&self.stream.bytes[..]]);
            let after = self.meaning(&out);
            let out = shown(&out);
            // The error that ends a call that was being sent ends the others that are open too.
            let is_ended = calls == CallMode::Stream && out.contains("invalid_tool_call");
            // The text of a refused call is read again: if it does not end, it takes what follows with it.
            let is_open = self.stream.is_damaged && out.contains("<tool_call>");
            if is_ended || is_open {
                continue;
            }
            assert_eq!(after, before, "\n{thinking:?}, {calls:?}: it became\n{out}");
        }
    }

    /// Hidden thinking is nowhere in the output.
    pub fn hides(&self) {
        let out = self.whole(Thinking::Hide);
        let out = shown(&out);
        // What is a thought for some readers only, such as one in a code span, is shown, and so is
        // what no reader knows.
        let is_hidden = !self.shows_secrets();
        let escaped = format!("\\u{:04x}", u32::from(SECRET));
        let leaks = out.contains(SECRET) || out.contains(&escaped);
        assert!(!is_hidden || !leaks, "a thought is in\n{out}");
    }

    /// Chunks of this size give the same output as the whole stream.
    pub fn ignores_cuts(&self, size: usize) {
        for thinking in [Thinking::Move, Thinking::Hide, Thinking::Keep] {
            for calls in [CallMode::Whole, CallMode::Stream] {
                let whole = self.rewrite(thinking, calls, [&self.stream.bytes[..]]);
                let cut = self.rewrite(thinking, calls, self.stream.bytes.chunks(size));
                assert_eq!(shown(&cut), shown(&whole), "{thinking:?}, {calls:?}");
            }
        }
    }

    /// An answer that does not stream stays one JSON value, and the data of every event JSON.
    pub fn stays_json(&self) {
        let is_value = |bytes: &[u8]| matches!(bytes.first(), Some(b'{' | b'['));
        let is_lines = self.stream.format == Format::Ollama;
        let is_json = |json: &str| serde_json::from_str::<Value>(json).is_ok();
        for (thinking, calls) in VISIBLE
            .into_iter()
            .chain([(Thinking::Hide, CallMode::Whole)])
        {
            let out = self.rewrite(thinking, calls, [&self.stream.bytes[..]]);
            let text = shown(&out);
            if is_value(&self.stream.bytes) && !is_lines {
                assert!(is_json(&text), "{thinking:?}, {calls:?}: it became\n{text}");
                continue;
            }
            let lines = text.split(['\r', '\n']).map(|line| {
                if is_lines {
                    line
                } else {
                    line.strip_prefix("data:").unwrap_or("").trim()
                }
            });
            for line in lines.filter(|line| !matches!(*line, "" | "[DONE]")) {
                assert!(
                    is_json(line),
                    "{thinking:?}, {calls:?}: {line} is in\n{text}"
                );
            }
        }
    }

    /// A stream in which nothing is found passes byte for byte.
    pub fn passes(&self) {
        for (thinking, calls) in VISIBLE {
            let out = self.rewrite(thinking, calls, [&self.stream.bytes[..]]);
            assert_eq!(
                shown(&out),
                shown(&self.stream.bytes),
                "{thinking:?}, {calls:?}"
            );
        }
    }

    /// Rewriting twice is rewriting once.
    pub fn is_idempotent(&self) {
        if self.contradicts_itself() {
            return;
        }
        for thinking in [Thinking::Move, Thinking::Hide, Thinking::Keep] {
            let once = self.whole(thinking);
            let twice = self.rewrite(thinking, CallMode::Whole, [&once[..]]);
            // A refused call that is shown is read again, and comes out where it is refused again.
            if shown(&once).contains("<tool_call>") {
                assert_eq!(self.meaning(&twice), self.meaning(&once), "{thinking:?}");
            } else {
                assert_eq!(shown(&twice), shown(&once), "{thinking:?}");
            }
        }
    }

    fn whole(&self, thinking: Thinking) -> Vec<u8> {
        self.rewrite(thinking, CallMode::Whole, [&self.stream.bytes[..]])
    }

    fn rewrite<'a>(
        &self,
        thinking: Thinking,
        calls: CallMode,
        pieces: impl IntoIterator<Item = &'a [u8]>,
    ) -> Vec<u8> {
        let mut options = Options::default();
        options.thinking = thinking;
        options.calls = calls;
        let rewriter = Rewriter::new(self.profile, self.stream.format, options);
        let mut rewriter = rewriter.expect("the format can be rewritten");
        let mut out = Vec::new();
        for piece in pieces {
            rewriter.push(piece, &mut out);
        }
        rewriter.finish(&mut out);
        out
    }

    /// What the messages of a stream say, whatever place they say it in.
    fn meaning(&self, bytes: &[u8]) -> Vec<Value> {
        let messages = self.messages(bytes);
        // Without its thinking, an older completion that was cut off may say nothing.
        let says = |message: &&Aggregate| {
            let is_empty = message.content.is_empty() && message.tool_calls.is_empty();
            !(self.stream.is_legacy && is_empty && message.finish_reason.is_none())
        };
        let messages = messages.iter().filter(says);
        messages.map(|message| self.of(message)).collect()
    }

    fn messages(&self, bytes: &[u8]) -> Vec<Aggregate> {
        let mut aggregator = Aggregator::new().whitespace(Whitespace::AsIs);
        let session = Session::new(self.profile, self.stream.format);
        let mut session = session.expect("the profile is valid");
        let mut sink = |event: WireEvent<'_>| aggregator.event(&event);
        session.push(bytes, &mut sink);
        session.finish(&mut sink);
        aggregator.finish()
    }

    fn finishes_twice(&self) -> bool {
        let mut finished = Vec::new();
        let session = Session::new(self.profile, self.stream.format);
        let mut session = session.expect("the profile is valid");
        let mut sink = |event: WireEvent<'_>| {
            if let WireKind::Finish { .. } = event.event {
                finished.push(event.choice);
            }
        };
        session.push(&self.stream.bytes, &mut sink);
        session.finish(&mut sink);
        let count = finished.len();
        finished.sort_unstable();
        finished.dedup();
        finished.len() < count
    }

    /// A response repeats its texts: if frames are damaged, it may not repeat what was streamed.
    fn contradicts_itself(&self) -> bool {
        self.stream.is_damaged && self.stream.format == Format::Responses
    }

    /// An id that the provider gave; others are made, and not the same in both. One that comes too
    /// late, after the start of its call, is not passed on.
    fn native_id<'c>(&self, call: &'c ToolCall) -> &'c str {
        let mut given = ["call_n", "toolu_n"].iter();
        if !self.stream.is_damaged && given.any(|start| call.id.starts_with(start)) {
            &call.id
        } else {
            ""
        }
    }

    /// Whether a reader of the stream takes a secret for text, for a part of a call, or for nothing
    /// that can be read.
    fn shows_secrets(&self) -> bool {
        let mut shows = false;
        let session = Session::new(self.profile, self.stream.format);
        let mut session = session.expect("the profile is valid");
        let mut sink = |event: WireEvent<'_>| {
            let is_unread = |code| code == NoticeCode::InvalidFrame;
            shows |= match event.event {
                WireKind::Message(EventKind::Thought(_)) => false,
                WireKind::Message(EventKind::CallError { raw, .. }) => raw.contains(SECRET),
                WireKind::Message(EventKind::Notice { code, .. }) => is_unread(code),
                WireKind::Message(EventKind::Text(text) | EventKind::ElementDelta { text, .. }) => {
                    text.contains(SECRET)
                }
                _ => false,
            };
        };
        session.push(&self.stream.bytes, &mut sink);
        session.finish(&mut sink);
        shows
    }

    fn of(&self, message: &Aggregate) -> Value {
        let calls = message.tool_calls.iter();
        let mut calls: Vec<String> = calls
            .map(|call| {
                // Of a key that comes twice, the last counts.
                let arguments: Value = serde_json::from_str(call.arguments.get()).unwrap();
                format!("{} {} {arguments}", self.native_id(call), call.name)
            })
            .collect();
        calls.sort();
        let mut meaning = json!({
            "content": self.content(message),
            "calls": calls,
            "usage": message.usage,
        });
        // A rewritten choice does not finish twice.
        if !self.finishes_twice() {
            meaning["finish"] = json!(match message.finish_reason.as_deref() {
                Some("tool_calls") => Some("stop"),
                Some("tool_use") => Some("end_turn"),
                other => other,
            });
        }
        // The older completions have no field for thinking.
        if !self.stream.is_legacy {
            let mut thoughts = message.thoughts.concat();
            // White space at the start of a thought is lost where another block interrupts it.
            if self.stream.is_interleaved || self.stream.is_damaged {
                thoughts = without_space(&thoughts);
            }
            meaning["thoughts"] = json!(self.in_order(&thoughts));
        }
        meaning
    }

    fn content(&self, message: &Aggregate) -> String {
        let content = &message.content;
        if self.stream.is_legacy && !message.tool_calls.is_empty() {
            // Without the thought in between, white space may touch a call, and is dropped with it.
            return without_space(content);
        }
        self.in_order(content)
    }

    /// One block may hold text while another goes on: then the order is not that of the text.
    fn in_order(&self, text: &str) -> String {
        let mut letters: Vec<char> = text.chars().collect();
        if self.stream.is_interleaved {
            letters.sort_unstable();
        }
        letters.into_iter().collect()
    }
}

fn without_space(text: &str) -> String {
    text.split_ascii_whitespace().collect()
}

fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
