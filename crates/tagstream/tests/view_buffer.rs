//! Document 004, the tool-call buffer: what SYSTEMS.md settles, then the document's sections by
//! name.

use serde_json::{Map, Value, json};
use tagstream::Tools;
use tagstream::view::buffer::{
    BufferError, BufferErrorKind, BufferOptions, BufferedCall, Outcome, ToolCallBuffer, ToolRules,
};

fn buffer() -> ToolCallBuffer {
    ToolCallBuffer::new(&BufferOptions::default()).unwrap()
}

fn xml(name: &str, parameters: &[(&str, &str)]) -> String {
    format!(
        "<function_calls>{}</function_calls>",
        invoke(name, parameters)
    )
}

fn invoke(name: &str, parameters: &[(&str, &str)]) -> String {
    let parameter =
        |(name, value): &(&str, &str)| format!("<parameter name=\"{name}\">{value}</parameter>");
    let parameters: String = parameters.iter().map(parameter).collect();
    format!("<invoke name=\"{name}\">{parameters}</invoke>")
}

/// What a block gives: whole, cut in two at every place, and byte by byte. All must agree.
fn outcomes_with(options: &BufferOptions, block: &str) -> Vec<Outcome> {
    let run = |chunks: &[&str]| {
        let mut buffer = ToolCallBuffer::new(options).unwrap();
        for chunk in chunks {
            let partial = buffer.process_content_block_delta(0, chunk, None);
            assert!(block.starts_with(partial.text));
        }
        buffer.process_content_block_stop(0)
    };
    let whole = run(&[block]);
    for (at, _) in block.char_indices() {
        assert_eq!(
            run(&[&block[..at], &block[at..]]),
            whole,
            "{block:?} at {at}"
        );
    }
    let every: Vec<_> = block.split("").filter(|piece| !piece.is_empty()).collect();
    assert_eq!(run(&every), whole, "{block:?}");
    whole
}

fn outcomes(block: &str) -> Vec<Outcome> {
    outcomes_with(&BufferOptions::default(), block)
}

fn calls(block: &str) -> Vec<BufferedCall> {
    let outcomes = outcomes(block).into_iter();
    outcomes
        .map(|outcome| outcome.unwrap_or_else(|error| panic!("{error}")))
        .collect()
}

fn call(block: &str) -> BufferedCall {
    let [call] = calls(block).try_into().unwrap();
    call
}

fn error(block: &str) -> BufferError {
    let [outcome] = outcomes(block).try_into().unwrap();
    *outcome.unwrap_err()
}

fn arguments(call: &BufferedCall) -> Value {
    Value::Object(call.arguments.clone())
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        other => panic!("{other}"),
    }
}

fn validate(tool: &str, params: Value) -> (bool, String, Value) {
    let validation = buffer().validate_tool_parameters(tool, &object(params));
    (
        validation.ok,
        validation.message,
        Value::Object(validation.arguments),
    )
}

const VALID: &str = "Parameters validated successfully";

// Blocks.

#[test]
fn s004_nothing_is_given_before_the_block_stops() {
    let mut buffer = buffer();
    for delta in ["<function_calls>", &invoke("dc_bash", &[("command", "ls")])] {
        buffer.process_content_block_delta(0, delta, None);
    }
    buffer.process_content_block_delta(0, "</function_calls> and more", None);
    assert_eq!(buffer.process_content_block_stop(0).len(), 1);
}

#[test]
fn s004_a_delta_gives_the_name_as_soon_as_it_is_known_and_the_text_so_far() {
    let mut buffer = buffer();
    for (delta, name) in [
        ("<function_calls><invoke na", None),
        ("me=\"dc_bash\">", None),
        ("<parameter name=\"command\">in", Some("dc_bash")),
    ] {
        let partial = buffer.process_content_block_delta(3, delta, None);
        assert_eq!((partial.index, partial.name), (3, name), "{delta}");
    }
    let partial = buffer.process_content_block_delta(3, "spect", Some("toolu_x"));
    assert_eq!(partial.id, Some("toolu_x"));
    assert!(partial.text.ends_with("\"command\">inspect"));
}

#[test]
fn s004_a_delta_gives_the_name_in_json_as_soon_as_it_is_known() {
    for key in ["name", "tool"] {
        let mut buffer = buffer();
        for (delta, name) in [
            (format!(" {{\"{key}\""), None),
            (": \"dc_ba".to_owned(), None),
            ("sh\", \"arguments\": {\"comm".to_owned(), Some("dc_bash")),
        ] {
            let partial = buffer.process_content_block_delta(0, &delta, None);
            assert_eq!(partial.name, name, "{delta}");
        }
    }
}

#[test]
fn s004_blocks_are_kept_apart_by_their_index() {
    let mut buffer = buffer();
    let one = xml("dc_bash", &[("command", "one")]);
    let two = json!({"name": "dc_bash", "arguments": {"command": "two"}}).to_string();
    for at in 0..one.len().max(two.len()) {
        buffer.process_delta(1, one.get(at..=at).unwrap_or(""), None);
        buffer.process_delta(2, two.get(at..=at).unwrap_or(""), None);
    }
    for (index, command) in [(2, "two"), (1, "one")] {
        let call = buffer.process_stop(index).remove(0).unwrap();
        assert_eq!((call.index, call.id), (index, format!("toolu_{index}")));
        assert_eq!(Value::Object(call.arguments), json!({"command": command}));
    }
}

#[test]
fn s004_the_id_is_the_given_one_else_made_from_the_index() {
    let mut buffer = buffer();
    let block = xml("dc_bash", &[("command", "ls")]);
    buffer.process_delta(7, &block, None);
    assert_eq!(buffer.process_stop(7).remove(0).unwrap().id, "toolu_7");
    buffer.process_delta(7, &block[..5], Some("abc"));
    buffer.process_delta(7, &block[5..], None);
    assert_eq!(buffer.process_stop(7).remove(0).unwrap().id, "abc");
    buffer.process_delta(8, "{", Some("def"));
    assert_eq!(buffer.process_stop(8).remove(0).unwrap_err().id, "def");
}

#[test]
fn s004_a_stop_without_a_block_is_nothing() {
    let mut buffer = buffer();
    assert_eq!(buffer.process_content_block_stop(0), []);
    buffer.process_delta(0, &xml("dc_bash", &[("command", "ls")]), None);
    assert_eq!(buffer.process_stop(0).len(), 1);
    assert_eq!(buffer.process_stop(0), []);
}

#[test]
fn s004_a_block_in_which_nothing_began_a_call_is_nothing() {
    for block in [
        "",
        " \n",
        "Just text, a < b.",
        "the <function_calls> tag is for calls",
        "In code: `<function_calls></function_calls>`",
        "```\n<invoke name=\"f\"></invoke>\n```",
        "{\"answer\": 5}",
        "{\"na",
        "{ no json",
        "<function_ca",
    ] {
        assert_eq!(outcomes(block), [], "{block:?}");
    }
}

#[test]
fn s004_the_text_is_kept_up_to_the_limit() {
    let mut options = BufferOptions::default();
    options.limits.value = 64;
    let mut buffer = ToolCallBuffer::new(&options).unwrap();
    buffer.process_content_block_start(0, "dc_bash", None);
    for _ in 0..100 {
        let partial = buffer.process_delta(0, "é{\"a\":", None);
        assert!(partial.text.len() <= 64);
    }
    let error = buffer.process_stop(0).remove(0).unwrap_err();
    assert_eq!(error.kind, BufferErrorKind::Limit);
}

// XML.

#[test]
fn s004_missing_function_calls_tags() {
    let error = error(
        "Let me see.\n  <invoke name=\"dc_bash\"><parameter name=\"command\">ls</parameter></invoke>",
    );
    assert_eq!(error.kind, BufferErrorKind::MissingWrapper);
    assert_eq!(error.message, "Missing function_calls tags");
    assert_eq!((error.line, error.column), (2, 3));
    let (line, caret) = error.excerpt.split_once('\n').unwrap();
    assert!(line.starts_with("  <invoke name=\"dc_bash\">"));
    assert_eq!(caret, "  ^");
    assert_eq!(error.name.as_deref(), Some("dc_bash"));
}

#[test]
fn s004_missing_invoke_tag() {
    for block in [
        "<function_calls></function_calls>",
        "<function_calls>\n ls \n</function_calls>",
        "<function_calls><parameter name=\"command\">ls</parameter></function_calls>",
    ] {
        let error = error(block);
        assert_eq!(error.kind, BufferErrorKind::MissingInvoke, "{block}");
        assert_eq!(error.message, "Missing invoke tag");
        assert_eq!((error.line, error.column), (1, 1));
    }
}

#[test]
fn s004_missing_name_attribute_in_invoke_tag() {
    for tag in [
        "<invoke>",
        "<invoke name=\"\">",
        "<invoke tool=\"dc_bash\">",
    ] {
        let block = format!(
            "<function_calls>\n{tag}\n<parameter name=\"command\">ls</parameter>\n</invoke>\n</function_calls>"
        );
        let error = error(&block);
        assert_eq!(error.kind, BufferErrorKind::MissingInvokeName, "{block}");
        assert_eq!(error.message, "Missing 'name' attribute in <invoke> tag");
        assert_eq!((error.line, error.column), (2, 1));
        assert_eq!(error.excerpt, format!("{tag}\n^"));
    }
}

#[test]
fn s004_missing_name_attribute_in_parameter_tag() {
    let block = "<function_calls>\n<invoke name=\"dc_bash\">\n  <parameter>ls</parameter>\n</invoke>\n</function_calls>";
    let error = error(block);
    assert_eq!(error.kind, BufferErrorKind::MissingParameterName);
    assert_eq!(error.message, "Missing 'name' attribute in <parameter> tag");
    assert_eq!((error.line, error.column), (3, 3));
    assert_eq!(error.name.as_deref(), Some("dc_bash"));
}

#[test]
fn s004_xml_parse_error_for_a_call_that_is_cut_off() {
    for block in [
        "<function_calls><invoke name=\"dc_bash\"><parameter name=\"command\">ls",
        "<function_calls><invoke name=\"dc_bash\">",
        "<function_calls>",
    ] {
        let error = error(block);
        assert_eq!(error.kind, BufferErrorKind::Xml, "{block}");
        assert!(
            error.message.starts_with("XML parse error: "),
            "{}",
            error.message
        );
        assert_eq!((error.line, error.column), (1, block.len() + 1));
    }
}

#[test]
fn s004_an_error_can_be_sent_back_to_the_model() {
    let error = error("<function_calls><invoke></invoke></function_calls>");
    assert_eq!(
        error.to_string(),
        "Missing 'name' attribute in <invoke> tag\n\
         line 1, column 17:\n\
         <function_calls><invoke></invoke></function_calls>\n\
         \x20               ^\n\
         Write it like this:\n\
         <function_calls>\n\
         <invoke name=\"tool_name\">\n\
         <parameter name=\"parameter_name\">value</parameter>\n\
         </invoke>\n\
         </function_calls>"
    );
}

#[test]
fn s004_a_suggestion_is_a_call_itself() {
    let error = error(&xml(
        "dc_edit",
        &[("command", "str_replace"), ("path", "a")],
    ));
    assert_eq!(error.kind, BufferErrorKind::Validation);
    let call = call(&error.suggestion.replace(
        "value</parameter>\n<parameter name=\"path\"",
        "str_replace</parameter>\n<parameter name=\"path\"",
    ));
    let names: Vec<_> = call.arguments.keys().collect();
    assert_eq!(names, ["command", "path", "old_str", "new_str"]);
}

#[test]
fn s004_an_empty_parameter_is_an_empty_string() {
    let call = call(&xml("f", &[("a", ""), ("b", "x")]));
    assert_eq!(arguments(&call), json!({"a": "", "b": "x"}));
}

#[test]
fn s004_several_invokes_are_several_calls() {
    let block = format!(
        "<function_calls>\n{}\n{}\n</function_calls>",
        invoke("dc_bash", &[("command", "one")]),
        invoke("dc_bash", &[("command", "two")])
    );
    let calls = calls(&block);
    let seen: Vec<_> = calls
        .iter()
        .map(|call| (call.id.as_str(), arguments(call)))
        .collect();
    let expected = [
        ("toolu_0", json!({"command": "one"})),
        ("toolu_0_1", json!({"command": "two"})),
    ];
    assert_eq!(seen, expected);
}

#[test]
fn s004_a_good_invoke_before_a_bad_one_is_a_call_and_an_error_in_order() {
    let good = invoke("dc_bash", &[("command", "ls")]);
    let block = format!("<function_calls>{good}<invoke>x</invoke></function_calls>");
    let [good, bad] = outcomes(&block).try_into().unwrap();
    assert_eq!(good.unwrap().name, "dc_bash");
    let bad = bad.unwrap_err();
    assert_eq!(bad.kind, BufferErrorKind::MissingInvokeName);
    assert_eq!(bad.column, block.find("<invoke>").unwrap() + 1);
}

/// What opens the wrapper is not a call then, and the invokes after have none around them.
#[test]
fn s004_a_bad_invoke_at_the_start_of_a_wrapper_is_the_error_of_all() {
    let good = invoke("dc_bash", &[("command", "ls")]);
    let error = error(&format!(
        "<function_calls><invoke>x</invoke>{good}</function_calls>"
    ));
    assert_eq!(error.kind, BufferErrorKind::MissingInvokeName);
}

#[test]
fn s004_raw_markup_in_a_value_is_the_value() {
    for value in [
        "a < b && c 2>&1",
        "cat <<EOF > out\n<b>x</b>\nEOF",
        "echo </parameter> here",
        "&lt;",
        "<![CDATA[x]]>",
        "  keep  \n",
    ] {
        let call = call(&xml("dc_bash", &[("command", value)]));
        assert_eq!(arguments(&call), json!({"command": value}));
    }
}

#[test]
fn s004_text_around_the_calls_does_not_matter() {
    let block = format!("I look.\n{}\nDone.", xml("dc_bash", &[("command", "ls")]));
    assert_eq!(arguments(&call(&block)), json!({"command": "ls"}));
}

#[test]
fn s004_an_invoke_without_its_wrapper_counts_where_that_is_asked_for() {
    let tools = json!([{"name": "dc_bash", "input_schema": {"properties": {"command": {"type": "string"}}}}]);
    let mut options = BufferOptions::with_tools(Tools::from_value(&tools).unwrap());
    options.unwrapped = true;
    let block = invoke("dc_bash", &[("command", "ls")]);
    let [outcome] = outcomes_with(&options, &block).try_into().unwrap();
    assert_eq!(arguments(&outcome.unwrap()), json!({"command": "ls"}));
}

// JSON.

#[test]
fn s004_json_names_and_arguments_under_each_of_their_keys() {
    for name in ["name", "tool"] {
        for key in ["arguments", "parameters", "params", "input"] {
            let block = json!({name: "dc_bash", key: {"command": "ls"}}).to_string();
            let call = call(&block);
            assert_eq!(call.name, "dc_bash");
            assert_eq!(arguments(&call), json!({"command": "ls"}));
        }
    }
    let text = "{\"command\": \"ls\"}";
    let block = json!({"name": "dc_bash", "arguments": text}).to_string();
    assert_eq!(arguments(&call(&block)), json!({"command": "ls"}));
}

#[test]
fn s004_json_is_all_arguments_when_the_start_of_the_block_names_the_tool() {
    let mut buffer = buffer();
    buffer.process_content_block_start(0, "dc_bash", Some("toolu_a"));
    let partial = buffer.process_delta(0, "{\"comm", None);
    assert_eq!(
        (partial.name, partial.id),
        (Some("dc_bash"), Some("toolu_a"))
    );
    buffer.process_delta(0, "and\": \"ls\", \"input\": \"x\"}", None);
    let call = buffer.process_stop(0).remove(0).unwrap();
    assert_eq!(
        (call.name.as_str(), call.id.as_str()),
        ("dc_bash", "toolu_a")
    );
    assert_eq!(arguments(&call), json!({"command": "ls", "input": "x"}));

    buffer.process_start(1, "f", None);
    buffer.process_delta(1, "{\"input\": {\"a\": 1}}", None);
    assert_eq!(
        arguments(&buffer.process_stop(1).remove(0).unwrap()),
        json!({"a": 1})
    );
}

#[test]
fn s004_a_named_block_without_any_delta_has_no_arguments() {
    let mut buffer = buffer();
    buffer.process_start(0, "f", None);
    assert_eq!(
        arguments(&buffer.process_stop(0).remove(0).unwrap()),
        json!({})
    );
}

#[test]
fn s004_json_parse_error_with_line_column_and_caret() {
    let mut buffer = buffer();
    buffer.process_start(0, "dc_bash", None);
    buffer.process_delta(0, "{\n  \"command\": ls\n}", None);
    let error = buffer.process_stop(0).remove(0).unwrap_err();
    assert_eq!(error.kind, BufferErrorKind::Json);
    assert!(
        error.message.starts_with("JSON parse error: "),
        "{}",
        error.message
    );
    assert_eq!((error.line, error.column), (2, 14));
    assert_eq!(error.excerpt, "  \"command\": ls\n             ^");
    assert_eq!(
        error.suggestion,
        r#"{"name": "dc_bash", "arguments": {"command":"value"}}"#
    );
}

#[test]
fn s004_json_that_is_cut_off_after_its_name_is_an_error() {
    let error = error("{\"name\": \"dc_bash\", \"arguments\": {\"command\": \"in");
    assert_eq!(error.kind, BufferErrorKind::Json);
    assert_eq!(error.name.as_deref(), Some("dc_bash"));
}

#[test]
fn s004_json_with_an_id_and_no_name_is_an_error() {
    let mut buffer = buffer();
    buffer.process_delta(0, "{\"command\": \"ls\"}", Some("toolu_a"));
    let error = buffer.process_stop(0).remove(0).unwrap_err();
    assert_eq!(error.kind, BufferErrorKind::Tool);
}

// Validation.

#[test]
fn s004_parameters_validated_successfully() {
    let params = json!({"command": "ls"});
    assert_eq!(
        validate("dc_bash", params.clone()),
        (true, VALID.to_owned(), params)
    );
    let params = json!({"anything": [1]});
    assert_eq!(
        validate("other", params.clone()),
        (true, VALID.to_owned(), params)
    );
}

#[test]
fn s004_missing_required_command_parameter() {
    for params in [
        json!({}),
        json!({"command": ""}),
        json!({"command": " \n"}),
        json!({"command": null}),
    ] {
        let (ok, message, fixed) = validate("dc_bash", params.clone());
        assert_eq!(
            (ok, message.as_str()),
            (false, "Missing required 'command' parameter")
        );
        assert_eq!(fixed, params);
    }
}

#[test]
fn s004_a_command_is_recovered_from_each_of_its_other_names() {
    for other in ["cmd", "bash", "terminal", "shell", "script", "exec"] {
        for params in [json!({other: "ls"}), json!({"command": "", other: "ls"})] {
            let (ok, message, fixed) = validate("dc_bash", params);
            assert_eq!((ok, message.as_str()), (true, VALID), "{other}");
            assert_eq!(fixed, json!({"command": "ls"}));
        }
    }
    let (_, _, fixed) = validate("bash", json!({"command": "a", "cmd": "b"}));
    assert_eq!(fixed, json!({"command": "a", "cmd": "b"}));
}

#[test]
fn s004_a_command_that_is_no_string_is_an_error() {
    for command in [json!(5), json!(["ls"]), json!({"a": 1}), json!(true)] {
        let (ok, message, _) = validate("dc_bash", json!({"command": command}));
        assert!(!ok);
        assert!(
            message.starts_with("Parameter 'command' must be a string, got "),
            "{message}"
        );
    }
}

#[test]
fn s004_an_action_is_recovered_from_each_of_its_other_names() {
    for other in ["operation", "type", "function", "command"] {
        let (ok, _, fixed) = validate("dc_computer", json!({other: "screenshot"}));
        assert!(ok, "{other}");
        assert_eq!(fixed, json!({"action": "screenshot"}));
    }
    let (ok, message, _) = validate("computer", json!({}));
    assert_eq!(
        (ok, message.as_str()),
        (false, "Missing required 'action' parameter")
    );
}

#[test]
fn s004_an_action_requires_coordinates_or_text() {
    for (action, needs, value) in [
        ("mouse_move", "coordinate", json!([1, 2])),
        ("left_click_drag", "coordinate", json!([1, 2])),
        ("scroll", "coordinate", json!([1, 2])),
        ("type", "text", json!("hi")),
        ("key", "text", json!("ctrl+c")),
    ] {
        let (ok, message, _) = validate("dc_computer", json!({"action": action}));
        assert!(!ok);
        assert_eq!(
            message,
            format!("Missing required '{needs}' parameter for action '{action}'")
        );
        let (ok, message, _) = validate("dc_computer", json!({"action": action, needs: value}));
        assert!(ok, "{message}");
    }
    assert!(validate("computer", json!({"action": "left_click"})).0);
}

#[test]
fn s004_an_editor_requires_command_and_path_and_what_the_command_needs() {
    for (params, message) in [
        (json!({"command": "view", "path": "a"}), VALID),
        (json!({"path": "a"}), "Missing required 'command' parameter"),
        (
            json!({"command": "view"}),
            "Missing required 'path' parameter",
        ),
        (
            json!({"command": "create", "path": "a"}),
            "Missing required 'content' or 'file_text' parameter for command 'create'",
        ),
        (
            json!({"command": "create", "path": "a", "content": ""}),
            VALID,
        ),
        (
            json!({"command": "create", "path": "a", "file_text": "x"}),
            VALID,
        ),
        (
            json!({"command": "str_replace", "path": "a", "new_str": "x"}),
            "Missing required 'old_str' parameter for command 'str_replace'",
        ),
        (
            json!({"command": "str_replace", "path": "a"}),
            "Missing required 'old_str' parameter for command 'str_replace'; \
             Missing required 'new_str' parameter for command 'str_replace'",
        ),
        (
            json!({"command": "str_replace", "path": "a", "old_str": "x", "new_str": ""}),
            VALID,
        ),
    ] {
        assert_eq!(validate("dc_edit", params.clone()).1, message, "{params}");
        assert_eq!(validate("str_replace_based_edit_tool", params).1, message);
    }
}

#[test]
fn s004_schemas_are_asked_for_required_arguments_and_types() {
    let tools = json!([{"name": "read", "input_schema": {
        "properties": {"path": {"type": "string"}, "limit": {"type": "integer"}},
        "required": ["path"],
    }}]);
    let options = BufferOptions::with_tools(Tools::from_value(&tools).unwrap());
    let outcome = |block: &str| outcomes_with(&options, block).remove(0);
    let call = outcome(&xml("read", &[("path", "02134"), ("limit", " 5 ")])).unwrap();
    assert_eq!(arguments(&call), json!({"path": "02134", "limit": 5}));
    let missing = outcome(&xml("read", &[("limit", "5")])).unwrap_err();
    assert_eq!(missing.message, "Missing required 'path' parameter");
    let wrong = outcome(&xml("read", &[("path", "a"), ("limit", "many")])).unwrap_err();
    assert_eq!(
        wrong.message,
        "argument `limit`: expected an integer, got \"many\""
    );
    let block = json!({"name": "read", "arguments": {"limit": 5}}).to_string();
    let missing = outcome(&block).unwrap_err();
    assert_eq!(missing.message, "Missing required 'path' parameter");
    for block in [
        xml("reed", &[("path", "a")]),
        json!({"name": "reed", "arguments": {}}).to_string(),
    ] {
        let unknown = outcome(&block).unwrap_err();
        assert!(unknown.message.contains("reed"), "{}", unknown.message);
    }
}

#[test]
fn s004_a_declared_argument_is_no_other_name_of_another() {
    let tools = json!([{"name": "bash", "input_schema": {
        "properties": {"command": {"type": "string"}, "shell": {"type": "string"}},
    }}]);
    let options = BufferOptions::with_tools(Tools::from_value(&tools).unwrap());
    let buffer = ToolCallBuffer::new(&options).unwrap();
    let validation = buffer.validate_tool_parameters("bash", &object(json!({"shell": "zsh"})));
    assert_eq!(validation.message, "Missing required 'command' parameter");
}

#[test]
fn s004_rules_are_data() {
    assert_eq!(
        ToolRules::parse(ToolRules::SOURCE).unwrap(),
        *ToolRules::built_in()
    );
    assert_eq!(ToolRules::built_in().rules.len(), 3);
    let mut options = BufferOptions::default();
    options.rules =
        ToolRules::parse("[[rules]]\ntools = ['sql']\nrequired = ['query']\naliases.query = ['q']")
            .unwrap();
    let buffer = ToolCallBuffer::new(&options).unwrap();
    let validation = buffer.validate_tool_parameters("sql", &object(json!({"q": "select"})));
    assert_eq!(
        Value::Object(validation.arguments),
        json!({"query": "select"})
    );
    assert_eq!(validation.fixes, ["parameter 'q' was taken for 'query'"]);
    assert!(buffer.validate_tool_parameters("bash", &Map::new()).ok);
    let error = ToolRules::parse("[[rules]]\ntool = ['x']")
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("line 2: `rules[0].tool`: unknown key"),
        "{error}"
    );
}

// Break conditions.

fn send(buffer: &mut ToolCallBuffer, block: &str) -> bool {
    buffer.process_delta(0, block, None);
    buffer.process_stop(0).remove(0).is_ok()
}

#[test]
fn s004_failures_in_a_row_break() {
    let mut buffer = buffer();
    let bad = xml("dc_bash", &[("command", "")]);
    for _ in 0..2 {
        assert!(!send(&mut buffer, &bad));
        assert!(!buffer.should_break_execution());
    }
    assert!(!send(
        &mut buffer,
        "<function_calls><invoke></invoke></function_calls>"
    ));
    assert!(buffer.should_break_execution());
    assert!(buffer.should_break());
    buffer.reset_attempts();
    assert!(!buffer.should_break());
}

#[test]
fn s004_the_very_same_call_again_and_again_breaks() {
    let mut buffer = buffer();
    let same = xml("dc_bash", &[("command", "ls")]);
    for repeated in 0..4 {
        assert_eq!(buffer.should_break(), repeated > 3, "{repeated}");
        assert!(send(&mut buffer, &same));
    }
    assert!(buffer.should_break());
}

#[test]
fn s004_good_work_does_not_break() {
    let mut buffer = buffer();
    for number in 0..20 {
        assert!(send(
            &mut buffer,
            &xml("dc_bash", &[("command", &format!("echo {number}"))])
        ));
        assert!(!buffer.should_break());
    }
}

#[test]
fn s004_a_good_call_that_is_another_one_starts_the_count_anew() {
    let mut buffer = buffer();
    let bad = xml("dc_bash", &[]);
    for number in 0..5 {
        send(&mut buffer, &bad);
        send(&mut buffer, &bad);
        assert!(!buffer.should_break());
        send(
            &mut buffer,
            &xml("dc_bash", &[("command", &format!("echo {number}"))]),
        );
    }
}

#[test]
fn s004_failures_are_counted_across_messages() {
    let mut buffer = buffer();
    for _ in 0..3 {
        buffer.start_message();
        send(&mut buffer, &xml("dc_bash", &[]));
    }
    assert!(buffer.should_break());
}

#[test]
fn s004_max_attempts_is_a_setting() {
    let mut options = BufferOptions::default();
    options.max_attempts = 1;
    let mut buffer = ToolCallBuffer::new(&options).unwrap();
    send(&mut buffer, &xml("dc_bash", &[]));
    assert!(buffer.should_break());
}

#[test]
fn s004_max_calls_bounds_a_message() {
    let mut options = BufferOptions::default();
    options.max_calls = Some(2);
    let mut buffer = ToolCallBuffer::new(&options).unwrap();
    let calls = ["a", "b", "c"].map(|command| invoke("dc_bash", &[("command", command)]));
    let block = format!("<function_calls>{}</function_calls>", calls.concat());
    buffer.process_delta(0, &block, None);
    let [first, second, third] = buffer.process_stop(0).try_into().unwrap();
    assert!(first.is_ok() && second.is_ok());
    assert_eq!(third.unwrap_err().kind, BufferErrorKind::Limit);
    assert!(buffer.should_break());
    buffer.start_message();
    assert!(!buffer.should_break());
}

// The document: problem.

#[test]
fn s004_problem_half_a_call_is_never_a_command() {
    let block = xml("dc_bash", &[("command", "inspect")]);
    let end = block.find("</parameter>").unwrap();
    for at in 0..block.len() {
        let mut buffer = buffer();
        buffer.process_content_block_delta(0, &block[..at], None);
        let given = buffer.process_content_block_stop(0);
        let complete = given.iter().any(Result::is_ok);
        // Only the wrapper's closer is forgiven at the end.
        assert_eq!(
            complete,
            at >= block.find("</function_calls>").unwrap(),
            "{at} {end}"
        );
    }
}

// The document: method interface compatibility.

#[test]
fn s004_method_interface_compatibility_both_sets_of_names_do_the_same() {
    let block = xml("dc_bash", &[("command", "ls")]);
    let (mut long, mut short) = (buffer(), buffer());
    for _ in 0..4 {
        let a = long.process_content_block_delta(0, &block, Some("a"));
        assert_eq!(a, short.process_delta(0, &block, Some("a")));
        assert_eq!(long.process_content_block_stop(0), short.process_stop(0));
        assert_eq!(long.should_break_execution(), short.should_break());
    }
    assert!(short.should_break());
}

// The document: testing.

#[test]
fn s004_simple_buffer_test() {
    let block = json!({"name": "dc_bash", "arguments": {"command": "ls -la"}}).to_string();
    let call = call(&block);
    assert_eq!(
        (call.name.as_str(), call.id.as_str()),
        ("dc_bash", "toolu_0")
    );
    assert_eq!(arguments(&call), json!({"command": "ls -la"}));
}

#[test]
fn s004_xml_buffer_test() {
    let call = call(&xml("dc_bash", &[("command", "ls -la")]));
    assert_eq!(call.name, "dc_bash");
    assert_eq!(arguments(&call), json!({"command": "ls -la"}));
}

#[test]
fn s004_complex_xml_test() {
    let block = format!(
        "First I look.\n<function_calls>\n{}\n{}\n</function_calls>\n",
        invoke(
            "dc_bash",
            &[(
                "cmd",
                "for f in *; do\n  [ -f \"$f\" ] && wc -l < \"$f\"\ndone"
            )]
        ),
        invoke(
            "dc_computer",
            &[("operation", "mouse_move"), ("coordinate", "[1, 2]")]
        ),
    );
    let [bash, computer] = calls(&block).try_into().unwrap();
    let script = "for f in *; do\n  [ -f \"$f\" ] && wc -l < \"$f\"\ndone";
    assert_eq!(arguments(&bash), json!({"command": script}));
    assert_eq!(bash.fixes, ["parameter 'cmd' was taken for 'command'"]);
    assert_eq!(
        arguments(&computer),
        json!({"coordinate": "[1, 2]", "action": "mouse_move"})
    );
}

#[test]
fn s004_function_call_test() {
    let mut buffer = buffer();
    let blocks = [
        xml("dc_bash", &[("command", "ls")]),
        json!({"tool": "dc_computer", "params": {"action": "screenshot"}}).to_string(),
        "That is all.".to_owned(),
        xml("dc_edit", &[("command", "view")]),
    ];
    let mut executed = Vec::new();
    let mut answered = Vec::new();
    for (index, block) in (0..).zip(&blocks) {
        for piece in block.split_inclusive(' ') {
            buffer.process_content_block_delta(index, piece, None);
        }
        for outcome in buffer.process_content_block_stop(index) {
            match outcome {
                Ok(call) => executed.push((call.id, call.name)),
                Err(error) => answered.push((error.id, error.message)),
            }
        }
    }
    let id = |index: u64| format!("toolu_{index}");
    assert_eq!(
        executed,
        [
            (id(0), "dc_bash".to_owned()),
            (id(1), "dc_computer".to_owned())
        ]
    );
    assert_eq!(
        answered,
        [(id(3), "Missing required 'path' parameter".to_owned())]
    );
    assert!(!buffer.should_break_execution());
}

// What is beside the arguments, and what is not a block of JSON.

#[test]
fn s004_nothing_is_dropped_where_arguments_or_names_are_given_twice() {
    for (block, message) in [
        (
            json!({"name": "run", "arguments": {"a": "1"}, "parameters": {"b": "2"}}),
            "\"parameters\" is beside \"arguments\"; put all parameters in one of them",
        ),
        (
            json!({"name": "run", "tool": "stop", "arguments": {}}),
            "\"tool\" is \"stop\", but the tool is named 'run', too",
        ),
    ] {
        assert_eq!(error(&block.to_string()).message, message);
    }
    for more in [
        json!({"tool": "run"}),
        json!({"tool": null, "parameters": {}}),
        json!({"id": "a", "type": "function", "index": 0}),
    ] {
        let mut block = json!({"name": "run", "arguments": {}});
        block
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        assert_eq!(call(&block.to_string()).name, "run");
    }
}

#[test]
fn s004_repairs_name_a_key_that_is_given_twice() {
    let (twice, was_string) = (
        "of a key that was given twice, the last value counts",
        "the arguments were a JSON string, which was read as JSON",
    );
    for (given, fixes) in [
        (r#"{"a": 1, "a": 2}"#, &[twice][..]),
        (r#""{\"a\": 1, \"a\": 2}""#, &[was_string, twice]),
        (r#""{\"a\": 2}""#, &[was_string]),
    ] {
        for key in ["arguments", "input"] {
            let call = call(&format!("{{\"name\": \"f\", \"{key}\": {given}}}"));
            assert_eq!(arguments(&call), json!({"a": 2}));
            assert_eq!(call.fixes, fixes);
        }
    }
}

#[test]
fn s004_repairs_read_an_empty_string_as_no_arguments() {
    for empty in ["", " \n"] {
        let call = call(&json!({"name": "f", "arguments": empty}).to_string());
        assert_eq!(arguments(&call), json!({}));
        assert_eq!(
            call.fixes,
            ["the arguments were a JSON string, which was read as JSON"]
        );
    }
    let beside = json!({"name": "f", "arguments": "", "a": 1}).to_string();
    assert_eq!(error(&beside).kind, BufferErrorKind::Validation);
    assert_eq!(
        outcomes(&json!({"name": "Alice", "input": ""}).to_string()),
        []
    );
    let mut buffer = buffer();
    buffer.process_start(0, "echo", None);
    buffer.process_delta(0, "{\"input\": \"\"}", None);
    let call = buffer.process_stop(0).remove(0).unwrap();
    assert_eq!(arguments(&call), json!({"input": ""}));
}

#[test]
fn s004_a_suggestion_does_not_repeat_an_unknown_tool() {
    let tools = |tools: &str| Tools::parse_some(tools).unwrap_or_default();
    let some = tools(
        r#"[{"name": "other", "input_schema": {}}, {"name": "weather", "input_schema": {}}]"#,
    );
    for (tools, name, suggested) in [
        (&some, "wether", "\"name\": \"weather\""),
        (&some, "zzzzzz", "\"name\": \"other\""),
        (&Tools::default(), "weather", "\"name\": \"tool_name\""),
    ] {
        let block = json!({"name": name, "arguments": {}}).to_string();
        let outcomes = outcomes_with(&BufferOptions::with_tools(tools.clone()), &block);
        let error = outcomes.into_iter().next().unwrap().unwrap_err();
        assert!(error.suggestion.contains(suggested), "{}", error.suggestion);
    }
}

#[test]
fn s004_json_in_a_list_in_tags_or_in_a_fence_is_an_error_with_json() {
    let call = "{\"name\": \"dc_bash\", \"arguments\": {\"command\": \"ls\"}}";
    for (block, message) in [
        (format!("[{call}]"), "A list is not a call"),
        (
            format!("<tool_call>\n{call}\n</tool_call>"),
            "Tags around JSON are not read",
        ),
        (
            format!("Sure.\n<tool_call>{call}</tool_call>\nDone."),
            "Tags around JSON are not read",
        ),
        (
            format!("The tag:\n<tool_call>\n  <tool_call>{call}"),
            "Tags around JSON are not read",
        ),
        (
            format!("```json\n{call}\n```"),
            "The call is in a Markdown fence",
        ),
    ] {
        let error = error(&block);
        assert!(error.message.starts_with(message), "{}", error.message);
        assert!(
            error.suggestion.starts_with("{\"name\": \"dc_bash\""),
            "{}",
            error.suggestion
        );
    }
    assert_eq!(outcomes("[1, 2]"), []);
    assert_eq!(outcomes("the tag <tool_call>"), []);
    assert_eq!(outcomes(&format!("Write `<tool_call>{call}`")), []);
}
