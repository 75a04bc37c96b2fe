//! Text that grows, and what of it is shown.

use crate::line::is_space;

/// Which white space at the ends of a text belongs to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Space {
    /// None.
    #[default]
    Trimmed,
    /// All but one newline at each end.
    Lines,
    /// All.
    Kept,
}

/// A text that grows. What is shown of it is a slice, so that a chunk costs only what it adds.
#[derive(Clone, Debug, Default)]
pub(super) struct Grown {
    text: String,
    /// Where the last byte ends that is not white space.
    end: usize,
    space: Space,
}

impl Grown {
    pub(super) fn new(space: Space) -> Self {
        Grown {
            space,
            ..Self::default()
        }
    }

    /// Adds what is new.
    pub(super) fn push(&mut self, mut piece: &str) {
        if self.space == Space::Trimmed && self.text.is_empty() {
            piece = piece.trim_start_matches(is_white);
        }
        self.text.push_str(piece);
        let content = piece.trim_end_matches(is_white).len();
        if content > 0 {
            self.end = self.text.len() - piece.len() + content;
        }
    }

    /// Begins anew with another text.
    pub(super) fn set(&mut self, text: &str) {
        self.text.clear();
        self.end = 0;
        self.push(text);
    }

    /// What is shown of it.
    pub(super) fn shown(&self) -> &str {
        match self.space {
            Space::Trimmed => &self.text[..self.end],
            Space::Lines => without_newlines(&self.text),
            Space::Kept => &self.text,
        }
    }

    /// Whether there is nothing but white space.
    pub(super) fn is_blank(&self) -> bool {
        self.end == 0
    }
}

pub(super) fn is_white(c: char) -> bool {
    c.is_ascii() && is_space(c as u8)
}

/// A text less one newline at each end. A lone CR counts as one, so that the text does not
/// shrink when its LF comes.
fn without_newlines(text: &str) -> &str {
    let text = text.strip_prefix('\r').map_or(text, |rest| rest);
    let text = text.strip_prefix('\n').unwrap_or(text);
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.strip_suffix('\r').unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn naive(text: &str, space: Space) -> &str {
        match space {
            Space::Trimmed => text.trim_matches(is_white),
            Space::Lines => without_newlines(text),
            Space::Kept => text,
        }
    }

    #[test]
    fn one_newline_at_each_end_is_layout() {
        for (text, shown) in [
            ("", ""),
            ("\n", ""),
            ("\n\n", ""),
            ("\n\n\n", "\n"),
            ("\na\n", "a"),
            ("\r\na\r\n", "a"),
            ("\n\n  a \n\n", "\n  a \n"),
            ("  a", "  a"),
        ] {
            assert_eq!(without_newlines(text), shown, "{text:?}");
        }
    }

    #[test]
    fn it_does_not_matter_how_a_text_grows() {
        let pieces = ["a", " ", "\n", "\r", "é"];
        for number in 0..5_usize.pow(6) {
            let digit = |place: u32| pieces[number / 5_usize.pow(place) % 5];
            let text: String = (0..6).map(digit).collect();
            for space in [Space::Trimmed, Space::Lines, Space::Kept] {
                let mut grown = Grown::new(space);
                for place in 0..6 {
                    grown.push(digit(place));
                }
                assert_eq!(grown.shown(), naive(&text, space), "{text:?}");
                assert_eq!(grown.is_blank(), text.trim_matches(is_white).is_empty());
            }
        }
    }
}
