//! JSON text, written into any serde format as the value it stands for.

use crate::escapes::{string_end, unescaped};
use crate::line::is_space;
use serde::ser::{Error, SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::cell::Cell;

/// A JSON text that has been checked. It is written value by value, so that any format takes it;
/// one that is wrong all the same is an error of the writer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Json<'a>(pub(crate) &'a str);

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Value(&Cell::new(self.0)).serialize(serializer)
    }
}

/// The next value of a text; writing it moves the text on.
struct Value<'c, 'a>(&'c Cell<&'a str>);

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
        let text = self.0.get();
        let end = text.find([',', ']', '}', ' ', '\t', '\r', '\n']);
        let (word, rest) = text.split_at(end.unwrap_or(text.len()));
        self.0.set(rest);
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

    /// The string that is next; its text is borrowed if nothing in it is escaped.
    fn string(&self) -> Option<Cow<'a, str>> {
        let text = self.0.get().strip_prefix('"')?;
        let end = text.find(['"', '\\'])?;
        if text.as_bytes()[end] == b'"' {
            self.0.set(&text[end + 1..]);
            return Some(Cow::Borrowed(&text[..end]));
        }
        let end = string_end(text)?;
        self.0.set(&text[end + 1..]);
        unescaped(&text[..end])
    }
}

fn wrong<E: Error>() -> E {
    E::custom("the arguments are no JSON")
}

#[cfg(test)]
mod tests {
    use super::Json;

    #[test]
    fn json_is_written_as_what_it_stands_for() {
        let text =
            r#"{"a": [1, -2, 1.5, true, null, {}], "b\n": "x\"\u00e9\ud83d\ude00\\", "c":[]}"#;
        let value: serde_json::Value = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_value(Json(text)).unwrap(), value);
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
