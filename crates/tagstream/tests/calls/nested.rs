//! Values that are written as tags in tags.

use crate::common::{call, reported, tool};
use serde_json::json;
use tagstream::check::{ArgumentText, ArgumentsText};
use tagstream::{Schemas, Tools};

/// What comes of the argument `a`, whose tags are written with square brackets.
fn read(tools: &Tools, text: &str) -> String {
    let values = [ArgumentText::new("a", text, None)];
    let arguments = ArgumentsText::nested(&values, ["[", "[/", "]"]);
    reported(&call(&Schemas::new(tools), arguments))
}

#[test]
fn the_schema_says_what_is_a_list_and_what_the_texts_are() {
    let item = json!({"type": "object", "properties": {"n": {"type": "integer"}, "s": {"type": "string"}}});
    let list = tool(&json!({"a": {"type": "array", "items": item}}));
    let object = tool(&json!({"a": item}));
    for (tools, text, expected) in [
        (
            &list,
            "[item][n]1[/n][s]2[/s][/item]",
            r#"{"a":[{"n":1,"s":"2"}]}"#,
        ),
        (
            &list,
            " [x][s] b [/s][/x]\n[y/] ",
            r#"{"a":[{"s":" b "},{}]}"#,
        ),
        (&list, "", r#"{"a":[]}"#),
        (&object, " \n", r#"{"a":{}}"#),
        (
            &object,
            "[n]12345678901234567890123[/n]",
            r#"{"a":{"n":12345678901234567890123}}"#,
        ),
        (&object, "[other]1[/other]", r#"{"a":{"other":"1"}}"#),
        (
            &object,
            "[other][x]1[/x][x]2[/x][/other]",
            r#"{"a":{"other":{"x":["1","2"]}}}"#,
        ),
        (&object, r#"{"n": 1}"#, r#"{"a":{"n":1}}"#),
    ] {
        assert_eq!(read(tools, text), expected, "{text}");
    }
}

#[test]
fn schemas_that_refer_to_others_are_followed() {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/tree"}},
        "$defs": {"tree": {"type": "object", "properties": {
            "n": {"type": "integer"},
            "children": {"anyOf": [{"type": "null"}, {"type": "array", "items": {"$ref": "#/$defs/tree"}}]},
        }}},
    });
    let tools = crate::common::with_schema(&schema);
    let text = "[n]1[/n][children][item][n]2[/n][/item][/children]";
    let expected = r#"{"a":{"n":1,"children":[{"n":2}]}}"#;
    assert_eq!(read(&tools, text), expected);
}

#[test]
fn many_items_are_all_read_by_their_schema() {
    let item = json!({"type": "object", "properties": {"n": {"type": "integer"}, "m": {"type": "integer"}}});
    let tools = tool(&json!({"a": {"type": "array", "items": item}}));
    let text = "[i][n]1[/n][m]2[/m][/i]".repeat(20_000);
    let reported = read(&tools, &text);
    assert_eq!(reported.matches(r#"{"n":1,"m":2}"#).count(), 20_000);
}

#[test]
fn what_is_not_well_formed_is_no_object() {
    let tools = tool(&json!({"a": {"type": "object"}}));
    let deep = "[x]".repeat(1000) + &"[/x]".repeat(1000);
    for text in [
        "[x]1",
        "1[/x]",
        "[x]1[/y]",
        "t [x]1[/x]",
        "[x][y]1[/x][/y]",
        "[]1[/]",
        &deep,
    ] {
        let reported = read(&tools, text);
        assert!(
            reported.starts_with("type_mismatch:a: argument `a`: expected a JSON object"),
            "{text}: {reported}"
        );
    }
}

#[test]
fn where_no_object_is_declared_tags_are_text() {
    let tools = tool(&json!({"a": {"type": "string"}}));
    assert_eq!(read(&tools, "[x]1[/x]"), r#"{"a":"[x]1[/x]"}"#);
    let untyped = tool(&json!({"a": {}}));
    assert_eq!(read(&untyped, "[x]1[/x]"), r#"{"a":"[x]1[/x]"}"#);
}
