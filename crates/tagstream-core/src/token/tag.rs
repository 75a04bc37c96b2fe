//! The grammar of a tag, one byte at a time.
//!
//! There is one grammar. Its brackets are parameters: `<`, `</` and `>`, or a dialect's own.

use super::attribute::AttributeState;
use super::range::NameRange;
use super::{Grammar, Shape, Suffix};
use crate::brackets::{AttributeRule, NameRule, Tags};
use crate::lexicon::{Lexicon, Number, Role};
use crate::line::is_space;

/// A tag as far as it has been read. Offsets count from the start of the candidate.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tag {
    pub(super) state: State,
    /// The number of its brackets, and whether the first one is that of a closing tag.
    brackets: Number,
    closes: bool,
    /// A backtick precedes the tag; one after it makes it a quotation.
    quotable: bool,
    /// The listed names that begin like this one.
    names: NameRange,
    /// The name may still be one that is not listed.
    unlisted: bool,
    /// The suffix so far, where the name begins with a listed one that ends with a colon.
    pub(super) suffix: Option<Suffix>,
    /// What the name means, once it is whole, and which attributes the tag may have.
    pub(super) role: Role,
    attributes: AttributeRule,
    /// How many bytes of the end bracket have been read.
    matched: u8,
    pub(super) name_start: u32,
    pub(super) name_end: u32,
    pub(super) attributes_end: u32,
    /// Where the tag ended, or where it failed after its name; 0 if it did neither.
    pub(super) end: u32,
}

/// The number of the brackets `<`, `</` and `>`. They are so common that they are not looked up
/// among the literals.
const USUAL: Number = 0;

/// How far a tag has been read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum State {
    /// It is not a tag.
    #[default]
    Dead,
    /// After the first bracket, or in the name.
    Name,
    /// After the name, where only the end bracket may follow, or white space before it.
    Ending(Shape),
    /// Among attributes. If the last byte is a slash, the state does not know of it yet: it is not
    /// part of a value if the end bracket follows.
    Attributes { state: AttributeState, slash: bool },
    /// Whole, but the byte after it decides whether it is quoted.
    Unquoted(Shape),
    /// Whole.
    Whole(Shape),
}

impl Tag {
    /// No tag has begun.
    pub(super) fn none(quotable: bool) -> Self {
        Tag {
            quotable,
            ..Tag::default()
        }
    }

    /// A `<` has been read.
    pub(super) fn begin_usual(&mut self, lexicon: &Lexicon) {
        self.begin(USUAL, false, 1, lexicon);
        if !lexicon.tags(USUAL).is_empty() {
            self.state = State::Name;
        }
    }

    /// A `<` has been read, and a `/` may follow.
    fn may_close(&self) -> bool {
        self.brackets == USUAL && !self.closes && self.name_len() == 0
    }

    /// The first bracket is whole, and the name begins at this offset.
    pub(super) fn begin(&mut self, brackets: Number, closes: bool, at: u32, lexicon: &Lexicon) {
        let tags = lexicon.tags(brackets);
        *self = Tag {
            brackets,
            closes,
            names: NameRange::all(tags.names(closes)),
            unlisted: tags.any(closes).is_some(),
            name_start: at,
            name_end: at,
            ..Tag::none(self.quotable)
        };
        self.stay_in_name();
    }

    /// Reads the byte at this offset.
    pub(super) fn step(&mut self, byte: u8, at: u32, grammar: &Grammar<'_>) {
        match self.state {
            State::Dead | State::Whole(_) => {}
            // law: quoted-tag
            State::Unquoted(_) if byte == b'`' => self.state = State::Dead,
            State::Unquoted(shape) => self.state = State::Whole(shape),
            State::Name => self.step_name(byte, at, grammar),
            _ => self.step_after_name(byte, at, grammar),
        }
    }

    // The name.

    fn step_name(&mut self, byte: u8, at: u32, grammar: &Grammar<'_>) {
        let tags = grammar.lexicon.tags(self.brackets);
        let depth = self.name_len();
        let may_end = is_space(byte) || byte == b'/' || byte == first_of_end(tags);
        if may_end && depth > 0 && !self.name_has_space(byte, tags) {
            self.end_name(byte, at, grammar);
        } else if byte == b'/' && self.may_close() {
            self.begin(USUAL, true, at + 1, grammar.lexicon);
        } else if depth == 0 && is_space(byte) && self.brackets != USUAL {
            // A dialect's own brackets are not prose: white space may follow them.
            self.name_start = at + 1;
            self.name_end = at + 1;
        } else {
            self.grow_name(byte, depth, grammar);
        }
    }

    /// Whether a listed name has a space next: those of a dialect may.
    fn name_has_space(&self, byte: u8, tags: &Tags) -> bool {
        if byte != b' ' {
            return false;
        }
        let mut names = self.names;
        names.narrow(tags.names(self.closes), self.name_len(), byte);
        !names.is_empty()
    }

    fn grow_name(&mut self, byte: u8, depth: usize, grammar: &Grammar<'_>) {
        let tags = grammar.lexicon.tags(self.brackets);
        let names = tags.names(self.closes);
        if let Some(suffix) = &mut self.suffix {
            suffix.add(byte);
            self.name_end += 1;
            if !may_be_in_name(byte, depth) {
                self.state = State::Dead;
            }
            return;
        }
        self.names.narrow(names, depth, byte.to_ascii_lowercase());
        self.unlisted &= match tags.any.map(|any| any.names) {
            Some(NameRule::Any) if !byte.is_ascii() => true,
            _ => may_be_in_name(byte, depth),
        };
        self.name_end += 1;
        self.stay_in_name();
        match (byte, self.names.whole(names, depth + 1)) {
            (b'=', Some(role)) => {
                self.role = role;
                self.state = among_attributes(AttributeState::Inline);
            }
            (b':', Some(role)) => {
                self.role = role;
                self.suffix = Some(Suffix::default());
            }
            _ => {}
        }
    }

    fn stay_in_name(&mut self) {
        self.state = if self.names.is_empty() && !self.unlisted {
            State::Dead
        } else {
            State::Name
        };
    }

    /// The name ends before this byte.
    fn end_name(&mut self, byte: u8, at: u32, grammar: &Grammar<'_>) {
        let tags = grammar.lexicon.tags(self.brackets);
        let listed = if self.suffix.is_some() {
            Some(self.role)
        } else {
            self.names.whole(tags.names(self.closes), self.name_len())
        };
        let Some(role) = listed.or_else(|| self.unlisted_role(tags)) else {
            self.state = State::Dead;
            return;
        };
        self.role = role;
        if let (None, Some(any)) = (listed, tags.any) {
            self.attributes = any.attributes;
        }
        self.state = match byte {
            _ if self.closes => State::Ending(Shape::Close),
            b'/' if first_of_end(tags) != b'/' => {
                self.state = State::Ending(Shape::SelfClosing);
                return;
            }
            b if is_space(b) && self.attributes != AttributeRule::None => {
                among_attributes(AttributeState::Gap)
            }
            _ => State::Ending(Shape::Open),
        };
        self.step_after_name(byte, at, grammar);
    }

    fn unlisted_role(&self, tags: &Tags) -> Option<Role> {
        tags.any(self.closes).filter(|_| self.unlisted)
    }

    fn name_len(&self) -> usize {
        debug_assert!(self.name_start <= self.name_end);
        (self.name_end - self.name_start) as usize
    }

    // After the name.

    fn step_after_name(&mut self, byte: u8, at: u32, grammar: &Grammar<'_>) {
        let end = grammar.lexicon.tags(self.brackets).brackets.end.as_bytes();
        let matched = usize::from(self.matched);
        if self.is_quoted() {
            self.step_inside(byte, at);
        } else if byte == end[matched] {
            self.matched += 1;
            if matched + 1 == end.len() {
                self.finish_tag(at + 1, super::length(end.len()));
            }
        } else if matched == 0 {
            self.step_inside(byte, at);
        } else {
            self.read_again(&end[..matched], at, grammar);
            self.step(byte, at, grammar);
        }
    }

    /// What looked like the end bracket, up to this offset, was not: its bytes are what they would
    /// be elsewhere. Another one may begin in it.
    fn read_again(&mut self, read: &[u8], at: u32, grammar: &Grammar<'_>) {
        let start = at - u32::from(self.matched);
        self.matched = 0;
        self.step_inside(read[0], start);
        for (byte, at) in read[1..].iter().zip(start + 1..) {
            self.step(*byte, at, grammar);
        }
    }

    /// Reads a byte that does not belong to the end bracket.
    fn step_inside(&mut self, byte: u8, at: u32) {
        match self.state {
            State::Ending(Shape::Open | Shape::Close) if is_space(byte) => {}
            // Only a tag without attributes is here after white space.
            State::Ending(Shape::Open) if byte == b'/' => {
                self.state = State::Ending(Shape::SelfClosing);
            }
            // A tag that may be text does not take in the next one.
            State::Attributes { .. } if byte == b'<' && self.needs_values() => self.fail(at),
            State::Attributes { state, slash } if may_be_among(byte, state) => {
                let from = if slash { state.step(b'/') } else { state };
                let to = from.step(byte);
                if self.needs_values() && from.lacks_value(to) {
                    return self.fail(at);
                }
                let slash = byte == b'/' && !from.is_quoted();
                let state = if slash { from } else { to };
                self.state = State::Attributes { state, slash };
            }
            _ => self.fail(at),
        }
    }

    fn needs_values(&self) -> bool {
        self.attributes == AttributeRule::WithValues
    }

    fn is_quoted(&self) -> bool {
        matches!(self.state, State::Attributes { state, .. } if state.is_quoted())
    }

    /// The end bracket, of this length, is whole at this offset.
    fn finish_tag(&mut self, end: u32, bracket: u32) {
        let (shape, attributes_end) = match self.state {
            State::Attributes { state, .. }
                if self.needs_values() && state.lacks_value(AttributeState::Gap) =>
            {
                return self.fail(end - bracket);
            }
            State::Attributes { slash: true, .. } => (Shape::SelfClosing, end - bracket - 1),
            State::Ending(shape) => (shape, self.name_end),
            _ => (Shape::Open, end - bracket),
        };
        debug_assert!(self.name_end <= attributes_end && attributes_end < end);
        self.attributes_end = attributes_end;
        self.end = end;
        self.state = if self.quotable {
            State::Unquoted(shape)
        } else {
            State::Whole(shape)
        };
    }

    /// It is not a tag, although its name was whole: what precedes this offset is text.
    pub(super) fn fail(&mut self, at: u32) {
        self.end = at;
        self.state = State::Dead;
    }

    /// It is longer than a tag may be. If its name is not whole, only the bracket is certain to be text.
    pub(super) fn exceed(&mut self, at: u32) {
        if self.state == State::Name {
            self.state = State::Dead;
        } else {
            self.fail(at);
        }
    }

    /// The message ends at this offset.
    pub(super) fn finish(&mut self, at: u32) {
        match self.state {
            State::Unquoted(shape) => self.state = State::Whole(shape),
            State::Dead | State::Whole(_) => {}
            _ => self.fail(at),
        }
    }

    // What it is and what it may become.

    /// Whether nothing that follows can change what it is.
    pub(super) fn is_decided(&self) -> bool {
        matches!(self.state, State::Dead | State::Whole(_))
    }

    /// Whether it is a tag, or not, as far as its own bytes go.
    pub(super) fn is_complete(&self) -> bool {
        self.is_decided() || matches!(self.state, State::Unquoted(_))
    }

    /// Its shape, if it is whole.
    pub(super) fn shape(&self) -> Option<Shape> {
        match self.state {
            State::Whole(shape) => Some(shape),
            _ => None,
        }
    }

    /// The offset from which its bytes are read again if it fails, where that is not the next one.
    pub(super) fn reread_from(&self, read: u32) -> Option<u32> {
        match self.state {
            State::Name => Some(1),
            _ if self.matched > 0 && !self.is_complete() => Some(read - u32::from(self.matched)),
            _ => None,
        }
    }

    /// Whether `test` holds for something this may still become.
    pub(super) fn may_be(&self, lexicon: &Lexicon, test: impl Fn(Role, Shape) -> bool) -> bool {
        match self.state {
            State::Dead => false,
            State::Name if self.suffix.is_some() => test(self.role, shape_of(self.closes)),
            State::Name => {
                let tags = lexicon.tags(self.brackets);
                let any = tags.any(self.closes).filter(|_| self.unlisted);
                let own = |role| test(role, shape_of(self.closes));
                self.names.any(tags.names(self.closes), own)
                    || any.is_some_and(own)
                    || self.may_close() && tags.may_be(true, &test)
            }
            State::Ending(shape) | State::Unquoted(shape) | State::Whole(shape) => {
                test(self.role, shape)
            }
            State::Attributes { .. } => test(self.role, Shape::Open),
        }
    }

    // Runs of bytes.

    /// Reads the bytes that leave it where it is: the rest of the only name that is left, or of a
    /// value. How many they are.
    pub(super) fn read_run(&mut self, bytes: &[u8], grammar: &Grammar<'_>) -> usize {
        let tags = grammar.lexicon.tags(self.brackets);
        match self.state {
            State::Name => self.read_run_of_name(bytes, tags),
            State::Attributes {
                mut state,
                slash: false,
            } if self.matched == 0 => {
                let run = state.read_run(bytes, first_of_end(tags), self.needs_values());
                self.state = among_attributes(state);
                run
            }
            _ => 0,
        }
    }

    /// The rest of the only name that is left, once the bytes before it have left only one.
    fn read_run_of_name(&mut self, bytes: &[u8], tags: &Tags) -> usize {
        let (names, end) = (tags.names(self.closes), first_of_end(tags));
        if self.suffix.is_some() {
            return 0;
        }
        // Other bytes may end the name, and are left to the step.
        let is_plain = |b: u8| b != end && (b.is_ascii_alphabetic() || b == b'_');
        let mut read = 0;
        while let Some(byte) = bytes.get(read).filter(|b| is_plain(**b) && !self.unlisted) {
            if let Some(only) = self.names.only(names) {
                let rest = only.get(self.name_len()..).unwrap_or_default();
                let same = |a: u8, b: u8| a == b.to_ascii_lowercase() && is_plain(a);
                let run = super::common(rest, &bytes[read..], same);
                self.name_end += super::length(run);
                return read + run;
            }
            let mut left = self.names;
            left.narrow(names, self.name_len(), byte.to_ascii_lowercase());
            if left.is_empty() {
                break;
            }
            self.names = left;
            self.name_end += 1;
            read += 1;
        }
        read
    }
}

impl Tags {
    /// Whether `test` holds for one of these tags.
    pub(super) fn may_be(&self, closes: bool, test: impl Fn(Role, Shape) -> bool) -> bool {
        let test = |role| test(role, shape_of(closes));
        let names = self.names(closes);
        NameRange::all(names).any(names, test) || self.any(closes).is_some_and(test)
    }
}

/// The shape of a tag of which no more is known than its first bracket.
fn shape_of(closes: bool) -> Shape {
    if closes { Shape::Close } else { Shape::Open }
}

fn among_attributes(state: AttributeState) -> State {
    let slash = false;
    State::Attributes { state, slash }
}

/// Whether a byte does not break off the tag. A name in the tag is in one line.
fn may_be_among(byte: u8, state: AttributeState) -> bool {
    match byte {
        b'<' => state.is_quoted(),
        // law: name-in-line
        b'\n' => state != AttributeState::Inline,
        _ => true,
    }
}

fn first_of_end(tags: &Tags) -> u8 {
    tags.brackets.end.as_bytes()[0]
}

/// Whether a name that is not listed may have this byte at this depth.
fn may_be_in_name(byte: u8, depth: usize) -> bool {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'_' | b':' => true,
        b'0'..=b'9' | b'.' | b'-' => depth > 0,
        _ => false,
    }
}
