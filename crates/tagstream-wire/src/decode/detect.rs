//! Which format a stream is in, by what arrives.
//!
//! Nothing is looked at twice, and no more than [`LOOK`] bytes are kept: what has not told by then
//! is text.

use super::Format;

/// How far to look.
const LOOK: usize = 64 * 1024;

/// What is known of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guess {
    /// More must come.
    Wait,
    /// It is plain text.
    Text,
    /// It is server-sent events; their data tells the format.
    Events,
    /// It is JSON in this format.
    Json(Format),
}

/// Looks at a stream from its start.
#[derive(Debug, Default)]
pub(crate) struct Detector {
    seen: usize,
    state: State,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Start,
    /// In a line that may be a field of an event; its beginning.
    Line(Vec<u8>),
    /// In a line that says nothing, up to its end.
    Rest,
    Json(Keys),
}

impl Detector {
    /// Reads on.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Guess {
        for byte in bytes {
            self.seen += 1;
            let guess = self.byte(*byte);
            if guess != Guess::Wait {
                return guess;
            }
            if self.seen >= LOOK {
                return Guess::Text;
            }
        }
        Guess::Wait
    }

    fn byte(&mut self, byte: u8) -> Guess {
        match &mut self.state {
            State::Json(keys) => return keys.guess(byte),
            State::Rest if matches!(byte, b'\r' | b'\n') => self.state = State::Line(Vec::new()),
            State::Rest => {}
            // A byte order mark is passed over.
            State::Start if byte.is_ascii_whitespace() || b"\xef\xbb\xbf".contains(&byte) => {}
            State::Start => match byte {
                b'{' | b'[' => {
                    let mut keys = Keys::default();
                    keys.push(byte);
                    self.state = State::Json(keys);
                }
                _ => return self.first_of_line(byte),
            },
            State::Line(line) => {
                line.push(byte);
                return self.line();
            }
        }
        Guess::Wait
    }

    fn first_of_line(&mut self, byte: u8) -> Guess {
        self.state = State::Line(vec![byte]);
        self.line()
    }

    /// What the beginning of a line tells.
    fn line(&mut self) -> Guess {
        let State::Line(line) = &self.state else {
            return Guess::Wait;
        };
        let (name, value) = match line.iter().position(|byte| *byte == b':') {
            Some(colon) => (&line[..colon], Some(&line[colon + 1..])),
            None => (&line[..], None),
        };
        let ends = matches!(line.last(), Some(b'\r' | b'\n'));
        match (name, value) {
            (b"data", Some(value)) => return data(value),
            (b"" | b"event" | b"id" | b"retry", Some(_)) => self.state = State::Rest,
            (b"\n" | b"\r", None) => self.state = State::Line(Vec::new()),
            (name, None) if !ends && begins_field(name) => {}
            _ => return Guess::Text,
        }
        Guess::Wait
    }
}

fn begins_field(name: &[u8]) -> bool {
    let fields: [&[u8]; 4] = [b"data", b"event", b"id", b"retry"];
    fields.iter().any(|field| field.starts_with(name))
}

/// All providers send JSON, or this end.
fn data(value: &[u8]) -> Guess {
    match value.trim_ascii_start().first() {
        None if value.len() < 64 => Guess::Wait,
        Some(b'{' | b'[') => Guess::Events,
        _ => Guess::Text,
    }
}

/// The format of a JSON object, by its keys.
pub(crate) fn shape(data: &str) -> Option<Format> {
    let mut keys = Keys::default();
    data.bytes().find_map(|byte| {
        keys.push(byte);
        keys.format()
    })
}

/// The keys of an object, or of the first object of a list, as far as they tell anything.
#[derive(Debug, Default)]
struct Keys {
    depth: u32,
    /// The depth at which the object's keys stand.
    level: u32,
    in_string: bool,
    escaped: bool,
    /// Behind a colon.
    in_value: bool,
    /// The string that is being read, or was read last: its beginning.
    word: Vec<u8>,
    /// The key whose value is being read.
    key: Vec<u8>,
    found: Option<Format>,
    has_model: bool,
    has_error: bool,
}

/// No word that tells anything is longer.
const WORD: usize = 32;

impl Keys {
    fn guess(&mut self, byte: u8) -> Guess {
        self.push(byte);
        match self.format() {
            Some(format) => Guess::Json(format),
            // An error alone is written in the same way by nearly all.
            None if self.is_over() && self.has_error => Guess::Json(Format::OpenAi),
            None if self.is_over() || self.is_wrong(byte) => Guess::Text,
            None => Guess::Wait,
        }
    }

    fn format(&self) -> Option<Format> {
        self.found
    }

    fn is_over(&self) -> bool {
        self.depth == 0
    }

    /// In a list, or at the start of an object, only certain things can follow.
    fn is_wrong(&self, byte: u8) -> bool {
        let blank = byte.is_ascii_whitespace();
        self.level == 0 && self.depth == 1 && !blank && byte != b'[' && byte != b'{'
    }

    fn push(&mut self, byte: u8) {
        if self.in_string {
            return self.string(byte);
        }
        match byte {
            b'"' => {
                self.in_string = true;
                self.word.clear();
            }
            b'{' | b'[' => {
                self.depth += 1;
                if byte == b'{' && self.level == 0 && self.depth <= 2 {
                    self.level = self.depth;
                }
            }
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            b':' if self.depth == self.level => {
                self.in_value = true;
                self.key.clone_from(&self.word);
                self.tell_key();
            }
            b',' if self.depth == self.level => self.in_value = false,
            _ => {}
        }
    }

    fn string(&mut self, byte: u8) {
        match byte {
            _ if std::mem::take(&mut self.escaped) => self.keep(byte),
            b'\\' => self.escaped = true,
            b'"' => {
                self.in_string = false;
                if self.in_value && self.depth == self.level {
                    self.tell_value();
                }
            }
            _ => self.keep(byte),
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.word.len() < WORD {
            self.word.push(byte);
        }
    }

    fn tell_key(&mut self) {
        self.found = match &self.key[..] {
            b"choices" => Some(Format::OpenAi),
            b"candidates" | b"usageMetadata" | b"promptFeedback" => Some(Format::Gemini),
            b"created_at" if self.has_model => Some(Format::Ollama),
            b"done" => Some(Format::Ollama),
            b"sequence_number" => Some(Format::Responses),
            b"content_block" | b"stop_reason" => Some(Format::Anthropic),
            _ => None,
        }
        .or(self.found);
        self.has_model |= self.key == b"model";
        self.has_error |= self.key == b"error";
    }

    fn tell_value(&mut self) {
        let word = &self.word[..];
        let is = |start: &[u8]| word.starts_with(start);
        self.found = match &self.key[..] {
            b"object" if is(b"chat.completion") || is(b"text_completion") => Some(Format::OpenAi),
            b"object" if word == b"response" => Some(Format::Responses),
            b"object" if word == b"error" => Some(Format::OpenAi),
            b"type" if is(b"response.") => Some(Format::Responses),
            b"type" if is(b"message") || is(b"content_block") || word == b"ping" => {
                Some(Format::Anthropic)
            }
            _ => None,
        }
        .or(self.found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guess(stream: &str) -> Guess {
        let mut detector = Detector::default();
        stream
            .bytes()
            .map(|byte| detector.push(&[byte]))
            .find(|guess| *guess != Guess::Wait)
            .unwrap_or(Guess::Wait)
    }

    #[test]
    fn events_are_told_by_their_first_data() {
        for stream in [
            "data: {",
            "data:{",
            "\u{feff}data: {",
            ": OPENROUTER PROCESSING\n\ndata: {",
            ":\n\n:\r\n\r\ndata: {",
            "event: message_start\ndata: {",
            "id: 1\rretry: 3\rdata: [",
            "\n\ndata: [DONE]",
        ] {
            assert_eq!(guess(stream), Guess::Events, "{stream}");
        }
    }

    #[test]
    fn a_message_is_text_as_soon_as_it_can_be_nothing_else() {
        for stream in [
            "H",
            "data: h",
            "dat ",
            "data\n",
            "ev{",
            ":) hi\nthere",
            "id: 5\nHello",
            "<",
            "[1",
            "[]",
            "{}",
            r#"{"name":"f","arguments":{"choices":1}}"#,
            "é",
        ] {
            assert_eq!(guess(stream), Guess::Text, "{stream}");
        }
        assert_eq!(guess(":)"), Guess::Wait);
    }

    #[test]
    fn json_is_told_by_its_keys() {
        for (stream, format) in [
            (r#"{"id":"x","object":"chat.completion""#, Format::OpenAi),
            (r#"{"choices":"#, Format::OpenAi),
            (r#"{"id":"r","object":"response""#, Format::Responses),
            (r#"{"type":"response.created""#, Format::Responses),
            (r#"{"type":"error","sequence_number":"#, Format::Responses),
            (r#"{"id":"m","type":"message""#, Format::Anthropic),
            (r#"{"type": "content_block_delta""#, Format::Anthropic),
            ("[{\n \"candidates\":", Format::Gemini),
            (r#"{"candidates":"#, Format::Gemini),
            (r#"{"model":"q","created_at":"#, Format::Ollama),
            (r#"{"error":"no such model"}"#, Format::OpenAi),
        ] {
            assert_eq!(guess(stream), Guess::Json(format), "{stream}");
        }
    }

    #[test]
    fn what_does_not_tell_in_time_is_text() {
        let stream = format!("{{\"x\":\"{}", "choices ".repeat(LOOK));
        assert_eq!(guess(&stream), Guess::Text);
        assert_eq!(guess(&":\n\n".repeat(LOOK)), Guess::Text);
    }
}
