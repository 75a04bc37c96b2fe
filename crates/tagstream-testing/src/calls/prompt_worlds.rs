//! Small worlds for brute force: a dialect, a beginning, and the pieces that all short
//! continuations of it consist of.

use super::files;
use tagstream::{CallSettings, CallsInThinking, Policy, Profile, Thinking, ToolSignature};

/// A world.
pub struct World {
    pub dialect: &'static str,
    pub policy: Policy,
    /// Where all its messages begin.
    pub beginning: String,
    /// Everything that follows consists of these.
    pub pieces: Vec<&'static str>,
    /// All messages of up to this many pieces after the beginning are looked at.
    pub length: usize,
    /// Endings that answer what few pieces leave open.
    pub endings: Vec<String>,
}

fn worlds(
    dialect: &'static str,
    pieces: &[&'static str],
    endings: &[impl AsRef<str>],
    beginnings: &[(impl AsRef<str>, usize)],
) -> Vec<World> {
    let world = |beginning: &str, length| World {
        dialect,
        policy: policy(dialect, CallsInThinking::Ignore),
        beginning: beginning.to_owned(),
        pieces: pieces.to_vec(),
        length,
        endings: endings.iter().map(|e| e.as_ref().to_owned()).collect(),
    };
    let beginnings = beginnings.iter();
    beginnings
        .map(|(b, length)| world(b.as_ref(), *length))
        .collect()
}

/// One tool is declared, `f` with the arguments `a` and `b`.
fn policy(dialect: &str, in_thinking: CallsInThinking) -> Policy {
    let mut calls =
        CallSettings::dialects([files::dialect(dialect)]).tool(ToolSignature::new("f", ["a", "b"]));
    calls.in_thinking = in_thinking;
    let mut profile = Profile::new().calls(calls);
    if in_thinking != CallsInThinking::Ignore {
        profile = profile.thinking(Thinking::tags(["think"]));
    }
    profile.compile().expect("the profile is good")
}

/// Closers of a value, its call and what is around it, after closers that are part of the value.
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

/// Tags in tags, each an opener and its closer.
#[derive(Clone, Copy)]
struct Nested {
    /// Around the calls.
    around: [&'static str; 2],
    /// Around a call of `f`.
    call: [&'static str; 2],
    /// Around its argument `a`.
    argument: [&'static str; 2],
}

const FUNCTION_CALLS: Nested = Nested {
    around: ["<function_calls>", "</function_calls>"],
    call: ["<invoke name=\"f\">", "</invoke>"],
    argument: ["<parameter name=\"a\">", "</parameter>"],
};

const MINIMAX: Nested = Nested {
    around: ["<minimax:tool_call>", "</minimax:tool_call>"],
    ..FUNCTION_CALLS
};

const QWEN: Nested = Nested {
    around: ["<tool_call>", "</tool_call>"],
    call: ["<function=f>", "</function>"],
    argument: ["<parameter=a>", "</parameter>"],
};

const DSML: Nested = Nested {
    around: ["<｜DSML｜tool_calls>", "</｜DSML｜tool_calls>"],
    call: ["<｜DSML｜invoke name=\"f\">", "</｜DSML｜invoke>"],
    argument: ["<｜DSML｜parameter name=\"a\">", "</｜DSML｜parameter>"],
};

impl Nested {
    /// Its tags, and more pieces.
    fn pieces(&self, more: &[&'static str]) -> Vec<&'static str> {
        let tags = [self.around, self.call, self.argument].concat();
        [&tags, more].concat()
    }

    fn endings(&self) -> Vec<String> {
        let mut all = endings(self.argument[1], self.call[1], self.around[1]);
        // After a cut tag of another name: with an argument after it, it was a misspelt head.
        let [opener, closer] = self.argument;
        all.push([">", opener, closer, self.call[1], self.around[1]].concat());
        all
    }

    /// A world for each place that a call comes to: before it, between arguments, in a value,
    /// after the value, after the call.
    fn worlds(
        &self,
        dialect: &'static str,
        more: &[&'static str],
        lengths: &[usize],
    ) -> Vec<World> {
        let opened = [self.around[0], self.call[0]].concat();
        let value = [&opened, self.argument[0]].concat();
        let given = [&value, "x", self.argument[1]].concat();
        let called = [&given, self.call[1]].concat();
        let places = [String::new(), opened, value, given, called].into_iter();
        let beginnings: Vec<_> = places.zip(lengths.iter().copied()).collect();
        worlds(dialect, &self.pieces(more), &self.endings(), &beginnings)
    }
}

/// What else is put into calls with `<invoke>`.
const INVOKES: &[&str] = &[
    "<invoke name=\"g\">",
    "<parameter name=\"b\">",
    "x",
    " ",
    "\n",
    "<",
];

pub fn function_calls() -> Vec<World> {
    FUNCTION_CALLS.worlds("function_calls", INVOKES, &[3; 5])
}

pub fn tags() -> Vec<World> {
    // An undeclared argument: with it, the call is refused.
    let mut endings = endings("</a>", "</f>", "");
    endings.extend(["></x></f>", "></xx></f>"].map(str::to_owned));
    worlds(
        "tags",
        &[
            "<f>", "</f>", "<a>", "</a>", "<b>", "</b>", "x", " ", "\n", "<",
        ],
        &endings,
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

pub fn qwen3_coder() -> Vec<World> {
    let more = ["<function=g>", "<parameter=b>", "x", " ", "\n", "<"];
    QWEN.worlds("qwen3-coder", &more, &[3; 5])
}

/// Calls count inside thinking.
pub fn thinking() -> Vec<World> {
    let more = ["<think>", "</think>", "<parameter=b>", "x", "\n", "`"];
    let mut worlds = worlds(
        "qwen3-coder",
        &QWEN.pieces(&more),
        &QWEN.endings(),
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
        world.policy = policy(world.dialect, CallsInThinking::Promote);
    }
    worlds
}

/// A call ends a thought that is never closed.
pub fn ended_thinking() -> Vec<World> {
    let mut worlds = worlds(
        "hermes",
        &[
            "<think>",
            "</think>",
            "<tool_call>",
            "</tool_call>",
            "{\"name\":\"f\",\"arguments\":{}}",
            "{\"name\":\"g\"",
            // With a namespace before it, it is declared.
            ".f\"}",
            "x",
            "\n",
        ],
        &["", "</think>", "</tool_call>"],
        &[("", 3), ("<think>", 4), ("<think>y<tool_call>", 3)],
    );
    for world in &mut worlds {
        world.policy = policy(world.dialect, CallsInThinking::End);
    }
    worlds
}

/// Calls in Python.
pub fn python() -> Vec<World> {
    let pieces = [
        "<|tool_call_start|>",
        "<|tool_call_end|>",
        "[",
        "]",
        "f(",
        "a=",
        "1",
        "'x",
        "'",
        ",",
        ")",
        " ",
    ];
    worlds(
        "lfm2",
        &pieces,
        &[
            "",
            "'",
            ")",
            "')",
            ")]<|tool_call_end|>",
            "<|tool_call_end|>",
        ],
        &[
            ("", 3),
            ("<|tool_call_start|>", 3),
            ("<|tool_call_start|>[f(", 3),
            ("<|tool_call_start|>[f(a=", 3),
        ],
    )
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
    MINIMAX.worlds("minimax", INVOKES, &[2, 2, 3, 2])
}

pub fn dsml() -> Vec<World> {
    let b = "<｜DSML｜parameter name=\"b\" string=\"true\">";
    DSML.worlds("dsml", &[b, "x", "1", " ", "\n", "<"], &[2, 2, 3, 2])
}

pub fn json_in_place_of_tags() -> Vec<World> {
    let mut all = worlds(
        "dsml",
        &DSML.pieces(&["{", "\"a\":1", "}", "x", " "]),
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

/// JSON that nothing marks, after text, a thought or a call.
pub fn bare_json() -> Vec<World> {
    let call = "{\"name\":\"f\",\"parameters\":{}}";
    let mut all = worlds(
        "json",
        &[
            call,
            "{",
            "[",
            "]",
            "}",
            "\"name\":\"f\"",
            ",\"parameters\":",
            "null",
            "<think>",
            "</think>",
            "x",
            " ",
            "\n",
        ],
        &[
            "",
            "}",
            "]",
            "\"name\":\"f\",\"parameters\":{}}",
            ",\"parameters\":{}}",
        ],
        &[("", 3), ("<think>x</think>", 3), (call, 3)],
    );
    for world in &mut all {
        let calls = CallSettings::dialects([files::dialect(world.dialect)])
            .tool(ToolSignature::new("f", ["a", "b"]));
        let profile = Profile::new().calls(calls);
        let profile = profile.thinking(Thinking::tags(["think"]));
        world.policy = profile.compile().expect("the profile is good");
    }
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

/// A word that opens calls, and the commas of a list.
pub fn lists() -> Vec<World> {
    let call = "{\"name\":\"f\",\"arguments\":{}}";
    let beginning = format!("functools[{call}");
    worlds(
        "phi4",
        &[call, "functools", "func", "m", "_", " ", "[", "]", ","],
        &[
            "]",
            "tools[{\"name\":\"f\"}]",
            "[{\"name\":\"f\"}]",
            "{\"name\":\"f\"}]",
        ],
        &[("", 3), (beginning.as_str(), 3)],
    )
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
