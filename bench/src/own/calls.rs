//! Tool calls.

use tagstream::check::{CallText, Check, Checker, Verdict};
use tagstream::{CallSettings, Engine, Event, EventKind, Policy, Profile};
use tagstream::{Schemas, Tools};

use crate::alloc;
use crate::calls::contenders::{Cap, Reader};
use crate::calls::format::Format;
use crate::calls::output::Sink;
use crate::calls::scenario;

/// A reader that shares one policy between messages, as a server does.
pub struct ToolCalls(Policy);

impl ToolCalls {
    /// Every value is a string.
    pub fn new(format: &Format) -> Self {
        ToolCalls(policy(format, Checker::default()))
    }

    /// The values are typed and checked by the tools' schemas.
    pub fn with_schemas(format: &Format) -> Self {
        ToolCalls(policy(format, Checker::new(Schemas::new(&tools()))))
    }
}

impl Reader for ToolCalls {
    fn read<S: Sink>(&self, chunks: &[&str], cap: Cap, sink: &mut S) {
        let mut engine = Engine::new(&self.0);
        for block in cap.blocks(chunks) {
            let mut take = |event: Event<'_>| take(&event, sink);
            for chunk in block {
                engine.push(chunk, &mut take);
            }
            sink.chunks(block.len());
        }
        engine.finish(|event| take(&event, sink));
    }
}

/// Small enough to be inlined into the engine: nearly all events are deltas.
#[inline]
fn take(event: &Event<'_>, sink: &mut impl Sink) {
    match event.kind {
        EventKind::CallDelta { text, .. } => sink.shown(text),
        _ => take_other(event, sink),
    }
}

#[inline(never)]
fn take_other(event: &Event<'_>, sink: &mut impl Sink) {
    match event.kind {
        EventKind::Text(text) => sink.text(text),
        EventKind::CallEnd {
            name, arguments, ..
        } => sink.whole(name, arguments),
        EventKind::CallError { .. } => sink.refused(),
        _ => {}
    }
}

/// The engine alone: nothing checks the arguments.
pub fn engine(format: &Format) -> Policy {
    policy(format, Checker::new(Unseen))
}

fn policy(format: &Format, checker: Checker) -> Policy {
    let dialect = tagstream::dialect::find(format.dialect).expect("a built-in dialect");
    let calls = CallSettings::dialects([dialect.dialect().clone()])
        .tools(tools().signatures())
        .checker(checker);
    let profile = Profile::new().calls(calls);
    profile.compile().expect("the profile is valid")
}

fn tools() -> Tools {
    Tools::from_value(&scenario::tools()).expect("the tools are valid")
}

/// Accepts every call and allocates nothing.
#[derive(Debug)]
struct Unseen;

impl Check for Unseen {
    fn check(&self, _: &CallText<'_>) -> Verdict {
        Verdict::valid(String::new(), Vec::new())
    }
}

/// How many pushes allocated: those that begin or end a call, and the others.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pushes {
    pub at_calls: usize,
    pub elsewhere: usize,
    pub all: usize,
}

/// Counts the allocating pushes, chunk by chunk.
pub fn allocating_pushes(policy: &Policy, chunks: &[&str]) -> Pushes {
    let mut pushes = Pushes::default();
    let mut engine = Engine::new(policy);
    for chunk in chunks {
        let mut at_call = false;
        let mut sink = |event: Event<'_>| {
            at_call |= !matches!(event.kind, EventKind::CallDelta { .. } | EventKind::Text(_));
        };
        let ((), heap) = alloc::count(|| engine.push(chunk, &mut sink));
        pushes.all += 1;
        match (heap.calls > 0, at_call) {
            (true, true) => pushes.at_calls += 1,
            (true, false) => pushes.elsewhere += 1,
            _ => {}
        }
    }
    pushes
}
