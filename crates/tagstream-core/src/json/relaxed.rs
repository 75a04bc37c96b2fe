//! JSON with other quotes or with bare keys, turned into real JSON as it arrives.

use super::{Lexeme, Scanner, escape_into};
use crate::lexicon::{Builder, Lexicon, Role};

/// How a dialect departs from JSON.
#[derive(Debug)]
pub(crate) struct Relaxed {
    /// The literal at both ends of a string.
    quote: Option<Box<str>>,
    /// Keys need no quotes.
    bare_keys: bool,
    /// What counts in a string between such quotes.
    pub(crate) in_string: Lexicon,
}

impl Relaxed {
    pub(crate) fn new(quote: Option<&str>, bare_keys: bool) -> Option<Self> {
        let mut builder = Builder::default();
        if let Some(quote) = quote {
            builder.literal(quote, Role::Quote);
        }
        (quote.is_some() || bare_keys).then(|| Relaxed {
            quote: quote.map(Into::into),
            bare_keys,
            in_string: builder.build(),
        })
    }

    /// Adds the quote, which begins a string.
    pub(crate) fn add_to(&self, builder: &mut Builder) {
        if let Some(quote) = &self.quote {
            builder.literal(quote, Role::Quote);
        }
    }

    /// Whether a key may begin with this byte, besides `"`.
    pub(crate) fn begins_key(&self, byte: u8) -> bool {
        let quote = self.quote.as_deref().map(|quote| quote.as_bytes()[0]);
        quote == Some(byte) || self.bare_keys && is_bare(byte as char)
    }
}

/// Real JSON, as far as it has been written.
#[derive(Clone, Debug, Default)]
pub(crate) struct RealJson {
    pub(crate) text: String,
    scanner: Scanner,
    /// Which of the open brackets are those of objects; the innermost has the lowest bit. No
    /// check reads JSON that nests deeper than there are bits.
    objects: u128,
    expected: Expected,
    /// A space that is in a bare key or after it.
    has_space: bool,
}

/// What may follow outside strings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Expected {
    /// A value, or what follows one.
    #[default]
    Value,
    /// A key.
    Key,
    /// The rest of a key without quotes.
    BareKey,
}

impl RealJson {
    /// Adds text that is not between the dialect's own quotes.
    pub(crate) fn take(&mut self, text: &str, rule: &Relaxed) {
        let mut rest = text;
        self.scanner.ignore_single_quotes(true);
        while let Some((lexeme, len)) = self.scanner.read(rest.as_bytes()) {
            let (stretch, after) = rest.split_at(len);
            match lexeme {
                Lexeme::Mark(mark) => self.take_mark(mark),
                Lexeme::Space | Lexeme::Word => {
                    stretch.chars().for_each(|c| self.take_char(c, rule));
                }
                Lexeme::Quote | Lexeme::Text | Lexeme::Escape => {
                    self.end_bare_key();
                    self.text.push_str(stretch);
                    self.expected = Expected::Value;
                }
            }
            rest = after;
        }
    }

    /// Adds one of the dialect's own quotes.
    pub(crate) fn take_quote(&mut self) {
        debug_assert!(!self.scanner.is_in_string());
        self.end_bare_key();
        self.text.push('"');
        self.expected = Expected::Value;
    }

    /// Adds text between the dialect's own quotes.
    pub(crate) fn take_string(&mut self, text: &str) {
        escape_into(text, &mut self.text);
    }

    /// Gives back a space that belongs to the key or not, depending on what follows.
    pub(crate) fn give_back(&mut self) -> bool {
        std::mem::take(&mut self.has_space)
    }

    /// Adds a bracket, a comma or a colon.
    fn take_mark(&mut self, mark: u8) {
        self.end_bare_key();
        match mark {
            b'{' | b'[' => self.objects = self.objects << 1 | u128::from(mark == b'{'),
            b'}' | b']' => self.objects >>= 1,
            _ => {}
        }
        let begins_key = matches!(mark, b'{' | b',') && self.objects & 1 == 1;
        self.expected = if begins_key {
            Expected::Key
        } else {
            Expected::Value
        };
        self.text.push(char::from(mark));
    }

    /// Adds a character of white space or of a word.
    fn take_char(&mut self, c: char, rule: &Relaxed) {
        match self.expected {
            Expected::BareKey if c == ' ' && !self.has_space => self.has_space = true,
            Expected::BareKey if is_bare(c) => self.grow_key(c),
            Expected::Key if rule.bare_keys && is_bare(c) => {
                self.text.push('"');
                self.grow_key(c);
            }
            _ => {
                self.end_bare_key();
                self.text.push(c);
                if !c.is_whitespace() {
                    self.expected = Expected::Value;
                }
            }
        }
    }

    fn grow_key(&mut self, c: char) {
        self.push_space();
        escape_into(c.encode_utf8(&mut [0; 4]), &mut self.text);
        self.expected = Expected::BareKey;
    }

    /// Closes a key that has no quotes, if there is one.
    fn end_bare_key(&mut self) {
        if self.expected == Expected::BareKey {
            self.text.push('"');
            self.push_space();
            self.expected = Expected::Value;
        }
    }

    fn push_space(&mut self) {
        if std::mem::take(&mut self.has_space) {
            self.text.push(' ');
        }
    }
}

/// Whether a key without quotes may have this character. There may be one space between two words.
fn is_bare(c: char) -> bool {
    !c.is_whitespace() && !c.is_control() && !"{}[]:,\"<>".contains(c)
}

#[cfg(test)]
mod tests {
    use super::{RealJson, Relaxed};

    fn real(text: &str) -> String {
        let rule = Relaxed::new(Some("'"), true).unwrap();
        let mut json = RealJson::default();
        for (i, part) in text.split('\'').enumerate() {
            if i > 0 {
                json.take_quote();
            }
            if i % 2 == 0 {
                json.take(part, &rule);
            } else {
                json.take_string(part);
            }
        }
        json.text
    }

    #[test]
    fn keys_get_quotes_and_values_stay() {
        assert_eq!(real("{a:1,b_2: true}"), r#"{"a":1,"b_2": true}"#);
        assert_eq!(
            real("{ a : [x,{b:null}] , c:{} }"),
            r#"{ "a" : [x,{"b":null}] , "c":{} }"#
        );
        assert_eq!(real("{my key:1}"), r#"{"my key":1}"#);
        assert_eq!(real("{a  :1}"), r#"{"a"  :1}"#);
        assert_eq!(real(r#"{"a":"b:c,d\"e",f:1}"#), r#"{"a":"b:c,d\"e","f":1}"#);
    }

    #[test]
    fn strings_get_escapes() {
        assert_eq!(real("{a:'x\"\n\\'}"), r#"{"a":"x\"\n\\"}"#);
        assert_eq!(real("{'a b':['',1]}"), r#"{"a b":["",1]}"#);
    }

    #[test]
    fn what_is_not_json_does_not_become_json() {
        assert_eq!(real("{a b}"), r#"{"a b"}"#);
        assert_eq!(real("{a:b c}"), r#"{"a":b c}"#);
    }
}
