//! What is written of a message: the blocks of text, thinking and calls.

use super::event::{block_event, stop_event, tool_use};
use super::{Anthropic, Role};
use crate::rewrite::object::string;
use crate::rewrite::out::Out;
use crate::rewrite::reading::{Call, Piece, Pieces, Reading};

/// A text of the provider's.
#[derive(Debug)]
pub(super) struct Text {
    /// `None` once it has been read to its end.
    pub(super) reading: Option<Reading>,
    /// Anything of it has come.
    pub(super) has_come: bool,
    /// The frame of its start, as long as it has not been written.
    pub(super) start: Option<Vec<u8>>,
    /// What came after that frame and before the text.
    pub(super) behind: Vec<Behind>,
    /// Frames that do not belong to it wait too.
    pub(super) is_patient: bool,
    /// The number of the block that was written with that frame.
    pub(super) number: Option<u64>,
}

/// A frame that waits after the start of a text.
#[derive(Debug)]
pub(super) struct Behind {
    pub(super) bytes: Vec<u8>,
    /// It belongs to the text, and is nothing without it.
    pub(super) is_of_text: bool,
}

/// What a block that was written holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Thinking,
}

impl Anthropic {
    /// Writes what was found, each in a block of its kind.
    pub(super) fn pieces(&mut self, pieces: Pieces, out: &mut Out<'_>) {
        if pieces.0.is_empty() {
            // The start goes on waiting, but not what keeps the connection alive.
            if let Some(text) = self.waiting() {
                text.write_behind(false, out);
            }
        }
        for piece in pieces.0 {
            match piece {
                Piece::Text(text) => self.write(Kind::Text, &text, out),
                Piece::Thought(text) => self.write(Kind::Thinking, &text, out),
                Piece::Call(call) => self.call(&call, out),
            }
        }
    }

    pub(super) fn write(&mut self, kind: Kind, text: &str, out: &mut Out<'_>) {
        self.open_block(kind, out);
        let field = kind.field();
        let delta = format!(
            "{{\"type\":\"{field}_delta\",\"{field}\":{}}}",
            string(text)
        );
        block_event("content_block_delta", self.next - 1, "delta", &delta, out);
    }

    pub(super) fn call(&mut self, call: &Call, out: &mut Out<'_>) {
        self.forget_start(out);
        self.close(out);
        let number = self.number();
        let block = tool_use(&self.suffix, self.calls, call, "{}");
        self.calls += 1;
        let json = string(&call.arguments);
        let delta = format!("{{\"type\":\"input_json_delta\",\"partial_json\":{json}}}");
        block_event("content_block_start", number, "content_block", &block, out);
        block_event("content_block_delta", number, "delta", &delta, out);
        stop_event(number, out);
    }

    /// Opens a block of this kind, unless one is open.
    pub(super) fn open_block(&mut self, kind: Kind, out: &mut Out<'_>) {
        if self.open == Some(kind) {
            return;
        }
        self.close(out);
        let number = self.next;
        let start = match kind {
            Kind::Text => self.provided_start(number, out),
            Kind::Thinking => {
                self.forget_start(out);
                false
            }
        };
        if !start {
            let block = kind.block();
            block_event("content_block_start", number, "content_block", block, out);
        }
        self.next += 1;
        self.open = Some(kind);
    }

    /// Writes the provider's own start of a text, if it waits.
    pub(super) fn provided_start(&mut self, number: u64, out: &mut Out<'_>) -> bool {
        let Some(text) = self.waiting() else {
            return false;
        };
        text.number = Some(number);
        text.write_start(out);
        true
    }

    /// Something else goes first, or nothing comes: the start is not written any more. Gives the
    /// number under which it was.
    pub(super) fn forget_start(&mut self, out: &mut Out<'_>) -> Option<u64> {
        match &mut self.block.as_mut()?.role {
            Role::Text(text) => {
                text.start = None;
                text.write_behind(false, out);
                text.number
            }
            _ => None,
        }
    }

    pub(super) fn close(&mut self, out: &mut Out<'_>) {
        if self.open.take().is_some() {
            stop_event(self.next - 1, out);
        }
    }

    pub(super) fn number(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }
}

/// How many frames are held after the start of a text.
const MOST_WAITING: usize = 64;

impl Text {
    /// Puts a frame after its start, if there is room: this many bytes.
    pub(super) fn wait(&mut self, behind: Behind, limit: usize, out: &mut Out<'_>) {
        let size: usize = self.behind.iter().map(|behind| behind.bytes.len()).sum();
        let fits = self.behind.len() < MOST_WAITING && size + behind.bytes.len() <= limit;
        let is_second = self.behind.iter().any(|behind| !behind.is_of_text);
        match behind.is_of_text {
            true if fits => self.behind.push(behind),
            true => {}
            false if fits && !is_second => self.behind.push(behind),
            false => {
                self.hurry(out);
                out.bytes.extend(behind.bytes);
            }
        }
    }

    /// What does not belong to it waits no more.
    pub(super) fn hurry(&mut self, out: &mut Out<'_>) {
        self.is_patient = false;
        self.release(out);
    }

    /// Writes what does not belong to it.
    fn release(&mut self, out: &mut Out<'_>) {
        self.behind.retain(|behind| {
            if !behind.is_of_text {
                out.bytes.extend_from_slice(&behind.bytes);
            }
            behind.is_of_text
        });
    }

    pub(super) fn write_start(&mut self, out: &mut Out<'_>) {
        out.bytes.extend(self.start.take().unwrap_or_default());
        self.write_behind(true, out);
    }

    pub(super) fn write_behind(&mut self, with_text: bool, out: &mut Out<'_>) {
        for behind in self.behind.drain(..) {
            if with_text || !behind.is_of_text {
                out.bytes.extend(behind.bytes);
            }
        }
    }
}

impl Kind {
    fn field(self) -> &'static str {
        match self {
            Kind::Text => "text",
            Kind::Thinking => "thinking",
        }
    }

    /// A thinking block of ours has an empty signature, and no event that signs it: those who
    /// check signatures would refuse any.
    fn block(self) -> &'static str {
        match self {
            Kind::Text => r#"{"type":"text","text":""}"#,
            Kind::Thinking => r#"{"type":"thinking","thinking":"","signature":""}"#,
        }
    }
}
