//! A choice of Chat Completions, as far as it has come.

use super::native::Native;
use super::thinking::{Part, parts, text_of};
use crate::rewrite::object::{Object, string};
use crate::rewrite::reading::{Call, Piece, Pieces, Reading, Setup};
use crate::rewrite::{Options, Thinking, ids};
use crate::session::choices::Indexed;
use crate::session::policies::Course;
use std::borrow::Cow;

#[derive(Debug, Default)]
pub(super) struct Choice {
    pub(super) index: u64,
    pub(super) reading: Option<Reading>,
    pub(super) has_role: bool,
    pub(super) has_finish: bool,
    pub(super) has_found: bool,
    pub(super) native: Native,
    pub(super) course: Course,
}

impl Indexed for Choice {
    fn index(&self) -> u64 {
        self.index
    }
}

impl Choice {
    pub(super) fn new(index: u64) -> Self {
        Choice {
            index,
            ..Choice::default()
        }
    }

    /// Reads a content; whether it can stay.
    pub(super) fn content(
        &mut self,
        json: Option<&str>,
        setup: &mut Setup,
        pieces: &mut Pieces,
    ) -> bool {
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

    pub(super) fn reading(&mut self, setup: &Setup) -> &mut Reading {
        let course = self.course;
        self.reading
            .get_or_insert_with(|| Reading::new(course, setup))
    }

    pub(super) fn end(&mut self, setup: &mut Setup, pieces: &mut Pieces) {
        if let Some(reading) = self.reading.take() {
            self.course = reading.finish(setup, pieces);
        }
    }

    /// A delta for each piece: clients disagree on the order of what is in one.
    pub(super) fn deltas(
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

    pub(super) fn with_role(&mut self, mut deltas: Vec<Object<'static>>) -> Vec<Object<'static>> {
        if let Some(first) = deltas.first_mut().filter(|_| !self.has_role) {
            first.set_first("role", "\"assistant\"");
            self.has_role = true;
        }
        deltas
    }

    /// The list with a whole call.
    pub(super) fn call(&mut self, call: &Call, suffix: &str) -> String {
        self.has_found = true;
        let number = self.native.number();
        let id = ids::call("call", suffix, self.index, number);
        let call = tool_call(&id, call);
        format!("[{{\"index\":{number},{}]", &call[1..])
    }

    /// One finish, with the reason that is true now; whether it had to be changed.
    pub(super) fn finish(&mut self, reason: &str, object: &mut Object<'_>) -> bool {
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
