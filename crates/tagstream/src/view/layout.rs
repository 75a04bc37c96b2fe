//! The content of a node while it grows: dedented, trimmed and decoded.

use crate::entities::{Entity, entity};
use crate::is_space;

/// Indents count up to this many bytes. Each time the smallest indent decreases, all of the text
/// changes and is copied again: without a cap, a hostile message could make that happen too often.
const DEEPEST: usize = 256;

/// A growing text, dedented by the smallest indent of its non-blank lines, trimmed, and with its
/// entities decoded.
///
/// The raw text belongs to the engine. Only what is new in it is read.
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// The text to show, followed by white space that is part of it only if more text follows.
    text: String,
    /// Its end without that white space.
    end: usize,
    /// Its end without a `<` or `</` before that white space.
    sure: usize,
    /// The last byte was a `<`.
    after_bracket: bool,
    /// How much of the raw text has been copied.
    copied: usize,
    /// How many bytes of indent remain to be dropped from the line that is being copied.
    drop: usize,
    lines: Indents,
    /// How often the text was copied anew.
    restarts: usize,
    /// How many bytes have been looked at, counting each time.
    looked: u64,
}

impl Layout {
    /// Reads what is new at the end of the raw text.
    pub(super) fn update(&mut self, raw: &str) {
        self.read(raw, false);
    }

    /// The text, once it is complete.
    pub(super) fn finish(mut self, raw: &str) -> String {
        self.read(raw, true);
        self.text.truncate(self.end);
        self.text
    }

    /// The text so far, without what may be the start of a tag.
    pub(super) fn shown(&self) -> &str {
        &self.text[..self.sure]
    }

    pub(super) fn restarts(&self) -> usize {
        self.restarts
    }

    pub(super) fn looked(&self) -> u64 {
        self.looked
    }

    fn read(&mut self, raw: &str, whole: bool) {
        self.looked += (raw.len() - self.lines.read) as u64;
        if self.lines.have_fallen(raw) {
            self.start_again();
        }
        let from = self.copied;
        while self.copied < raw.len() && self.step(&raw[self.copied..], whole) {}
        self.looked += (self.copied - from) as u64;
    }

    fn start_again(&mut self) {
        self.restarts += 1;
        self.text.clear();
        (self.end, self.sure, self.copied, self.drop) = (0, 0, 0, 0);
        self.after_bracket = false;
    }

    /// Copies the next piece. Returns false if what follows must be known first.
    fn step(&mut self, raw: &str, whole: bool) -> bool {
        match raw.as_bytes()[0] {
            b' ' | b'\t' if self.drop > 0 => {
                self.drop -= 1;
                self.copied += 1;
            }
            byte if is_space(byte) => self.space(byte),
            b'&' => return self.entity(raw, whole),
            b'<' => self.bracket(),
            b'/' if self.after_bracket => self.push("/"),
            _ => self.plain(raw),
        }
        true
    }

    fn space(&mut self, byte: u8) {
        self.copied += 1;
        self.after_bracket = false;
        if byte == b'\n' {
            self.drop = self.lines.smallest();
        }
        if !self.text.is_empty() {
            self.text.push(byte.into());
        }
    }

    /// A `<` before white space is not a tag. Still, it would look like the start of one at the end
    /// of the text, where that white space is not shown.
    fn bracket(&mut self) {
        self.push("<");
        self.after_bracket = true;
    }

    fn entity(&mut self, raw: &str, whole: bool) -> bool {
        match entity(raw) {
            Entity::Whole(c, len) => {
                self.push(c.encode_utf8(&mut [0; 4]));
                self.copied += len - c.len_utf8();
            }
            Entity::Unfinished if !whole => return false,
            Entity::Unfinished | Entity::None => self.push("&"),
        }
        self.sure = self.end;
        true
    }

    fn plain(&mut self, raw: &str) {
        let end = raw.find([' ', '\t', '\r', '\n', '&', '<']);
        self.push(&raw[..end.unwrap_or(raw.len())]);
        self.sure = self.end;
    }

    fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.end = self.text.len();
        self.copied += text.len();
        self.drop = 0;
        self.after_bracket = false;
    }
}

/// The smallest indent of the non-blank lines of a growing text.
#[derive(Debug)]
struct Indents {
    smallest: Option<usize>,
    /// The indent of the last line, while nothing else is in it.
    line: Option<usize>,
    /// How much of the text has been read.
    read: usize,
}

impl Default for Indents {
    fn default() -> Self {
        Indents {
            smallest: None,
            line: Some(0),
            read: 0,
        }
    }
}

impl Indents {
    fn smallest(&self) -> usize {
        self.smallest.unwrap_or(0)
    }

    /// Reads what is new at the end of the text. Returns whether the smallest indent decreased.
    fn have_fallen(&mut self, text: &str) -> bool {
        let before = self.smallest;
        let bytes = text.as_bytes();
        while self.read < bytes.len() {
            match (self.line, bytes[self.read]) {
                (_, b'\n') => self.line = Some(0),
                (Some(indent), b' ' | b'\t') => self.line = Some(indent + 1),
                (Some(_), b'\r') => {}
                (Some(indent), _) => self.content(indent),
                (None, _) => {
                    let line = memchr::memchr(b'\n', &bytes[self.read..]);
                    self.read += line.unwrap_or(bytes.len() - self.read);
                    continue;
                }
            }
            self.read += 1;
        }
        before.is_some() && self.smallest < before
    }

    fn content(&mut self, indent: usize) {
        let indent = indent.min(DEEPEST);
        self.smallest = Some(
            self.smallest
                .map_or(indent, |smallest| smallest.min(indent)),
        );
        self.line = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected text, by definition.
    fn naive(raw: &str) -> String {
        let is_layout = |c: &char| matches!(c, ' ' | '\t' | '\r');
        let indent = |line: &str| {
            let layout = line.chars().take_while(is_layout);
            layout.filter(|c| *c != '\r').count()
        };
        let is_blank = |line: &str| line.chars().all(|c| is_layout(&c));
        let lines = raw.split('\n');
        let indents = lines.clone().filter(|line| !is_blank(line)).map(indent);
        let smallest = indents.min().unwrap_or(0).min(DEEPEST);
        let dedented: Vec<String> = lines
            .map(|line| {
                let content = line.trim_start_matches([' ', '\t', '\r']);
                let layout = line[..line.len() - content.len()].chars();
                let mut dropped = 0;
                let kept = layout.filter(|c| {
                    let drops = *c != '\r' && dropped < smallest;
                    dropped += usize::from(drops);
                    !drops
                });
                kept.collect::<String>() + content
            })
            .collect();
        let text = dedented.join("\n");
        crate::entities::decode(text.trim_matches([' ', '\t', '\r', '\n'])).into_owned()
    }

    #[test]
    fn a_text_is_dedented_trimmed_and_decoded() {
        for (raw, text) in [
            ("", ""),
            (" \n\t ", ""),
            ("a", "a"),
            ("\n    a\n      b\n\n    c\n  ", "a\n  b\n\nc"),
            ("a\n  b", "a\n  b"),
            ("\n\t\ta\n\tb\n", "a\nb"),
            ("\n  a\n        \n  b", "a\n      \nb"),
            ("\r\n  a\r\n  b\r\n", "a\r\nb"),
            ("  a &lt; b &amp;&amp; c  ", "a < b && c"),
            ("&#32;a&#10;", " a\n"),
            ("a &l", "a &l"),
            ("a <", "a <"),
        ] {
            assert_eq!(Layout::default().finish(raw), text, "{raw:?}");
            assert_eq!(naive(raw), text, "{raw:?}");
        }
    }

    #[test]
    fn it_does_not_matter_how_a_text_grows() {
        let pieces = ["a", " ", "\n", "\t", "\r", "&lt;", "<", "/", "é", "&"];
        let mut odometer = [0; 6];
        loop {
            let raw: String = odometer.iter().map(|i| pieces[*i]).collect();
            let whole = naive(&raw);
            let mut grown = Layout::default();
            for (at, _) in raw.char_indices() {
                grown.update(&raw[..at]);
            }
            assert_eq!(grown.finish(&raw), whole, "{raw:?}");
            let Some(place) = odometer.iter().position(|i| *i + 1 < pieces.len()) else {
                break;
            };
            odometer[place] += 1;
            odometer[..place].fill(0);
        }
    }

    #[test]
    fn what_is_shown_never_ends_like_a_tag() {
        for (raw, shown) in [
            ("a < ", "a"),
            ("a </ ", "a"),
            ("a < < ", "a"),
            ("a < b", "a < b"),
            ("a </ b", "a </ b"),
            ("a <5", "a <5"),
            ("a &lt; ", "a <"),
            ("a &am", "a"),
            ("a &T", "a &T"),
        ] {
            let mut layout = Layout::default();
            layout.update(raw);
            assert_eq!(layout.shown(), shown, "{raw:?}");
        }
    }

    /// Each line is less indented than the previous one, so that every line copies the text again.
    #[test]
    fn work_is_linear_also_if_the_indent_falls_with_every_line() {
        let mut layout = Layout::default();
        let mut raw = String::new();
        for indent in (0..6 * DEEPEST).rev() {
            raw.push_str(&" ".repeat(indent));
            raw.push_str("x\n");
            layout.update(&raw);
        }
        assert!(layout.looked() <= (DEEPEST as u64 + 2) * raw.len() as u64);
    }

    #[test]
    fn work_is_one_look_and_one_copy_where_the_indent_is_even() {
        let mut layout = Layout::default();
        let raw = "    a < b &lt; </c\n".repeat(200);
        for (at, _) in raw.char_indices() {
            layout.update(&raw[..at]);
        }
        assert!(layout.looked() <= 2 * raw.len() as u64);
    }
}
