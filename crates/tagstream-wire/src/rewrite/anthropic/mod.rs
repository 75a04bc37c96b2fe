//! Anthropic Messages.
//!
//! Blocks come one after the other and are numbered without gaps, so that blocks that are dropped
//! or made renumber all that follow.

mod body;
mod event;
mod written;

use super::object::Object;
use super::out::{Out, Style};
use super::reading::{Pieces, Reading, Setup};
use super::{Thinking, ids};
use crate::framing::frame::Message;
use crate::session::policies::Course;
use event::Event;
use std::borrow::Cow;
use written::{Behind, Kind, Text};

/// A stream of Messages.
#[derive(Debug, Default)]
pub(super) struct Anthropic {
    suffix: String,
    /// The block of the provider that is open.
    block: Option<Block>,
    /// The block that is open in what was written.
    open: Option<Kind>,
    /// The number of the next block that is written.
    next: u64,
    calls: u64,
    course: Course,
}

/// A block of the provider.
#[derive(Debug)]
struct Block {
    index: u64,
    role: Role,
}

#[derive(Debug)]
enum Role {
    Text(Box<Text>),
    /// Passed on as it is, under this number.
    Passed(u64),
    Dropped,
}

impl Anthropic {
    pub(super) fn frame(&mut self, message: &Message<'_>, setup: &mut Setup, out: &mut Out<'_>) {
        let data = message.json();
        let Some(event) = Object::parse(data) else {
            return self.aside(false, out.raw.to_vec(), setup, out);
        };
        let kind = event.text("type").unwrap_or_default();
        // Clients pass over an event without its name.
        let is_odd = message.replaced || (message.event.is_none() && out.style == Style::Events);
        let mut frame = Event {
            kind: &kind,
            event,
            is_changed: is_odd && !kind.is_empty(),
        };
        match &*kind {
            "message" => match body::rewrite(frame.event, setup) {
                Some(json) => out.edited(&json),
                None => out.same(),
            },
            "message_start" => self.message_start(&frame, out),
            "content_block_start" => self.start(&mut frame, setup, out),
            "content_block_delta" => self.delta(&mut frame, setup, out),
            "content_block_stop" => self.stop(&mut frame, setup, out),
            "message_delta" => self.message_delta(&mut frame, setup, out),
            "message_stop" => {
                self.flush(setup, out);
                frame.write(out);
            }
            "error" => {
                // After it nobody reads on.
                self.finish(setup, out);
                frame.write(out);
            }
            _ => self.aside(false, frame.bytes(out), setup, out),
        }
    }

    /// A frame between others, such as a ping or a comment.
    ///
    /// As long as nothing has come of a text, one goes out after the text's start, so that the
    /// order stays. The next does not wait: it may be what keeps the connection alive.
    pub(super) fn aside(
        &mut self,
        is_of_text: bool,
        bytes: Vec<u8>,
        setup: &Setup,
        out: &mut Out<'_>,
    ) {
        let behind = Behind { bytes, is_of_text };
        match self.waiting().filter(|text| !text.has_come) {
            Some(text) if is_of_text || text.is_patient => {
                text.wait(behind, setup.options.frame_limit, out);
            }
            _ => out.bytes.extend(behind.bytes),
        }
    }

    /// Writes the frames that are held.
    pub(super) fn hurry(&mut self, out: &mut Out<'_>) {
        if let Some(text) = self.waiting() {
            text.hurry(out);
        }
    }

    /// The text whose start has not been written, and may yet be.
    fn waiting(&mut self) -> Option<&mut Text> {
        match &mut self.block.as_mut()?.role {
            Role::Text(text) if text.start.is_some() => Some(text),
            _ => None,
        }
    }

    /// Ends the text and the block that are open.
    pub(super) fn flush(&mut self, setup: &mut Setup, out: &mut Out<'_>) {
        self.end_text(setup, out);
        self.close(out);
    }

    /// The stream is over, with or without its end: what is open stays so.
    pub(super) fn finish(&mut self, setup: &mut Setup, out: &mut Out<'_>) {
        if let Some(text) = self.waiting().filter(|text| !text.has_come) {
            text.write_start(out);
        }
        self.end_text(setup, out);
    }

    fn message_start(&mut self, frame: &Event<'_>, out: &mut Out<'_>) {
        let message = frame.event.given("message").and_then(Object::parse);
        let id = message.and_then(|message| message.text("id"));
        self.suffix = ids::suffix(&id.unwrap_or_default());
        frame.write(out);
    }

    fn start(&mut self, frame: &mut Event<'_>, setup: &mut Setup, out: &mut Out<'_>) {
        let index = frame.index();
        // A block that begins ends the one before, if nobody has said so.
        self.flush(setup, out);
        let content = frame.event.given("content_block").and_then(Object::parse);
        let content = content.unwrap_or_default();
        let kind = content.text("type").unwrap_or_default();
        match &*kind {
            "thinking" => self.course.begins(),
            "tool_use" => self.course.calls(1),
            _ => {}
        }
        let role = match &*kind {
            "text" => return self.start_text(frame, &content, setup, out),
            "thinking" | "redacted_thinking" if setup.options.thinking == Thinking::Hide => {
                Role::Dropped
            }
            _ => {
                let number = self.number();
                frame.renumber(number);
                frame.write(out);
                Role::Passed(number)
            }
        };
        self.block = Some(Block { index, role });
    }

    /// The start of a text waits for text: there may be none.
    fn start_text(
        &mut self,
        frame: &mut Event<'_>,
        content: &Object<'_>,
        setup: &mut Setup,
        out: &mut Out<'_>,
    ) {
        let index = frame.index();
        let given = content.text("text").map(Cow::into_owned);
        if given.is_some() || !content.has("text") {
            let mut content = content.clone();
            content.set_text("text", "");
            frame.event.set("content_block", content.json());
            frame.is_changed = true;
        }
        frame.renumber(self.next);
        let start = frame.bytes(out);
        let text = Text {
            reading: Some(Reading::new(self.course, setup)),
            has_come: false,
            start: Some(start),
            behind: Vec::new(),
            is_patient: true,
            number: None,
        };
        let role = Role::Text(Box::new(text));
        self.block = Some(Block { index, role });
        if let Some(given) = given {
            let mut pieces = Pieces::default();
            self.read(&given, setup, &mut pieces);
            self.pieces(pieces, out);
        }
    }

    fn delta(&mut self, frame: &mut Event<'_>, setup: &mut Setup, out: &mut Out<'_>) {
        let delta = frame.event.given("delta").and_then(Object::parse);
        let delta = delta.unwrap_or_default();
        let is_text = delta.text("type").as_deref() == Some("text_delta");
        let index = frame.index();
        match &mut self.block {
            Some(block) if block.index == index => match &mut block.role {
                Role::Dropped => {}
                Role::Passed(number) => {
                    let number = *number;
                    frame.renumber(number);
                    frame.write(out);
                }
                Role::Text(_) if is_text => self.text(&delta, frame, setup, out),
                Role::Text(_) => self.beside_text(frame, setup, out),
            },
            _ => frame.write(out),
        }
    }

    fn text(
        &mut self,
        delta: &Object<'_>,
        frame: &mut Event<'_>,
        setup: &mut Setup,
        out: &mut Out<'_>,
    ) {
        let text = delta.text("text").unwrap_or_default();
        let mut pieces = Pieces::default();
        if text.is_empty() {
            return self.beside_text(frame, setup, out);
        }
        if self.read(&text, setup, &mut pieces) {
            self.open_block(Kind::Text, out);
            frame.renumber(self.next - 1);
            return frame.write(out);
        }
        self.pieces(pieces, out);
    }

    /// What belongs to a text but is not text, such as citations.
    fn beside_text(&mut self, frame: &mut Event<'_>, setup: &Setup, out: &mut Out<'_>) {
        let in_text = self.open == Some(Kind::Text);
        match self.waiting() {
            Some(text) if text.has_come => {}
            Some(_) => {
                frame.renumber(self.next);
                self.aside(true, frame.bytes(out), setup, out);
            }
            None if in_text => {
                frame.renumber(self.next - 1);
                frame.write(out);
            }
            None => {}
        }
    }

    fn read(&mut self, text: &str, setup: &mut Setup, pieces: &mut Pieces) -> bool {
        match self.block.as_mut().map(|block| &mut block.role) {
            Some(Role::Text(open)) => {
                open.has_come = true;
                let reading = open.reading.as_mut();
                reading.is_some_and(|reading| reading.push(text, setup, pieces))
            }
            _ => false,
        }
    }

    fn stop(&mut self, frame: &mut Event<'_>, setup: &mut Setup, out: &mut Out<'_>) {
        let index = frame.index();
        match self.block.as_ref().map(|block| (block.index, &block.role)) {
            Some((open, Role::Text(_))) if open == index => self.stop_text(frame, setup, out),
            Some((open, Role::Passed(number))) if open == index => {
                frame.renumber(*number);
                frame.write(out);
                self.block = None;
            }
            Some((open, Role::Dropped)) if open == index => self.block = None,
            _ => frame.write(out),
        }
    }

    fn stop_text(&mut self, frame: &mut Event<'_>, setup: &mut Setup, out: &mut Out<'_>) {
        if let Some(text) = self.waiting().filter(|text| !text.has_come) {
            // The provider's own block is empty, and may stay so.
            text.write_start(out);
            self.block = None;
            frame.renumber(self.number());
            return frame.write(out);
        }
        let number = self.end_text(setup, out);
        if number.is_some() && number == self.next.checked_sub(1) && self.open.is_some() {
            self.open = None;
            frame.renumber(self.next - 1);
            return frame.write(out);
        }
        self.close(out);
    }

    fn message_delta(&mut self, frame: &mut Event<'_>, setup: &mut Setup, out: &mut Out<'_>) {
        self.flush(setup, out);
        let mut delta = frame.event.given("delta").and_then(Object::parse);
        if self.calls > 0
            && let Some(delta) = &mut delta
            && delta.text("stop_reason").as_deref() == Some("end_turn")
        {
            delta.set_text("stop_reason", "tool_use");
            frame.event.set("delta", delta.json());
            frame.is_changed = true;
        }
        frame.write(out);
    }

    /// Ends the text that is open; gives the number that the provider's own start has now.
    fn end_text(&mut self, setup: &mut Setup, out: &mut Out<'_>) -> Option<u64> {
        let mut pieces = Pieces::default();
        let number = match &mut self.block.as_mut()?.role {
            Role::Text(text) => {
                if let Some(reading) = text.reading.take() {
                    self.course = reading.finish(setup, &mut pieces);
                }
                self.pieces(pieces, out);
                self.forget_start(out)
            }
            _ => None,
        };
        self.block = None;
        number
    }
}
