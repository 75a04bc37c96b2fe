//! One choice of a stream: its texts, each with an engine, its native thoughts and calls.

use super::Rules;
use super::calls::{Calls, NativePiece};
use super::choices::Indexed;
use super::emit::Emit;
use super::judge::Judge;
use super::numbers::{Numbers, Renumber};
use super::policies::Course;
use super::thought::Thought;
use super::twins::{Twin, Twins};
use crate::delta::CallPiece;
use tagstream_core::{ElementView, Engine, Event, EventKind, OwnedEvent, SkipReason};

/// Texts come one after the other. Where this many are open, the first of them is over.
const MAX_OPEN_TEXTS: usize = 64;
/// A call in the text that may be a native one waits until both are complete, for at most this many
/// events.
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

/// A text of the choice that goes on.
#[derive(Debug)]
struct Text {
    engine: Engine,
    found: Found,
}

/// What is known of what was found in a text.
#[derive(Debug)]
struct Found {
    block: u64,
    renumber: Renumber,
    /// In a thought that was found in it.
    in_thought: bool,
    held: Held,
}

/// The events since the start of a call that may be a native one.
#[derive(Debug, Default)]
struct Held {
    events: Vec<OwnedEvent>,
    /// How many of them there are up to its end, once it has come, and which call it is if it is
    /// valid.
    call: Option<(usize, Option<Twin>)>,
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
        let is_known = self.texts.iter().any(|text| text.found.block == block);
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
        let known = self.texts.iter().position(|text| text.found.block == block);
        let at = known.unwrap_or_else(|| self.begin(block, rules, emit));
        self.texts[at].relay(&mut self.shared, &mut self.calls, emit)
    }

    fn begin(&mut self, block: u64, rules: &Rules, emit: &mut Emit<'_>) -> usize {
        if self.texts.len() >= MAX_OPEN_TEXTS {
            let first = self.texts.remove(0);
            let mut found = first.finish(true, &mut self.shared, &mut self.calls, emit);
            found.settle(true, &mut self.shared, &mut self.calls, emit);
        }
        let engine = Engine::new(rules.policies.now(self.shared.course));
        self.shared.course.begins();
        let found = Found {
            block,
            renumber: Renumber::default(),
            in_thought: false,
            held: Held::default(),
        };
        self.texts.push(Text { engine, found });
        self.texts.len() - 1
    }

    /// Continues a thought found in text, if one is open: a thought has no thought inside.
    pub(crate) fn reasoning(&mut self, block: u64, text: &str, emit: &mut Emit<'_>) {
        self.shared.course.thinks(text);
        if self.texts.iter().any(|text| text.found.in_thought) {
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
        let native = self.calls.push(piece, judge, &mut self.shared, emit);
        if native.is_whole {
            self.settle(emit);
        }
        native
    }

    /// Passes on what waited for a native call that is complete now.
    fn settle(&mut self, emit: &mut Emit<'_>) {
        for text in &mut self.texts {
            let found = &mut text.found;
            found.settle(false, &mut self.shared, &mut self.calls, emit);
        }
    }

    /// Ends a block.
    pub(crate) fn end_block(&mut self, block: u64, judge: &mut Judge, emit: &mut Emit<'_>) {
        self.thought.end_block(block, emit);
        if let Some(at) = self.texts.iter().position(|text| text.found.block == block) {
            let text = self.texts.remove(at);
            // Whether the provider will report its length limit is not known yet.
            let mut found = text.finish(true, &mut self.shared, &mut self.calls, emit);
            found.settle(true, &mut self.shared, &mut self.calls, emit);
        }
        self.calls.end_block(block, judge, &mut self.shared, emit);
        self.settle(emit);
    }

    /// The server reports an error. It cannot cut off a choice that has finished.
    pub(crate) fn fail(&mut self) {
        if !self.is_finished {
            self.calls.fail();
        }
    }

    /// Ends everything, as cut off if the stream ended before it said so.
    pub(crate) fn end(&mut self, judge: &mut Judge, is_cut: bool, emit: &mut Emit<'_>) {
        self.thought.end(!is_cut, emit);
        let texts = std::mem::take(&mut self.texts).into_iter();
        let (shared, calls) = (&mut self.shared, &mut self.calls);
        let texts = texts.map(|text| text.finish(is_cut, shared, calls, emit));
        let texts: Vec<Found> = texts.collect();
        calls.end(judge, is_cut, shared, emit);
        for mut found in texts {
            found.settle(true, shared, calls, emit);
        }
    }

    /// The elements that are open now, each as far as it has come.
    pub(crate) fn open_elements(&self) -> impl Iterator<Item = ElementView<'_>> {
        self.texts.iter().flat_map(|text| {
            let open = text.engine.open_elements();
            open.map(|view| text.found.renumber.element(view))
        })
    }
}

/// Passes on what an engine finds, with the choice's numbers.
struct Relay<'r, 's> {
    text: &'r mut Found,
    shared: &'r mut Shared,
    calls: &'r mut Calls,
    emit: &'r mut Emit<'s>,
}

impl Relay<'_, '_> {
    fn take(&mut self, event: Event<'_>) {
        self.take_or_hold(event, false);
    }

    /// Takes an event. A call that may be a native one is held, but not after its end if it `is_over`.
    fn take_or_hold(&mut self, event: Event<'_>, is_over: bool) {
        let may_be_native = |name| self.calls.has(name) || self.shared.twins.has_native(name);
        let begins = matches!(event.kind, EventKind::CallStart { name, .. } if may_be_native(name));
        if !begins && self.text.held.events.is_empty() {
            return self.pass(event);
        }
        self.text.held.events.push(event.to_owned());
        let twin = match event.kind {
            EventKind::CallEnd {
                name, arguments, ..
            } => Twin::new(name, arguments),
            EventKind::CallError { .. } => None,
            _ if self.text.held.events.len() < MAX_HELD_EVENTS => return,
            _ => return self.settle(true),
        };
        let count = self.text.held.events.len();
        self.text.held.call.get_or_insert((count, twin));
        self.settle(is_over || count >= MAX_HELD_EVENTS);
    }

    /// Passes on what is certain of the events that are held: all of them, if it `is_over`.
    fn settle(&mut self, is_over: bool) {
        let all = self.text.held.events.len();
        let (count, twin) = match &self.text.held.call {
            Some((count, twin)) => (*count, twin.as_ref()),
            None if is_over => (all, None),
            None => return,
        };
        let mut is_twin = false;
        if let Some(twin) = twin {
            is_twin = self.calls.take_twin(twin) || self.shared.twins.take_native(twin);
            if !is_twin && !is_over && self.calls.has_unfinished(twin) {
                return;
            }
        }
        let events = std::mem::take(&mut self.text.held).events;
        for held in &events[..count] {
            let held = held.as_event();
            let kind = EventKind::skip(SkipReason::Call);
            if is_twin {
                self.emit
                    .found(self.text.block, Event::new(held.span, held.raw, kind));
            } else {
                self.pass(held);
            }
        }
        for held in &events[count..] {
            self.take_or_hold(held.as_event(), is_over);
        }
        if is_over && count < all {
            self.settle(true);
        }
    }

    fn pass(&mut self, event: Event<'_>) {
        match event.kind {
            EventKind::ThoughtStart { .. } => self.text.in_thought = true,
            EventKind::ThoughtEnd { .. } => self.text.in_thought = false,
            EventKind::Text(_) | EventKind::Thought(_) => {
                self.shared.course.takes(&event.kind);
                return self.emit.found(self.text.block, event);
            }
            EventKind::CallEnd {
                name, arguments, ..
            } => self.shared.twins.found(Twin::new(name, arguments)),
            _ => {}
        }
        self.shared.course.takes(&event.kind);
        let kind = self
            .text
            .renumber
            .kind(event.kind, &mut self.shared.numbers);
        let event = Event::new(event.span, event.raw, kind);
        self.emit.found(self.text.block, event);
    }
}

impl Text {
    /// Its engine, and what takes the engine's events.
    fn relay<'r, 's>(
        &'r mut self,
        shared: &'r mut Shared,
        calls: &'r mut Calls,
        emit: &'r mut Emit<'s>,
    ) -> (&'r mut Engine, Relay<'r, 's>) {
        let text = &mut self.found;
        self.engine
            .set_calls_elsewhere(text.renumber.calls_elsewhere(&shared.numbers));
        let relay = Relay {
            text,
            shared,
            calls,
            emit,
        };
        (&mut self.engine, relay)
    }

    /// Ends the text, which `may_be_cut` off by a limit of the provider.
    fn finish(
        self,
        may_be_cut: bool,
        shared: &mut Shared,
        calls: &mut Calls,
        emit: &mut Emit<'_>,
    ) -> Found {
        let Text {
            mut engine,
            mut found,
        } = self;
        if may_be_cut {
            engine.set_cut_off();
        }
        engine.set_calls_elsewhere(found.renumber.calls_elsewhere(&shared.numbers));
        let mut relay = Relay {
            text: &mut found,
            shared,
            calls,
            emit,
        };
        engine.finish(|event| relay.take(event));
        found
    }
}

impl Found {
    /// Passes on what is certain of a call that may be a native one; all, if it `is_over`.
    fn settle(
        &mut self,
        is_over: bool,
        shared: &mut Shared,
        calls: &mut Calls,
        emit: &mut Emit<'_>,
    ) {
        if self.held.events.is_empty() {
            return;
        }
        let mut relay = Relay {
            text: self,
            shared,
            calls,
            emit,
        };
        relay.settle(is_over);
    }
}
