//! The grammar of a tag, a byte at a time.

use super::{Candidate, Grammar, Range, Shape, bracketed};
use crate::lexicon::{Lexicon, Role};
use crate::line::is_space;

/// How far a tag has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    /// It is none.
    Dead,
    /// `<`
    Opening,
    /// `</`
    Closing,
    /// `<na`
    OpenName,
    /// `<name=va`, where the name is listed with its `=`.
    Inline,
    /// `<name=va/`
    InlineSlash,
    /// `</na`
    CloseName,
    /// `</name `
    CloseSpace,
    /// `<name/`
    OpenSlash,
    /// Between attributes.
    Gap,
    /// `/` between attributes.
    GapSlash,
    /// In an attribute's name.
    Key,
    /// White space behind an attribute's name.
    KeySpace,
    /// Behind `=`.
    Equals,
    /// `/` behind `=`.
    EqualsSlash,
    /// In a value between these quotes.
    Quoted(u8),
    /// In a value without quotes.
    Bare,
    /// `/` in a value without quotes.
    BareSlash,
    /// In a tag with other brackets.
    Bracketed(bracketed::At),
    /// Whole, but the byte behind it decides whether it is quoted.
    Unquoted(Shape),
    /// Whole.
    Whole(Shape),
}

impl Candidate {
    /// The grammar of a tag. Each arm is one place in it.
    pub(super) fn step_tag(&mut self, byte: u8, grammar: &Grammar<'_>) -> Tag {
        match (self.tag, byte) {
            (Tag::Dead, _) => Tag::Dead,
            (Tag::Whole(shape), _) => Tag::Whole(shape),
            (Tag::Bracketed(at), _) => self.step_bracketed(at, byte, grammar.lexicon),
            (Tag::Unquoted(_), b'`') => Tag::Dead,
            (Tag::Unquoted(shape), _) => Tag::Whole(shape),

            (Tag::Opening, b'/') => {
                self.names = Range::all(&grammar.lexicon.closes);
                self.unlisted = grammar.lexicon.own_name || grammar.lexicon.any_closes;
                self.alive(Tag::Closing)
            }
            (Tag::Opening, _) => {
                self.names = Range::all(&grammar.lexicon.opens);
                self.unlisted = grammar.lexicon.own_name || grammar.lexicon.any_opens;
                self.step_name(byte, grammar, Tag::OpenName)
            }
            (Tag::Closing, _) => self.step_name(byte, grammar, Tag::CloseName),
            (Tag::OpenName | Tag::CloseName, b' ') if self.name_goes_on(byte, grammar.lexicon) => {
                self.step_name(byte, grammar, self.tag)
            }
            (Tag::OpenName | Tag::CloseName, _) if ends_name(byte) => self.end_name(byte, grammar),
            (Tag::OpenName | Tag::CloseName, _) => self.step_name(byte, grammar, self.tag),

            (Tag::CloseSpace, b'>') => self.whole(Shape::Close),
            (Tag::CloseSpace, b) if is_space(b) => Tag::CloseSpace,
            (Tag::CloseSpace, _) => self.fail_at_byte(),
            (Tag::OpenSlash, b'>') => self.whole(Shape::SelfClosing),
            (Tag::OpenSlash, _) => self.fail_at_byte(),

            (Tag::InlineSlash, b'>') => self.whole(Shape::SelfClosing),
            (Tag::Inline, b'>') => self.whole(Shape::Open),
            (Tag::Inline | Tag::InlineSlash, b'<' | b'\n') => self.fail_at_byte(),
            (Tag::Inline | Tag::InlineSlash, b'/') => Tag::InlineSlash,
            (Tag::Inline | Tag::InlineSlash, _) => Tag::Inline,

            (Tag::Quoted(quote), b) if b == quote => Tag::Gap,
            (Tag::Quoted(quote), _) => Tag::Quoted(quote),
            (_, b'<') => self.fail_at_byte(),
            (Tag::GapSlash | Tag::BareSlash, b'>') => self.whole(Shape::SelfClosing),

            // The attribute has no value.
            (Tag::Equals | Tag::EqualsSlash, b'>') if self.needs_values(grammar) => {
                self.fail_at_byte()
            }
            (Tag::EqualsSlash, b'>') => self.whole(Shape::SelfClosing),
            (Tag::Equals, b'"' | b'\'') => Tag::Quoted(byte),
            (Tag::Equals, b'/') => Tag::EqualsSlash,
            (Tag::Equals, b) if is_space(b) => Tag::Equals,
            (Tag::Equals | Tag::Bare, b'>') => self.whole(Shape::Open),
            (Tag::Bare | Tag::BareSlash | Tag::EqualsSlash, b'/') => Tag::BareSlash,
            (Tag::Bare | Tag::BareSlash | Tag::EqualsSlash, b) if is_space(b) => Tag::Gap,
            (Tag::Equals | Tag::Bare | Tag::BareSlash | Tag::EqualsSlash, _) => Tag::Bare,

            (Tag::Key | Tag::KeySpace, b'=') => Tag::Equals,
            (Tag::Key | Tag::KeySpace, b) if is_space(b) => Tag::KeySpace,
            (Tag::Key, b) if !matches!(b, b'>' | b'/' | b'"' | b'\'') => Tag::Key,
            // The attribute has no value.
            (Tag::Key | Tag::KeySpace, _) if self.needs_values(grammar) => self.fail_at_byte(),
            (_, b'>') => self.whole(Shape::Open),
            (_, b'/') => Tag::GapSlash,
            (_, b'=' | b'"' | b'\'') => Tag::Gap,
            (_, b) if is_space(b) => Tag::Gap,
            _ => Tag::Key,
        }
    }

    /// Whether an attribute without a value makes it no tag, as for elements of any name.
    fn needs_values(&self, grammar: &Grammar<'_>) -> bool {
        self.role == Role::AnyElement || grammar.lexicon.own_name
    }

    pub(super) fn step_name(&mut self, byte: u8, grammar: &Grammar<'_>, tag: Tag) -> Tag {
        let lexicon = grammar.lexicon;
        let list = lexicon.names(tag == Tag::CloseName);
        let depth = self.name_len as usize;
        self.names.narrow(list, depth, byte.to_ascii_lowercase());
        self.unlisted &= match lexicon.own_name {
            true => grammar
                .own_name
                .get(depth)
                .is_some_and(|b| b.eq_ignore_ascii_case(&byte)),
            false => may_stand_in_name(byte, depth),
        };
        self.name_len += 1;
        match self.names.whole(list, self.name_len as usize) {
            Some(role) if byte == b'=' => {
                self.role = role;
                Tag::Inline
            }
            _ => self.alive(tag),
        }
    }

    /// Whether a listed name has this byte next: those of a dialect may have a space in them.
    fn name_goes_on(&self, byte: u8, lexicon: &Lexicon) -> bool {
        let list = lexicon.names(self.tag == Tag::CloseName);
        let mut names = self.names.of(list).iter();
        names.any(|(name, _)| name.get(self.name_len as usize) == Some(&byte))
    }

    pub(super) fn alive(&self, tag: Tag) -> Tag {
        if self.names.is_empty() && !self.unlisted {
            Tag::Dead
        } else {
            tag
        }
    }

    fn end_name(&mut self, byte: u8, grammar: &Grammar<'_>) -> Tag {
        let closes = self.tag == Tag::CloseName;
        let lexicon = grammar.lexicon;
        let list = lexicon.names(closes);
        let own = lexicon.own_name && self.name_len as usize == grammar.own_name.len();
        self.role = match self.names.whole(list, self.name_len as usize) {
            Some(role) => role,
            None if !self.unlisted => return Tag::Dead,
            None if own && closes => Role::End,
            None if own => Role::Again,
            None if closes && lexicon.any_closes => Role::Orphan,
            None if lexicon.any_opens && !closes => Role::AnyElement,
            None => return Tag::Dead,
        };
        match byte {
            b'>' if closes => self.whole(Shape::Close),
            b'/' if closes => self.fail_at_byte(),
            b'>' => self.whole(Shape::Open),
            b'/' => Tag::OpenSlash,
            _ if closes => Tag::CloseSpace,
            _ => Tag::Gap,
        }
    }

    pub(super) fn whole(&mut self, shape: Shape) -> Tag {
        self.tag_end = self.read;
        if self.quotable {
            Tag::Unquoted(shape)
        } else {
            Tag::Whole(shape)
        }
    }

    pub(super) fn fail_at_byte(&mut self) -> Tag {
        self.fail_behind_name(self.read - 1)
    }

    pub(super) fn fail_behind_name(&mut self, resume: u32) -> Tag {
        self.tag_end = resume;
        Tag::Dead
    }
}

impl Tag {
    pub(super) fn is_settled(self) -> bool {
        matches!(self, Tag::Dead | Tag::Whole(_) | Tag::Unquoted(_))
    }
}

pub(super) fn ends_name(byte: u8) -> bool {
    is_space(byte) || matches!(byte, b'>' | b'/')
}

/// Whether a name that nobody listed may have this byte at this place.
pub(super) fn may_stand_in_name(byte: u8, depth: usize) -> bool {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'_' | b':' => true,
        b'0'..=b'9' | b'.' | b'-' => depth > 0,
        _ => false,
    }
}
