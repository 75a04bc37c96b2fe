//! The parts of an element.

use crate::attributes::Attributes;
use crate::lexicon::Number;
use crate::policy::PartRule;

/// One part of an element: a child that is not an element of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part<'a> {
    /// The profile's spelling of its name.
    pub name: &'a str,
    /// Its attributes.
    pub attributes: Attributes<'a>,
    /// Its text.
    pub text: &'a str,
}

/// The parts of an element, in order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Parts<'a> {
    pub(crate) rules: &'a [PartRule],
    pub(crate) ends: &'a [PartEnd],
    /// The attributes and the text of each part, one behind the other.
    pub(crate) text: &'a str,
}

/// Where the pieces of a part end in the text of all parts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartEnd {
    pub(crate) rule: Number,
    pub(crate) attributes: usize,
    pub(crate) text: usize,
}

impl<'a> Parts<'a> {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The part with this number.
    #[must_use]
    pub fn get(&self, number: usize) -> Option<Part<'a>> {
        let PartEnd {
            rule,
            attributes,
            text,
        } = *self.ends.get(number)?;
        let start = number
            .checked_sub(1)
            .map_or(0, |before| self.ends[before].text);
        Some(Part {
            name: &self.rules[rule as usize].name,
            attributes: Attributes::new(&self.text[start..attributes]),
            // The text of an open part may be shown without its end.
            text: &self.text[attributes..text.min(self.text.len())],
        })
    }

    /// Each part.
    pub fn iter(&self) -> impl Iterator<Item = Part<'a>> + use<'a> {
        let parts = *self;
        (0..parts.len()).filter_map(move |number| parts.get(number))
    }
}

impl PartialEq for Parts<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}
