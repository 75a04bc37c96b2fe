//! What may be the beginning of a tag, at the end of a text that grows.

use crate::lexicon::Lexicon;
use crate::line::is_space;

/// What may be the beginning of a tag at the end of a text that grows.
///
/// The engine knows which tags count and holds those back. A reader of a snapshot should not see
/// the beginning of any other tag either, but here it is enough to leave it off until something
/// follows that no tag has.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Tail {
    #[default]
    None,
    /// `<` or `</` and a name, or nothing yet.
    Name { start: usize },
    /// White space behind the name.
    Space { start: usize },
    /// Attributes of a declared element.
    Attributes { start: usize, quote: Option<u8> },
}

/// A longer beginning of a tag is shown.
const LONGEST_TAIL: usize = 16_384;

impl Tail {
    pub(crate) fn start(self) -> Option<usize> {
        match self {
            Tail::None => None,
            Tail::Name { start } | Tail::Space { start } | Tail::Attributes { start, .. } => {
                Some(start)
            }
        }
    }

    /// Reads what has been added to `text` behind `from`.
    pub(crate) fn read(&mut self, text: &str, mut from: usize, lexicon: &Lexicon) {
        let bytes = text.as_bytes();
        while from < bytes.len() {
            if matches!(self, Tail::None) {
                match memchr::memchr(b'<', &bytes[from..]) {
                    Some(n) => from += n,
                    None => break,
                }
            }
            *self = self.step(bytes, from, lexicon);
            from += 1;
        }
    }

    fn step(self, text: &[u8], at: usize, lexicon: &Lexicon) -> Self {
        let byte = text[at];
        match (self, byte) {
            (
                Tail::Attributes {
                    start,
                    quote: Some(quote),
                },
                _,
            ) if at - start < LONGEST_TAIL => {
                let quote = (quote != byte).then_some(quote);
                Tail::Attributes { start, quote }
            }
            (_, b'<') => Tail::Name { start: at },
            (Tail::None, _) | (_, b'>') => Tail::None,
            (Tail::Name { start }, b'/') if at == start + 1 => self,
            (Tail::Name { start }, b) if is_space(b) && !name_of(text, start, at).is_empty() => {
                Tail::Space { start }
            }
            (Tail::Name { start }, b) if is_name_byte(b, name_of(text, start, at).is_empty()) => {
                Tail::Name { start }
            }
            (Tail::Space { .. }, b) if is_space(b) => self,
            (Tail::Space { start }, _) if is_element(lexicon, name_of(text, start, at)) => {
                Tail::Attributes { start, quote: None }
            }
            (Tail::Attributes { start, .. }, _) if at - start < LONGEST_TAIL => {
                let quote = matches!(byte, b'"' | b'\'').then_some(byte);
                Tail::Attributes { start, quote }
            }
            _ => Tail::None,
        }
    }
}

/// The name in `<name …` or `</name …`, as far as it goes before `end`.
fn name_of(text: &[u8], start: usize, end: usize) -> &[u8] {
    let name = &text[start + 1..end];
    let name = name.strip_prefix(b"/").unwrap_or(name);
    name.split(|b| is_space(*b)).next().unwrap_or(name)
}

fn is_name_byte(byte: u8, first: bool) -> bool {
    match byte {
        b'0'..=b'9' | b'-' | b'.' => !first,
        _ => byte.is_ascii_alphabetic() || matches!(byte, b'_' | b':') || !byte.is_ascii(),
    }
}

fn is_element(lexicon: &Lexicon, name: &[u8]) -> bool {
    let mut names = lexicon.opens.iter();
    names.any(|(other, _)| other.eq_ignore_ascii_case(name))
}
