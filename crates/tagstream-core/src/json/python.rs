//! The arguments of a Python call, turned into a JSON object as they arrive.
//!
//! Only literals are read: strings, numbers, `True`, `False`, `None`, lists, tuples and dictionaries.
//! Nothing is evaluated.

use super::escape_into;
use crate::line::is_space;

/// A longer word is not a literal.
const MAX_WORD_BYTES: usize = 64;
/// Values that nest deeper than this are not read.
const MAX_DEPTH: usize = 64;

/// What has been read of the arguments, from after the first bracket on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Python {
    /// The JSON so far.
    pub(crate) text: String,
    /// The brackets that are open inside the first one.
    open: Vec<Open>,
    at: At,
    /// A comma has been read, and what follows it has not: it may be the last.
    has_comma: bool,
    has_items: bool,
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
    /// So many bytes have been read. They are JSON, or nothing: the text has grown or not.
    Read(usize),
    /// So many bytes have been read, and with them the arguments end.
    End(usize),
    /// More bytes are needed to know.
    More,
    /// This is not a literal.
    Wrong,
}

impl Python {
    /// One value by itself, in place of arguments.
    pub(crate) fn value() -> Self {
        Python {
            at: At::Value,
            has_items: true,
            ..Self::default()
        }
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
            At::Name => self.take_name(first, bytes),
            At::Before(sign) if first == sign => {
                self.text.push(':');
                self.go_to(At::Value)
            }
            At::Before(_) => Taken::Wrong,
            At::Key if first == b'}' => self.close(first),
            At::Key if is_quote(first) => self.open_string(true, bytes),
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

    fn take_name(&mut self, first: u8, bytes: &[u8]) -> Taken {
        if first == b')' {
            return self.close(first);
        }
        // Tools may have names that Python has not.
        let is_name = |byte: &&u8| is_name(**byte) || matches!(**byte, b'-' | b'.');
        let len = bytes.iter().take_while(is_name).count();
        match len {
            0 => Taken::Wrong,
            len if len > MAX_WORD_BYTES || first.is_ascii_digit() => Taken::Wrong,
            len if len == bytes.len() => Taken::More,
            len => {
                let Ok(name) = std::str::from_utf8(&bytes[..len]) else {
                    return Taken::Wrong;
                };
                self.begin_item();
                self.text.push('"');
                escape_into(name, &mut self.text);
                self.text.push('"');
                self.at = At::Before(b'=');
                Taken::Read(len)
            }
        }
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
            len if len == bytes.len() => return Taken::More,
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
            2 if bytes.len() == 2 => return Taken::More,
            1 if bytes.len() == 1 => return Taken::More,
            3 => 3,
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
            return self.take_run(&bytes[..run], is_triple);
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
            count => self.take_run(&bytes[..count], is_triple),
        }
    }

    /// Text of a string. A line break is only in one between three quotes, but models write it.
    fn take_run(&mut self, bytes: &[u8], _is_triple: bool) -> Taken {
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
        let Some(code) = bytes.get(2..2 + digits) else {
            let is_hex = bytes[2..].iter().all(u8::is_ascii_hexdigit);
            return if is_hex { Taken::More } else { Taken::Wrong };
        };
        let code = std::str::from_utf8(code).ok().filter(|code| is_hex(code));
        let code = code.and_then(|code| u32::from_str_radix(code, 16).ok());
        match code.and_then(char::from_u32) {
            Some(c) => escape_into(c.encode_utf8(&mut [0; 4]), &mut self.text),
            None => return Taken::Wrong,
        }
        Taken::Read(2 + digits)
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
            // A backslash at the end of a line joins it with the next.
            b'\n' => {}
            _ => return Taken::Wrong,
        }
        Taken::Read(2)
    }
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
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
    use super::{Python, Taken};

    /// The JSON of arguments in chunks of this size; `None` if they are wrong.
    fn json(text: &str, size: usize) -> Option<String> {
        let mut python = Python::default();
        let (mut from, mut to) = (0, 0);
        loop {
            match python.take(&text.as_bytes()[from..to]) {
                Taken::Read(len) => from += len,
                Taken::End(len) => {
                    assert_eq!(from + len, text.len());
                    return Some(python.text);
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
        ] {
            for size in 1..=text.len() {
                assert_eq!(json(text, size), None, "{text} {size}");
            }
        }
    }
}
