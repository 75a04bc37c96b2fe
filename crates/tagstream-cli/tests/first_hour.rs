//! What a new user meets: nothing fails without a word, and help is there.

mod support;

use support::{Temp, lines, out, run};

const ERROR: &str = "data: {\"error\":{\"message\":\"overloaded\",\"type\":\"server_error\"}}\n\n";
const ANTHROPIC: &str = concat!(
    "event: message_start\n",
    "data: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[]}}\n\n",
    "event: content_block_start\n",
    "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
    "event: content_block_delta\n",
    "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hi\"}}\n\n",
    "event: content_block_stop\n",
    "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
    "event: message_stop\n",
    "data: {\"type\":\"message_stop\"}\n\n",
);

fn openai(content: &str) -> String {
    let content = serde_json::to_string(content).unwrap();
    format!(
        "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":{content}}},\"finish_reason\":\"stop\"}}]}}\n\ndata: [DONE]\n\n"
    )
}

// Providers' streams

#[test]
fn an_error_of_the_server_is_reported_and_makes_the_command_fail() {
    for command in [
        "filter",
        "events",
        "aggregate",
        "chat",
        "calls",
        "explain",
        "directives",
        "strip",
    ] {
        for from in [&["--from", "openai"][..], &[]] {
            let args = [&[command][..], from].concat();
            let ran = run(&args, ERROR);
            assert_eq!(ran.code, 1, "{args:?}: {}", ran.err);
            let is_reported = ran.err.contains("overloaded") || ran.out.contains("overloaded");
            assert!(is_reported, "{args:?}: {}", ran.err);
            assert!(!ran.err.contains("no frame"), "{args:?}: {}", ran.err);
            assert!(
                ran.err.contains("stream_error: ") || command == "explain",
                "{args:?}: {}",
                ran.err
            );
        }
    }
}

#[test]
fn what_cannot_be_read_of_a_stream_is_reported() {
    let cut = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi\"}}]}\n\n";
    for (stream, code) in [
        (
            format!("{cut}data: {{\"choices\":[{{\n\n"),
            "invalid_frame: ",
        ),
        (cut.to_owned(), "truncated_stream: "),
    ] {
        let ran = run(&["filter"], &stream);
        assert_eq!((ran.code, ran.out.as_str()), (0, "Hi"), "{}", ran.err);
        assert!(ran.err.contains(code), "{}", ran.err);
    }
}

#[test]
fn a_wrong_format_is_pointed_out() {
    for command in ["filter", "aggregate", "events", "rewrite"] {
        let ran = run(&[command, "--from", "openai"], ANTHROPIC);
        assert_eq!(ran.code, 1, "{command}: {}", ran.err);
        let expected = "tagstream: no frame of the format `openai`; it looks like `anthropic`\n";
        assert!(ran.err.contains(expected), "{command}: {}", ran.err);
    }
    let ran = run(&["filter", "--from", "gemini"], "Hello");
    assert!(
        ran.err
            .contains("no frame of the format `gemini`; it looks like `text`"),
        "{}",
        ran.err
    );
}

#[test]
fn what_is_not_recognised_is_kept_and_reported() {
    let unknown = "data: {\"response\":\"Hello\"}\n\ndata: [DONE]\n\n";
    let ran = run(&["events"], unknown);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(
        ran.out.contains("\"code\":\"invalid_frame\""),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("data: [DONE]"), "{}", ran.out);
    for input in [unknown, "Hello <think>you</think>"] {
        let ran = run(&["rewrite"], input);
        assert_eq!((ran.code, &*ran.out), (0, input), "{}", ran.err);
        assert!(ran.err.contains("invalid_frame: "), "{}", ran.err);
        assert_eq!(run(&["rewrite", "--strict"], input).code, 1);
    }
}

#[test]
fn an_error_of_the_server_is_in_every_format() {
    for command in ["events", "rewrite", "filter"] {
        for body in [r#"{"detail":"No."}"#, r#"{"error":{"message":"No."}}"#] {
            for from in [&["--from", "responses"][..], &[]] {
                let ran = run(&[&[command], from].concat(), body);
                assert_eq!(ran.code, 1, "{command} {from:?}: {}", ran.err);
                assert_eq!(ran.err, "tagstream: stream_error: No.\n", "{command}");
            }
        }
    }
    // More than an error is an answer.
    assert_eq!(run(&["filter"], r#"{"detail":"No.","days":3}"#).code, 0);
}

#[test]
fn the_answer_of_a_server_that_refuses_is_reported_whatever_it_looks_like() {
    for (body, words) in [
        (r#"{"code":"InvalidApiKey","message":"No."}"#, "No."),
        (r#"{"code":400,"message":"No."}"#, "No."),
        (r#"{"message":"No."}"#, "No."),
        (
            r#"{"errors":[{"message":"No."}],"success":false}"#,
            r#"[{"message":"No."}]"#,
        ),
        (r#"{"error":"No.","code":404}"#, "No."),
    ] {
        for command in ["filter", "rewrite", "aggregate"] {
            let ran = run(&[command], body);
            assert_eq!(ran.code, 1, "{command}, {body}: {}", ran.err);
            let expected = format!("looks like the error of a server: {words} (");
            assert!(ran.err.contains(&expected), "{command}: {}", ran.err);
            assert!(ran.out.contains("No."), "it may be an answer: {}", ran.out);
        }
        assert_eq!(out(&["filter", "--from", "text"], body), body);
        let named = run(&["filter", "--from", "openai"], body);
        assert_eq!(named.code, 1, "{body}");
        assert!(named.err.contains("stream_error: "), "{}", named.err);
    }
    for answer in [
        r#"{"message":"Done.","success":true}"#,
        r#"{"message":"Hi","days":3}"#,
        r#"{"type":"object"}"#,
        r#"{"message":"Hi"} there"#,
    ] {
        assert_eq!(out(&["filter"], answer), answer);
    }
}

#[test]
fn a_page_in_place_of_an_answer_is_pointed_out() {
    for page in [
        "<html><body>502 Bad Gateway</body></html>",
        "\n<!DOCTYPE html><p>No.",
    ] {
        let ran = run(&["filter"], page);
        assert_eq!((ran.code, &*ran.out), (0, page.trim()), "{}", ran.err);
        assert!(ran.err.contains("is an HTML page"), "{}", ran.err);
    }
    assert_eq!(
        out(&["filter"], "Write <html> first."),
        "Write <html> first."
    );
}

#[test]
fn an_error_with_a_type_of_its_own_keeps_its_words_in_every_format() {
    let body = r#"{"object":"error","message":"No.","type":"NotFoundError","code":404}"#;
    for from in [
        "openai",
        "responses",
        "anthropic",
        "gemini",
        "ollama",
        "auto",
    ] {
        let ran = run(&["filter", "--from", from], body);
        assert_eq!(ran.code, 1, "{from}: {}", ran.err);
        let expected = "tagstream: stream_error: No. (NotFoundError)\n";
        assert_eq!(ran.err, expected, "{from}");
    }
}

#[test]
fn a_stream_of_which_no_frame_can_be_read_makes_every_command_fail() {
    for command in ["filter", "rewrite", "aggregate", "events"] {
        for (from, expected) in [
            (
                &["--from", "openai"][..],
                "no frame of the format `openai`\n",
            ),
            (&[], "no frame can be read; the input looks like `openai`\n"),
        ] {
            let args = [&[command][..], from].concat();
            let ran = run(&args, "data: {\"choices\":[{");
            assert_eq!(ran.code, 1, "{args:?}: {}", ran.err);
            assert!(ran.err.contains(expected), "{args:?}: {}", ran.err);
        }
        let read = run(&[command, "--from", "openai"], openai(""));
        assert_eq!((read.code, &*read.err), (0, ""), "{command}");
    }
}

#[test]
fn frames_of_a_server_that_have_no_text_make_the_command_fail() {
    for (frame, expected) in [
        (
            r#"{"error":{"message":"overloaded"}}"#,
            "stream_error: overloaded",
        ),
        (r#"{"error":"overloaded"}"#, "stream_error: overloaded"),
        (
            r#"{"other":"Hi"}"#,
            "invalid_frame: no frame has text at the key `a.b`",
        ),
    ] {
        let stream = format!("data: {frame}\n\n");
        let ran = run(&["filter", "--from", "sse", "--text-key", "a.b"], stream);
        assert_eq!((ran.code, &*ran.out), (1, ""), "{frame}: {}", ran.err);
        assert!(ran.err.contains(expected), "{frame}: {}", ran.err);
    }
    let stream = "data: {\"a\":{\"b\":\"Hi\"}}\n\ndata: {\"usage\":1}\n\n";
    let read = out(&["filter", "--from", "sse", "--text-key", "a.b"], stream);
    assert_eq!(read, "Hi");
}

#[test]
fn a_refused_call_is_reported_where_the_output_does_not_have_it() {
    let call = "<tool_call>{\"name\":\"f\",\"arguments\":[]}</tool_call>";
    for command in ["filter", "elements", "rewrite"] {
        let ran = run(&[command, "--dialect", "auto"], openai(call));
        let reports = ran.err.matches("invalid_json").count();
        assert_eq!((ran.code, reports), (0, 1), "{command}: {}", ran.err);
    }
    let native = r#"{"choices":[{"message":{"content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"[1]"}}]},"finish_reason":"tool_calls"}]}"#;
    let ran = run(&["filter", "--dialect", "auto"], native);
    assert!(ran.err.contains("call 0 of `f` was refused"), "{}", ran.err);
    for command in ["events", "explain", "aggregate", "chat"] {
        let ran = run(&[command, "--dialect", "auto"], openai(call));
        assert_eq!((ran.code, &*ran.err), (0, ""), "{command}");
    }
}

#[test]
fn a_native_call_that_the_tools_refuse_is_reported_and_passed_on() {
    let tools = Temp::new(
        "native-tools.json",
        r#"[{"name":"wait","input_schema":{"type":"object","properties":{"seconds":{"type":"integer"}}}}]"#,
    );
    let body = |seconds: &str| {
        format!(
            r#"{{"choices":[{{"index":0,"message":{{"role":"assistant","content":null,"tool_calls":[{{"id":"a","type":"function","function":{{"name":"wait","arguments":"{{\"seconds\":{seconds}}}"}}}}]}},"finish_reason":"tool_calls"}}]}}"#
        )
    };
    let wrong = body(r#"\"soon\""#);
    let ran = run(&["rewrite", "--tools", tools.path()], &wrong);
    assert_eq!((ran.code, &*ran.out), (0, &*wrong));
    let expected =
        "tagstream: type_mismatch: argument `seconds`: expected an integer, got \"soon\"\n";
    assert_eq!(ran.err, expected);
    let strict = run(&["rewrite", "--strict", "--tools", tools.path()], &wrong);
    assert_eq!(strict.code, 1);
    assert_eq!(
        out(&["rewrite", "--tools", tools.path()], body("5")),
        body("5")
    );
}

#[test]
fn garbage_has_few_notices_except_in_events() {
    let garbage = [&b"\xff\xfea"[..]; 1000].concat();
    let count = |args: &[&str]| {
        let ran = run(args, &garbage);
        (ran.out.matches("invalid_utf8").count(), ran.err)
    };
    for args in [&["filter", "--verbose"][..], &["chat"], &["aggregate"]] {
        let (notices, err) = count(args);
        assert!(notices <= 16, "{args:?}: {notices}");
        assert!(
            err.contains("more like these are left out"),
            "{args:?}: {err}"
        );
    }
    assert!(count(&["events"]).0 >= 1000);
}

#[test]
fn a_message_has_the_first_notices_of_each_code_and_counts_the_others() {
    let refused = "a<tool_call>{\"name\":\"f\",\"arguments\":[]}</tool_call>b ";
    let message = out(&["aggregate", "--dialect", "auto"], refused.repeat(1500));
    let message: serde_json::Value = serde_json::from_str(&message).unwrap();
    let notices = message["notices"].as_array().unwrap();
    assert_eq!(notices.len(), 1001);
    assert_eq!(
        notices[1000],
        serde_json::json!({"code": "invalid_json", "message": "500 more like these are left out"})
    );
    // What is left out was in the text all the same.
    assert_eq!(message["content"], "a b ".repeat(1500));
}

#[test]
fn the_format_is_found_without_a_flag() {
    assert_eq!(out(&["filter"], ANTHROPIC), "Hi");
    assert_eq!(out(&["filter"], openai("<think>a</think>Hi")), "Hi");
    assert_eq!(
        out(
            &["filter", "--chunks"],
            lines(&openai("Hi").split("").collect::<Vec<_>>())
        ),
        "Hi"
    );
    assert_eq!(out(&["filter"], "Hi"), "Hi");
    let rewritten = out(&["rewrite"], openai("<think>a</think>Hi"));
    assert!(
        rewritten.contains("\"reasoning_content\":\"a\""),
        "{rewritten}"
    );
}

// What looks like a call

#[test]
fn a_call_that_was_left_as_text_makes_one_hint_that_names_the_flag() {
    let call = "<tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call>".repeat(2);
    for command in ["filter", "events", "aggregate", "chat", "rewrite"] {
        let ran = run(&[command], openai(&call));
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert_eq!(
            ran.err.matches("--dialect auto").count(),
            1,
            "{command}: {}",
            ran.err
        );
        let ran = run(&[command, "--dialect", "auto"], openai(&call));
        assert_eq!(ran.err, "", "{command}");
    }
    let tools = Temp::new(
        "first-tools.json",
        "[{\"name\":\"f\",\"input_schema\":{\"type\":\"object\"}}]",
    );
    assert_eq!(out(&["filter", "--tools", tools.path()], &call), "");
    assert_eq!(run(&["filter"], "the tag `<tool_call>`").err, "");
    let bare = run(&["filter"], "{\"name\":\"f\",\"arguments\":{}}");
    assert!(
        bare.err.contains("--dialect json and --tools FILE"),
        "{}",
        bare.err
    );
    assert_eq!(run(&["filter"], "{\"name\":\"Paris\",\"size\":1}").err, "");
}

#[test]
fn the_hint_is_about_the_text_that_is_left() {
    let escaped = openai("<tool_call>{}</tool_call>").replace('<', "\\u003c");
    assert!(
        run(&["rewrite"], &escaped)
            .err
            .contains("`<tool_call>` looks")
    );
    let cut = format!("{}{}", openai("<tool_"), openai("call>{}</tool_call>"));
    let cut = cut
        .replacen("\"stop\"", "null", 1)
        .replacen("data: [DONE]\n\n", "", 1);
    assert!(run(&["rewrite"], &cut).err.contains("`<tool_call>` looks"));
    let native = openai("<tool_call>{}").replace("\"content\"", "\"reasoning_content\"");
    assert_eq!(run(&["rewrite"], native).err, "");

    let tools = Temp::new(
        "left-tools.json",
        "[{\"name\":\"get\",\"input_schema\":{\"type\":\"object\"}}]",
    );
    let bare = "{\n  \"name\": \"get\",\n  \"arguments\": {}\n}";
    for (message, expected) in [
        ("<tool_call> {foo}", "`<tool_call>` looks"),
        (
            "```\n<tool_call>{\"name\":\"get\"}</tool_call>\n```",
            "`<tool_call>` looks",
        ),
        (bare, "with --dialect json\n"),
        ("[get(a=\"1\")]", "with --dialect pythonic\n"),
    ] {
        for command in ["filter", "rewrite", "aggregate"] {
            let ran = run(&[command, "--tools", tools.path()], openai(message));
            assert_eq!(ran.code, 0, "{command}: {}", ran.err);
            assert!(
                ran.err.contains(expected),
                "{command}, {message}: {}",
                ran.err
            );
        }
    }
    let alone = "<invoke name=\"get\"><parameter name=\"a\">1</parameter></invoke>";
    for call in [
        alone,
        "<function=get><parameter=a>1</parameter></function>",
        &alone[..alone.len() - 9],
    ] {
        for command in ["calls", "explain"] {
            let ran = run(&[command], call);
            assert!(ran.err.contains("not in the wrapper"), "{}", ran.err);
        }
    }
    let ran = run(&["filter"], alone);
    assert!(ran.err.contains("--dialect auto"), "{}", ran.err);
}

#[test]
fn near_misses_are_reported_by_calls_and_explain() {
    let fenced = "```\n<tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call>\n```\n";
    for (message, expected) in [
        (
            "<tool_call>(f)</tool_call>",
            "near_miss: `<tool_call>` at byte 0 is text: what follows it is not a call",
        ),
        (fenced, "in_code: "),
        (
            "{\"name\": \"f\", \"arguments\": {}}",
            "JSON that looks like a tool call was left as text",
        ),
        (
            "Sure: {\"name\":\"f\",\"arguments\":{\"a\":1}}",
            "JSON that looks like a tool call was left as text",
        ),
        (
            "{\"tool_calls\":[{\"name\":\"f\",\"arguments\":{}}]}",
            "JSON that looks like a tool call was left as text",
        ),
        (
            "<think>a <tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call></think>b",
            "`<tool_call>` looks like a tool call, and is part of a thought",
        ),
        (
            "<think>a\n{\"name\":\"f\",\"arguments\":{}}</think>b",
            "JSON that looks like a tool call, and is part of a thought",
        ),
    ] {
        for command in ["calls", "explain"] {
            let ran = run(&[command, "--strict"], message);
            assert_eq!(ran.code, 0, "a hint is not a problem: {}", ran.err);
            assert!(
                format!("{}{}", ran.out, ran.err).contains(expected),
                "{command}: {}{}",
                ran.out,
                ran.err
            );
        }
    }
}

#[test]
fn a_call_that_was_only_planned_makes_no_hint() {
    let call = "<tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call>";
    let ran = run(&["calls"], format!("<think>{call}</think>{call}"));
    assert_eq!((ran.code, &*ran.err), (0, ""));
    let thought = format!("<think>{call}</think>Hi");
    assert_eq!(out(&["filter", "--dialect", "auto"], thought), "Hi");
}

/// It has been reported already that it is one.
#[test]
fn a_refused_call_that_is_shown_makes_no_hint() {
    let profile = Temp::new(
        "refused-text.toml",
        "[calls]\ndialect = 'hermes'\nrefused = 'text'\ntools = []\n",
    );
    let message = "<tool_call>\n{\"name\": \"f\", \"arguments\": {}}\n</tool_call>";
    let ran = run(&["filter", "--profile", profile.path()], message);
    assert!(ran.out.contains("\"name\": \"f\""), "{}", ran.out);
    assert!(!ran.err.contains("looks like a tool call"), "{}", ran.err);
}

// Thinking

#[test]
fn thinking_that_took_the_rest_of_the_answer_is_reported() {
    for flags in [
        &[][..],
        &["--preset", "qwen3"],
        &["--preset", "deepseek-r1"],
    ] {
        let args = [&["filter"][..], flags].concat();
        let ran = run(&args, "<think>plan, and then the answer");
        assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{flags:?}");
        assert!(
            ran.err.starts_with("tagstream: unclosed_thought: "),
            "{}",
            ran.err
        );
        assert!(ran.err.contains("`unclosed = \"reveal\"`"), "{}", ran.err);
        assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
        let labelled = run(&[&args, &["--verbose"][..]].concat(), "<think>plan");
        assert_eq!(labelled.err, ran.err, "{}", labelled.out);
    }
    let ran = run(&["filter", "--verbose", "--hide", "foo"], "Hi<foo>a");
    assert!(ran.err.contains("leave out --hide foo"), "{}", ran.err);
    let ran = run(&["filter", "--show-thinking"], "<think>plan");
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("<think>plan", ""));
}

#[test]
fn what_shows_the_rest_depends_on_the_section() {
    let revealing = Temp::new(
        "reveal.toml",
        "[thinking]\ntags = ['think']\nunclosed = 'reveal'",
    );
    let ran = run(&["filter", "--profile", revealing.path()], "Hi<think>rest");
    assert_eq!((&*ran.out, &*ran.err), ("Hirest", ""));
    let rules = Temp::new(
        "rules.toml",
        "filter = [{ tag = 'a', show = 'first_line' }, { tag = 'b', replace = 'x' }]",
    );
    let rules = ["--profile", rules.path()];
    for (flags, message, remedy) in [
        (
            &[][..],
            "<attempt_completion>a",
            "add --show attempt_completion",
        ),
        (&["--hide", "foo"], "<foo>a", "leave out --hide foo"),
        (&rules, "<a>1\n2", "add --show a"),
        (&rules, "<b>1", "add --show b"),
    ] {
        let ran = run(&[&["filter"], flags].concat(), message);
        assert_eq!(ran.err.lines().count(), 1, "{message}: {}", ran.err);
        assert!(ran.err.trim_end().ends_with(remedy), "{}", ran.err);
    }
}

#[test]
fn a_thought_without_a_closing_tag_that_strip_removes_is_reported() {
    for thought in ["you".to_owned(), "a b ".repeat(20_000)] {
        let ran = run(&["strip"], format!("Hi<think>{thought}"));
        assert_eq!((ran.code, &*ran.out), (0, "Hi"));
        assert!(ran.err.starts_with("tagstream: unclosed_thought: "));
        let remedy = "to show it, use `tagstream filter --show-thinking`\n";
        assert!(ran.err.ends_with(remedy), "{}", ran.err);
    }
}

#[test]
fn an_answer_does_not_begin_with_the_blank_lines_after_thinking() {
    for preset in ["thinking", "filter", "qwen3", "claude", "roo"] {
        let tag = if preset == "claude" {
            "thinking"
        } else {
            "think"
        };
        let message = format!("<{tag}>a</{tag}>\n\nHi\n\nyou");
        assert_eq!(
            out(&["filter", "--preset", preset], message),
            "Hi\n\nyou",
            "{preset}"
        );
    }
}

#[test]
fn an_answer_directly_follows_the_line_of_native_thinking() {
    let stream = openai("\n\nHi\n\nyou").replacen(
        "\"content\"",
        "\"reasoning_content\":\"plan\",\"content\"",
        1,
    );
    let shown = out(&["filter", "--show-thinking"], stream);
    assert_eq!(shown, "plan\nHi\n\nyou");
}

// Messages

#[cfg(unix)]
#[test]
fn a_message_begins_on_a_line_of_its_own() {
    let shell = |command: &str| {
        let binary = env!("CARGO_BIN_EXE_tagstream");
        let command = command.replace("tagstream", binary);
        let ran = std::process::Command::new("sh")
            .args(["-c", &command])
            .output()
            .unwrap();
        String::from_utf8(ran.stdout).unwrap()
    };
    let joined = shell("printf 'Hi<think>a' | tagstream filter 2>&1");
    assert!(
        joined.starts_with("Hi\ntagstream: unclosed_thought"),
        "{joined}"
    );
    let ended = shell("printf 'Hi\n<think>a' | tagstream filter 2>&1");
    assert!(
        ended.starts_with("Hi\ntagstream: unclosed_thought"),
        "{ended}"
    );
}

#[test]
fn garbage_makes_few_messages() {
    let garbage: Vec<u8> = (0..15_000_u32)
        .map(|i| 0x80 | (i * 7 % 128) as u8)
        .collect();
    let ran = run(&["filter", "--strict"], &garbage);
    assert_eq!(ran.code, 1);
    assert!(ran.err.lines().count() < 12, "{}", ran.err.lines().count());
    assert!(
        ran.err.contains("invalid_utf8: ") && ran.err.contains(" more like these"),
        "{}",
        ran.err
    );
    let explained = out(&["explain"], &garbage);
    assert!(
        explained.lines().count() < 12,
        "{}",
        explained.lines().count()
    );
    assert!(
        explained.contains("invalid_utf8: ") && explained.contains(" times; the first: "),
        "{explained}"
    );
}

#[test]
fn places_count_the_bytes_of_the_input() {
    let ran = run(&["filter", "--strict"], b"a\xff\xff<b\xff");
    for byte in [1, 2, 5] {
        assert!(
            ran.err.contains(&format!("the bytes at {byte} ")),
            "{}",
            ran.err
        );
    }
    let page = out(&["explain"], b"a\xff\xfeb<think>x</think>\xe2\x82");
    for row in [
        "     0..4       text ",
        "     4..11      thought ",
        "    20..22      text ",
    ] {
        assert!(page.contains(row), "{page}");
    }
}

// Help

#[test]
fn the_command_alone_shows_help() {
    let alone = out(&[], "");
    assert_eq!(alone, out(&["--help"], ""));
    for group in [
        "Read a message",
        "Collect or correct",
        "Look around",
        "Examples:",
    ] {
        assert!(alone.contains(group), "{alone}");
    }
}

#[test]
fn help_has_defaults_and_possible_values() {
    let help = out(&["filter", "--help"], "");
    assert!(help.contains("[default: auto]"), "{help}");
    assert!(
        help.contains(
            "possible values: text, openai, responses, anthropic, gemini, ollama, auto, sse"
        ),
        "{help}"
    );
    for (command, default) in [
        ("filter", "[default: filter]"),
        ("directives", "[default: roo]"),
        ("calls", "[default: thinking]"),
        ("strip", "[default: preserve]"),
        ("calls", "auto, the default"),
    ] {
        let help = out(&[command, "--help"], "");
        assert!(help.contains(default), "{command}: {help}");
    }
}

#[test]
fn completions_offer_dialects_and_models_and_others_are_allowed() {
    let script = out(&["completions", "bash"], "");
    assert!(script.contains("auto apertus beam") && script.contains(" gpt-oss "));
    let mine = Temp::new(
        "mine.toml",
        "name = \"mine\"\n[wrapper]\nopen = [\"<mine>\"]\n[arguments]\nstyle = \"envelope\"\nname = [\"name\"]\narguments = [\"arguments\"]\n",
    );
    let args = ["calls", "--dialect-file", mine.path(), "--dialect", "mine"];
    let call = "<mine>{\"name\":\"f\",\"arguments\":{}}";
    assert!(out(&args, call).contains("\"name\":\"f\""));
}

#[test]
fn what_the_user_wrote_is_quoted_as_it_is() {
    let ran = run(&["filter", "--from", "it's"], "");
    assert!(
        ran.err
            .contains("invalid value `it's` for `--from <FORMAT>`"),
        "{}",
        ran.err
    );
}

/// Every line of the examples is run. What they print is not compared: the pages do that.
#[cfg(unix)]
#[test]
fn the_examples_of_the_help_work() {
    let folder = std::env::temp_dir().join(format!("tagstream-help-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("logs")).unwrap();
    // What the examples of `batch` read.
    std::fs::write(folder.join("answers.jsonl"), "{\"answer\":\"5 < 6\"}\n").unwrap();
    std::fs::write(folder.join("logs/a.jsonl"), "{\"messages\":[]}\n").unwrap();
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_tagstream"));
    let path = format!(
        "{}:{}",
        binary.parent().unwrap().display(),
        std::env::var("PATH").unwrap()
    );
    let help = out(&[], "");
    let commands = help
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names: Vec<_> = commands
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let mut examples: Vec<String> = Vec::new();
    for name in names
        .iter()
        .filter(|name| name.chars().all(char::is_alphabetic))
    {
        if !["tagstream", "printf", "serve"].contains(name) {
            let help = out(&[name, "--help"], "");
            examples.extend(
                help.lines()
                    .map(str::trim)
                    .filter(|line| line.starts_with("tagstream ") || line.starts_with("printf "))
                    .map(str::to_owned),
            );
        }
    }
    assert!(examples.len() > 20, "{examples:?}");
    // What the help cannot bring along: files in the user's folder, and Parquet.
    let needs_files = |line: &str| line.contains("~/") || line.contains(".parquet");
    for example in examples.iter().filter(|line| !needs_files(line)) {
        let ran = std::process::Command::new("sh")
            .args(["-c", example])
            .current_dir(&folder)
            .env("PATH", &path)
            .output()
            .unwrap();
        let err = String::from_utf8_lossy(&ran.stderr);
        let reports = example.starts_with("tagstream batch"); // how much it read
        assert!(
            ran.status.success() && (err.is_empty() || reports),
            "{example}: {err}"
        );
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn what_may_have_been_meant_is_said() {
    let profile = Temp::new("first-key.toml", "[thinking]\ntag = ['think']");
    for (args, meant) in [
        (&["filtre"][..], "`filter`"),
        (&["filter", "--show-thinkin"], "`--show-thinking`"),
        (&["filter", "--preset", "qwen33"], "`qwen3`"),
        (&["profile", "deepseek_r1"], "`deepseek-r1`"),
        (&["filter", "--from", "antropic"], "`anthropic`"),
        (
            &["filter", "--dialect", "hermess"],
            "did you mean `hermes`?",
        ),
        (&["filter", "--model", "qwenn3"], "did you mean `qwen3`?"),
        (
            &["filter", "--model", "openai/gtp-oss-20b"],
            "did you mean `gpt-oss`?",
        ),
        (&["man", "filtre"], "did you mean `filter`?"),
        (
            &["filter", "--profile", profile.path()],
            "did you mean `tags`?",
        ),
    ] {
        let ran = run(args, "");
        assert_eq!(ran.code, 2, "{args:?}");
        assert!(ran.err.starts_with("tagstream: "), "{args:?}: {}", ran.err);
        assert!(ran.err.contains(meant), "{args:?}: {}", ran.err);
    }
}

#[test]
fn completions_and_the_manual_are_made_from_the_arguments() {
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let script = out(&["completions", shell], "");
        assert!(script.contains("show-thinking"), "{shell}");
        // The script for this shell has no values.
        let has_values = script.contains("qwen3-coder") || shell == "powershell";
        assert!(has_values, "{shell}");
    }
    let manual = out(&["man"], "");
    assert!(
        manual.contains(".TH tagstream") && manual.contains(".TH tagstream-filter"),
        "{manual}"
    );
    assert!(
        out(&["man", "calls"], "").contains("function_calls")
            || out(&["man", "calls"], "").contains("dialect")
    );
}

// The demo

#[test]
fn the_demo_has_scenes() {
    let calls = out(&["demo", "--scene", "calls"], "");
    assert!(
        calls.contains("✓ weather {\"city\":\"Paris\",\"days\":3}"),
        "{calls}"
    );
    assert!(
        calls.contains("✗ weather was refused: argument `days`"),
        "{calls}"
    );
    let canvas = out(&["demo", "--scene", "canvas"], "");
    assert!(
        canvas.contains("┌ n2 (step)\n│ If size < 4 KiB, batch the requests.\n"),
        "{canvas}"
    );
    let picture = include_str!("../../../docs/demo.svg");
    let refusal = "✗ weather was refused:".replace(' ', "\u{a0}");
    assert!(picture.contains(&refusal), "scripts/record-demo draws it");
    let all = out(&["demo"], "");
    assert!(all.contains(&calls) && all.contains(&canvas), "{all}");
}
