//! The `[calls]` table becomes the calls of the core.

use crate::common::reported;
use serde_json::{Value, json};
use tagstream::calls::CallsTable;
use tagstream::check::{ArgumentsText, CallText};
use tagstream::dialect::built_in;
use tagstream::profile::parse;
use tagstream::{CallSettings, OrphanClose};
use tagstream::{Calls, OwnedEventKind, Profile, Tools};

fn settings(value: Value) -> CallsTable {
    serde_json::from_value(value).unwrap()
}

fn resolve(value: Value) -> Result<CallSettings, String> {
    settings(value)
        .resolve(None)
        .map_err(|error| error.to_string())
}

fn names(calls: &CallSettings) -> Vec<&str> {
    let names = calls.dialects.iter().map(|dialect| dialect.name.as_str());
    names.collect()
}

fn check(calls: &CallSettings, name: &str, json: &str) -> String {
    let arguments = ArgumentsText::json(json);
    reported(&calls.checker.check(&CallText::new(name, arguments)))
}

#[test]
fn nothing_said_means_the_defaults_of_the_contract() {
    let calls = resolve(json!({})).unwrap();
    let auto: Vec<_> = built_in()
        .iter()
        .filter(|dialect| dialect.in_auto())
        .collect();
    assert_eq!(calls.dialects.len(), auto.len());
    assert!(calls.tools.is_empty());
    assert_eq!(calls.orphan_close, OrphanClose::Keep);
    let mut plain = CallSettings::default();
    plain.dialects.clone_from(&calls.dialects);
    plain.checker = calls.checker.clone();
    assert_eq!(calls, plain);
}

#[test]
fn near_misses_and_the_start_of_ids_are_set_like_the_rest() {
    let calls = Calls::dialect("hermes").unwrap();
    let settings: CallSettings = calls.near_misses(true).id_prefix("toolu_").into();
    assert!(settings.near_misses);
    assert_eq!(settings.id_prefix, "toolu_");
    assert!(resolve(json!({"near_misses": true})).unwrap().near_misses);
}

#[test]
fn dialects_are_chosen_by_name_by_list_or_all() {
    for (choice, expected) in [
        (json!("hermes"), vec!["hermes"]),
        (
            json!(["qwen3-coder", "hermes"]),
            vec!["qwen3-coder", "hermes"],
        ),
        (json!(["hermes", "hermes"]), vec!["hermes"]),
        (json!([]), vec![]),
    ] {
        let calls = resolve(json!({ "dialect": choice })).unwrap();
        assert_eq!(names(&calls), expected);
    }
    let calls = resolve(json!({"dialect": ["hermes", "auto"]})).unwrap();
    assert_eq!(names(&calls)[0], "hermes");
    assert!(names(&calls).contains(&"function_calls"));
}

#[test]
fn a_mistake_is_reported_with_its_key() {
    let bash = json!([{"name": "bash", "input_schema": {"properties": {"command": {}}}}]);
    let two = json!([{"name": "f", "input_schema": {"properties": {"a": {}, "b": {}}}}]);
    for (value, start) in [
        (
            json!({"dialect": "x"}),
            "`calls.dialect`: unknown dialect `x`; allowed: `auto`, `",
        ),
        (
            json!({"dialect": ["hermes", "x"]}),
            "`calls.dialect[1]`: unknown dialect `x`",
        ),
        (json!({"tools": [{}]}), "`calls.tools[0].name`: missing"),
        (
            json!({"tools": [{"type": "web_search"}]}),
            "`calls.tools`: no tool in the list can be called",
        ),
        (
            json!({"tools": bash, "tools_file": "t.json"}),
            "`calls.tools_file`: given beside `tools`; allowed: one of the two",
        ),
        (
            json!({"tools_file": "no/such.json"}),
            "`calls.tools_file`: no/such.json: ",
        ),
        (
            json!({"dialect_files": ["no.toml"]}),
            "`calls.dialect_files[0]`: no.toml: ",
        ),
        (
            json!({"tools": bash, "aliases": {"sh": {}}}),
            "`calls.aliases.sh`: unknown tool `sh`; allowed: `bash`",
        ),
        (
            json!({"tools": bash, "aliases": {"bash": {"cmd": ["c"]}}}),
            "`calls.aliases.bash.cmd`: unknown argument `cmd`; allowed: `command`",
        ),
        (
            json!({"tools": two, "aliases": {"f": {"a": ["x", "b"]}}}),
            "`calls.aliases.f.a`: `b` is another argument of the tool; allowed: a name that no argument has",
        ),
        (
            json!({"tools": two, "aliases": {"f": {"a": ["x"], "b": ["y", "x"]}}}),
            "`calls.aliases.f.b`: `x` is another name for `a` already",
        ),
        (
            json!({"aliases": {"f": {"a": ["x"], "b": ["x"]}}}),
            "`calls.aliases.f.b`: `x` is another name for `a` already",
        ),
    ] {
        let message = resolve(value).unwrap_err();
        assert!(message.starts_with(start), "{message}");
    }
}

#[test]
fn the_judge_follows_the_settings() {
    let mut table = json!({"tools": [{"name": "f", "input_schema": {
        "properties": {"n": {"type": "integer"}},
    }}]});
    let calls = resolve(table.clone()).unwrap();
    assert_eq!(check(&calls, "f", r#"{"n":"5","x":1}"#), r#"{"n":5,"x":1}"#);

    table["coerce"] = json!(false);
    table["unknown_argument"] = json!("reject");
    let calls = resolve(table).unwrap();
    let reported = check(&calls, "f", r#"{"n":"5","x":1}"#);
    assert!(
        reported.contains("type_mismatch:n") && reported.contains("unknown_argument:x"),
        "{reported}"
    );
}

#[test]
fn tools_of_a_request_come_with_the_aliases_that_fit_them() {
    let settings = settings(json!({"aliases": {
        "bash": {"command": ["cmd"], "none": ["other"]},
        "elsewhere": {"a": ["b"]},
    }}));
    settings.resolve(None).unwrap();
    let request =
        json!({"tools": [{"name": "bash", "input_schema": {"properties": {"command": {}}}}]});
    let tools = Tools::from_value(&request).unwrap();
    let calls = settings.resolve_with(Some(&tools), None).unwrap();
    assert_eq!(
        calls.tools[0].aliases,
        [("cmd".to_owned(), "command".to_owned())]
    );
    assert_eq!(
        check(&calls, "bash", r#"{"cmd":"ls"}"#),
        r#"{"command":"ls"}"#
    );
}

#[test]
fn settings_can_be_written_and_read_again() {
    let table = settings(json!({"dialect": ["hermes"], "max_calls": 2, "tools": [{"name": "f"}]}));
    assert_eq!(settings(serde_json::to_value(&table).unwrap()), table);
    let plain = serde_json::to_value(CallsTable::default()).unwrap();
    assert_eq!(plain["dialect"], "auto");
}

/// An empty list of tools is a list: nothing is in it.
#[test]
fn with_an_empty_list_of_tools_no_call_is_accepted() {
    let message = "<tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call>";
    let read = |calls: CallSettings| {
        let policy = Profile::new().calls(calls).compile().unwrap();
        let events = tagstream::events(&policy, [message]);
        let ends = events.filter_map(|event| match event.kind {
            OwnedEventKind::CallEnd { name, .. } => Some(name),
            OwnedEventKind::CallError { message, .. } => Some(message),
            _ => None,
        });
        ends.collect::<Vec<_>>()
    };
    let hermes = || Calls::dialect("hermes").unwrap();
    let refused = ["there is no tool `f`; none is declared"];
    assert_eq!(read(hermes().into()), ["f"], "no list is given");
    assert_eq!(read(hermes().tools(&Tools::default()).into()), refused);
    assert_eq!(read(CallSettings::from(hermes()).tools([])), refused);
    let table = |text: &str| parse(text).unwrap().calls.unwrap();
    assert_eq!(read(table("[calls]\ndialect = 'hermes'")), ["f"]);
    assert_eq!(
        read(table("[calls]\ndialect = 'hermes'\ntools = []")),
        refused
    );
}
