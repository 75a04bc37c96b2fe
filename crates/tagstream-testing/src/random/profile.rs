//! Random profiles, over all settings.

use super::Rng;
use super::dialect::{Syntax, spell};
use serde_json::{Map, Value, json};

const NAMES: &[&str] = &[
    "think", "thinking", "t", "tt", "node", "a", "b", "é", "日本", "x-y", "n:t", "T1", "f",
    "think-x", "item", "to", "i", "tool",
];

const TOOLS: &[&str] = &[
    "f",
    "g",
    "ff",
    "get_weather",
    "read",
    "Read",
    "日",
    "ñf",
    "a",
    "f.g",
    "read_file",
    "t",
];

const ARGUMENTS: &[&str] = &[
    "a",
    "b",
    "aa",
    "path",
    "f",
    "é",
    "city",
    "A",
    "name",
    "arguments",
];

const LITERALS: &[&str] = &[
    "◁think▷",
    "◁/think▷",
    "<|m|>",
    "<|",
    "[THINK]",
    "[/THINK]",
    "<｜end▁of▁thinking｜>",
    "<|channel>thought\n",
    "<channel|>",
    "<|end|>",
    "<|start|>assistant",
    "é",
    "éa",
    "日",
    "日本",
    "“",
    "**",
    "Here's:",
    "<t",
    "</t",
];

/// Literals of these are hostile: they collide with all other syntax.
const SIGNS: &[&str] = &[
    "<", ">", "/", "a", "b", "|", " ", "\n", "é", "日", "😀", "t", "\"", "[", "]", "{", "}", ":",
    "</", "<a",
];

/// A random profile as JSON. It may be refused.
pub fn profile(rng: &mut Rng, dialects: &[Value]) -> Value {
    let mut profile = Map::new();
    let mut names = Names::new(rng);
    if rng.percent(25) {
        profile.insert("code".into(), "none".into());
    }
    if rng.percent(25) {
        let fences = ["unclosed", "all"][rng.below(2)];
        profile.insert("code_notices".into(), fences.into());
    }
    let chosen = rng.percent(80).then(|| calls(rng, dialects, &mut profile));
    let mut literals = Literals::new(rng, &chosen.unwrap_or_default());
    if rng.percent(35) {
        profile.insert("markers".into(), literals.some(rng, 3).into());
    }
    if rng.percent(20) {
        profile.insert("hide".into(), names.some(rng, 2).into());
    }
    if rng.percent(20) {
        profile.insert("unwrap".into(), names.some(rng, 2).into());
    }
    if rng.percent(70) {
        profile.insert("thinking".into(), thinking(rng, &mut names, &mut literals));
    }
    if rng.percent(30) {
        profile.insert("elements".into(), elements(rng, &mut names));
    }
    if rng.percent(45) {
        profile.insert("limits".into(), limits(rng));
    }
    Value::Object(profile)
}

/// Tag names, each of which a profile may use once.
struct Names(Vec<String>);

impl Names {
    fn new(rng: &mut Rng) -> Self {
        let mut names: Vec<String> = NAMES.iter().map(|name| (*name).to_owned()).collect();
        rng.shuffle(&mut names);
        // `think` is what nearly all profiles have.
        if rng.one_in(2) {
            names.retain(|name| name != "think");
            names.push("think".to_owned());
        }
        if rng.one_in(12) {
            let name = *rng.pick(&[
                "tool_call",
                "function_calls",
                "invoke",
                "parameter",
                "arg_key",
            ]);
            names.push(name.to_owned());
        }
        Names(names)
    }

    fn some(&mut self, rng: &mut Rng, most: usize) -> Vec<String> {
        let count = rng.between(1, most).min(self.0.len());
        self.0.split_off(self.0.len() - count)
    }
}

/// Literals that fit together badly: many of several bytes a character, some the beginning of
/// others or of a dialect's own.
struct Literals {
    pool: Vec<String>,
    used: Vec<String>,
}

impl Literals {
    fn new(rng: &mut Rng, dialects: &[Value]) -> Self {
        let mut pool: Vec<String> = LITERALS.iter().map(|text| (*text).to_owned()).collect();
        for dialect in dialects.iter().take(3) {
            let syntax = Syntax::new(dialect);
            let patterns = syntax.wrapper.iter().chain(&syntax.call).flatten();
            let patterns: Vec<&String> = patterns.take(8).collect();
            for pattern in patterns {
                let text = spell(rng, pattern, "f", "a");
                let end = rng.boundary(&text);
                pool.push(text[..end].to_owned());
            }
        }
        if rng.one_in(6) {
            pool.clear();
            for _ in 0..8 {
                let count = rng.between(1, 3);
                pool.push((0..count).map(|_| *rng.pick(SIGNS)).collect());
            }
        }
        pool.retain(|text| !text.is_empty());
        Literals {
            pool,
            used: Vec::new(),
        }
    }

    fn one(&mut self, rng: &mut Rng) -> String {
        let mut text = rng.pick(&self.pool).clone();
        match rng.below(8) {
            // Begins with another one, or is its beginning.
            0 => text += *rng.pick(SIGNS),
            1 => {
                let end = rng.boundary(&text);
                text.truncate(end);
            }
            _ => {}
        }
        if text.is_empty() || self.used.contains(&text) {
            text += &format!("{}", self.used.len());
        }
        self.used.push(text.clone());
        text
    }

    fn some(&mut self, rng: &mut Rng, most: usize) -> Vec<String> {
        let count = rng.between(1, most);
        (0..count).map(|_| self.one(rng)).collect()
    }
}

fn thinking(rng: &mut Rng, names: &mut Names, literals: &mut Literals) -> Value {
    let mut thinking = Map::new();
    let has_tags = rng.percent(75);
    if has_tags {
        thinking.insert("tags".into(), names.some(rng, 2).into());
    }
    if !has_tags || rng.percent(25) {
        let mut pair = || json!([literals.one(rng), literals.one(rng)]);
        let mut pairs = vec![pair()];
        if rng.one_in(3) {
            pairs.push(json!([literals.one(rng), literals.one(rng)]));
        }
        // A pair may be the same literal twice.
        if rng.one_in(8) {
            pairs[0][1] = pairs[0][0].clone();
        }
        thinking.insert("delimiters".into(), pairs.into());
    }
    if rng.one_in(8) {
        thinking.insert("ends_before".into(), json!([literals.one(rng)]));
    }
    if rng.one_in(8) {
        let pair = [literals.one(rng), literals.one(rng)];
        thinking.insert("answers".into(), json!([pair]));
    }
    let settings: [(&str, &[&str]); 6] = [
        ("mode", &["extract", "extract", "hide", "show"]),
        ("anchor", &["anywhere", "start"]),
        ("unclosed", &["thought", "thought", "reveal", "hide"]),
        ("orphan_close", &["drop", "keep"]),
        ("trim", &["none", "answer", "thought", "both"]),
        ("nesting", &["count", "first"]),
    ];
    for (key, values) in settings {
        if rng.one_in(2) {
            thinking.insert(key.into(), (*rng.pick(values)).into());
        }
    }
    if rng.one_in(8) {
        thinking.insert("starts_open".into(), true.into());
    }
    Value::Object(thinking)
}

fn elements(rng: &mut Rng, names: &mut Names) -> Value {
    let count = rng.between(1, 3);
    let mut own: Vec<String> = (0..count).flat_map(|_| names.some(rng, 1)).collect();
    if rng.one_in(5) {
        own.push("*".to_owned());
    }
    let element = |name: &String| {
        let mut element = json!({"name": name});
        let children: Vec<&String> = own.iter().filter(|other| *other != "*").collect();
        if name != "*" && rng.one_in(2) {
            let mut children: Vec<&str> = children.iter().map(|child| child.as_str()).collect();
            children.retain(|_| rng.one_in(2));
            let parts = ["p", "q", "é", "p1"];
            children.extend(parts.iter().filter(|_| rng.one_in(3)));
            element["children"] = children.into();
        }
        if rng.one_in(4) {
            element["orphan_close"] = "drop".into();
        }
        let own_child = |child: &Value| child == name.as_str();
        let children = element["children"].as_array();
        let is_own_child = children.is_some_and(|children| children.iter().any(own_child));
        if name != "*" && !is_own_child && rng.one_in(3) {
            element["nests"] = false.into();
        }
        element
    };
    own.iter().map(element).collect()
}

fn limits(rng: &mut Rng) -> Value {
    let mut limits = Map::new();
    let is_tiny = rng.one_in(2);
    for key in ["tag", "span", "lookahead", "value", "depth"] {
        if rng.one_in(2) {
            continue;
        }
        let least = if key == "tag" { 3 } else { 1 };
        let most = if is_tiny { 32 } else { 200 };
        let most = if key == "depth" { 4 } else { most };
        limits.insert(key.into(), rng.between(least, most).into());
    }
    Value::Object(limits)
}

/// Adds the settings of calls, and gives the dialects that count.
fn calls(rng: &mut Rng, dialects: &[Value], profile: &mut Map<String, Value>) -> Vec<Value> {
    let mut calls = Map::new();
    let mut chosen: Vec<Value> = Vec::new();
    match rng.below(12) {
        0 => {
            chosen.extend_from_slice(dialects);
            if rng.one_in(2) {
                calls.insert("dialect".into(), "auto".into());
            }
        }
        1 => {
            chosen.push(own_dialect(rng, dialects));
            profile.insert("own_dialects".into(), json!(chosen));
            calls.insert("dialect".into(), chosen[0]["name"].clone());
        }
        2..=3 => {
            for _ in 0..rng.between(1, 4) {
                chosen.push(rng.pick(dialects).clone());
            }
            let names: Vec<&Value> = chosen.iter().map(|dialect| &dialect["name"]).collect();
            calls.insert("dialect".into(), json!(names));
        }
        _ => {
            chosen.push(rng.pick(dialects).clone());
            calls.insert("dialect".into(), chosen[0]["name"].clone());
        }
    }
    if rng.percent(75) {
        let tools = tools(rng);
        if rng.one_in(4) {
            calls.insert("aliases".into(), aliases(rng, &tools));
        }
        calls.insert("tools".into(), tools);
    }
    let settings: [(&str, &[&str]); 6] = [
        ("in_thinking", &["ignore", "promote", "end"]),
        ("in_code", &["ignore", "promote"]),
        ("unknown_tool", &["report", "text", "pass"]),
        ("refused", &["drop", "text"]),
        ("unknown_argument", &["pass", "reject", "drop"]),
        ("orphan_close", &["keep", "drop"]),
    ];
    for (key, values) in settings {
        if rng.one_in(2) {
            calls.insert(key.into(), (*rng.pick(values)).into());
        }
    }
    for (key, percent) in [
        ("unwrapped", 40),
        ("missing_end", 30),
        ("decode_entities", 20),
        ("wrap_single", 20),
        ("infer_types", 20),
        ("near_misses", 25),
    ] {
        if rng.percent(percent) {
            calls.insert(key.into(), true.into());
        }
    }
    if rng.one_in(6) {
        calls.insert("coerce".into(), false.into());
    }
    if rng.one_in(6) {
        calls.insert("max_calls".into(), rng.below(4).into());
    }
    profile.insert("calls".into(), Value::Object(calls));
    chosen
}

/// A dialect that is not built in: another one with other spellings and other repairs.
fn own_dialect(rng: &mut Rng, dialects: &[Value]) -> Value {
    let mut dialect = rng.pick(dialects).clone();
    dialect["name"] = "own".into();
    let repairs = [
        "missing_value_closer",
        "missing_value_opener",
        "missing_key_closer",
        "missing_call_closer",
        "stray_closer",
    ];
    let repairs: Vec<&str> = repairs.into_iter().filter(|_| rng.one_in(2)).collect();
    dialect["repairs"] = json!(repairs);
    if !dialect["arguments"]["layout"].is_null() {
        dialect["arguments"]["layout"] = (*rng.pick(&["inline", "lines"])).into();
    }
    let spellings = [
        ("tool_call", "t"),
        ("parameter", "p"),
        ("function", "é"),
        ("invoke", "日"),
        ("<|", "◁"),
        ("|>", "▷"),
        ("arg_", "a:"),
        ("<tool", "[tool"),
        ("call", "tool_call"),
    ];
    for (from, to) in spellings {
        if rng.one_in(3) {
            for key in ["brackets", "wrapper", "call", "arguments"] {
                respell(&mut dialect[key], from, to);
            }
        }
    }
    dialect
}

/// Replaces text in all patterns of a dialect.
fn respell(patterns: &mut Value, from: &str, to: &str) {
    match patterns {
        Value::String(text) => *text = text.replace(from, to),
        Value::Array(list) => list.iter_mut().for_each(|item| respell(item, from, to)),
        Value::Object(map) => {
            let values = map
                .iter_mut()
                .filter(|(key, _)| *key != "style" && *key != "layout");
            values.for_each(|(_, value)| respell(value, from, to));
        }
        _ => {}
    }
}

fn tools(rng: &mut Rng) -> Value {
    let count = rng.between(1, 4);
    let mut names = TOOLS.to_vec();
    rng.shuffle(&mut names);
    let tools = names.into_iter().take(count).map(|name| {
        let mut properties = Map::new();
        for _ in 0..rng.below(4) {
            properties.insert(rng.text(ARGUMENTS), property(rng));
        }
        let mut schema = json!({"type": "object", "properties": properties});
        if rng.one_in(3) {
            let required: Vec<&String> = properties.keys().filter(|_| rng.one_in(2)).collect();
            schema["required"] = json!(required);
        }
        if rng.one_in(6) {
            schema["additionalProperties"] = false.into();
        }
        if rng.one_in(2) {
            return json!({"name": name, "input_schema": schema});
        }
        json!({"type": "function", "function": {"name": name, "parameters": schema}})
    });
    tools.collect()
}

fn property(rng: &mut Rng) -> Value {
    let schemas = [
        json!({}),
        json!({"type": "string"}),
        json!({"type": "integer"}),
        json!({"type": "number"}),
        json!({"type": "boolean"}),
        json!({"type": "array", "items": {"type": "integer"}}),
        json!({"type": "object", "properties": {"k": {"type": "integer"}}}),
        json!({"enum": ["x", 5]}),
        json!({"type": ["string", "null"]}),
        json!({"anyOf": [{"type": "integer"}, {"type": "string"}]}),
    ];
    rng.pick(&schemas).clone()
}

fn aliases(rng: &mut Rng, tools: &Value) -> Value {
    let mut aliases = Map::new();
    for tool in tools.as_array().into_iter().flatten() {
        let (name, arguments) = declared(tool);
        if let Some((argument, _)) = arguments.first() {
            aliases.insert(name, json!({argument: [rng.text(&["alias", "al", "zz"])]}));
        }
    }
    Value::Object(aliases)
}

/// The name of a declared tool, and its arguments with their types.
pub(super) fn declared(tool: &Value) -> (String, Vec<(String, String)>) {
    let tool = tool.get("function").unwrap_or(tool);
    let schema = tool.get("input_schema").unwrap_or(&tool["parameters"]);
    let properties = schema["properties"].as_object();
    let argument = |(name, schema): (&String, &Value)| {
        let kind = schema["type"].as_str().unwrap_or_default();
        (name.clone(), kind.to_owned())
    };
    let arguments = properties.into_iter().flatten().map(argument).collect();
    (
        tool["name"].as_str().unwrap_or_default().to_owned(),
        arguments,
    )
}
