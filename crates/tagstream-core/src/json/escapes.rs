//! The text of JSON strings, with and without escapes.

use crate::scan;
use std::borrow::Cow;

/// Adds a text to a JSON string. Most of it needs no escaping and is copied in runs.
pub fn escape_into(text: &str, json: &mut String) {
    let mut rest = text;
    while let Some(at) = first_escaped(rest.as_bytes()) {
        json.push_str(&rest[..at]);
        escape(rest.as_bytes()[at], json);
        rest = &rest[at + 1..];
    }
    json.push_str(rest);
}

/// Adds the escape of a byte that a JSON string cannot have as it is.
#[inline]
pub(crate) fn escape(byte: u8, json: &mut String) {
    debug_assert!(is_escaped(&byte));
    match byte {
        b'"' => json.push_str("\\\""),
        b'\\' => json.push_str("\\\\"),
        b'\n' => json.push_str("\\n"),
        b'\r' => json.push_str("\\r"),
        b'\t' => json.push_str("\\t"),
        _ => json.push_str(&format!("\\u{byte:04x}")),
    }
}

fn is_escaped(byte: &u8) -> bool {
    *byte < b' ' || matches!(byte, b'"' | b'\\')
}

/// The position of the first byte that needs escaping.
fn first_escaped(bytes: &[u8]) -> Option<usize> {
    let (words, rest) = bytes.as_chunks();
    for (number, word) in words.iter().enumerate() {
        let found = escaped_in(u64::from_le_bytes(*word));
        if found != 0 {
            return Some(number * 8 + found.trailing_zeros() as usize / 8);
        }
    }
    Some(words.len() * 8 + rest.iter().position(is_escaped)?)
}

/// Nonzero if a byte of the word needs escaping; the lowest bit that is set is in the first one.
#[inline]
fn escaped_in(word: u64) -> u64 {
    scan::below(word, b' ') | scan::has(word, b'"') | scan::has(word, b'\\')
}

/// The text that a JSON string with this content has; `None` if one of its escapes is not JSON.
pub(crate) fn unescaped(content: &str) -> Option<Cow<'_, str>> {
    if !content.contains('\\') {
        return Some(Cow::Borrowed(content));
    }
    let mut text = String::with_capacity(content.len());
    let mut rest = content;
    while let Some(backslash) = rest.find('\\') {
        text.push_str(&rest[..backslash]);
        let (c, len) = escaped_character(&rest[backslash..])?;
        text.push(c);
        rest = &rest[backslash + len..];
    }
    text.push_str(rest);
    Some(Cow::Owned(text))
}

/// The character of the escape at the start of `text`, and the length of the escape.
fn escaped_character(text: &str) -> Option<(char, usize)> {
    let c = match text.as_bytes().get(1)? {
        c @ (b'"' | b'\\' | b'/') => char::from(*c),
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return escaped_utf16(text),
        _ => return None,
    };
    Some((c, 2))
}

/// As [`escaped_character`], for `\u0041` and for pairs of surrogates. A surrogate by itself is not
/// a character.
fn escaped_utf16(text: &str) -> Option<(char, usize)> {
    const UNIT_LEN: usize = "\\u0041".len();
    let first = utf16_unit(text)?;
    let second = text.get(UNIT_LEN..).and_then(utf16_unit);
    let units = std::iter::once(first).chain(second);
    let c = char::decode_utf16(units).next()?.ok()?;
    Some((c, UNIT_LEN * c.len_utf16()))
}

fn utf16_unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    // `from_str_radix` takes a sign too.
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    u16::from_str_radix(digits, 16).ok().filter(|_| is_hex)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_escaped_is_unescaped_again() {
        for text in [
            "",
            "plain",
            "\"\\/",
            "\u{0}\u{1f}\n\r\t\u{8}\u{c}",
            "é😀\u{7f}",
            "12345678\n",
        ] {
            let mut json = String::new();
            escape_into(text, &mut json);
            assert_eq!(unescaped(&json).as_deref(), Some(text));
            let quoted = format!("\"{json}\"");
            assert_eq!(serde_json::from_str::<String>(&quoted).unwrap(), text);
        }
    }

    #[test]
    fn escapes_are_those_of_json() {
        for content in [
            r#"\"\\\/\b\f\n\r\t"#,
            r"\u0041\u00e9\uFFFF\ud83d\ude00x",
            r"\u+041",
            r"\u 041",
            r"\u004",
            r"\u",
            r"\q",
            r"\'",
            r"\x41",
            r"\",
            r"\é",
            r"\u00é1",
            r"\ud83d",
            r"\ud83d\u0041",
            r"\ud83dx",
            r"\ude00",
            r"\ude00\ud83d",
        ] {
            let expected = serde_json::from_str::<String>(&format!("\"{content}\"")).ok();
            assert_eq!(
                unescaped(content).as_deref(),
                expected.as_deref(),
                "{content}"
            );
        }
    }
}
