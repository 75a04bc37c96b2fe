//! JSON text: read entry by entry, and written into any serde format as the value it stands for.

pub(crate) mod escapes;
pub(crate) mod relaxed;

use crate::json::escapes::{string_end, unescaped};
use crate::line::is_space;
#[cfg(feature = "serde")]
use serde::ser::{Error, SerializeMap, SerializeSeq};
#[cfg(feature = "serde")]
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::cell::Cell;

/// A JSON text that has been checked. It is written value by value, so that any format takes it;
/// one that is wrong all the same is an error of the writer.
#[cfg(feature = "serde")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Json<'a>(pub(crate) &'a str);

#[cfg(feature = "serde")]
impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Value(&Cell::new(self.0)).serialize(serializer)
    }
}

/// The entries of a JSON object, such as the arguments of a call: strings decoded, other values as
/// they were written. `None` if the text is not an object.
///
/// ```
/// let entries = tagstream_core::json_entries(r#"{"path": "a\n", "lines": [1, 2]}"#).unwrap();
/// assert_eq!(entries[0], ("path".into(), "a\n".into()));
/// assert_eq!(entries[1], ("lines".into(), "[1, 2]".into()));
/// ```
#[must_use]
pub fn json_entries(text: &str) -> Option<Vec<(Cow<'_, str>, Cow<'_, str>)>> {
    let rest = Cell::new(text);
    let value = Value(&rest);
    let mut entries = Vec::new();
    if !value.take(b'{') {
        return None;
    }
    while !value.take(b'}') {
        let key = value.peek().and_then(|_| value.string())?;
        if !value.take(b':') {
            return None;
        }
        entries.push((key, value.text()?));
        if !value.take(b',') && value.peek() != Some(b'}') {
            return None;
        }
    }
    value.peek().is_none().then_some(entries)
}

/// The next value of a text; writing it moves the text on.
struct Value<'c, 'a>(&'c Cell<&'a str>);

#[cfg(feature = "serde")]
impl Serialize for Value<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.peek() {
            Some(b'{') => self.object(serializer),
            Some(b'[') => self.list(serializer),
            Some(b'"') => serializer.serialize_str(&self.string().ok_or_else(wrong)?),
            _ => self.scalar(serializer),
        }
    }
}

impl<'a> Value<'_, 'a> {
    fn peek(&self) -> Option<u8> {
        let text = self
            .0
            .get()
            .trim_start_matches(|c: char| c.is_ascii() && is_space(c as u8));
        self.0.set(text);
        text.bytes().next()
    }

    fn take(&self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        if is_next {
            self.0.set(&self.0.get()[1..]);
        }
        is_next
    }

    /// The value that is next: the text of a string, any other as it was written.
    fn text(&self) -> Option<Cow<'a, str>> {
        if self.peek()? == b'"' {
            return self.string();
        }
        let text = self.0.get();
        self.skip()?;
        let len = text.len() - self.0.get().len();
        Some(Cow::Borrowed(&text[..len]))
    }

    /// Passes over the value that is next.
    fn skip(&self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match self.peek()? {
                b'"' => drop(self.string()?),
                open @ (b'{' | b'[') => {
                    depth += 1;
                    self.take(open);
                }
                close @ (b'}' | b']') => {
                    depth = depth.checked_sub(1)?;
                    self.take(close);
                }
                mark @ (b',' | b':') if depth > 0 => drop(self.take(mark)),
                _ => drop(self.word()?),
            }
            if depth == 0 {
                return Some(());
            }
        }
    }

    /// The word that is next: a number, or one of the three names.
    fn word(&self) -> Option<&'a str> {
        let text = self.0.get();
        let end = text.find([',', ':', '"', '[', ']', '{', '}', ' ', '\t', '\r', '\n']);
        let (word, rest) = text.split_at(end.unwrap_or(text.len()));
        self.0.set(rest);
        (!word.is_empty()).then_some(word)
    }

    /// The string that is next; its text is borrowed if nothing in it is escaped.
    fn string(&self) -> Option<Cow<'a, str>> {
        let text = self.0.get().strip_prefix('"')?;
        let end = string_end(text)?;
        self.0.set(&text[end + 1..]);
        unescaped(&text[..end])
    }
}

#[cfg(feature = "serde")]
impl Value<'_, '_> {
    fn object<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.take(b'{');
        while !self.take(b'}') {
            let key = self.peek().and_then(|_| self.string()).ok_or_else(wrong)?;
            if !self.take(b':') {
                return Err(wrong());
            }
            map.serialize_entry(&key, &Value(self.0))?;
            self.take(b',');
        }
        map.end()
    }

    fn list<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        self.take(b'[');
        while !self.take(b']') {
            list.serialize_element(&Value(self.0))?;
            self.take(b',');
        }
        list.end()
    }

    fn scalar<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let word = self.word().ok_or_else(wrong)?;
        match word {
            "null" => return serializer.serialize_unit(),
            "true" | "false" => return serializer.serialize_bool(word == "true"),
            _ => {}
        }
        match (
            word.parse::<u64>(),
            word.parse::<i64>(),
            word.parse::<f64>(),
        ) {
            (Ok(number), _, _) => serializer.serialize_u64(number),
            (_, Ok(number), _) => serializer.serialize_i64(number),
            (_, _, Ok(number)) => serializer.serialize_f64(number),
            _ => Err(wrong()),
        }
    }
}

#[cfg(feature = "serde")]
fn wrong<E: Error>() -> E {
    E::custom("the arguments are no JSON")
}

#[cfg(test)]
mod tests {
    use super::{Json, json_entries};

    #[test]
    fn json_is_written_as_what_it_stands_for() {
        let text =
            r#"{"a": [1, -2, 1.5, true, null, {}], "b\n": "x\"\u00e9\ud83d\ude00\\", "c":[]}"#;
        let value: serde_json::Value = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_value(Json(text)).unwrap(), value);
    }

    /// The limit that the page of `Event` tells. Whoever lifts it changes that page.
    #[test]
    fn numbers_are_written_as_what_they_are_worth() {
        let written = |text| serde_json::to_string(&Json(text)).unwrap();
        assert_eq!(
            written("[18446744073709551615,-9223372036854775808,1.0]"),
            "[18446744073709551615,-9223372036854775808,1.0]"
        );
        assert_eq!(
            written("[1.50,9007199254740993.0,1e400]"),
            "[1.5,9007199254740992.0,null]"
        );
    }

    #[test]
    fn the_entries_of_an_object() {
        let text = r#" {"a": "x\n\"", "b" : [1, {"c": "}"}] ,"d":5, "e":{}, "":"" } "#;
        let entries = json_entries(text).unwrap();
        let entries: Vec<_> = entries.iter().map(|(k, v)| (&**k, &**v)).collect();
        let list = r#"[1, {"c": "}"}]"#;
        let expected = [
            ("a", "x\n\""),
            ("b", list),
            ("d", "5"),
            ("e", "{}"),
            ("", ""),
        ];
        assert_eq!(entries, expected);
    }

    #[test]
    fn what_is_no_object_has_no_entries() {
        for text in [
            "",
            "[]",
            "5",
            "{",
            "{\"a\"",
            "{\"a\":",
            "{\"a\":1",
            "{\"a\":]}",
            "{\"a\" 1}",
            "{}x",
            "{\"a\":1 \"b\":2}",
            "{a:1}",
        ] {
            assert_eq!(json_entries(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_no_json_is_an_error_and_not_a_loop() {
        for text in [
            "", "{", "[", "{\"a\"", "{\"a\":", "nul", "\"a", "{,}", "[x]",
        ] {
            assert!(serde_json::to_string(&Json(text)).is_err(), "{text}");
        }
    }
}
