//! Calls as a whole: JSON arguments, names, required ones, and what is inside values.

use crate::common::{json as of_json, repaired, reported, tool, values, with_schema};
use serde_json::{Map, Value, json};
use tagstream::check::{ArgumentText, ArgumentsText, CallText, Check, Verdict};
use tagstream::{Schemas, Tools, UnknownArgument};

fn read_tool() -> Tools {
    with_schema(&json!({
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "limit": {"type": "number"},
            "count": {"type": "integer"},
            "deep": {"type": "boolean"},
            "tags": {"type": "array"},
            "more": {"type": "object"},
            "name": {"type": ["string", "null"]},
            "size": {"enum": [1, 2]},
        },
    }))
}

#[test]
fn json_that_fits_stays_as_it_is_written() {
    let schemas = Schemas::new(&read_tool());
    for (text, expected) in [
        ("{}", "{}"),
        (
            "{ \"path\" : \"a \\u00e9\", \n\"limit\": 1.50 }",
            "{\"path\":\"a \\u00e9\",\"limit\":1.50}",
        ),
        ("{\"limit\":1,\"count\":2}", "{\"limit\":1,\"count\":2}"),
        ("{\"count\":2,\"limit\":1}", "{\"count\":2,\"limit\":1}"),
        ("{\"count\":5.0}", "{\"count\":5.0}"),
        ("{\"name\":null}", "{\"name\":null}"),
        (
            "{\"more\":{\"b\":1, \"a\":[ 2 ]}}",
            "{\"more\":{\"b\":1,\"a\":[2]}}",
        ),
        ("{\"x\":[\"</tool_call>\"]}", "{\"x\":[\"</tool_call>\"]}"),
        (
            "{\"x\":123456789012345678901234567890}",
            "{\"x\":123456789012345678901234567890}",
        ),
    ] {
        for coerce in [true, false] {
            let schemas = Schemas::new(&read_tool()).coerce(coerce);
            let verdict = of_json(&schemas, text);
            assert_eq!(reported(&verdict), expected);
            assert!(repaired(&verdict).is_empty());
        }
    }
    assert_eq!(
        reported(&values(&schemas, &[("path", "a"), ("path", "b")])),
        "{\"path\":\"b\"}"
    );
}

#[test]
fn a_json_value_of_another_type_is_converted_only_if_that_is_wanted() {
    for (text, converted, message) in [
        (
            r#"{"limit":"500"}"#,
            Some(r#"{"limit":500}"#),
            r#"type_mismatch:limit: argument `limit`: expected a number, got "500""#,
        ),
        (
            r#"{"deep":"True"}"#,
            Some(r#"{"deep":true}"#),
            r#"type_mismatch:deep: argument `deep`: expected true or false, got "True""#,
        ),
        (
            r#"{"tags":"[1, 2]"}"#,
            Some(r#"{"tags":[1,2]}"#),
            r#"type_mismatch:tags: argument `tags`: expected a JSON array, got "[1, 2]""#,
        ),
        (
            r#"{"more":"{\"a\":1}"}"#,
            Some(r#"{"more":{"a":1}}"#),
            r#"type_mismatch:more: argument `more`: expected a JSON object, got "{\"a\":1}""#,
        ),
        (
            r#"{"path":5.10}"#,
            Some(r#"{"path":"5.10"}"#),
            "type_mismatch:path: argument `path`: expected a string, got 5.10",
        ),
        (
            r#"{"path":true}"#,
            Some(r#"{"path":"true"}"#),
            "type_mismatch:path: argument `path`: expected a string, got true",
        ),
        (
            r#"{"size":"2"}"#,
            Some(r#"{"size":2}"#),
            r#"type_mismatch:size: argument `size`: expected one of 1, 2, got "2""#,
        ),
        // What cannot be converted.
        (
            r#"{"limit":"many"}"#,
            None,
            r#"type_mismatch:limit: argument `limit`: expected a number, got "many""#,
        ),
        (
            r#"{"limit":null}"#,
            None,
            "type_mismatch:limit: argument `limit`: expected a number, got null",
        ),
        (
            r#"{"count":5.5}"#,
            None,
            "type_mismatch:count: argument `count`: expected an integer, got 5.5",
        ),
        (
            r#"{"count":true}"#,
            None,
            "type_mismatch:count: argument `count`: expected an integer, got true",
        ),
        (
            r#"{"path":["a"]}"#,
            None,
            r#"type_mismatch:path: argument `path`: expected a string, got ["a"]"#,
        ),
        (
            r#"{"tags":"a"}"#,
            None,
            r#"type_mismatch:tags: argument `tags`: expected a JSON array, got "a""#,
        ),
    ] {
        let schemas = Schemas::new(&read_tool());
        assert_eq!(
            reported(&of_json(&schemas, text)),
            converted.unwrap_or(message)
        );
        assert_eq!(reported(&of_json(&schemas.coerce(false), text)), message);
    }
}

#[test]
fn json_that_is_not_quite_an_object_is_repaired_and_reported() {
    let schemas = Schemas::new(&read_tool());
    for (text, expected, notices) in [
        ("", "{}", &[][..]),
        (" \n", "{}", &[]),
        (
            r#""{\"path\": \"a\"}""#,
            r#"{"path":"a"}"#,
            &["the arguments were a JSON string, which was read as JSON"],
        ),
        (
            "{\"path\": \"a\n\tb\"}",
            r#"{"path":"a\n\tb"}"#,
            &["raw control characters in a JSON string were escaped"],
        ),
        (
            "{\"path\": \"\\\"\u{1}\",\n\"x\": \"\\\\\"}",
            r#"{"path":"\"\u0001","x":"\\"}"#,
            &["raw control characters in a JSON string were escaped"],
        ),
        (
            "null",
            "{}",
            &["the arguments were `null`, which was read as no arguments"],
        ),
    ] {
        let verdict = of_json(&schemas, text);
        assert_eq!(reported(&verdict), expected, "{text:?}");
        assert_eq!(repaired(&verdict), notices, "{text:?}");
    }
}

#[test]
fn what_is_no_json_object_is_refused_with_the_place() {
    let schemas = Schemas::new(&read_tool());
    for (text, message) in [
        (
            "{\"path\": \"a\",\n \"limit\" 5}",
            "the arguments are not JSON: line 2, column 10: expected `:`",
        ),
        (
            "{\"path\": \"a\"} x",
            "the arguments are not JSON: line 1, column 15: trailing characters",
        ),
        ("[1]", "the arguments must be a JSON object, got [1]"),
        ("5", "the arguments must be a JSON object, got 5"),
        (
            "\"abc\"",
            "the arguments are not JSON: line 1, column 1: expected value",
        ),
        ("\"[1]\"", "the arguments must be a JSON object, got [1]"),
    ] {
        let reported = reported(&of_json(&schemas, text));
        assert_eq!(reported, format!("invalid_json:-: {message}"));
    }
}

#[test]
fn each_missing_argument_is_a_problem() {
    let schemas = Schemas::new(&with_schema(&json!({
        "required": ["a", "b"],
        "properties": {"a": {"type": "integer"}, "b": {}},
        "allOf": [{"required": ["b", "c"]}],
    })));
    let missing = |name| format!("missing_required:{name}: missing required argument `{name}`");
    let all = ["a", "b", "c"].map(missing);
    let mut all_reported: Vec<_> = reported(&of_json(&schemas, "{}"))
        .split(" | ")
        .map(String::from)
        .collect();
    all_reported.sort();
    assert_eq!(all_reported, all);
    // One that is there and wrong is not missing.
    let wrong = reported(&values(&schemas, &[("a", "x"), ("b", ""), ("c", "")]));
    assert_eq!(
        wrong,
        r#"type_mismatch:a: argument `a`: expected an integer, got "x""#
    );
}

#[test]
fn every_thing_wrong_is_reported_in_one_go() {
    let tools = with_schema(&json!({
        "properties": {"n": {"type": "integer"}, "cmd": {"type": "string"}},
        "required": ["cmd"],
    }));
    let schemas = Schemas::new(&tools).unknown_argument(UnknownArgument::Reject);
    assert_eq!(
        reported(&values(&schemas, &[("n", "x"), ("cmmd", "ls")])),
        "type_mismatch:n: argument `n`: expected an integer, got \"x\" \
         | unknown_argument:cmmd: unknown argument `cmmd`; did you mean `cmd`? allowed: `n`, `cmd` \
         | missing_required:cmd: missing required argument `cmd`"
    );
}

#[test]
fn an_undeclared_argument_passes_unless_it_is_to_be_rejected() {
    let properties = json!({"cmd": {"type": "string"}, "_timeout_seconds": {"type": "integer"}});
    let text = r#"{"cmd":"make","TimeoutSeconds":"1200"}"#;
    let schemas = Schemas::new(&tool(&properties));
    assert_eq!(reported(&of_json(&schemas, text)), text);

    let refused = "unknown_argument:TimeoutSeconds: unknown argument `TimeoutSeconds`; \
                   did you mean `_timeout_seconds`? allowed: `cmd`, `_timeout_seconds`";
    let rejecting = schemas.unknown_argument(UnknownArgument::Reject);
    assert_eq!(reported(&of_json(&rejecting, text)), refused);

    // The schema can say so too; both together are still one problem.
    let closed = with_schema(&json!({"properties": properties, "additionalProperties": false}));
    let closed = Schemas::new(&closed);
    assert_eq!(reported(&of_json(&closed, text)), refused);
    let both = closed.unknown_argument(UnknownArgument::Reject);
    assert_eq!(reported(&of_json(&both, text)), refused);
}

#[test]
fn a_tool_without_arguments_rejects_all_and_one_without_properties_none() {
    for (schema, expected) in [
        (
            json!({"properties": {}}),
            "unknown_argument:x: unknown argument `x`; no arguments are allowed",
        ),
        (
            json!({"additionalProperties": false}),
            "unknown_argument:x: unknown argument `x`; no arguments are allowed",
        ),
        (json!({"type": "object"}), r#"{"x":"1"}"#),
        (json!({}), r#"{"x":"1"}"#),
    ] {
        let schemas = Schemas::new(&with_schema(&schema));
        let schemas = schemas.unknown_argument(UnknownArgument::Reject);
        assert_eq!(
            reported(&values(&schemas, &[("x", "1")])),
            expected,
            "{schema}"
        );
    }
}

#[test]
fn undeclared_arguments_are_left_out_at_every_level() {
    let inner = json!({"type": "object", "properties": {"k": {"type": "integer"}}});
    let tools = tool(&json!({
        "o": inner,
        "l": {"type": "array", "items": inner},
        "any": {"type": "object"},
    }));
    let schemas = Schemas::new(&tools).unknown_argument(UnknownArgument::Drop);
    let verdict = of_json(
        &schemas,
        r#"{"o":{"k":1,"x":2},"y":3,"l":[{"z":1.50,"k":2}],"any":{"x":1.50}}"#,
    );
    assert_eq!(
        reported(&verdict),
        r#"{"o":{"k":1},"l":[{"k":2}],"any":{"x":1.50}}"#
    );
    assert_eq!(
        repaired(&verdict),
        [
            "the argument `y` is not declared and was left out",
            "`o.x` is not declared and was left out",
            "`l[0].z` is not declared and was left out",
        ]
    );
    let verdict = values(&schemas, &[("y", "3"), ("o", "{\"k\":1}")]);
    assert_eq!(reported(&verdict), r#"{"o":{"k":1}}"#);
}

#[test]
fn an_argument_given_twice_is_a_list_where_one_is_declared() {
    let tools = tool(&json!({
        "n": {"type": "array", "items": {"type": "integer"}},
        "s": {"type": "string"},
        "e": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "string"}]},
    }));
    let schemas = Schemas::new(&tools);
    let verdict = values(&schemas, &[("n", "1"), ("n", "2"), ("n", "3")]);
    assert_eq!(reported(&verdict), r#"{"n":[1,2,3]}"#);
    assert_eq!(repaired(&verdict).len(), 1);
    let verdict = of_json(&schemas, r#"{"n":1,"n":2}"#);
    assert_eq!(reported(&verdict), r#"{"n":[1,2]}"#);
    for (name, texts, expected) in [
        ("n", ["[1]", "[2]"], "[2]"),
        ("n", ["1", "[2]"], "[2]"),
        ("s", ["a", "b"], r#""b""#),
        ("e", ["a", "b"], r#""b""#),
    ] {
        let verdict = values(&schemas, &[(name, texts[0]), (name, texts[1])]);
        assert_eq!(reported(&verdict), format!("{{\"{name}\":{expected}}}"));
        assert_eq!(
            repaired(&verdict),
            [format!(
                "the argument `{name}` was given twice; the last one counts"
            )]
        );
    }
    let verdict = values(&schemas, &[("n", "1"), ("n", "x")]);
    assert!(reported(&verdict).starts_with("type_mismatch:n: "));
}

#[test]
fn one_value_is_a_list_only_if_that_is_wanted() {
    let tools = tool(&json!({"n": {"type": "array", "items": {"type": "integer"}}}));
    let schemas = Schemas::new(&tools);
    assert!(reported(&values(&schemas, &[("n", "5")])).starts_with("type_mismatch:n: "));
    let schemas = schemas.wrap_single(true);
    assert_eq!(reported(&values(&schemas, &[("n", "5")])), r#"{"n":[5]}"#);
    assert_eq!(reported(&of_json(&schemas, r#"{"n":5}"#)), r#"{"n":[5]}"#);
    assert_eq!(reported(&values(&schemas, &[("n", "[5]")])), r#"{"n":[5]}"#);
}

#[test]
fn types_are_inferred_only_if_that_is_wanted() {
    let given = [
        ("a", "5"),
        ("b", "true"),
        ("c", "02134"),
        ("d", "[1]"),
        ("e", "x"),
    ];
    let schemas = Schemas::new(&Tools::default());
    let strings = r#"{"a":"5","b":"true","c":"02134","d":"[1]","e":"x"}"#;
    assert_eq!(reported(&values(&schemas, &given)), strings);
    let schemas = schemas.infer_types(true);
    let inferred = r#"{"a":5,"b":true,"c":"02134","d":[1],"e":"x"}"#;
    assert_eq!(reported(&values(&schemas, &given)), inferred);
    let declared = Schemas::new(&tool(&json!({"a": {"type": "string"}}))).infer_types(true);
    assert_eq!(reported(&values(&declared, &given[..1])), r#"{"a":"5"}"#);
}

#[test]
fn one_argument_around_all_others_is_opened() {
    let schemas = Schemas::new(&tool(&json!({"city": {"type": "string"}})));
    for name in ["arguments", "input"] {
        let verdict = values(&schemas, &[(name, r#"{"city": "Paris"}"#)]);
        assert_eq!(reported(&verdict), r#"{"city":"Paris"}"#);
        assert_eq!(repaired(&verdict).len(), 1);
        let string = r#""{\"city\": \"Paris\"}""#;
        let verdict = values(&schemas, &[(name, string)]);
        assert_eq!(reported(&verdict), r#"{"city":"Paris"}"#);
        for package in [r#"{"city": "Paris"}"#, string] {
            let verdict = of_json(&schemas, &format!(r#"{{"{name}": {package}}}"#));
            assert_eq!(reported(&verdict), r#"{"city":"Paris"}"#);
            assert_eq!(repaired(&verdict).len(), 1);
        }
    }
    for text in [r#"{"input": {"town": "Paris"}}"#, r#"{"input": "Paris"}"#] {
        assert_eq!(reported(&of_json(&schemas, text)), text.replace(": ", ":"));
    }
    let own = Schemas::new(&tool(&json!({"input": {"type": "object"}, "city": {}})));
    let text = r#"{"input":{"city":"Paris"}}"#;
    assert_eq!(reported(&of_json(&own, text)), text);
}

#[test]
fn a_schema_for_other_arguments_gives_them_their_type() {
    let tools = with_schema(&json!({"additionalProperties": {"type": "integer"}}));
    let schemas = Schemas::new(&tools).unknown_argument(UnknownArgument::Reject);
    assert_eq!(reported(&values(&schemas, &[("x", "1")])), r#"{"x":1}"#);
    assert_eq!(
        reported(&values(&schemas, &[("x", "one")])),
        r#"type_mismatch:x: argument `x`: expected an integer, got "one""#
    );
}

#[test]
fn a_schema_for_names_of_a_form_gives_them_their_type() {
    let schemas = Schemas::new(&with_schema(&json!({
        "properties": {"n_own": {"type": "string"}},
        "patternProperties": {"^n_": {"type": ["integer", "string"]}, "^b_": {"type": "boolean"}},
        "additionalProperties": {"type": "number"},
    })));
    let given = [("n_own", "1"), ("n_1", "1"), ("b_1", "True"), ("x", "1.5")];
    assert_eq!(
        reported(&values(&schemas, &given)),
        r#"{"n_own":"1","n_1":1,"b_1":true,"x":1.5}"#
    );
    assert_eq!(
        reported(&values(&schemas, &[("b_1", "x")])),
        r#"type_mismatch:b_1: argument `b_1`: expected true or false, got "x""#
    );
}

#[test]
fn an_argument_under_another_name_gets_its_own() {
    let aliases = [
        ("cmd", "command"),
        ("shell", "command"),
        ("path", "command"),
    ];
    let aliases = aliases.map(|(other, name)| (other.to_owned(), name.to_owned()));
    let tools = with_schema(&json!({
        "properties": {"command": {"type": "string"}, "path": {}},
        "required": ["command"],
    }));
    let schemas = Schemas::new(&tools)
        .unknown_argument(UnknownArgument::Reject)
        .aliases("f", aliases);

    let verdict = of_json(&schemas, r#"{"cmd":"ls"}"#);
    assert_eq!(reported(&verdict), r#"{"command":"ls"}"#);
    assert!(repaired(&verdict).is_empty());

    // Under two names it is given twice.
    for (given, last) in [
        (r#"{"shell":"a","command":"b"}"#, "b"),
        (r#"{"command":"a","shell":"b"}"#, "b"),
        (r#"{"shell":"a","command":"b","cmd":"c"}"#, "c"),
    ] {
        let verdict = of_json(&schemas, given);
        assert_eq!(reported(&verdict), format!(r#"{{"command":"{last}"}}"#));
        assert_eq!(
            repaired(&verdict),
            ["the argument `command` was given twice; the last one counts"]
        );
    }

    // `path` is an argument of its own.
    assert_eq!(
        reported(&of_json(&schemas, r#"{"path":"a"}"#)),
        "missing_required:command: missing required argument `command`"
    );
}

#[test]
fn of_a_key_given_twice_the_last_one_counts() {
    let schemas = Schemas::new(&tool(&json!({"a": {}, "b": {}})));
    let verdict = of_json(&schemas, r#"{"b":"x","a":1,"b":"y"}"#);
    assert_eq!(reported(&verdict), r#"{"b":"y","a":1}"#);
    let verdict = of_json(
        &schemas,
        r#"{"a": 1, "b": 2.50, "\u0061": {"k": 1, "l": [{"m": "}", "m": 1e1}], "k": "\"{"}, "c": [], "c": 0}"#,
    );
    assert_eq!(
        reported(&verdict),
        r#"{"a":{"l":[{"m":1e1}],"k":"\"{"},"b":2.50,"c":0}"#
    );
    assert_eq!(
        repaired(&verdict),
        [
            "the argument `a` was given twice; the last one counts",
            "the argument `c` was given twice; the last one counts",
        ]
    );
    // An entry that is dropped may hold another.
    let verdict = of_json(
        &schemas,
        r#"{"a":{"k":{"x":1,"x":2},"y":{"z":1,"z":[]},"k":{"x":3,"x":4}}}"#,
    );
    assert_eq!(reported(&verdict), r#"{"a":{"y":{"z":[]},"k":{"x":4}}}"#);
    assert!(repaired(&verdict).is_empty());
}

#[test]
fn of_a_value_given_twice_the_last_counts() {
    let twice = [("a", "1"), ("x", "2"), ("a", "3"), ("x", "4")];
    let schemas = Schemas::new(&tool(&json!({"a": {}})));
    let verdict = values(&schemas, &twice);
    assert_eq!(reported(&verdict), r#"{"a":"3","x":"4"}"#);
    assert_eq!(
        repaired(&verdict),
        ["a", "x"]
            .map(|name| format!("the argument `{name}` was given twice; the last one counts"))
    );
}

#[test]
fn at_most_32_things_wrong_are_reported() {
    let names: Vec<_> = (0..40).map(|at| format!("a{at}")).collect();
    let properties: Map<String, Value> = names
        .iter()
        .map(|name| (name.clone(), json!({"type": "integer"})))
        .collect();
    let schemas = Schemas::new(&tool(&Value::Object(properties)));
    let wrong: Vec<_> = names.iter().map(|name| (name.as_str(), "x")).collect();
    let Verdict::Invalid(problems) = values(&schemas, &wrong) else {
        panic!();
    };
    assert_eq!(problems.len(), 32);
}

#[test]
fn what_is_wrong_inside_a_value_is_reported_with_its_path() {
    let schemas = Schemas::new(&tool(&json!({
        "n": {"type": "integer", "minimum": 10},
        "s": {"type": "string", "pattern": "^a"},
        "o": {
            "type": "object",
            "properties": {"list": {"type": "array", "items": {"type": "integer"}}},
            "required": ["id"],
        },
        "u": {"anyOf": [{"type": "integer", "minimum": 3}, {"type": "null"}]},
        "e": {"type": "array", "items": {"enum": ["x", "y"]}},
    })));
    for (name, text, message) in [
        (
            "n",
            "5",
            "argument `n`: the value is less than the minimum of 10, got 5",
        ),
        (
            "s",
            "b",
            r#"argument `s`: the value does not match "^a", got "b""#,
        ),
        (
            "o",
            r#"{"id": 1, "list": [1, "2"]}"#,
            r#"argument `o.list[1]`: the value is not of type "integer", got "2""#,
        ),
        (
            "o",
            r#"{"list": []}"#,
            r#"argument `o`: "id" is a required property, got {"list":[]}"#,
        ),
        (
            "u",
            "1",
            r#"argument `u`: fits none of the allowed forms (the value is less than the minimum of 3; the value is not of type "null"), got 1"#,
        ),
        (
            "e",
            r#"["z"]"#,
            r#"argument `e[0]`: the value is not one of "x", "y", got "z""#,
        ),
    ] {
        let reported = reported(&values(&schemas, &[(name, text)]));
        assert_eq!(reported, format!("type_mismatch:{name}: {message}"));
    }
}

#[test]
fn arguments_that_do_not_fit_together_are_one_problem() {
    let schemas = Schemas::new(&with_schema(&json!({
        "properties": {"a": {"type": "integer"}, "b": {}},
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
    })));
    assert_eq!(reported(&values(&schemas, &[("b", "x")])), r#"{"b":"x"}"#);
    assert_eq!(
        reported(&of_json(&schemas, "{}")),
        "type_mismatch:-: the arguments do not fit: fits none of the allowed forms \
         (\"a\" is a required property; \"b\" is a required property)"
    );
}

#[test]
fn a_tool_that_is_not_declared_takes_anything() {
    for tools in [Tools::default(), read_tool()] {
        let schemas = Schemas::new(&tools).unknown_argument(UnknownArgument::Reject);
        let check = |arguments| {
            let name = "other";
            reported(&schemas.check(&CallText::new(name, arguments)))
        };
        let value = ArgumentText::new;
        let values = [value("b", "5", None), value("a", "[1]", Some(false))];
        assert_eq!(
            check(ArgumentsText::Values(&values)),
            r#"{"b":"5","a":[1]}"#
        );
        assert_eq!(check(ArgumentsText::json(r#"{"b": 5}"#)), r#"{"b":5}"#);
        assert!(check(ArgumentsText::json("[5]")).starts_with("invalid_json:"));
    }
}

#[test]
fn a_schema_that_leads_in_circles_is_no_trap() {
    let branches: Vec<_> = (0..20).map(|_| json!({"$ref": "#/$defs/t"})).collect();
    let schemas = Schemas::new(&with_schema(&json!({
        "properties": {"a": {"$ref": "#/$defs/t"}},
        "$defs": {"t": {"properties": {"kids": {"type": "array", "items": {"anyOf": branches}}}}},
    })));
    let verdict = values(&schemas, &[("a", r#"{"kids":[{"kids":[]}]}"#)]);
    assert_eq!(reported(&verdict), r#"{"a":{"kids":[{"kids":[]}]}}"#);

    let itself = Schemas::new(&with_schema(
        &json!({"allOf": [{"$ref": "#"}, {"$ref": "#"}]}),
    ));
    assert_eq!(reported(&of_json(&itself, "{}")), "{}");
}

#[test]
fn json_of_too_many_values_is_refused_and_a_string_that_looks_so_is_not() {
    let schemas = Schemas::new(&tool(
        &json!({"list": {"type": "array"}, "text": {"type": "string"}}),
    ));
    let list = |values: usize| format!("[{}1]", "1,".repeat(values - 1));
    let many = list(200_000);
    let refused = "more than 131072 values; send less in one call";
    for verdict in [
        of_json(&schemas, &format!("{{\"list\":{many}}}")),
        values(&schemas, &[("list", &many)]),
    ] {
        assert!(
            reported(&verdict).contains(refused),
            "{:.200}",
            reported(&verdict)
        );
    }
    let whole = of_json(&schemas, &format!("{{\"list\":{many}}}"));
    assert_eq!(
        reported(&whole),
        format!("limit:-: the arguments have {refused}")
    );
    for verdict in [
        of_json(&schemas, &format!("{{\"list\":{}}}", list(100_000))),
        of_json(&schemas, &format!("{{\"text\":\"{many}\"}}")),
        values(&schemas, &[("text", &many)]),
    ] {
        assert!(
            matches!(verdict, Verdict::Valid { .. }),
            "{:.200}",
            reported(&verdict)
        );
    }
}
