//! What each command prints.

mod support;

use support::{Temp, lines, out, run};

const CANVAS: &[&str] = &["--preset", "canvas"];

fn with<'a>(first: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [first, more].concat()
}

/// All ways to cut a text in two, as chunks.
fn cuts(text: &str) -> impl Iterator<Item = String> {
    text.char_indices()
        .map(|(at, _)| lines(&[&text[..at], &text[at..]]))
}

// events

#[test]
fn events_are_json_lines() {
    assert_eq!(
        out(&["events"], "a<think k=v>b</think>c"),
        concat!(
            r#"{"type":"text","text":"a"}"#,
            "\n",
            r#"{"type":"thought_start","tag":"think","attributes":{"k":"v"}}"#,
            "\n",
            r#"{"type":"thought","text":"b"}"#,
            "\n",
            r#"{"type":"thought_end","closed":true}"#,
            "\n",
            r#"{"type":"text","text":"c"}"#,
            "\n",
        )
    );
}

#[test]
fn events_of_an_element() {
    assert_eq!(
        out(&with(&["events"], CANVAS), r#"<node id="n">x</node>"#),
        concat!(
            r#"{"type":"element_start","id":0,"parent":null,"name":"node","attributes":{"id":"n"}}"#,
            "\n",
            r#"{"type":"element_delta","id":0,"text":"x"}"#,
            "\n",
            r#"{"type":"element_end","id":0,"name":"node","attributes":{"id":"n"},"body":"x","parts":[],"complete":true}"#,
            "\n",
        )
    );
}

#[test]
fn spans_are_printed_when_asked_for() {
    let plain = out(&["events"], "a</think>b");
    assert!(
        !plain.contains("span") && !plain.contains("skip"),
        "{plain}"
    );
    let spans = out(&["events", "--spans"], "a</think>b");
    assert!(
        spans.contains(r#"{"type":"text","text":"a","span":[0,1]}"#),
        "{spans}"
    );
    assert!(
        spans.contains(r#"{"type":"skip","reason":"orphan_close","text":"</think>","span":[1,9]}"#),
        "{spans}"
    );
}

// filter

/// The input and what is left of it, cut anywhere.
const FILTERED: &[(&str, &str)] = &[
    ("before<thinking>hidden</thinking>after", "beforeafter"),
    ("a<thinking></thinking>b", "ab"),
    ("<thinking>1</thinking>a<thinking>2</thinking>", "a"),
    ("<thinking><inner>x</inner><>{}[]\"'&</thinking>a", "a"),
    ("<thinking extra=\"attr\">x</thinking>after", "after"),
    ("<other>content</other>", "<other>content</other>"),
    ("a<thinking>unclosed", "a"),
    ("a</thinking>b", "ab"),
    ("a<thinking/>b", "ab"),
    ("a<thinking b", "a<thinking b"),
    ("a<thinking <b>c", "a<thinking <b>c"),
    ("a < b", "a < b"),
    ("a<attempt_completion>x</attempt_completion>b", "ab"),
    ("a<use_mcp_tool>x</use_mcp_tool>b", "ab"),
    ("a<tool_call>x</tool_call>b", "a<tool_call>x</tool_call>b"),
];

#[test]
fn filter_hides_what_the_profile_hides() {
    for (input, expected) in FILTERED {
        assert_eq!(run(&["filter"], input).out, *expected, "{input}");
    }
    let (input, expected) = FILTERED[0];
    for chunks in cuts(input) {
        assert_eq!(out(&["filter", "--chunks"], &chunks), expected, "{chunks}");
    }
}

#[test]
fn filter_shows_what_it_is_asked_to_show() {
    let all = "<thinking>t</thinking><attempt_completion>c</attempt_completion><use_mcp_tool>m</use_mcp_tool>!";
    for (flags, expected) in [
        (&[][..], "!"),
        (&["--show-thinking"], "<thinking>t</thinking>!"),
        (
            &["--show-completion"],
            "<attempt_completion>c</attempt_completion>!",
        ),
        (&["--show-mcp-use"], "<use_mcp_tool>m</use_mcp_tool>!"),
        (
            &["--show", "USE_mcp_tool"],
            "<use_mcp_tool>m</use_mcp_tool>!",
        ),
        (&["--show", "thinking"], "<thinking>t</thinking>!"),
        (
            &["--show-thinking", "--show-completion", "--show-mcp-use"],
            all,
        ),
    ] {
        assert_eq!(out(&with(&["filter"], flags), all), expected, "{flags:?}");
    }
}

#[test]
fn filter_hides_what_it_is_asked_to_hide() {
    let input = "<b>1</b><system>2</system><thinking>3</thinking>!";
    for (flags, expected) in [
        (&["--hide", "b"][..], "<system>2</system>!"),
        (&["--hide", "b", "--hide", "system"], "!"),
        (
            &["--show-thinking", "--hide", "thinking"],
            "<b>1</b><system>2</system>!",
        ),
    ] {
        assert_eq!(out(&with(&["filter"], flags), input), expected, "{flags:?}");
    }
}

#[test]
fn sections_that_only_the_profile_hides_can_be_shown() {
    let profile = Temp::new("tools.toml", "hide = ['tool_call', 'system']");
    let input = "<tool_call>t</tool_call><system>s</system>!";
    let shown = |flags: &[&str]| {
        out(
            &with(&["filter", "--profile", profile.path()], flags),
            input,
        )
    };
    assert_eq!(shown(&[]), "!");
    assert_eq!(shown(&["--show-tools"]), "<tool_call>t</tool_call>!");
    assert_eq!(shown(&["--show-system"]), "<system>s</system>!");
}

#[test]
fn verbose_tells_what_each_piece_is() {
    let input = "<thinking>hm</thinking>Hello\n<use_mcp_tool>x</use_mcp_tool>bye</thinking>";
    let printed = out(&["filter", "--verbose"], input);
    let expected = "[thinking: thinking, hidden]\n[text]\nHello\n[section: use_mcp_tool, hidden]\n[text]\nbye\n[notice: orphan_close] ";
    assert!(printed.starts_with(expected), "{printed}");
    let printed = out(&["filter", "--verbose", "--show-thinking"], input);
    assert!(
        printed.starts_with("[thinking: thinking]\nhm\n[text]\nHello\n"),
        "{printed}"
    );
}

#[test]
fn filter_shows_a_tool_as_it_came_when_its_tag_is_named() {
    let input = "a<execute_command><command>ls</command></execute_command>b<read_file><path>c</path></read_file>";
    let shown = "a<execute_command><command>ls</command></execute_command>b";
    let flags = ["filter", "--preset", "roo", "--show"];
    assert_eq!(out(&with(&flags, &["execute_command"]), input), shown);
    assert_eq!(out(&with(&flags, &["nothing"]), input), "ab");
    let call = "a<tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call>b";
    let flags = ["filter", "--dialect", "hermes"];
    assert_eq!(out(&flags, call), "ab");
    assert_eq!(out(&with(&flags, &["--show-tools"]), call), call);
}

#[test]
fn verbose_and_simple_output_agree_on_closers_without_an_opener() {
    let input = "a</thinking>b</attempt_completion>c";
    for (flag, text, orphans) in [
        ("--show-thinking", "a</thinking>bc", 1),
        ("--show-completion", "ab</attempt_completion>c", 1),
        ("--show-mcp-use", "abc", 2),
    ] {
        let simple = run(&["filter", "--strict", flag], input);
        assert_eq!((simple.code, simple.out.as_str()), (1, text), "{flag}");
        let verbose = run(&["filter", "--strict", flag, "--verbose"], input);
        let printed = verbose.out.lines().filter(|line| !line.starts_with('['));
        assert_eq!(printed.collect::<String>(), text, "{flag}");
        assert_eq!(
            (verbose.code, verbose.err),
            (1, simple.err.clone()),
            "{flag}"
        );
        assert_eq!(simple.err.lines().count(), orphans, "{flag}");
    }
    let args = ["filter", "--strict", "--verbose", "--show-thinking"];
    assert_eq!(out(&args, "a</thinking>b"), "[text]\na</thinking>b");
}

#[test]
fn verbose_names_each_section_as_it_opens() {
    let input = "a<use_mcp_tool>x</use_mcp_tool><attempt_completion>y<thinking>z</thinking></attempt_completion>b";
    let flags = ["filter", "--verbose", "--show-completion", "--chunks"];
    let expected =
        "[text]\na\n[section: use_mcp_tool, hidden]\n[section: attempt_completion]\ny\n[text]\nb";
    for chunks in cuts(input).step_by(3) {
        assert_eq!(out(&flags, &chunks), expected, "{chunks}");
    }
}

#[test]
fn verbose_labels_hidden_sections_and_calls_and_not_markers() {
    let profile = "markers = [\"<|m|>\"]\nhide = [\"secret\"]\n\
        [thinking]\ntags = [\"think\"]\nanchor = \"start\"\n[calls]\ndialect = \"hermes\"\n";
    let profile = Temp::new("labels.toml", profile);
    let input = "a<|m|><secret>x<|m|>y</secret> <tool_call>{\"name\":\"f\"}</tool_call>b<|m|>c";
    let expected = "[text]\na\n[hidden: <secret>]\n[tool call: f]\n{}\n[text]\nbc";
    let flags = [
        "filter",
        "--verbose",
        "--profile",
        profile.path(),
        "--chunks",
    ];
    for chunks in cuts(input).step_by(5) {
        assert_eq!(out(&flags, &chunks), expected, "{chunks}");
    }
}

#[test]
fn verbose_hides_what_is_hidden_in_shown_thinking() {
    let input = "<thinking>a<use_mcp_tool>x</use_mcp_tool>b</thinking>c";
    assert_eq!(
        out(&["filter", "--verbose", "--show-thinking"], input),
        "[thinking: thinking]\nab\n[text]\nc"
    );
}

#[test]
fn a_pipe_gets_no_colours() {
    let printed = out(&["filter", "--verbose"], "<thinking>hm</thinking>Hello");
    assert!(!printed.contains('\x1b'), "{printed:?}");
}

// strip

#[test]
fn strip_leaves_a_space_only_between_words() {
    for (input, expected) in [
        (
            "Processing<thinking />Now complete.",
            "Processing Now complete.",
        ),
        ("Hello<b>x</b>World", "Hello World"),
        ("Hello <b>x</b> World", "Hello  World"),
        ("Hello<b>x</b>, World", "Hello, World"),
        ("a<b>x</b><c/>b", "a b"),
        ("<a><b>x</b></a>tail", "tail"),
        ("<a>unclosed text", "<a>unclosed text"),
        ("</a> stray", " stray"),
        ("a < b and c > d", "a < b and c > d"),
        ("one\n\n<b>x</b>\ntwo\n", "one\n\n\ntwo\n"),
        ("`<b>x</b>`", "`<b>x</b>`"),
    ] {
        assert_eq!(out(&["strip"], input), expected, "{input}");
        for chunks in cuts(input).step_by(5) {
            assert_eq!(out(&["strip", "--chunks"], &chunks), expected, "{chunks}");
        }
    }
}

#[test]
fn strip_collapses_white_space_when_asked_to() {
    let input = "# One\n\n<b>x</b>  two `<c/>`\n";
    let args = ["strip", "--whitespace", "collapse"];
    assert_eq!(out(&args, input), "# One two ` `");
    assert_eq!(
        out(&with(&args, &["--chunks"]), lines(&[input])),
        "# One two ` `"
    );
    let preserve = ["strip", "--whitespace", "preserve"];
    assert_eq!(out(&preserve, input), out(&["strip"], input));
    assert_eq!(run(&["strip", "--whitespace", "eat"], "").code, 2);
}

// elements

#[test]
fn elements_are_printed_when_they_are_finished() {
    let input = r#"x<group id="g"><node id="n">a</node><member id="m"/></group><node id="open">"#;
    assert_eq!(
        run(&with(&["elements"], CANVAS), input).out,
        concat!(
            r#"{"id":1,"parent":0,"name":"node","attributes":{"id":"n"},"body":"a","parts":[],"complete":true}"#,
            "\n",
            r#"{"id":2,"parent":0,"name":"member","attributes":{"id":"m"},"parts":[],"complete":true}"#,
            "\n",
            r#"{"id":0,"parent":null,"name":"group","attributes":{"id":"g"},"body":"","parts":[],"complete":true}"#,
            "\n",
        )
    );
}

#[test]
fn elements_that_were_cut_off_are_told_with_their_places() {
    let message = "a <group id='g'><node id='1'>b";
    let args = ["elements", "--preset", "canvas"];
    let ran = run(&args, message);
    let printed = "tagstream: incomplete_element: `<node>` at byte 16 was cut off: the message ends before its closing tag\n\
        tagstream: incomplete_element: `<group>` at byte 2 was cut off: the message ends before its closing tag\n";
    assert_eq!((ran.code, ran.err.as_str()), (0, printed));
    assert_eq!(run(&with(&args, &["--strict"]), message).code, 1);
}

#[test]
fn an_element_that_is_too_long_was_not_cut_off() {
    let profile = "limits = { value = 2 }\n[[elements]]\nname = 'e'";
    let profile = Temp::new("short.toml", profile);
    let args = ["elements", "--strict", "--profile", profile.path()];
    let ran = run(&args, "<e>abc</e>");
    assert_eq!(ran.code, 1);
    assert!(ran.err.starts_with("tagstream: limit: "), "{}", ran.err);
    assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
}

#[test]
fn partial_elements_tell_only_what_is_new() {
    let chunks = lines(&["<node id=\"n\">Some", " text</no", " x</", "node> more"]);
    let args = with(&["elements", "--partial", "--chunks"], CANVAS);
    let growth = |text: &str| {
        format!(
            r#"{{"id":0,"parent":null,"name":"node","attributes":{{"id":"n"}},"text":"{text}","complete":false}}"#
        ) + "\n"
    };
    let end = r#"{"id":0,"parent":null,"name":"node","attributes":{"id":"n"},"body":"Some text</no x","parts":[],"complete":true}"#;
    let expected = growth("Some") + &growth(" text") + &growth("</no x") + end + "\n";
    assert_eq!(out(&args, chunks), expected);
}

#[test]
fn partial_parts_are_told_apart() {
    let profile = Temp::new(
        "log.toml",
        "[[elements]]\nname = 'log_message'\nchildren = ['message', 'level']",
    );
    let args = [
        "elements",
        "--partial",
        "--chunks",
        "--profile",
        profile.path(),
    ];
    let chunks = lines(&["<log_message><message>a", "b</message><level>in", "fo"]);
    let growth = |part: &str, text: &str| {
        format!(
            r#"{{"id":0,"parent":null,"name":"log_message","attributes":{{}},{part}"text":"{text}","complete":false}}"#
        ) + "\n"
    };
    let expected = growth("", "")
        + &growth(r#""part":"message","part_number":0,"#, "a")
        + &growth(r#""part":"message","part_number":0,"#, "b")
        + &growth(r#""part":"level","part_number":1,"#, "in")
        + &growth(r#""part":"level","part_number":1,"#, "fo");
    assert_eq!(run(&args, chunks).out, expected);
}

// profile

#[test]
fn presets_are_listed_everywhere() {
    let list = out(&["profile"], "");
    assert!(list.lines().count() >= 7, "{list}");
    assert!(list.contains("\ndeepseek-r1       DeepSeek R1: "), "{list}");
    for args in [
        &["--list-presets"][..],
        &["events", "--list-presets"],
        &["--list-presets", "filter"],
        &["demo", "--list-presets"],
        &["profile", "--list-presets"],
    ] {
        assert_eq!(out(args, ""), list, "{args:?}");
    }
}

#[test]
fn a_printed_preset_is_a_profile() {
    let source = out(&["profile", "qwen3"], "");
    assert!(source.starts_with("# Qwen3, "), "{source}");
    let file = Temp::new("qwen3.toml", &source);
    let input = "<think>x</think>\n\nHi<|im_end|>";
    let expected = out(&["events", "--preset", "qwen3"], input);
    assert_eq!(out(&["events", "--profile", file.path()], input), expected);
}

#[test]
fn every_preset_reads_its_own_markup() {
    for (preset, input, expected) in [
        ("thinking", "<reasoning>x</reasoning>a", "a"),
        ("deepseek-r1", "x</think>a<｜end▁of▁sentence｜>", "a"),
        ("qwen3", "<think>\n\n</think>\n\na<|im_end|>", "a"),
        (
            "claude",
            "<thinking>x</thinking>a<artifact id=\"1\">y</artifact>",
            "a",
        ),
        ("gemma", "<|channel>thought\nx<channel|>a<end_of_turn>", "a"),
        (
            "canvas",
            "a<group id=\"g\"><node id=\"n\">x</node></group>",
            "a",
        ),
    ] {
        assert_eq!(
            out(&["filter", "--preset", preset], input),
            expected,
            "{preset}"
        );
    }
}

// demo

#[test]
fn the_demo_is_printed_at_once_where_there_is_no_terminal() {
    let shown = out(&["demo", "--scene", "thinking"], "");
    let (raw, clean) = shown.split_once("As it is read").unwrap();
    assert!(raw.contains("<thinking>\nThey want"), "{raw}");
    assert!(!clean.contains("They want"), "{clean}");
    assert!(
        clean.contains("// Models that think write <think> first."),
        "{clean}"
    );
    assert!(
        clean.contains("A <b>bold</b> word and a <thinker>"),
        "{clean}"
    );
    assert!(clean.contains("end with <\n"), "{clean}");
    assert!(clean.contains("\nHeld back "), "{clean}");
    assert!(!shown.contains('\x1b'), "{shown:?}");
}

#[test]
fn the_speed_of_the_demo_is_a_number() {
    for speed in ["0", "-1", "fast", "nan", "inf"] {
        let ran = run(&["demo", &format!("--speed={speed}")], "");
        assert_eq!(ran.code, 2, "{speed}");
        assert!(
            ran.err.contains("allowed: a number from 0.01 to 1000"),
            "{}",
            ran.err
        );
    }
}

// streams of providers

/// A frame of OpenAI's.
fn chunk(choice: u64, delta: &str) -> String {
    format!("data: {{\"choices\":[{{\"index\":{choice},\"delta\":{delta}}}]}}\n\n")
}

fn answer() -> String {
    [
        chunk(0, r#"{"reasoning":"hm"}"#),
        chunk(0, r#"{"content":"Hi <think>x</think>you"}"#),
        chunk(1, r#"{"content":"Other"}"#),
        "data: [DONE]\n\n".to_owned(),
    ]
    .concat()
}

#[test]
fn filter_shows_the_first_choice_of_a_stream() {
    assert_eq!(out(&["filter", "--from", "openai"], answer()), "Hi you");
    assert_eq!(out(&["filter", "--from", "auto"], answer()), "Hi you");
    assert_eq!(out(&["strip", "--from", "auto"], answer()), "Hi you");
}

#[test]
fn filter_shows_native_thinking_when_asked_for() {
    let args = ["filter", "--from", "openai", "--show-thinking"];
    assert_eq!(out(&args, answer()), "hm\nHi <think>x</think>you");
}

#[test]
fn filter_tells_the_other_choices_apart_when_verbose() {
    assert_eq!(
        out(&["filter", "--from", "openai", "--verbose"], answer()),
        "[thinking, hidden]\n[text]\nHi \n[thinking: think, hidden]\n[text]\nyou\n[choice 1]\n[text]\nOther"
    );
}

#[test]
fn events_of_a_stream_have_their_choice() {
    let events = out(&["events", "--from", "openai"], answer());
    assert!(events.lines().all(|line| line.contains(r#""choice":"#)));
    assert!(events.contains(r#"{"type":"text","text":"Other","choice":1}"#));
    assert!(!out(&["events"], "a").contains("choice"));
}

#[test]
fn chunks_are_pieces_of_the_stream_whatever_its_format() {
    let answer = answer();
    let (one, two) = answer.split_at(70);
    let marked = out(
        &["events", "--from", "auto", "--chunks", "--mark"],
        lines(&[one, two]),
    );
    assert!(marked.contains("{\"type\":\"thought\",\"text\":\"hm\",\"choice\":0}"));
    assert!(marked.contains("{\"type\":\"mark\",\"chunk\":1}"));
}

#[test]
fn elements_are_found_in_a_stream_while_they_grow() {
    let node = chunk(0, r#"{"content":"<node id='a'>So"}"#);
    let args = with(&["elements", "--from", "openai", "--partial"], CANVAS);
    let printed = run(&args, node).out;
    assert!(
        printed.contains(r#""text":"So","complete":false"#),
        "{printed}"
    );
}

#[test]
fn a_notice_of_aggregate_names_the_call_and_the_tool() {
    let call = r#"<tool_call>{\"name\":\"now\",\"arguments\":[]}</tool_call>"#;
    let stream = chunk(0, &format!(r#"{{"content":"{call}"}}"#));
    let args = &["aggregate", "--from", "openai", "--dialect", "hermes"];
    let printed = run(args, stream).out;
    assert!(printed.contains(r#""call":0,"tool":"now"}"#), "{printed}");
}

#[test]
fn aggregate_prints_a_message_for_each_choice() {
    assert_eq!(
        out(&["aggregate", "--from", "auto"], answer()),
        concat!(
            r#"{"choice":0,"content":"Hi you","thoughts":["hm","x"],"tool_calls":[],"finish_reason":null,"usage":null,"notices":[]}"#,
            "\n",
            r#"{"choice":1,"content":"Other","thoughts":[],"tool_calls":[],"finish_reason":null,"usage":null,"notices":[]}"#,
            "\n",
        )
    );
}

#[test]
fn aggregate_leaves_white_space_as_asked_for() {
    let text = "a<think>x</think>b\nc";
    for (how, content) in [
        ("as-is", "ab\\nc"),
        ("preserve", "a b\\nc"),
        ("collapse", "a b c"),
    ] {
        let message = out(&["aggregate", "--whitespace", how], text);
        assert!(
            message.contains(&format!(r#""content":"{content}""#)),
            "{message}"
        );
    }
}

#[test]
fn a_stream_that_is_cut_off_is_an_error_when_strict() {
    let ran = run(
        &["filter", "--from", "openai", "--strict"],
        chunk(0, r#"{"content":"a"}"#),
    );
    assert_eq!((ran.code, ran.out.as_str()), (1, "a"));
    assert!(ran.err.contains("truncated_stream"));
}
