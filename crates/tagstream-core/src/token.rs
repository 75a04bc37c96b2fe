//! One tag or literal, read byte by byte from where it may begin.

mod along;
mod bracketed;
mod range;
mod tag;
mod tail;

use crate::lexicon::{Entry, Lexicon, Role};
use crate::line::is_space;
use range::Range;
use tag::Tag;
pub(crate) use tail::Tail;

/// What may become a tag or a literal. It is stepped a byte at a time and never restarted, so
/// that it does not matter where the message is cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    /// Where it begins in the message.
    pub(crate) start: u64,
    /// How many bytes have been read.
    read: u32,
    /// It begins with white space.
    blank: bool,
    tag: Tag,
    /// The names that begin like this one.
    names: Range,
    /// How many bytes the name has.
    name_len: u32,
    /// The name may still be one that no list has: any name, or the open element's own.
    unlisted: bool,
    /// What the name means, once it is whole.
    role: Role,
    /// Where the tag ended, or failed behind its name.
    tag_end: u32,
    /// The literals that begin like this.
    literals: Range,
    /// The longest literal that is whole, and how long it is.
    literal: Option<(Role, u32)>,
    /// A backtick stands before the tag; one behind it makes it a quotation.
    quotable: bool,
    /// It begins a line, where an opener ends the paragraph: code does not read along.
    pub(crate) apart: bool,
    /// Which brackets it has, if they are none of the usual ones.
    brackets: u16,
    /// How many bytes stand before the name and behind the attributes.
    before: u16,
    behind: u16,
}

/// The form of what was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Open,
    SelfClosing,
    Close,
    Literal,
}

/// A tag or literal that counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) role: Role,
    pub(crate) shape: Shape,
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) name_len: usize,
    /// How many bytes stand before the name and behind the attributes.
    pub(crate) before: u16,
    pub(crate) behind: u16,
}

impl Found {
    /// The name of a tag with this text.
    pub(crate) fn name<'t>(&self, tag: &'t str) -> &'t str {
        let start = usize::from(self.before);
        tag.get(start..start + self.name_len).unwrap_or("")
    }

    /// The attributes of a tag with this text.
    pub(crate) fn attributes<'t>(&self, tag: &'t str) -> &'t str {
        let start = usize::from(self.before) + self.name_len;
        let end = tag.len().saturating_sub(usize::from(self.behind));
        let text = match self.shape {
            Shape::Open => tag.get(start..end),
            Shape::SelfClosing => tag.get(start..end.saturating_sub(1)),
            _ => None,
        };
        text.unwrap_or("")
    }
}

impl Found {
    /// Nothing at all, where something with this role begins.
    pub(crate) fn empty(at: u64, role: Role) -> Self {
        Found {
            role,
            shape: Shape::Literal,
            start: at,
            end: at,
            name_len: 0,
            before: 0,
            behind: 0,
        }
    }
}

pub(crate) type Token = Found;

/// What has become of a candidate.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fate {
    /// It depends on what follows.
    Open,
    /// It is text; reading goes on at `resume`.
    Text {
        start: u64,
        resume: u64,
        blank: bool,
    },
    Found(Found),
}

/// What a candidate is read against.
#[derive(Clone, Copy)]
pub(crate) struct Grammar<'a> {
    pub(crate) lexicon: &'a Lexicon,
    /// The name of the open element, where that counts.
    pub(crate) own_name: &'a [u8],
    pub(crate) max_tag: usize,
}

impl Candidate {
    /// A candidate that begins at `start` with a byte yet to be read.
    pub(crate) fn new(start: u64, quotable: bool, lexicon: &Lexicon) -> Self {
        Candidate {
            start,
            read: 0,
            blank: false,
            tag: Tag::Dead,
            names: Range::default(),
            name_len: 0,
            unlisted: false,
            role: Role::Marker,
            tag_end: 0,
            literals: Range::all(&lexicon.literals),
            literal: None,
            quotable,
            apart: false,
            brackets: 0,
            before: 1,
            behind: 1,
        }
    }

    /// Reads until it is settled or the bytes end; says how many it has read.
    pub(crate) fn read(&mut self, bytes: &[u8], grammar: &Grammar<'_>) -> (usize, Fate) {
        let mut at = 0;
        while at < bytes.len() {
            at += self.read_along(&bytes[at..], grammar);
            let Some(byte) = bytes.get(at) else { break };
            self.step(*byte, grammar);
            at += 1;
            if self.is_decided() {
                return (at, self.fate());
            }
        }
        (bytes.len(), Fate::Open)
    }

    fn step(&mut self, byte: u8, grammar: &Grammar<'_>) {
        let depth = self.read as usize;
        self.read += 1;
        if depth == 0 {
            self.blank = is_space(byte);
            self.tag = if byte == b'<' {
                Tag::Opening
            } else {
                Tag::Dead
            };
        } else {
            self.tag = self.step_tag(byte, grammar);
        }
        self.step_literals(depth, byte, grammar.lexicon);
        if self.read as usize >= grammar.max_tag && !self.tag.is_settled() {
            self.tag = self.fail_behind_name(self.read);
        }
    }

    /// What it is if the message ends here. An unfinished tag is text as a whole.
    pub(crate) fn finish(&mut self) -> Fate {
        self.literals = Range::default();
        self.tag = match self.tag {
            Tag::Unquoted(shape) => Tag::Whole(shape),
            tag if tag.is_settled() => tag,
            _ => self.fail_behind_name(self.read),
        };
        self.fate()
    }

    /// Whether nothing that follows can change what it is.
    fn is_decided(&self) -> bool {
        let tag = matches!(self.tag, Tag::Dead | Tag::Whole(_));
        self.literals.is_empty() && (tag || self.literal.is_some())
    }

    fn fate(&self) -> Fate {
        if !self.is_decided() {
            return Fate::Open;
        }
        let found = |role, shape, len| {
            Fate::Found(Found {
                role,
                shape,
                start: self.start,
                end: self.start + u64::from(len),
                name_len: self.name_len as usize,
                before: self.before,
                behind: self.behind,
            })
        };
        match (self.literal, self.tag) {
            (Some((role, len)), _) => found(role, Shape::Literal, len),
            (None, Tag::Whole(shape)) => found(self.role, shape, self.tag_end),
            (None, Tag::Dead) => Fate::Text {
                start: self.start,
                blank: self.blank,
                resume: self.start + u64::from(self.tag_end.max(1)),
            },
            _ => Fate::Open,
        }
    }

    /// The length of what it is if it does not turn out to be a longer literal.
    pub(crate) fn whole_if_no_longer_one(&self) -> Option<usize> {
        match (self.literal, self.tag) {
            (Some((_, len)), _) => Some(len as usize),
            (None, Tag::Whole(_)) => Some(self.tag_end as usize),
            _ => None,
        }
    }

    /// Whether it is read again from its second byte if it fails.
    pub(crate) fn may_be_read_again(&self) -> bool {
        let in_name = matches!(
            self.tag,
            Tag::Opening
                | Tag::Closing
                | Tag::OpenName
                | Tag::CloseName
                | Tag::Bracketed(bracketed::At::OpenName | bracketed::At::CloseName)
        );
        in_name || !self.literals.is_empty()
    }

    /// How far it has been read for good, if all that may come of it looks the same from outside.
    /// What follows may be something else if it is not what it seems. What was read ends with
    /// `read`, which begins at `base`.
    pub(crate) fn read_for_good(&self, lexicon: &Lexicon, base: u64, read: &[u8]) -> usize {
        let index = |place: u64| place.saturating_sub(base) as usize;
        if let Some(whole) = self.whole_if_no_longer_one() {
            return index(self.start + whole as u64);
        }
        if !self.may_be_read_again() {
            return read.len();
        }
        (index(self.start + 1)..read.len())
            .find(|at| lexicon.may_begin_with(&read[*at..]))
            .unwrap_or(read.len())
            .max(index(self.start))
    }

    /// Whether `test` holds for something this may still become.
    pub(crate) fn may_be(&self, lexicon: &Lexicon, test: impl Fn(Role, Shape) -> bool) -> bool {
        let any = |list: &[Entry], shape| list.iter().any(|(_, role)| test(*role, shape));
        let unlisted_open = lexicon.own_name && test(Role::Again, Shape::Open)
            || lexicon.any_opens && test(Role::AnyElement, Shape::Open);
        let unlisted_close = lexicon.own_name && test(Role::End, Shape::Close)
            || lexicon.any_closes && test(Role::Orphan, Shape::Close);
        let tag = match self.tag {
            Tag::Dead => false,
            Tag::Opening => {
                any(&lexicon.opens, Shape::Open)
                    || any(&lexicon.closes, Shape::Close)
                    || unlisted_open
                    || unlisted_close
            }
            Tag::OpenName => {
                any(self.names.of(&lexicon.opens), Shape::Open) || self.unlisted && unlisted_open
            }
            Tag::Closing | Tag::CloseName => {
                any(self.names.of(&lexicon.closes), Shape::Close) || self.unlisted && unlisted_close
            }
            Tag::CloseSpace => test(self.role, Shape::Close),
            Tag::OpenSlash => test(self.role, Shape::SelfClosing),
            Tag::Bracketed(at) => self.bracketed_may_be(at, lexicon, &test),
            Tag::Whole(shape) | Tag::Unquoted(shape) => test(self.role, shape),
            _ => test(self.role, Shape::Open),
        };
        let literal = self
            .literal
            .is_some_and(|(role, _)| test(role, Shape::Literal));
        let may_be_literal = |(_, role): &Entry| match *role {
            Role::Bracket(number, closes) => {
                lexicon.bracketed[usize::from(number)].may_be(closes, &test)
            }
            role => test(role, Shape::Literal),
        };
        let mut longer = self.literals.of(&lexicon.literals).iter();
        tag || literal || longer.any(may_be_literal)
    }

    /// Whether it is one of these whatever follows.
    pub(crate) fn must_be(&self, lexicon: &Lexicon, test: impl Fn(Role) -> bool) -> bool {
        let longer = self.literals.of(&lexicon.literals).iter();
        self.literal.is_some_and(|(role, _)| test(role))
            && longer.into_iter().all(|(_, role)| test(*role))
    }

    fn step_literals(&mut self, depth: usize, byte: u8, lexicon: &Lexicon) {
        if self.literals.is_empty() {
            return;
        }
        self.literals.narrow(&lexicon.literals, depth, byte);
        match self.literals.take_whole(&lexicon.literals, depth + 1) {
            None => {}
            Some(Role::Bracket(number, closes)) => self.enter_brackets(number, closes, lexicon),
            Some(role) => self.literal = Some((role, depth as u32 + 1)),
        }
    }
}
