//! A long text, shortened in the middle while it arrives.

use crate::output::visible;
use std::collections::VecDeque;

/// How many characters of the start and of the end are shown.
const HEAD_CHARS: usize = 60;
const TAIL_CHARS: usize = 20;

/// The start and the end of a text, and how long it is.
#[derive(Debug, Default)]
pub(super) struct Excerpt {
    head: String,
    head_chars: usize,
    tail: VecDeque<char>,
    bytes: usize,
}

impl Excerpt {
    pub(super) fn push(&mut self, text: &str) {
        self.bytes += text.len();
        let room = HEAD_CHARS - self.head_chars;
        let cut = text
            .char_indices()
            .nth(room)
            .map_or(text.len(), |(at, _)| at);
        let (head, rest) = text.split_at(cut);
        self.head.push_str(head);
        self.head_chars += head.chars().count();
        self.end(rest);
    }

    /// Keeps the last characters. No more than these of a piece are looked at.
    fn end(&mut self, rest: &str) {
        let last: Vec<char> = rest.chars().rev().take(TAIL_CHARS).collect();
        self.tail.extend(last.into_iter().rev());
        let excess = self.tail.len().saturating_sub(TAIL_CHARS);
        self.tail.drain(..excess);
    }

    /// The text in quotes, on one line.
    pub(super) fn shown(&self) -> String {
        let tail: String = self.tail.iter().collect();
        let left_out = self.bytes - self.head.len() - tail.len();
        let (head, tail) = (visible(&self.head), visible(&tail));
        match left_out {
            0 => format!("\"{head}{tail}\""),
            bytes => format!("\"{head}\" … {bytes} bytes … \"{tail}\""),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown<'a>(pieces: impl IntoIterator<Item = &'a str>) -> String {
        let mut excerpt = Excerpt::default();
        pieces.into_iter().for_each(|piece| excerpt.push(piece));
        excerpt.shown()
    }

    #[test]
    fn a_short_text_is_whole() {
        assert_eq!(shown(["a\n", "", "b"]), "\"a␊b\"");
        let longest = "é".repeat(HEAD_CHARS + TAIL_CHARS);
        assert_eq!(shown([longest.as_str()]), format!("\"{longest}\""));
    }

    #[test]
    fn a_long_text_keeps_its_start_and_its_end_however_it_is_cut() {
        let text = format!("{}é{}", "a".repeat(HEAD_CHARS), "b".repeat(TAIL_CHARS));
        let whole = shown([text.as_str()]);
        let (head, tail) = ("a".repeat(HEAD_CHARS), "b".repeat(TAIL_CHARS));
        assert_eq!(whole, format!("\"{head}\" … 2 bytes … \"{tail}\""));
        let cuts = text.char_indices().map(|(at, _)| text.split_at(at));
        cuts.for_each(|(start, end)| assert_eq!(shown([start, end]), whole));
        assert_eq!(shown(text.split_inclusive(|_| true)), whole);
    }
}
