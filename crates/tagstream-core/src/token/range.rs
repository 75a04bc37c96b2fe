//! The entries of a lexicon that something may still be.

use crate::brackets::Names;
use crate::lexicon::{Entry, Number, Role, number};

/// Neighbours in a sorted list that have the same beginning.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Range {
    from: Number,
    to: Number,
}

impl Range {
    pub(super) fn all(list: &[Entry]) -> Self {
        Range {
            from: 0,
            to: number(list.len()),
        }
    }

    pub(super) fn is_empty(self) -> bool {
        debug_assert!(self.from <= self.to);
        self.from == self.to
    }

    pub(super) fn of(self, list: &[Entry]) -> &[Entry] {
        &list[self.from as usize..self.to as usize]
    }

    /// Keeps what has `byte` at `depth`.
    pub(super) fn narrow(&mut self, list: &[Entry], depth: usize, byte: u8) {
        let here = self.of(list);
        let at = |(name, _): &Entry| name.get(depth).copied();
        if let [only] = here {
            // Nearly always there is one left.
            self.to -= Number::from(at(only) != Some(byte));
            return;
        }
        let from = here.partition_point(|entry| at(entry) < Some(byte));
        let len = here[from..].partition_point(|entry| at(entry) == Some(byte));
        self.from += number(from);
        self.to = self.from + number(len);
    }

    /// What is whole at this length: by the order, it can only be the first.
    fn whole(self, list: &[Entry], len: usize) -> Option<Role> {
        let (name, role) = self.of(list).first()?;
        // law: whole-name
        (name.len() == len).then_some(*role)
    }

    pub(super) fn take_whole(&mut self, list: &[Entry], len: usize) -> Option<Role> {
        let role = self.whole(list, len)?;
        self.from += 1;
        Some(role)
    }
}

/// The names that begin like the one being read, among the lexicon's own and those it shares.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NameRange([Range; 2]);

impl NameRange {
    pub(super) fn all(names: &Names) -> Self {
        NameRange(names.lists().map(Range::all))
    }

    pub(super) fn is_empty(self) -> bool {
        self.0.into_iter().all(Range::is_empty)
    }

    /// Keeps what has `byte` at `depth`.
    pub(super) fn narrow(&mut self, names: &Names, depth: usize, byte: u8) {
        for (range, list) in self.0.iter_mut().zip(names.lists()) {
            if !range.is_empty() {
                range.narrow(list, depth, byte);
            }
        }
    }

    /// The role of the name that is whole at this length.
    pub(super) fn whole(self, names: &Names, len: usize) -> Option<Role> {
        let mut both = self.0.into_iter().zip(names.lists());
        both.find_map(|(range, list)| range.whole(list, len))
    }

    /// The only name that is left.
    pub(super) fn only(self, names: &Names) -> Option<&[u8]> {
        let left = self.0.map(|range| range.to - range.from);
        if left[0] + left[1] != 1 {
            return None;
        }
        let [own, shared] = self.left(names);
        own.first().or(shared.first()).map(|(name, _)| &**name)
    }

    /// Whether `test` holds for one of the roles. One of those that are shared represents all.
    pub(super) fn any(self, names: &Names, test: impl Fn(Role) -> bool) -> bool {
        let [own, shared] = self.left(names);
        let mut all = own.iter().chain(shared.first());
        all.any(|(_, role)| test(*role))
    }

    fn left(self, names: &Names) -> [&[Entry]; 2] {
        let [own, shared] = names.lists();
        [self.0[0].of(own), self.0[1].of(shared)]
    }
}
