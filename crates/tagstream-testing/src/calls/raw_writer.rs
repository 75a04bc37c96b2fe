//! Writes calls whose values are raw text.

use super::formats;
use super::json_writer::object;
use super::writer::{Call, Style, Written, raw_text};
use serde_json::Value;

/// One spelling of a format, with `{}` in place of a name.
#[derive(Clone, Debug)]
pub struct Format {
    /// What is around the calls.
    pub wrapper: Option<[String; 2]>,
    /// What is around one call, inside of the brackets.
    pub frame: [&'static str; 2],
    /// What is around one call's arguments. A second closer is never written, but means the same.
    pub call: [String; 2],
    pub other_call_closer: Option<&'static str>,
    /// What is around a value; `{string}` is whether it is a string, `{type}` what it is.
    pub argument: [String; 2],
    /// What is around one JSON object in place of all arguments, if that may be.
    pub json: Option<[String; 2]>,
    /// Which values are on lines of their own.
    pub lines: Lines,
    /// What is between the tags.
    pub gap: &'static str,
}

/// Which values are on lines of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    /// None: all white space belongs to the value.
    Never,
    /// All of them.
    Always,
    /// Those that have a line break in them.
    Long,
}

/// Calls in one of the formats of a dialect.
pub fn write(dialect: &str, calls: &[Call], style: Style) -> Written {
    let formats = formats(dialect);
    let format = &formats[style.variant % formats.len()];
    let calls_text: Vec<String> = calls.iter().map(|call| format.one(call)).collect();
    let parts = if style.each {
        calls_text.iter().map(|call| format.wrapped(call)).collect()
    } else {
        vec![format.wrapped(&calls_text.join(format.gap))]
    };
    Written {
        text: parts.join("\n"),
        ids: vec![None; calls.len()],
        text_may_follow: true,
    }
}

impl Format {
    fn with_gap(mut self, gap: &'static str) -> Self {
        self.gap = gap;
        self
    }

    fn wrapped(&self, calls: &str) -> String {
        match &self.wrapper {
            Some([open, close]) => [open, calls, close].join(self.gap),
            None => calls.to_owned(),
        }
    }

    fn one(&self, call: &Call) -> String {
        let open = self.call[0].replace("{}", &call.name);
        let mut parts = vec![open.replace("{number}", "0")];
        match &self.json {
            Some([open, close]) if call.json => {
                parts.push(format!("{open}{}{close}", object(call)));
            }
            _ => parts.extend(call.arguments.iter().map(|(n, v)| self.argument(n, v))),
        }
        parts.push(self.call[1].replace("{}", &call.name));
        let [before, after] = self.frame;
        format!("{before}{}{after}", parts.join(self.gap))
    }

    fn argument(&self, name: &str, value: &Value) -> String {
        let is_string = if value.is_string() { "true" } else { "false" };
        let open = self.argument[0].replace("{}", name);
        let open = open.replace("{string}", is_string);
        let open = open.replace("{type}", type_name(value));
        let close = self.argument[1].replace("{}", name);
        let text = raw_text(value);
        let line = if self.on_lines(&text) { "\n" } else { "" };
        format!("{open}{line}{text}{line}{close}")
    }

    fn on_lines(&self, text: &str) -> bool {
        match self.lines {
            Lines::Never => false,
            Lines::Always => true,
            Lines::Long => text.contains('\n'),
        }
    }
}

/// The formats of a dialect that the writer knows.
pub fn formats(dialect: &str) -> Vec<Format> {
    match dialect {
        "function_calls" => vec![
            invoke("", "function_calls"),
            invoke("antml:", "antml:function_calls"),
        ],
        "dsml" => dsml(),
        "step3" => vec![step3()],
        "seed-oss" => vec![function("seed:tool_call", Lines::Long)],
        "tags" => vec![tags()],
        "glm" => vec![pairs("", "", ""), pairs("", "", "\n")],
        "longcat-2" => vec![pairs("longcat_", "", "\n"), pairs("longcat_", "", "")],
        "hy-v4" => vec![hy(""), hy("<tool_sep>")],
        "hy-v4-suffix" => vec![hy_suffix()],
        "minicpm5" => minicpm5(),
        "beam" => vec![beam()],
        "minimax-m3" => vec![minimax_m3(""), minimax_m3("\n")],
        "kimi-k3" => vec![kimi_k3("", ""), kimi_k3(" ", " ")],
        _ => {
            let data = formats::find(dialect).and_then(formats::Data::raw);
            vec![data.unwrap_or_else(|| panic!("{dialect} has no raw values"))]
        }
    }
}

/// `<invoke name="f"><parameter name="a">`, with something before these names.
fn invoke(prefix: &str, wrapper: &str) -> Format {
    Format {
        wrapper: Some([format!("<{wrapper}>"), format!("</{wrapper}>")]),
        frame: ["", ""],
        call: [
            format!("<{prefix}invoke name=\"{{}}\">"),
            format!("</{prefix}invoke>"),
        ],
        other_call_closer: None,
        argument: [
            format!("<{prefix}parameter name=\"{{}}\">"),
            format!("</{prefix}parameter>"),
        ],
        json: None,
        lines: Lines::Never,
        gap: "\n",
    }
}

/// Three wrappers, the last of which goes with a space before all names, and three bars.
fn dsml() -> Vec<Format> {
    let mut formats = Vec::new();
    for bar in ["｜", "|", "‖"] {
        for wrapper in ["tool_calls", "function_calls", " calls"] {
            let space = if wrapper.starts_with(' ') { " " } else { "" };
            let mark = format!("{bar}DSML{bar}");
            let mut format = invoke(&format!("{mark}{space}"), &format!("{mark}{wrapper}"));
            format.argument[0] =
                format!("<{mark}{space}parameter name=\"{{}}\" string=\"{{string}}\">");
            format.json = Some(Default::default());
            formats.push(format);
        }
    }
    formats
}

fn step3() -> Format {
    Format {
        wrapper: Some([
            "<｜tool_calls_begin｜>".to_owned(),
            "<｜tool_calls_end｜>".to_owned(),
        ]),
        frame: [
            "<｜tool_call_begin｜>function<｜tool_sep｜>",
            "<｜tool_call_end｜>",
        ],
        gap: "",
        ..invoke("steptml:", "")
    }
}

/// `<function=f><parameter=a>`.
fn function(wrapper: &str, lines: Lines) -> Format {
    Format {
        call: ["<function={}>".to_owned(), "</function>".to_owned()],
        argument: ["<parameter={}>".to_owned(), "</parameter>".to_owned()],
        lines,
        ..invoke("", wrapper)
    }
}

fn tags() -> Format {
    Format {
        wrapper: None,
        call: ["<{}>".to_owned(), "</{}>".to_owned()],
        argument: ["<{}>".to_owned(), "</{}>".to_owned()],
        lines: Lines::Long,
        ..invoke("", "")
    }
}

/// `<tool_call>f<arg_key>a</arg_key><arg_value>`, with something before the names.
fn pairs(prefix: &str, after_name: &str, gap: &'static str) -> Format {
    Format {
        wrapper: None,
        call: [
            format!("<{prefix}tool_call>{{}}{after_name}"),
            format!("</{prefix}tool_call>"),
        ],
        argument: [
            format!("<{prefix}arg_key>{{}}</{prefix}arg_key>{gap}<{prefix}arg_value>"),
            format!("</{prefix}arg_value>"),
        ],
        gap,
        ..invoke("", "")
    }
}

fn hy(after_name: &str) -> Format {
    let gap = if after_name.is_empty() { "" } else { "\n" };
    Format {
        wrapper: Some(["<tool_calls>".to_owned(), "</tool_calls>".to_owned()]),
        ..pairs("", after_name, gap)
    }
}

fn hy_suffix() -> Format {
    let suffixed = |text: &str| {
        let suffixed = text.replace('>', ":6124c78e>");
        suffixed.replace("{}:6124c78e", "{}")
    };
    let format = hy("");
    Format {
        wrapper: format.wrapper.map(|pair| pair.map(|text| suffixed(&text))),
        call: format.call.map(|text| suffixed(&text)),
        argument: format.argument.map(|text| suffixed(&text)),
        ..invoke("", "")
    }
    .with_gap("")
}

/// Values are data, or not.
fn minicpm5() -> Vec<Format> {
    let format = |open: &str, close: &str| Format {
        wrapper: None,
        call: [
            "<function name=\"{}\">".to_owned(),
            "</function>".to_owned(),
        ],
        argument: [
            format!("<param name=\"{{}}\">{open}"),
            format!("{close}</param>"),
        ],
        ..invoke("", "")
    };
    vec![format("", ""), format("<![CDATA[", "]]>")]
}

fn beam() -> Format {
    Format {
        wrapper: None,
        call: [
            "<|start|>assistant to={}<|channel|>analysis <|constrain|>xml<|message|>".to_owned(),
            "<|call|>".to_owned(),
        ],
        other_call_closer: Some("<|end|>"),
        argument: [
            "<rfl:parameter name=\"{}\">".to_owned(),
            "</rfl:parameter>".to_owned(),
        ],
        lines: Lines::Always,
        ..invoke("", "")
    }
}

/// Tags between special tokens; white space may be around what is in them.
fn kimi_k3(before: &str, after: &str) -> Format {
    let open = |tag: &str| format!("<|open|>{before}{tag}{after}<|sep|>");
    let close = |tag: &str| format!("<|close|>{before}{tag}{after}<|sep|>");
    Format {
        wrapper: Some([open("tools"), close("tools")]),
        call: [open("call tool=\"{}\" index=\"{number}\""), close("call")],
        argument: [
            open("argument key=\"{}\" type=\"{type}\""),
            close("argument"),
        ],
        json: Some([open("json type=\"object\""), close("json")]),
        gap: "",
        ..invoke("", "")
    }
}

/// What MiniMax M3 writes before every tag.
pub const MINIMAX: &str = "]<]minimax[>[";

/// The name of an argument is that of its tag.
fn minimax_m3(gap: &'static str) -> Format {
    let tags = |name: &str, inside: &str| {
        [
            format!("{MINIMAX}<{name}{inside}>"),
            format!("{MINIMAX}</{name}>"),
        ]
    };
    Format {
        wrapper: Some(tags("tool_call", "")),
        call: tags("invoke", " name=\"{}\""),
        argument: tags("{}", ""),
        gap,
        ..invoke("", "")
    }
}

/// The name of a value's type in JSON Schema.
fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
