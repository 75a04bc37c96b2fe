//! Native thinking: in its fields, and in parts of a content.

use crate::rewrite::object::{Object, list};
use crate::rewrite::{Options, Thinking};
use std::borrow::Cow;

/// The fields in which servers write thinking.
const REASONING: [&str; 2] = ["reasoning_content", "reasoning"];

/// Moves native thinking; returns whether anything changed.
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
    let text: Option<crate::decode::text::Text<'_>> = serde_json::from_str(json).ok();
    text.unwrap_or_default().0
}
