//! How a call is written in a dialect, to show it to a model that wrote one wrong.

use super::{Arguments, Dialect, Head, Wrapper};
use tagstream_core::dialect::spellings;
use tagstream_core::json::escape_into;

/// What the value of each argument is.
const VALUE: &str = "value";

/// How a call of this tool is written in a dialect, with `value` as the value of each argument. Of
/// several spellings it has those that occur in `like`, which may be empty.
///
/// ```
/// use tagstream::dialect;
///
/// let hermes = dialect::find("hermes").expect("it is built in");
/// assert_eq!(
///     dialect::example(hermes.dialect(), "weather", &["city"], ""),
///     r#"<tool_call>{"name": "weather", "arguments": {"city": "value"}}</tool_call>"#
/// );
/// ```
#[must_use]
pub fn example(dialect: &Dialect, tool: &str, arguments: &[&str], like: &str) -> String {
    let mut writer = Writer { like, choice: None };
    let (before, after) = writer.around(dialect.wrapper.as_ref());
    let call = writer.call(dialect, tool, arguments);
    let parts: Vec<_> = [before, call, after].into_iter().flatten().collect();
    parts.join(separator(dialect))
}

/// Of these dialects, how a call is written in the one that this text is most like.
#[must_use]
pub fn example_like(
    dialects: &[Dialect],
    like: &str,
    tool: &str,
    arguments: &[&str],
) -> Option<String> {
    let alike = |dialect: &&Dialect| {
        let whole = common(like, &example(dialect, tool, arguments, like));
        let alone = common(like, &example_alone(dialect, tool, arguments, like));
        // A call by itself may also be one without its wrapper.
        (whole.max(alone), whole)
    };
    // Of equals the first, which is the last that a maximum finds in reverse.
    let dialect = dialects.iter().rev().max_by_key(alike)?;
    Some(example(dialect, tool, arguments, like))
}

/// As [`example`], without what is around the calls.
fn example_alone(dialect: &Dialect, tool: &str, arguments: &[&str], like: &str) -> String {
    let mut writer = Writer { like, choice: None };
    writer
        .call(dialect, tool, arguments)
        .join(separator(dialect))
}

/// What is between the parts of a call: white space may be there only between tags.
fn separator(dialect: &Dialect) -> &'static str {
    match dialect.arguments {
        Arguments::Elements { .. } | Arguments::Pairs { .. } => "\n",
        _ => "",
    }
}

/// How many characters two texts begin with in common, white space aside.
fn common(one: &str, other: &str) -> usize {
    let visible = |text: &'_ str| -> Vec<char> {
        let chars = text.chars().filter(|c| !c.is_whitespace());
        chars.take(MAX_CHARS_COMPARED).collect()
    };
    let (one, other) = (visible(one), visible(other));
    one.iter().zip(&other).take_while(|(a, b)| a == b).count()
}

/// Dialects differ at the start of a call.
const MAX_CHARS_COMPARED: usize = 256;

struct Writer<'a> {
    like: &'a str,
    /// How many spellings a pattern had, and which of them was found.
    choice: Option<(usize, usize)>,
}

impl Writer<'_> {
    fn around(&mut self, wrapper: Option<&Wrapper>) -> (Vec<String>, Vec<String>) {
        // Where JSON marks itself, what opens it is a part of it.
        let marks_itself = |wrapper: &&Wrapper| wrapper.bare && wrapper.close.is_empty();
        let Some(wrapper) = wrapper.filter(|wrapper| !marks_itself(wrapper)) else {
            return Default::default();
        };
        let open = self
            .pick(&wrapper.open)
            .map(|open| open.replace("{skip}", "x"));
        let close = self.pick(&wrapper.close);
        (open.into_iter().collect(), close.into_iter().collect())
    }

    fn call(&mut self, dialect: &Dialect, tool: &str, arguments: &[&str]) -> Vec<String> {
        let mut parts = Vec::new();
        let head = dialect.call.as_ref();
        parts.extend(head.and_then(|head| self.head(head, tool)));
        self.arguments(&dialect.arguments, tool, arguments, &mut parts);
        let close = head.and_then(|head| self.pick(&head.close));
        parts.extend(close.map(|close| close.replace("{name}", tool)));
        parts
    }

    fn head(&mut self, head: &Head, tool: &str) -> Option<String> {
        let name = head.id.as_deref().unwrap_or("{name}");
        let name = name.replace("{name}", tool).replace("{number}", "0");
        let open = self.pick(&head.open)?;
        Some(
            open.replace("{name}", &name)
                .replace("{id}", "0")
                .replace("{skip}", "x"),
        )
    }

    fn arguments(
        &mut self,
        style: &Arguments,
        tool: &str,
        arguments: &[&str],
        parts: &mut Vec<String>,
    ) {
        match style {
            Arguments::Elements { open, close, .. } => {
                for argument in arguments {
                    let open = self.pick(open).unwrap_or_default();
                    let close = self.pick(close).unwrap_or_default();
                    let element = format!("{open}{VALUE}{close}");
                    parts.push(element.replace("{argument}", argument));
                }
            }
            Arguments::Pairs { key, value, .. } => {
                for argument in arguments {
                    parts.push(format!("{}{argument}{}", key[0], key[1]));
                    parts.push(format!("{}{VALUE}{}", value[0], value[1]));
                }
            }
            Arguments::Json { quote, .. } => {
                let quote = quote.as_deref().unwrap_or("\"");
                parts.push(object(arguments, quote));
            }
            Arguments::Envelope {
                name,
                arguments: keys,
                ..
            } => {
                let first = |keys: &[String]| string(keys.first().map_or("", |key| key));
                let (name, key) = (first(name), first(keys));
                let arguments = object(arguments, "\"");
                let call = format!("{{{name}: {}, {key}: {arguments}}}", string(tool));
                parts.push(call);
            }
            Arguments::Python => {
                let arguments = arguments.iter();
                let arguments = arguments.map(|argument| format!("{argument}={}", string(VALUE)));
                let arguments: Vec<_> = arguments.collect();
                parts.push(format!("{tool}({})", arguments.join(", ")));
            }
            Arguments::Keyed => {
                let arguments = object(arguments, "\"");
                parts.push(format!("{{{}: {arguments}}}", string(tool)));
            }
            // The styles are those of the core, and a test has an example in each dialect.
            _ => {}
        }
    }

    /// One spelling of these patterns: one that occurs, else the same one as before, else the last.
    fn pick(&mut self, patterns: &[String]) -> Option<String> {
        let mut all: Vec<_> = patterns
            .iter()
            .flat_map(|pattern| spellings(pattern))
            .collect();
        let found = all.iter().position(|spelling| self.occurs(spelling));
        let before = self.choice.filter(|(count, _)| *count == all.len());
        if let Some(at) = found.filter(|_| before.is_none()) {
            self.choice = Some((all.len(), at));
        }
        let last = spellings(patterns.first()?).len().checked_sub(1)?;
        let at = found.or(before.map(|(_, at)| at)).unwrap_or(last);
        Some(all.swap_remove(at))
    }

    /// Whether this occurs, up to the first name in it. The opening tag shows how the closing tag is
    /// spelt.
    fn occurs(&self, spelling: &str) -> bool {
        let head = spelling.split(['{', '>']).next().unwrap_or_default();
        let opener = head.replacen("</", "<", 1);
        head.len() > 1 && (self.like.contains(head) || self.like.contains(&opener))
    }
}

/// A JSON object in which each of these has the same value.
fn object(arguments: &[&str], quote: &str) -> String {
    let entry = |argument: &&str| match quote {
        "\"" => format!("{}: {}", string(argument), string(VALUE)),
        // Nothing is escaped between other quotes, and they are written without white space.
        quote => format!("{argument}:{quote}{VALUE}{quote}"),
    };
    let entries: Vec<_> = arguments.iter().map(entry).collect();
    let separator = if quote == "\"" { ", " } else { "," };
    format!("{{{}}}", entries.join(separator))
}

fn string(text: &str) -> String {
    let mut string = String::from("\"");
    escape_into(text, &mut string);
    string.push('"');
    string
}
