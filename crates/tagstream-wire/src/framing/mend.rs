//! Repairs JSON that is not strictly valid but that other parsers accept.
//!
//! Servers that count in UTF-16 cut a character in two, and escape each half by itself. Python
//! writes non-numbers as `NaN` and `Infinity`. And some write control characters as they
//! are. For a text without any of this, a few quick searches are enough.

use memchr::{memchr2, memchr3_iter};
use serde::de::IgnoredAny;
use std::char;

/// A JSON text that was repaired, except for halves of characters in it.
#[derive(Debug, Default)]
pub(crate) struct Mended {
    /// The text without the halves.
    json: String,
    /// The halves, in their order.
    pub(crate) halves: Vec<Half>,
    /// The numbers that say which choice or block the texts belong to, one after the other.
    pub(crate) place: String,
}

/// Half of a character, without the other half.
#[derive(Debug)]
pub(crate) struct Half {
    /// Where it was, in bytes of the mended text.
    at: usize,
    unit: u16,
    pub(crate) edge: Edge,
    /// What it becomes; `None` if the other half becomes both.
    pub(crate) becomes: Option<char>,
}

/// Where in its string a half is, if the other half can be in another frame.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Edge {
    /// The second half, at the start of the string under this key.
    Start(String),
    /// The first half, at the end of it.
    End(String),
    Inside,
}

impl Mended {
    /// The repaired text; `None` if there is nothing to repair, or if it still is not JSON.
    pub(crate) fn of(json: &str) -> Option<Mended> {
        if !is_suspect(json.as_bytes()) {
            return None;
        }
        let mut mender = Mender::new(json);
        mender.run();
        if mender.copied == 0 && mender.mended.halves.is_empty() {
            return None;
        }
        mender.copy(json.len());
        let read: Result<IgnoredAny, _> = serde_json::from_str(&mender.mended.json);
        read.is_ok().then_some(mender.mended)
    }

    /// Whether the next frame may bring the other half of a character.
    pub(crate) fn waits(&self) -> bool {
        let waits = |half: &Half| matches!(half.edge, Edge::End(_));
        self.halves.iter().any(waits)
    }

    /// Whether a half is left without the other.
    pub(crate) fn has_lost(&self) -> bool {
        let lost = |half: &Half| half.becomes == Some(char::REPLACEMENT_CHARACTER);
        self.halves.iter().any(lost)
    }

    /// Joins halves at the ends of this text's strings with those at the starts of the next's.
    pub(crate) fn join(&mut self, next: &mut Mended) {
        if self.place != next.place {
            return;
        }
        let mut starts = next.halves.iter_mut();
        for half in &mut self.halves {
            let Edge::End(key) = &half.edge else { continue };
            let is_its = |other: &&mut Half| matches!(&other.edge, Edge::Start(of) if of == key);
            if let Some(other) = starts.find(is_its) {
                half.becomes = whole(half.unit, other.unit);
                other.becomes = None;
            }
        }
    }

    /// The JSON text, with what the halves have become.
    pub(crate) fn json(&self) -> String {
        let mut json = String::with_capacity(self.json.len() + 4 * self.halves.len());
        let mut from = 0;
        for half in &self.halves {
            json.push_str(&self.json[from..half.at]);
            json.extend(half.becomes);
            from = half.at;
        }
        json.push_str(&self.json[from..]);
        json
    }
}

/// The character that two halves are.
fn whole(first: u16, second: u16) -> Option<char> {
    char::decode_utf16([first, second]).next()?.ok()
}

/// Whether a text may hold something that must be repaired.
fn is_suspect(json: &[u8]) -> bool {
    // All bytes at once are faster than one after the other until one is found.
    if json.iter().fold(false, |any, byte| any | (*byte < b' ')) {
        return true;
    }
    // Most texts have none of these bytes, or few.
    memchr3_iter(b'\\', b'N', b'I', json).any(|at| {
        let rest = &json[at..];
        is_half(rest) || rest.starts_with(b"NaN") || rest.starts_with(b"Infinity")
    })
}

/// Whether half of a character is escaped here; the other half may be beside it.
fn is_half(rest: &[u8]) -> bool {
    rest.starts_with(b"\\u") && matches!(rest.get(2), Some(b'd' | b'D'))
}

/// Keys are compared by at most this many bytes.
const MAX_KEY_BYTES: usize = 32;
/// What says which text a frame goes on with, and how many bytes of it count.
const PLACES: [&str; 4] = ["index", "output_index", "content_index", "summary_index"];
const MAX_PLACE_BYTES: usize = 64;
/// The escape of a character: a backslash, `u` and four digits.
const ESCAPE: usize = 6;

/// Goes through a text once.
struct Mender<'a> {
    text: &'a str,
    at: usize,
    /// How many bytes of the text have been copied or left out.
    copied: usize,
    /// The string that was read last, and the last that was a key.
    string: &'a str,
    key: &'a str,
    mended: Mended,
}

impl<'a> Mender<'a> {
    fn new(text: &'a str) -> Self {
        Mender {
            text,
            at: 0,
            copied: 0,
            string: "",
            key: "",
            mended: Mended::default(),
        }
    }

    fn run(&mut self) {
        while let Some(byte) = self.text.as_bytes().get(self.at) {
            match byte {
                b'"' => self.string(),
                b'N' | b'I' | b'-' => self.word(),
                b':' => self.key(),
                _ => self.at += 1,
            }
        }
    }

    /// `NaN` and `Infinity` become null.
    fn word(&mut self) {
        let rest = &self.text[self.at..];
        let words = ["NaN", "Infinity", "-Infinity", "-NaN"];
        match words.iter().find(|word| rest.starts_with(**word)) {
            Some(word) => self.replace(word.len(), "null"),
            None => self.at += 1,
        }
    }

    /// The string before a colon is a key; after some there is a number that counts.
    fn key(&mut self) {
        self.at += 1;
        self.key = self.string;
        let place = &mut self.mended.place;
        if PLACES.contains(&self.key) && place.len() < MAX_PLACE_BYTES {
            let value = self.text[self.at..].trim_ascii_start();
            let digits = value.bytes().take_while(u8::is_ascii_digit).take(20);
            place.push(' ');
            place.extend(digits.map(char::from));
        }
    }

    fn string(&mut self) {
        self.at += 1;
        let start = self.at;
        loop {
            let rest = &self.text.as_bytes()[self.at..];
            let length = memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
            self.plain(self.at + length);
            match self.text.as_bytes().get(self.at) {
                Some(b'\\') => self.escape(start),
                _ => break,
            }
        }
        self.string = &self.text[start..self.at];
        self.at = self.text.len().min(self.at + 1);
    }

    /// Control characters are escaped.
    fn plain(&mut self, end: usize) {
        while self.at < end {
            let rest = &self.text.as_bytes()[self.at..end];
            let Some(next) = rest.iter().position(|byte| *byte < b' ') else {
                break;
            };
            self.at += next;
            let escape = format!("\\u{:04x}", self.text.as_bytes()[self.at]);
            self.replace(1, &escape);
        }
        self.at = end;
    }

    fn escape(&mut self, start: usize) {
        let Some(unit) = self.unit(self.at) else {
            return self.pass_escape();
        };
        let (at, next) = (self.at, self.at + ESCAPE);
        if is_first(unit) && self.unit(next).is_some_and(is_second) {
            self.at = next + ESCAPE;
            return;
        }
        let ends = self.text.as_bytes().get(next) == Some(&b'"');
        self.replace(ESCAPE, "");
        let edge = match is_first(unit) {
            true if ends => Edge::End(self.text_key()),
            false if at == start => Edge::Start(self.text_key()),
            _ => Edge::Inside,
        };
        let at = self.mended.json.len();
        let becomes = Some(char::REPLACEMENT_CHARACTER);
        self.mended.halves.push(Half {
            at,
            unit,
            edge,
            becomes,
        });
    }

    /// An escape of anything but a half: the character after the backslash may be any.
    fn pass_escape(&mut self) {
        let next = self.text[self.at + 1..].chars().next();
        self.at += 1 + next.map_or(0, char::len_utf8);
    }

    /// The half of a character that is escaped here, if it is one.
    fn unit(&self, at: usize) -> Option<u16> {
        let digits = self.text.get(at..at + ESCAPE)?.strip_prefix("\\u")?;
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let unit = u16::from_str_radix(digits, 16).ok()?;
        (is_first(unit) || is_second(unit)).then_some(unit)
    }

    fn text_key(&self) -> String {
        let end = self.key.floor_char_boundary(MAX_KEY_BYTES);
        self.key[..end].to_owned()
    }

    /// Puts something else in the place of what is next.
    fn replace(&mut self, length: usize, other: &str) {
        self.copy(self.at);
        self.mended.json.push_str(other);
        self.at += length;
        self.copied = self.at;
    }

    fn copy(&mut self, end: usize) {
        self.mended.json.push_str(&self.text[self.copied..end]);
        self.copied = end;
    }
}

fn is_first(unit: u16) -> bool {
    (0xD800..0xDC00).contains(&unit)
}

fn is_second(unit: u16) -> bool {
    (0xDC00..0xE000).contains(&unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn mended(json: &str) -> Option<String> {
        Mended::of(json).map(|mended| mended.json())
    }

    #[test]
    fn what_is_json_stays_as_it_is() {
        for json in [
            r#"{"a":"\ud83d\ude00 \\ud83d NaN","b":[1,-2]}"#,
            "{\n\t\"a\": \"Infinity\"\r\n}",
            "[DONE]",
            "",
        ] {
            assert_eq!(mended(json), None, "{json}");
        }
    }

    #[test]
    fn what_is_no_json_even_so_stays_as_it_is() {
        for json in [
            "{\"a\":NaN",
            "{\"a\":\"\\ud83d",
            "NaNo",
            "\"\\ud83",
            "{\"\t",
        ] {
            assert_eq!(mended(json), None, "{json}");
        }
    }

    #[test]
    fn half_a_character_is_replaced_wherever_it_is() {
        for (json, expected) in [
            (r#"["\ud83d"]"#, "[\"\u{fffd}\"]"),
            (r#"["a\uD83Db"]"#, "[\"a\u{fffd}b\"]"),
            (r#"["\ude00"]"#, "[\"\u{fffd}\"]"),
            (r#"["\ude00\ud83d"]"#, "[\"\u{fffd}\u{fffd}\"]"),
            (r#"["\ud83d\ud83d\ude00"]"#, "[\"\u{fffd}\\ud83d\\ude00\"]"),
            (r#"["\\\ud83d\\"]"#, "[\"\\\\\u{fffd}\\\\\"]"),
            (r#"{"\ud83d":1}"#, "{\"\u{fffd}\":1}"),
        ] {
            assert_eq!(mended(json).as_deref(), Some(expected), "{json}");
        }
    }

    #[test]
    fn numbers_that_are_none_are_null_and_control_characters_are_escaped() {
        let json = r#"{"a":NaN,"b":[-Infinity, Infinity],"c":"NaN"}"#;
        let expected = r#"{"a":null,"b":[null, null],"c":"NaN"}"#;
        assert_eq!(mended(json).as_deref(), Some(expected));
        let json = "{\"a\":\"x\ty\n\",\n\"b\":1}";
        let read: Value = serde_json::from_str(&mended(json).unwrap()).unwrap();
        assert_eq!(read["a"], "x\ty\n");
    }

    #[test]
    fn halves_of_the_same_text_are_joined() {
        let joined = |one: &str, two: &str| {
            let (mut one, mut two) = (Mended::of(one).unwrap(), Mended::of(two).unwrap());
            one.join(&mut two);
            (one.json(), two.json())
        };
        let (one, two) = joined(
            r#"{"index":0,"t":"a\ud83d"}"#,
            r#"{"index":0,"t":"\ude00b"}"#,
        );
        assert_eq!(one, "{\"index\":0,\"t\":\"a\u{1f600}\"}");
        assert_eq!(two, r#"{"index":0,"t":"b"}"#);
        for other in [
            r#"{"index":1,"t":"\ude00b"}"#,
            r#"{"index":0,"u":"\ude00b"}"#,
            r#"{"index":0,"t":"b\ude00"}"#,
        ] {
            let (one, two) = joined(r#"{"index":0,"t":"a\ud83d"}"#, other);
            assert!(
                one.contains('\u{fffd}') && two.contains('\u{fffd}'),
                "{other}"
            );
        }
    }
}
