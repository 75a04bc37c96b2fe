//! What becomes of a stream that passes a cap: nothing is lost that can be shown, and nothing is
//! called that may be half a call.

mod support;

use serde_json::{Value, json};
use support::{events_with, profile};
use tagstream_wire::rewrite::{self, Rewriter};
use tagstream_wire::{Format, Session};

fn sse(events: &[Value]) -> String {
    let frames = events.iter().map(|event| format!("data: {event}\n\n"));
    frames.collect()
}

/// The events of a stream with these limits for a frame and a value.
fn read(format: Format, limits: (usize, usize), stream: &str) -> Vec<Value> {
    let mut profile = profile();
    profile.limits.value = limits.1;
    let session = Session::new(&profile, format)
        .unwrap()
        .frame_limit(limits.0);
    events_with(session, [stream.as_bytes()])
}

/// The stream written again, in pieces of this size.
fn rewritten(format: Format, stream: &str, size: usize) -> String {
    let mut options = rewrite::Options::default();
    options.frame_limit = 400;
    let mut rewriter = Rewriter::new(&profile(), format, options).unwrap();
    let mut out = Vec::new();
    for piece in stream.as_bytes().chunks(size) {
        rewriter.push(piece, &mut out);
    }
    rewriter.finish(&mut out);
    String::from_utf8(out).unwrap()
}

/// All text of these events.
fn shown(events: &[Value]) -> String {
    let texts = events.iter().filter(|event| event["type"] == "text");
    texts.filter_map(|event| event["text"].as_str()).collect()
}

/// The types of events of calls, with the code where there is one.
fn calls(events: &[Value]) -> Vec<String> {
    let ends = events.iter().filter_map(|event| {
        let kind = event["type"].as_str()?;
        let code = event["code"].as_str().unwrap_or("");
        let is_end = matches!(kind, "call_end" | "call_error");
        is_end.then(|| format!("{kind} {code}").trim_end().to_owned())
    });
    ends.collect()
}

#[test]
fn no_text_is_lost_where_too_many_are_open() {
    let delta = |index: usize| {
        let text = format!("a<{} ", index % 100);
        json!({"type": "content_block_delta", "index": index % 100,
            "delta": {"type": "text_delta", "text": text}})
    };
    let stream: Vec<Value> = (0..200).map(delta).collect();
    let shown = shown(&read(Format::Anthropic, (1000, 1000), &sse(&stream)));
    for index in 0..100 {
        assert_eq!(shown.matches(&format!("a<{index} ")).count(), 2, "{index}");
    }
}

#[test]
fn a_call_without_room_is_refused_until_others_end() {
    let call = |index: u64| {
        json!({"type": "content_block_start", "index": index, "content_block":
            {"type": "tool_use", "id": format!("t{index}"), "name": "f", "input": {"a": "x".repeat(400)}}})
    };
    let stop = |index: u64| json!({"type": "content_block_stop", "index": index});
    let stream = [call(0), call(1), stop(0), stop(1), call(2), stop(2)];
    let with_limit = |limit| calls(&read(Format::Anthropic, (limit, 500), &sse(&stream)));
    assert_eq!(
        with_limit(700),
        ["call_end", "call_error limit", "call_end"]
    );
    assert_eq!(with_limit(900), ["call_end"; 3]);
}

#[test]
fn a_call_that_comes_in_pieces_and_gets_no_more_is_not_complete() {
    let call = |index: usize, goes_on: bool| {
        json!({"candidates": [{"content": {"parts": [{"functionCall": {
            "id": format!("c{index}"), "name": "f", "willContinue": goes_on,
            "partialArgs": [{"jsonPath": format!("$.a{goes_on}"), "numberValue": 1}]}}]}}]})
    };
    let begun = (0..17).map(|index| call(index, true));
    let ended = (1..17).map(|index| call(index, false));
    let stream: Vec<Value> = begun.chain(ended).collect();
    let calls = calls(&read(Format::Gemini, (1000, 1000), &sse(&stream)));
    assert_eq!(calls[0], "call_error invalid_json");
    assert_eq!(calls[1..], ["call_end"; 16]);
}

#[test]
fn arguments_in_pieces_that_pass_the_limit_are_no_call() {
    let piece = |goes_on: bool| {
        json!({"candidates": [{"content": {"parts": [{"functionCall": {
            "id": "c", "name": "f", "willContinue": goes_on,
            "partialArgs": [{"jsonPath": "$.a", "stringValue": "x".repeat(20)}]}}]}}]})
    };
    let stream = sse(&[piece(true), piece(true), piece(false)]);
    assert_eq!(
        calls(&read(Format::Gemini, (1000, 80), &stream)),
        ["call_end"]
    );
    assert_eq!(
        calls(&read(Format::Gemini, (1000, 60), &stream)),
        ["call_error invalid_json"]
    );
}

const LAST: &str = concat!(
    r#"data: {"candidates":[{"content":{"parts":[{"text":"a<"}]},"finishReason":"STOP"}]}"#,
    "\n\n"
);

#[test]
fn the_last_frame_of_gemini_waits_for_the_end_after_a_comment() {
    let stream = format!("{LAST}: ping\n\n");
    assert_eq!(rewritten(Format::Gemini, &stream, 7), stream);
    // What was found before it does not change that: the rest is added to it.
    let found = stream.replace("a<", "<think>b</think>a<");
    let out = rewritten(Format::Gemini, &found, 7);
    assert!(
        out.contains(r#"{"text":"<"}"#) && out.ends_with(": ping\n\n"),
        "{out}"
    );
    assert_eq!(out.matches("data: ").count(), 1, "{out}");
}

#[test]
fn the_last_frame_of_gemini_does_not_wait_for_ever() {
    let comments = format!(": {}\n\n", "ping".repeat(25)).repeat(700);
    let overlong = format!("data: {}\n\n", "x".repeat(500));
    for after in [comments, overlong] {
        let stream = format!("{LAST}{after}");
        let out = rewritten(Format::Gemini, &stream, stream.len());
        let (before, rest) = out.split_once(&after).unwrap();
        assert!(
            before.contains("STOP") && before.contains(r#"{"text":"a"}"#),
            "{out}"
        );
        assert!(
            rest.contains(r#"{"text":"<"}"#) && !rest.contains("STOP"),
            "{out}"
        );
        for size in 1..50 {
            assert_eq!(
                rewritten(Format::Gemini, &stream, size),
                out,
                "pieces of {size}"
            );
        }
    }
}

#[test]
fn an_overlong_frame_passes_the_same_however_it_is_cut() {
    let overlong = format!("data: {}\n\n", "x".repeat(500));
    let anthropic = json!({"type": "content_block_start", "index": 0,
        "content_block": {"type": "text", "text": ""}});
    let item = json!({"type": "message", "id": "m", "content": []});
    let responses = json!({"type": "response.output_item.added", "output_index": 0, "item": item});
    for (format, start) in [
        (Format::Anthropic, anthropic),
        (Format::Responses, responses),
    ] {
        let stream = format!(": a\n\n{}: b\n\n{overlong}", sse(&[start]));
        let out = rewritten(format, &stream, stream.len());
        assert!(out.contains(&overlong), "{out}");
        for size in 1..50 {
            assert_eq!(rewritten(format, &stream, size), out, "pieces of {size}");
        }
    }
}

#[test]
fn messages_of_a_response_that_are_open_at_once_keep_their_text() {
    let begins = |index: usize| {
        let item = json!({"type": "message", "id": format!("m{index}"), "content": []});
        json!({"type": "response.output_item.added", "output_index": index, "item": item})
    };
    let delta = |index: usize| {
        json!({"type": "response.output_text.delta", "output_index": index, "content_index": 0,
            "item_id": format!("m{index}"), "delta": format!("text{index} ")})
    };
    let stream: Vec<Value> = (0..20).map(begins).chain((0..20).map(delta)).collect();
    let out = rewritten(Format::Responses, &sse(&stream), 100);
    let again = shown(&read(Format::Responses, (10_000, 10_000), &out));
    for index in 0..20 {
        assert_eq!(
            again.matches(&format!("text{index} ")).count(),
            1,
            "{index}"
        );
    }
}

#[test]
fn ids_that_are_too_many_to_be_remembered_are_given_as_they_come() {
    let line = |index: usize| {
        let call = json!({"id": format!("c{index}"), "function": {"name": "f", "arguments": {}}});
        json!({"message": {"tool_calls": [call]}, "done": true, "done_reason": "stop"}).to_string()
            + "\n"
    };
    let stream: String = (0..20_000).map(line).collect();
    let events = read(Format::Ollama, (1000, 1000), &stream);
    let ids = events.iter().filter(|event| event["type"] == "call_end");
    let ids: Vec<&str> = ids.filter_map(|event| event["id"].as_str()).collect();
    assert_eq!(ids.len(), 20_000);
    assert!(
        ids.iter()
            .enumerate()
            .all(|(index, id)| *id == format!("c{index}"))
    );
}
