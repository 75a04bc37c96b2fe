//! One content block: its text so far, and what an engine has read in it.

use super::validate::Written;
use crate::{CallErrorCode, Engine, Event, EventKind, NoticeCode, Policy};
use serde_json::{Map, Value};
use std::ops::Range;

/// A content block that has not stopped.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) id: Option<String>,
    /// The tool, if the start of the block named it.
    pub(super) tool: Option<String>,
    pub(super) text: String,
    /// It was longer than the limit.
    pub(super) cut: bool,
    reader: Option<Reader>,
}

/// What the block turned out to be, and the engine that reads it.
#[derive(Debug)]
struct Reader {
    written: Written,
    engine: Engine,
    found: Found,
}

/// What an engine has found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The tool of the call that began last.
    name: Option<String>,
    start: u64,
    /// Text of arguments has come.
    has_arguments: bool,
    /// Where the values of the call that began last begin.
    values: Vec<(String, u64)>,
    /// A call is open, and this was repaired or dropped in it.
    is_open: bool,
    fixes: Vec<String>,
    pub(super) calls: Vec<FoundCall>,
    /// Something that looked like a call was text.
    pub(super) dropped: bool,
}

/// A call that is over.
#[derive(Debug)]
pub(super) struct FoundCall {
    index: u64,
    pub(super) name: Option<String>,
    /// Its position in the block.
    pub(super) place: Range<usize>,
    /// Its arguments, or all that is wrong with it.
    pub(super) result: Result<Map<String, Value>, Vec<FoundError>>,
    /// What was repaired to read it.
    pub(super) fixes: Vec<String>,
}

#[derive(Debug)]
pub(super) struct FoundError {
    pub(super) code: CallErrorCode,
    pub(super) message: String,
    /// Where the value begins that it is about.
    pub(super) at: Option<usize>,
}

/// The policies that blocks are read with.
#[derive(Clone, Debug)]
pub(super) struct Policies {
    pub(super) xml: Policy,
    /// Finds the name of a call that is JSON.
    pub(super) json: Policy,
    /// Finds calls in XML in code too.
    pub(super) in_code: Policy,
}

/// Pushed before JSON, for the engine that looks for its name.
pub(super) const JSON_OPENER: &str = "<tool_call>";

impl Block {
    pub(super) fn new(id: Option<&str>, tool: Option<&str>) -> Self {
        Block {
            id: id.map(str::to_owned),
            tool: tool.map(str::to_owned),
            text: String::new(),
            cut: false,
            reader: None,
        }
    }

    /// A block that is this text, whatever it begins with.
    pub(super) fn text(text: &str, policies: &Policies, limit: usize) -> Self {
        let mut block = Block::new(None, None);
        block.reader = Some(Reader::new(Written::Text, policies));
        block.push(text, policies, limit);
        block
    }

    /// A block that is this JSON.
    pub(super) fn json(text: &str, policies: &Policies) -> Self {
        let mut block = Block::new(None, None);
        block.push(text, policies, text.len());
        block
    }

    /// Takes the next piece. The text is kept up to the limit, for messages and as JSON.
    pub(super) fn push(&mut self, delta: &str, policies: &Policies, limit: usize) {
        let before = self.text.len();
        let room = delta.floor_char_boundary(limit.saturating_sub(before));
        self.text.push_str(&delta[..room]);
        self.cut |= room < delta.len();
        if let Some(reader) = &mut self.reader {
            reader.engine.push(delta, |event| reader.found.event(event));
        } else if self.tool.is_none() {
            self.begin(before, delta, policies);
        }
    }

    /// The first byte that is not white space distinguishes JSON from text.
    fn begin(&mut self, before: usize, delta: &str, policies: &Policies) {
        let text = self.text.trim_start();
        if text.is_empty() {
            return;
        }
        let written = if text.starts_with('{') {
            Written::Json
        } else {
            Written::Text
        };
        let mut reader = Reader::new(written, policies);
        // Everything before is white space. It counts for positions in the XML.
        reader
            .engine
            .push(&self.text[..before], |event| reader.found.event(event));
        reader.engine.push(delta, |event| reader.found.event(event));
        self.reader = Some(reader);
    }

    /// The tool, as soon as that is certain.
    pub(super) fn name(&self) -> Option<&str> {
        let found = self
            .reader
            .as_ref()
            .and_then(|reader| reader.found.name.as_deref());
        self.tool.as_deref().or(found)
    }

    /// Whether the arguments of a call have begun.
    pub(super) fn has_arguments(&self) -> bool {
        let reader = self.reader.as_ref();
        reader.is_some_and(|reader| reader.found.has_arguments)
    }

    pub(super) fn is_json(&self) -> bool {
        let json = self
            .reader
            .as_ref()
            .map(|reader| reader.written == Written::Json);
        json.unwrap_or(self.tool.is_some())
    }

    /// What the engine has found in XML.
    pub(super) fn finish(&mut self) -> Found {
        let Some(mut reader) = self.reader.take() else {
            return Found::default();
        };
        reader.engine.finish(|event| reader.found.event(event));
        reader.found
    }
}

impl Reader {
    fn new(written: Written, policies: &Policies) -> Self {
        let mut found = Found::default();
        let engine = match written {
            Written::Text => Engine::new(&policies.xml),
            Written::Json => {
                let mut engine = Engine::new(&policies.json);
                engine.push(JSON_OPENER, |event| found.event(event));
                engine
            }
        };
        Reader {
            written,
            engine,
            found,
        }
    }
}

impl Found {
    pub(crate) fn event(&mut self, event: Event<'_>) {
        match event.kind {
            EventKind::CallStart { name, .. } => {
                self.name = Some(name.to_owned());
                self.start = event.span.start;
                self.is_open = true;
                self.fixes.clear();
                self.values.clear();
            }
            EventKind::CallDelta { argument, .. } => {
                self.has_arguments = true;
                self.note_value(argument, event.span.start);
            }
            EventKind::CallEnd {
                index,
                name,
                arguments,
                ..
            } => {
                let arguments = serde_json::from_str(arguments).unwrap_or_default();
                self.end(index, Some(name), event.span.end, Ok(arguments));
            }
            EventKind::CallError {
                index,
                name,
                code,
                argument,
                message,
                raw,
                ..
            } => {
                self.start = event.span.end.saturating_sub(raw.len() as u64);
                let error = FoundError {
                    code,
                    message: message.to_owned(),
                    at: argument.and_then(|argument| self.value(argument)),
                };
                self.fail(index, name, event.span.end, error);
            }
            EventKind::Notice { code, message, .. } => self.notice(code, message),
            _ => {}
        }
    }

    fn note_value(&mut self, argument: Option<&str>, at: u64) {
        let last = self.values.last().map(|(last, _)| last.as_str());
        if let Some(argument) = argument.filter(|argument| last != Some(argument)) {
            self.values.push((argument.to_owned(), at));
        }
    }

    /// Where the value of this argument begins.
    fn value(&self, argument: &str) -> Option<usize> {
        let value = self.values.iter().rfind(|(name, _)| name == argument);
        value.and_then(|&(_, at)| usize::try_from(at).ok())
    }

    fn notice(&mut self, code: NoticeCode, message: &str) {
        let is_fix = matches!(code, NoticeCode::Repaired | NoticeCode::Dropped);
        self.dropped |= code == NoticeCode::Dropped;
        if self.is_open && is_fix {
            self.fixes.push(message.to_owned());
        }
    }
}

impl Found {
    /// Notes an error. All errors of one call have its index.
    fn fail(&mut self, index: u64, name: Option<&str>, end: u64, error: FoundError) {
        let last = self.calls.last_mut().filter(|call| call.index == index);
        match last.and_then(|call| call.result.as_mut().err()) {
            Some(errors) => errors.push(error),
            None => self.end(index, name, end, Err(vec![error])),
        }
    }

    fn end(
        &mut self,
        index: u64,
        name: Option<&str>,
        end: u64,
        result: Result<Map<String, Value>, Vec<FoundError>>,
    ) {
        let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
        self.is_open = false;
        self.calls.push(FoundCall {
            index,
            name: name.map(str::to_owned),
            place: place(self.start)..place(end),
            result,
            fixes: std::mem::take(&mut self.fixes),
        });
    }
}
