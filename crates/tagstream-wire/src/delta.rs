//! What a frame adds to a message, the same for all providers, and where in the frame it is.

use crate::json::Value;
use std::borrow::Cow;

/// A position in a message: the choice, and the block in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Slot {
    /// The choice, as the provider counts them.
    pub(crate) choice: u64,
    /// The block; a choice has at most one text in each.
    pub(crate) block: u64,
}

impl Slot {
    pub(crate) fn new(choice: u64, block: u64) -> Self {
        Slot { choice, block }
    }
}

/// What a frame adds, with the value of the frame that says so; `None` for what follows from the
/// frame as a whole.
#[derive(Clone)]
pub(crate) struct Located<'f> {
    pub(crate) at: Option<Value<'f>>,
    pub(crate) delta: Delta<'f>,
}

/// What a frame adds to a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Delta<'f> {
    /// Text, which may contain markup.
    Text { slot: Slot, text: Cow<'f, str> },
    /// Text that came before, once more: it adds nothing, but is cleaned like it.
    Again {
        slot: Slot,
        text: Cow<'f, str>,
        of: Again,
    },
    /// Native thinking: the provider reports it separately from the text.
    Reasoning { slot: Slot, text: Cow<'f, str> },
    /// A field that repeats, signs or measures thinking. It adds nothing, but is hidden with it.
    Trace,
    /// A piece of a call, or a whole one.
    Call { choice: u64, call: CallPiece<'f> },
    /// The end of a block: its text, its thinking, or the call with its index.
    BlockEnd { slot: Slot },
    /// The end of a choice, with the provider's reason.
    Finish { choice: u64, reason: Cow<'f, str> },
    /// How many tokens were used: the provider's JSON object.
    Usage { usage: Cow<'f, str> },
    /// The server reports an error.
    Error { message: Cow<'f, str> },
    /// The stream is complete.
    End,
}

/// Which text comes once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Again {
    /// The one that the frame adds to the slot.
    Frame,
    /// A part of it.
    Part,
    /// All of the slot's text so far.
    Whole,
}

/// A piece of a call, or a whole one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CallPiece<'f> {
    /// The provider's number for it.
    pub(crate) index: Option<u64>,
    /// The provider's id for it.
    pub(crate) id: Option<Cow<'f, str>>,
    /// The tool.
    pub(crate) name: Option<Cow<'f, str>>,
    /// The next piece of the JSON text of its arguments.
    pub(crate) arguments: Cow<'f, str>,
    /// Which call it belongs to.
    pub(crate) joins: Joins,
    /// The tool is the provider's own, so that no request declares it.
    pub(crate) is_own_tool: bool,
}

impl<'f> CallPiece<'f> {
    /// More arguments of a call that has begun.
    pub(crate) fn more(index: u64, arguments: Cow<'f, str>) -> Self {
        CallPiece {
            index: Some(index),
            arguments,
            joins: Joins::Begun,
            ..CallPiece::default()
        }
    }
}

/// Which call a piece belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Joins {
    /// The one with its index or id, or a new one.
    #[default]
    ByRule,
    /// None: it is a complete call.
    Nothing,
    /// One that has begun; otherwise the piece is ignored.
    Begun,
}

/// Takes what a frame adds, piece by piece.
pub(crate) struct Each<'e, 'f>(pub(crate) &'e mut dyn FnMut(Located<'f>));

impl<'f> Each<'_, 'f> {
    pub(crate) fn give(&mut self, at: Value<'f>, delta: Delta<'f>) {
        (self.0)(Located {
            at: Some(at),
            delta,
        });
    }

    /// What follows from the frame as a whole.
    pub(crate) fn note(&mut self, delta: Delta<'f>) {
        (self.0)(Located { at: None, delta });
    }

    /// The next piece of a text, unless it is empty.
    pub(crate) fn text(&mut self, slot: Slot, at: Option<Value<'f>>) {
        if let Some((at, text)) = given(at) {
            self.give(at, Delta::Text { slot, text });
        }
    }

    /// The next piece of a thought, unless it is empty; whether there was one.
    pub(crate) fn reasoning(&mut self, slot: Slot, at: Option<Value<'f>>) -> bool {
        let given = given(at);
        let is_some = given.is_some();
        if let Some((at, text)) = given {
            self.give(at, Delta::Reasoning { slot, text });
        }
        is_some
    }

    /// A text once more, unless it is empty.
    pub(crate) fn again(&mut self, slot: Slot, of: Again, at: Option<Value<'f>>) {
        if let Some((at, text)) = given(at) {
            self.give(at, Delta::Again { slot, text, of });
        }
    }

    /// A field that is hidden with thinking, unless there is nothing in it.
    pub(crate) fn trace(&mut self, at: Option<Value<'f>>) {
        if let Some(at) = at.filter(|at| !at.is_empty()) {
            self.give(at, Delta::Trace);
        }
    }

    pub(crate) fn finish(&mut self, choice: u64, at: Option<Value<'f>>) {
        if let Some((at, reason)) = given(at) {
            self.give(at, Delta::Finish { choice, reason });
        }
    }

    pub(crate) fn usage(&mut self, usage: Option<Value<'f>>) {
        if let Some(at) = usage {
            let usage = at.raw().into();
            self.give(at, Delta::Usage { usage });
        }
    }
}

/// A text that is not empty, with its place.
fn given<'f>(at: Option<Value<'f>>) -> Option<(Value<'f>, Cow<'f, str>)> {
    let at = at?;
    let text = at.text()?;
    (!text.is_empty()).then_some((at, text))
}
