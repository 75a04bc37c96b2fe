//! What `calls`, `dialects` and `explain` print, and the flags that say which calls count.

mod support;

use support::{Temp, lines, out, run};

const TOOLS: &str = r#"[{"type":"function","function":{"name":"run","parameters":{"type":"object",
    "properties":{"cmd":{"type":"string"},"times":{"type":"integer"}},"required":["cmd"]}}}]"#;

const HERMES: &str = r#"<tool_call>{"name":"run","arguments":{"cmd":"ls"}}</tool_call>"#;

/// A dialect from a user's file, without any repairs.
const OWN: &str = "name = 'own'
[wrapper]
open = ['<do>']
close = ['</do>']
[call]
open = ['<call name=\"{name}\">']
close = ['</call>']
[arguments]
style = 'elements'
open = ['<with={argument}>']
close = ['</with>']
";

const RUN: &str =
    "{\"index\":0,\"id\":\"call_0\",\"name\":\"run\",\"arguments\":{\"cmd\":\"ls\"}}\n";

/// What was reported, without the places and suggestions below it.
fn problems(err: &str) -> String {
    let lines = err.split_inclusive('\n');
    lines.filter(|line| !line.starts_with("  ")).collect()
}

// calls

#[test]
fn calls_are_read_in_any_dialect_without_a_profile() {
    assert_eq!(out(&["calls"], format!("Hi.\n{HERMES}\nBye.")), RUN);
    let qwen = "<tool_call><function=run><parameter=cmd>ls</parameter></function></tool_call>";
    assert_eq!(out(&["calls"], qwen), RUN);
}

#[test]
fn only_complete_and_valid_calls_are_printed() {
    let tools = Temp::new("valid.json", TOOLS);
    let message = format!(
        "{HERMES}{}{}<tool_call>{{\"name\":\"run\",\"argu",
        r#"<tool_call>{"name":"nope","arguments":{}}</tool_call>"#,
        r#"<tool_call>{"name":"run","arguments":{"times":"many"}}</tool_call>"#,
    );
    let ran = run(&["calls", "--tools", tools.path()], &message);
    assert_eq!((ran.code, ran.out.as_str()), (0, RUN));
    assert_eq!(
        problems(&ran.err),
        concat!(
            "tagstream: call 1 of `nope` was refused: unknown_tool: there is no tool `nope`; there are: `run`\n",
            "tagstream: call 2 of `run` was refused: type_mismatch: argument `times`: expected an integer, got \"many\"\n",
            "tagstream: call 2 of `run` was refused: missing_required: missing required argument `cmd`\n",
            "tagstream: call 3 of `run` was refused: incomplete_call: the message ended before the call was complete; write the whole call again\n",
        )
    );
}

#[test]
fn numbers_keep_their_spelling_in_events_too() {
    let arguments = r#"{"id":123456789012345678901234567890,"v":1.50}"#;
    let message = format!(r#"<tool_call>{{"name":"run","arguments":{arguments}}}</tool_call>"#);
    for flags in [&["events"][..], &["events", "--spans"]] {
        let printed = out(
            &[flags, &["--dialect", "hermes"]].concat(),
            message.as_str(),
        );
        let end = printed.lines().find(|line| line.contains("call_end"));
        let wanted = format!("\"arguments\":{arguments}");
        assert!(end.is_some_and(|end| end.contains(&wanted)), "{printed}");
    }
}

#[test]
fn a_refused_call_is_fatal_only_with_strict() {
    let tools = Temp::new("strict.json", TOOLS);
    let refused = r#"<tool_call>{"name":"nope","arguments":{}}</tool_call>"#;
    let args = ["calls", "--tools", tools.path()];
    assert_eq!(run(&args, refused).code, 0);
    let ran = run(&[&args[..], &["--strict"]].concat(), refused);
    assert_eq!((ran.code, ran.out.as_str()), (1, ""));
    assert_eq!(problems(&ran.err).lines().count(), 1, "{}", ran.err);
    assert_eq!(run(&[&args[..], &["--strict"]].concat(), HERMES).code, 0);
    assert_eq!(
        run(&["events", "--strict", "--tools", tools.path()], refused).code,
        1
    );
}

#[test]
fn a_repair_is_reported_in_one_line() {
    let message = "<tool_call><function=run><parameter=cmd>ls</function></tool_call>";
    let ran = run(&["calls"], message);
    assert_eq!((ran.code, ran.out.as_str()), (0, RUN));
    assert!(ran.err.starts_with("tagstream: repaired: "), "{}", ran.err);
    assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
}

#[test]
fn what_is_reported_cannot_break_the_line() {
    let tools = Temp::new("line.json", TOOLS);
    let message = "<function_calls><invoke name=\"a\nb\x1b[31m\"><parameter name=\"x\">1</parameter></invoke></function_calls>";
    let ran = run(&["calls", "--tools", tools.path()], message);
    assert_eq!(problems(&ran.err).lines().count(), 1, "{}", ran.err);
    assert!(!ran.err.contains('\x1b'), "{}", ran.err);
}

#[test]
fn tools_are_an_array_or_a_request() {
    let message = r#"<tool_call>{"name":"run","arguments":{"cmd":"ls","times":"5"}}</tool_call>"#;
    for text in [
        TOOLS.to_owned(),
        format!(r#"{{"model":"m","tools":{TOOLS}}}"#),
    ] {
        let tools = Temp::new("forms.json", &text);
        let printed = run(&["calls", "--tools", tools.path()], message).out;
        assert!(printed.contains(r#""times":5"#), "{printed}");
    }
}

#[test]
fn flags_go_over_the_profile_and_leave_the_rest_of_it() {
    let profile = Temp::new(
        "over.toml",
        "[calls]\ndialect = 'tags'\ntools = [{name = 'old', input_schema = {}}]\nunknown_argument = 'reject'",
    );
    let tools = Temp::new("over.json", TOOLS);
    let message = r#"<tool_call>{"name":"run","arguments":{"cmd":"ls","x":1}}</tool_call>"#;
    let args = ["calls", "--profile", profile.path()];
    assert_eq!(out(&args, message), "");
    let more = ["--dialect", "qwen3-coder,hermes", "--tools", tools.path()];
    let ran = run(&[&args[..], &more].concat(), message);
    assert!(ran.err.contains("unknown_argument"), "{}", ran.err);
    assert_eq!(out(&[&args[..], &more].concat(), HERMES), RUN);
}

#[test]
fn marks_stand_behind_what_was_certain() {
    let mark = |chunk| format!("{{\"type\":\"mark\",\"chunk\":{chunk}}}\n");
    let (start, end) = HERMES.split_at(HERMES.len() - 3);
    assert_eq!(
        out(&["calls", "--chunks", "--mark"], lines(&[start, end])),
        format!("{}{RUN}{}{}", mark("0"), mark("1"), mark("null"))
    );
}

#[test]
fn native_calls_come_out_the_same_way_and_are_checked() {
    let call = |arguments: &str| {
        format!(
            r#"{{"choices":[{{"message":{{"tool_calls":[{{"id":"a","type":"function","function":{{"name":"run","arguments":{}}}}}]}},"finish_reason":"tool_calls"}}]}}"#,
            serde_json::to_string(arguments).unwrap()
        )
    };
    let tools = Temp::new("native.json", TOOLS);
    let args = ["calls", "--from", "openai", "--tools", tools.path()];
    assert_eq!(
        out(&args, call(r#"{"cmd":"ls"}"#)),
        RUN.replace("call_0", "a")
    );
    let ran = run(&args, call(r#"{"times":1}"#));
    assert_eq!(ran.out, "");
    assert!(ran.err.contains("missing_required"), "{}", ran.err);
}

// The flags of other commands

#[test]
fn events_has_calls_where_a_flag_asks_for_them() {
    assert!(run(&["events"], HERMES).out.contains("\"type\":\"text\""));
    let printed = out(&["events", "--dialect", "auto"], HERMES);
    assert!(printed.contains("\"type\":\"call_start\""), "{printed}");
    assert!(printed.contains("\"type\":\"call_end\""), "{printed}");
    assert_eq!(
        out(&["filter", "--dialect", "hermes"], format!("a {HERMES}")),
        "a "
    );
}

#[test]
fn a_dialect_of_ones_own_needs_only_its_file() {
    let file = Temp::new("own.toml", OWN);
    let message = "<do><call name=\"run\"><with=cmd>ls</with></call></do>";
    for more in [&[][..], &["--dialect", "own"], &["--dialect", "auto"]] {
        let args = [&["calls", "--dialect-file", file.path()], more].concat();
        assert_eq!(out(&args, message), RUN);
    }
    let args = ["calls", "--dialect-file", file.path()];
    assert_eq!(out(&args, HERMES), "", "other dialects do not count");
}

#[test]
fn a_mistake_that_the_dialect_does_not_repair_is_an_error() {
    let file = Temp::new("unrepaired.toml", OWN);
    let message = "<do><call name=\"run\"><with=cmd>ls</call></do>";
    let ran = run(&["calls", "--dialect-file", file.path()], message);
    assert_eq!(ran.out, "");
    assert!(ran.err.contains("malformed_parameter"), "{}", ran.err);
}

#[test]
fn wrong_use_names_the_flag_or_the_file() {
    let broken = Temp::new(
        "broken.toml",
        "name = 'x'\n[call]\nopen = ['<a']\n[arguments]\nstyle = 'json'",
    );
    let unknown = Temp::new("unknown.toml", "name = 'x'\nrepair = []");
    let tools = Temp::new("broken.json", r#"[{"function":{}}]"#);
    let other = Temp::new("other.json", r#"{"model":"m"}"#);
    for (args, parts) in [
        (
            ["--dialect", "nope"],
            ["--dialect: unknown dialect `nope`", "`hermes`"],
        ),
        (
            ["--dialect-file", broken.path()],
            [broken.path(), "line 3: `call.open[0]`"],
        ),
        (
            ["--dialect-file", unknown.path()],
            [unknown.path(), "line 2: `repair`: unknown key"],
        ),
        (
            ["--dialect-file", "/nowhere.toml"],
            ["/nowhere.toml: ", "o such file"],
        ),
        (
            ["--tools", tools.path()],
            [tools.path(), "`tools[0].function.name`: missing"],
        ),
        (["--tools", unknown.path()], [unknown.path(), "not JSON"]),
        (
            ["--tools", other.path()],
            [other.path(), "`tools`: missing; there is `model`"],
        ),
    ] {
        let ran = run(&[&["calls"], &args[..]].concat(), "");
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{args:?}");
        for part in parts {
            assert!(ran.err.contains(part), "{args:?}: {}", ran.err);
        }
        assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
    }
}

#[test]
fn tools_that_are_odd_in_a_part_can_be_used_with_a_warning() {
    let odd =
        r#"[{"name":"f","input_schema":{"properties":{"a":{"type":"foo"},"n":{"type":"int"}}}}]"#;
    let tools = Temp::new("odd.json", odd);
    let file = format!("[calls]\ntools_file = '{}'", tools.path());
    let file = Temp::new("odd-file.toml", &file);
    let inline = Temp::new("odd.toml", &format!("{{\"calls\":{{\"tools\":{odd}}}}}"));
    for args in [
        ["--tools", tools.path()],
        ["--profile", file.path()],
        ["--profile", inline.path()],
    ] {
        let message = r#"<tool_call>{"name":"f","arguments":{"a":[1],"n":"5"}}</tool_call>"#;
        let ran = run(&[&["calls", "--strict"], &args[..]].concat(), message);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(ran.out.ends_with("\"arguments\":{\"a\":[1],\"n\":5}}\n"));
        let warning = "`tools[0].input_schema.properties.a.type`: tool `f`, argument `a`: \
                       unknown type \"foo\"; ignored";
        assert_eq!(ran.err, format!("tagstream: {}: {warning}\n", args[1]));
    }
}

// dialects

#[test]
fn dialects_are_listed_in_aligned_lines() {
    let list = out(&["dialects"], "");
    assert!(list.lines().count() > 20);
    let hermes = list
        .lines()
        .find(|line| line.starts_with("hermes "))
        .unwrap();
    let glm = list.lines().find(|line| line.starts_with("glm ")).unwrap();
    assert_eq!(hermes.find("Hermes"), glm.find("GLM"));
}

#[test]
fn a_dialect_is_printed_as_its_file_and_the_file_works() {
    let text = out(&["dialects", "hermes"], "");
    assert!(text.contains("name = \"hermes\""), "{text}");
    let file = Temp::new("printed.toml", &text);
    assert_eq!(out(&["calls", "--dialect-file", file.path()], HERMES), RUN);
    let ran = run(&["dialects", "nope"], "");
    assert_eq!(ran.code, 2);
    assert!(
        ran.err
            .contains("invalid value `nope` for `[NAME]`\n  [possible values: apertus, "),
        "{}",
        ran.err
    );
}

// explain

const PAGE: &str = "     0..4       text        \"Hi.␊\"
     4..11      thought     begins: think
    11..12      thought     \"x\"
    12..20      thought     ends
    20..21      skip        \"␊\"  (white space beside markup)
    21..45      skip        \"<tool_call>{\"name\":\"run\"\"  (markup of the call)
    45          call 0      begins: run, id call_0
    45..58      skip        \",\"arguments\":\"  (markup of the call)
    58..72      argument    \"{\"times\":\"no\"}\"
    72..73      skip        \"}\"  (markup of the call)
    73..85      call 0      refused: type_mismatch: argument `times`: expected an integer, got \"no\"
    85          call 0      refused: missing_required: missing required argument `cmd`
    85..89      text        \"␉bye\"

0 calls accepted, 1 refused, 0 notices
  refused   call 0: run: type_mismatch: argument `times`: expected an integer, got \"no\"
            line 3, column 39:
            <tool_call>{\"name\":\"run\",\"arguments\":{\"times\":\"no\"}}</tool_call>
                                                  ^
  refused   call 0: run: missing_required: missing required argument `cmd`
            line 3, column 1:
            <tool_call>{\"name\":\"run\",\"arguments\":{\"times\":\"no\"}}</tool_call>
            ^
            Write it like this:
            <tool_call>{\"name\": \"run\", \"arguments\": {\"cmd\": \"value\", \"times\": \"value\"}}</tool_call>
";

#[test]
fn explain_is_the_same_page_however_the_message_was_cut() {
    let tools = Temp::new("explain.json", TOOLS);
    let message = "Hi.\n<think>x</think>\n<tool_call>{\"name\":\"run\",\"arguments\":{\"times\":\"no\"}}</tool_call>\tbye";
    let args = ["explain", "--tools", tools.path()];
    assert_eq!(out(&args, message), PAGE);
    let chunks: Vec<_> = message.split_inclusive(|_| true).collect();
    let cut = out(&[&args[..], &["--chunks"]].concat(), lines(&chunks));
    assert_eq!(cut, PAGE);
}

#[test]
fn explain_gives_the_reason_for_all_that_is_skipped() {
    let profile = "markers = [\"<|m|>\"]\nhide = [\"secret\"]\n[thinking]\ntags = [\"think\"]\n";
    let profile = Temp::new("reasons.toml", profile);
    let message =
        "<|m|><secret>x</secret>\n<tool_call>{\"name\":\"run\"}</tool_call> <|m|><think> </think>";
    let page = out(&["explain", "--profile", profile.path()], message);
    let skipped: Vec<_> = page
        .lines()
        .filter(|line| line.contains(" skip "))
        .collect();
    assert_eq!(
        skipped,
        [
            "     0..5       skip        \"<|m|>\"  (a marker)",
            "     5..23      skip        \"<secret>x</secret>\"  (a hidden section)",
            "    23..24      skip        \"␊\"  (white space beside markup)",
            "    24..48      skip        \"<tool_call>{\"name\":\"run\"\"  (markup of the call)",
            "    48..49      skip        \"}\"  (markup of the call)",
            "    61..62      skip        \" \"  (white space beside markup)",
            "    62..67      skip        \"<|m|>\"  (a marker)",
            "    67..83      skip        \"<think> </think>\"  (a section without content)",
        ]
    );
}

#[test]
fn explain_says_which_calls_were_accepted_and_what_was_dropped() {
    let message = format!("a</think>{HERMES}");
    let page = out(&["explain"], &message);
    for part in [
        "notice      orphan_close: `</think>` closes nothing and was dropped\n",
        "accepted: run {\"cmd\":\"ls\"}\n",
        "\n1 call accepted, 0 refused, 1 notice\n  accepted  call 0: run\n",
    ] {
        assert!(page.contains(part), "{page}");
    }
}

#[test]
fn explain_shortens_long_text_in_the_middle_and_shows_no_controls() {
    let page = out(&["explain"], format!("\x1b[31m{}end", "x".repeat(1000)));
    assert!(page.contains("\"␛[31mxxx"), "{page}");
    assert!(
        page.contains(" bytes … \"xxxxxxxxxxxxxxxxxend\"\n"),
        "{page}"
    );
    assert!(!page.contains('\x1b'), "{page}");
}

#[test]
fn explain_shows_no_controls_in_the_name_of_an_argument() {
    let message = "<function_calls><invoke name=\"f\"><parameter name=\"x\x1b[31m\">1</parameter></invoke></function_calls>";
    let page = out(&["explain", "--dialect", "function_calls"], message);
    assert!(page.contains("x␛[31m: \"1\""), "{page}");
}

#[test]
fn explain_reads_the_streams_of_providers() {
    let stream = "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    let page = out(&["explain", "--from", "openai"], stream);
    assert!(
        page.starts_with("     0..2       text        \"Hi\"\n"),
        "{page}"
    );
    assert!(page.contains("stream      finished: stop\n"), "{page}");
}

#[test]
fn the_first_hundred_refused_calls_are_explained() {
    let calls = "<tool_call>{\"name\":\"f\",\"arguments\":[]}</tool_call>".repeat(120);
    let ran = run(&["calls"], calls);
    assert_eq!(ran.err.matches(" was refused: ").count(), 120);
    assert_eq!(ran.err.matches("Write it like this:").count(), 100);
    assert_eq!(ran.err.matches("line 1, column ").count(), 100);
}
