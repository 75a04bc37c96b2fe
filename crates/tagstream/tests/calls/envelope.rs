//! The object around the arguments of a call must be JSON, its name first of all.

use tagstream::{Calls, Engine, Event, EventKind, Profile};

/// The names of calls that start and the codes of errors, whole and byte by byte.
fn outcome(dialect: &str, message: &str) -> Vec<String> {
    let calls = Calls::dialect(dialect).unwrap();
    let policy = Profile::new().calls(calls).compile().unwrap();
    let in_pieces = |size: usize| {
        let mut seen = Vec::new();
        let mut sink = |event: Event<'_>| match event.kind {
            EventKind::CallStart { name, .. } => seen.push(format!("start {name}")),
            EventKind::CallEnd { name, .. } => seen.push(format!("end {name}")),
            EventKind::CallError { code, .. } => seen.push(code.as_str().to_owned()),
            _ => {}
        };
        let mut engine = Engine::new(&policy);
        for piece in message.as_bytes().chunks(size) {
            engine.push_bytes(piece, &mut sink);
        }
        engine.finish(&mut sink);
        seen
    };
    let whole = in_pieces(message.len());
    assert_eq!(in_pieces(1), whole, "{message}");
    whole
}

fn hermes(json: &str) -> Vec<String> {
    outcome("hermes", &format!("<tool_call>{json}</tool_call>"))
}

#[test]
fn a_name_may_have_every_escape_of_json() {
    let json = r#"{"name": "\u0041\ud83d\ude00\/\"", "arguments": {}}"#;
    assert_eq!(hermes(json), ["start A😀/\"", "end A😀/\""]);
}

#[test]
fn a_name_with_a_wrong_escape_does_not_start_a_call() {
    for name in [
        r"\u+041",
        r"\u004",
        r"\u00 41",
        r"\u{41}",
        r"\q",
        r"\'",
        r"\x41",
        r"\ud83d",
        r"\ude00",
        r"\ud83dx",
        r"\ud83d\u0041",
        "\\\n",
    ] {
        let json = format!(r#"{{"name": "{name}", "arguments": {{}}}}"#);
        assert_eq!(hermes(&json), ["invalid_json"], "{json}");
    }
}

#[test]
fn a_key_that_is_the_name_has_the_same_escapes() {
    let apertus = |json: &str| {
        let message = format!("<|tools_prefix|>[{json}]<|tools_suffix|>");
        outcome("apertus", &message)
    };
    let json = r#"{"\u0041": {}}"#;
    assert_eq!(apertus(json), ["start A", "end A"]);
    for name in [r"\u+041", r"\q", r"\ud83d"] {
        let json = format!(r#"{{"{name}": {{}}}}"#);
        assert_eq!(apertus(&json), ["invalid_json"], "{json}");
    }
    for json in [r#"{"": {}}"#, r#"{"": {}, "f": {}}"#] {
        assert_eq!(apertus(json), ["malformed_call"], "{json}");
    }
}

#[test]
fn other_keys_and_values_are_json_too() {
    for other in [
        r#""id": "\q""#,
        r#""id": "\u+041""#,
        "\"note\": \"two\nlines\"",
        "\"a\tkey\": 1",
        r#""a\key": 1"#,
        r#""note": nope"#,
    ] {
        let json = format!(r#"{{"name": "f", {other}, "arguments": {{}}}}"#);
        assert_eq!(hermes(&json).last().unwrap(), "invalid_json", "{json}");
    }
}
