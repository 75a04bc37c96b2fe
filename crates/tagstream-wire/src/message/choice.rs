//! One choice of a stream: its texts, each with an engine, its native thoughts and calls.

use super::Rules;
use super::calls::{Calls, NativePiece};
use super::choices::Indexed;
use super::emit::Emit;
use super::judge::Judge;
use super::numbers::{Numbers, Renumber};
use super::policies::Course;
use super::thought::Thought;
use super::twins::Twins;
use crate::delta::CallPiece;
use tagstream_core::{ElementView, Engine, Event, EventKind, OwnedEvent, SkipReason};

/// Texts come one after the other. Where this many are open, the first of them is over.
const MAX_OPEN_TEXTS: usize = 64;
/// A call in the text that may be a native one waits for its end, for at most this many events.
const MAX_HELD_EVENTS: usize = 4096;

#[derive(Debug)]
pub(crate) struct Choice {
    pub(crate) index: u64,
    texts: Vec<Text>,
    thought: Thought,
    calls: Calls,
    shared: Shared,
    pub(crate) is_finished: bool,
}

/// What the texts of a choice share with its native calls.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) numbers: Numbers,
    pub(crate) course: Course,
    pub(crate) twins: Twins,
}

/// A text of the choice.
#[derive(Debug)]
struct Text {
    block: u64,
    engine: Engine,
    renumber: Renumber,
    /// In a thought that was found in it.
    in_thought: bool,
    /// The events of a call that may be a native one, since its start.
    held: Vec<OwnedEvent>,
}

impl Indexed for Choice {
    fn index(&self) -> u64 {
        self.index
    }
}

impl Choice {
    pub(crate) fn new(index: u64, rules: &Rules) -> Self {
        Choice {
            index,
            texts: Vec::new(),
            thought: Thought::new(rules.trims),
            calls: Calls::default(),
            shared: Shared {
                numbers: Numbers::new(&rules.id_prefix),
                course: Course::default(),
                twins: Twins::default(),
            },
            is_finished: false,
        }
    }

    /// What the message has contained so far, if the text of this block begins now.
    pub(crate) fn course_of_new(&self, block: u64) -> Option<Course> {
        let is_known = self.texts.iter().any(|text| text.block == block);
        (!is_known).then_some(self.shared.course)
    }

    /// The number of the next call that is written.
    pub(crate) fn next_written(&mut self) -> u64 {
        self.shared.numbers.written()
    }

    pub(crate) fn push(&mut self, block: u64, piece: &str, rules: &Rules, emit: &mut Emit<'_>) {
        let (text, mut relay) = self.relay(block, rules, emit);
        text.push(piece, |event| relay.take(event));
    }

    pub(crate) fn push_bytes(
        &mut self,
        block: u64,
        piece: &[u8],
        rules: &Rules,
        emit: &mut Emit<'_>,
    ) {
        let (text, mut relay) = self.relay(block, rules, emit);
        text.push_bytes(piece, |event| relay.take(event));
    }

    /// Continues one of its texts, or begins it.
    fn relay<'r, 's>(
        &'r mut self,
        block: u64,
        rules: &Rules,
        emit: &'r mut Emit<'s>,
    ) -> (&'r mut Engine, Relay<'r, 's>) {
        self.thought.end(true, emit);
        let known = self.texts.iter().position(|text| text.block == block);
        let at = known.unwrap_or_else(|| self.begin(block, rules, emit));
        self.texts[at].relay(&mut self.shared, &self.calls, emit)
    }

    fn begin(&mut self, block: u64, rules: &Rules, emit: &mut Emit<'_>) -> usize {
        if self.texts.len() >= MAX_OPEN_TEXTS {
            let first = self.texts.remove(0);
            first.finish(true, &mut self.shared, &self.calls, emit);
        }
        let engine = Engine::new(rules.policies.now(self.shared.course));
        self.shared.course.begins();
        self.texts.push(Text {
            block,
            engine,
            renumber: Renumber::default(),
            in_thought: false,
            held: Vec::new(),
        });
        self.texts.len() - 1
    }

    /// Continues a thought found in text, if one is open: a thought has no thought inside.
    pub(crate) fn reasoning(&mut self, block: u64, text: &str, emit: &mut Emit<'_>) {
        self.shared.course.thinks(text);
        if self.texts.iter().any(|text| text.in_thought) {
            emit.native(EventKind::Thought(text));
        } else {
            self.thought.push(block, text, emit);
        }
    }

    /// Thinking that nobody sees came first all the same.
    pub(crate) fn hidden_reasoning(&mut self, text: &str) {
        self.shared.course.thinks(text);
    }

    pub(crate) fn call(
        &mut self,
        piece: &CallPiece<'_>,
        judge: &mut Judge,
        emit: &mut Emit<'_>,
    ) -> NativePiece {
        self.thought.end(true, emit);
        self.shared.course.acts();
        self.calls.push(piece, judge, &mut self.shared, emit)
    }

    /// Ends a block.
    pub(crate) fn end_block(&mut self, block: u64, judge: &mut Judge, emit: &mut Emit<'_>) {
        if self.thought.is_in(block) {
            self.thought.end(true, emit);
        }
        if let Some(at) = self.texts.iter().position(|text| text.block == block) {
            let text = self.texts.remove(at);
            // Whether the provider will report its length limit is not known yet.
            text.finish(true, &mut self.shared, &self.calls, emit);
        }
        self.calls.end_block(block, judge, &mut self.shared, emit);
    }

    /// Ends everything, as cut off if the stream ended before it said so.
    pub(crate) fn end(&mut self, judge: &mut Judge, is_cut: bool, emit: &mut Emit<'_>) {
        self.thought.end(!is_cut, emit);
        for text in std::mem::take(&mut self.texts) {
            text.finish(is_cut, &mut self.shared, &self.calls, emit);
        }
        self.calls.end(judge, is_cut, &mut self.shared, emit);
    }

    /// The elements that are open now, each as far as it has come.
    pub(crate) fn open_elements(&self) -> impl Iterator<Item = ElementView<'_>> {
        self.texts.iter().flat_map(|text| {
            let open = text.engine.open_elements();
            open.map(|view| text.renumber.element(view))
        })
    }
}

/// Passes on what an engine finds, with the choice's numbers.
struct Relay<'r, 's> {
    block: u64,
    renumber: &'r mut Renumber,
    in_thought: &'r mut bool,
    held: &'r mut Vec<OwnedEvent>,
    shared: &'r mut Shared,
    calls: &'r Calls,
    emit: &'r mut Emit<'s>,
}

impl Relay<'_, '_> {
    fn take(&mut self, event: Event<'_>) {
        let may_be_native = |name| self.calls.has(name) || self.shared.twins.has_native(name);
        let begins = matches!(event.kind, EventKind::CallStart { name, .. } if may_be_native(name));
        if begins || !self.held.is_empty() {
            return self.hold(event);
        }
        self.pass(event);
    }

    /// A call that may be a native one waits for its end.
    fn hold(&mut self, event: Event<'_>) {
        self.held.push(event.to_owned());
        let is_twin = match event.kind {
            EventKind::CallEnd {
                name, arguments, ..
            } => {
                self.calls.is_twin(name, arguments)
                    || self.shared.twins.take_native(name, arguments)
            }
            EventKind::CallError { .. } => false,
            _ if self.held.len() < MAX_HELD_EVENTS => return,
            _ => false,
        };
        for held in std::mem::take(self.held) {
            let held = held.as_event();
            match is_twin {
                true => self.emit.found(
                    self.block,
                    Event::new(held.span, held.raw, EventKind::skip(SkipReason::Call)),
                ),
                false => self.pass(held),
            }
        }
    }

    fn pass(&mut self, event: Event<'_>) {
        match event.kind {
            EventKind::ThoughtStart { .. } => *self.in_thought = true,
            EventKind::ThoughtEnd { .. } => *self.in_thought = false,
            EventKind::Text(_) | EventKind::Thought(_) => {
                self.shared.course.takes(&event.kind);
                return self.emit.found(self.block, event);
            }
            EventKind::CallEnd {
                name, arguments, ..
            } => self.shared.twins.found(name, arguments),
            _ => {}
        }
        self.shared.course.takes(&event.kind);
        let kind = self.renumber.kind(event.kind, &mut self.shared.numbers);
        let event = Event::new(event.span, event.raw, kind);
        self.emit.found(self.block, event);
    }
}

impl Text {
    /// Its engine, and what takes the engine's events.
    fn relay<'r, 's>(
        &'r mut self,
        shared: &'r mut Shared,
        calls: &'r Calls,
        emit: &'r mut Emit<'s>,
    ) -> (&'r mut Engine, Relay<'r, 's>) {
        self.engine
            .set_calls_elsewhere(self.renumber.calls_elsewhere(&shared.numbers));
        let relay = Relay {
            block: self.block,
            renumber: &mut self.renumber,
            in_thought: &mut self.in_thought,
            held: &mut self.held,
            shared,
            calls,
            emit,
        };
        (&mut self.engine, relay)
    }

    /// Ends the text, which `may_be_cut` off by a limit of the provider.
    fn finish(mut self, may_be_cut: bool, shared: &mut Shared, calls: &Calls, emit: &mut Emit<'_>) {
        if may_be_cut {
            self.engine.set_cut_off();
        }
        self.engine
            .set_calls_elsewhere(self.renumber.calls_elsewhere(&shared.numbers));
        let mut relay = Relay {
            block: self.block,
            renumber: &mut self.renumber,
            in_thought: &mut self.in_thought,
            held: &mut self.held,
            shared,
            calls,
            emit,
        };
        self.engine.finish(|event| relay.take(event));
        debug_assert!(self.held.is_empty(), "a call that begins also ends");
    }
}
