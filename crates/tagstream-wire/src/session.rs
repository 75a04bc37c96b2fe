//! Reads a stream: bytes in, events out.

use crate::delta::{Delta, Each};
use crate::event::WireEvent;
use crate::format::Format;
use crate::format::detect::{Detector, Guess};
use crate::framing::Framing;
use crate::framing::frame::{Content, Frame};
use crate::json::Tape;
use crate::message::{FRAME_LIMIT, Messages, Origin, Sink, whole};
use crate::source::{Opened, Source, feed};
use tagstream_core::{ElementView, NoticeCode, Profile, ProfileError};

/// Reads one stream, in chunks, and emits what is certain about its messages.
///
/// The profile applies to all of a message: to each of its texts, and to thinking and calls that the
/// provider reports separately.
///
/// ```
/// use tagstream::{EventKind, Profile, Thinking};
/// use tagstream_wire::{Format, Session, WireEvent, WireKind};
///
/// let profile = Profile::new().thinking(Thinking::tags(["think"]));
/// let mut answer = String::new();
/// let mut sink = |event: WireEvent<'_>| {
///     if let WireKind::Message(EventKind::Text(text)) = event.event {
///         answer.push_str(text);
///     }
/// };
/// let mut session = Session::new(&profile, Format::Auto)?;
/// session.push(b"data: {\"choices\":[{\"delta\":{\"content\":\"<think>hm</th\"}}]}\n\nda", &mut sink);
/// session.push(b"ta: {\"choices\":[{\"delta\":{\"content\":\"ink>Hello\"}}]}\n\n", &mut sink);
/// session.push(b"data: [DONE]\n\n", &mut sink);
/// session.finish(&mut sink);
/// assert_eq!(answer, "Hello");
/// # Ok::<(), tagstream::ProfileError>(())
/// ```
#[derive(Debug)]
pub struct Session {
    stage: Stage,
    messages: Messages,
    frame_limit: usize,
}

/// What is known about the format.
#[derive(Debug)]
enum Stage {
    /// Nothing yet; the bytes so far.
    Unknown(Box<Detector>, Vec<u8>),
    /// The input is the message itself, without frames.
    Text,
    Frames(Box<Frames>),
}

#[derive(Debug)]
struct Frames {
    framing: Framing,
    reading: Reading,
}

/// Reads frames.
#[derive(Debug)]
struct Reading {
    source: Source,
    tape: Tape,
}

impl Session {
    /// A session for one stream in this format.
    ///
    /// # Errors
    /// The profile is invalid.
    pub fn new(profile: &Profile, format: Format) -> Result<Self, ProfileError> {
        let messages = Messages::new(profile)?;
        let stage = match format {
            Format::Auto => Stage::Unknown(Box::default(), Vec::new()),
            _ => Stage::of(format, &messages, FRAME_LIMIT),
        };
        Ok(Session {
            stage,
            messages,
            frame_limit: FRAME_LIMIT,
        })
    }

    /// Sets how many bytes a frame may have; a longer one is ignored, with a notice. Call it before
    /// anything is pushed.
    #[must_use]
    pub fn frame_limit(mut self, bytes: usize) -> Self {
        self.frame_limit = bytes;
        self.messages.frame_limit(bytes);
        if let Stage::Frames(frames) = &self.stage {
            self.stage = Stage::of(frames.reading.source.format, &self.messages, bytes);
        }
        self
    }

    /// Reads the next chunk and emits everything that it makes certain.
    pub fn push(&mut self, chunk: &[u8], sink: &mut impl FnMut(WireEvent<'_>)) {
        self.read(chunk, &mut |origin, event| emit(origin, event, sink));
    }

    fn read(&mut self, chunk: &[u8], sink: Sink<'_>) {
        let messages = &mut self.messages;
        match &mut self.stage {
            Stage::Text => messages.plain(chunk, sink),
            Stage::Frames(frames) => {
                let reading = &mut frames.reading;
                let mut each = |frame: Frame<'_>| reading.frame(&frame, messages, &mut *sink);
                frames.framing.push(chunk, &mut each);
            }
            Stage::Unknown(detector, held) => {
                let guess = detector.push(chunk);
                if guess == Guess::Wait {
                    return held.extend_from_slice(chunk);
                }
                self.decide(guess, sink);
                self.read(chunk, sink);
            }
        }
    }

    /// Ends the stream and emits the rest.
    pub fn finish(mut self, sink: &mut impl FnMut(WireEvent<'_>)) {
        let sink: Sink<'_> = &mut |origin: Origin, event: WireEvent<'_>| emit(origin, event, sink);
        if let Stage::Unknown(..) = self.stage {
            self.decide(Guess::Text, sink);
        }
        let messages = &mut self.messages;
        match self.stage {
            Stage::Frames(frames) => {
                let Frames {
                    framing,
                    mut reading,
                } = *frames;
                framing.finish(&mut |frame| reading.frame(&frame, messages, &mut *sink));
                let mut take = |located| feed(messages, &located, &mut *sink);
                reading.source.reader.finish(&mut Each(&mut take));
                messages.end_stream(sink);
            }
            // A text has no limit of a provider that may have cut it off.
            _ => messages.end_choices(false, sink),
        }
    }

    /// The format, as far as it is known.
    #[must_use]
    pub fn format(&self) -> Format {
        match &self.stage {
            Stage::Unknown(..) => Format::Auto,
            Stage::Text => Format::Text,
            Stage::Frames(frames) => frames.reading.source.format,
        }
    }

    /// The open elements, each with its choice, as far as they have been read.
    pub fn open_elements(&self) -> impl Iterator<Item = (u64, ElementView<'_>)> {
        self.messages.open_elements()
    }

    /// Sets the format, and reads the bytes so far. What cannot be identified is text; if it looked
    /// like a provider's stream, a notice says so.
    fn decide(&mut self, guess: Guess, sink: Sink<'_>) {
        let stage = match guess {
            Guess::Known(format) => Stage::of(format, &self.messages, self.frame_limit),
            Guess::Text | Guess::Wait => Stage::Text,
        };
        let before = std::mem::replace(&mut self.stage, stage);
        let Stage::Unknown(detector, held) = before else {
            return;
        };
        if matches!(self.stage, Stage::Text) && detector.has_events() {
            whole(sink).notice(NoticeCode::InvalidFrame, UNKNOWN_FORMAT);
        }
        self.read(&held, sink);
    }
}

/// Passes an event on. What was held is for those who write: its events have been emitted.
fn emit(origin: Origin, event: WireEvent<'_>, sink: &mut impl FnMut(WireEvent<'_>)) {
    if origin != Origin::Held {
        sink(event);
    }
}

const UNKNOWN_FORMAT: &str =
    "the format of the events was not recognised; the input is read as text";

impl Stage {
    fn of(format: Format, messages: &Messages, frame_limit: usize) -> Stage {
        let source = Source::new(format, messages.rules.value_limit, frame_limit);
        source.map_or(Stage::Text, |source| {
            Stage::Frames(Box::new(Frames {
                framing: Framing::new(frame_limit),
                reading: Reading {
                    source,
                    tape: Tape::default(),
                },
            }))
        })
    }
}

impl Reading {
    fn frame(&mut self, frame: &Frame<'_>, messages: &mut Messages, sink: Sink<'_>) {
        let Content::Message(message) = &frame.content else {
            return self.source.report(frame, sink);
        };
        match Source::open(&mut self.tape, message, frame.at, sink) {
            Opened::Empty | Opened::Broken => {}
            Opened::Done => {
                messages.delta(&Delta::End, sink);
            }
            Opened::Error(text) => {
                let message = text.into();
                messages.delta(&Delta::Error { message }, sink);
            }
            Opened::Json(input) => {
                let mut take = |located| feed(messages, &located, &mut *sink);
                let problem = self.source.read(input, frame.at, &mut take);
                if let Some(problem) = problem {
                    whole(sink).notice(NoticeCode::InvalidFrame, &problem);
                }
            }
        }
    }
}
