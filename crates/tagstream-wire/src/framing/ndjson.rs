//! Newline-delimited JSON: a line is a frame.

use super::frame::{Content, Split, json};
use memchr::memchr;

/// Cuts a stream into lines.
#[derive(Debug, Default)]
pub struct Lines;

impl Split for Lines {
    fn end(&mut self, chunk: &[u8]) -> Option<usize> {
        memchr(b'\n', chunk).map(|at| at + 1)
    }

    fn read<'a>(&mut self, raw: &'a [u8]) -> Content<'a> {
        json(raw.trim_ascii())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::framing::frame::Frames;

    #[test]
    fn blank_lines_say_nothing_and_the_last_line_needs_no_end() {
        let mut seen = Vec::new();
        let mut each = |frame: crate::Frame<'_>| {
            if let Content::Message(message) = frame.content {
                seen.push(message.data.unwrap().into_owned());
            }
        };
        let mut frames = Frames::new(Lines, 100, 0);
        for byte in b"{\"a\":1}\r\n\n \n{\"b\":2}" {
            frames.push(&[*byte], &mut each);
        }
        frames.finish(&mut each);
        assert_eq!(seen, ["{\"a\":1}", "{\"b\":2}"]);
    }
}
