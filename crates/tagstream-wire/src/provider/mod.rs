//! The providers: for each, one reader that locates what a frame adds to a message, and a writer that
//! puts what was found there into the frame.
//!
//! [`Session`](crate::Session) and [`Rewriter`](crate::rewrite::Rewriter) use the same readers, so
//! what the one finds, the other cannot miss.

pub(crate) mod anthropic;
pub(crate) mod gemini;
pub(crate) mod ids;
pub(crate) mod ollama;
pub(crate) mod openai;
pub(crate) mod responses;

use crate::delta::{CallPiece, Delta, Each, Joins};
use crate::format::Format;
use crate::framing::frame::Message;
use crate::json::{Doc, Kind, Value};
use std::borrow::Cow;

/// A frame that holds JSON.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input<'f> {
    pub(crate) doc: Doc<'f>,
    /// The name of the event, if it has one.
    pub(crate) event: Option<&'f str>,
    /// It is a JSON value of its own, and not an event.
    pub(crate) is_value: bool,
}

impl<'f> Input<'f> {
    pub(crate) fn new(doc: Doc<'f>, message: &'f Message<'_>) -> Self {
        Input {
            doc,
            event: message.event.as_deref(),
            is_value: message.is_value,
        }
    }

    /// The type of the event: its own word for it, or else its name.
    pub(crate) fn kind(self) -> Cow<'f, str> {
        let kind = self.doc.root().word("type");
        kind.unwrap_or(Cow::Borrowed(self.event.unwrap_or("")))
    }
}

/// A frame that the format does not know: it adds nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unknown;

/// Reads the frames of one stream.
#[derive(Debug)]
pub(crate) enum Reader {
    OpenAi(openai::Reader),
    Responses(Box<responses::Reader>),
    Anthropic(anthropic::Reader),
    Gemini(gemini::Reader),
    Ollama(ollama::Reader),
}

impl Reader {
    /// For a stream in this format, and calls whose arguments have at most this many bytes; `None`
    /// for text, and for a format that is not known.
    pub(crate) fn new(format: Format, value_limit: usize) -> Option<Self> {
        match format {
            Format::OpenAi => Some(Reader::OpenAi(openai::Reader::default())),
            Format::Responses => Some(Reader::Responses(Box::default())),
            Format::Anthropic => Some(Reader::Anthropic(anthropic::Reader::default())),
            Format::Gemini => Some(Reader::Gemini(gemini::Reader::new(value_limit))),
            Format::Ollama => Some(Reader::Ollama(ollama::Reader)),
            Format::Auto | Format::Text => None,
        }
    }

    /// Locates what a frame adds.
    pub(crate) fn read<'f>(
        &mut self,
        input: Input<'f>,
        each: &mut Each<'_, 'f>,
    ) -> Result<(), Unknown> {
        match self {
            Reader::OpenAi(reader) => reader.read(input, each),
            Reader::Responses(reader) => reader.read(input, each),
            Reader::Anthropic(reader) => reader.read(input, each),
            Reader::Gemini(reader) => reader.read(input, each),
            Reader::Ollama(reader) => reader.read(input, each),
        }
    }

    /// Whether a frame is a whole answer, or the format has no fragments of calls.
    pub(crate) fn is_whole(&self, input: Input<'_>) -> bool {
        match self {
            Reader::OpenAi(reader) => reader.is_whole(input),
            Reader::Responses(_) => matches!(&*input.kind(), "" | "message"),
            Reader::Anthropic(_) => input.kind() == "message",
            Reader::Gemini(_) | Reader::Ollama(_) => true,
        }
    }

    /// The place of the item that the last event belongs to, in Responses.
    pub(crate) fn place(&self) -> u64 {
        match self {
            Reader::Responses(reader) => reader.place,
            _ => 0,
        }
    }

    /// What the end of the stream adds.
    pub(crate) fn finish(&mut self, each: &mut Each<'_, 'static>) {
        if let Reader::Gemini(reader) = self {
            reader.finish(each);
        }
    }
}

/// The JSON text of arguments, which come as a string that holds it, or as they are.
fn arguments(value: Option<Value<'_>>) -> Cow<'_, str> {
    match value.map(|value| (value.kind(), value)) {
        None | Some((Kind::Null, _)) => Cow::Borrowed(""),
        Some((Kind::String, value)) => value.text().unwrap_or_default(),
        Some((_, value)) => Cow::Borrowed(value.raw()),
    }
}

/// A call as OpenAI writes it, or a piece of one; Ollama writes it in the same way.
fn tool_call(call: Value<'_>, joins: Joins) -> CallPiece<'_> {
    let function = call
        .get("function")
        .map(|function| function_call(function, joins));
    CallPiece {
        index: call.number_at("index"),
        id: call.given("id"),
        ..function.unwrap_or_default()
    }
}

fn function_call(function: Value<'_>, joins: Joins) -> CallPiece<'_> {
    CallPiece {
        name: function.given("name"),
        arguments: arguments(function.get("arguments")),
        joins,
        ..CallPiece::default()
    }
}

/// What a server reports of an error, in any of the forms in which servers write it; `None` if the
/// object is not an error.
pub(crate) fn error_of(root: Value<'_>) -> Option<Cow<'_, str>> {
    if let Some(error) = root.get("error").filter(|error| is_error(*error)) {
        return Some(error_text(error));
    }
    if let Some(detail) = root.get("detail").filter(|detail| !detail.is_empty()) {
        return Some(error_text(detail));
    }
    let is_message = root
        .member("message")
        .is_some_and(|m| m.kind() == Kind::String);
    let is_coded = root.get("code").is_some() || root.says("object", "error");
    (is_message && is_coded).then(|| error_text(root))
}

fn is_error(error: Value<'_>) -> bool {
    !matches!(error.kind(), Kind::False | Kind::Number) && error.raw() != "\"\""
}

/// The message of an error, which servers write as a string or as an object.
pub(crate) fn error_text(error: Value<'_>) -> Cow<'_, str> {
    if let Some(text) = error.text() {
        return text;
    }
    let kind = error.given("type").or_else(|| error.given("code"));
    match (error.given("message"), kind) {
        (Some(message), Some(kind)) => format!("{message} ({kind})").into(),
        (Some(message), None) => message,
        _ => Cow::Borrowed(error.raw()),
    }
}

/// Reports the error that the frame is, if it is one; whether it is.
fn error<'f>(root: Value<'f>, each: &mut Each<'_, 'f>) -> bool {
    let error = error_of(root);
    let is_error = error.is_some();
    if let Some(message) = error {
        each.note(Delta::Error { message });
    }
    is_error
}

/// Whether tokens, with their log probabilities, are those of a text alone.
fn are_tokens_of<'v>(tokens: impl Iterator<Item = Value<'v>>, text: &str) -> bool {
    let mut rest = text;
    let token = |at: Value<'v>| at.given("token").or_else(|| at.text());
    for token in tokens.map(|at| token(at).unwrap_or_default()) {
        match rest.strip_prefix(&*token) {
            Some(left) => rest = left,
            None => return false,
        }
    }
    rest.is_empty()
}
