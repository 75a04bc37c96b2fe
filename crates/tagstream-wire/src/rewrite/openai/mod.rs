//! OpenAI Chat Completions.

mod body;
mod choice;
mod native;
mod step;
mod thinking;

use super::ids;
use super::object::{Object, list, list_of};
use super::out::Out;
use super::reading::{Pieces, Setup};
use crate::framing::frame::Message;
use crate::session::choices;
use choice::Choice;
use step::{Edit, Step};

/// What all chunks of an answer have alike.
const HEAD: [&str; 7] = [
    "id",
    "object",
    "created",
    "model",
    "system_fingerprint",
    "service_tier",
    "provider",
];

/// What is put where a server leaves it out.
const DEFAULTS: [(&str, &str); 4] = [
    ("id", "\"chatcmpl-0\""),
    ("object", "\"chat.completion.chunk\""),
    ("created", "0"),
    ("model", "\"\""),
];

/// A stream of Chat Completions.
#[derive(Debug, Default)]
pub(super) struct OpenAi {
    /// What its first chunk says of the answer.
    head: Option<Object<'static>>,
    suffix: String,
    choices: Vec<Choice>,
}

impl OpenAi {
    pub(super) fn frame(&mut self, message: &Message<'_>, setup: &mut Setup, out: &mut Out<'_>) {
        let data = message.json();
        // Clients stumble over bytes that are no UTF-8, and over ids once a comment follows.
        let is_odd = message.replaced || message.id.is_some() || message.retry.is_some();
        match (data, Object::parse(data)) {
            ("", _) => out.comment(message.event.as_deref().unwrap_or("ping")),
            ("[DONE]", _) => {
                self.flush(setup, out);
                out.same();
            }
            (_, Some(object)) if is_ping(&object, message) => {
                out.comment(message.event.as_deref().unwrap_or("ping"));
            }
            (_, Some(object)) if is_answer(&object) => {
                self.object(object, data, is_odd, setup, out);
            }
            (_, Some(object)) => {
                // After an error nobody reads on.
                if object.get("error").is_some() {
                    self.flush(setup, out);
                }
                pass(data, is_odd, out);
            }
            _ => pass(data, is_odd, out),
        }
    }

    fn object(
        &mut self,
        object: Object<'_>,
        data: &str,
        is_odd: bool,
        setup: &mut Setup,
        out: &mut Out<'_>,
    ) {
        if body::is_body(&object) {
            return match body::rewrite(object, setup) {
                Some(json) => out.edited(&json),
                None => out.same(),
            };
        }
        let json = self.chunk(object, setup, out);
        match json {
            Chunk::Same => pass(data, is_odd, out),
            Chunk::Edited(json) => out.edited(&json),
            Chunk::Dropped => {}
        }
    }

    /// Ends all texts.
    pub(super) fn flush(&mut self, setup: &mut Setup, out: &mut Out<'_>) {
        let Some(head) = self.head.clone() else {
            return;
        };
        for choice in &mut self.choices {
            let mut pieces = Pieces::default();
            choice.end(setup, &mut pieces);
            let deltas = choice.deltas(pieces.0, &setup.options, &self.suffix);
            let deltas = choice.with_role(deltas);
            deltas
                .iter()
                .for_each(|delta| out.new_frame(&chunk_of(&head, choice.index, delta)));
        }
    }

    fn chunk(&mut self, mut chunk: Object<'_>, setup: &mut Setup, out: &mut Out<'_>) -> Chunk {
        let choices = list(chunk.given("choices"));
        let mut is_changed = self.complete(&mut chunk, !choices.is_empty());
        let head = chunk.only(&HEAD);
        let mut edited = Vec::new();
        let mut is_void = !choices.is_empty();
        for (place, json) in choices.into_iter().enumerate() {
            let edit = self.choice(json, place as u64, setup);
            for delta in &edit.before {
                out.new_frame(&chunk_of(&head, edit.index, delta));
            }
            is_changed |= edit.json.is_some();
            is_void &= edit.is_void;
            edited.push(edit.json.unwrap_or_else(|| json.to_owned()));
        }
        if !is_changed {
            return Chunk::Same;
        }
        chunk.remove("obfuscation");
        chunk.set("choices", list_of(&edited));
        let says_more = chunk
            .keys()
            .any(|key| key != "choices" && !HEAD.contains(&key));
        match is_void && !says_more {
            true => Chunk::Dropped,
            false => Chunk::Edited(chunk.json()),
        }
    }

    /// Sets what every chunk must have; whether anything was missing.
    fn complete(&mut self, chunk: &mut Object<'_>, has_choices: bool) -> bool {
        if self.head.is_none() && has_choices {
            let id = chunk.text("id").unwrap_or_default();
            self.suffix = ids::suffix(&id);
        }
        let mut is_changed = false;
        for (key, default) in DEFAULTS.iter().rev() {
            if chunk.get(key).is_none() {
                let known = self.head.as_ref().and_then(|head| head.get(key));
                chunk.set_first(key, known.unwrap_or(default).to_owned());
                is_changed = true;
            }
        }
        if chunk.get("choices").is_none() {
            chunk.set("choices", "[]");
            is_changed = true;
        }
        if self.head.is_none() && has_choices {
            self.head = Some(chunk.only(&HEAD).into_owned());
        }
        is_changed
    }

    fn choice(&mut self, json: &str, place: u64, setup: &mut Setup) -> Edit {
        let Some(mut object) = Object::parse(json).filter(|choice| !choice.has("text")) else {
            return Edit::default();
        };
        let index = object.number("index").unwrap_or(place);
        let Some(choice) = choices::choice(&mut self.choices, index, || Choice::new(index)) else {
            return Edit::default();
        };
        let delta = object.given("delta").and_then(Object::parse);
        let mut step = Step {
            is_changed: object.number("index").is_none() || delta.is_none(),
            delta: delta.unwrap_or_default(),
            ..Step::default()
        };
        step.run(&mut object, choice, setup, &self.suffix);
        if object.number("index").is_none() {
            object.set_first("index", index.to_string());
        }
        step.edit(object, index)
    }
}

/// What becomes of a chunk.
enum Chunk {
    Same,
    Edited(String),
    Dropped,
}

/// Writes a frame as it came, or at least its data.
fn pass(data: &str, is_odd: bool, out: &mut Out<'_>) {
    match is_odd {
        true => out.edited(data),
        false => out.same(),
    }
}

/// Whether it is part of an answer, and no error.
fn is_answer(object: &Object<'_>) -> bool {
    object.get("error").is_none() && (object.has("choices") || object.get("usage").is_some())
}

/// A named event that says nothing: most clients take every event for a chunk.
fn is_ping(object: &Object<'_>, message: &Message<'_>) -> bool {
    let keys = ["choices", "error", "usage"];
    message.event.is_some() && !keys.iter().any(|key| object.has(key))
}

fn chunk_of(head: &Object<'_>, index: u64, delta: &Object<'_>) -> String {
    let mut chunk = head.clone();
    let delta = delta.json();
    let choice = format!("[{{\"index\":{index},\"delta\":{delta},\"finish_reason\":null}}]");
    chunk.set("choices", choice);
    chunk.json()
}
