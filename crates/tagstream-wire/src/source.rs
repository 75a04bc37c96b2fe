//! The frames of a stream on their way to its messages: what reading and rewriting have in common.

use crate::delta::{Each, Located};
use crate::format::Format;
use crate::format::shape::shape;
use crate::framing::frame::{Content, Frame, Message};
use crate::json::Tape;
use crate::message::{Messages, Sink, whole};
use crate::provider::{Input, Reader, error_text};
use tagstream_core::NoticeCode;

/// A stream in a known format.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) format: Format,
    pub(crate) reader: Reader,
    pub(crate) frame_limit: usize,
    /// A frame in another format has been reported.
    has_reported_format: bool,
}

/// What a frame with a message holds.
pub(crate) enum Opened<'f> {
    /// Nothing.
    Empty,
    /// The marker of the end.
    Done,
    /// An error that the server reports in a field of its own.
    Error(String),
    Json(Input<'f>),
    /// Something that cannot be read.
    Broken,
}

/// The same, without what is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpenedKind {
    Empty,
    Done,
    Json,
    Broken,
}

impl Opened<'_> {
    pub(crate) fn kind(&self) -> OpenedKind {
        match self {
            Opened::Empty => OpenedKind::Empty,
            Opened::Done | Opened::Error(_) => OpenedKind::Done,
            Opened::Json(_) => OpenedKind::Json,
            Opened::Broken => OpenedKind::Broken,
        }
    }
}

impl Source {
    /// `None` for text, and for a format that is not known.
    pub(crate) fn new(format: Format, value_limit: usize, frame_limit: usize) -> Option<Self> {
        Some(Source {
            format,
            reader: Reader::new(format, value_limit)?,
            frame_limit,
            has_reported_format: false,
        })
    }

    /// Opens a frame, and reports what is wrong with it.
    pub(crate) fn open<'f>(
        tape: &'f mut Tape,
        message: &'f Message<'_>,
        at: u64,
        sink: Sink<'_>,
    ) -> Opened<'f> {
        if message.replaced {
            let text = format!("invalid text in the frame at byte {at} became U+FFFD");
            whole(sink).notice(NoticeCode::InvalidUtf8, &text);
        }
        if let Some(error) = &message.error {
            let read = tape.read(error.trim_ascii());
            let text = read.map_or(error.to_string(), |doc| error_text(doc.root()).into_owned());
            return Opened::Error(text);
        }
        match message.json() {
            "" => Opened::Empty,
            "[DONE]" => Opened::Done,
            data => match tape.read(data) {
                Ok(doc) if doc.root().is_object() => Opened::Json(Input::new(doc, message)),
                Ok(_) => {
                    broken(at, "it is not a JSON object", sink);
                    Opened::Broken
                }
                Err(fault) => {
                    broken(at, &fault.to_string(), sink);
                    Opened::Broken
                }
            },
        }
    }

    /// Locates what a frame adds. One that is in another format is reported, once.
    pub(crate) fn read<'f>(
        &mut self,
        input: Input<'f>,
        at: u64,
        take: &mut dyn FnMut(Located<'f>),
    ) -> Option<String> {
        let read = self.reader.read(input, &mut Each(take));
        if read.is_ok() || self.has_reported_format {
            return None;
        }
        let other = shape(input.doc.text).filter(|other| *other != self.format)?;
        self.has_reported_format = true;
        let (is, not) = (other.name(), self.format.name());
        Some(format!(
            "the frame at byte {at} is in the format `{is}`, not `{not}`: such frames are not read"
        ))
    }

    /// Reports a frame that holds no message, if anything is wrong with it.
    pub(crate) fn report(&self, frame: &Frame<'_>, sink: Sink<'_>) {
        let at = frame.at;
        match &frame.content {
            Content::TooLong => {
                let limit = self.frame_limit;
                let message = format!("the frame at byte {at} is longer than {limit} bytes");
                whole(sink).notice(NoticeCode::Limit, &message);
            }
            Content::Unknown => broken(at, "it is not an event", sink),
            Content::Nothing | Content::Message(_) => {}
        }
    }
}

fn broken(at: u64, problem: &str, sink: Sink<'_>) {
    let message = format!("the frame at byte {at} cannot be read: {problem}");
    whole(sink).notice(NoticeCode::InvalidFrame, &message);
}

/// Feeds what a frame adds to the messages.
pub(crate) fn feed(messages: &mut Messages, located: &Located<'_>, sink: Sink<'_>) {
    messages.delta(&located.delta, sink);
}
