//! Reading streams in tests.

#![allow(dead_code, reason = "each test file uses a part of it")]

use serde_json::{Value, json};
use std::{fs, path::PathBuf};
use tagstream::{Element, Profile, Thinking};
use tagstream_wire::{Aggregator, Format, Session, Whitespace, WireEvent};

pub(crate) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../cases")
}

/// Tags that the recorded streams have in them.
pub(crate) fn profile() -> Profile {
    Profile::new()
        .thinking(Thinking::tags(["think"]))
        .element(Element::named("node"))
}

/// A recorded stream, and what it should give.
pub(crate) struct Recorded {
    pub(crate) name: String,
    pub(crate) format: Format,
    pub(crate) bytes: Vec<u8>,
    pub(crate) expect: Value,
    /// What it should give where nobody says its format.
    pub(crate) auto: Value,
}

pub(crate) fn recorded() -> Vec<Recorded> {
    let folder = folder().join("wire");
    let lines = fs::read_to_string(folder.join("expect.jsonl")).unwrap();
    let read = |line| {
        let case: Value = serde_json::from_str(line).unwrap();
        let name = case["stream"].as_str().unwrap().to_owned();
        let auto = case.get("auto").unwrap_or(&case["expect"]);
        Recorded {
            format: case["from"].as_str().unwrap().parse().unwrap(),
            bytes: fs::read(folder.join(&name)).unwrap_or_else(|error| panic!("{name}: {error}")),
            expect: case["expect"].clone(),
            auto: auto.clone(),
            name,
        }
    };
    lines.lines().map(read).collect()
}

/// The events of a stream in these pieces, joined, as JSON.
pub(crate) fn events<'a>(
    profile: &Profile,
    format: Format,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Vec<Value> {
    events_with(Session::new(profile, format).unwrap(), pieces)
}

pub(crate) fn events_with<'a>(
    mut session: Session,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Vec<Value> {
    let mut events = Vec::new();
    let mut sink = |event: WireEvent<'_>| join(&mut events, serde_json::to_value(event).unwrap());
    for piece in pieces {
        session.push(piece, &mut sink);
    }
    session.finish(&mut sink);
    events
}

/// The events of a text in a format.
pub(crate) fn of(format: Format, stream: &str) -> Vec<Value> {
    events(&profile(), format, [stream.as_bytes()])
}

/// A run of text may be cut anywhere: what belongs to the last event of its kind joins it.
fn join(events: &mut Vec<Value>, mut event: Value) {
    if let Some(Value::Object(map)) = Some(&mut event) {
        map.retain(|key, _| key != "span");
    }
    if event["type"] == "skip" {
        return;
    }
    let key = |event: &Value| {
        let mut key = event.clone();
        key["text"] = Value::Null;
        key
    };
    let joins = ["text", "thought", "call_delta", "element_delta"]
        .iter()
        .any(|k| event["type"] == *k);
    match events.last_mut() {
        Some(last) if joins && key(last) == key(&event) => {
            let text = [&last["text"], &event["text"]].map(|text| text.as_str().unwrap());
            last["text"] = json!(text.concat());
        }
        _ => events.push(event),
    }
}

/// The messages of a stream, with only the codes of their notices.
pub(crate) fn messages<'a>(
    profile: &Profile,
    format: Format,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Vec<Value> {
    let mut aggregator = Aggregator::new().whitespace(Whitespace::AsIs);
    let mut session = Session::new(profile, format).unwrap();
    let mut sink = |event: WireEvent<'_>| aggregator.event(&event);
    for piece in pieces {
        session.push(piece, &mut sink);
    }
    session.finish(&mut sink);
    let messages = aggregator.finish();
    messages
        .iter()
        .map(|message| codes(serde_json::to_value(message).unwrap()))
        .collect()
}

fn codes(mut message: Value) -> Value {
    let notices = message["notices"].as_array().unwrap();
    message["notices"] = notices
        .iter()
        .map(|notice| notice["code"].clone())
        .collect();
    message
}

/// Small random numbers, the same in every run.
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        Rng(seed.wrapping_mul(2) + 1)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % n as u64).unwrap()
    }

    /// Cuts at random, mostly into small pieces.
    pub(crate) fn cut<'a>(&mut self, mut bytes: &'a [u8]) -> Vec<&'a [u8]> {
        let mut pieces = Vec::new();
        let most = [2, 10, 100, 1000][self.below(4)];
        while !bytes.is_empty() {
            let (piece, rest) = bytes.split_at(bytes.len().min(1 + self.below(most)));
            pieces.push(piece);
            bytes = rest;
        }
        pieces
    }
}
