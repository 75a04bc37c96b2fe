//! The end of a stream that the server did not end: what is held is written, then an error.

use super::{Found, Out, Rewriter, Stream, StyleKind, Writer, is_whole};
use crate::aggregate::Notice;
use crate::error_frame::ServerError;
use crate::format::Format;
use tagstream_core::NoticeCode;

/// How a stream ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ended {
    /// The notices that have not been taken.
    pub notices: Vec<Notice>,
    /// What was found in its texts.
    pub found: Found,
    /// Whether the server had sent all of it.
    pub is_complete: bool,
}

impl Rewriter {
    /// Ends a stream that breaks off, and writes the rest and an error in the stream's format. A frame
    /// that is not complete is dropped: a client would stumble over it before it reads the error.
    /// `begins_line` is whether the output so far is empty or ends with a line break.
    pub fn abort(self, error: &ServerError, begins_line: bool, out: &mut Vec<u8>) -> Vec<Notice> {
        let start = out.len();
        let mut stream = self.rest(out);
        stream.write_error(error, begins_line, start, out);
        stream.sorter.notices
    }

    /// Ends a stream that the server has closed: as [`finish`](Rewriter::finish) does if it is
    /// complete, otherwise as [`abort`](Rewriter::abort).
    pub fn end(self, error: &ServerError, begins_line: bool, out: &mut Vec<u8>) -> Ended {
        let start = out.len();
        let mut stream = self.rest(out);
        let is_cut = |notice: &Notice| notice.code == NoticeCode::TruncatedStream.as_str();
        let is_complete = !stream.sorter.notices.iter().any(is_cut);
        if !is_complete {
            stream.write_error(error, begins_line, start, out);
        }
        Ended {
            found: stream.sorter.tally,
            notices: stream.sorter.notices,
            is_complete,
        }
    }

    /// Ends input that is not a stream of a provider: what is held passes as it came.
    pub fn pass(self, out: &mut Vec<u8>) {
        let mut stream = self.stream;
        for waiting in stream.queue.drain() {
            out.extend_from_slice(&waiting.raw);
        }
        self.framing
            .finish(&mut |frame| out.extend_from_slice(frame.raw));
    }

    /// Writes what is held.
    fn rest(self, out: &mut Vec<u8>) -> Stream {
        let (mut stream, mut tape) = (self.stream, self.tape);
        self.framing.finish(&mut |frame| {
            if stream.messages.has_ended || is_whole(&frame.content, &mut tape) {
                stream.last_frame(&frame, &mut tape, out);
            }
        });
        stream.finish(&mut tape, out);
        stream
    }
}

impl Stream {
    fn write_error(
        &mut self,
        error: &ServerError,
        begins_line: bool,
        start: usize,
        out: &mut Vec<u8>,
    ) {
        let stream = self;
        let is_blank = stream.stage.is_none() || (out.is_empty() && !stream.has_written);
        let format = stream
            .stage
            .as_ref()
            .map_or(Format::OpenAi, |stage| stage.source.format);
        let begins_line = match out[start..].last() {
            Some(byte) => *byte == b'\n' || *byte == b'\r',
            None => begins_line,
        };
        let json = error.body(format);
        let is_events = stream.style.kind == StyleKind::Events;
        if is_events && !begins_line {
            out.extend_from_slice(b"\n\n");
        }
        let mut frame = Out {
            style: stream.style,
            raw: &[],
            bytes: out,
        };
        match stream.stage.as_mut().map(|stage| &mut stage.writer) {
            Some(Writer::Responses(writer)) if is_events => {
                writer.error(error.code, &error.message, &mut frame);
            }
            Some(Writer::Anthropic(_)) => frame.new_event("error", &json),
            Some(Writer::Gemini(_)) if !is_events => {
                let open = if is_blank { "[" } else { "," };
                frame
                    .bytes
                    .extend_from_slice(format!("{open}{json}]\n").as_bytes());
            }
            _ if is_events => frame.new_frame(&json),
            _ => {
                if !begins_line {
                    frame.bytes.push(b'\n');
                }
                frame.new_frame(&json);
            }
        }
    }
}
