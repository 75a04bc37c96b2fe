//! One choice of a stream: its texts, each with an engine, its native thoughts and calls.

use super::Setup;
use super::calls::Calls;
use super::choices::Indexed;
use super::emit::Emit;
use super::judge::Judge;
use super::numbers::{Numbers, Renumber};
use super::policies::Course;
use super::thought::Thought;
use crate::decode::delta::CallPiece;
use tagstream_core::{ElementView, Engine, Event, EventKind};

/// Texts come one after the other. Where this many are open, the first of them is over.
const MOST_TEXTS: usize = 64;

#[derive(Debug)]
pub(crate) struct Choice {
    pub(crate) index: u64,
    texts: Vec<Text>,
    thought: Thought,
    calls: Calls,
    numbers: Numbers,
    course: Course,
    pub(crate) is_finished: bool,
}

/// A text of the choice.
#[derive(Debug)]
struct Text {
    block: u64,
    engine: Engine,
    renumber: Renumber,
    /// In a thought that was found in it.
    in_thought: bool,
}

impl Indexed for Choice {
    fn index(&self) -> u64 {
        self.index
    }
}

impl Choice {
    pub(crate) fn new(index: u64, setup: &Setup) -> Self {
        Choice {
            index,
            texts: Vec::new(),
            thought: Thought::new(setup.options.trim_reasoning),
            calls: Calls::default(),
            numbers: Numbers::new(&setup.options.id_prefix),
            course: Course::default(),
            is_finished: false,
        }
    }

    /// Reads on in one of its texts, or begins it.
    pub(crate) fn text(&mut self, block: u64, setup: &Setup, emit: &mut Emit<'_>) -> Reading<'_> {
        self.thought.end(true, emit);
        let known = self.texts.iter().position(|text| text.block == block);
        let at = known.unwrap_or_else(|| self.begin(block, setup, emit));
        Reading {
            text: &mut self.texts[at],
            numbers: &mut self.numbers,
            course: &mut self.course,
        }
    }

    fn begin(&mut self, block: u64, setup: &Setup, emit: &mut Emit<'_>) -> usize {
        if self.texts.len() >= MOST_TEXTS {
            let first = self.texts.remove(0);
            first.finish(&mut self.numbers, &mut self.course, emit);
        }
        let engine = Engine::new(setup.policies.now(self.course));
        self.course.begins();
        self.texts.push(Text::new(block, engine));
        self.texts.len() - 1
    }

    /// Goes on in a thought found in text, if that is open: a thought has no thought inside.
    pub(crate) fn reasoning(&mut self, block: u64, text: &str, emit: &mut Emit<'_>) {
        self.course.thinks(text);
        if self.texts.iter().any(|text| text.in_thought) {
            emit.native(EventKind::Thought(text));
        } else {
            self.thought.push(block, text, emit);
        }
    }

    /// Thinking that nobody sees came first all the same.
    pub(crate) fn hidden_reasoning(&mut self, text: &str) {
        self.course.thinks(text);
    }

    pub(crate) fn call(&mut self, piece: &CallPiece<'_>, judge: &mut Judge, emit: &mut Emit<'_>) {
        self.thought.end(true, emit);
        self.course.acts();
        self.calls.push(piece, judge, &mut self.numbers, emit);
    }

    /// A block is over.
    pub(crate) fn end_block(&mut self, block: u64, judge: &mut Judge, emit: &mut Emit<'_>) {
        if self.thought.is_in(block) {
            self.thought.end(true, emit);
        }
        if let Some(at) = self.texts.iter().position(|text| text.block == block) {
            let text = self.texts.remove(at);
            text.finish(&mut self.numbers, &mut self.course, emit);
        }
        self.calls.end_block(block, judge, &mut self.numbers, emit);
    }

    /// All is over; or cut off, if the stream ended before it said so.
    pub(crate) fn end(&mut self, judge: &mut Judge, is_cut: bool, emit: &mut Emit<'_>) {
        self.thought.end(!is_cut, emit);
        for text in std::mem::take(&mut self.texts) {
            text.finish(&mut self.numbers, &mut self.course, emit);
        }
        self.calls.end(judge, is_cut, &mut self.numbers, emit);
    }

    /// The elements that are open now, each as far as it has come.
    pub(crate) fn open_elements(&self) -> impl Iterator<Item = ElementView<'_>> {
        self.texts.iter().flat_map(|text| {
            let open = text.engine.open_elements();
            open.map(|view| text.renumber.element(view))
        })
    }
}

/// A text that is read on.
pub(crate) struct Reading<'c> {
    text: &'c mut Text,
    numbers: &'c mut Numbers,
    course: &'c mut Course,
}

impl Reading<'_> {
    pub(crate) fn push(self, piece: &str, emit: &mut Emit<'_>) {
        let (engine, mut relay) = self.text.relay(self.numbers, self.course, emit);
        engine.push(piece, |event| relay.take(event));
    }

    pub(crate) fn push_bytes(self, piece: &[u8], emit: &mut Emit<'_>) {
        let (engine, mut relay) = self.text.relay(self.numbers, self.course, emit);
        engine.push_bytes(piece, |event| relay.take(event));
    }
}

/// Gives what an engine finds, with the choice's numbers.
struct Relay<'r, 's> {
    renumber: &'r mut Renumber,
    in_thought: &'r mut bool,
    numbers: &'r mut Numbers,
    course: &'r mut Course,
    emit: &'r mut Emit<'s>,
}

impl Relay<'_, '_> {
    fn take(&mut self, event: Event<'_>) {
        match event.kind {
            EventKind::ThoughtStart { .. } => *self.in_thought = true,
            EventKind::ThoughtEnd { .. } => *self.in_thought = false,
            EventKind::Text(text) => {
                self.course.shows(text);
                return self.emit.found(event);
            }
            EventKind::Thought(_) => return self.emit.found(event),
            EventKind::CallStart { .. }
            | EventKind::CallError { .. }
            | EventKind::ElementStart { .. } => {
                self.course.acts();
            }
            _ => {}
        }
        let kind = self.renumber.kind(event.kind, self.numbers);
        self.emit.found(Event::new(event.span, event.raw, kind));
    }
}

impl Text {
    fn new(block: u64, engine: Engine) -> Self {
        Text {
            block,
            engine,
            renumber: Renumber::default(),
            in_thought: false,
        }
    }

    /// Its engine, and where that gives its events.
    fn relay<'r, 's>(
        &'r mut self,
        numbers: &'r mut Numbers,
        course: &'r mut Course,
        emit: &'r mut Emit<'s>,
    ) -> (&'r mut Engine, Relay<'r, 's>) {
        self.engine
            .set_calls_elsewhere(self.renumber.calls_elsewhere(numbers));
        let relay = Relay {
            renumber: &mut self.renumber,
            in_thought: &mut self.in_thought,
            numbers,
            course,
            emit,
        };
        (&mut self.engine, relay)
    }

    fn finish(mut self, numbers: &mut Numbers, course: &mut Course, emit: &mut Emit<'_>) {
        self.engine
            .set_calls_elsewhere(self.renumber.calls_elsewhere(numbers));
        let mut relay = Relay {
            renumber: &mut self.renumber,
            in_thought: &mut self.in_thought,
            numbers,
            course,
            emit,
        };
        self.engine.finish(|event| relay.take(event));
    }
}
