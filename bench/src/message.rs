//! The message that every contender reads: made from a seed, so that it is the same everywhere.

use std::ops::Range;

use crate::measure::Cut;

/// The size of the message that is measured.
pub const MESSAGE_BYTES: usize = 1 << 20;

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// A thought and an answer of the same kind.
pub struct Message {
    pub text: String,
    /// The bytes between the tags.
    pub thought: Range<usize>,
}

impl Message {
    /// A message of exactly `size` bytes, half of it thought.
    ///
    /// The closing tag begins two bytes before a multiple of 64, so that chunks of 4 and of 64 bytes
    /// both cut it, after the `</`: a stream's chunks do not respect tags.
    pub fn new(size: usize) -> Self {
        let mut writer = Writer::new();
        let close = size / 2 / 64 * 64 + 62;
        writer.out.push_str(OPEN);
        writer.out.push('\n');
        writer.section(close);
        writer.out.push_str(CLOSE);
        writer.out.push_str("\n\n");
        writer.section(size);
        Message {
            text: writer.out,
            thought: OPEN.len()..close,
        }
    }

    /// The answer.
    pub fn answer(&self) -> &str {
        &self.text[self.thought.end + CLOSE.len()..]
    }

    /// Its chunks in one of the tables.
    pub fn cut(&self, cut: Cut) -> Vec<&str> {
        self.chunks(cut.size.unwrap_or(0), cut.size)
    }

    /// Cut as by [`cut`].
    pub fn chunks(&self, first: usize, size: Option<usize>) -> Vec<&str> {
        cut(&self.text, first, size)
    }
}

/// Cuts after the first `first` bytes and then after every `size` bytes, each cut moved back to the
/// start of a character. Without a size the text is one chunk.
pub fn cut(text: &str, first: usize, size: Option<usize>) -> Vec<&str> {
    let Some(size) = size else {
        return vec![text];
    };
    let mut chunks = Vec::with_capacity(text.len() / size + 1);
    let mut start = 0;
    let mut cut = first;
    while start < text.len() {
        let mut end = cut.min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        if end > start {
            chunks.push(&text[start..end]);
            start = end;
        }
        cut += size;
    }
    chunks
}

/// A small random number generator (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }

    pub fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

struct Writer {
    random: Random,
    out: String,
}

impl Writer {
    fn new() -> Self {
        Writer {
            random: Random(2026),
            out: String::new(),
        }
    }

    /// Writes blocks until the message is exactly `end` bytes long, with a line break at the end.
    fn section(&mut self, end: usize) {
        loop {
            let before = self.out.len();
            self.block();
            if self.out.len() + 64 > end {
                self.out.truncate(before);
                break;
            }
        }
        while self.out.len() < end {
            let word = self.random.pick(WORDS);
            self.out.push_str(word);
            self.out.push(' ');
        }
        self.out.truncate(end - 2);
        self.out.push_str(".\n");
    }

    fn block(&mut self) {
        match self.random.below(10) {
            0 | 1 => self.fence(),
            2 => self.list(),
            _ => self.paragraph(),
        }
        self.out.push('\n');
    }

    fn paragraph(&mut self) {
        for _ in 0..3 + self.random.below(4) {
            self.sentence();
            self.out.push(' ');
        }
        self.out.pop();
        self.out.push('\n');
    }

    fn list(&mut self) {
        for _ in 0..3 + self.random.below(4) {
            self.out.push_str("- ");
            self.sentence();
            self.out.push('\n');
        }
    }

    fn fence(&mut self) {
        let (language, lines) = FENCES[self.random.below(FENCES.len())];
        let mark = if self.random.below(8) == 0 {
            "~~~"
        } else {
            "```"
        };
        self.out.push_str(mark);
        self.out.push_str(language);
        self.out.push('\n');
        for _ in 0..4 + self.random.below(12) {
            let line = self.random.pick(lines);
            self.out.push_str(line);
            self.out.push('\n');
        }
        self.out.push_str(mark);
        self.out.push('\n');
    }

    fn sentence(&mut self) {
        let opening = self.random.pick(OPENINGS);
        self.out.push_str(opening);
        for _ in 0..7 + self.random.below(11) {
            self.out.push(' ');
            let word = match self.random.below(24) {
                0 => self.random.pick(SNIPPETS),
                _ => self.random.pick(WORDS),
            };
            self.out.push_str(word);
        }
        self.out.push('.');
    }
}

const OPENINGS: &[&str] = &[
    "So",
    "Wait,",
    "First",
    "Then",
    "Now",
    "But",
    "However,",
    "Here",
    "Since",
    "Also,",
    "Okay,",
    "If",
    "In short,",
    "The point is that",
    "Let me check whether",
    "That means",
];

/// ASCII, because a section gets its exact length by cutting its last word.
#[rustfmt::skip]
pub const WORDS: &[&str] = &[
    "the", "a", "of", "and", "to", "in", "is", "that", "it", "we", "for", "with", "as", "this",
    "loop", "index", "value", "function", "returns", "buffer", "pointer", "type", "bound", "case",
    "would", "could", "should", "cannot", "must", "may", "each", "every", "none", "first", "last",
    "iterator", "vector", "string", "slice", "borrow", "lifetime", "trait", "generic", "closure",
    "user", "wants", "question", "answer", "because", "although", "while", "until", "before",
    "after", "between", "length", "capacity", "sorted", "order", "compare", "smaller", "larger",
    "equal", "element", "list", "table", "column", "row", "query", "number", "count", "total",
    "error", "result", "option", "match", "branch", "condition", "check", "test", "edge", "simple",
    "approach", "solution", "complexity", "linear", "constant", "memory", "time", "space", "fast",
    "not", "only", "by", "on", "or", "an", "at", "from", "which", "there", "here",
    "remember", "careful", "empty", "input", "output", "stream", "token", "model", "parse",
];

/// What technical prose has between its words, in code spans and outside of them.
const SNIPPETS: &[&str] = &[
    "a < b",
    "i < n",
    "x <= y && y < z",
    "Vec<T>",
    "Option<&str>",
    "HashMap<String, Vec<u8>>",
    "`Vec<T>`",
    "`Result<T, E>`",
    "`if a < b`",
    "`len()`",
    "`push_str`",
    "`Some(x)`",
    "`i += 1`",
    "<T: Ord>",
    "—",
    "naïve",
    "café",
    "isn’t",
    "→",
    "“quoted”",
    "~10 ms",
    "**important**",
    "*really*",
    "R&D",
    "(see below)",
    "3.14",
];

/// Languages, and lines of code in them.
pub const FENCES: &[(&str, &[&str])] = &[
    (
        "rust",
        &[
            "fn smallest<T: Ord>(items: &[T]) -> Option<&T> {",
            "    let mut best: Option<&T> = None;",
            "    for (i, item) in items.iter().enumerate() {",
            "        if i < items.len() && best.is_none_or(|b| item < b) {",
            "            best = Some(item);",
            "        }",
            "    }",
            "    best",
            "}",
            "",
            "let words: Vec<String> = line.split(' ').map(str::to_owned).collect();",
            "println!(\"{} of {}\", words.len(), line.len());",
        ],
    ),
    (
        "python",
        &[
            "def merge(left, right):",
            "    out = []",
            "    while left and right:",
            "        out.append((left if left[0] < right[0] else right).pop(0))",
            "    return out + left + right",
            "",
            "for name, size in sorted(sizes.items()):",
            "    print(f\"{name}: {size}\")",
        ],
    ),
    (
        "html",
        &[
            "<table class=\"results\">",
            "  <tr><th>name</th><th>size</th></tr>",
            "  <tr><td>first</td><td>12</td></tr>",
            "</table>",
            "<p>Nothing here.</p>",
        ],
    ),
    (
        "sh",
        &[
            "cargo build --release",
            "sort < sizes.txt | uniq -c | head -n 20",
            "echo \"done\"",
            "for f in *.log; do gzip \"$f\"; done",
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_as_long_as_asked_for_and_has_one_thought() {
        let message = Message::new(1 << 20);
        assert_eq!(message.text.len(), 1 << 20);
        assert_eq!(message.text.matches(OPEN).count(), 1);
        assert_eq!(message.text.matches(CLOSE).count(), 1);
        assert!(message.text[message.thought.end..].starts_with(CLOSE));
    }

    #[test]
    fn chunks_are_the_message() {
        let message = Message::new(8 << 10);
        for size in 1..=8 {
            for first in 1..=size {
                assert_eq!(message.chunks(first, Some(size)).concat(), message.text);
            }
        }
    }

    #[test]
    fn both_chunk_sizes_cut_the_closer() {
        let message = Message::new(1 << 20);
        for size in [4, 64] {
            let chunks = message.chunks(size, Some(size));
            assert!(!chunks.iter().any(|chunk| chunk.contains(CLOSE)));
            assert!(chunks.iter().any(|chunk| chunk.ends_with("</")));
        }
    }
}
