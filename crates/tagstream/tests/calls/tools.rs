//! Tools are read in every form in which requests declare them.

use serde_json::{Value, json};
use tagstream::Tools;

fn schema() -> Value {
    json!({"type": "object", "properties": {"b": {"type": "string"}, "a": {}}})
}

#[test]
fn every_form_gives_the_same_tool() {
    let openai = json!({"type": "function", "function": {
        "name": "f", "description": "x", "parameters": schema(), "strict": true,
    }});
    let untyped = json!({"function": {"name": "f", "parameters": schema()}});
    let responses = json!({"type": "function", "name": "f", "parameters": schema()});
    let anthropic = json!({"name": "f", "description": "x", "input_schema": schema()});
    let custom = json!({"type": "custom", "name": "f", "input_schema": schema()});
    let mcp = json!({"name": "f", "title": "F", "inputSchema": schema()});
    let bedrock = json!({"toolSpec": {"name": "f", "inputSchema": {"json": schema()}}});
    for tool in [openai, untyped, responses, anthropic, custom, mcp, bedrock] {
        for value in [
            tool.clone(),
            json!([tool]),
            json!({"model": "m", "messages": [], "tools": [tool]}),
            json!({"model": "m", "messages": [], "functions": [tool]}),
            json!({"messages": [], "toolConfig": {"tools": [tool], "toolChoice": {"auto": {}}}}),
        ] {
            let tools = Tools::parse(&value.to_string()).unwrap();
            let names = tools.signatures();
            assert_eq!(names.len(), 1, "{value}");
            assert_eq!(names[0].name, "f");
            assert_eq!(names[0].arguments, ["b", "a"]);
            assert_eq!(tools.get("f").unwrap().parameters(), &schema());
        }
    }
}

#[test]
fn a_tool_of_geminis_holds_many_in_either_spelling() {
    let f = json!({"name": "f", "description": "x", "parameters": {
        "type": "OBJECT", "properties": {"b": {"type": "STRING"}, "a": {}},
    }});
    let g = json!({"name": "g", "parametersJsonSchema": schema()});
    let snake = json!({"name": "h", "parameters": null, "parameters_json_schema": schema()});
    let first = json!({"functionDeclarations": [f, g], "googleSearch": {}});
    let second = json!({"function_declarations": [snake], "functionDeclarations": null});
    let list = json!([first, {"codeExecution": {}}, second]);
    for (value, expected) in [
        (json!({"contents": [], "tools": list}), &["f", "g", "h"][..]),
        (list, &["f", "g", "h"]),
        (json!({"tools": first}), &["f", "g"]),
        (first, &["f", "g"]),
        (second, &["h"]),
    ] {
        let tools = Tools::parse(&value.to_string()).unwrap();
        let names: Vec<_> = tools.iter().map(tagstream::ToolSchema::name).collect();
        assert_eq!(names, expected, "{value}");
        for tool in tools.iter() {
            assert_eq!(tool.parameters(), &schema(), "{}", tool.name());
        }
    }
}

#[test]
fn a_tool_may_have_no_schema() {
    let tools =
        json!([{"type": "function", "function": {"name": "f"}}, {"name": "g", "parameters": null}]);
    let tools = Tools::from_value(&tools).unwrap();
    assert!(
        tools
            .signatures()
            .iter()
            .all(|tool| tool.arguments.is_empty())
    );
    assert_eq!(tools.iter().count(), 2);
}

#[test]
fn tools_that_the_server_runs_are_passed_over() {
    let tools = json!([
        {"type": "web_search_20250305", "name": "web_search"},
        {"type": "file_search"},
        {"googleSearch": {}, "codeExecution": null},
    ]);
    assert!(Tools::from_value(&tools).unwrap().is_empty());
}

#[test]
fn a_request_may_have_no_tools() {
    for request in [
        json!({}),
        json!({"tools": null}),
        json!({"tools": []}),
        json!([]),
    ] {
        assert!(Tools::from_value(&request).unwrap().is_empty());
    }
}

#[test]
fn arguments_are_found_through_references_and_combinations() {
    let schema = json!({
        "$ref": "#/$defs/base",
        "allOf": [{"properties": {"c": {}}}, {"$ref": "#/definitions/more"}],
        "anyOf": [{"properties": {"e": {}, "c": {}}}],
        "oneOf": [{"allOf": [{"properties": {"g": {}}}]}],
        "$defs": {"base": {"properties": {"a": {}, "b": {}}}},
        "definitions": {"more": {"properties": {"d": {"properties": {"not": {}}}}}},
    });
    let tools = Tools::from_value(&json!([{"name": "f", "input_schema": schema}])).unwrap();
    assert_eq!(
        tools.signatures()[0].arguments,
        ["a", "b", "c", "d", "e", "g"]
    );
}

#[test]
fn a_mistake_is_reported_with_its_place() {
    for (value, message) in [
        (json!("x"), "`tools`: wrong type; allowed: a list"),
        (
            json!({"functions": 5}),
            "`functions`: wrong type; allowed: a list",
        ),
        (
            json!({"toolConfig": {"tools": {}}}),
            "`toolConfig.tools`: wrong type; allowed: a list",
        ),
        (json!({"tools": {}}), "`tools`: wrong type; allowed: a list"),
        (json!([5]), "`tools[0]`: wrong type; allowed: an object"),
        (
            json!([{"type": "function", "function": {"name": "f"}}, {"type": "function", "function": {}}]),
            "`tools[1].function.name`: missing",
        ),
        (
            json!([{"function": 5}]),
            "`tools[0].function`: wrong type; allowed: an object",
        ),
        (json!([{"type": "function"}]), "`tools[0].name`: missing"),
        (json!([{}]), "`tools[0].name`: missing"),
        (json!([{"parameters": {}}]), "`tools[0].name`: missing"),
        (
            json!({"functionDeclarations": {}}),
            "`tools[0].functionDeclarations`: wrong type; allowed: a list",
        ),
        (
            json!([{"function_declarations": [{"name": "f"}, {"name": ""}]}]),
            "`tools[0].function_declarations[1].name`: wrong value; allowed: a name that is not empty",
        ),
        (
            json!([{"name": "f", "parameters": {"properties": {"a": {}}}}, {"functionDeclarations": [{"name": "f"}]}]),
            "`tools[1].functionDeclarations[0].name`: duplicate tool `f`, with another schema",
        ),
        (
            json!([{"name": 5}]),
            "`tools[0].name`: wrong type; allowed: a string",
        ),
        (
            json!([{"name": ""}]),
            "`tools[0].name`: wrong value; allowed: a name that is not empty",
        ),
        (
            json!([{"name": "f"}, {"function": {"name": "f", "parameters": {"required": ["a"]}}}]),
            "`tools[1].function.name`: duplicate tool `f`, with another schema",
        ),
    ] {
        assert_eq!(Tools::from_value(&value).unwrap_err().to_string(), message);
    }
}

#[test]
fn equal_tools_that_are_listed_twice_are_one() {
    let value =
        json!([{"name": "f"}, {"function": {"name": "f"}}, {"name": "f", "parameters": {}}]);
    let tools = Tools::from_value(&value).unwrap();
    assert_eq!(tools.iter().count(), 1);
}

#[test]
fn a_text_that_is_no_json_is_reported_with_its_place() {
    let error = Tools::parse("[\n{]").unwrap_err().to_string();
    assert_eq!(
        error,
        "`tools`: not JSON: line 2, column 2: key must be a string"
    );
}

#[test]
fn an_empty_list_declares_that_no_tool_may_be_called() {
    for value in [json!([]), json!({"tools": []})] {
        assert!(Tools::parse_some(&value.to_string()).unwrap().is_empty());
    }
}

#[test]
fn where_tools_are_declared_there_must_be_one() {
    let allowed = "allowed: a list of tools, one tool, or an object with `tools`, `functions`, \
                   `functionDeclarations` or `toolConfig`";
    let none = "`tools`: no tool in the list can be called";
    let server = "; tools that the server runs do not count";
    for (value, message) in [
        (json!({}), format!("`tools`: missing; {allowed}")),
        (
            json!({"tools": null}),
            format!("`tools`: missing; there is `tools`; {allowed}"),
        ),
        (
            json!({"model": "m", "tool": []}),
            format!("`tools`: missing; there is `model`, `tool`; {allowed}"),
        ),
        (
            json!({"name": "m", "messages": []}),
            format!("`tools`: missing; there is `name`, `messages`; {allowed}"),
        ),
        (json!([{"type": "web_search"}]), format!("{none}{server}")),
        (json!([{"googleSearch": {}}]), format!("{none}{server}")),
        (
            json!([{"functoin": {"name": "f"}}]),
            format!("{none} (`tools[0].functoin`: unknown key, which declares no tool){server}"),
        ),
    ] {
        let error = Tools::parse_some(&value.to_string()).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
    let one = json!({"name": "safe", "parameters": {}}).to_string();
    assert_eq!(Tools::parse_some(&one).unwrap().iter().count(), 1);
}

#[test]
fn what_may_be_a_misspelled_tool_is_reported() {
    let tools = json!([
        {"name": "f"},
        {"functoin": {"name": "g"}},
        {"type": "fucntion", "name": "h", "parameters": {}},
        {"google_search": {}, "codeExecution": {}},
        {"type": "web_search_20250305", "name": "web_search"},
        {"functionDeclarations": null},
    ]);
    let tools = Tools::from_value(&tools).unwrap();
    let reported: Vec<_> = tools.warnings().iter().map(ToString::to_string).collect();
    assert_eq!(
        reported,
        [
            "`tools[1].functoin`: unknown key, which declares no tool; ignored",
            "`tools[2].type`: unknown type \"fucntion\" of a tool with a schema; allowed: \"function\", \"custom\"; ignored",
        ]
    );
}
