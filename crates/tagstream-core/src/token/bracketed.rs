//! Reading a tag with brackets of its own. The first one has been read as a literal.

use super::tag::{Tag, may_stand_in_name};
use super::{Candidate, Range, Shape};
use crate::brackets::Bracketed;
use crate::lexicon::{Lexicon, Role};
use crate::line::is_space;

/// How far such a tag has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At {
    OpenName,
    CloseName,
    /// White space behind the name of a closer.
    CloseGap,
    /// Among attributes, outside of quotes.
    Gap,
    /// Behind `=`.
    Equals,
    /// In a value between these quotes.
    Quoted(u8),
    /// `/` among attributes.
    Slash,
    /// In the last bracket, of which so many bytes have been read.
    End(u8, Shape),
}

impl Candidate {
    /// A bracket is whole: the name follows.
    pub(super) fn enter_brackets(&mut self, number: u16, closes: bool, lexicon: &Lexicon) {
        let tags = &lexicon.bracketed[usize::from(number)];
        self.brackets = number;
        self.before = self.read as u16;
        self.behind = tags.brackets.end.len() as u16;
        self.names = Range::all(tags.names(closes));
        self.name_len = 0;
        self.unlisted = tags.other.is_some();
        self.tag = Tag::Bracketed(if closes { At::CloseName } else { At::OpenName });
    }

    pub(super) fn step_bracketed(&mut self, at: At, byte: u8, lexicon: &Lexicon) -> Tag {
        let tags = &lexicon.bracketed[usize::from(self.brackets)];
        let end = tags.brackets.end.as_bytes();
        let to = |at| Tag::Bracketed(at);
        match (at, byte) {
            (At::End(read, shape), b) if end[usize::from(read)] == b => {
                self.step_end(read + 1, shape, end)
            }
            (At::End(..), _) => self.fail_at_byte(),
            (At::OpenName | At::CloseName, _) => self.step_bracketed_name(at, byte, tags),
            (At::CloseGap, b) if b == end[0] => self.step_end(1, Shape::Close, end),
            (At::CloseGap, b) if is_space(b) => to(At::CloseGap),
            (At::CloseGap, _) => self.fail_at_byte(),

            (At::Quoted(quote), b) if b == quote => to(At::Gap),
            (At::Quoted(quote), _) => to(At::Quoted(quote)),
            (At::Slash, b) if b == end[0] => self.step_end(1, Shape::SelfClosing, end),
            (_, b) if b == end[0] => self.step_end(1, Shape::Open, end),
            (_, b'<') => self.fail_at_byte(),
            (At::Equals, b'"' | b'\'') => to(At::Quoted(byte)),
            (At::Equals, b) if is_space(b) => to(At::Equals),
            (_, b'=') => to(At::Equals),
            (_, b'/') => to(At::Slash),
            _ => to(At::Gap),
        }
    }

    /// So many bytes of the last bracket have been read.
    fn step_end(&mut self, read: u8, shape: Shape, end: &[u8]) -> Tag {
        match usize::from(read) == end.len() {
            true => self.whole(shape),
            false => Tag::Bracketed(At::End(read, shape)),
        }
    }

    fn step_bracketed_name(&mut self, at: At, byte: u8, tags: &Bracketed) -> Tag {
        let ends = is_space(byte) || byte == b'/' || byte == tags.brackets.end.as_bytes()[0];
        match self.name_len {
            0 if is_space(byte) && self.before < u16::MAX => {
                self.before += 1;
                Tag::Bracketed(at)
            }
            0 if ends => Tag::Dead,
            _ if ends => self.end_bracketed_name(at, byte, tags),
            _ => self.grow_bracketed_name(at, byte, tags),
        }
    }

    fn grow_bracketed_name(&mut self, at: At, byte: u8, tags: &Bracketed) -> Tag {
        let list = tags.names(at == At::CloseName);
        let depth = self.name_len as usize;
        self.names.narrow(list, depth, byte.to_ascii_lowercase());
        self.unlisted &= may_stand_in_name(byte, depth);
        self.name_len += 1;
        match self.names.whole(list, self.name_len as usize) {
            Some(role) if byte == b'=' => {
                self.role = role;
                Tag::Bracketed(At::Gap)
            }
            _ => self.alive(Tag::Bracketed(at)),
        }
    }

    fn end_bracketed_name(&mut self, at: At, byte: u8, tags: &Bracketed) -> Tag {
        let closes = at == At::CloseName;
        let listed = self.names.whole(tags.names(closes), self.name_len as usize);
        let other = tags.other(closes).filter(|_| self.unlisted);
        let Some(role) = listed.or(other) else {
            return Tag::Dead;
        };
        self.role = role;
        let end = tags.brackets.end.as_bytes();
        match byte {
            b if b == end[0] && closes => self.step_end(1, Shape::Close, end),
            b if b == end[0] => self.step_end(1, Shape::Open, end),
            b'/' if closes => self.fail_at_byte(),
            b'/' => Tag::Bracketed(At::Slash),
            _ if closes => Tag::Bracketed(At::CloseGap),
            _ => Tag::Bracketed(At::Gap),
        }
    }

    /// Whether `test` holds for something that a tag which has come so far may still become.
    pub(super) fn bracketed_may_be(
        &self,
        at: At,
        lexicon: &Lexicon,
        test: &impl Fn(Role, Shape) -> bool,
    ) -> bool {
        let tags = &lexicon.bracketed[usize::from(self.brackets)];
        let closes = at == At::CloseName;
        let shape = if closes { Shape::Close } else { Shape::Open };
        match at {
            At::OpenName | At::CloseName => {
                let mut names = self.names.of(tags.names(closes)).iter();
                let other = tags.other(closes).filter(|_| self.unlisted);
                names.any(|(_, role)| test(*role, shape)) || other.is_some_and(|r| test(r, shape))
            }
            At::CloseGap => test(self.role, Shape::Close),
            At::End(_, shape) => test(self.role, shape),
            At::Slash => test(self.role, Shape::SelfClosing) || test(self.role, Shape::Open),
            _ => test(self.role, Shape::Open),
        }
    }
}

impl Bracketed {
    /// Whether `test` holds for any tag with these brackets.
    pub(super) fn may_be(&self, closes: bool, test: &impl Fn(Role, Shape) -> bool) -> bool {
        let shape = if closes { Shape::Close } else { Shape::Open };
        let mut names = self.names(closes).iter();
        names.any(|(_, role)| test(*role, shape))
            || self.other(closes).is_some_and(|role| test(role, shape))
    }
}
