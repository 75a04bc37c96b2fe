//! The brackets of a tag, and the tags with the same brackets that count at one kind of place.

use crate::lexicon::{Beginnings, Entry, Number, Role};
use std::{borrow::Cow, collections::BTreeMap, sync::Arc};

/// What encloses the name and the attributes of a tag: `<`, `</` and `>`, or a dialect's own.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Brackets {
    pub(crate) open: Cow<'static, str>,
    pub(crate) close: Cow<'static, str>,
    pub(crate) end: Cow<'static, str>,
}

impl Brackets {
    pub(crate) const USUAL: Brackets = Brackets {
        open: Cow::Borrowed("<"),
        close: Cow::Borrowed("</"),
        end: Cow::Borrowed(">"),
    };

    pub(crate) fn new([open, close, end]: &[String; 3]) -> Self {
        Brackets {
            open: open.clone().into(),
            close: close.clone().into(),
            end: end.clone().into(),
        }
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

    /// Whether the text between two brackets has no end bracket in it.
    pub(crate) fn is_one_tag(&self, inner: &str) -> bool {
        !inner.contains(&*self.end)
    }
}

/// Which attributes a tag may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AttributeRule {
    Any,
    /// An attribute without a value makes it text.
    WithValues,
    None,
}

/// What a tag does whose name is not listed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnyName {
    /// As an opening and as a closing tag.
    pub(crate) roles: [Option<Role>; 2],
    /// Only the name of the open element counts.
    pub(crate) own: bool,
    pub(crate) attributes: AttributeRule,
}

/// The tags with the same brackets that count at one kind of place.
#[derive(Clone, Debug)]
pub(crate) struct Tags {
    pub(crate) brackets: Brackets,
    names: [Names; 2],
    pub(crate) any: Option<AnyName>,
}

impl Tags {
    /// The names of opening tags, or those of closing tags.
    pub(crate) fn names(&self, closes: bool) -> &Names {
        &self.names[usize::from(closes)]
    }

    /// What a tag does whose name is not listed.
    pub(crate) fn any(&self, closes: bool) -> Option<Role> {
        self.any?.roles[usize::from(closes)]
    }

    pub(crate) fn is_empty(&self, closes: bool) -> bool {
        self.names(closes).is_empty() && self.any(closes).is_none()
    }
}

/// Sorted names with their roles. Names are folded to lower case.
///
/// No name is in both lists.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    pub(crate) own: Vec<Entry>,
    shared: Option<Arc<Shared>>,
}

impl Names {
    pub(crate) fn is_empty(&self) -> bool {
        self.own.is_empty() && self.shared().is_empty()
    }

    pub(crate) fn shared(&self) -> &[Entry] {
        self.shared.as_ref().map_or(&[], |shared| &shared.entries)
    }
}

/// The opening tags of all tools, which many lexicons have.
///
/// Their roles differ in their numbers only, and nobody asks which number a role may have before
/// the tag is read: one of them stands for all.
#[derive(Debug)]
struct Shared {
    entries: Vec<Entry>,
    beginnings: Beginnings,
}

impl Shared {
    fn new(names: BTreeMap<Box<[u8]>, Role>) -> Self {
        let entries: Vec<Entry> = names.into_iter().collect();
        let kind = |(_, role): &Entry| std::mem::discriminant(role);
        debug_assert!(
            entries
                .windows(2)
                .all(|pair| kind(&pair[0]) == kind(&pair[1]))
        );
        let mut beginnings = Beginnings::default();
        for (name, _) in &entries {
            beginnings.add_name(name, false);
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

/// The tags with the same brackets while a lexicon is put together. The first role of a name
/// counts.
#[derive(Debug)]
pub(crate) struct TagsBuilder {
    pub(crate) brackets: Brackets,
    names: [BTreeMap<Box<[u8]>, Role>; 2],
    shared: Option<Arc<Shared>>,
    pub(crate) any: Option<AnyName>,
}

impl TagsBuilder {
    pub(crate) fn new(brackets: Brackets) -> Self {
        TagsBuilder {
            brackets,
            names: Default::default(),
            shared: None,
            any: None,
        }
    }

    /// Adds a folded name, unless it has a role already.
    pub(crate) fn add(&mut self, name: &[u8], closes: bool, role: Role) {
        let shared = self.shared.as_ref().filter(|_| !closes);
        let names = &mut self.names[usize::from(closes)];
        if !names.contains_key(name) && !shared.is_some_and(|shared| shared.has(name)) {
            names.insert(name.into(), role);
        }
    }

    pub(crate) fn add_all(&mut self, other: &Tags) {
        for closes in [false, true] {
            for (name, role) in &other.names(closes).own {
                self.add(name, closes, *role);
            }
        }
        if let Some(shared) = &other.names(false).shared {
            self.add_shared(shared);
        }
        self.any = self.any.or(other.any);
    }

    /// Shares the names, where that is the same as adding each of them.
    fn add_shared(&mut self, shared: &Arc<Shared>) {
        let mut opens = self.names[0].keys();
        if self.shared.is_none() && !opens.any(|name| shared.has(name)) {
            self.shared = Some(Arc::clone(shared));
            return;
        }
        for (name, role) in &shared.entries {
            self.add(name, false, *role);
        }
    }

    /// Lets the lexicons that this one is added to share the names of opening tags.
    pub(crate) fn share(&mut self) {
        debug_assert!(self.shared.is_none());
        if !self.names[0].is_empty() {
            let opens = std::mem::take(&mut self.names[0]);
            self.shared = Some(Arc::new(Shared::new(opens)));
        }
    }

    pub(crate) fn build(self) -> Tags {
        let [opens, closes] = self.names.map(|names| names.into_iter().collect());
        Tags {
            brackets: self.brackets,
            names: [
                Names {
                    own: opens,
                    shared: self.shared,
                },
                Names {
                    own: closes,
                    shared: None,
                },
            ],
            any: self.any,
        }
    }
}

impl Tags {
    /// The bytes that may follow the first of the usual brackets.
    pub(crate) fn beginnings(&self) -> Beginnings {
        let mut beginnings = Beginnings::default();
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
        beginnings
    }

    /// The opening brackets, as literals of the lexicon that has these tags under this number.
    pub(crate) fn literals(&self, number: Number) -> impl Iterator<Item = (&str, Role)> {
        let brackets = [(&self.brackets.open, false), (&self.brackets.close, true)];
        let counts = brackets.into_iter().filter(|(_, c)| !self.is_empty(*c));
        counts.map(move |(text, closes)| (&**text, Role::Bracket(number, closes)))
    }
}
