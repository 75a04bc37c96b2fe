//! What is still checked without the feature `schema`: names and plain types.

#![cfg(not(feature = "schema"))]

use tagstream::Tools;
use tagstream::check::{ArgumentsText, CallText, Check, Schemas};

const TOOLS: &str = r#"[{"name": "read", "parameters": {
    "type": "object",
    "properties": {"path": {"type": "string"}, "limit": {"type": "integer", "maximum": 10}},
    "required": ["path"],
    "additionalProperties": false
}}]"#;

/// The arguments of a call of `read`, or the first thing that is wrong with them.
fn check(json: &str) -> String {
    let schemas = Schemas::new(&Tools::parse(TOOLS).unwrap());
    let call = CallText::new("read", ArgumentsText::json(json));
    match schemas.check(&call).into_result() {
        Ok((arguments, _)) => arguments,
        Err(problems) => problems[0].message.clone(),
    }
}

#[test]
fn names_and_types_are_checked() {
    for (json, expected) in [
        (r#"{"path":"a","limit":"5"}"#, r#"{"path":"a","limit":5}"#),
        (
            r#"{"path":"a","limit":"x"}"#,
            r#"argument `limit`: expected an integer, got "x""#,
        ),
        (r#"{"limit":5}"#, "missing required argument `path`"),
        (
            r#"{"path":"a","size":5}"#,
            "unknown argument `size`; allowed: `path`, `limit`",
        ),
    ] {
        assert_eq!(check(json), expected, "{json}");
    }
}

#[test]
fn what_goes_deeper_is_not_checked() {
    let json = r#"{"path":"a","limit":50}"#;
    assert_eq!(check(json), json);
}
