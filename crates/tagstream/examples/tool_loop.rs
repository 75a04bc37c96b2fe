//! An agent's loop: read the model's reply, run the tool calls in it, and answer them until the
//! model replies without a call.
//!
//! ```sh
//! cargo run -p tagstream --example tool_loop
//! ```
//!
//! The model is a list of recorded replies, in two dialects. Its first call has a wrong argument:
//! the message of the error is what the model needs to correct it.

use serde_json::Value;
use std::error::Error;
use tagstream::{Calls, OwnedEventKind, Policy, Profile, Tools};

const TOOLS: &str = r#"[{"type": "function", "function": {
    "name": "add",
    "description": "Adds integers.",
    "parameters": {
        "type": "object",
        "properties": {"numbers": {"type": "array", "items": {"type": "integer"}}},
        "required": ["numbers"]
    }
}}]"#;

/// Each reply in the chunks in which it was streamed.
const REPLIES: [&[&str]; 3] = [
    &[
        "Let me add.\n<tool_call>{\"name\": \"add\", \"argu",
        "ments\": {\"numbers\": [2, \"two\"]}}</tool_call>",
    ],
    &[
        "Once more.\n<tool_call>\n<function=add>\n<parameter=num",
        "bers>[2, 2]</parameter>\n</function>\n</tool_call>",
    ],
    &["2 + 2 = ", "4"],
];

fn main() -> Result<(), Box<dyn Error>> {
    let tools = Tools::parse(TOOLS)?;
    let policy = Profile::new().calls(Calls::auto(&tools)).compile()?;
    for reply in REPLIES {
        let (text, answers) = read(&policy, reply);
        println!("model: {}", text.trim());
        if answers.is_empty() {
            break;
        }
        // A real loop sends these back to the model, which then writes its next reply.
        for answer in answers {
            println!("tool:  {answer}");
        }
    }
    Ok(())
}

/// The text of a reply, and the answers to its calls. A call whose arguments do not fit its schema
/// is not run.
fn read(policy: &Policy, chunks: &[&str]) -> (String, Vec<String>) {
    let (mut text, mut answers) = (String::new(), Vec::new());
    for event in tagstream::events(policy, chunks) {
        match event.kind {
            OwnedEventKind::Text(piece) => text += &piece,
            OwnedEventKind::CallEnd {
                name, arguments, ..
            } => answers.push(run(&name, &arguments)),
            OwnedEventKind::CallError { message, .. } => answers.push(format!("error: {message}")),
            _ => {}
        }
    }
    (text, answers)
}

/// Runs a tool. The arguments fit its schema: only declared tools get here.
fn run(name: &str, arguments: &str) -> String {
    let arguments: Value = serde_json::from_str(arguments).expect("checked arguments are JSON");
    match name {
        "add" => {
            let numbers = arguments["numbers"].as_array().into_iter().flatten();
            numbers.filter_map(Value::as_i64).sum::<i64>().to_string()
        }
        _ => unreachable!("`{name}` is not declared"),
    }
}

#[test]
fn a_wrong_call_is_explained_and_a_right_one_is_run() {
    let tools = Tools::parse(TOOLS).unwrap();
    let policy = Profile::new().calls(Calls::auto(&tools)).compile().unwrap();
    let [wrong, right, last] = REPLIES.map(|reply| read(&policy, reply).1);
    let error = r#"error: argument `numbers[1]`: the value is not of type "integer", got "two""#;
    assert_eq!(wrong, [error]);
    assert_eq!(right, ["4"]);
    assert!(last.is_empty());
}
