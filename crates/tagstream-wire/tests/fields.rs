//! What becomes of the fields of a frame: each text once and in its order, and no thought that is hidden
//! in any of them.

mod support;

use serde_json::{Value, json};
use support::messages;
use tagstream::Profile;
use tagstream_wire::Format;
use tagstream_wire::rewrite::{Options, Rewriter, Thinking};

fn calls() -> Profile {
    let text = "[thinking]\ntags = ['think']\n[calls]\ndialect = 'hermes'";
    tagstream::profile::parse(text).unwrap()
}

fn written(format: Format, thinking: Thinking, stream: &str) -> String {
    let mut options = Options::default();
    options.thinking = thinking;
    let mut rewriter = Rewriter::new(&calls(), format, options).unwrap();
    let mut out = Vec::new();
    rewriter.push(stream.as_bytes(), &mut out);
    rewriter.finish(&mut out);
    String::from_utf8(out).unwrap()
}

fn sse(frames: &[Value]) -> String {
    let frames = frames.iter().map(|frame| format!("data: {frame}\n\n"));
    frames.collect()
}

/// A chunk with a choice that has this delta, and these members beside it.
fn chunk(delta: Value, beside: Value) -> Value {
    let mut choice = json!({"index": 0, "delta": null, "finish_reason": null});
    choice["delta"] = delta;
    if let (Value::Object(choice), Value::Object(beside)) = (&mut choice, beside) {
        choice.extend(beside);
    }
    json!({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]})
}

const SECRET: &str = "SECRET";

#[test]
fn no_side_field_of_a_choice_has_a_hidden_thought() {
    let none = || json!({});
    let tokens = |text: &str| json!([{"token": text, "logprob": -1}]);
    let thought = || json!({"reasoning_content": SECRET});
    let logprobs = |logprobs: Value| json!({"logprobs": logprobs});
    for (delta, beside) in [
        (thought(), logprobs(json!({"tokens": [SECRET]}))),
        (
            json!({"content": "x"}),
            logprobs(json!({"content": tokens("x"), "reasoning": tokens(SECRET)})),
        ),
        (
            json!({"content": "x"}),
            logprobs(json!({"content": tokens("x"), "other": tokens(SECRET)})),
        ),
        (none(), logprobs(json!({"content": tokens(SECRET)}))),
        (
            json!({"reasoning_text": SECRET, "reasoning_opaque": SECRET}),
            none(),
        ),
        (
            json!({"reasoning_content": [{"type": "text", "text": SECRET}]}),
            none(),
        ),
        (json!({"reasoning": {"content": SECRET}}), none()),
        (
            json!({"content": [{"type": "reasoning", "reasoning": SECRET}]}),
            none(),
        ),
        (
            json!({"content": "x"}),
            json!({"provider_specific_fields": {"reasoning_content": SECRET}}),
        ),
        (
            json!({"content": "x"}),
            json!({"message": {"content": "x", "provider_specific_fields": {"reasoning": SECRET}}}),
        ),
        (
            json!({"content": "<think>SECRET</think>x", "text": "<think>SECRET</think>x",
                "content_list": [{"type": "text", "text": "<think>SECRET</think>x"}]}),
            none(),
        ),
    ] {
        let stream = sse(&[chunk(delta, beside)]);
        let out = written(Format::OpenAi, Thinking::Hide, &stream);
        assert!(!out.contains(SECRET), "{stream}{out}");
    }
}

#[test]
fn what_is_beside_text_alone_stays_where_thinking_is_hidden() {
    let logprobs = json!({"content": [{"token": "x", "logprob": -1}], "refusal": null});
    let beside = json!({"logprobs": logprobs, "token_ids": [1]});
    let older = json!({"id": "c", "object": "text_completion", "created": 1, "model": "m", "choices": [{"index": 0,
        "text": "x", "logprobs": {"tokens": ["x"], "token_logprobs": [-1], "text_offset": [0]}, "finish_reason": null}]});
    let first = chunk(json!({"role": "assistant", "content": "x"}), beside);
    for frame in [first, older] {
        let stream = sse(&[frame]);
        assert_eq!(written(Format::OpenAi, Thinking::Hide, &stream), stream);
    }
}

#[test]
fn what_snowflake_repeats_is_cleaned_like_the_content() {
    let text = "<think>a</think>x";
    let delta = json!({"role": "assistant", "content": text, "text": text,
        "content_list": [{"type": "text", "text": text}]});
    let out = written(
        Format::OpenAi,
        Thinking::Move,
        &sse(&[chunk(delta, json!({}))]),
    );
    let kept = r#""content":"x","text":"x","content_list":[{"type":"text","text":"x"}]"#;
    assert!(out.contains(kept), "{out}");
}

#[test]
fn gemini_repeats_no_hidden_thought_in_a_later_frame() {
    for parts in [json!([{"text": "x"}]), json!([]), Value::Null] {
        let side = json!({"chosenCandidates": [{"token": SECRET}]});
        let stream = sse(&[
            json!({"candidates": [{"content": {"parts": [{"text": SECRET, "thought": true}]}}]}),
            json!({"candidates": [{"content": {"parts": parts}, "logprobsResult": side}]}),
        ]);
        let out = written(Format::Gemini, Thinking::Hide, &stream);
        assert!(!out.contains(SECRET), "{out}");
    }
}

#[test]
fn a_value_that_nobody_reads_is_hidden_in_an_object_of_any_size() {
    let many: Vec<String> = (0..70).map(|n| format!("\"k{n}\":{n}")).collect();
    let many = many.join(",");
    let stream = format!(
        "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"reasoning\":\"SECRET\",{many},\"reasoning\":\"SECRET\"}}}}]}}\n\n"
    );
    let out = written(Format::OpenAi, Thinking::Hide, &stream);
    assert!(!out.contains(SECRET) && out.contains("k69"), "{out}");
}

#[test]
fn a_call_in_the_text_of_a_frame_has_its_number_before_a_native_one_in_it() {
    let call = r#"<tool_call>{"name":"f","arguments":{}}</tool_call>"#;
    let native = json!([{"index": 0, "id": "n", "type": "function", "function": {"name": "g", "arguments": "{}"}}]);
    let delta = json!({"role": "assistant", "content": call, "tool_calls": native});
    let out = written(
        Format::OpenAi,
        Thinking::Move,
        &sse(&[chunk(delta, json!({}))]),
    );
    let (found, native) = (
        out.find(r#""index":0,"id":"call_c_0""#),
        out.find(r#""index":1,"id":"n""#),
    );
    assert!(found.is_some() && found < native, "{out}");
}

/// What the deltas of a stream say, one after the other.
fn said(stream: &str) -> Vec<String> {
    let frames = stream
        .lines()
        .filter_map(|line| line.strip_prefix("data: "));
    let mut said = Vec::new();
    for frame in frames.filter_map(|frame| serde_json::from_str::<Value>(frame).ok()) {
        let delta = frame["choices"][0]["delta"].as_object().unwrap().clone();
        let own = [
            "reasoning_content",
            "reasoning",
            "content",
            "refusal",
            "tool_calls",
        ];
        for key in own.iter().filter(|key| delta.contains_key(**key)) {
            said.push(format!("{key} {}", delta[*key].as_str().unwrap_or("")));
        }
    }
    said
}

#[test]
fn what_one_frame_says_keeps_its_order() {
    let call = r#"<tool_call>{"name":"f","arguments":{}}</tool_call>"#;
    let refusal = format!("no{call}x");
    for (thinking, frames, expected) in [
        (
            Thinking::Move,
            vec![
                json!({"content": "a<"}),
                json!({"content": "b", "refusal": refusal}),
            ],
            vec![
                "content a<",
                "content b",
                "refusal no",
                "tool_calls ",
                "refusal x",
            ],
        ),
        (
            Thinking::Move,
            vec![
                json!({"reasoning_content": "a"}),
                json!({"reasoning": "b", "content": "<think>c"}),
            ],
            vec!["reasoning_content a", "reasoning bc"],
        ),
        (
            Thinking::Move,
            vec![json!({"reasoning_details": [{"text": "a"}], "content": "<think>b</think>c"})],
            vec!["reasoning_content ab", "content c"],
        ),
        (
            Thinking::Move,
            vec![json!({"thinking_blocks": [{"thinking": "a"}], "content": "x<think>b</think>c"})],
            vec![
                "reasoning_content a",
                "content x",
                "reasoning_content b",
                "content c",
            ],
        ),
        (
            Thinking::Keep,
            vec![json!({"reasoning": "a", "content": [{"thinking": "b"}, {"text": "c"}]})],
            vec!["reasoning ab", "content c"],
        ),
    ] {
        let frames: Vec<Value> = frames
            .into_iter()
            .map(|delta| chunk(delta, json!({})))
            .collect();
        let out = written(Format::OpenAi, thinking, &sse(&frames));
        assert_eq!(said(&out), expected, "{out}");
        let twice = written(Format::OpenAi, thinking, &out);
        assert_eq!(twice, out);
    }
}

#[test]
fn a_list_of_thoughts_under_the_name_of_a_text_is_one() {
    let delta = json!({"role": "assistant", "reasoning_content": [{"type": "text", "text": "a"}]});
    let stream = sse(&[chunk(delta, json!({}))]);
    let found = messages(&calls(), Format::OpenAi, [stream.as_bytes()]);
    assert_eq!(found[0]["thoughts"], json!(["a"]));
    let out = written(Format::OpenAi, Thinking::Move, &stream);
    assert_eq!(said(&out), ["reasoning_content a"]);
}

#[test]
fn a_whole_answer_stays_one() {
    let older = json!({"id": "c", "object": "text_completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "text": "a<think>b</think>c <thi", "finish_reason": null}]});
    let out = written(Format::OpenAi, Thinking::Hide, &older.to_string());
    let out: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(out["choices"][0]["text"], "ac <thi");
    for same in [
        r#"{"id":"c","choices":[]}"#,
        r#"{"choices":[{"text":"a"}]}"#,
    ] {
        assert_eq!(written(Format::OpenAi, Thinking::Move, same), same);
    }
}

#[test]
fn a_frame_that_is_nested_too_deeply_passes_with_a_notice() {
    for depth in [200, 100_000] {
        let (open, close) = ("[".repeat(depth), "]".repeat(depth));
        let rest = format!("\"z\":{open}{{\"x\":1,\"x\":2}}{close}");
        for (format, frame) in [
            (
                Format::OpenAi,
                format!("{{\"choices\":[{{\"delta\":{{\"content\":\"hi\"}}}}],{rest}}}"),
            ),
            (
                Format::Responses,
                format!("{{\"type\":\"response.created\",\"sequence_number\":1,{rest}}}"),
            ),
            (
                Format::Anthropic,
                format!("{{\"type\":\"message_start\",\"message\":{{}},{rest}}}"),
            ),
            (Format::Gemini, format!("{{\"candidates\":[],{rest}}}")),
            (
                Format::Ollama,
                format!("{{\"message\":{{\"content\":\"a\"}},{rest}}}"),
            ),
        ] {
            let stream = match format {
                Format::Ollama => format!("{frame}\n"),
                _ => format!("data: {frame}\n\n"),
            };
            for thinking in [Thinking::Move, Thinking::Hide, Thinking::Keep] {
                let mut options = Options::default();
                options.thinking = thinking;
                let mut rewriter = Rewriter::new(&calls(), format, options).unwrap();
                let mut out = Vec::new();
                rewriter.push(stream.as_bytes(), &mut out);
                let notices = rewriter.finish(&mut out);
                assert_eq!(String::from_utf8(out).unwrap(), stream);
                assert!(notices.iter().any(|notice| notice.code == "invalid_frame"));
            }
        }
    }
}

#[test]
fn what_is_no_object_in_a_list_of_objects_breaks_nothing() {
    for odd in [json!(true), json!("x"), json!(7), Value::Null, json!([[1]])] {
        let call = json!({"function": {"name": "f", "arguments": {}}});
        let message = json!({"role": "assistant", "content": [odd, "<think>a</think>"], "tool_calls": [odd, call]});
        let choice = json!({"index": 0, "message": message, "finish_reason": "stop"});
        let item = json!({"type": "message", "id": "m", "role": "assistant", "content": [odd, {"type": "output_text", "text": "<think>a</think>b"}]});
        let block = json!({"type": "content_block_start", "index": 0, "content_block": odd});
        let part = json!({"text": "<think>a</think>b"});
        for (format, json) in [
            (
                Format::OpenAi,
                chunk(
                    json!({"tool_calls": [odd], "content": "<think>a</think>"}),
                    json!({}),
                ),
            ),
            (
                Format::OpenAi,
                chunk(
                    json!({"tool_calls": [call, odd], "content": [odd]}),
                    json!({}),
                ),
            ),
            (Format::OpenAi, json!({"choices": [odd, choice]})),
            (Format::OpenAi, json!({"choices": [choice, odd]})),
            (Format::OpenAi, json!({"choices": [odd]})),
            (
                Format::Gemini,
                json!({"candidates": [odd, {"content": {"parts": [odd, part]}}, odd]}),
            ),
            (
                Format::Ollama,
                json!({"message": {"content": "<think>a</think>", "tool_calls": [odd, call]}, "done": true}),
            ),
            (Format::Anthropic, block),
            (
                Format::Anthropic,
                json!({"type": "message", "content": [odd, {"type": "text", "text": "<think>a</think>"}]}),
            ),
            (
                Format::Responses,
                json!({"id": "r", "object": "response", "status": "completed", "output": [odd, item]}),
            ),
        ] {
            for thinking in [Thinking::Move, Thinking::Hide, Thinking::Keep] {
                for (stream, start) in [
                    (format!("{json}\n"), ""),
                    (sse(std::slice::from_ref(&json)), "data: "),
                ] {
                    let out = written(format, thinking, &stream);
                    for line in out.lines() {
                        let line = line.strip_prefix("event: ").map_or(line, |_| "");
                        let data = line.strip_prefix(start).unwrap_or("");
                        let is_json = serde_json::from_str::<Value>(data).is_ok();
                        assert!(data.is_empty() || is_json, "{stream}{out}");
                    }
                }
            }
        }
    }
}

/// Thinking where no reader of the format looks for it, but a client may.
fn unread() -> Vec<(Format, Vec<Value>)> {
    let delta = || json!({"content": "x"});
    let text = "<think>SECRET</think>x";
    let thought = || json!({"type": "thinking", "thinking": SECRET, "signature": SECRET});
    let reasoning = || json!({"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": SECRET}]});
    let list = json!([thought(), {"type": "text", "text": text}]);
    let with = |key: &str, value: Value| {
        let mut frame = chunk(delta(), json!({}));
        frame[key] = value;
        frame
    };
    let split = |text: &str| json!([{"text": text}, {"text": text}]);
    let openai = [
        vec![
            chunk(delta(), json!({})),
            chunk(delta(), json!({"message": {"content": list}})),
        ],
        vec![
            chunk(
                json!({"content": "<think>", "content_list": split("")}),
                json!({}),
            ),
            chunk(
                json!({"content": SECRET, "content_list": split(SECRET)}),
                json!({}),
            ),
        ],
        vec![chunk(delta(), json!({"reasoning_content": SECRET}))],
        vec![with("reasoning_content", json!(SECRET))],
        vec![with(
            "provider_specific_fields",
            json!({"thinking_blocks": [thought()]}),
        )],
        vec![chunk(
            json!({"content": "x", "thinking": SECRET}),
            json!({}),
        )],
        vec![chunk(
            json!({"content": [{"type": "reasoning", "text": SECRET}]}),
            json!({}),
        )],
        vec![json!({"choices": [[{"index": 0, "delta": {"content": SECRET}}]]})],
        vec![
            chunk(
                json!({"audio": {"id": "a", "transcript": "<think>SEC"}}),
                json!({}),
            ),
            chunk(json!({"audio": {"transcript": "SECRET"}}), json!({})),
            chunk(json!({"audio": {"transcript": "</think>x"}}), json!({})),
        ],
    ];
    let line = json!({"message": {"role": "assistant", "content": "x", "thinking": SECRET},
        "response": text, "thinking": SECRET, "done": false});
    let start = |content: Value| json!({"type": "message_start", "message": {"content": content}});
    let block =
        |block: Value| json!({"type": "content_block_start", "index": 0, "content_block": block});
    let delta = |kind: Value, delta: Value| json!({"type": kind, "index": 0, "delta": delta});
    let anthropic = [
        start(list.clone()),
        block(json!({"thinking": SECRET})),
        block(json!({"type": 7, "thinking": SECRET})),
        delta(
            json!("content_block_delta"),
            json!({"type": null, "thinking": SECRET}),
        ),
        delta(
            json!(7),
            json!({"type": "thinking_delta", "thinking": SECRET}),
        ),
        delta(Value::Null, json!({"type": "text_delta", "text": SECRET})),
    ];
    let message =
        json!({"type": "message", "id": "m", "content": [{"type": "output_text", "text": text}]});
    let response = |kind: &str, output: Value| json!({"type": kind, "sequence_number": 1, "response": {"id": "r", "output": output}});
    let item = |kind: Value| json!({"type": kind, "sequence_number": 1, "output_index": 0, "item": reasoning()});
    let responses = [
        response("response.created", json!([reasoning(), message])),
        response("response.in_progress", json!([message, reasoning()])),
        response("response.completed", json!([[reasoning()], message])),
        json!({"type": {}, "sequence_number": 1, "item_id": "r", "delta": SECRET}),
        item(json!(7)),
    ];
    let parts = json!([[{"text": SECRET, "thought": true}], {"text": "x"}]);
    let candidate = json!({"content": {"parts": parts}});
    let gemini = [
        json!({"candidates": [candidate]}),
        json!({"candidates": [[{"content": {"parts": [{"text": SECRET, "thought": true}]}}]]}),
        json!({"candidates": [{"content": [{"parts": [{"text": text}]}]}]}),
    ];
    let alone = json!({"model": "q", "message": null, "done": false, "thinking": SECRET});
    let ollama = [line, alone].map(|line| (Format::Ollama, vec![line]));
    let mut all = Vec::from(ollama);
    all.extend(openai.map(|frames| (Format::OpenAi, frames)));
    all.extend(anthropic.map(|frame| (Format::Anthropic, vec![frame])));
    all.extend(responses.map(|frame| (Format::Responses, vec![frame])));
    all.extend(gemini.map(|frame| (Format::Gemini, vec![frame])));
    all
}

#[test]
fn thinking_that_no_reader_reads_is_hidden_too() {
    for (format, frames) in unread() {
        let stream = match format {
            Format::Ollama => format!("{}\n", frames[0]),
            _ => sse(&frames),
        };
        let out = written(format, Thinking::Hide, &stream);
        assert!(!out.contains(SECRET), "{format:?}\n{stream}\n{out}");
        let again = written(format, Thinking::Hide, &out);
        assert_eq!(again, out, "{format:?}\n{stream}");
    }
}

#[test]
fn a_text_that_cannot_be_read_is_removed_with_a_notice() {
    let frame = json!({"type": 7, "index": 0, "delta": {"type": "text_delta", "text": "x"}});
    for (thinking, is_noticed) in [(Thinking::Hide, true), (Thinking::Move, false)] {
        let mut options = Options::default();
        options.thinking = thinking;
        let mut rewriter = Rewriter::new(&calls(), Format::Anthropic, options).unwrap();
        let mut out = Vec::new();
        rewriter.push(sse(std::slice::from_ref(&frame)).as_bytes(), &mut out);
        let notices = rewriter.finish(&mut out);
        let is_dropped = notices.iter().any(|notice| notice.code == "dropped");
        assert_eq!(is_dropped, is_noticed);
        assert_eq!(
            out == sse(std::slice::from_ref(&frame)).as_bytes(),
            !is_noticed
        );
    }
}

#[test]
fn what_is_not_a_thought_stays_where_thinking_is_hidden() {
    let call = json!({"name": "f", "arguments": {"thinking": "a", "text": "<think>b</think>"}});
    let created = json!({"type": "response.created", "sequence_number": 0, "response": {"id": "r",
        "reasoning": {"effort": "low", "summary": "auto"}, "output": []}});
    let input = json!({"thinking": "a", "reasoning": "b"});
    let block = json!({"type": "tool_use", "id": "t", "name": "f", "input": input});
    let start = json!({"type": "content_block_start", "index": 0, "content_block": block});
    let part = json!({"functionCall": {"name": "f", "args": input}});
    for (format, frame) in [
        (
            Format::Ollama,
            json!({"message": {"content": "", "tool_calls": [{"function": call}]}, "done": false}),
        ),
        (Format::Responses, created),
        (Format::Anthropic, start),
        (
            Format::Gemini,
            json!({"candidates": [{"content": {"parts": [part]}}]}),
        ),
    ] {
        let stream = match format {
            Format::Ollama => format!("{frame}\n"),
            Format::Gemini => sse(&[frame]),
            _ => {
                let kind = frame["type"].as_str().unwrap();
                format!("event: {kind}\ndata: {frame}\n\n")
            }
        };
        assert_eq!(written(format, Thinking::Hide, &stream), stream);
    }
}

#[test]
fn a_transcript_is_a_text() {
    let frame = |text: &str| chunk(json!({"audio": {"transcript": text}}), json!({}));
    let stream = sse(&[frame("<think>a</think>"), frame("b")]);
    let out = written(Format::OpenAi, Thinking::Move, &stream);
    assert!(out.contains(r#""reasoning_content":"a""#), "{out}");
    assert!(
        out.contains(r#""transcript":"b""#) && !out.contains("think>"),
        "{out}"
    );
    assert_eq!(
        messages(&calls(), Format::OpenAi, [out.as_bytes()])[0]["content"],
        "b"
    );
}

#[test]
fn thoughts_in_parts_keep_their_order_where_they_are_kept_in_texts() {
    let parts = json!([{"type": "text", "text": "<think>a</think>x"}, {"type": "thinking", "thinking": "b"}]);
    let choice = json!({"index": 0, "message": {"role": "assistant", "content": parts}, "finish_reason": "stop"});
    let body = json!({"id": "c", "object": "chat.completion", "choices": [choice]}).to_string();
    let out = written(Format::OpenAi, Thinking::Keep, &body);
    let thoughts = |stream: &str| {
        messages(&calls(), Format::OpenAi, [stream.as_bytes()])[0]["thoughts"].clone()
    };
    assert_eq!(thoughts(&out), thoughts(&body));
}

#[test]
fn older_completions_are_completed_as_such() {
    let frames =
        ["a", "<think>b</think>", "c"].map(|text| json!({"choices": [{"index": 0, "text": text}]}));
    for frames in [&frames[..], &frames[1..]] {
        let out = written(Format::OpenAi, Thinking::Move, &sse(frames));
        let count = |text: &str| out.matches(text).count();
        assert_eq!(
            count("data: "),
            count("\"object\":\"text_completion\""),
            "{out}"
        );
        assert_eq!(count("data: "), count("\"id\":\"cmpl-0\""), "{out}");
    }
}

#[test]
fn events_in_another_format_pass_as_they_are() {
    let delta = json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "a"}});
    let stream = format!("event: content_block_delta\ndata: {delta}\n\n");
    for format in [Format::OpenAi, Format::Responses] {
        let mut rewriter = Rewriter::new(&calls(), format, Options::default()).unwrap();
        let mut out = Vec::new();
        rewriter.push(stream.as_bytes(), &mut out);
        let notices = rewriter.finish(&mut out);
        assert_eq!(String::from_utf8(out).unwrap(), stream);
        assert_eq!(notices[0].code, "invalid_frame");
    }
}
