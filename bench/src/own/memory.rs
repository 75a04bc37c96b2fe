//! What an engine takes: its own size, and what it allocates.

use tagstream::{CodeStyle, Engine, Event};

use crate::alloc;
use crate::contenders::{Reader, Tally};
use crate::message::Message;

use super::thinking::{Thinking, policy};

pub struct Memory {
    /// The size of an engine, in bytes.
    pub engine: usize,
    /// Allocations while making one.
    pub making: u64,
    /// Allocations before the first byte is held.
    pub before_held: u64,
    /// How many bytes of text came before it.
    pub bytes_before_held: usize,
    /// The most bytes held between two chunks of 4 bytes.
    pub longest_held: usize,
    /// The peak heap while streaming in chunks of 4 bytes.
    pub peak: u64,
}

pub fn measure(message: &Message) -> Memory {
    let policy = policy(CodeStyle::Markdown);
    let chunks = message.chunks(4, Some(4));
    let (engine, making) = alloc::count(|| Engine::new(&policy));
    let bytes_before_held = until_held(Engine::new(&policy), message.answer());
    let (_, before_held) =
        alloc::count(|| push_each(engine, &message.answer()[..bytes_before_held]));
    let reader = Thinking::new();
    let ((), streaming) = alloc::count(|| reader.read(&chunks, &mut Tally::default()));
    Memory {
        engine: size_of::<Engine>(),
        making: making.calls,
        before_held: before_held.calls,
        bytes_before_held,
        longest_held: longest_held(Engine::new(&policy), &chunks),
        peak: streaming.peak,
    }
}

/// How much of the answer is emitted, character by character, before anything is held. The answer,
/// because a message that begins with a tag is held from its first byte.
fn until_held(mut engine: Engine, answer: &str) -> usize {
    for (at, character) in answer.char_indices() {
        engine.push(character.encode_utf8(&mut [0; 4]), &mut ignore);
        if !engine.held().is_empty() {
            return at;
        }
    }
    answer.len()
}

fn push_each(mut engine: Engine, text: &str) -> Engine {
    for character in text.chars() {
        engine.push(character.encode_utf8(&mut [0; 4]), &mut ignore);
    }
    engine
}

fn longest_held(mut engine: Engine, chunks: &[&str]) -> usize {
    let mut longest = 0;
    for chunk in chunks {
        engine.push(chunk, &mut ignore);
        longest = longest.max(engine.held().len());
    }
    longest
}

fn ignore(_: Event<'_>) {}
