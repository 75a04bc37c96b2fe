//! Writes calls whose arguments are JSON.

use super::formats;
use super::writer::{Call, Style, Written};
use serde_json::Value;

/// Calls in one of the spellings of a dialect.
pub fn write(dialect: &str, calls: &[Call], style: Style) -> Written {
    match dialect {
        "kimi-k2" => kimi_k2(calls, style),
        "deepseek-v3" | "deepseek-v3.1" => plain(deepseek(dialect, calls, style), calls),
        "mistral-args" => with_ids(each(calls, "", mistral_args), calls),
        "harmony" => plain(harmony(calls, style), calls),
        "gemma4" | "function-gemma" => plain(gemma(dialect, calls, style), calls),
        "solar" => with_ids(each(calls, "", solar), calls),
        "lfm2" | "llama4" | "olmo3" | "pythonic" => plain(python(dialect, calls, style), calls),
        "llama" => plain(llama(calls, style), calls),
        "hermes" => with_ids(
            wrap_each(calls, "<tool_call>\n", "\n</tool_call>", hermes),
            calls,
        ),
        _ => other(dialect, calls, style),
    }
}

/// How many spellings there are.
pub fn variants(dialect: &str) -> usize {
    match dialect {
        "kimi-k2" | "internlm" | "mistral" | "gemma4" | "inkling" | "gigachat" => 2,
        "jamba" | "llama4-json" | "granite" | "phi4" => 2,
        "deepseek-v3" | "deepseek-v3.1" => DEEPSEEK.len(),
        "function-gemma" | "lfm2" | "llama4" | "olmo3" | "pythonic" => 2,
        "llama" => LLAMA.len(),
        "harmony" => HARMONY.len(),
        _ => 1,
    }
}

fn other(dialect: &str, calls: &[Call], style: Style) -> Written {
    let arguments = |call: &Call| entry("name", "arguments", call);
    let parameters = |call: &Call| entry("name", "parameters", call);
    match dialect {
        "inkling" => plain(each(calls, "\n", |call| inkling(call, style)), calls),
        "apertus" => {
            let (open, close) = ("<|tools_prefix|>", "<|tools_suffix|>");
            plain(lists(calls, style, open, close, apertus), calls)
        }
        "internlm" => {
            let space = if style.variant == 1 { " " } else { "" };
            let open = format!("<|action_start|>{space}<|plugin|>\n");
            plain(wrap_each(calls, &open, "<|action_end|>", parameters), calls)
        }
        "granite" => {
            let (open, close) =
                [("<|tool_call|>", ""), ("<tool_call>", "</tool_call>")][style.variant];
            plain(lists(calls, style, open, close, arguments), calls)
        }
        "nemotron" => plain(
            lists(calls, style, "<TOOLCALL>", "</TOOLCALL>", arguments),
            calls,
        ),
        "jamba" => {
            let (open, close) = ("<tool_calls>", "</tool_calls>");
            plain(lines(calls, style, open, close, arguments), calls)
        }
        "llama4-json" => {
            let (open, close) = ("<|python_start|>", "<|python_end|>");
            plain(lines(calls, style, open, close, parameters), calls)
        }
        "phi4" => {
            let pairs = [("functools", ""), ("<|tool_call|>", "<|/tool_call|>")];
            let (open, close) = pairs[style.variant];
            plain(lists(calls, style, open, close, arguments), calls)
        }
        "cohere" => {
            let (open, close) = ("<|START_ACTION|>\n", "\n<|END_ACTION|>");
            with_ids(lists(calls, style, open, close, cohere), calls)
        }
        "command-r-plus" => {
            let one = |call: &Call| entry("tool_name", "parameters", call);
            let (open, close) = ("Action: ```json\n", "\n```");
            plain(lists(calls, style, open, close, one), calls)
        }
        "gigachat" => {
            let opens = ["<|function_call|>", "function call<|role_sep|>\n"];
            plain(wrap_each(calls, opens[style.variant], "", arguments), calls)
        }
        "json" if style.each => plain(lists(calls, each_once(style), "", "", parameters), calls),
        "json" => plain(each(calls, "\n", parameters), calls),
        "lfm2-json" => {
            let (open, close) = ("<|tool_call_start|>", "<|tool_call_end|>");
            plain(lists(calls, style, open, close, arguments), calls)
        }
        "sarashina" => plain(sarashina(calls), calls),
        "mistral" => mistral(calls, style),
        _ => {
            let data = formats::find(dialect);
            let data = data.unwrap_or_else(|| panic!("{dialect} has no JSON"));
            data.write(calls, style)
        }
    }
}

fn plain(text: String, calls: &[Call]) -> Written {
    Written {
        text,
        ids: vec![None; calls.len()],
        text_may_follow: true,
    }
}

fn with_ids(text: String, calls: &[Call]) -> Written {
    Written {
        ids: calls.iter().map(|call| call.id.clone()).collect(),
        ..plain(text, calls)
    }
}

fn each(calls: &[Call], between: &str, one: impl Fn(&Call) -> String) -> String {
    let calls: Vec<String> = calls.iter().map(one).collect();
    calls.join(between)
}

fn wrap_each(calls: &[Call], open: &str, close: &str, one: impl Fn(&Call) -> String) -> String {
    each(calls, "\n", |call| format!("{open}{}{close}", one(call)))
}

/// A list of all calls, or one of each.
fn lists(
    calls: &[Call],
    style: Style,
    open: &str,
    close: &str,
    one: impl Fn(&Call) -> String,
) -> String {
    if style.each {
        return wrap_each(calls, &format!("{open}["), &format!("]{close}"), one);
    }
    format!("{open}[{}]{close}", each(calls, ", ", one))
}

/// `{"name": …, "arguments": …}`.
fn entry(name: &str, arguments: &str, call: &Call) -> String {
    let (own, object) = (quoted(&call.name), object(call));
    format!("{{\"{name}\": {own}, \"{arguments}\": {object}}}")
}

/// Where there is an id, the way of the API: the function inside, the id before it.
fn hermes(call: &Call) -> String {
    let function = entry("name", "arguments", call);
    match &call.id {
        Some(id) => format!(
            "{{\"id\": {}, \"type\": \"function\", \"function\": {function}}}",
            quoted(id)
        ),
        None => function,
    }
}

fn cohere(call: &Call) -> String {
    let entry = entry("tool_name", "parameters", call);
    match &call.id {
        Some(id) => format!("{{\"tool_call_id\": {}, {}", quoted(id), &entry[1..]),
        None => entry,
    }
}

/// A message to the tool; the head with its name may be missing.
fn inkling(call: &Call, style: Style) -> String {
    let head = match style.variant {
        0 => String::new(),
        _ => format!("<|message_model|>{}", call.name),
    };
    let body = entry("name", "args", call);
    format!("{head}<|content_invoke_tool_json|>{body}<|end_message|>")
}

/// The id comes last, so it is not known when the call begins. Nothing marks the end of a list
/// without its closer: nothing follows it.
fn mistral(calls: &[Call], style: Style) -> Written {
    let one = |call: &Call| {
        let entry = entry("name", "arguments", call);
        match &call.id {
            Some(id) => format!("{}, \"id\": {}}}", &entry[..entry.len() - 1], quoted(id)),
            None => entry,
        }
    };
    let closed = style.each || style.variant == 1;
    let close = if closed { "[/TOOL_CALLS]" } else { "" };
    Written {
        text_may_follow: closed,
        ..plain(lists(calls, style, "[TOOL_CALLS] ", close, one), calls)
    }
}

fn mistral_args(call: &Call) -> String {
    let id = call.id.iter().map(|id| format!("[CALL_ID]{id}"));
    let id: String = id.collect();
    format!("[TOOL_CALLS]{}{id}[ARGS]{}", call.name, object(call))
}

/// The name is the key of the arguments.
fn apertus(call: &Call) -> String {
    format!("{{{}: {}}}", quoted(&call.name), object(call))
}

/// One variant is an object a line, and no list, as MiniMax M1 writes.
fn lines(
    calls: &[Call],
    style: Style,
    open: &str,
    close: &str,
    one: impl Fn(&Call) -> String,
) -> String {
    match style {
        Style { variant: 0, .. } => lists(calls, style, open, close, one),
        Style { each: true, .. } => wrap_each(calls, open, close, one),
        _ => format!("{open}\n{}\n{close}", each(calls, "\n", one)),
    }
}

/// What may be between the objects of Llama.
const LLAMA: [&str; 4] = ["; ", ";", "\n", ""];

/// Its JSON comes from Python, which writes ASCII only.
fn llama(calls: &[Call], style: Style) -> String {
    let one = |call: &Call| ascii(&entry("name", "parameters", call));
    if style.each {
        wrap_each(calls, "<|python_tag|>", "", one)
    } else {
        format!("<|python_tag|>{}", each(calls, LLAMA[style.variant], one))
    }
}

/// The id is the name with a number, which counts from 0.
fn kimi_k2(calls: &[Call], style: Style) -> Written {
    let s = if style.variant == 1 { "" } else { "s" };
    let open = format!("<|tool_call{s}_section_begin|>");
    let close = format!("<|tool_call{s}_section_end|>");
    let ids: Vec<String> = (0..)
        .zip(calls)
        .map(|(i, call)| format!("functions.{}:{i}", call.name))
        .collect();
    let one = |(id, call): (&String, &Call)| {
        let object = object(call);
        format!("<|tool_call_begin|>{id}<|tool_call_argument_begin|>{object}<|tool_call_end|>")
    };
    let texts: Vec<String> = ids.iter().zip(calls).map(one).collect();
    let between = if style.each {
        format!("{close}\n{open}")
    } else {
        String::new()
    };
    Written {
        text: format!("{open}{}{close}", texts.join(&between)),
        ids: ids.into_iter().map(Some).collect(),
        text_may_follow: true,
    }
}

/// What is for the bar and for the block in its tokens.
const DEEPSEEK: [[&str; 2]; 4] = [["｜", "▁"], ["｜", "_"], ["|", "▁"], ["|", "_"]];

fn deepseek(dialect: &str, calls: &[Call], style: Style) -> String {
    let [bar, block] = DEEPSEEK[style.variant];
    let token = |words: &str| format!("<{bar}{}{bar}>", words.replace(' ', block));
    let one = |call: &Call| {
        let (name, object) = (&call.name, object(call));
        let separator = token("tool sep");
        let inside = if dialect == "deepseek-v3" {
            format!("function{separator}{name}\n```json\n{object}\n```")
        } else {
            format!("{name}{separator}{object}")
        };
        [token("tool call begin"), inside, token("tool call end")].concat()
    };
    let (open, close) = (token("tool calls begin"), token("tool calls end"));
    if style.each {
        wrap_each(calls, &open, &close, one)
    } else {
        format!("{open}{}{close}", each(calls, "\n", one))
    }
}

/// What is before and after the name.
const HARMONY: [[&str; 2]; 8] = [
    [
        "<|start|>assistant<|channel|>commentary to=functions.",
        " <|constrain|>json<|message|>",
    ],
    [
        "<|channel|>commentary to=functions.",
        " <|constrain|>json<|message|>",
    ],
    [
        "<|start|>assistant<|channel|>commentary to=functions.",
        "<|message|>",
    ],
    [
        "<|channel|>commentary to=functions.",
        "<|constrain|>json<|message|>",
    ],
    [
        "<|start|>assistant to=functions.",
        "<|channel|>commentary <|constrain|>json<|message|>",
    ],
    // The name may be there alone.
    ["<|channel|>commentary to=", " <|constrain|>json<|message|>"],
    [
        "<|start|>assistant<|channel|>analysis to=",
        " code<|message|>",
    ],
    [
        "<|start|>assistant to=",
        "<|channel|>commentary <|constrain|>json<|message|>",
    ],
];

fn harmony(calls: &[Call], style: Style) -> String {
    let [before, after] = HARMONY[style.variant];
    each(calls, "", |call| {
        format!("{before}{}{after}{}<|call|>", call.name, object(call))
    })
}

/// All calls in one list.
fn each_once(style: Style) -> Style {
    Style {
        each: false,
        ..style
    }
}

/// The id comes before the name.
fn solar(call: &Call) -> String {
    let id = call.id.as_deref().unwrap_or("chatcmpl-tool-1");
    let (name, object) = (&call.name, object(call));
    format!(
        "<|tool_call:begin|>{id}<|tool_call:name|>{name}<|tool_call:args|>{object}<|tool_call:end|>"
    )
}

/// A list as Python shows it.
fn sarashina(calls: &[Call]) -> String {
    let one = |call: &Call| {
        let arguments = call.arguments.iter();
        let entry = |(name, value): &(String, Value)| {
            format!(
                "{}: {}",
                python_string(name, '\''),
                python_value(value, '\'')
            )
        };
        let arguments: Vec<String> = arguments.map(entry).collect();
        let name = python_string(&call.name, '\'');
        format!(
            "{{'name': {name}, 'arguments': {{{}}}}}",
            arguments.join(", ")
        )
    };
    format!("<|tool_calls|>[{}]", each(calls, ", ", one))
}

/// One variant has the other quotes. Olmo writes a call a line, without a list.
fn python(dialect: &str, calls: &[Call], style: Style) -> String {
    let first = if dialect == "olmo3" { '\'' } else { '"' };
    let quote = match (style.variant, first) {
        (0, first) => first,
        (_, '"') => '\'',
        _ => '"',
    };
    let one = |call: &Call| format!("{}({})", call.name, python_arguments(call, quote));
    let (open, close) = match dialect {
        "lfm2" => ("<|tool_call_start|>[", "]<|tool_call_end|>"),
        "llama4" => ("<|python_start|>[", "]<|python_end|>"),
        "pythonic" => ("[", "]"),
        _ => ("<function_calls>", "</function_calls>"),
    };
    let between = if dialect == "olmo3" { "\n" } else { ", " };
    if style.each {
        wrap_each(calls, open, close, one)
    } else {
        format!("{open}{}{close}", each(calls, between, one))
    }
}

/// Arguments by name, as Python writes them.
pub(super) fn python_arguments(call: &Call, quote: char) -> String {
    let argument =
        |(name, value): &(String, Value)| format!("{name}={}", python_value(value, quote));
    let arguments: Vec<String> = call.arguments.iter().map(argument).collect();
    arguments.join(", ")
}

fn python_value(value: &Value, quote: char) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => python_string(text, quote),
        Value::Array(list) => {
            let list: Vec<String> = list.iter().map(|v| python_value(v, quote)).collect();
            format!("[{}]", list.join(", "))
        }
        Value::Object(map) => {
            let entry = |(name, value): (&String, &Value)| {
                format!(
                    "{}: {}",
                    python_string(name, quote),
                    python_value(value, quote)
                )
            };
            let entries: Vec<String> = map.iter().map(entry).collect();
            format!("{{{}}}", entries.join(", "))
        }
    }
}

fn python_string(text: &str, quote: char) -> String {
    let mut out = String::from(quote);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == quote => out.extend(['\\', c]),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push(quote);
    out
}

/// What Gemma writes for a quote. Nothing is escaped between two of them.
fn gemma_quote(dialect: &str) -> &'static str {
    match dialect {
        "gemma4" => "<|\"|>",
        _ => "<escape>",
    }
}

/// One variant has spaces.
fn gemma(dialect: &str, calls: &[Call], style: Style) -> String {
    let (open, close) = match dialect {
        "gemma4" => ("<|tool_call>", "<tool_call|>"),
        _ => ("<start_function_call>", "<end_function_call>"),
    };
    let space = if style.variant == 1 { " " } else { "" };
    let one = |call: &Call| {
        let arguments = call.arguments.iter().map(|(name, value)| (name, value));
        let object = gemma_object(arguments, space, gemma_quote(dialect));
        format!("call:{}{space}{object}", call.name)
    };
    if style.each {
        each(calls, "", |call| format!("{open}{}{close}", one(call)))
    } else {
        format!("{open}{}{close}", each(calls, "", one))
    }
}

fn gemma_object<'a>(
    entries: impl Iterator<Item = (&'a String, &'a Value)>,
    space: &str,
    quote: &str,
) -> String {
    let entry = |(name, value): (&String, &Value)| {
        let (key, value) = (gemma_key(name, quote), gemma_value(value, space, quote));
        format!("{space}{key}{space}:{space}{value}")
    };
    let entries: Vec<String> = entries.map(entry).collect();
    format!("{{{}{space}}}", entries.join(","))
}

/// A key is bare, unless that could not be read.
fn gemma_key(name: &str, quote: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    if !name.is_empty() && name.chars().all(plain) {
        name.to_owned()
    } else {
        format!("{quote}{name}{quote}")
    }
}

fn gemma_value(value: &Value, space: &str, quote: &str) -> String {
    match value {
        Value::String(text) => format!("{quote}{text}{quote}"),
        Value::Object(map) => gemma_object(map.iter(), space, quote),
        Value::Array(list) => {
            let list: Vec<String> = list.iter().map(|v| gemma_value(v, space, quote)).collect();
            format!("[{}]", list.join(","))
        }
        other => other.to_string(),
    }
}

/// Whether a dialect can carry a value. JSON can carry anything, but where nothing is escaped a
/// quote ends a string.
pub fn fits(dialect: &str, value: &Value) -> bool {
    match value {
        _ if !["gemma4", "function-gemma"].contains(&dialect) => true,
        Value::String(text) => !text.contains(gemma_quote(dialect)),
        Value::Array(list) => list.iter().all(|value| fits(dialect, value)),
        Value::Object(map) => map.values().all(|value| fits(dialect, value)),
        _ => true,
    }
}

/// The arguments, with the spaces that chat templates write.
pub fn object(call: &Call) -> String {
    let pair = |(name, value): &(String, Value)| format!("{}: {value}", quoted(name));
    let pairs: Vec<String> = call.arguments.iter().map(pair).collect();
    format!("{{{}}}", pairs.join(", "))
}

pub(super) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// Escapes all that is not ASCII, which in JSON can be only in strings.
fn ascii(json: &str) -> String {
    let mut out = String::new();
    for c in json.chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    out
}
