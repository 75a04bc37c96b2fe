//! What counts at one kind of place: names, literals, and what each of them does there.

use crate::scan::Stops;

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
    /// Is removed.
    Marker,
}

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
    /// Any other name opens an element too.
    pub(crate) any_opens: bool,
    /// The open element's own name opens and closes (for elements of any name).
    pub(crate) own_name: bool,
    pub(crate) stops: Stops,
    /// What may follow `<`.
    follows: [bool; 256],
}

impl Lexicon {
    /// The first of `bytes` at which something may begin, by the byte behind it too.
    #[inline]
    pub(crate) fn find(&self, bytes: &[u8]) -> Option<usize> {
        let mut from = 0;
        loop {
            let at = from + self.stops.find(&bytes[from..])?;
            match bytes.get(at + 1) {
                Some(next) if bytes[at] == b'<' && !self.follows[usize::from(*next)] => {
                    from = at + 1
                }
                _ => return Some(at),
            }
        }
    }
}

/// The entries of a lexicon while it is put together.
#[derive(Default)]
pub(crate) struct Builder {
    pub(crate) opens: Vec<Entry>,
    pub(crate) closes: Vec<Entry>,
    pub(crate) literals: Vec<Entry>,
    pub(crate) any_opens: bool,
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

    pub(crate) fn build(mut self) -> Lexicon {
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
        let mut follows = [self.any_opens || self.own_name; 256];
        follows[usize::from(b'/')] |= !self.closes.is_empty();
        for (name, _) in &self.opens {
            follows[usize::from(name[0])] = true;
            follows[usize::from(name[0].to_ascii_uppercase())] = true;
        }
        for (literal, _) in self
            .literals
            .iter()
            .filter(|(literal, _)| literal[0] == b'<')
        {
            match literal.get(1) {
                Some(next) => follows[usize::from(*next)] = true,
                None => follows = [true; 256],
            }
        }
        Lexicon {
            stops: Stops::new(stops),
            follows,
            opens: self.opens,
            closes: self.closes,
            literals: self.literals,
            any_opens: self.any_opens,
            own_name: self.own_name,
        }
    }
}

/// A name as names are compared: without regard to ASCII case.
pub(crate) fn fold(name: &str) -> Box<[u8]> {
    name.to_ascii_lowercase().into_bytes().into()
}
