//! Defects that an engine has had, each as a case that shows it.

use super::laws::check_cut;
use super::{Reading, Subject};
use serde_json::{Value, json};

/// A profile, a message, and what must hold for them.
#[derive(Clone, Debug)]
pub struct Known {
    /// What was wrong.
    pub name: &'static str,
    /// The profile.
    pub profile: Value,
    /// The message in the cut that showed it.
    pub chunks: Vec<String>,
    /// What must hold, besides the laws.
    pub expect: Expect,
}

/// What must hold for a message, besides the laws.
#[derive(Clone, Debug)]
pub enum Expect {
    /// Nothing more.
    Laws,
    /// No call is accepted, unless a notice reports a repair.
    NoSilentCall,
    /// One call is accepted, with these arguments.
    Call(&'static str),
    /// The same, but the profile may be refused.
    CallOrRefusal(&'static str),
}

impl Known {
    fn new(name: &'static str, profile: &str, chunks: &[&str], expect: Expect) -> Self {
        Known {
            name,
            profile: serde_json::from_str(profile).expect("the profile is JSON"),
            chunks: chunks.iter().map(|chunk| (*chunk).to_owned()).collect(),
            expect,
        }
    }

    /// Checks the laws on this case, and what else must hold.
    ///
    /// # Errors
    /// What does not hold.
    pub fn check<S: Subject>(&self, subject: &S) -> Result<(), String> {
        let policy = match (subject.compile(&self.profile), &self.expect) {
            (Ok(policy), _) => policy,
            (Err(_), Expect::CallOrRefusal(_)) => return Ok(()),
            (Err(refusal), _) => return Err(refusal),
        };
        let chunks: Vec<&[u8]> = self.chunks.iter().map(String::as_bytes).collect();
        let checked = check_cut(subject, &policy, &chunks);
        checked.map_err(|failure| format!("{}: {}", failure.law, short(&failure.detail)))?;
        self.expect.check(&subject.read(&policy, &chunks, true))
    }
}

impl Expect {
    fn check(&self, reading: &Reading) -> Result<(), String> {
        let ended = reading
            .events
            .iter()
            .filter(|event| event.kind == "call_end");
        let arguments: Vec<Value> = ended
            .map(|call| call.fields()["arguments"].clone())
            .collect();
        let is_repaired = reading.events.iter().any(|event| event.kind == "notice");
        let right = match self {
            Expect::Laws => true,
            Expect::NoSilentCall => arguments.is_empty() || is_repaired,
            Expect::Call(wanted) | Expect::CallOrRefusal(wanted) => arguments == [*wanted],
        };
        if right {
            return Ok(());
        }
        let events = json!(reading.to_json());
        Err(format!("not {self:?}, but {}", short(&events)))
    }
}

fn short(json: &Value) -> String {
    json.to_string().chars().take(400).collect()
}

/// All of them.
#[must_use]
pub fn all() -> Vec<Known> {
    let mut all = laws();
    all.extend(after_calls());
    all.extend(json());
    all.extend(attributes());
    all.extend([whitespace_past_the_default_limit(), many_tools()]);
    all
}

fn laws() -> Vec<Known> {
    let law = |name, profile, chunks: &[&str]| Known::new(name, profile, chunks, Expect::Laws);
    let early = r#"{"markers":["<|m|>"],"calls":{"dialect":["hermes"]},"limits":{"lookahead":2}}"#;
    let promoted = r#"{"thinking":{"tags":["think"],"trim":"thought"},"calls":{"dialect":"hermes","in_thinking":"promote"}}"#;
    vec![
        law(
            "panic: an anchored delimiter of several bytes per character, after a call",
            r#"{"thinking":{"delimiters":[["◁think▷","◁/think▷"]],"anchor":"start"},"calls":{"dialect":"hermes"}}"#,
            &["<tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call>“Done”"],
        ),
        law(
            "chunking: white space and a failed candidate past `limits.lookahead` before a call",
            early,
            &[" <|", "<tool_call>{\"name\":\"f\"}</tool_call>ok"],
        ),
        law(
            "timing: after the closing tag of a value, part of the next tag",
            r#"{"calls":{"dialect":"function_calls"}}"#,
            &[
                "<function_calls><invoke name=\"f\"><parameter name=\"a\">ls</parameter><",
                "i",
            ],
        ),
        law(
            "timing: trimmed white space in a thought before the opener of a promoted call",
            promoted,
            &["<think>x ", "<tool_call>"],
        ),
        law(
            "chunking: which of two errors comes first with tiny limits",
            r#"{"calls":{"dialect":"phi4"},"limits":{"tag":16,"value":4}}"#,
            &["functools{\"\" \"nope\", \"parameters\"", "<"],
        ),
        law(
            "layout: a carriage return at the end of a value",
            r#"{"calls":{"dialect":"qwen3-coder"}}"#,
            &[
                "<tool_call><function=f><parameter=a>\nx\r",
                "</parameter></function></tool_call>",
            ],
        ),
        law(
            "chunking: a shorter literal where an opener within a word begins",
            r#"{"calls":{"dialect":"gigachat"},"markers":["<"],"thinking":{"delimiters":[["f","|"]],"mode":"show"}}"#,
            &["xf", "unction call<|role_sep|>"],
        ),
        law(
            "prompt: an opener in a hidden section that may be a marker",
            r#"{"thinking":{"delimiters":[["|","|"]],"mode":"hide"},"calls":{"in_thinking":"promote","dialect":"harmony"},"markers":[" to=functions.f"]}"#,
            &["|x to", "="],
        ),
    ]
}

/// Envelopes that are not JSON.
fn json() -> Vec<Known> {
    let wrong = |name, json: &str| {
        let message = format!("<tool_call>{json}</tool_call>");
        let profile = r#"{"calls":{"dialect":"hermes"}}"#;
        Known::new(name, profile, &[&message], Expect::NoSilentCall)
    };
    vec![
        wrong(
            "json: a sign in an escape",
            r#"{"name":"\u+041","arguments":{}}"#,
        ),
        wrong(
            "json: an escape that does not exist",
            r#"{"name":"\q","arguments":{}}"#,
        ),
        wrong(
            "json: a control character in another key",
            "{\"name\":\"f\",\"\u{1}\":0,\"arguments\":{}}",
        ),
        wrong(
            "json: a control character in the value of another key",
            "{\"name\":\"f\",\"other\":\"\u{1}\",\"arguments\":{}}",
        ),
    ]
}

/// Backticks may close calls that lack their wrapper; if they do not, they are code from the first one
/// on. What may not follow, or is too long, is judged byte by byte, not by what is in the chunk.
fn after_calls() -> Vec<Known> {
    let law = |name, profile, chunks: &[&str]| Known::new(name, profile, chunks, Expect::Laws);
    let fenced = r#"{"calls":{"dialect":"command-r-plus"},"elements":[{"name":"*"}]}"#;
    vec![
        law(
            "chunking: a code span directly after a call",
            fenced,
            &["Action:```json[{\"\"}]`", "<x></x>`"],
        ),
        law(
            "chunking: more backticks after a call than close it",
            r#"{"calls":{"orphan_close":"drop","dialect":"command-r-plus"}}"#,
            &["Action:```json[{}]`````", "``Action:```json`"],
        ),
        law(
            "chunking: a backtick between calls where calls count in code",
            r#"{"calls":{"orphan_close":"drop","in_code":"promote"}}"#,
            &[
                "<|content_invoke_tool_json|>\n[{\"x\":0}]<|end_message|>`",
                "<tool_call>x<arg_value></tool_call>\n",
            ],
        ),
        law(
            "prompt: text after a backtick after a call",
            r#"{"calls":{"unwrapped":true,"tools":[{"name":"f"}]}}"#,
            &[
                "]<]minimax[>[<invoke name=\"f\">]<]minimax[>[<x>]<]minimax[>[</invoke>`",
                "xc",
            ],
        ),
        law(
            "prompt: a hidden section after a backtick after a call",
            r#"{"calls":{"dialect":"command-r-plus"},"hide":["f"]}"#,
            &["Action:```json[]`", "<f>"],
        ),
        law(
            "prompt: an unwrapped tag after a backtick after a call",
            r#"{"unwrap":["think"],"calls":{"orphan_close":"drop"}}"#,
            &["<|tools_prefix|>[]<|tools_suffix|>`", "<think>"],
        ),
        law(
            "chunking: a marker where the object of the arguments must begin",
            r#"{"markers":[":"],"calls":{"dialect":"mistral-args"}}"#,
            &["[TOOL_CALLS]x[CALL_ID][ARGS]:", "x"],
        ),
        law(
            "chunking: a Python literal after the limit of a value",
            r#"{"calls":{"dialect":"sarashina"},"limits":{"value":13}}"#,
            &["<|tool_calls|>{\"arguments\"{\t\"x\":True,\"é", "\"x"],
        ),
    ]
}

/// A quote inside an unquoted attribute value does not open anything, whatever the brackets are.
fn attributes() -> Vec<Known> {
    let call = |name, profile, message: &str| {
        Known::new(name, profile, &[message], Expect::Call(r#"{"a":"v"}"#))
    };
    vec![
        call(
            "attributes: a quote in an unquoted value, in tags",
            r#"{"calls":{"dialect":"function_calls"}}"#,
            "<function_calls><invoke name=\"f\"><parameter name=\"a\" u=http://x?q=\"b>v</parameter></invoke></function_calls>",
        ),
        call(
            "attributes: a quote in an unquoted value, in brackets",
            r#"{"calls":{"dialect":"kimi-k3"}}"#,
            "<|open|>tools<|sep|><|open|>call tool=\"f\"<|sep|><|open|>argument key=\"a\" u=http://x?q=\"b<|sep|>v<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>",
        ),
    ]
}

fn whitespace_past_the_default_limit() -> Known {
    let spaces = format!("{}<|", " ".repeat(65_535));
    Known::new(
        "chunking: white space and a failed candidate past the default `limits.lookahead`",
        r#"{"markers":["<|m|>"],"calls":{"dialect":["hermes"]}}"#,
        &[&spaces, "<tool_call>{\"name\":\"f\"}</tool_call>ok"],
        Expect::Laws,
    )
}

/// More tools than 16 bits can number. The first ones have another argument than the later ones, so
/// that a number that wraps around is noticed.
fn many_tools() -> Known {
    let tool = |i: usize| {
        let argument = if i < 1000 { "z" } else { "a" };
        let schema = json!({"type": "object", "properties": {argument: {"type": "string"}}});
        json!({"name": format!("f{i}"), "input_schema": schema})
    };
    let tools: Vec<Value> = (0..70_000).map(tool).collect();
    Known {
        name: "numbers: more tools than 16 bits can number",
        profile: json!({"calls": {"dialect": "tags", "tools": tools}}),
        chunks: vec!["<f65537><a>v</a></f65537>".to_owned()],
        expect: Expect::CallOrRefusal(r#"{"a":"v"}"#),
    }
}
