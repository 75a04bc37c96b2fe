//! Small worlds for brute force: a dialect, a beginning, and pieces of which all short
//! continuations of it are made.

use super::files;
use tagstream::{Calls, Inside, Policy, Profile, Thinking, Tool};

/// A world.
pub struct World {
    pub dialect: &'static str,
    pub policy: Policy,
    /// Where all its messages begin.
    pub beginning: &'static str,
    /// Of these, all that follows is made.
    pub pieces: Vec<&'static str>,
    /// All messages of up to so many pieces behind the beginning are looked at.
    pub length: usize,
    /// Endings that answer what few pieces leave open.
    pub endings: Vec<String>,
}

type Beginnings = &'static [(&'static str, usize)];

fn worlds(
    dialect: &'static str,
    pieces: &[&'static str],
    endings: &[impl AsRef<str>],
    beginnings: Beginnings,
) -> Vec<World> {
    let world = |&(beginning, length): &(&'static str, usize)| World {
        dialect,
        policy: policy(dialect, Inside::Ignore),
        beginning,
        pieces: pieces.to_vec(),
        length,
        endings: endings.iter().map(|e| e.as_ref().to_owned()).collect(),
    };
    beginnings.iter().map(world).collect()
}

/// One tool is declared, `f` with the arguments `a` and `b`.
fn policy(dialect: &str, in_thinking: Inside) -> Policy {
    let mut calls = Calls::dialects([files::dialect(dialect)]).tool(Tool::new("f", ["a", "b"]));
    calls.in_thinking = in_thinking;
    let mut profile = Profile::new().calls(calls);
    if in_thinking == Inside::Promote {
        profile = profile.thinking(Thinking::tags(["think"]));
    }
    profile.compile().expect("the profile is good")
}

/// Closers of a value, its call and what is around it, behind closers that are part of the value.
fn endings(value: &str, call: &str, around: &str) -> Vec<String> {
    let parts = [
        String::new(),
        value.into(),
        call.into(),
        [value, call].concat(),
    ];
    let ending = |part: &String| [part, value, call, around].concat();
    parts.iter().map(ending).collect()
}

/// The pieces of dialects with `<invoke>`, without what is around the calls.
const INVOKES: &[&str] = &[
    "<invoke name=\"f\">",
    "<invoke name=\"g\">",
    "</invoke>",
    "<parameter name=\"a\">",
    "<parameter name=\"b\">",
    "</parameter>",
    "x",
    " ",
    "\n",
    "<",
];

pub fn function_calls() -> Vec<World> {
    worlds(
        "function_calls",
        &[&["<function_calls>", "</function_calls>"], INVOKES].concat(),
        &endings("</parameter>", "</invoke>", "</function_calls>"),
        &[
            ("", 3),
            ("<function_calls><invoke name=\"f\">", 3),
            (
                "<function_calls><invoke name=\"f\"><parameter name=\"a\">",
                3,
            ),
            (
                "<function_calls><invoke name=\"f\"><parameter name=\"a\">x</parameter>",
                3,
            ),
            (
                "<function_calls><invoke name=\"f\"><parameter name=\"a\">x</parameter></invoke>",
                3,
            ),
        ],
    )
}

pub fn tags() -> Vec<World> {
    worlds(
        "tags",
        &[
            "<f>", "</f>", "<a>", "</a>", "<b>", "</b>", "x", " ", "\n", "<",
        ],
        &endings("</a>", "</f>", ""),
        &[("", 4), ("<f><a>", 4), ("<f><a>x</a>", 4)],
    )
}

pub fn hermes() -> Vec<World> {
    worlds(
        "hermes",
        &[
            "<tool_call>",
            "</tool_call>",
            "{",
            "}",
            "[",
            "]",
            "\"",
            "\\",
            ":",
            ",",
            "\"name\"",
            "\"f\"",
            "\"arguments\"",
            "1",
            "x",
            " ",
            "\n",
            "<",
        ],
        &[
            "\"}}</tool_call>",
            "}</tool_call>",
            ":{\"a\":1}}</tool_call>",
            "\"name\":\"f\",\"arguments\":{}}</tool_call>",
            ",\"name\":\"f\"}</tool_call>",
            "\":\"f\",\"arguments\":{}}</tool_call>",
        ]
        .map(str::to_owned),
        &[
            ("", 3),
            ("<tool_call>{", 3),
            ("<tool_call>{\"name\":\"f\",\"arguments\":", 2),
            ("<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":\"", 3),
            ("<tool_call>{\"arguments\":{\"a\":1},", 2),
            ("<tool_call>{\"name\":\"f\",\"arguments\":{}}", 2),
            ("<tool_call>[{\"name\":\"f\",\"arguments\":{}}]", 2),
        ],
    )
}

fn qwen_endings() -> Vec<String> {
    endings("</parameter>", "</function>", "</tool_call>")
}

pub fn qwen3_coder() -> Vec<World> {
    worlds(
        "qwen3-coder",
        &[
            "<tool_call>",
            "</tool_call>",
            "<function=f>",
            "<function=g>",
            "</function>",
            "<parameter=a>",
            "<parameter=b>",
            "</parameter>",
            "x",
            " ",
            "\n",
            "<",
        ],
        &qwen_endings(),
        &[
            ("", 3),
            ("<tool_call><function=f>", 3),
            ("<tool_call><function=f><parameter=a>", 3),
            ("<tool_call><function=f><parameter=a>x</parameter>", 3),
            (
                "<tool_call><function=f><parameter=a>x</parameter></function>",
                3,
            ),
        ],
    )
}

/// Calls count inside thinking.
pub fn thinking() -> Vec<World> {
    let pieces = &[
        "<think>",
        "</think>",
        "<tool_call>",
        "</tool_call>",
        "<function=f>",
        "</function>",
        "<parameter=a>",
        "<parameter=b>",
        "</parameter>",
        "x",
        "\n",
        "`",
    ];
    let mut worlds = worlds(
        "qwen3-coder",
        pieces,
        &qwen_endings(),
        &[
            ("", 2),
            ("<think>", 3),
            ("<think>y<tool_call><function=f>", 3),
            ("<think>y<tool_call><function=f><parameter=a>", 3),
            (
                "<think>y<tool_call><function=f><parameter=a>x</parameter></function>",
                3,
            ),
        ],
    );
    for world in &mut worlds {
        world.policy = policy(world.dialect, Inside::Promote);
    }
    worlds
}

pub fn glm() -> Vec<World> {
    worlds(
        "glm",
        &[
            "<tool_call>",
            "</tool_call>",
            "<arg_key>",
            "</arg_key>",
            "<arg_value>",
            "</arg_value>",
            "f",
            "a",
            "b",
            " ",
            "\n",
            "<",
            "!",
        ],
        &[
            endings("</arg_value>", "</tool_call>", ""),
            vec!["<arg_key>b</arg_key><arg_value>x</arg_value></tool_call>".to_owned()],
        ]
        .concat(),
        &[
            ("", 3),
            ("<tool_call>f", 3),
            ("<tool_call>f<arg_key>", 3),
            ("<tool_call>f<arg_key>a</arg_key><arg_value>", 3),
            (
                "<tool_call>f<arg_key>a</arg_key><arg_value>x</arg_value>",
                3,
            ),
        ],
    )
}

pub fn minimax() -> Vec<World> {
    worlds(
        "minimax",
        &[&["<minimax:tool_call>", "</minimax:tool_call>"], INVOKES].concat(),
        &endings("</parameter>", "</invoke>", "</minimax:tool_call>"),
        &[
            ("", 2),
            ("<minimax:tool_call><invoke name=\"f\">", 2),
            (
                "<minimax:tool_call><invoke name=\"f\"><parameter name=\"a\">",
                3,
            ),
            (
                "<minimax:tool_call><invoke name=\"f\"><parameter name=\"a\">x</parameter>",
                2,
            ),
        ],
    )
}

pub fn dsml() -> Vec<World> {
    worlds(
        "dsml",
        &[
            "<｜DSML｜tool_calls>",
            "</｜DSML｜tool_calls>",
            "<｜DSML｜invoke name=\"f\">",
            "</｜DSML｜invoke>",
            "<｜DSML｜parameter name=\"a\">",
            "<｜DSML｜parameter name=\"b\" string=\"true\">",
            "</｜DSML｜parameter>",
            "x",
            "1",
            " ",
            "\n",
            "<",
        ],
        &endings(
            "</｜DSML｜parameter>",
            "</｜DSML｜invoke>",
            "</｜DSML｜tool_calls>",
        ),
        &[
            ("", 2),
            ("<｜DSML｜tool_calls><｜DSML｜invoke name=\"f\">", 2),
            (
                "<｜DSML｜tool_calls><｜DSML｜invoke name=\"f\"><｜DSML｜parameter name=\"a\">",
                3,
            ),
            (
                "<｜DSML｜tool_calls><｜DSML｜invoke name=\"f\"><｜DSML｜parameter name=\"a\">x</｜DSML｜parameter>",
                2,
            ),
        ],
    )
}

pub fn json_in_place_of_tags() -> Vec<World> {
    let mut all = worlds(
        "dsml",
        &[
            "<｜DSML｜tool_calls>",
            "</｜DSML｜tool_calls>",
            "<｜DSML｜invoke name=\"f\">",
            "</｜DSML｜invoke>",
            "<｜DSML｜parameter name=\"a\">",
            "</｜DSML｜parameter>",
            "{",
            "\"a\":1",
            "}",
            "x",
            " ",
        ],
        &[
            "}</｜DSML｜invoke></｜DSML｜tool_calls>",
            "</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜tool_calls>",
        ],
        &[
            ("<｜DSML｜tool_calls><｜DSML｜invoke name=\"f\">", 3),
            ("<｜DSML｜tool_calls><｜DSML｜invoke name=\"g\">", 3),
        ],
    );
    all.extend(worlds(
        "kimi-k3",
        &[
            "<|open|>tools<|sep|>",
            "<|close|>tools<|sep|>",
            "<|open|>call tool=\"f\"<|sep|>",
            "<|open|>json<|sep|>",
            "<|close|>json<|sep|>",
            "<|close|>call<|sep|>",
            "{\"a\":1}",
            "\"",
            "x",
            " ",
        ],
        &["<|close|>json<|sep|><|close|>call<|sep|><|close|>tools<|sep|>"],
        &[("<|open|>tools<|sep|><|open|>call tool=\"f\"<|sep|>", 3)],
    ));
    all
}

pub fn several_objects() -> Vec<World> {
    let mut all = worlds(
        "llama",
        &[
            "{\"name\":\"f\",\"parameters\":{}}",
            "{",
            "\"",
            "}",
            ";",
            "x",
            " ",
            "<|python_tag|>",
        ],
        &["\"name\":\"f\"}", "name\":\"f\"}"],
        &[("<|python_tag|>{\"name\":\"f\",\"parameters\":{}}", 3)],
    );
    all.extend(worlds(
        "jamba",
        &[
            "{\"name\":\"f\",\"arguments\":{}}",
            "{",
            "\"",
            "}",
            "x",
            " ",
            "<tool_calls>",
            "</tool_calls>",
        ],
        &["}</tool_calls>", "\"}</tool_calls>"],
        &[("<tool_calls>{\"name\":\"f\",\"arguments\":{}}", 3)],
    ));
    all
}

pub fn kimi_k2() -> Vec<World> {
    worlds(
        "kimi-k2",
        &[
            "<|tool_calls_section_begin|>",
            "<|tool_calls_section_end|>",
            "<|tool_call_begin|>",
            "<|tool_call_argument_begin|>",
            "<|tool_call_end|>",
            "functions.f:0",
            "f",
            ":0",
            "{",
            "}",
            "\"a\"",
            ":",
            "1",
            " ",
            "<",
        ],
        &[
            "<|tool_call_section_begin|><|tool_call_begin|>",
            "}<|tool_call_end|><|tool_calls_section_end|>",
            "<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>",
            "\"}<|tool_call_end|><|tool_calls_section_end|>",
        ]
        .map(str::to_owned),
        &[
            ("", 3),
            ("<|tool_calls_section_begin|><|tool_call_begin|>", 2),
            (
                "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>",
                3,
            ),
            (
                "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}",
                2,
            ),
            (
                "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}<|tool_call_end|>",
                2,
            ),
        ],
    )
}
