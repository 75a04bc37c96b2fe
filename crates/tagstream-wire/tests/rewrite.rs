//! Streams written again.

mod support;

use serde_json::{Value, json};
use support::{Recorded, Rng, messages, profile, recorded};
use tagstream::Profile;
use tagstream_wire::rewrite::{Options, Refused, RewriteError, Rewriter, Thinking};
use tagstream_wire::{Content, Format, Framing};

/// Thinking, and calls as Hermes writes them.
fn calls() -> Profile {
    let text = "[thinking]\ntags = ['think']\n[calls]\ndialect = 'hermes'";
    tagstream::profile::parse(text).unwrap()
}

const CALL: &str = r#"<tool_call>{"name":"f","arguments":{"x":1}}</tool_call>"#;

fn options(thinking: Thinking) -> Options {
    let mut options = Options::default();
    options.thinking = thinking;
    options
}

fn rewrite<'a>(
    profile: &Profile,
    format: Format,
    options: Options,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Vec<u8> {
    let mut rewriter = Rewriter::new(profile, format, options).unwrap();
    let mut out = Vec::new();
    for piece in pieces {
        rewriter.push(piece, &mut out);
    }
    rewriter.finish(&mut out);
    out
}

fn rewritten(format: Format, options: Options, stream: &str) -> String {
    let out = rewrite(&calls(), format, options, [stream.as_bytes()]);
    String::from_utf8(out).unwrap()
}

/// The data of all frames.
fn data(stream: &str) -> Vec<Value> {
    let mut seen = Vec::new();
    let mut framing = Framing::new(1 << 20);
    let mut each = |frame: tagstream_wire::Frame<'_>| {
        if let Content::Message(message) = frame.content {
            let data = message.data.unwrap_or_default();
            seen.extend(serde_json::from_str::<Value>(&data));
        }
    };
    framing.push(stream.as_bytes(), &mut each);
    framing.finish(&mut each);
    seen
}

// --- all recorded streams ---

#[test]
fn the_cut_of_a_stream_changes_nothing() {
    for stream in recorded() {
        for thinking in [Thinking::Move, Thinking::Hide, Thinking::Keep] {
            let run = |pieces: Vec<&[u8]>| {
                let out = rewrite(&profile(), stream.format, options(thinking), pieces);
                String::from_utf8_lossy(&out).into_owned()
            };
            let whole = run(vec![&stream.bytes]);
            let mut rng = Rng::new(11);
            assert_eq!(
                run(stream.bytes.chunks(1).collect()),
                whole,
                "{}",
                stream.name
            );
            for _ in 0..10 {
                assert_eq!(run(rng.cut(&stream.bytes)), whole, "{}", stream.name);
            }
        }
    }
}

#[test]
fn no_cut_in_two_changes_anything() {
    let profile = profile();
    for stream in recorded() {
        let run = |pieces: [&[u8]; 2]| {
            let out = rewrite(&profile, stream.format, Options::default(), pieces);
            String::from_utf8_lossy(&out).into_owned()
        };
        let whole = run([&stream.bytes, &[]]);
        for at in 0..stream.bytes.len() {
            let (one, two) = stream.bytes.split_at(at);
            assert_eq!(run([one, two]), whole, "{} at {at}", stream.name);
        }
    }
}

/// The frames of a stream, as they came.
fn frames(stream: &[u8]) -> Vec<Vec<u8>> {
    let mut frames = Vec::new();
    let mut framing = Framing::new(1 << 20);
    let mut each = |frame: tagstream_wire::Frame<'_>| frames.push(frame.raw.to_vec());
    framing.push(stream, &mut each);
    framing.finish(&mut each);
    frames
}

#[test]
fn frames_that_are_lost_repeated_or_moved_do_no_harm() {
    let profile = calls();
    let mut rng = Rng::new(29);
    for stream in recorded() {
        let frames = frames(&stream.bytes);
        for _ in 0..40 {
            let mut bytes = Vec::new();
            for frame in &frames {
                match rng.below(8) {
                    0 => {}
                    1 => bytes.extend([&frame[..], frame].concat()),
                    2 => bytes.extend(&frames[rng.below(frames.len())]),
                    _ => bytes.extend(frame),
                }
            }
            let thinking = [Thinking::Move, Thinking::Hide, Thinking::Keep][rng.below(3)];
            let run = |pieces: Vec<&[u8]>| {
                let out = rewrite(&profile, stream.format, options(thinking), pieces);
                String::from_utf8_lossy(&out).into_owned()
            };
            let whole = run(vec![&bytes]);
            assert_eq!(run(rng.cut(&bytes)), whole, "{}", stream.name);
        }
    }
}

/// What a message says, whatever place it says it in.
fn meaning(message: &Value, stream: &Recorded) -> Value {
    let thoughts = message["thoughts"].as_array().unwrap();
    let thoughts: String = thoughts.iter().map(|t| t.as_str().unwrap()).collect();
    let mut calls = message["tool_calls"].as_array().unwrap().clone();
    for call in &mut calls {
        // Ids that nobody gave are made; those that a format has no place for are lost.
        if call["id"].as_str().unwrap().starts_with("call_") || stream.format == Format::Gemini {
            call["id"] = Value::Null;
        }
    }
    calls.sort_by_key(Value::to_string);
    json!({
        "content": message["content"], "thoughts": thoughts, "calls": calls,
        "finish": message["finish_reason"], "usage": message["usage"],
    })
}

#[test]
fn a_rewritten_stream_says_the_same() {
    let nothing = Profile::new();
    let thinking = tagstream::profile::parse("[thinking]\ntags = ['think']").unwrap();
    for stream in recorded() {
        let bytes = &stream.bytes[..];
        let out = rewrite(&thinking, stream.format, Options::default(), [bytes]);
        let before = messages(&thinking, stream.format, [bytes]);
        // With nothing left to find: the format says it all.
        let after = messages(&nothing, stream.format, [&out[..]]);
        let all = |messages: &[Value]| -> Vec<Value> {
            messages.iter().map(|one| meaning(one, &stream)).collect()
        };
        assert_eq!(all(&after), all(&before), "{}", stream.name);
    }
}

#[test]
fn a_second_time_nothing_changes() {
    for stream in recorded() {
        for thinking in [Thinking::Move, Thinking::Hide] {
            let run = |bytes: &[u8]| rewrite(&profile(), stream.format, options(thinking), [bytes]);
            let once = run(&stream.bytes);
            let [twice, once] =
                [run(&once), once].map(|b| String::from_utf8_lossy(&b).into_owned());
            assert_eq!(twice, once, "{}", stream.name);
        }
    }
}

#[test]
fn a_stream_with_nothing_to_do_is_passed_byte_for_byte() {
    let same: Vec<String> = recorded()
        .into_iter()
        .filter(|stream| {
            let bytes = &stream.bytes[..];
            rewrite(&profile(), stream.format, Options::default(), [bytes]) == bytes
        })
        .map(|stream| stream.name)
        .collect();
    for name in [
        "openai-logprobs.sse",
        "openai-tool-calls.sse",
        "openai-cr.sse",
        "openai-refusal.sse",
        "deepseek-keep-alive.sse",
        "deepseek-blank-lines.json",
        "sglang-nulls.sse",
        "llamacpp-pings.sse",
        "vllm-continuous-usage.sse",
        "vllm-error-then-done.sse",
        "vllm-old-error-body.json",
        "openrouter-error.sse",
        "anthropic-two-texts.sse",
        "anthropic-unknown-events.sse",
        "anthropic-error.sse",
        "anthropic-cut-off.sse",
        "anthropic-body.json",
        "gemini-body.json",
        "gemini-two-candidates.sse",
        "ollama-generate.ndjson",
        "ollama-error.ndjson",
        "ollama-body.json",
    ] {
        assert!(same.contains(&name.to_owned()), "{name}");
    }
}

// --- OpenAI ---

/// A stream of one choice with these deltas.
fn openai(deltas: &[Value], finish: &str) -> String {
    let chunk = |delta: &Value, finish: Value| {
        let choices = json!([{"index": 0, "delta": delta, "finish_reason": finish}]);
        let chunk = json!({"id": "chatcmpl-Ab", "object": "chat.completion.chunk", "created": 1,
            "model": "m", "choices": choices});
        format!("data: {chunk}\n\n")
    };
    let mut stream: String = deltas
        .iter()
        .map(|delta| chunk(delta, Value::Null))
        .collect();
    stream.push_str(&chunk(&json!({}), json!(finish)));
    stream + "data: [DONE]\n\n"
}

fn texts(pieces: &[&str]) -> Vec<Value> {
    let mut deltas = vec![json!({"role": "assistant", "content": ""})];
    deltas.extend(pieces.iter().map(|text| json!({"content": text})));
    deltas
}

/// The deltas of a stream of one choice, and the reasons it ends for.
fn deltas(stream: &str) -> (Vec<Value>, Vec<Value>) {
    let (mut deltas, mut reasons) = (Vec::new(), Vec::new());
    for chunk in data(stream) {
        for choice in chunk["choices"].as_array().unwrap() {
            assert_eq!(chunk["id"], "chatcmpl-Ab");
            assert_eq!(chunk["object"], "chat.completion.chunk");
            deltas.push(choice["delta"].clone());
            reasons.extend(Some(choice["finish_reason"].clone()).filter(|r| !r.is_null()));
        }
    }
    (deltas, reasons)
}

fn found(pieces: &[&str], finish: &str, options: Options) -> (Vec<Value>, Vec<Value>) {
    deltas(&rewritten(
        Format::OpenAi,
        options,
        &openai(&texts(pieces), finish),
    ))
}

fn call(index: u64) -> Value {
    json!({"tool_calls": [{"index": index, "id": format!("call_Ab_{index}"), "type": "function",
        "function": {"name": "f", "arguments": "{\"x\":1}"}}]})
}

#[test]
fn calls_are_numbered_from_0_and_end_with_tool_calls() {
    let (deltas, reasons) = found(&["Hi ", CALL, "\n", CALL], "stop", Options::default());
    let role = json!({"role": "assistant", "content": ""});
    assert_eq!(
        deltas,
        [role, json!({"content": "Hi "}), call(0), call(1), json!({})]
    );
    assert_eq!(reasons, ["tool_calls"]);
}

#[test]
fn a_reason_other_than_stop_is_left() {
    for reason in ["length", "content_filter"] {
        assert_eq!(found(&[CALL], reason, Options::default()).1, [reason]);
    }
    assert_eq!(found(&["Hi"], "stop", Options::default()).1, ["stop"]);
}

#[test]
fn a_choice_finishes_once() {
    let twice = openai(&texts(&["Hi"]), "stop").replace("data: [DONE]\n\n", "")
        + &openai(&[json!({})], "stop");
    let (_, reasons) = deltas(&rewritten(Format::OpenAi, Options::default(), &twice));
    assert_eq!(reasons, ["stop"]);
}

#[test]
fn the_parser_is_flushed_before_the_finish() {
    let (deltas, _) = found(&["a <"], "stop", Options::default());
    let [.., flushed, finish] = &deltas[..] else {
        panic!("{deltas:?}")
    };
    assert_eq!((flushed, finish), (&json!({"content": "a <"}), &json!({})));
}

#[test]
fn text_thoughts_and_calls_come_in_their_order() {
    let text = format!("a<think>b</think>c{CALL}d");
    let (deltas, _) = found(&[&text], "stop", Options::default());
    let expected = [
        json!({"role": "assistant", "content": ""}),
        json!({"content": "a"}),
        json!({"reasoning_content": "b"}),
        json!({"content": "c"}),
        call(0),
        json!({"content": "d"}),
        json!({}),
    ];
    assert_eq!(deltas, expected);
}

#[test]
fn the_role_comes_once_and_first() {
    let stream = openai(
        &[
            json!({"role": "assistant", "content": "<think>a</think>b"}),
            json!({"role": "assistant", "content": "c"}),
        ],
        "stop",
    );
    let (deltas, _) = deltas(&rewritten(Format::OpenAi, Options::default(), &stream));
    let expected = [
        json!({"role": "assistant", "reasoning_content": "a"}),
        json!({"content": "b"}),
        json!({"content": "c"}),
        json!({}),
    ];
    assert_eq!(deltas, expected);
}

#[test]
fn the_field_of_thinking_can_be_named_and_is_one() {
    let mut named = Options::default();
    named.reasoning_field = Some("reasoning".into());
    let (deltas, _) = found(&["<think>a</think>"], "stop", named.clone());
    assert_eq!(deltas[1], json!({"reasoning": "a"}));
    let stream = openai(
        &[json!({"role": "assistant", "reasoning": "a", "reasoning_content": "a"})],
        "stop",
    );
    let out = rewritten(Format::OpenAi, named, &stream);
    assert!(out.contains(r#""reasoning":"a""#) && !out.contains("reasoning_content"));
}

#[test]
fn hidden_thinking_is_nowhere_and_kept_thinking_is_where_it_was() {
    let pieces = ["<thi", "nk>a</think>b"];
    let native = json!({"role": "assistant", "reasoning_content": "n"});
    let mut all = vec![native];
    all.extend(texts(&pieces).into_iter().skip(1));
    let stream = openai(&all, "stop");
    let hidden = rewritten(Format::OpenAi, options(Thinking::Hide), &stream);
    let (deltas, _) = deltas(&hidden);
    let role = json!({"role": "assistant"});
    assert_eq!(deltas, [role, json!({"content": "b"}), json!({})]);
    let kept = rewritten(Format::OpenAi, options(Thinking::Keep), &stream);
    assert_eq!(kept, stream);
    assert!(kept.contains(r#""reasoning_content":"n""#));
}

#[test]
fn native_calls_keep_their_ids_and_share_the_numbers() {
    let native = |index: u64, id: &str| {
        json!({"tool_calls": [{"index": index, "id": id, "type": "function",
            "function": {"name": "g", "arguments": "{}"}}]})
    };
    let stream = openai(
        &[
            json!({"role": "assistant", "content": CALL}),
            native(0, "a"),
            native(1, "b"),
        ],
        "tool_calls",
    );
    let (deltas, reasons) = deltas(&rewritten(Format::OpenAi, Options::default(), &stream));
    let mut first = call(0);
    first["role"] = json!("assistant");
    assert_eq!(deltas, [first, native(1, "a"), native(2, "b"), json!({})]);
    assert_eq!(reasons, ["tool_calls"]);
}

#[test]
fn a_native_call_repeats_neither_its_id_nor_its_name() {
    let piece = |arguments: &str| {
        json!({"tool_calls": [{"index": 0, "id": "a", "type": "function",
            "function": {"name": "g", "arguments": arguments}}]})
    };
    let stream = openai(
        &[json!({"role": "assistant"}), piece("{"), piece("}")],
        "tool_calls",
    );
    let (deltas, _) = deltas(&rewritten(Format::OpenAi, Options::default(), &stream));
    let rest =
        json!({"tool_calls": [{"index": 0, "type": "function", "function": {"arguments": "}"}}]});
    assert_eq!(deltas[1..3], [piece("{"), rest]);
}

#[test]
fn edited_frames_lose_obfuscation_and_logprobs_and_keep_all_else() {
    let frame = |text: &str| {
        format!(
            "data: {{\"id\":\"chatcmpl-Ab\",\"object\":\"chat.completion.chunk\",\"created\":1.0,\"model\":\"m\",\
             \"choices\":[{{\"index\":0,\"delta\":{{\"role\":\"assistant\",\"content\":\"{text}\"}},\
             \"logprobs\":{{\"content\":[]}},\"finish_reason\":null}}],\"x\":[1e3],\"obfuscation\":\"q\"}}\n\n"
        )
    };
    let same = frame("Hi");
    assert_eq!(rewritten(Format::OpenAi, Options::default(), &same), same);
    let edited = frame("<think>a</think>Hi").replace("<think>a</think>", "");
    let edited = edited.replace("{\"content\":[]}", "null");
    let edited = edited.replace(",\"obfuscation\":\"q\"", "");
    let out = rewritten(
        Format::OpenAi,
        options(Thinking::Hide),
        &frame("<think>a</think>Hi"),
    );
    assert_eq!(out, edited);
}

#[test]
fn a_usage_frame_has_choices_and_is_never_lost() {
    let usage = "data: {\"id\":\"chatcmpl-Ab\",\"object\":\"chat.completion.chunk\",\"created\":1,\
                 \"model\":\"m\",\"choices\":[],\"usage\":{\"n\":1}}\n\n";
    assert_eq!(rewritten(Format::OpenAi, Options::default(), usage), usage);
    for other in [
        usage.replace("[]", "null"),
        usage.replace("\"choices\":[],", ""),
    ] {
        let out = data(&rewritten(Format::OpenAi, Options::default(), &other));
        assert_eq!(out, data(usage));
    }
    // A frame of which no text is left stays for its usage.
    let with_text = usage.replace(
        "[]",
        "[{\"index\":0,\"delta\":{\"content\":\"<th\"},\"finish_reason\":null}]",
    );
    assert!(rewritten(Format::OpenAi, Options::default(), &with_text).contains("{\"n\":1}"));
}

#[test]
fn what_waits_comes_before_an_error() {
    let whole = openai(&texts(&["a <"]), "stop");
    let (before, _) = whole.split_once("data: [DONE]").unwrap();
    let before = before.rsplit_once("data: ").unwrap().0;
    let error = "data: {\"error\":{\"message\":\"no\"}}\n\n";
    let out = rewritten(
        Format::OpenAi,
        Options::default(),
        &format!("{before}{error}"),
    );
    assert!(out.ends_with(error));
    assert!(out.contains(r#""content":"a <""#), "{out}");
}

#[test]
fn a_refused_call_is_no_call_and_shown_unless_it_was_cut_off() {
    let bad = r#"<tool_call>{"name":"f","arguments":{"x":}}</tool_call>"#;
    let (deltas, reasons) = found(&[bad], "stop", Options::default());
    assert_eq!(deltas[1], json!({"content": bad}));
    assert_eq!(reasons, ["stop"]);
    let mut drop = Options::default();
    drop.refused = Refused::Drop;
    let (dropped, _) = found(&[bad], "stop", drop);
    assert_eq!(dropped.len(), 2);
    let (cut, reasons) = found(&["Hi ", &CALL[..30]], "length", Options::default());
    let role = json!({"role": "assistant", "content": ""});
    assert_eq!(cut, [role, json!({"content": "Hi "}), json!({})]);
    assert_eq!(reasons, ["length"]);
}

#[test]
fn what_is_refused_is_noticed() {
    let mut rewriter = Rewriter::new(&calls(), Format::OpenAi, Options::default()).unwrap();
    let bad = openai(
        &texts(&[r#"<tool_call>{"name":"f","arguments":{"x":}}</tool_call>"#]),
        "stop",
    );
    rewriter.push(bad.as_bytes(), &mut Vec::new());
    let codes: Vec<_> = rewriter.take_notices().iter().map(|n| n.code).collect();
    assert_eq!(codes, ["invalid_json"]);
    assert!(rewriter.finish(&mut Vec::new()).is_empty());
}

#[test]
fn an_event_without_data_becomes_a_comment_and_ids_are_dropped() {
    let stream = "event: ping\n\nid: 1\nretry: 2\n\nevent: ping\ndata: {}\n\n: hello\n\n";
    let out = rewritten(Format::OpenAi, Options::default(), stream);
    assert_eq!(out, ": ping\n\n: ping\n\n: ping\n\n: hello\n\n");
}

#[test]
fn a_whole_answer_has_its_calls_and_no_content_beside_them() {
    let body = json!({"id": "chatcmpl-Ab", "choices": [{"index": 0, "finish_reason": "stop",
        "message": {"role": "assistant", "content": format!("<think>a</think>{CALL}")}}]});
    let out = rewritten(Format::OpenAi, Options::default(), &body.to_string());
    let choice = &data(&out)[0]["choices"][0];
    let mut tool_call = call(0)["tool_calls"][0].clone();
    tool_call.as_object_mut().unwrap().remove("index");
    let message = json!({"role": "assistant", "content": null, "reasoning_content": "a",
        "tool_calls": [tool_call]});
    assert_eq!(choice["message"], message);
    assert_eq!(choice["finish_reason"], "tool_calls");
}

// --- Anthropic ---

/// A stream with these blocks: the kind, and the pieces.
fn anthropic(blocks: &[(&str, &[&str])], stop: &str) -> String {
    let mut events =
        vec![json!({"type": "message_start", "message": {"id": "msg_1", "usage": {}}})];
    for (index, (kind, pieces)) in blocks.iter().enumerate() {
        let block = json!({"type": kind, *kind: ""});
        events.push(json!({"type": "content_block_start", "index": index, "content_block": block}));
        events.push(json!({"type": "ping"}));
        for piece in *pieces {
            let delta = json!({"type": format!("{kind}_delta"), *kind: piece});
            events.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        }
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    events.push(json!({"type": "message_delta", "delta": {"stop_reason": stop}, "usage": {}}));
    events.push(json!({"type": "message_stop"}));
    let write = |event: &Value| {
        format!(
            "event: {}\ndata: {event}\n\n",
            event["type"].as_str().unwrap()
        )
    };
    events.iter().map(write).collect()
}

/// The blocks of a stream, each with its text, and why it ends. Panics if blocks are not numbered
/// from 0, one after the other, or an event has not its own name.
fn blocks(stream: &str) -> (Vec<(String, String)>, Value) {
    let (mut blocks, mut stop, mut is_open) = (Vec::new(), Value::Null, false);
    let mut names = stream
        .lines()
        .filter_map(|line| line.strip_prefix("event: "));
    for event in data(stream) {
        let kind = event["type"].as_str().unwrap();
        assert_eq!(names.next(), Some(kind));
        match kind {
            "content_block_start" => {
                assert!(!is_open && event["index"] == blocks.len());
                is_open = true;
                let block = event["content_block"]["type"].as_str().unwrap();
                blocks.push((block.to_owned(), String::new()));
            }
            "content_block_delta" => {
                let at = blocks.len() - 1;
                assert!(is_open && event["index"] == at);
                let delta = event["delta"].as_object().unwrap();
                let text = ["text", "thinking", "partial_json"]
                    .iter()
                    .find_map(|k| delta.get(*k));
                blocks[at].1.push_str(text.unwrap().as_str().unwrap());
            }
            "content_block_stop" => {
                assert!(is_open && event["index"] == blocks.len() - 1);
                is_open = false;
            }
            "message_delta" => stop = event["delta"]["stop_reason"].clone(),
            _ => {}
        }
    }
    assert!(!is_open);
    (blocks, stop)
}

fn block(kind: &str, text: &str) -> (String, String) {
    (kind.to_owned(), text.to_owned())
}

#[test]
fn blocks_are_numbered_without_gaps_and_none_is_empty() {
    let text = format!("<think>b</think>{CALL}");
    let cut: Vec<&str> = text.split_inclusive('>').collect();
    let stream = anthropic(
        &[("thinking", &["a"]), ("text", &cut), ("text", &["c"])],
        "end_turn",
    );
    let out = rewritten(Format::Anthropic, Options::default(), &stream);
    let (found, stop) = blocks(&out);
    let expected = [
        block("thinking", "a"),
        block("thinking", "b"),
        block("tool_use", "{\"x\":1}"),
        block("text", "c"),
    ];
    assert_eq!((&found[..], stop), (&expected[..], json!("tool_use")));
    assert!(!out.contains("signature_delta"));
    assert!(out.contains(r#""id":"toolu_1_0""#));
    let out = rewritten(Format::Anthropic, options(Thinking::Hide), &stream);
    assert_eq!(blocks(&out).0, expected[2..]);
}

#[test]
fn a_block_of_text_that_was_all_thinking_is_not_there() {
    let stream = anthropic(
        &[("text", &["<think>b", "</think>"]), ("text", &["c"])],
        "end_turn",
    );
    let out = rewritten(Format::Anthropic, options(Thinking::Hide), &stream);
    assert_eq!(blocks(&out), (vec![block("text", "c")], json!("end_turn")));
    assert_eq!(out.matches("event: ping").count(), 2);
}

#[test]
fn pings_do_not_wait_for_text() {
    let stream = anthropic(&[("text", &["<think>b"])], "end_turn");
    let (before, _) = stream.split_once("event: content_block_stop").unwrap();
    let more = "event: ping\ndata: {\"type\":\"ping\"}\n\n";
    let mut rewriter = Rewriter::new(&calls(), Format::Anthropic, options(Thinking::Hide)).unwrap();
    let mut out = Vec::new();
    rewriter.push(format!("{before}{more}{more}").as_bytes(), &mut out);
    assert_eq!(
        String::from_utf8(out)
            .unwrap()
            .matches("event: ping")
            .count(),
        3
    );
}

#[test]
fn a_second_ping_waits_for_nothing() {
    let stream = anthropic(&[("text", &["a"])], "end_turn");
    let (before, _) = stream.split_once("event: content_block_delta").unwrap();
    let mut rewriter = Rewriter::new(&calls(), Format::Anthropic, Options::default()).unwrap();
    let mut out = Vec::new();
    rewriter.push(before.as_bytes(), &mut out);
    for expected in [2, 3] {
        rewriter.push(b"event: ping\ndata: {\"type\":\"ping\"}\n\n", &mut out);
        let text = String::from_utf8(out.clone()).unwrap();
        assert_eq!(text.matches("event: ping").count(), expected);
    }
}

#[test]
fn events_get_the_names_they_lack() {
    let stream = anthropic(&[("text", &["a", "b"])], "end_turn");
    let lines = stream.split_inclusive('\n');
    let bare: String = lines.filter(|line| !line.starts_with("event:")).collect();
    assert_eq!(
        rewritten(Format::Anthropic, Options::default(), &bare),
        stream
    );
}

#[test]
fn a_stop_other_than_end_turn_is_left() {
    for stop in ["max_tokens", "refusal", "stop_sequence"] {
        let out = rewritten(
            Format::Anthropic,
            Options::default(),
            &anthropic(&[("text", &[CALL])], stop),
        );
        assert_eq!(blocks(&out).1, stop);
    }
}

#[test]
fn a_stream_of_anthropic_with_nothing_to_do_stays() {
    let stream = anthropic(
        &[
            ("thinking", &["a", ""]),
            ("text", &["b", "c"]),
            ("text", &[]),
        ],
        "end_turn",
    );
    assert_eq!(
        rewritten(Format::Anthropic, Options::default(), &stream),
        stream
    );
}

// --- the others ---

#[test]
fn ollama_has_a_line_for_each_piece_and_arguments_as_an_object() {
    let line = |text: &str, done: bool| {
        let message = json!({"role": "assistant", "content": text});
        let line = json!({"model": "q", "created_at": "2026-11-01T00:00:01Z", "message": message, "done": done});
        format!("{line}\n")
    };
    let stream = line(&format!("<think>a</think>b{CALL}"), false) + &line("", true);
    let found: Vec<Value> = data(&rewritten(Format::Ollama, Options::default(), &stream))
        .into_iter()
        .map(|line| line["message"].clone())
        .collect();
    let call = json!({"id": "call_1101T000001Z_0", "function": {"index": 0, "name": "f", "arguments": {"x": 1}}});
    let expected = [
        json!({"role": "assistant", "content": "", "thinking": "a"}),
        json!({"role": "assistant", "content": "b"}),
        json!({"role": "assistant", "content": "", "tool_calls": [call]}),
        json!({"role": "assistant", "content": ""}),
    ];
    assert_eq!(found, expected);
}

#[test]
fn ollama_has_no_empty_lines() {
    let line = |text: &str, done: bool| {
        let message = json!({"role": "assistant", "content": text});
        format!(
            "{}\n",
            json!({"model": "q", "message": message, "done": done})
        )
    };
    let stream = line("<th", false) + &line("ink>a</think", false) + &line(">", true);
    for cut in [1, stream.len()] {
        let pieces = stream.as_bytes().chunks(cut);
        let out = rewrite(&calls(), Format::Ollama, Options::default(), pieces);
        let out = String::from_utf8(out).unwrap();
        assert!(out.lines().all(|line| line.starts_with('{')), "{out}");
    }
}

#[test]
fn gemini_has_parts_for_it_all_and_the_rest_in_the_last_frame() {
    let frame = |text: &str| {
        let parts = json!([{"text": text}]);
        json!({"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]})
    };
    let text = format!("<think>a</think>b{CALL}");
    let (first, second) = text.split_at(9);
    let stream = format!("[{},\n{}]", frame(first), frame(&format!("{second} <")));
    let out = rewritten(Format::Gemini, Options::default(), &stream);
    let parts: Vec<Value> = serde_json::from_str::<Vec<Value>>(&out)
        .unwrap()
        .iter()
        .flat_map(|frame| {
            frame["candidates"][0]["content"]["parts"]
                .as_array()
                .unwrap()
                .clone()
        })
        .filter(|part| part["text"] != "")
        .collect();
    let call = json!({"functionCall": {"name": "f", "args": {"x": 1}}});
    let thought = |text: &str| json!({"text": text, "thought": true});
    let expected = [
        thought("a"),
        json!({"text": "b"}),
        call,
        json!({"text": " <"}),
    ];
    assert_eq!(parts, expected, "{out}");
}

#[test]
fn a_format_that_is_not_named_is_learned() {
    let stream = openai(&texts(&["<think>a</think>"]), "stop");
    let out = rewritten(Format::Auto, Options::default(), &stream);
    assert_eq!(out, rewritten(Format::OpenAi, Options::default(), &stream));
}

#[test]
fn a_format_that_cannot_be_written_is_refused() {
    let refused = Rewriter::new(&calls(), Format::Text, Options::default()).unwrap_err();
    assert!(matches!(refused, RewriteError::Unsupported(Format::Text)));
}
