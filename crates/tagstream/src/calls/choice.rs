//! Which dialects a profile asks for: a name, a list of names, or `auto`.

use crate::dialect::AUTO;
use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};
use serde::{Serialize, Serializer};
use std::fmt;

/// The dialects that count.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DialectChoice {
    /// The one with this name; `auto` means all that can be recognized by their markup.
    One(String),
    /// All with these names.
    List(Vec<String>),
}

impl Default for DialectChoice {
    fn default() -> Self {
        DialectChoice::One(AUTO.to_owned())
    }
}

impl DialectChoice {
    /// The names.
    #[must_use]
    pub fn names(&self) -> &[String] {
        match self {
            DialectChoice::One(name) => std::slice::from_ref(name),
            DialectChoice::List(names) => names,
        }
    }

    /// The key of the name with this index.
    pub(crate) fn key(&self, index: usize) -> String {
        match self {
            DialectChoice::One(_) => "calls.dialect".to_owned(),
            DialectChoice::List(_) => format!("calls.dialect[{index}]"),
        }
    }
}

impl Serialize for DialectChoice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            DialectChoice::One(name) => serializer.serialize_str(name),
            DialectChoice::List(names) => names.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for DialectChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ChoiceVisitor)
    }
}

/// Reads either form. A derived implementation would not report what is allowed.
struct ChoiceVisitor;

impl<'de> Visitor<'de> for ChoiceVisitor {
    type Value = DialectChoice;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name, a list of names or `auto`")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<DialectChoice, E> {
        Ok(DialectChoice::One(name.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<DialectChoice, A::Error> {
        let mut names = Vec::new();
        while let Some(name) = list.next_element()? {
            names.push(name);
        }
        Ok(DialectChoice::List(names))
    }
}
