//! What `directives` prints.

mod support;

use support::{Temp, lines, out, run};

const MESSAGE: &str = "One <read_file><path> a </path></read_file>\n\
    <log_message><message>m</message><level>warn</level></log_message> two";

const PRINTED: &str = concat!(
    r#"{"type":"text","content":"One","partial":false}"#,
    "\n",
    r#"{"type":"tool_use","name":"read_file","params":{"path":"a"},"partial":false}"#,
    "\n",
    r#"{"type":"log_message","message":"m","level":"warn","partial":false}"#,
    "\n",
    r#"{"type":"text","content":"two","partial":false}"#,
    "\n",
);

#[test]
fn finished_ones_are_json_lines_however_the_message_is_cut() {
    assert_eq!(out(&["directives"], MESSAGE), PRINTED);
    for (at, _) in MESSAGE.char_indices().step_by(7) {
        let chunks = lines(&[&MESSAGE[..at], &MESSAGE[at..]]);
        assert_eq!(out(&["directives", "--chunks"], chunks), PRINTED, "{at}");
    }
}

#[test]
fn partial_prints_only_what_is_new() {
    let chunks = lines(&[
        "a",
        "b \n",
        "c<log_message><message>d",
        "e</message></log_message>",
    ]);
    let printed = concat!(
        r#"{"type":"text","id":0,"text":"a","partial":true}"#,
        "\n",
        r#"{"type":"text","id":0,"text":"b","partial":true}"#,
        "\n",
        r#"{"id":0,"type":"text","content":"ab \nc","partial":false}"#,
        "\n",
        r#"{"type":"log_message","id":1,"text":"","partial":true}"#,
        "\n",
        r#"{"type":"log_message","id":1,"param":"message","text":"d","partial":true}"#,
        "\n",
        r#"{"id":1,"type":"log_message","message":"de","level":"info","partial":false}"#,
        "\n",
    );
    assert_eq!(
        out(&["directives", "--partial", "--chunks"], chunks),
        printed
    );
}

#[test]
fn a_parameter_that_begins_anew_is_reset() {
    let chunks = lines(&[
        "<read_file><path>ab",
        "</path><path>c",
        "d</path></read_file>",
    ]);
    let printed = out(&["directives", "--partial", "--chunks"], chunks);
    let growth: Vec<_> = printed.lines().skip(1).collect();
    let expected = [
        r#"{"type":"tool_use","id":0,"name":"read_file","param":"path","text":"ab","partial":true}"#,
        r#"{"type":"tool_use","id":0,"name":"read_file","param":"path","text":"c","reset":true,"partial":true}"#,
        r#"{"id":0,"type":"tool_use","name":"read_file","params":{"path":"cd"},"partial":false}"#,
    ];
    assert_eq!(growth, expected);
}

#[test]
fn what_was_cut_off_is_reported_and_printed_only_with_partial() {
    let message = "a <read_file><path>b";
    let ran = run(&["directives"], message);
    assert_eq!((ran.code, ran.out.lines().count()), (0, 1));
    assert!(
        ran.err.starts_with("tagstream: incomplete_call: "),
        "{}",
        ran.err
    );
    let ran = run(&["directives", "--partial"], message);
    let last = ran.out.lines().last().unwrap();
    let start = r#"{"id":1,"type":"tool_use","name":"read_file","params":{"path":"b"},"partial":true,"errors":[{"code":"incomplete_call","#;
    assert!(last.starts_with(start), "{last}");
}

#[test]
fn what_is_reported_of_a_refusal_has_no_commands_for_the_terminal() {
    let tools = Temp::new("directives-tools.json", r#"[{"name":"f","parameters":{}}]"#);
    let args = [
        "directives",
        "--dialect",
        "function_calls",
        "--tools",
        tools.path(),
    ];
    let ran = run(
        &args,
        "<function_calls><invoke name=\"a\n\x1b[31m\"><parameter name=\"x\">1</parameter></invoke></function_calls>",
    );
    assert!(
        ran.err.contains("␊␛[31m") && !ran.err.contains('\x1b'),
        "{:?}",
        ran.err
    );
}

#[test]
fn a_kind_of_ones_own_comes_from_the_profile() {
    let profile = Temp::new("own.toml", "[[elements]]\nname = 'note'\nchildren = ['by']");
    let printed = out(
        &["directives", "--profile", profile.path()],
        "<note id='1'>a<by> me </by></note>",
    );
    let line = r#"{"type":"note","attributes":{"id":"1"},"params":{"by":"me"},"content":"a","partial":false}"#;
    assert_eq!(printed.trim_end(), line);
}

// Problems

#[test]
fn a_log_that_was_cut_off_is_reported_with_its_place() {
    let message = "Hi <log_message><message>important";
    let ran = run(&["directives"], message);
    assert_eq!((ran.code, ran.out.lines().count()), (0, 1));
    let line = "tagstream: incomplete_element: `<log_message>` at byte 3 was cut off: the message ends before its closing tag\n";
    assert_eq!(ran.err, line);
    let ran = run(&["directives", "--strict"], message);
    assert_eq!((ran.code, ran.err.as_str()), (1, line));
}

#[test]
fn each_refusal_and_each_notice_is_reported_once() {
    let message =
        "</thinking>\u{fffd}<read_file><path>b</path><path>c</path></read_file><read_file><path>d";
    let ran = run(&["directives", "--strict"], message);
    assert_eq!(ran.code, 1);
    let codes = ran.err.lines().map(|line| line.split(": ").nth(1).unwrap());
    assert_eq!(
        codes.collect::<Vec<_>>(),
        ["orphan_close", "repaired", "incomplete_call"],
        "{}",
        ran.err
    );
}

#[test]
fn text_between_the_parts_of_a_log_and_repeated_parts_are_notices() {
    let message = "<log_message>junk<message>a</message><message>b</message>more</log_message>";
    let ran = run(&["directives", "--strict"], message);
    let lines = "tagstream: repaired: `message` was given twice in <log_message>; the last one counts\n\
        tagstream: dropped: text between the parts of <log_message> was dropped: junkmore\n";
    assert_eq!((ran.code, ran.err.as_str()), (1, lines));
    // Without --strict, what is lost is still reported.
    let ran = run(&["directives"], message);
    assert_eq!(ran.code, 0);
    assert_eq!(ran.err, lines.lines().nth(1).unwrap().to_owned() + "\n");
}

// Growth

/// What is printed of one log while it grows, after its first line.
fn growth_of_a_log(chunks: &[&str]) -> Vec<String> {
    let printed = run(&["directives", "--partial", "--chunks"], lines(chunks)).out;
    let start = r#"{"type":"log_message","id":0,"#;
    let growth = printed.lines().filter_map(|line| line.strip_prefix(start));
    let growth = growth.map(|line| line.replace(r#","partial":true}"#, ""));
    growth.skip(1).collect()
}

#[test]
fn the_beginning_of_a_tag_is_left_off_as_in_elements() {
    let chunks = [
        "<log_message><message>abc </no",
        "x",
        " y</message></log_message>",
    ];
    assert_eq!(
        growth_of_a_log(&chunks),
        [r#""param":"message","text":"abc""#]
    );
    let chunks = ["<log_message><message>abc </no", "! <", "/", "!"];
    let expected = [
        r#""param":"message","text":"abc""#,
        r#""param":"message","text":" </no!""#,
        r#""param":"message","text":" </!""#,
    ];
    assert_eq!(growth_of_a_log(&chunks), expected);
}

#[test]
fn what_was_left_off_is_shown_when_its_part_ends() {
    let chunks = ["<log_message><message>a <b", "</message><level>warn"];
    let expected = [
        r#""param":"message","text":"a""#,
        r#""param":"message","text":" <b""#,
        r#""param":"level","text":"warn""#,
    ];
    assert_eq!(growth_of_a_log(&chunks), expected);
}

#[test]
fn the_text_of_a_log_is_its_message_until_it_has_a_part_of_that_name() {
    let chunks = [
        "<log_message>bo",
        "dy",
        "<level>warn</level>",
        "<message>m",
        "n</message></log_message>",
    ];
    let expected = [
        r#""param":"message","text":"bo""#,
        r#""param":"message","text":"dy""#,
        r#""param":"level","text":"warn""#,
        r#""param":"message","text":"m","reset":true"#,
    ];
    assert_eq!(growth_of_a_log(&chunks), expected);
}
