//! Painted text, and how it is broken into lines.

use crate::output::style;
use crate::skip;
use tagstream::SkipReason;

/// What a character is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paint {
    Plain,
    Thought,
    /// A part of a call or of an element.
    Call,
    /// What was made of a call or of an element.
    Good,
    /// Why a call was refused.
    Refused,
    Dropped(SkipReason),
    Held,
}

impl Paint {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Paint::Plain => "text",
            Paint::Thought => "thinking",
            Paint::Call => "data",
            Paint::Good => "accepted",
            Paint::Refused => "refused",
            Paint::Dropped(_) => "dropped",
            Paint::Held => "held back",
        }
    }

    /// What it is, and why, if it was dropped.
    pub(crate) fn about(self) -> String {
        match self {
            Paint::Dropped(reason) => format!("dropped: {}", skip::words(reason)),
            _ => self.name().to_owned(),
        }
    }

    pub(crate) fn style(self) -> &'static str {
        match self {
            Paint::Plain => style::RESET,
            Paint::Thought => style::DIM,
            Paint::Call => style::LABEL,
            Paint::Good => style::GOOD,
            Paint::Refused | Paint::Dropped(_) => style::DROPPED,
            Paint::Held => style::HELD,
        }
    }
}

/// A text with a paint for each character.
///
/// The recorded answer has only characters that are one column wide, so a character is a cell.
#[derive(Clone, Default)]
pub(crate) struct Page {
    cells: Vec<(char, Paint)>,
    /// How many cells at the end are painted for now only.
    passing: usize,
}

impl Page {
    pub(crate) fn add(&mut self, text: &str, paint: Paint) {
        self.cells.extend(text.chars().map(|c| (c, paint)));
    }

    pub(crate) fn append(&mut self, other: &Page) {
        self.cells.extend_from_slice(&other.cells);
    }

    /// Adds text whose paint is not known yet; it stays until [`unpaint`](Self::unpaint).
    pub(crate) fn paint_last(&mut self, text: &str, paint: Paint) {
        self.add(text, paint);
        self.passing = text.chars().count();
    }

    pub(crate) fn unpaint(&mut self) {
        self.cells.truncate(self.cells.len() - self.passing);
        self.passing = 0;
    }

    pub(crate) fn text(&self) -> String {
        self.cells.iter().map(|(c, _)| c).collect()
    }

    /// The paint of the character that this byte of the text begins.
    pub(crate) fn paint_at(&self, byte: usize) -> Option<Paint> {
        let mut before = 0;
        let cell = self.cells.iter().find(|(c, _)| {
            before += c.len_utf8();
            before > byte
        });
        cell.map(|(_, paint)| *paint)
    }

    /// The lines of this page in a column of this width.
    pub(crate) fn lines(&self, width: usize) -> Vec<&[(char, Paint)]> {
        let paragraphs = self.cells.split(|(c, _)| *c == '\n');
        paragraphs.flat_map(|line| wrap(line, width)).collect()
    }
}

/// Breaks a line at its spaces, or where it must.
fn wrap(mut line: &[(char, Paint)], width: usize) -> Vec<&[(char, Paint)]> {
    let mut lines = Vec::new();
    while line.len() > width {
        let space = line[..=width].iter().rposition(|(c, _)| *c == ' ');
        let end = space.filter(|&at| at > 0).unwrap_or(width);
        lines.push(&line[..end]);
        line = &line[end + usize::from(space == Some(end))..];
    }
    lines.push(line);
    lines
}

/// A line for the terminal, filled up to a width.
pub(crate) fn render(line: &[(char, Paint)], width: usize, colour: bool) -> String {
    let mut text = String::new();
    let mut last = Paint::Plain;
    for &(c, paint) in line {
        if colour && paint != last {
            text.push_str(style::RESET);
            text.push_str(paint.style());
            last = paint;
        }
        text.push(c);
    }
    if last != Paint::Plain {
        text.push_str(style::RESET);
    }
    text.extend(std::iter::repeat_n(' ', width.saturating_sub(line.len())));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, width: usize) -> Vec<String> {
        let mut page = Page::default();
        page.add(text, Paint::Plain);
        let lines = page.lines(width);
        lines
            .iter()
            .map(|line| line.iter().map(|(c, _)| c).collect())
            .collect()
    }

    #[test]
    fn lines_break_at_spaces_or_where_they_must() {
        assert_eq!(lines("one two three", 7), ["one two", "three"]);
        assert_eq!(lines("one two three", 8), ["one two", "three"]);
        assert_eq!(lines("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(lines("a\n\nb", 3), ["a", "", "b"]);
        assert_eq!(lines(" abcdef", 3), [" ab", "cde", "f"]);
        assert_eq!(lines("", 3), [""]);
    }

    #[test]
    fn what_is_painted_for_now_goes_again() {
        let mut page = Page::default();
        page.add("a", Paint::Plain);
        page.paint_last("<t", Paint::Held);
        assert_eq!(page.text(), "a<t");
        page.unpaint();
        assert_eq!(page.text(), "a");
    }

    #[test]
    fn a_line_is_filled_up() {
        assert_eq!(render(&[('a', Paint::Held)], 3, false), "a  ");
        assert!(render(&[('a', Paint::Held)], 3, true).ends_with("a\x1b[0m  "));
    }
}
