//! The `[calls]` table of a profile, from the text to the calls of the core.

use std::{fs, path::PathBuf};
use tagstream::check::{ArgumentsText, CallText, Verdict};
use tagstream::profile::{CallOptions, load, parse, parse_with};
use tagstream::{CallsInThinking, CallsInside, OrphanClose, UnknownTool};

/// A folder of its own for a test's files.
fn folder(test: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn a_profile_without_the_table_has_no_calls() {
    assert_eq!(parse("hide = ['x']").unwrap().calls, None);
}

#[test]
fn every_setting_reaches_the_calls() {
    let text = "
        [calls]
        dialect = ['hermes', 'qwen3-coder']
        tools = [{ name = 'bash', input_schema = { properties = { command = {} } } }]
        unwrapped = true
        in_thinking = 'promote'
        in_code = 'promote'
        unknown_tool = 'text'
        decode_entities = true
        orphan_close = 'drop'
        max_calls = 3
        [calls.aliases.bash]
        command = ['cmd', 'shell']";
    let calls = parse(text).unwrap().calls.unwrap();
    let dialects: Vec<_> = calls.dialects.iter().map(|dialect| &dialect.name).collect();
    assert_eq!(dialects, ["hermes", "qwen3-coder"]);
    assert_eq!(calls.tools[0].name, "bash");
    assert_eq!(calls.tools[0].arguments, ["command"]);
    let alias = |name: &str| (name.to_owned(), "command".to_owned());
    assert_eq!(calls.tools[0].aliases, [alias("cmd"), alias("shell")]);
    assert!(calls.unwrapped && calls.decode_entities);
    assert_eq!(calls.in_thinking, CallsInThinking::Promote);
    assert_eq!(calls.in_code, CallsInside::Promote);
    assert_eq!(calls.unknown_tool, UnknownTool::Text);
    assert_eq!(calls.orphan_close, OrphanClose::Drop);
    assert_eq!(calls.max_calls, Some(3));
}

#[test]
fn what_is_odd_about_a_tool_is_reported_for_a_text_too() {
    let text = "
        [calls]
        tools = [{ name = 'f', input_schema = { properties = { a = { type = 'foo' } } } }]";
    let loaded = parse_with(text, &CallOptions::default()).unwrap();
    let reported = loaded.warnings.iter();
    let reported: Vec<_> = reported.map(|it| (it.tool(), it.argument())).collect();
    assert_eq!(reported, [("f", Some("a"))]);
    assert!(loaded.profile.calls.is_some());
}

#[test]
fn files_are_looked_for_beside_the_profile() {
    let folder = folder("beside");
    let tools = r#"{"tools": [{"name": "f", "input_schema": {"required": ["a"]}}]}"#;
    fs::write(folder.join("tools.json"), tools).unwrap();
    let dialect = "name = 'mine'\n[call]\nopen = ['<m={name}>']\n[arguments]\nstyle = 'json'";
    fs::write(folder.join("mine.toml"), dialect).unwrap();
    let profile = folder.join("profile.toml");
    let text =
        "[calls]\ndialect = 'mine'\ndialect_files = ['mine.toml']\ntools_file = 'tools.json'";
    fs::write(&profile, text).unwrap();

    let calls = load(&profile).unwrap().calls.unwrap();
    assert_eq!(calls.dialects[0].name, "mine");
    let call = CallText::new("f", ArgumentsText::json("{}"));
    let verdict = calls.checker.check(&call);
    assert!(matches!(verdict, Verdict::Invalid(_)));
}

#[test]
fn a_mistake_in_a_file_is_reported_with_the_file_and_its_line() {
    let folder = folder("mistakes");
    fs::write(folder.join("d.toml"), "name = 'd'\n[argument]").unwrap();
    fs::write(folder.join("t.json"), "[{\"function\": {}}]").unwrap();
    for (text, message) in [
        (
            "[calls]\ndialect_files = ['d.toml']",
            "line 2: `calls.dialect_files[0]`: d.toml: line 2: `argument`: unknown key `argument` (did you mean `arguments`?); allowed: `name`, `about`, `brackets`, `plain`, `entities`, `wrapper`, `call`, `arguments`, `repairs`",
        ),
        (
            "[calls]\ntools_file = 't.json'",
            "line 2: `calls.tools_file`: t.json: `tools[0].function.name`: missing",
        ),
    ] {
        let profile = folder.join("profile.toml");
        fs::write(&profile, text).unwrap();
        let error = load(&profile).unwrap_err().to_string();
        assert_eq!(error, format!("{}: {message}", profile.display()));
    }
}
