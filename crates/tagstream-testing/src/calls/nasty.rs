//! Calls that are made to be nasty: values full of markup, and of what looks like it.

use super::json_writer;
use super::representable::fits;
use super::rng::Rng;
use super::writer::{Call, Style, dialects, is_raw, raw_text, render, takes_json, variants};
use serde_json::{Map, Value, json};

/// A tool that is declared.
#[derive(Clone, Debug)]
pub struct Tool {
    pub name: String,
    pub arguments: Vec<String>,
}

const TOOLS: [&str; 6] = [
    "bash",
    "write_to_file",
    "get_weather",
    "mcp__git-log.v2",
    "f",
    "Search",
];

/// No two are the same in any case, and none is a tool: in `tags` they are all tags.
const ARGUMENTS: [&str; 7] = ["path", "content", "command", "q", "a-b", "diff_2", "Args"];

/// Some tools with some arguments.
pub fn tools(rng: &mut Rng) -> Vec<Tool> {
    let first = rng.below(TOOLS.len());
    let tool = |i: usize, rng: &mut Rng| Tool {
        name: TOOLS[(first + i) % TOOLS.len()].to_owned(),
        arguments: arguments(rng),
    };
    (0..1 + rng.below(3)).map(|i| tool(i, rng)).collect()
}

fn arguments(rng: &mut Rng) -> Vec<String> {
    let first = rng.below(ARGUMENTS.len());
    let name = |i: usize| ARGUMENTS[(first + i) % ARGUMENTS.len()].to_owned();
    (0..1 + rng.below(4)).map(name).collect()
}

/// One to three calls of these tools that the dialect can carry.
pub fn calls(rng: &mut Rng, dialect: &str, tools: &[Tool]) -> Vec<Call> {
    (0..1 + rng.below(3))
        .map(|i| call(rng, dialect, tools, i))
        .collect()
}

fn call(rng: &mut Rng, dialect: &str, tools: &[Tool], number: usize) -> Call {
    let tool = rng.pick(tools);
    let json = !is_raw(dialect) || takes_json(dialect) && rng.one_in(3);
    let mut arguments = Vec::new();
    for name in &tool.arguments {
        // Some are left out, and so are "not given yet" in those that follow.
        if !rng.one_in(5) {
            let fits = |value: &Value| {
                if json {
                    json_writer::fits(dialect, value)
                } else {
                    fits(dialect, tools, &tool.name, name, &raw_text(value))
                }
            };
            let value = value(rng, dialect, tools, name, fits);
            arguments.push((name.clone(), value));
        }
    }
    Call {
        name: tool.name.clone(),
        arguments,
        id: rng.one_in(2).then(|| format!("id_{number}")),
        json,
    }
}

/// A value for this argument. What the dialect cannot carry is thrown away.
fn value(
    rng: &mut Rng,
    dialect: &str,
    tools: &[Tool],
    name: &str,
    fits: impl Fn(&Value) -> bool,
) -> Value {
    let tries = (0..20).map(|_| any_value(rng, dialect, tools, name));
    let fitting = tries.into_iter().find(fits);
    fitting.unwrap_or_else(|| Value::from("plain"))
}

fn any_value(rng: &mut Rng, dialect: &str, tools: &[Tool], name: &str) -> Value {
    match rng.below(8) {
        0 => scalar(rng),
        1 => {
            json!([text(rng, dialect, tools, name), scalar(rng), {"}": text(rng, dialect, tools, name)}])
        }
        2 => object(rng, dialect, tools, name),
        _ => Value::from(text(rng, dialect, tools, name)),
    }
}

fn scalar(rng: &mut Rng) -> Value {
    rng.pick(&[
        json!(null),
        json!(true),
        json!(-7),
        json!(0),
        json!(1.5),
        json!(9_007_199_254_740_993_u64),
    ])
    .clone()
}

fn object(rng: &mut Rng, dialect: &str, tools: &[Tool], name: &str) -> Value {
    let mut object = Map::new();
    for key in ["name", "arguments", "\"", "</tool_call>"] {
        object.insert(key.to_owned(), Value::from(text(rng, dialect, tools, name)));
    }
    Value::from(object)
}

/// A few nasty pieces one after the other.
fn text(rng: &mut Rng, dialect: &str, tools: &[Tool], name: &str) -> String {
    let mut text = String::new();
    for _ in 0..rng.below(5) {
        let piece = piece(rng, dialect, tools, name);
        text.push_str(&piece);
        text.push_str(rng.pick::<&str>(&["", "", " ", "\n", " and ", "\t\n  "]));
    }
    text
}

fn piece(rng: &mut Rng, dialect: &str, tools: &[Tool], name: &str) -> String {
    match rng.below(10) {
        0 | 1 => (*rng.pick(&PLAIN)).to_owned(),
        2 => (*rng.pick(&MARKUP)).to_owned(),
        3 => beginning(rng),
        // Markup that text follows is text.
        4 => format!(
            "{}{}",
            own_markup(rng, dialect, name),
            rng.pick(&["x", " here", "\n."])
        ),
        5 => own_markup(rng, dialect, name),
        6 | 7 => whole_call(rng, dialect, tools, name),
        8 => other_call(rng, tools),
        _ => rng
            .pick(&["x", "<", "</", "\n", "é🙂", "]]>", "```\n"])
            .repeat(1 + rng.below(300)),
    }
}

/// A piece of markup that breaks off.
fn beginning(rng: &mut Rng) -> String {
    let markup: Vec<char> = rng.pick(&MARKUP).chars().collect();
    markup[..1 + rng.below(markup.len())].iter().collect()
}

/// A tag of the dialect, cut out of a call in it; perhaps in capitals.
fn own_markup(rng: &mut Rng, dialect: &str, name: &str) -> String {
    let call = small_call("f", name);
    let text = render(dialect, &[call], any_style(rng, dialect)).text;
    let starts: Vec<usize> = text.match_indices(['<', '[']).map(|(at, _)| at).collect();
    let Some(start) = starts.get(rng.below(starts.len().max(1))) else {
        return text;
    };
    let end = text[*start..]
        .find(['>', ']'])
        .map_or(text.len(), |end| start + end + 1);
    let markup = &text[*start..end];
    if rng.one_in(6) {
        markup.to_ascii_uppercase()
    } else {
        markup.to_owned()
    }
}

/// A call in the same dialect, with the same argument: all of it is balanced.
fn whole_call(rng: &mut Rng, dialect: &str, tools: &[Tool], name: &str) -> String {
    let call = small_call(&rng.pick(tools).name, name);
    render(dialect, &[call], any_style(rng, dialect)).text
}

/// A call in any dialect, of any tool.
fn other_call(rng: &mut Rng, tools: &[Tool]) -> String {
    let dialect = *rng.pick(&dialects());
    let tool = rng.pick(tools);
    let argument = rng.pick(&tool.arguments).clone();
    let call = small_call(&tool.name, &argument);
    render(dialect, &[call], any_style(rng, dialect)).text
}

fn small_call(name: &str, argument: &str) -> Call {
    Call {
        name: name.to_owned(),
        arguments: vec![(argument.to_owned(), Value::from("x"))],
        id: None,
        json: false,
    }
}

/// Any of the ways to write this dialect.
pub fn any_style(rng: &mut Rng, dialect: &str) -> Style {
    Style {
        each: rng.one_in(2),
        variant: rng.below(variants(dialect)),
    }
}

const PLAIN: [&str; 32] = [
    "plain text",
    "",
    " ",
    "\n",
    "\n\n",
    "\r\n",
    "line\r\nline\r\n",
    "02134",
    " 5 ",
    "-1e9",
    "null",
    "true",
    "{\"a\": [1, 2]}",
    "[]",
    "\"quoted\"",
    "'",
    "\\",
    "C:\\new\\table",
    "\\\"\\u0041\\n",
    "make 2>&1 | tee log < in > out",
    "Map<string, T<U>>",
    "if (a < b && c > d) {}",
    "&lt;tag&gt; &amp; &#39; &quot;",
    "<![CDATA[ </parameter> ]]>",
    "<!-- </path> -->",
    "```xml\n<a>b</a>\n```",
    "`</think>`",
    "<div class=\"x\">y</div>",
    "日本語 é 🙂 \u{200b}\u{feff}",
    "\u{0}\u{1}\u{7f}",
    "<think>hm</think>",
    "}}]}",
];

/// Every closer of every dialect, and some openers.
const MARKUP: [&str; 63] = [
    "</parameter>",
    "</PARAMETER >",
    "</invoke>",
    "</function_calls>",
    "</function>",
    "</tool_call>",
    "</tool_calls>",
    "</minimax:tool_call>",
    "</seed:tool_call>",
    "</arg_key>",
    "</arg_value>",
    "</longcat_tool_call>",
    "</longcat_arg_value>",
    "</path>",
    "</content>",
    "</bash>",
    "</write_to_file>",
    "</｜DSML｜parameter>",
    "</｜DSML｜invoke>",
    "</｜DSML｜tool_calls>",
    "</|DSML| parameter>",
    "</‖DSML‖ calls>",
    "</steptml:parameter>",
    "</steptml:invoke>",
    "<｜tool_call_end｜>",
    "<｜tool_calls_end｜>",
    "</atem:parameter>",
    "</atem:invoke>",
    "</atem:function_calls>",
    "</rfl:parameter>",
    "<|call|>",
    "<|end|>",
    "<|tool_call_end|>",
    "<|tool_calls_section_end|>",
    "<｜tool▁call▁end｜>",
    "<｜tool▁calls▁end｜>",
    "```<｜tool▁call▁end｜>",
    "[/TOOL_CALLS]",
    "</TOOLCALL>",
    "<|END_ACTION|>",
    "<|action_end|>",
    "<|end_message|>",
    "<function_calls>",
    "<tool_call>",
    "<parameter=",
    "<invoke name=\"",
    "[TOOL_CALLS]",
    "<|python_tag|>",
    "<|close|>argument<|sep|>",
    "<|close|>call<|sep|>",
    "<|close|>tools<|sep|>",
    "<|close|>json<|sep|>",
    "<|open|>json type=\"object\"<|sep|>{\"",
    "<|open|>argument key=\"",
    "<tool_call|>",
    "<|\"|",
    "<|tool_call>call:",
    "]<]minimax[>[</path>",
    "]<]minimax[>[</content>",
    "]<]minimax[>[</invoke>",
    "]<]minimax[>[</tool_call>",
    "]<]minimax[>[<path>",
    "]<]minimax[>[<item>x]<]minimax[>[</item>",
];
