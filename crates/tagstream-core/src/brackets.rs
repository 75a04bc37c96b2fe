//! Tags whose brackets are others than `<`, `</` and `>`.

use crate::lexicon::{Entry, Role, fold};

/// What stands around the name and the attributes of a tag, in place of `<`, `</` and `>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Brackets {
    pub(crate) open: Box<str>,
    pub(crate) close: Box<str>,
    pub(crate) end: Box<str>,
}

impl Brackets {
    pub(crate) fn new([open, close, end]: &[String; 3]) -> Self {
        Brackets {
            open: open.as_str().into(),
            close: close.as_str().into(),
            end: end.as_str().into(),
        }
    }

    /// What stands between the brackets, and whether they are those of a closer.
    pub(crate) fn inside<'t>(&self, text: &'t str) -> Option<(&'t str, bool)> {
        let text = text.strip_suffix(&*self.end)?;
        let opens = text.strip_prefix(&*self.open).map(|inner| (inner, false));
        let closes = text.strip_prefix(&*self.close).map(|inner| (inner, true));
        // One of them may begin like the other: the longer one counts.
        let both = [opens, closes].into_iter().flatten();
        both.min_by_key(|(inner, _)| inner.len())
    }

    /// Whether no bracket stands in the text between two of them.
    pub(crate) fn is_one_tag(&self, inner: &str) -> bool {
        !inner.contains(&*self.end)
    }
}

/// The tags with the same brackets that count at one kind of place.
#[derive(Clone, Debug)]
pub(crate) struct Bracketed {
    pub(crate) brackets: Brackets,
    pub(crate) opens: Vec<Entry>,
    pub(crate) closes: Vec<Entry>,
    /// What a tag of any other name does, as an opener and as a closer.
    pub(crate) other: Option<[Role; 2]>,
}

impl Bracketed {
    pub(crate) fn new(brackets: Brackets) -> Self {
        Bracketed {
            brackets,
            opens: Vec::new(),
            closes: Vec::new(),
            other: None,
        }
    }

    pub(crate) fn names(&self, closes: bool) -> &[Entry] {
        if closes { &self.closes } else { &self.opens }
    }

    pub(crate) fn other(&self, closes: bool) -> Option<Role> {
        self.other.map(|roles| roles[usize::from(closes)])
    }

    /// Adds a name, unless it has a role already.
    pub(crate) fn add(&mut self, name: &str, closes: bool, role: Role) {
        let name = fold(name);
        if self.names(closes).iter().all(|(other, _)| *other != name) {
            match closes {
                true => self.closes.push((name, role)),
                false => self.opens.push((name, role)),
            }
        }
    }

    pub(crate) fn add_all(&mut self, other: &Bracketed) {
        for closes in [false, true] {
            for (name, role) in other.names(closes) {
                self.add(&String::from_utf8_lossy(name), closes, *role);
            }
        }
        self.other = self.other.or(other.other);
    }

    pub(crate) fn sort(&mut self) {
        for list in [&mut self.opens, &mut self.closes] {
            list.sort_by(|a, b| a.0.cmp(&b.0));
        }
    }

    /// The brackets, as literals of the lexicon that has these tags under this number.
    pub(crate) fn literals(&self, number: u16) -> [(&str, Role); 2] {
        [
            (&self.brackets.open, Role::Bracket(number, false)),
            (&self.brackets.close, Role::Bracket(number, true)),
        ]
    }
}
