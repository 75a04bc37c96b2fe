//! The escapes in strings of JSON.

use crate::scan;
use std::borrow::Cow;

/// Where the string ends that the text, behind its first quote, begins with.
pub(crate) fn string_end(text: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        at += text[at..].find(['"', '\\'])?;
        match text.as_bytes()[at] {
            b'"' => return Some(at),
            _ => at += 1 + text[at + 1..].chars().next()?.len_utf8(),
        }
    }
}

/// Writes a text as it stands in a string. Most of it needs no escaping and is copied in runs.
pub(crate) fn escape_into(text: &str, json: &mut String) {
    let mut rest = text;
    while let Some(at) = first_escaped(rest.as_bytes()) {
        json.push_str(&rest[..at]);
        escape(rest.as_bytes()[at], json);
        rest = &rest[at + 1..];
    }
    json.push_str(rest);
}

/// Writes a byte that may not stand in a string as it is.
#[inline]
pub(crate) fn escape(byte: u8, json: &mut String) {
    match byte {
        b'"' => json.push_str("\\\""),
        b'\\' => json.push_str("\\\\"),
        b'\n' => json.push_str("\\n"),
        b'\r' => json.push_str("\\r"),
        b'\t' => json.push_str("\\t"),
        _ => json.push_str(&format!("\\u{byte:04x}")),
    }
}

/// Where the first byte stands that needs escaping.
fn first_escaped(bytes: &[u8]) -> Option<usize> {
    let (words, rest) = bytes.as_chunks();
    for (number, word) in words.iter().enumerate() {
        let seen = escaped_in(u64::from_le_bytes(*word));
        if seen != 0 {
            return Some(number * 8 + seen.trailing_zeros() as usize / 8);
        }
    }
    let is_escaped = |byte: &u8| *byte < b' ' || matches!(byte, b'"' | b'\\');
    Some(words.len() * 8 + rest.iter().position(is_escaped)?)
}

/// Whether any byte of a short text needs escaping.
#[inline]
pub(crate) fn any_escaped(bytes: &[u8]) -> bool {
    scan::any_word(bytes, |word| escaped_in(word) != 0)
}

/// Nonzero if one of them is in a word; the lowest bit stands where the first one is.
#[inline]
fn escaped_in(word: u64) -> u64 {
    scan::below(word, b' ') | scan::has(word, b'"') | scan::has(word, b'\\')
}

/// The text of a string without its escapes; none if one of them is wrong.
pub(crate) fn unescaped(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('\\') {
        return Some(Cow::Borrowed(text));
    }
    let mut string = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(stop) = rest.find('\\') {
        string.push_str(&rest[..stop]);
        rest = unescape(&rest[stop + 1..], &mut string)?;
    }
    string.push_str(rest);
    Some(Cow::Owned(string))
}

/// Reads what follows a backslash; gives what is behind it.
fn unescape<'a>(text: &'a str, string: &mut String) -> Option<&'a str> {
    let mut chars = text.chars();
    string.push(match chars.next()? {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'u' => return unescape_unicode(chars.as_str(), string),
        other => other,
    });
    Some(chars.as_str())
}

fn unescape_unicode<'a>(text: &'a str, string: &mut String) -> Option<&'a str> {
    let unit = |text: &str| u16::from_str_radix(text.get(..4)?, 16).ok();
    let first = unit(text)?;
    let rest = &text[4..];
    let second = rest.strip_prefix("\\u").and_then(unit);
    let units = [first, second.unwrap_or(0)];
    match char::decode_utf16(units).next()? {
        Ok(c) if c.len_utf16() == 2 => {
            string.push(c);
            Some(&rest[6..])
        }
        Ok(c) => {
            string.push(c);
            Some(rest)
        }
        Err(_) => {
            string.push(char::REPLACEMENT_CHARACTER);
            Some(rest)
        }
    }
}
