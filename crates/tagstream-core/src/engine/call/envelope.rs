//! The JSON of a call, followed as it arrives: what its brackets and keys mean.
//!
//! Whether it is valid JSON is for the check to decide; here only strings and brackets count.

use crate::json::escapes::unescaped;
use crate::json::{Lexeme, Scanner};
use crate::policy::call::{DialectRule, EnvelopeKeys, Style};

/// A longer key is not one that counts, and a longer name or id is cut.
const MAX_TEXT_BYTES: usize = 256;

/// How far the JSON of a call has been read.
#[derive(Debug, Default)]
pub(super) struct CallJson {
    scanner: Scanner,
    /// How many brackets are open.
    depth: u32,
    /// The calls are in a list.
    in_list: bool,
    /// The depth at which the keys of the call are; 0 outside of it.
    level: u32,
    /// The next string at that depth is a key.
    at_key: bool,
    field: Field,
    /// The key, name or id that was read last, as it was written.
    text: Vec<u8>,
    arguments: ArgumentsAt,
    /// A key has said that there are no arguments.
    has_null: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ArgumentsAt {
    #[default]
    Before,
    /// In their object.
    Object,
    /// In a string that holds them.
    String,
    After,
}

/// What the value that is being read is, among the keys of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Field {
    #[default]
    Other,
    Name,
    Id,
    Arguments,
    Inside,
}

/// What a byte of JSON means for the call. It has been read, unless the event says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JsonEvent {
    /// An object that holds a call begins, or ends.
    ObjectBegin,
    ObjectEnd,
    ListEnd,
    /// A comma between the calls of a list.
    Comma,
    /// A closing bracket too many between the calls of a list.
    ExtraBracket,
    /// A key has ended that says what the value is.
    Key(Field),
    /// A key has ended that is the name of the call.
    KeyIsName,
    /// The name, or the id, has ended.
    Name,
    Id,
    ArgumentsBegin,
    ArgumentsEnd,
    /// The arguments are `null`: there are none. The word has yet to be read.
    NoArguments,
    /// The arguments are not an object. The byte has yet to be read.
    NotObject,
    /// A control character in a string of the arguments. It has yet to be read.
    Control(u8),
    /// Markup may begin here. The byte has yet to be read.
    Markup,
}

impl CallJson {
    /// Between the calls of a list, before the next one.
    pub(super) fn next_in_list(&self) -> Self {
        CallJson {
            depth: self.depth,
            in_list: true,
            ..CallJson::default()
        }
    }

    pub(super) fn is_in_list(&self) -> bool {
        self.in_list
    }

    pub(super) fn has_begun(&self) -> bool {
        self.depth > 0
    }

    /// Whether text here is text of the arguments object.
    pub(super) fn is_in_arguments(&self) -> bool {
        self.arguments == ArgumentsAt::Object
    }

    pub(super) fn has_arguments(&self) -> bool {
        self.arguments != ArgumentsAt::Before
    }

    /// The same, if `null` counts.
    pub(super) fn names_arguments(&self) -> bool {
        self.has_null || self.has_arguments()
    }

    /// Whether this is in a string of the arguments.
    pub(super) fn is_in_argument_string(&self) -> bool {
        self.is_in_arguments() && self.scanner.is_in_double_quotes()
    }

    /// Reads text and escapes of the string that it is in.
    #[inline]
    pub(super) fn read_unquoted(&mut self, bytes: &[u8]) {
        self.scanner.read_unquoted(bytes);
    }

    /// The key, name or id that was read last; `None` if its escapes are wrong.
    pub(super) fn text(&self) -> Option<String> {
        let text = match std::str::from_utf8(&self.text) {
            Ok(text) => text,
            // It was cut inside a character.
            Err(error) => std::str::from_utf8(&self.text[..error.valid_up_to()]).unwrap_or(""),
        };
        unescaped(text).map(std::borrow::Cow::into_owned)
    }

    /// What follows a key that was given before is not read.
    pub(super) fn ignore_field(&mut self) {
        self.field = Field::Other;
    }

    /// Reads on in the arguments; false, and nothing has changed, if something happens in these bytes.
    pub(super) fn reads_through(&mut self, bytes: &[u8], rule: &DialectRule) -> bool {
        debug_assert!(self.is_in_arguments(), "elsewhere texts are kept");
        if self.scanner.stays_in_string(bytes) {
            return true;
        }
        let before = (
            self.scanner,
            self.depth,
            self.level,
            self.at_key,
            self.field,
        );
        let is_through = self.read(bytes, rule) == (bytes.len(), None);
        if !is_through {
            (
                self.scanner,
                self.depth,
                self.level,
                self.at_key,
                self.field,
            ) = before;
            self.arguments = ArgumentsAt::Object;
        }
        is_through
    }

    /// Reads until something happens; returns how many bytes were read, and what happened.
    pub(super) fn read(&mut self, bytes: &[u8], rule: &DialectRule) -> (usize, Option<JsonEvent>) {
        let mut at = 0;
        self.scanner.ignore_single_quotes(rule.relaxed.is_some());
        while let Some((lexeme, len)) = self.scanner.read(&bytes[at..]) {
            let stretch = &bytes[at..at + len];
            let (read, event) = match lexeme {
                Lexeme::Mark(mark) => (len, self.read_mark(mark, rule)),
                Lexeme::Quote => (len, self.read_quote(rule)),
                Lexeme::Text => self.read_text(stretch, rule),
                Lexeme::Word => self.read_word(stretch, rule),
                Lexeme::Space => (len, None),
                Lexeme::Escape => {
                    self.keep(stretch);
                    (len, None)
                }
            };
            at += read;
            if event.is_some() {
                return (at, event);
            }
        }
        (at, None)
    }

    fn read_mark(&mut self, mark: u8, rule: &DialectRule) -> Option<JsonEvent> {
        match mark {
            b'{' | b'[' => self.open_bracket(mark, rule),
            b'}' if self.is_between() => Some(JsonEvent::ExtraBracket),
            b'}' | b']' => self.close_bracket(),
            b',' => {
                self.at_key = self.depth == self.level;
                self.is_between().then_some(JsonEvent::Comma)
            }
            _ => None,
        }
    }

    /// Whether it is between the calls of a list.
    fn is_between(&self) -> bool {
        self.in_list && self.depth == 1 && self.level == 0
    }

    /// Reads a word up to the first byte at which markup may begin.
    fn read_word(&mut self, word: &[u8], rule: &DialectRule) -> (usize, Option<JsonEvent>) {
        if self.awaits_arguments() {
            self.field = Field::Other;
            self.has_null = word[0] == b'n';
            let event = if self.has_null {
                JsonEvent::NoArguments
            } else {
                JsonEvent::NotObject
            };
            return (0, Some(event));
        }
        match rule.closers.stops.find(word) {
            Some(markup) => (markup, Some(JsonEvent::Markup)),
            None => (word.len(), None),
        }
    }

    // Strings.

    fn read_quote(&mut self, rule: &DialectRule) -> Option<JsonEvent> {
        if self.scanner.is_in_string() {
            self.open_string()
        } else {
            self.close_string(rule)
        }
    }

    fn open_string(&mut self) -> Option<JsonEvent> {
        self.text.clear();
        if self.awaits_arguments() {
            self.arguments = ArgumentsAt::String;
            return Some(JsonEvent::ArgumentsBegin);
        }
        None
    }

    /// Reads text of a string up to the first control character that has to be escaped.
    fn read_text(&mut self, text: &[u8], rule: &DialectRule) -> (usize, Option<JsonEvent>) {
        if self.is_in_arguments()
            && rule.relaxed.is_none()
            && !rule.python
            && let Some(control) = text.iter().position(|byte| *byte < b' ')
        {
            return (control, Some(JsonEvent::Control(text[control])));
        }
        self.keep(text);
        (text.len(), None)
    }

    /// Keeps text of a key, a name or an id.
    fn keep(&mut self, text: &[u8]) {
        let is_read = self.at_key || matches!(self.field, Field::Name | Field::Id);
        if self.is_at_level() && is_read {
            let room = MAX_TEXT_BYTES.saturating_sub(self.text.len());
            self.text.extend_from_slice(&text[..text.len().min(room)]);
        }
    }

    fn close_string(&mut self, rule: &DialectRule) -> Option<JsonEvent> {
        if !self.is_at_level() {
            return None;
        }
        if std::mem::take(&mut self.at_key) {
            return Some(self.end_key(rule.keys.as_ref()?));
        }
        match std::mem::take(&mut self.field) {
            Field::Name => Some(JsonEvent::Name),
            Field::Id => Some(JsonEvent::Id),
            Field::Arguments if self.arguments == ArgumentsAt::String => {
                self.arguments = ArgumentsAt::After;
                Some(JsonEvent::ArgumentsEnd)
            }
            _ => None,
        }
    }

    fn end_key(&mut self, keys: &EnvelopeKeys) -> JsonEvent {
        if keys.by_key {
            self.field = Field::Arguments;
            return JsonEvent::KeyIsName;
        }
        self.field = keys.field(&self.text().unwrap_or_default());
        JsonEvent::Key(self.field)
    }

    // Brackets.

    fn is_at_level(&self) -> bool {
        self.level > 0 && self.depth == self.level
    }

    /// Whether the value that begins here should be the object of the arguments.
    fn awaits_arguments(&self) -> bool {
        let is_next = self.is_at_level() && !self.at_key && self.field == Field::Arguments;
        is_next && self.arguments == ArgumentsAt::Before
    }

    fn open_bracket(&mut self, byte: u8, rule: &DialectRule) -> Option<JsonEvent> {
        let depth = self.depth;
        self.depth += 1;
        if rule.style != Style::Envelope {
            let begins = depth == 0 && self.arguments == ArgumentsAt::Before;
            return begins.then(|| self.begin_arguments());
        }
        if depth == 0 && byte == b'[' {
            self.in_list = true;
        } else if depth == u32::from(self.in_list) && byte == b'{' {
            self.level = self.depth;
            self.at_key = true;
            return Some(JsonEvent::ObjectBegin);
        } else if depth == self.level && self.field == Field::Inside {
            self.level += 1;
            self.at_key = true;
            self.field = Field::Other;
        } else if depth == self.level && self.level > 0 && self.field == Field::Arguments {
            // A list is not an object, which the check will find.
            let begins = self.arguments == ArgumentsAt::Before;
            return begins.then(|| self.begin_arguments());
        }
        None
    }

    fn begin_arguments(&mut self) -> JsonEvent {
        self.arguments = ArgumentsAt::Object;
        JsonEvent::ArgumentsBegin
    }

    fn close_bracket(&mut self) -> Option<JsonEvent> {
        self.depth = self.depth.saturating_sub(1);
        if self.is_in_arguments() && self.depth == self.level {
            self.arguments = ArgumentsAt::After;
            self.field = Field::Other;
            return Some(JsonEvent::ArgumentsEnd);
        }
        let outside = u32::from(self.in_list);
        if self.depth < self.level && self.depth > outside {
            self.level = self.depth;
        }
        if self.depth == 0 && self.in_list {
            return Some(JsonEvent::ListEnd);
        }
        if self.depth == outside && self.level == self.depth + 1 {
            self.level = 0;
            return Some(JsonEvent::ObjectEnd);
        }
        None
    }
}

impl EnvelopeKeys {
    fn field(&self, key: &str) -> Field {
        let has = |keys: &[Box<str>]| keys.iter().any(|other| **other == *key);
        if has(&self.name) {
            Field::Name
        } else if has(&self.arguments) {
            Field::Arguments
        } else if has(&self.id) {
            Field::Id
        } else if self.inside.as_deref() == Some(key) {
            Field::Inside
        } else {
            Field::Other
        }
    }
}
