//! Reading many bytes of a tag or literal at once, where they change nothing but how far it has come.

use super::bracketed::At;
use super::tag::{Tag, ends_name};
use super::{Candidate, Grammar};
use crate::lexicon::Entry;

impl Candidate {
    /// Reads the bytes that only carry on what it is in: a name or a literal of which one is left,
    /// or a value. The first that may do more is left to [`step`](Self::step).
    pub(super) fn read_along(&mut self, bytes: &[u8], grammar: &Grammar<'_>) -> usize {
        if self.read == 0 {
            return 0;
        }
        let room = grammar.max_tag.saturating_sub(self.read as usize + 1);
        let bytes = &bytes[..bytes.len().min(room)];
        let along = match self.literals.is_empty() {
            true => self.along_tag(bytes, grammar),
            false => self.along_literal(bytes, grammar),
        };
        self.read += along as u32;
        along
    }

    fn along_tag(&mut self, bytes: &[u8], grammar: &Grammar<'_>) -> usize {
        let lexicon = grammar.lexicon;
        match self.tag {
            Tag::OpenName => self.along_name(bytes, &lexicon.opens, b'>'),
            Tag::CloseName => self.along_name(bytes, &lexicon.closes, b'>'),
            Tag::Bracketed(at @ (At::OpenName | At::CloseName)) => {
                let tags = &lexicon.bracketed[usize::from(self.brackets)];
                let end = tags.brackets.end.as_bytes()[0];
                self.along_name(bytes, tags.names(at == At::CloseName), end)
            }
            Tag::Inline => count(bytes, |b| !matches!(b, b'>' | b'<' | b'/' | b'\n')),
            Tag::Quoted(quote) | Tag::Bracketed(At::Quoted(quote)) => count(bytes, |b| b != quote),
            _ => 0,
        }
    }

    /// The rest of the only name that is left, but for what may end a name.
    fn along_name(&mut self, bytes: &[u8], list: &[Entry], end: u8) -> usize {
        let read = self.name_len as usize;
        let ([(name, _)], false, 1..) = (self.names.of(list), self.unlisted, read) else {
            return 0;
        };
        let along = common(name.get(read..).unwrap_or_default(), bytes, |a, b| {
            a == b.to_ascii_lowercase() && a != end && a != b'=' && !ends_name(a)
        });
        self.name_len += along as u32;
        along
    }

    /// The rest of the only literal that is left, but for its last byte.
    fn along_literal(&self, bytes: &[u8], grammar: &Grammar<'_>) -> usize {
        let [(literal, _)] = self.literals.of(&grammar.lexicon.literals) else {
            return 0;
        };
        let rest = literal.get(self.read as usize..literal.len() - 1);
        match rest {
            Some(rest) if self.tag == Tag::Dead => common(rest, bytes, |a, b| a == b),
            _ => 0,
        }
    }
}

fn count(bytes: &[u8], is: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|byte| is(**byte)).count()
}

/// How many bytes at the start of both are the same, as `same` sees it.
fn common(wanted: &[u8], bytes: &[u8], same: impl Fn(u8, u8) -> bool) -> usize {
    let pairs = wanted.iter().zip(bytes);
    pairs.take_while(|(a, b)| same(**a, **b)).count()
}
