//! Two columns in a terminal, drawn again for each token.

use super::page::{Page, Paint, render};
use crate::output::{Output, colour_wanted, style};
use std::io::{self, IsTerminal};
use tagstream::SkipReason;
use terminal_size::{Height, Width, terminal_size};

/// Two narrower columns would be hard to read.
const MIN_COLUMN_CELLS: usize = 34;
/// Lines around the text: a title, its rule, two of status with one before them, the cursor's.
const FRAME_LINES: usize = 6;
/// A terminal with fewer lines has no room for live drawing.
const MIN_TERMINAL_LINES: usize = 12;
const TITLES: [&str; 2] = ["As it arrives", "As it is read"];

pub(crate) struct Screen {
    width: usize,
    height: usize,
    colour: bool,
    /// How many lines were drawn last time, to be drawn over.
    drawn: usize,
}

impl Screen {
    /// `None` if standard output is not a terminal, or has no room.
    pub(crate) fn of_terminal() -> Option<Self> {
        let (Width(width), Height(height)) = terminal_size()?;
        let fits = io::stdout().is_terminal() && usize::from(height) >= MIN_TERMINAL_LINES;
        fits.then(|| Screen {
            width: usize::from(width).clamp(20, 160),
            height: usize::from(height),
            colour: colour_wanted(),
            drawn: 0,
        })
    }

    /// Draws the end of both pages, as much as fits.
    pub(crate) fn draw(&mut self, raw: &Page, clean: &Page, status: &str, out: &mut Output) {
        let fits = self.height.saturating_sub(FRAME_LINES);
        let mut lines = self.lines(raw, clean, fits);
        lines.push(String::new());
        lines.push(self.legend());
        lines.push(self.style(style::WARNING, &cut(status, self.width)));
        self.put(&lines, out);
    }

    /// Draws all of both pages, once the message is over.
    pub(crate) fn draw_all(&mut self, raw: &Page, clean: &Page, out: &mut Output) {
        let mut lines = self.lines(raw, clean, usize::MAX);
        lines.push(String::new());
        self.put(&lines, out);
    }

    fn lines(&self, raw: &Page, clean: &Page, fits: usize) -> Vec<String> {
        match (self.width - 3) / 2 {
            column if column >= MIN_COLUMN_CELLS => self.side_by_side(raw, clean, column, fits),
            _ => self.stacked(raw, clean, fits),
        }
    }

    fn side_by_side(&self, raw: &Page, clean: &Page, column: usize, fits: usize) -> Vec<String> {
        let titles = TITLES.map(|title| self.style(style::BOLD, &format!("{title:column$}")));
        let rule = "─".repeat(column);
        let mut lines = vec![titles.join(" │ "), format!("{rule}─┼─{rule}")];
        let (left, right) = (raw.lines(column), clean.lines(column));
        let (left, right) = (last(&left, fits), last(&right, fits));
        for row in 0..left.len().max(right.len()) {
            let cell = |side: &[&[_]]| {
                let line = side.get(row).copied().unwrap_or_default();
                render(line, column, self.colour)
            };
            lines.push(format!("{} │ {}", cell(left), cell(right)));
        }
        lines
    }

    fn stacked(&self, raw: &Page, clean: &Page, fits: usize) -> Vec<String> {
        let mut lines = Vec::new();
        // A title, its rule and an empty line are needed twice here; one pair is in the frame.
        let fits = fits.saturating_sub(4) / 2;
        for (title, page) in TITLES.into_iter().zip([raw, clean]) {
            lines.push(self.style(style::BOLD, title));
            lines.push("─".repeat(self.width));
            let page = page.lines(self.width);
            let page = last(&page, fits).iter();
            lines.extend(page.map(|line| render(line, 0, self.colour)));
            lines.push(String::new());
        }
        lines
    }

    /// What the colours on the left mean.
    fn legend(&self) -> String {
        if !self.colour {
            return String::new();
        }
        [
            Paint::Thought,
            Paint::Call,
            Paint::Dropped(SkipReason::Tag),
            Paint::Held,
        ]
        .map(|paint| self.style(paint.style(), paint.name()))
        .join("  ")
    }

    fn style(&self, style: &str, text: &str) -> String {
        if self.colour {
            format!("{style}{text}{}", style::RESET)
        } else {
            text.to_owned()
        }
    }

    /// Puts lines where the last ones were. The cursor is away while it happens, and only then, so
    /// that an interrupted demo leaves it as it was.
    fn put(&mut self, lines: &[String], out: &mut Output) {
        out.text("\x1b[?25l");
        if self.drawn > 0 {
            out.text(&format!("\x1b[{}A\r", self.drawn));
        }
        for line in lines {
            out.text(line);
            out.text("\x1b[K\n");
        }
        out.text("\x1b[J\x1b[?25h");
        self.drawn = lines.len();
    }
}

fn last<T>(lines: &[T], fits: usize) -> &[T] {
    &lines[lines.len().saturating_sub(fits)..]
}

fn cut(text: &str, width: usize) -> String {
    text.chars().take(width).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(width: usize, height: usize) -> Vec<String> {
        let mut page = Page::default();
        page.add(&"a line of words\n".repeat(30), Paint::Thought);
        let screen = Screen {
            width,
            height,
            colour: false,
            drawn: 0,
        };
        screen.lines(&page, &page, height - FRAME_LINES)
    }

    #[test]
    fn a_wide_terminal_has_two_columns() {
        let lines = drawn(80, 24);
        assert!(lines[0].contains("As it arrives") && lines[0].contains("As it is read"));
        assert!(lines.iter().all(|line| line.chars().count() == 79));
    }

    #[test]
    fn a_narrow_one_has_one() {
        let lines = drawn(40, 24);
        assert_eq!(lines[0], "As it arrives");
        assert!(lines.contains(&"As it is read".to_owned()));
    }

    #[test]
    fn no_more_is_drawn_than_fits() {
        for height in [MIN_TERMINAL_LINES, 24, 60] {
            for width in [40, 80] {
                let rows = drawn(width, height).len() + 3;
                assert!(rows < height, "{width}x{height}: {rows}");
            }
        }
    }
}
