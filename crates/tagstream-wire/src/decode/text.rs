//! Strings of a frame, borrowed from it where nothing in them is escaped.

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::{borrow::Cow, fmt};

/// A string of a frame.
///
/// `Option<Cow<str>>` always copies. And servers differ: where one sends a string, another sends a
/// number or an object. What can be shown as text is taken so, anything else is empty; one odd
/// field must not make the whole frame unreadable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Text<'a>(pub(crate) Cow<'a, str>);

impl<'a> Text<'a> {
    /// The text, unless there is none.
    pub(crate) fn given(text: Option<Text<'a>>) -> Option<Cow<'a, str>> {
        text.map(|text| text.0).filter(|text| !text.is_empty())
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_any(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
        Ok(Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
        Ok(Text(Cow::Owned(text.to_owned())))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Text<'de>, E> {
        Ok(Text(number.to_string().into()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Text<'de>, E> {
        Ok(Text(number.to_string().into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Text<'de>, E> {
        Ok(Text(number.to_string().into()))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Text<'de>, E> {
        Ok(Text(value.to_string().into()))
    }

    fn visit_unit<E>(self) -> Result<Text<'de>, E> {
        Ok(Text::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Text<'de>, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Text::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Text<'de>, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Text::default())
    }
}

/// A list; null is an empty one.
pub(crate) fn list<'de, D, T>(input: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Ok(Option::deserialize(input)?.unwrap_or_default())
}

/// The JSON text of arguments, which come as a string that holds it, or as they are.
pub(crate) fn arguments(value: Option<&RawValue>) -> Cow<'_, str> {
    let Some(raw) = value.map(RawValue::get) else {
        return Cow::Borrowed("");
    };
    match raw.as_bytes().first() {
        Some(b'"') => serde_json::from_str::<Text<'_>>(raw).map_or(Cow::Borrowed(raw), |t| t.0),
        Some(b'n') => Cow::Borrowed(""),
        _ => Cow::Borrowed(raw),
    }
}

/// What a server says of an error, which it writes as a string or as an object.
pub(crate) fn error(raw: &RawValue) -> Cow<'_, str> {
    #[derive(serde::Deserialize)]
    struct Error<'a> {
        #[serde(borrow)]
        message: Option<Text<'a>>,
        #[serde(borrow, rename = "type")]
        kind: Option<Text<'a>>,
        #[serde(borrow)]
        code: Option<Text<'a>>,
    }
    if raw.get().starts_with('"') {
        return arguments(Some(raw));
    }
    let parsed: Result<Error<'_>, _> = serde_json::from_str(raw.get());
    let Ok(error) = parsed else {
        return Cow::Borrowed(raw.get());
    };
    let kind = Text::given(error.kind).or(Text::given(error.code));
    match (Text::given(error.message), kind) {
        (Some(message), Some(kind)) => format!("{message} ({kind})").into(),
        (Some(message), None) => message,
        _ => Cow::Borrowed(raw.get()),
    }
}
