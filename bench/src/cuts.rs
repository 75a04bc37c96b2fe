//! Who is right however the message is cut: a parser may be right in one table by luck.

use crate::contenders::{self, EventKind};
use crate::message::Message;

const LARGEST: usize = 8;

/// A contender, and in how many of the cuttings it was right.
pub struct Cuttings {
    pub name: &'static str,
    pub right: usize,
    pub tried: usize,
}

/// Every piece size up to 8 bytes, with every length of the first piece.
pub fn check() -> Vec<Cuttings> {
    let message = Message::new(8 << 10);
    contenders::all(&message)
        .iter()
        .filter(|contender| contender.kind == Kind::Parser)
        .map(|contender| {
            let outcomes: Vec<bool> = (1..=LARGEST)
                .flat_map(|size| (1..=size).map(move |first| (first, size)))
                .map(|(first, size)| {
                    (contender.run)(&message.pieces(first, Some(size))).is_right(&message)
                })
                .collect();
            Cuttings {
                name: contender.name,
                right: outcomes.iter().filter(|&&right| right).count(),
                tried: outcomes.len(),
            }
        })
        .collect()
}
