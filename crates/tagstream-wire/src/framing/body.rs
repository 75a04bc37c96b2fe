//! JSON values: a whole body, the elements of a list, or lines.
//!
//! A body may have many lines, so that only its brackets determine its end. If the first value is
//! on one line, so are all others: from then on lines are read, because a broken line does not
//! affect those after it.

use super::frame::{Content, Split, json};
use super::ndjson::Lines;
use memchr::memchr3;

/// Cuts a stream after each JSON object.
#[derive(Debug, Default)]
pub struct Values {
    nesting: Nesting,
    /// The objects are in a list.
    in_list: bool,
    /// The value has more than one line.
    has_newline: bool,
    by_line: bool,
}

impl Split for Values {
    fn end(&mut self, chunk: &[u8]) -> Option<usize> {
        if self.by_line {
            return Lines.end(chunk);
        }
        let mut at = 0;
        while at < chunk.len() {
            let read = self.step(&chunk[at..]);
            at += read.bytes;
            if read.ends {
                self.nesting = Nesting::default();
                self.has_newline = false;
                return Some(at);
            }
        }
        None
    }

    fn read<'a>(&mut self, raw: &'a [u8]) -> Content<'a> {
        let between = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b',' | b'[' | b']');
        let start = raw.iter().position(|byte| !between(byte));
        json(raw[start.unwrap_or(raw.len())..].trim_ascii_end())
    }
}

/// How many bytes a step has read, and whether the value ends with them.
struct Read {
    bytes: usize,
    ends: bool,
}

impl Values {
    fn step(&mut self, bytes: &[u8]) -> Read {
        if self.nesting.in_string {
            return self.string(bytes);
        }
        let byte = bytes[0];
        if self.nesting.depth == 0 && byte == b'[' && !self.in_list {
            self.in_list = true;
            return Read {
                bytes: 1,
                ends: false,
            };
        }
        self.has_newline |= byte == b'\n' && self.nesting.depth > 0;
        let ends = self.nesting.outside(byte);
        self.by_line = ends && !self.has_newline && !self.in_list;
        Read { bytes: 1, ends }
    }

    /// A newline in a string is not JSON: the line was cut off.
    fn string(&mut self, bytes: &[u8]) -> Read {
        let read = self.nesting.string(bytes);
        let ends = bytes[read - 1] == b'\n';
        self.by_line = ends;
        Read { bytes: read, ends }
    }
}

/// How deep in brackets a position in a JSON text is, and whether it is in a string.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Nesting {
    depth: u32,
    pub(crate) deepest: u32,
    in_string: bool,
    escaped: bool,
}

impl Nesting {
    /// Reads a byte outside strings; returns whether it closes the outermost bracket.
    fn outside(&mut self, byte: u8) -> bool {
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => {
                self.depth += 1;
                self.deepest = self.deepest.max(self.depth);
            }
            b'}' | b']' if self.depth > 0 => {
                self.depth -= 1;
                return self.depth == 0;
            }
            _ => {}
        }
        false
    }

    /// Reads past the next byte that counts in a string; returns how many bytes were read.
    fn string(&mut self, bytes: &[u8]) -> usize {
        if std::mem::take(&mut self.escaped) {
            return 1;
        }
        let Some(at) = memchr3(b'"', b'\\', b'\n', bytes) else {
            return bytes.len();
        };
        self.escaped = bytes[at] == b'\\';
        self.in_string = bytes[at] != b'"';
        at + 1
    }

    /// Reads a text; returns whether it closes the outermost bracket, with nothing after it.
    pub(crate) fn closes(&mut self, text: &[u8]) -> bool {
        let (mut at, mut closed) = (0, false);
        while at < text.len() {
            if self.in_string {
                at += self.string(&text[at..]);
                continue;
            }
            let ends = self.outside(text[at]);
            closed = ends || (closed && text[at].is_ascii_whitespace());
            at += 1;
        }
        closed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::framing::frame::{Frame, Frames};

    fn read(chunks: &[&[u8]]) -> (Vec<String>, Vec<u8>) {
        let (mut seen, mut raw) = (Vec::new(), Vec::new());
        let mut each = |frame: Frame<'_>| {
            raw.extend_from_slice(frame.raw);
            if let Content::Message(message) = frame.content {
                seen.push(message.data.unwrap().into_owned());
            }
        };
        let mut frames = Frames::new(Values::default(), 1000, 0);
        for chunk in chunks {
            frames.push(chunk, &mut each);
        }
        frames.finish(&mut each);
        (seen, raw)
    }

    fn check(stream: &str, expected: &[&str]) {
        let stream = stream.as_bytes();
        for at in 0..=stream.len() {
            let (seen, raw) = read(&[&stream[..at], &stream[at..]]);
            assert_eq!(
                (seen, raw.as_slice()),
                (expected.iter().map(|&s| s.into()).collect(), stream)
            );
        }
        let bytes: Vec<&[u8]> = stream.chunks(1).collect();
        assert_eq!(read(&bytes).0, expected);
    }

    #[test]
    fn a_body_may_have_many_lines() {
        check(
            "\n\n{\n \"a\": \"}\\\"\"\n}\n",
            &["{\n \"a\": \"}\\\"\"\n}"],
        );
    }

    #[test]
    fn the_elements_of_a_list_are_given_one_by_one() {
        check(
            "[{\"a\":[1]}\n,\r\n{\n\"b\":2}]\n",
            &["{\"a\":[1]}", "{\n\"b\":2}"],
        );
    }

    #[test]
    fn a_first_value_on_one_line_makes_all_lines() {
        check(
            "{\"a\":1}\n{\"b\":{\n{\"c\":3}\n",
            &["{\"a\":1}", "{\"b\":{", "{\"c\":3}"],
        );
    }

    #[test]
    fn a_string_that_was_cut_off_ends_with_its_line() {
        check("{\"a\":\"x\n{\"b\":1}\n", &["{\"a\":\"x", "{\"b\":1}"]);
    }

    #[test]
    fn a_text_closes_with_its_last_bracket() {
        for (text, expected) in [
            ("{}", true),
            ("{\"a\":\"}\"} \n", true),
            ("{\"a\":\"}", false),
            ("{}{", false),
            ("", false),
        ] {
            assert_eq!(
                Nesting::default().closes(text.as_bytes()),
                expected,
                "{text}"
            );
        }
    }
}
