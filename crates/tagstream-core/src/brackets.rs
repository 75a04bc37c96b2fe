//! The brackets of a tag, and the tags with the same brackets that count in one kind of place.

use crate::lexicon::{Beginnings, Entry, Number, Role, sort};
use std::{borrow::Cow, sync::Arc};

/// What encloses the name and the attributes of a tag: `<`, `</` and `>`, or a dialect's own.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Brackets {
    pub(crate) open: Cow<'static, str>,
    pub(crate) close: Cow<'static, str>,
    pub(crate) end: Cow<'static, str>,
}

impl Brackets {
    /// They have the number 0 in every lexicon.
    pub(crate) const USUAL: Brackets = Brackets {
        open: Cow::Borrowed("<"),
        close: Cow::Borrowed("</"),
        end: Cow::Borrowed(">"),
    };

    pub(crate) fn new(brackets: &[String; 3]) -> Self {
        let [open, close, end] = brackets.clone().map(Cow::Owned);
        Brackets { open, close, end }
    }

    /// The text between the brackets, and whether they are those of a closing tag.
    pub(crate) fn inside<'t>(&self, text: &'t str) -> Option<(&'t str, bool)> {
        let text = text.strip_suffix(&*self.end)?;
        let opens = text.strip_prefix(&*self.open).map(|inner| (inner, false));
        let closes = text.strip_prefix(&*self.close).map(|inner| (inner, true));
        // One of them may begin like the other: the longer one counts.
        let both = [opens, closes].into_iter().flatten();
        both.min_by_key(|(inner, _)| inner.len())
    }
}

/// Which attributes a tag may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum AttributeRule {
    #[default]
    Any,
    /// An attribute without a value makes it text, and so does a `<`, even in a value.
    WithValues,
    None,
}

/// Which names count that are not listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameRule {
    /// ASCII letters, digits and `_`, `:`, `.`, `-`.
    Ascii,
    /// The same, and all characters that are not ASCII.
    Any,
}

/// What a tag does whose name is not listed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnyName {
    /// As an opening and as a closing tag.
    pub(crate) roles: [Option<Role>; 2],
    pub(crate) names: NameRule,
    pub(crate) attributes: AttributeRule,
}

/// The tags with the same brackets that count in one kind of place.
#[derive(Clone, Debug)]
pub(crate) struct Tags {
    pub(crate) brackets: Brackets,
    /// Those of opening tags, and those of closing tags.
    names: [Names; 2],
    pub(crate) any: Option<AnyName>,
}

impl Tags {
    pub(crate) fn new(brackets: Brackets) -> Self {
        Tags {
            brackets,
            names: Default::default(),
            any: None,
        }
    }

    pub(crate) fn names(&self, closes: bool) -> &Names {
        &self.names[usize::from(closes)]
    }

    /// What a tag does whose name is not listed.
    pub(crate) fn any(&self, closes: bool) -> Option<Role> {
        self.any?.roles[usize::from(closes)]
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.has_none(false) && self.has_none(true)
    }

    fn has_none(&self, closes: bool) -> bool {
        self.names(closes).is_empty() && self.any(closes).is_none()
    }

    /// Adds a folded name.
    pub(crate) fn add(&mut self, name: &[u8], closes: bool, role: Role) {
        self.names[usize::from(closes)].add(name, role);
    }

    pub(crate) fn add_all(&mut self, other: &Tags) {
        for (names, others) in self.names.iter_mut().zip(&other.names) {
            names.add_all(others);
        }
        self.any = self.any.or(other.any);
    }

    pub(crate) fn share(&mut self) {
        for (names, closes) in self.names.iter_mut().zip([false, true]) {
            names.share(closes);
        }
    }

    pub(crate) fn sort(&mut self) {
        self.names.iter_mut().for_each(|names| sort(&mut names.own));
    }

    /// The opening brackets, as literals of the lexicon that has these tags under this number.
    pub(crate) fn literals(&self, number: Number) -> impl Iterator<Item = (&str, Role)> {
        let both = [(&self.brackets.open, false), (&self.brackets.close, true)].into_iter();
        let counts = both.filter(|(_, closes)| !self.has_none(*closes));
        counts.map(move |(text, closes)| (&**text, Role::Bracket(number, closes)))
    }

    /// The bytes that may follow the opening brackets, if these are the usual ones.
    pub(crate) fn add_to(&self, beginnings: &mut Beginnings) {
        for closes in [false, true] {
            let Names { own, shared } = self.names(closes);
            for (name, _) in own {
                beginnings.add_name(name, closes);
            }
            if let Some(shared) = shared {
                beginnings.add_all(&shared.beginnings);
            }
            if self.any(closes).is_some() {
                beginnings.add_name(b"", closes);
            }
        }
    }
}

/// Names with their roles, folded to lower case. No name is in both lists.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    pub(crate) own: Vec<Entry>,
    shared: Option<Arc<Shared>>,
}

impl Names {
    fn is_empty(&self) -> bool {
        self.own.is_empty() && self.shared().is_empty()
    }

    fn shared(&self) -> &[Entry] {
        self.shared.as_ref().map_or(&[], |shared| &shared.entries)
    }

    /// The names of this lexicon, and those that it shares.
    pub(crate) fn lists(&self) -> [&[Entry]; 2] {
        [&self.own, self.shared()]
    }

    fn add(&mut self, name: &[u8], role: Role) {
        if !self.shared.as_ref().is_some_and(|shared| shared.has(name)) {
            self.own.push((name.into(), role));
        }
    }

    /// Shares what the others share, where that is the same as adding each of them.
    fn add_all(&mut self, others: &Names) {
        for (name, role) in &others.own {
            self.add(name, *role);
        }
        let has = |shared: &Shared| self.own.iter().any(|(name, _)| shared.has(name));
        match &others.shared {
            Some(shared) if self.shared.is_none() && !has(shared) => {
                self.shared = Some(Arc::clone(shared));
            }
            _ => {
                for (name, role) in others.shared() {
                    self.add(name, *role);
                }
            }
        }
    }

    fn share(&mut self, closes: bool) {
        let mut entries = std::mem::take(&mut self.own);
        if !entries.is_empty() {
            debug_assert!(self.shared.is_none());
            sort(&mut entries);
            self.shared = Some(Arc::new(Shared::new(entries, closes)));
        }
    }
}

/// The tags of all tools, which many lexicons have.
///
/// Their roles differ in their numbers only, and no number is needed before the tag is read:
/// until then, one of them represents all.
#[derive(Debug)]
struct Shared {
    entries: Vec<Entry>,
    beginnings: Beginnings,
}

impl Shared {
    fn new(entries: Vec<Entry>, closes: bool) -> Self {
        let kind = |(_, role): &Entry| std::mem::discriminant(role);
        debug_assert!(entries.iter().all(|entry| kind(entry) == kind(&entries[0])));
        let mut beginnings = Beginnings::default();
        for (name, _) in &entries {
            beginnings.add_name(name, closes);
        }
        Shared {
            entries,
            beginnings,
        }
    }

    fn has(&self, name: &[u8]) -> bool {
        let order = |(other, _): &Entry| (**other).cmp(name);
        self.entries.binary_search_by(order).is_ok()
    }
}
