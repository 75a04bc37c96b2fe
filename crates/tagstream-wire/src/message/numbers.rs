//! Numbers and ids that are unique in a choice, whatever its parts are numbered by themselves.
//!
//! Each text has an engine of its own, which counts from 0, and providers count as they like.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use tagstream_core::{ElementView, EventKind};

/// How many ids are remembered. Beyond that, only the numbers make ids unique.
const MAX_IDS: usize = 1 << 14;

/// What has been given out in a choice.
#[derive(Debug)]
pub(crate) struct Numbers {
    next_call: u64,
    /// The number of the next call that a rewriter writes: refused calls take none.
    next_written: u64,
    next_element: u64,
    ids: Ids,
    prefix: String,
}

impl Numbers {
    pub(crate) fn new(prefix: &str) -> Self {
        Numbers {
            next_call: 0,
            next_written: 0,
            next_element: 0,
            ids: Ids::default(),
            prefix: prefix.to_owned(),
        }
    }

    /// The number of the next call.
    pub(crate) fn call(&mut self) -> u64 {
        self.next_call += 1;
        self.next_call - 1
    }

    /// The number of the next call that is written.
    pub(crate) fn written(&mut self) -> u64 {
        self.next_written += 1;
        self.next_written - 1
    }

    /// The wanted id if nobody has it, else one made from the number.
    pub(crate) fn id(&mut self, wanted: Option<&str>, number: u64) -> String {
        if let Some(id) = wanted.filter(|id| self.ids.is_new(id)) {
            return id.to_owned();
        }
        let mut made = format!("{}{number}", self.prefix);
        while !self.ids.is_new(&made) {
            made.push('_');
        }
        made
    }
}

/// Which ids there were. Of each there is a hash, since providers make them as long as they like.
#[derive(Debug, Default)]
struct Ids(HashSet<u64>);

impl Ids {
    /// Whether there was no such id; from now on there was.
    fn is_new(&mut self, id: &str) -> bool {
        let mut hasher = DefaultHasher::new();
        id.hash(&mut hasher);
        let hash = hasher.finish();
        if self.0.len() < MAX_IDS {
            self.0.insert(hash)
        } else {
            !self.0.contains(&hash)
        }
    }
}

/// What the numbers of one text's engine are in its choice.
#[derive(Debug, Default)]
pub(crate) struct Renumber {
    /// The last call: an engine ends one before it begins the next.
    call: Option<Call>,
    /// How many calls there were in this text.
    calls: u64,
    /// What is added to the ids of elements.
    elements: Option<u64>,
}

#[derive(Debug)]
struct Call {
    engine: u64,
    number: u64,
    id: String,
}

impl Renumber {
    /// How many calls of the choice are not in this text.
    pub(crate) fn calls_elsewhere(&self, numbers: &Numbers) -> u64 {
        numbers.next_call - self.calls
    }

    /// The same event with the choice's numbers.
    pub(crate) fn kind<'k>(
        &'k mut self,
        mut kind: EventKind<'k>,
        numbers: &mut Numbers,
    ) -> EventKind<'k> {
        match &mut kind {
            EventKind::CallStart { index, id, .. } | EventKind::CallEnd { index, id, .. } => {
                let call = self.call(*index, Some(id), numbers);
                (*index, *id) = (call.number, &call.id);
            }
            EventKind::CallDelta { index, .. } | EventKind::CallError { index, .. } => {
                *index = self.call(*index, None, numbers).number;
            }
            EventKind::ElementStart { id, parent, .. } => {
                (*id, *parent) = self.element_starts(*id, *parent, numbers);
            }
            EventKind::ElementDelta { id, .. } => *id += self.elements.unwrap_or(0),
            EventKind::ElementEnd(view) => *view = self.element(*view),
            _ => {}
        }
        kind
    }

    /// An element of this text with the choice's numbers.
    pub(crate) fn element<'v>(&self, mut view: ElementView<'v>) -> ElementView<'v> {
        let more = self.elements.unwrap_or(0);
        view.id += more;
        view.parent = view.parent.map(|parent| parent + more);
        view
    }

    fn element_starts(
        &mut self,
        id: u64,
        parent: Option<u64>,
        numbers: &mut Numbers,
    ) -> (u64, Option<u64>) {
        let more = *self.elements.get_or_insert(numbers.next_element);
        numbers.next_element = numbers.next_element.max(id + more + 1);
        (id + more, parent.map(|parent| parent + more))
    }

    fn call(&mut self, engine: u64, id: Option<&str>, numbers: &mut Numbers) -> &Call {
        let known = self.call.take().filter(|call| call.engine == engine);
        self.call.insert(known.unwrap_or_else(|| {
            let number = numbers.call();
            self.calls += 1;
            let id = numbers.id(id, number);
            Call { engine, number, id }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_given_once() {
        let mut numbers = Numbers::new("call_");
        assert_eq!(numbers.id(Some("call_0"), 0), "call_0");
        assert_eq!(numbers.id(Some("call_0"), 1), "call_1");
        assert_eq!(numbers.id(None, 1), "call_1_");
    }

    #[test]
    fn two_texts_share_one_sequence() {
        let mut numbers = Numbers::new("call_");
        let (mut one, mut two) = (Renumber::default(), Renumber::default());
        let start = EventKind::call_start(0, "call_0", "f");
        assert_eq!(one.kind(start, &mut numbers), start);
        let second = EventKind::call_start(1, "call_1", "f");
        assert_eq!(two.kind(start, &mut numbers), second);
        let delta = |index| EventKind::call_delta(index, None, "x");
        assert_eq!(one.kind(delta(0), &mut numbers), delta(0));
        assert_eq!(two.kind(delta(0), &mut numbers), delta(1));
    }
}
