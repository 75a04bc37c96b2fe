//! Values that are almost JSON: as Python writes them, or JSON with a small mistake.
//!
//! It is read only after a reader of JSON has refused the text, and only where one reading is
//! possible. What is read is written again as JSON.

use tagstream_core::json::escape_into;

/// Values that nest deeper than this are not read.
const MAX_DEPTH: usize = 64;

/// The text as JSON; `None` if it cannot be read, or could be read in two ways.
///
/// Besides JSON, these are read: `'single quotes'` and `\'`, `True`, `False` and `None`, tuples, keys
/// without quotes, a comma after the last item, comments, and closing brackets after the value that
/// close nothing.
pub(crate) fn to_json(text: &str) -> Option<String> {
    let mut reader = Reader {
        rest: text,
        json: String::with_capacity(text.len() + 8),
    };
    reader.value(0)?;
    reader.space()?;
    let has_more = reader.rest.trim_start_matches(['}', ']']);
    let closers = reader.rest.len() - has_more.len();
    // Two closing brackets that close nothing may be half of something else.
    (has_more.trim().is_empty() && closers <= 1).then_some(reader.json)
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
    let mut reader = Reader {
        rest: text,
        json: String::new(),
    };
    let mut entries = Vec::new();
    reader.space()?;
    if !reader.takes("{") {
        return None;
    }
    loop {
        reader.space()?;
        if reader.takes("}") {
            return reader.rest.trim().is_empty().then_some(entries);
        }
        let key = reader.key()?;
        entries.push((key, reader.words_or_value()?));
        reader.space()?;
        if !reader.takes(",") && !reader.rest.starts_with('}') {
            return None;
        }
    }
}

struct Reader<'t> {
    rest: &'t str,
    json: String,
}

impl<'t> Reader<'t> {
    fn next(&self) -> Option<char> {
        self.rest.chars().next()
    }

    /// Whether the rest begins with this; if so, it has been read.
    fn takes(&mut self, start: &str) -> bool {
        let rest = self.rest.strip_prefix(start);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Passes over white space and comments; `None` if a comment does not end.
    fn space(&mut self) -> Option<()> {
        loop {
            self.rest = self.rest.trim_start();
            let end = if self.rest.starts_with("/*") {
                self.rest.find("*/")? + 2
            } else if self.rest.starts_with("//") || self.rest.starts_with('#') {
                self.rest.find('\n').unwrap_or(self.rest.len())
            } else {
                return Some(());
            };
            self.rest = &self.rest[end..];
        }
    }

    fn value(&mut self, depth: usize) -> Option<()> {
        self.space()?;
        match self.next()? {
            _ if depth == MAX_DEPTH => None,
            '{' => self.items('{', "}", depth, Reader::entry),
            '[' => self.items('[', "]", depth, Reader::value),
            '(' => self.items('(', ")", depth, Reader::value),
            '"' | '\'' => self.string(),
            _ => self.word(),
        }
    }

    /// Items between two brackets, with commas between them; one may follow the last.
    fn items(
        &mut self,
        open: char,
        close: &str,
        depth: usize,
        item: fn(&mut Self, usize) -> Option<()>,
    ) -> Option<()> {
        let is_object = open == '{';
        self.rest = &self.rest[1..];
        self.json.push(if is_object { '{' } else { '[' });
        let (mut count, mut has_comma) = (0, true);
        loop {
            self.space()?;
            if self.takes(close) {
                self.json.push(if is_object { '}' } else { ']' });
                // In Python, brackets around one value without a comma are not a tuple.
                let is_group = open == '(' && count == 1 && !has_comma;
                return (!is_group).then_some(());
            }
            if !has_comma {
                return None;
            }
            if count > 0 {
                self.json.push(',');
            }
            item(self, depth + 1)?;
            count += 1;
            self.space()?;
            has_comma = self.takes(",");
        }
    }

    fn entry(&mut self, depth: usize) -> Option<()> {
        self.quoted_key()?;
        self.json.push(':');
        self.value(depth)
    }

    /// A key, and the colon after it.
    fn quoted_key(&mut self) -> Option<()> {
        match self.next()? {
            '"' | '\'' => self.string()?,
            _ => self.bare_key()?,
        }
        self.space()?;
        self.takes(":").then_some(())
    }

    /// The same, as a text of its own.
    fn key(&mut self) -> Option<String> {
        self.json.clear();
        self.quoted_key()?;
        serde_json::from_str(&self.json).ok()
    }

    /// A value, or words up to the next comma or bracket.
    fn words_or_value(&mut self) -> Option<AlmostValue<'t>> {
        let rest = self.rest;
        self.json.clear();
        let is_value = self.value(0).and_then(|()| self.space()).is_some();
        if is_value && self.rest.starts_with([',', '}']) {
            return Some(AlmostValue::Json(std::mem::take(&mut self.json)));
        }
        let end = rest.find([',', '}'])?;
        let words = rest[..end].trim();
        let is_plain = |c: char| c.is_alphanumeric() || " _-.'/".contains(c);
        let begins = words.starts_with(char::is_alphanumeric);
        self.rest = &rest[end..];
        (begins && words.chars().all(is_plain)).then_some(AlmostValue::Words(words))
    }

    fn bare_key(&mut self) -> Option<()> {
        let is_key = |c: char| c.is_alphanumeric() || "_-$".contains(c);
        let end = self.rest.find(|c| !is_key(c)).unwrap_or(self.rest.len());
        let (key, rest) = self.rest.split_at(end);
        self.rest = rest;
        self.json.push('"');
        self.json.push_str(key);
        self.json.push('"');
        (!key.is_empty()).then_some(())
    }

    /// A number, or a word that stands for a value.
    fn word(&mut self) -> Option<()> {
        let is_word = |c: char| c.is_alphanumeric() || "+-._".contains(c);
        let end = self.rest.find(|c| !is_word(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        let word = match word {
            "True" => "true",
            "False" => "false",
            "None" => "null",
            word => word,
        };
        self.json.push_str(word);
        serde_json::from_str::<serde_json::Value>(word)
            .is_ok()
            .then_some(())
    }

    fn string(&mut self) -> Option<()> {
        let quote = self.next()?;
        let mut rest = &self.rest[1..];
        self.json.push('"');
        loop {
            let at = rest.find([quote, '\\'])?;
            escape_into(&rest[..at], &mut self.json);
            rest = &rest[at..];
            if rest.starts_with(quote) {
                break;
            }
            rest = self.escape(rest)?;
        }
        self.json.push('"');
        self.rest = &rest[1..];
        // Two strings next to each other may be one with a quote in it.
        (!self.rest.starts_with(['"', '\''])).then_some(())
    }

    /// Writes the escape at the start of a text; returns what follows it.
    fn escape(&mut self, text: &'t str) -> Option<&'t str> {
        let c = text[1..].chars().next()?;
        let rest = &text[1 + c.len_utf8()..];
        match c {
            '"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' => self.json.extend(['\\', c]),
            '\'' => self.json.push('\''),
            'u' => {
                let digits = rest.get(..4)?;
                let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
                self.json.push_str("\\u");
                self.json.push_str(digits);
                return is_hex.then(|| &rest[4..]);
            }
            'x' => {
                let digits = rest.get(..2)?;
                let code = u8::from_str_radix(digits, 16).ok()?;
                escape_into(char::from(code).encode_utf8(&mut [0; 2]), &mut self.json);
                return Some(&rest[2..]);
            }
            _ => return None,
        }
        Some(rest)
    }
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
