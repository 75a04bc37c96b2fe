//! What a frame adds to a message, the same for all providers.

use std::borrow::Cow;

/// A position in a message: the choice, and the block in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot {
    /// The choice, as the provider counts them.
    pub choice: u64,
    /// The block; 0 if a choice has only one text.
    pub block: u64,
}

/// What a frame adds to a message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Delta<'a> {
    /// Text, which may contain markup.
    Text {
        /// Where it continues.
        slot: Slot,
        /// The next piece.
        text: Cow<'a, str>,
    },
    /// Native thinking: the provider reports it separately from the text.
    Reasoning {
        /// Where it continues.
        slot: Slot,
        /// The next piece.
        text: Cow<'a, str>,
    },
    /// A piece of a call, or a whole one.
    Call {
        /// The choice that makes it.
        choice: u64,
        /// The piece.
        call: CallPiece<'a>,
    },
    /// The end of a block: its text, its thinking, or the call with its index.
    BlockEnd {
        /// Which one.
        slot: Slot,
    },
    /// The end of a choice.
    Finish {
        /// Which one.
        choice: u64,
        /// The reason, in the provider's spelling.
        reason: Cow<'a, str>,
    },
    /// How many tokens were used.
    Usage {
        /// The provider's JSON object.
        usage: Cow<'a, str>,
    },
    /// The server reports an error.
    Error {
        /// Its message.
        message: Cow<'a, str>,
    },
    /// The stream is complete.
    End,
}

/// A piece of a call, or a whole one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallPiece<'a> {
    /// The provider's number for it.
    pub index: Option<u64>,
    /// The provider's id for it.
    pub id: Option<Cow<'a, str>>,
    /// The tool.
    pub name: Option<Cow<'a, str>>,
    /// The next piece of the JSON text of its arguments.
    pub arguments: Cow<'a, str>,
    /// Which call it belongs to.
    pub joins: Joins,
}

impl<'a> CallPiece<'a> {
    /// More arguments of a call that has begun.
    pub(crate) fn more(index: u64, arguments: Cow<'a, str>) -> Self {
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
pub enum Joins {
    /// The one with its index or id, or a new one.
    #[default]
    ByRule,
    /// None: it is a complete call.
    Nothing,
    /// One that has begun; otherwise the piece is ignored.
    Begun,
}

/// Takes what a frame adds.
pub(crate) type Each<'e, 'a> = &'e mut dyn FnMut(Delta<'a>);
