//! Standard output: collected for a chunk, written and flushed at its end.

use crate::failure::Failure;
use serde::Serialize;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

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
        if !self.buffer.is_empty() {
            IS_IN_LINE.store(!self.at_line_start, Ordering::Relaxed);
        }
        self.buffer.clear();
        written.map_err(|error| Failure::of_output(&error))
    }
}

/// Whether the last line on standard output has not ended.
static IS_IN_LINE: AtomicBool = AtomicBool::new(false);

/// Whether a message on standard error must end the last line of the output first, because both go to
/// the same place.
pub(crate) fn ends_line_for_message() -> bool {
    shares_output() && IS_IN_LINE.swap(false, Ordering::Relaxed)
}

/// Whether standard output and standard error are the same terminal, file or pipe.
#[cfg(unix)]
fn shares_output() -> bool {
    use std::os::{fd::AsFd, unix::fs::MetadataExt};
    let place = |fd: std::os::fd::BorrowedFd<'_>| {
        let file = std::fs::File::from(fd.try_clone_to_owned().ok()?);
        let metadata = file.metadata().ok()?;
        Some((metadata.dev(), metadata.ino()))
    };
    let places = [place(io::stdout().as_fd()), place(io::stderr().as_fd())];
    places[0].is_some() && places[0] == places[1]
}

#[cfg(not(unix))]
fn shares_output() -> bool {
    io::stdout().is_terminal() && io::stderr().is_terminal()
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

/// A line that is broken at spaces to fit the terminal, if the output is one; further lines are
/// indented by this much.
pub(crate) fn wrapped(line: &str, indent: usize) -> String {
    let width = terminal_width();
    width.map_or(line.to_owned(), |width| wrap(line, indent, width))
}

/// A line and the caret below it, cut around the caret to fit the terminal, if the output is one and
/// both are indented by this much.
pub(crate) fn cut_around(line: &str, caret: &str, indent: usize) -> [String; 2] {
    let width = terminal_width().unwrap_or(usize::MAX);
    // The caret may be after the last character.
    cut(line, caret, width.saturating_sub(indent + 1).max(20))
}

fn cut(line: &str, caret: &str, room: usize) -> [String; 2] {
    let at = caret.chars().count().saturating_sub(1);
    let excess = line.chars().count().saturating_sub(room);
    let start = at.saturating_sub(room / 2).min(excess);
    let part = line.chars().skip(start).take(room).collect();
    [part, format!("{}^", " ".repeat(at - start))]
}

/// How wide the terminal is that the output goes to.
fn terminal_width() -> Option<usize> {
    let (terminal_size::Width(width), _) = terminal_size::terminal_size_of(io::stdout())?;
    Some(usize::from(width))
}

fn wrap(line: &str, indent: usize, width: usize) -> String {
    // A narrower column would be hard to read.
    let room = width.saturating_sub(indent).max(20);
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in line.split_inclusive(' ') {
        let chars = word.trim_end().chars().count();
        if used > 0 && used + chars > room {
            lines.push(String::new());
            used = 0;
        }
        if let Some(last) = lines.last_mut() {
            last.push_str(word);
        }
        used += word.chars().count();
    }
    let lines: Vec<_> = lines.iter().map(|line| line.trim_end()).collect();
    lines.join(&format!("\n{}", " ".repeat(indent)))
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

#[cfg(test)]
mod tests {
    use super::{cut, wrap};

    #[test]
    fn a_line_is_cut_around_its_caret() {
        let line = "0123456789abcdefghij";
        assert_eq!(cut(line, "   ^", 20), [line, "   ^"]);
        assert_eq!(cut(line, "   ^", 8), ["01234567", "   ^"]);
        assert_eq!(cut(line, &format!("{:>11}", '^'), 8), ["6789abcd", "    ^"]);
        assert_eq!(
            cut(line, &format!("{:>21}", '^'), 8),
            ["cdefghij", "        ^"]
        );
    }

    #[test]
    fn a_line_is_broken_at_spaces_and_indented() {
        assert_eq!(wrap("one two three", 2, 40), "one two three");
        assert_eq!(
            wrap("a word and another word here", 4, 24),
            "a word and another\n    word here"
        );
        let long = "x".repeat(50);
        assert_eq!(wrap(&long, 0, 20), long);
    }
}
