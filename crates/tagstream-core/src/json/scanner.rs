//! The one scanner of JSON text: strings, escapes, brackets and words.
//!
//! It separates what is in a string from what is not. Whether the whole is valid is for others to
//! decide. It can stop after any byte and continue with the next one, so that it also follows JSON
//! that arrives in pieces.

use crate::line::is_space;
use std::ops::Range;

/// What a stretch of JSON text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lexeme {
    /// White space outside strings.
    Space,
    /// One of `{`, `}`, `[`, `]`, `,` and `:`, outside strings.
    Mark(u8),
    /// Anything else outside strings: a number, `true`, `false`, `null`, or what is not JSON.
    Word,
    /// The quote that opens a string, or the one that closes it.
    Quote,
    /// Text of a string without quotes and backslashes.
    Text,
    /// A backslash in a string, with the ASCII character that follows it.
    Escape,
}

/// Where the scanner is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scanner {
    state: State,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Outside,
    String,
    /// After a backslash in a string.
    Backslash,
}

impl Scanner {
    pub(crate) fn is_in_string(self) -> bool {
        self.state != State::Outside
    }

    /// Reads text and escapes of the string that it is in. There is no quote among the bytes.
    #[inline]
    pub(crate) fn read_unquoted(&mut self, bytes: &[u8]) {
        debug_assert!(self.is_in_string() && !bytes.contains(&b'"'));
        if bytes.last() != Some(&b'\\') {
            self.state = State::String;
        } else {
            self.read_backslashes(bytes);
        }
    }

    /// The bytes, which have no quote among them, end with a backslash: it escapes, or is escaped.
    fn read_backslashes(&mut self, bytes: &[u8]) {
        let backslashes = bytes.iter().rev().take_while(|byte| **byte == b'\\');
        let mut backslashes = backslashes.count();
        if backslashes == bytes.len() {
            backslashes += usize::from(self.state == State::Backslash);
        }
        self.state = if backslashes % 2 == 1 {
            State::Backslash
        } else {
            State::String
        };
    }

    /// Reads the stretch that `bytes` begin with: what it is, and how long. The end of the bytes
    /// may cut it; then the next bytes begin with the rest of it. `None` if there are no bytes.
    ///
    /// White space, a word and text may be left at any byte of theirs and read again from there.
    ///
    /// No stretch ends inside a character.
    pub(crate) fn read(&mut self, bytes: &[u8]) -> Option<(Lexeme, usize)> {
        let first = *bytes.first()?;
        let (lexeme, len) = match self.state {
            State::Outside => self.read_outside(first, bytes),
            State::String => self.read_string(first, bytes),
            State::Backslash => {
                self.state = State::String;
                if !first.is_ascii() {
                    return self.read(bytes);
                }
                (Lexeme::Escape, 1)
            }
        };
        debug_assert!(0 < len && len <= bytes.len());
        Some((lexeme, len))
    }

    fn read_outside(&mut self, first: u8, bytes: &[u8]) -> (Lexeme, usize) {
        let run = |test: fn(u8) -> bool| {
            let end = bytes.iter().position(|byte| !test(*byte));
            end.unwrap_or(bytes.len())
        };
        match first {
            b'"' => {
                self.state = State::String;
                (Lexeme::Quote, 1)
            }
            mark if is_mark(mark) => (Lexeme::Mark(mark), 1),
            byte if is_space(byte) => (Lexeme::Space, run(is_space)),
            _ => (Lexeme::Word, run(is_word)),
        }
    }

    fn read_string(&mut self, first: u8, bytes: &[u8]) -> (Lexeme, usize) {
        match (first, bytes.get(1)) {
            (b'"', _) => {
                self.state = State::Outside;
                (Lexeme::Quote, 1)
            }
            (b'\\', Some(next)) => (Lexeme::Escape, 1 + usize::from(next.is_ascii())),
            (b'\\', None) => {
                self.state = State::Backslash;
                (Lexeme::Escape, 1)
            }
            _ => {
                let end = memchr::memchr2(b'"', b'\\', bytes);
                (Lexeme::Text, end.unwrap_or(bytes.len()))
            }
        }
    }
}

fn is_mark(byte: u8) -> bool {
    matches!(byte, b'{' | b'}' | b'[' | b']' | b',' | b':')
}

fn is_word(byte: u8) -> bool {
    byte != b'"' && !is_mark(byte) && !is_space(byte)
}

/// The stretches of a whole text, each with its range.
#[derive(Clone, Debug)]
pub struct Lexemes<'a> {
    text: &'a str,
    start: usize,
    scanner: Scanner,
}

/// The stretches of a JSON text, in order; together they are all of it.
#[must_use]
pub fn lexemes(text: &str) -> Lexemes<'_> {
    Lexemes {
        text,
        start: 0,
        scanner: Scanner::default(),
    }
}

impl Iterator for Lexemes<'_> {
    type Item = (Lexeme, Range<usize>);

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.start;
        let (lexeme, len) = self.scanner.read(&self.text.as_bytes()[start..])?;
        self.start += len;
        debug_assert!(self.text.is_char_boundary(self.start));
        Some((lexeme, start..self.start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#" {"a\"é\\é\u00e9": [1.5e3, true,"",nul😀l],x"\"#;

    #[test]
    fn the_stretches_of_a_text_are_all_of_it() {
        let all: Vec<_> = lexemes(TEXT)
            .map(|(lexeme, at)| (lexeme, &TEXT[at]))
            .collect();
        let joined: String = all.iter().map(|(_, text)| *text).collect();
        assert_eq!(joined, TEXT);
        let strings = all.iter().filter(|(lexeme, _)| *lexeme == Lexeme::Quote);
        assert_eq!(strings.count(), 5);
        for (lexeme, expected) in [
            (Lexeme::Word, &["1.5e3", "true", "nul😀l", "x"][..]),
            (Lexeme::Escape, &["\\\"", "\\\\", "\\u", "\\"]),
            (Lexeme::Text, &["a", "é", "é", "00e9"]),
        ] {
            let found = all.iter().filter(|(other, _)| *other == lexeme);
            let found: Vec<_> = found.map(|(_, text)| *text).collect();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn it_does_not_matter_where_the_text_is_cut() {
        let kinds = |size: usize| {
            let mut scanner = Scanner::default();
            let mut kinds = Vec::new();
            for mut piece in TEXT.as_bytes().chunks(size) {
                while let Some((lexeme, len)) = scanner.read(piece) {
                    kinds.extend(std::iter::repeat_n(lexeme, len));
                    piece = &piece[len..];
                }
            }
            kinds
        };
        let whole = kinds(TEXT.len());
        for size in 1..TEXT.len() {
            assert_eq!(kinds(size), whole, "{size}");
        }
    }
}
