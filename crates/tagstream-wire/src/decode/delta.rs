//! What a frame adds to a message, the same for all providers.

use std::borrow::Cow;

/// A place in a message: which of its choices, and which block of that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot {
    /// The choice, as the provider counts them.
    pub choice: u64,
    /// The block: 0 where a choice has only one text.
    pub block: u64,
}

/// What a frame adds to a message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Delta<'a> {
    /// Text, in which markup may stand.
    Text {
        /// Where it goes on.
        slot: Slot,
        /// The next piece.
        text: Cow<'a, str>,
    },
    /// Thinking that the provider tells apart by itself.
    Reasoning {
        /// Where it goes on.
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
    /// A block is over: its text, its thinking, or the call whose index it is.
    BlockEnd {
        /// Which one.
        slot: Slot,
    },
    /// A choice is over.
    Finish {
        /// Which one.
        choice: u64,
        /// Why, in the provider's words.
        reason: Cow<'a, str>,
    },
    /// How many tokens were used.
    Usage {
        /// The provider's JSON object.
        usage: Cow<'a, str>,
    },
    /// The server reports an error.
    Error {
        /// What it says.
        message: Cow<'a, str>,
    },
    /// The stream is whole.
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
    /// None: it is a whole call.
    Nothing,
    /// Only one that has begun: without it, it is nothing.
    Begun,
}

/// Takes what a frame adds.
pub(crate) type Each<'e, 'a> = &'e mut dyn FnMut(Delta<'a>);
