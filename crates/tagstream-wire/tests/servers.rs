//! What real servers send that is not in the documents, one case each.

#![allow(
    clippy::needless_pass_by_value,
    reason = "so that json! can be written in place"
)]

mod support;

use serde_json::{Value, json};
use support::{events, folder, of, profile};
use tagstream::Profile;
use tagstream_wire::Format;
use tagstream_wire::rewrite::{CallMode, Options, Rewriter, Thinking};

fn calls() -> Profile {
    let text = "[thinking]\ntags = ['think']\n[calls]\ndialect = 'hermes'";
    tagstream::profile::parse(text).unwrap()
}

fn options(thinking: Thinking) -> Options {
    let mut options = Options::default();
    options.thinking = thinking;
    options
}

/// The stream written again, and the codes of the notices.
fn rewrite(
    profile: &Profile,
    format: Format,
    options: Options,
    stream: &str,
) -> (String, Vec<&'static str>) {
    let mut rewriter = Rewriter::new(profile, format, options).unwrap();
    let mut out = Vec::new();
    rewriter.push(stream.as_bytes(), &mut out);
    let notices = rewriter.finish(&mut out);
    let codes = notices.iter().map(|notice| notice.code).collect();
    (String::from_utf8(out).unwrap(), codes)
}

fn written(format: Format, thinking: Thinking, stream: &str) -> String {
    rewrite(&calls(), format, options(thinking), stream).0
}

fn recorded(name: &str) -> String {
    std::fs::read_to_string(folder().join("wire").join(name)).unwrap()
}

fn data(json: &Value) -> String {
    format!("data: {json}\n\n")
}

fn chunk(choice: Value) -> String {
    data(
        &json!({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": [choice]}),
    )
}

fn kinds(events: &[Value]) -> Vec<String> {
    let show = |event: &Value| {
        let what = ["text", "code", "name"]
            .iter()
            .find_map(|key| event[*key].as_str());
        format!("{} {}", event["type"].as_str().unwrap(), what.unwrap_or(""))
    };
    events.iter().map(show).collect()
}

#[test]
fn text_and_messages_beside_a_delta_are_cleaned_like_it() {
    let out = written(
        Format::OpenAi,
        Thinking::Hide,
        &recorded("together-text-beside-delta.sse"),
    );
    assert!(
        out.contains(r#""text":"b""#) && out.contains(r#""content":"b""#),
        "{out}"
    );
    assert!(!out.contains("think"), "{out}");
    let delta = |text: &str, all: &str| {
        chunk(json!({"index": 0, "delta": {"content": text}, "message": {"content": all}}))
    };
    let stream = delta("<think>a", "<think>a") + &delta("</think>b", "<think>a</think>b");
    let out = written(Format::OpenAi, Thinking::Hide, &stream);
    assert!(!out.contains("think"), "{out}");
    assert!(out.contains(r#""message":{"content":"b"}"#), "{out}");
}

#[test]
fn hidden_thinking_is_in_no_side_field() {
    for name in ["deepseek-logprobs.json", "litellm-thinking-blocks.sse"] {
        let out = written(Format::OpenAi, Thinking::Hide, &recorded(name));
        assert!(
            !out.contains("SECRET") && out.contains("Hi"),
            "{name}: {out}"
        );
    }
    // The tokens of the text stay if they are only those.
    let out = written(
        Format::OpenAi,
        Thinking::Hide,
        &recorded("deepseek-logprobs.json"),
    );
    assert!(
        out.contains(r#""logprobs":{"content":[{"token":"Hi","logprob":-1}]}"#),
        "{out}"
    );
    let extra = json!({"reasoning_content": "SECRET", "citations": [1]});
    let choice = json!({"index": 0, "token_ids": [1], "delta": {"role": "assistant",
        "reasoning_content": "SECRET", "provider_specific_fields": extra},
        "logprobs": {"content": [{"token": "SECRET"}]}});
    let out = written(Format::OpenAi, Thinking::Hide, &chunk(choice));
    assert!(
        !out.contains("SECRET") && !out.contains("token_ids"),
        "{out}"
    );
    assert!(out.contains(r#""citations":[1]"#), "{out}");
    let tokens = json!({"chosenCandidates": [{"token": "SECRET"}]});
    let parts = json!([{"text": "SECRET", "thought": true}, {"text": "Hi"}]);
    let gemini = json!({"candidates": [{"content": {"parts": parts}, "logprobsResult": tokens}]});
    let out = written(Format::Gemini, Thinking::Hide, &data(&gemini));
    assert!(!out.contains("SECRET") && out.contains("Hi"), "{out}");
    let ollama = json!({"model": "m", "message": {"content": "Hi", "thinking": "SECRET"},
        "logprobs": [{"token": "SECRET"}], "done": true});
    let out = written(Format::Ollama, Thinking::Hide, &ollama.to_string());
    assert!(!out.contains("SECRET") && out.contains("Hi"), "{out}");
}

#[test]
fn a_response_that_goes_on_keeps_its_texts_and_its_numbers() {
    let stream = recorded("responses-resumed.sse");
    assert_eq!(written(Format::Responses, Thinking::Move, &stream), stream);
    // Where frames are added, numbers change from there on, and not before.
    let found = stream.replace("\"delta\":\"4\"", "\"delta\":\"<think>a</think>4\"");
    let out = written(Format::Responses, Thinking::Move, &found);
    let numbers: Vec<&str> = out.split("\"sequence_number\":").skip(1).collect();
    let numbers: Vec<u64> = numbers
        .iter()
        .map(|rest| rest.split([',', '}']).next().unwrap().parse().unwrap())
        .collect();
    let expected: Vec<u64> = (8..8 + numbers.len() as u64).collect();
    assert_eq!(numbers, expected);
    assert!(out.starts_with(&stream[..stream.find("\"delta\":\"4\"").unwrap() - 90]));
}

#[test]
fn errors_keep_their_messages_and_pass_unchanged() {
    for (format, stream, message) in [
        (
            Format::Responses,
            recorded("responses-nested-error.sse"),
            "You exceeded your current quota (insufficient_quota)",
        ),
        (
            Format::Responses,
            recorded("responses-detail.json"),
            "Could not parse your authentication token.",
        ),
        (Format::OpenAi, r#"{"detail":"no"}"#.to_owned(), "no"),
        (
            Format::OpenAi,
            r#"{"code":400,"message":"bad","param":null}"#.to_owned(),
            "bad (400)",
        ),
        (Format::Anthropic, r#"{"detail":"no"}"#.to_owned(), "no"),
        (
            Format::Responses,
            r#"{"type":"error","error":{"message":"bad"}}"#.to_owned(),
            "bad",
        ),
        (
            Format::Responses,
            r#"{"object":"error","message":"bad","type":"NotFoundError","code":404}"#.to_owned(),
            "bad (NotFoundError)",
        ),
    ] {
        let events = of(format, &stream);
        assert_eq!(events[0]["code"], "stream_error", "{stream}");
        assert_eq!(events[0]["message"], message);
        let (out, codes) = rewrite(&profile(), format, Options::default(), &stream);
        assert_eq!((out, codes), (stream, vec!["stream_error"]));
    }
    let events = of(Format::OpenAi, &recorded("llamacpp-error-field.sse"));
    assert_eq!(events[1]["message"], "failed to decode (server_error)");
}

#[test]
fn broken_and_truncated_streams_are_reported_by_the_rewriter_too() {
    let start = chunk(
        json!({"index": 0, "delta": {"role": "assistant", "content": "a"}, "finish_reason": null}),
    );
    for (stream, expected) in [
        (start.clone(), "truncated_stream"),
        (
            start.clone() + "data: {oops\n\ndata: [DONE]\n\n",
            "invalid_frame",
        ),
        (
            start + "data: {\"error\":{\"message\":\"x\"}}\n\n",
            "stream_error",
        ),
    ] {
        let (_, codes) = rewrite(&profile(), Format::OpenAi, Options::default(), &stream);
        assert_eq!(codes, [expected]);
    }
}

#[test]
fn a_stream_in_another_format_is_reported_and_not_swallowed() {
    let stream = chunk(json!({"index": 0, "delta": {"content": "a"}})) + "data: [DONE]\n\n";
    let events = of(Format::Responses, &stream);
    assert_eq!(events[0]["code"], "invalid_frame");
    let message = events[0]["message"].as_str().unwrap();
    assert!(
        message.contains("is in the format `openai`, not `responses`"),
        "{message}"
    );
    let (out, codes) = rewrite(&profile(), Format::Responses, Options::default(), &stream);
    assert_eq!((out, codes), (stream, vec!["invalid_frame"]));
}

#[test]
fn events_of_no_known_provider_are_text_and_a_notice_says_so() {
    let stream = include_str!("data/unknown-events.sse");
    for cut in [1, 7, stream.len()] {
        let events = events(&profile(), Format::Auto, stream.as_bytes().chunks(cut));
        assert_eq!(events[0]["code"], "invalid_frame");
        assert_eq!(events[1]["text"], stream);
        assert_eq!(events.len(), 2);
    }
    let (out, codes) = rewrite(&profile(), Format::Auto, Options::default(), stream);
    assert_eq!((&*out, codes), (stream, vec!["invalid_frame"]));
}

#[test]
fn the_providers_own_field_keeps_its_name_unless_another_is_asked_for() {
    let native = chunk(
        json!({"index": 0, "delta": {"role": "assistant", "reasoning": "a"}, "finish_reason": null}),
    );
    assert_eq!(written(Format::OpenAi, Thinking::Move, &native), native);
    let found = chunk(
        json!({"index": 0, "delta": {"content": "<think>b</think>c"}, "finish_reason": null}),
    );
    let out = written(Format::OpenAi, Thinking::Move, &(native.clone() + &found));
    assert!(out.contains(r#""reasoning":"b""#), "{out}");
    let mut named = Options::default();
    named.reasoning_field = Some("reasoning_content".into());
    let (out, _) = rewrite(&calls(), Format::OpenAi, named, &native);
    assert!(out.contains(r#""reasoning_content":"a""#) && !out.contains(r#""reasoning":"#));
}

#[test]
fn a_cut_inside_a_line_end_changes_nothing_and_frames_end_as_the_stream_does() {
    let delta = |text: &str| {
        let choice = json!({"index": 0, "delta": {"content": text}, "finish_reason": null});
        chunk(choice).replace('\n', "\r\n")
    };
    let stream = delta("a<think>b</think>c") + &delta("<think>d</think>") + &delta("e");
    let run = |at: usize| {
        let mut rewriter = Rewriter::new(&calls(), Format::OpenAi, Options::default()).unwrap();
        let mut out = Vec::new();
        rewriter.push(&stream.as_bytes()[..at], &mut out);
        rewriter.push(&stream.as_bytes()[at..], &mut out);
        rewriter.finish(&mut out);
        String::from_utf8(out).unwrap()
    };
    let whole = run(0);
    assert!(
        !whole.replace("\r\n", "").contains(['\r', '\n']),
        "{whole:?}"
    );
    for at in 0..stream.len() {
        assert_eq!(run(at), whole, "cut at {at}");
    }
}

#[test]
fn a_call_that_comes_natively_and_in_the_text_comes_once() {
    let text = r#"<tool_call>{"name":"f","arguments":{"a":1}}</tool_call>"#;
    let native = |arguments: &str| {
        json!({"tool_calls": [{"index": 0, "id": "n", "type": "function",
            "function": {"name": "f", "arguments": arguments}}]})
    };
    let content = json!({"content": text});
    let stream = |deltas: &[&Value]| -> String {
        let chunk = |delta: &&Value| chunk(json!({"index": 0, "delta": delta}));
        let end =
            chunk(&&json!({})).replace("\"delta\":{}", "\"delta\":{},\"finish_reason\":\"stop\"");
        deltas.iter().map(chunk).collect::<String>() + &end + "data: [DONE]\n\n"
    };
    let ends = |stream: &str| {
        let events = events(&calls(), Format::OpenAi, [stream.as_bytes()]);
        let ends = events.iter().filter(|event| event["type"] == "call_end");
        ends.count()
    };
    let more = |arguments: &str| json!({"tool_calls": [{"index": 0, "function": {"arguments": arguments}}]});
    let (same, other) = (native("{ \"a\": 1 }"), native("{\"a\":2}"));
    let (start, rest, other_rest) = (native("{\"a\":"), more("1}"), more("2}"));
    let after = json!({"content": "Done."});
    for (deltas, expected) in [
        (&[&content, &same][..], 1),
        (&[&same, &content], 1),
        (&[&same, &content, &content], 2),
        (&[&content, &other], 2),
        (&[&other, &content], 2),
        (&[&start, &content, &rest], 1),
        (&[&start, &content, &after, &rest], 1),
        (&[&start, &content, &content, &rest], 2),
        (&[&start, &content, &after, &other_rest], 2),
        // The native call is not complete.
        (&[&start, &content, &after], 1),
    ] {
        let stream = stream(deltas);
        assert_eq!(ends(&stream), expected, "{stream}");
        let out = written(Format::OpenAi, Thinking::Move, &stream);
        assert_eq!(ends(&out), expected, "{out}");
        assert!(!out.contains("<tool_call>"), "{out}");
    }
}

#[test]
fn the_last_of_repeated_keys_is_cleaned_and_the_others_are_not_left() {
    let frame = r#"data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"<think>x</think>","content":"<think>y</think>z"}}]}"#;
    let out = written(Format::OpenAi, Thinking::Hide, &format!("{frame}\n\n"));
    assert!(
        !out.contains("think") && out.contains(r#""content":"z""#),
        "{out}"
    );
    assert_eq!(out.matches("\"content\"").count(), 1);
}

#[test]
fn what_is_not_announced_or_typed_is_cleaned() {
    let delta = json!({"type": "content_block_delta", "index": 3,
        "delta": {"type": "text_delta", "text": "<think>a</think>b"}});
    let stream = format!("event: content_block_delta\ndata: {delta}\n\n");
    let out = written(Format::Anthropic, Thinking::Hide, &stream);
    assert!(
        !out.contains("think") && out.contains(r#""text":"b""#),
        "{out}"
    );
    let delta = json!({"output_index": 0, "content_index": 0, "item_id": "m", "delta": "<think>a</think>b"});
    let stream = format!("event: response.output_text.delta\ndata: {delta}\n\n");
    assert_eq!(kinds(&of(Format::Responses, &stream))[3], "text b");
    let out = written(Format::Responses, Thinking::Hide, &stream);
    assert!(
        !out.contains("think") && out.contains(r#""delta":"b""#),
        "{out}"
    );
}

#[test]
fn completions_and_refusals_are_cleaned_like_content() {
    let legacy = |text: &str| {
        data(
            &json!({"id": "c", "object": "text_completion", "created": 1, "model": "m",
            "choices": [{"index": 0, "text": text, "finish_reason": null}]}),
        )
    };
    let (out, codes) = rewrite(
        &calls(),
        Format::OpenAi,
        Options::default(),
        &(legacy("<think>a</think>b") + "data: [DONE]\n\n"),
    );
    assert!(
        out.contains(r#""text":"b""#) && !out.contains("think"),
        "{out}"
    );
    assert_eq!(codes, ["dropped"]);
    let call = r#"<tool_call>{"name":"f","arguments":{}}</tool_call>"#;
    let stream = legacy(call) + "data: [DONE]\n\n";
    assert_eq!(written(Format::OpenAi, Thinking::Move, &stream), stream);
    let refusal = chunk(json!({"index": 0, "delta": {"refusal": "<think>a</think>No"}}));
    let out = written(Format::OpenAi, Thinking::Hide, &refusal);
    assert!(
        out.contains(r#""refusal":"No""#) && !out.contains("think"),
        "{out}"
    );
}

#[test]
fn tools_that_the_client_runs_make_events() {
    for (kind, key) in [
        ("local_shell_call", "action"),
        ("shell_call", "action"),
        ("apply_patch_call", "operation"),
        ("computer_call", "action"),
    ] {
        let item = json!({"id": "i", "type": kind, "call_id": "c", "status": "completed",
            key: {"type": "x", "command": ["ls"]}});
        let added = json!({"type": "response.output_item.added", "output_index": 0, "item": item});
        let done = json!({"type": "response.output_item.done", "output_index": 0, "item": item});
        let body =
            json!({"id": "r", "object": "response", "status": "completed", "output": [item]});
        for stream in [data(&added) + &data(&done), body.to_string()] {
            let events = of(Format::Responses, &stream);
            let end = events
                .iter()
                .find(|event| event["type"] == "call_end")
                .unwrap();
            assert_eq!(end["name"], kind.strip_suffix("_call").unwrap());
            assert_eq!(end["arguments"]["command"], json!(["ls"]));
            assert_eq!(end["id"], "c");
        }
    }
}

#[test]
fn small_things_of_servers() {
    // Snowflake sends an empty call with every delta.
    let stream = chunk(
        json!({"index": 0, "delta": {"content": "a", "function_call": {}}, "finish_reason": "stop"}),
    );
    assert_eq!(kinds(&of(Format::OpenAi, &stream)), ["text a", "finish "]);
    // Azure sends bodies whose choices have no message.
    let body = json!({"id": "c", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "finish_reason": "content_filter"}]});
    assert_eq!(kinds(&of(Format::OpenAi, &body.to_string())), ["finish "]);
    assert_eq!(
        written(Format::OpenAi, Thinking::Move, &body.to_string()),
        body.to_string()
    );
    // Perplexity ends with a frame of another kind: what is added before it is a chunk.
    let held = chunk(
        json!({"index": 0, "delta": {"role": "assistant", "content": "<think>a</think>b <"}, "finish_reason": null}),
    );
    let done = chunk(
        json!({"index": 0, "delta": {}, "message": {"content": "<think>a</think>b <"}, "finish_reason": "stop"}),
    );
    let done = done.replace("chat.completion.chunk", "chat.completion.done");
    let out = written(Format::OpenAi, Thinking::Hide, &(held + &done));
    let rest = out
        .lines()
        .find(|line| line.contains(r#""content":"<""#))
        .unwrap();
    assert!(rest.contains("chat.completion.chunk"), "{out}");
    // Ollama's error comes after what was held.
    let line = json!({"model": "m", "message": {"content": "<think>a</think>b <"}, "done": false});
    let out = written(
        Format::Ollama,
        Thinking::Hide,
        &format!("{line}\n{{\"error\":\"x\"}}\n"),
    );
    let (text, error) = (out.find(r#""content":"<""#), out.find("error"));
    assert!(text.unwrap() < error.unwrap(), "{out}");
}

#[test]
fn ids_that_change_in_a_response_do_not_change_those_that_are_made() {
    let created = json!({"type": "response.created", "sequence_number": 0, "response": {"id": "resp_A", "output": []}});
    let part = json!({"type": "output_text", "text": "<think>a</think>b"});
    let item = json!({"id": "m2", "type": "message", "role": "assistant", "content": [part]});
    let delta = json!({"type": "response.output_text.delta", "sequence_number": 1, "output_index": 0,
        "content_index": 0, "item_id": "m1", "delta": "<think>a</think>b"});
    let done = json!({"type": "response.output_item.done", "sequence_number": 2, "output_index": 0, "item": item});
    let end = json!({"type": "response.completed", "sequence_number": 3, "response": {"id": "resp_B", "output": [item]}});
    let stream: String = [created, delta, done, end].iter().map(data).collect();
    let out = written(Format::Responses, Thinking::Move, &stream);
    assert!(out.contains("rs_A_0") && !out.contains("rs_B_0"), "{out}");
}

#[test]
fn a_closing_tag_that_nothing_opened_stays_unless_the_profile_decides() {
    let stream = chunk(
        json!({"index": 0, "delta": {"role": "assistant", "content": "a</think>b"}, "finish_reason": null}),
    );
    let (out, codes) = rewrite(&calls(), Format::OpenAi, Options::default(), &stream);
    assert_eq!((&out, &codes[..1]), (&stream, &["orphan_close"][..]));
    let mut drop = Options::default();
    drop.orphan_close = tagstream_wire::rewrite::OrphanClose::AsProfile;
    let (out, _) = rewrite(&calls(), Format::OpenAi, drop, &stream);
    assert!(out.contains(r#""content":"ab""#), "{out}");
}

#[test]
fn calls_are_sent_while_they_arrive_if_asked_for_and_an_error_ends_a_refused_one() {
    let mut streams = Options::default();
    streams.calls = CallMode::Stream;
    let delta =
        |text: &str| chunk(json!({"index": 0, "delta": {"role": "assistant", "content": text}}));
    let start = delta(r#"<tool_call>{"name":"f","arguments":{"a":"#);
    let mut rewriter = Rewriter::new(&calls(), Format::OpenAi, streams).unwrap();
    let mut out = Vec::new();
    rewriter.push(start.as_bytes(), &mut out);
    let text = String::from_utf8(out.clone()).unwrap();
    assert!(text.contains(r#""name":"f","arguments":"""#), "{text}");
    assert!(text.contains(r#""arguments":"{\"a\":""#), "{text}");
    rewriter.push(delta("}}</tool_call>").as_bytes(), &mut out);
    rewriter.finish(&mut out);
    let text = String::from_utf8(out).unwrap();
    assert!(
        text.contains(r#"data: {"error":{"message":"#) && text.contains("invalid_json"),
        "{text}"
    );
}

/// A tool with texts and other types, in a dialect of tags.
fn tags() -> Profile {
    let text = r#"{"calls": {"dialect": "qwen3-coder", "tools": [{"name": "save", "parameters": {
        "type": "object", "required": ["path"], "properties": {
            "n": {"type": "integer"}, "path": {"type": "string"}, "body": {"type": "string"}}}}]}}"#;
    tagstream::profile::parse(text).unwrap()
}

/// The arguments of the call that the chunks of an answer make.
fn arguments(stream: &str) -> String {
    let frames = stream
        .lines()
        .filter_map(|line| line.strip_prefix("data: {"));
    let frames = frames.map(|json| serde_json::from_str(&format!("{{{json}")).unwrap());
    let arguments = frames.filter_map(|frame: Value| {
        let call = &frame["choices"][0]["delta"]["tool_calls"][0];
        Some(call["function"]["arguments"].as_str()?.to_owned())
    });
    arguments.collect()
}

#[test]
fn arguments_that_are_texts_are_sent_while_they_arrive() {
    let mut streams = Options::default();
    streams.calls = CallMode::Stream;
    let delta =
        |text: &str| chunk(json!({"index": 0, "delta": {"role": "assistant", "content": text}}));
    let mut rewriter = Rewriter::new(&tags(), Format::OpenAi, streams.clone()).unwrap();
    let mut out = Vec::new();
    let mut all = String::new();
    for (piece, expected) in [
        (
            "<tool_call><function=save><parameter=n>\n7\n</parameter>",
            "",
        ),
        ("<parameter=path>\na", "{\"path\":\"a"),
        ("\"b\n</parameter>", "\\\"b"),
        ("<parameter=body>\nx\ny", "\",\"body\":\"x\\ny"),
        ("\n</parameter>\n</function></tool_call>", "\",\"n\":7}"),
    ] {
        out.clear();
        rewriter.push(delta(piece).as_bytes(), &mut out);
        let sent = arguments(std::str::from_utf8(&out).unwrap());
        assert_eq!(sent, expected, "after {piece}");
        all.push_str(&sent);
    }
    let whole: Value = serde_json::from_str(&all).unwrap();
    assert_eq!(whole, json!({"n": 7, "path": "a\"b", "body": "x\ny"}));
}

#[test]
fn a_call_that_is_not_what_was_sent_ends_with_an_error_of_its_format() {
    let mut streams = Options::default();
    streams.calls = CallMode::Stream;
    // The second text of an argument counts; a number is not one; a required argument is missing.
    for call in [
        "<parameter=path>a</parameter><parameter=path>b</parameter>",
        "<parameter=path>a</parameter><parameter=n>many</parameter>",
        "<parameter=body>a</parameter>",
    ] {
        let text = format!("<tool_call><function=save>{call}</function></tool_call>");
        let openai = chunk(json!({"index": 0, "delta": {"role": "assistant", "content": text}}));
        let anthropic = json!({"type": "content_block_delta", "index": 0,
            "delta": {"type": "text_delta", "text": text}});
        let responses = json!({"type": "response.output_text.delta", "item_id": "m",
            "output_index": 0, "content_index": 0, "delta": text});
        for (format, stream, error) in [
            (Format::OpenAi, openai, "data: {\"error\":{"),
            (
                Format::Anthropic,
                data(&anthropic),
                "event: error\ndata: {\"type\":\"error\",",
            ),
            (
                Format::Responses,
                data(&responses),
                "event: error\ndata: {\"type\":\"error\",",
            ),
        ] {
            let (out, notices) = rewrite(&tags(), format, streams.clone(), &stream);
            assert!(out.contains(error), "{out}");
            assert!(!notices.is_empty());
            assert!(!out.contains("function_call_arguments.done"), "{out}");
        }
    }
}

#[test]
fn swallowed_bytes_are_counted_until_something_is_written() {
    let mut rewriter = Rewriter::new(&calls(), Format::OpenAi, options(Thinking::Hide)).unwrap();
    let mut out = Vec::new();
    let delta = |text: &str| chunk(json!({"index": 0, "delta": {"content": text}}));
    rewriter.push(delta("Hi ").as_bytes(), &mut out);
    assert_eq!(rewriter.swallowed(), 0);
    let (one, two) = (delta("<think>a"), delta("b"));
    rewriter.push(one.as_bytes(), &mut out);
    rewriter.push(two.as_bytes(), &mut out);
    assert_eq!(rewriter.swallowed(), (one.len() + two.len()) as u64);
    rewriter.push(delta("</think>you").as_bytes(), &mut out);
    assert_eq!(rewriter.swallowed(), 0);
}

/// How the calls of a stream end.
fn ends(format: Format, stream: &str) -> Vec<String> {
    let events = events(&calls(), format, [stream.as_bytes()]);
    let kinds = kinds(&events).into_iter();
    let is_end = |kind: &String| kind.starts_with("call_end") || kind.starts_with("call_error");
    kinds.filter(is_end).collect()
}

#[test]
fn a_call_without_arguments_is_not_complete_where_the_stream_is_cut_off() {
    let call = json!({"index": 0, "id": "a", "type": "function",
        "function": {"name": "f", "arguments": ""}});
    let delta = |reason: Value| {
        let delta = json!({"role": "assistant", "tool_calls": [call]});
        chunk(json!({"index": 0, "delta": delta, "finish_reason": reason}))
    };
    let block = json!({"type": "tool_use", "id": "a", "name": "f", "input": {}});
    let start = data(&json!({"type": "content_block_start", "index": 0, "content_block": block}));
    let stop = data(&json!({"type": "content_block_stop", "index": 0}));
    let item =
        json!({"id": "i", "type": "function_call", "call_id": "a", "name": "f", "arguments": ""});
    let item = |kind: &str| {
        data(
            &json!({"type": format!("response.output_item.{kind}"), "output_index": 0, "item": item}),
        )
    };
    for (format, stream, expected) in [
        (
            Format::OpenAi,
            delta(Value::Null),
            "call_error incomplete_call",
        ),
        (
            Format::OpenAi,
            delta(json!("length")),
            "call_error incomplete_call",
        ),
        (Format::OpenAi, delta(json!("tool_calls")), "call_end f"),
        (
            Format::Anthropic,
            start.clone(),
            "call_error incomplete_call",
        ),
        (Format::Anthropic, start + &stop, "call_end f"),
        (
            Format::Responses,
            item("added"),
            "call_error incomplete_call",
        ),
        (
            Format::Responses,
            item("added") + &item("done"),
            "call_end f",
        ),
    ] {
        assert_eq!(ends(format, &stream), [expected], "{stream}");
    }
    // Whole calls miss nothing.
    let gemini = json!({"candidates": [{"content": {"parts": [{"functionCall": {"name": "f"}}]}}]});
    assert_eq!(ends(Format::Gemini, &data(&gemini)), ["call_end f"]);
}

#[test]
fn a_call_that_is_open_at_an_error_is_not_complete() {
    let call = json!({"index": 0, "id": "a", "type": "function",
        "function": {"name": "f", "arguments": "{}"}});
    let start = chunk(json!({"index": 0, "delta": {"role": "assistant", "tool_calls": [call]}}));
    let error = data(&json!({"error": {"message": "lost", "type": "server_error"}}));
    assert_eq!(
        ends(Format::OpenAi, &(start.clone() + &error)),
        ["call_error incomplete_call"]
    );
    // A choice that has finished lacks nothing, even where the call comes after the reason.
    let finish = chunk(json!({"index": 0, "delta": {}, "finish_reason": "stop"}));
    assert_eq!(
        ends(Format::OpenAi, &(finish + &start + &error)),
        ["call_end f"]
    );
}

#[test]
fn a_refused_call_that_was_being_sent_is_nowhere_complete() {
    let mut streams = Options::default();
    streams.calls = CallMode::Stream;
    // The JSON is whole, and not the call.
    let text = r#"<tool_call>{"name":"f","arguments":{"a":1}}x</tool_call>"#;
    let openai = chunk(json!({"index": 0, "delta": {"role": "assistant", "content": text}}));
    let anthropic = data(&json!({"type": "content_block_delta", "index": 0,
        "delta": {"type": "text_delta", "text": text}}));
    let responses = data(
        &json!({"type": "response.output_text.delta", "item_id": "m",
        "output_index": 0, "content_index": 0, "delta": text}),
    );
    for (format, stream) in [
        (Format::OpenAi, openai),
        (Format::Anthropic, anthropic),
        (Format::Responses, responses),
    ] {
        let (out, _) = rewrite(&calls(), format, streams.clone(), &stream);
        assert!(
            out.contains("invalid_tool_call") || out.contains("malformed_call"),
            "{out}"
        );
        assert_eq!(ends(format, &out), ["call_error incomplete_call"], "{out}");
    }
}

#[test]
fn events_have_every_finish_and_a_rewritten_choice_has_one() {
    let finish = |text: &str, reason: &str| {
        let delta = json!({"role": "assistant", "content": text});
        chunk(json!({"index": 0, "delta": delta, "finish_reason": reason}))
    };
    let stream = finish("a", "length") + &finish("b", "stop");
    let reasons = |stream: &str| -> Vec<String> {
        let events = of(Format::OpenAi, stream);
        let reasons = events.iter().filter_map(|event| event["reason"].as_str());
        reasons.map(str::to_owned).collect()
    };
    assert_eq!(reasons(&stream), ["length", "stop"]);
    let out = written(Format::OpenAi, Thinking::Move, &stream);
    assert_eq!(reasons(&out), ["length"]);
}

#[test]
fn values_whose_keys_come_again_are_hidden_in_every_format() {
    let again = |json: Value, key: &str| {
        let key = format!("\"{key}\":");
        json.to_string()
            .replacen(&key, &format!("{key}\"SECRET\",{key}"), 1)
    };
    let gemini = json!({"candidates": [{"content": {"parts": [
        {"text": "x", "thought": true}, {"functionCall": {"args": {"n": 1}, "name": "f"}}]}}]});
    let anthropic = json!({"type": "ping", "n": 1});
    let ollama = json!({"message": {"content": "Hi", "n": 1}, "done": false});
    let openai = json!({"choices": [{"index": 0, "delta": {"content": "Hi"}, "n": 1}]});
    let responses = json!({"type": "response.odd", "sequence_number": 1, "n": 1});
    for (format, json) in [
        (Format::Gemini, gemini),
        (Format::Anthropic, anthropic),
        (Format::Ollama, ollama),
        (Format::OpenAi, openai),
        (Format::Responses, responses),
    ] {
        let json = again(json, "n");
        let stream = match format {
            Format::Ollama => format!("{json}\n"),
            _ => format!("data: {json}\n\n"),
        };
        let out = written(format, Thinking::Hide, &stream);
        assert!(!out.contains("SECRET") && out.contains("\"n\":1"), "{out}");
    }
}

#[test]
fn output_text_is_cleaned_also_where_the_output_is_left_out() {
    let response = json!({"object": "response", "output": [], "output_text": "<think>a</think>b"});
    let end = data(&json!({"type": "response.completed", "response": response}));
    let out = written(Format::Responses, Thinking::Hide, &end);
    assert!(out.contains(r#""output_text":"b""#), "{out}");
}

#[test]
fn thinking_and_its_copies_stay_together() {
    let blocks = json!([{"type": "thinking", "thinking": "a", "signature": "s"}]);
    let text = "b<think>c</think>d";
    let delta = json!({"role": "assistant", "reasoning_content": "a", "thinking_blocks": blocks,
        "content": text});
    let out = written(
        Format::OpenAi,
        Thinking::Move,
        &chunk(json!({"index": 0, "delta": delta})),
    );
    let again = written(Format::OpenAi, Thinking::Move, &out);
    assert_eq!(again, out);
    let thoughts = kinds(&of(Format::OpenAi, &out));
    let thoughts = thoughts.iter().filter(|kind| kind.starts_with("thought "));
    assert_eq!(thoughts.collect::<Vec<_>>(), ["thought a", "thought c"]);
}

/// White space that may belong to a call comes out late, and stays in its frame all the same.
#[test]
fn text_stays_in_its_own_frame_whenever_it_comes_out() {
    let delta =
        |text: &str| chunk(json!({"index": 0, "delta": {"role": "assistant", "content": text}}));
    let refused = r#"<tool_call>{"nome":"f"}</tool_call>"#;
    for pieces in [&["a ", refused][..], &["a <tool", &refused[5..]]] {
        let stream: String = pieces.iter().map(|piece| delta(piece)).collect();
        let out = written(Format::OpenAi, Thinking::Move, &stream);
        let first = deltas(&out)[0]["content"].clone();
        assert!(first == pieces[0], "{out}");
        assert_eq!(written(Format::OpenAi, Thinking::Move, &out), out);
    }
}

fn deltas(stream: &str) -> Vec<Value> {
    let data = stream
        .lines()
        .filter_map(|line| line.strip_prefix("data: "));
    let frames = data.map(|json| serde_json::from_str::<Value>(json).unwrap());
    frames
        .map(|frame| frame["choices"][0]["delta"].clone())
        .collect()
}

/// Found by the fuzz target `wire`.
#[test]
fn letters_between_comments_are_rewritten_once() {
    let text = "Hello <think>a</think><think>b</think><tool_call>c</tool_call>";
    let letter = |letter: char| {
        let choice = json!({"index": "0", "text": letter.to_string(), "finish_reason": null});
        let chunk =
            json!({"object": "text_completion", "created": 1, "model": "m", "choices": [choice]});
        format!(": comment\n\n{}", data(&chunk))
    };
    let stream: String = text.chars().map(letter).collect();
    let out = written(Format::OpenAi, Thinking::Move, &stream);
    assert_eq!(written(Format::OpenAi, Thinking::Move, &out), out);
}

#[test]
fn a_refused_call_in_an_older_completion_is_there_once() {
    let text = r#"a <tool_call>{"name":"f","arguments":{"a":1}}x</tool_call> b"#;
    for size in 1..text.len() {
        let pieces = text.as_bytes().chunks(size);
        let chunk = |piece: &[u8]| {
            let text = std::str::from_utf8(piece).unwrap();
            data(
                &json!({"id": "c", "object": "text_completion", "created": 1, "model": "m",
                "choices": [{"index": 0, "text": text, "finish_reason": null}]}),
            )
        };
        let stream: String = pieces.map(chunk).collect();
        let (out, notices) = rewrite(&calls(), Format::OpenAi, Options::default(), &stream);
        let data = out.lines().filter_map(|line| line.strip_prefix("data: "));
        let texts = data.map(|json| serde_json::from_str::<Value>(json).unwrap());
        let texts = texts.map(|frame| frame["choices"][0]["text"].as_str().unwrap().to_owned());
        assert_eq!(texts.collect::<String>(), text);
        assert!(notices.contains(&"malformed_call"), "{notices:?}");
    }
}
