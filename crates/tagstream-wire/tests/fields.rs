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
