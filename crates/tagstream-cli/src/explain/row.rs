//! A line of the page: some bytes, and what they were read as.

use super::excerpt::Excerpt;
use crate::output::{Output, style, wrapped};
use crate::skip;
use tagstream::{SkipReason, Span};

/// How far the words of a row are indented.
const ROW_INDENT: usize = 28;

/// A stretch of the message, and what it was read as.
pub(super) struct Row {
    /// `None` for what was not found in text.
    pub(super) span: Option<Span>,
    pub(super) class: Class,
    pub(super) words: Words,
}

/// What it was read as, in one or two words.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Class {
    Text,
    Thought,
    Skip(SkipReason),
    Call(u64),
    /// Text of an argument; `None` for a piece of the JSON of all of them.
    Argument(u64, Option<String>),
    Refused(u64),
    Element(u64),
    Part(u64, Option<String>),
    Notice,
    Stream,
    /// An event that is newer than this page.
    Other,
}

/// What is printed after it.
pub(super) enum Words {
    /// The text of the message. More may follow.
    Quoted(Excerpt),
    /// A description.
    Said(String),
}

impl Row {
    /// Whether this row continues the one before, which depends on how the input was cut.
    pub(super) fn continues(&self, before: &Row) -> bool {
        let runs = |row: &Row| matches!(row.words, Words::Quoted(_));
        let adjacent = before.span.map(|span| span.end) == self.span.map(|span| span.start);
        runs(self) && runs(before) && adjacent && self.class == before.class
    }

    /// The bytes; only the position of what has none.
    fn place(&self) -> String {
        match self.span {
            Some(Span { start, end }) if start == end => format!("{start:>6}          "),
            Some(Span { start, end }) => format!("{start:>6}..{end:<6}  "),
            None if self.class == Class::Stream => " ".repeat(16),
            // Not found in text: the provider reported it by itself.
            None => "native          ".to_owned(),
        }
    }

    pub(super) fn print(&self, out: &mut Output) {
        out.styled(style::DIM, &self.place());
        out.styled(self.class.style(), &format!("{:<10}", self.class.label()));
        out.text("  ");
        let mut words = match &self.words {
            Words::Quoted(excerpt) => excerpt.shown(),
            Words::Said(words) => words.clone(),
        };
        if let Some(name) = self.class.part() {
            words = format!("{name}: {words}");
        }
        if let Class::Skip(reason) = self.class {
            words.push_str(&format!("  ({})", skip::words(reason)));
        }
        out.text(&format!("{}\n", wrapped(&words, ROW_INDENT)));
    }
}

impl Class {
    fn label(&self) -> String {
        match self {
            Class::Text => "text".to_owned(),
            Class::Thought => "thought".to_owned(),
            Class::Skip(_) => "skip".to_owned(),
            Class::Call(index) | Class::Refused(index) => format!("call {index}"),
            Class::Argument(..) => "argument".to_owned(),
            Class::Element(id) | Class::Part(id, _) => format!("element {id}"),
            Class::Notice => "notice".to_owned(),
            Class::Stream => "stream".to_owned(),
            Class::Other => "other".to_owned(),
        }
    }

    fn style(&self) -> &'static str {
        match self {
            Class::Text | Class::Stream => style::BOLD,
            Class::Thought | Class::Skip(_) | Class::Other => style::DIM,
            Class::Call(_) | Class::Argument(..) => style::GOOD,
            Class::Refused(_) => style::DROPPED,
            Class::Element(_) | Class::Part(..) => style::LABEL,
            Class::Notice => style::WARNING,
        }
    }

    /// The argument or the part that the text belongs to.
    fn part(&self) -> Option<&str> {
        match self {
            Class::Argument(_, name) | Class::Part(_, name) => name.as_deref(),
            _ => None,
        }
    }
}
