//! The end of a stream that the server did not end: what is held is written, then an error.

use super::{Found, Out, Rewriter, Stream, Style, StyleKind, Writer, is_whole};
use crate::aggregate::Notice;
use crate::error_frame::ServerError;
use crate::format::Format;
use crate::framing::frame::Content;
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
    /// The stream is not one of server-sent events, as its type says: an error before the first frame is
    /// JSON too.
    pub fn expect_json(&mut self) {
        self.stream.style = Style::first(self.format(), true);
    }

    /// Ends a stream that breaks off, and writes the rest and an error in the stream's format. A frame
    /// that is not complete is dropped: a client would stumble over it before it reads the error.
    /// `begins_line` is whether the output so far is empty or ends with a line break.
    pub fn abort(self, error: &ServerError, begins_line: bool, out: &mut Vec<u8>) -> Vec<Notice> {
        let mut rest = self.rest(out);
        rest.write_error(error, begins_line, out);
        rest.stream.sorter.notices
    }

    /// Ends a stream that the server has closed: as [`finish`](Rewriter::finish) does if it is
    /// complete, otherwise as [`abort`](Rewriter::abort). A list whose end has not come is closed.
    pub fn end(self, error: &ServerError, begins_line: bool, out: &mut Vec<u8>) -> Ended {
        let mut rest = self.rest(out);
        let is_cut = |notice: &Notice| notice.code == NoticeCode::TruncatedStream.as_str();
        let is_complete = !rest.stream.sorter.notices.iter().any(is_cut);
        if is_complete {
            rest.write_end(out);
        } else {
            rest.write_error(error, begins_line, out);
        }
        Ended {
            found: rest.stream.sorter.tally,
            notices: rest.stream.sorter.notices,
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

    /// Writes what is held, up to the end of a list.
    fn rest(self, out: &mut Vec<u8>) -> Rest {
        let start = out.len();
        let (mut stream, mut tape) = (self.stream, self.tape);
        let mut list_end = None;
        self.framing.finish(&mut |frame| {
            if StyleKind::of(frame.raw) == StyleKind::List && frame.content == Content::Nothing {
                list_end = Some(frame.raw.to_vec());
            } else if stream.messages.has_ended || is_whole(&frame.content, &mut tape) {
                stream.last_frame(&frame, &mut tape, out);
            }
        });
        stream.finish(&mut tape, out);
        Rest {
            stream,
            start,
            list_end: list_end.filter(|raw| raw.contains(&b']')),
        }
    }
}

/// A stream of which everything is written but its end.
struct Rest {
    stream: Stream,
    /// Where its last output starts.
    start: usize,
    /// What closes the list, as it came.
    list_end: Option<Vec<u8>>,
}

impl Rest {
    fn is_blank(&self, out: &[u8]) -> bool {
        !self.stream.has_written && out.len() == self.start
    }

    /// Closes a list.
    fn write_end(&self, out: &mut Vec<u8>) {
        match &self.list_end {
            Some(raw) => out.extend_from_slice(raw),
            None if self.is_list() && !self.is_blank(out) => out.extend_from_slice(b"]\n"),
            None => {}
        }
    }

    fn is_list(&self) -> bool {
        self.stream.style.kind == StyleKind::List
    }

    fn write_error(&mut self, error: &ServerError, begins_line: bool, out: &mut Vec<u8>) {
        let is_blank = self.is_blank(out);
        let begins_line = match out[self.start..].last() {
            Some(byte) => *byte == b'\n' || *byte == b'\r',
            None => begins_line,
        };
        let is_list = self.is_list();
        let stage = self.stream.stage.as_mut();
        let format = stage
            .as_ref()
            .map_or(Format::OpenAi, |stage| stage.source.format);
        let json = error.body(format);
        if is_list {
            let open = if is_blank { "[" } else { "," };
            out.extend_from_slice(format!("{open}{json}]\n").as_bytes());
            return;
        }
        let is_events = self.stream.style.kind == StyleKind::Events;
        if !begins_line {
            out.extend_from_slice(if is_events { b"\n\n" } else { b"\n" });
        }
        let mut frame = Out {
            style: self.stream.style,
            raw: &[],
            bytes: out,
        };
        match stage.map(|stage| &mut stage.writer) {
            Some(Writer::Responses(writer)) if is_events => {
                writer.error(error.code, &error.message, &mut frame);
            }
            Some(Writer::Anthropic(_)) => frame.new_event("error", &json),
            _ => frame.new_frame(&json),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rewrite::{Options, Plan};
    use serde_json::Value;
    use tagstream_core::{Profile, Thinking};

    const FIRST: &str =
        r#"{"candidates":[{"content":{"role":"model","parts":[{"text":"Hi <thi"}]},"index":0}]}"#;
    const LAST: &str = r#"{"candidates":[{"content":{"role":"model","parts":[{"text":"x"}]},"finishReason":"STOP","index":0}]}"#;

    fn plan(format: Format) -> Plan {
        let profile = Profile::new().thinking(Thinking::tags(["think"]));
        Plan::new(&profile, format, Options::default()).unwrap()
    }

    /// What a client gets of a JSON body that ends here.
    fn ended(plan: &Plan, body: &str) -> (String, bool) {
        let error = ServerError {
            status: 502,
            code: "upstream_broken",
            message: "it broke".to_owned(),
        };
        let mut rewriter = plan.rewriter();
        rewriter.expect_json();
        let mut out = Vec::new();
        rewriter.push(body.as_bytes(), &mut out);
        let begins_line = out.last().is_none_or(|byte| *byte == b'\n');
        let ended = rewriter.end(&error, begins_line, &mut out);
        (String::from_utf8(out).unwrap(), ended.is_complete)
    }

    #[test]
    fn a_list_is_one_wherever_it_ends_and_passes_as_it_came() {
        let plan = plan(Format::Gemini);
        for between in ["\n,\r\n", ","] {
            for end in ["]", "\n]\n"] {
                let body = format!("[{FIRST}{between}{LAST}{end}");
                let whole = body.len() - end.len();
                for at in 0..=body.len() {
                    let (text, is_complete) = ended(&plan, &body[..at]);
                    let list: Vec<Value> = serde_json::from_str(&text)
                        .unwrap_or_else(|error| panic!("{error} at {at}: {text}"));
                    assert_eq!(is_complete, at >= whole, "{at}: {text}");
                    let is_error = list.last().unwrap().get("error").is_some();
                    assert_eq!(is_error, !is_complete, "{at}: {text}");
                }
                assert_eq!(ended(&plan, &body).0, body);
            }
        }
    }

    #[test]
    fn an_error_comes_before_the_end_of_a_list_without_a_finish() {
        let plan = plan(Format::Gemini);
        for body in ["[]".to_owned(), format!("[{FIRST}\n]")] {
            let (text, is_complete) = ended(&plan, &body);
            let list: Vec<Value> = serde_json::from_str(&text).unwrap();
            assert!(!is_complete && list.last().unwrap().get("error").is_some());
        }
    }

    #[test]
    fn a_body_that_breaks_off_is_an_error_in_json() {
        for format in [
            Format::OpenAi,
            Format::Responses,
            Format::Anthropic,
            Format::Ollama,
        ] {
            for body in ["", "{\"id\":\"c\",\"choices\":[{\"ind"] {
                let (text, is_complete) = ended(&plan(format), body);
                let error: Value = serde_json::from_str(&text).unwrap();
                assert!(!is_complete && error.get("error").is_some(), "{text}");
            }
        }
    }
}
