//! The attributes of a tag, read from its text when asked for.

use crate::token::AttributeState;
use std::fmt;

/// The attributes of a tag: its text between the name and the end, read when asked for.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Attributes<'a> {
    raw: &'a str,
}

/// One attribute as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attribute<'a> {
    /// Its name as written.
    pub name: &'a str,
    /// Its value without the quotes; empty for a bare one.
    pub value: &'a str,
}

impl<'a> Attributes<'a> {
    /// The attributes in a text as [`raw`](Self::raw) gives it.
    #[must_use]
    pub fn new(raw: &'a str) -> Self {
        Attributes { raw }
    }

    /// The text they were written as, white space and all.
    #[must_use]
    pub fn raw(&self) -> &'a str {
        self.raw
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// The value of the first attribute with this name, by the exact spelling.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&'a str> {
        self.iter().find(|a| a.name == name).map(|a| a.value)
    }

    /// The values of all attributes with this name, in order.
    pub fn get_all<'n>(&self, name: &'n str) -> impl Iterator<Item = &'a str> + use<'a, 'n> {
        self.iter().filter(move |a| a.name == name).map(|a| a.value)
    }

    /// All attributes, in order, repeated ones too.
    #[must_use]
    pub fn iter(&self) -> AttributeIter<'a> {
        AttributeIter { rest: self.raw }
    }
}

impl<'a> IntoIterator for Attributes<'a> {
    type Item = Attribute<'a>;
    type IntoIter = AttributeIter<'a>;

    fn into_iter(self) -> AttributeIter<'a> {
        self.iter()
    }
}

impl fmt::Debug for Attributes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map()
            .entries(self.iter().map(|a| (a.name, a.value)))
            .finish()
    }
}

/// Iterator over the attributes of a tag.
#[derive(Clone, Debug)]
pub struct AttributeIter<'a> {
    rest: &'a str,
}

impl<'a> Iterator for AttributeIter<'a> {
    type Item = Attribute<'a>;

    /// Reads one attribute. `rest` begins between attributes, so the byte that ended one can be
    /// read again.
    fn next(&mut self) -> Option<Attribute<'a>> {
        let text = self.rest;
        let (mut name, mut value) = (0..0, 0..0);
        let mut state = AttributeState::Gap;
        for (at, byte) in text.bytes().enumerate() {
            let next = state.step(byte);
            match (state, next) {
                (AttributeState::KeySpace, AttributeState::Key) => break,
                (_, AttributeState::Gap) if !name.is_empty() => break,
                (AttributeState::Gap, AttributeState::Key) => name = at..at + 1,
                (_, AttributeState::Key) => name.end = at + 1,
                (AttributeState::Equals, AttributeState::Bare) => value = at..at + 1,
                (AttributeState::Equals, AttributeState::Quoted(_)) => value = at + 1..at + 1,
                (_, AttributeState::Bare | AttributeState::Quoted(_)) => value.end = at + 1,
                _ => {}
            }
            state = next;
        }
        self.rest = &text[name.end.max(value.end)..];
        (!name.is_empty()).then(|| Attribute {
            name: &text[name],
            value: &text[value],
        })
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Attributes<'_> {
    /// As an object, names as written; a name given twice has a list.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut all: Vec<(usize, Attribute<'_>)> = self.iter().enumerate().collect();
        all.sort_by_key(|(_, attribute)| attribute.name);
        let mut names: Vec<_> = all.chunk_by(|a, b| a.1.name == b.1.name).collect();
        names.sort_by_key(|same| same[0].0);
        serializer.collect_map(names.into_iter().map(|same| (same[0].1.name, Values(same))))
    }
}

/// The values of attributes with the same name.
#[cfg(feature = "serde")]
struct Values<'a>(&'a [(usize, Attribute<'a>)]);

#[cfg(feature = "serde")]
impl serde::Serialize for Values<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            [(_, only)] => serializer.serialize_str(only.value),
            several => serializer.collect_seq(several.iter().map(|(_, a)| a.value)),
        }
    }
}
