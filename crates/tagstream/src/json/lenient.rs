//! Values that are almost JSON: as Python writes them, or JSON with a small mistake.
//!
//! It is read only after a reader of JSON has refused the text, and only where one reading is
//! possible. What is read is written again as JSON.

use tagstream_core::json::{after_space, almost_json, almost_key};

/// The text as JSON, if it is one value that [`almost_json`] reads. One closing bracket after it that
/// closes nothing is passed over.
pub(crate) fn to_json(text: &str) -> Option<String> {
    let (json, rest) = almost_json(text)?;
    let rest = after_space(rest)?;
    let has_more = rest.trim_start_matches(['}', ']']);
    let closers = rest.len() - has_more.len();
    // Two closing brackets that close nothing may be half of something else.
    (has_more.trim().is_empty() && closers <= 1).then_some(json)
}

/// A value of an object that is almost JSON.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum AlmostValue<'t> {
    /// As JSON.
    Json(String),
    /// Words without quotes.
    Words(&'t str),
}

/// The entries of an object whose values may be words without quotes; `None` if it cannot be read, or
/// could be read in two ways.
pub(crate) fn entries(text: &str) -> Option<Vec<(String, AlmostValue<'_>)>> {
    let mut entries = Vec::new();
    let mut rest = after_space(text)?.strip_prefix('{')?;
    loop {
        rest = after_space(rest)?;
        if let Some(rest) = rest.strip_prefix('}') {
            return rest.trim().is_empty().then_some(entries);
        }
        let (key, after) = almost_key(rest)?;
        let (value, after) = words_or_value(after)?;
        entries.push((serde_json::from_str(&key).ok()?, value));
        rest = after.strip_prefix(',').unwrap_or(after);
    }
}

/// A value, or words up to the next comma or bracket; and the rest, which begins there.
fn words_or_value(text: &str) -> Option<(AlmostValue<'_>, &str)> {
    let ends = |rest: &&str| rest.starts_with([',', '}']);
    if let Some((json, rest)) = almost_json(text)
        && let Some(rest) = after_space(rest).filter(ends)
    {
        return Some((AlmostValue::Json(json), rest));
    }
    let (words, rest) = text.split_at(text.find([',', '}'])?);
    let words = words.trim();
    let is_plain = |c: char| c.is_alphanumeric() || " _-.'/".contains(c);
    let is_words = words.starts_with(char::is_alphanumeric) && words.chars().all(is_plain);
    is_words.then_some((AlmostValue::Words(words), rest))
}

#[cfg(test)]
mod tests {
    use super::{AlmostValue, entries, to_json};

    #[test]
    fn what_python_writes_is_json() {
        for (text, json) in [
            ("{'a': 'x', \"b\": [1, 2.5,],}", r#"{"a":"x","b":[1,2.5]}"#),
            ("[True, False, None]", "[true,false,null]"),
            ("(1, 'a')", r#"[1,"a"]"#),
            ("(1,)", "[1]"),
            ("{a: {b-c: 1}}", r#"{"a":{"b-c":1}}"#),
            (r#"{'a': 'it\'s "q"'}"#, r#"{"a":"it's \"q\""}"#),
            ("{\"a\": \"it\\'s\"}", r#"{"a":"it's"}"#),
            ("{\"a\": 1 /* x */, // y\n \"b\": 2}", r#"{"a":1,"b":2}"#),
            ("{\"a\": 1}}", r#"{"a":1}"#),
            ("{\"a\": [1]]}", ""),
            ("{'a': 'x\ny'}", r#"{"a":"x\ny"}"#),
            ("{}", "{}"),
        ] {
            let expected = (!json.is_empty()).then(|| json.to_owned());
            assert_eq!(to_json(text), expected, "{text}");
        }
    }

    #[test]
    fn words_without_quotes_are_values_up_to_the_next_comma() {
        let read = entries("{a: New York, \"b\":1, 'c': [x]}");
        assert_eq!(read, None);
        let json = |text: &str| AlmostValue::Json(text.to_owned());
        let read = entries(" {a: New York, \"b\":1, c: {k: 'x'}, } ").unwrap();
        let expected = [
            ("a".to_owned(), AlmostValue::Words("New York")),
            ("b".to_owned(), json("1")),
            ("c".to_owned(), json(r#"{"k":"x"}"#)),
        ];
        assert_eq!(read, expected);
        for text in [
            "{a: Paris, France}",
            "{a: }",
            "{a: \"x\"y}",
            "{a: x} y",
            "[a]",
            "{a}",
        ] {
            assert_eq!(entries(text), None, "{text}");
        }
    }

    #[test]
    fn what_may_be_read_in_two_ways_is_not_read() {
        for text in [
            "",
            "{",
            "{'a': 'it's'}",
            "{\"a\": \"x\"y\"}",
            "{\"a\": b}",
            "{\"a\" 1}",
            "[1 2]",
            "[1,,2]",
            "[,]",
            "(1)",
            "{\"a\": \"\\q\"}",
            "{\"a\": \"\\\n\"}",
            "{'a': 'b' 'c'}",
            "{1, 2}",
            "{\"a\": 1}}}",
            "{\"a\": 1} x",
            "{\"a\": 1 /* x",
            "[NaN]",
            "[01]",
        ] {
            assert_eq!(to_json(text), None, "{text}");
        }
    }
}
