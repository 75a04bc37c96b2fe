//! Values that were written as text are read by their declared types.

use crate::common::{call, reported, tool, values};
use serde_json::{Value, json};
use tagstream::Schemas;
use tagstream::check::{ArgumentText, ArgumentsText};

/// A schema, a text, and what it is read as; `None` for what does not fit.
type Row = (&'static str, &'static str, Option<&'static str>);

const READ: &[Row] = &[
    // A string stays as it is.
    (r#"{"type":"string"}"#, "02134", Some(r#""02134""#)),
    (r#"{"type":"string"}"#, " a\n ", Some(r#"" a\n ""#)),
    (r#"{"type":"string"}"#, "", Some(r#""""#)),
    (r#"{"type":"string"}"#, "null", Some(r#""null""#)),
    (r#"{"type":"string"}"#, "{\"a\":1}", Some(r#""{\"a\":1}""#)),
    (r#"{"type":"string"}"#, "\"q\"", Some(r#""\"q\"""#)),
    // With a string allowed too, only a number that would be written just so is one.
    (r#"{"type":["string","integer"]}"#, "1", Some("1")),
    (r#"{"type":["string","integer"]}"#, "-5", Some("-5")),
    (r#"{"type":["string","integer"]}"#, "1.0", Some(r#""1.0""#)),
    (r#"{"type":["string","integer"]}"#, "1e2", Some(r#""1e2""#)),
    (r#"{"type":["string","integer"]}"#, "007", Some(r#""007""#)),
    (r#"{"type":["string","integer"]}"#, "-0", Some(r#""-0""#)),
    (r#"{"type":["string","integer"]}"#, " 1", Some(r#"" 1""#)),
    (
        r#"{"type":["string","integer"]}"#,
        "123456789012345678901234567890",
        Some(r#""123456789012345678901234567890""#),
    ),
    (r#"{"type":["string","number"]}"#, "1.5", Some("1.5")),
    (r#"{"type":["string","number"]}"#, "1.50", Some(r#""1.50""#)),
    (r#"{"type":["string","number"]}"#, "1e2", Some(r#""1e2""#)),
    // What does not fit as JSON may fit as a string.
    (
        r#"{"anyOf":[{"type":"array","items":{"type":"integer"}},{"type":"string"}]}"#,
        "[1]",
        Some("[1]"),
    ),
    (
        r#"{"anyOf":[{"type":"array","items":{"type":"integer"}},{"type":"string"}]}"#,
        r#"["a"]"#,
        Some(r#""[\"a\"]""#),
    ),
    (
        r#"{"anyOf":[{"type":"integer","minimum":10},{"type":"string"}]}"#,
        "5",
        Some(r#""5""#),
    ),
    // An integer.
    (r#"{"type":"integer"}"#, " 5 ", Some("5")),
    (r#"{"type":"integer"}"#, "\n-12\n", Some("-12")),
    (r#"{"type":"integer"}"#, "+7", Some("7")),
    (r#"{"type":"integer"}"#, "007", Some("7")),
    (r#"{"type":"integer"}"#, "5.0", Some("5")),
    (r#"{"type":"integer"}"#, "1e3", Some("1000")),
    (
        r#"{"type":"integer"}"#,
        "123456789012345678901234567890",
        Some("123456789012345678901234567890"),
    ),
    (r#"{"type":"integer"}"#, "5.5", None),
    (r#"{"type":"integer"}"#, "5 6", None),
    (r#"{"type":"integer"}"#, "five", None),
    (r#"{"type":"integer"}"#, "", None),
    (r#"{"type":"integer"}"#, "-", None),
    (r#"{"type":"integer"}"#, "true", None),
    (r#"{"type":"integer"}"#, "\"5\"", None),
    (r#"{"type":"integer"}"#, "5,000", None),
    // A number keeps its spelling.
    (r#"{"type":"number"}"#, "5", Some("5")),
    (r#"{"type":"number"}"#, " 1.50 ", Some("1.50")),
    (r#"{"type":"number"}"#, "-2e-7", Some("-2e-7")),
    (r#"{"type":"number"}"#, ".5", Some("0.5")),
    (r#"{"type":"number"}"#, "NaN", None),
    (r#"{"type":"number"}"#, "inf", None),
    (r#"{"type":"number"}"#, "-inf", None),
    (r#"{"type":"number"}"#, "1e999", None),
    (r#"{"type":"number"}"#, "0x10", None),
    // A boolean, in any case.
    (r#"{"type":"boolean"}"#, "true", Some("true")),
    (r#"{"type":"boolean"}"#, " False\n", Some("false")),
    (r#"{"type":"boolean"}"#, "TRUE", Some("true")),
    (r#"{"type":"boolean"}"#, "yes", None),
    (r#"{"type":"boolean"}"#, "1", None),
    // Null.
    (r#"{"type":"null"}"#, " null ", Some("null")),
    (r#"{"type":"null"}"#, "None", Some("null")),
    (r#"{"type":"null"}"#, "", None),
    // Arrays and objects are JSON.
    (
        r#"{"type":"array"}"#,
        "\n[1, \"a b\"]\n",
        Some(r#"[1,"a b"]"#),
    ),
    (r#"{"type":"array"}"#, "[\"a\nb\"]", Some(r#"["a\nb"]"#)),
    (r#"{"type":"array"}"#, "a, b", None),
    (r#"{"type":"array"}"#, "[1", None),
    (r#"{"type":"array"}"#, "{}", None),
    (
        r#"{"type":"object"}"#,
        "{\"b\": 1, \"a\": 2}",
        Some(r#"{"b":1,"a":2}"#),
    ),
    // As Python writes them, or nearly JSON.
    (r#"{"type":"object"}"#, "{'a': 1,}", Some(r#"{"a":1}"#)),
    (r#"{"type":"object"}"#, "{'a': it}", None),
    (
        r#"{"type":"array"}"#,
        "[True, None, 'x']",
        Some(r#"[true,null,"x"]"#),
    ),
    (r#"{"type":"array"}"#, "(1, 2)", Some("[1,2]")),
    (
        r#"{"type":["array","string"]}"#,
        "['x']",
        Some(r#""['x']""#),
    ),
    // Escaped once more than needed.
    (
        r#"{"type":"object"}"#,
        r#"{\"a\": \"x\\ny\"}"#,
        Some(r#"{"a":"x\ny"}"#),
    ),
    (r#"{"type":"array"}"#, r#""[1, \"a\"]""#, Some(r#"[1,"a"]"#)),
    (r#"{"type":"array"}"#, r#""x""#, None),
    // Tags in tags.
    (
        r#"{"type":"array","items":{"type":"integer"}}"#,
        "<item>3</item><item>4</item>",
        Some("[3,4]"),
    ),
    (
        r#"{"anyOf":[{"type":"object","properties":{"unit":{"type":"string"}}},{"type":"null"}]}"#,
        "\n<unit>c</unit>\n",
        Some(r#"{"unit":"c"}"#),
    ),
    (
        r#"{"type":["array","string"]}"#,
        "<item>3</item>",
        Some(r#""<item>3</item>""#),
    ),
    (r#"{"type":"array"}"#, "<item>3</item", None),
    (r#"{"type":"object"}"#, "[]", None),
    (
        r#"{"properties":{"a":{}}}"#,
        "{\"a\":1}",
        Some(r#"{"a":1}"#),
    ),
    (r#"{"items":{"type":"integer"}}"#, "[1]", Some("[1]")),
    (r#"{"items":[{"type":"integer"}]}"#, "[1]", Some("[1]")),
    (r#"{"items":[{"type":"integer"}]}"#, "[\"x\"]", None),
    // With a string among the types, only what is exactly another type is that.
    (r#"{"type":["string","null"]}"#, "null", Some("null")),
    (r#"{"type":["string","null"]}"#, " null", Some(r#"" null""#)),
    (r#"{"type":["string","null"]}"#, "None", Some(r#""None""#)),
    (r#"{"type":["string","null"]}"#, "Smith", Some(r#""Smith""#)),
    (r#"{"type":["string","integer"]}"#, "5", Some("5")),
    (
        r#"{"type":["string","integer"]}"#,
        "02134",
        Some(r#""02134""#),
    ),
    (r#"{"type":["string","integer"]}"#, " 5", Some(r#"" 5""#)),
    (
        r#"{"type":["string","boolean"]}"#,
        "True",
        Some(r#""True""#),
    ),
    (r#"{"type":["string","boolean"]}"#, "true", Some("true")),
    (r#"{"type":["string","array"]}"#, "[1]", Some("[1]")),
    (r#"{"type":["string","array"]}"#, "[x", Some(r#""[x""#)),
    // Without one, as with a single type.
    (r#"{"type":["integer","null"]}"#, " None ", Some("null")),
    (r#"{"type":["integer","boolean"]}"#, "TRUE", Some("true")),
    (r#"{"type":["integer","null"]}"#, "x", None),
    (r#"{"type":["number","integer"]}"#, "5.5", Some("5.5")),
    // Other ways to say so.
    (
        r#"{"anyOf":[{"type":"integer"},{"type":"null"}]}"#,
        "3",
        Some("3"),
    ),
    (
        r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#,
        "null",
        Some("null"),
    ),
    (
        r#"{"oneOf":[{"type":"array"},{"type":"boolean"}]}"#,
        "[]",
        Some("[]"),
    ),
    (r#"{"anyOf":[{"type":"integer"},{}]}"#, "x", Some(r#""x""#)),
    (
        r#"{"allOf":[{"minimum":1},{"type":"integer"}]}"#,
        "3",
        Some("3"),
    ),
    (
        r#"{"type":"integer","nullable":true}"#,
        "null",
        Some("null"),
    ),
    (r##"{"$ref":"#/$defs/count"}"##, " 4", Some("4")),
    (r##"{"$ref":"#/$defs/loop"}"##, "4", Some(r#""4""#)),
    (
        r#"{"type":"string","anyOf":[{"type":"integer"},{"minLength":1}]}"#,
        "5",
        Some(r#""5""#),
    ),
    // References, however they are spelled.
    (r##"{"$ref":"#/$defs/My%20Type"}"##, "42", Some("42")),
    (r##"{"$ref":"#/$defs/My Type"}"##, "42", Some("42")),
    (r##"{"$ref":"#/$defs/a~1b~0c"}"##, "42", Some("42")),
    (r##"{"$ref":"#/%24defs/a~1b%7E0c"}"##, "42", Some("42")),
    (r##"{"$ref":"#named"}"##, "42", Some("42")),
    (r##"{"$dynamicRef":"#dynamic"}"##, "42", Some("42")),
    (r##"{"$ref":"https://example.com/own"}"##, "42", Some("42")),
    (
        r##"{"$ref":"https://example.com/own#/inner"}"##,
        "42",
        Some("42"),
    ),
    (r##"{"$ref":"#/elsewhere/Own"}"##, "42", Some("42")),
    (
        r##"{"anyOf":[{"$ref":"#/$defs/My%20Type"},{"type":"null"}]}"##,
        "42",
        Some("42"),
    ),
    (r##"{"allOf":[{"$ref":"#/$defs/count"}]}"##, "4", Some("4")),
    // What may be `null`, whatever else is said.
    (
        r##"{"$ref":"#/$defs/count","nullable":true}"##,
        "null",
        Some("null"),
    ),
    (
        r##"{"$ref":"#/$defs/count","nullable":true}"##,
        "4",
        Some("4"),
    ),
    (r##"{"$ref":"#/$defs/count","nullable":true}"##, "x", None),
    (
        r##"{"allOf":[{"$ref":"#/$defs/count"}],"nullable":true}"##,
        "null",
        Some("null"),
    ),
    (
        r#"{"type":"integer","allOf":[{"minimum":1},{"type":"integer"}],"nullable":true}"#,
        "null",
        Some("null"),
    ),
    (
        r#"{"oneOf":[{"type":"integer"},{"type":"boolean"}],"nullable":true}"#,
        "null",
        Some("null"),
    ),
    (r#"{"const":1,"nullable":true}"#, "null", Some("null")),
    (
        r##"{"$ref":"#/$defs/count","nullable":false}"##,
        "null",
        None,
    ),
    // What several parts say holds together.
    (
        r#"{"type":["integer","string"],"allOf":[{"type":"string"}]}"#,
        "5",
        Some(r#""5""#),
    ),
    (
        r#"{"type":"number","anyOf":[{"type":"integer"},{"type":"string"}]}"#,
        "5.0",
        Some("5"),
    ),
    (r#"{"enum":["a","b"],"const":"b"}"#, "a", None),
    (
        r#"{"anyOf":[{"properties":{"b":{}}},{"type":"null"}]}"#,
        "{\"b\":1}",
        Some(r#"{"b":1}"#),
    ),
    (
        r#"{"type":["object","null"],"anyOf":[{"properties":{"b":{}}},{"properties":{"c":{}}}]}"#,
        "null",
        Some("null"),
    ),
    // References that lead in circles say nothing new.
    (r##"{"$ref":"#/$defs/again"}"##, "4", Some("4")),
    (r##"{"$ref":"#/$defs/again"}"##, "x", None),
    // Listed values.
    (
        r#"{"const":{"b":[1]}}"#,
        "{\"b\": [1]}",
        Some(r#"{"b":[1]}"#),
    ),
    (r#"{"enum":[[1],null]}"#, "[1]", Some("[1]")),
    (r#"{"enum":["a","5"]}"#, "5", Some(r#""5""#)),
    (r#"{"enum":["a","b"]}"#, "c", None),
    (r#"{"type":"integer","enum":[1,2]}"#, " 2 ", Some("2")),
    (r#"{"enum":[1,2]}"#, "3", None),
    (r#"{"enum":["auto",1]}"#, "1", Some("1")),
    (r#"{"enum":["auto",1]}"#, "auto", Some(r#""auto""#)),
    (r#"{"enum":[true,null]}"#, "None", Some("null")),
    (r#"{"const":1.0}"#, "1", Some("1")),
    (r#"{"const":"x"}"#, "y", None),
    (
        r#"{"type":"string","nullable":true,"enum":["a"]}"#,
        "null",
        Some("null"),
    ),
    // Nothing said of the type.
    (r#"{}"#, "5", Some(r#""5""#)),
    (r#"true"#, "5", Some(r#""5""#)),
    (r#"{"description":"x"}"#, "null", Some(r#""null""#)),
];

/// The judge of a tool with one argument `a`.
fn schemas(schema: &str) -> Schemas {
    let schema: Value = serde_json::from_str(schema).unwrap();
    Schemas::new(&crate::common::with_schema(&json!({
        "properties": {"a": schema},
        "$defs": {
            "count": {"type": "integer"},
            "loop": {"anyOf": [{"$ref": "#/$defs/loop"}, {}]},
            "again": {"anyOf": [{"$ref": "#/$defs/again"}, {"type": "integer"}]},
            "My Type": {"type": "integer"},
            "a/b~c": {"type": "integer"},
            "dynamic": {"$dynamicAnchor": "dynamic", "type": "integer"},
            "anchored": {"$anchor": "named", "type": "integer"},
            "own": {"$id": "https://example.com/own", "$ref": "#/inner", "inner": {"type": "int"}},
        },
        "elsewhere": {"Own": {"type": "int"}},
    })))
}

#[test]
fn a_text_is_read_by_its_type() {
    for (schema, text, expected) in READ {
        for coerce in [true, false] {
            let reported = reported(&values(&schemas(schema).coerce(coerce), &[("a", text)]));
            match expected {
                Some(json) => {
                    assert_eq!(reported, format!("{{\"a\":{json}}}"), "{schema} {text:?}");
                }
                None => assert!(
                    reported.starts_with("type_mismatch:a: ") && !reported.contains(" | "),
                    "{schema} {text:?}: {reported}"
                ),
            }
        }
    }
}

#[test]
fn what_does_not_fit_is_reported_with_what_would() {
    for (schema, text, message) in [
        (
            r#"{"type":"integer"}"#,
            "many",
            r#"expected an integer, got "many""#,
        ),
        (
            r#"{"type":"boolean"}"#,
            "yes",
            r#"expected true or false, got "yes""#,
        ),
        (
            r#"{"type":["integer","null"]}"#,
            "x",
            r#"expected an integer or null, got "x""#,
        ),
        (
            r#"{"enum":["a","b"]}"#,
            "c",
            r#"expected one of "a", "b", got "c""#,
        ),
        (r#"{"const":"x"}"#, "y", r#"expected "x", got "y""#),
        (
            r#"{"type":"array"}"#,
            "[1,\n2",
            r#"expected a JSON array, got "[1,\n2" (line 2, column 1: EOF while parsing a list)"#,
        ),
    ] {
        let reported = reported(&values(&schemas(schema), &[("a", text)]));
        assert_eq!(
            reported,
            format!("type_mismatch:a: argument `a`: {message}")
        );
    }
}

#[test]
fn a_long_value_is_not_repeated_whole() {
    let text = "é".repeat(1000);
    let reported = reported(&values(&schemas(r#"{"type":"integer"}"#), &[("a", &text)]));
    assert!(
        reported.chars().count() < 150 && reported.ends_with('…'),
        "{reported}"
    );
}

#[test]
fn what_the_dialect_says_of_a_value_counts_where_the_schema_is_silent() {
    let tools = tool(&json!({"n": {"type": "integer"}, "s": {"type": "string"}}));
    let schemas = Schemas::new(&tools);
    for (name, text, is_string, expected) in [
        ("x", "5", Some(false), "{\"x\":5}"),
        ("x", "{\"b\": [1]}", Some(false), "{\"x\":{\"b\":[1]}}"),
        ("x", "5", Some(true), "{\"x\":\"5\"}"),
        ("x", "5", None, "{\"x\":\"5\"}"),
        ("n", "5", Some(true), "{\"n\":5}"),
        ("n", "5", Some(false), "{\"n\":5}"),
        ("s", "\"quoted\"", Some(false), "{\"s\":\"quoted\"}"),
        ("s", "\"quoted\"", Some(true), "{\"s\":\"\\\"quoted\\\"\"}"),
        ("s", "not json", Some(false), "{\"s\":\"not json\"}"),
        ("s", "5", Some(false), "{\"s\":\"5\"}"),
        (
            "x",
            "abc",
            Some(false),
            "invalid_json:x: argument `x`: expected JSON, got \"abc\" (line 1, column 1: expected value)",
        ),
    ] {
        let value = ArgumentText::new(name, text, is_string);
        let verdict = call(&schemas, ArgumentsText::Values(&[value]));
        assert_eq!(reported(&verdict), expected, "{name} {text} {is_string:?}");
    }
}

#[test]
fn several_values_may_be_strings_rather_than_json() {
    let list =
        json!({"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "string"}]});
    let schemas = Schemas::new(&tool(&json!({"a": list, "b": list, "c": list})));
    let given = [("a", "[1]"), ("b", r#"["x"]"#), ("c", "{}")];
    assert_eq!(
        reported(&values(&schemas, &given)),
        r#"{"a":[1],"b":"[\"x\"]","c":"{}"}"#
    );
    let given = [("a", r#"["x"]"#), ("b", r#"["y"]"#)];
    assert_eq!(
        reported(&values(&schemas, &given)),
        r#"{"a":"[\"x\"]","b":"[\"y\"]"}"#
    );
}
