//! One tag or literal, read byte by byte from where it may begin.

mod attribute;
mod range;
mod tag;
mod tail;
#[cfg(test)]
mod tests;

pub(crate) use attribute::AttributeState;
pub(crate) use tail::Tail;

use crate::lexicon::{Entry, Lexicon, Role};
use crate::line::is_space;
use range::Range;
use tag::{State, Tag};

/// What may become a tag or a literal.
///
/// It has all that must be known about the bytes read so far, and the next chunk continues it, so that
/// it does not matter where the message is cut. A literal that is whole counts more than a tag.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    /// Where it begins in the message.
    pub(crate) start: u64,
    /// It begins a line, where an opening tag ends the paragraph: it is not read as code at the same
    /// time.
    pub(crate) may_end_paragraph: bool,
    /// It begins with white space.
    blank: bool,
    /// How many bytes have been read.
    read: u32,
    /// The literals that begin like this, among them the brackets of dialects.
    literals: Range,
    /// The longest literal that is whole, and its length.
    literal: Option<(Role, u32)>,
    tag: Tag,
}

/// The form of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Open,
    SelfClosing,
    Close,
    Literal,
}

/// What follows a listed name that ends with a colon, without regard to ASCII case. It may be as long
/// as a tag, and is only compared: a hash of it is enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Suffix(u64);

impl Default for Suffix {
    /// The empty suffix: the offset basis of FNV-1a.
    fn default() -> Self {
        Suffix(0xcbf2_9ce4_8422_2325)
    }
}

impl Suffix {
    fn add(&mut self, byte: u8) {
        let byte = u64::from(byte.to_ascii_lowercase());
        self.0 = (self.0 ^ byte).wrapping_mul(0x0100_0000_01b3);
    }
}

/// A tag or literal that counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) role: Role,
    pub(crate) shape: Shape,
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// What follows its listed name, where any suffix may.
    pub(crate) suffix: Option<Suffix>,
    /// Where the name is, and the attributes after it; empty for a literal.
    name_start: u32,
    name_end: u32,
    attributes_end: u32,
}

impl Token {
    /// Nothing at all, where something with this role begins.
    pub(crate) fn empty(at: u64, role: Role) -> Self {
        Token::literal(role, at, at)
    }

    pub(crate) fn literal(role: Role, start: u64, end: u64) -> Self {
        Token {
            role,
            shape: Shape::Literal,
            start,
            end,
            suffix: None,
            name_start: 0,
            name_end: 0,
            attributes_end: 0,
        }
    }

    /// The name of a tag with this text.
    pub(crate) fn name<'t>(&self, tag: &'t str) -> &'t str {
        self.part(tag, self.name_start, self.name_end)
    }

    /// The attributes of a tag with this text.
    pub(crate) fn attributes<'t>(&self, tag: &'t str) -> &'t str {
        self.part(tag, self.name_end, self.attributes_end)
    }

    /// How many bytes it has.
    pub(crate) fn len(&self) -> u32 {
        length((self.end - self.start) as usize)
    }

    fn part<'t>(&self, tag: &'t str, from: u32, to: u32) -> &'t str {
        debug_assert_eq!(tag.len() as u64, self.end - self.start);
        tag.get(from as usize..to as usize).unwrap_or("")
    }
}

/// What a candidate is, as far as that is decided.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fate {
    /// It depends on what follows.
    Open,
    /// It is text; reading continues at `resume`.
    Text {
        start: u64,
        resume: u64,
        blank: bool,
    },
    Found(Token),
}

/// What a candidate is read against.
#[derive(Clone, Copy)]
pub(crate) struct Grammar<'a> {
    pub(crate) lexicon: &'a Lexicon,
    pub(crate) max_tag: usize,
}

impl Candidate {
    /// A candidate that begins at `start` with a byte yet to be read.
    pub(crate) fn new(
        start: u64,
        quotable: bool,
        may_end_paragraph: bool,
        lexicon: &Lexicon,
    ) -> Self {
        Candidate {
            start,
            may_end_paragraph,
            blank: false,
            read: 0,
            literals: Range::all(&lexicon.literals),
            literal: None,
            tag: Tag::none(quotable),
        }
    }

    /// Reads until it is decided or the bytes end. Returns how many bytes it has read.
    pub(crate) fn read(&mut self, bytes: &[u8], grammar: &Grammar<'_>) -> (usize, Fate) {
        let mut at = 0;
        while at < bytes.len() {
            at += self.read_run(&bytes[at..], grammar);
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
        let depth = self.read;
        self.read += 1;
        self.blank |= depth == 0 && is_space(byte);
        match (depth, byte) {
            (0, b'<') => self.tag.begin_usual(grammar.lexicon),
            (0, _) => {}
            _ => self.tag.step(byte, depth, grammar),
        }
        self.step_literals(depth as usize, byte, grammar.lexicon);
        // law: tag-limit
        if self.read as usize >= grammar.max_tag && !self.tag.is_complete() {
            self.tag.exceed(self.read);
        }
    }

    /// A bracket that is whole begins a tag; of two brackets, the longer one counts.
    fn step_literals(&mut self, depth: usize, byte: u8, lexicon: &Lexicon) {
        if self.literals.is_empty() {
            return;
        }
        self.literals.narrow(&lexicon.literals, depth, byte);
        match self.literals.take_whole(&lexicon.literals, depth + 1) {
            None => {}
            Some(Role::Bracket(number, closes)) => {
                self.tag.begin(number, closes, self.read, lexicon);
            }
            Some(role) => self.literal = Some((role, self.read)),
        }
    }

    /// Reads the bytes that only carry on what it is in, without a step for each. The first that
    /// may do more is left to [`step`](Self::step).
    fn read_run(&mut self, bytes: &[u8], grammar: &Grammar<'_>) -> usize {
        if self.read == 0 {
            return 0;
        }
        let room = grammar.max_tag.saturating_sub(self.read as usize + 1);
        let bytes = &bytes[..bytes.len().min(room)];
        let run = if self.literals.is_empty() {
            self.tag.read_run(bytes, grammar)
        } else if self.tag.state == State::Dead {
            self.run_of_literal(bytes, grammar.lexicon)
        } else {
            0
        };
        self.read += length(run);
        run
    }

    /// The rest of the only literal that is left, but for its last byte.
    fn run_of_literal(&self, bytes: &[u8], lexicon: &Lexicon) -> usize {
        let [(literal, _)] = self.literals.of(&lexicon.literals) else {
            return 0;
        };
        let rest = literal.get(self.read as usize..literal.len() - 1);
        common(rest.unwrap_or_default(), bytes, |a, b| a == b)
    }

    /// What it is if the message ends here. An unfinished tag is text as a whole.
    pub(crate) fn finish(&mut self) -> Fate {
        self.literals = Range::default();
        self.tag.finish(self.read);
        self.fate()
    }

    /// Whether nothing that follows can change what it is.
    fn is_decided(&self) -> bool {
        self.literals.is_empty() && (self.tag.is_decided() || self.literal.is_some())
    }

    fn fate(&self) -> Fate {
        if !self.is_decided() {
            return Fate::Open;
        }
        match (self.literal, self.tag.shape()) {
            (Some((role, len)), _) => {
                debug_assert!(0 < len && len <= self.read);
                let end = self.start + u64::from(len);
                Fate::Found(Token::literal(role, self.start, end))
            }
            (None, Some(shape)) => Fate::Found(self.tag_token(shape)),
            (None, None) => Fate::Text {
                start: self.start,
                resume: self.start + u64::from(self.tag.end.max(1)),
                blank: self.blank,
            },
        }
    }

    fn tag_token(&self, shape: Shape) -> Token {
        let tag = &self.tag;
        debug_assert!(tag.attributes_end < tag.end && tag.end <= self.read);
        Token {
            role: tag.role,
            shape,
            start: self.start,
            end: self.start + u64::from(tag.end),
            suffix: tag.suffix,
            name_start: tag.name_start,
            name_end: tag.name_end,
            attributes_end: tag.attributes_end,
        }
    }

    /// How far it has been read for good, if everything that it may become looks the same from
    /// outside: what follows may be something else if it is not what it seems. The bytes read so
    /// far end with `read`, which begins at `base`.
    pub(crate) fn read_for_good(&self, lexicon: &Lexicon, base: u64, read: &[u8]) -> usize {
        let index = |offset: u32| (self.start + u64::from(offset)).saturating_sub(base) as usize;
        if let Some(len) = self.whole_len() {
            return index(len);
        }
        let again = if self.literals.is_empty() {
            self.tag.reread_from(self.read)
        } else {
            Some(1)
        };
        let Some(from) = again else { return read.len() };
        (index(from)..read.len())
            .find(|at| lexicon.may_begin_with(&read[*at..]))
            .unwrap_or(read.len())
    }

    /// The length of what it is if it does not turn out to be a longer literal.
    fn whole_len(&self) -> Option<u32> {
        let literal = self.literal.map(|(_, len)| len);
        literal.or_else(|| self.tag.shape().map(|_| self.tag.end))
    }

    /// Whether `test` holds for something this may still become. It may not depend on the number
    /// of a call or head: one of them represents all.
    pub(crate) fn may_be(&self, lexicon: &Lexicon, test: impl Fn(Role, Shape) -> bool) -> bool {
        let may_be_literal = |(_, role): &Entry| match *role {
            Role::Bracket(number, closes) => lexicon.tags(number).may_be(closes, &test),
            role => test(role, Shape::Literal),
        };
        let literal = self
            .literal
            .is_some_and(|(role, _)| test(role, Shape::Literal));
        let mut longer = self.literals.of(&lexicon.literals).iter();
        self.tag.may_be(lexicon, &test) || literal || longer.any(may_be_literal)
    }

    /// Whether it begins with white space, so that it is white space if it is text.
    pub(crate) fn is_blank(&self) -> bool {
        self.blank
    }

    /// Whether this is a whole literal, and `test` holds for it and for every longer one that it may
    /// become. What may be a tag is not looked at.
    pub(crate) fn must_be(&self, lexicon: &Lexicon, test: impl Fn(Role) -> bool) -> bool {
        let mut longer = self.literals.of(&lexicon.literals).iter();
        self.literal.is_some_and(|(role, _)| test(role)) && longer.all(|(_, role)| test(*role))
    }
}

/// A length in a tag or literal, which limits keep below 2^32: see [`Grammar`].
fn length(len: usize) -> u32 {
    debug_assert!(u32::try_from(len).is_ok());
    len as u32
}

/// How many bytes at the start of both are the same, as `same` sees it.
fn common(wanted: &[u8], bytes: &[u8], same: impl Fn(u8, u8) -> bool) -> usize {
    let pairs = wanted.iter().zip(bytes);
    pairs.take_while(|(a, b)| same(**a, **b)).count()
}
