//! JSON that is written with other quotes or with bare keys, turned into real JSON as it comes.

use crate::json::escapes::escape_into;
use crate::lexicon::{Builder, Lexicon, Role};

/// How a dialect writes JSON, where that is not as JSON is written.
#[derive(Debug)]
pub(crate) struct Relaxed {
    /// What stands at both ends of a string.
    quote: Option<Box<str>>,
    /// Keys need no quotes.
    bare_keys: bool,
    /// What counts in a string.
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

    /// Adds what begins a string.
    pub(crate) fn add_to(&self, builder: &mut Builder) {
        if let Some(quote) = &self.quote {
            builder.literal(quote, Role::Quote);
        }
    }

    /// Whether a key may begin with this byte. That `"` begins one goes without saying.
    pub(crate) fn begins_key(&self, byte: u8) -> bool {
        let quote = self.quote.as_deref().map(|quote| quote.as_bytes()[0]);
        quote == Some(byte) || self.bare_keys && is_bare(byte as char)
    }
}

/// Real JSON, as far as it has come.
#[derive(Clone, Debug, Default)]
pub(crate) struct RealJson {
    pub(crate) text: String,
    /// Which of the open brackets are those of objects; the last one opened has the lowest bit.
    /// Who nests deeper than there are bits has no JSON that anyone would read.
    objects: u128,
    place: Place,
    /// A space that stands in a bare key, or behind it.
    space: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    /// Where a value may stand, or behind one.
    #[default]
    Value,
    /// Where a key may begin.
    Key,
    /// In a key without quotes.
    BareKey,
    /// In a string as JSON has it, and behind a backslash there.
    String,
    Escaped,
}

impl RealJson {
    /// Takes text that stands outside of the dialect's own quotes.
    pub(crate) fn take(&mut self, text: &str, rule: &Relaxed) {
        for c in text.chars() {
            self.place = self.step(c, rule);
        }
    }

    /// Takes one of the dialect's own quotes.
    pub(crate) fn take_quote(&mut self) {
        self.end_bare_key();
        self.text.push('"');
        self.place = Place::Value;
    }

    /// Takes text that stands between the dialect's own quotes.
    pub(crate) fn take_string(&mut self, text: &str) {
        escape_into(text, &mut self.text);
    }

    /// Gives back a space of which it depends on what follows where it belongs.
    pub(crate) fn give_back(&mut self) -> bool {
        std::mem::take(&mut self.space)
    }

    fn step(&mut self, c: char, rule: &Relaxed) -> Place {
        match (self.place, c) {
            (Place::Escaped, _) => self.push(c, Place::String),
            (Place::String, '\\') => self.push(c, Place::Escaped),
            (Place::String, '"') => self.push(c, Place::Value),
            (Place::String, _) => self.push(c, Place::String),
            (Place::BareKey, ' ') if !self.space => {
                self.space = true;
                Place::BareKey
            }
            (Place::BareKey, _) if is_bare(c) => self.grow_key(c),
            (Place::Key, _) if rule.bare_keys && is_bare(c) => {
                self.text.push('"');
                self.grow_key(c)
            }
            _ => self.structure(c),
        }
    }

    /// Takes a character that stands in no string and in no bare key.
    fn structure(&mut self, c: char) -> Place {
        let place = self.end_bare_key();
        match c {
            '{' | '[' => self.objects = self.objects << 1 | u128::from(c == '{'),
            '}' | ']' => self.objects >>= 1,
            _ => {}
        }
        let next = match c {
            '{' | ',' if self.objects & 1 == 1 => Place::Key,
            '"' => Place::String,
            _ if c.is_whitespace() => place,
            _ => Place::Value,
        };
        self.push(c, next)
    }

    fn grow_key(&mut self, c: char) -> Place {
        self.push_space();
        escape_into(c.encode_utf8(&mut [0; 4]), &mut self.text);
        Place::BareKey
    }

    /// Closes a key that has no quotes, if this is one; gives where this is then.
    fn end_bare_key(&mut self) -> Place {
        if self.place != Place::BareKey {
            return self.place;
        }
        self.text.push('"');
        self.push_space();
        Place::Value
    }

    fn push_space(&mut self) {
        if std::mem::take(&mut self.space) {
            self.text.push(' ');
        }
    }

    fn push(&mut self, c: char, place: Place) -> Place {
        self.text.push(c);
        place
    }
}

/// Whether a key without quotes may have this character. One space may stand between two words.
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
            match i % 2 {
                0 => json.take(part, &rule),
                _ => json.take_string(part),
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
    fn what_is_no_json_does_not_become_any() {
        assert_eq!(real("{a b}"), r#"{"a b"}"#);
        assert_eq!(real("{a:b c}"), r#"{"a":b c}"#);
    }
}
