//! A profile applies to all of a message: to each of its texts, and to native thinking and calls.

mod support;

use serde_json::{Value, json};
use support::events_with;
use tagstream::Profile;
use tagstream_wire::rewrite::{self, Rewriter};
use tagstream_wire::{Format, Session};

fn profile(text: &str) -> Profile {
    tagstream::profile::parse(text).unwrap()
}

/// The events of a stream in short.
fn read(profile: &Profile, format: Format, stream: &str) -> Vec<String> {
    let session = Session::new(profile, format).unwrap();
    let short = |event: &Value| {
        let kind = event["type"].as_str().unwrap();
        let what = ["text", "code", "name"];
        let what = what.iter().find_map(|key| event[*key].as_str());
        match kind {
            "thought_start" | "thought_end" | "finish" | "usage" => None,
            _ => Some(format!("{kind} {}", what.unwrap_or(""))),
        }
    };
    let events = events_with(session, [stream.as_bytes()]);
    events.iter().filter_map(short).collect()
}

/// What is found in the stream once it has been written again, by those who look for nothing.
fn reread(profile: &Profile, format: Format, stream: &str) -> Vec<String> {
    let mut rewriter = Rewriter::new(profile, format, rewrite::Options::default()).unwrap();
    let mut out = Vec::new();
    rewriter.push(stream.as_bytes(), &mut out);
    rewriter.finish(&mut out);
    let out = String::from_utf8(out).unwrap();
    read(&Profile::new(), format, &out)
}

/// A call that is not closed counts only if nothing says that the message was cut off.
#[test]
fn a_length_limit_makes_an_unclosed_call_incomplete() {
    let profile = profile(
        "[calls]\ndialect = 'qwen3-coder'\nmissing_end = true\ntools = [{name = 'f', input_schema = {}}]",
    );
    let text = "<tool_call><function=f><parameter=a>1</parameter>";
    for (reason, last) in [
        ("stop", "call_end f"),
        ("length", "call_error incomplete_call"),
    ] {
        let chunk = json!({"choices": [{"index": 0, "delta": {"content": text}}]});
        let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]});
        let stream = format!("data: {chunk}\n\ndata: {end}\n\ndata: [DONE]\n\n");
        let events = read(&profile, Format::OpenAi, &stream);
        assert_eq!(events.last().map(String::as_str), Some(last), "{events:?}");
    }
}

/// A text by itself has no provider that could have cut it off.
#[test]
fn the_end_of_a_text_may_end_a_call() {
    let profile = profile("[calls]\ndialect = 'qwen3-coder'\nmissing_end = true");
    let text = "<tool_call><function=f><parameter=a>1</parameter>";
    for format in [Format::Text, Format::Auto] {
        let events = read(&profile, format, text);
        let last = events.last().map(String::as_str);
        assert_eq!(last, Some("call_end f"), "{events:?}");
    }
}

// Several texts

fn sse(events: &[Value]) -> String {
    let frame = |event: &Value| {
        let kind = event["type"].as_str().unwrap_or("");
        format!("event: {kind}\ndata: {event}\n\n")
    };
    events.iter().map(frame).collect()
}

/// An answer of Anthropic's with these blocks, streamed and whole.
fn anthropic(blocks: &[(&str, &str)]) -> [String; 2] {
    let mut events = vec![json!({"type": "message_start", "message": {"id": "msg_1"}})];
    let mut content = Vec::new();
    for (index, (kind, text)) in blocks.iter().enumerate() {
        let block = |text: &str| match *kind {
            "tool_use" => json!({"type": "tool_use", "id": "t", "name": "f", "input": {}}),
            _ => json!({"type": kind, *kind: text}),
        };
        let (start, stop) = ("content_block_start", "content_block_stop");
        events.push(json!({"type": start, "index": index, "content_block": block("")}));
        if *kind != "tool_use" {
            let delta = json!({"type": format!("{kind}_delta"), *kind: text});
            events.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        }
        events.push(json!({"type": stop, "index": index}));
        content.push(block(text));
    }
    events.push(json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}));
    events.push(json!({"type": "message_stop"}));
    let body = json!({"id": "msg_1", "type": "message", "role": "assistant", "content": content,
        "stop_reason": "end_turn"});
    [sse(&events), body.to_string()]
}

/// The same as a response of OpenAI's.
fn responses(blocks: &[(&str, &str)]) -> [String; 2] {
    let mut events =
        vec![json!({"type": "response.created", "response": {"id": "r", "output": []}})];
    let mut output = Vec::new();
    for (index, (kind, text)) in blocks.iter().enumerate() {
        let id = format!("i{index}");
        let (item, part) = match *kind {
            "text" => ("message", "output_text"),
            "thinking" => ("reasoning", "reasoning_text"),
            _ => ("function_call", ""),
        };
        let mut whole = json!({"id": id, "type": item, "content": [{"type": part, "text": text}], "summary": []});
        if part.is_empty() {
            whole = json!({"id": id, "type": item, "call_id": "t", "name": "f", "arguments": "{}"});
        }
        events.push(json!({"type": "response.output_item.added", "output_index": index,
            "item": {"id": id, "type": item, "call_id": "t", "name": "f", "content": [], "summary": []}}));
        if !part.is_empty() {
            events.push(
                json!({"type": format!("response.{part}.delta"), "output_index": index,
                "content_index": 0, "item_id": id, "delta": text}),
            );
        }
        events.push(
            json!({"type": "response.output_item.done", "output_index": index, "item": whole}),
        );
        output.push(whole);
    }
    let response =
        json!({"id": "r", "object": "response", "status": "completed", "output": output});
    events.push(json!({"type": "response.completed", "response": response}));
    [sse(&events), response.to_string()]
}

/// Both formats, streamed and whole, read and written again, give this.
fn all_give(profile: &Profile, blocks: &[(&str, &str)], expected: &[&str]) {
    let anthropic = anthropic(blocks).map(|stream| (Format::Anthropic, stream));
    let responses = responses(blocks).map(|stream| (Format::Responses, stream));
    for (format, stream) in anthropic.into_iter().chain(responses) {
        for read in [read, reread] {
            let mut found = read(profile, format, &stream);
            found.retain(|event| !event.starts_with("call_delta"));
            assert_eq!(found, expected, "{stream}");
        }
    }
}

const OPEN: &str = "[thinking]\ntags = ['think']\nstarts_open = true";
const ANCHORED: &str = "[thinking]\ntags = ['think']\nanchor = 'start'";

#[test]
fn a_prompt_opens_the_first_text_alone() {
    let blocks = [("text", "a</think>b"), ("tool_use", ""), ("text", "c")];
    let expected = [
        "thought a",
        "text b",
        "call_start f",
        "call_end f",
        "text c",
    ];
    all_give(&profile(OPEN), &blocks, &expected);
}

#[test]
fn a_prompt_opens_nothing_where_the_provider_tells_thinking_apart() {
    let blocks = [("thinking", "a"), ("text", "b")];
    all_give(&profile(OPEN), &blocks, &["thought a", "text b"]);
    let chunk = |delta: Value| {
        let choices = json!([{"index": 0, "delta": delta}]);
        format!("data: {}\n\n", json!({"id": "c", "choices": choices}))
    };
    let stream = chunk(json!({"reasoning_content": "a"})) + &chunk(json!({"content": "b"}));
    let stream = stream + "data: [DONE]\n\n";
    for read in [read, reread] {
        let found = read(&profile(OPEN), Format::OpenAi, &stream);
        assert_eq!(found[..2], ["thought a", "text b"]);
    }
    let message = json!({"thinking": "a", "content": "b"});
    let line = json!({"model": "m", "message": message, "done": true}).to_string();
    let parts = json!([{"text": "a", "thought": true}, {"text": "b"}]);
    let frame = json!({"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]});
    for (format, body) in [(Format::Ollama, line), (Format::Gemini, frame.to_string())] {
        for read in [read, reread] {
            let found = read(&profile(OPEN), format, &body);
            assert_eq!(found, ["thought a", "text b"], "{body}");
        }
    }
}

#[test]
fn thinking_at_the_start_alone_means_that_of_the_message() {
    let blocks = [
        ("text", "<think>a</think>"),
        ("text", " <think>b</think>c"),
        ("text", "<think>d</think>"),
    ];
    let expected = ["thought a", "text  ", "thought b", "text c<think>d</think>"];
    all_give(&profile(ANCHORED), &blocks, &expected);
    let blocks = [("tool_use", ""), ("text", "<think>a</think>")];
    let expected = ["call_start f", "call_end f", "text <think>a</think>"];
    all_give(&profile(ANCHORED), &blocks, &expected);
}

// Native calls

const TOOLS: &str = r#"
[calls]
dialect = "hermes"
tools = [{type = "function", function = {name = "f", parameters = {}}}]
"#;

/// A stream with calls of these tools, each found in text or native.
fn calls(names: &[(&str, bool)]) -> String {
    let mut stream = String::new();
    for (index, (name, is_native)) in names.iter().enumerate() {
        let arguments = json!({"n": index});
        let function = json!({"name": name, "arguments": arguments.to_string()});
        let call = json!({"name": name, "arguments": arguments});
        let text = format!("<tool_call>{call}</tool_call>");
        let delta = match is_native {
            true => {
                json!({"tool_calls": [{"index": index, "id": index.to_string(), "function": function}]})
            }
            false => json!({"content": text}),
        };
        let choices = json!([{"index": 0, "delta": delta}]);
        stream += &format!("data: {}\n\n", json!({"choices": choices}));
    }
    stream + "data: [DONE]\n\n"
}

#[test]
fn a_native_call_of_an_unknown_tool_is_refused_as_one_in_text() {
    for is_native in [false, true] {
        let stream = calls(&[("g", is_native), ("f", is_native)]);
        let mut found = read(&profile(TOOLS), Format::OpenAi, &stream);
        found.retain(|event| !event.starts_with("call_delta"));
        found.sort();
        let expected = ["call_end f", "call_error unknown_tool", "call_start f"];
        assert_eq!(found, expected);
    }
    let message = |is_native| {
        let profile = profile(TOOLS);
        let session = Session::new(&profile, Format::OpenAi).unwrap();
        let stream = calls(&[("g", is_native)]);
        events_with(session, [stream.as_bytes()])[0]["message"].clone()
    };
    assert_eq!(message(true), message(false));
}

#[test]
fn a_native_call_cannot_be_text_but_may_pass() {
    let stream = calls(&[("g", true)]);
    let set = |value: &str| profile(&format!("{TOOLS}unknown_tool = '{value}'"));
    let found = read(&set("text"), Format::OpenAi, &stream);
    assert_eq!(found, ["call_error unknown_tool"]);
    let found = read(&set("pass"), Format::OpenAi, &stream);
    assert_eq!(
        found,
        ["call_start g", "call_delta {\"n\":0}", "call_end g"]
    );
}

#[test]
fn native_calls_and_those_found_in_text_count_together() {
    let profile = profile(&format!("{TOOLS}max_calls = 2"));
    let stream = calls(&[("f", false), ("f", true), ("f", true)]);
    let mut found = read(&profile, Format::OpenAi, &stream);
    found.retain(|event| event.starts_with("call_e"));
    assert_eq!(found, ["call_end f", "call_end f", "call_error limit"]);
    let call = r#"<tool_call>{"name":"f","arguments":{"x":1}}</tool_call>"#;
    let twice = call.repeat(2);
    let [stream, _] = anthropic(&[("tool_use", ""), ("text", &twice), ("text", call)]);
    let mut found = read(&profile, Format::Anthropic, &stream);
    found.retain(|event| !event.starts_with("call_delta") && !event.starts_with("skip"));
    let f = ["call_start f", "call_end f"];
    let limit = "call_error limit";
    assert_eq!(found, [f[0], f[1], f[0], f[1], limit, limit]);
}

/// Native calls pass, but they count for the texts after them.
#[test]
fn rewritten_messages_have_no_more_calls_either() {
    let profile = profile(&format!("{TOOLS}max_calls = 2"));
    let call = r#"<tool_call>{"name":"f","arguments":{"x":1}}</tool_call>"#;
    let shown = format!("text {call}");
    let blocks = [
        [("text", call); 3],
        [("tool_use", ""), ("text", call), ("text", call)],
    ];
    for blocks in blocks {
        for (format, streams) in [
            (Format::Anthropic, anthropic(&blocks)),
            (Format::Responses, responses(&blocks)),
        ] {
            for stream in streams {
                let mut found = reread(&profile, format, &stream);
                found.retain(|event| event.starts_with("call_e") || event.starts_with("text"));
                assert_eq!(found, ["call_end f", "call_end f", &shown], "{stream}");
            }
        }
    }
}

#[test]
fn a_custom_tool_is_declared_with_its_input() {
    let tools = r#"
[calls]
dialect = "hermes"
tools = [{type = "custom", name = "run"}]
"#;
    let item = json!({"id": "c", "type": "custom_tool_call", "call_id": "x", "name": "run", "input": "ls"});
    let body = json!({"id": "r", "object": "response", "status": "completed", "output": [item]});
    let found = read(&profile(tools), Format::Responses, &body.to_string());
    assert_eq!(
        found,
        [
            "call_start run",
            "call_delta {\"input\":\"ls\"}",
            "call_end run"
        ]
    );
}

// Native thinking

/// A message that thinks and says something, in all formats, streamed and whole.
fn thinking(thought: &[&str], text: &str) -> Vec<(Format, String)> {
    let all = thought.concat();
    let chunk = |delta: Value| json!({"choices": [{"index": 0, "delta": delta}]});
    let mut chunks: Vec<Value> = Vec::new();
    let mut lines = Vec::new();
    let mut parts = Vec::new();
    for piece in thought {
        chunks.push(chunk(json!({"reasoning_content": piece})));
        lines.push(json!({"message": {"thinking": piece}, "done": false}));
        parts.push(json!({"text": piece, "thought": true}));
    }
    chunks.push(chunk(json!({"content": text})));
    lines.push(json!({"message": {"content": text}, "done": true}));
    parts.push(json!({"text": text}));
    let body = json!({"choices": [{"message": {"reasoning": all, "content": text}}]});
    let lines: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
    let gemini = json!([{"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]}]);
    let blocks = [("thinking", &*all), ("text", text)];
    let mut all = vec![
        (Format::OpenAi, sse(&chunks) + "data: [DONE]\n\n"),
        (Format::OpenAi, body.to_string()),
        (Format::Ollama, lines.concat()),
        (Format::Gemini, gemini.to_string()),
    ];
    all.extend(anthropic(&blocks).map(|stream| (Format::Anthropic, stream)));
    all.extend(responses(&blocks).map(|stream| (Format::Responses, stream)));
    all
}

#[test]
fn a_profile_that_hides_thinking_hides_it_wherever_it_is() {
    let profile = profile("[thinking]\ntags = ['think']\nmode = 'hide'");
    for (format, stream) in thinking(&["secret"], "<think>secret</think>Hi") {
        for read in [read, reread] {
            assert_eq!(read(&profile, format, &stream), ["text Hi"], "{stream}");
        }
    }
}

#[test]
fn hidden_thinking_counts_as_thinking_that_came_first() {
    let profile = profile("[thinking]\ntags = ['think']\nmode = 'hide'\nstarts_open = true");
    for (format, stream) in thinking(&["secret"], "Hi") {
        for read in [read, reread] {
            assert_eq!(read(&profile, format, &stream), ["text Hi"], "{stream}");
        }
    }
}

#[test]
fn what_is_hidden_by_the_profile_is_hidden_as_by_the_option() {
    let profile = profile("[thinking]\ntags = ['think']\nmode = 'hide'");
    let shown = self::profile("[thinking]\ntags = ['think']");
    for (format, stream) in thinking(&["secret"], "Hi") {
        let write = |profile: &Profile, thinking| {
            let mut options = rewrite::Options::default();
            options.thinking = thinking;
            let mut rewriter = Rewriter::new(profile, format, options).unwrap();
            let mut out = Vec::new();
            rewriter.push(stream.as_bytes(), &mut out);
            rewriter.finish(&mut out);
            String::from_utf8(out).unwrap()
        };
        let hidden = write(&shown, rewrite::Thinking::Hide);
        assert!(!hidden.contains("secret"), "{hidden}");
        assert_eq!(write(&profile, rewrite::Thinking::Move), hidden);
        assert_eq!(write(&profile, rewrite::Thinking::Keep), hidden);
    }
}

#[test]
fn thoughts_are_trimmed_as_the_profile_says_wherever_they_stand() {
    let pieces = ["\n ", " a ", "\n", "b", "", " \n", " "];
    for (trim, expected) in [
        ("none", "thought \n  a \nb \n "),
        ("answer", "thought \n  a \nb \n "),
        ("thought", "thought a \nb"),
        ("both", "thought a \nb"),
    ] {
        let profile = profile(&format!("[thinking]\ntags = ['think']\ntrim = '{trim}'"));
        for (format, stream) in thinking(&pieces, "Hi") {
            let found = read(&profile, format, &stream);
            assert_eq!(found, [expected, "text Hi"], "{trim} {stream}");
        }
    }
}

#[test]
fn white_space_that_may_end_a_thought_does_not_wait_for_ever() {
    let profile = profile("[thinking]\ntags = ['think']\ntrim = 'thought'");
    let blank = " ".repeat(1 << 20);
    let (format, stream) = thinking(&["a", &blank], "Hi").remove(0);
    let found = read(&profile, format, &stream);
    assert!(found[0].len() > 1 << 20);
}
