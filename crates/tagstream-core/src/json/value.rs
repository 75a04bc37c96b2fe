//! JSON text, written into any serde format as the value that it is.

use super::escapes::unescaped;
use super::{Lexeme, Lexemes, lexemes};
use serde::ser::{Error, SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::cell::RefCell;

/// Deeper values are refused, as other readers of JSON do: writing them is recursive.
const MAX_DEPTH: usize = 128;

/// A JSON text that has been checked. It is written value by value, so that any format takes it. A
/// text that is not JSON is an error of the writer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Json<'a>(pub(crate) &'a str);

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let reader = Reader {
            text: self.0,
            rest: RefCell::new(lexemes(self.0)),
        };
        let written = Value::new(&reader, 0)?.serialize(serializer)?;
        if reader.next().is_some() {
            return Err(not_json());
        }
        Ok(written)
    }
}

/// A part of JSON text that has a meaning of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    Mark(u8),
    /// A string as it was written, without its quotes.
    String(&'a str),
    Word(&'a str),
}

/// Reads a text token by token.
struct Reader<'a> {
    text: &'a str,
    /// Serde writes values through shared references.
    rest: RefCell<Lexemes<'a>>,
}

impl<'a> Reader<'a> {
    /// The next token; `None` at the end of the text, also if that is inside a string.
    fn next(&self) -> Option<Token<'a>> {
        let mut rest = self.rest.borrow_mut();
        let (lexeme, range) = rest.find(|(lexeme, _)| *lexeme != Lexeme::Space)?;
        Some(match lexeme {
            Lexeme::Mark(mark) => Token::Mark(mark),
            Lexeme::Quote => {
                let (_, close) = rest.find(|(lexeme, _)| *lexeme == Lexeme::Quote)?;
                Token::String(&self.text[range.end..close.start])
            }
            _ => Token::Word(&self.text[range]),
        })
    }

    /// The first token of the next item of an object or a list; `None` if the bracket `close` ends
    /// it. There is a comma between two items.
    fn item<E: Error>(&self, close: u8, is_first: bool) -> Result<Option<Token<'a>>, E> {
        match self.next() {
            Some(Token::Mark(mark)) if mark == close => Ok(None),
            Some(token) if is_first => Ok(Some(token)),
            Some(Token::Mark(b',')) => self.next().map(Some).ok_or_else(not_json),
            _ => Err(not_json()),
        }
    }

    /// The key of an entry that begins with this token, and the colon after it.
    fn key<E: Error>(&self, first: Token<'a>) -> Result<Cow<'a, str>, E> {
        match (first, self.next()) {
            (Token::String(key), Some(Token::Mark(b':'))) => unescaped(key).ok_or_else(not_json),
            _ => Err(not_json()),
        }
    }
}

/// The value that begins with a token that has been read. Writing it reads the rest of it.
struct Value<'r, 'a> {
    first: Token<'a>,
    reader: &'r Reader<'a>,
    depth: usize,
}

impl<'r, 'a> Value<'r, 'a> {
    /// The next value, at this depth.
    fn new<E: Error>(reader: &'r Reader<'a>, depth: usize) -> Result<Self, E> {
        let first = reader.next().ok_or_else(not_json)?;
        Ok(Value {
            first,
            reader,
            depth,
        })
    }
}

impl Serialize for Value<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.first {
            Token::Mark(b'{') if self.depth < MAX_DEPTH => self.object(serializer),
            Token::Mark(b'[') if self.depth < MAX_DEPTH => self.list(serializer),
            Token::Mark(_) => Err(not_json()),
            Token::String(text) => serializer.serialize_str(&unescaped(text).ok_or_else(not_json)?),
            Token::Word(word) => scalar(word, serializer),
        }
    }
}

impl Value<'_, '_> {
    fn object<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let mut is_first = true;
        while let Some(first) = self.reader.item(b'}', is_first)? {
            is_first = false;
            map.serialize_key(&self.reader.key::<S::Error>(first)?)?;
            map.serialize_value(&Value::new::<S::Error>(self.reader, self.depth + 1)?)?;
        }
        map.end()
    }

    fn list<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        let mut is_first = true;
        while let Some(first) = self.reader.item(b']', is_first)? {
            is_first = false;
            list.serialize_element(&Value {
                first,
                reader: self.reader,
                depth: self.depth + 1,
            })?;
        }
        list.end()
    }
}

fn scalar<S: Serializer>(word: &str, serializer: S) -> Result<S::Ok, S::Error> {
    let is_number = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
    if word == "null" {
        serializer.serialize_unit()
    } else if let Ok(truth) = word.parse() {
        serializer.serialize_bool(truth)
    } else if let Ok(number) = word.parse() {
        serializer.serialize_u64(number)
    } else if let Ok(number) = word.parse() {
        serializer.serialize_i64(number)
    } else {
        // Rust also reads `inf` and `nan`.
        let number = word.parse().ok().filter(|_| word.bytes().all(is_number));
        serializer.serialize_f64(number.ok_or_else(not_json)?)
    }
}

fn not_json<E: Error>() -> E {
    E::custom("the arguments of the call are not JSON; a check must return the text of an object")
}

#[cfg(test)]
mod tests {
    use super::Json;

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
    fn what_is_not_json_is_an_error_and_not_a_loop() {
        let deep = "[".repeat(100_000);
        for text in [
            "",
            "{",
            "[",
            "{\"a\"",
            "{\"a\":",
            "nul",
            "\"a",
            "{,}",
            "{a:1}",
            "{\"a\" 1}",
            "{\"a\":1 \"b\":2}",
            "{\"a\":1,}",
            "{\"a\":]}",
            "[x]",
            "[1,]",
            "[1 2]",
            "{}x",
            "inf",
            "-nan",
            "\"\\u+041\"",
            &deep,
        ] {
            assert!(serde_json::to_string(&Json(text)).is_err(), "{text}");
        }
    }
}
