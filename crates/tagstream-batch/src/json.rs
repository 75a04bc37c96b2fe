//! Writes JSON, and reads the entries of an object without a tree of values.

use memchr::memchr;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use tagstream::message::{Message, Notice};
use tagstream_core::json::escape_into;

/// Adds a JSON string.
pub(crate) fn string(text: &str, out: &mut String) {
    out.push('"');
    escape_into(text, out);
    out.push('"');
}

/// Adds a key and its colon.
pub(crate) fn key(name: &str, out: &mut String) {
    string(name, out);
    out.push(':');
}

/// Adds a list.
pub(crate) fn list<T>(items: &[T], out: &mut String, mut item: impl FnMut(&T, &mut String)) {
    out.push('[');
    for (number, each) in items.iter().enumerate() {
        if number > 0 {
            out.push(',');
        }
        item(each, out);
    }
    out.push(']');
}

/// Adds the thoughts of a message.
pub(crate) fn thoughts(message: &Message, out: &mut String) {
    list(&message.thoughts, out, |thought, out| string(thought, out));
}

/// Adds its calls. The arguments are a string, as OpenAI has them: so every call has the same type,
/// which readers of columns need.
pub(crate) fn tool_calls(message: &Message, out: &mut String) {
    list(&message.tool_calls, out, |call, out| {
        let fields = [
            ("id", &call.id),
            ("name", &call.name),
            ("arguments", &call.arguments),
        ];
        out.push('{');
        for (number, (name, value)) in fields.into_iter().enumerate() {
            out.push_str(if number > 0 { "," } else { "" });
            key(name, out);
            string(value, out);
        }
        out.push('}');
    });
}

/// Adds a notice; with the number of its message, if there are several.
pub(crate) fn notice(notice: &Notice, message: Option<usize>, out: &mut String) {
    out.push_str("{\"code\":");
    string(notice.code, out);
    out.push_str(",\"message\":");
    string(&notice.message, out);
    out.push_str(",\"call\":");
    number(notice.call, out);
    if let Some(message) = message {
        out.push_str(",\"in_message\":");
        number(Some(message as u64), out);
    }
    out.push('}');
}

fn number(number: Option<u64>, out: &mut String) {
    match number {
        Some(number) => out.push_str(&number.to_string()),
        None => out.push_str("null"),
    }
}

/// The same JSON with U+FFFD for each surrogate that is escaped without its partner, or `None` if it has
/// none. Such a surrogate is not a character, but what was cut in the middle of one may have it.
pub(crate) fn without_lone_surrogates(json: &str) -> Option<String> {
    let (mut out, mut done, mut at) = (String::new(), 0, 0);
    while let Some(backslash) = memchr(b'\\', &json.as_bytes()[at..]) {
        at += backslash;
        let unit = utf16_escape(json, at);
        let pair = [unit, utf16_escape(json, at + UTF16_ESCAPE_LEN)].into_iter();
        match char::decode_utf16(pair.map_while(|unit| unit)).next() {
            None => at += 2,
            Some(Ok(c)) => at += c.len_utf16() * UTF16_ESCAPE_LEN,
            Some(Err(_)) => {
                out.push_str(&json[done..at]);
                out.push('\u{fffd}');
                at += UTF16_ESCAPE_LEN;
                done = at;
            }
        }
        at = at.min(json.len());
    }
    (done > 0).then(|| out + &json[done..])
}

const UTF16_ESCAPE_LEN: usize = "\\u0041".len();

/// The unit of UTF-16 that is escaped here.
fn utf16_escape(json: &str, at: usize) -> Option<u16> {
    let digits = json.get(at..at + UTF16_ESCAPE_LEN)?.strip_prefix("\\u")?;
    u16::from_str_radix(digits, 16).ok()
}

/// Bytes that are not text.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The value of a field that should be text.
pub(crate) enum Text<'a> {
    Is(Cow<'a, str>),
    Null,
    /// Something else: what it is.
    Other(&'static str),
}

impl Text<'_> {
    pub(crate) fn into_owned(self) -> Text<'static> {
        match self {
            Text::Is(text) => Text::Is(Cow::Owned(text.into_owned())),
            Text::Null => Text::Null,
            Text::Other(what) => Text::Other(what),
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
        Ok(Text::Is(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
        Ok(Text::Is(Cow::Owned(text.to_owned())))
    }

    fn visit_unit<E>(self) -> Result<Text<'de>, E> {
        Ok(Text::Null)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Text<'de>, E> {
        Ok(Text::Other("a boolean"))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Text<'de>, E> {
        Ok(Text::Other("a number"))
    }

    fn visit_u64<E>(self, _: u64) -> Result<Text<'de>, E> {
        Ok(Text::Other("a number"))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Text<'de>, E> {
        Ok(Text::Other("a number"))
    }

    fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut items: A) -> Result<Text<'de>, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Text::Other("a list"))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Text<'de>, A::Error> {
        while entries.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Text::Other("an object"))
    }
}

/// A key, borrowed where it has no escapes.
pub(crate) struct Key<'a>(pub(crate) Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Key<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.deserialize_str(TextVisitor)? {
            Text::Is(text) => Ok(Key(text)),
            _ => unreachable!("the key of a JSON object is a string"),
        }
    }
}

/// The entries of an object, in order, with their values as they are written.
pub(crate) fn entries(json: &str) -> Result<Vec<(Cow<'_, str>, &RawValue)>, serde_json::Error> {
    struct Entries;
    impl<'de> Visitor<'de> for Entries {
        type Value = Vec<(Cow<'de, str>, &'de RawValue)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a JSON object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut entries = Vec::new();
            while let Some((Key(key), value)) = map.next_entry()? {
                entries.push((key, value));
            }
            Ok(entries)
        }
    }
    let mut source = serde_json::Deserializer::from_str(json);
    let entries = source.deserialize_map(Entries)?;
    source.end().map(|()| entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_surrogate_without_its_partner_is_replaced() {
        let same = [
            r#""plain""#,
            r#""\ud83d\ude00""#,
            r#""\\ud83d \n\u00e9""#,
            "\"\\",
            r#""\ud8"#,
        ];
        for json in same {
            assert_eq!(without_lone_surrogates(json), None, "{json}");
        }
        for (json, expected) in [
            (r#""a\ud83d""#, "\"a\u{fffd}\""),
            (r#""\ude00\ud83d\n""#, "\"\u{fffd}\u{fffd}\\n\""),
            (r#""\ud83d\ud83d\ude00""#, "\"\u{fffd}\\ud83d\\ude00\""),
            (r#""\\\ud83dé""#, "\"\\\\\u{fffd}é\""),
        ] {
            assert_eq!(
                without_lone_surrogates(json).as_deref(),
                Some(expected),
                "{json}"
            );
        }
    }
}
