//! Document 004: the tool-call buffer.

use serde_json::{Value, json};
use tagstream::view::buffer::{
    BufferError, BufferErrorKind, BufferOptions, BufferedCall, Outcome, ToolCallBuffer,
};
use tagstream::{Calls, Engine, Event, EventKind, Profile, Tools, dialect};
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
        (
            r#"{"name": "get_weather", "arguments": {"city": "Paris"}, "unit": "K"}"#,
            "Parameter 'unit' is beside \"arguments\"; put it in there",
        ),
    ] {
        let error = error(&weather(), block);
        assert_eq!(error.message, message);
        assert_eq!(error.name.as_deref(), Some("get_weather"));
    }
}

#[test]
fn s004_nothing_is_dropped_beside_the_arguments_of_a_tool_that_is_not_declared() {
    let block = r#"{"name": "f", "arguments": {"a": 1}, "b": 2}"#;
    let error = error(&BufferOptions::default(), block);
    assert_eq!(
        error.message,
        "Parameter 'b' is beside \"arguments\"; put it in there"
    );
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

// Mistakes and repairs.

fn xml(inside: &str) -> String {
    format!("<function_calls><invoke name=\"dc_bash\">{inside}</invoke></function_calls>")
}

/// A shell that is declared.
fn shell() -> BufferOptions {
    let tools = json!([{"name": "dc_bash", "input_schema": {
        "type": "object",
        "properties": {"command": {"type": "string"}, "timeout": {"type": "integer"}},
    }}]);
    BufferOptions::with_tools(Tools::from_value(&tools).unwrap())
}

const COMMAND: &str = "<parameter name=\"command\">";

#[test]
fn s004_one_call_with_several_mistakes_is_one_outcome_and_counts_once() {
    for (block, parts) in [
        (
            xml("<parameter>a</parameter><parameter>b</parameter>"),
            &["Missing 'name' attribute in <parameter> tag"][..],
        ),
        (
            "<function_calls><invoke><parameter>a</parameter></invoke></function_calls>".to_owned(),
            &[
                "Missing 'name' attribute in <invoke> tag",
                "Missing 'name' attribute in <parameter> tag",
            ],
        ),
        (
            "<invoke name=\"f\"><parameter>a</parameter></invoke>".to_owned(),
            &[
                "Missing function_calls tags",
                "Missing 'name' attribute in <parameter> tag",
            ],
        ),
        (
            xml(&format!(
                "junk</parameter>{COMMAND}a</parameter x></parametr>"
            )),
            &["nothing has opened", "is not its closing tag"],
        ),
        (
            json!({"name": "dc_bash", "arguments": {"timeout": "x", "unit": 1}}).to_string(),
            &["'command'"],
        ),
    ] {
        let error = error(&shell(), &block);
        assert_eq!(error.id, "toolu_0");
        for part in parts {
            assert!(error.message.contains(part), "{part}: {}", error.message);
        }
        let mut buffer = ToolCallBuffer::new(&BufferOptions::default()).unwrap();
        for _ in 0..2 {
            buffer.process_delta(0, &block, None);
            buffer.process_stop(0);
            assert!(!buffer.should_break(), "{block}");
        }
    }
}

#[test]
fn s004_repairs_of_the_engine_are_fixes_of_the_call() {
    let command = |value: &str| json!({"command": value});
    for (block, wanted, part) in [
        (xml(&format!("{COMMAND}ls")), "ls", "no closing tag"),
        (
            xml(&format!("{COMMAND}a</parameter>{COMMAND}b</parameter>")),
            "b",
            "given twice",
        ),
        (
            format!(
                "<function_calls><invoke name=\"dc_bash\">{COMMAND}ls</parameter></function_calls>"
            ),
            "ls",
            "the call had no closing tag",
        ),
        (
            xml(&format!("<x>{COMMAND}ls</parameter>")),
            "ls",
            "text between the arguments",
        ),
        (
            "{\"name\": \"dc_bash\", \"arguments\": {\"command\": \"a\nb\"}}".to_owned(),
            "a\nb",
            "control characters",
        ),
        (
            json!({"name": "dc_bash", "arguments": "{\"command\": \"ls\"}"}).to_string(),
            "ls",
            "JSON string",
        ),
    ] {
        let call = call(&shell(), &block);
        assert_eq!(arguments(&call), command(wanted), "{block}");
        let is_said = call.fixes.iter().any(|fix| fix.contains(part));
        assert!(is_said, "{block}: {:?}", call.fixes);
    }
    let two = format!(
        "{}{}",
        xml(&format!("{COMMAND}a")),
        xml(&format!("{COMMAND}b</parameter>"))
    );
    let fixes = outcomes(&BufferOptions::default(), &two).into_iter();
    let fixes: Vec<_> = fixes.map(|call| call.unwrap().fixes.len()).collect();
    assert_eq!(fixes, [1, 0]);
}

#[test]
fn s004_a_misspelt_closing_tag_is_an_error_with_a_suggestion() {
    for (tag, more) in [
        ("</parametr>", ""),
        ("</Paramter>", "\n"),
        ("</parameter", ""),
        ("</ parameter>", ""),
        ("<parameter>", ""),
        ("</parametr>", "<parameter name=\"timeout\">5</parameter>"),
    ] {
        let error = error(
            &BufferOptions::default(),
            &xml(&format!("{COMMAND}ls{tag}{more}")),
        );
        assert_eq!(error.kind, BufferErrorKind::Xml);
        let message = format!(
            "XML parse error: `{tag}` in the value of `command` is not its closing tag; write `</parameter>`"
        );
        assert_eq!(error.message, message);
        let (line, caret) = error.excerpt.split_once('\n').unwrap();
        assert!(line[caret.len() - 1..].starts_with("ls"), "{error}");
        assert!(
            error
                .suggestion
                .contains("<parameter name=\"command\">value</parameter>")
        );
    }
    // Markup in a value that is whole is not a mistake.
    for value in [
        "echo '</parametr>'",
        "<parametr>a</parametr>",
        "</param>",
        "a </div>",
    ] {
        let call = call(
            &BufferOptions::default(),
            &xml(&format!("{COMMAND}{value}</parameter>")),
        );
        assert_eq!(arguments(&call), json!({"command": value}));
    }
}

// Extraction, entities and fences.

fn buffer() -> ToolCallBuffer {
    ToolCallBuffer::new(&BufferOptions::default()).unwrap()
}

fn extract(text: &str) -> Value {
    serde_json::to_value(buffer().extract_xml_tool_call(text)).unwrap()
}

#[test]
fn s004_extract_xml_tool_call_has_the_documents_shape() {
    let text = xml(&format!(
        "{COMMAND}a < b && c 2>&1</parameter><parameter name=\"x\"></parameter>"
    ));
    let found = json!({
        "success": true,
        "tool_name": "dc_bash",
        "parameters": {"command": "a < b && c 2>&1", "x": ""},
    });
    assert_eq!(extract(&text), found);
    assert_eq!(extract(&format!("I look.\n{text} Done.")), found);
}

#[test]
fn s004_extract_xml_tool_call_reports_the_documents_errors() {
    for (text, error) in [
        ("", "Missing function_calls tags"),
        ("ls", "Missing function_calls tags"),
        ("{\"name\": \"f\"}", "Missing function_calls tags"),
        (
            "<invoke name=\"f\"></invoke>",
            "Missing function_calls tags",
        ),
        ("<function_calls></function_calls>", "Missing invoke tag"),
        (
            "<function_calls><invoke></invoke></function_calls>",
            "Missing 'name' attribute in <invoke> tag",
        ),
        (
            "<function_calls><invoke name=\"f\"><parameter name=\"a\">x",
            "XML parse error: the message ended before the call was complete; write the whole call again",
        ),
    ] {
        let found = extract(text);
        assert_eq!(found["success"], false, "{text}");
        assert_eq!(found["error"], error, "{text}");
        let feedback = found["feedback"].as_str().unwrap();
        assert!(
            feedback.starts_with(&format!("{error}\nline 1, column ")),
            "{feedback}"
        );
        assert!(feedback.contains("^\nWrite it like this:\n<function_calls>\n<invoke name="));
        assert_eq!(found.as_object().unwrap().len(), 3);
    }
}

#[test]
fn s004_extraction_counts_as_no_attempt() {
    let buffer = buffer();
    (0..9).for_each(|_| drop(buffer.extract_xml_tool_call("<function_calls></function_calls>")));
    assert!(!buffer.should_break());
}

#[test]
fn s004_entities_are_decoded_where_that_is_asked_for() {
    let mut options = BufferOptions::default();
    let block = xml(&format!(
        "{COMMAND}a &lt; b &amp;&amp; c &#62; d &eacute;</parameter>"
    ));
    let raw = "a &lt; b &amp;&amp; c &#62; d &eacute;";
    assert_eq!(arguments(&call(&options, &block)), json!({"command": raw}));
    options.decode_entities = true;
    let decoded = "a < b && c > d &eacute;";
    assert_eq!(
        arguments(&call(&options, &block)),
        json!({"command": decoded})
    );
    let buffer = ToolCallBuffer::new(&options).unwrap();
    let found = buffer.extract_xml_tool_call(&block);
    assert_eq!(found.parameters.unwrap()["command"], decoded);
}

#[test]
fn s004_a_call_inside_a_fence_gives_feedback() {
    let inside = xml(&format!("{COMMAND}ls</parameter>"));
    let object = r#"{"name": "dc_bash", "arguments": {"command": "ls"}}"#;
    for (block, line) in [
        (format!("I look:\n```xml\n{inside}\n```\nDone."), 3),
        (format!("~~~\n  {inside}"), 2),
        (format!("```json\n{object}\n```"), 2),
        (format!("```\n{object}```"), 2),
        (format!("The call:\n```json\n{object}\n```\nDone."), 3),
        (format!("```\nls\n```\n~~~~\n\n  {object}\n~~~\n~~~~\n"), 6),
        (format!("````json\n{object}"), 2),
    ] {
        let error = error(&BufferOptions::default(), &block);
        assert_eq!(error.kind, BufferErrorKind::InFence);
        assert_eq!(
            error.message,
            "The call is in a Markdown fence, so it is text; write it without the fence"
        );
        assert_eq!((error.line, error.name.as_deref()), (line, Some("dc_bash")));
        assert!(
            error.suggestion.contains("\"command\""),
            "{}",
            error.suggestion
        );
    }
    let found = extract(&format!("```\n{inside}\n```"));
    assert_eq!(
        found["error"],
        "The call is in a Markdown fence, so it is text; write it without the fence"
    );
}

#[test]
fn s004_an_example_is_not_a_call_inside_a_fence() {
    let inside = xml(&format!("{COMMAND}ls</parameter>"));
    for block in [
        format!("Write `{inside}` to call it."),
        "```\n<function_calls> is the tag\n```".to_owned(),
        "```json\n{\"name\": \"Alice\", \"age\": 5}\n```".to_owned(),
        "```json\n{\"answer\": 5}\n```".to_owned(),
        "As in `{\"name\": \"f\", \"arguments\": {}}`:\n```\nls\n```".to_owned(),
        "```sh\nls\n```".to_owned(),
    ] {
        assert_eq!(outcomes(&BufferOptions::default(), &block), [], "{block}");
    }
    // With a call outside, what is in the fence is an example.
    let both = format!("{inside}\n```\n{inside}\n```");
    assert_eq!(
        arguments(&call(&BufferOptions::default(), &both)),
        json!({"command": "ls"})
    );
}

// The form of a call, for messages.

/// What is suggested to a model must be read as the call that was meant.
#[test]
fn s004_the_suggested_form_is_a_call_in_every_dialect() {
    let tools = json!([{"name": "get_weather", "input_schema": {
        "type": "object",
        "properties": {"city": {"type": "string"}, "day": {"type": "string"}},
    }}]);
    let tools = Tools::from_value(&tools).unwrap();
    let all = dialect::built_in().iter();
    let all: Vec<_> = all.map(|built_in| built_in.dialect().clone()).collect();
    for built_in in dialect::built_in() {
        let dialect = built_in.dialect();
        let form = dialect::example(dialect, "get_weather", &["city", "day"], "");
        let calls = Calls::dialects([dialect.clone()]).tools(&tools);
        let policy = Profile::new().calls(calls).compile().unwrap();
        let mut seen = Vec::new();
        let mut engine = Engine::new(&policy);
        let mut sink = |event: Event<'_>| match event.kind {
            EventKind::CallEnd { arguments, .. } => seen.push(arguments.to_owned()),
            EventKind::CallError { message, .. } => seen.push(message.to_owned()),
            EventKind::Notice { message, .. } => seen.push(message.to_owned()),
            EventKind::Text(text) => seen.push(text.to_owned()),
            _ => {}
        };
        engine.push(&form, &mut sink);
        engine.finish(&mut sink);
        let wanted = json!({"city": "value", "day": "value"});
        assert_eq!(seen.len(), 1, "{}: {form}: {seen:?}", built_in.name());
        let arguments: Value = serde_json::from_str(&seen[0]).unwrap_or_default();
        assert_eq!(arguments, wanted, "{}: {form}: {seen:?}", built_in.name());
        let like = dialect::example_like(&all, &form, "get_weather", &["city", "day"]);
        let own = dialect::example(dialect, "get_weather", &["city", "day"], &form);
        assert_eq!(like, Some(own), "{}", built_in.name());
    }
}
