//! JSON text: read entry by entry, and written into any serde format as the value that it is.

pub(crate) mod escapes;
pub(crate) mod relaxed;
mod scanner;

pub use escapes::escape_into;
pub use scanner::{Lexeme, Lexemes, lexemes};

pub(crate) use scanner::Scanner;

use escapes::unescaped;
#[cfg(feature = "serde")]
use serde::ser::{Error, SerializeMap, SerializeSeq};
#[cfg(feature = "serde")]
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::cell::RefCell;

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
    let reader = Reader::new(text);
    let mut entries = Vec::new();
    if reader.next()? != Token::Mark(b'{') {
        return None;
    }
    while let Some(first) = reader.item(b'}', entries.is_empty()).ok()? {
        let key = reader.key(first).ok()?;
        entries.push((key, reader.value()?));
    }
    reader.next().is_none().then_some(entries)
}

/// A part of JSON text that has a meaning of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    Mark(u8),
    /// A string as it was written, without its quotes.
    String(&'a str),
    Word(&'a str),
}

/// The text is not JSON.
#[derive(Debug)]
struct NotJson;

/// Reads a text token by token.
struct Reader<'a> {
    text: &'a str,
    /// Serde writes through shared references.
    rest: RefCell<Lexemes<'a>>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        Reader {
            text,
            rest: RefCell::new(lexemes(text)),
        }
    }

    /// The next token; `None` at the end of the text, also if that is inside a string.
    fn next(&self) -> Option<Token<'a>> {
        self.next_at().map(|(token, _)| token)
    }

    /// The next token and where it begins.
    fn next_at(&self) -> Option<(Token<'a>, usize)> {
        let mut rest = self.rest.borrow_mut();
        let (lexeme, at) = rest.find(|(lexeme, _)| *lexeme != Lexeme::Space)?;
        let token = match lexeme {
            Lexeme::Mark(mark) => Token::Mark(mark),
            Lexeme::Quote => {
                let (_, close) = rest.find(|(lexeme, _)| *lexeme == Lexeme::Quote)?;
                Token::String(&self.text[at.end..close.start])
            }
            _ => Token::Word(&self.text[at.clone()]),
        };
        Some((token, at.start))
    }

    /// The first token of the next item of an object or a list; `None` if the bracket `close` ends
    /// it. Between two items there is a comma.
    fn item(&self, close: u8, is_first: bool) -> Result<Option<Token<'a>>, NotJson> {
        match self.next().ok_or(NotJson)? {
            Token::Mark(mark) if mark == close => Ok(None),
            token if is_first => Ok(Some(token)),
            Token::Mark(b',') => match self.next() {
                Some(Token::Mark(mark)) if mark == close => Err(NotJson),
                token => token.map(Some).ok_or(NotJson),
            },
            _ => Err(NotJson),
        }
    }

    /// The key of an entry that begins with this token, and the colon after it.
    fn key(&self, first: Token<'a>) -> Result<Cow<'a, str>, NotJson> {
        match (first, self.next()) {
            (Token::String(key), Some(Token::Mark(b':'))) => unescaped(key).ok_or(NotJson),
            _ => Err(NotJson),
        }
    }

    /// The next value: the text of a string, any other as it was written.
    fn value(&self) -> Option<Cow<'a, str>> {
        let (first, start) = self.next_at()?;
        match first {
            Token::String(text) => unescaped(text),
            Token::Word(word) => Some(Cow::Borrowed(word)),
            Token::Mark(b'{' | b'[') => {
                self.skip_to_close()?;
                let end = self.rest.borrow().position();
                Some(Cow::Borrowed(&self.text[start..end]))
            }
            Token::Mark(_) => None,
        }
    }

    /// Moves past the bracket that closes the one that was read last.
    fn skip_to_close(&self) -> Option<()> {
        let mut depth = 1;
        while depth > 0 {
            match self.next()? {
                Token::Mark(b'{' | b'[') => depth += 1,
                Token::Mark(b'}' | b']') => depth -= 1,
                _ => {}
            }
        }
        Some(())
    }
}

/// A JSON text that has been checked. It is written value by value, so that any format takes it;
/// one that is wrong all the same is an error of the writer.
#[cfg(feature = "serde")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Json<'a>(pub(crate) &'a str);

#[cfg(feature = "serde")]
impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let reader = Reader::new(self.0);
        let first = reader.next().ok_or(NotJson).map_err(not_json)?;
        Value {
            first,
            reader: &reader,
        }
        .serialize(serializer)
    }
}

/// The value that begins with a token that has been read. Writing it reads the rest of it.
#[cfg(feature = "serde")]
struct Value<'r, 'a> {
    first: Token<'a>,
    reader: &'r Reader<'a>,
}

#[cfg(feature = "serde")]
impl Serialize for Value<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.first {
            Token::Mark(b'{') => self.object(serializer),
            Token::Mark(b'[') => self.list(serializer),
            Token::Mark(_) => Err(not_json(NotJson)),
            Token::String(text) => {
                let text = unescaped(text).ok_or(NotJson).map_err(not_json)?;
                serializer.serialize_str(&text)
            }
            Token::Word(word) => scalar(word, serializer),
        }
    }
}

#[cfg(feature = "serde")]
impl Value<'_, '_> {
    fn object<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let reader = self.reader;
        let mut map = serializer.serialize_map(None)?;
        let mut is_first = true;
        while let Some(first) = reader.item(b'}', is_first).map_err(not_json)? {
            is_first = false;
            map.serialize_key(&reader.key(first).map_err(not_json)?)?;
            let first = reader.next().ok_or(NotJson).map_err(not_json)?;
            map.serialize_value(&Value { first, reader })?;
        }
        map.end()
    }

    fn list<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let reader = self.reader;
        let mut list = serializer.serialize_seq(None)?;
        let mut is_first = true;
        while let Some(first) = reader.item(b']', is_first).map_err(not_json)? {
            is_first = false;
            list.serialize_element(&Value { first, reader })?;
        }
        list.end()
    }
}

#[cfg(feature = "serde")]
fn scalar<S: Serializer>(word: &str, serializer: S) -> Result<S::Ok, S::Error> {
    let is_number = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
    match word {
        "null" => serializer.serialize_unit(),
        "true" | "false" => serializer.serialize_bool(word == "true"),
        _ if !word.bytes().all(is_number) => Err(not_json(NotJson)),
        _ => {
            if let Ok(number) = word.parse() {
                serializer.serialize_u64(number)
            } else if let Ok(number) = word.parse() {
                serializer.serialize_i64(number)
            } else {
                let number = word.parse().map_err(|_| not_json(NotJson))?;
                serializer.serialize_f64(number)
            }
        }
    }
}

#[cfg(feature = "serde")]
fn not_json<E: Error>(_: NotJson) -> E {
    E::custom("the arguments of the call are not JSON; a check that accepts a call must give JSON")
}

#[cfg(test)]
mod tests {
    use super::{Json, json_entries};

    #[test]
    fn json_is_written_as_the_value_that_it_is() {
        let text =
            r#"{"a": [1, -2, 1.5, true, null, {}], "b\n": "x\"\u00e9\ud83d\ude00\\", "c":[]}"#;
        let value: serde_json::Value = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_value(Json(text)).unwrap(), value);
    }

    /// The limit that the page of `Event` describes. Whoever lifts it changes that page.
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
    fn what_is_not_an_object_has_no_entries() {
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
            "{\"a\":1,}",
            "{,}",
            "{a:1}",
            "{\"a\":\"\\q\"}",
        ] {
            assert_eq!(json_entries(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_not_json_is_an_error_and_not_a_loop() {
        for text in [
            "",
            "{",
            "[",
            "{\"a\"",
            "{\"a\":",
            "nul",
            "\"a",
            "{,}",
            "[x]",
            "[1,]",
            "[1 2]",
            "inf",
            "-nan",
            "\"\\u+041\"",
        ] {
            assert!(serde_json::to_string(&Json(text)).is_err(), "{text}");
        }
    }
}
