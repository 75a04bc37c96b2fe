//! Writes a stream again in the same format, with thinking in the field that clients read, and
//! calls that were found in text as native calls.
//!
//! ```text
//! bytes → Framing → Frame → (texts → Reading → Pieces) → frames: passed on, edited or new
//! ```
//!
//! A frame in which nothing changes is passed on byte for byte. What a frame becomes depends on the
//! frames before it, and never on how the bytes were cut.

mod anthropic;
mod gemini;
mod ids;
mod object;
mod ollama;
mod openai;
mod out;
mod reading;
mod responses;

use crate::aggregate::Notice;
use crate::decode::Format;
use crate::decode::shape::shape;
use crate::framing::frame::{Content, Frame, Message};
use crate::framing::{BYTE_ORDER_MARK, Framing};
use crate::session::policies::Policies;
use anthropic::Anthropic;
use gemini::Gemini;
use ollama::Ollama;
use openai::OpenAi;
use out::{Out, Style, ended, mended};
use reading::Setup;
use responses::Responses;
use serde::de::IgnoredAny;
use std::{borrow::Cow, fmt};

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

/// Options for rewriting a stream.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// What happens to thinking.
    pub thinking: Thinking,
    /// The field that thinking is moved to in OpenAI's format, which has no field of its own. It
    /// must be one without another meaning, such as `reasoning`.
    pub reasoning_field: String,
    /// What happens to the text of a refused call.
    pub refused: Refused,
    /// A frame with more bytes is passed on unchanged.
    pub frame_limit: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            thinking: Thinking::Move,
            reasoning_field: "reasoning_content".to_owned(),
            refused: Refused::Show,
            frame_limit: 16_777_216,
        }
    }
}

/// A format that cannot be rewritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsupported(pub Format);

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a stream in the format `{}` cannot be rewritten; allowed: openai, responses, anthropic, gemini, ollama, auto",
            self.0.name()
        )
    }
}

impl std::error::Error for Unsupported {}

/// Rewrites one stream.
///
/// ```
/// use tagstream::{Profile, Thinking};
/// use tagstream_wire::{Format, rewrite::{Options, Rewriter}};
///
/// let policy = Profile::new().thinking(Thinking::tags(["think"])).compile()?;
/// let mut rewriter = Rewriter::new(&policy, Format::OpenAi, Options::default())?;
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
    stream: Stream,
}

impl Rewriter {
    /// A rewriter for one stream in this format. If the profile hides thinking, it is hidden,
    /// whatever the options are.
    ///
    /// # Errors
    /// Streams in this format cannot be rewritten.
    pub fn new(
        policies: impl Into<Policies>,
        format: Format,
        mut options: Options,
    ) -> Result<Self, Unsupported> {
        let rules = Rules::new(format)?;
        let framing = Framing::new(options.frame_limit);
        let policies = policies.into();
        if policies.hides {
            options.thinking = Thinking::Hide;
        }
        let setup = Setup {
            policies,
            options,
            notices: Vec::new(),
        };
        let stream = Stream {
            setup,
            format,
            rules,
            style: Style::default(),
            is_dropped: false,
        };
        Ok(Rewriter { framing, stream })
    }

    /// Reads the next chunk and writes everything that it makes certain.
    pub fn push(&mut self, chunk: &[u8], out: &mut Vec<u8>) {
        let stream = &mut self.stream;
        self.framing
            .push(chunk, &mut |frame| stream.frame(&frame, out));
    }

    /// Ends the stream and writes the rest; returns the notices that have not been taken.
    pub fn finish(self, out: &mut Vec<u8>) -> Vec<Notice> {
        let mut stream = self.stream;
        self.framing
            .finish(&mut |frame| stream.last_frame(&frame, out));
        stream.finish(out);
        stream.setup.notices
    }

    /// The notices, and the errors of refused calls, each returned once.
    pub fn take_notices(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.stream.setup.notices)
    }

    /// The format, as far as it is known.
    #[must_use]
    pub fn format(&self) -> Format {
        self.stream.format
    }
}

/// What rewrites the frames of a format.
#[derive(Debug)]
enum Rules {
    /// Frames are passed on: the format is not known, or cannot be rewritten.
    Pass,
    OpenAi(Box<OpenAi>),
    Responses(Box<Responses>),
    Anthropic(Box<Anthropic>),
    Gemini(Box<Gemini>),
    Ollama(Box<Ollama>),
}

impl Rules {
    fn new(format: Format) -> Result<Rules, Unsupported> {
        match format {
            Format::Auto => Ok(Rules::Pass),
            Format::OpenAi => Ok(Rules::OpenAi(Box::default())),
            Format::Responses => Ok(Rules::Responses(Box::default())),
            Format::Anthropic => Ok(Rules::Anthropic(Box::default())),
            Format::Gemini => Ok(Rules::Gemini(Box::default())),
            Format::Ollama => Ok(Rules::Ollama(Box::default())),
            other => Err(Unsupported(other)),
        }
    }

    /// Writes what is held, because a frame of any length is about to be passed on unread.
    fn hurry(&mut self, setup: &mut Setup, out: &mut Out<'_>) {
        match self {
            Rules::Responses(rules) => rules.hurry(setup, out),
            Rules::Anthropic(rules) => rules.hurry(out),
            Rules::Gemini(rules) => rules.release(out),
            _ => {}
        }
    }
}

#[derive(Debug)]
struct Stream {
    setup: Setup,
    format: Format,
    rules: Rules,
    style: Style,
    /// Nothing was written of the last frame.
    is_dropped: bool,
}

impl Stream {
    fn frame(&mut self, frame: &Frame<'_>, bytes: &mut Vec<u8>) {
        let Content::Message(message) = &frame.content else {
            return self.nothing(frame, bytes);
        };
        // What was repaired to be read here is written repaired, for all readers after this one.
        let raw = match message.mended {
            true => mended(frame.raw, message.json()).into(),
            false => Cow::Borrowed(frame.raw),
        };
        self.message(message, &raw, bytes);
    }

    fn message(&mut self, message: &Message<'_>, raw: &[u8], bytes: &mut Vec<u8>) {
        self.style = Style::of(raw);
        if self.format == Format::Auto {
            self.learn(message);
        }
        let before = bytes.len();
        let style = self.style;
        let mut out = Out { style, raw, bytes };
        match &mut self.rules {
            Rules::Pass => out.same(),
            Rules::OpenAi(rules) => rules.frame(message, &mut self.setup, &mut out),
            Rules::Responses(rules) => rules.frame(message, &mut self.setup, &mut out),
            Rules::Anthropic(rules) => rules.frame(message, &mut self.setup, &mut out),
            Rules::Gemini(rules) => rules.frame(message, &mut self.setup, &mut out),
            Rules::Ollama(rules) => rules.frame(message, &mut self.setup, &mut out),
        }
        self.is_dropped = bytes.len() == before;
    }

    /// An unfinished event at the end of the stream: at least its blank line is missing.
    fn last_frame(&mut self, frame: &Frame<'_>, bytes: &mut Vec<u8>) {
        if Style::of(frame.raw) != Style::Events || !is_whole(&frame.content) {
            return self.frame(frame, bytes);
        }
        let raw = ended(frame.raw);
        let ended = Frame {
            raw: &raw,
            ..frame.clone()
        };
        self.frame(&ended, bytes);
    }

    /// Comments, blank lines, and what cannot be read. A byte order mark is dropped.
    fn nothing(&mut self, frame: &Frame<'_>, bytes: &mut Vec<u8>) {
        let is_mark = |byte: &u8| BYTE_ORDER_MARK.contains(byte) || byte.is_ascii_whitespace();
        if frame.at < 3 && frame.raw.iter().all(is_mark) {
            let blank = frame.raw.iter().filter(|byte| byte.is_ascii());
            return bytes.extend(blank);
        }
        let mut out = Out::new(frame, self.style, bytes);
        if frame.content == Content::TooLong {
            self.rules.hurry(&mut self.setup, &mut out);
        }
        match &mut self.rules {
            Rules::Responses(rules) => rules.nothing(&mut self.setup, &mut out),
            Rules::Anthropic(rules) => {
                rules.aside(false, frame.raw.to_vec(), &self.setup, &mut out);
            }
            Rules::Gemini(rules) => rules.aside(&self.setup, &mut out),
            // The line break of a removed line would be a line of its own.
            Rules::Ollama(_) if self.is_dropped && frame.raw.trim_ascii().is_empty() => {}
            _ => out.same(),
        }
    }

    /// Learns the format from a frame.
    fn learn(&mut self, message: &Message<'_>) {
        if let Some(format) = shape(message.json()) {
            self.format = format;
            self.rules = Rules::new(format).unwrap_or(Rules::Pass);
        }
    }

    fn finish(&mut self, bytes: &mut Vec<u8>) {
        let mut out = Out {
            style: self.style,
            raw: &[],
            bytes,
        };
        match &mut self.rules {
            Rules::Pass => {}
            Rules::OpenAi(rules) => rules.flush(&mut self.setup, &mut out),
            Rules::Responses(rules) => rules.finish(&mut self.setup, &mut out),
            Rules::Anthropic(rules) => rules.finish(&mut self.setup, &mut out),
            Rules::Gemini(rules) => rules.finish(&mut self.setup, &mut out),
            Rules::Ollama(rules) => rules.finish(&mut self.setup, &mut out),
        }
    }
}

/// Whether all data of a frame has come.
fn is_whole(content: &Content<'_>) -> bool {
    let Content::Message(message) = content else {
        return false;
    };
    let data = message.json();
    data == "[DONE]" || serde_json::from_str::<IgnoredAny>(data).is_ok()
}
