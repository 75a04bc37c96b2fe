//! Document 004: the tool-call buffer.

use serde_json::{Value, json};
use tagstream::Tools;
use tagstream::view::buffer::{
    BufferError, BufferErrorKind, BufferOptions, BufferedCall, Outcome, ToolCallBuffer,
};
use tagstream_testing::cuts::cuts;

/// A tool that is declared, and one without arguments.
fn weather() -> BufferOptions {
    let tools = json!([
        {"name": "get_weather", "input_schema": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["city"],
        }},
        {"name": "now", "input_schema": {"type": "object"}},
    ]);
    BufferOptions::with_tools(Tools::from_value(&tools).unwrap())
}

/// What a block gives, which must not depend on how it is cut.
fn outcomes(options: &BufferOptions, block: &str) -> Vec<Outcome> {
    let mut all = cuts(block).into_iter().map(|pieces| {
        let mut buffer = ToolCallBuffer::new(options).unwrap();
        for piece in pieces {
            buffer.process_content_block_delta(0, piece, None);
        }
        buffer.process_content_block_stop(0)
    });
    let first = all.next().unwrap();
    all.for_each(|other| assert_eq!(other, first, "{block}"));
    first
}

fn call(options: &BufferOptions, block: &str) -> BufferedCall {
    let [outcome] = outcomes(options, block).try_into().unwrap();
    outcome.unwrap_or_else(|error| panic!("{error}"))
}

fn error(options: &BufferOptions, block: &str) -> BufferError {
    let [outcome] = outcomes(options, block).try_into().unwrap();
    *outcome.unwrap_err()
}

fn arguments(call: &BufferedCall) -> Value {
    Value::Object(call.arguments.clone())
}

// Flat JSON.

#[test]
fn s004_flat_json_of_a_declared_tool_is_a_call_with_the_other_keys_as_arguments() {
    for name in ["name", "tool"] {
        let block = json!({name: "get_weather", "city": "Paris", "days": "3"}).to_string();
        let call = call(&weather(), &block);
        assert_eq!(arguments(&call), json!({"city": "Paris", "days": 3}));
        assert_eq!(call.fixes, ["the arguments were beside the name"]);
    }
    let block = r#"{"type": "function", "id": "a", "name": "now"}"#;
    assert_eq!(arguments(&call(&weather(), block)), json!({}));
    let shell = r#"{"name": "dc_bash", "cmd": "ls"}"#;
    let call = call(&BufferOptions::default(), shell);
    assert_eq!(arguments(&call), json!({"command": "ls"}));
}

#[test]
fn s004_flat_json_that_does_not_fit_is_an_error_and_never_a_call_without_its_arguments() {
    for (block, message) in [
        (
            r#"{"name": "get_weather", "days": 1}"#,
            "Missing required 'city' parameter",
        ),
        (
            r#"{"name": "get_weather", "city": "Paris", "days": "all"}"#,
            "argument `days`: expected an integer, got \"all\"",
        ),
        (
            r#"{"name": "get_weather", "city": "Paris", "unit": "K"}"#,
            "Parameter 'unit' is beside the name and not known; put all parameters in \"arguments\"",
        ),
        (
            r#"{"name": "get_weather", "arguments": {"city": "Paris"}, "days": 1}"#,
            "Parameter 'days' is beside \"arguments\"; put it in there",
        ),
    ] {
        let error = error(&weather(), block);
        assert_eq!(error.message, message);
        assert_eq!(error.name.as_deref(), Some("get_weather"));
    }
}

#[test]
fn s004_nothing_is_dropped_beside_the_arguments_of_a_tool_that_the_block_names() {
    let mut buffer = ToolCallBuffer::new(&BufferOptions::default()).unwrap();
    buffer.process_start(0, "f", None);
    buffer.process_delta(0, r#"{"input": {"a": 1}, "b": 2}"#, None);
    let call = buffer.process_stop(0).remove(0).unwrap();
    assert_eq!(arguments(&call), json!({"input": {"a": 1}, "b": 2}));
}

#[test]
fn s004_json_that_merely_has_a_name_is_an_answer() {
    let (none, some) = (BufferOptions::default(), weather());
    for block in [
        r#"{"name": "Alice"}"#,
        r#"{"name": "Alice", "age": 5}"#,
        r#"{"name": "Alice", "input": "a text"}"#,
        r#"{"tool": "hammer", "price": 5}"#,
        r#"{"name": "Alice", "age": "#,
        r#"{"name": "bash", "version": "5.2"}"#,
        r#"{"name": "dc_bash"}"#,
    ] {
        for options in [&none, &some] {
            assert_eq!(outcomes(options, block), [], "{block}");
            let mut buffer = ToolCallBuffer::new(options).unwrap();
            for index in 0..9 {
                buffer.process_delta(index, block, None);
                buffer.process_stop(index);
            }
            assert!(!buffer.should_break(), "{block}");
        }
    }
    let block = r#"{"name": "Alice", "arguments": {"a": 1}}"#;
    assert_eq!(arguments(&call(&none, block)), json!({"a": 1}));
    assert_eq!(error(&some, block).kind, BufferErrorKind::Validation);
}

#[test]
fn s004_of_two_names_the_one_of_a_tool_counts() {
    let tools = json!([{"name": "greet", "input_schema": {
        "properties": {"name": {"type": "string"}}, "required": ["name"],
    }}]);
    let options = BufferOptions::with_tools(Tools::from_value(&tools).unwrap());
    let call = call(&options, r#"{"tool": "greet", "name": "Bob"}"#);
    assert_eq!(
        (call.name.as_str(), arguments(&call)),
        ("greet", json!({"name": "Bob"}))
    );
}
