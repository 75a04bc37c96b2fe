//! The flags that commands share, exit codes, and what is said of wrong use.

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::time::Duration;
use support::{Temp, command, ended, lines, out, run};

// Input

#[test]
fn the_message_is_a_file_or_standard_input() {
    let file = Temp::new("message.txt", "hello");
    assert_eq!(out(&["filter", file.path()], ""), "hello");
    assert_eq!(out(&["filter"], "hello"), "hello");
    assert_eq!(out(&["filter", "-"], "hello"), "hello");
}

#[test]
fn a_model_names_its_preset() {
    let message = "<seed:think>hm</seed:think>yes<seed:eos>";
    let ran = run(&["filter", "--model", "ByteDance/Seed-OSS-36B"], message);
    assert_eq!((ran.code, ran.out.as_str()), (0, "yes"));
    assert_eq!(
        ran.err,
        "tagstream: ByteDance/Seed-OSS-36B: preset seed-oss\n"
    );
    let ran = run(&["filter", "--model", "my-model"], message);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("no preset fits the model `my-model`; "),
        "{}",
        ran.err
    );
    let hosted = run(&["filter", "--model", "gpt-4o"], message);
    assert!(
        hosted.err.contains("A model needs none if"),
        "{}",
        hosted.err
    );
}

#[cfg(feature = "batch")]
#[test]
fn what_batch_reads_may_be_a_field_or_messages() {
    let ran = run(&["batch"], "");
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("--field <NAME>|--messages"), "{}", ran.err);
    let both = ["batch", "a", "-o", "b", "--field", "c", "--messages"];
    assert_eq!(run(&both, "").code, 2);
}

#[test]
fn an_empty_message_is_nothing() {
    for command in ["events", "calls", "filter", "strip", "elements"] {
        assert_eq!(out(&[command, "--preset", "canvas"], ""), "");
    }
}

#[test]
fn a_profile_without_elements_is_pointed_out() {
    let ran = run(&["elements"], "a");
    assert_eq!((ran.code, ran.out.as_str()), (0, ""));
    assert!(ran.err.contains("--preset canvas"), "{}", ran.err);
}

#[test]
fn chunks_are_strings_or_hex() {
    let input = "\"a\\n\"\n\n{\"hex\":\"e282\"}\n{\"hex\":\"AC\"}\n\"\"\n\"b\"";
    assert_eq!(out(&["filter", "--chunks"], input), "a\n€b");
    let file = Temp::new("chunks.jsonl", input);
    assert_eq!(out(&["filter", "--chunks", file.path()], ""), "a\n€b");
}

#[test]
fn chunks_of_a_javascript_client_may_cut_a_character() {
    let input = "\"a\\ud83d\"\n\"\\ude00b\"";
    assert_eq!(out(&["filter", "--chunks"], input), "a😀b");
    assert_eq!(out(&["filter", "--chunks"], "\"a\\ud83d\""), "a\u{fffd}");
    let ran = run(&["filter", "--chunks", "--strict"], "\"a\\ud83db\"");
    assert_eq!((ran.code, ran.out.as_str()), (1, "a\u{fffd}b"));
    assert!(ran.err.contains("invalid_utf8"), "{}", ran.err);
}

#[test]
fn bytes_that_are_no_text_are_replaced() {
    assert_eq!(out(&["filter"], b"a\xffb"), "a\u{fffd}b");
    assert_eq!(
        out(&["filter", "--chunks"], "{\"hex\":\"61ff62\"}"),
        "a\u{fffd}b"
    );
}

#[test]
fn marks_stand_behind_each_chunk_and_at_the_end() {
    let printed = out(
        &["events", "--chunks", "--mark"],
        lines(&["a", "<thi", "ck"]),
    );
    // How a run of text is cut does not matter: only what is between marks counts.
    let joined = printed
        .replace("{\"type\":\"text\",\"text\":\"", "")
        .replace("\"}\n", "");
    let mark = |chunk: &str| format!("{{\"type\":\"mark\",\"chunk\":{chunk}}}\n");
    let expected = [
        "a",
        &mark("0"),
        &mark("1"),
        "<thick",
        &mark("2"),
        &mark("null"),
    ];
    assert_eq!(joined, expected.concat());
}

#[test]
fn marks_stand_on_lines_of_their_own() {
    assert_eq!(
        out(&["filter", "--chunks", "--mark"], lines(&["a", "b\n"])),
        "a\n{\"type\":\"mark\",\"chunk\":0}\nb\n{\"type\":\"mark\",\"chunk\":1}\n{\"type\":\"mark\",\"chunk\":null}\n"
    );
}

#[test]
fn what_has_arrived_is_printed_before_the_rest_comes() {
    let mut child = command(&["events"]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    for word in ["one", "two"] {
        stdin.write_all(word.as_bytes()).unwrap();
        stdin.flush().unwrap();
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        assert_eq!(line, format!("{{\"type\":\"text\",\"text\":\"{word}\"}}\n"));
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

// Exit codes

#[test]
fn strict_makes_notices_fatal_after_all_output() {
    let input = b"a</think>b\xff";
    let ran = run(&["filter"], input);
    assert_eq!((ran.code, ran.out.as_str()), (0, "ab\u{fffd}"));
    for command in ["filter", "strip", "events"] {
        let ran = run(&[command, "--strict"], input);
        assert_eq!(ran.code, 1, "{command}");
        assert!(ran.out.contains('b'), "{command}: {}", ran.out);
        assert!(ran.err.contains("orphan_close"), "{command}: {}", ran.err);
        assert!(ran.err.contains("invalid_utf8"), "{command}: {}", ran.err);
        assert_eq!(
            run(&[command, "--strict"], "all is well").code,
            0,
            "{command}"
        );
    }
}

#[test]
fn a_closed_pipe_is_a_quiet_end() {
    let mut child = command(&["filter"]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    stdin.write_all(b"hello").unwrap();
    stdout.read_exact(&mut [0; 5]).unwrap();
    drop(stdout);
    // Until the process is gone there may be room in its pipe.
    while stdin.write_all(b"more").is_ok() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let ran = ended(child);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
}

#[test]
fn a_list_into_a_closed_pipe_is_a_quiet_end_too() {
    for args in [&["profile"][..], &["--list-presets"], &["demo"]] {
        let mut child = command(args).spawn().unwrap();
        drop(child.stdout.take());
        let ran = ended(child);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{args:?}");
    }
}

/// Arguments, standard input, and what standard error must say.
const WRONG_USE: &[(&[&str], &str, &str)] = &[
    (
        &["nonsense"],
        "",
        "tagstream: unrecognized subcommand `nonsense`",
    ),
    (
        &["events", "--nonsense"],
        "",
        "tagstream: unexpected argument `--nonsense`",
    ),
    (
        &["events", "--preset", "nonsense"],
        "",
        "invalid value `nonsense` for `--preset <NAME>`\n  [possible values: thinking, canvas, filter, inline, roo, apertus, claude, ",
    ),
    (
        &["profile", "nonsense"],
        "",
        "invalid value `nonsense` for `[NAME]`\n  [possible values: thinking,",
    ),
    (
        &["events", "--preset", "qwen3", "--profile", "x.toml"],
        "",
        "cannot be used with",
    ),
    (
        &["events", "--profile", "no/such.toml"],
        "",
        "tagstream: no/such.toml: ",
    ),
    (&["events", "no/such.txt"], "", "tagstream: no/such.txt: "),
    (
        &["events", "--from", "smoke"],
        "",
        "[possible values: text, openai, responses, anthropic, gemini, ollama, auto, sse]",
    ),
    (
        &["events", "--chunks"],
        "\"ok\"\nnot ok",
        "standard input: line 2: a chunk is a JSON string or {\"hex\":\"…\"}; at column 2: expected ident\n",
    ),
    (
        &["events", "--chunks"],
        "\"abc\n",
        "standard input: line 1: a chunk is a JSON string or {\"hex\":\"…\"}; at column 4: EOF while parsing a string\n",
    ),
    (
        &["filter", "--hide", "x y"],
        "",
        "tagstream: --hide: the tag name \"x y\" has ' ' in it; allowed: letters",
    ),
    (&["filter", "--show", ""], "", "tagstream: --show: "),
    (
        &["events", "--chunks"],
        "{\"hex\":\"0\"}",
        "line 1: `0` is not an even number of hex digits",
    ),
    (
        &["events", "--chunks"],
        "{\"text\":\"0\"}",
        "line 1: a chunk is a JSON string or",
    ),
];

#[test]
fn wrong_use_is_reported() {
    for (args, input, message) in WRONG_USE {
        let ran = run(args, input);
        assert_eq!(ran.code, 2, "{args:?}: {}", ran.err);
        assert!(ran.err.contains(message), "{args:?}: {}", ran.err);
        assert!(!ran.err.contains("panicked"), "{args:?}: {}", ran.err);
    }
}

#[test]
fn text_is_text_with_and_without_the_flag() {
    for message in ["a", "data", "id: 5", "{\"a\": 1}", "[1]", ":)"] {
        assert_eq!(out(&["filter", "--from", "text"], message), message);
        assert_eq!(out(&["filter"], message), message);
        let events = out(&["events"], message);
        assert!(!events.contains("choice"), "{events}");
    }
}

#[test]
fn what_came_before_a_wrong_chunk_is_printed() {
    let ran = run(&["filter", "--chunks"], "\"ok\"\nnot ok");
    assert_eq!(ran.out, "ok");
}

/// The text of a profile, and what is said of it.
const BAD_PROFILES: &[(&str, &str)] = &[
    (
        "hide = 5",
        "line 1: `hide`: wrong type: integer `5`; allowed: a list",
    ),
    (
        "\nmarker = []",
        "line 2: `marker`: unknown key `marker` (did you mean `markers`?); allowed: `models`, `code`, `code_notices`, `markers`, `unwrap`, `hide`,",
    ),
    (
        "[thinking]\nmode = 'loud'",
        "line 2: `thinking.mode`: unknown value `loud`; allowed: `extract`, `hide`, `show`",
    ),
    (
        "[thinking]\nanchor = false",
        "line 2: `thinking.anchor`: wrong type; allowed: `anywhere`, `start`",
    ),
    (
        "{\n\"limits\": {\"depth\":\n\"x\"}}",
        "line 3: `limits.depth`: wrong type: string \"x\"; allowed: ",
    ),
    (
        "[calls]\ndialect = 'nope'",
        "line 2: `calls.dialect`: unknown dialect `nope`; allowed: `auto`, ",
    ),
    ("hide = [", "line 1: not TOML: "),
    ("{\"hide\": ]", "line 1: not JSON: "),
    // Profiles that can be read but cannot work.
    (
        "[thinking]\ntags = [\n'think',\n'not a name']",
        "line 4: `thinking.tags[1]`: ",
    ),
    ("{\"hide\": [\n\"a\",\n\"\"]}", "line 3: `hide[1]`: "),
];

#[test]
fn a_bad_profile_is_reported_with_key_and_line() {
    for (number, (text, message)) in BAD_PROFILES.iter().enumerate() {
        let file = Temp::new(&format!("bad-{number}"), text);
        let ran = run(&["events", "--profile", file.path()], "");
        assert_eq!(ran.code, 2, "{text}: {}", ran.err);
        let expected = format!("tagstream: {}: {message}", file.path());
        assert!(ran.err.starts_with(&expected), "{text}: {}", ran.err);
    }
}

#[test]
fn help_is_there() {
    for command in [
        "events", "calls", "filter", "strip", "elements", "explain", "dialects", "profile", "demo",
    ] {
        assert!(out(&["--help"], "").contains(command));
        assert!(out(&[command, "--help"], "").contains("--list-presets"));
    }
    assert!(out(&["--version"], "").starts_with("tagstream "));
}

#[test]
fn a_request_whose_tools_the_server_runs_has_no_calls_in_any_command() {
    let request = r#"{"model":"m","tools":[{"type":"web_search"}]}"#;
    let request = Temp::new("server-tools.json", request);
    let message = "a <tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call>";
    let commands = [
        "calls",
        "filter",
        "aggregate",
        "chat",
        "events",
        "explain",
        "directives",
    ];
    for command in commands {
        let ran = run(
            &[command, "--dialect", "hermes", "--tools", request.path()],
            message,
        );
        assert_eq!(ran.code, 0, "{command}: {}", ran.err);
        assert_eq!(ran.err.lines().count(), 1, "{command}: {}", ran.err);
        assert!(ran.err.ends_with("; no calls are read\n"), "{}", ran.err);
        assert_eq!(ran.out.is_empty(), command == "calls", "{command}");
    }
}
