//! `strip_inline_xml_tags`: a string without its tags, on one line.

use memchr::memchr;
use std::collections::HashMap;

/// The text without its tags and their content, with all white space collapsed.
///
/// First every pair `<name …>…</name>` becomes a space, then every `<name … />`, then every run of
/// white space becomes one space, and the result is trimmed. Names are compared by their exact
/// spelling, and the first closing tag of the same name ends a pair. These are the two patterns
/// `<([A-Za-z_:][\w:.-]*)(?:\s[^>]*)?>([\s\S]*?)<\/\1>` and
/// `<([A-Za-z_:][\w:.-]*)(?:\s[^>]*)?\s*\/>`, in time proportional to the text.
///
/// This destroys line breaks, and Markdown with them:
/// [`Whitespace::Preserve`](crate::Whitespace::Preserve) does not.
///
/// ```
/// use tagstream::view::strip_inline_xml_tags;
///
/// let text = "Let me think. <thinking>I should analyze</thinking> The answer is 42.";
/// assert_eq!(strip_inline_xml_tags(text), "Let me think. The answer is 42.");
/// ```
#[must_use]
pub fn strip_inline_xml_tags(text: &str) -> String {
    let without_pairs = replace(text, pairs(text));
    let without_tags = replace(&without_pairs, self_closing(&without_pairs));
    let words = without_tags.split(is_white).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// The text with a space for each of these ranges. Each starts after the end of the previous one.
fn replace(text: &str, stretches: impl Iterator<Item = (usize, usize)>) -> String {
    let mut result = String::with_capacity(text.len());
    let mut from = 0;
    for (start, end) in stretches {
        result.push_str(&text[from..start]);
        result.push(' ');
        from = end;
    }
    result.push_str(&text[from..]);
    result
}

/// The ranges of all pairs.
fn pairs(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let mut closers = Closers::new(text);
    stretches(text, move |tag| {
        let opens = tag.name_end == tag.last || tag.has_attributes(text);
        opens
            .then(|| closers.next(tag.name(text), tag.last + 1))
            .flatten()
    })
}

/// The ranges of all self-closing tags.
fn self_closing(text: &str) -> impl Iterator<Item = (usize, usize)> {
    stretches(text, |tag| {
        let slash = text[..tag.last].strip_suffix('/')?.len();
        let is_one = slash == tag.name_end || tag.has_attributes(text);
        is_one.then_some(tag.last + 1)
    })
}

/// A `<`, a name, and the next `>`.
struct Tag {
    start: usize,
    name_end: usize,
    /// Where the `>` is.
    last: usize,
}

impl Tag {
    fn name<'t>(&self, text: &'t str) -> &'t str {
        &text[self.start + 1..self.name_end]
    }

    fn has_attributes(&self, text: &str) -> bool {
        text[self.name_end..].starts_with(is_white)
    }
}

/// The ranges that start with a tag and end at `end_of` it. A tag inside another range does not
/// count.
fn stretches<'t>(
    text: &'t str,
    mut end_of: impl FnMut(&Tag) -> Option<usize> + 't,
) -> impl Iterator<Item = (usize, usize)> + 't {
    let mut tags = Tags::new(text);
    std::iter::from_fn(move || {
        loop {
            let tag = tags.next()?;
            if let Some(end) = end_of(&tag) {
                tags.at = end;
                return Some((tag.start, end));
            }
        }
    })
}

/// Everything in a text that may be a tag.
struct Tags<'t> {
    text: &'t str,
    at: usize,
    /// The next `>`. All tags that start before it use it, so that it is searched for only once.
    last: usize,
    /// How many bytes have been looked at, counting each time: for the test of linear work.
    looked: usize,
}

impl<'t> Tags<'t> {
    fn new(text: &'t str) -> Self {
        Tags {
            text,
            at: 0,
            last: 0,
            looked: 0,
        }
    }

    fn next(&mut self) -> Option<Tag> {
        loop {
            let start = self.find(b'<', self.at)?;
            self.at = start + 1;
            let len = name_len(&self.text[self.at..]);
            self.looked += len;
            let name_end = self.at + len;
            if len > 0 && self.last < name_end {
                self.last = self.find(b'>', name_end)?;
            }
            if len > 0 {
                let last = self.last;
                return Some(Tag {
                    start,
                    name_end,
                    last,
                });
            }
        }
    }

    fn find(&mut self, byte: u8, from: usize) -> Option<usize> {
        let rest = &self.text.as_bytes()[from..];
        let found = memchr(byte, rest);
        self.looked += found.unwrap_or(rest.len());
        Some(from + found?)
    }
}

/// All closing tags of a text, by name, and how many of each name have been passed.
struct Closers<'t> {
    places: HashMap<&'t str, (usize, Vec<usize>)>,
}

impl<'t> Closers<'t> {
    fn new(text: &'t str) -> Self {
        let mut places: HashMap<_, (usize, Vec<_>)> = HashMap::new();
        for (start, _) in text.match_indices("</") {
            let after = &text[start + 2..];
            let (name, rest) = after.split_at(name_len(after));
            if !name.is_empty() && rest.starts_with('>') {
                places.entry(name).or_default().1.push(start);
            }
        }
        Closers { places }
    }

    /// Where the next closer of this name ends that does not begin before `from`.
    fn next(&mut self, name: &str, from: usize) -> Option<usize> {
        let (passed, places) = self.places.get_mut(name)?;
        *passed += places[*passed..]
            .iter()
            .take_while(|at| **at < from)
            .count();
        let start = places.get(*passed)?;
        Some(start + "</>".len() + name.len())
    }
}

/// The length of the name at the start of the text; 0 if there is no name.
fn name_len(text: &str) -> usize {
    let begins = |b: u8| b.is_ascii_alphabetic() || matches!(b, b'_' | b':');
    let goes_on = |b: u8| begins(b) || b.is_ascii_digit() || matches!(b, b'.' | b'-');
    match text.bytes().next() {
        Some(first) if begins(first) => text.bytes().take_while(|b| goes_on(*b)).count(),
        _ => 0,
    }
}

/// White space as JavaScript's `\s` matches it.
fn is_white(c: char) -> bool {
    matches!(c, '\u{feff}') || c.is_whitespace() && c != '\u{85}'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_looked_at_three_times_at_most() {
        for unit in [
            "<a", "<a>", "</a>", "<a ", "<a/", "<", "<a b", "a", "<abc-", "a>",
        ] {
            let text = unit.repeat(1000) + ">";
            let mut tags = Tags::new(&text);
            while tags.next().is_some() {}
            assert!(tags.looked <= 3 * text.len(), "{unit}: {}", tags.looked);
        }
    }

    /// Each closing tag is passed at most once, however many opening tags ask for it.
    #[test]
    fn closers_are_passed_once() {
        let text = "</a>".repeat(1000) + "</b>";
        let mut closers = Closers::new(&text);
        for from in 0..text.len() {
            closers.next("a", from);
        }
        assert_eq!(closers.places["a"].0, 1000);
        assert_eq!(closers.next("b", 0), Some(text.len()));
    }
}
