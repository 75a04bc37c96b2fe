//! The streams that are read: made from the message of the first benchmark, so that they are the
//! same everywhere. They have what recorded ones have: long frames, short deltas.

use serde_json::{Value, json};
use tagstream_wire::Format;

use crate::message::{Message, Random};

/// How much text a stream carries.
const TEXT: usize = 32 << 10;
/// After this many deltas the provider sends something else.
const PING: usize = 500;

/// A stream, and what is in it.
pub struct Stream {
    pub format: Format,
    pub bytes: Vec<u8>,
    /// The data of each frame that is JSON: what a bare parse has to read.
    pub data: Vec<String>,
    /// The lengths that must come out.
    pub thought: usize,
    pub text: usize,
    pub arguments: usize,
}

/// An OpenAI stream with its thinking in tags, and a native call at the end.
pub fn openai() -> Stream {
    let message = Message::new(TEXT);
    let arguments = json!({"path": "src/main.rs", "content": message.answer()}).to_string();
    let mut data = vec![chunk(
        &json!({"role": "assistant", "content": ""}),
        &Value::Null,
    )];
    data.extend(deltas(&message.text).map(|text| chunk(&json!({"content": text}), &Value::Null)));
    let call = |call: Value| chunk(&json!({"tool_calls": [call]}), &Value::Null);
    let function = json!({"name": "write_file", "arguments": ""});
    data.push(call(
        json!({"index": 0, "id": "call_Vx2w9", "type": "function", "function": function}),
    ));
    for piece in deltas(&arguments) {
        data.push(call(json!({"index": 0, "function": {"arguments": piece}})));
    }
    data.push(chunk(&json!({}), &json!("tool_calls")));
    let mut bytes = String::new();
    for data in &data {
        bytes.push_str(&format!("data: {data}\n\n"));
    }
    bytes.push_str("data: [DONE]\n\n");
    Stream {
        format: Format::OpenAi,
        bytes: bytes.into_bytes(),
        data,
        thought: message.thought.len(),
        text: message.answer().len(),
        arguments: arguments.len(),
    }
}

fn chunk(delta: &Value, finish_reason: &Value) -> String {
    json!({
        "id": "chatcmpl-C8fTzq4c1Zl0mR7h5dXvJ2kQyWbNs",
        "object": "chat.completion.chunk",
        "created": 1_767_225_600,
        "model": "gpt-5-mini-2025-08-07",
        "service_tier": "default",
        "system_fingerprint": "fp_4c2851f862",
        "choices": [{
            "index": 0,
            "delta": delta,
            "logprobs": null,
            "finish_reason": finish_reason,
        }],
    })
    .to_string()
}

/// An Anthropic stream with a thinking block, a text and a call.
pub fn anthropic() -> Stream {
    let message = Message::new(TEXT);
    let thought = &message.text[message.thought.clone()];
    let answer = message.answer();
    let arguments = json!({"path": "src/main.rs", "content": answer}).to_string();
    let mut frames = vec![json!({"type": "message_start", "message": {
        "id": "msg_01XFDUDYJgAACzvnptvVoYEL", "type": "message", "role": "assistant",
        "model": "claude-sonnet-4-5", "content": [], "stop_reason": null, "stop_sequence": null,
        "usage": {"input_tokens": 472, "output_tokens": 2},
    }})];
    let blocks = [
        (
            json!({"type": "thinking", "thinking": "", "signature": ""}),
            "thinking",
            thought,
        ),
        (json!({"type": "text", "text": ""}), "text", answer),
        (
            json!({"type": "tool_use", "id": "toolu_01T1x1fJ34qAmk2tNTrN7Up6", "name": "write_file", "input": {}}),
            "input_json",
            arguments.as_str(),
        ),
    ];
    for (index, (start, kind, text)) in blocks.into_iter().enumerate() {
        frames.extend(block(index, &start, kind, text));
    }
    frames.push(json!({
        "type": "message_delta",
        "delta": {"stop_reason": "tool_use", "stop_sequence": null},
        "usage": {"output_tokens": 24_000},
    }));
    frames.push(json!({"type": "message_stop"}));
    let data: Vec<String> = frames.iter().map(Value::to_string).collect();
    let mut bytes = String::new();
    for (frame, data) in frames.iter().zip(&data) {
        let event = frame["type"].as_str().unwrap_or("");
        bytes.push_str(&format!("event: {event}\ndata: {data}\n\n"));
    }
    Stream {
        format: Format::Anthropic,
        bytes: bytes.into_bytes(),
        data,
        thought: thought.len(),
        text: answer.len(),
        arguments: arguments.len(),
    }
}

fn block(index: usize, start: &Value, kind: &str, text: &str) -> Vec<Value> {
    let mut frames =
        vec![json!({"type": "content_block_start", "index": index, "content_block": start})];
    let key = if kind == "input_json" {
        "partial_json"
    } else {
        kind
    };
    for (number, piece) in deltas(text).enumerate() {
        let delta = json!({"type": format!("{kind}_delta"), key: piece});
        frames.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        if number % PING == 0 {
            frames.push(json!({"type": "ping"}));
        }
    }
    frames.push(json!({"type": "content_block_stop", "index": index}));
    frames
}

/// Text in the lengths that tokens have.
fn deltas(text: &str) -> impl Iterator<Item = &str> {
    let mut random = Random(2029);
    let mut left = text;
    std::iter::from_fn(move || {
        let mut end = (1 + random.below(8)).min(left.len());
        while !left.is_char_boundary(end) {
            end += 1;
        }
        let (piece, rest) = left.split_at(end);
        left = rest;
        (!piece.is_empty()).then_some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_have_one_to_four_megabytes() {
        for stream in [openai(), anthropic()] {
            assert!((1 << 20..4 << 20).contains(&stream.bytes.len()));
        }
    }
}
