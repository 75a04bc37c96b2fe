//! Which format a stream is in, by what arrives.
//!
//! No byte is examined twice, and at most [`MAX_BYTES`] are kept: an input that is undecided by then
//! is text.

use super::Format;
use super::shape::Shape;

/// How far to look.
const MAX_BYTES: usize = 64 * 1024;

/// What is known of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guess {
    /// More must come.
    Wait,
    /// It is plain text.
    Text,
    /// It is in this format.
    Known(Format),
}

/// Looks at a stream from its start.
#[derive(Debug, Default)]
pub(crate) struct Detector {
    seen: usize,
    state: State,
    /// The JSON in the data of the event that is being read.
    data: Option<Shape>,
    /// An event with JSON has come.
    has_events: bool,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Start,
    /// In the name of a field.
    Name(Vec<u8>),
    /// In a line of data.
    Data,
    /// In a line that says nothing, up to its end.
    Rest,
    /// The stream is JSON.
    Json(Shape),
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
            if self.seen >= MAX_BYTES {
                return Guess::Text;
            }
        }
        Guess::Wait
    }

    /// Whether the stream looked like a provider's, though like none that is known.
    pub(crate) fn has_events(&self) -> bool {
        self.has_events
    }

    fn byte(&mut self, byte: u8) -> Guess {
        match &mut self.state {
            State::Json(shape) => return json(shape, byte),
            // A byte order mark is passed over.
            State::Start if byte.is_ascii_whitespace() || b"\xef\xbb\xbf".contains(&byte) => {}
            State::Start if matches!(byte, b'{' | b'[') => {
                let mut shape = Shape::default();
                shape.push(byte);
                self.state = State::Json(shape);
            }
            State::Start => {
                self.state = State::Name(Vec::new());
                return self.name(byte);
            }
            State::Name(_) => return self.name(byte),
            State::Data | State::Rest if matches!(byte, b'\r' | b'\n') => {
                self.state = State::Name(Vec::new());
            }
            State::Rest => {}
            State::Data => return self.data(byte),
        }
        Guess::Wait
    }

    /// The start of a line: the name of a field, or nothing.
    fn name(&mut self, byte: u8) -> Guess {
        let State::Name(name) = &mut self.state else {
            return Guess::Wait;
        };
        match (byte, &name[..]) {
            (b':', b"data") => self.state = State::Data,
            (b':', b"" | b"event" | b"id" | b"retry" | b"error") => self.state = State::Rest,
            (b'\r' | b'\n', b"") => self.data = None,
            _ => {
                name.push(byte);
                if !begins_field(name) {
                    return Guess::Text;
                }
            }
        }
        Guess::Wait
    }

    /// All providers send JSON, or a word for the end.
    fn data(&mut self, byte: u8) -> Guess {
        match &mut self.data {
            Some(shape) => {
                shape.push(byte);
                if let Some(format) = shape.format() {
                    return Guess::Known(format);
                }
                if shape.is_wrong(byte) {
                    self.data = None;
                    self.state = State::Rest;
                } else if shape.is_over() && shape.is_error() {
                    return Guess::Known(Format::OpenAi);
                }
            }
            None if byte.is_ascii_whitespace() => {}
            None if matches!(byte, b'{' | b'[') => {
                self.has_events = true;
                self.data.insert(Shape::default()).push(byte);
            }
            None if self.has_events => self.state = State::Rest,
            None => return Guess::Text,
        }
        Guess::Wait
    }
}

fn begins_field(name: &[u8]) -> bool {
    let fields: [&[u8]; 5] = [b"data", b"event", b"id", b"retry", b"error"];
    fields.iter().any(|field| field.starts_with(name))
}

/// What a JSON text, read byte by byte, shows.
fn json(shape: &mut Shape, byte: u8) -> Guess {
    shape.push(byte);
    match shape.format() {
        Some(format) => Guess::Known(format),
        // An error alone is written in the same way by nearly all.
        None if shape.is_over() && shape.is_error() => Guess::Known(Format::OpenAi),
        None if shape.is_over() || shape.is_wrong(byte) => Guess::Text,
        None => Guess::Wait,
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
    fn events_are_identified_by_the_json_in_their_data() {
        let choices = "{\"choices\":[";
        for start in [
            "data: ",
            "data:",
            "\u{feff}data: ",
            ": OPENROUTER PROCESSING\n\ndata: ",
            ":\n\n:\r\n\r\ndata: ",
            "event: message_start\ndata: ",
            "id: 1\rretry: 3\rdata: ",
            "data: {}\n\ndata: [DONE]\n\ndata: ",
            "data: {\ndata: \"x\":1}\n\ndata: ",
        ] {
            let stream = format!("{start}{choices}");
            assert_eq!(guess(&stream), Guess::Known(Format::OpenAi), "{stream}");
        }
        let lines = "data: {\"x\":1,\ndata: \"choices\": [";
        assert_eq!(guess(lines), Guess::Known(Format::OpenAi));
    }

    #[test]
    fn events_of_no_provider_stay_undecided() {
        let mut detector = Detector::default();
        let stream = b"data: {\"response\":\"Hello\"}\n\ndata: [DONE]\n\n";
        assert_eq!(detector.push(stream), Guess::Wait);
        assert!(detector.has_events());
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
    fn json_is_recognised_by_its_keys_and_what_they_hold() {
        for (stream, format) in [
            (r#"{"choices":["#, Format::OpenAi),
            (r#"{"object":"error","message":""#, Format::OpenAi),
            (
                r#"{"id":"r","object":"response","status":""#,
                Format::Responses,
            ),
            (r#"{"output": [],"object":"response""#, Format::Responses),
            (
                r#"{"type":"response.created","response":{"#,
                Format::Responses,
            ),
            (r#"{"type":"error","sequence_number":1"#, Format::Responses),
            (
                r#"{"id":"m","type":"message","content":["#,
                Format::Anthropic,
            ),
            (
                r#"{"type":"message_start", "message": {"#,
                Format::Anthropic,
            ),
            (
                r#"{"delta":{},"type": "content_block_delta""#,
                Format::Anthropic,
            ),
            ("[{\n \"candidates\":[", Format::Gemini),
            (r#"[{"x":1},{"candidates":["#, Format::Gemini),
            (r#"{"usageMetadata":{"#, Format::Gemini),
            (
                r#"{"model":"q","created_at":"t","message":{"#,
                Format::Ollama,
            ),
            (r#"{"response":"x","done":f"#, Format::Ollama),
            (r#"{"error":"no such model"}"#, Format::OpenAi),
            (
                r#"{"error":"full","error_type":"overloaded"}"#,
                Format::OpenAi,
            ),
            (
                r#"{"type":"error","error":{"message":"x"}}"#,
                Format::OpenAi,
            ),
            (r#"[{"error":{"code":400}}]"#, Format::OpenAi),
        ] {
            assert_eq!(guess(stream), Guess::Known(format), "{stream}");
        }
    }

    #[test]
    fn json_with_a_providers_words_and_another_shape_is_text() {
        for stream in [
            r#"{"type":"message","text":"hi"}"#,
            r#"{"type":"message","content":"hi"}"#,
            r#"{"error":"not found","code":404}"#,
            r#"{"id":"x","object":"response"}"#,
            r#"{"object":"chat.completion"}"#,
            r#"{"choices":"many"}"#,
            r#"{"choices":{"a":[1]}}"#,
            r#"{"candidates":3}"#,
            r#"{"done":true}"#,
            r#"{"done":"no","model":"q"}"#,
            r#"{"model":"q","created_at":"today"}"#,
            r#"{"type":"response.x"}"#,
            r#"{"type":"ping"}"#,
            r#"{"stop_reason":"x"}"#,
            r#"{"sequence_number":1}"#,
            r#"[{"type":"message"},{"content":[]}]"#,
            r#"{"x":{"choices":[]}}"#,
            r#"{"x":["choices",":["]}"#,
        ] {
            assert_eq!(guess(stream), Guess::Text, "{stream}");
        }
    }

    #[test]
    fn what_does_not_tell_in_time_is_text() {
        let stream = format!("{{\"x\":\"{}", "choices ".repeat(MAX_BYTES));
        assert_eq!(guess(&stream), Guess::Text);
        assert_eq!(guess(&":\n\n".repeat(MAX_BYTES)), Guess::Text);
    }
}
