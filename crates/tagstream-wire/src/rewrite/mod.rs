//! Writes a stream again in the same format, with thinking in the field that clients read, and
//! calls that were found in text as native calls.
//!
//! ```text
//! bytes → Framing → Frame → reader → deltas → messages → changes → writer → frames
//! ```
//!
//! A frame in which nothing changes is passed on byte for byte. What a frame becomes depends on the
//! frames before it, and never on how the bytes were cut.

mod abort;
mod change;
mod out;
mod pieces;
mod plan;
mod queue;
mod sent;
mod unread;

pub use abort::Ended;
pub(crate) use change::{Change, ChangeKind, Changes, Whole, of_choice};
pub(crate) use out::{Out, Style};
pub use pieces::Found;
pub(crate) use pieces::{Call, Piece, Pieces, joined, text_of};
pub use plan::{Plan, check_reasoning_field};

use crate::aggregate::Notice;
use crate::delta::{Delta, Each, Slot};
use crate::event::WireEvent;
use crate::format::Format;
use crate::format::shape::shape;
use crate::framing::frame::{Content, Frame, Message};
use crate::framing::{BYTE_ORDER_MARK, Framing};
use crate::json::{Doc, Patch, Tape};
use crate::message::{Course, FRAME_LIMIT, Messages};
use crate::provider::{Input, Reader, anthropic, error_of, gemini, ollama, openai, responses};
use crate::source::{Opened, OpenedKind, Source};
use change::whole_text;
use out::{StyleKind, ended, mended};
use pieces::Sorter;
use queue::{Queue, Step};
use std::{borrow::Cow, fmt};
use tagstream_core::{NoticeCode, Profile, ProfileError};
use unread::Unread;

/// What happens to thinking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Thinking {
    /// It is moved to the format's own field or block for it.
    #[default]
    Move,
    /// It is dropped, native thinking included.
    Hide,
    /// It stays in the text, with its tags.
    Keep,
}

/// What happens to the text of a refused call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Refused {
    /// It is text, so that nothing is lost. A call that was cut off is not shown.
    #[default]
    Show,
    /// It is dropped.
    Drop,
}

/// When a call that was found in text is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CallMode {
    /// Once it is complete and valid: nothing that was sent can be taken back.
    #[default]
    Whole,
    /// While it arrives, where the format has fragments of calls. One that is refused later ends
    /// with an error.
    Stream,
}

/// What happens to a closing tag of thinking that nothing opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OrphanClose {
    /// It stays in the text: a client may split the answer there.
    #[default]
    Keep,
    /// What the profile says.
    AsProfile,
}

/// Options for rewriting a stream.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// What happens to thinking.
    pub thinking: Thinking,
    /// The field that thinking is moved to in OpenAI's format, which has no field of its own. It
    /// must be one without another meaning, such as `reasoning`. Without it, thinking goes to the
    /// field that the provider uses, or else to `reasoning_content`.
    pub reasoning_field: Option<String>,
    /// What happens to the text of a refused call.
    pub refused: Refused,
    /// When calls are sent.
    pub calls: CallMode,
    /// What happens to a closing tag of thinking that nothing opened.
    pub orphan_close: OrphanClose,
    /// A frame with more bytes is passed on unchanged.
    pub frame_limit: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            thinking: Thinking::Move,
            reasoning_field: None,
            refused: Refused::Show,
            calls: CallMode::Whole,
            orphan_close: OrphanClose::Keep,
            frame_limit: FRAME_LIMIT,
        }
    }
}

/// Why a stream cannot be rewritten.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum RewriteError {
    /// Streams in this format cannot be rewritten.
    Unsupported(Format),
    /// Thinking cannot be moved to this field.
    ReasoningField(String),
    /// The profile is invalid.
    Profile(ProfileError),
}

impl fmt::Display for RewriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RewriteError::Unsupported(format) => write!(
                f,
                "a stream in the format `{}` cannot be rewritten; allowed: openai, responses, anthropic, gemini, ollama, auto",
                format.name()
            ),
            RewriteError::ReasoningField(name) if name.is_empty() => {
                f.write_str("the name of the field is empty")
            }
            RewriteError::ReasoningField(name) => {
                write!(f, "clients use the field `{name}` for something else")
            }
            RewriteError::Profile(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RewriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            RewriteError::Unsupported(_) | RewriteError::ReasoningField(_) => None,
            RewriteError::Profile(error) => Some(error),
        }
    }
}

impl From<ProfileError> for RewriteError {
    fn from(error: ProfileError) -> Self {
        RewriteError::Profile(error)
    }
}

/// Rewrites one stream.
///
/// ```
/// use tagstream::{Profile, Thinking};
/// use tagstream_wire::{Format, rewrite::{Options, Rewriter}};
///
/// let profile = Profile::new().thinking(Thinking::tags(["think"]));
/// let mut rewriter = Rewriter::new(&profile, Format::OpenAi, Options::default())?;
/// let mut out = Vec::new();
/// rewriter.push(b"data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":", &mut out);
/// rewriter.push(b"\"<think>hm</think>Hi\"}}]}\n\n", &mut out);
/// rewriter.finish(&mut out);
/// let out = String::from_utf8(out)?;
/// assert!(out.contains(r#""reasoning_content":"hm""#));
/// assert!(out.contains(r#""content":"Hi""#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Rewriter {
    framing: Framing,
    tape: Tape,
    stream: Stream,
}

impl Rewriter {
    /// A rewriter for one stream in this format. If the profile hides thinking, it is hidden,
    /// whatever the options are.
    ///
    /// # Errors
    /// Streams in this format cannot be rewritten, or the profile or the field for thinking is invalid.
    pub fn new(profile: &Profile, format: Format, options: Options) -> Result<Self, RewriteError> {
        Ok(Plan::new(profile, format, options)?.rewriter())
    }

    /// Reads the next chunk and writes everything that it makes certain.
    pub fn push(&mut self, chunk: &[u8], out: &mut Vec<u8>) {
        let (stream, tape) = (&mut self.stream, &mut self.tape);
        self.framing
            .push(chunk, &mut |frame| stream.frame(&frame, tape, out));
    }

    /// Ends the stream and writes the rest; returns the notices that have not been taken.
    pub fn finish(self, out: &mut Vec<u8>) -> Vec<Notice> {
        let (mut stream, mut tape) = (self.stream, self.tape);
        self.framing
            .finish(&mut |frame| stream.last_frame(&frame, &mut tape, out));
        stream.finish(&mut tape, out);
        stream.sorter.notices
    }

    /// The notices, and the errors of refused calls, each returned once.
    pub fn take_notices(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.stream.sorter.notices)
    }

    /// How many bytes of frames have been read since anything was written. While thinking is hidden
    /// or a call is collected, the client receives nothing: a server that sees this number grow can
    /// send what keeps the connection alive, such as a comment.
    #[must_use]
    pub fn swallowed(&self) -> u64 {
        self.stream.swallowed
    }

    /// The format, as far as it is known.
    #[must_use]
    pub fn format(&self) -> Format {
        let stage = self.stream.stage.as_ref();
        stage.map_or(Format::Auto, |stage| stage.source.format)
    }
}

/// The block whose text has no place for calls.
fn without_calls(format: Format) -> Option<u64> {
    (format == Format::OpenAi).then_some(openai::LEGACY)
}

/// What writes the frames of a format.
#[derive(Debug)]
enum Writer {
    OpenAi(Box<openai::Writer>),
    Responses(Box<responses::Writer>),
    Anthropic(Box<anthropic::Writer>),
    Gemini(Box<gemini::Writer>),
    Ollama(Box<ollama::Writer>),
}

/// A format that is known: its reader and its writer.
#[derive(Debug)]
struct Stage {
    source: Source,
    writer: Writer,
}

impl Stage {
    fn new(format: Format, messages: &Messages, options: &Options) -> Result<Self, RewriteError> {
        let value_limit = messages.rules.value_limit;
        let source = Source::new(format, value_limit, options.frame_limit);
        let source = source.ok_or(RewriteError::Unsupported(format))?;
        let writer = match source.reader {
            Reader::OpenAi(_) => Writer::OpenAi(Box::default()),
            Reader::Responses(_) => Writer::Responses(Box::default()),
            Reader::Anthropic(_) => Writer::Anthropic(Box::default()),
            Reader::Gemini(_) => Writer::Gemini(Box::default()),
            Reader::Ollama(_) => Writer::Ollama(Box::default()),
        };
        Ok(Stage { source, writer })
    }
}

/// What writers work with.
pub(crate) struct Cx<'c, 'o> {
    pub(crate) options: &'c Options,
    pub(crate) messages: &'c mut Messages,
    pub(crate) out: Out<'o>,
    /// Some bytes of the frame were not UTF-8.
    pub(crate) is_replaced: bool,
    /// It has an id, or says when to connect again: some clients stumble over that.
    pub(crate) has_id: bool,
    /// It has no name.
    pub(crate) is_unnamed: bool,
    sorter: &'c mut Sorter,
}

impl Cx<'_, '_> {
    pub(crate) fn hides(&self) -> bool {
        self.options.thinking == Thinking::Hide
    }

    /// Reads a whole text once more: see [`whole_text`].
    pub(crate) fn again(&self, text: &str, course: Course, calls: u64, slot: Slot) -> Whole {
        let (messages, options, sorter) = (&*self.messages, self.options, &*self.sorter);
        whole_text(text, course, calls, slot, messages, options, sorter)
    }

    pub(crate) fn notice(&mut self, code: NoticeCode, message: &str) {
        self.sorter.notice(code.as_str(), message);
    }
}

/// Writes the frames of a format.
pub(crate) trait Write {
    /// Writes a frame with what it and those before it have become.
    fn json(&mut self, input: Input<'_>, changes: Changes, cx: &mut Cx<'_, '_>);

    /// Writes the end of the stream, of which the frame is the marker, or an error that the frame
    /// reports apart from its data.
    fn done(&mut self, changes: Changes, cx: &mut Cx<'_, '_>);

    /// Writes a frame without data.
    fn empty(&mut self, event: Option<&str>, cx: &mut Cx<'_, '_>) {
        cx.out.comment(event.unwrap_or("ping"));
    }

    /// Passes a frame on that says nothing or cannot be read.
    fn aside(&mut self, cx: &mut Cx<'_, '_>) {
        cx.out.same();
    }

    /// Writes what is held, because a frame of any length is about to be passed on unread.
    fn hurry(&mut self, _cx: &mut Cx<'_, '_>) {}

    /// Ends the stream, with or without its marker.
    fn finish(&mut self, changes: Changes, cx: &mut Cx<'_, '_>);
}

impl Writer {
    fn as_write(&mut self) -> &mut dyn Write {
        match self {
            Writer::OpenAi(writer) => &mut **writer,
            Writer::Responses(writer) => &mut **writer,
            Writer::Anthropic(writer) => &mut **writer,
            Writer::Gemini(writer) => &mut **writer,
            Writer::Ollama(writer) => &mut **writer,
        }
    }
}

const UNKNOWN_FORMAT: &str =
    "the format of the input was not recognised; it was passed on as it is";

/// A frame that is written.
struct FrameOut<'f> {
    message: &'f Message<'f>,
    raw: &'f [u8],
    style: Style,
}

#[derive(Debug)]
struct Stream {
    messages: Messages,
    options: Options,
    sorter: Sorter,
    /// `None` while the format is not known: frames are passed on.
    stage: Option<Stage>,
    queue: Queue,
    style: Style,
    /// Nothing was written of the last frame.
    is_dropped: bool,
    /// A frame with anything in it has come.
    has_content: bool,
    /// A frame of a provider has come.
    is_understood: bool,
    /// Something was written.
    has_written: bool,
    swallowed: u64,
}

impl Stream {
    fn frame(&mut self, frame: &Frame<'_>, tape: &mut Tape, bytes: &mut Vec<u8>) {
        let before = bytes.len();
        self.has_content |= match &frame.content {
            Content::Nothing => false,
            Content::Message(message) => !matches!(message.json(), "" | "[DONE]"),
            Content::Unknown | Content::TooLong => true,
        };
        match &frame.content {
            Content::Message(message) => {
                // What was repaired to be read here is written repaired, for all readers after this.
                let raw = if message.mended {
                    Cow::Owned(mended(frame.raw, message.json()))
                } else {
                    Cow::Borrowed(frame.raw)
                };
                self.message(message, &raw, frame.at, tape, bytes);
                self.is_dropped = bytes.len() == before && self.queue.is_empty();
            }
            _ => self.nothing(frame, tape, bytes),
        }
        self.has_written |= bytes.len() > before;
        self.swallowed = if bytes.len() == before {
            self.swallowed + frame.raw.len() as u64
        } else {
            0
        };
    }

    fn message(
        &mut self,
        message: &Message<'_>,
        raw: &[u8],
        at: u64,
        tape: &mut Tape,
        bytes: &mut Vec<u8>,
    ) {
        self.style = Style::of(raw, self.style);
        let (options, messages, sorter) = (&self.options, &mut self.messages, &mut self.sorter);
        let opened = Source::open(tape, message, at, &mut |_, event| sorter.report(&event));
        self.is_understood = self.is_understood
            || match &opened {
                Opened::Done | Opened::Error(_) => true,
                Opened::Json(input) => {
                    self.style.kind == StyleKind::Events || shape(input.doc.text).is_some()
                }
                Opened::Empty | Opened::Broken => false,
            };
        if let (None, Opened::Json(input)) = (&self.stage, &opened) {
            let error = || error_of(input.doc.root()).map(|_| Format::OpenAi);
            if let Some(format) = shape(input.doc.text).or_else(error) {
                self.stage = Stage::new(format, messages, options).ok();
                sorter.without_calls = without_calls(format);
            }
        }
        let Some(stage) = &mut self.stage else {
            return bytes.extend_from_slice(raw);
        };
        if let Opened::Json(Input { doc, .. }) = &opened
            && options.thinking == Thinking::Hide
            && doc.shadowed().next().is_some()
        {
            // A value that nobody reads, since its key comes again, may be a thought: none is left.
            let json = without_shadowed(*doc);
            let message = with_data(message, &json);
            return self.message(&message, &mended(raw, &json), at, tape, bytes);
        }
        let mut changes = Changes::default();
        sorter.is_whole = match &opened {
            Opened::Json(input) => stage.source.reader.is_whole(*input),
            _ => false,
        };
        let mut note = |delta: Delta<'_>, changes: &mut Changes| {
            changes.take(None, &delta, messages, sorter, options);
        };
        match &opened {
            Opened::Done => note(Delta::End, &mut changes),
            Opened::Error(text) => {
                let message = text.as_str().into();
                note(Delta::Error { message }, &mut changes);
            }
            Opened::Json(input) => {
                let problem = stage.source.read(*input, at, &mut |located| {
                    let at = located.at.map(|at| at.id);
                    changes.take(at, &located.delta, messages, sorter, options);
                });
                if let Some(problem) = problem {
                    sorter.notice(NoticeCode::InvalidFrame.as_str(), &problem);
                }
            }
            Opened::Empty | Opened::Broken => {}
        }
        changes.place = stage.source.reader.place();
        let unread = match &opened {
            Opened::Json(input) if options.thinking == Thinking::Hide => {
                let format = stage.source.format;
                unread::hide(*input, format, &changes, messages, options, sorter)
            }
            _ => None,
        };
        let must_release = match unread {
            Some(unread) => self.settle_without(&unread, message, raw, at, changes, bytes),
            None => self.settle(message, raw, &opened, changes, bytes),
        };
        if must_release {
            self.release(tape, bytes);
        }
    }

    /// Writes a frame, or lets it wait; whether all that wait are to be written now.
    fn settle(
        &mut self,
        message: &Message<'_>,
        raw: &[u8],
        opened: &Opened<'_>,
        mut changes: Changes,
        bytes: &mut Vec<u8>,
    ) -> bool {
        let doc = match opened {
            Opened::Json(input) => Some(input.doc),
            _ => None,
        };
        let step = self.queue.take(doc, &mut changes);
        if step == Step::Write {
            let frame = FrameOut {
                message,
                raw,
                style: self.style,
            };
            self.write(&frame, opened, changes, bytes);
            return false;
        }
        self.queue
            .push(message, raw, self.style, opened.kind(), changes);
        step == Step::Release
    }

    /// The same for a frame in which thinking was hidden that nobody has read.
    fn settle_without(
        &mut self,
        unread: &Unread,
        message: &Message<'_>,
        raw: &[u8],
        at: u64,
        changes: Changes,
        bytes: &mut Vec<u8>,
    ) -> bool {
        if unread.has_lost_text {
            let text = format!(
                "the frame at byte {at} has texts that cannot be read: they were removed, since thinking is hidden"
            );
            self.sorter.notice(NoticeCode::Dropped.as_str(), &text);
        }
        let raw = mended(raw, &unread.json);
        let message = with_data(message, &unread.json);
        let mut tape = Tape::default();
        let opened = match tape.read(&unread.json) {
            Ok(doc) => Opened::Json(Input::new(doc, &message)),
            Err(_) => Opened::Broken,
        };
        self.settle(&message, &raw, &opened, changes, bytes)
    }

    /// Writes a frame with what it has become.
    fn write(
        &mut self,
        frame: &FrameOut<'_>,
        opened: &Opened<'_>,
        changes: Changes,
        bytes: &mut Vec<u8>,
    ) {
        let message = frame.message;
        let Some((writer, mut cx)) = self.writer(frame.style, frame.raw, bytes) else {
            return;
        };
        cx.is_replaced = message.replaced;
        cx.has_id = message.id.is_some() || message.retry.is_some();
        cx.is_unnamed = message.event.is_none() && frame.style.kind == StyleKind::Events;
        match opened {
            Opened::Json(input) => writer.json(*input, changes, &mut cx),
            Opened::Done | Opened::Error(_) => writer.done(changes, &mut cx),
            Opened::Empty => writer.empty(message.event.as_deref(), &mut cx),
            Opened::Broken => writer.aside(&mut cx),
        }
    }

    /// Writes all frames that wait.
    fn release(&mut self, tape: &mut Tape, bytes: &mut Vec<u8>) {
        for waiting in self.queue.drain() {
            let before = bytes.len();
            let Some((message, kind)) = &waiting.message else {
                if !self.is_end_of_dropped(&waiting.raw) {
                    self.aside(&waiting.raw, false, bytes);
                }
                continue;
            };
            let opened = match kind {
                OpenedKind::Json => match tape.read(message.json()) {
                    Ok(doc) => Opened::Json(Input::new(doc, message)),
                    Err(_) => Opened::Broken,
                },
                OpenedKind::Done => Opened::Done,
                OpenedKind::Empty => Opened::Empty,
                OpenedKind::Broken => Opened::Broken,
            };
            let frame = FrameOut {
                message,
                raw: &waiting.raw,
                style: waiting.style,
            };
            self.write(&frame, &opened, waiting.changes, bytes);
            self.is_dropped = bytes.len() == before;
        }
    }

    /// Whether a frame is the line break of a removed line, which would be a line of its own.
    fn is_end_of_dropped(&self, raw: &[u8]) -> bool {
        let is_lines = |stage: &Stage| stage.source.format == Format::Ollama;
        self.is_dropped && raw.trim_ascii().is_empty() && self.stage.as_ref().is_some_and(is_lines)
    }

    /// An unfinished event at the end of the stream: at least its blank line is missing.
    fn last_frame(&mut self, frame: &Frame<'_>, tape: &mut Tape, bytes: &mut Vec<u8>) {
        let is_events = StyleKind::of(frame.raw) == StyleKind::Events;
        if !is_events || !is_whole(&frame.content, tape) {
            return self.frame(frame, tape, bytes);
        }
        let raw = ended(frame.raw, Style::of(frame.raw, self.style));
        let ended = Frame {
            raw: &raw,
            ..frame.clone()
        };
        self.frame(&ended, tape, bytes);
    }

    /// Comments, blank lines, and what cannot be read. A byte order mark is dropped.
    fn nothing(&mut self, frame: &Frame<'_>, tape: &mut Tape, bytes: &mut Vec<u8>) {
        let is_mark = |byte: &u8| BYTE_ORDER_MARK.contains(byte) || byte.is_ascii_whitespace();
        if frame.at < 3 && frame.raw.iter().all(is_mark) {
            let blank = frame.raw.iter().filter(|byte| byte.is_ascii());
            return bytes.extend(blank);
        }
        let sorter = &mut self.sorter;
        let Some(stage) = &mut self.stage else {
            return bytes.extend_from_slice(frame.raw);
        };
        let mut report = |_, event: WireEvent<'_>| sorter.report(&event);
        stage.source.report(frame, &mut report);
        if self.is_end_of_dropped(frame.raw) {
            return;
        }
        let is_too_long = frame.content == Content::TooLong;
        if !is_too_long && self.queue.aside(frame.raw, self.style) {
            return;
        }
        self.release(tape, bytes);
        self.aside(frame.raw, is_too_long, bytes);
    }

    fn aside(&mut self, raw: &[u8], is_too_long: bool, bytes: &mut Vec<u8>) {
        let Some((writer, mut cx)) = self.writer(self.style, raw, bytes) else {
            return;
        };
        if is_too_long {
            writer.hurry(&mut cx);
        }
        writer.aside(&mut cx);
    }

    /// What writes a frame with these bytes, and what it works with.
    fn writer<'s>(
        &'s mut self,
        style: Style,
        raw: &'s [u8],
        bytes: &'s mut Vec<u8>,
    ) -> Option<(&'s mut dyn Write, Cx<'s, 's>)> {
        let cx = Cx {
            options: &self.options,
            messages: &mut self.messages,
            out: Out { style, raw, bytes },
            is_replaced: false,
            has_id: false,
            is_unnamed: false,
            sorter: &mut self.sorter,
        };
        Some((self.stage.as_mut()?.writer.as_write(), cx))
    }

    fn finish(&mut self, tape: &mut Tape, bytes: &mut Vec<u8>) {
        let (options, messages, sorter) = (&self.options, &mut self.messages, &mut self.sorter);
        let Some(stage) = &mut self.stage else {
            if self.has_content {
                sorter.notice(NoticeCode::InvalidFrame.as_str(), UNKNOWN_FORMAT);
            }
            return;
        };
        let mut changes = Changes::default();
        stage.source.reader.finish(&mut Each(&mut |located| {
            changes.take(None, &located.delta, messages, sorter, options);
        }));
        changes.end_stream(messages, sorter, options);
        self.queue.take(None, &mut changes);
        self.release(tape, bytes);
        if let Some((writer, mut cx)) = self.writer(self.style, &[], bytes) {
            writer.finish(changes, &mut cx);
        }
    }
}

/// A message with other data, which is JSON.
fn with_data<'m>(message: &Message<'m>, json: &'m str) -> Message<'m> {
    Message {
        data: Some(Cow::Borrowed(json)),
        replaced: false,
        ..message.clone()
    }
}

fn without_shadowed(doc: Doc<'_>) -> String {
    let mut patch = Patch::default();
    patch.drop_shadowed(doc);
    patch.json(doc)
}

/// Whether all data of a frame has come.
fn is_whole(content: &Content<'_>, tape: &mut Tape) -> bool {
    let Content::Message(message) = content else {
        return false;
    };
    let data = message.json();
    data == "[DONE]" || tape.read(data).is_ok()
}
