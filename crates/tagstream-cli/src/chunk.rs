//! The lines of `--chunks`, each a chunk written as JSON.

use serde::de::{Deserialize, Deserializer, Visitor};
use serde_json::Value;
use std::fmt;

const WANTED: &str = r#"a chunk is a JSON string or {"hex":"…"}"#;
/// A byte that is never valid in UTF-8, so that it becomes U+FFFD.
const INVALID_BYTE: u8 = 0xff;

/// Reads chunks. JavaScript cuts strings between the halves of a character, so a half may wait for
/// the other.
#[derive(Default)]
pub(crate) struct ChunkReader {
    /// The first half that the last chunk ended with.
    high: Option<u32>,
}

impl ChunkReader {
    /// The chunk that a line contains.
    pub(crate) fn read(&mut self, line: &[u8]) -> Result<Vec<u8>, String> {
        let line = line.trim_ascii();
        let text = std::str::from_utf8(line)
            .map_err(|error| wrong(error.valid_up_to() + 1, "invalid UTF-8"))?;
        if text.starts_with('"') {
            let string: JsonString =
                serde_json::from_str(text).map_err(|error| not_json(&error))?;
            return Ok(self.joined(&string.0));
        }
        self.high = None;
        of_object(serde_json::from_str(text).map_err(|error| not_json(&error))?)
    }

    /// The bytes of a string. The first half of a character is written as its first two bytes, and
    /// the second half as the others, so that the engine decides what becomes of one alone.
    fn joined(&mut self, string: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(string.len());
        let mut rest = string;
        while let Some(&byte) = rest.first() {
            let half = half(rest);
            match (half, self.high.take()) {
                (Some(high), _) if high < 0xdc00 => {
                    bytes.extend_from_slice(&whole(high, 0xdc00)[..2]);
                    self.high = Some(high);
                }
                (Some(low), Some(high)) => bytes.extend_from_slice(&whole(high, low)[2..]),
                (Some(_), None) => bytes.push(INVALID_BYTE),
                (None, _) => bytes.push(byte),
            }
            rest = &rest[half.map_or(1, |_| 3)..];
        }
        bytes
    }
}

/// The half of a character that the text begins with: a surrogate, in three bytes.
fn half(text: &[u8]) -> Option<u32> {
    match *text {
        [0xed, second @ 0xa0..=0xbf, third, ..] => {
            Some(0xd000 | u32::from(second & 0x3f) << 6 | u32::from(third & 0x3f))
        }
        _ => None,
    }
}

/// The character of these halves, in UTF-8.
fn whole(high: u32, low: u32) -> [u8; 4] {
    let character = char::from_u32(0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00));
    let mut bytes = [INVALID_BYTE; 4];
    character.map(|character| character.encode_utf8(&mut bytes).len());
    bytes
}

/// A JSON string that may contain single halves of characters.
struct JsonString(Vec<u8>);

impl<'de> Deserialize<'de> for JsonString {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(AsBytes)
    }
}

struct AsBytes;

impl Visitor<'_> for AsBytes {
    type Value = JsonString;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<JsonString, E> {
        Ok(JsonString(bytes.to_owned()))
    }
}

fn of_object(value: Value) -> Result<Vec<u8>, String> {
    match value {
        Value::Object(object) if object.len() == 1 => match object.get("hex") {
            Some(Value::String(digits)) => unhex(digits)
                .ok_or_else(|| format!("`{digits}` is not an even number of hex digits")),
            _ => Err(WANTED.to_owned()),
        },
        _ => Err(WANTED.to_owned()),
    }
}

/// What is wrong with a line that is not JSON. The caller adds the number of the line.
fn not_json(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let problem = message.split(" at line ").next().unwrap_or(&message);
    wrong(error.column(), problem)
}

fn wrong(column: usize, problem: &str) -> String {
    format!("{WANTED}; at column {column}: {problem}")
}

fn unhex(digits: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let pairs = digits.as_bytes().chunks(2);
    pairs
        .map(|pair| match *pair {
            [high, low] => u8::try_from(digit(high)? * 16 + digit(low)?).ok(),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &[u8]) -> Result<Vec<u8>, String> {
        ChunkReader::default().read(line)
    }

    /// The text of these chunks, read as the engine reads it.
    fn joined(lines: &[&str]) -> String {
        let mut reader = ChunkReader::default();
        let chunks = lines
            .iter()
            .map(|line| reader.read(line.as_bytes()).unwrap());
        let bytes: Vec<_> = chunks.flatten().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    #[test]
    fn a_line_is_a_string_or_hex() {
        assert_eq!(read(br#""a\n""#).unwrap(), b"a\n");
        assert_eq!(read(br#"{"hex":"00fFe2"}"#).unwrap(), [0, 0xff, 0xe2]);
        assert_eq!(read(br#"{"hex":""}"#).unwrap(), b"");
        assert_eq!(
            joined(&["\"é😀\\u00e9\\ud83d\\ude00\u{d7ff}\""]),
            "é😀é😀\u{d7ff}"
        );
    }

    #[test]
    fn half_a_character_waits_for_the_other() {
        assert_eq!(joined(&[r#""a\ud83d""#, r#""\ude00b""#]), "a😀b");
        assert_eq!(
            joined(&[r#""\ud800""#, r#""""#, r#""\udc00""#]),
            "\u{10000}"
        );
        assert_eq!(joined(&[r#""\udbff""#, r#""\udfff""#]), "\u{10ffff}");
    }

    #[test]
    fn half_a_character_alone_is_replaced() {
        for (lines, text) in [
            (&[r#""a\ud83d""#][..], "a\u{fffd}"),
            (&[r#""a\ud83db""#], "a\u{fffd}b"),
            (&[r#""\ude00b""#], "\u{fffd}b"),
            (&[r#""\ud83d""#, r#""\ud83d""#, r#""\ude00""#], "\u{fffd}😀"),
            (
                &[r#""\ud83d""#, r#"{"hex":"61"}"#, r#""\ude00""#],
                "\u{fffd}a\u{fffd}",
            ),
        ] {
            assert_eq!(joined(lines), text, "{lines:?}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for line in [
            &br#"{"hex":"0"}"#[..],
            br#"{"hex":"0g"}"#,
            br#"{"hex":"\u00e9"}"#,
            br#"{"hex":1}"#,
            br#"{"hex":"00","x":1}"#,
            b"{}",
            b"1",
            b"null",
            b"hello",
            b"\"\xff\"",
            b"\"a\" \"b\"",
        ] {
            assert!(read(line).is_err(), "{}", String::from_utf8_lossy(line));
        }
    }

    #[test]
    fn an_error_has_its_column() {
        for (line, problem) in [
            ("x\n", "; at column 1: expected value"),
            ("\"abc\n", "; at column 4: EOF while parsing a string"),
        ] {
            let message = read(line.as_bytes()).unwrap_err();
            assert_eq!(message, format!("{WANTED}{problem}"));
        }
    }
}
