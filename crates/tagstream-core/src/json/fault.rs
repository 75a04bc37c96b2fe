//! Whether a text is JSON, and where it stops being that.

use crate::json::escapes::string_end;
use crate::line::is_space;
use std::ops::Range;

/// What may come next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Value,
    /// A value, or the end of the list that has just begun.
    First,
    Key,
    /// A key, or the end of the object that has just begun.
    FirstKey,
    Colon,
    /// A comma, or the end of what is open.
    Comma,
}

/// The place at which the text is no JSON value any more. What stands at `known` is one for
/// certain.
pub(crate) fn fault(text: &str, known: Range<usize>) -> Option<usize> {
    let bytes = text.as_bytes();
    // Whether what is open is an object, innermost last.
    let mut open: Vec<bool> = Vec::new();
    let (mut at, mut next) = (0, Next::Value);
    while at < bytes.len() {
        let is_known = at == known.start && !known.is_empty();
        let (to, then) = match (bytes[at], next) {
            (b, _) if is_space(b) => (at + 1, next),
            (_, Next::Value) if is_known => (known.end, Next::Comma),
            (b'{', Next::Value | Next::First) => {
                open.push(true);
                (at + 1, Next::FirstKey)
            }
            (b'[', Next::Value | Next::First) => {
                open.push(false);
                (at + 1, Next::First)
            }
            (b'}', Next::FirstKey | Next::Comma) if open.pop() == Some(true) => {
                (at + 1, Next::Comma)
            }
            (b']', Next::First | Next::Comma) if open.pop() == Some(false) => (at + 1, Next::Comma),
            (b'"', Next::Key | Next::FirstKey) => (behind_string(text, at), Next::Colon),
            (b':', Next::Colon) => (at + 1, Next::Value),
            (b',', Next::Comma) => match open.last() {
                Some(true) => (at + 1, Next::Key),
                Some(false) => (at + 1, Next::Value),
                None => return Some(at),
            },
            (b'"', Next::Value | Next::First) => (behind_string(text, at), Next::Comma),
            (_, Next::Value | Next::First) => match word(&text[at..]) {
                0 => return Some(at),
                len => (at + len, Next::Comma),
            },
            _ => return Some(at),
        };
        (at, next) = (to, then);
    }
    let whole = at == text.len() && next == Next::Comma && open.is_empty();
    (!whole).then_some(text.len())
}

/// Behind the string that begins here, or behind the text if that ends first.
fn behind_string(text: &str, at: usize) -> usize {
    match string_end(&text[at + 1..]) {
        Some(end) => at + 1 + end + 1,
        None => text.len() + 1,
    }
}

/// How long the number or name is that the text begins with; 0 if it begins with none.
fn word(text: &str) -> usize {
    let end = text.find([',', ':', '"', '[', ']', '{', '}', ' ', '\t', '\r', '\n']);
    let word = &text[..end.unwrap_or(text.len())];
    match matches!(word, "true" | "false" | "null") || is_number(word) {
        true => word.len(),
        false => 0,
    }
}

fn is_number(word: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let word = word.strip_prefix('-').unwrap_or(word);
    let (word, exponent) = match word.split_once(['e', 'E']) {
        Some((word, exponent)) => (word, exponent.strip_prefix(['+', '-']).unwrap_or(exponent)),
        None => (word, "0"),
    };
    let (whole, fraction) = word.split_once('.').unwrap_or((word, "0"));
    let leading_zero = whole.len() > 1 && whole.starts_with('0');
    digits(whole) && !leading_zero && digits(fraction) && digits(exponent)
}

#[cfg(test)]
mod tests {
    use super::fault;

    #[test]
    fn json_has_no_fault() {
        for text in [
            r#"{"a": [1, -2.5e+3, true, {"b": null}, [], {}], "c": "\"}"}"#,
            "0",
            " {} ",
            r#""x""#,
        ] {
            assert_eq!(fault(text, 0..0), None, "{text}");
            assert!(serde_json::from_str::<serde_json::Value>(text).is_ok());
        }
    }

    #[test]
    fn a_fault_is_where_it_stands() {
        for (text, at) in [
            ("", 0),
            ("{", 1),
            ("{}x", 2),
            ("{,}", 1),
            (r#"{"a" 1}"#, 5),
            (r#"{"a":1 "b":2}"#, 7),
            (r#"{"a":1,}"#, 7),
            (r#"{"a": }"#, 6),
            (r#"{"a":01}"#, 5),
            (r#"{"a":+1}"#, 5),
            (r#"{"a":1.}"#, 5),
            (r#"{"a"0"f"}"#, 4),
            ("[1,]", 3),
            ("[1 2]", 3),
            ("[1}", 2),
            ("{a:1}", 1),
            ("1,2", 1),
            ("\"a", 2),
        ] {
            assert_eq!(fault(text, 0..0), Some(at), "{text}");
            assert!(serde_json::from_str::<serde_json::Value>(text).is_err());
        }
    }

    #[test]
    fn what_is_known_is_not_looked_at() {
        let text = r#"{"a": <raw>, "b": 1}"#;
        assert_eq!(fault(text, 6..11), None);
        assert_eq!(fault(text, 0..0), Some(6));
    }
}
