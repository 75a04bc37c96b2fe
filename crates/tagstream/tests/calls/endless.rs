//! Schemas that lead back to themselves: the work does not double with every level of the value.
//! Where it did, these tests would not end.

use crate::common::{json as of_json, reported, with_schema};
use serde_json::{Value, json};
use tagstream::Schemas;
use tagstream::check::Verdict;

const LEVELS: usize = 60;

fn schemas(alternatives: &Value) -> Schemas {
    Schemas::new(&with_schema(&json!({
        "type": "object",
        "properties": {"x": {"$ref": "#/$defs/F"}},
        "$defs": {"F": alternatives},
    })))
}

/// A filter: some operation with further filters, or a field.
fn filter(key: &str) -> Value {
    let operation = |name: &str| {
        json!({
            "type": "object",
            "properties": {
                "op": {"const": name},
                "args": {"type": "array", "items": {"$ref": "#/$defs/F"}},
            },
            "required": ["op", "args"],
        })
    };
    let field = json!({"type": "object", "properties": {"field": {"type": "string"}}, "required": ["field"]});
    json!({key: [operation("and"), operation("or"), field]})
}

/// Arguments with something at the bottom of many levels.
fn nested(levels: usize, around: [&str; 2], inner: &str) -> String {
    let [open, close] = around.map(|around| around.repeat(levels));
    format!(r#"{{"x":{open}{inner}{close}}}"#)
}

const OR: [&str; 2] = [r#"{"op":"or","args":["#, "]}"];

#[test]
fn a_wrong_leaf_is_reported_at_its_place() {
    for key in ["anyOf", "oneOf"] {
        let schemas = schemas(&filter(key));
        for levels in [1, 3, LEVELS] {
            let arguments = nested(levels, OR, r#"{"field":5}"#);
            let reported = reported(&of_json(&schemas, &arguments));
            let place = format!("x{}", ".args[0]".repeat(levels));
            let expected = format!(
                "type_mismatch:x: argument `{place}`: fits none of the allowed forms (\"op\" is a \
                 required property; \"op\" is a required property; `{place}.field`: the value is not \
                 of type \"string\"), got {{\"field\":5}}"
            );
            assert_eq!(reported, expected);
        }
    }
}

#[test]
fn a_right_value_is_taken() {
    for key in ["anyOf", "oneOf"] {
        let arguments = nested(LEVELS, OR, r#"{"field":"a"}"#);
        let verdict = of_json(&schemas(&filter(key)), &arguments);
        assert!(matches!(verdict, Verdict::Valid { .. }), "{key}");
    }
}

#[test]
fn a_schema_that_cannot_tell_its_forms_apart_refuses_too() {
    let forms = |key: &str| {
        let form = |other: &str| json!({"type": "object", "properties": {"k": {"$ref": "#/$defs/F"}}, "required": ["k", other]});
        json!({key: [form("y"), form("z"), {"type": "integer"}]})
    };
    let items = json!({"type": "array", "items": {"$ref": "#/$defs/F"}});
    let inline = json!({"anyOf": [{"properties": {"k": {"anyOf": [{"$ref": "#/$defs/F"}, {"allOf": [{"$ref": "#/$defs/F"}]}]}}, "type": "object"}, {"type": "integer"}]});
    let keys = [r#"{"k":"#, "}"];
    for (schema, around) in [
        (forms("anyOf"), keys),
        (forms("oneOf"), keys),
        (inline, keys),
        (
            json!({"anyOf": [items, {"items": {"$ref": "#/$defs/F"}, "type": "array"}]}),
            ["[", "]"],
        ),
        (
            json!({"type": ["array", "integer"], "allOf": [items, items]}),
            ["[", "]"],
        ),
        (
            json!({"type": ["array", "integer"], "if": items, "then": items, "else": items}),
            ["[", "]"],
        ),
    ] {
        let verdict = of_json(&schemas(&schema), &nested(LEVELS, around, "\"s\""));
        let Verdict::Invalid(problems) = verdict else {
            panic!("{schema}");
        };
        assert_eq!(problems[0].argument.as_deref(), Some("x"), "{schema}");
    }
}

#[test]
fn a_mistake_inside_is_reported_as_in_any_other_schema() {
    let tree = json!({
        "type": "object",
        "properties": {"n": {"type": "integer"}, "kids": {"type": "array", "items": {"$ref": "#/$defs/F"}}},
        "required": ["n"],
        "additionalProperties": false,
    });
    let schemas = schemas(&tree);
    let arguments = r#"{"x":{"n":1,"kids":[{"n":2,"kids":[{"kids":[{"n":"a"}]}]},{"n":3,"m":4}]}}"#;
    assert_eq!(
        reported(&of_json(&schemas, arguments)),
        "type_mismatch:x: argument `x.kids[0].kids[0].kids[0].n`: the value is not of type \
         \"integer\", got \"a\" | type_mismatch:x: argument `x.kids[0].kids[0]`: \"n\" is a required \
         property, got {\"kids\":[{\"n\":\"a\"}]} | type_mismatch:x: argument `x.kids[1]`: Additional \
         properties are not allowed ('m' was unexpected), got {\"n\":3,\"m\":4}"
    );
}

#[test]
fn the_arguments_may_be_the_schema_that_comes_back() {
    let schema = json!({
        "type": "object",
        "properties": {"n": {"type": "integer"}, "next": {"$ref": "#"}},
        "required": ["n"],
    });
    let schemas = Schemas::new(&with_schema(&schema));
    assert_eq!(
        reported(&of_json(&schemas, r#"{"n":1,"next":{"n":2,"next":{}}}"#)),
        "type_mismatch:next: argument `next.next`: \"n\" is a required property, got {}"
    );
    assert_eq!(
        reported(&of_json(&schemas, r#"{"next":{"n":2}}"#)),
        "missing_required:n: missing required argument `n`"
    );
}

#[test]
fn of_very_many_mistakes_some_are_reported() {
    let list = json!({"properties": {"x": {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "null"}]}}}});
    let schemas = Schemas::new(&with_schema(&list));
    let wrong = vec!["1"; 100_000].join(",");
    let Verdict::Invalid(problems) = of_json(&schemas, &format!(r#"{{"x":[{wrong}]}}"#)) else {
        panic!();
    };
    assert_eq!(problems.len(), 32);
    assert!(problems[0].message.starts_with("argument `x[0]`"));
}

#[test]
fn what_is_too_large_to_be_told_is_refused_all_the_same() {
    let map = json!({"properties": {"x": {"additionalProperties": {"type": "string"}}}});
    let schemas = Schemas::new(&with_schema(&map));
    let entries: Vec<_> = (0..20_000).map(|at| format!("\"k{at}\":1")).collect();
    let arguments = format!(r#"{{"x":{{{}}}}}"#, entries.join(","));
    assert_eq!(
        reported(&of_json(&schemas, &arguments)),
        "type_mismatch:-: the arguments do not fit the schema, and are too large to say where"
    );
}
