//! Where a call was refused, and how it should be written: for errors that can be sent back.

use std::collections::BTreeMap;
use tagstream::{
    CallErrorCode, Dialect, EventKind, Profile, SkipReason, TextPosition, ToolSignature, dialect,
    names,
};
use tagstream_wire::{WireEvent, WireKind};

/// At most this many characters of a line are kept, as many as a place shows before its caret.
const LINE_CHARS: usize = 60;
/// At most this many positions of one call are kept.
const MAX_MARKS: usize = 64;

/// Follows messages to know the lines of what was refused.
pub(crate) struct Feedback {
    dialects: Vec<Dialect>,
    tools: Vec<ToolSignature>,
    choices: BTreeMap<u64, Track>,
}

/// How far one message has been read.
#[derive(Default)]
struct Track {
    at: Mark,
    /// Where the call that is open may begin.
    marks: Vec<Mark>,
    /// Where the text of its arguments begins.
    values: Vec<(String, u64)>,
    was_refused: bool,
    /// What opened the wrapper around the calls: dialects may differ in nothing else.
    wrapper: String,
}

/// A position in a message.
#[derive(Clone, Default)]
struct Mark {
    offset: u64,
    /// How many lines, and characters of the line, are before it.
    lines: usize,
    chars: usize,
    /// The last of these characters.
    line: String,
}

impl Feedback {
    pub(crate) fn new(profile: &Profile) -> Self {
        let calls = profile.calls.as_ref();
        Feedback {
            dialects: calls.map_or(Vec::new(), |calls| calls.dialects.clone()),
            tools: calls.map_or(Vec::new(), |calls| calls.tools.clone()),
            choices: BTreeMap::new(),
        }
    }

    /// Follows the message. Every event must come, after it has been asked about.
    pub(crate) fn follow(&mut self, event: &WireEvent<'_>) {
        if let WireKind::Message(kind) = event.event
            && let Some(span) = event.span
        {
            let track = self.choices.entry(event.choice).or_default();
            track.follow(&kind, span.start, event.raw);
        }
    }

    /// The place of an error, in lines: its line and column, and an excerpt with a caret.
    pub(crate) fn place(&self, event: &WireEvent<'_>) -> Option<String> {
        let WireKind::Message(EventKind::CallError {
            code,
            argument,
            raw,
            ..
        }) = event.event
        else {
            return None;
        };
        let new = Track::default();
        let track = self.choices.get(&event.choice).unwrap_or(&new);
        let end = event.span.map(|span| span.end);
        let start = end.map(|end| end.saturating_sub(raw.len() as u64));
        let at = match (code, argument) {
            (CallErrorCode::IncompleteCall, _) => raw.len(),
            (_, Some(argument)) => track.argument(argument, raw, start),
            _ => 0,
        };
        let mark = start.map_or_else(Mark::default, |start| track.mark(start));
        Some(mark.place(raw, at))
    }

    /// The declared tool whose name is most like this one, or the first.
    fn most_like(&self, name: &str) -> Option<&ToolSignature> {
        let names = self.tools.iter().map(|tool| tool.name.as_str());
        let like = names::similar(name, names);
        let mut tools = self.tools.iter();
        let found = tools.find(|tool| like.is_none_or(|like| tool.name == like));
        found.or(self.tools.first())
    }

    /// How the call should be written; nothing if no tool may be called.
    pub(crate) fn suggestion(&self, event: &WireEvent<'_>) -> Option<String> {
        let WireKind::Message(EventKind::CallError {
            name, code, raw, ..
        }) = event.event
        else {
            return None;
        };
        let is_unknown = code == CallErrorCode::UnknownTool;
        let tool = if is_unknown {
            Some(self.most_like(name.unwrap_or_default())?)
        } else {
            let mut tools = self.tools.iter();
            tools.find(|tool| Some(tool.name.as_str()) == name)
        };
        let known = name.filter(|_| self.tools.is_empty());
        let name = tool.map_or(known, |tool| Some(&tool.name));
        let name = name.unwrap_or("tool_name");
        let arguments = tool.map_or(&[][..], |tool| &tool.arguments);
        let mut arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
        if tool.is_none() {
            arguments.push("argument_name");
        }
        if event.span.is_none() {
            // The provider writes the call itself, except for its arguments.
            return Some(json(&arguments));
        }
        let track = self.choices.get(&event.choice);
        let wrapper = track.map_or("", |track| &track.wrapper);
        // The text of a call that is JSON begins with its wrapper.
        let like = if raw.starts_with(wrapper.trim_end()) {
            raw.to_owned()
        } else {
            format!("{wrapper}{raw}")
        };
        dialect::example_like(&self.dialects, &like, name, &arguments)
    }
}

fn json(arguments: &[&str]) -> String {
    let entries = arguments
        .iter()
        .map(|name| ((*name).to_owned(), "value".into()));
    serde_json::Value::Object(entries.collect()).to_string()
}

impl Track {
    fn follow(&mut self, kind: &EventKind<'_>, start: u64, raw: &str) {
        let is_error = matches!(kind, EventKind::CallError { .. });
        if std::mem::replace(&mut self.was_refused, is_error) && !is_error {
            self.forget();
        }
        self.note_wrapper(kind, raw);
        match *kind {
            EventKind::CallStart { .. }
            | EventKind::Skip {
                reason: SkipReason::Wrapper | SkipReason::Call,
                ..
            } if self.marks.len() < MAX_MARKS => self.marks.push(self.at.clone()),
            EventKind::CallDelta {
                argument: Some(argument),
                ..
            } if self.values.last().is_none_or(|(last, _)| last != argument) => {
                self.values.push((argument.to_owned(), start));
            }
            EventKind::CallEnd { .. } | EventKind::Text(_) | EventKind::Thought(_) => self.forget(),
            _ => {}
        }
        self.at.advance(raw);
    }

    fn note_wrapper(&mut self, kind: &EventKind<'_>, raw: &str) {
        match *kind {
            EventKind::Skip {
                reason: SkipReason::Wrapper,
                ..
            } if raw.trim_start().starts_with("</") => self.wrapper.clear(),
            EventKind::Skip {
                reason: SkipReason::Wrapper,
                ..
            } if self.wrapper.trim().is_empty() => raw.clone_into(&mut self.wrapper),
            EventKind::Text(_) | EventKind::Thought(_) => self.wrapper.clear(),
            _ => {}
        }
    }

    fn forget(&mut self) {
        self.marks.clear();
        self.values.clear();
    }

    /// The position that a call begins at.
    fn mark(&self, start: u64) -> Mark {
        let mut marks = self.marks.iter().chain([&self.at]).rev();
        let before = marks.find(|mark| mark.offset <= start);
        before.or(self.marks.first()).unwrap_or(&self.at).clone()
    }

    /// Where an argument is in the text of its call.
    fn argument(&self, name: &str, raw: &str, start: Option<u64>) -> usize {
        let value = self.values.iter().rfind(|(argument, _)| argument == name);
        let value = value
            .zip(start)
            .and_then(|((_, at), start)| at.checked_sub(start));
        let in_json = || raw.find(&serde_json::Value::from(name).to_string());
        let value = value.and_then(|at| usize::try_from(at).ok());
        value.or_else(in_json).unwrap_or(0)
    }
}

impl Mark {
    fn advance(&mut self, text: &str) {
        self.offset += text.len() as u64;
        let lines = text.matches('\n').count();
        let line = text.rsplit('\n').next().unwrap_or_default();
        if lines > 0 {
            self.chars = 0;
            self.line.clear();
        }
        self.lines += lines;
        self.chars += line.chars().count();
        self.line.push_str(line);
        let excess = self.line.chars().count().saturating_sub(LINE_CHARS);
        let cut = self.line.char_indices().nth(excess);
        self.line.drain(..cut.map_or(self.line.len(), |(at, _)| at));
    }

    /// The place of a byte of the text that begins here.
    fn place(&self, text: &str, at: usize) -> String {
        let whole = format!("{}{text}", self.line);
        let place = TextPosition::of_byte(&whole, self.line.len() + at);
        let left_out = match place.line {
            1 => self.chars - self.line.chars().count(),
            _ => 0,
        };
        let (line, column) = (place.line + self.lines, place.column + left_out);
        format!("line {line}, column {column}:\n{}", place.excerpt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_counts_lines_and_characters_however_the_text_is_cut() {
        let text = format!("one\n{}é", "a".repeat(2 * LINE_CHARS));
        let mut whole = Mark::default();
        whole.advance(&text);
        let mut pieces = Mark::default();
        text.split("").for_each(|piece| pieces.advance(piece));
        for mark in [whole, pieces] {
            assert_eq!((mark.lines, mark.chars), (1, 2 * LINE_CHARS + 1));
            assert_eq!(mark.line.chars().count(), LINE_CHARS);
            let place = mark.place("<b>\nx", 0);
            let column = 2 * LINE_CHARS + 2;
            assert!(
                place.starts_with(&format!("line 2, column {column}:\n")),
                "{place}"
            );
            assert_eq!(mark.place("<b>\nx", 4), "line 3, column 1:\nx\n^");
        }
    }
}
