//! What counts in one kind of place: names, literals, and what each of them does there.

use crate::brackets::{AnyName, Brackets, Tags};
use crate::policy::pattern::Pattern;
use crate::scan::Stops;

/// The number of a tool, a head, an opener, a section or another rule in its list.
pub(crate) type Number = u32;

/// The number of the rule at this index.
pub(crate) fn number(index: usize) -> Number {
    Number::try_from(index).expect("no list has 2^32 rules")
}

/// What a tag or a literal does where it counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Role {
    /// Opens the section with this number.
    Section(Number),
    /// Opens the element with this number.
    Element(Number),
    /// Opens an element of any name.
    AnyElement,
    /// Opens the part with this number among the element's children.
    Part(Number),
    /// Opens once more what it is in.
    Again,
    /// Closes what it is in.
    End,
    /// Closes the part it is in and the element around it.
    EndParent,
    /// The element that it is in ends before it: a tag of the element with this number, which is
    /// the same element or the one around it.
    EndBefore(Number),
    /// Closes what was never opened.
    Orphan,
    /// May open calls, in one of the ways of the opener with this number.
    Call(Number),
    /// Opens the call with this head.
    Head(Number),
    /// Opens an argument. The number is that of the declared argument where the tag is its name, and
    /// elsewhere [`NAME_ELSEWHERE`](crate::policy::call::NAME_ELSEWHERE) or [`ANY_NAME`](crate::policy::call::ANY_NAME).
    Argument(Number),
    /// Closes the value of an argument, with a number as above.
    ValueEnd(Number),
    /// Opens the name of an argument.
    Key,
    /// Closes the name of an argument.
    KeyEnd,
    /// Opens the value of an argument.
    Value,
    /// Ends the name of a call.
    Separator,
    /// Ends the name of a call; its id follows.
    Id,
    CallEnd,
    WrapperEnd,
    /// Begins and ends a string of JSON, where that is not `"`.
    Quote,
    /// Begins a tag with the brackets of this number; a closing tag, if true.
    Bracket(Number, bool),
    /// Is removed.
    Marker,
    /// Is text.
    #[default]
    Kept,
    /// The same, of white space alone, which is not visible text.
    KeptSpace,
}

impl Role {
    fn is_bracket(self) -> bool {
        matches!(self, Role::Bracket(..))
    }
}

/// A name or a literal with its role.
pub(crate) type Entry = (Box<[u8]>, Role);

/// What counts in one kind of place: in text, in a thinking section, in an argument value.
///
/// All lists are sorted, so that the entries with a common prefix are neighbours and a reader can
/// narrow a range byte by byte.
#[derive(Clone, Debug)]
pub(crate) struct Lexicon {
    /// By brackets; the first have the usual ones.
    tags: Vec<Tags>,
    /// The opening brackets of dialects are among them, as [`Role::Bracket`].
    pub(crate) literals: Vec<Entry>,
    pub(crate) stops: Stops,
    beginnings: Beginnings,
}

impl Default for Lexicon {
    /// Nothing counts.
    fn default() -> Self {
        Builder::default().build()
    }
}

impl Lexicon {
    /// The tags whose brackets have this number.
    #[inline]
    pub(crate) fn tags(&self, brackets: Number) -> &Tags {
        &self.tags[brackets as usize]
    }

    /// The first of `bytes` at which something may begin, judged also by the bytes after it.
    #[inline]
    pub(crate) fn find(&self, bytes: &[u8]) -> Option<usize> {
        let mut from = 0;
        loop {
            let at = from + self.stops.find(&bytes[from..])?;
            if bytes[at] != b'<' || self.begins_tag(&bytes[at + 1..]) {
                return Some(at);
            }
            from = at + 1;
        }
    }

    /// Whether something may begin at the first of these bytes, judged also by those after it.
    #[inline]
    pub(crate) fn begins(&self, bytes: &[u8]) -> bool {
        self.stops.stop(bytes[0]) && (bytes[0] != b'<' || self.begins_tag(&bytes[1..]))
    }

    /// Whether something may begin with a `<` and these bytes, as far as they go.
    #[inline]
    pub(crate) fn begins_tag(&self, after: &[u8]) -> bool {
        self.beginnings.allow(after)
    }

    /// The longest literal with which these bytes begin and that is not all of them.
    pub(crate) fn shorter(&self, bytes: &[u8]) -> Option<(Role, usize)> {
        let is_shorter = |(literal, role): &&Entry| {
            literal.len() < bytes.len() && bytes.starts_with(literal) && !role.is_bracket()
        };
        let found = self.literals.iter().filter(is_shorter);
        let longest = found.max_by_key(|(literal, _)| literal.len())?;
        Some((longest.1, longest.0.len()))
    }

    /// Whether something may begin with all of these bytes, or with some of them.
    pub(crate) fn may_begin_with(&self, bytes: &[u8]) -> bool {
        let literal = |(literal, _): &Entry| {
            let common = literal.len().min(bytes.len());
            literal[..common] == bytes[..common]
        };
        self.stops.stop(bytes[0]) && (bytes[0] == b'<' || self.literals.iter().any(literal))
    }
}

/// Which bytes may follow a `<`. Most `<` are followed by others, and a few lookups are enough to
/// pass over them.
#[derive(Clone, Debug)]
pub(crate) struct Beginnings {
    /// For each byte, a bit for each position that it may have.
    positions: [u8; 256],
}

impl Default for Beginnings {
    fn default() -> Self {
        Beginnings {
            positions: [0; 256],
        }
    }
}

impl Beginnings {
    /// The first position after `<`; the next ones have the next bits.
    const OPEN: u8 = 1;
    /// The first position after `</`.
    const CLOSE: u8 = 1 << Self::DEPTH;
    const DEPTH: usize = 3;

    /// Adds a name of an opening or closing tag.
    pub(crate) fn add_name(&mut self, name: &[u8], closes: bool) {
        let first = if closes { Self::CLOSE } else { Self::OPEN };
        for depth in 0..Self::DEPTH {
            let position = first << depth;
            match name.get(depth) {
                Some(byte) => {
                    self.positions[usize::from(*byte)] |= position;
                    self.positions[usize::from(byte.to_ascii_uppercase())] |= position;
                }
                // Anything may follow a whole name.
                None => self.positions.iter_mut().for_each(|all| *all |= position),
            }
        }
    }

    fn add_literal(&mut self, literal: &[u8]) {
        match literal {
            [b'<'] => {
                self.add_name(b"", false);
                self.add_name(b"", true);
            }
            [b'<', b'/', rest @ ..] => self.add_name(rest, true),
            [b'<', rest @ ..] => self.add_name(rest, false),
            _ => {}
        }
    }

    pub(crate) fn add_all(&mut self, other: &Beginnings) {
        for (all, others) in self.positions.iter_mut().zip(other.positions) {
            *all |= others;
        }
    }

    /// Whether these bytes may follow a `<`, as far as they go.
    #[inline]
    fn allow(&self, after: &[u8]) -> bool {
        let (name, first) = match after {
            [b'/', name @ ..] => (name, Self::CLOSE),
            name => (name, Self::OPEN),
        };
        let may_have = |depth: usize| {
            let byte = name.get(depth);
            byte.is_none_or(|byte| self.positions[usize::from(*byte)] & (first << depth) != 0)
        };
        (0..Self::DEPTH).all(may_have)
    }
}

/// The entries of a lexicon while it is put together. The first role of a name or literal counts.
#[derive(Debug)]
pub(crate) struct Builder {
    /// By brackets; the first have the usual ones.
    tags: Vec<Tags>,
    literals: Vec<Entry>,
    /// Backticks and tildes matter.
    pub(crate) code: bool,
}

impl Default for Builder {
    fn default() -> Self {
        Builder {
            tags: vec![Tags::new(Brackets::USUAL)],
            literals: Vec::new(),
            code: false,
        }
    }
}

impl Builder {
    /// Adds the opening tag of this name.
    pub(crate) fn open(&mut self, name: &str, role: Role) {
        self.tags[0].add(&fold(name), false, role);
    }

    /// Adds the closing tag of this name.
    pub(crate) fn close(&mut self, name: &str, role: Role) {
        self.tags[0].add(&fold(name), true, role);
    }

    pub(crate) fn literal(&mut self, literal: &str, role: Role) {
        debug_assert!(!literal.is_empty());
        self.literals.push((literal.as_bytes().into(), role));
    }

    pub(crate) fn pattern(&mut self, pattern: &Pattern, role: Role) {
        match pattern {
            Pattern::Literal(text) => self.literal(text, role),
            Pattern::Tag {
                brackets,
                closes,
                name,
            } => self.tags(brackets).add(&fold(name), *closes, role),
        }
    }

    /// Gives a role to the tags with these brackets whose names are not listed.
    pub(crate) fn any_name(&mut self, brackets: &Brackets, any: AnyName) {
        self.tags(brackets).any = Some(any);
    }

    fn tags(&mut self, brackets: &Brackets) -> &mut Tags {
        let known = self.tags.iter().position(|t| t.brackets == *brackets);
        let index = known.unwrap_or_else(|| {
            self.tags.push(Tags::new(brackets.clone()));
            self.tags.len() - 1
        });
        &mut self.tags[index]
    }

    /// Adds everything that has a role in another lexicon.
    pub(crate) fn add_all(&mut self, other: &Lexicon) {
        for tags in &other.tags {
            self.tags(&tags.brackets).add_all(tags);
        }
        self.add_literals(other, Some);
    }

    /// Adds the closing tags and the literals of another lexicon for which `role_of` gives a role
    /// in place of the one they have there.
    pub(crate) fn add_closers(&mut self, other: &Lexicon, role_of: impl Fn(Role) -> Option<Role>) {
        for tags in &other.tags {
            for (name, role) in &tags.names(true).own {
                if let Some(role) = role_of(*role) {
                    self.tags(&tags.brackets).add(name, true, role);
                }
            }
        }
        self.add_literals(other, role_of);
    }

    /// Adds the literals of another lexicon for which `role_of` gives a role.
    pub(crate) fn add_literals(&mut self, other: &Lexicon, role_of: impl Fn(Role) -> Option<Role>) {
        for (literal, role) in &other.literals {
            if let (false, Some(role)) = (role.is_bracket(), role_of(*role)) {
                self.literals.push((literal.clone(), role));
            }
        }
    }

    /// Keeps the literals for which `keeps` is true.
    pub(crate) fn retain_literals(&mut self, keeps: impl Fn(&[u8], Role) -> bool) {
        self.literals
            .retain(|(literal, role)| keeps(literal, *role));
    }

    /// Removes the literals and the tags with brackets of their own.
    pub(crate) fn keep_usual_tags(&mut self) {
        self.tags.truncate(1);
        self.literals.clear();
    }

    /// Builds a lexicon whose tags are shared by all lexicons that it is added to. Their roles may
    /// differ in their numbers only.
    pub(crate) fn build_shared(mut self) -> Lexicon {
        self.tags.iter_mut().for_each(Tags::share);
        self.build()
    }

    pub(crate) fn build(mut self) -> Lexicon {
        let mut tags = std::mem::take(&mut self.tags);
        tags.iter_mut().for_each(Tags::sort);
        for (tags, number) in tags.iter().zip(0..).skip(1) {
            for (text, role) in tags.literals(number) {
                self.literal(text, role);
            }
        }
        let mut beginnings = Beginnings::default();
        tags[0].add_to(&mut beginnings);
        for (literal, _) in &self.literals {
            beginnings.add_literal(literal);
        }
        sort(&mut self.literals);
        let tag = (!tags[0].is_empty()).then_some(b'<');
        // Where nothing counts, it does not matter what is code.
        let code = self.code && !(tag.is_none() && self.literals.is_empty());
        let marks = code.then_some(*b"`~").into_iter().flatten();
        let firsts = self.literals.iter().map(|(literal, _)| literal[0]);
        Lexicon {
            stops: Stops::new(firsts.chain(tag).chain(marks)),
            beginnings,
            literals: self.literals,
            tags,
        }
    }
}

/// Sorts entries by their names; of several with one name, the first is kept.
pub(crate) fn sort(entries: &mut Vec<Entry>) {
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    entries.dedup_by(|later, first| later.0 == first.0);
}

/// A name as names are compared: without regard to ASCII case.
pub(crate) fn fold(name: &str) -> Box<[u8]> {
    name.to_ascii_lowercase().into_bytes().into()
}
