//! What is done to a stream. Each adds up what comes out.

use std::hint::black_box;

use serde_json::Value;
use tagstream::{EventKind, Profile, Thinking};
use tagstream_wire::{Content, Format, Framing, Session, WireEvent, WireKind};

use super::stream::Stream;

pub const BARE: &str = "bare parse";
pub const EVENTS: &str = "events";
pub const REWRITE: &str = "rewrite";

/// Larger than any frame here.
const LIMIT: usize = 1 << 24;

/// What is done to a stream, of which this many bytes come at a time.
type Run = fn(&Profile, &Stream, usize) -> Tally;

/// One row of a table.
pub struct Row {
    pub name: &'static str,
    pub run: Run,
    /// The same again, and what is in the result; `None` if that does not tell thought, text and
    /// arguments apart.
    pub check: Option<Run>,
}

pub const ALL: &[Row] = &[
    row(BARE, bare, None),
    row("split and bare parse", split_and_parse, None),
    row("frames", frames, None),
    row(EVENTS, events, Some(events)),
    row(REWRITE, rewrite, Some(rewrite_and_read)),
];

const fn row(name: &'static str, run: Run, check: Option<Run>) -> Row {
    Row { name, run, check }
}

/// The profile that is measured.
pub fn profile() -> Profile {
    Profile::new().thinking(Thinking::tags(["think"]))
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
fn bare(_: &Profile, stream: &Stream, _: usize) -> Tally {
    for data in &stream.data {
        let value = serde_json::from_slice::<Value>(data.as_bytes());
        black_box(value.expect("every frame is JSON"));
    }
    Tally::default()
}

/// The same with the cutting: what a program without this library does.
fn split_and_parse(_: &Profile, stream: &Stream, size: usize) -> Tally {
    let mut tally = Tally::default();
    each_message(stream, size, |data| {
        tally.rest += data.len();
        // The last one is not JSON.
        black_box(serde_json::from_slice::<Value>(data.as_bytes()).ok());
    });
    tally
}

fn frames(_: &Profile, stream: &Stream, size: usize) -> Tally {
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
    for chunk in stream.bytes.chunks(size) {
        framing.push(chunk, &mut take);
    }
    framing.finish(&mut take);
}

fn events(profile: &Profile, stream: &Stream, size: usize) -> Tally {
    read(profile, stream.format, &stream.bytes, size)
}

fn read(profile: &Profile, format: Format, bytes: &[u8], size: usize) -> Tally {
    let mut tally = Tally::default();
    let mut sink = |event: WireEvent<'_>| {
        let WireKind::Message(kind) = black_box(event).event else {
            return;
        };
        match kind {
            EventKind::Text(text) => tally.text += text.len(),
            EventKind::Thought(text) => tally.thought += text.len(),
            EventKind::CallDelta { text, .. } => tally.arguments += text.len(),
            _ => {}
        }
    };
    let mut session = Session::new(profile, format).expect("the profile is valid");
    for chunk in bytes.chunks(size) {
        session.push(chunk, &mut sink);
    }
    session.finish(&mut sink);
    tally
}

/// The stream again. What comes out of each read is sent and forgotten.
fn rewrite(profile: &Profile, stream: &Stream, size: usize) -> Tally {
    let mut tally = Tally::default();
    rewritten(profile, stream, size, |out| {
        tally.rest += black_box(out).len();
    });
    tally
}

fn rewrite_and_read(profile: &Profile, stream: &Stream, size: usize) -> Tally {
    let mut all = Vec::new();
    rewritten(profile, stream, size, |out| all.extend_from_slice(out));
    read(profile, stream.format, &all, size)
}

fn rewritten(profile: &Profile, stream: &Stream, size: usize, mut send: impl FnMut(&[u8])) {
    use tagstream_wire::rewrite::{Options, Rewriter};

    let mut out = Vec::new();
    let rewriter = Rewriter::new(profile, stream.format, Options::default());
    let mut rewriter = rewriter.expect("it can write both formats");
    for chunk in stream.bytes.chunks(size) {
        rewriter.push(chunk, &mut out);
        send(&out);
        out.clear();
    }
    rewriter.finish(&mut out);
    send(&out);
}
