//! The engine as a [`Subject`]: the only file here that knows its API.

use super::{Reading, Subject};
use serde_json::{Value, json};
use std::hash::{DefaultHasher, Hash, Hasher};
use tagstream::profile::CallOptions;
use tagstream::{Engine, Event, EventKind, NoticeCode, Policy};

/// The engine of this workspace.
#[derive(Clone, Copy, Debug, Default)]
pub struct ThisEngine;

impl Subject for ThisEngine {
    type Policy = Policy;

    fn compile(&self, profile: &Value) -> Result<Policy, String> {
        let mut profile = profile.clone();
        let mut options = CallOptions::default();
        if let Some(own) = profile
            .as_object_mut()
            .and_then(|p| p.remove("own_dialects"))
        {
            options.dialects = serde_json::from_value(own).map_err(|error| error.to_string())?;
        }
        let loaded = tagstream::profile::parse_with(&profile.to_string(), &options);
        let profile = loaded.map_err(|error| error.to_string())?.profile;
        profile.compile().map_err(|error| error.to_string())
    }

    fn read(&self, policy: &Policy, chunks: &[&[u8]], finish: bool) -> Reading {
        let mut reading = Reading::default();
        let mut engine = Engine::new(policy);
        let mut is_whole = true;
        for chunk in chunks {
            let sink = |event: Event<'_>| record(&mut reading, &event);
            // Both ways in are tested: text wherever no character is cut.
            match std::str::from_utf8(chunk) {
                Ok(text) if is_whole => engine.push(text, sink),
                _ => {
                    engine.push_bytes(chunk, sink);
                    is_whole = false;
                }
            }
            reading.mark(chunk.len(), snapshot(&engine));
        }
        if finish {
            engine.finish(|event| record(&mut reading, &event));
            reading.mark(0, 0);
        }
        reading
    }

    fn dialects(&self) -> Vec<Value> {
        let built_in = tagstream::dialect::built_in().iter();
        let json = built_in.map(|built_in| serde_json::to_value(built_in.dialect()));
        json.collect::<Result<_, _>>()
            .expect("a dialect is plain data")
    }
}

fn record(reading: &mut Reading, event: &Event<'_>) {
    let span = [event.span.start, event.span.end];
    match event.kind {
        EventKind::Text(text) => reading.run(span, "text", 0, None, text),
        EventKind::Thought(text) => reading.run(span, "thought", 0, None, text),
        EventKind::Skip { reason, .. } => {
            reading.run(span, "skip", 0, Some(reason.as_str()), event.raw);
        }
        EventKind::CallDelta {
            index,
            argument,
            text,
            ..
        } => reading.run(span, "call_delta", index, argument, text),
        EventKind::ElementDelta { id, part, text, .. } => {
            reading.run(span, "element_delta", id, part, text);
        }
        EventKind::Notice {
            code: NoticeCode::InvalidUtf8,
            ..
        } => reading.invalid_utf8(span),
        // Written as JSON, numbers would lose their spelling.
        EventKind::CallEnd {
            index,
            id,
            name,
            arguments,
            ..
        } => {
            let fields = json!({"index": index, "id": id, "name": name, "arguments": arguments});
            reading.point(span, "call_end", fields.to_string());
        }
        kind => {
            let fields = serde_json::to_string(event).expect("an event is plain data");
            reading.point(span, name(&kind), fields);
        }
    }
}

fn name(kind: &EventKind<'_>) -> &'static str {
    match kind {
        EventKind::ThoughtStart { .. } => "thought_start",
        EventKind::ThoughtEnd { .. } => "thought_end",
        EventKind::CallStart { .. } => "call_start",
        EventKind::CallError { .. } => "call_error",
        EventKind::ElementStart { .. } => "element_start",
        EventKind::ElementEnd(_) => "element_end",
        EventKind::Notice { .. } => "notice",
        _ => "unknown",
    }
}

/// A hash of the open elements.
fn snapshot(engine: &Engine) -> u64 {
    let mut hasher = DefaultHasher::new();
    for element in engine.open_elements() {
        let json = serde_json::to_string(&element).expect("an element is plain data");
        json.hash(&mut hasher);
    }
    hasher.finish()
}
