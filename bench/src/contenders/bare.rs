//! Floors: what it costs to touch the bytes at all.

use memchr::{memchr, memchr_iter, memchr3_iter};

use super::{Sink, Tally};

/// For each chunk, every `<` in it.
pub fn memchr_alone(chunks: &[&str]) -> Tally {
    let mut tally = Tally::default();
    for chunk in chunks {
        let mut left = chunk.as_bytes();
        while let Some(at) = memchr(b'<', left) {
            tally.seen = tally.seen.wrapping_add(at);
            left = &left[at + 1..];
        }
        tally.text(chunk.as_bytes());
    }
    tally
}

/// Every chunk into one growing string.
pub fn copy_into_one(chunks: &[&str]) -> Tally {
    let mut tally = Tally::default();
    let mut copy = String::new();
    for chunk in chunks {
        let start = copy.len();
        copy.push_str(chunk);
        tally.text(&copy.as_bytes()[start..]);
    }
    std::hint::black_box(copy);
    tally
}

/// Every chunk into a string of its own, as an event that owns its text must do.
pub fn copy_each(chunks: &[&str]) -> Tally {
    let mut tally = Tally::default();
    for chunk in chunks {
        let copy = std::hint::black_box(String::from(*chunk));
        tally.text(copy.as_bytes());
    }
    tally
}

/// The whole message: every `<` in the thought; every `<`, backtick and `~` in the rest.
pub fn visit(chunks: &[&str], thought: usize) -> Tally {
    let mut tally = Tally::default();
    for chunk in chunks {
        let (thought, rest) = chunk.as_bytes().split_at(thought);
        for at in memchr_iter(b'<', thought) {
            tally.seen = tally.seen.wrapping_add(at);
        }
        for at in memchr3_iter(b'<', b'`', b'~', rest) {
            tally.seen = tally.seen.wrapping_add(at);
        }
        tally.thought(thought);
        tally.text(rest);
    }
    tally
}
