//! Where the text of a message is in the input: bytes that are not UTF-8 became a character of three
//! bytes.

use std::collections::VecDeque;
use tagstream::Span;

const REPLACEMENT_BYTES: u64 = char::REPLACEMENT_CHARACTER.len_utf8() as u64;

/// Translates positions in the text of a message into those in the input. They must come in order.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// The beginning of a character that the last chunk has cut.
    cut: Vec<u8>,
    /// How long the text is so far, and by how much it has grown.
    text: u64,
    grown: u64,
    /// From which positions of the text on it has grown by how much.
    ahead: VecDeque<(u64, u64)>,
    /// The same before the next position.
    here: u64,
}

impl Places {
    /// These bytes will be read next.
    pub(super) fn chunk(&mut self, bytes: &[u8]) {
        let mut whole = std::mem::take(&mut self.cut);
        whole.extend_from_slice(bytes);
        let mut pieces = whole.utf8_chunks().peekable();
        while let Some(piece) = pieces.next() {
            self.text += piece.valid().len() as u64;
            let invalid = piece.invalid();
            if pieces.peek().is_none() && is_cut(invalid) {
                self.cut = invalid.to_vec();
            } else if !invalid.is_empty() {
                self.text += REPLACEMENT_BYTES;
                self.grown += REPLACEMENT_BYTES - invalid.len() as u64;
                self.ahead.push_back((self.text, self.grown));
            }
        }
    }

    fn place(&mut self, at: u64) -> u64 {
        while let Some((_, grown)) = self.ahead.front().filter(|(from, _)| *from <= at) {
            self.here = *grown;
            self.ahead.pop_front();
        }
        if at > self.text && !self.cut.is_empty() {
            // The end of the message has cut a character, which was replaced too.
            return self.text - self.grown + self.cut.len() as u64;
        }
        at - self.here
    }

    pub(super) fn span(&mut self, span: Span) -> Span {
        Span::new(self.place(span.start), self.place(span.end))
    }
}

fn is_cut(bytes: &[u8]) -> bool {
    matches!(std::str::from_utf8(bytes), Err(error) if error.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replaced_byte_counts_once_however_the_input_is_cut() {
        // é is cut by the end.
        let input = b"a\xffb\xe2\x82c\xc3";
        let text = String::from_utf8_lossy(input).len() as u64;
        for cut in 0..=input.len() {
            let mut places = Places::default();
            places.chunk(&input[..cut]);
            places.chunk(&input[cut..]);
            let spans = [(0, 1), (1, 4), (4, 5), (5, 8), (8, 9), (9, text)];
            let spans = spans.map(|(start, end)| places.span(Span::new(start, end)));
            let expected = [(0, 1), (1, 2), (2, 3), (3, 5), (5, 6), (6, 7)];
            let expected = expected.map(|(start, end)| Span::new(start, end));
            assert_eq!(spans, expected, "{cut}");
        }
    }
}
