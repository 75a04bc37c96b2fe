//! Anthropic Messages that do not stream.

use super::event::tool_use;
use crate::rewrite::object::{Object, list, list_of, string};
use crate::rewrite::reading::{Piece, Pieces, Reading, Setup};
use crate::rewrite::{Thinking, ids};
use crate::session::policies::Course;

/// The answer as it should be; `None` if it can stay.
pub(super) fn rewrite(mut message: Object<'_>, setup: &mut Setup) -> Option<String> {
    let mut answer = Answer {
        suffix: ids::suffix(&message.text("id").unwrap_or_default()),
        ..Answer::default()
    };
    for block in list(message.given("content")) {
        answer.block(block, setup);
    }
    if !answer.is_changed {
        return None;
    }
    message.set("content", list_of(&answer.blocks));
    if answer.calls > 0 && message.text("stop_reason").as_deref() == Some("end_turn") {
        message.set_text("stop_reason", "tool_use");
    }
    Some(message.json())
}

#[derive(Default)]
struct Answer {
    suffix: String,
    blocks: Vec<String>,
    calls: u64,
    course: Course,
    is_changed: bool,
}

impl Answer {
    fn block(&mut self, json: &str, setup: &mut Setup) {
        let block = Object::parse(json).unwrap_or_default();
        let kind = block.text("type").unwrap_or_default();
        let hides = setup.options.thinking == Thinking::Hide;
        match &*kind {
            "thinking" => self.course.begins(),
            "tool_use" => self.course.calls(1),
            _ => {}
        }
        match &*kind {
            "text" => self.text(&block, json, setup),
            "thinking" | "redacted_thinking" if hides => self.is_changed = true,
            _ => self.blocks.push(json.to_owned()),
        }
    }

    fn text(&mut self, block: &Object<'_>, json: &str, setup: &mut Setup) {
        let text = block.text("text").unwrap_or_default();
        let mut pieces = Pieces::default();
        let mut reading = Reading::new(self.course, setup);
        let is_same = reading.push(&text, setup, &mut pieces);
        self.course = reading.finish(setup, &mut pieces);
        // What waited to the end may have been text all along.
        let is_same = is_same || matches!(&pieces.0[..], [Piece::Text(left)] if *left == text);
        if is_same {
            return self.blocks.push(json.to_owned());
        }
        self.is_changed = true;
        for piece in pieces.0 {
            let block = self.piece(piece, block);
            self.blocks.push(block);
        }
    }

    fn piece(&mut self, piece: Piece, block: &Object<'_>) -> String {
        match piece {
            Piece::Text(text) => {
                let mut block = block.clone();
                block.set_text("text", &text);
                block.json()
            }
            Piece::Thought(text) => {
                let text = string(&text);
                format!("{{\"type\":\"thinking\",\"thinking\":{text},\"signature\":\"\"}}")
            }
            Piece::Call(call) => {
                self.calls += 1;
                tool_use(&self.suffix, self.calls - 1, &call, &call.arguments)
            }
        }
    }
}
