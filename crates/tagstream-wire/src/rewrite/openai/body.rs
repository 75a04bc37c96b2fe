//! OpenAI Chat Completions that do not stream.

use super::choice::tool_call;
use super::native::straighten;
use super::thinking::{Part, parts, text_of, thinking, thought};
use crate::rewrite::object::{Object, list, list_of};
use crate::rewrite::reading::{Piece, Pieces, Reading, Setup};
use crate::rewrite::{Thinking, ids};
use crate::session::policies::Course;

/// Whether it is a whole answer.
pub(super) fn is_body(object: &Object<'_>) -> bool {
    let choices = list(object.given("choices")).into_iter();
    choices
        .filter_map(Object::parse)
        .any(|choice| choice.get("message").is_some())
}

/// The answer as it should be; `None` if it can stay.
pub(super) fn rewrite(mut body: Object<'_>, setup: &mut Setup) -> Option<String> {
    let suffix = ids::suffix(&body.text("id").unwrap_or_default());
    let choices = list(body.given("choices"));
    let mut is_changed = false;
    let mut edited = Vec::new();
    for (place, json) in choices.into_iter().enumerate() {
        let new = choice(json, place as u64, &suffix, setup);
        is_changed |= new.is_some();
        edited.push(new.unwrap_or_else(|| json.to_owned()));
    }
    body.set("choices", list_of(&edited));
    is_changed.then(|| body.json())
}

fn choice(json: &str, place: u64, suffix: &str, setup: &mut Setup) -> Option<String> {
    let mut choice = Object::parse(json)?;
    let mut message = Object::parse(choice.given("message")?)?;
    let index = choice.number("index").unwrap_or(place);
    let mut calls = Vec::new();
    let mut course = Course::default();
    course.thinks(&thought(&message));
    let mut is_changed = thinking(&mut message, &setup.options);
    is_changed |= native(&message, suffix, index, &mut calls);
    let (pieces, is_same) = read(&message, course, setup);
    let found = calls.len();
    if !is_same {
        fill(&mut message, pieces, suffix, index, &mut calls, setup);
        if choice.get("logprobs").is_some() {
            choice.set("logprobs", "null");
        }
    }
    let has_found = calls.len() > found;
    if is_changed || has_found {
        if !calls.is_empty() {
            message.set("tool_calls", list_of(&calls));
        }
        if has_found && choice.text("finish_reason").as_deref() == Some("stop") {
            choice.set("finish_reason", "\"tool_calls\"");
        }
    }
    choice.set("message", message.json());
    (is_changed || !is_same).then(|| choice.json())
}

/// The calls that are there, with ids, and arguments that are strings; whether any had to change.
fn native(message: &Object<'_>, suffix: &str, choice: u64, calls: &mut Vec<String>) -> bool {
    let mut is_changed = false;
    for json in list(message.given("tool_calls")) {
        let Some(mut call) = Object::parse(json) else {
            continue;
        };
        let mut function = call.given("function").and_then(Object::parse);
        let is_string = function.as_mut().is_none_or(straighten);
        if let Some(function) = function.filter(|_| !is_string) {
            call.set("function", function.json());
        }
        let no_id = call.text("id").is_none();
        if no_id {
            call.set_text("id", &ids::call("call", suffix, choice, calls.len() as u64));
        }
        is_changed |= no_id || !is_string;
        calls.push(call.json());
    }
    is_changed
}

/// What is in the content, and whether it can stay.
fn read(message: &Object<'_>, course: Course, setup: &mut Setup) -> (Vec<Piece>, bool) {
    let mut pieces = Pieces::default();
    let Some(json) = message.given("content") else {
        return (pieces.0, true);
    };
    let mut reading = Reading::new(course, setup);
    let mut is_same = false;
    if json.starts_with('"') {
        is_same = reading.push(&text_of(json), setup, &mut pieces);
    } else {
        parts(json, &mut |part| match part {
            Part::Text(text) => {
                reading.push(text, setup, &mut pieces);
            }
            Part::Thought(text) if setup.options.thinking != Thinking::Hide => {
                pieces.thought(text);
            }
            Part::Thought(_) => {}
        });
    }
    let before = pieces.0.clone();
    reading.finish(setup, &mut pieces);
    is_same &= before == pieces.0;
    (pieces.0, is_same)
}

/// Puts all that was found into its place.
fn fill(
    message: &mut Object<'_>,
    pieces: Vec<Piece>,
    suffix: &str,
    choice: u64,
    calls: &mut Vec<String>,
    setup: &Setup,
) {
    let field = &setup.options.reasoning_field;
    let (mut content, mut thoughts) = (String::new(), String::new());
    thoughts.push_str(&message.get(field).map(text_of).unwrap_or_default());
    for piece in pieces {
        match piece {
            Piece::Text(text) => content.push_str(&text),
            Piece::Thought(text) => thoughts.push_str(&text),
            Piece::Call(call) => {
                let id = ids::call("call", suffix, choice, calls.len() as u64);
                calls.push(tool_call(&id, &call));
            }
        }
    }
    match content.is_empty() && !calls.is_empty() {
        true => message.set("content", "null"),
        false => message.set_text("content", &content),
    }
    if !thoughts.is_empty() {
        message.set_text(field, &thoughts);
    }
}
