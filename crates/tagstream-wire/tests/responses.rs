//! OpenAI Responses written again, read by a client that forgives nothing.

mod support;

use serde_json::{Value, json};
use support::{Rng, recorded};
use tagstream::Profile;
use tagstream_wire::rewrite::{Options, Refused, Rewriter, Thinking};
use tagstream_wire::{Content, Format, Framing};

const CALL: &str = r#"<tool_call>{"name":"f","arguments":{"x":1}}</tool_call>"#;

/// Thinking, and calls as Hermes writes them.
fn profile() -> Profile {
    let text = "[thinking]\ntags = ['think']\n[calls]\ndialect = 'hermes'";
    tagstream::profile::parse(text).unwrap()
}

fn options(thinking: Thinking) -> Options {
    let mut options = Options::default();
    options.thinking = thinking;
    options
}

fn rewrite<'a>(options: Options, pieces: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut rewriter = Rewriter::new(&profile(), Format::Responses, options).unwrap();
    let mut out = Vec::new();
    for piece in pieces {
        rewriter.push(piece, &mut out);
    }
    rewriter.finish(&mut out);
    String::from_utf8(out).unwrap()
}

fn rewritten(stream: &str) -> String {
    rewrite(Options::default(), [stream.as_bytes()])
}

/// The events of a stream, each under its own name.
fn events(stream: &str) -> Vec<Value> {
    let mut seen = Vec::new();
    let mut framing = Framing::new(1 << 20);
    let mut each = |frame: tagstream_wire::Frame<'_>| {
        if let Content::Message(message) = frame.content {
            let data: Value = serde_json::from_str(&message.data.unwrap()).unwrap();
            let is_named = message.event.is_some();
            assert!(!is_named || message.event.as_deref() == data["type"].as_str());
            seen.push(data);
        }
    };
    framing.push(stream.as_bytes(), &mut each);
    framing.finish(&mut each);
    seen
}

/// The key under which a part has its text.
fn key(part: &Value) -> &'static str {
    match part["type"].as_str() {
        Some("refusal") => "refusal",
        _ => "text",
    }
}

/// A client that forgives nothing: what all items of a stream are.
#[derive(Default)]
struct Client {
    items: Vec<Value>,
    done: Vec<bool>,
    last: Option<Value>,
}

impl Client {
    fn read(stream: &str) -> Client {
        let mut client = Client::default();
        for (number, event) in events(stream).iter().enumerate() {
            assert_eq!(event["sequence_number"], number, "{event}");
            assert!(client.last.is_none(), "{event}");
            client.event(event);
        }
        client
    }

    fn event(&mut self, event: &Value) {
        let kind = event["type"].as_str().unwrap();
        let kind = kind.strip_prefix("response.").unwrap_or(kind);
        match kind {
            "created" | "queued" | "in_progress" | "error" | "keepalive" => {}
            "completed" | "incomplete" | "failed" => self.end(&event["response"]),
            "output_item.added" => {
                assert_eq!(event["output_index"], self.items.len(), "{event}");
                self.items.push(event["item"].clone());
                self.done.push(false);
            }
            _ => self.of_item(kind, event),
        }
    }

    fn of_item(&mut self, kind: &str, event: &Value) {
        let at = usize::try_from(event["output_index"].as_u64().unwrap()).unwrap();
        assert!(!self.done[at], "{event}");
        let item = &mut self.items[at];
        if kind == "output_item.done" {
            self.done[at] = true;
            assert_eq!(event["item"]["id"], item["id"]);
            assert_eq!(event["item"]["content"], item["content"], "{event}");
            assert_eq!(event["item"]["arguments"], item["arguments"]);
            *item = event["item"].clone();
            return;
        }
        assert_eq!(event["item_id"], item["id"], "{event}");
        match kind {
            "function_call_arguments.delta" => push(&mut item["arguments"], &event["delta"]),
            "function_call_arguments.done" => assert_eq!(item["arguments"], event["arguments"]),
            _ => part(kind, event, item),
        }
    }

    fn end(&mut self, response: &Value) {
        assert!(self.done.iter().all(|done| *done));
        assert_eq!(response["output"], json!(self.items));
        self.last = Some(response.clone());
    }

    /// Each item in short: its kind and what it says.
    fn short(&self) -> Vec<String> {
        self.items.iter().map(short).collect()
    }
}

fn part(kind: &str, event: &Value, item: &mut Value) {
    let parts = item["content"].as_array_mut().unwrap();
    let at = usize::try_from(event["content_index"].as_u64().unwrap()).unwrap();
    if kind == "content_part.added" {
        assert_eq!(at, parts.len(), "{event}");
        return parts.push(event["part"].clone());
    }
    let key = key(&parts[at]);
    match kind {
        "output_text.delta" | "refusal.delta" | "reasoning_text.delta" => {
            assert_ne!(event["delta"], "");
            push(&mut parts[at][key], &event["delta"]);
        }
        "output_text.done" | "refusal.done" | "reasoning_text.done" => {
            assert_eq!(event[key], parts[at][key]);
        }
        "content_part.done" => assert_eq!(event["part"][key], parts[at][key]),
        _ => {}
    }
}

fn push(text: &mut Value, more: &Value) {
    *text = json!([text.as_str().unwrap(), more.as_str().unwrap()].concat());
}

fn short(item: &Value) -> String {
    let kind = item["type"].as_str().unwrap();
    let parts = item["content"].as_array().into_iter().flatten();
    let text: String = parts
        .map(|part| part[key(part)].as_str().unwrap())
        .collect();
    let more = item["arguments"].as_str().unwrap_or("");
    format!("{kind} {text}{more}")
}

/// What the provider's items are made of: its kind, and its parts in pieces.
type Given<'g> = (&'g str, &'g [&'g [&'g str]]);

/// A stream with these items, with all events that OpenAI sends.
fn stream(items: &[Given<'_>], status: &str) -> String {
    let mut events = vec![
        json!({"type": "response.created", "response": {"id": "resp_Ab", "output": []}}),
        json!({"type": "response.in_progress", "response": {"id": "resp_Ab", "output": []}}),
    ];
    let mut output = Vec::new();
    for (index, (kind, parts)) in items.iter().enumerate() {
        output.push(item(index, kind, parts, &mut events));
    }
    let response = json!({"id": "resp_Ab", "status": status, "output": output, "usage": {"n": 1}});
    events.push(json!({"type": format!("response.{status}"), "response": response}));
    write(&events)
}

fn item(index: usize, kind: &str, parts: &[&[&str]], events: &mut Vec<Value>) -> Value {
    let id = format!("{}_{index}", &kind[..3]);
    let (part_type, text) = match kind {
        "message" => ("output_text", "output_text"),
        "reasoning" => ("reasoning_text", "reasoning_text"),
        _ => ("refusal", "refusal"),
    };
    let key = if part_type == "refusal" {
        "refusal"
    } else {
        "text"
    };
    let kind = if part_type == "refusal" {
        "message"
    } else {
        kind
    };
    let item = |status: &str, content: &[Value]| json!({"id": id, "type": kind, "status": status, "role": "assistant", "content": content});
    let add = |kind: &str, more: Value, events: &mut Vec<Value>| {
        let mut event = json!({"type": format!("response.{kind}"), "output_index": index});
        event
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        events.push(event);
    };
    add(
        "output_item.added",
        json!({"item": item("in_progress", &[])}),
        events,
    );
    let mut content = Vec::new();
    for (at, pieces) in parts.iter().enumerate() {
        let part = |text: &str| json!({"type": part_type, key: text, "annotations": []});
        let of = |key: &str, value: Value| json!({"item_id": id, "content_index": at, key: value});
        add("content_part.added", of("part", part("")), events);
        for piece in *pieces {
            add(&format!("{text}.delta"), of("delta", json!(piece)), events);
        }
        let whole = pieces.concat();
        add(&format!("{text}.done"), of(key, json!(whole)), events);
        add("content_part.done", of("part", part(&whole)), events);
        content.push(part(&whole));
    }
    let whole = item("completed", &content);
    add("output_item.done", json!({"item": whole}), events);
    whole
}

/// A call of the provider's own.
fn native_call(events: &mut Vec<Value>, index: u64) -> Value {
    let item = |arguments: &str| json!({"id": "fc_n", "type": "function_call", "call_id": "call_n", "name": "g", "arguments": arguments});
    let add = |kind: &str, more: Value| {
        let mut event = json!({"type": format!("response.{kind}"), "output_index": index});
        event
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        event
    };
    let of = |key: &str| json!({"item_id": "fc_n", key: "{}"});
    events.extend([
        add("output_item.added", json!({"item": item("")})),
        add("function_call_arguments.delta", of("delta")),
        add("function_call_arguments.done", of("arguments")),
        add("output_item.done", json!({"item": item("{}")})),
    ]);
    item("{}")
}

fn write(events: &[Value]) -> String {
    let numbered = events.iter().enumerate().map(|(number, event)| {
        let mut event = event.clone();
        event["sequence_number"] = json!(number);
        let kind = event["type"].as_str().unwrap();
        format!("event: {kind}\ndata: {event}\n\n")
    });
    numbered.collect()
}

fn found(text: &str, cut: usize) -> Client {
    let pieces: Vec<String> = text
        .chars()
        .collect::<Vec<_>>()
        .chunks(cut)
        .map(|piece| piece.iter().collect())
        .collect();
    let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
    Client::read(&rewritten(&stream(&[("message", &[&pieces])], "completed")))
}

#[test]
fn items_come_in_the_order_of_the_message_however_it_is_cut() {
    let text = format!("<think>a</think>b{CALL}c <think>d</think>{CALL}");
    for cut in [1, 2, 7, 1000] {
        let client = found(&text, cut);
        let call = "function_call {\"x\":1}";
        let expected = [
            "reasoning a",
            "message b",
            call,
            "message c ",
            "reasoning d",
            call,
        ];
        assert_eq!(client.short(), expected, "cut into {cut}");
        let ids: Vec<_> = client.items.iter().map(|item| &item["id"]).collect();
        let expected = [
            "rs_Ab_0", "mes_0", "fc_Ab_0", "msg_Ab_0", "rs_Ab_1", "fc_Ab_1",
        ];
        assert_eq!(ids, expected);
        assert_eq!(client.items[2]["call_id"], "call_Ab_0");
        assert_eq!(client.items[2]["name"], "f");
        assert_eq!(client.last.unwrap()["usage"], json!({"n": 1}));
    }
}

#[test]
fn a_message_that_was_all_thinking_is_not_there() {
    let given: [Given<'_>; 2] = [
        ("message", &[&["<thi", "nk>a</think>"]]),
        ("message", &[&["b"]]),
    ];
    let stream = stream(&given, "completed");
    let moved = Client::read(&rewritten(&stream));
    assert_eq!(moved.short(), ["reasoning a", "message b"]);
    let hidden = rewrite(options(Thinking::Hide), [stream.as_bytes()]);
    assert_eq!(Client::read(&hidden).short(), ["message b"]);
}

#[test]
fn hidden_thinking_is_nowhere_and_kept_thinking_is_where_it_was() {
    let given: [Given<'_>; 2] = [
        ("reasoning", &[&["n"]]),
        ("message", &[&["<think>a</think>", "b"]]),
    ];
    let stream = stream(&given, "completed");
    let hidden = rewrite(options(Thinking::Hide), [stream.as_bytes()]);
    assert_eq!(Client::read(&hidden).short(), ["message b"]);
    let kept = rewrite(options(Thinking::Keep), [stream.as_bytes()]);
    assert_eq!(kept, stream);
}

#[test]
fn a_stream_with_nothing_to_do_stays_byte_for_byte() {
    let given: [Given<'_>; 5] = [
        ("reasoning", &[&["n", "m"]]),
        ("message", &[&["a <b", "> c", "d"], &["e"]]),
        ("message", &[&[]]),
        ("message", &[]),
        ("refusal", &[&["No", "."]]),
    ];
    for status in ["completed", "incomplete", "failed"] {
        let stream = stream(&given, status).replacen("\n\n", "\n\n: hello\n\n", 4);
        assert_eq!(rewritten(&stream), stream);
    }
}

#[test]
fn parts_keep_their_places_in_what_is_left_of_their_message() {
    let text = format!("b{CALL}c");
    let given: [Given<'_>; 1] = [("message", &[&["<think>a</think>"], &[&text], &["d"]])];
    let out = rewritten(&stream(&given, "completed"));
    let client = Client::read(&out);
    let expected = [
        "reasoning a",
        "message b",
        "function_call {\"x\":1}",
        "message cd",
    ];
    assert_eq!(client.short(), expected);
    assert_eq!(client.items[3]["content"].as_array().unwrap().len(), 2);
}

#[test]
fn native_items_pass_at_their_new_places() {
    let mut events =
        vec![json!({"type": "response.created", "response": {"id": "resp_Ab", "output": []}})];
    let message = item(0, "message", &[&["<think>a</think>b"]], &mut events);
    let call = native_call(&mut events, 1);
    let last = item(2, "message", &[&["c"]], &mut events);
    let response = json!({"id": "resp_Ab", "output": [message, call, last], "output_text": "<think>a</think>bc"});
    events.push(json!({"type": "response.completed", "response": response}));
    let client = Client::read(&rewritten(&write(&events)));
    assert_eq!(
        client.short(),
        ["reasoning a", "message b", "function_call {}", "message c"]
    );
    assert_eq!(client.items[2], call);
    let response = client.last.unwrap();
    assert_eq!(response["output_text"], "bc");
}

#[test]
fn a_body_has_the_same_items_as_a_stream() {
    let text = format!("<think>a</think>b{CALL}c");
    let client = found(&text, 3);
    let part = json!({"type": "output_text", "text": text, "annotations": []});
    let message = json!({"id": "mes_0", "type": "message", "status": "completed", "role": "assistant", "content": [part]});
    let body =
        json!({"id": "resp_Ab", "object": "response", "status": "completed", "output": [message]});
    let out: Value = serde_json::from_str(&rewritten(&body.to_string())).unwrap();
    assert_eq!(out["output"], json!(client.items));
}

#[test]
fn a_refused_call_is_text_and_noticed_once() {
    let bad = r#"<tool_call>{"name":"f","arguments":{"x":}}</tool_call>"#;
    let given: [Given<'_>; 1] = [("message", &[&["a ", bad]])];
    let stream = stream(&given, "completed");
    let mut rewriter = Rewriter::new(&profile(), Format::Responses, Options::default()).unwrap();
    let mut out = Vec::new();
    rewriter.push(stream.as_bytes(), &mut out);
    let codes: Vec<_> = rewriter.finish(&mut out).iter().map(|n| n.code).collect();
    assert_eq!(codes, ["invalid_json"]);
    let client = Client::read(&String::from_utf8(out).unwrap());
    assert_eq!(client.short(), [format!("message a {bad}")]);
    let mut drop = Options::default();
    drop.refused = Refused::Drop;
    let client = Client::read(&rewrite(drop, [stream.as_bytes()]));
    assert_eq!(client.short(), ["message a "]);
}

#[test]
fn a_call_that_was_cut_off_is_shown_to_nobody() {
    let given: [Given<'_>; 1] = [("message", &[&["a ", &CALL[..30]]])];
    let client = Client::read(&rewritten(&stream(&given, "incomplete")));
    assert_eq!(client.short(), ["message a "]);
}

/// What a stream tells before the first such event of a text.
fn before<'s>(stream: &'s str, event: &str) -> &'s str {
    let event = format!("event: response.output_text.{event}");
    stream.split_once(&event).unwrap().0
}

#[test]
fn a_stream_that_is_cut_off_stays_cut_off_and_loses_nothing() {
    let text = format!("a<think>b</think>c{CALL} <");
    let given: [Given<'_>; 1] = [("message", &[&[&text]])];
    let whole = stream(&given, "completed");
    let start = before(&whole, "done");
    let out = rewritten(start);
    assert!(out.contains(r#""delta":" <""#), "{out}");
    assert!(!out.contains("response.completed"));
    // Cut off before anything came, all of it is there.
    let start = before(&whole, "delta");
    assert_eq!(rewritten(start), start);
}

#[test]
fn what_waits_comes_before_an_error() {
    let given: [Given<'_>; 1] = [("message", &[&["a <"]])];
    let whole = stream(&given, "completed");
    let start = before(&whole, "done");
    let error = json!({"type": "error", "code": "x", "message": "no", "sequence_number": 5});
    let out = rewritten(&format!("{start}event: error\ndata: {error}\n\n"));
    let kinds: Vec<Value> = events(&out).iter().map(|e| e["delta"].clone()).collect();
    assert_eq!(kinds[kinds.len() - 2..], [json!("a <"), Value::Null]);
}

#[test]
fn a_server_that_leaves_out_places_and_numbers_is_put_right() {
    let mut bare = Vec::new();
    let message = item(0, "message", &[&["<think>a</think>b"]], &mut bare);
    let call = native_call(&mut bare, 1);
    // As llama.cpp does it: calls have no id, and all items end at the end.
    let (ends, mut events): (Vec<Value>, Vec<Value>) = bare
        .into_iter()
        .partition(|event| event["type"].as_str().unwrap().ends_with("done"));
    events.extend(ends);
    events.insert(
        0,
        json!({"type": "response.created", "response": {"id": "resp_Ab", "output": []}}),
    );
    let response = json!({"id": "resp_Ab", "output": [message, call]});
    events.push(json!({"type": "response.completed", "response": response}));
    for event in &mut events {
        let event = event.as_object_mut().unwrap();
        event.remove("output_index");
        event.remove("content_index");
    }
    let bare: String = events
        .iter()
        .map(|event| {
            format!(
                "event: {}\ndata: {event}\n\n",
                event["type"].as_str().unwrap()
            )
        })
        .collect();
    let mut client = Client::default();
    for (number, event) in self::events(&rewritten(&bare)).iter().enumerate() {
        assert_eq!(event["sequence_number"], number);
        if event["type"] != "response.completed" {
            client.event(event);
        }
    }
    assert_eq!(
        client.short(),
        ["reasoning a", "message b", "function_call {}"]
    );
}

#[test]
fn text_that_comes_only_at_its_end_is_announced() {
    let text = "<think>a</think>b";
    let part = json!({"type": "output_text", "text": text, "annotations": []});
    let message = json!({"id": "m", "type": "message", "role": "assistant", "content": [part]});
    let call = json!({"id": "fc", "type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"});
    let created = json!({"type": "response.created", "response": {"id": "resp_Ab", "output": []}});
    let done = |index: u64, item: &Value| json!({"type": "response.output_item.done", "output_index": index, "item": item});
    // Nor does the end say it once more.
    let end = json!({"type": "response.completed", "response": {"id": "resp_Ab", "output": []}});
    let early = json!({"type": "response.output_text.done", "output_index": 0, "content_index": 0, "item_id": "m", "text": text});
    for events in [
        vec![created.clone(), done(0, &message), done(1, &call)],
        vec![created, early, done(0, &message), done(1, &call)],
    ] {
        let events = [events, vec![end.clone()]].concat();
        let client = Client::read(&rewritten(&write(&events)));
        let expected = ["reasoning a", "message b", "function_call {}"];
        assert_eq!(client.short(), expected);
    }
}

#[test]
fn comments_do_not_wait_for_text() {
    let given: [Given<'_>; 1] = [("message", &[&["<think>b"]])];
    let whole = stream(&given, "completed");
    let start = before(&whole, "delta");
    let mut rewriter =
        Rewriter::new(&profile(), Format::Responses, options(Thinking::Hide)).unwrap();
    let mut out = Vec::new();
    rewriter.push(start.as_bytes(), &mut out);
    for expected in [0, 2, 3] {
        rewriter.push(b": hello\n\n", &mut out);
        let text = String::from_utf8(out.clone()).unwrap();
        assert_eq!(text.matches(": hello").count(), expected);
    }
}

#[test]
fn a_text_that_is_too_long_for_one_event_goes_on_in_another_message() {
    let mut small = Options::default();
    small.frame_limit = 700;
    let piece = "x".repeat(300);
    let pieces = [&*piece; 6];
    let given: [Given<'_>; 1] = [("message", &[&pieces])];
    let whole = stream(&given, "completed");
    let start = before(&whole, "done");
    let out = rewrite(small, [start.as_bytes()]);
    let mut client = Client::default();
    events(&out).iter().for_each(|event| client.event(event));
    let two = format!("message {}", piece.repeat(2));
    assert_eq!(client.short(), [&*two, &two, &two]);
}

#[test]
fn every_recorded_stream_is_read_by_a_strict_client() {
    let streams = recorded().into_iter();
    for stream in streams.filter(|stream| stream.format == Format::Responses) {
        if stream.name.ends_with("json") {
            continue;
        }
        let text = String::from_utf8(stream.bytes.clone()).unwrap();
        let out = rewritten(&text);
        let mut rng = Rng::new(5);
        for _ in 0..20 {
            assert_eq!(rewrite(Options::default(), rng.cut(&stream.bytes)), out);
        }
        let events = events(&out);
        // A stream that goes on where another was interrupted does not begin with 0.
        let first = events[0]["sequence_number"].as_u64().unwrap();
        for (event, number) in events.iter().zip(first..) {
            assert_eq!(event["sequence_number"], number, "{}", stream.name);
        }
    }
}

#[test]
fn whatever_the_text_the_stream_and_its_end_agree() {
    let words = [
        "a",
        "b ",
        "\n",
        "<think>",
        "</think>",
        "<th",
        CALL,
        &CALL[..25],
        "`",
        "é",
        "<x>",
    ];
    let mut rng = Rng::new(41);
    for _ in 0..400 {
        let mut texts: Vec<Vec<String>> = Vec::new();
        for _ in 0..=rng.below(3) {
            let text: String = (0..rng.below(9))
                .map(|_| words[rng.below(words.len())])
                .collect();
            let most = 1 + rng.below(12);
            let letters: Vec<char> = text.chars().collect();
            let pieces = letters.chunks(most).map(|piece| piece.iter().collect());
            texts.push(pieces.collect());
        }
        let parts: Vec<Vec<&str>> = texts
            .iter()
            .map(|pieces| pieces.iter().map(String::as_str).collect())
            .collect();
        let parts: Vec<&[&str]> = parts.iter().map(Vec::as_slice).collect();
        let given = [
            ("message", &parts[..1]),
            ("reasoning", &[&["n"][..]][..]),
            ("message", &parts[1..]),
        ];
        let stream = stream(&given, "completed");
        for thinking in [Thinking::Move, Thinking::Hide, Thinking::Keep] {
            let out = rewrite(options(thinking), [stream.as_bytes()]);
            let client = Client::read(&out);
            assert!(client.last.is_some());
            let cut = rewrite(options(thinking), rng.cut(stream.as_bytes()));
            assert_eq!(cut, out);
        }
    }
}
