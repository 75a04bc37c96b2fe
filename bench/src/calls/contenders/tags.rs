//! This project.

use tagstream::{CallText, Calls, Check, Checker, Engine, Event, EventKind, Policy, Profile, Verdict};
use tagstream::{Schemas, Tools};

use super::{Cap, Output};
use crate::alloc;
use crate::calls::format::Format;
use crate::calls::scenario;

/// A reader that shares one policy, as a server does.
pub fn reader(format: &Format, schemas: bool) -> impl Fn(&[&str], Cap, &mut Output) + 'static {
    let checker = match schemas {
        true => Checker::new(Schemas::new(&tools())),
        false => Checker::default(),
    };
    let policy = policy(format, checker);
    move |pieces, cap, output| run(&policy, pieces, cap, output)
}

/// The same, with nothing but the engine: no one looks at the arguments.
pub fn engine(format: &Format) -> Policy {
    policy(format, Checker::new(Unseen))
}

fn run(policy: &Policy, pieces: &[&str], cap: Cap, output: &mut Output) {
    let mut engine = Engine::new(policy);
    for block in cap.blocks(pieces) {
        let mut sink = |event: Event<'_>| take(&event, output);
        for piece in block {
            engine.push(piece, &mut sink);
        }
        output.pieces += block.len();
    }
    engine.finish(|event| take(&event, output));
}

#[inline]
fn take(event: &Event<'_>, output: &mut Output) {
    match event.kind {
        EventKind::CallDelta { text, .. } => output.shown(text),
        EventKind::Text(text) => output.text(text),
        EventKind::CallEnd {
            name, arguments, ..
        } => output.whole(name, arguments),
        EventKind::CallError { .. } => output.errors += 1,
        _ => {}
    }
}

fn policy(format: &Format, checker: Checker) -> Policy {
    let dialect = tagstream::calls::dialect(format.dialect).expect("a built-in dialect");
    let mut calls = Calls::dialects([dialect.dialect().clone()]).checker(checker);
    for tool in tools().names() {
        calls = calls.tool(tool);
    }
    let profile = Profile::new().calls(calls);
    profile.compile().expect("the profile is valid")
}

fn tools() -> Tools {
    Tools::from_value(&scenario::tools()).expect("the tools are valid")
}

/// Looks at nothing and takes no memory.
#[derive(Debug)]
struct Unseen;

impl Check for Unseen {
    fn check(&self, _: &CallText<'_>) -> Verdict {
        Verdict::Valid {
            arguments: String::new(),
            repaired: Vec::new(),
        }
    }
}

/// Which pushes took memory from the heap: those that begin or end a call, and all others.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pushes {
    pub at_calls: usize,
    pub elsewhere: usize,
    pub all: usize,
}

/// Counts them, piece by piece.
pub fn allocating_pushes(policy: &Policy, pieces: &[&str]) -> Pushes {
    let mut pushes = Pushes::default();
    let mut engine = Engine::new(policy);
    for piece in pieces {
        let mut at_call = false;
        let mut sink = |event: Event<'_>| {
            at_call |= !matches!(event.kind, EventKind::CallDelta { .. } | EventKind::Text(_));
        };
        let ((), heap) = alloc::count(|| engine.push(piece, &mut sink));
        pushes.all += 1;
        match (heap.calls > 0, at_call) {
            (true, true) => pushes.at_calls += 1,
            (true, false) => pushes.elsewhere += 1,
            _ => {}
        }
    }
    pushes
}
