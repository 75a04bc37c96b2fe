//! Which format a JSON object is in, by its keys and by what they hold.
//!
//! A word alone decides nothing: any JSON may have a key `choices`, or a type `message`.

use super::Format;

/// The format of a JSON object.
pub(crate) fn shape(data: &str) -> Option<Format> {
    let mut shape = Shape::default();
    data.bytes().find_map(|byte| {
        shape.push(byte);
        shape.format()
    })
}

/// An object, or those of a list, one after the other, as far as they matter for the format.
#[derive(Debug, Default)]
pub(crate) struct Shape {
    depth: u32,
    /// The depth of the object's keys.
    level: u32,
    in_string: bool,
    escaped: bool,
    value: Value,
    /// The string that is being read, or was read last: its beginning.
    word: Vec<u8>,
    /// The key whose value is being read.
    key: Vec<u8>,
    facts: Facts,
    found: Option<Format>,
    has_error: bool,
}

/// How far the value of a key has been read.
#[derive(Debug, Default, PartialEq, Eq)]
enum Value {
    #[default]
    None,
    /// After the colon.
    Starts,
    Begun,
}

/// No word that matters is longer, in bytes.
const MAX_WORD_BYTES: usize = 32;

impl Shape {
    /// The format, once it is certain.
    pub(crate) fn format(&self) -> Option<Format> {
        self.found
    }

    pub(crate) fn is_over(&self) -> bool {
        self.depth == 0
    }

    /// Whether it is an error, as servers write them.
    pub(crate) fn is_error(&self) -> bool {
        self.has_error
    }

    /// In a list, or at the start of an object, only certain things can follow.
    pub(crate) fn is_wrong(&self, byte: u8) -> bool {
        let blank = byte.is_ascii_whitespace();
        self.level == 0 && self.depth == 1 && !blank && byte != b'[' && byte != b'{'
    }

    /// Reads on.
    pub(crate) fn push(&mut self, byte: u8) {
        if self.in_string {
            return self.string(byte);
        }
        if self.value == Value::Starts && !byte.is_ascii_whitespace() {
            self.value = Value::Begun;
            self.note(|facts, key| facts.value(key, byte));
        }
        match byte {
            b'"' => {
                self.in_string = true;
                self.word.clear();
            }
            b'{' | b'[' => self.open(byte),
            b'}' | b']' => self.close(),
            b':' if self.depth == self.level => {
                self.value = Value::Starts;
                self.key.clone_from(&self.word);
            }
            b',' if self.depth == self.level => self.value = Value::None,
            _ => {}
        }
    }

    fn open(&mut self, byte: u8) {
        self.depth += 1;
        if byte == b'{' && self.level == 0 && self.depth <= 2 {
            self.level = self.depth;
        }
        if self.depth == self.level {
            self.facts = Facts::default();
            self.value = Value::None;
        }
    }

    fn close(&mut self) {
        self.has_error |= self.depth == self.level && self.facts.is_error();
        self.depth = self.depth.saturating_sub(1);
    }

    fn string(&mut self, byte: u8) {
        match byte {
            _ if std::mem::take(&mut self.escaped) => self.keep(byte),
            b'\\' => self.escaped = true,
            b'"' => {
                self.in_string = false;
                if self.value == Value::Begun && self.depth == self.level {
                    let word = std::mem::take(&mut self.word);
                    self.note(|facts, key| facts.word(key, &word));
                }
            }
            _ => self.keep(byte),
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.word.len() < MAX_WORD_BYTES {
            self.word.push(byte);
        }
    }

    fn note(&mut self, fact: impl FnOnce(&mut Facts, &[u8])) {
        fact(&mut self.facts, &self.key);
        self.found = self.found.or_else(|| self.facts.format());
    }
}

/// The keys that count.
const KEYS: [&str; 21] = [
    "candidates",
    "choices",
    "content",
    "content_block",
    "created_at",
    "delta",
    "done",
    "error",
    "error_type",
    "index",
    "item",
    "item_id",
    "message",
    "model",
    "output",
    "promptFeedback",
    "response",
    "sequence_number",
    "status",
    "type",
    "usageMetadata",
];

const LIST: &[u8] = b"[";
const OBJECT: &[u8] = b"{";
const STRING: &[u8] = b"\"";
const NUMBER: &[u8] = b"0123456789";
const FLAG: &[u8] = b"tf";

/// What is known of an object.
#[derive(Debug, Default)]
struct Facts {
    /// The keys that count, each with the first byte of its value.
    starts: [u8; KEYS.len()],
    /// How many keys there are, of any name.
    count: usize,
    kind: Vec<u8>,
    object: Vec<u8>,
}

impl Facts {
    fn value(&mut self, key: &[u8], byte: u8) {
        self.count += 1;
        if let Some(at) = KEYS.iter().position(|known| known.as_bytes() == key) {
            self.starts[at] = byte;
        }
    }

    fn word(&mut self, key: &[u8], word: &[u8]) {
        match key {
            b"type" => self.kind = word.to_vec(),
            b"object" => self.object = word.to_vec(),
            _ => {}
        }
    }

    fn has(&self, key: &str, starts: &[u8]) -> bool {
        let at = KEYS.iter().position(|known| *known == key);
        at.is_some_and(|at| starts.contains(&self.starts[at]))
    }

    fn format(&self) -> Option<Format> {
        if self.has("choices", LIST) || (self.object == b"error" && self.has("message", STRING)) {
            return Some(Format::OpenAi);
        }
        let is_format = [
            (self.is_gemini(), Format::Gemini),
            (self.is_ollama(), Format::Ollama),
            (self.is_responses(), Format::Responses),
            (self.is_anthropic(), Format::Anthropic),
        ];
        is_format
            .iter()
            .find(|(is, _)| *is)
            .map(|(_, format)| *format)
    }

    fn is_gemini(&self) -> bool {
        let objects = ["usageMetadata", "promptFeedback"];
        self.has("candidates", LIST) || objects.iter().any(|key| self.has(key, OBJECT))
    }

    fn is_ollama(&self) -> bool {
        let says = self.has("message", OBJECT) || self.has("response", STRING);
        let is_dated = self.has("model", STRING) && self.has("created_at", STRING);
        let is_done = self.has("done", FLAG);
        (says && (is_dated || is_done)) || (is_dated && is_done)
    }

    fn is_responses(&self) -> bool {
        let of_item = self.has("item", OBJECT) || self.has("item_id", STRING);
        let is_numbered = self.has("sequence_number", NUMBER);
        let is_event = of_item || is_numbered || self.has("response", OBJECT);
        let is_body = self.has("output", LIST) || self.has("status", STRING);
        (self.kind.starts_with(b"response.") && is_event)
            || (self.kind == b"error" && is_numbered)
            || (self.object == b"response" && is_body)
    }

    fn is_anthropic(&self) -> bool {
        match &self.kind[..] {
            b"message" => self.has("content", LIST),
            b"message_start" => self.has("message", OBJECT),
            b"message_delta" | b"content_block_delta" => self.has("delta", OBJECT),
            b"content_block_start" => self.has("content_block", OBJECT),
            b"content_block_stop" => self.has("index", NUMBER),
            _ => false,
        }
    }

    /// Most errors are objects. A string is an error only if it is alone; otherwise it is other
    /// JSON.
    fn is_error(&self) -> bool {
        let others = 1 + usize::from(self.has("error_type", STRING));
        self.has("error", OBJECT) || (self.has("error", STRING) && self.count == others)
    }
}
