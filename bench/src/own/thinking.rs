//! Thinking extraction.

use tagstream::{CodeStyle, Engine, Event, EventKind, Policy, Profile};

use crate::contenders::{Reader, Sink};

/// A reader that shares one policy between messages, as a server does.
pub struct Thinking(Policy);

impl Thinking {
    /// `<think>` sections, with code recognised: the defaults.
    pub fn new() -> Self {
        Thinking(policy(CodeStyle::Markdown))
    }

    /// The same without recognition of code, as in most peers.
    pub fn without_code() -> Self {
        Thinking(policy(CodeStyle::None))
    }
}

impl Reader for Thinking {
    fn read<S: Sink>(&self, chunks: &[&str], sink: &mut S) {
        let mut take = |event: Event<'_>| match event.kind {
            EventKind::Text(text) => sink.text(text.as_bytes()),
            EventKind::Thought(text) => sink.thought(text.as_bytes()),
            EventKind::Skip { .. } => sink.markup(event.raw.as_bytes()),
            EventKind::ThoughtStart { tag, .. } => sink.markup(tag.unwrap_or("").as_bytes()),
            _ => {}
        };
        let mut engine = Engine::new(&self.0);
        for chunk in chunks {
            engine.push(chunk, &mut take);
        }
        engine.finish(&mut take);
    }
}

/// The policy that is measured.
pub fn policy(code: CodeStyle) -> Policy {
    Profile::new()
        .code(code)
        .thinking(tagstream::Thinking::tags(["think"]))
        .compile()
        .expect("the profile is valid")
}
