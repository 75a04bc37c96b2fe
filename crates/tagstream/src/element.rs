//! Elements while they are open: what has been collected of them.

use crate::attributes::Attributes;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Parts<'a> {
    parts: &'a [Part<'a>],
}

impl<'a> Parts<'a> {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Each part.
    pub fn iter(&self) -> impl Iterator<Item = Part<'a>> + use<'a> {
        self.parts.iter().copied()
    }
}
