//! The entries of a lexicon that something may still be.

use crate::lexicon::{Entry, Role};

/// Neighbours in a sorted list that have the same beginning.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Range {
    from: u16,
    to: u16,
}

impl Range {
    pub(super) fn all(list: &[Entry]) -> Self {
        Range {
            from: 0,
            to: list.len() as u16,
        }
    }

    pub(super) fn is_empty(self) -> bool {
        self.from == self.to
    }

    pub(super) fn of(self, list: &[Entry]) -> &[Entry] {
        &list[usize::from(self.from)..usize::from(self.to)]
    }

    /// Keeps what has `byte` at `depth`.
    pub(super) fn narrow(&mut self, list: &[Entry], depth: usize, byte: u8) {
        let here = self.of(list);
        if let [(name, _)] = here {
            // Nearly always there is one left.
            self.to -= u16::from(name.get(depth) != Some(&byte));
            return;
        }
        let from = here.partition_point(|(name, _)| name.get(depth) < Some(&byte));
        let len = here[from..].partition_point(|(name, _)| name.get(depth) == Some(&byte));
        self.from += from as u16;
        self.to = self.from + len as u16;
    }

    /// What is whole at this length: by the order, it can only be the first.
    pub(super) fn whole(self, list: &[Entry], len: usize) -> Option<Role> {
        let (name, role) = self.of(list).first()?;
        (name.len() == len).then_some(*role)
    }

    pub(super) fn take_whole(&mut self, list: &[Entry], len: usize) -> Option<Role> {
        let role = self.whole(list, len)?;
        self.from += 1;
        Some(role)
    }
}
