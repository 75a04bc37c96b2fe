//! Server-sent events, by the rules of the WHATWG, with one exception: an unfinished event at the
//! end of the stream is emitted, not lost.

use super::frame::{Content, Message, Split, text};
use memchr::memchr2;
use std::borrow::Cow;

/// Cuts a stream where an event ends: at a blank line.
#[derive(Debug)]
pub struct Sse {
    /// The line has no bytes so far.
    line_is_empty: bool,
    /// The byte before was a CR: an LF belongs to it.
    after_cr: bool,
    /// Nothing has been read yet: a byte order mark may follow.
    at_start: bool,
    /// Lines end with CR and LF, as far as is known: an event waits for its last LF.
    is_crlf: bool,
    /// The event is over, and its last LF may follow.
    awaits_lf: bool,
}

impl Default for Sse {
    fn default() -> Self {
        Sse {
            line_is_empty: true,
            after_cr: false,
            at_start: true,
            is_crlf: false,
            awaits_lf: false,
        }
    }
}

impl Split for Sse {
    fn end(&mut self, chunk: &[u8]) -> Option<usize> {
        let mut line = 0;
        if self.awaits_lf {
            let next = chunk.first()?;
            self.awaits_lf = false;
            (self.line_is_empty, self.after_cr) = (true, false);
            return Some(usize::from(*next == b'\n'));
        }
        loop {
            let found = memchr2(b'\r', b'\n', &chunk[line..]).map(|n| line + n);
            if found.unwrap_or(chunk.len()) > line {
                (self.line_is_empty, self.after_cr) = (false, false);
            }
            let at = found?;
            let belongs_to_cr = self.after_cr && chunk[at] == b'\n';
            self.after_cr = chunk[at] == b'\r';
            line = at + 1;
            if belongs_to_cr {
                self.is_crlf = true;
                continue;
            }
            if self.line_is_empty {
                return self.with_line_feed(chunk, line);
            }
            self.line_is_empty = true;
        }
    }

    fn read<'a>(&mut self, raw: &'a [u8]) -> Content<'a> {
        let raw = match raw.strip_prefix(b"\xef\xbb\xbf") {
            Some(rest) if self.at_start => rest,
            _ => raw,
        };
        self.at_start = false;
        let mut event = Event::default();
        lines(raw).for_each(|line| event.line(line));
        event.content()
    }
}

impl Sse {
    /// The end of an event whose blank line ends here. Where lines end with CR and LF, it waits for
    /// the LF; where they end with CR alone, it does not. So the cut of the bytes makes no
    /// difference, and nothing waits in vain.
    fn with_line_feed(&mut self, chunk: &[u8], end: usize) -> Option<usize> {
        if !self.after_cr || !self.is_crlf {
            return Some(end);
        }
        let next = chunk.get(end);
        self.awaits_lf = next.is_none();
        self.after_cr = false;
        next.map(|next| end + usize::from(*next == b'\n'))
    }
}

/// The lines of an event, without their ends.
fn lines(mut raw: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        if raw.is_empty() {
            return None;
        }
        let end = memchr2(b'\r', b'\n', raw).unwrap_or(raw.len());
        let (line, rest) = raw.split_at(end);
        // The LF of a CRLF reads as a blank line, which has no meaning inside a frame.
        raw = rest.get(1..).unwrap_or_default();
        Some(line)
    })
}

#[derive(Default)]
struct Event<'a> {
    message: Message<'a>,
    has_field: bool,
    has_unknown: bool,
}

impl<'a> Event<'a> {
    fn line(&mut self, line: &'a [u8]) {
        let (name, value) = match memchr::memchr(b':', line) {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &[][..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => self.data(value),
            b"event" => self.message.event = Some(text(value).0).filter(|name| !name.is_empty()),
            b"id" if !value.contains(&0) => self.message.id = Some(text(value).0),
            b"error" => self.message.error = Some(text(value).0),
            b"retry" => self.message.retry = number(value).or(self.message.retry),
            b"id" => {}
            b"" => return,
            _ => return self.has_unknown = true,
        }
        self.has_field = true;
    }

    /// Several lines of data are one text with newlines in it.
    fn data(&mut self, value: &'a [u8]) {
        let (value, replaced) = text(value);
        self.message.replaced |= replaced;
        match &mut self.message.data {
            Some(data) => {
                let data = data.to_mut();
                data.push('\n');
                data.push_str(&value);
            }
            none => *none = Some(value),
        }
    }

    fn content(self) -> Content<'a> {
        match (self.has_field, self.has_unknown) {
            (true, _) => Content::Message(self.message),
            (false, true) => Content::Unknown,
            (false, false) => Content::Nothing,
        }
    }
}

fn number(digits: &[u8]) -> Option<u64> {
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let digits: Cow<'_, str> = String::from_utf8_lossy(digits);
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::framing::frame::{Frame, Frames};

    /// The events and data of a stream that comes in these chunks, and all raw bytes.
    fn read(chunks: &[&[u8]], limit: usize) -> (Vec<String>, Vec<u8>) {
        let (mut seen, mut raw) = (Vec::new(), Vec::new());
        let mut each = |frame: Frame<'_>| {
            assert_eq!(frame.at, raw.len() as u64, "frames tile the stream");
            raw.extend_from_slice(frame.raw);
            match frame.content {
                Content::Nothing => {}
                Content::Message(message) => seen.push(format!(
                    "{}={}",
                    message.event.unwrap_or_default(),
                    message.data.as_deref().unwrap_or("-")
                )),
                other => seen.push(format!("{other:?}")),
            }
        };
        let mut frames = Frames::new(Sse::default(), limit, 0);
        for chunk in chunks {
            frames.push(chunk, &mut each);
        }
        frames.finish(&mut each);
        (seen, raw)
    }

    /// What is read must not depend on the cut, and must be all bytes.
    fn check(stream: &[u8], expected: &[&str]) {
        for at in 0..=stream.len() {
            let (seen, raw) = read(&[&stream[..at], &stream[at..]], 100);
            assert_eq!(
                (seen.as_slice(), raw.as_slice()),
                (own(expected).as_slice(), stream)
            );
        }
        let bytes: Vec<&[u8]> = stream.chunks(1).collect();
        assert_eq!(read(&bytes, 100), (own(expected), stream.to_vec()));
    }

    fn own(list: &[&str]) -> Vec<String> {
        list.iter().map(|&s| s.to_owned()).collect()
    }

    #[test]
    fn lines_end_with_lf_or_cr_or_both() {
        check(b"data: a\n\ndata: b\n\n", &["=a", "=b"]);
        check(b"data: a\r\rdata: b\r\r", &["=a", "=b"]);
        check(b"data: a\r\n\r\ndata: b\r\n\r\n", &["=a", "=b"]);
        check(b"data: a\r\n\ndata: b\n\r\n", &["=a", "=b"]);
    }

    #[test]
    fn an_event_that_ends_with_cr_does_not_wait() {
        let mut seen = 0;
        let mut frames = Frames::new(Sse::default(), 100, 0);
        frames.push(b"data: a\r\r", &mut |_| seen += 1);
        assert_eq!(seen, 1);
    }

    #[test]
    fn a_byte_order_mark_counts_only_at_the_start() {
        check("\u{feff}data: a\n\n".as_bytes(), &["=a"]);
        check(
            "data: a\n\n\u{feff}data: b\n\n".as_bytes(),
            &["=a", "Unknown"],
        );
    }

    #[test]
    fn comments_say_nothing() {
        check(b":\n\n: keep-alive\n\n:x\ndata: a\n\n", &["=a"]);
    }

    #[test]
    fn one_space_after_the_colon_goes() {
        check(b"data:a\ndata:  b\ndata\n\n", &["=a\n b\n"]);
    }

    #[test]
    fn fields_are_read_and_others_passed_over() {
        check(
            b"event: ping\nid: 7\nretry: 10\ndata: a\nfoo: b\n\n",
            &["ping=a"],
        );
        check(b"event: ping\n\n", &["ping=-"]);
        check(b"retry: 10\n\n", &["=-"]);
        check(b"<html>\n\n", &["Unknown"]);
        let mut split = Sse::default();
        let Content::Message(message) = split.read(b"id: 7\nretry: 10\nid: 8\x00\nretry: 1x\n\n")
        else {
            panic!("it has fields");
        };
        assert_eq!(
            (message.id.as_deref(), message.retry),
            (Some("7"), Some(10))
        );
    }

    #[test]
    fn an_unfinished_event_is_given_at_the_end() {
        check(b"data: a\n\ndata: b", &["=a", "=b"]);
        check(b"data: a\n\ndata: b\n", &["=a", "=b"]);
    }

    #[test]
    fn characters_may_be_cut_and_bad_ones_are_replaced() {
        check("data: é😀\n\n".as_bytes(), &["=é😀"]);
        check(b"data: a\xffb\xe2\x82\n\n", &["=a\u{fffd}b\u{fffd}"]);
    }

    #[test]
    fn a_line_beyond_the_limit_is_an_error_and_not_memory() {
        let mut stream = b"data: ".to_vec();
        stream.extend([b'x'; 300]);
        stream.extend(b"\n\ndata: a\n\n");
        check(&stream, &["TooLong", "=a"]);
        let mut frames = Frames::new(Sse::default(), 100, 0);
        for byte in &stream[..300] {
            frames.push(&[*byte], &mut |_| ());
            assert!(frames.held() <= 100);
        }
    }
}
