//! Streams that never end, each after something that a session or a rewriter might keep.

use tagstream_wire::Format;

/// A stream without an end.
pub(crate) struct Hostile {
    pub(crate) name: &'static str,
    pub(crate) format: Format,
    /// How it begins.
    pub(crate) head: &'static str,
    /// What comes again and again, with the number of the turn.
    pub(crate) again: fn(usize) -> String,
}

type Again = fn(usize) -> String;

pub(crate) fn all() -> Vec<Hostile> {
    let mut all = Vec::new();
    for (format, streams) in [
        (Format::OpenAi, openai()),
        (Format::Responses, responses()),
        (Format::Anthropic, anthropic()),
        (Format::Gemini, gemini()),
        (Format::Ollama, ollama()),
    ] {
        for (name, head, again) in streams.into_iter().chain(framing()) {
            all.push(Hostile {
                name,
                format,
                head,
                again,
            });
        }
    }
    all
}

/// An event with this data.
fn data(json: &str) -> String {
    format!("data: {json}\n\n")
}

/// Some text, so that it is the content that grows.
const FILL: &str = "lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor";

/// What all formats have in common.
fn framing() -> Vec<(&'static str, &'static str, Again)> {
    vec![
        ("comments", "", |_| format!(": {FILL}\n\n")),
        ("an event of many lines", "", |_| format!("data: {FILL}\n")),
        ("an event of one line", "data: ", |_| FILL.to_owned()),
        ("blank lines", "", |_| "\n".repeat(64)),
        ("events that are not JSON", "", |_| data(FILL)),
        ("a list that does not end", "[", |_| "[[[[[[[[".to_owned()),
        ("a string that does not end", "{\"a\":\"", |_| {
            FILL.to_owned()
        }),
        ("events of values in values", "", |_| {
            let (open, close) = ("[".repeat(9000), "]".repeat(9000));
            data(&format!("{{\"x\":{open}{{\"y\":1,\"y\":2}}{close}}}"))
        }),
        ("what is not an event", "", |_| format!("{FILL}\n\n")),
    ]
}

fn openai() -> Vec<(&'static str, &'static str, Again)> {
    fn delta(index: usize, json: &str) -> String {
        data(&format!(
            r#"{{"id":"c-1","choices":[{{"index":{index},"delta":{json}}}]}}"#
        ))
    }
    vec![
        ("text", "", |_| {
            delta(0, &format!(r#"{{"content":"{FILL}"}}"#))
        }),
        ("a thought in the text", "", |n| {
            let tag = if n == 0 { "<think>" } else { "" };
            delta(0, &format!(r#"{{"content":"{tag}{FILL}"}}"#))
        }),
        ("thinking", "", |_| {
            delta(0, &format!(r#"{{"reasoning":"{FILL}"}}"#))
        }),
        ("choices", "", |n| {
            delta(n, &format!(r#"{{"content":"<{FILL}"}}"#))
        }),
        ("finished choices", "", |n| {
            data(&format!(
                r#"{{"choices":[{{"index":{n},"finish_reason":"{FILL}"}}]}}"#
            ))
        }),
        ("calls by their index", "", |n| {
            delta(
                0,
                &format!(
                    r#"{{"tool_calls":[{{"index":{n},"id":"{FILL}{n}","function":{{"name":"f","arguments":"{FILL}"}}}}]}}"#
                ),
            )
        }),
        ("calls by their id", "", |n| {
            delta(
                0,
                &format!(
                    r#"{{"tool_calls":[{{"index":0,"id":"{n}","function":{{"name":"{FILL}","arguments":"{{}}"}}}}]}}"#
                ),
            )
        }),
        ("calls of many choices", "", |n| {
            delta(
                n % 512,
                &format!(
                    r#"{{"tool_calls":[{{"index":0,"id":"a{}","function":{{"name":"f","arguments":"{FILL}{FILL}{FILL}{FILL}"}}}}]}}"#,
                    n % 512
                ),
            )
        }),
        ("a call", "", |_| {
            delta(
                0,
                &format!(
                    r#"{{"tool_calls":[{{"index":0,"id":"a","function":{{"name":"f","arguments":"{FILL}"}}}}]}}"#
                ),
            )
        }),
        ("calls that end", "", |n| {
            data(&format!(
                r#"{{"choices":[{{"delta":{{"tool_calls":[{{"index":{n},"id":"{FILL}{n}","function":{{"name":"f","arguments":"{{}}"}}}}]}},"finish_reason":"tool_calls"}}]}}"#
            ))
        }),
        ("whole messages", "", |n| {
            data(&format!(
                r#"{{"choices":[{{"message":{{"content":"{FILL}","tool_calls":[{{"id":"{FILL}{n}","function":{{"name":"f","arguments":"{{}}"}}}}]}}}}]}}"#
            ))
        }),
        ("answers", "", |n| {
            data(&format!(r#"{{"id":"{FILL}{n}","choices":[]}}"#))
        }),
    ]
}

fn responses() -> Vec<(&'static str, &'static str, Again)> {
    fn event(kind: &str, rest: &str) -> String {
        data(&format!(r#"{{"type":"response.{kind}",{rest}}}"#))
    }
    fn message(n: usize) -> String {
        event(
            "output_item.added",
            &format!(
                r#""output_index":{n},"item":{{"type":"message","id":"{FILL}{n}","content":[]}}"#
            ),
        )
    }
    const BEGUN: &str = concat!(
        r#"data: {"type":"response.output_item.added","output_index":0,"#,
        r#""item":{"type":"message","id":"m","content":[]}}"#,
        "\n\n"
    );
    vec![
        ("messages", "", message),
        ("messages with text", "", |n| {
            let text = format!(r#""output_index":{n},"content_index":0,"delta":"<{FILL}""#);
            message(n) + &event("output_text.delta", &text)
        }),
        ("announced parts", BEGUN, |_| {
            event(
                "content_part.added",
                &format!(
                    r#""output_index":0,"content_index":0,"part":{{"type":"output_text","text":"","x":"{FILL}"}}"#
                ),
            )
        }),
        ("parts of text", BEGUN, |n| {
            event(
                "output_text.delta",
                &format!(r#""output_index":0,"content_index":{n},"delta":"{FILL}""#),
            )
        }),
        ("parts that are no text", BEGUN, |n| {
            event(
                "refusal.delta",
                &format!(r#""output_index":0,"content_index":{n},"delta":"{FILL}""#),
            )
        }),
        ("parts of unknown items", "", |n| {
            event(
                "output_text.delta",
                &format!(r#""item_id":"{FILL}{n}","content_index":{n},"delta":"{FILL}""#),
            )
        }),
        ("a text", BEGUN, |_| {
            event(
                "output_text.delta",
                &format!(r#""output_index":0,"content_index":0,"delta":"{FILL}""#),
            )
        }),
        ("a thought in a text", BEGUN, |n| {
            let tag = if n == 0 { "<think>" } else { "" };
            event(
                "output_text.delta",
                &format!(r#""output_index":0,"content_index":0,"delta":"{tag}{FILL}""#),
            )
        }),
        ("annotations", BEGUN, |_| {
            event(
                "output_text.annotation.added",
                &format!(r#""output_index":0,"content_index":0,"annotation":"{FILL}""#),
            )
        }),
        ("unknown events", BEGUN, |_| {
            event("x", &format!(r#""y":"{FILL}""#))
        }),
        ("calls", "", |n| {
            event(
                "output_item.added",
                &format!(
                    r#""output_index":{n},"item":{{"type":"function_call","id":"{FILL}{n}","call_id":"{n}{FILL}","name":"f","arguments":""}}"#
                ),
            )
        }),
        ("arguments of no call", "", |n| {
            event(
                "function_call_arguments.delta",
                &format!(r#""output_index":{n},"delta":"{FILL}""#),
            )
        }),
        ("calls that end", "", |n| {
            event(
                "output_item.done",
                &format!(
                    r#""output_index":{n},"item":{{"type":"function_call","id":"{FILL}{n}","call_id":"{n}{FILL}","name":"f","arguments":"{{}}"}}"#
                ),
            )
        }),
        ("thoughts", "", |n| {
            event(
                "reasoning_text.delta",
                &format!(
                    r#""output_index":{n},"item_id":"{FILL}{n}","content_index":0,"delta":"{FILL}""#
                ),
            )
        }),
        ("whole messages", "", |n| {
            event(
                "output_item.done",
                &format!(
                    r#""output_index":{n},"item":{{"type":"message","id":"{FILL}{n}","content":[{{"type":"output_text","text":"{FILL}"}}]}}"#
                ),
            )
        }),
    ]
}

fn anthropic() -> Vec<(&'static str, &'static str, Again)> {
    fn event(kind: &str, rest: &str) -> String {
        format!("event: {kind}\ndata: {{\"type\":\"{kind}\",{rest}}}\n\n")
    }
    const BEGUN: &str = concat!(
        r#"data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
        "\n\n"
    );
    vec![
        ("texts that begin", "", |n| {
            event(
                "content_block_start",
                &format!(r#""index":{n},"content_block":{{"type":"text","text":"<{FILL}"}}"#),
            )
        }),
        ("pieces of texts", "", |n| {
            event(
                "content_block_delta",
                &format!(r#""index":{n},"delta":{{"type":"text_delta","text":"<{FILL}"}}"#),
            )
        }),
        ("thoughts", "", |n| {
            event(
                "content_block_delta",
                &format!(r#""index":{n},"delta":{{"type":"thinking_delta","thinking":"{FILL}"}}"#),
            )
        }),
        ("calls that begin", "", |n| {
            event(
                "content_block_start",
                &format!(
                    r#""index":{n},"content_block":{{"type":"tool_use","id":"{FILL}{n}","name":"{FILL}","input":{{}}}}"#
                ),
            )
        }),
        ("calls that end", "", |n| {
            event(
                "content_block_start",
                &format!(
                    r#""index":{n},"content_block":{{"type":"tool_use","id":"{FILL}{n}","name":"f","input":{{}}}}"#
                ),
            ) + &event("content_block_stop", &format!(r#""index":{n}"#))
        }),
        (
            "arguments",
            concat!(
                r#"data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"f"}}"#,
                "\n\n"
            ),
            |_| {
                event(
                    "content_block_delta",
                    &format!(
                        r#""index":0,"delta":{{"type":"input_json_delta","partial_json":"{FILL}"}}"#
                    ),
                )
            },
        ),
        ("citations before a text", BEGUN, |_| {
            let long = FILL.repeat(40);
            event(
                "content_block_delta",
                &format!(r#""index":0,"delta":{{"type":"citations_delta","citation":"{long}"}}"#),
            )
        }),
        ("pings before a text", BEGUN, |_| {
            event("ping", &format!(r#""x":"{FILL}""#))
        }),
        ("an overlong event before a text", BEGUN, |n| {
            if n == 0 {
                "data: ".to_owned()
            } else {
                FILL.to_owned()
            }
        }),
    ]
}

fn gemini() -> Vec<(&'static str, &'static str, Again)> {
    fn parts(index: usize, parts: &str) -> String {
        data(&format!(
            r#"{{"candidates":[{{"index":{index},"content":{{"parts":[{parts}]}}}}]}}"#
        ))
    }
    const OVER: &str = concat!(
        r#"data: {"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}]}"#,
        "\n\n"
    );
    vec![
        ("comments after the end", OVER, |_| format!(": {FILL}\n\n")),
        ("an overlong event after the end", OVER, |n| {
            if n == 0 {
                "data: ".to_owned()
            } else {
                FILL.to_owned()
            }
        }),
        ("ends of many candidates", "", |n| {
            data(&format!(
                r#"{{"candidates":[{{"index":{n},"finishReason":"{FILL}"}}]}}"#
            ))
        }),
        ("candidates", "", |n| {
            parts(n, &format!(r#"{{"text":"<{FILL}"}}"#))
        }),
        ("a string in pieces", "", |n| {
            let name = if n == 0 { r#""name":"f","# } else { "" };
            parts(
                0,
                &format!(
                    r#"{{"functionCall":{{{name}"willContinue":true,"partialArgs":[{{"jsonPath":"$.a","stringValue":"{FILL}"}}]}}}}"#
                ),
            )
        }),
        ("numbers in pieces", "", |n| {
            let name = if n == 0 { r#""name":"f","# } else { "" };
            parts(
                0,
                &format!(
                    r#"{{"functionCall":{{{name}"willContinue":true,"partialArgs":[{{"jsonPath":"$.a[{n}].b.c.d","numberValue":1}}]}}}}"#
                ),
            )
        }),
        ("pieces that do not fit", "", |n| {
            let name = if n == 0 { r#""name":"f","# } else { "" };
            parts(
                0,
                &format!(
                    r#"{{"functionCall":{{{name}"willContinue":true,"partialArgs":[{{"jsonPath":"$.{FILL}{n}","stringValue":"{FILL}"}},{{"jsonPath":"$[0]"}}]}}}}"#
                ),
            )
        }),
        ("calls in pieces", "", |n| {
            parts(
                0,
                &format!(
                    r#"{{"functionCall":{{"id":"{FILL}{n}","name":"f","willContinue":true,"args":{{"x":"{FILL}"}},"partialArgs":[{{"jsonPath":"$.a","stringValue":"{FILL}"}}]}}}}"#
                ),
            )
        }),
        ("whole calls", "", |n| {
            parts(
                0,
                &format!(
                    r#"{{"functionCall":{{"id":"{FILL}{n}","name":"f","args":{{"x":"{FILL}"}}}}}}"#
                ),
            )
        }),
    ]
}

fn ollama() -> Vec<(&'static str, &'static str, Again)> {
    fn line(message: &str) -> String {
        format!("{{\"model\":\"m\",\"created_at\":\"t\",\"message\":{message},\"done\":false}}\n")
    }
    vec![
        ("text in lines", "", |_| {
            line(&format!(r#"{{"content":"{FILL}"}}"#))
        }),
        ("thinking", "", |_| {
            line(&format!(r#"{{"thinking":"{FILL}"}}"#))
        }),
        ("calls", "", |n| {
            line(&format!(
                r#"{{"content":"","tool_calls":[{{"id":"{FILL}{n}","function":{{"name":"f","arguments":{{"a":"{FILL}"}}}}}}]}}"#
            ))
        }),
        ("calls in the text", "", |_| {
            line(r#"{"content":"<tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call> "}"#)
        }),
        ("a line that does not end", "{}\n", |_| FILL.to_owned()),
    ]
}
