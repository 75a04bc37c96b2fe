//! The formats that tagstream shares with a peer, and how a model writes calls in them.

use serde_json::Value;

use super::scenario::Call;

/// A format, and the name that each contender has for it.
pub struct Format {
    /// tagstream's name for it.
    pub name: &'static str,
    /// The built-in dialect.
    pub dialect: &'static str,
    #[cfg_attr(not(feature = "peers"), expect(dead_code))]
    pub peers: Peers,
    /// What opens the calls, or each call if they have no wrapper.
    pub opener: &'static str,
    /// What closes them.
    pub closer: &'static str,
    /// What closes a value, or the JSON of a call.
    pub value_closer: &'static str,
    write: fn(&[Call]) -> String,
    /// Whether the arguments are JSON; otherwise each value is raw text.
    pub is_json: bool,
}

/// The peers' parsers for a format.
#[cfg_attr(not(feature = "peers"), expect(dead_code))]
pub struct Peers {
    pub tool_parser: &'static str,
    pub dynamo_v1: &'static str,
    /// The family of `dynamo-parsers-v2`'s tool parsers, and that of its unified ones.
    pub dynamo_v2: Option<&'static str>,
    pub dynamo_v2_unified: Option<&'static str>,
    /// The table of `smg-symphony`, where it ships one.
    pub symphony: Option<&'static str>,
}

pub const ALL: [Format; 6] = [
    Format {
        name: "qwen3-coder",
        dialect: "qwen3-coder",
        peers: Peers {
            tool_parser: "qwen_xml",
            dynamo_v1: "qwen3_coder",
            dynamo_v2: Some("qwen3_coder"),
            dynamo_v2_unified: Some("qwen3"),
            symphony: Some("qwen3_tagged"),
        },
        opener: "<tool_call>",
        closer: "</tool_call>",
        value_closer: "</parameter>",
        write: qwen3_coder,
        is_json: false,
    },
    Format {
        name: "glm",
        dialect: "glm",
        peers: Peers {
            tool_parser: "glm47_moe",
            dynamo_v1: "glm47",
            dynamo_v2: Some("glm47"),
            dynamo_v2_unified: Some("glm47"),
            symphony: Some("glm"),
        },
        opener: "<tool_call>",
        closer: "</tool_call>",
        value_closer: "</arg_value>",
        write: glm,
        is_json: false,
    },
    Format {
        name: "minimax-m2",
        dialect: "minimax",
        peers: Peers {
            tool_parser: "minimax_m2",
            dynamo_v1: "minimax_m2",
            dynamo_v2: Some("minimax_m2"),
            dynamo_v2_unified: None,
            symphony: Some("minimax_m2"),
        },
        opener: "<minimax:tool_call>",
        closer: "</minimax:tool_call>",
        value_closer: "</parameter>",
        write: minimax,
        is_json: false,
    },
    Format {
        name: "dsml (DeepSeek V4)",
        dialect: "dsml",
        peers: Peers {
            tool_parser: "deepseek_v4",
            dynamo_v1: "deepseek_v4",
            dynamo_v2: Some("deepseek_v4"),
            dynamo_v2_unified: Some("deepseek_v4"),
            symphony: None,
        },
        opener: "<｜DSML｜tool_calls>",
        closer: "</｜DSML｜tool_calls>",
        value_closer: "</｜DSML｜parameter>",
        write: dsml,
        is_json: false,
    },
    Format {
        name: "kimi-k2",
        dialect: "kimi-k2",
        peers: Peers {
            tool_parser: "kimik2",
            dynamo_v1: "kimi_k2",
            dynamo_v2: Some("kimi_k2"),
            dynamo_v2_unified: Some("kimi_k2"),
            symphony: None,
        },
        opener: "<|tool_calls_section_begin|>",
        closer: "<|tool_calls_section_end|>",
        value_closer: "<|tool_call_end|>",
        write: kimi_k2,
        is_json: true,
    },
    Format {
        name: "hermes",
        dialect: "hermes",
        peers: Peers {
            tool_parser: "qwen",
            dynamo_v1: "hermes",
            dynamo_v2: None,
            dynamo_v2_unified: None,
            symphony: Some("qwen3"),
        },
        opener: "<tool_call>",
        closer: "</tool_call>",
        value_closer: "</tool_call>",
        write: hermes,
        is_json: true,
    },
];

impl Format {
    /// A message: a sentence, and the calls.
    pub fn message(&self, calls: &[Call]) -> String {
        format!("I will look at the files first.\n\n{}", self.write(calls))
    }

    /// The calls alone.
    pub fn write(&self, calls: &[Call]) -> String {
        (self.write)(calls)
    }

    /// How many bytes of arguments can be shown while they arrive.
    pub fn shown(&self, calls: &[Call]) -> usize {
        let size = |call: &Call| {
            if self.is_json {
                return call.object().to_string().len();
            }
            let values = call.arguments.iter();
            values.map(|(_, value)| raw(value).len()).sum()
        };
        calls.iter().map(size).sum()
    }
}

/// A value where values are raw text: a string as it is, anything else as JSON.
pub fn raw(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The calls, each with its arguments written by `argument`, between `head` and `tail`.
fn each(
    calls: &[Call],
    head: impl Fn(&str) -> String,
    argument: impl Fn(&str, &Value) -> String,
    tail: &str,
) -> String {
    let mut out = String::new();
    for call in calls {
        out.push_str(&head(call.name));
        for (name, value) in &call.arguments {
            out.push_str(&argument(name, value));
        }
        out.push_str(tail);
    }
    out
}

fn qwen3_coder(calls: &[Call]) -> String {
    each(
        calls,
        |name| format!("<tool_call>\n<function={name}>\n"),
        |name, value| format!("<parameter={name}>\n{}\n</parameter>\n", raw(value)),
        "</function>\n</tool_call>\n",
    )
}

fn glm(calls: &[Call]) -> String {
    each(
        calls,
        |name| format!("<tool_call>{name}"),
        |name, value| {
            let value = raw(value);
            format!("<arg_key>{name}</arg_key><arg_value>{value}</arg_value>")
        },
        "</tool_call>",
    )
}

fn minimax(calls: &[Call]) -> String {
    let calls = each(
        calls,
        |name| format!("<invoke name=\"{name}\">\n"),
        |name, value| format!("<parameter name=\"{name}\">{}</parameter>\n", raw(value)),
        "</invoke>\n",
    );
    format!("<minimax:tool_call>\n{calls}</minimax:tool_call>")
}

fn dsml(calls: &[Call]) -> String {
    let calls = each(
        calls,
        |name| format!("<｜DSML｜invoke name=\"{name}\">\n"),
        |name, value| {
            let (is_string, value) = (value.is_string(), raw(value));
            format!(
                "<｜DSML｜parameter name=\"{name}\" string=\"{is_string}\">{value}</｜DSML｜parameter>\n"
            )
        },
        "</｜DSML｜invoke>\n",
    );
    format!("<｜DSML｜tool_calls>\n{calls}</｜DSML｜tool_calls>")
}

fn kimi_k2(calls: &[Call]) -> String {
    let mut out = String::from("<|tool_calls_section_begin|>");
    for (number, call) in calls.iter().enumerate() {
        out.push_str(&format!(
            "<|tool_call_begin|>functions.{}:{number}<|tool_call_argument_begin|>{}<|tool_call_end|>",
            call.name,
            call.object(),
        ));
    }
    out + "<|tool_calls_section_end|>"
}

fn hermes(calls: &[Call]) -> String {
    let call = |call: &Call| {
        let (name, arguments) = (call.name, call.object());
        format!("<tool_call>\n{{\"name\": \"{name}\", \"arguments\": {arguments}}}\n</tool_call>")
    };
    let calls: Vec<String> = calls.iter().map(call).collect();
    calls.join("\n")
}
