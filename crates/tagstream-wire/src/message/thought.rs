//! Native thinking: the provider reports it separately.

use super::emit::Emit;
use tagstream_core::{Attributes, EventKind};

/// How much white space may wait for something else.
const MAX_WAITING_BYTES: usize = 64 * 1024;

/// How many blocks are remembered that have a thought and are not over.
const MAX_BLOCKS: usize = 64;

/// The native thoughts of a choice. Text, calls and other blocks may interrupt one: then it goes on
/// as another, and nothing of it is lost.
#[derive(Debug, Default)]
pub(crate) struct Thought {
    /// The block of the thought that is open.
    open: Option<u64>,
    /// The blocks that have anything but white space in them, and are not over.
    begun: Vec<u64>,
    /// White space at the start of a block: with nothing else it is not a thought. Or at the end of
    /// a thought, if it is to be trimmed.
    waits: String,
    /// White space at both ends is dropped.
    trims: bool,
}

impl Thought {
    pub(crate) fn new(trims: bool) -> Self {
        Thought {
            trims,
            ..Thought::default()
        }
    }

    pub(crate) fn push(&mut self, block: u64, text: &str, emit: &mut Emit<'_>) {
        if self.open.is_some_and(|open| open != block) {
            self.end(true, emit);
        }
        if self.open.is_some() {
            return self.more(text, emit);
        }
        self.waits.push_str(text);
        let goes_on = !self.trims && self.begun.contains(&block);
        let is_blank = self.waits.trim_ascii().is_empty();
        if is_blank && !goes_on && self.waits.len() < MAX_WAITING_BYTES {
            return;
        }
        if !goes_on && self.begun.len() < MAX_BLOCKS {
            self.begun.push(block);
        }
        let (tag, attributes) = (None, Attributes::default());
        emit.native(EventKind::thought_start(tag, attributes));
        self.open = Some(block);
        let waited = std::mem::take(&mut self.waits);
        if self.trims {
            self.more(waited.trim_ascii_start(), emit);
        } else {
            self.more(&waited, emit);
        }
    }

    /// Gives more of it. White space that may be its end waits, but not for ever.
    fn more(&mut self, text: &str, emit: &mut Emit<'_>) {
        let end = if self.trims {
            text.trim_ascii_end().len()
        } else {
            text.len()
        };
        let (certain, blank) = text.split_at(end);
        if !certain.is_empty() {
            self.give_waiting(emit);
            emit.native(EventKind::Thought(certain));
        }
        self.waits.push_str(blank);
        if self.waits.len() >= MAX_WAITING_BYTES {
            self.give_waiting(emit);
        }
    }

    fn give_waiting(&mut self, emit: &mut Emit<'_>) {
        if !self.waits.is_empty() {
            emit.native(EventKind::Thought(&self.waits));
            self.waits.clear();
        }
    }

    /// Something else comes, or nothing any more.
    pub(crate) fn end(&mut self, closed: bool, emit: &mut Emit<'_>) {
        self.waits.clear();
        if self.open.take().is_some() {
            emit.native(EventKind::thought_end(closed));
        }
    }

    /// A block is over.
    pub(crate) fn end_block(&mut self, block: u64, emit: &mut Emit<'_>) {
        self.begun.retain(|begun| *begun != block);
        if self.open == Some(block) {
            self.end(true, emit);
        }
    }
}
