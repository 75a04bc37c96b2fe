//! Document 004 on the command line: the tool-call buffer, and errors that can be sent back.

mod support;

use serde_json::{Value, json};
use support::{Temp, lines, out, run};

/// The deltas of one block, and its stop.
fn block(index: u64, deltas: &[&str]) -> String {
    let line = |delta: &&str| json!({"index": index, "delta": delta}).to_string() + "\n";
    let deltas: String = deltas.iter().map(line).collect();
    format!("{deltas}{{\"index\":{index},\"stop\":true}}\n")
}

fn values(output: &str) -> Vec<Value> {
    let lines = output.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

const OPEN: &str = "<function_calls><invoke name=\"dc_bash\"><parameter name=\"cmd\">";
const CLOSE: &str = "</parameter></invoke></function_calls>";

// Blocks from lines.

#[test]
fn s004_blocks_are_read_from_lines_of_deltas_and_recovered() {
    let input = block(0, &["I look. ", OPEN, "ls 2>&1", CLOSE]) + &block(1, &["That is all."]);
    assert_eq!(
        values(&out(&["calls", "--blocks"], input)),
        [
            json!({"index": 0, "id": "toolu_0", "name": "dc_bash", "arguments": {"command": "ls 2>&1"},
            "fixes": ["parameter 'cmd' was taken for 'command'"]})
        ]
    );
    let input = concat!(
        "{\"index\":4,\"tool\":\"dc_bash\",\"tool_id\":\"a\"}\n\n",
        "{\"index\":4,\"delta\":\"{\\\"command\\\":\"}\n",
        "{\"index\":4,\"delta\":\"\\\"ls\\\"}\",\"stop\":true}\n",
    );
    assert_eq!(
        out(&["calls", "--blocks"], input),
        "{\"index\":4,\"id\":\"a\",\"name\":\"dc_bash\",\"arguments\":{\"command\":\"ls\"}}\n"
    );
}

#[test]
fn s004_nothing_is_printed_before_a_block_stops() {
    let deltas = [OPEN, "ls", CLOSE].map(|delta| json!({"index": 0, "delta": delta}).to_string());
    let ran = run(&["calls", "--blocks", "--mark"], deltas.join("\n"));
    assert!(!ran.out.contains("dc_bash"), "{}", ran.out);
    assert_eq!(
        ran.err,
        "tagstream: block 0: the input ended before the block stopped; nothing in it is a call\n"
    );
    let printed = out(
        &["calls", "--blocks", "--mark"],
        block(0, &[OPEN, "ls", CLOSE]),
    );
    let mark = printed.find("{\"type\":\"mark\",\"chunk\":2}").unwrap();
    assert!(mark < printed.find("dc_bash").unwrap(), "{printed}");
}

#[test]
fn s004_errors_of_blocks_have_line_column_caret_and_suggestion() {
    let input = block(0, &["Let me see.\n", "<invoke name=\"dc_bash\"></invoke>"]);
    let ran = run(&["calls", "--blocks"], &input);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""));
    assert_eq!(
        ran.err,
        "tagstream: block 0: call toolu_0 of `dc_bash` was refused: Missing function_calls tags\n\
         \x20 line 2, column 1:\n\
         \x20 <invoke name=\"dc_bash\"></invoke>\n\
         \x20 ^\n\
         \x20 Write it like this:\n\
         \x20 <function_calls>\n\
         \x20 <invoke name=\"dc_bash\">\n\
         \x20 <parameter name=\"command\">value</parameter>\n\
         \x20 </invoke>\n\
         \x20 </function_calls>\n"
    );
    assert_eq!(run(&["calls", "--blocks", "--strict"], &input).code, 1);
}

#[test]
fn s004_blocks_are_printed_with_their_choice() {
    let content = format!("{OPEN}ls{CLOSE}");
    let choice = |index: u64| json!({"index": index, "message": {"content": content}, "finish_reason": "stop"});
    let body = json!({"choices": [choice(0), choice(1)]}).to_string();
    let lines = values(&out(&["calls", "--blocks", "--from", "openai"], body));
    assert_eq!(lines.len(), 2);
    assert_eq!(
        (&lines[0]["choice"], &lines[1]["choice"]),
        (&Value::Null, &json!(1))
    );
}

#[test]
fn s004_blocks_are_not_read_with_flags_that_make_no_sense() {
    for (args, problem) in [
        (&["--max-attempts", "0"][..], "--max-attempts"),
        (
            &["--chunks"],
            "--chunks: lines of deltas are chunks already",
        ),
    ] {
        let input = lines(&[&block(0, &[OPEN, "ls", CLOSE])]);
        let ran = run(&[&["calls", "--blocks"][..], args].concat(), input);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}", ran.err);
        assert!(ran.err.contains(problem), "{}", ran.err);
    }
}

#[test]
fn s004_blocks_are_refused_if_the_request_forbids_calls() {
    let request =
        r#"{"tools":[{"name":"dc_bash","input_schema":{}}],"tool_choice":{"type":"none"}}"#;
    let request = Temp::new("blocks-none.json", request);
    let args = ["calls", "--blocks", "--tools", request.path()];
    let ran = run(&args, block(0, &[OPEN, "ls", CLOSE]));
    assert_eq!((ran.code, ran.out.as_str()), (0, ""));
    assert!(ran.err.contains("of `dc_bash` was refused"), "{}", ran.err);
}

#[test]
fn s004_the_break_conditions_stop_the_command() {
    let bad = block(0, &[OPEN, CLOSE]);
    let good = block(1, &[OPEN, "ls", CLOSE]);
    let ran = run(&["calls", "--blocks"], bad.repeat(3) + &good);
    assert_eq!(ran.out, "");
    let stopped = "tagstream: stopped: 3 calls in a row failed or were repeated\n";
    assert!(ran.err.ends_with(stopped), "{}", ran.err);
    let ran = run(
        &["calls", "--blocks"],
        bad.repeat(2) + &good + &bad.repeat(2),
    );
    assert_eq!(values(&ran.out).len(), 1);
    assert!(!ran.err.contains("stopped"), "{}", ran.err);
    let ran = run(&["calls", "--blocks"], good.repeat(9));
    assert_eq!(values(&ran.out).len(), 4, "{}", ran.err);
    let one = ["calls", "--blocks", "--max-attempts", "1"];
    assert_eq!(run(&one, bad.clone() + &good).out, "");
    let two = good.clone() + &block(2, &[OPEN, "pwd", CLOSE]);
    let ran = run(&["calls", "--blocks", "--max-calls", "1"], two);
    assert_eq!(values(&ran.out).len(), 1);
    assert!(
        ran.err
            .ends_with("stopped: the message has too many calls\n"),
        "{}",
        ran.err
    );
}

#[test]
fn s004_blocks_are_checked_by_declared_tools_and_rules() {
    let tools = r#"[{"name":"get_weather","input_schema":{"type":"object",
        "properties":{"city":{"type":"string"},"days":{"type":"integer"}},"required":["city"]}}]"#;
    let tools = Temp::new("blocks.json", tools);
    let profile = Temp::new(
        "blocks.toml",
        "[calls]\ndecode_entities = true\ntools = [{name = 'say', input_schema = {}}]",
    );
    let args = ["calls", "--blocks", "--tools", tools.path()];
    let flat = r#"{"name":"get_weather","city":"Paris","days":"3"}"#;
    assert_eq!(
        values(&out(&args, block(0, &[flat])))[0]["arguments"],
        json!({"city": "Paris", "days": 3})
    );
    let ran = run(
        &args,
        block(0, &[r#"{"name":"get_weather","arguments":{}}"#]),
    );
    assert!(
        ran.err.contains("Missing required 'city' parameter\n"),
        "{}",
        ran.err
    );
    let say = "<function_calls><invoke name=\"say\"><parameter name=\"a\">&lt;</parameter></invoke></function_calls>";
    let args = ["calls", "--blocks", "--profile", profile.path()];
    assert_eq!(
        values(&out(&args, block(0, &[say])))[0]["arguments"],
        json!({"a": "<"})
    );
    let rules = Temp::new("rules.toml", "[[rules]]\ntools = ['say']\nrequired = ['b']");
    let args = ["calls", "--blocks", "--rules", rules.path()];
    let ran = run(&args, block(0, &[say]));
    assert!(
        ran.err.contains("Missing required 'b' parameter\n"),
        "{}",
        ran.err
    );
}

#[test]
fn s004_a_line_that_is_not_a_delta_is_wrong_use() {
    for (line, part) in [
        ("{\"index\":0,\"text\":\"a\"}", "unknown field `text`"),
        ("\"a\"", "a line is {\"index\":0} with"),
        ("{", "line 2: "),
    ] {
        let ran = run(&["calls", "--blocks"], format!("{{\"index\":0}}\n{line}\n"));
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{line}");
        assert!(ran.err.contains(part), "{}", ran.err);
    }
    assert_eq!(run(&["calls", "--max-attempts", "1"], "").code, 2);
}

// Blocks from a provider.

fn anthropic(events: &[Value]) -> String {
    let event = |event: &Value| {
        format!(
            "event: {}\ndata: {event}\n\n",
            event["type"].as_str().unwrap()
        )
    };
    events.iter().map(event).collect()
}

fn anthropic_message(is_whole: bool) -> String {
    let text = format!("I look. {OPEN}ls{CLOSE}");
    let mut events = vec![
        json!({"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "content": []}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
    ];
    let piece = |text: &str| json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}});
    events.extend([piece(&text[..20]), piece(&text[20..])]);
    if is_whole {
        events.extend([
            json!({"type": "content_block_stop", "index": 0}),
            json!({"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "toolu_x", "name": "dc_bash", "input": {}}}),
            json!({"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "{\"shell\":"}}),
            json!({"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "\"pwd\"}"}}),
            json!({"type": "content_block_stop", "index": 1}),
            json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}),
            json!({"type": "message_stop"}),
        ]);
    }
    anthropic(&events)
}

#[test]
fn s004_blocks_are_read_from_a_providers_stream() {
    let printed = out(
        &["calls", "--blocks", "--from", "anthropic"],
        anthropic_message(true),
    );
    let calls: Vec<_> = values(&printed)
        .iter()
        .map(|call| {
            (
                call["index"].clone(),
                call["id"].clone(),
                call["arguments"]["command"].clone(),
            )
        })
        .collect();
    assert_eq!(
        calls,
        [
            (json!(0), json!("toolu_0"), json!("ls")),
            (json!(1), json!("toolu_x"), json!("pwd")),
        ]
    );
    let message = anthropic_message(true);
    let every = lines(&message.split("").collect::<Vec<_>>());
    let args = ["calls", "--blocks", "--from", "anthropic", "--chunks"];
    assert_eq!(out(&args, every), printed);
}

#[test]
fn s004_a_block_of_a_stream_that_was_cut_off_is_not_executed() {
    let ran = run(
        &["calls", "--blocks", "--from", "anthropic"],
        anthropic_message(false),
    );
    assert_eq!(ran.out, "");
    assert!(
        ran.err.contains("the input ended before the block stopped"),
        "{}",
        ran.err
    );
}

#[test]
fn s004_a_native_call_that_is_wrong_has_feedback() {
    let call = json!({"choices": [{"message": {"tool_calls": [{"id": "a", "type": "function",
        "function": {"name": "dc_bash", "arguments": "{\"command\": ls}"}}]}, "finish_reason": "tool_calls"}]});
    let ran = run(&["calls", "--blocks", "--from", "openai"], call.to_string());
    assert_eq!(ran.out, "");
    assert!(
        ran.err
            .starts_with("tagstream: block 0: call a of `dc_bash` was refused: JSON parse error: "),
        "{}",
        ran.err
    );
    assert!(
        ran.err
            .contains("  line 1, column 13:\n  {\"command\": ls}\n              ^\n"),
        "{}",
        ran.err
    );
}

// Errors of `calls` and `explain`.

const WEATHER: &str = r#"[{"name":"weather","input_schema":{"type":"object",
    "properties":{"days":{"type":"integer"},"city":{"type":"string"}},"required":["city"]}}]"#;

const WRONG: &str = "Let me see.\nNow: <function_calls>\n<invoke name=\"weather\">\n\t<parameter name=\"days\">all</parameter>\n</invoke></function_calls>";

/// The errors of `WRONG`, with their places, and one suggestion for both.
const REPORT: &str = "tagstream: call 0 of `weather` was refused: type_mismatch: argument `days`: expected an integer, got \"all\"
  line 4, column 25:
   <parameter name=\"days\">all</parameter>
                          ^
tagstream: call 0 of `weather` was refused: missing_required: missing required argument `city`
  line 3, column 1:
  <invoke name=\"weather\">
  ^
  Write it like this:
  <function_calls>
  <invoke name=\"weather\">
  <parameter name=\"days\">value</parameter>
  <parameter name=\"city\">value</parameter>
  </invoke>
  </function_calls>
";

#[test]
fn s004_calls_prints_errors_with_line_column_caret_and_suggestion() {
    let tools = Temp::new("feedback.json", WEATHER);
    let args = ["calls", "--tools", tools.path()];
    assert_eq!(run(&args, WRONG).err, REPORT);
    let every = lines(&WRONG.split("").collect::<Vec<_>>());
    assert_eq!(run(&[&args[..], &["--chunks"]].concat(), every).err, REPORT);
    // The next call has a suggestion of its own, in its own dialect.
    let two = format!("{WRONG}\n<tool_call>{{\"name\":\"weather\",\"arg");
    let more = concat!(
        "tagstream: call 1 of `weather` was refused: incomplete_call: the message ended before the call was complete; write the whole call again\n",
        "  line 6, column 34:\n",
        "  <tool_call>{\"name\":\"weather\",\"arg\n",
        "                                   ^\n",
        "  Write it like this:\n",
        "  <tool_call>{\"name\": \"weather\", \"arguments\": {\"days\": \"value\", \"city\": \"value\"}}</tool_call>\n",
    );
    assert_eq!(run(&args, two).err, format!("{REPORT}{more}"));
}

#[test]
fn s004_explain_prints_errors_with_line_column_caret_and_suggestion() {
    let tools = Temp::new("explained.json", WEATHER);
    let page = out(&["explain", "--tools", tools.path()], WRONG);
    let lines = REPORT.lines().filter(|line| line.starts_with("  "));
    let below: Vec<_> = lines.map(|line| format!("          {line}")).collect();
    let printed: Vec<_> = page
        .lines()
        .filter(|line| line.starts_with("            "))
        .collect();
    assert_eq!(printed, below, "{page}");
}

#[test]
fn s004_a_misspelt_closing_tag_is_refused_by_calls_too() {
    let message = format!("{OPEN}ls</parametr></invoke></function_calls>");
    let ran = run(&["calls"], message);
    assert_eq!(ran.out, "");
    assert!(
        ran.err.contains(
            "`</parametr>` in the value of `cmd` is not its closing tag; write `</parameter>`\n"
        ),
        "{}",
        ran.err
    );
    assert!(
        ran.err
            .contains("  Write it like this:\n  <function_calls>\n  <invoke name=\"dc_bash\">\n"),
        "{}",
        ran.err
    );
}

#[test]
fn s004_a_native_error_has_its_place_in_the_arguments() {
    let tools = Temp::new("native-place.json", WEATHER);
    let arguments = "{\"city\":\"x\",\n\"days\":\"all\"}";
    let call = json!({"choices": [{"message": {"tool_calls": [{"id": "a", "type": "function",
        "function": {"name": "weather", "arguments": arguments}}]}, "finish_reason": "tool_calls"}]});
    let args = ["calls", "--from", "openai", "--tools", tools.path()];
    let err = run(&args, call.to_string()).err;
    let place = "\n  line 2, column 1:\n  \"days\":\"all\"}\n  ^\n  Write it like this:\n  {\"days\":\"value\",\"city\":\"value\"}\n";
    assert!(err.ends_with(place), "{err}");
}
