//! Why a block does not contain a call: what is wrong, where, and the correct form.

use std::fmt;

/// What kind of thing is wrong with a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BufferErrorKind {
    /// `Missing function_calls tags`.
    MissingWrapper,
    /// `Missing invoke tag`.
    MissingInvoke,
    /// `Missing 'name' attribute in <invoke> tag`.
    MissingInvokeName,
    /// `Missing 'name' attribute in <parameter> tag`.
    MissingParameterName,
    /// The call is in a Markdown fence, where it is text.
    InFence,
    /// The XML is incomplete or malformed.
    Xml,
    /// The JSON cannot be read.
    Json,
    /// The tool is not named, or not declared.
    Tool,
    /// The arguments are invalid.
    Validation,
    /// The block is too long, or the call is one too many.
    Limit,
}

/// Why a call cannot be executed, in words that can be sent back to the model.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BufferError {
    /// The content block.
    pub index: u64,
    /// The id of the call.
    pub id: String,
    /// The tool, if that is known.
    pub name: Option<String>,
    /// What kind of thing is wrong.
    pub kind: BufferErrorKind,
    /// What is wrong.
    pub message: String,
    /// The line of the block, counted from 1.
    pub line: usize,
    /// The character of that line, counted from 1.
    pub column: usize,
    /// That line, and below it a caret that marks the position.
    pub excerpt: String,
    /// How it should be written.
    pub suggestion: String,
}

impl fmt::Display for BufferError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BufferError {
            message,
            line,
            column,
            excerpt,
            suggestion,
            ..
        } = self;
        write!(
            f,
            "{message}\nline {line}, column {column}:\n{excerpt}\nWrite it like this:\n{suggestion}"
        )
    }
}

impl std::error::Error for BufferError {}

/// A position in a block, as people count it.
pub(super) struct Place {
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) excerpt: String,
}

/// How many characters of a long line are shown on each side of the position.
const AROUND: usize = 60;

impl Place {
    /// The position of this byte.
    pub(super) fn of_byte(text: &str, at: usize) -> Self {
        let at = text.floor_char_boundary(at.min(text.len()));
        let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let line = text[start..].lines().next().unwrap_or_default();
        let before = &text[start..at];
        Place {
            line: text[..start].matches('\n').count() + 1,
            column: before.chars().count() + 1,
            excerpt: excerpt(line, before),
        }
    }

    /// The byte at a line and a column as JSON parsers report them: the column counts bytes.
    pub(super) fn byte_of_line(text: &str, line: usize, column: usize) -> usize {
        let lines = text.split_inclusive('\n').take(line.saturating_sub(1));
        let start: usize = lines.map(str::len).sum();
        start + column.saturating_sub(1)
    }
}

/// A line, shortened around the position after `before`, and a caret under that position.
fn excerpt(line: &str, before: &str) -> String {
    let skipped = before.chars().count().saturating_sub(AROUND);
    let shown: String = line.chars().skip(skipped).take(2 * AROUND).collect();
    // A tab has the same width in both lines if it is in both.
    let blank = |c: char| if c == '\t' { '\t' } else { ' ' };
    let indent: String = before.chars().skip(skipped).map(blank).collect();
    format!("{shown}\n{indent}^")
}

/// How a call of this tool is written in XML.
pub(super) fn xml_form(name: Option<&str>, arguments: &[&str]) -> String {
    let name = name.unwrap_or("tool_name");
    let arguments = if arguments.is_empty() {
        &["parameter_name"]
    } else {
        arguments
    };
    let mut form = format!("<function_calls>\n<invoke name=\"{name}\">\n");
    for argument in arguments {
        form.push_str(&format!(
            "<parameter name=\"{argument}\">value</parameter>\n"
        ));
    }
    form.push_str("</invoke>\n</function_calls>");
    form
}

/// How a call of this tool is written in JSON.
pub(super) fn json_form(name: Option<&str>, arguments: &[&str]) -> String {
    let name = serde_json::Value::from(name.unwrap_or("tool_name"));
    let arguments = arguments
        .iter()
        .map(|argument| ((*argument).to_owned(), "value".into()));
    let arguments = serde_json::Value::Object(arguments.collect());
    format!("{{\"name\": {name}, \"arguments\": {arguments}}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_has_its_line_column_and_caret() {
        let text = "one\n\ttwo é x\nthree";
        for (at, line, column, excerpt) in [
            (0, 1, 1, "one\n^"),
            (5, 2, 2, "\ttwo é x\n\t^"),
            (12, 2, 8, "\ttwo é x\n\t      ^"),
            (99, 3, 6, "three\n     ^"),
        ] {
            let place = Place::of_byte(text, at);
            assert_eq!((place.line, place.column), (line, column), "{at}");
            assert_eq!(place.excerpt, excerpt, "{at}");
        }
        assert_eq!(Place::byte_of_line(text, 2, 2), 5);
    }

    #[test]
    fn a_long_line_is_shown_around_the_place() {
        let text = format!("{}<b>{}", "a".repeat(500), "c".repeat(500));
        let place = Place::of_byte(&text, 500);
        let (line, caret) = place.excerpt.split_once('\n').unwrap();
        assert_eq!((place.column, caret.len()), (501, AROUND + 1));
        assert_eq!(&line[caret.len() - 1..][..3], "<b>");
    }
}
