//! A choice of one chunk, while it is edited.

use super::choice::Choice;
use super::thinking::{thinking, thought};
use crate::rewrite::object::Object;
use crate::rewrite::reading::{Piece, Pieces, Setup};
use crate::rewrite::{Options, Thinking, ids};

/// What becomes of a choice in a chunk.
#[derive(Default)]
pub(super) struct Edit {
    pub(super) index: u64,
    /// Deltas that go before it.
    pub(super) before: Vec<Object<'static>>,
    /// What it is now; `None` as it came.
    pub(super) json: Option<String>,
    /// Nothing is left in it.
    pub(super) is_void: bool,
}

/// A choice of a chunk, while it is edited.
#[derive(Default)]
pub(super) struct Step<'a> {
    pub(super) delta: Object<'a>,
    pub(super) is_changed: bool,
    pub(super) before: Vec<Object<'static>>,
}

impl<'a> Step<'a> {
    pub(super) fn run(
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

    /// Takes the content out, and puts the last piece in its place, if it can be there.
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

    /// The role, and thinking that was before the text, go with what goes first.
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
        let index = choice.index;
        let before = choice.native.count();
        let id = |number| ids::call("call", suffix, index, number);
        if let Some(json) = choice.native.deltas(json, id) {
            self.delta.set("tool_calls", json);
            self.is_changed = true;
        }
        choice.course.calls(choice.native.count() - before);
    }

    pub(super) fn edit(self, mut object: Object<'a>, index: u64) -> Edit {
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
