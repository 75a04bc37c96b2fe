//! Frames: the units of a provider's stream.
//!
//! The raw bytes of all frames, concatenated, are the stream. So a rewriter can pass on what it
//! does not change byte for byte, comments and blank lines included.

use std::borrow::Cow;

/// One unit of a stream: an event, a line, a JSON value, or what is between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// Where it starts, in bytes of the stream.
    pub at: u64,
    /// All its bytes.
    pub raw: &'a [u8],
    /// What is in it.
    pub content: Content<'a>,
}

/// What is in a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content<'a> {
    /// Nothing with a meaning: comments, blank lines, brackets.
    Nothing,
    /// A message.
    Message(Message<'a>),
    /// It is longer than the limit. The rest follows in frames with the content `Nothing`.
    TooLong,
    /// It is not an event: none of its lines is a field or a comment.
    Unknown,
}

/// The message in a frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message<'a> {
    /// The name of the event, if it has one.
    pub event: Option<Cow<'a, str>>,
    /// Its data, with U+FFFD for bytes that are not text; `None` if there is none.
    pub data: Option<Cow<'a, str>>,
    /// The id of the event, if it has one.
    pub id: Option<Cow<'a, str>>,
    /// An error that the server reports in a field of its own, as older versions of llama.cpp do.
    pub error: Option<Cow<'a, str>>,
    /// How long to wait before the next connection, in milliseconds.
    pub retry: Option<u64>,
    /// Whether any of the data became U+FFFD: bytes that are not UTF-8, or half a character.
    pub replaced: bool,
    /// Whether the data was not strictly JSON and was repaired.
    pub mended: bool,
    /// Whether the frame is a JSON value of its own, and not an event.
    pub is_value: bool,
}

impl Message<'_> {
    /// A copy that owns its text.
    pub(crate) fn into_owned(self) -> Message<'static> {
        let owned = |text: Option<Cow<'_, str>>| text.map(|text| Cow::Owned(text.into_owned()));
        Message {
            event: owned(self.event),
            data: owned(self.data),
            id: owned(self.id),
            error: owned(self.error),
            retry: self.retry,
            replaced: self.replaced,
            mended: self.mended,
            is_value: self.is_value,
        }
    }

    /// Its data without the white space around it, which has no meaning in JSON; empty if there is
    /// none.
    #[must_use]
    pub fn json(&self) -> &str {
        self.data.as_deref().unwrap_or("").trim_ascii()
    }
}

/// How a stream is cut into frames.
pub trait Split {
    /// The end of the frame in the chunk, if it is there. The chunk continues where the previous
    /// chunk or the previous frame ended.
    fn end(&mut self, chunk: &[u8]) -> Option<usize>;

    /// The content of a complete frame.
    fn read<'a>(&mut self, raw: &'a [u8]) -> Content<'a>;
}

/// Cuts a stream, given in chunks, into frames.
#[derive(Debug)]
pub struct Frames<S> {
    split: S,
    /// The start of a frame that was cut.
    held: Vec<u8>,
    /// Where the frame starts.
    at: u64,
    limit: usize,
    /// The frame is longer than the limit, and the rest of it is ignored.
    passing: bool,
}

impl<S: Split> Frames<S> {
    /// Frames of at most `limit` bytes, of a stream that continues at byte `at`.
    pub fn new(split: S, limit: usize, at: u64) -> Self {
        Frames {
            split,
            held: Vec::new(),
            at,
            limit,
            passing: false,
        }
    }

    /// Reads the next chunk and emits all complete frames.
    pub fn push(&mut self, mut chunk: &[u8], each: &mut impl FnMut(Frame<'_>)) {
        while let Some(end) = self.split.end(chunk) {
            let (last, rest) = chunk.split_at(end);
            self.complete(last, each);
            chunk = rest;
        }
        if !chunk.is_empty() {
            self.keep(chunk, each);
        }
    }

    /// Ends the stream and emits the unfinished frame.
    pub fn finish(mut self, each: &mut impl FnMut(Frame<'_>)) {
        if !self.held.is_empty() {
            self.complete(&[], each);
        }
    }

    /// How many bytes of an unfinished frame are kept.
    #[must_use]
    pub fn held(&self) -> usize {
        self.held.len()
    }

    fn complete(&mut self, last: &[u8], each: &mut impl FnMut(Frame<'_>)) {
        let passing = std::mem::take(&mut self.passing);
        if passing {
            return self.give(last, Content::Nothing, each);
        }
        if self.is_too_long(last) {
            return self.give_up(last, each);
        }
        let mut held = std::mem::take(&mut self.held);
        let raw = if held.is_empty() {
            last
        } else {
            held.extend_from_slice(last);
            &held
        };
        let content = self.split.read(raw);
        self.give(raw, content, each);
        held.clear();
        self.held = held;
    }

    fn keep(&mut self, piece: &[u8], each: &mut impl FnMut(Frame<'_>)) {
        if self.passing {
            self.give(piece, Content::Nothing, each);
        } else if self.is_too_long(piece) {
            self.passing = true;
            self.give_up(piece, each);
        } else {
            self.held.extend_from_slice(piece);
        }
    }

    fn is_too_long(&self, piece: &[u8]) -> bool {
        self.held.len() + piece.len() > self.limit
    }

    /// Emits what has been read of a frame that is too long. It may be large, and is not copied.
    fn give_up(&mut self, piece: &[u8], each: &mut impl FnMut(Frame<'_>)) {
        let held = std::mem::take(&mut self.held);
        if held.is_empty() {
            return self.give(piece, Content::TooLong, each);
        }
        self.give(&held, Content::TooLong, each);
        self.give(piece, Content::Nothing, each);
    }

    fn give(&mut self, raw: &[u8], content: Content<'_>, each: &mut impl FnMut(Frame<'_>)) {
        let at = self.at;
        self.at += raw.len() as u64;
        each(Frame { at, raw, content });
    }
}

/// Text from bytes, and whether any of them were not UTF-8.
pub(crate) fn text(bytes: &[u8]) -> (Cow<'_, str>, bool) {
    // Faster than `from_utf8_lossy` for what nearly all frames are.
    match std::str::from_utf8(bytes) {
        Ok(text) => (Cow::Borrowed(text), false),
        Err(_) => (String::from_utf8_lossy(bytes), true),
    }
}

/// The content of a frame that is only JSON.
pub(crate) fn json(bytes: &[u8]) -> Content<'_> {
    if bytes.is_empty() {
        return Content::Nothing;
    }
    let (data, replaced) = text(bytes);
    Content::Message(Message {
        data: Some(data),
        replaced,
        is_value: true,
        ..Message::default()
    })
}
