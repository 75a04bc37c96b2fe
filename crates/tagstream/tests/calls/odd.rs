//! Schemas that are odd in a part: the tools can be used, and a warning tells.

use crate::common::{json as of_json, reported, values, with_schema};
use serde_json::{Value, json};
use tagstream::{Schemas, Tools};

/// The warnings of a tool `f` with this schema.
fn warnings(schema: &Value) -> Vec<String> {
    let tools = with_schema(schema);
    tools.warnings().iter().map(ToString::to_string).collect()
}

/// What the argument `a` is read as.
fn read(schema: &Value, text: &str) -> String {
    reported(&values(&Schemas::new(&with_schema(schema)), &[("a", text)]))
}

#[test]
fn a_type_may_go_by_another_name() {
    for (names, text, json) in [
        (
            &["int", "Integer", "INTEGER", "int64", "long", "uint32"][..],
            " 42 ",
            "42",
        ),
        (
            &["float", "double", "NUMBER", "Float", "decimal"],
            "1.5",
            "1.5",
        ),
        (&["bool", "Boolean", "BOOLEAN"], "True", "true"),
        (&["str", "String", "STRING", "text"], "42", "\"42\""),
        (
            &["list", "tuple", "Array", "list[str]", "array<string>"],
            "[1]",
            "[1]",
        ),
        (
            &["dict", "Object", "OBJECT", "dict[str, int]", "map"],
            "{\"b\":1}",
            "{\"b\":1}",
        ),
        (&["none", "None", "NULL"], "null", "null"),
        (&["any", "Any", "TYPE_UNSPECIFIED"], "42", "\"42\""),
    ] {
        for name in names {
            for kind in [json!(name), json!([name])] {
                let schema = json!({"type": "OBJECT", "properties": {"a": {"type": kind}}});
                assert_eq!(read(&schema, text), format!("{{\"a\":{json}}}"), "{kind}");
                assert_eq!(warnings(&schema), [""; 0], "{kind}");
            }
        }
    }
}

#[test]
fn a_type_by_another_name_is_checked() {
    let schema = json!({"properties": {
        "a": {"type": "int"},
        "b": {"anyOf": [{"type": "dict", "properties": {"c": {"type": "str"}}}, {"type": "none"}]},
        "d": {"type": ["int", "integer", "None"]},
        "e": {"type": "list", "items": {"type": "bool"}},
    }});
    let schemas = Schemas::new(&with_schema(&schema));
    for (given, expected) in [
        (
            r#"{"a":"x"}"#,
            r#"type_mismatch:a: argument `a`: expected an integer, got "x""#,
        ),
        (
            r#"{"d":"x"}"#,
            r#"type_mismatch:d: argument `d`: expected an integer or null, got "x""#,
        ),
        (
            r#"{"e":[1]}"#,
            r#"type_mismatch:e: argument `e[0]`: the value is not of type "boolean", got 1"#,
        ),
        (r#"{"b":{"c":"x"}}"#, r#"{"b":{"c":"x"}}"#),
    ] {
        assert_eq!(reported(&of_json(&schemas, given)), expected);
    }
    assert!(reported(&of_json(&schemas, r#"{"b":{"c":1}}"#)).starts_with("type_mismatch:b: "));
}

#[test]
fn what_is_no_json_schema_is_passed_over_and_reported() {
    let place = "tools[0].input_schema";
    for (property, text, json, inside, problem) in [
        (
            json!({"type": "foo"}),
            "5",
            "\"5\"",
            ".type",
            r#"unknown type "foo""#,
        ),
        (
            json!({"type": ["string", 5]}),
            "5",
            "\"5\"",
            ".type",
            r#"unknown type ["string",5]"#,
        ),
        (
            json!({"$ref": "#/$defs/none"}),
            "5",
            "\"5\"",
            ".$ref",
            r##"the reference "#/$defs/none" leads to no schema in this document"##,
        ),
        (
            json!({"$ref": "https://example.com/schema.json"}),
            "5",
            "\"5\"",
            ".$ref",
            r#"the reference "https://example.com/schema.json" leads to no schema in this document"#,
        ),
        (
            json!({"$ref": "file:///etc/hosts"}),
            "5",
            "\"5\"",
            ".$ref",
            r#"the reference "file:///etc/hosts" leads to no schema in this document"#,
        ),
        // The rest still counts.
        (
            json!({"type": "integer", "minimum": "x"}),
            "5",
            "5",
            ".minimum",
            r#"not a JSON Schema: the value is not of type "number", got "x""#,
        ),
        (
            json!({"type": "integer", "required": true}),
            "5",
            "5",
            ".required",
            r#"not a JSON Schema: the value is not of type "array", got true"#,
        ),
        (
            json!({"type": "string", "pattern": "("}),
            "5",
            "\"5\"",
            ".pattern",
            r#"not a JSON Schema: the value is not a "regex", got "(""#,
        ),
        (
            json!({"type": "integer", "enum": []}),
            "5",
            "5",
            ".enum",
            "the list of values is empty",
        ),
        (
            json!({"$dynamicRef": "#none"}),
            "5",
            "\"5\"",
            ".$ref",
            r##"the reference "#none" leads to no schema in this document"##,
        ),
        (
            json!("string"),
            "5",
            "\"5\"",
            "",
            r#"not a JSON Schema: the value is not of types "boolean", "object", got "string""#,
        ),
        (
            json!({"type": "array", "items": {"type": "list", "items": {"type": "foo"}}}),
            "[[5]]",
            "[[5]]",
            ".items.items.type",
            r#"unknown type "foo""#,
        ),
    ] {
        let schema = json!({"properties": {"a": property, "b": {"type": "integer"}}});
        assert_eq!(read(&schema, text), format!("{{\"a\":{json}}}"));
        assert_eq!(
            warnings(&schema),
            [format!(
                "`{place}.properties.a{inside}`: tool `f`, argument `a`: {problem}; ignored"
            )]
        );
        let schemas = Schemas::new(&with_schema(&schema));
        assert_eq!(reported(&values(&schemas, &[("b", "5")])), "{\"b\":5}");
    }
}

#[test]
fn a_schema_that_is_odd_as_a_whole_says_nothing() {
    for (schema, inside, problem) in [
        (json!([]), "", "not a JSON Schema, got []"),
        (json!("x"), "", "not a JSON Schema, got \"x\""),
        (
            json!({"type": "array"}),
            ".type",
            "wrong value; allowed: \"object\", got \"array\"",
        ),
        (
            json!({"properties": []}),
            ".properties",
            "not a JSON Schema: the value is not of type \"object\", got []",
        ),
        (
            json!({"$schema": "https://example.com/own"}),
            ".$schema",
            "unknown version of JSON Schema",
        ),
    ] {
        assert_eq!(read(&schema, "5"), "{\"a\":\"5\"}", "{schema}");
        let reported = format!("`tools[0].input_schema{inside}`: tool `f`: {problem}; ignored");
        assert_eq!(warnings(&schema), [reported]);
    }
}

#[test]
fn a_pattern_that_is_none_leaves_the_others_alone() {
    let integer = json!({"type": "integer"});
    let schema = json!({"patternProperties": {"(": integer, "^a": integer}});
    assert_eq!(warnings(&schema).len(), 1);
    assert_eq!(read(&schema, "5"), "{\"a\":5}");
}

#[test]
fn a_reference_into_what_is_put_into_other_words_spoils_nothing_else() {
    let moved = json!({"nullable": true, "allOf": [{"type": "integer"}]});
    let reference = json!({"$ref": "#/properties/moved/allOf/0"});
    for schema in [
        json!({"properties": {"moved": moved, "b": reference, "a": {"type": "integer"}}}),
        json!({"properties": {"b": reference, "a": {"type": "integer"}, "moved": moved}}),
    ] {
        assert_eq!(read(&schema, "5"), "{\"a\":5}");
        let tools = with_schema(&schema);
        let reported: Vec<_> = tools
            .warnings()
            .iter()
            .map(|reported| reported.argument())
            .collect();
        assert_eq!(reported, [Some("b")]);
    }
}

#[test]
fn the_argument_that_leads_to_an_odd_place_is_named() {
    let schema = json!({
        "properties": {"a": {"$ref": "#/$defs/x"}},
        "$defs": {"x": {"properties": {"y": {"type": "foo"}}}},
    });
    let tools = with_schema(&schema);
    let [warning] = tools.warnings() else {
        panic!("{tools:?}")
    };
    assert_eq!(warning.tool(), "f");
    assert_eq!(warning.argument(), Some("a"));
    assert_eq!(
        warning.place(),
        "tools[0].input_schema.$defs.x.properties.y.type"
    );
}

#[test]
fn one_odd_schema_leaves_the_other_tools_alone() {
    let tools = json!([
        {"name": "odd", "input_schema": {"properties": {"a": {"type": "foo"}}}},
        {"name": "f", "input_schema": {"properties": {"a": {"type": "integer"}}}},
    ]);
    let tools = Tools::from_value(&tools).unwrap();
    assert_eq!(tools.warnings().len(), 1);
    assert_eq!(
        reported(&values(&Schemas::new(&tools), &[("a", "5")])),
        "{\"a\":5}"
    );
}

#[test]
fn a_keyword_without_a_value_is_not_there() {
    let schema = json!({"properties": {"a": {
        "type": "integer", "enum": [1, null], "items": null, "description": null, "default": null,
    }}, "required": null, "additionalProperties": null});
    assert_eq!(warnings(&schema), [""; 0]);
    assert_eq!(read(&schema, "1"), "{\"a\":1}");
    let mended = with_schema(&schema);
    let mended = mended.get("f").unwrap().parameters();
    assert_eq!(
        mended,
        &json!({"properties": {"a": {"type": "integer", "enum": [1, null], "default": null}}})
    );
}

#[test]
fn a_property_may_have_the_name_of_a_keyword() {
    let schema = json!({"properties": {
        "default": {"type": "int", "nullable": true},
        "nullable": true,
        "type": {"type": "str"},
        "enum": {"type": "foo"},
        "$ref": {"type": "int"},
    }});
    let schemas = Schemas::new(&with_schema(&schema));
    let given = [
        ("default", "null"),
        ("type", "1"),
        ("$ref", "1"),
        ("nullable", "1"),
    ];
    assert_eq!(
        reported(&values(&schemas, &given)),
        r#"{"default":null,"type":"1","$ref":1,"nullable":"1"}"#
    );
    let tools = with_schema(&schema);
    assert_eq!(tools.warnings().len(), 1);
    assert_eq!(tools.warnings()[0].argument(), Some("enum"));
}
