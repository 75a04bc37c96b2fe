//! Patterns as `RegExp` reads them, with the interface of the crate `jsonschema-regex`.

use fancy_regex::Regex;
use std::borrow::Cow;

/// The pattern itself. Whether it is one is found out when it is compiled.
#[allow(clippy::result_unit_err)]
pub fn to_rust_regex(pattern: &str) -> Result<Cow<'_, str>, ()> {
    Ok(Cow::Borrowed(pattern))
}

pub fn is_valid_ecma_regex(pattern: &str) -> bool {
    Regex::new(pattern).is_ok()
}

/// Kinds of patterns that need no engine. No pattern is found to be one of them.
pub enum PatternAnalysis<'a> {
    Prefix(Cow<'a, str>),
    Exact(Cow<'a, str>),
    Alternation(Vec<String>),
    NoWhitespace,
}

pub fn analyze_pattern(_: &str) -> Option<PatternAnalysis<'_>> {
    None
}

/// Whether `\s` matches somewhere.
pub fn contains_ecma_whitespace(text: &str) -> bool {
    text.contains(|c: char| c.is_whitespace() && c != '\u{85}' || c == '\u{feff}')
}

/// A text that the pattern matches: none is known.
pub fn pattern_witness(_: &str) -> Option<String> {
    None
}
