//! What counts at one kind of place: names, literals, and what each of them does there.

use crate::brackets::{Bracketed, Brackets};
use crate::policy::pattern::Token;
use crate::scan::{Few, Stops};

/// What a tag or a literal does where it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Opens the section with this number.
    Section(u16),
    /// Opens the element with this number.
    Element(u16),
    /// Opens an element of any name.
    AnyElement,
    /// Opens the part with this number among the element's children.
    Part(u16),
    /// Opens once more what it stands in.
    Again,
    /// Closes what it stands in.
    End,
    /// Closes the part it stands in and the element around it.
    EndParent,
    /// Closes what was never opened.
    Orphan,
    /// May open calls, in one of the ways of the opener with this number.
    Call(u16),
    /// Opens the call with this head.
    Head(u16),
    /// Opens an argument; the number is the declared one, where its tag is its name.
    Argument(u16),
    /// Closes the value of an argument.
    ValueEnd(u16),
    /// Opens and closes the name of an argument, and opens its value.
    Key,
    KeyEnd,
    Value,
    /// Ends the name of a call.
    Separator,
    /// Ends the name of a call, behind which its id follows.
    Id,
    CallEnd,
    WrapperEnd,
    /// Begins and ends a string of JSON, where that is not `"`.
    Quote,
    /// Begins a tag of the brackets with this number, a closer or an opener.
    Bracket(u16, bool),
    /// Is removed.
    Marker,
    /// Is text.
    Kept,
}

/// The number of a rule, a tool or an argument.
pub(crate) type Number = u16;

/// A name or a literal with what it does.
pub(crate) type Entry = (Box<[u8]>, Role);

/// What counts at one kind of place.
///
/// Names are folded to lower case; all lists are sorted, so that the entries with a common
/// prefix are neighbours and a reader can narrow a range byte by byte.
#[derive(Clone, Debug)]
pub(crate) struct Lexicon {
    pub(crate) opens: Vec<Entry>,
    pub(crate) closes: Vec<Entry>,
    pub(crate) literals: Vec<Entry>,
    /// Tags with other brackets. Their brackets are among the literals.
    pub(crate) bracketed: Vec<Bracketed>,
    /// Any other name opens an element too.
    pub(crate) any_opens: bool,
    /// Any other name closes what was never opened, and is dropped.
    pub(crate) any_closes: bool,
    /// The open element's own name opens and closes (for elements of any name).
    pub(crate) own_name: bool,
    pub(crate) stops: Stops,
    beginnings: Beginnings,
}

impl Lexicon {
    /// The names that close something here, or that open it.
    pub(crate) fn names(&self, closes: bool) -> &[Entry] {
        if closes { &self.closes } else { &self.opens }
    }

    /// The first of `bytes` at which something may begin, by the bytes behind it too.
    #[inline]
    pub(crate) fn find(&self, bytes: &[u8]) -> Option<usize> {
        if bytes.len() <= Few::MOST {
            return self.find_in_few(bytes);
        }
        let mut from = 0;
        loop {
            let at = from + self.stops.find(&bytes[from..])?;
            if bytes[at] != b'<' || self.begins_tag(&bytes[at + 1..]) {
                return Some(at);
            }
            from = at + 1;
        }
    }

    fn find_in_few(&self, bytes: &[u8]) -> Option<usize> {
        let mut rest = bytes;
        while let [first, behind @ ..] = rest {
            if self.stops.stop(*first) && (*first != b'<' || self.begins_tag(behind)) {
                return Some(bytes.len() - rest.len());
            }
            rest = behind;
        }
        None
    }

    /// Whether something may begin at the first of these bytes, by those behind it too.
    #[inline]
    pub(crate) fn begins(&self, bytes: &[u8]) -> bool {
        self.stops.stop(bytes[0]) && (bytes[0] != b'<' || self.begins_tag(&bytes[1..]))
    }

    /// Whether something may begin with a `<` that has these bytes behind it, as far as they go.
    #[inline]
    pub(crate) fn begins_tag(&self, behind: &[u8]) -> bool {
        self.beginnings.allow(behind)
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

/// Which bytes may follow a `<`. Most are followed by something else, and this tells at a glance.
#[derive(Clone, Debug)]
struct Beginnings {
    /// For each byte a bit for each place where it may stand.
    places: [u8; 256],
}

impl Beginnings {
    /// The first place behind `<`; the next ones have the next bits.
    const OPEN: u8 = 1;
    /// The first place behind `</`.
    const CLOSE: u8 = 1 << Self::DEPTH;
    const DEPTH: usize = 3;

    fn new(builder: &Builder) -> Self {
        let any = builder.any_opens || builder.own_name;
        let mut this = Beginnings {
            places: [if any { u8::MAX } else { 0 }; 256],
        };
        for (name, _) in &builder.opens {
            this.add(name, Self::OPEN);
        }
        for (name, _) in &builder.closes {
            this.add(name, Self::CLOSE);
        }
        for (literal, _) in &builder.literals {
            match **literal {
                [b'<'] => {
                    this.add(b"", Self::OPEN);
                    this.add(b"", Self::CLOSE);
                }
                [b'<', b'/', ref rest @ ..] => this.add(rest, Self::CLOSE),
                [b'<', ref rest @ ..] => this.add(rest, Self::OPEN),
                _ => {}
            }
        }
        this
    }

    fn add(&mut self, name: &[u8], first: u8) {
        for depth in 0..Self::DEPTH {
            let place = first << depth;
            match name.get(depth) {
                Some(byte) => {
                    self.places[usize::from(*byte)] |= place;
                    self.places[usize::from(byte.to_ascii_uppercase())] |= place;
                }
                // Behind the end of a name anything may follow.
                None => self.places.iter_mut().for_each(|places| *places |= place),
            }
        }
    }

    /// Whether these bytes may stand behind a `<`, as far as they go.
    #[inline]
    fn allow(&self, behind: &[u8]) -> bool {
        let (name, first) = match behind {
            [b'/', name @ ..] => (name, Self::CLOSE),
            name => (name, Self::OPEN),
        };
        let may_stand = |depth: usize| {
            let byte = name.get(depth);
            byte.is_none_or(|byte| self.places[usize::from(*byte)] & (first << depth) != 0)
        };
        (0..Self::DEPTH).all(may_stand)
    }
}

/// The entries of a lexicon while it is put together.
#[derive(Default)]
pub(crate) struct Builder {
    pub(crate) opens: Vec<Entry>,
    pub(crate) closes: Vec<Entry>,
    pub(crate) literals: Vec<Entry>,
    pub(crate) bracketed: Vec<Bracketed>,
    pub(crate) any_opens: bool,
    pub(crate) any_closes: bool,
    pub(crate) own_name: bool,
    /// Backticks and tildes matter.
    pub(crate) code: bool,
}

impl Builder {
    pub(crate) fn open(&mut self, name: &str, role: Role) {
        self.opens.push((fold(name), role));
    }

    pub(crate) fn close(&mut self, name: &str, role: Role) {
        self.closes.push((fold(name), role));
    }

    /// As [`open`](Self::open), unless the name opens something here already.
    pub(crate) fn open_once(&mut self, name: &str, role: Role) {
        if !has(&self.opens, &fold(name)) {
            self.open(name, role);
        }
    }

    pub(crate) fn close_once(&mut self, name: &str, role: Role) {
        if !has(&self.closes, &fold(name)) {
            self.close(name, role);
        }
    }

    /// Adds a tag or a literal, unless it has a role here already.
    pub(crate) fn token(&mut self, token: &Token, role: Role) {
        match token {
            Token::Open(name) => self.open_once(name, role),
            Token::Close(name) => self.close_once(name, role),
            Token::Literal(text) => self.literal(text, role),
            Token::Bracketed {
                brackets,
                closes,
                name,
            } => self.bracketed(brackets).add(name, *closes, role),
        }
    }

    /// The tags with these brackets.
    pub(crate) fn bracketed(&mut self, brackets: &Brackets) -> &mut Bracketed {
        let known = self.bracketed.iter().position(|b| b.brackets == *brackets);
        let number = known.unwrap_or_else(|| {
            self.bracketed.push(Bracketed::new(brackets.clone()));
            self.bracketed.len() - 1
        });
        &mut self.bracketed[number]
    }

    fn add_bracketed(&mut self, others: &[Bracketed]) {
        for other in others {
            self.bracketed(&other.brackets).add_all(other);
        }
    }

    /// Adds all that has a role in another lexicon and none here.
    pub(crate) fn add_all(&mut self, other: &Lexicon) {
        add(&mut self.opens, &other.opens);
        add(&mut self.closes, &other.closes);
        add(&mut self.literals, &other.literals);
        self.add_bracketed(&other.bracketed);
    }

    pub(crate) fn add_builder(&mut self, other: &Builder) {
        add(&mut self.opens, &other.opens);
        add(&mut self.closes, &other.closes);
        add(&mut self.literals, &other.literals);
        self.add_bracketed(&other.bracketed);
    }

    /// Adds a literal, unless it has a role here already.
    pub(crate) fn literal(&mut self, literal: &str, role: Role) {
        if self
            .literals
            .iter()
            .all(|(l, _)| **l != *literal.as_bytes())
        {
            self.literals.push((literal.as_bytes().into(), role));
        }
    }

    /// Sorts the tags with other brackets, and adds what they begin with to the literals.
    fn finish_brackets(&mut self) {
        let mut all = std::mem::take(&mut self.bracketed);
        for (number, tags) in (0..).zip(&mut all) {
            tags.sort();
            for (literal, role) in tags.literals(number) {
                self.literal(literal, role);
            }
        }
        self.bracketed = all;
    }

    pub(crate) fn build(mut self) -> Lexicon {
        self.finish_brackets();
        for list in [&mut self.opens, &mut self.closes, &mut self.literals] {
            list.sort_by(|a, b| a.0.cmp(&b.0));
        }
        let tags =
            self.any_opens || self.own_name || !self.opens.is_empty() || !self.closes.is_empty();
        // Where nothing counts, it does not matter what is code.
        let code = self.code && (tags || !self.literals.is_empty());
        let firsts = self.literals.iter().map(|(literal, _)| literal[0]);
        let stops = firsts
            .chain(tags.then_some(b'<'))
            .chain(code.then_some([b'`', b'~']).into_iter().flatten());
        let beginnings = Beginnings::new(&self);
        Lexicon {
            stops: Stops::new(stops),
            beginnings,
            opens: self.opens,
            closes: self.closes,
            literals: self.literals,
            bracketed: self.bracketed,
            any_opens: self.any_opens,
            any_closes: self.any_closes,
            own_name: self.own_name,
        }
    }
}

fn has(list: &[Entry], name: &[u8]) -> bool {
    list.iter().any(|(other, _)| **other == *name)
}

fn add(list: &mut Vec<Entry>, others: &[Entry]) {
    let brackets = |role: &Role| matches!(role, Role::Bracket(..));
    for (name, role) in others.iter().filter(|(_, role)| !brackets(role)) {
        if !has(list, name) {
            list.push((name.clone(), *role));
        }
    }
}

/// A name as names are compared: without regard to ASCII case.
pub(crate) fn fold(name: &str) -> Box<[u8]> {
    name.to_ascii_lowercase().into_bytes().into()
}
