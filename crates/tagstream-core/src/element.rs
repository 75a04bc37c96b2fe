//! The parts of an element.

use crate::attributes::Attributes;
use crate::lexicon::Number;
use crate::owned::OwnedElementPart;
use crate::policy::PartRule;

/// One part of an element: a child that is not an element of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ElementPart<'a> {
    /// The profile's spelling of its name.
    pub name: &'a str,
    /// Its attributes.
    pub attributes: Attributes<'a>,
    /// Its text.
    pub text: &'a str,
}

impl<'a> ElementPart<'a> {
    /// A part with this name, these attributes and this text.
    #[must_use]
    pub fn new(name: &'a str, attributes: Attributes<'a>, text: &'a str) -> Self {
        ElementPart {
            name,
            attributes,
            text,
        }
    }
}

/// The parts of an element, in order.
#[derive(Clone, Copy, Debug, Default)]
pub struct ElementParts<'a>(Source<'a>);

/// Where the parts are kept.
#[derive(Clone, Copy, Debug)]
enum Source<'a> {
    Collected(CollectedParts<'a>),
    Owned(&'a [OwnedElementPart]),
}

impl Default for Source<'_> {
    fn default() -> Self {
        Source::Owned(&[])
    }
}

/// The parts of an element as the engine collects them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CollectedParts<'a> {
    pub(crate) rules: &'a [PartRule],
    pub(crate) ends: &'a [PartEnd],
    /// The attributes and the text of each part, one after the other.
    pub(crate) text: &'a str,
}

/// Where the attributes and the text of a part end in the text of all parts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartEnd {
    pub(crate) rule: Number,
    pub(crate) attributes: usize,
    pub(crate) text: usize,
}

impl<'a> CollectedParts<'a> {
    fn get(&self, number: usize) -> Option<ElementPart<'a>> {
        let end = self.ends.get(number)?;
        let before = number.checked_sub(1);
        let start = before.map_or(0, |before| self.ends[before].text);
        Some(ElementPart {
            name: &self.rules[end.rule as usize].name,
            attributes: Attributes::new(&self.text[start..end.attributes]),
            // The text of an open part may be shown without its end.
            text: &self.text[end.attributes..end.text.min(self.text.len())],
        })
    }
}

impl<'a> ElementParts<'a> {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self.0 {
            Source::Collected(parts) => parts.ends.len(),
            Source::Owned(parts) => parts.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The part with this number, counted from 0.
    #[must_use]
    pub fn get(&self, number: usize) -> Option<ElementPart<'a>> {
        match self.0 {
            Source::Collected(parts) => parts.get(number),
            Source::Owned(parts) => parts.get(number).map(OwnedElementPart::as_part),
        }
    }

    /// The same parts, with the text of all of them ending here.
    pub(crate) fn up_to(self, end: usize) -> Self {
        match self.0 {
            Source::Collected(parts) => CollectedParts {
                text: &parts.text[..end],
                ..parts
            }
            .into(),
            Source::Owned(_) => self,
        }
    }

    /// Each part.
    pub fn iter(&self) -> impl Iterator<Item = ElementPart<'a>> + use<'a> {
        let parts = *self;
        (0..parts.len()).filter_map(move |number| parts.get(number))
    }
}

impl<'a> From<CollectedParts<'a>> for ElementParts<'a> {
    fn from(parts: CollectedParts<'a>) -> Self {
        ElementParts(Source::Collected(parts))
    }
}

impl<'a> From<&'a [OwnedElementPart]> for ElementParts<'a> {
    fn from(parts: &'a [OwnedElementPart]) -> Self {
        ElementParts(Source::Owned(parts))
    }
}

impl PartialEq for ElementParts<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}
