//! What was held back, and for how long.

use super::page::{Page, Paint};
use crate::output::{count, visible};
use std::{fmt::Write, time::Duration};

/// All holds of a message.
#[derive(Default)]
pub(crate) struct Holds {
    past: Vec<Hold>,
    current: Option<Hold>,
}

/// Bytes that were held until it was clear what they are.
struct Hold {
    /// Where they start in the message.
    start: usize,
    /// The longest that was held at once.
    text: String,
    /// How many tokens they waited for.
    tokens: u32,
}

/// What was held, for how many tokens, and what it became.
#[derive(PartialEq, Eq)]
struct Row {
    text: String,
    tokens: u32,
    became: String,
}

impl Holds {
    /// Notes what is held now that the message has this length.
    pub(crate) fn note(&mut self, held: &str, message: usize) {
        let start = message.saturating_sub(held.len());
        match &mut self.current {
            Some(hold) if hold.start == start && !held.is_empty() => {
                held.clone_into(&mut hold.text);
                hold.tokens += 1;
            }
            _ => {
                self.past.extend(self.current.take());
                self.current = (!held.is_empty()).then(|| Hold {
                    start,
                    text: held.to_owned(),
                    tokens: 1,
                });
            }
        }
    }

    /// One line for now.
    pub(crate) fn now(&self) -> String {
        let times = self.past.len() + usize::from(self.current.is_some());
        let mut line = format!("held back so far: {}", count(times, "time"));
        if let Some(hold) = &self.current {
            let bytes = count(hold.text.len(), "byte");
            let _ = write!(line, "   now: {}   ({bytes})", visible(&hold.text));
        }
        line
    }

    /// The lines at the end: what was held, for how long, and what it became. `token` is how long
    /// a token took.
    pub(crate) fn summary(&self, raw: &Page, token: Option<Duration>) -> String {
        let bytes: usize = self.past.iter().map(|hold| hold.text.len()).sum();
        let longest = self.past.iter().map(|hold| hold.tokens).max().unwrap_or(0);
        let time = token.map_or(String::new(), |token| {
            format!(" ({} ms)", (token * longest).as_millis())
        });
        let mut text = format!(
            "Held back {}, {} in all, for at most {}{time}.\nEverything else was shown at once.\n",
            count(self.past.len(), "time"),
            count(bytes, "byte"),
            count(longest as usize, "token"),
        );
        let rows = self.rows(raw);
        let width = rows.iter().map(|(row, _)| row.text.chars().count()).max();
        let width = width.unwrap_or(0);
        for (row, times) in rows {
            let waited = count(row.tokens as usize, "token");
            let times = match times {
                1 => String::new(),
                _ => format!(", {times} times"),
            };
            let (shown, became) = (row.text, row.became);
            let _ = writeln!(text, "  {shown:<width$}  {waited:<9}  {became}{times}");
        }
        text
    }

    /// The rows of the summary, each once, with how often it was so.
    fn rows(&self, raw: &Page) -> Vec<(Row, usize)> {
        let mut rows: Vec<(Row, usize)> = Vec::new();
        for hold in &self.past {
            let row = Row {
                text: visible(&hold.text),
                tokens: hold.tokens,
                became: raw.paint_at(hold.start).map_or(String::new(), Paint::about),
            };
            match rows.iter_mut().find(|(other, _)| *other == row) {
                Some((_, times)) => *times += 1,
                None => rows.push((row, 1)),
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_equal_is_one_row() {
        let mut holds = Holds::default();
        for (held, message) in [("<", 1), ("", 2), ("<", 3), ("", 4)] {
            holds.note(held, message);
        }
        let mut page = Page::default();
        page.add("<a<a", Paint::Plain);
        let summary = holds.summary(&page, None);
        assert!(
            summary.ends_with("\n  <  1 token    text, 2 times\n"),
            "{summary}"
        );
    }

    #[test]
    fn a_hold_goes_on_while_it_starts_at_the_same_place() {
        let mut holds = Holds::default();
        for (held, message) in [("<", 1), ("<th", 3), ("", 8), ("<", 9), ("<", 10), ("", 11)] {
            holds.note(held, message);
        }
        let mut page = Page::default();
        page.add("é", Paint::Plain);
        page.add("<", Paint::Held);
        assert!(page.paint_at(0) == Some(Paint::Plain) && page.paint_at(2) == Some(Paint::Held));
        let summary = holds.summary(&page, Some(Duration::from_millis(10)));
        let rows: Vec<_> = summary.lines().collect();
        assert_eq!(
            rows[0],
            "Held back 3 times, 5 bytes in all, for at most 2 tokens (20 ms)."
        );
        assert_eq!(rows.len(), 2 + 2, "{summary}");
        let columns: Vec<_> = rows[2..].iter().map(|row| row.find("token")).collect();
        assert!(
            columns.iter().all(|column| *column == columns[0]),
            "{summary}"
        );
    }
}
