//! The formats, and the decoder of each.

mod anthropic;
mod content;
pub(crate) mod delta;
pub(crate) mod detect;
mod gemini;
pub(crate) mod items;
mod number;
mod ollama;
mod openai;
mod partial;
mod responses;
pub(crate) mod shape;
mod tell;
pub(crate) mod text;
mod tool_call;

use crate::framing::frame::Message;
use delta::{Delta, Each};
use gemini::Gemini;
use responses::Responses;
use shape::shape;
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

/// The default limit for the arguments of a call, in bytes.
pub(crate) const VALUE_LIMIT: usize = 16_777_216;

/// Reads what the frames of one stream add to its message.
#[derive(Debug)]
pub struct Decoder {
    format: Format,
    gemini: Gemini,
    responses: Responses,
}

impl Default for Decoder {
    fn default() -> Self {
        Self::new(Format::default())
    }
}

impl Decoder {
    /// For a stream in this format.
    #[must_use]
    pub fn new(format: Format) -> Self {
        Self::with_limit(format, VALUE_LIMIT)
    }

    /// As [`Decoder::new`], for calls whose arguments have at most this many bytes.
    #[must_use]
    pub fn with_limit(format: Format, value_limit: usize) -> Self {
        Decoder {
            format,
            gemini: Gemini::new(value_limit),
            responses: Responses::default(),
        }
    }

    /// The format; [`Format::Auto`] while it is not known.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    /// Emits what a frame adds.
    ///
    /// # Errors
    /// The data is not JSON, or does not have the shape of the format.
    pub fn read<'a>(
        &mut self,
        message: &'a Message<'_>,
        each: &mut dyn FnMut(Delta<'a>),
    ) -> Result<(), serde_json::Error> {
        let data = message.json();
        match data {
            "" => return Ok(()),
            "[DONE]" => {
                each(Delta::End);
                return Ok(());
            }
            _ => {}
        }
        if self.format == Format::Auto {
            self.format = shape(data).unwrap_or(Format::Auto);
        }
        self.read_data(data, each)
    }

    fn read_data<'a>(
        &mut self,
        data: &'a str,
        each: Each<'_, 'a>,
    ) -> Result<(), serde_json::Error> {
        match self.format {
            Format::Responses => self.responses.read(data, each),
            Format::Anthropic => anthropic::read(data, each),
            Format::Gemini => self.gemini.read(data, each),
            Format::Ollama => ollama::read(data, each),
            // Errors can be read while the format is not known: nearly all providers write them
            // alike.
            Format::OpenAi | Format::Auto | Format::Text => openai::read(data, each),
        }
    }

    /// Emits what the end of the stream adds.
    pub fn finish(&mut self, each: &mut dyn FnMut(Delta<'static>)) {
        self.gemini.finish(each);
    }
}
