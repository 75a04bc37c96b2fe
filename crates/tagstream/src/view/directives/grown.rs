//! Growing text, and the part of it that is shown.

use crate::is_space;

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

/// A growing text. The part that is shown is a slice, so that the cost of a chunk is only what it
/// adds.
#[derive(Clone, Debug, Default)]
pub(super) struct Grown {
    text: String,
    /// The end of the last byte that is not white space.
    end: usize,
    space: Space,
    /// How many bytes of white space came before the text.
    before: usize,
    left_off: Option<LeftOff>,
}

/// What is omitted for now at the end of a text.
#[derive(Clone, Copy, Debug)]
struct LeftOff {
    /// Where it starts.
    start: usize,
    /// The end of the last byte before it that is not white space. Stored, because otherwise it
    /// would be searched for after each chunk.
    end: usize,
    /// Whether it is still omitted.
    now: bool,
}

impl Grown {
    pub(super) fn new(space: Space) -> Self {
        Grown {
            space,
            ..Self::default()
        }
    }

    /// Adds what is new; returns how many bytes were looked at.
    pub(super) fn push(&mut self, mut piece: &str) -> usize {
        self.show_all();
        let whole = piece.len();
        if self.space == Space::Trimmed && self.text.is_empty() {
            piece = piece.trim_start_matches(is_white);
            self.before += whole - piece.len();
        }
        self.text.push_str(piece);
        let content = piece.trim_end_matches(is_white).len();
        if content > 0 {
            self.end = self.text.len() - piece.len() + content;
        }
        whole + (piece.len() - content)
    }

    /// Starts over with another text; returns how many bytes were looked at.
    pub(super) fn set(&mut self, text: &str) -> usize {
        self.text.clear();
        self.end = 0;
        self.before = 0;
        self.left_off = None;
        self.push(text)
    }

    /// Omits what follows the first `len` bytes of everything pushed so far, until more is pushed;
    /// returns how many bytes were looked at.
    pub(super) fn omit_after(&mut self, len: usize) -> usize {
        let start = len.saturating_sub(self.before);
        if start >= self.text.len() {
            self.show_all();
            return 0;
        }
        let known = self.left_off.filter(|known| known.start == start);
        let (end, looked) = match known {
            Some(known) => (known.end, 0),
            None => {
                let end = self.text[..start].trim_end_matches(is_white).len();
                (end, start - end)
            }
        };
        let now = true;
        self.left_off = Some(LeftOff { start, end, now });
        looked
    }

    /// Shows what was omitted; returns whether there was anything.
    pub(super) fn show_all(&mut self) -> bool {
        let left_off = self.left_off.as_mut();
        left_off.is_some_and(|left_off| std::mem::replace(&mut left_off.now, false))
    }

    /// The part that is shown.
    pub(super) fn shown(&self) -> &str {
        let (text, end) = match self.left_off.filter(|left_off| left_off.now) {
            Some(left_off) => (&self.text[..left_off.start], left_off.end),
            None => (self.text.as_str(), self.end),
        };
        match self.space {
            Space::Trimmed => &text[..end],
            Space::Lines => without_newlines(text),
            Space::Kept => text,
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

/// A text without one newline at each end. A lone CR counts as a newline, so that the text does not
/// shrink when its LF arrives.
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
    fn an_end_that_is_left_off_is_shown_when_more_comes() {
        for (space, shown) in [(Space::Trimmed, "a"), (Space::Lines, " \na ")] {
            let mut grown = Grown::new(space);
            for piece in [" \n", "a <", "b"] {
                grown.push(piece);
            }
            for _ in 0..2 {
                grown.omit_after(" \na ".len());
                assert_eq!(grown.shown(), shown);
            }
            grown.push("5");
            assert!(grown.shown().ends_with("a <b5"), "{:?}", grown.shown());
            grown.omit_after(usize::MAX);
            assert!(grown.shown().ends_with("a <b5"), "{:?}", grown.shown());
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
