//! A text of a stream through its engine, and what of it goes where.

use super::{Options, Refused, Thinking};
use crate::aggregate::Notice;
use crate::session::policies::{Course, Policies};
use tagstream_core::{CallErrorCode, Engine, Event, EventKind};

/// How many notices are kept until somebody takes them.
const MOST_NOTICES: usize = 1024;

/// What all texts of a stream share.
#[derive(Debug)]
pub(super) struct Setup {
    pub(super) policies: Policies,
    pub(super) options: Options,
    pub(super) notices: Vec<Notice>,
}

impl Setup {
    pub(super) fn notice(&mut self, code: &'static str, message: &str) {
        if self.notices.len() < MOST_NOTICES {
            let message = message.to_owned();
            self.notices.push(Notice { code, message });
        }
    }
}

/// A piece of what is left of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Text(String),
    Thought(String),
    Call(Call),
}

/// A call that was found in text, complete and valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) name: String,
    /// A JSON object.
    pub(super) arguments: String,
}

/// Pieces in their order; those of one kind that touch are one.
#[derive(Debug, Default)]
pub(super) struct Pieces(pub(super) Vec<Piece>);

impl Pieces {
    pub(super) fn text(&mut self, text: &str) {
        match self.0.last_mut() {
            _ if text.is_empty() => {}
            Some(Piece::Text(last)) => last.push_str(text),
            _ => self.0.push(Piece::Text(text.to_owned())),
        }
    }

    pub(super) fn thought(&mut self, text: &str) {
        match self.0.last_mut() {
            _ if text.is_empty() => {}
            Some(Piece::Thought(last)) => last.push_str(text),
            _ => self.0.push(Piece::Thought(text.to_owned())),
        }
    }
}

/// A text that is being read.
#[derive(Debug)]
pub(super) struct Reading {
    engine: Engine,
    so_far: SoFar,
}

/// How far a text has been sorted.
#[derive(Debug)]
struct SoFar {
    /// What has been read and is in no event yet, after what is.
    pending: String,
    /// Where it begins. What is before it goes once for each piece that is read, since all
    /// that is after it moves.
    at: usize,
    /// The call that was refused last; each thing wrong with it makes an event.
    refused: Option<u64>,
    /// How far its message has come.
    course: Course,
}

impl Reading {
    /// A text of a message that has come so far.
    pub(super) fn new(course: Course, setup: &Setup) -> Self {
        let mut engine = Engine::new(setup.policies.now(course));
        engine.set_calls_elsewhere(course.calls);
        let mut course = course;
        course.begins();
        let so_far = SoFar {
            pending: String::new(),
            at: 0,
            refused: None,
            course,
        };
        Reading { engine, so_far }
    }

    /// Reads on; whether the text is left as it is, and nothing of it waits.
    pub(super) fn push(&mut self, text: &str, setup: &mut Setup, pieces: &mut Pieces) -> bool {
        let was_clean = self.so_far.pending.is_empty();
        self.so_far.pending.push_str(text);
        let mut relay = Relay::new(&mut self.so_far, setup, pieces);
        self.engine.push(text, |event| relay.take(event));
        let is_plain = relay.is_plain;
        self.so_far.forget();
        is_plain && was_clean && self.so_far.pending.is_empty()
    }

    /// Reads the rest; returns what the message has contained so far.
    pub(super) fn finish(mut self, setup: &mut Setup, pieces: &mut Pieces) -> Course {
        let mut relay = Relay::new(&mut self.so_far, setup, pieces);
        self.engine.finish(|event| relay.take(event));
        self.so_far.course
    }
}

impl SoFar {
    /// The text of the next event, which has this many bytes.
    fn next(&self, length: usize) -> &str {
        &self.pending[self.at..self.at + length]
    }

    fn forget(&mut self) {
        self.pending.drain(..self.at);
        self.at = 0;
    }
}

/// Sorts what the engine finds.
struct Relay<'r> {
    so_far: &'r mut SoFar,
    /// There was nothing but text.
    is_plain: bool,
    setup: &'r mut Setup,
    pieces: &'r mut Pieces,
}

impl<'r> Relay<'r> {
    fn new(so_far: &'r mut SoFar, setup: &'r mut Setup, pieces: &'r mut Pieces) -> Self {
        Relay {
            so_far,
            is_plain: true,
            setup,
            pieces,
        }
    }

    /// Spans tile the text: an event's own text is what waits in front.
    fn take(&mut self, event: Event<'_>) {
        let length = usize::try_from(event.span.end - event.span.start).unwrap_or(0);
        let length = length.min(self.so_far.pending.len() - self.so_far.at);
        let keeps = self.setup.options.thinking == Thinking::Keep;
        match event.kind {
            EventKind::Text(text) => {
                self.so_far.course.shows(text);
                self.pieces.text(text);
            }
            EventKind::ThoughtStart { .. }
            | EventKind::ThoughtEnd { .. }
            | EventKind::Thought(_)
                if keeps =>
            {
                self.pieces.text(self.so_far.next(length));
            }
            EventKind::ElementStart { .. }
            | EventKind::ElementDelta { .. }
            | EventKind::ElementEnd(_) => {
                self.so_far.course.acts();
                self.pieces.text(self.so_far.next(length));
            }
            other => self.other(other),
        }
        self.so_far.at += length;
    }

    fn other(&mut self, kind: EventKind<'_>) {
        self.is_plain = false;
        match kind {
            EventKind::Thought(text) if self.setup.options.thinking == Thinking::Move => {
                self.pieces.thought(text);
            }
            EventKind::CallEnd {
                name, arguments, ..
            } => {
                self.so_far.course.calls(1);
                self.pieces.0.push(Piece::Call(Call {
                    name: name.to_owned(),
                    arguments: arguments.to_owned(),
                }));
            }
            EventKind::CallError {
                index,
                code,
                message,
                raw,
                ..
            } => {
                self.setup.notice(code.as_str(), message);
                self.refuse(index, code, raw);
            }
            EventKind::Notice { code, message, .. } => self.setup.notice(code.as_str(), message),
            _ => {}
        }
    }

    /// A call that was cut off is shown to nobody.
    fn refuse(&mut self, index: u64, code: CallErrorCode, raw: &str) {
        let is_new = self.so_far.refused.replace(index) != Some(index);
        self.so_far.course.calls(u64::from(is_new));
        let shows = self.setup.options.refused == Refused::Show;
        if is_new && shows && code != CallErrorCode::IncompleteCall {
            self.pieces.text(raw);
        }
    }
}
