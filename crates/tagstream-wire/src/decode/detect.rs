//! Which format a stream is in, by what arrives.
//!
//! No byte is examined twice, and at most [`LOOK`] bytes are kept: an input that is undecided by
//! then is text.

use super::Format;
use super::shape::Shape;

/// How far to look.
const LOOK: usize = 64 * 1024;

/// What is known of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guess {
    /// More must come.
    Wait,
    /// It is plain text.
    Text,
    /// It is server-sent events; their data decides the format.
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
            if self.seen >= LOOK {
                return Guess::Text;
            }
        }
        Guess::Wait
    }

    fn byte(&mut self, byte: u8) -> Guess {
        match &mut self.state {
            State::Json(shape) => return json(shape, byte),
            State::Rest if matches!(byte, b'\r' | b'\n') => self.state = State::Line(Vec::new()),
            State::Rest => {}
            // A byte order mark is passed over.
            State::Start if byte.is_ascii_whitespace() || b"\xef\xbb\xbf".contains(&byte) => {}
            State::Start => match byte {
                b'{' | b'[' => {
                    let mut shape = Shape::default();
                    shape.push(byte);
                    self.state = State::Json(shape);
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

    /// What the start of a line shows.
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

/// What a JSON text, read byte by byte, shows.
fn json(shape: &mut Shape, byte: u8) -> Guess {
    shape.push(byte);
    match shape.format() {
        Some(format) => Guess::Json(format),
        // An error alone is written in the same way by nearly all.
        None if shape.is_over() && shape.is_error() => Guess::Json(Format::OpenAi),
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
    fn json_is_told_by_its_keys_and_what_they_hold() {
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
            assert_eq!(guess(stream), Guess::Json(format), "{stream}");
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
        let stream = format!("{{\"x\":\"{}", "choices ".repeat(LOOK));
        assert_eq!(guess(&stream), Guess::Text);
        assert_eq!(guess(&":\n\n".repeat(LOOK)), Guess::Text);
    }
}
