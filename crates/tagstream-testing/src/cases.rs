//! The suite in `cases/`: reading it, and checking a reading of a message against it.

use crate::ev::{Attrs, Call, Element, Ev, Refused};
use serde_json::{Map, Value, json};
use std::{fs, path::Path};
use tagstream::profile::{CallOptions, Preset, parse_with};
use tagstream::{Profile, Tools};

pub struct Case {
    pub id: String,
    /// Where its expectation comes from.
    pub source: String,
    /// The profile, or why the case is left out.
    pub profile: Result<Profile, String>,
    pub pieces: Vec<Vec<u8>>,
    /// A case passes on any of these.
    pub expects: Vec<Value>,
    pub stream: Vec<Value>,
    /// The engine does not do this yet.
    pub known_gap: bool,
}

/// All cases of all files; those that need calls are left out.
pub fn all() -> Vec<Case> {
    with(&|case| {
        if needs_calls(case) {
            Err("needs calls".into())
        } else {
            profile(case)
        }
    })
}

/// All cases of all files; those that need no calls are left out.
pub fn with_calls() -> Vec<Case> {
    with(&|case| {
        if needs_calls(case) {
            profile(case)
        } else {
            Err("needs no calls".into())
        }
    })
}

/// All cases of all files, with their profiles read in this way.
fn with(profile: &dyn Fn(&Value) -> Result<Profile, String>) -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases");
    let mut files: Vec<_> = fs::read_dir(folder)
        .expect("the suite is there")
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| path.extension().is_some_and(|e| e == "jsonl"))
        .collect();
    files.sort();
    files.iter().flat_map(|path| read(path, profile)).collect()
}

fn read(path: &Path, profile: &dyn Fn(&Value) -> Result<Profile, String>) -> Vec<Case> {
    let text = fs::read_to_string(path).expect("it can be read");
    let parse = |line| match serde_json::from_str(line) {
        Ok(value) => Case::new(&value, profile(&value)),
        Err(error) => panic!("{}: {error}: {line}", path.display()),
    };
    text.lines().map(parse).collect()
}

impl Case {
    fn new(value: &Value, profile: Result<Profile, String>) -> Case {
        let alternatives = value["expect_alt"].as_array().into_iter().flatten();
        Case {
            id: string(&value["id"]),
            source: string(&value["source"]),
            profile,
            pieces: pieces(value),
            expects: [&value["expect"]]
                .into_iter()
                .chain(alternatives)
                .cloned()
                .collect(),
            stream: value["expect"]["stream"]
                .as_array()
                .cloned()
                .unwrap_or_default(),
            known_gap: value["known_gap"] == true,
        }
    }

    pub fn message(&self) -> Vec<u8> {
        self.pieces.concat()
    }

    /// Whether these events are what the case expects of its message.
    pub fn check(&self, events: &[Ev], message: &str) -> Result<(), String> {
        let mut problems = Vec::new();
        for expect in &self.expects {
            match check(expect, events, message) {
                Ok(()) => return Ok(()),
                Err(problem) => problems.push(problem),
            }
        }
        Err(problems.join("; or "))
    }
}

fn needs_calls(case: &Value) -> bool {
    case["model"].is_string() || !case["profile"]["calls"].is_null()
}

fn profile(case: &Value) -> Result<Profile, String> {
    if case["from"] != "text" {
        return Err(format!("reads the wire format {}", case["from"]));
    }
    if let Some(model) = case["model"].as_str() {
        return Ok(profile_for(model, &case["tools"]));
    }
    let profile = tagstream::profile::parse(&case["profile"].to_string());
    Ok(profile.unwrap_or_else(|error| panic!("{}: {error}", case["id"])))
}

/// The profile of the preset for a model, with these tools.
fn profile_for(model: &str, tools: &Value) -> Profile {
    let preset = Preset::for_model(model).unwrap_or_else(|error| panic!("{error}"));
    let tools = Tools::from_value(tools).expect("the tools are valid");
    let options = CallOptions::new().tools(tools);
    let loaded = parse_with(preset.source(), &options);
    loaded.expect("the preset is valid").profile
}

fn pieces(case: &Value) -> Vec<Vec<u8>> {
    if let Some(chunks) = case["chunks"].as_array() {
        return chunks
            .iter()
            .map(|chunk| string(chunk).into_bytes())
            .collect();
    }
    if let Some(chunks) = case["bytes_hex"].as_array() {
        return chunks.iter().map(|chunk| unhex(&string(chunk))).collect();
    }
    generated(&case["gen"])
}

fn unhex(hex: &str) -> Vec<u8> {
    let byte = |k| u8::from_str_radix(&hex[k..k + 2], 16).expect("two hex digits");
    (0..hex.len()).step_by(2).map(byte).collect()
}

/// prefix + (repeat, cut to total characters) + suffix, in pieces of `chunk` characters.
fn generated(case: &Value) -> Vec<Vec<u8>> {
    let number =
        |key: &str| usize::try_from(case[key].as_u64().expect("a number")).expect("a size");
    let middle = string(&case["repeat"]);
    let middle: String = middle.chars().cycle().take(number("total")).collect();
    let message = string(&case["prefix"]) + &middle + &string(&case["suffix"]);
    let chars: Vec<char> = message.chars().collect();
    chars
        .chunks(number("chunk"))
        .map(|c| c.iter().collect::<String>().into_bytes())
        .collect()
}

fn string(value: &Value) -> String {
    value
        .as_str()
        .unwrap_or_else(|| panic!("{value} should be a string"))
        .into()
}

/// Checks all that an `expect` asks for.
fn check(expect: &Value, events: &[Ev], message: &str) -> Result<(), String> {
    let expect = expect.as_object().expect("expect is an object");
    let trim = expect.get("compare").is_some_and(|c| c == "trim");
    for (key, wanted) in expect {
        let got = match observed(key, events, message, wanted) {
            Some(got) => got,
            None => continue,
        };
        let equal = match (trim, &got, wanted) {
            (true, Value::String(got), Value::String(wanted)) => got.trim() == wanted.trim(),
            _ => got == *wanted,
        };
        if !equal {
            return Err(format!("{key} is {got}, not {wanted}"));
        }
    }
    Ok(())
}

/// What was observed of the thing that `key` asks for, in the form in which it is asked.
fn observed(key: &str, events: &[Ev], message: &str, wanted: &Value) -> Option<Value> {
    let text = text(events);
    Some(match key {
        "text" => json!(text),
        "reasoning" => json!(blocks(events).concat()),
        "reasoning_blocks" => json!(blocks(events)),
        "elements" => json!(elements(events, wanted)),
        "flags" => json!(flags(events, wanted)),
        "notices" => json!(notices(events)),
        "events" => json!(events.iter().filter_map(to_json).collect::<Vec<_>>()),
        "text_starts_with" => prefix(&text, wanted),
        "text_ends_with" => suffix(&text, wanted),
        "text_equals_input" => json!(text == message),
        "not_contains" => {
            let absent = |w: &&Value| !text.contains(&string(w));
            json!(wanted.as_array()?.iter().filter(absent).collect::<Vec<_>>())
        }
        "events_balanced" => json!(is_balanced(events)),
        "no_empty_reasoning_block" => json!(blocks(events).iter().all(|b| !b.trim().is_empty())),
        "tool_calls" => json!(tool_calls(events, wanted)),
        "errors" => json!(errors(events, wanted)),
        "calls_count" => json!(calls(events).count()),
        "args_valid_json" => json!(json_arguments(events).iter().all(|text| is_json(text))),
        // How to compare, what the runner checks while it streams, what an outside runner times.
        "compare" | "stream" | "max_seconds" | "scaling" => return None,
        _ => panic!("the runner does not know `{key}`"),
    })
}

/// Checks one point of `stream` against what has come out so far.
pub fn check_point(point: &Value, events: &[Ev]) -> Result<(), String> {
    for (key, wanted) in point.as_object().expect("a point is an object") {
        match key.split_once("_at_") {
            Some(("text", how)) => check_prefix(key, how, &text(events), wanted)?,
            Some(("reasoning", how)) => check_prefix(key, how, &blocks(events).concat(), wanted)?,
            Some(("args", how)) => {
                for (name, wanted) in wanted.as_object().expect("values by their names") {
                    check_prefix(key, how, &argument(events, name), wanted)?;
                }
            }
            _ if key == "after_chunk" => {}
            _ => check(&json!({key: wanted}), events, "")?,
        }
    }
    Ok(())
}

/// Whether one of the two texts begins with the other.
fn check_prefix(key: &str, how: &str, got: &str, wanted: &Value) -> Result<(), String> {
    let wanted = string(wanted);
    let right = match how {
        "least" => got.starts_with(&wanted),
        "most" => wanted.starts_with(got),
        _ => panic!("the runner does not know `{key}`"),
    };
    if right {
        Ok(())
    } else {
        Err(format!("{key} {wanted:?}, but it is {got:?}"))
    }
}

fn prefix(text: &str, wanted: &Value) -> Value {
    let wanted = string(wanted);
    json!(if text.starts_with(&wanted) {
        &wanted
    } else {
        text
    })
}

fn suffix(text: &str, wanted: &Value) -> Value {
    let wanted = string(wanted);
    json!(if text.ends_with(&wanted) {
        &wanted
    } else {
        text
    })
}

fn text(events: &[Ev]) -> String {
    let texts = events.iter().filter_map(|ev| match ev {
        Ev::Text(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

/// The text of each thought.
fn blocks(events: &[Ev]) -> Vec<String> {
    let mut blocks: Vec<String> = Vec::new();
    for ev in events {
        match ev {
            Ev::ThoughtStart { .. } => blocks.push(String::new()),
            Ev::Thought(text) => blocks
                .last_mut()
                .expect("a thought has begun")
                .push_str(text),
            _ => {}
        }
    }
    blocks
}

fn notices(events: &[Ev]) -> Vec<String> {
    let codes = events.iter().filter_map(|ev| match ev {
        Ev::Notice(code) => Some(code.as_str().to_string()),
        _ => None,
    });
    codes.collect()
}

/// Those flags that are up, of those that are asked for.
fn flags(events: &[Ev], wanted: &Value) -> Vec<Value> {
    let mut codes = notices(events);
    codes.extend(refusals(events).map(|refused| refused.code.as_str().to_owned()));
    let is_up = |flag: &str| {
        let code = if flag == "unclosed_think" {
            "unclosed_thought"
        } else {
            flag
        };
        codes.iter().any(|known| known == code)
    };
    let asked = wanted.as_array().expect("a list").iter();
    asked.filter(|flag| is_up(&string(flag))).cloned().collect()
}

fn calls(events: &[Ev]) -> impl Iterator<Item = &Call> {
    events.iter().filter_map(|ev| match ev {
        Ev::CallEnd(call) => Some(&**call),
        _ => None,
    })
}

fn refusals(events: &[Ev]) -> impl Iterator<Item = &Refused> {
    events.iter().filter_map(|ev| match ev {
        Ev::CallError(refused) => Some(&**refused),
        _ => None,
    })
}

/// The calls in order, each with those keys that the case asks for.
fn tool_calls(events: &[Ev], wanted: &Value) -> Vec<Value> {
    let asked = wanted.as_array().expect("a list");
    let calls = calls(events).enumerate();
    calls
        .map(|(k, call)| only(call_json(call), asked.get(k)))
        .collect()
}

fn call_json(call: &Call) -> Value {
    let arguments: Value = serde_json::from_str(&call.arguments).expect("arguments are JSON");
    json!({"index": call.index, "id": call.id, "name": call.name, "arguments": arguments})
}

/// The codes in order, each with the argument or the tool after a colon if it is asked for so.
fn errors(events: &[Ev], wanted: &Value) -> Vec<String> {
    let asked = wanted.as_array().expect("a list");
    let shown = |(k, refused): (usize, &Refused)| {
        let code = refused.code.as_str();
        let asked = asked.get(k).and_then(Value::as_str).unwrap_or("");
        let names = [&refused.argument, &refused.name];
        let names = names.into_iter().flatten();
        let mut qualified = names.map(|name| format!("{code}:{name}"));
        let found = qualified.find(|name| name == asked);
        found.unwrap_or_else(|| code.to_owned())
    };
    refusals(events).enumerate().map(shown).collect()
}

/// What has been shown of the arguments of each call that came as JSON.
fn json_arguments(events: &[Ev]) -> Vec<String> {
    let mut texts: Vec<(u64, String)> = Vec::new();
    for ev in events {
        if let Ev::CallDelta {
            index,
            argument: None,
            text,
        } = ev
        {
            match texts.last_mut().filter(|(last, _)| last == index) {
                Some((_, joined)) => joined.push_str(text),
                None => texts.push((*index, text.clone())),
            }
        }
    }
    texts.into_iter().map(|(_, text)| text).collect()
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<Value>(text).is_ok()
}

/// What has been shown of an argument, in all calls together.
fn argument(events: &[Ev], name: &str) -> String {
    let texts = events.iter().filter_map(|ev| match ev {
        Ev::CallDelta { argument, text, .. } if argument.as_deref() == Some(name) => {
            Some(text.as_str())
        }
        _ => None,
    });
    texts.collect()
}

/// Whether every thought_end has its start and the other way round.
fn is_balanced(events: &[Ev]) -> bool {
    let mut open = false;
    for ev in events {
        match ev {
            Ev::ThoughtStart { .. } if open => return false,
            Ev::ThoughtStart { .. } => open = true,
            Ev::ThoughtEnd { .. } if !open => return false,
            Ev::ThoughtEnd { .. } => open = false,
            _ => {}
        }
    }
    !open
}

/// The elements in the order of their ends, each with those keys that the case asks for.
fn elements(events: &[Ev], wanted: &Value) -> Vec<Value> {
    let ended = events.iter().filter_map(|ev| match ev {
        Ev::ElementEnd(element) => Some(element_json(element, "attrs")),
        _ => None,
    });
    let asked = wanted.as_array().expect("a list");
    ended
        .enumerate()
        .map(|(k, element)| only(element, asked.get(k)))
        .collect()
}

fn only(element: Value, asked: Option<&Value>) -> Value {
    match (element, asked.and_then(Value::as_object)) {
        (Value::Object(map), Some(asked)) => map
            .into_iter()
            .filter(|(key, _)| asked.contains_key(key))
            .collect(),
        (element, _) => element,
    }
}

fn element_json(element: &Element, attributes: &str) -> Value {
    let part = |part: &super::ev::Part| json!({"name": part.name, "attributes": attrs(&part.attributes), "text": part.text});
    let mut map = Map::new();
    map.insert("id".into(), json!(element.id));
    map.insert("parent".into(), json!(element.parent));
    map.insert("name".into(), json!(element.name));
    map.insert(attributes.into(), attrs(&element.attributes));
    if let Some(body) = &element.body {
        map.insert("body".into(), json!(body));
    }
    map.insert(
        "parts".into(),
        json!(element.parts.iter().map(part).collect::<Vec<_>>()),
    );
    map.insert("complete".into(), json!(element.complete));
    map.into()
}

/// Names as written; one given twice is a list.
fn attrs(attributes: &Attrs) -> Value {
    let mut map = Map::new();
    for (name, value) in attributes {
        let value = json!(value);
        match map.get_mut(name) {
            None => _ = map.insert(name.clone(), value),
            Some(Value::Array(values)) => values.push(value),
            Some(first) => *first = json!([first.clone(), value]),
        }
    }
    map.into()
}

/// An event as the contract writes it, without its span and message.
fn to_json(ev: &Ev) -> Option<Value> {
    Some(match ev {
        Ev::Text(text) => json!({"type": "text", "text": text}),
        Ev::ThoughtStart { tag, attributes } => {
            json!({"type": "thought_start", "tag": tag, "attributes": attrs(attributes)})
        }
        Ev::Thought(text) => json!({"type": "thought", "text": text}),
        Ev::ThoughtEnd { closed } => json!({"type": "thought_end", "closed": closed}),
        Ev::ElementStart {
            id,
            parent,
            name,
            attributes,
        } => {
            json!({"type": "element_start", "id": id, "parent": parent, "name": name, "attributes": attrs(attributes)})
        }
        Ev::ElementDelta {
            id,
            part: None,
            text,
        } => json!({"type": "element_delta", "id": id, "text": text}),
        Ev::ElementDelta { id, part, text } => {
            json!({"type": "element_delta", "id": id, "part": part, "text": text})
        }
        Ev::ElementEnd(element) => {
            let mut value = element_json(element, "attributes");
            value["type"] = json!("element_end");
            value
        }
        Ev::CallStart { index, id, name } => {
            json!({"type": "call_start", "index": index, "id": id, "name": name})
        }
        Ev::CallDelta {
            index,
            argument: None,
            text,
        } => json!({"type": "call_delta", "index": index, "text": text}),
        Ev::CallDelta {
            index,
            argument,
            text,
        } => json!({"type": "call_delta", "index": index, "argument": argument, "text": text}),
        Ev::CallEnd(call) => {
            let mut value = call_json(call);
            value["type"] = json!("call_end");
            value
        }
        Ev::CallError(refused) => {
            json!({"type": "call_error", "index": refused.index, "name": refused.name, "code": refused.code.as_str(), "argument": refused.argument})
        }
        Ev::Notice(code) => json!({"type": "notice", "code": code.as_str()}),
        Ev::Skip(_) => return None,
    })
}
