//! The formats that are data: `cases/formats/dialects.jsonl` has a line for each dialect that can be written by
//! filling in a template. `cases/README.md` describes its keys.

use super::json_writer::{object, python_arguments, quoted};
use super::raw_writer::{Format, Lines};
use super::writer::{Call, Style, Written};
use serde_json::Value;
use std::sync::LazyLock;

const FILE: &str = include_str!("../../../../cases/formats/dialects.jsonl");

static FORMATS: LazyLock<Vec<Data>> = LazyLock::new(|| FILE.lines().map(Data::read).collect());

/// One line of the file.
pub(super) struct Data {
    pub(super) dialect: String,
    wrapper: Option<[String; 2]>,
    call: Template,
    between: String,
    /// Its calls must begin a line.
    pub(super) begins_line: bool,
}

enum Template {
    /// All of a call whose arguments are JSON or Python.
    Json(String),
    /// What is around a call, and around each of its arguments.
    Raw {
        call: [String; 2],
        argument: [String; 2],
        on_lines: bool,
    },
}

/// The format of a dialect, if it is data.
pub(super) fn find(dialect: &str) -> Option<&'static Data> {
    FORMATS.iter().find(|data| data.dialect == dialect)
}

/// The dialects whose formats are data, with raw values or with JSON.
pub(super) fn names(is_raw: bool) -> impl Iterator<Item = &'static str> {
    let of_kind = FORMATS.iter().filter(move |data| data.is_raw() == is_raw);
    of_kind.map(|data| &*data.dialect)
}

impl Data {
    fn read(line: &str) -> Self {
        let json: Value = serde_json::from_str(line)
            .unwrap_or_else(|error| panic!("cases/formats/dialects.jsonl: {error} in {line}"));
        let text = |key: &str| json[key].as_str().map(str::to_owned);
        let pair = |key: &str| {
            let list = json[key].as_array()?;
            let [open, close] = &list[..] else {
                panic!(
                    "cases/formats/dialects.jsonl: `{key}` must have an opener and a closer in {line}"
                );
            };
            Some([open, close].map(|text| text.as_str().unwrap_or_default().to_owned()))
        };
        let call = match (text("call"), pair("call"), pair("argument")) {
            (Some(call), _, None) => Template::Json(call),
            (_, Some(call), Some(argument)) => Template::Raw {
                call,
                argument,
                on_lines: json["lines"] == true,
            },
            _ => panic!(
                "cases/formats/dialects.jsonl: `call` must be a text with {{arguments}} or {{python}} in it, or an opener and \
                 a closer beside those of `argument`, in {line}"
            ),
        };
        Data {
            dialect: text("dialect").expect("a line names its `dialect`"),
            wrapper: pair("wrapper"),
            call,
            between: text("between").unwrap_or_default(),
            begins_line: json["begins_line"] == true,
        }
    }

    pub(super) fn is_raw(&self) -> bool {
        matches!(self.call, Template::Raw { .. })
    }

    /// The format for the writer of raw values.
    pub(super) fn raw(&'static self) -> Option<Format> {
        let Template::Raw {
            call,
            argument,
            on_lines,
        } = &self.call
        else {
            return None;
        };
        let unnamed = |pair: &[String; 2]| pair.each_ref().map(|text| text.replace("{name}", "{}"));
        Some(Format {
            wrapper: self.wrapper.clone(),
            frame: ["", ""],
            call: unnamed(call),
            other_call_closer: None,
            argument: unnamed(argument),
            json: None,
            lines: if *on_lines {
                Lines::Always
            } else {
                Lines::Never
            },
            gap: &self.between,
        })
    }

    /// Calls whose arguments are JSON or Python.
    pub(super) fn write(&self, calls: &[Call], style: Style) -> Written {
        let Template::Json(template) = &self.call else {
            panic!("{} has raw values", self.dialect);
        };
        let one = |call: &Call| {
            let text = template.replace("{\"name\"}", &quoted(&call.name));
            let text = text.replace("{name}", &call.name);
            let text = text.replace("{python}", &python_arguments(call, '"'));
            text.replace("{arguments}", &object(call))
        };
        let texts: Vec<String> = calls.iter().map(one).collect();
        let wrap = |text: &str| match &self.wrapper {
            Some([open, close]) => format!("{open}{text}{close}"),
            None => text.to_owned(),
        };
        let text = if style.each {
            let texts: Vec<String> = texts.iter().map(|text| wrap(text)).collect();
            texts.join("\n")
        } else {
            wrap(&texts.join(&self.between))
        };
        Written {
            text,
            ids: vec![None; calls.len()],
            text_may_follow: true,
        }
    }
}
