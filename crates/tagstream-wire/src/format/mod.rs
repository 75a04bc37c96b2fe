//! The formats of streams, and how to tell them apart.

pub(crate) mod detect;
mod path;
pub(crate) mod shape;

use std::{fmt, str::FromStr};

/// The format of a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Any of them, detected from the input.
    #[default]
    Auto,
    /// Plain text: the message itself.
    Text,
    /// OpenAI Chat Completions, also as written by other servers.
    OpenAi,
    /// OpenAI Responses.
    Responses,
    /// Anthropic Messages.
    Anthropic,
    /// Gemini `streamGenerateContent`.
    Gemini,
    /// Ollama `/api/chat` and `/api/generate`.
    Ollama,
}

impl Format {
    /// All of them, as they are named on the command line.
    pub const NAMES: [(&'static str, Format); 7] = [
        ("text", Format::Text),
        ("openai", Format::OpenAi),
        ("responses", Format::Responses),
        ("anthropic", Format::Anthropic),
        ("gemini", Format::Gemini),
        ("ollama", Format::Ollama),
        ("auto", Format::Auto),
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        let known = Self::NAMES.iter().find(|(_, format)| *format == self);
        known.map_or("", |(name, _)| name)
    }
}

/// A name that is not the name of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownFormat;

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Format::NAMES.map(|(name, _)| name);
        write!(f, "allowed: {}", names.join(", "))
    }
}

impl std::error::Error for UnknownFormat {}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        let known = Self::NAMES.iter().find(|(known, _)| *known == name);
        known.map(|(_, format)| *format).ok_or(UnknownFormat)
    }
}
