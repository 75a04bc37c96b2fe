//! Prints each chunk of a message, followed by the events that the chunk made certain.
//!
//! ```sh
//! cargo run -p tagstream --example trace
//! printf '<think>a</think>b' | cargo run -p tagstream --example trace -- -
//! ```
//!
//! The first command reads a built-in message, the second cuts standard input into chunks of four
//! bytes, about the size of a token. A chunk without events is held: later bytes decide what it is.

use std::io::Read;
use tagstream::{Calls, Element, Engine, Event, Policy, Profile, ProfileError, Thinking};

const CHUNK_BYTES: usize = 4;

/// A thought, text with a quoted tag, an element and a tool call, cut inside their tags.
const MESSAGE: [&str; 6] = [
    "<thi",
    "nk>plan</th",
    "ink>5 <",
    " 6, not `<think>`. <note id=\"a\">Buy te",
    "a</note><tool_call>{\"name\": \"no",
    "w\", \"arguments\": {}}</tool_call>",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let policy = policy()?;
    let lines = if std::env::args().nth(1).as_deref() == Some("-") {
        let mut message = Vec::new();
        std::io::stdin().read_to_end(&mut message)?;
        trace(&policy, message.chunks(CHUNK_BYTES))
    } else {
        trace(&policy, MESSAGE.map(str::as_bytes))
    };
    println!("{}", lines.join("\n"));
    Ok(())
}

/// Thinking, notes, and calls of any tool in any dialect.
fn policy() -> Result<Policy, ProfileError> {
    Profile::new()
        .thinking(Thinking::tags(["think"]))
        .element(Element::named("note"))
        .calls(Calls::dialect("auto").expect("it is built in"))
        .compile()
}

fn trace<'a>(policy: &Policy, chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<String> {
    let mut lines = Vec::new();
    let mut engine = Engine::new(policy);
    for chunk in chunks {
        lines.push(format!("{:?}", String::from_utf8_lossy(chunk)));
        engine.push_bytes(chunk, |event| lines.push(line(event)));
    }
    lines.push("end of the message".to_owned());
    engine.finish(|event| lines.push(line(event)));
    lines
}

/// The span of an event, in bytes of the message, and the event as JSON.
fn line(event: Event<'_>) -> String {
    let json = serde_json::to_string(&event).expect("an event is JSON");
    format!("{:6}..{:<4} {json}", event.span.start, event.span.end)
}

#[test]
fn a_chunk_is_followed_by_what_it_made_certain() {
    let lines = trace(&policy().unwrap(), MESSAGE.map(str::as_bytes));
    let start = [
        r#""<thi""#,
        r#""nk>plan</th""#,
        r#"     0..7    {"type":"thought_start","tag":"think","attributes":{}}"#,
        r#"     7..11   {"type":"thought","text":"plan"}"#,
        r#""ink>5 <""#,
    ];
    assert_eq!(lines[..start.len()], start);
}
