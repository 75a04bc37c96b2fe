//! JSON that is not strictly valid but that other parsers accept.

mod support;

use serde_json::{Value, json};
use support::{Rng, events_with, messages, profile};
use tagstream_wire::rewrite::{Options, Rewriter, Thinking};
use tagstream_wire::{Format, Session};

const FORMATS: [Format; 5] = [
    Format::OpenAi,
    Format::Responses,
    Format::Anthropic,
    Format::Gemini,
    Format::Ollama,
];

/// A frame with a piece of text, as JSON text that is put in as it is.
fn frame(format: Format, piece: &str) -> String {
    let json = match format {
        Format::OpenAi => {
            format!(r#"{{"choices":[{{"index":0,"delta":{{"content":"{piece}"}}}}]}}"#)
        }
        Format::Responses => format!(
            r#"{{"type":"response.output_text.delta","output_index":0,"content_index":0,"item_id":"m","delta":"{piece}"}}"#
        ),
        Format::Anthropic => format!(
            r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"{piece}"}}}}"#
        ),
        Format::Gemini => {
            format!(r#"{{"candidates":[{{"content":{{"parts":[{{"text":"{piece}"}}]}}}}]}}"#)
        }
        _ => return format!("{{\"message\":{{\"content\":\"{piece}\"}},\"done\":false}}\n"),
    };
    format!("data: {json}\n\n")
}

/// What comes before the texts, and after them.
fn around(format: Format) -> (&'static str, &'static str) {
    match format {
        Format::Responses => (
            "",
            "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n\n",
        ),
        Format::Anthropic => (
            concat!(
                "event: content_block_start\n",
                "data: {\"type\":\"content_block_start\",\"index\":0,",
                "\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n"
            ),
            concat!(
                "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
                "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n",
                "data: {\"type\":\"message_stop\"}\n\n"
            ),
        ),
        Format::Gemini => (
            "",
            "data: {\"candidates\":[{\"content\":{\"parts\":[]},\"finishReason\":\"STOP\"}]}\n\n",
        ),
        Format::Ollama => ("", "{\"message\":{\"content\":\"\"},\"done\":true}\n"),
        _ => (
            "",
            "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
        ),
    }
}

fn stream(format: Format, pieces: &[&str]) -> String {
    let (before, after) = around(format);
    let frames: String = pieces.iter().map(|piece| frame(format, piece)).collect();
    format!("{before}{frames}{after}")
}

/// The text, the thoughts and the codes of notices.
fn read(format: Format, stream: &str) -> (Value, Value, Value) {
    let mut message = messages(&profile(), format, [stream.as_bytes()]).remove(0);
    let mut take = |key: &str| message[key].take();
    (take("content"), take("thoughts"), take("notices"))
}

fn rewritten(format: Format, thinking: Thinking, stream: &str, rng: Option<&mut Rng>) -> String {
    let mut options = Options::default();
    options.thinking = thinking;
    let mut rewriter = Rewriter::new(&profile(), format, options).unwrap();
    let mut out = Vec::new();
    let pieces = match rng {
        Some(rng) => rng.cut(stream.as_bytes()),
        None => vec![stream.as_bytes()],
    };
    pieces
        .iter()
        .for_each(|piece| rewriter.push(piece, &mut out));
    rewriter.finish(&mut out);
    String::from_utf8(out).unwrap()
}

#[test]
fn halves_of_a_character_in_two_frames_are_joined() {
    for format in FORMATS {
        let stream = stream(format, &[r"Hi \ud83d", r"\ude00 you \uD83D", r"\uDE01"]);
        let expected = (json!("Hi 😀 you 😁"), json!([]), json!([]));
        assert_eq!(read(format, &stream), expected, "{format:?}");
        let out = rewritten(format, Thinking::Move, &stream, None);
        assert_eq!(read(format, &out).0, "Hi 😀 you 😁", "{out}");
    }
}

#[test]
fn half_a_character_without_the_other_is_replaced() {
    for format in FORMATS {
        let cut = json!(["invalid_utf8"]);
        for (pieces, expected) in [
            (&[r"a\ud83d", "b"][..], "a\u{fffd}b"),
            (&[r"a\ud83d"], "a\u{fffd}"),
            (&["a", r"\ude00b"], "a\u{fffd}b"),
            (&[r"a\ud83db"], "a\u{fffd}b"),
        ] {
            let stream = stream(format, pieces);
            let expected = (json!(expected), json!([]), cut.clone());
            assert_eq!(read(format, &stream), expected, "{format:?} {pieces:?}");
        }
    }
}

#[test]
fn halves_of_two_choices_are_not_joined() {
    let chunk = |index: u32, text: &str| {
        format!(
            "data: {{\"choices\":[{{\"index\":{index},\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n"
        )
    };
    let stream = [chunk(0, r"a\ud83d"), chunk(1, r"\ude00b")].concat();
    let messages = messages(&profile(), Format::OpenAi, [stream.as_bytes()]);
    assert_eq!(messages[0]["content"], "a\u{fffd}");
    assert_eq!(messages[1]["content"], "\u{fffd}b");
}

#[test]
fn a_comment_does_not_wait_after_half_a_character() {
    let mut session = Session::new(&profile(), Format::OpenAi).unwrap();
    let mut text = String::new();
    let mut sink = |event: tagstream_wire::WireEvent<'_>| {
        text.push_str(&serde_json::to_string(&event).unwrap());
    };
    session.push(frame(Format::OpenAi, r"a\ud83d").as_bytes(), &mut sink);
    session.push(b": ping\n\n", &mut sink);
    assert!(text.contains("a\u{fffd}"), "{text}");
}

#[test]
fn thinking_in_such_a_frame_is_hidden_and_the_frame_is_valid() {
    for format in FORMATS {
        for odd in [r"\ud83d", r"\ude00x", "\t"] {
            let stream = stream(
                format,
                &[&format!("<think>secret {odd}"), "</think>Hi", odd],
            );
            let out = rewritten(format, Thinking::Hide, &stream, None);
            assert!(!out.contains("secret"), "{format:?} {odd}: {out}");
            for line in out.lines().filter(|line| line.contains('{')) {
                let json = line.strip_prefix("data: ").unwrap_or(line);
                let read: Result<Value, _> = serde_json::from_str(json);
                assert!(read.is_ok(), "{format:?}: {line}");
            }
        }
    }
}

#[test]
fn the_cut_of_the_bytes_changes_nothing() {
    let mut rng = Rng::new(7);
    for format in FORMATS {
        let stream = stream(
            format,
            &[r"a\ud83d", r"\ude00<think>b\ud83d", "c</think>", "\td"],
        );
        let (events, out) = (
            support::of(format, &stream),
            rewritten(format, Thinking::Move, &stream, None),
        );
        for _ in 0..50 {
            let session = Session::new(&profile(), format).unwrap();
            assert_eq!(events_with(session, rng.cut(stream.as_bytes())), events);
            assert_eq!(
                rewritten(format, Thinking::Move, &stream, Some(&mut rng)),
                out
            );
        }
    }
}

#[test]
fn numbers_that_are_none_are_null() {
    let frame = r#"{"choices":[{"index":0,"delta":{"content":"<think>a</think>Hi NaN"},"logprobs":{"a":[NaN,-Infinity]},"finish_reason":"stop"}],"usage":{"x":Infinity}}"#;
    for stream in [format!("data: {frame}\n\n"), frame.to_owned()] {
        let message = messages(&profile(), Format::OpenAi, [stream.as_bytes()]).remove(0);
        assert_eq!(message["content"], "Hi NaN");
        assert_eq!(message["finish_reason"], "stop");
        assert_eq!(message["usage"], json!({"x": null}));
        let out = rewritten(Format::OpenAi, Thinking::Hide, &stream, None);
        assert!(
            !out.contains("<think>") && !out.contains("Infinity"),
            "{out}"
        );
    }
}

#[test]
fn a_body_with_half_a_character_is_read() {
    for (format, body) in [
        (
            Format::OpenAi,
            r#"{"choices":[{"message":{"content":"<think>secret</think>Hi \ud83d"}}]}"#,
        ),
        (
            Format::Responses,
            r#"{"object":"response","status":"completed","output":[{"type":"message","id":"m","content":[{"type":"output_text","text":"<think>secret</think>Hi \ud83d"}]}]}"#,
        ),
        (
            Format::Anthropic,
            r#"{"type":"message","content":[{"type":"text","text":"<think>secret</think>Hi \ud83d"}]}"#,
        ),
        (
            Format::Gemini,
            r#"[{"candidates":[{"content":{"parts":[{"text":"<think>secret</think>Hi \ud83d"}]}}]}]"#,
        ),
        (
            Format::Ollama,
            r#"{"message":{"content":"<think>secret</think>Hi \ud83d"},"done":true}"#,
        ),
    ] {
        assert_eq!(read(format, body).0, "Hi \u{fffd}", "{format:?}");
        let out = rewritten(format, Thinking::Hide, body, None);
        assert!(!out.contains("secret") && out.contains('\u{fffd}'), "{out}");
        assert!(serde_json::from_str::<Value>(&out).is_ok(), "{out}");
    }
}

#[test]
fn pieces_of_arguments_are_joined_too() {
    let piece = |call: &str| {
        format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"tool_calls\":[{call}]}}}}]}}\n\n")
    };
    let stream = [
        piece(r#"{"index":0,"id":"c","function":{"name":"f","arguments":"{\"a\":\"\ud83d"}}"#),
        piece(r#"{"index":0,"function":{"arguments":"\ude00\"}"}}"#),
        "data: [DONE]\n\n".to_owned(),
    ];
    let message = messages(&profile(), Format::OpenAi, [stream.concat().as_bytes()]).remove(0);
    assert_eq!(message["tool_calls"][0]["arguments"], json!({"a": "😀"}));
}

#[test]
fn a_number_of_another_type_does_not_lose_the_text() {
    for (format, stream) in [
        (
            Format::OpenAi,
            "data: {\"choices\":[{\"index\":\"0\",\"delta\":{\"content\":\"Hi\"}}]}\n\n",
        ),
        (
            Format::Anthropic,
            "data: {\"type\":\"content_block_delta\",\"index\":0.0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hi\"}}\n\n",
        ),
        (
            Format::Responses,
            "data: {\"type\":\"response.output_text.delta\",\"output_index\":null,\"content_index\":\"0\",\"delta\":\"Hi\"}\n\n",
        ),
        (
            Format::Gemini,
            "data: {\"candidates\":[{\"index\":{},\"content\":{\"parts\":[{\"thought\":null,\"text\":\"Hi\"}]}}]}\n\n",
        ),
        (
            Format::Ollama,
            "{\"message\":{\"content\":\"Hi\"},\"done\":\"true\",\"eval_count\":-1}\n",
        ),
    ] {
        let (content, _, _) = read(format, stream);
        assert_eq!(content, "Hi", "{format:?}");
    }
}
