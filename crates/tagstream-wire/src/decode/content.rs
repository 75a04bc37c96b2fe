//! The content of a message: a string, or a list of parts.

use super::text::{Text, list};
use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};
use std::{borrow::Cow, fmt};

/// A string, or, from Mistral and in some bodies, a list of parts.
#[derive(Debug)]
pub(crate) enum Parts<'a> {
    Text(Cow<'a, str>),
    List(Vec<Part<'a>>),
}

#[derive(Debug, serde::Deserialize)]
pub(crate) struct Part<'a> {
    #[serde(borrow)]
    pub(crate) text: Option<Text<'a>>,
    #[serde(borrow, default, deserialize_with = "list")]
    pub(crate) thinking: Vec<Thinking<'a>>,
}

/// A part of a thought.
#[derive(Debug, serde::Deserialize)]
pub(crate) struct Thinking<'a> {
    #[serde(borrow)]
    pub(crate) text: Option<Text<'a>>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Parts<'a> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_any(PartsVisitor)
    }
}

struct PartsVisitor;

impl<'de> Visitor<'de> for PartsVisitor {
    type Value = Parts<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or a list of parts")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Parts<'de>, E> {
        Ok(Parts::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Parts<'de>, E> {
        Ok(Parts::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut input: A) -> Result<Parts<'de>, A::Error> {
        let mut parts = Vec::new();
        while let Some(part) = input.next_element()? {
            parts.push(part);
        }
        Ok(Parts::List(parts))
    }
}
