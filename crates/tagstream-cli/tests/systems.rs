//! The five systems on the command line: what `docs/spec.md` 10 and the systems' documents promise
//! their users there.
//!
//! A test's name starts with the id of the item that it shows, as listed in
//! `crates/tagstream-testing/systems.tsv`. The library's part is in `crates/tagstream/tests/systems`.

mod support;

use serde_json::{Value, json};
use support::{Temp, lines, out, run};

/// The lines of an output, as JSON.
fn values(output: &str) -> Vec<Value> {
    let lines = output.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// All ways to cut a text in two, as chunks.
fn cuts(text: &str) -> impl Iterator<Item = String> {
    text.char_indices()
        .map(|(at, _)| lines(&[&text[..at], &text[at..]]))
}

// 000: elements while they grow.

/// The text that `elements --partial` has shown of the element 0.
fn shown(output: &str) -> String {
    let mut shown = String::new();
    for value in values(output) {
        if value["reset"] == true {
            shown.clear();
        }
        shown.push_str(value["text"].as_str().unwrap_or_default());
    }
    shown
}

#[test]
fn s000_elements_partial_never_prints_the_start_of_a_tag() {
    let canvas = &["elements", "--preset", "canvas", "--partial", "--chunks"];
    for (tag, kept) in [
        ("", "text"),
        ("<", "text"),
        ("</", "text"),
        ("</no", "text"),
        ("</node ", "text"),
        ("<br/", "text"),
        ("<edge from=\"a", "text"),
        ("<5", "text<5"),
        (" < b", "text < b"),
    ] {
        let message = format!("<node id=\"n\">text{tag}");
        for input in cuts(&message) {
            let ran = run(canvas, &input);
            assert_eq!(shown(&ran.out), kept, "{input}{}", ran.out);
            assert!(ran.err.contains("incomplete_element"), "{}", ran.err);
        }
    }
}

/// A run of backticks without a partner holds the element until the message ends.
#[test]
fn s000_a_canvas_in_a_fence_is_reported_by_elements_too() {
    let message = "```xml\n<node id=\"a\">x</node>\n```\n";
    let ran = run(&["elements", "--preset", "canvas", "--strict"], message);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{}", ran.err);
    let reported = "tagstream: in_code: `<node>` at byte 7 is in a Markdown fence, so it is text\n";
    assert_eq!(ran.err, reported);
}

#[test]
fn s000_elements_partial_withholds_it_also_where_all_comes_at_the_end() {
    let args = &["elements", "--preset", "canvas", "--partial"];
    let ran = run(args, "a ` b <node id=\"n\">text</no");
    assert_eq!(shown(&ran.out), "text", "{}", ran.out);
}

#[test]
fn s000_elements_partial_withholds_it_in_parts_too() {
    let profile = Temp::new(
        "parts.toml",
        "[[elements]]\nname = \"log\"\nchildren = [\"m\"]\n",
    );
    let args = &["elements", "--profile", profile.path(), "--partial"];
    let ran = run(args, "a ` b <log><m>text</");
    assert_eq!(shown(&ran.out), "text", "{}", ran.out);
}

// 000: the canvas.

const CANVAS: &str = "Here:\n<group id='g1' title='Plan &amp; do' row='0' col='-1'>\
    <node id='n1' type='Concept' row='0' col='1'>\n    Ideas &lt;now&gt;\n      more\n  </node>\
    <member id='n9'/></group><edge from='n1' to='n2' dir='bi' label='then'/>\
    <node id='n2' title='T' row=' 2 ' col='0'>x</node>";

#[test]
fn s000_nodes_prints_the_canvas_as_the_document_models_it() {
    let n1 = json!({"id": "n1", "type": "concept", "row": 0, "col": 1,
        "content": "Ideas <now>\n  more", "group_id": "g1"});
    let with = |element: &str, model: &Value| {
        let mut line = model.clone();
        line["element"] = element.into();
        line["complete"] = true.into();
        line
    };
    let expected = [
        with("node", &n1),
        with(
            "group",
            &json!({"id": "g1", "title": "Plan & do", "row": 0, "col": -1,
                "nodes": [n1], "members": ["n9"]}),
        ),
        with(
            "edge",
            &json!({"from": "n1", "to": "n2", "dir": "bi", "label": "then"}),
        ),
        with(
            "node",
            &json!({"id": "n2", "type": "default", "title": "T", "row": 2, "col": 0,
                "content": "x"}),
        ),
    ];
    for input in cuts(CANVAS) {
        assert_eq!(values(&out(&["nodes", "--chunks"], &input)), expected);
    }
}

#[test]
fn s000_nodes_reports_what_cannot_be_used() {
    let message = "<node id='a' row='x' col='0'>1</node><node id='b' type='odd' row='0' col='0'>\
        2</node><edge from='a'/><member id='m'/><node id='c' row='0' col='0'>3</no";
    let ran = run(&["nodes"], message);
    assert_eq!(values(&ran.out).len(), 1, "{}", ran.out);
    assert_eq!(
        ran.err.lines().collect::<Vec<_>>(),
        [
            "tagstream: dropped: <node> at byte 0 is left out: `row` is \"x\"; allowed: an integer",
            "tagstream: repaired: <node> at byte 37: `type` is \"odd\"; allowed: default, concept, \
             step, resource, warning, insight, question",
            "tagstream: dropped: <edge> at byte 85 is left out: `to` is missing",
            "tagstream: dropped: <member> at byte 101 is left out: it is not in a group",
            "tagstream: dropped: <node> at byte 117 is left out: it has no closing tag",
        ]
    );
    assert_eq!(run(&["nodes", "--strict"], message).code, 1);
}

#[test]
fn s000_nodes_partial_prints_them_while_they_grow() {
    let chunks = [
        "<group id='g'><node id='n' row='1' col='2'>\n    one",
        " &l",
        "t; two</no",
        "de><member id='m'/><node id='o'>\n  a\n b<",
    ];
    let args = &["nodes", "--partial", "--chunks"];
    let ran = run(args, lines(&chunks));
    let node = |id: &str, row: i64, col: i64, text: &str| {
        json!({"element": "node", "id": id, "type": "default", "row": row, "col": col,
            "group_id": "g", "text": text, "complete": false})
    };
    let group = |members: &[&str]| {
        json!({"element": "group", "id": "g", "title": "Untitled Group", "row": 0, "col": 0,
            "members": members, "complete": false})
    };
    let whole = json!({"element": "node", "id": "n", "type": "default", "row": 1, "col": 2,
        "content": "one < two", "group_id": "g", "complete": true});
    assert_eq!(
        values(&ran.out),
        [
            group(&[]),
            node("n", 1, 2, "one"),
            node("n", 1, 2, " < two"),
            whole,
            group(&["m"]),
            node("o", 0, 0, "a\nb"),
        ]
    );
}

/// A line that is less indented than those before changes how they are dedented.
#[test]
fn s000_nodes_partial_begins_anew_where_the_indent_falls() {
    let input = lines(&["<node id='n'>\n    a\n    b\n", "  c", "d"]);
    let ran = run(&["nodes", "--partial", "--chunks"], input);
    let texts: Vec<(Value, bool)> = values(&ran.out)
        .iter()
        .map(|line| (line["text"].clone(), line["reset"] == true))
        .collect();
    assert_eq!(
        texts,
        [
            (json!("a\nb"), false),
            (json!("a\n  b\nc"), true),
            (json!("d"), false)
        ]
    );
}

// 001: chat completions.

/// A stream of OpenAI's with this content, cut in pieces of some bytes.
fn openai(content: &str) -> String {
    let pieces = content.as_bytes().chunks(7);
    let frames = pieces.map(|piece| {
        let text = std::str::from_utf8(piece).unwrap();
        json!({"choices": [{"index": 0, "delta": {"content": text}}]}).to_string()
    });
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}).to_string();
    let frames = frames.chain([end, "[DONE]".to_owned()]);
    frames.map(|frame| format!("data: {frame}\n\n")).collect()
}

const TAGGED: &str = "Processing<thinking />Now.\n\n<analysis>hm</analysis>Two <b>x</b> three";

#[test]
fn s001_chat_prints_the_events_of_a_providers_stream() {
    let lines = values(&out(&["chat", "--from", "openai"], openai(TAGGED)));
    let join = |kind: &str, key: &str| -> String {
        let lines = lines.iter().filter(|line| line["kind"] == kind);
        lines.map(|line| line[key].as_str().unwrap()).collect()
    };
    let content = "Processing Now.\n\nTwo  three";
    assert_eq!(join("content-delta", "delta"), content);
    assert_eq!(join("thought-stream", "content"), "hm");
    assert_eq!(join("thought-stream", "thoughtType"), "analysis");
    assert_eq!(
        lines.last().unwrap(),
        &json!({"kind": "content-complete", "content": content, "toolCalls": [],
            "finishReason": "stop", "index": 0})
    );
}

#[test]
fn s001_chat_reads_calls_in_the_content_where_they_are_asked_for() {
    let message = "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1.50}}</tool_call>";
    let lines = values(&out(&["chat", "--dialect", "hermes"], message));
    assert_eq!(lines[0]["kind"], "tool-call");
    assert_eq!(lines[0]["toolCall"]["name"], "f");
}

fn content(args: &[&str], stream: &str) -> String {
    let lines = values(&out(args, stream));
    lines[0]["content"].as_str().unwrap().to_owned()
}

#[test]
fn s001_aggregate_never_fuses_words() {
    let stream = openai("Processing<thinking />Now");
    let aggregate = &["aggregate", "--from", "openai"];
    assert_eq!(content(aggregate, &stream), "Processing Now");
}

#[test]
fn s001_aggregate_cleans_every_inline_tag_when_asked() {
    let stream = openai(TAGGED);
    let aggregate = ["aggregate", "--from", "openai", "--clean", "inline"];
    assert_eq!(
        content(&aggregate, &stream),
        "Processing Now.\n\nTwo  three"
    );
    for (whitespace, cleaned) in [
        ("split", "ProcessingNow.Twothree"),
        ("preserve", "Processing Now.\n\nTwo  three"),
        ("collapse", "Processing Now. Two three"),
        ("as-is", "ProcessingNow.\n\nTwo  three"),
    ] {
        let args = [&aggregate[..], &["--whitespace", whitespace]].concat();
        assert_eq!(content(&args, &stream), cleaned, "{whitespace}");
        assert_eq!(
            out(&["strip", "--whitespace", whitespace], TAGGED),
            cleaned,
            "{whitespace}"
        );
    }
    let tags = content(&["aggregate", "--from", "openai"], &stream);
    assert!(tags.contains("<b>x</b>"), "without --clean: {tags}");
}

/// With `collapse`, `strip` does what the document's patterns do, which know no code.
#[test]
fn s001_the_ways_of_cleaning_are_the_same_for_strip_chat_and_aggregate() {
    for (message, fits_patterns) in [
        ("Processing<thinking />Now.\n\nTwo <b>x</b> three", true),
        ("  a", true),
        ("<p>Hello</p> <p>World</p>", true),
        ("a </b> c", false),
        (" <a/> x </b> y `<i>z</i>` <c>", false),
        ("Hello<thinking>secret", false),
    ] {
        for whitespace in ["split", "preserve", "collapse", "as-is"] {
            let way = ["--whitespace", whitespace];
            let chat = values(&out(&[&["chat"][..], &way].concat(), message));
            let chat = chat.last().unwrap()["content"].as_str().unwrap();
            let aggregate = [&["aggregate", "--clean", "inline"][..], &way].concat();
            assert_eq!(chat, content(&aggregate, message), "{way:?} {message:?}");
            if whitespace != "collapse" || fits_patterns {
                // Standard error reports the thought that was hidden.
                let strip = run(&[&["strip"][..], &way].concat(), message);
                assert_eq!(chat, strip.out, "{way:?} {message:?}");
            }
        }
    }
}

/// What is native was not in the text, so it takes no white space with it; but words do not touch.
#[test]
fn s001_aggregate_never_fuses_words_around_a_native_call() {
    let delta = |delta: Value| {
        let frame = json!({"choices": [{"index": 0, "delta": delta}]});
        format!("data: {frame}\n\n")
    };
    let call = json!({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}}]});
    let text = |text: &str| delta(json!({"content": text}));
    for (whitespace, cleaned) in [("preserve", "One. Two."), ("as-is", "One.Two.")] {
        let stream = text("One.") + &delta(call.clone()) + &text("Two.") + "data: [DONE]\n\n";
        let aggregate = ["aggregate", "--from", "openai", "--whitespace", whitespace];
        assert_eq!(content(&aggregate, &stream), cleaned);
        let chat = ["chat", "--from", "openai", "--whitespace", whitespace];
        let lines = values(&out(&chat, &stream));
        assert_eq!(lines.last().unwrap()["content"], cleaned);
    }
}

#[test]
fn s001_a_thought_of_ten_megabytes_is_not_content() {
    let stream = format!("A <planning>{}</planning>B", "hm ".repeat(3_500_000));
    for args in [
        &["aggregate", "--preset", "inline"][..],
        &["aggregate", "--clean", "inline"],
    ] {
        let line = &values(&out(args, &stream))[0];
        assert_eq!(line["content"], "A B");
        assert_eq!(line["thoughts"][0].as_str().unwrap().len(), 10_500_000);
    }
    assert_eq!(out(&["strip"], &stream), "A B");
}

/// What `aggregate` makes of a stream of these chunks.
fn aggregated(chunks: &[Value]) -> Vec<Value> {
    let frames = chunks.iter().map(|chunk| format!("data: {chunk}\n\n"));
    let stream: String = frames.chain(["data: [DONE]\n\n".to_owned()]).collect();
    values(&out(&["aggregate", "--from", "openai"], &stream))
}

/// What `aggregate` makes of these deltas of tool calls.
fn merged(deltas: &[Value]) -> Value {
    let chunk =
        |delta: &Value| json!({"choices": [{"index": 0, "delta": {"tool_calls": [delta]}}]});
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]});
    let chunks: Vec<_> = deltas.iter().map(chunk).chain([end]).collect();
    aggregated(&chunks).remove(0)
}

#[test]
fn s001_aggregator_merges_by_index_and_sorts_by_it() {
    let merged = merged(&[
        json!({"index": 1, "id": "b", "function": {"name": "g", "arguments": "{\"x\""}}),
        json!({"index": 0, "id": "a", "function": {"name": "f", "arguments": ""}}),
        json!({"index": 1, "function": {"arguments": ":1}"}}),
        json!({"index": 0, "function": {"arguments": "{}"}}),
    ]);
    let calls = json!([
        {"id": "a", "name": "f", "arguments": {}},
        {"id": "b", "name": "g", "arguments": {"x": 1}},
    ]);
    assert_eq!(merged["tool_calls"], calls);
    assert_eq!(merged["finish_reason"], "tool_calls");
}

#[test]
fn s001_aggregator_starts_a_call_for_a_new_id_with_and_without_an_index() {
    for index in [json!({"index": 0}), json!({})] {
        let delta = |mut delta: Value| {
            let fields = delta.as_object_mut().unwrap();
            fields.extend(index.as_object().unwrap().clone());
            delta
        };
        let merged = merged(&[
            delta(json!({"id": "a", "function": {"name": "f", "arguments": "{}"}})),
            delta(json!({"id": "b", "function": {"name": "g", "arguments": "{\"y\":"}})),
            delta(json!({"function": {"arguments": "2}"}})),
        ]);
        let calls = json!([
            {"id": "a", "name": "f", "arguments": {}},
            {"id": "b", "name": "g", "arguments": {"y": 2}},
        ]);
        assert_eq!(merged["tool_calls"], calls, "{index}");
    }
}

#[test]
fn s001_aggregator_conflict_of_names_keeps_the_first() {
    let merged = merged(&[
        json!({"index": 0, "id": "a", "function": {"name": "f", "arguments": "{"}}),
        json!({"index": 0, "id": "a", "function": {"name": "g", "arguments": "}"}}),
    ]);
    let calls = json!([{"id": "a", "name": "f", "arguments": {}}]);
    assert_eq!(merged["tool_calls"], calls);
    assert_eq!(merged["notices"][0]["code"], "identity_conflict");
}

#[test]
fn s001_aggregator_choices_are_kept_apart() {
    let finish = |index, reason| json!({"index": index, "delta": {}, "finish_reason": reason});
    let lines = aggregated(&[
        json!({"choices": [{"index": 1, "delta": {"content": "B"}}, {"index": 0, "delta": {"content": "A"}}]}),
        json!({"choices": [finish(0, "length")]}),
        json!({"choices": [finish(0, "stop"), finish(1, "length")]}),
        json!({"choices": [], "usage": {"total_tokens": 7}}),
    ]);
    let seen = |line: &Value| (line["content"].clone(), line["finish_reason"].clone());
    let seen: Vec<_> = lines.iter().map(seen).collect();
    assert_eq!(
        seen,
        [("A".into(), "stop".into()), ("B".into(), "length".into())]
    );
    assert_eq!(lines[0]["usage"], json!({"total_tokens": 7}));
}

// 002: the content filter.

#[test]
fn s002_frames_of_a_servers_own_are_read_by_their_key() {
    let stream = "event: message\ndata: {\"parts\":[{\"text\":\"before<thin\"}]}\n\n\
        : a comment\ndata: {\"parts\":[{\"text\":\"king>x</thinking>after\"}]}\n\n\
        data: {\"usage\":1}\n\ndata: [DONE]\n\n";
    let args = &["filter", "--from", "sse", "--text-key", "parts.0.text"];
    assert_eq!(out(args, stream), "beforeafter");
    let lines = stream.replace("data: ", "").replace("event: message\n", "");
    let json: String = lines
        .lines()
        .filter(|line| line.starts_with('{'))
        .map(|line| line.to_owned() + "\n")
        .collect();
    assert_eq!(out(args, json), "beforeafter", "also as lines of JSON");
    let raw = "data: a<thinking>b</thinking>c\n\ndata: \"d\\u0065\"\n\n";
    assert_eq!(out(&["filter", "--from", "sse"], raw), "acde");
}

#[test]
fn s002_frames_that_cannot_be_read_are_reported() {
    let args = &["filter", "--from", "sse", "--text-key", "a.b"];
    let ran = run(args, "data: {\"a\":{}}\n\ndata: {oops}\n\n");
    assert_eq!(ran.out, "");
    let lines: Vec<&str> = ran.err.lines().collect();
    assert!(
        lines[0].starts_with("tagstream: invalid_frame: the frame at byte 16: "),
        "{lines:?}"
    );
    assert_eq!(
        lines[1],
        "tagstream: invalid_frame: no frame has text at the key `a.b`"
    );
    let ran = run(&["filter", "--text-key", "a"], "x");
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
}

#[test]
fn s002_verbose_output_names_tool_calls_in_text_and_native() {
    let args = &["filter", "--verbose", "--preset", "roo"];
    let message = "a<execute_command><command>ls -l</command></execute_command>b\
        <write_to_file><path>x</path></write_to_file>";
    assert_eq!(
        out(args, message),
        "[text]\na\n[tool call: execute_command]\n{\"command\":\"ls -l\"}\n[text]\nb\n\
         [tool call, refused: write_to_file]\nmissing_required: missing required argument `content`\n"
    );
    let stream = "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\",\"tool_calls\":[{\"index\":0,\
        \"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":1}\"}}]},\
        \"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    assert_eq!(
        out(&["filter", "--verbose", "--from", "openai"], stream),
        "[text]\nHi\n[tool call: f]\n{\"a\":1}\n"
    );
}

#[test]
fn s002_rules_of_the_profile_are_followed() {
    let rules =
        "filter = [{ tag = 'note', show = 'content' }, { tag = 'tool', replace = '[tool]' }]";
    let profile = Temp::new("rules.toml", rules);
    let args = ["filter", "--profile", profile.path()];
    let message = "a<note>b</note>c<tool>d</tool>e";
    assert_eq!(out(&args, message), "abc[tool]e");
    let shown = [&args[..], &["--show", "tool"]].concat();
    assert_eq!(out(&shown, message), "abc<tool>d</tool>e");
}

// 003: directives.

#[test]
fn s003_thinking_is_not_run_on_the_command_line() {
    let message = "<thinking>or <read_file><path>a</path></read_file></thinking>Hi";
    let list = values(&out(&["directives"], message));
    let types: Vec<_> = list.iter().map(|line| line["type"].clone()).collect();
    assert_eq!(types, ["thought", "text"]);
    assert_eq!(out(&["calls", "--preset", "roo"], message), "");
    let ran = run(&["directives"], "<thinking>or <read_file><path>a</path>");
    assert!(ran.err.contains("unclosed_thought"), "{}", ran.err);
}

#[test]
fn s003_unclosed_fence_is_reported_on_the_command_line() {
    let ran = run(
        &["directives"],
        "```\n<read_file><path>a</path></read_file>",
    );
    let line = "tagstream: unclosed_fence: a tool call at byte 4 is text: the fence before it never closes\n";
    assert_eq!((ran.code, ran.err.as_str()), (0, line));
    let closed = "```\n<read_file><path>a</path></read_file>\n```\n";
    let ran = run(&["directives", "--strict"], closed);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
}
