//! Numbers and yes-or-no of a frame, whatever a server writes there.
//!
//! What cannot be read as one is not one: one odd field must not make the whole frame unreadable.

use super::text::Text;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// A number, also one in a string; `None` for anything else.
pub(crate) fn number<'de, D: Deserializer<'de>>(input: D) -> Result<Option<u64>, D::Error> {
    input.deserialize_any(NumberVisitor)
}

/// The same, where nothing is 0.
pub(crate) fn number_or_0<'de, D: Deserializer<'de>>(input: D) -> Result<u64, D::Error> {
    Ok(number(input)?.unwrap_or(0))
}

/// Whether it is true, also in a string.
pub(crate) fn flag<'de, D: Deserializer<'de>>(input: D) -> Result<bool, D::Error> {
    Ok(Text::deserialize(input)?.0 == "true")
}

struct NumberVisitor;

impl<'de> Visitor<'de> for NumberVisitor {
    type Value = Option<u64>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_u64<E>(self, number: u64) -> Result<Option<u64>, E> {
        Ok(Some(number))
    }

    fn visit_i64<E>(self, _number: i64) -> Result<Option<u64>, E> {
        Ok(None)
    }

    /// Some write 0 as `0.0`.
    fn visit_f64<E>(self, number: f64) -> Result<Option<u64>, E> {
        Ok(number.to_string().parse().ok())
    }

    fn visit_str<E>(self, text: &str) -> Result<Option<u64>, E> {
        Ok(text.parse().ok())
    }

    fn visit_bool<E>(self, _value: bool) -> Result<Option<u64>, E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Option<u64>, E> {
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Option<u64>, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Option<u64>, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }
}
