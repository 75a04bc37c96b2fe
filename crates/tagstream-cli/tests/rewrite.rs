//! The command `rewrite`, from outside.

use std::{
    io::Write,
    process::{Command, Output, Stdio},
};

fn rewrite(args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tagstream"))
        .arg("rewrite")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // A command that refuses its arguments does not read.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

const STREAM: &str = concat!(
    r#"data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":"#,
    r#"[{"index":0,"delta":{"role":"assistant","content":"<think>a</think>b"},"finish_reason":null}]}"#,
    "\n\ndata: [DONE]\n\n"
);

#[test]
fn thinking_goes_to_the_field_that_is_named() {
    let out = rewrite(
        &["--from", "openai", "--reasoning-field", "reasoning"],
        STREAM,
    );
    assert!(out.status.success());
    assert!(text(&out.stdout).contains(r#""reasoning":"a""#));
    let out = rewrite(&["--from", "auto", "--thinking", "hide"], STREAM);
    assert!(!text(&out.stdout).contains("reasoning"));
    let out = rewrite(&["--from", "openai", "--thinking", "keep"], STREAM);
    assert_eq!(text(&out.stdout), STREAM);
}

#[test]
fn a_field_that_means_something_else_is_wrong_use() {
    for field in ["content", "tool_calls", "role", ""] {
        let out = rewrite(&["--from", "openai", "--reasoning-field", field], STREAM);
        assert_eq!(out.status.code(), Some(2), "{field}");
        assert_eq!(text(&out.stdout), "");
        assert!(text(&out.stderr).contains("--reasoning-field"), "{field}");
    }
}

#[test]
fn a_profile_that_hides_thinking_hides_what_the_provider_tells_apart() {
    let path = std::env::temp_dir().join(format!("tagstream-hide-{}.toml", std::process::id()));
    std::fs::write(&path, "[thinking]\ntags = ['think']\nmode = 'hide'").unwrap();
    let stream = STREAM.replace(
        "\"content\"",
        "\"reasoning_content\":\"native\",\"content\"",
    );
    let profile = path.to_str().unwrap();
    let out = rewrite(&["--from", "openai", "--profile", profile], &stream);
    std::fs::remove_file(&path).unwrap();
    assert!(stream.contains("native") && out.status.success());
    assert!(
        !text(&out.stdout).contains("native"),
        "{}",
        text(&out.stdout)
    );
}

#[test]
fn a_format_that_cannot_be_rewritten_is_wrong_use() {
    let out = rewrite(&["--from", "text"], STREAM);
    assert_eq!(out.status.code(), Some(2));
    assert_eq!(text(&out.stdout), "");
    assert!(
        text(&out.stderr).contains(
            "the format `text` cannot be rewritten; allowed: openai, responses, anthropic"
        )
    );
}

#[test]
fn a_response_is_rewritten_named_or_not() {
    let stream = concat!(
        "event: response.created\n",
        r#"data: {"type":"response.created","sequence_number":0,"response":{"id":"resp_1","output":[]}}"#,
        "\n\nevent: response.output_text.delta\n",
        r#"data: {"type":"response.output_text.delta","sequence_number":1,"item_id":"m","output_index":0,"#,
        r#""content_index":0,"delta":"<think>a</think>b"}"#,
        "\n\n"
    );
    let named = rewrite(&["--from", "responses"], stream);
    assert!(named.status.success());
    assert!(text(&named.stdout).contains(r#""type":"response.reasoning_text.delta""#));
    assert_eq!(rewrite(&["--from", "auto"], stream).stdout, named.stdout);
}

#[test]
fn marks_stand_behind_what_each_chunk_gave() {
    let (first, done) = STREAM.split_at(STREAM.find("data: [DONE]").unwrap());
    let chunks: String = [first, done]
        .map(|chunk| serde_json::to_string(chunk).unwrap() + "\n")
        .concat();
    let out = rewrite(
        &[
            "--from",
            "openai",
            "--chunks",
            "--mark",
            "--thinking",
            "keep",
        ],
        &chunks,
    );
    let mark = |chunk| format!("{{\"type\":\"mark\",\"chunk\":{chunk}}}\n");
    let expected = [first, &mark("0"), done, &mark("1"), &mark("null")].concat();
    assert_eq!(text(&out.stdout), expected);
}

#[test]
fn what_a_model_writes_is_reported_without_commands_for_the_terminal() {
    let call = r#"<function_calls><invoke name=\"a\n\u001b[31m\"><parameter name=\"x\">1</parameter></invoke></function_calls>"#;
    let stream = STREAM.replace("<think>a</think>b", call);
    let tools = r#"[{"type":"function","function":{"name":"f"}}]"#;
    let path = std::env::temp_dir().join(format!("tagstream-rewrite-{}", std::process::id()));
    std::fs::write(&path, tools).unwrap();
    let file = path.to_str().unwrap();
    let out = rewrite(&["--from", "openai", "--strict", "--tools", file], &stream);
    std::fs::remove_file(&path).unwrap();
    let printed = text(&out.stderr);
    assert!(
        printed.contains("␊␛[31m") && !printed.contains('\x1b'),
        "{printed:?}"
    );
    assert_eq!(printed.lines().count(), 1, "{printed:?}");
}

#[test]
fn notices_are_told_and_fatal_only_if_asked_for() {
    let stream = STREAM.replace("<think>a</think>b", "</think>b");
    let out = rewrite(&["--from", "openai"], &stream);
    assert!(out.status.success() && out.stderr.is_empty());
    let out = rewrite(&["--from", "openai", "--strict"], &stream);
    assert_eq!(out.status.code(), Some(1));
    assert!(text(&out.stderr).contains("orphan_close"));
}

/// A file with this text, which is removed at the end.
struct File(std::path::PathBuf);

impl File {
    fn new(name: &str, text: &str) -> Self {
        let name = format!("tagstream-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, text).unwrap();
        File(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

const CALL: &str = r#"<tool_call>{\"name\":\"f\",\"arguments\":{\"x\":1}}</tool_call>"#;

#[test]
fn a_request_that_forbids_calls_or_has_none_for_the_client_turns_them_off() {
    let stream = STREAM.replace("<think>a</think>b", CALL);
    let tools = r#"[{"type":"function","function":{"name":"f"}}]"#;
    for (number, request) in [
        format!(r#"{{"model":"m","tools":{tools},"tool_choice":"none"}}"#),
        format!(r#"{{"model":"m","tools":{tools},"tool_choice":{{"type":"none"}}}}"#),
        r#"{"model":"m","tools":[{"type":"web_search"}]}"#.to_owned(),
    ]
    .iter()
    .enumerate()
    {
        let file = File::new(&format!("none-{number}"), request);
        let out = rewrite(&["--from", "openai", "--tools", file.path()], &stream);
        assert!(out.status.success(), "{}", text(&out.stderr));
        assert_eq!(text(&out.stdout), stream);
        let hint = text(&out.stderr).contains("looks like");
        assert!(!hint, "calls are off on purpose");
    }
    let file = File::new("auto", &format!(r#"{{"model":"m","tools":{tools}}}"#));
    let out = rewrite(&["--from", "openai", "--tools", file.path()], &stream);
    assert!(text(&out.stdout).contains("tool_calls"));
}

#[test]
fn calls_are_sent_while_they_arrive_if_asked_for() {
    let stream = STREAM.replace("<think>a</think>b", CALL);
    let args = ["--from", "openai", "--dialect", "hermes", "--calls"];
    let whole = rewrite(&[&args[..], &["whole"]].concat(), &stream);
    let sent = rewrite(&[&args[..], &["stream"]].concat(), &stream);
    let count = |out: &Output| text(&out.stdout).matches("\"tool_calls\":").count();
    assert_eq!(count(&whole), 1);
    assert!(count(&sent) > 1, "{}", text(&sent.stdout));
}

#[test]
fn truncated_broken_and_error_streams_are_fatal_if_asked_for() {
    let start = STREAM.replace("data: [DONE]\n\n", "");
    for (stream, code) in [
        (start.clone(), "truncated_stream"),
        (
            format!("{start}data: {{oops\n\ndata: [DONE]\n\n"),
            "invalid_frame",
        ),
        (
            format!("{start}data: {{\"error\":{{\"message\":\"no\"}}}}\n\n"),
            "stream_error",
        ),
    ] {
        let out = rewrite(&["--from", "openai", "--strict"], &stream);
        assert_eq!(out.status.code(), Some(1), "{code}");
        assert!(text(&out.stderr).contains(code), "{}", text(&out.stderr));
        // A server's error is one without being asked for.
        let lenient = rewrite(&["--from", "openai"], &stream);
        assert_eq!(lenient.status.success(), code != "stream_error", "{code}");
        assert!(text(&lenient.stderr).contains(code), "{code}");
    }
}

#[test]
fn a_profile_that_drops_closing_tags_drops_them_here_too() {
    let stream = STREAM.replace("<think>a</think>b", "</think>b");
    let out = rewrite(&["--from", "openai"], &stream);
    assert!(text(&out.stdout).contains("</think>b"));
    let profile = "[thinking]\ntags = ['think']\norphan_close = 'drop'";
    let file = File::new("orphans", profile);
    let out = rewrite(&["--from", "openai", "--profile", file.path()], &stream);
    assert!(text(&out.stdout).contains("\"content\":\"b\""));
}
