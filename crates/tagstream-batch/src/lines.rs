//! Blocks of whole lines.

use memchr::{memchr_iter, memrchr};
use std::io::{self, Read};

/// What some editors and exports begin a text with.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Lines that one worker reads at once, and what it makes of them.
#[derive(Default)]
pub(crate) struct Lines {
    /// Whole lines.
    pub(crate) bytes: Vec<u8>,
    /// The number of the first line, counted from 1.
    pub(crate) first: u64,
    /// How many line breaks it has.
    pub(crate) breaks: u64,
}

impl Lines {
    /// Each line that is not blank, with its number.
    pub(crate) fn each(&self, mut line: impl FnMut(&[u8], u64)) {
        let bytes = &self.bytes;
        let (mut start, mut number) = (0, self.first);
        for end in memchr_iter(b'\n', bytes).chain([bytes.len()]) {
            let mut text = &bytes[start..end];
            if number == 1 {
                text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
            }
            if !text.iter().all(u8::is_ascii_whitespace) {
                line(text, number);
            }
            (start, number) = (end + 1, number + 1);
        }
    }
}

/// Cuts a text into blocks of whole lines.
pub(crate) struct LineReader {
    source: Box<dyn Read>,
    block_bytes: usize,
    /// The start of a line whose end is not in the last block.
    rest: Vec<u8>,
    /// The number of the next line.
    line: u64,
}

impl LineReader {
    /// Reads on at this line, where the source is.
    pub(crate) fn new(source: Box<dyn Read>, block_bytes: usize, line: u64) -> Self {
        LineReader {
            source,
            block_bytes,
            rest: Vec::new(),
            line,
        }
    }

    /// Reads the next block; false at the end. A block is larger only if a line is.
    pub(crate) fn next(&mut self, block: &mut Lines) -> io::Result<bool> {
        let bytes = &mut block.bytes;
        bytes.clear();
        bytes.append(&mut self.rest);
        loop {
            let wanted = self.block_bytes.max(bytes.len());
            let before = bytes.len();
            let read = self
                .source
                .by_ref()
                .take(wanted as u64)
                .read_to_end(bytes)?;
            if read < wanted {
                break;
            }
            // Only new bytes are searched, so that a long line is not searched again and again.
            if let Some(end) = memrchr(b'\n', &bytes[before..]) {
                let end = before + end + 1;
                self.rest.extend_from_slice(&bytes[end..]);
                bytes.truncate(end);
                break;
            }
        }
        block.first = self.line;
        block.breaks = memchr_iter(b'\n', bytes).count() as u64;
        self.line += block.breaks;
        Ok(!bytes.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_whole_and_numbered_whatever_the_size_of_blocks() {
        let text = "a\n\nbb\n  \nccc\r\ndddd\ne";
        for block_bytes in 1..30 {
            let mut reader = LineReader::new(Box::new(text.as_bytes()), block_bytes, 1);
            let (mut block, mut seen, mut size) = (Lines::default(), Vec::new(), 0);
            while reader.next(&mut block).unwrap() {
                block.each(|line, number| {
                    seen.push((number, String::from_utf8_lossy(line).trim().to_owned()));
                });
                size += block.bytes.len();
            }
            let lines = seen.iter().map(|(number, line)| (*number, line.as_str()));
            let expected = [(1, "a"), (3, "bb"), (5, "ccc"), (6, "dddd"), (7, "e")];
            assert!(lines.eq(expected), "{block_bytes}: {seen:?}");
            assert_eq!(size, text.len());
        }
    }
}
