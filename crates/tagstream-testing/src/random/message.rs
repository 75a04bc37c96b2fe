//! Random messages, made of the vocabulary of a profile.

use super::Rng;
use super::dialect::{Syntax, Tool, json_string};
use super::profile::declared;
use serde_json::Value;

/// Longer messages are cut off.
const MAX_MESSAGE_BYTES: usize = 600;

const SPACES: &[&str] = &[" ", "\n", "  ", "\r\n", "\t", "\n\n", " \n", "\r", "   "];

const CODE: &[&str] = &[
    "`", "``", "```\n", "```xml\n", "\n```\n", "```", "~~~\n", "\n~~~", "`x`", "````",
];

const TEXT: &[&str] = &[
    "x",
    "hello ",
    "é",
    "日本",
    "😀",
    "“Done”",
    "5 < 6",
    " & ",
    "<",
    "</",
    "<b>",
    "&lt;",
    "&#39;",
    "&#x",
    "&am",
    ".",
    "it's",
    "a\nb",
    "/>",
    ">",
    "<<",
    "< ",
    "<!",
    "\u{1}",
    "\u{feff}",
    "!",
    "|",
    ";",
    "\\",
];

const JSON: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "{\"",
    "\"",
    "\"}",
    ",",
    ":",
    "\\",
    "\\\"",
    "\\u00e9",
    "\\ud83d",
    "1",
    "null",
    "{}",
    "\"name\":",
    "\"arguments\":{",
    "\"parameters\"",
    "{\"name\":\"f\",\"arguments\":{}}",
    "{\"name\":\"f\"}",
    "\"\"",
    "}}",
    "{\"a\":1}",
    "// x\n",
    "1e5",
];

/// Attributes, right and wrong.
pub(super) const ATTRIBUTES: &[&str] = &[
    " a=\"v\"",
    " a='v'",
    " a=v",
    " a",
    " a=\"",
    " a='",
    " u=http://x?q=\"b",
    " u=http://x?q=\"b\"",
    " =",
    " a = \"v\"",
    " a=\">\"",
    " a=\"<\"",
    "/",
    " /",
    " \"q\"",
    " a=é",
    " it's",
    " name=\"g\"",
    " a=1 a=2",
];

/// What messages for one profile are made of.
#[derive(Debug)]
pub struct Vocabulary {
    /// What the profile lists: tags, literals, the markup of its dialects, names.
    own: Vec<String>,
    /// Openers and closers of sections and elements, with literals as they are.
    pairs: Vec<[String; 2]>,
    syntaxes: Vec<Syntax>,
    tools: Vec<Tool>,
    limits: Vec<usize>,
}

impl Vocabulary {
    /// The vocabulary of a profile.
    #[must_use]
    pub fn new(rng: &mut Rng, profile: &Value, dialects: &[Value]) -> Self {
        let mut own = Vec::new();
        let mut pairs = Vec::new();
        for name in names(profile) {
            for form in ["<*>", "</*>", "<*/>", "<* ", "<*", "</*", "<*\n>", "</* >"] {
                own.push(form.replace('*', &name));
            }
            own.push(format!("<{name}{}>", rng.pick(ATTRIBUTES)));
            own.push(format!("<{}>", name.to_uppercase()));
            pairs.push([format!("<{name}>"), format!("</{name}>")]);
        }
        let ends = list(&profile["thinking"]["ends_before"]);
        own.extend(ends.filter_map(Value::as_str).map(str::to_owned));
        let answers = list(&profile["thinking"]["answers"]);
        for pair in list(&profile["thinking"]["delimiters"]).chain(answers) {
            let pair = [0, 1].map(|i| pair[i].as_str().unwrap_or_default().to_owned());
            own.extend(pair.clone());
            pairs.push(pair);
        }
        let markers = list(&profile["markers"]);
        own.extend(markers.filter_map(Value::as_str).map(str::to_owned));
        let tools = tools(profile);
        let syntaxes = syntaxes(profile, dialects);
        for syntax in pick_some(rng, &syntaxes, 6) {
            own.extend(syntax.markup(rng, &tools));
        }
        for tool in &tools {
            own.push(tool.name.clone());
            own.extend(tool.arguments.iter().map(|(name, _)| name.clone()));
        }
        own.retain(|piece| !piece.is_empty());
        let limits = profile["limits"].as_object().into_iter().flatten();
        Vocabulary {
            own,
            pairs,
            syntaxes,
            tools,
            limits: limits
                .filter_map(|(_, limit)| Some(limit.as_u64()? as usize))
                .collect(),
        }
    }

    /// A random message.
    pub fn message(&self, rng: &mut Rng) -> Vec<u8> {
        let mut message = match rng.below(10) {
            0..=2 => self.salad(rng),
            3 => self.repetition(rng),
            4..=5 if !self.syntaxes.is_empty() => {
                [self.piece(rng), self.one_call(rng), self.piece(rng)].concat()
            }
            _ => self.composition(rng),
        };
        for _ in 0..[0, 0, 0, 1, 1, 2, 4][rng.below(7)] {
            self.mutate(rng, &mut message);
        }
        message.truncate(message.floor_char_boundary(MAX_MESSAGE_BYTES));
        let mut bytes = message.into_bytes();
        if rng.one_in(40) && !bytes.is_empty() {
            let at = rng.below(bytes.len());
            bytes[at] = *rng.pick(&[0xff, 0xc3, 0xe2, 0x80]);
        }
        bytes
    }

    /// How a message may go on.
    pub fn tail(&self, rng: &mut Rng, message: &[u8]) -> Vec<u8> {
        match rng.below(6) {
            0 => Vec::new(),
            1 if !message.is_empty() => message[rng.below(message.len())..].to_vec(),
            2 => self.one_call(rng).into_bytes(),
            _ => {
                let count = rng.between(1, 3);
                let pieces = (0..count).map(|_| self.piece(rng));
                pieces.collect::<String>().into_bytes()
            }
        }
    }

    /// A message that is one call whose arguments are JSON: what opens it, the JSON, of which one in
    /// two is damaged, and what closes it. None if the profile has no such dialect, or several.
    pub fn json_call(&self, rng: &mut Rng) -> Option<[String; 3]> {
        let [syntax] = self.syntaxes.as_slice() else {
            return None;
        };
        let (open, mut json, close) = syntax.json_call(rng, &self.tools)?;
        if rng.one_in(2) {
            self.damage(rng, &mut json);
        }
        Some([open, json.concat(), close])
    }

    /// Any pieces, one after the other.
    fn salad(&self, rng: &mut Rng) -> String {
        let count = rng.between(1, 12);
        (0..count).map(|_| self.piece(rng)).collect()
    }

    /// The same few pieces over and over.
    fn repetition(&self, rng: &mut Rng) -> String {
        let count = rng.between(2, 5);
        let few: Vec<String> = (0..count).map(|_| self.piece(rng)).collect();
        let count = rng.between(2, 16);
        (0..count).map(|_| rng.pick(&few).as_str()).collect()
    }

    /// What a model would write: text, sections and calls, each well written or nearly so.
    fn composition(&self, rng: &mut Rng) -> String {
        let mut message = String::new();
        for _ in 0..rng.between(1, 4) {
            match rng.below(10) {
                0..=4 if !self.syntaxes.is_empty() => message += &self.one_call(rng),
                5..=7 if !self.pairs.is_empty() => {
                    let [open, close] = rng.pick(&self.pairs);
                    message += open;
                    for _ in 0..rng.below(4) {
                        message += &if rng.one_in(4) && !self.syntaxes.is_empty() {
                            self.one_call(rng)
                        } else {
                            self.piece(rng)
                        };
                    }
                    message += close;
                }
                _ => message += &self.piece(rng),
            }
            if rng.one_in(3) {
                message += &self.space(rng);
            }
        }
        message
    }

    /// A call, or several; many have something wrong in them.
    fn one_call(&self, rng: &mut Rng) -> String {
        if self.syntaxes.is_empty() {
            return self.piece(rng);
        }
        let syntax = rng.pick(&self.syntaxes);
        let wrapped = rng.percent(88);
        let mut pieces = syntax.call(rng, &self.tools, wrapped);
        if rng.percent(40) {
            for _ in 0..rng.between(1, 2) {
                self.damage(rng, &mut pieces);
            }
        }
        pieces.concat()
    }

    /// Makes a mistake in a list of pieces.
    fn damage(&self, rng: &mut Rng, pieces: &mut Vec<String>) {
        if pieces.is_empty() {
            return;
        }
        let at = rng.below(pieces.len());
        match rng.below(7) {
            0 => drop(pieces.remove(at)),
            1 => pieces.insert(at, pieces[at].clone()),
            2 => pieces.truncate(at),
            3 => {
                let other = rng.below(pieces.len());
                pieces.swap(at, other);
            }
            4 => pieces[at] = self.piece(rng),
            5 => {
                let end = rng.boundary(&pieces[at]);
                pieces[at].truncate(end);
            }
            _ => pieces.insert(at, self.piece(rng)),
        }
    }

    /// One piece of any kind.
    fn piece(&self, rng: &mut Rng) -> String {
        match rng.below(100) {
            0..=44 if !self.own.is_empty() => {
                let piece = rng.pick(&self.own);
                match rng.below(8) {
                    0 => piece[..rng.boundary(piece)].to_owned(),
                    1 => piece[rng.boundary(piece)..].to_owned(),
                    _ => piece.clone(),
                }
            }
            45..=54 => self.space(rng),
            55..=61 => rng.text(CODE),
            62..=71 if !self.syntaxes.is_empty() => rng.text(JSON),
            72..=75 if !self.syntaxes.is_empty() => json_string(rng),
            76..=79 => rng.text(ATTRIBUTES),
            _ => rng.text(TEXT),
        }
    }

    /// White space, sometimes about as long as a limit.
    fn space(&self, rng: &mut Rng) -> String {
        if !self.limits.is_empty() && rng.one_in(4) {
            let limit = *rng.pick(&self.limits);
            let length = (limit + rng.below(5)).saturating_sub(2).min(80);
            return rng.pick(&[" ", "\n"]).repeat(length);
        }
        rng.text(SPACES)
    }

    /// Changes a message at a random place.
    fn mutate(&self, rng: &mut Rng, message: &mut String) {
        let [a, b] = [0, 1].map(|_| rng.boundary(message));
        let (from, to) = (a.min(b), a.max(b));
        let near = message.floor_char_boundary(from + rng.below(6));
        match rng.below(6) {
            0 => message.replace_range(from..near.max(from), ""),
            1 => message.replace_range(from..to, ""),
            2 => message.truncate(to),
            3 => message.insert_str(to, &message.clone()[from..near]),
            4 => {
                let moved = message[from..to].to_owned();
                message.replace_range(from..to, "");
                let at = rng.boundary(message);
                message.insert_str(at, &moved);
            }
            _ => {
                let piece = self.piece(rng);
                message.insert_str(to, &piece);
            }
        }
    }
}

fn list(json: &Value) -> impl Iterator<Item = &Value> {
    json.as_array().into_iter().flatten()
}

fn names(profile: &Value) -> Vec<String> {
    let elements = || list(&profile["elements"]);
    let children = elements().flat_map(|element| list(&element["children"]));
    let all = list(&profile["thinking"]["tags"])
        .chain(list(&profile["hide"]))
        .chain(list(&profile["unwrap"]))
        .chain(elements().map(|element| &element["name"]))
        .chain(children);
    let mut names: Vec<String> = all.filter_map(Value::as_str).map(str::to_owned).collect();
    if names.iter().any(|name| name == "*") {
        names.retain(|name| name != "*");
        names.extend(["any", "x"].map(str::to_owned));
    }
    names
}

/// The tools of a profile; without any, those that a model might make up.
fn tools(profile: &Value) -> Vec<Tool> {
    let declared = list(&profile["calls"]["tools"]).map(declared);
    let mut tools: Vec<Tool> = declared
        .map(|(name, arguments)| Tool { name, arguments })
        .collect();
    if tools.is_empty() {
        let arguments = ["a", "b"].map(|name| (name.to_owned(), String::new()));
        tools.push(Tool {
            name: "f".to_owned(),
            arguments: arguments.into(),
        });
    }
    tools
}

fn syntaxes(profile: &Value, dialects: &[Value]) -> Vec<Syntax> {
    let Some(calls) = profile.get("calls") else {
        return Vec::new();
    };
    let own = list(&profile["own_dialects"]);
    let wanted = |dialect: &&Value| match &calls["dialect"] {
        Value::Array(names) => names.contains(&dialect["name"]),
        Value::String(name) if name != "auto" => dialect["name"] == name.as_str(),
        _ => true,
    };
    let all = own.chain(dialects).filter(wanted);
    all.map(Syntax::new).collect()
}

fn pick_some<'a, T>(rng: &mut Rng, list: &'a [T], most: usize) -> Vec<&'a T> {
    let mut all: Vec<&T> = list.iter().collect();
    rng.shuffle(&mut all);
    all.truncate(most);
    all
}
