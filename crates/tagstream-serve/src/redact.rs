//! Removes secrets from a captured stream.
//!
//! A server may repeat a key as it is, with escapes of JSON, or in pieces, each in a frame of its own. So
//! the strings of JSON are searched too, without their escapes, and those of each key joined.

use std::collections::BTreeMap;
use std::ops::Range;

/// What is shorter may be an ordinary word; it is not removed.
const SECRET_BYTES: usize = 4;

/// The bytes with `[removed]` in place of each secret.
pub(crate) fn redacted(raw: &[u8], secrets: &[Vec<u8>]) -> Vec<u8> {
    let mut is_secret = vec![false; raw.len()];
    for found in places(raw, secrets) {
        is_secret[found].fill(true);
    }
    for text in texts(raw).values() {
        for at in places(&text.bytes, secrets).into_iter().flatten() {
            let start = text.starts[at];
            is_secret[start..start + written_bytes(&raw[start..])].fill(true);
        }
    }
    let mut out = Vec::with_capacity(raw.len());
    for (index, byte) in raw.iter().enumerate() {
        if !is_secret[index] {
            out.push(*byte);
        } else if index == 0 || !is_secret[index - 1] {
            out.extend_from_slice(b"[removed]");
        }
    }
    out
}

/// Where secrets are in a text, also the start of one at its end: the rest may have been cut off.
fn places(text: &[u8], secrets: &[Vec<u8>]) -> Vec<Range<usize>> {
    let mut places = Vec::new();
    for secret in secrets.iter().filter(|secret| secret.len() >= SECRET_BYTES) {
        for start in 0..text.len() {
            let common = secret.len().min(text.len() - start);
            if common >= SECRET_BYTES && text[start..].starts_with(&secret[..common]) {
                places.push(start..start + common);
            }
        }
    }
    places
}

/// A text without the escapes of JSON, and where each of its bytes is written.
#[derive(Debug, Default)]
struct Text {
    bytes: Vec<u8>,
    starts: Vec<usize>,
}

/// The strings of JSON in a stream, joined with those of the same key. Whatever is between them is passed
/// over, so it can be events, lines or a whole body.
fn texts(raw: &[u8]) -> BTreeMap<&[u8], Text> {
    let mut texts: BTreeMap<&[u8], Text> = BTreeMap::new();
    let (mut key, mut at) = (&raw[..0], 0);
    while let Some(quote) = raw[at..].iter().position(|byte| *byte == b'"') {
        let string = at + quote + 1..string_end(raw, at + quote + 1);
        at = raw.len().min(string.end + 1);
        let next = raw[at..].iter().find(|byte| !byte.is_ascii_whitespace());
        if next == Some(&b':') {
            key = &raw[string];
        } else {
            texts.entry(key).or_default().read(raw, string);
        }
    }
    texts
}

/// Where a string ends: at its quote, or at the end of the line, so that a quote that is not of JSON has
/// no effect on the next frame.
fn string_end(raw: &[u8], mut at: usize) -> usize {
    while at < raw.len() && !matches!(raw[at], b'"' | b'\n') {
        at += written_bytes(&raw[at..]);
    }
    at.min(raw.len())
}

/// The bytes of a character of a string as it is written, escaped or not.
fn written_bytes(raw: &[u8]) -> usize {
    let bytes = match raw {
        [b'\\', b'u', ..] => 6,
        [b'\\', ..] => 2,
        _ => 1,
    };
    bytes.min(raw.len())
}

impl Text {
    /// Appends a string.
    fn read(&mut self, raw: &[u8], string: Range<usize>) {
        let mut at = string.start;
        while at < string.end {
            let written = &raw[at..at + written_bytes(&raw[at..string.end])];
            let mut buffer = [0; 4];
            for byte in unescaped(written, &mut buffer) {
                self.bytes.push(*byte);
                self.starts.push(at);
            }
            at += written.len();
        }
    }
}

/// What is written; nothing for an escape that was cut off.
fn unescaped<'b>(written: &'b [u8], buffer: &'b mut [u8; 4]) -> &'b [u8] {
    match written {
        [b'\\', b'u', digits @ ..] => {
            let code = std::str::from_utf8(digits).unwrap_or("");
            let code = u32::from_str_radix(code, 16)
                .ok()
                .filter(|_| digits.len() == 4);
            let found = code.and_then(char::from_u32);
            found.map_or(&[], |found| found.encode_utf8(buffer).as_bytes())
        }
        [b'\\', b'n'] => b"\n",
        [b'\\', b't'] => b"\t",
        [b'\\', b'r'] => b"\r",
        [b'\\', byte @ ..] => byte,
        written => written,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With the secrets `sk-1234` and `a"b\c/d`.
    fn check(raw: &str, expected: &str) {
        let secrets = ["sk-1234", "a\"b\\c/d", "abc"].map(|secret| secret.as_bytes().to_vec());
        let found = redacted(raw.as_bytes(), &secrets);
        assert_eq!(String::from_utf8_lossy(&found), expected, "{raw}");
    }

    #[test]
    fn secrets_are_removed() {
        check("a sk-1234 b sk-1234", "a [removed] b [removed]");
        check("nothing, abc", "nothing, abc");
        check("", "");
    }

    #[test]
    fn escapes_hide_no_secret() {
        check(
            r#"{"a":"x sk\u002d12\u00334 y"}"#,
            r#"{"a":"x [removed] y"}"#,
        );
        check(r#"{"a":"a\"b\\c\/d"}"#, r#"{"a":"[removed]"}"#);
        check(r#"{"a":"\ud83d sk-1\u00"#, r#"{"a":"\ud83d [removed]\u00"#);
    }

    #[test]
    fn a_secret_in_pieces_is_removed() {
        check(
            "data: {\"a\":\"x sk-\",\"id\":\"1\"}\n\n: it's \"\ndata: {\"a\" : \"12\"}\n\ndata: {\"a\":\"34 y\"}\n\n",
            "data: {\"a\":\"x [removed]\",\"id\":\"1\"}\n\n: it's \"\ndata: {\"a\" : \"[removed]\"}\n\ndata: {\"a\":\"[removed] y\"}\n\n",
        );
        // Nothing joins the texts of two keys.
        let raw = r#"{"a":"sk-1","b":"234"}"#;
        check(raw, r#"{"a":"[removed]","b":"234"}"#);
        check(r#"["sk-", "1234"]"#, r#"["[removed]", "[removed]"]"#);
    }

    #[test]
    fn the_start_of_a_secret_at_the_end_is_removed() {
        check("a sk-12", "a [removed]");
        check("a sk-", "a sk-");
        check(
            "{\"a\":\"x sk\"}\n{\"a\":\"-1",
            "{\"a\":\"x [removed]\"}\n{\"a\":\"[removed]",
        );
    }
}
