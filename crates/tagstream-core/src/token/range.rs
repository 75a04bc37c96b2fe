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
        if let [(name, _)] = here {
            // Nearly always there is one left.
            self.to -= Number::from(name.get(depth) != Some(&byte));
            return;
        }
        let from = here.partition_point(|(name, _)| name.get(depth) < Some(&byte));
        let len = here[from..].partition_point(|(name, _)| name.get(depth) == Some(&byte));
        self.from += number(from);
        self.to = self.from + number(len);
    }

    /// What is whole at this length: by the order, it can only be the first.
    fn whole(self, list: &[Entry], len: usize) -> Option<Role> {
        let (name, role) = self.of(list).first()?;
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
pub(super) struct NameRange {
    own: Range,
    shared: Range,
}

impl NameRange {
    pub(super) fn all(names: &Names) -> Self {
        NameRange {
            own: Range::all(&names.own),
            shared: Range::all(names.shared()),
        }
    }

    pub(super) fn is_empty(self) -> bool {
        self.own.is_empty() && self.shared.is_empty()
    }

    /// Keeps what has `byte` at `depth`.
    pub(super) fn narrow(&mut self, names: &Names, depth: usize, byte: u8) {
        if !self.own.is_empty() {
            self.own.narrow(&names.own, depth, byte);
        }
        if !self.shared.is_empty() {
            self.shared.narrow(names.shared(), depth, byte);
        }
    }

    /// The role of the name that is whole at this length.
    pub(super) fn whole(self, names: &Names, len: usize) -> Option<Role> {
        let own = self.own.whole(&names.own, len);
        own.or_else(|| self.shared.whole(names.shared(), len))
    }

    /// The only name that is left.
    pub(super) fn only(self, names: &Names) -> Option<&[u8]> {
        match (self.own.of(&names.own), self.shared.of(names.shared())) {
            ([(name, _)], []) | ([], [(name, _)]) => Some(name),
            _ => None,
        }
    }

    /// Whether one of the names has `byte` at `depth`.
    pub(super) fn has_next(mut self, names: &Names, depth: usize, byte: u8) -> bool {
        self.narrow(names, depth, byte);
        !self.is_empty()
    }

    /// Whether `test` holds for one of the roles. One of those that are shared stands for all.
    pub(super) fn any(self, names: &Names, test: impl Fn(Role) -> bool) -> bool {
        let shared = self.shared.of(names.shared()).first();
        let mut all = self.own.of(&names.own).iter().chain(shared);
        all.any(|(_, role)| test(*role))
    }
}
