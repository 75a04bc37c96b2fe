//! Thinking that the provider tells apart by itself.

use super::emit::Emit;
use tagstream::{Attributes, Kind};

/// How much white space may wait for something else.
const WAIT: usize = 64 * 1024;

/// A native thought of a choice.
#[derive(Debug, Default)]
pub(crate) struct Thought {
    /// The block it stands in, once there is anything but white space in it.
    open: Option<u64>,
    /// White space at its start: with nothing else it is no thought.
    waits: String,
}

impl Thought {
    pub(crate) fn push(&mut self, block: u64, text: &str, emit: &mut Emit<'_>) {
        if self.open.is_some_and(|open| open != block) {
            self.end(true, emit);
        }
        if self.open.is_none() {
            self.waits.push_str(text);
            if self.waits.trim_ascii().is_empty() && self.waits.len() < WAIT {
                return;
            }
            let (tag, attributes) = (None, Attributes::default());
            emit.native(Kind::ThoughtStart { tag, attributes });
            self.open = Some(block);
            let waited = std::mem::take(&mut self.waits);
            return emit.native(Kind::Thought(&waited));
        }
        emit.native(Kind::Thought(text));
    }

    pub(crate) fn end(&mut self, closed: bool, emit: &mut Emit<'_>) {
        self.waits.clear();
        if self.open.take().is_some() {
            emit.native(Kind::ThoughtEnd { closed });
        }
    }

    /// Whether it stands in this block.
    pub(crate) fn is_in(&self, block: u64) -> bool {
        self.open == Some(block)
    }
}
