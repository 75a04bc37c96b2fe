//! The law `brackets`: tags are read alike, whatever a dialect has in place of `<`, `</` and `>`.
//!
//! Two dialects that differ in their brackets only read the same calls. Values and attributes have
//! none of these signs in them here: where they have, the dialects may differ.

use super::laws::{Case, Failure};
use super::{Event, Reading, Rng, Subject};
use serde_json::{Value, json};

/// What the signs of one dialect become in the other.
const SIGNS: [(&str, &str); 3] = [("</", "◁/"), ("<", "◁"), (">", "▷")];

/// Attributes, right and wrong, without the signs of either dialect.
const ATTRIBUTES: &[&str] = &[
    " a=\"v\"",
    " a='v'",
    " a=v",
    " a",
    " u=http://x?q=\"b",
    " u=x'y",
    " = ",
    " a = \"v\"",
    " \"q\"",
    " it's",
    " a=é",
    " k=\"b\"",
    " n='g'",
    "\n",
    " a=1 a=2",
    " a=\"x y\"",
    " a=\"\"",
    "  ",
    " a=\"b'c\"",
    " =x",
];

const VALUES: &[&str] = &[
    "v", "", " 5 ", "\nls\n", "é", "a=\"b\"", "it's", "\"", "x y",
];

/// Checks the law on this many random calls.
///
/// # Errors
/// The first call that is read differently.
pub fn check<S: Subject>(subject: &S, rng: &mut Rng, messages: usize) -> Result<(), Box<Case>> {
    let layout = *rng.pick(&["inline", "lines"]);
    let plain = profile(layout);
    let bracketed = respelled(&plain);
    let compiled = (subject.compile(&plain), subject.compile(&bracketed));
    let (Ok(plain_policy), Ok(policy)) = &compiled else {
        let (one, other) = (compiled.0.err(), compiled.1.err());
        let refusals = json!([one, other]);
        return Err(case(
            bracketed,
            String::new(),
            "refused".to_owned(),
            refusals,
        ));
    };
    for _ in 0..messages {
        let message = message(rng);
        let wanted = subject.read(plain_policy, &[message.as_bytes()], true);
        let message = respell(&message);
        let got = subject.read(policy, &[message.as_bytes()], true);
        let (got, wanted) = (normal(&got), normal(&wanted));
        if got != wanted {
            let detail = json!({"brackets": got, "tags": wanted});
            let first = got.iter().zip(&wanted).take_while(|(a, b)| a == b).count();
            let [one, other] =
                [&got, &wanted].map(|list| list.get(first).map(|event| &event["code"]));
            return Err(case(
                bracketed,
                message,
                format!("{one:?} / {other:?}"),
                detail,
            ));
        }
    }
    Ok(())
}

fn case(profile: Value, message: String, signature: String, detail: Value) -> Box<Case> {
    Box::new(Case {
        profile,
        chunks: vec![message.into_bytes()],
        failure: Failure {
            law: "brackets",
            signature,
            detail,
        },
    })
}

fn profile(layout: &str) -> Value {
    let schema = json!({"type": "object", "properties": {"a": {}, "b": {"type": "string"}}});
    json!({
        "calls": {"dialect": "own", "tools": [{"name": "f", "input_schema": schema}]},
        "own_dialects": [{
            "name": "own",
            "wrapper": {"open": ["<w>"], "close": ["</w>"]},
            "call": {"open": ["<c n=\"{name}\">"], "close": ["</c>"]},
            "arguments": {
                "style": "elements",
                "open": ["<p k=\"{argument}\">"],
                "close": ["</p>"],
                "layout": layout,
            },
            "repairs": ["missing_value_closer", "missing_call_closer", "stray_closer"],
        }],
    })
}

/// The profile with the other dialect.
fn respelled(profile: &Value) -> Value {
    let mut profile: Value =
        serde_json::from_str(&respell(&profile.to_string())).expect("no sign is part of JSON");
    profile["own_dialects"][0]["brackets"] = json!(["◁", "◁/", "▷"]);
    profile
}

fn respell(text: &str) -> String {
    let text = text.to_owned();
    SIGNS
        .iter()
        .fold(text, |text, (from, to)| text.replace(from, to))
}

/// One call in the dialect with tags.
fn message(rng: &mut Rng) -> String {
    let mut message = String::from("<w>");
    let name = *rng.pick(&["f", "g", "é"]);
    message += &tag(rng, "c", "n", name);
    for _ in 0..rng.below(3) {
        let argument = *rng.pick(&["a", "b", "z"]);
        message += &tag(rng, "p", "k", argument);
        message += *rng.pick(VALUES);
        if rng.percent(85) {
            message += *rng.pick(&["</p>", "</P>", "</p >", "</p\n>"]);
        }
        if rng.one_in(3) {
            message += "\n";
        }
    }
    if rng.percent(90) {
        message += "</c>";
    }
    if rng.percent(90) {
        message += "</w>";
    }
    message + *rng.pick(&["", "x", " "])
}

fn tag(rng: &mut Rng, name: &str, attribute: &str, value: &str) -> String {
    let quote = *rng.pick(&["\"", "\"", "'", ""]);
    let equals = *rng.pick(&["=", "=", " = "]);
    let own = format!(" {attribute}{equals}{quote}{value}{quote}");
    let mut attributes = vec![own];
    for _ in 0..rng.below(3) {
        attributes.push(rng.text(ATTRIBUTES));
    }
    rng.shuffle(&mut attributes);
    let end = *rng.pick(&[">", ">", ">", " >", "/>"]);
    format!("<{name}{}{end}", attributes.concat())
}

/// The events without their places and what is skipped, spelled in the same signs.
fn normal(reading: &Reading) -> Vec<Value> {
    let seen = reading.events.iter().filter(|event| event.kind != "skip");
    let plain = |event: &Event| {
        let mut json = event.to_json();
        json["span"].take();
        json["message"].take();
        let text = respell(&json.to_string());
        serde_json::from_str(&text).expect("no sign is part of JSON")
    };
    seen.map(plain).collect()
}
