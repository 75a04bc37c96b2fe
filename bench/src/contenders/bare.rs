//! Floors: what it costs to touch the bytes at all.

use memchr::{memchr, memchr_iter, memchr3_iter};

use super::Tally;

/// For each piece, every `<` in it.
pub fn memchr_alone(pieces: &[&str]) -> Tally {
    let mut tally = Tally::default();
    for piece in pieces {
        let mut left = piece.as_bytes();
        while let Some(at) = memchr(b'<', left) {
            tally.seen = tally.seen.wrapping_add(at);
            left = &left[at + 1..];
        }
        tally.text(piece.as_bytes());
    }
    tally
}

/// Every piece into one growing string.
pub fn copy_into_one(pieces: &[&str]) -> Tally {
    let mut tally = Tally::default();
    let mut copy = String::new();
    for piece in pieces {
        let start = copy.len();
        copy.push_str(piece);
        tally.text(&copy.as_bytes()[start..]);
    }
    std::hint::black_box(copy);
    tally
}

/// Every piece into a string of its own, as an event that owns its text must do.
pub fn copy_each(pieces: &[&str]) -> Tally {
    let mut tally = Tally::default();
    for piece in pieces {
        let copy = std::hint::black_box(String::from(*piece));
        tally.text(copy.as_bytes());
    }
    tally
}

/// The whole message: every `<` in the thought; every `<`, backtick and `~` in the rest.
pub fn visit(pieces: &[&str], thought: usize) -> Tally {
    let mut tally = Tally::default();
    for piece in pieces {
        let (thought, rest) = piece.as_bytes().split_at(thought);
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
