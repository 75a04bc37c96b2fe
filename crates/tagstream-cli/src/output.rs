//! Standard output: collected for a chunk, written and flushed at its end.

use crate::failure::Failure;
use serde::Serialize;
use std::io::{self, IsTerminal, Write};

/// What goes to standard output.
///
/// It is collected and written once for each chunk, because a sink cannot fail and because a write
/// for each event would be slow.
pub(crate) struct Output {
    buffer: Vec<u8>,
    at_line_start: bool,
    colour: bool,
    error: Option<io::Error>,
}

impl Output {
    pub(crate) fn new() -> Self {
        Output {
            buffer: Vec::new(),
            at_line_start: true,
            colour: colour_wanted(),
            error: None,
        }
    }

    /// Text as it is.
    pub(crate) fn text(&mut self, text: &str) {
        self.buffer.extend_from_slice(text.as_bytes());
        if let Some(last) = text.bytes().last() {
            self.at_line_start = last == b'\n';
        }
    }

    /// All bytes of a buffer, as they are.
    pub(crate) fn bytes(&mut self, bytes: &mut Vec<u8>) {
        if let Some(last) = bytes.last() {
            self.at_line_start = *last == b'\n';
        }
        self.buffer.append(bytes);
    }

    /// Text in a style, where the terminal has styles.
    pub(crate) fn styled(&mut self, style: &str, text: &str) {
        if !self.colour {
            return self.text(text);
        }
        self.buffer.extend_from_slice(style.as_bytes());
        self.text(text);
        self.buffer.extend_from_slice(style::RESET.as_bytes());
    }

    /// All that was collected elsewhere.
    pub(crate) fn append(&mut self, other: Output) {
        self.buffer.extend_from_slice(&other.buffer);
        self.at_line_start = other.at_line_start;
        self.error = self.error.take().or(other.error);
    }

    /// One JSON line.
    pub(crate) fn json(&mut self, value: &impl Serialize) {
        match serde_json::to_writer(&mut self.buffer, value) {
            Ok(()) => self.text("\n"),
            Err(error) => self.error = Some(error.into()),
        }
    }

    /// A line each: a name and, aligned after it, what it is.
    pub(crate) fn table<'a>(&mut self, rows: impl Iterator<Item = (&'a str, &'a str)> + Clone) {
        let width = rows.clone().map(|(name, _)| name.len()).max().unwrap_or(0) + 2;
        for (name, about) in rows {
            self.text(&format!("{name:width$}{about}\n"));
        }
    }

    /// The line that marks the end of a chunk or, with `None`, of the message.
    pub(crate) fn mark(&mut self, chunk: Option<u64>) {
        #[derive(Serialize)]
        struct Mark {
            r#type: &'static str,
            chunk: Option<u64>,
        }
        self.end_line();
        self.json(&Mark {
            r#type: "mark",
            chunk,
        });
    }

    /// Begins a new line, unless one has just begun.
    pub(crate) fn end_line(&mut self) {
        if !self.at_line_start {
            self.text("\n");
        }
    }

    /// Ends the last line where a shell's prompt would follow it. A pipe gets it unchanged.
    pub(crate) fn end_line_on_terminal(&mut self) {
        if io::stdout().is_terminal() {
            self.end_line();
        }
    }

    /// Writes all that was collected.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        let written = match self.error.take() {
            Some(error) => Err(error),
            None => write(&self.buffer),
        };
        self.buffer.clear();
        written.map_err(|error| Failure::of_output(&error))
    }
}

fn write(bytes: &[u8]) -> io::Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()
}

/// The text on one line, with control characters replaced by symbols: the output of a model may
/// contain line breaks and escape sequences for terminals.
pub(crate) fn visible(text: &str) -> String {
    text.chars().map(sign).collect()
}

/// The same for a line that another one is aligned with: a tab has one column.
pub(crate) fn aligned(line: &str) -> String {
    visible(&line.replace('\t', " "))
}

/// A number of things, in words: `1 call`, `2 calls`.
pub(crate) fn count(number: usize, what: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {what}{ending}")
}

/// A symbol for a character that is invisible: Unicode's for a control character, else U+FFFD.
fn sign(c: char) -> char {
    match c {
        '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(c)).unwrap_or(c),
        '\x7f' => '\u{2421}',
        // Other controls, and those that change the direction of text.
        '\u{80}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        _ => c,
    }
}

/// Colours are for terminals, unless the user turned them off (see no-color.org).
pub(crate) fn colour_wanted() -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    io::stdout().is_terminal() && !set("NO_COLOR") && !dumb
}

/// The styles in use, as escape sequences.
pub(crate) mod style {
    pub(crate) const RESET: &str = "\x1b[0m";
    pub(crate) const DIM: &str = "\x1b[2m";
    pub(crate) const BOLD: &str = "\x1b[1m";
    pub(crate) const LABEL: &str = "\x1b[36m";
    pub(crate) const GOOD: &str = "\x1b[32m";
    pub(crate) const WARNING: &str = "\x1b[33m";
    pub(crate) const DROPPED: &str = "\x1b[31m";
    pub(crate) const HELD: &str = "\x1b[30;43m";
}
