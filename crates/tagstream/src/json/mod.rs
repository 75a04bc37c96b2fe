//! JSON as models write it: read, with the position of a mistake, and kept as it was written.

pub(crate) mod lenient;
mod repeated;

use serde::Deserializer;
use serde::de::{MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use tagstream_core::json::{Lexeme, escape_into, lexemes};

/// A JSON value: what it is, and its text without layout.
///
/// The text is kept because a number may have more digits than any type holds.
#[derive(Clone, Debug)]
pub(crate) struct Json {
    pub(crate) value: Value,
    pub(crate) text: String,
}

impl Json {
    /// Reads a text. Of a key that an object has twice, the last one counts.
    pub(crate) fn read(text: &str) -> Result<Self, serde_json::Error> {
        Json::as_written(text).map(Json::without_repeated)
    }

    /// As [`Json::read`], but strings may have raw control characters; also returns whether they did.
    pub(crate) fn read_escaping(text: &str) -> Result<(Self, bool), serde_json::Error> {
        match Json::read(text) {
            Ok(json) => Ok((json, false)),
            Err(error) => match Json::read(&escape_controls(text)) {
                Ok(json) => Ok((json, true)),
                Err(_) => Err(error),
            },
        }
    }

    /// Reads JSON that is in a string, or that was escaped once more than needed.
    pub(crate) fn read_escaped(text: &str) -> Option<Self> {
        let text = text.trim();
        let inner: String = if text.starts_with('"') {
            serde_json::from_str(text).ok()?
        } else if text.contains("\\\"") {
            serde_json::from_str(&format!("\"{text}\"")).ok()?
        } else {
            return None;
        };
        Json::read(&inner).ok()
    }

    /// As [`Json::read`], for what is almost JSON; also returns what was repaired.
    pub(crate) fn read_repaired(text: &str) -> Result<(Self, Option<Fix>), serde_json::Error> {
        let (json, fix) = Json::as_written_repaired(text)?;
        Ok((json.without_repeated(), fix))
    }

    /// As [`Json::read_repaired`], but its text keeps repeated keys.
    pub(crate) fn as_written_repaired(
        text: &str,
    ) -> Result<(Self, Option<Fix>), serde_json::Error> {
        let error = match Json::as_written(text) {
            Ok(json) => return Ok((json, None)),
            Err(error) if is_too_large(&error) => return Err(error),
            Err(error) => error,
        };
        if let Ok(json) = Json::as_written(&escape_controls(text)) {
            return Ok((json, Some(Fix::Escaped)));
        }
        let json = lenient::to_json(text).and_then(|json| Json::as_written(&json).ok());
        json.map(|json| (json, Some(Fix::AlmostJson))).ok_or(error)
    }

    fn as_written(text: &str) -> Result<Self, serde_json::Error> {
        if has_too_many_values(text) {
            let message = format!("more than {MAX_VALUES} values; send less in one call");
            return Err(serde::de::Error::custom(message));
        }
        Ok(Json {
            value: serde_json::from_str(text)?,
            text: compact(text),
        })
    }

    fn without_repeated(self) -> Self {
        Json {
            text: repeated::without(self.text, &self.value),
            value: self.value,
        }
    }

    /// A string.
    pub(crate) fn string(text: &str) -> Self {
        Json::from(Value::from(text))
    }

    /// The items of a list; `None` for any other value.
    pub(crate) fn items(&self) -> Option<Vec<Json>> {
        let items: Vec<&RawValue> = serde_json::from_str(&self.text).ok()?;
        let read = |item: &&RawValue| Json::read(item.get()).ok();
        items.iter().map(read).collect()
    }

    /// A list of these values.
    pub(crate) fn list(items: Vec<Json>) -> Self {
        let texts: Vec<_> = items.iter().map(|item| item.text.as_str()).collect();
        Json {
            text: format!("[{}]", texts.join(",")),
            value: items.into_iter().map(|item| item.value).collect(),
        }
    }

    /// The entries of an object, in order, repeated ones too; `None` for any other value.
    pub(crate) fn entries(&self) -> Option<Vec<(String, Json)>> {
        let read = |(name, raw): (String, &RawValue)| Some((name, Json::read(raw.get()).ok()?));
        entries(&self.text)?.into_iter().map(read).collect()
    }
}

/// What had to be repaired to read a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fix {
    /// Control characters in strings were escaped.
    Escaped,
    /// It was written as Python writes it, or with a small mistake.
    AlmostJson,
    /// It was JSON in a string, or escaped once more than needed.
    Unescaped,
    /// It was made of tags.
    Tags,
    /// It was several values of one argument.
    Several,
    /// It was one value, where a list is declared.
    Single,
}

impl Fix {
    /// What was done, in words.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Fix::Escaped => "raw control characters in a JSON string were escaped",
            Fix::AlmostJson => "what is not quite JSON was read as JSON",
            Fix::Unescaped => "JSON in a string was read as JSON",
            Fix::Tags => "tags were read as the object or list that is declared",
            Fix::Several => "it was given more than once, and a list is declared: it is a list",
            Fix::Single => "one value was read as a list, which is declared",
        }
    }
}

impl From<Value> for Json {
    fn from(value: Value) -> Self {
        Json {
            text: value.to_string(),
            value,
        }
    }
}

/// Collects the entries of an object, repeated ones too.
struct Entries;

impl<'de> Visitor<'de> for Entries {
    type Value = Vec<(String, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(entries)
    }
}

/// The entries of a JSON object, such as the arguments of a call: strings decoded, other values as
/// they were written. `None` if the text is not an object.
///
/// ```
/// let entries = tagstream::json_entries(r#"{"path": "a\n", "lines": [1, 2]}"#).unwrap();
/// assert_eq!(entries[0], ("path".into(), "a\n".into()));
/// assert_eq!(entries[1], ("lines".into(), "[1, 2]".into()));
/// ```
#[must_use]
pub fn json_entries(text: &str) -> Option<Vec<(Cow<'_, str>, Cow<'_, str>)>> {
    let entries = entries(text)?.into_iter();
    let decoded = entries.map(|(key, raw)| (Cow::Owned(key), string_or_text(raw)));
    Some(decoded.collect())
}

fn string_or_text(value: &RawValue) -> Cow<'_, str> {
    let string = serde_json::from_str(value.get());
    string.map_or(Cow::Borrowed(value.get()), Cow::Owned)
}

/// The entries of an object, in order, repeated ones too.
fn entries(text: &str) -> Option<Vec<(String, &RawValue)>> {
    let mut source = serde_json::Deserializer::from_str(text);
    let entries = source.deserialize_map(Entries).ok()?;
    source.end().ok().map(|()| entries)
}

/// A text with more values is refused. In memory, each takes up to a hundred times the bytes of its
/// text, so that a limit on the text alone would not bound it.
const MAX_VALUES: usize = 1 << 17;

fn has_too_many_values(text: &str) -> bool {
    let begins_value = |lexeme: &Lexeme| matches!(lexeme, Lexeme::Mark(b'{' | b'[' | b','));
    let lexemes = lexemes(text).map(|(lexeme, _)| lexeme);
    text.len() > MAX_VALUES && lexemes.filter(begins_value).nth(MAX_VALUES).is_some()
}

/// A JSON text without the white space around its tokens.
fn compact(text: &str) -> String {
    let tokens = lexemes(text).filter(|(lexeme, _)| *lexeme != Lexeme::Space);
    tokens.map(|(_, range)| &text[range]).collect()
}

/// A JSON text with the control characters in its strings escaped.
fn escape_controls(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    for (lexeme, range) in lexemes(text) {
        match lexeme {
            // It has no quotes and backslashes, so that only control characters are escaped.
            Lexeme::Text => escape_into(&text[range], &mut escaped),
            _ => escaped.push_str(&text[range]),
        }
    }
    escaped
}

/// Whether a text that is not JSON can be read as JSON nevertheless. Control characters in its
/// strings are not repaired.
pub(crate) fn is_almost_json(text: &str) -> bool {
    escape_controls(text) == text && lenient::to_json(text).is_some()
}

/// What is wrong with a JSON text, the position first.
pub(crate) fn mistake(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let words = without_position(&message);
    if is_too_large(error) {
        words.to_owned()
    } else {
        format!("line {}, column {}: {words}", error.line(), error.column())
    }
}

/// A message of serde_json without the position at its end.
pub(crate) fn without_position(message: &str) -> &str {
    let parts = message.rsplit_once(" at line ");
    parts.map_or(message, |(words, _)| words)
}

/// Whether the text was not read because it has too many values.
pub(crate) fn is_too_large(error: &serde_json::Error) -> bool {
    error.is_data()
}

/// How many characters of a value a message shows.
const MAX_CHARS_SHOWN: usize = 60;

/// The beginning of a JSON text, for a message.
pub(crate) fn preview(text: &str) -> String {
    match text.char_indices().nth(MAX_CHARS_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::json_entries;

    #[test]
    fn the_entries_of_an_object() {
        let text = r#" {"a": "x\n\"", "b" : [1, {"c": "}"}] ,"d":5.0, "e":{}, "":"" } "#;
        let entries = json_entries(text).unwrap();
        let entries: Vec<_> = entries.iter().map(|(k, v)| (&**k, &**v)).collect();
        let list = r#"[1, {"c": "}"}]"#;
        let expected = [
            ("a", "x\n\""),
            ("b", list),
            ("d", "5.0"),
            ("e", "{}"),
            ("", ""),
        ];
        assert_eq!(entries, expected);
    }

    #[test]
    fn what_is_not_an_object_has_no_entries() {
        for text in [
            "",
            "[]",
            "5",
            "{",
            "{\"a\":1",
            "{}x",
            "{\"a\":1,}",
            "{a:1}",
            "{\"a\":\"\\q\"}",
        ] {
            assert_eq!(json_entries(text), None, "{text}");
        }
    }
}
