//! What an engine takes: its own size, and what it has on the heap.

use tagstream::{CodeStyle, Engine, Event};

use crate::alloc;
use crate::contenders::{policy, stream};
use crate::message::Message;

pub struct Memory {
    /// The size of an engine, in bytes.
    pub engine: usize,
    /// Allocations in making one.
    pub making: u64,
    /// Allocations before the first byte is held.
    pub before_held: u64,
    /// How many bytes that were.
    pub bytes_before_held: usize,
    /// The most that was held between two pieces of 4 bytes.
    pub longest_held: usize,
    /// The most that was on the heap while streaming in pieces of 4 bytes.
    pub peak: u64,
}

pub fn measure(message: &Message) -> Memory {
    let policy = policy(CodeStyle::Markdown);
    let pieces = message.pieces(4, Some(4));
    let (engine, making) = alloc::count(|| Engine::new(&policy));
    let bytes_before_held = until_held(Engine::new(&policy), message.answer());
    let (_, before_held) =
        alloc::count(|| push_each(engine, &message.answer()[..bytes_before_held]));
    let (_, streaming) = alloc::count(|| stream(&policy, &pieces));
    Memory {
        engine: size_of::<Engine>(),
        making: making.calls,
        before_held: before_held.calls,
        bytes_before_held,
        longest_held: longest_held(Engine::new(&policy), &pieces),
        peak: streaming.peak,
    }
}

/// How much of the answer goes through, character by character, before anything is held. The
/// answer, because a message that begins with a tag is held from its first byte.
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

fn longest_held(mut engine: Engine, pieces: &[&str]) -> usize {
    let mut longest = 0;
    for piece in pieces {
        engine.push(piece, &mut ignore);
        longest = longest.max(engine.held().len());
    }
    longest
}

fn ignore(_: Event<'_>) {}
