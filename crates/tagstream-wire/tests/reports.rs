//! The cases from users' reports that read a provider's stream.

mod support;

use serde_json::{Value, json};
use std::fs;
use support::{Rng, events, folder};
use tagstream::Profile;
use tagstream_wire::Format;

struct Case {
    id: String,
    format: Format,
    profile: Profile,
    pieces: Vec<String>,
    expect: Value,
}

/// Those that name a format, and need no calls in text.
fn cases() -> Vec<Case> {
    let text = fs::read_to_string(folder().join("reports.jsonl")).unwrap();
    let all = text.lines().map(|line| serde_json::from_str(line).unwrap());
    let wire =
        all.filter(|case: &Value| case["from"] != "text" && case["profile"]["calls"].is_null());
    wire.map(|case| Case::new(&case)).collect()
}

impl Case {
    fn new(case: &Value) -> Case {
        let profile: Profile = serde_json::from_value(case["profile"].clone()).unwrap();
        let pieces = case["chunks"].as_array().unwrap().iter();
        Case {
            id: case["id"].to_string(),
            format: case["from"].as_str().unwrap().parse().unwrap(),
            profile,
            pieces: pieces
                .map(|piece| piece.as_str().unwrap().to_owned())
                .collect(),
            expect: case["expect"].clone(),
        }
    }

    fn check(&self, events: &[Value]) {
        for (key, expected) in self.expect.as_object().unwrap() {
            assert_eq!(
                observed(key, events, expected),
                *expected,
                "{}: {key}",
                self.id
            );
        }
    }
}

fn observed(key: &str, events: &[Value], expected: &Value) -> Value {
    let of = |kind: &'static str| events.iter().filter(move |event| event["type"] == kind);
    let text = |kind| {
        of(kind)
            .map(|event| event["text"].as_str().unwrap())
            .collect::<String>()
    };
    match key {
        "text" => json!(text("text")),
        "reasoning" => json!(text("thought")),
        "tool_calls" => of("call_end").map(call).collect(),
        "flags" => {
            let asked = |event: &&Value| expected.as_array().unwrap().contains(&event["code"]);
            of("notice")
                .filter(asked)
                .map(|event| event["code"].clone())
                .collect()
        }
        _ => panic!("the runner does not know `{key}`"),
    }
}

fn call(event: &Value) -> Value {
    json!({"id": event["id"], "name": event["name"], "arguments": event["arguments"]})
}

#[test]
fn every_case_passes_in_every_cut() {
    let cases = cases();
    assert!(cases.len() >= 5);
    for case in cases {
        let whole = case.pieces.concat().into_bytes();
        let given = case.pieces.iter().map(String::as_bytes);
        case.check(&events(&case.profile, case.format, given));
        case.check(&events(&case.profile, case.format, whole.chunks(1)));
        let mut rng = Rng::new(5);
        for _ in 0..50 {
            case.check(&events(&case.profile, case.format, rng.cut(&whole)));
        }
    }
}
