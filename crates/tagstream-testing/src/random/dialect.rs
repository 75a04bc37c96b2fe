//! The syntax of a dialect, and calls written in it, as pieces that can be taken apart.

use super::Rng;
use serde_json::Value;

/// A dialect, read from its JSON.
#[derive(Clone, Debug)]
pub(super) struct Syntax {
    pub(super) wrapper: [Vec<String>; 2],
    pub(super) ignore: Vec<String>,
    several: bool,
    /// Nothing marks its calls.
    bare: bool,
    pub(super) call: [Vec<String>; 2],
    id: Option<String>,
    /// What ends a tag.
    tag_end: String,
    pub(super) arguments: Style,
}

/// How arguments are written.
#[derive(Clone, Debug)]
pub(super) enum Style {
    Elements {
        tags: [Vec<String>; 2],
        attribute: Option<String>,
        json: bool,
        json_in: Option<[String; 2]>,
    },
    Pairs {
        key: [String; 2],
        value: [String; 2],
    },
    Json {
        quote: Option<String>,
        bare_keys: bool,
    },
    Envelope {
        name: Vec<String>,
        arguments: Vec<String>,
        id: Vec<String>,
        inside: Option<String>,
        /// Arguments may also be written as Python writes them.
        python: bool,
    },
    Keyed,
    Python,
}

/// A tool as the profile declares it: its name, its arguments and their types.
#[derive(Clone, Debug)]
pub(super) struct Tool {
    pub(super) name: String,
    pub(super) arguments: Vec<(String, String)>,
}

/// Values that are written raw, between tags.
const VALUES: &[&str] = &[
    "x",
    "",
    "5",
    " 5 ",
    "ls",
    "\n",
    "\nls\n",
    "\r\nls\r\n",
    "a\n\nb",
    "a\r",
    "\r",
    "a < b",
    "a <",
    "</",
    "&lt;b&gt;",
    "&#39;",
    "&amp",
    "true",
    "null",
    "[1,2]",
    "{\"k\":1}",
    "é",
    "日本",
    "`</",
    "1.50",
    "<b>x</b>",
    "\"q\"",
];

/// Values of Python, right or wrong.
const PYTHON: &[&str] = &[
    "1",
    "-2.5e3",
    "'x'",
    "\"é\"",
    "'it\\'s'",
    "'''a\n'b'''",
    "\"\"",
    "True",
    "None",
    "[1, 'a',]",
    "(1, 2)",
    "{'k': [True]}",
    "'\\x41\\u00e9'",
    "'</function_calls>'",
    "x",
    "f(1)",
    "(1)",
    "'\\q'",
    "[",
    "'",
    "1 + 1",
    "<",
];

/// What may be inside a string of JSON, right or wrong.
const IN_STRINGS: &[&str] = &[
    "x",
    "é",
    "\\n",
    "\\\"",
    "\\u0041",
    "\\ud83d\\ude00",
    "\\\\",
    "</tool_call>",
    "<",
    "日本",
    "`",
];
const WRONG_IN_STRINGS: &[&str] = &[
    "\\u+041", "\\q", "\\u00", "\\ud83d", "\n", "\t", "\u{1}", "\\", "\r\n", "\\uD83Dx", "\u{7f}",
];

/// What may be between the tokens of JSON, right or wrong.
const BETWEEN: &[&str] = &["", "", "", "", " ", "\n", "\t", "\r\n  "];

impl Syntax {
    pub(super) fn new(json: &Value) -> Self {
        let arguments = &json["arguments"];
        let bracket = json["brackets"][2].as_str();
        Syntax {
            wrapper: [
                strings(&json["wrapper"]["open"]),
                strings(&json["wrapper"]["close"]),
            ],
            ignore: strings(&json["wrapper"]["ignore"]),
            several: json["wrapper"]["several"] == true,
            bare: json["wrapper"]["bare"] == true,
            call: [
                strings(&json["call"]["open"]),
                strings(&json["call"]["close"]),
            ],
            id: string(&json["call"]["id"]),
            tag_end: bracket.unwrap_or(">").to_owned(),
            arguments: Style::new(arguments),
        }
    }

    /// All markup, with random names in it.
    pub(super) fn markup(&self, rng: &mut Rng, tools: &[Tool]) -> Vec<String> {
        let mut patterns: Vec<&String> = self.wrapper.iter().flatten().collect();
        patterns.extend(self.call.iter().flatten().chain(&self.ignore));
        match &self.arguments {
            Style::Elements { tags, json_in, .. } => {
                patterns.extend(tags.iter().flatten().chain(json_in.iter().flatten()));
            }
            Style::Pairs { key, value } => patterns.extend(key.iter().chain(value)),
            Style::Json { quote, .. } => patterns.extend(quote),
            _ => {}
        }
        // Some dialects have hundreds of spellings, which would drown everything else.
        rng.shuffle(&mut patterns);
        patterns.truncate(12);
        let spelled = patterns.into_iter().map(|pattern| {
            let tool = any_tool(rng, tools);
            let argument = any_argument(rng, &tool);
            spell(rng, pattern, &tool.name, &argument)
        });
        spelled.collect()
    }

    /// One or two calls, well written, in pieces.
    pub(super) fn call(&self, rng: &mut Rng, tools: &[Tool], wrapped: bool) -> Vec<String> {
        let mut out = Vec::new();
        let space = if rng.one_in(3) { "\n" } else { "" };
        let is_json = matches!(self.arguments, Style::Envelope { .. } | Style::Keyed);
        let has_wrapper = wrapped && !self.wrapper[0].is_empty() && !(self.bare && is_json);
        if self.bare && rng.percent(80) {
            out.push("\n".to_owned());
        }
        if has_wrapper {
            out.push(self.tag(rng, &self.wrapper[0], "", ""));
            out.push(space.to_owned());
        }
        match &self.arguments {
            Style::Envelope { .. } | Style::Keyed => self.envelopes(rng, tools, &mut out),
            Style::Python => self.pythons(rng, tools, &mut out),
            _ => {
                for number in 0..1 + usize::from(rng.one_in(4)) {
                    if !self.ignore.is_empty() && rng.one_in(2) {
                        out.push(spell(rng, &self.ignore[0], "", ""));
                    }
                    self.one(rng, tools, number, space, &mut out);
                    out.push(space.to_owned());
                }
            }
        }
        if has_wrapper && !self.wrapper[1].is_empty() {
            out.push(self.tag(rng, &self.wrapper[1], "", ""));
        }
        out.retain(|piece| !piece.is_empty());
        out
    }

    /// A call whose arguments are real JSON: what opens it, the pieces of the JSON, what closes it.
    pub(super) fn json_call(
        &self,
        rng: &mut Rng,
        tools: &[Tool],
    ) -> Option<(String, Vec<String>, String)> {
        let one_of = |rng: &mut Rng, patterns: &[String], name: &str| match patterns {
            [] => String::new(),
            _ => self.tag(rng, patterns, name, ""),
        };
        let tool = any_tool(rng, tools);
        let mut open = one_of(rng, &self.wrapper[0], "");
        let mut close = one_of(rng, &self.wrapper[1], "");
        let mut json = Vec::new();
        match &self.arguments {
            Style::Envelope { python: true, .. } => return None,
            Style::Envelope { .. } | Style::Keyed => self.envelope(rng, &tool, &mut json),
            Style::Json { quote: None, .. } => {
                open += &one_of(rng, &self.call[0], &tool.name);
                json_object(rng, &tool, Quotes::REAL, &mut json);
                close.insert_str(0, &one_of(rng, &self.call[1], &tool.name));
            }
            _ => return None,
        }
        Some((open, json, close))
    }

    fn one(
        &self,
        rng: &mut Rng,
        tools: &[Tool],
        number: usize,
        space: &str,
        out: &mut Vec<String>,
    ) {
        let tool = any_tool(rng, tools);
        let name = match &self.id {
            Some(id) if rng.percent(80) => {
                let id = id.replace("{number}", &number.to_string());
                id.replace("{name}", &tool.name)
            }
            _ => tool.name.clone(),
        };
        out.push(self.tag(rng, &self.call[0], &name, ""));
        out.push(space.to_owned());
        match &self.arguments {
            Style::Elements { json, .. } if *json && rng.one_in(4) => {
                json_object(rng, &tool, Quotes::REAL, out);
            }
            Style::Elements {
                json_in: Some([open, close]),
                ..
            } if rng.one_in(4) => {
                out.push(spell(rng, open, "", ""));
                json_object(rng, &tool, Quotes::REAL, out);
                out.push(spell(rng, close, "", ""));
            }
            Style::Elements {
                tags, attribute, ..
            } => {
                for (argument, kind) in some_arguments(rng, &tool) {
                    let open = self.tag(rng, &tags[0], &tool.name, &argument);
                    out.push(self.with_attribute(rng, open, attribute.as_deref(), &kind));
                    out.push(raw_value(rng, &kind));
                    out.push(self.tag(rng, &tags[1], &tool.name, &argument));
                    out.push(space.to_owned());
                }
            }
            Style::Pairs { key, value } => {
                for (argument, kind) in some_arguments(rng, &tool) {
                    out.extend([key[0].clone(), argument, key[1].clone(), space.to_owned()]);
                    out.extend([value[0].clone(), raw_value(rng, &kind), value[1].clone()]);
                    out.push(space.to_owned());
                }
            }
            Style::Json { quote, bare_keys } => {
                let quotes = Quotes {
                    quote: quote.as_deref().unwrap_or("\""),
                    bare_keys: *bare_keys,
                };
                json_object(rng, &tool, quotes, out);
            }
            Style::Envelope { .. } | Style::Keyed | Style::Python => {}
        }
        if !self.call[1].is_empty() {
            out.push(self.tag(rng, &self.call[1], &tool.name, ""));
        }
    }

    /// Calls as Python, in a list or not.
    fn pythons(&self, rng: &mut Rng, tools: &[Tool], out: &mut Vec<String>) {
        let is_list = !self.bare && rng.one_in(2);
        if is_list {
            out.push("[".to_owned());
        }
        for number in 0..1 + rng.below(3) {
            if number > 0 {
                out.push(rng.text(&[", ", "\n", ",", ";"]));
            }
            let tool = any_tool(rng, tools);
            out.push(format!("{}(", tool.name));
            for (at, (name, _)) in some_arguments(rng, &tool).into_iter().enumerate() {
                if at > 0 {
                    out.push(rng.text(&[",", ", ", " ,\n"]));
                }
                out.push(format!("{name}{}", rng.pick(&["=", " = "])));
                out.push(rng.text(PYTHON));
            }
            out.push(rng.text(&[")", ")", ",)", " )"]));
        }
        if is_list {
            out.push("]".to_owned());
        }
    }

    fn envelopes(&self, rng: &mut Rng, tools: &[Tool], out: &mut Vec<String>) {
        let is_list = rng.one_in(2);
        let count = 1 + usize::from(rng.one_in(4));
        if is_list {
            out.push("[".to_owned());
        }
        for number in 0..count {
            if number > 0 {
                let several = if self.several { "\n" } else { "," };
                out.push(if is_list { "," } else { several }.to_owned());
            }
            let tool = any_tool(rng, tools);
            self.envelope(rng, &tool, out);
        }
        if is_list {
            out.push("]".to_owned());
        }
    }

    fn envelope(&self, rng: &mut Rng, tool: &Tool, out: &mut Vec<String>) {
        let Style::Envelope {
            name,
            arguments,
            id,
            inside,
            ..
        } = &self.arguments
        else {
            out.push(format!("{{\"{}\":", tool.name));
            json_object(rng, tool, Quotes::REAL, out);
            return out.push("}".to_owned());
        };
        let mut members: Vec<Vec<String>> = Vec::new();
        members.push(vec![format!("\"{}\":", rng.pick(name)), quoted(&tool.name)]);
        if rng.percent(90) {
            let mut member = vec![format!("\"{}\":", rng.pick(arguments))];
            match rng.below(12) {
                0 => member.push("null".to_owned()),
                1 => {
                    let mut object = Vec::new();
                    json_object(rng, tool, Quotes::REAL, &mut object);
                    member.push(Value::String(object.concat()).to_string());
                }
                _ => json_object(rng, tool, Quotes::REAL, &mut member),
            }
            members.push(member);
        }
        let id = id.first().map_or("id", String::as_str);
        if rng.one_in(5) {
            members.push(vec![format!("\"{id}\":"), json_string(rng)]);
        }
        if rng.one_in(5) {
            members.push(vec![
                format!("{}:", json_string(rng)),
                json_value(rng, "", 1),
            ]);
        }
        if rng.one_in(3) {
            rng.shuffle(&mut members);
        }
        let inside = inside.as_ref().filter(|_| rng.one_in(4));
        if let Some(key) = inside {
            out.push(format!("{{\"{key}\":"));
        }
        join_members(rng, members, out);
        if inside.is_some() {
            out.push("}".to_owned());
        }
    }

    /// One of these patterns, spelled; tags sometimes in another case.
    fn tag(&self, rng: &mut Rng, patterns: &[String], name: &str, argument: &str) -> String {
        let pattern = rng.pick(patterns);
        let mut tag = spell(rng, pattern, name, argument);
        if rng.one_in(12) && tag.ends_with(&self.tag_end) {
            let space = *rng.pick(&[" ", "\n", "  "]);
            tag.insert_str(tag.len() - self.tag_end.len(), space);
        }
        if rng.one_in(25) {
            tag.make_ascii_uppercase();
        }
        tag
    }

    /// A tag with the attribute for the type of the value, and sometimes with other attributes.
    fn with_attribute(
        &self,
        rng: &mut Rng,
        mut tag: String,
        attribute: Option<&str>,
        kind: &str,
    ) -> String {
        let Some(end) = tag.strip_suffix(self.tag_end.as_str()).map(str::len) else {
            return tag;
        };
        let mut more = String::new();
        if let Some(attribute) = attribute.filter(|_| rng.percent(70)) {
            let kinds = ["true", "false", "string", "number", "object", kind];
            more = format!(" {attribute}=\"{}\"", rng.pick(&kinds));
        }
        if rng.one_in(12) {
            more += *rng.pick(super::message::ATTRIBUTES);
        }
        tag.insert_str(end, &more);
        tag
    }
}

impl Style {
    fn new(json: &Value) -> Self {
        let pair = |key: &str| {
            let [open, close] = [0, 1].map(|i| string(&json[key][i]).unwrap_or_default());
            [open, close]
        };
        match json["style"].as_str().unwrap_or_default() {
            "elements" => Style::Elements {
                tags: [strings(&json["open"]), strings(&json["close"])],
                attribute: string(&json["string_attribute"])
                    .or_else(|| string(&json["type_attribute"])),
                json: json["json"] == true,
                json_in: json["json_in"].is_array().then(|| pair("json_in")),
            },
            "pairs" => Style::Pairs {
                key: pair("key"),
                value: pair("value"),
            },
            "json" => Style::Json {
                quote: string(&json["quote"]),
                bare_keys: json["bare_keys"] == true,
            },
            "envelope" => Style::Envelope {
                name: strings(&json["name"]),
                arguments: strings(&json["arguments"]),
                id: strings(&json["id"]),
                inside: string(&json["inside"]),
                python: json["python"] == true,
            },
            "python" => Style::Python,
            _ => Style::Keyed,
        }
    }
}

/// How strings of JSON are written.
#[derive(Clone, Copy)]
struct Quotes<'a> {
    quote: &'a str,
    bare_keys: bool,
}

impl Quotes<'_> {
    const REAL: Quotes<'static> = Quotes {
        quote: "\"",
        bare_keys: false,
    };
}

fn json_object(rng: &mut Rng, tool: &Tool, quotes: Quotes<'_>, out: &mut Vec<String>) {
    let members = some_arguments(rng, tool).into_iter().map(|(name, kind)| {
        let quote = quotes.quote;
        if quote != "\"" {
            let value = match kind.as_str() {
                "string" | "" => format!("{quote}{}{quote}", rng.pick(VALUES)),
                _ => rng.text(&["1", "true", "[1,2]", "null"]),
            };
            let is_bare = quotes.bare_keys && rng.percent(80);
            let key = if is_bare {
                name
            } else {
                format!("{quote}{name}{quote}")
            };
            return vec![format!("{key}:"), value];
        }
        vec![format!("{}:", quoted(&name)), json_value(rng, &kind, 2)]
    });
    let members = members.collect();
    join_members(rng, members, out);
}

fn join_members(rng: &mut Rng, members: Vec<Vec<String>>, out: &mut Vec<String>) {
    out.push(format!("{{{}", rng.pick(BETWEEN)));
    for (i, member) in members.into_iter().enumerate() {
        if i > 0 {
            out.push(format!(",{}", rng.pick(BETWEEN)));
        }
        out.extend(member);
    }
    out.push(format!("{}}}", rng.pick(BETWEEN)));
}

/// A value of JSON, mostly of this type.
pub(super) fn json_value(rng: &mut Rng, kind: &str, depth: usize) -> String {
    let kinds = [
        "string", "integer", "number", "boolean", "array", "object", "null",
    ];
    let kind = if rng.one_in(16) || !kinds.contains(&kind) {
        rng.pick(&kinds)
    } else {
        kind
    };
    match kind {
        "string" => json_string(rng),
        "integer" => rng.text(&["5", "0", "-1", "7", "5", "02", "12345678901234567890"]),
        "number" => rng.text(&["1.5", "1.50", "1e5", "-0", "2", "3.25", "1e400", "."]),
        "boolean" => rng.text(&["true", "false", "true", "false", "True", "tru"]),
        "array" if depth > 0 => {
            let item = json_value(rng, "", depth - 1);
            rng.pick(&["[]".to_owned(), format!("[{item}]"), format!("[{item}, 1]")])
                .clone()
        }
        "object" if depth > 0 => {
            let item = json_value(rng, "", depth - 1);
            rng.pick(&["{}".to_owned(), format!("{{\"k\":{item}}}")])
                .clone()
        }
        _ => "null".to_owned(),
    }
}

/// A string of JSON, quotes and all; few have something wrong in them.
pub(super) fn json_string(rng: &mut Rng) -> String {
    let mut text = String::from("\"");
    for _ in 0..rng.below(3) {
        let list = if rng.one_in(16) {
            WRONG_IN_STRINGS
        } else {
            IN_STRINGS
        };
        text += *rng.pick(list);
    }
    text.push('"');
    text
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn raw_value(rng: &mut Rng, kind: &str) -> String {
    match kind {
        "" | "string" => rng.text(VALUES),
        _ if rng.one_in(4) => rng.text(VALUES),
        _ => json_value(rng, kind, 1),
    }
}

/// Mostly each argument once, in order.
fn some_arguments(rng: &mut Rng, tool: &Tool) -> Vec<(String, String)> {
    let mut arguments = tool.arguments.clone();
    arguments.retain(|_| rng.percent(80));
    if rng.one_in(6) {
        arguments.push((any_argument(rng, tool), String::new()));
    }
    if rng.one_in(6) {
        rng.shuffle(&mut arguments);
    }
    arguments
}

/// Mostly one that is declared.
pub(super) fn any_tool(rng: &mut Rng, tools: &[Tool]) -> Tool {
    if !tools.is_empty() && rng.percent(88) {
        return rng.pick(tools).clone();
    }
    Tool {
        name: rng.text(&["nope", "f", "g", "日", "F", "a"]),
        arguments: vec![("a".to_owned(), String::new())],
    }
}

pub(super) fn any_argument(rng: &mut Rng, tool: &Tool) -> String {
    if !tool.arguments.is_empty() && rng.percent(85) {
        return rng.pick(&tool.arguments).0.clone();
    }
    rng.text(&["zz", "a", "b", "é"])
}

/// A pattern with its places filled and one of each of its choices taken.
pub(super) fn spell(rng: &mut Rng, pattern: &str, name: &str, argument: &str) -> String {
    let mut out = String::new();
    let mut rest = pattern;
    while let Some(open) = rest.find('{') {
        let Some(length) = rest[open..].find('}') else {
            break;
        };
        out += &rest[..open];
        let inner = &rest[open + 1..open + length];
        match inner {
            "name" => out += name,
            "argument" => out += argument,
            "id" => out += *rng.pick(&["i1", "", "é"]),
            "skip" => out += *rng.pick(&["f", "", "w"]),
            _ if inner.contains(',') => {
                let choices: Vec<&str> = inner.split(',').collect();
                out += *rng.pick(&choices);
            }
            _ => out += &rest[open..=open + length],
        }
        rest = &rest[open + length + 1..];
    }
    out + rest
}

fn strings(json: &Value) -> Vec<String> {
    let list = json.as_array().into_iter().flatten();
    list.filter_map(string).collect()
}

fn string(json: &Value) -> Option<String> {
    json.as_str().map(str::to_owned)
}
