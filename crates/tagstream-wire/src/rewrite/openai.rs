//! OpenAI Chat Completions, as they stream.

use super::ids;
use super::native::Native;
use super::object::{Object, list, list_of, string};
use super::openai_body;
use super::out::Out;
use super::reading::{Call, Piece, Pieces, Reading, Setup};
use super::{Options, Thinking};
use crate::frame::Message;
use crate::policies::Course;
use std::borrow::Cow;

/// No request asks for more; a stream that says so is broken.
const MOST_CHOICES: usize = 1024;

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

/// The fields in which servers write thinking.
pub(super) const REASONING: [&str; 2] = ["reasoning_content", "reasoning"];

/// A stream of Chat Completions.
#[derive(Debug, Default)]
pub(super) struct OpenAi {
    /// What its first chunk says of the answer.
    head: Option<Object<'static>>,
    suffix: String,
    choices: Vec<Choice>,
}

#[derive(Debug, Default)]
struct Choice {
    index: u64,
    reading: Option<Reading>,
    has_role: bool,
    has_finish: bool,
    has_found: bool,
    native: Native,
    course: Course,
}

impl OpenAi {
    pub(super) fn frame(&mut self, message: &Message<'_>, setup: &mut Setup, out: &mut Out<'_>) {
        let data = message.data.as_deref().unwrap_or("").trim_ascii();
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
                // Behind an error nobody reads on.
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
        if openai_body::is_body(&object) {
            return match openai_body::rewrite(object, setup) {
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
        let Some(choice) = state(&mut self.choices, index) else {
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

/// What becomes of a choice in a chunk.
#[derive(Default)]
struct Edit {
    index: u64,
    /// Deltas that go before it.
    before: Vec<Object<'static>>,
    /// What it is now; `None` as it came.
    json: Option<String>,
    /// Nothing is left in it.
    is_void: bool,
}

/// A choice of a chunk, while it is edited.
#[derive(Default)]
struct Step<'a> {
    delta: Object<'a>,
    is_changed: bool,
    before: Vec<Object<'static>>,
}

impl<'a> Step<'a> {
    fn run(
        &mut self,
        object: &mut Object<'a>,
        choice: &mut Choice,
        setup: &mut Setup,
        suffix: &str,
    ) {
        self.role(choice);
        choice.course.thinks(&thought(&self.delta));
        self.is_changed |= thinking(&mut self.delta, &setup.options);
        let reason = object.text("finish_reason");
        self.content(object, reason.is_some(), choice, setup, suffix);
        self.calls(choice, suffix);
        if let Some(reason) = reason {
            self.is_changed |= choice.finish(&reason, object);
        }
    }

    /// A role comes once, and always.
    fn role(&mut self, choice: &mut Choice) {
        let has_role = self.delta.get("role").is_some();
        if choice.has_role && has_role {
            self.is_changed |= self.delta.remove("role");
        } else if !choice.has_role && !has_role {
            self.delta.set_first("role", "\"assistant\"");
            self.is_changed = true;
        }
        choice.has_role = true;
    }

    fn content(
        &mut self,
        object: &mut Object<'a>,
        ends: bool,
        choice: &mut Choice,
        setup: &mut Setup,
        suffix: &str,
    ) {
        let mut pieces = Pieces::default();
        let content = self.delta.given("content");
        let mut is_same = choice.content(content, setup, &mut pieces);
        let had_content = content.is_some_and(|json| json != "\"\"");
        let was = pieces.0.len();
        if ends {
            choice.end(setup, &mut pieces);
            is_same &= pieces.0.len() == was || !had_content;
        }
        let mut pieces = pieces.0;
        if !is_same {
            self.replace(object, &mut pieces, &setup.options);
        } else if had_content {
            // What is as it was stays where it was.
            pieces.clear();
        }
        self.before = choice.deltas(pieces, &setup.options, suffix);
        self.move_before(&setup.options);
    }

    /// Takes the content out, and puts the last piece in its place, if it can stand there.
    fn replace(&mut self, object: &mut Object<'a>, pieces: &mut Vec<Piece>, options: &Options) {
        self.is_changed = true;
        self.delta.remove("content");
        if object.get("logprobs").is_some() {
            object.set("logprobs", "null");
        }
        match pieces.pop() {
            Some(Piece::Text(text)) => self.delta.set_text("content", &text),
            Some(Piece::Thought(text)) if !self.thinks(options) => {
                self.delta.set_text(&options.reasoning_field, &text);
            }
            Some(other) => pieces.push(other),
            None => {}
        }
    }

    fn thinks(&self, options: &Options) -> bool {
        self.delta.get(&options.reasoning_field).is_some()
    }

    /// The role, and thinking that stood before the text, go with what goes first.
    fn move_before(&mut self, options: &Options) {
        let Some(first) = self.before.first_mut() else {
            return;
        };
        if let Some(role) = self.delta.get("role").map(str::to_owned) {
            first.set_first("role", role);
            self.delta.remove("role");
            self.is_changed = true;
        }
        let field = &options.reasoning_field;
        if options.thinking == Thinking::Move
            && let Some(thought) = self.delta.given(field).map(str::to_owned)
        {
            let mut delta = Object::default();
            if let Some(role) = first.get("role").map(str::to_owned) {
                delta.set("role", role);
                first.remove("role");
            }
            delta.set(field, thought);
            self.before.insert(0, delta);
            self.delta.remove(field);
            self.is_changed = true;
        }
    }

    fn calls(&mut self, choice: &mut Choice, suffix: &str) {
        let Some(json) = self.delta.given("tool_calls") else {
            return;
        };
        choice.course.acts();
        let index = choice.index;
        let id = |number| ids::call("call", suffix, index, number);
        if let Some(json) = choice.native.deltas(json, id) {
            self.delta.set("tool_calls", json);
            self.is_changed = true;
        }
    }

    fn edit(self, mut object: Object<'a>, index: u64) -> Edit {
        let says = |key: &str| key != "content" || self.delta.get(key) != Some("\"\"");
        let is_void = !self.delta.keys().any(says) && object.get("finish_reason").is_none();
        let is_void = is_void && self.is_changed;
        let json = self.is_changed.then(|| {
            object.set("delta", self.delta.json());
            object.json()
        });
        let before = self.before;
        Edit {
            index,
            before,
            json,
            is_void,
        }
    }
}

impl Choice {
    /// Reads a content; whether it can stay.
    fn content(&mut self, json: Option<&str>, setup: &mut Setup, pieces: &mut Pieces) -> bool {
        match json {
            Some(json) if json.starts_with('"') => {
                let text: Cow<'_, str> = text_of(json);
                text.is_empty() || self.reading(setup).push(&text, setup, pieces)
            }
            Some(json) => {
                parts(json, &mut |part| match part {
                    Part::Text(text) => {
                        self.reading(setup).push(text, setup, pieces);
                    }
                    Part::Thought(text) => {
                        self.course.thinks(text);
                        if setup.options.thinking != Thinking::Hide {
                            pieces.thought(text);
                        }
                    }
                });
                false
            }
            None => true,
        }
    }

    fn reading(&mut self, setup: &Setup) -> &mut Reading {
        let course = self.course;
        self.reading
            .get_or_insert_with(|| Reading::new(course, setup))
    }

    fn end(&mut self, setup: &mut Setup, pieces: &mut Pieces) {
        if let Some(reading) = self.reading.take() {
            self.course = reading.finish(setup, pieces);
        }
    }

    /// A delta for each piece: clients disagree on the order of what stands in one.
    fn deltas(
        &mut self,
        pieces: Vec<Piece>,
        options: &Options,
        suffix: &str,
    ) -> Vec<Object<'static>> {
        let delta = |piece| {
            let mut delta = Object::default();
            match piece {
                Piece::Text(text) => delta.set_text("content", &text),
                Piece::Thought(text) => delta.set_text(&options.reasoning_field, &text),
                Piece::Call(call) => delta.set("tool_calls", self.call(&call, suffix)),
            }
            delta
        };
        pieces.into_iter().map(delta).collect()
    }

    fn with_role(&mut self, mut deltas: Vec<Object<'static>>) -> Vec<Object<'static>> {
        if let Some(first) = deltas.first_mut().filter(|_| !self.has_role) {
            first.set_first("role", "\"assistant\"");
            self.has_role = true;
        }
        deltas
    }

    /// The list with a whole call.
    fn call(&mut self, call: &Call, suffix: &str) -> String {
        self.has_found = true;
        let number = self.native.number();
        let id = ids::call("call", suffix, self.index, number);
        let call = tool_call(&id, call);
        format!("[{{\"index\":{number},{}]", &call[1..])
    }

    /// One finish, with the reason that is true now; whether it had to be changed.
    fn finish(&mut self, reason: &str, object: &mut Object<'_>) -> bool {
        if std::mem::replace(&mut self.has_finish, true) {
            object.set("finish_reason", "null");
            return true;
        }
        let calls = self.has_found && reason == "stop";
        if calls {
            object.set("finish_reason", "\"tool_calls\"");
        }
        calls
    }
}

/// A whole call.
pub(super) fn tool_call(id: &str, call: &Call) -> String {
    format!(
        "{{\"id\":{},\"type\":\"function\",\"function\":{{\"name\":{},\"arguments\":{}}}}}",
        string(id),
        string(&call.name),
        string(&call.arguments)
    )
}

/// Moves thinking that the provider tells apart; whether anything changed.
pub(super) fn thinking(delta: &mut Object<'_>, options: &Options) -> bool {
    match options.thinking {
        Thinking::Keep => false,
        Thinking::Hide => {
            let says = |key: &str| delta.get(key).is_some();
            let fields = REASONING.iter().chain([&"reasoning_details"]);
            let given: Vec<&str> = fields.copied().filter(|key| says(key)).collect();
            given.iter().for_each(|key| {
                delta.remove(key);
            });
            !given.is_empty()
        }
        Thinking::Move => move_thinking(delta, &options.reasoning_field),
    }
}

/// What the provider says of its thinking, in whatever field.
pub(super) fn thought<'a>(delta: &Object<'a>) -> Cow<'a, str> {
    let given = REASONING.iter().find_map(|key| delta.text(key));
    given.or_else(|| details(delta)).unwrap_or_default()
}

fn move_thinking(delta: &mut Object<'_>, field: &str) -> bool {
    let thought = thought(delta);
    if thought.is_empty() {
        return false;
    }
    let is_other = |key: &&&str| **key != field && delta.get(key).is_some();
    let others: Vec<_> = REASONING.iter().filter(is_other).collect();
    let mut is_changed = !others.is_empty();
    others.iter().for_each(|key| {
        delta.remove(key);
    });
    if delta.text(field).as_ref() != Some(&thought) {
        delta.set_text(field, &thought);
        is_changed = true;
    }
    is_changed
}

/// What OpenRouter's details say, where there is nothing else.
fn details<'a>(delta: &Object<'a>) -> Option<Cow<'a, str>> {
    let details = list(delta.given("reasoning_details")).into_iter();
    let text = |detail: Object<'a>| detail.text("text").or_else(|| detail.text("summary"));
    let texts: Vec<_> = details
        .filter_map(|json| Object::parse(json).and_then(text))
        .collect();
    let joined = texts.concat();
    (!joined.is_empty()).then_some(Cow::Owned(joined))
}

/// A part of a content that is a list.
pub(super) enum Part<'p> {
    Text(&'p str),
    Thought(&'p str),
}

/// Gives the parts of a content that is a list, as Mistral writes it.
pub(super) fn parts(json: &str, each: &mut dyn FnMut(Part<'_>)) {
    for part in list(Some(json)).into_iter().filter_map(Object::parse) {
        for thought in list(part.given("thinking")) {
            if let Some(text) = Object::parse(thought).and_then(|object| object.text("text")) {
                each(Part::Thought(&text));
            }
        }
        if let Some(text) = part.text("text") {
            each(Part::Text(&text));
        }
    }
}

/// The text of a JSON string.
pub(super) fn text_of(json: &str) -> Cow<'_, str> {
    let text: Option<crate::text::Text<'_>> = serde_json::from_str(json).ok();
    text.unwrap_or_default().0
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

/// The choice with this index; `None` if there are too many.
fn state(choices: &mut Vec<Choice>, index: u64) -> Option<&mut Choice> {
    let known = choices.iter().position(|choice| choice.index == index);
    if known.is_none() && choices.len() >= MOST_CHOICES {
        return None;
    }
    let at = known.unwrap_or_else(|| {
        choices.push(Choice {
            index,
            ..Choice::default()
        });
        choices.len() - 1
    });
    choices.get_mut(at)
}
