//! This project.

use tagstream::{CodeStyle, Engine, Event, EventKind, Policy, Profile, Thinking};

use super::Tally;

/// The policy that is measured.
pub fn policy(code: CodeStyle) -> Policy {
    Profile::new()
        .code(code)
        .thinking(Thinking::tags(["think"]))
        .compile()
        .expect("the profile is valid")
}

/// A reader that shares one policy, as a server does.
pub fn reader(code: CodeStyle) -> impl Fn(&[&str]) -> Tally {
    let policy = policy(code);
    move |pieces| stream(&policy, pieces)
}

/// Reads a message.
pub fn stream(policy: &Policy, pieces: &[&str]) -> Tally {
    let mut tally = Tally::default();
    let mut sink = |event: Event<'_>| match event.kind {
        EventKind::Text(text) => tally.text(text.as_bytes()),
        EventKind::Thought(text) => tally.thought(text.as_bytes()),
        EventKind::Skip { .. } => tally.rest(event.raw.as_bytes()),
        EventKind::ThoughtStart { tag, .. } => tally.rest(tag.unwrap_or("").as_bytes()),
        _ => {}
    };
    let mut engine = Engine::new(policy);
    for piece in pieces {
        engine.push(piece, &mut sink);
    }
    engine.finish(&mut sink);
    tally
}
