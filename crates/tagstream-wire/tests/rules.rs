//! The rules of reading a stream, one by one.

#![allow(
    clippy::needless_pass_by_value,
    reason = "so that json! can be written in place"
)]

mod support;

use serde_json::{Value, json};
use support::{events, messages, of, profile};
use tagstream::CallErrorCode;
use tagstream::check::{CallText, Check, Checker, Problem, Verdict};
use tagstream::{CallSettings, ThinkingMode};
use tagstream_wire::{Aggregator, Format, Session, Whitespace, WireEvent};

/// A stream of OpenAI's, of these deltas of the first choice, without an end.
fn deltas(deltas: &[Value]) -> String {
    let frame = |delta: &Value| {
        format!(
            "data: {}\n\n",
            json!({"choices": [{"index": 0, "delta": delta}]})
        )
    };
    deltas.iter().map(frame).collect()
}

fn finish(reason: &str) -> String {
    format!(
        "data: {}\n\n",
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
    )
}

fn call(call: Value) -> Value {
    json!({"tool_calls": [call]})
}

/// A stream of Anthropic's, without event lines, which nothing depends on.
fn anthropic(frames: &[Value]) -> String {
    frames
        .iter()
        .map(|frame| format!("data: {frame}\n\n"))
        .collect()
}

fn start(index: u64, block: Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn piece(index: u64, delta: Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn text(index: u64, text: &str) -> Value {
    piece(index, json!({"type": "text_delta", "text": text}))
}

fn stop(index: u64) -> Value {
    json!({"type": "content_block_stop", "index": index})
}

fn end(reason: &str) -> [Value; 2] {
    let delta = json!({"type": "message_delta", "delta": {"stop_reason": reason}});
    [delta, json!({"type": "message_stop"})]
}

/// The kinds of events, with what they say.
fn short(events: &[Value]) -> Vec<String> {
    let show = |event: &Value| {
        let what = ["text", "code", "name", "reason", "closed"]
            .iter()
            .find_map(|key| event.get(key));
        let what = what.map_or(String::new(), |what| {
            what.as_str().map_or(what.to_string(), Into::into)
        });
        format!("{} {what}", event["type"].as_str().unwrap())
            .trim_end()
            .to_owned()
    };
    events.iter().map(show).collect()
}

fn openai(stream: &str) -> Vec<String> {
    short(&of(Format::OpenAi, stream))
}

fn claude(frames: &[Value]) -> Vec<String> {
    short(&of(Format::Anthropic, &anthropic(frames)))
}

// Thinking

#[test]
fn native_thinking_ends_where_text_or_a_call_begins() {
    let stream = deltas(&[
        json!({"reasoning_content": "a"}),
        json!({"content": "", "reasoning_content": "b"}),
        json!({"content": "c"}),
        json!({"reasoning": "d"}),
        call(json!({"index": 0, "id": "x", "function": {"name": "f", "arguments": "{}"}})),
    ]);
    assert_eq!(
        openai(&(stream + &finish("tool_calls"))),
        [
            "thought_start",
            "thought ab",
            "thought_end true",
            "text c",
            "thought_start",
            "thought d",
            "thought_end true",
            "call_start f",
            "call_delta {}",
            "call_end f",
            "finish tool_calls",
        ]
    );
}

#[test]
fn native_thinking_has_no_tag() {
    let stream = deltas(&[json!({"reasoning": "a"})]);
    let start = &of(Format::OpenAi, &stream)[0];
    assert_eq!(
        *start,
        json!({"type": "thought_start", "tag": null, "attributes": {}, "choice": 0})
    );
}

#[test]
fn white_space_alone_is_no_thought() {
    let stream = deltas(&[
        json!({"reasoning": "\n"}),
        json!({"reasoning": " "}),
        json!({"content": "a"}),
        json!({"reasoning": "\n"}),
        json!({"reasoning": "b"}),
    ]);
    assert_eq!(
        openai(&(stream + &finish("stop"))),
        [
            "text a",
            "thought_start",
            "thought \nb",
            "thought_end true",
            "finish stop"
        ]
    );
}

#[test]
fn native_thinking_inside_a_tagged_thought_is_part_of_it() {
    let stream = deltas(&[
        json!({"content": "<think>a"}),
        json!({"reasoning": "b"}),
        json!({"content": "c</think>d"}),
    ]);
    assert_eq!(
        openai(&(stream + &finish("stop"))),
        [
            "thought_start",
            "thought abc",
            "thought_end true",
            "text d",
            "finish stop"
        ]
    );
}

#[test]
fn native_thinking_can_be_dropped() {
    let mut profile = profile();
    profile.thinking.mode = ThinkingMode::Hide;
    let stream = deltas(&[json!({"reasoning": "a"}), json!({"content": "b"})]) + &finish("stop");
    let events = events(&profile, Format::OpenAi, [stream.as_bytes()]);
    assert_eq!(short(&events), ["text b", "finish stop"]);
}

#[test]
fn a_thought_that_the_stream_leaves_open_is_not_closed() {
    let stream = deltas(&[json!({"reasoning": "a"})]);
    assert_eq!(
        openai(&stream),
        [
            "thought_start",
            "thought a",
            "thought_end false",
            "notice truncated_stream"
        ]
    );
}

// Texts

#[test]
fn what_the_engine_holds_comes_before_the_finish() {
    let stream = deltas(&[json!({"content": "5 <thin"})]) + &finish("stop") + "data: [DONE]\n\n";
    assert_eq!(openai(&stream), ["text 5 <thin", "finish stop"]);
}

#[test]
fn text_comes_out_as_soon_as_its_frame_is_whole() {
    let mut seen = Vec::new();
    let mut session = Session::new(&profile(), Format::OpenAi).unwrap();
    let stream = deltas(&[json!({"content": "Hello"})]);
    session.push(stream.as_bytes(), &mut |event: WireEvent<'_>| {
        seen.push(serde_json::to_value(event).unwrap());
    });
    assert_eq!(short(&seen), ["text Hello"]);
}

#[test]
fn each_block_of_text_is_read_by_itself() {
    let frames = [
        start(0, json!({"type": "text", "text": ""})),
        text(0, "a <thi"),
        stop(0),
    ];
    let more = [
        start(1, json!({"type": "text", "text": ""})),
        text(1, "nk>b"),
        stop(1),
    ];
    let all = [&frames[..], &more, &end("end_turn")].concat();
    assert_eq!(claude(&all), ["text a <think>b", "finish end_turn"]);
}

#[test]
fn elements_of_all_blocks_are_numbered_together() {
    let blocks = [
        text(0, "<node>a</node>"),
        stop(0),
        text(1, "<node>b</node>"),
        stop(1),
    ];
    let events = of(
        Format::Anthropic,
        &anthropic(&[&blocks[..], &end("end_turn")].concat()),
    );
    let ids: Vec<_> = events
        .iter()
        .filter(|event| event["type"] == "element_end")
        .map(|e| &e["id"])
        .collect();
    assert_eq!(ids, [0, 1]);
}

// Calls

#[test]
fn a_call_may_start_with_its_name_before_its_id() {
    let stream = deltas(&[
        call(json!({"index": 0, "function": {"name": "f"}})),
        call(json!({"index": 0, "id": "a", "function": {"arguments": "{}"}})),
    ]);
    let events = of(Format::OpenAi, &(stream + &finish("tool_calls")));
    assert_eq!(
        events[0],
        json!({"type": "call_start", "index": 0, "id": "a", "name": "f", "choice": 0})
    );
}

#[test]
fn without_index_the_id_names_the_call_and_without_both_it_is_the_last() {
    let stream = deltas(&[
        call(json!({"id": "a", "function": {"name": "f", "arguments": "{\"x\":"}})),
        call(json!({"id": "b", "function": {"name": "g", "arguments": "{\"y\":"}})),
        call(json!({"function": {"arguments": "2}"}})),
        call(json!({"id": "a", "function": {"arguments": "1}"}})),
    ]);
    let [message] = &messages(
        &profile(),
        Format::OpenAi,
        [(stream + &finish("tool_calls")).as_bytes()],
    )[..] else {
        panic!("it has one choice");
    };
    assert_eq!(
        message["tool_calls"],
        json!([{"id": "a", "name": "f", "arguments": {"x": 1}}, {"id": "b", "name": "g", "arguments": {"y": 2}}])
    );
}

#[test]
fn empty_ids_and_names_are_none() {
    let stream = deltas(&[
        call(json!({"index": 0, "id": "a", "function": {"name": "f", "arguments": "{"}})),
        call(json!({"index": 0, "id": "", "function": {"name": "", "arguments": "}"}})),
    ]);
    assert_eq!(
        openai(&(stream + &finish("tool_calls"))),
        [
            "call_start f",
            "call_delta {}",
            "call_end f",
            "finish tool_calls"
        ]
    );
}

#[test]
fn a_call_without_a_name_is_malformed() {
    let stream = deltas(&[call(
        json!({"index": 0, "id": "a", "function": {"arguments": "{}"}}),
    )]);
    assert_eq!(
        openai(&(stream + &finish("stop"))),
        ["call_error malformed_call", "finish stop"]
    );
}

#[test]
fn arguments_that_are_no_object_are_invalid() {
    for arguments in ["{\"x\":", "[1]", "{} {}", "5", "\"x\""] {
        let stream = deltas(&[call(
            json!({"index": 0, "id": "a", "function": {"name": "f", "arguments": arguments}}),
        )]);
        let events = of(Format::OpenAi, &(stream + &finish("tool_calls")));
        let error = events
            .iter()
            .find(|event| event["type"] == "call_error")
            .unwrap();
        assert_eq!(
            (&error["code"], &error["raw"]),
            (&json!("invalid_json"), &json!(arguments))
        );
    }
}

#[test]
fn no_arguments_are_an_empty_object() {
    for arguments in [
        json!(""),
        json!(null),
        json!(" "),
        json!("null"),
        json!("\"{}\""),
    ] {
        let stream = deltas(&[call(
            json!({"index": 0, "id": "a", "function": {"name": "f", "arguments": arguments}}),
        )]);
        let events = of(Format::OpenAi, &(stream + &finish("tool_calls")));
        let end = events
            .iter()
            .find(|event| event["type"] == "call_end")
            .unwrap();
        assert_eq!(end["arguments"], json!({}), "{arguments}");
    }
}

#[test]
fn arguments_that_go_too_deep_are_refused() {
    let deep = format!("{{\"x\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let stream = deltas(&[call(
        json!({"index": 0, "id": "a", "function": {"name": "f", "arguments": deep}}),
    )]);
    assert!(
        openai(&(stream + &finish("tool_calls")))
            .iter()
            .any(|line| line.starts_with("call_error"))
    );
}

#[test]
fn arguments_beyond_the_limit_are_refused_and_not_kept() {
    let mut profile = profile();
    profile.limits.value = 10;
    let stream = deltas(&[
        call(json!({"index": 0, "id": "a", "function": {"name": "f", "arguments": "{\"x\":\""}})),
        call(json!({"index": 0, "function": {"arguments": "0123456789"}})),
        call(json!({"index": 0, "function": {"arguments": "\"}"}})),
    ]);
    let stream = stream + &finish("tool_calls");
    let events = events(&profile, Format::OpenAi, [stream.as_bytes()]);
    let error = events
        .iter()
        .find(|event| event["type"] == "call_error")
        .unwrap();
    assert_eq!(
        (&error["code"], &error["raw"]),
        (&json!("limit"), &json!("{\"x\":\""))
    );
}

#[test]
fn two_whole_calls_with_one_id_get_two() {
    let message = json!({"choices": [{"message": {"tool_calls": [
        {"id": "a", "function": {"name": "f", "arguments": "{}"}},
        {"id": "a", "function": {"name": "g", "arguments": "{}"}},
    ]}, "finish_reason": "tool_calls"}]});
    let events = of(Format::OpenAi, &message.to_string());
    let ids: Vec<_> = events
        .iter()
        .filter(|event| event["type"] == "call_end")
        .map(|e| &e["id"])
        .collect();
    assert_eq!(ids, ["a", "call_1"]);
}

#[derive(Debug)]
struct OnlyF;

impl Check for OnlyF {
    fn check(&self, call: &CallText<'_>) -> Verdict {
        match call.name {
            "f" => Verdict::valid("{\"checked\":true}", vec!["so".into()]),
            _ => Verdict::Invalid(vec![Problem::new(
                CallErrorCode::UnknownTool,
                None,
                "no such tool",
            )]),
        }
    }
}

#[test]
fn a_checker_judges_native_calls_too() {
    let calls = CallSettings::default().checker(Checker::new(OnlyF));
    let profile = profile().calls(calls);
    let stream = deltas(&[
        call(json!({"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}})),
        call(json!({"index": 1, "id": "b", "function": {"name": "g", "arguments": "{}"}})),
    ]);
    let stream = stream + &finish("tool_calls");
    let events = events(&profile, Format::OpenAi, [stream.as_bytes()]);
    let kinds = short(&events);
    assert_eq!(
        kinds[4..],
        [
            "notice repaired",
            "call_end f",
            "call_error unknown_tool",
            "finish tool_calls"
        ]
    );
    assert_eq!(events[5]["arguments"], json!({"checked": true}));
}

// Anthropic streams that are not as they should be

#[test]
fn indices_with_gaps_and_repeated_ones_are_read() {
    for second in [0, 5] {
        let frames = [text(0, "a"), stop(0), text(second, "b"), stop(second)];
        let all = [&frames[..], &end("end_turn")].concat();
        assert_eq!(claude(&all), ["text ab", "finish end_turn"]);
    }
}

#[test]
fn starts_and_ends_may_be_missing_or_come_twice() {
    let begin = json!({"type": "message_start", "message": {"content": []}});
    let bare = [text(0, "a"), json!({"type": "message_stop"})];
    assert_eq!(claude(&bare), ["text a"]);
    assert_eq!(
        claude(&[
            begin.clone(),
            begin,
            text(0, "a"),
            end("end_turn")[0].clone()
        ]),
        ["text a", "finish end_turn"]
    );
    assert_eq!(
        claude(&[start(0, json!({"type": "text"})), text(0, "a")]),
        ["text a", "notice truncated_stream"]
    );
}

#[test]
fn a_tool_block_may_have_an_odd_input() {
    for input in [json!(""), json!(null), json!({})] {
        let block = json!({"type": "tool_use", "id": "t", "name": "f", "input": input});
        let json = piece(
            0,
            json!({"type": "input_json_delta", "partial_json": "{\"x\":1}"}),
        );
        let all = [&[start(0, block), json, stop(0)][..], &end("tool_use")].concat();
        assert_eq!(
            claude(&all),
            [
                "call_start f",
                "call_delta {\"x\":1}",
                "call_end f",
                "finish tool_use"
            ]
        );
    }
    let block = json!({"type": "tool_use", "id": "t", "name": "f", "input": {"x": 1}});
    assert_eq!(claude(&[start(0, block), stop(0)])[2], "call_end f");
}

#[test]
fn invalid_partial_json_is_a_call_error() {
    let block = json!({"type": "tool_use", "id": "t", "name": "f", "input": {}});
    let json = piece(
        0,
        json!({"type": "input_json_delta", "partial_json": "{\"x\""}),
    );
    let all = [&[start(0, block), json, stop(0)][..], &end("tool_use")].concat();
    assert!(
        of(Format::Anthropic, &anthropic(&all))
            .iter()
            .any(|event| event["code"] == "invalid_json")
    );
}

#[test]
fn a_delta_of_a_call_that_did_not_start_is_nothing() {
    let json = piece(0, json!({"type": "input_json_delta", "partial_json": "{}"}));
    assert_eq!(
        claude(&[&[json][..], &end("end_turn")].concat()),
        ["finish end_turn"]
    );
}

// Streams

#[test]
fn a_finish_for_calls_that_did_not_come_is_only_that() {
    assert_eq!(openai(&finish("tool_calls")), ["finish tool_calls"]);
}

#[test]
fn an_empty_finish_reason_is_none() {
    let frame = json!({"choices": [{"delta": {"content": "a"}, "finish_reason": ""}]});
    assert_eq!(
        openai(&format!("data: {frame}\n\ndata: [DONE]\n\n")),
        ["text a"]
    );
}

#[test]
fn a_stream_without_anything_is_truncated() {
    assert_eq!(openai(""), ["notice truncated_stream"]);
    assert_eq!(openai(": keep-alive\n\n"), ["notice truncated_stream"]);
}

#[test]
fn each_choice_that_did_not_finish_is_truncated() {
    let frame = |index: u64, reason: Value| {
        let choice = json!({"index": index, "delta": {"content": "x"}, "finish_reason": reason});
        format!("data: {}\n\n", json!({"choices": [choice]}))
    };
    let stream = frame(0, json!("stop")) + &frame(1, json!(null)) + &frame(2, json!(null));
    let cut: Vec<_> = of(Format::OpenAi, &stream)
        .into_iter()
        .filter(|event| event["code"] == "truncated_stream")
        .map(|event| event["choice"].clone())
        .collect();
    assert_eq!(cut, [1, 2]);
}

#[test]
fn a_frame_that_cannot_be_read_is_reported_with_its_place() {
    let stream = "data: {\"choices\":[]}\n\ndata: {oops}\n\ndata: [DONE]\n\n";
    let events = of(Format::OpenAi, stream);
    assert_eq!(events[0]["code"], "invalid_frame");
    assert!(
        events[0]["message"]
            .as_str()
            .unwrap()
            .starts_with("the frame at byte 22 cannot be read: ")
    );
}

#[test]
fn a_frame_beyond_the_limit_is_passed_over() {
    let session = Session::new(&profile(), Format::OpenAi)
        .unwrap()
        .frame_limit(200);
    let stream =
        deltas(&[json!({"content": "x".repeat(300)}), json!({"content": "y"})]) + &finish("stop");
    let events = support::events_with(session, [stream.as_bytes()]);
    assert_eq!(short(&events), ["notice limit", "text y", "finish stop"]);
}

#[test]
fn choices_without_number_are_bounded() {
    let frame = |index: u64| {
        format!(
            "data: {}\n\n",
            json!({"choices": [{"index": index, "delta": {"content": "x"}}]})
        )
    };
    let stream: String = (0..1100).map(frame).collect();
    let count = |kind: &str| openai(&stream).iter().filter(|line| *line == kind).count();
    assert_eq!((count("text x"), count("notice limit")), (1024, 76));
}

#[test]
fn plain_text_is_read_as_it_comes() {
    let pieces = ["Hi <thi", "nk>a</think>", " there"].map(str::as_bytes);
    for format in [Format::Auto, Format::Text] {
        assert_eq!(
            short(&events(&profile(), format, pieces)),
            [
                "text Hi",
                "thought_start",
                "thought a",
                "thought_end true",
                "text  there"
            ]
        );
    }
}

// Messages

fn content(whitespace: Whitespace, text: &str) -> String {
    let mut aggregator = Aggregator::new().whitespace(whitespace);
    let mut session = Session::new(&profile(), Format::Text).unwrap();
    let mut sink = |event: WireEvent<'_>| aggregator.event(&event);
    session.push(text.as_bytes(), &mut sink);
    session.finish(&mut sink);
    aggregator.finish().remove(0).content
}

#[test]
fn white_space_around_a_tag_is_left_as_asked_for() {
    let text = "One<node/>two.\n\nThree <node>x</node> four";
    for (whitespace, expected) in [
        (Whitespace::Split, "Onetwo.\n\nThreefour"),
        (Whitespace::AsIs, "Onetwo.\n\nThree  four"),
        (Whitespace::Preserve, "One two.\n\nThree  four"),
        (Whitespace::Collapse, "One two. Three four"),
    ] {
        assert_eq!(content(whitespace, text), expected);
    }
}

// Gemini

#[test]
fn gemini_finishes_once_and_with_the_reason_given_last() {
    let frame = |text: &str, reason: &str| {
        let candidate = json!({"content": {"parts": [{"text": text}]}, "finishReason": reason});
        format!("data: {}\n\n", json!({"candidates": [candidate]}))
    };
    let stream = frame("a", "STOP") + &frame("b", "MAX_TOKENS");
    assert_eq!(
        short(&of(Format::Gemini, &stream)),
        ["text ab", "finish MAX_TOKENS"]
    );
}

#[test]
fn arguments_on_several_lines_do_not_break_the_line_of_a_message() {
    let body = "{\"type\":\"message\",\"content\":[{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"f\",\"input\":{\n\"x\":\r\n1}}]}";
    let mut session = Session::new(&profile(), Format::Anthropic).unwrap();
    let mut aggregator = Aggregator::new();
    let mut sink = |event: WireEvent<'_>| aggregator.event(&event);
    session.push(body.as_bytes(), &mut sink);
    session.finish(&mut sink);
    let message = serde_json::to_string(&aggregator.finish()[0]).unwrap();
    assert!(message.contains(r#"{ "x":  1}"#), "{message}");
}

#[test]
fn json_that_is_no_providers_is_text() {
    for text in [
        r#"{"type":"message","text":"hi"}"#,
        r#"{"error":"not found","code":404}"#,
        r#"{"id":"x","object":"response"}"#,
        r#"{"choices":"many"}"#,
    ] {
        let expected = [json!({"type": "text", "text": text, "choice": 0})];
        assert_eq!(of(Format::Auto, text), expected);
    }
}

#[test]
fn a_later_usage_keeps_what_it_does_not_say_again() {
    let stream = concat!(
        r#"data: {"type":"message_start","message":{"usage":{"input_tokens":9,"output_tokens":1}}}"#,
        "\n\n",
        r#"data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":5}}"#,
        "\n\n",
        r#"data: {"type":"message_stop"}"#,
        "\n\n",
    );
    let message = support::messages(&profile(), Format::Anthropic, [stream.as_bytes()]).remove(0);
    let usage = json!({"input_tokens": 9, "output_tokens": 5});
    assert_eq!(message["usage"], usage);
}
