//! What is done to a stream. Each adds up what comes out.

use std::hint::black_box;

use serde_json::Value;
use tagstream::{Kind, Policy, Profile, Thinking};
use tagstream_wire::{Content, Decoder, Delta, Framing, Session, WireEvent, WireKind};

use super::stream::Stream;

pub const BARE: &str = "bare parse";
pub const EVENTS: &str = "events";
pub const REWRITE: &str = "rewrite";

/// Larger than any frame here.
const LIMIT: usize = 1 << 24;

/// One row of a table: it is given the stream and how many bytes come at a time.
pub struct Row {
    pub name: &'static str,
    pub run: fn(&Policy, &Stream, usize) -> Tally,
    /// Whether it tells thought, text and arguments apart.
    pub is_checked: bool,
}

pub const ALL: &[Row] = &[
    row(BARE, bare, false),
    row("split and bare parse", split_and_parse, false),
    row("frames", frames, false),
    row("deltas", deltas, false),
    row(EVENTS, events, true),
    // The rewriter is on its way; until it is here, its row is behind a feature.
    #[cfg(feature = "rewrite")]
    row(REWRITE, rewrite, false),
];

const fn row(
    name: &'static str,
    run: fn(&Policy, &Stream, usize) -> Tally,
    is_checked: bool,
) -> Row {
    Row {
        name,
        run,
        is_checked,
    }
}

/// The policy that is measured.
pub fn policy() -> Policy {
    let profile = Profile::new().thinking(Thinking::tags(["think"]));
    profile.compile().expect("the profile is valid")
}

/// What came out, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub thought: usize,
    pub text: usize,
    pub arguments: usize,
    pub rest: usize,
}

impl Tally {
    pub fn is_right(&self, stream: &Stream) -> bool {
        let meant = (stream.thought, stream.text, stream.arguments);
        (self.thought, self.text, self.arguments) == meant
    }
}

/// `serde_json::Value` of each frame, which has been cut out beforehand.
fn bare(_: &Policy, stream: &Stream, _: usize) -> Tally {
    for data in &stream.data {
        let value = serde_json::from_slice::<Value>(data.as_bytes());
        black_box(value.expect("every frame is JSON"));
    }
    Tally::default()
}

/// The same with the cutting: what a program without this library does.
fn split_and_parse(_: &Policy, stream: &Stream, size: usize) -> Tally {
    let mut tally = Tally::default();
    each_message(stream, size, |data| {
        tally.rest += data.len();
        // The last one is no JSON.
        black_box(serde_json::from_slice::<Value>(data.as_bytes()).ok());
    });
    tally
}

fn frames(_: &Policy, stream: &Stream, size: usize) -> Tally {
    let mut tally = Tally::default();
    each_message(stream, size, |data| tally.rest += black_box(data).len());
    tally
}

fn each_message(stream: &Stream, size: usize, mut each: impl FnMut(&str)) {
    let mut framing = Framing::new(LIMIT);
    let mut take = |frame: tagstream_wire::Frame<'_>| {
        if let Content::Message(message) = frame.content {
            each(message.data.as_deref().unwrap_or(""));
        }
    };
    for piece in stream.bytes.chunks(size) {
        framing.push(piece, &mut take);
    }
    framing.finish(&mut take);
}

/// What the frames add, before any of it is looked into.
fn deltas(_: &Policy, stream: &Stream, size: usize) -> Tally {
    let mut tally = Tally::default();
    let mut framing = Framing::new(LIMIT);
    let mut decoder = Decoder::new(stream.format);
    let mut take = |frame: tagstream_wire::Frame<'_>| {
        if let Content::Message(message) = &frame.content {
            let read = decoder.read(message, &mut |delta| add(&mut tally, &delta));
            read.expect("every frame is of the format");
        }
    };
    for piece in stream.bytes.chunks(size) {
        framing.push(piece, &mut take);
    }
    framing.finish(&mut take);
    tally
}

fn add(tally: &mut Tally, delta: &Delta<'_>) {
    match delta {
        Delta::Text { text, .. } => tally.text += black_box(text).len(),
        Delta::Reasoning { text, .. } => tally.thought += black_box(text).len(),
        Delta::Call { call, .. } => tally.arguments += black_box(&call.arguments).len(),
        _ => {}
    }
}

fn events(policy: &Policy, stream: &Stream, size: usize) -> Tally {
    let mut tally = Tally::default();
    let mut sink = |event: WireEvent<'_>| {
        let WireKind::Message(kind) = black_box(event).event else {
            return;
        };
        match kind {
            Kind::Text(text) => tally.text += text.len(),
            Kind::Thought(text) => tally.thought += text.len(),
            Kind::CallDelta { text, .. } => tally.arguments += text.len(),
            _ => {}
        }
    };
    let mut session = Session::new(policy, stream.format);
    for piece in stream.bytes.chunks(size) {
        session.push(piece, &mut sink);
    }
    session.finish(&mut sink);
    tally
}

/// The stream again. What comes out of each read is sent and forgotten.
#[cfg(feature = "rewrite")]
fn rewrite(policy: &Policy, stream: &Stream, size: usize) -> Tally {
    use tagstream_wire::rewrite::{Options, Rewriter};

    let mut tally = Tally::default();
    let mut out = Vec::new();
    let rewriter = Rewriter::new(policy, stream.format, Options::default());
    let mut rewriter = rewriter.expect("it can write both formats");
    for piece in stream.bytes.chunks(size) {
        rewriter.push(piece, &mut out);
        tally.rest += black_box(&out).len();
        out.clear();
    }
    rewriter.finish(&mut out);
    tally.rest += black_box(&out).len();
    tally
}
