//! The engine before the rebuild as a [`Subject`].

use before::{Engine, Event, Kind, NoticeCode, Policy};
use before_profiles::CallOptions;
use serde_json::{Value, json};
use std::hash::{DefaultHasher, Hash, Hasher};
use tagstream_testing::random::{Reading, Subject};

/// The engine before the rebuild.
#[derive(Clone, Copy, Debug, Default)]
pub struct Before;

impl Subject for Before {
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
        let loaded = before_profiles::parse_with(&profile.to_string(), &options);
        let profile = loaded.map_err(|error| error.to_string())?.profile;
        profile.compile().map_err(|error| error.to_string())
    }

    fn read(&self, policy: &Policy, chunks: &[&[u8]], finish: bool) -> Reading {
        let mut reading = Reading::default();
        let mut engine = Engine::new(policy);
        let mut is_whole = true;
        for chunk in chunks {
            let mut sink = |event: Event<'_>| record(&mut reading, &event);
            // Both ways in are tested: text wherever no character is cut.
            match std::str::from_utf8(chunk) {
                Ok(text) if is_whole => engine.push(text, &mut sink),
                _ => {
                    engine.push_bytes(chunk, &mut sink);
                    is_whole = false;
                }
            }
            reading.mark(chunk.len(), snapshot(&engine));
        }
        if finish {
            engine.finish(&mut |event: Event<'_>| record(&mut reading, &event));
            reading.mark(0, 0);
        }
        reading
    }

    fn dialects(&self) -> Vec<Value> {
        let built_in = before_calls::dialects().iter();
        let json = built_in.map(|built_in| serde_json::to_value(built_in.dialect()));
        json.collect::<Result<_, _>>()
            .expect("a dialect is plain data")
    }
}

fn record(reading: &mut Reading, event: &Event<'_>) {
    let span = [event.span.start, event.span.end];
    match event.kind {
        Kind::Text(text) => reading.run(span, "text", 0, None, text),
        Kind::Thought(text) => reading.run(span, "thought", 0, None, text),
        Kind::Skip(text) => reading.run(span, "skip", 0, None, text),
        Kind::CallDelta {
            index,
            argument,
            text,
        } => reading.run(span, "call_delta", index, argument, text),
        Kind::ElementDelta { id, part, text } => {
            reading.run(span, "element_delta", id, part, text);
        }
        Kind::Notice {
            code: NoticeCode::InvalidUtf8,
            ..
        } => reading.invalid_utf8(span),
        // Written as JSON, numbers would lose their spelling.
        Kind::CallEnd {
            index,
            id,
            name,
            arguments,
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

fn name(kind: &Kind<'_>) -> &'static str {
    match kind {
        Kind::ThoughtStart { .. } => "thought_start",
        Kind::ThoughtEnd { .. } => "thought_end",
        Kind::CallStart { .. } => "call_start",
        Kind::CallError { .. } => "call_error",
        Kind::ElementStart { .. } => "element_start",
        Kind::ElementEnd(_) => "element_end",
        Kind::Notice { .. } => "notice",
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
