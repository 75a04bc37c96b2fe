//! A call as OpenAI writes it, and those who followed: Ollama too.

use super::delta::{CallPiece, Joins};
use super::number::number;
use super::text::{Text, arguments};
use serde::Deserialize;
use serde_json::value::RawValue;

/// A call, or a piece of one.
#[derive(Deserialize)]
pub(crate) struct ToolCall<'a> {
    #[serde(default, deserialize_with = "number")]
    index: Option<u64>,
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow)]
    function: Option<Function<'a>>,
}

/// What is called.
#[derive(Default, Deserialize)]
pub(crate) struct Function<'a> {
    #[serde(borrow)]
    name: Option<Text<'a>>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

impl<'a> ToolCall<'a> {
    pub(crate) fn piece(self, joins: Joins) -> CallPiece<'a> {
        CallPiece {
            index: self.index,
            id: Text::given(self.id),
            ..self.function.unwrap_or_default().piece(joins)
        }
    }
}

impl<'a> Function<'a> {
    pub(crate) fn piece(self, joins: Joins) -> CallPiece<'a> {
        CallPiece {
            name: Text::given(self.name),
            arguments: arguments(self.arguments),
            joins,
            ..CallPiece::default()
        }
    }
}
