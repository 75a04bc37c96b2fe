//! Cuts a stream into frames: server-sent events or JSON, decided by its first byte.

pub(crate) mod body;
pub(crate) mod frame;
mod mend;
mod mending;
pub(crate) mod ndjson;
pub(crate) mod sse;

use body::Values;
use frame::{Content, Frame, Frames};
use mending::Mending;
use sse::Sse;

pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Cuts any stream into frames.
#[derive(Debug)]
pub struct Framing {
    limit: usize,
    kind: Kind,
    mending: Mending,
}

#[derive(Debug)]
enum Kind {
    /// Only white space and a byte order mark have been read.
    Start(Start),
    Sse(Frames<Sse>),
    Json(Frames<Values>),
}

#[derive(Debug, Default)]
struct Start {
    at: u64,
    /// How much of a byte order mark has been read.
    mark: usize,
}

impl Framing {
    /// Frames of at most `limit` bytes.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        let kind = Kind::Start(Start::default());
        let mending = Mending::default();
        Framing {
            limit,
            kind,
            mending,
        }
    }

    /// Reads the next chunk and emits all complete frames.
    pub fn push(&mut self, mut chunk: &[u8], each: &mut impl FnMut(Frame<'_>)) {
        if let Kind::Start(start) = &mut self.kind {
            let blank = start.blank(chunk);
            let (before, rest) = chunk.split_at(blank);
            if !before.is_empty() {
                each(nothing(start.at, before));
                start.at += before.len() as u64;
            }
            let Some(first) = rest.first() else { return };
            self.kind = Kind::new(*first, self.limit, start.at);
            chunk = rest;
        }
        let mending = &mut self.mending;
        let each = &mut |frame: Frame<'_>| mending.frame(frame, each);
        match &mut self.kind {
            Kind::Start(_) => {}
            Kind::Sse(frames) => frames.push(chunk, each),
            Kind::Json(frames) => frames.push(chunk, each),
        }
    }

    /// Ends the stream and emits the unfinished frame.
    pub fn finish(self, each: &mut impl FnMut(Frame<'_>)) {
        let mut mending = self.mending;
        let mend = &mut |frame: Frame<'_>| mending.frame(frame, each);
        match self.kind {
            Kind::Start(_) => {}
            Kind::Sse(frames) => frames.finish(mend),
            Kind::Json(frames) => frames.finish(mend),
        }
        mending.finish(each);
    }
}

impl Kind {
    fn new(first: u8, limit: usize, at: u64) -> Kind {
        match first {
            b'{' | b'[' => Kind::Json(Frames::new(Values::default(), limit, at)),
            _ => Kind::Sse(Frames::new(Sse::default(), limit, at)),
        }
    }
}

impl Start {
    /// How many bytes come before the first one that counts.
    fn blank(&mut self, chunk: &[u8]) -> usize {
        let mut at = 0;
        while let Some(byte) = chunk.get(at) {
            let is_mark = BYTE_ORDER_MARK.get(self.mark) == Some(byte);
            if !is_mark && !byte.is_ascii_whitespace() {
                break;
            }
            // After white space it would not be a byte order mark, but it has no other use there.
            self.mark += usize::from(is_mark);
            at += 1;
        }
        at
    }
}

fn nothing(at: u64, raw: &[u8]) -> Frame<'_> {
    let content = Content::Nothing;
    Frame { at, raw, content }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(stream: &str) -> Vec<String> {
        let (mut seen, mut raw) = (Vec::new(), Vec::new());
        let mut framing = Framing::new(1000);
        let mut each = |frame: Frame<'_>| {
            assert_eq!(frame.at, raw.len() as u64);
            raw.extend_from_slice(frame.raw);
            if let Content::Message(message) = frame.content {
                seen.extend(message.data.map(std::borrow::Cow::into_owned));
            }
        };
        for byte in stream.bytes() {
            framing.push(&[byte], &mut each);
        }
        framing.finish(&mut each);
        assert_eq!(raw, stream.as_bytes());
        seen
    }

    #[test]
    fn the_first_byte_after_blank_lines_and_a_mark_decides() {
        assert_eq!(data("\u{feff}\n\ndata: a\n\n"), ["a"]);
        assert_eq!(data(": x\n\ndata: {}\n\n"), ["{}"]);
        assert_eq!(data("\n\n \n{\"a\":1}"), ["{\"a\":1}"]);
        assert_eq!(data("\u{feff}[{},{}]"), ["{}", "{}"]);
    }
}
