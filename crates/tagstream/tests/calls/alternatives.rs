//! Arguments of which a schema allows several forms: alternatives at its root.

use crate::common::{json as of_json, reported, values, with_schema};
use serde_json::{Value, json};
use tagstream::{Schemas, UnknownArgument};

fn schemas(schema: &Value) -> Schemas {
    Schemas::new(&with_schema(schema))
}

/// Two forms, which the argument `kind` distinguishes.
fn forms() -> [Value; 2] {
    [
        json!({
            "properties": {"kind": {"const": "a"}, "n": {"type": "integer"}},
            "required": ["kind"],
        }),
        json!({
            "properties": {"kind": {"const": "b"}, "n": {"type": "string"}},
            "required": ["kind"],
        }),
    ]
}

/// The ways to say that one of them must hold.
fn ways() -> Vec<Value> {
    let [a, b] = forms();
    vec![
        json!({"type": "object", "oneOf": [a, b]}),
        json!({"anyOf": [a, b]}),
        json!({"allOf": [{"oneOf": [a, b]}]}),
        json!({"$ref": "#/$defs/one", "$defs": {"one": {"oneOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}]}, "a": a, "b": b}}),
        json!({
            "properties": {"kind": {"enum": ["a", "b"]}, "n": {"type": ["integer", "string"]}},
            "required": ["kind"],
            "if": {"properties": {"kind": {"const": "a"}}},
            "then": {"properties": {"n": {"type": "integer"}}},
            "else": {"properties": {"n": {"type": "string"}}},
        }),
        json!({
            "properties": {"kind": {"enum": ["a", "b"]}, "n": {}},
            "required": ["kind"],
            "allOf": [
                {"if": {"properties": {"kind": {"const": "a"}}, "required": ["kind"]}, "then": {"properties": {"n": {"type": "integer"}}}},
                {"if": {"properties": {"kind": {"const": "b"}}, "required": ["kind"]}, "then": {"properties": {"n": {"type": "string"}}}},
            ],
        }),
        json!({
            "properties": {"kind": {"enum": ["a", "b"]}},
            "required": ["kind"],
            "oneOf": [a, {"anyOf": [b, {"properties": {"kind": {"const": "c"}}}]}],
        }),
    ]
}

#[test]
fn each_form_takes_what_it_declares() {
    for schema in ways() {
        let schemas = schemas(&schema);
        for (given, expected) in [
            ([("kind", "a"), ("n", "5")], r#"{"kind":"a","n":5}"#),
            ([("kind", "a"), ("n", " 5 ")], r#"{"kind":"a","n":5}"#),
            ([("kind", "b"), ("n", "5")], r#"{"kind":"b","n":"5"}"#),
            ([("kind", "b"), ("n", "x")], r#"{"kind":"b","n":"x"}"#),
            ([("n", "5"), ("kind", "b")], r#"{"n":"5","kind":"b"}"#),
        ] {
            assert_eq!(reported(&values(&schemas, &given)), expected, "{schema}");
        }
        for (given, expected) in [
            (r#"{"kind":"a","n":5}"#, r#"{"kind":"a","n":5}"#),
            (r#"{"kind":"b","n":"x"}"#, r#"{"kind":"b","n":"x"}"#),
            (r#"{"kind":"b","n":5}"#, r#"{"kind":"b","n":"5"}"#),
            (r#"{"kind":"a","n":"5"}"#, r#"{"kind":"a","n":5}"#),
            (r#"{"kind":"b"}"#, r#"{"kind":"b"}"#),
        ] {
            assert_eq!(reported(&of_json(&schemas, given)), expected, "{schema}");
        }
    }
}

#[test]
fn what_is_wrong_is_reported_for_the_form_that_is_meant() {
    for schema in ways() {
        let schemas = schemas(&schema);
        for (given, expected) in [
            (
                r#"{"kind":"a","n":"x"}"#,
                r#"type_mismatch:n: argument `n`: expected an integer, got "x""#,
            ),
            (
                r#"{"kind":"b","n":[1]}"#,
                r#"type_mismatch:n: argument `n`: expected a string, got [1]"#,
            ),
            (
                r#"{"n":5}"#,
                "missing_required:kind: missing required argument `kind`",
            ),
            (
                r#"{}"#,
                "missing_required:kind: missing required argument `kind`",
            ),
        ] {
            assert_eq!(reported(&of_json(&schemas, given)), expected, "{schema}");
        }
        let other = reported(&of_json(&schemas, r#"{"kind":"z","n":5}"#));
        assert!(
            other.starts_with("type_mismatch:kind: argument `kind`: ")
                && other.contains(r#"one of "a", "b""#)
                && other.ends_with(r#", got "z""#)
                && !other.contains(" | "),
            "{schema}: {other}"
        );
    }
}

#[test]
fn all_that_is_wrong_with_the_form_that_is_meant_is_reported() {
    let schemas = schemas(&json!({"oneOf": [
        {"properties": {"kind": {"const": "a"}}},
        {
            "properties": {
                "kind": {"const": "b"},
                "n": {"type": "integer", "minimum": 3},
                "o": {"properties": {"p": {"type": "integer"}}},
            },
            "required": ["m", "k"],
            "additionalProperties": false,
        },
    ]}));
    let verdict = of_json(&schemas, r#"{"kind":"b","n":1,"o":{"p":"x"},"z":1}"#);
    let reported = reported(&verdict);
    let mut reported: Vec<_> = reported.split(" | ").collect();
    reported.sort_unstable();
    assert_eq!(
        reported,
        [
            "missing_required:k: missing required argument `k`",
            "missing_required:m: missing required argument `m`",
            "type_mismatch:n: argument `n`: the value is less than the minimum of 3, got 1",
            r#"type_mismatch:o: argument `o.p`: the value is not of type "integer", got "x""#,
            "unknown_argument:z: unknown argument `z`; allowed: `kind`, `n`, `o`",
        ]
    );
}

#[test]
fn a_form_inside_an_argument_is_distinguished_too() {
    let [a, b] = forms();
    let nothing = json!({"type": "null"});
    let forms = [a, b].map(|mut form| {
        form["type"] = json!("object");
        form
    });
    let [a, b] = forms;
    let schemas = schemas(
        &json!({"properties": {"o": {"oneOf": [a, b, nothing]}, "p": {"anyOf": [b, nothing]}}}),
    );
    for (given, expected) in [
        (
            r#"{"o":{"kind":"b","n":"x"}}"#,
            r#"{"o":{"kind":"b","n":"x"}}"#,
        ),
        (
            r#"{"o":{"kind":"b","n":1}}"#,
            r#"type_mismatch:o: argument `o.n`: the value is not of type "string", got 1"#,
        ),
        (
            r#"{"o":{"kind":"z"}}"#,
            r#"type_mismatch:o: argument `o.kind`: the value is not one of "a", "b", got "z""#,
        ),
        (r#"{"o":null}"#, r#"{"o":null}"#),
        (
            r#"{"p":{"kind":"z"}}"#,
            r#"type_mismatch:p: argument `p.kind`: the value is not one of "b", got "z""#,
        ),
    ] {
        assert_eq!(reported(&of_json(&schemas, given)), expected);
    }
}

#[test]
fn without_listed_values_the_first_form_in_which_all_is_right_counts() {
    let schemas = schemas(&json!({"anyOf": [
        {"properties": {"v": {"type": "integer", "minimum": 10}, "n": {"type": "integer"}}, "required": ["v"]},
        {"properties": {"v": {"type": "string"}, "n": {"type": "string"}}, "required": ["v"]},
        {"properties": {"id": {"type": "integer"}, "n": {"type": "boolean"}}, "required": ["id"], "additionalProperties": false},
    ]}));
    for (given, expected) in [
        (&[("v", "12"), ("n", "7")][..], r#"{"v":12,"n":7}"#),
        // Each by itself would be no number, with a string allowed.
        (&[("v", "12"), ("n", "07")], r#"{"v":12,"n":7}"#),
        (&[("v", "x"), ("n", "7")], r#"{"v":"x","n":"7"}"#),
        // Too small for the first form.
        (&[("v", "5"), ("n", "7")], r#"{"v":"5","n":"7"}"#),
        (&[("id", "5"), ("n", "true")], r#"{"id":5,"n":true}"#),
    ] {
        assert_eq!(reported(&values(&schemas, given)), expected);
    }
}

#[test]
fn an_argument_of_another_form_is_read_by_it_if_it_can_be() {
    let schemas = schemas(&json!({"anyOf": [
        {"properties": {"a": {"type": "integer"}}},
        {"properties": {"b": {"type": "integer"}}},
    ]}));
    for (given, expected) in [
        ([("a", "1"), ("b", "2")], r#"{"a":1,"b":2}"#),
        ([("a", "1"), ("b", "x")], r#"{"a":1,"b":"x"}"#),
    ] {
        assert_eq!(reported(&values(&schemas, &given)), expected);
    }
}

#[test]
fn a_form_that_is_not_meant_says_nothing() {
    let schemas = schemas(&json!({"oneOf": [
        {"properties": {"kind": {"const": "a"}, "x": {"type": "integer"}}, "required": ["kind"]},
        {"properties": {"kind": {"const": "b"}}, "required": ["kind"]},
    ]}));
    let given = r#"{"kind":"b","x":"5"}"#;
    assert_eq!(reported(&of_json(&schemas, given)), given);
    assert_eq!(
        reported(&values(&schemas, &[("kind", "b"), ("x", "5")])),
        given
    );
    assert_eq!(
        reported(&values(&schemas, &[("kind", "a"), ("x", "5")])),
        r#"{"kind":"a","x":5}"#
    );
}

#[test]
fn what_depends_on_another_argument_is_read_by_it() {
    for key in ["dependentSchemas", "dependencies"] {
        let part = json!({"a": {"properties": {"b": {"type": "integer"}}}});
        let schemas = schemas(&json!({"properties": {"a": {}}, key: part}));
        for (given, expected) in [
            (&[("a", "x"), ("b", "5")][..], r#"{"a":"x","b":5}"#),
            (&[("b", "x")], r#"{"b":"x"}"#),
        ] {
            assert_eq!(reported(&values(&schemas, given)), expected);
        }
    }
}

#[test]
fn arguments_that_may_also_be_null_are_an_object_all_the_same() {
    let form = json!({"type": "object", "properties": {"a": {"type": "integer", "minimum": 3}}});
    let schemas = schemas(&json!({"anyOf": [form, {"type": "null"}]}));
    for (text, expected) in [
        ("5", r#"{"a":5}"#),
        (
            "1",
            "type_mismatch:a: argument `a`: the value is less than the minimum of 3, got 1",
        ),
    ] {
        assert_eq!(reported(&values(&schemas, &[("a", text)])), expected);
    }
}

#[test]
fn the_arguments_of_all_forms_are_declared() {
    let [a, b] = forms();
    let schema = json!({"oneOf": [a, b, {"properties": {"other": {}}}]});
    let rejecting = schemas(&schema).unknown_argument(UnknownArgument::Reject);
    assert_eq!(
        reported(&values(&rejecting, &[("kind", "b"), ("m", "1")])),
        "unknown_argument:m: unknown argument `m`; allowed: `kind`, `n`, `other`"
    );
}

#[test]
fn many_alternatives_are_no_trap() {
    // Two to the power of 40 combinations, and alternatives that refer to each other.
    let pair = |at: usize| {
        let name = format!("p{at}");
        let form = |kind: &str| json!({"properties": {&name: {"type": kind}}});
        json!({"anyOf": [form("integer"), form("string")]})
    };
    let all: Vec<_> = (0..40).map(pair).collect();
    let many = schemas(&json!({"allOf": all}));
    assert_eq!(
        reported(&values(&many, &[("p0", "1"), ("p39", "x")])),
        r#"{"p0":1,"p39":"x"}"#
    );

    // More arguments than anybody would compare with each other.
    let names: Vec<_> = (0..50_000).map(|at| format!("a{at}")).collect();
    let given: Vec<_> = names.iter().map(|name| (name.as_str(), "1")).collect();
    assert!(reported(&values(&many, &given)).ends_with(r#","a49999":"1"}"#));

    let mut defs = json!({"d30": {"properties": {"n": {"type": "integer"}}}});
    for at in 0..30 {
        let next = json!({"$ref": format!("#/$defs/d{}", at + 1)});
        defs[format!("d{at}")] = json!({"anyOf": [next, next]});
    }
    let tree = schemas(&json!({"$ref": "#/$defs/d0", "$defs": defs}));
    assert_eq!(reported(&values(&tree, &[("m", "1")])), r#"{"m":"1"}"#);
}
