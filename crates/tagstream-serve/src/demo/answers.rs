//! What the demo answers, in every format: thinking in tags that are cut, and a call as text if the
//! request declares its tool.

use serde_json::{Value, json};
use tagstream_wire::{Endpoint, Format, Request};

const THOUGHT_AND_TEXT: [&str; 6] = [
    "<thi",
    "nk>The user greets",
    " me.</thi",
    "nk>Hello! ",
    "This is a recorded ",
    "answer.",
];
/// The tool that is called.
const TOOL: &str = "get_weather";
const CALL: [&str; 3] = [
    "\n<tool_",
    "call>{\"name\": \"get_weather\", \"argu",
    "ments\": {\"city\": \"Paris\"}}</tool_call>",
];

/// An answer of the demo.
pub(super) struct Played {
    pub(super) status: u16,
    pub(super) kind: &'static str,
    pub(super) text: String,
}

const EVENTS: &str = "text/event-stream";
const LINES: &str = "application/x-ndjson";
const JSON: &str = "application/json";

pub(super) fn answer(path: &str, query: &str, body: &str) -> Played {
    let Some(endpoint) = Endpoint::of_path(path) else {
        return other(path);
    };
    let request = Request::read(endpoint, body).unwrap_or_default();
    let has_tool = request.tools.is_some_and(|tools| tools.contains(TOOL));
    let call = if has_tool { &CALL[..] } else { &[] };
    let answer = Answer {
        pieces: [&THOUGHT_AND_TEXT[..], call].concat(),
        is_plain: path.ends_with("/completions") && !path.ends_with("/chat/completions")
            || path.ends_with("/generate"),
    };
    let (kind, text) = if request.streams {
        answer.stream(endpoint.format, query.contains("alt=sse"))
    } else {
        (JSON, answer.body(endpoint.format).to_string())
    };
    Played {
        status: 200,
        kind,
        text,
    }
}

/// What clients ask for besides answers.
fn other(path: &str) -> Played {
    let model = json!({"id": "demo", "object": "model", "name": "demo", "model": "demo"});
    let (status, body) = match path {
        "/v1/models" => (200, json!({"object": "list", "data": [model]})),
        "/api/tags" => (200, json!({"models": [model]})),
        "/v1/messages/count_tokens" => (200, json!({"input_tokens": 1})),
        _ => (
            404,
            json!({"error": {"message": "the demo does not know this path"}}),
        ),
    };
    Played {
        status,
        kind: JSON,
        text: body.to_string(),
    }
}

struct Answer {
    pieces: Vec<&'static str>,
    /// Completions and Ollama's `generate`: a text, not a message.
    is_plain: bool,
}

impl Answer {
    fn stream(&self, format: Format, wants_events: bool) -> (&'static str, String) {
        match format {
            Format::Anthropic => (EVENTS, named_events(&self.anthropic())),
            Format::Responses => (EVENTS, named_events(&self.responses())),
            Format::Ollama => (
                LINES,
                self.ollama()
                    .iter()
                    .map(|line| format!("{line}\n"))
                    .collect(),
            ),
            Format::Gemini if wants_events => (EVENTS, events(&self.gemini())),
            Format::Gemini => (JSON, Value::from(self.gemini()).to_string()),
            _ => (EVENTS, events(&self.openai()) + "data: [DONE]\n\n"),
        }
    }

    fn body(&self, format: Format) -> Value {
        let text = self.pieces.concat();
        match format {
            Format::Anthropic => json!({
                "id": "msg_demo", "type": "message", "role": "assistant", "model": "demo",
                "content": [{"type": "text", "text": text}], "stop_reason": "end_turn", "stop_sequence": null,
                "usage": {"input_tokens": 1, "output_tokens": 1},
            }),
            Format::Responses => response("completed", &[message(&text)]),
            Format::Ollama => self.line(&text, true),
            Format::Gemini => candidate(&text, true),
            _ if self.is_plain => completion(
                "text_completion",
                &json!({"index": 0, "text": text, "finish_reason": "stop"}),
            ),
            _ => completion(
                "chat.completion",
                &json!({
                    "index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop",
                }),
            ),
        }
    }

    fn openai(&self) -> Vec<Value> {
        if self.is_plain {
            let choice = |text: &str, finish: Value| json!({"index": 0, "text": text, "finish_reason": finish});
            let chunk = |choice: Value| completion("text_completion", &choice);
            let pieces = self
                .pieces
                .iter()
                .map(|piece| chunk(choice(piece, Value::Null)));
            return pieces.chain([chunk(choice("", "stop".into()))]).collect();
        }
        let choice = |delta: Value, finish: Value| json!({"index": 0, "delta": delta, "finish_reason": finish});
        let chunk = |choice: Value| completion("chat.completion.chunk", &choice);
        let first = chunk(choice(
            json!({"role": "assistant", "content": ""}),
            Value::Null,
        ));
        let pieces = self.pieces.iter();
        let pieces = pieces.map(|piece| chunk(choice(json!({"content": piece}), Value::Null)));
        let last = chunk(choice(json!({}), "stop".into()));
        [first].into_iter().chain(pieces).chain([last]).collect()
    }

    fn anthropic(&self) -> Vec<Value> {
        let mut message = self.body(Format::Anthropic);
        message["content"] = json!([]);
        message["stop_reason"] = Value::Null;
        let mut events = vec![
            json!({"type": "message_start", "message": message}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        ];
        events.extend(self.pieces.iter().map(|piece| {
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}})
        }));
        events.extend([
            json!({"type": "content_block_stop", "index": 0}),
            json!({"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": null}, "usage": {"output_tokens": 1}}),
            json!({"type": "message_stop"}),
        ]);
        events
    }

    fn responses(&self) -> Vec<Value> {
        let text = self.pieces.concat();
        let part = |text: &str| json!({"type": "output_text", "text": text, "annotations": []});
        let mut open = message("");
        open["content"] = json!([]);
        open["status"] = "in_progress".into();
        let at = |kind: &str, more: Value| {
            let mut event =
                json!({"type": kind, "item_id": "msg_demo", "output_index": 0, "content_index": 0});
            for (key, value) in more.as_object().into_iter().flatten() {
                event[key] = value.clone();
            }
            event
        };
        let mut events = vec![
            json!({"type": "response.created", "response": response("in_progress", &[])}),
            json!({"type": "response.output_item.added", "output_index": 0, "item": open}),
            at("response.content_part.added", json!({"part": part("")})),
        ];
        let pieces = self.pieces.iter();
        events.extend(pieces.map(|piece| {
            at(
                "response.output_text.delta",
                json!({"delta": piece, "logprobs": []}),
            )
        }));
        events.extend([
            at("response.output_text.done", json!({"text": text, "logprobs": []})),
            at("response.content_part.done", json!({"part": part(&text)})),
            json!({"type": "response.output_item.done", "output_index": 0, "item": message(&text)}),
            json!({"type": "response.completed", "response": response("completed", &[message(&text)])}),
        ]);
        for (number, event) in events.iter_mut().enumerate() {
            event["sequence_number"] = number.into();
        }
        events
    }

    fn gemini(&self) -> Vec<Value> {
        let last = self.pieces.len() - 1;
        let pieces = self.pieces.iter().enumerate();
        pieces
            .map(|(number, piece)| candidate(piece, number == last))
            .collect()
    }

    fn ollama(&self) -> Vec<Value> {
        let pieces = self.pieces.iter().map(|piece| self.line(piece, false));
        pieces.chain([self.line("", true)]).collect()
    }

    fn line(&self, text: &str, is_done: bool) -> Value {
        let mut line =
            json!({"model": "demo", "created_at": "2026-01-01T00:00:00Z", "done": is_done});
        if self.is_plain {
            line["response"] = text.into();
        } else {
            line["message"] = json!({"role": "assistant", "content": text});
        }
        if is_done {
            line["done_reason"] = "stop".into();
        }
        line
    }
}

fn completion(object: &str, choice: &Value) -> Value {
    json!({"id": "chatcmpl-demo", "object": object, "created": 1, "model": "demo", "choices": [choice]})
}

fn candidate(text: &str, is_last: bool) -> Value {
    let mut candidate =
        json!({"content": {"role": "model", "parts": [{"text": text}]}, "index": 0});
    if is_last {
        candidate["finishReason"] = "STOP".into();
    }
    json!({"candidates": [candidate], "modelVersion": "demo"})
}

fn message(text: &str) -> Value {
    let part = json!({"type": "output_text", "text": text, "annotations": []});
    json!({"id": "msg_demo", "type": "message", "role": "assistant", "status": "completed", "content": [part]})
}

fn response(status: &str, output: &[Value]) -> Value {
    json!({
        "id": "resp_demo", "object": "response", "created_at": 1, "model": "demo", "status": status,
        "error": null, "incomplete_details": null, "output": output, "usage": null,
        "parallel_tool_calls": true, "tool_choice": "auto", "tools": [],
    })
}

fn events(all: &[Value]) -> String {
    all.iter()
        .map(|event| format!("data: {event}\n\n"))
        .collect()
}

fn named_events(all: &[Value]) -> String {
    let name = |event: &Value| event["type"].as_str().unwrap_or("").to_owned();
    all.iter()
        .map(|event| format!("event: {}\ndata: {event}\n\n", name(event)))
        .collect()
}
