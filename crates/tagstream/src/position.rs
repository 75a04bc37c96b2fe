//! Positions in a text, for messages.

/// A position in a text, as people count it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextPosition {
    /// The line, counted from 1.
    pub line: usize,
    /// The character of that line, counted from 1.
    pub column: usize,
    /// That line, shortened around the position, and below it a caret that marks the position.
    pub excerpt: String,
}

/// How many characters of a long line are shown on each side of the position.
const AROUND: usize = 60;

impl TextPosition {
    /// The position of this byte.
    #[must_use]
    pub fn of_byte(text: &str, at: usize) -> Self {
        let at = text.floor_char_boundary(at.min(text.len()));
        let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let line = text[start..].lines().next().unwrap_or_default();
        let before = &text[start..at];
        TextPosition {
            line: text[..start].matches('\n').count() + 1,
            column: before.chars().count() + 1,
            excerpt: excerpt(line, before),
        }
    }

    /// The byte at a line and a column as JSON parsers report them: the column counts bytes.
    pub(crate) fn byte_of_line(text: &str, line: usize, column: usize) -> usize {
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
            let place = TextPosition::of_byte(text, at);
            assert_eq!((place.line, place.column), (line, column), "{at}");
            assert_eq!(place.excerpt, excerpt, "{at}");
        }
        assert_eq!(TextPosition::byte_of_line(text, 2, 2), 5);
    }

    #[test]
    fn a_long_line_is_shown_around_the_place() {
        let text = format!("{}<b>{}", "a".repeat(500), "c".repeat(500));
        let place = TextPosition::of_byte(&text, 500);
        let (line, caret) = place.excerpt.split_once('\n').unwrap();
        assert_eq!((place.column, caret.len()), (501, AROUND + 1));
        assert_eq!(&line[caret.len() - 1..][..3], "<b>");
    }
}
