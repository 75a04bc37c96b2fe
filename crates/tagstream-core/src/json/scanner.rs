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
    /// The quote that opens a string, or the one that closes it. Where a value may begin, `'` opens a
    /// string too: in JSON it has no meaning, so that only one reading is possible.
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
    /// Single quotes have no meaning, or one that others give them.
    ignores_single_quotes: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Outside,
    /// Outside of strings, in a word or after it: a single quote here belongs to it.
    Word,
    /// After a backslash there: a quote that follows belongs to the word.
    WordBackslash,
    String,
    /// After a backslash in a string.
    Backslash,
    /// The same, in a string between single quotes.
    Single,
    SingleBackslash,
}

impl Scanner {
    /// Sets whether single quotes enclose strings.
    pub(crate) fn ignore_single_quotes(&mut self, ignores: bool) {
        self.ignores_single_quotes = ignores;
    }

    pub(crate) fn is_in_string(self) -> bool {
        !matches!(
            self.state,
            State::Outside | State::Word | State::WordBackslash
        )
    }

    /// Whether it is in a string that only a `"` ends.
    pub(crate) fn is_in_double_quotes(self) -> bool {
        matches!(self.state, State::String | State::Backslash)
    }

    /// Reads text and escapes of the string that it is in. There is no quote among the bytes.
    #[inline]
    pub(crate) fn read_unquoted(&mut self, bytes: &[u8]) {
        debug_assert!(self.is_in_double_quotes() && !bytes.contains(&b'"'));
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

    /// Whether it is in a string that goes on through all these bytes, without control characters. If
    /// so, they have been read.
    pub(crate) fn stays_in_string(&mut self, bytes: &[u8]) -> bool {
        let mut state = self.state;
        for byte in bytes {
            state = match (state, byte) {
                (State::String, b'"' | ..b' ') => return false,
                (State::String, b'\\') => State::Backslash,
                (State::String | State::Backslash, _) => State::String,
                _ => return false,
            };
        }
        self.state = state;
        true
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
            State::WordBackslash if first == b'"' => {
                self.state = State::Word;
                (Lexeme::Word, 1)
            }
            State::Outside | State::Word | State::WordBackslash => self.read_outside(first, bytes),
            State::String => self.read_string(b'"', first, bytes),
            State::Single => self.read_string(b'\'', first, bytes),
            State::Backslash | State::SingleBackslash => {
                self.state = match self.state {
                    State::Backslash => State::String,
                    _ => State::Single,
                };
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
        let is_in_word = std::mem::take(&mut self.state) != State::Outside;
        match first {
            b'"' => {
                self.state = State::String;
                (Lexeme::Quote, 1)
            }
            b'\'' if !is_in_word && !self.ignores_single_quotes => {
                self.state = State::Single;
                (Lexeme::Quote, 1)
            }
            mark if is_mark(mark) => (Lexeme::Mark(mark), 1),
            byte if is_space(byte) => (Lexeme::Space, run(is_space)),
            b'\\' => {
                self.state = State::WordBackslash;
                (Lexeme::Word, 1)
            }
            _ => {
                self.state = State::Word;
                (Lexeme::Word, run(is_word))
            }
        }
    }

    fn read_string(&mut self, quote: u8, first: u8, bytes: &[u8]) -> (Lexeme, usize) {
        match (first, bytes.get(1)) {
            _ if first == quote => {
                self.state = State::Outside;
                (Lexeme::Quote, 1)
            }
            (b'\\', Some(next)) => (Lexeme::Escape, 1 + usize::from(next.is_ascii())),
            (b'\\', None) => {
                self.state = match self.state {
                    State::String => State::Backslash,
                    _ => State::SingleBackslash,
                };
                (Lexeme::Escape, 1)
            }
            _ => {
                let end = memchr::memchr2(quote, b'\\', bytes);
                (Lexeme::Text, end.unwrap_or(bytes.len()))
            }
        }
    }
}

fn is_mark(byte: u8) -> bool {
    matches!(byte, b'{' | b'}' | b'[' | b']' | b',' | b':')
}

fn is_word(byte: u8) -> bool {
    !matches!(byte, b'"' | b'\\') && !is_mark(byte) && !is_space(byte)
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
    const SINGLE: &str = r#"{'a': 'x"\'}', "b": don't, 'c': '"#;

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
        let kinds = |text: &str, size: usize| {
            let mut scanner = Scanner::default();
            let mut kinds = Vec::new();
            for mut piece in text.as_bytes().chunks(size) {
                while let Some((lexeme, len)) = scanner.read(piece) {
                    kinds.extend(std::iter::repeat_n(lexeme, len));
                    piece = &piece[len..];
                }
            }
            kinds
        };
        for text in [TEXT, SINGLE] {
            let whole = kinds(text, text.len());
            for size in 1..text.len() {
                assert_eq!(kinds(text, size), whole, "{size}");
            }
        }
    }

    #[test]
    fn single_quotes_enclose_strings_unless_they_are_in_a_word() {
        let all = lexemes(SINGLE).filter(|(lexeme, _)| *lexeme == Lexeme::Quote);
        assert_eq!(all.count(), 9);
        let words = lexemes(SINGLE).filter(|(lexeme, _)| *lexeme == Lexeme::Word);
        let words: Vec<_> = words.map(|(_, at)| &SINGLE[at]).collect();
        assert_eq!(words, ["don't"]);
    }
}
