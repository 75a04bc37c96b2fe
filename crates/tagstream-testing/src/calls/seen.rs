//! What a reader of events has seen, in a form in which two readings can be compared to the
//! character.

use tagstream::{Engine, EventKind, Policy};

/// An event without its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    Text(String),
    Thought(String),
    Delta(u64, Option<String>, String),
    /// Anything that comes as a whole or not at all.
    Whole(String),
}

/// Events with runs joined. What is skipped, and what is only noticed, is left out: when the
/// engine says so is its own business.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading(pub Vec<Seen>);

/// What has come out once these pieces have come in, while more may follow.
pub fn emitted<'a>(policy: &Policy, pieces: impl IntoIterator<Item = &'a [u8]>) -> Reading {
    let mut reading = Reading::default();
    let mut engine = Engine::new(policy);
    for piece in pieces {
        engine.push_bytes(piece, |event| reading.take(&event.kind));
    }
    reading
}

/// What a whole message means.
pub fn meaning(policy: &Policy, message: &str) -> Reading {
    let mut reading = Reading::default();
    let mut engine = Engine::new(policy);
    engine.push(message, |event| reading.take(&event.kind));
    engine.finish(|event| reading.take(&event.kind));
    reading
}

impl Reading {
    /// Adds an event; runs of one kind are joined.
    pub fn take(&mut self, kind: &EventKind<'_>) {
        let seen = match *kind {
            EventKind::Skip { .. } | EventKind::Notice { .. } => return,
            EventKind::Text(text) => Seen::Text(text.to_owned()),
            EventKind::Thought(text) => Seen::Thought(text.to_owned()),
            EventKind::CallDelta {
                index,
                argument,
                text,
                ..
            } => Seen::Delta(index, argument.map(str::to_owned), text.to_owned()),
            ref whole => Seen::Whole(format!("{whole:?}")),
        };
        match self.0.last_mut() {
            _ if seen.run() == Some("") => {}
            Some(last) if last.continues(&seen) => last.append(&seen),
            _ => self.0.push(seen),
        }
    }

    /// What two readings have in common from the start.
    pub fn common(mut self, other: &Reading) -> Reading {
        let pairs = self.0.iter().zip(&other.0);
        let same = pairs.take_while(|(a, b)| a == b).count();
        let partial = match (self.0.get_mut(same), other.0.get(same)) {
            (Some(a), Some(b)) if a.continues(b) => a.keep_common(b),
            _ => false,
        };
        self.0.truncate(same + usize::from(partial));
        self
    }

    /// Whether the other one goes on from this one.
    pub fn begins(&self, other: &Reading) -> bool {
        self.clone().common(other) == *self
    }

    /// What another reading, which goes on from this one, has beyond it.
    pub fn rest_of(&self, other: &Reading) -> Vec<Seen> {
        let pairs = self.0.iter().zip(&other.0);
        let same = pairs.take_while(|(a, b)| a == b).count();
        let mut rest = other.0[same..].to_vec();
        if let (Some(ours), Some(theirs)) = (self.0.get(same), rest.first_mut()) {
            theirs.cut_front(ours.run().map_or(0, str::len));
        }
        rest
    }
}

impl Seen {
    /// The text of an event that may be cut into several.
    pub fn run(&self) -> Option<&str> {
        match self {
            Seen::Text(text) | Seen::Thought(text) | Seen::Delta(.., text) => Some(text),
            Seen::Whole(_) => None,
        }
    }

    fn run_mut(&mut self) -> Option<&mut String> {
        match self {
            Seen::Text(text) | Seen::Thought(text) | Seen::Delta(.., text) => Some(text),
            Seen::Whole(_) => None,
        }
    }

    fn continues(&self, other: &Seen) -> bool {
        match (self, other) {
            (Seen::Text(_), Seen::Text(_)) | (Seen::Thought(_), Seen::Thought(_)) => true,
            (Seen::Delta(i, a, _), Seen::Delta(j, b, _)) => i == j && a == b,
            _ => false,
        }
    }

    fn append(&mut self, more: &Seen) {
        if let (Some(text), Some(more)) = (self.run_mut(), more.run()) {
            text.push_str(more);
        }
    }

    /// Keeps what both runs begin with; says whether that is anything.
    fn keep_common(&mut self, other: &Seen) -> bool {
        let (Some(ours), Some(theirs)) = (self.run_mut(), other.run()) else {
            return false;
        };
        let pairs = ours.chars().zip(theirs.chars());
        let same = pairs.take_while(|(a, b)| a == b);
        let length = same.map(|(a, _)| a.len_utf8()).sum();
        ours.truncate(length);
        length > 0
    }

    fn cut_front(&mut self, length: usize) {
        if let Some(text) = self.run_mut() {
            text.drain(..length);
        }
    }
}
