//! Writes calls as models do: the other side of the dialects.
//!
//! It knows every format by heart and does not look into the dialect files. So it can be wrong in
//! other places than they are, and a mistake in either shows.

use super::{formats, json_writer, raw_writer};
use serde_json::Value;

/// A call that is to be written.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub name: String,
    /// In the order in which they are written.
    pub arguments: Vec<(String, Value)>,
    /// Written where the format has a place for it.
    pub id: Option<String>,
    /// Whether the arguments are one JSON object: always where they are JSON, and where they are
    /// tags if [`takes_json`] says that they may be.
    pub json: bool,
}

/// Which of the ways that a format allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Each call in a wrapper of its own; else all of them in one, where the format allows it.
    pub each: bool,
    /// Which spelling, counted from 0; see [`variants`].
    pub variant: usize,
}

/// A finished piece of a message.
#[derive(Clone, Debug)]
pub struct Written {
    pub text: String,
    /// The ids that the model gave, where it gave them before the arguments.
    pub ids: Vec<Option<String>>,
    /// Whether text may follow: some formats have no end but that of the message.
    pub text_may_follow: bool,
}

/// The dialects whose values are raw text, besides those in `cases/formats/dialects.jsonl`.
const RAW: [&str; 13] = [
    "tags",
    "glm",
    "dsml",
    "step3",
    "seed-oss",
    "hy-v4",
    "beam",
    "longcat-2",
    "kimi-k3",
    "minimax-m3",
    "minicpm5",
    "hy-v4-suffix",
    "function_calls",
];

/// The dialects whose arguments are JSON or Python, besides those in `cases/formats/dialects.jsonl`.
const JSON: [&str; 29] = [
    "hermes",
    "kimi-k2",
    "deepseek-v3",
    "deepseek-v3.1",
    "mistral",
    "mistral-args",
    "llama",
    "granite",
    "nemotron",
    "jamba",
    "internlm",
    "cohere",
    "phi4",
    "inkling",
    "harmony",
    "gemma4",
    "apertus",
    "command-r-plus",
    "function-gemma",
    "gigachat",
    "json",
    "lfm2",
    "lfm2-json",
    "llama4",
    "llama4-json",
    "olmo3",
    "pythonic",
    "sarashina",
    "solar",
];

/// All dialects that the writer knows.
pub fn dialects() -> Vec<&'static str> {
    raw_dialects()
        .into_iter()
        .chain(JSON)
        .chain(formats::names(false))
        .collect()
}

/// The dialects whose values are raw text.
pub fn raw_dialects() -> Vec<&'static str> {
    RAW.into_iter().chain(formats::names(true)).collect()
}

/// Whether calls must begin a line.
pub fn begins_line(dialect: &str) -> bool {
    let data = formats::find(dialect);
    matches!(dialect, "json" | "pythonic" | "command-r-plus")
        || data.is_some_and(|data| data.begins_line)
}

/// Whether values are raw text in this dialect.
pub fn is_raw(dialect: &str) -> bool {
    raw_dialects().contains(&dialect)
}

/// Whether one JSON object may be in place of its tags.
pub fn takes_json(dialect: &str) -> bool {
    is_raw(dialect) && raw_writer::formats(dialect)[0].json.is_some()
}

/// How many spellings of it the writer knows.
pub fn variants(dialect: &str) -> usize {
    if is_raw(dialect) {
        raw_writer::formats(dialect).len()
    } else {
        json_writer::variants(dialect)
    }
}

/// Calls as a model writes them in this dialect.
pub fn render(dialect: &str, calls: &[Call], style: Style) -> Written {
    if is_raw(dialect) {
        raw_writer::write(dialect, calls, style)
    } else {
        json_writer::write(dialect, calls, style)
    }
}

/// What a value is written as where it is raw: a string as it is, all else as JSON.
pub fn raw_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
