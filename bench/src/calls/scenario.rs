//! The calls that every contender reads: made from a seed, so that they are the same everywhere.

use serde_json::{Value, json};

use crate::message::{FENCES, Random, WORDS};

/// A call as it is meant.
pub struct Call {
    pub name: &'static str,
    /// In the order in which they are written.
    pub arguments: Vec<(&'static str, Value)>,
}

impl Call {
    /// Its arguments as an object.
    pub fn object(&self) -> Value {
        let pairs = self.arguments.iter();
        pairs
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect::<serde_json::Map<_, _>>()
            .into()
    }
}

/// The calls in a message.
pub struct Scenario {
    pub name: &'static str,
    pub calls: Vec<Call>,
}

/// How many calls are in a row.
pub const ROW: usize = 200;
/// The length of the argument of the one call, in KB, for each scenario with a long call.
pub const LONG: [usize; 3] = [100, 200, 400];

/// Many short calls, and one with a long argument.
pub fn all() -> [Scenario; 4] {
    let mut random = Random(2027);
    let row = (0..ROW).map(|number| short(number, &mut random)).collect();
    let long = |name, size| Scenario {
        name,
        calls: vec![long(size * 1000)],
    };
    [
        Scenario {
            name: "200 calls",
            calls: row,
        },
        long("100 KB", LONG[0]),
        long("200 KB", LONG[1]),
        long("400 KB", LONG[2]),
    ]
}

/// The tools, as a request declares them.
pub fn tools() -> Value {
    let text = json!({"type": "string"});
    let number = json!({"type": "integer"});
    json!([
        tool("write_file", &json!({"path": text, "content": text})),
        tool(
            "search",
            &json!({"query": text, "path": text, "limit": number})
        ),
        tool("run", &json!({"command": text, "timeout": number})),
    ])
}

fn tool(name: &str, properties: &Value) -> Value {
    let required: Vec<&String> = properties
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, _)| name)
        .collect();
    let parameters = json!({"type": "object", "properties": properties, "required": required});
    json!({"type": "function", "function": {"name": name, "description": name, "parameters": parameters}})
}

fn short(number: usize, random: &mut Random) -> Call {
    let path = json!(format!(
        "src/{}/{}.rs",
        random.pick(WORDS),
        random.pick(WORDS)
    ));
    match number % 3 {
        0 => Call {
            name: "write_file",
            arguments: vec![
                ("path", path),
                ("content", json!(code(200 + random.below(800), random))),
            ],
        },
        1 => Call {
            name: "search",
            arguments: vec![
                ("query", json!(words(random))),
                ("path", path),
                ("limit", json!(random.below(100))),
            ],
        },
        _ => Call {
            name: "run",
            arguments: vec![
                (
                    "command",
                    json!(format!("grep -rn '{}' . | sort | uniq -c", words(random))),
                ),
                ("timeout", json!(random.below(600))),
            ],
        },
    }
}

/// One call that writes a file of `size` bytes.
fn long(size: usize) -> Call {
    Call {
        name: "write_file",
        arguments: vec![
            ("path", json!("src/main.rs")),
            ("content", json!(code(size, &mut Random(2028)))),
        ],
    }
}

/// Lines of code with `<` and quotes, exactly `size` bytes, without white space at the ends: formats
/// differ in what they make of that.
fn code(size: usize, random: &mut Random) -> String {
    let mut text = String::from("//");
    while text.len() < size {
        let (_, lines) = FENCES[random.below(FENCES.len())];
        text.push_str(match random.below(12) {
            0 => "// naïve → “better”, see below",
            _ => random.pick(lines),
        });
        text.push('\n');
    }
    let mut end = size - 4;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    while text.len() < size {
        text.push('.');
    }
    text
}

fn words(random: &mut Random) -> String {
    let words: Vec<&str> = (0..3 + random.below(4))
        .map(|_| random.pick(WORDS))
        .collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_no_white_space_at_their_ends_and_are_as_long_as_said() {
        let [row, long, ..] = all();
        for (_, value) in row.calls.iter().flat_map(|call| &call.arguments) {
            let text = value.as_str().unwrap_or("1");
            assert_eq!(text.trim(), text);
        }
        let content = long.calls[0].arguments[1].1.as_str();
        assert_eq!(content.map(str::len), Some(100_000));
    }
}
