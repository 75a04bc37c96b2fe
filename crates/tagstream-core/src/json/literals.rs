//! Literals that are not JSON, turned into JSON: the arguments of a Python call as they arrive, and
//! whole values that are almost JSON.
//!
//! Only literals are read: strings, numbers, `True`, `False`, `None`, lists, tuples and dictionaries.
//! Nothing is evaluated.

use super::escape_into;
use crate::line::is_space;

/// The value at the start of a text that is almost JSON, as JSON, and what follows it. `None` if it
/// cannot be read, or could be read in two ways.
///
/// Besides JSON, these are read: `'single quotes'` and three quotes, the escapes of Python, `True`,
/// `False` and `None`, tuples, keys without quotes, a comma after the last item, and comments.
#[must_use]
pub fn almost_json(text: &str) -> Option<(String, &str)> {
    Literals::almost_json(At::Value).read_whole(text, At::AfterValue)
}

/// As [`almost_json`], for a key and the colon after it. The key is a JSON string.
#[must_use]
pub fn almost_key(text: &str) -> Option<(String, &str)> {
    let (mut key, rest) = Literals::almost_json(At::Key).read_whole(text, At::Value)?;
    let colon = key.pop();
    debug_assert_eq!(colon, Some(':'));
    Some((key, rest))
}

/// What follows white space and comments; `None` if a comment does not end.
#[must_use]
pub fn after_space(mut text: &str) -> Option<&str> {
    loop {
        text = text.trim_start();
        let end = if text.starts_with("/*") {
            text.find("*/")? + 2
        } else if text.starts_with("//") || text.starts_with('#') {
            text.find('\n').unwrap_or(text.len())
        } else {
            return Some(text);
        };
        text = &text[end..];
    }
}

/// A longer word is not a literal.
const MAX_WORD_BYTES: usize = 64;
/// Values that nest deeper than this are not read.
const MAX_DEPTH: usize = 64;

/// What has been read of the arguments, from after the first bracket on, or of one value.
#[derive(Clone, Debug, Default)]
pub(crate) struct Literals {
    /// The JSON so far.
    pub(crate) text: String,
    form: Form,
    /// The brackets that are open inside the first one.
    open: Vec<Open>,
    at: At,
    /// A comma has been read, and what follows it has not: it may be the last.
    has_comma: bool,
    has_items: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Form {
    /// Python, as it arrives.
    #[default]
    Python,
    /// JSON with the spellings of Python and of JavaScript, as a whole: keys need no quotes, and `\/`
    /// is a slash. A backslash at the end of a line may have been meant as text there.
    AlmostJson,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    bracket: u8,
    /// Whether it has items, and a comma.
    has_items: bool,
    has_commas: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum At {
    /// Before the name of an argument.
    #[default]
    Name,
    /// Before a value, or the bracket that closes a list.
    Value,
    /// Before the key of a dictionary.
    Key,
    /// After a name or a key: this must follow.
    Before(u8),
    AfterValue,
    String(Quotes),
}

/// The string that is being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Quotes {
    quote: u8,
    is_triple: bool,
    is_key: bool,
}

/// What the next bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// The number of bytes that have been read. They are JSON, or nothing: the text has grown or not.
    Read(usize),
    /// The same, and with these bytes the arguments end.
    End(usize),
    /// More bytes are needed to know.
    More,
    /// This is not a literal.
    Wrong,
}

impl Literals {
    /// One Python value by itself, in place of arguments.
    pub(crate) fn value() -> Self {
        Literals {
            at: At::Value,
            has_items: true,
            ..Self::default()
        }
    }

    fn almost_json(at: At) -> Self {
        Literals {
            form: Form::AlmostJson,
            at,
            ..Self::value()
        }
    }

    /// Reads a text until all brackets are closed and this comes next; returns the JSON, and the rest.
    fn read_whole(mut self, text: &str, until: At) -> Option<(String, &str)> {
        let mut rest = text;
        while self.at != until || !self.open.is_empty() {
            if !matches!(self.at, At::String(_)) {
                rest = after_space(rest)?;
            }
            match self.take(rest.as_bytes()) {
                Taken::Read(len) => rest = &rest[len..],
                Taken::End(_) | Taken::More | Taken::Wrong => return None,
            }
        }
        Some((self.text, rest))
    }

    /// More bytes would come after these if these were not all.
    fn awaits_more(&self) -> bool {
        self.form == Form::Python
    }

    /// Reads the next token of the bytes.
    pub(crate) fn take(&mut self, bytes: &[u8]) -> Taken {
        let Some(&first) = bytes.first() else {
            return Taken::More;
        };
        match self.at {
            At::String(quotes) => self.take_string(quotes, bytes),
            _ if is_space(first) => {
                Taken::Read(bytes.iter().take_while(|byte| is_space(**byte)).count())
            }
            At::Name if first == b')' => self.close(first),
            At::Name => self.take_name(b'=', bytes),
            At::Before(sign) if first == sign => {
                self.text.push(':');
                self.go_to(At::Value)
            }
            At::Before(_) => Taken::Wrong,
            At::Key if first == b'}' => self.close(first),
            At::Key if is_quote(first) => self.open_string(true, bytes),
            At::Key if self.form == Form::AlmostJson => self.take_name(b':', bytes),
            At::Key => Taken::Wrong,
            At::Value => self.take_value(first, bytes),
            At::AfterValue if first == b',' && !self.has_comma => {
                self.has_comma = true;
                let next = match self.open.last_mut() {
                    None => At::Name,
                    Some(open) => {
                        open.has_commas = true;
                        if open.bracket == b'{' {
                            At::Key
                        } else {
                            At::Value
                        }
                    }
                };
                self.go_to(next)
            }
            At::AfterValue => self.close(first),
        }
    }

    fn go_to(&mut self, at: At) -> Taken {
        self.at = at;
        Taken::Read(1)
    }

    /// An item begins.
    fn begin_item(&mut self) {
        if self.open.is_empty() && !self.has_items {
            self.text.push('{');
        }
        let has_items = match self.open.last_mut() {
            Some(open) => &mut open.has_items,
            None => &mut self.has_items,
        };
        *has_items = true;
        if std::mem::take(&mut self.has_comma) {
            self.text.push(',');
        }
    }

    // Names and brackets.

    /// Reads a name, which this sign must follow.
    fn take_name(&mut self, sign: u8, bytes: &[u8]) -> Taken {
        // Tools may have names that Python has not.
        let is_name = |byte: &&u8| is_name(**byte) || matches!(**byte, b'-' | b'.' | b'$');
        let len = bytes.iter().take_while(is_name).count();
        match len {
            0 => return Taken::Wrong,
            len if len > MAX_WORD_BYTES => return Taken::Wrong,
            _ if bytes[0].is_ascii_digit() && sign == b'=' => return Taken::Wrong,
            len if len == bytes.len() => return Taken::More,
            _ => {}
        }
        let name = std::str::from_utf8(&bytes[..len]).unwrap_or("");
        if name.is_empty() || name.contains(char::is_whitespace) {
            return Taken::Wrong;
        }
        self.begin_item();
        self.text.push('"');
        escape_into(name, &mut self.text);
        self.text.push('"');
        self.at = At::Before(sign);
        Taken::Read(len)
    }

    fn take_value(&mut self, first: u8, bytes: &[u8]) -> Taken {
        match first {
            b'[' | b'(' | b'{' if self.open.len() < MAX_DEPTH => {
                self.begin_item();
                self.open.push(Open {
                    bracket: first,
                    has_items: false,
                    has_commas: false,
                });
                self.text.push(if first == b'{' { '{' } else { '[' });
                self.go_to(if first == b'{' { At::Key } else { At::Value })
            }
            b']' | b')' if !self.open.is_empty() => self.close(first),
            first if is_quote(first) => self.open_string(false, bytes),
            _ => self.take_word(bytes),
        }
    }

    /// Closes a bracket, or all.
    fn close(&mut self, bracket: u8) -> Taken {
        let Some(open) = self.open.pop() else {
            if bracket != b')' {
                return Taken::Wrong;
            }
            self.text.push_str(if self.has_items { "}" } else { "{}" });
            return Taken::End(1);
        };
        let closes = match open.bracket {
            b'[' => b']',
            b'(' => b')',
            _ => b'}',
        };
        // Brackets around one value are not a tuple.
        let is_group = open.bracket == b'(' && open.has_items && !open.has_commas;
        let is_only_comma = self.has_comma && !open.has_items;
        if bracket != closes || is_group || is_only_comma {
            return Taken::Wrong;
        }
        self.has_comma = false;
        self.text.push(if closes == b'}' { '}' } else { ']' });
        self.go_to(At::AfterValue)
    }

    fn take_word(&mut self, bytes: &[u8]) -> Taken {
        let is_word = |byte: &&u8| is_name(**byte) || matches!(**byte, b'+' | b'-' | b'.');
        let len = bytes.iter().take_while(is_word).count();
        let word = match len {
            0 => return Taken::Wrong,
            len if len > MAX_WORD_BYTES => return Taken::Wrong,
            len if len == bytes.len() && self.awaits_more() => return Taken::More,
            len => std::str::from_utf8(&bytes[..len]).unwrap_or(""),
        };
        let word = match word {
            "True" | "true" => "true",
            "False" | "false" => "false",
            "None" | "null" => "null",
            word if is_number(word) => word,
            _ => return Taken::Wrong,
        };
        self.begin_item();
        self.text.push_str(word);
        self.at = At::AfterValue;
        Taken::Read(len)
    }

    // Strings.

    fn open_string(&mut self, is_key: bool, bytes: &[u8]) -> Taken {
        let quote = bytes[0];
        let quotes = bytes.iter().take(3).take_while(|byte| **byte == quote);
        let len = match quotes.count() {
            // An empty string, or three quotes.
            3 => 3,
            count if count == bytes.len() && self.awaits_more() => return Taken::More,
            _ => 1,
        };
        // A key is the first of its item, and its value is not.
        self.begin_item();
        self.text.push('"');
        self.at = At::String(Quotes {
            quote,
            is_triple: len == 3,
            is_key,
        });
        Taken::Read(len)
    }

    fn take_string(&mut self, quotes: Quotes, bytes: &[u8]) -> Taken {
        let Quotes {
            quote,
            is_triple,
            is_key,
        } = quotes;
        let run = memchr::memchr2(quote, b'\\', bytes).unwrap_or(bytes.len());
        if run > 0 {
            return self.take_run(&bytes[..run]);
        }
        if bytes[0] == b'\\' {
            return self.take_escape(bytes);
        }
        let len = if is_triple { 3 } else { 1 };
        let quotes = bytes.iter().take(len).take_while(|byte| **byte == quote);
        match quotes.count() {
            count if count == len => {
                self.text.push('"');
                self.at = if is_key {
                    At::Before(b':')
                } else {
                    At::AfterValue
                };
                Taken::Read(len)
            }
            count if count == bytes.len() => Taken::More,
            count => self.take_run(&bytes[..count]),
        }
    }

    /// Text of a string. A line break is only in one between three quotes, but models write it.
    fn take_run(&mut self, bytes: &[u8]) -> Taken {
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            // The bytes that may be read end inside a character.
            Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or(""),
        };
        if text.is_empty() {
            return Taken::More;
        }
        escape_into(text, &mut self.text);
        Taken::Read(text.len())
    }

    fn take_escape(&mut self, bytes: &[u8]) -> Taken {
        let digits = match bytes.get(1) {
            None => return Taken::More,
            Some(b'x') => 2,
            Some(b'u') => 4,
            Some(b'U') => 8,
            Some(byte) => return self.take_short_escape(*byte),
        };
        match escaped_character(bytes, digits) {
            Ok((c, len)) => {
                escape_into(c.encode_utf8(&mut [0; 4]), &mut self.text);
                Taken::Read(len)
            }
            Err(taken) => taken,
        }
    }

    fn take_short_escape(&mut self, byte: u8) -> Taken {
        match byte {
            b'\\' => self.text.push_str("\\\\"),
            b'"' => self.text.push_str("\\\""),
            b'\'' => self.text.push('\''),
            b'n' | b'r' | b't' | b'b' | b'f' => {
                self.text.push('\\');
                self.text.push(char::from(byte));
            }
            b'/' if self.form == Form::AlmostJson => self.text.push('/'),
            // A backslash at the end of a line joins it with the next.
            b'\n' if self.form == Form::Python => {}
            _ => return Taken::Wrong,
        }
        Taken::Read(2)
    }
}

/// The character of an escape with this number of digits, and the length of the escape. `\ud83d` and
/// `\ude00` together are one character; by itself neither is.
fn escaped_character(bytes: &[u8], digits: usize) -> Result<(char, usize), Taken> {
    let len = 2 + digits;
    let code = hex(&bytes[2..], digits)?;
    let is_high = digits == 4 && (0xd800..0xdc00).contains(&code);
    let (code, len) = if is_high {
        (surrogate_pair(code, &bytes[len..])?, 2 * len)
    } else {
        (code, len)
    };
    let c = char::from_u32(code).ok_or(Taken::Wrong)?;
    Ok((c, len))
}

/// The character of a pair of surrogates, of which the second is the escape that `bytes` begin with.
fn surrogate_pair(high: u32, bytes: &[u8]) -> Result<u32, Taken> {
    let low = match bytes {
        [] | [b'\\'] => return Err(Taken::More),
        [b'\\', b'u', digits @ ..] => hex(digits, 4)?,
        _ => return Err(Taken::Wrong),
    };
    if !(0xdc00..0xe000).contains(&low) {
        return Err(Taken::Wrong);
    }
    Ok(0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00))
}

/// The number that the bytes begin with, in this many hexadecimal digits.
fn hex(bytes: &[u8], digits: usize) -> Result<u32, Taken> {
    let read = &bytes[..digits.min(bytes.len())];
    if !read.iter().all(u8::is_ascii_hexdigit) {
        return Err(Taken::Wrong);
    }
    if read.len() < digits {
        return Err(Taken::More);
    }
    let value = |byte: &u8| char::from(*byte).to_digit(16).unwrap_or_default();
    Ok(read.iter().fold(0, |code, byte| code << 4 | value(byte)))
}

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'')
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// Whether JSON spells a number like this.
fn is_number(word: &str) -> bool {
    let digits = word.strip_prefix('-').unwrap_or(word);
    let (whole, rest) = digits.split_at(count_digits(digits));
    let is_whole = !whole.is_empty() && (whole == "0" || !whole.starts_with('0'));
    let (fraction, rest) = match rest.strip_prefix('.') {
        Some(rest) => rest.split_at(count_digits(rest)),
        None => ("0", rest),
    };
    let exponent = match rest.strip_prefix(['e', 'E']) {
        Some(rest) => rest.strip_prefix(['+', '-']).unwrap_or(rest),
        None if rest.is_empty() => "0",
        None => "",
    };
    let is_exponent = !exponent.is_empty() && count_digits(exponent) == exponent.len();
    is_whole && !fraction.is_empty() && is_exponent
}

fn count_digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

#[cfg(test)]
mod tests {
    use super::{Literals, Taken, after_space, almost_json, almost_key};

    /// The JSON of arguments in chunks of this size; `None` if they are wrong.
    fn json(text: &str, size: usize) -> Option<String> {
        let mut literals = Literals::default();
        let (mut from, mut to) = (0, 0);
        loop {
            match literals.take(&text.as_bytes()[from..to]) {
                Taken::Read(len) => from += len,
                Taken::End(len) => {
                    assert_eq!(from + len, text.len());
                    return Some(literals.text);
                }
                Taken::More if to == text.len() => return None,
                Taken::More => to = (to + size).min(text.len()),
                Taken::Wrong => return None,
            }
        }
    }

    #[test]
    fn literals_are_json() {
        for (text, expected) in [
            (")", "{}"),
            (" )", "{}"),
            ("a=1)", r#"{"a":1}"#),
            ("a = 'x', b=-2.5e3 ,)", r#"{"a":"x","b":-2.5e3}"#),
            (
                r#"a=[1, 'é"', True,], b={'k': None, "l": (1, 2)})"#,
                r#"{"a":[1,"é\"",true],"b":{"k":null,"l":[1,2]}}"#,
            ),
            (r"a='it\'s\n\x41\u00e9\\')", r#"{"a":"it's\nAé\\"}"#),
            ("a='''x\n''y''', b=\"\")", r#"{"a":"x\n''y","b":""}"#),
            (
                "a=(), b=[], c={}, d=(1,))",
                r#"{"a":[],"b":[],"c":{},"d":[1]}"#,
            ),
            ("a=[[], {}], é=1)", r#"{"a":[[],{}],"é":1}"#),
            (r"a='\ud83d\ude00\U0001F600')", r#"{"a":"😀😀"}"#),
            ("a='x\\\ny')", r#"{"a":"xy"}"#),
        ] {
            for size in 1..=text.len() {
                assert_eq!(json(text, size).as_deref(), Some(expected), "{text} {size}");
            }
        }
    }

    #[test]
    fn what_is_not_a_literal_is_wrong() {
        for text in [
            "x)",
            "'x')",
            "a)",
            "a=b)",
            "a=1 b=2)",
            "a=(1))",
            "a=[1)",
            "a=f(1))",
            "a=1,,)",
            "a=01)",
            "a=1_0)",
            "a=.5)",
            "a=[,])",
            "a={1: 2})",
            "a={'k'})",
            "a='x' 'y')",
            "a='x",
            "a=\"\\q\")",
            "a=1+1)",
            "1a=1)",
            "a==1)",
            "a=-)",
            ",)",
            r"a='\x+1')",
            r"a='\u+041')",
            r"a='\ud83d')",
            r"a='\ud83d\u0041')",
            r"a='\ude00')",
            r"a='\U00110000')",
            r"a='\/')",
            "a={k: 1})",
            "a=1 # x\n)",
        ] {
            for size in 1..=text.len() {
                assert_eq!(json(text, size), None, "{text} {size}");
            }
        }
    }
    #[test]
    fn almost_json_is_read_as_a_whole() {
        for (text, json, rest) in [
            ("1", "1", ""),
            ("''", r#""""#, ""),
            ("{a.b-$: 1, 2: True,} x", r#"{"a.b-$":1,"2":true}"#, " x"),
            ("[1, // x\n 2 /* y */, # z\n]]", "[1,2]", "]"),
            ("\u{a0}[\u{a0}None]", "[null]", ""),
            (r"'\x41\u00e9\ud83d\ude00\U0001F600\/'", r#""Aé😀😀/""#, ""),
            (r#"{"a": """x "y" z"""}"#, r#"{"a":"x \"y\" z"}"#, ""),
        ] {
            assert_eq!(almost_json(text), Some((json.to_owned(), rest)), "{text}");
        }
        for text in [
            "",
            "'",
            "x",
            "'\\\n'",
            r"'\x+1'",
            r"'\ud83d'",
            "[1 /* x]",
            "{a\u{a0}: 1}",
        ] {
            assert_eq!(almost_json(text), None, "{text}");
        }
    }

    #[test]
    fn a_key_is_read_with_its_colon() {
        assert_eq!(almost_key("a : b"), Some(("\"a\"".to_owned(), " b")));
        assert_eq!(almost_key("'a':"), Some(("\"a\"".to_owned(), "")));
        for text in ["", "a", "a b:", "}", ":"] {
            assert_eq!(almost_key(text), None, "{text}");
        }
        assert_eq!(after_space(" # x\n y"), Some("y"));
    }
}
