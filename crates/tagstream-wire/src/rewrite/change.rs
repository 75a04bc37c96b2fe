//! What a frame becomes, in the order in which its reader found it.

use super::Options;
use super::pieces::{Piece, Pieces, Reading, Sorted, Sorter};
use crate::delta::{Again, Delta, Slot};
use crate::event::{WireEvent, WireKind};
use crate::json::NodeId;
use crate::message::{Course, Messages, NativePiece, Origin, Taken};
use tagstream_core::{Event, EventKind};

/// One thing that a writer must know.
#[derive(Debug)]
pub(crate) struct Change {
    /// The value of the frame that it is about.
    pub(crate) at: Option<NodeId>,
    pub(crate) kind: ChangeKind,
}

#[derive(Debug)]
pub(crate) enum ChangeKind {
    /// A text; `None` if it stays as it is. If the whole text of the slot begins with it, what the
    /// message had contained until then.
    Text {
        slot: Slot,
        began: Option<Course>,
        pieces: Option<Pieces>,
    },
    /// A text that came before.
    Again {
        slot: Slot,
        of: Again,
    },
    /// Native thinking.
    Thought {
        slot: Slot,
    },
    /// What is hidden with thinking.
    Trace,
    /// A piece of a native call.
    Call {
        choice: u64,
        native: NativePiece,
    },
    /// What came out of a text that is not in this frame.
    Flushed {
        slot: Slot,
        pieces: Pieces,
    },
    BlockEnd {
        slot: Slot,
    },
    Finish {
        choice: u64,
    },
    Error,
    End,
}

impl ChangeKind {
    /// The choice that it belongs to.
    fn choice(&self) -> Option<u64> {
        match self {
            ChangeKind::Text { slot, .. }
            | ChangeKind::Again { slot, .. }
            | ChangeKind::Thought { slot }
            | ChangeKind::Flushed { slot, .. }
            | ChangeKind::BlockEnd { slot } => Some(slot.choice),
            ChangeKind::Call { choice, .. } | ChangeKind::Finish { choice } => Some(*choice),
            ChangeKind::Trace | ChangeKind::Error | ChangeKind::End => None,
        }
    }
}

/// All that a frame becomes.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    pub(crate) list: Vec<Change>,
    /// The place of the item that the frame belongs to, in Responses.
    pub(crate) place: u64,
    /// Something was found: the texts are not just texts.
    pub(super) has_found: bool,
}

impl Changes {
    /// Gives a delta to the messages, and notes what comes of it.
    pub(super) fn take(
        &mut self,
        at: Option<NodeId>,
        delta: &Delta<'_>,
        messages: &mut Messages,
        sorter: &mut Sorter,
        options: &Options,
    ) {
        let mut sorted = Sorted {
            pieces: std::mem::take(&mut sorter.scratch),
            has_found: false,
        };
        let mut reading = match delta {
            Delta::Text { slot, text } => Some(Reading::new(*slot, text)),
            _ => None,
        };
        let taken = messages.delta(delta, &mut |origin: Origin, event: WireEvent<'_>| {
            sorter.take(origin, &event, options, reading.as_mut(), &mut sorted);
        });
        self.has_found |= sorted.has_found;
        number(&mut sorted, messages);
        let is_same = reading.is_some_and(|reading| reading.finish(&mut sorted));
        let own = self.flushed(&mut sorted, delta);
        sorter.scratch = sorted.pieces;
        let kind = match (delta, taken) {
            (Delta::Text { slot, .. }, Taken::Text(began)) => ChangeKind::Text {
                slot: *slot,
                began,
                pieces: (!is_same).then_some(own),
            },
            (Delta::Call { choice, .. }, Taken::Call(native)) => ChangeKind::Call {
                choice: *choice,
                native,
            },
            (Delta::Again { slot, of, .. }, _) => ChangeKind::Again {
                slot: *slot,
                of: *of,
            },
            (Delta::Reasoning { slot, .. }, _) => ChangeKind::Thought { slot: *slot },
            (Delta::Trace, _) => ChangeKind::Trace,
            (Delta::BlockEnd { slot }, _) => ChangeKind::BlockEnd { slot: *slot },
            (Delta::Finish { choice, .. }, _) => ChangeKind::Finish { choice: *choice },
            (Delta::Error { .. }, _) => ChangeKind::Error,
            (Delta::End, _) => ChangeKind::End,
            // What is not taken, because there is too much of it, passes.
            _ => return,
        };
        self.list.push(Change { at, kind });
    }

    /// Ends the stream.
    pub(super) fn end_stream(
        &mut self,
        messages: &mut Messages,
        sorter: &mut Sorter,
        options: &Options,
    ) {
        let mut sorted = Sorted::default();
        messages.end_stream(&mut |origin: Origin, event: WireEvent<'_>| {
            sorter.take(origin, &event, options, None, &mut sorted);
        });
        number(&mut sorted, messages);
        self.flushed(&mut sorted, &Delta::End);
    }

    /// Notes the pieces of other texts than the one that the delta belongs to; returns its own.
    fn flushed(&mut self, sorted: &mut Sorted, delta: &Delta<'_>) -> Pieces {
        let own_slot = match delta {
            Delta::Text { slot, .. } => Some(*slot),
            _ => None,
        };
        let mut own = Pieces::new();
        for (slot, piece) in sorted.pieces.drain(..) {
            if own_slot == Some(slot) {
                own.push(piece);
                continue;
            }
            if let Some(Change {
                kind: ChangeKind::Flushed { slot: last, pieces },
                ..
            }) = self.list.last_mut()
                && *last == slot
            {
                pieces.push(piece);
                continue;
            }
            let kind = ChangeKind::Flushed {
                slot,
                pieces: vec![piece],
            };
            self.list.push(Change { at: None, kind });
        }
        own
    }
}

/// Numbers the calls that were found, before any native call that comes after them in the frame.
fn number(sorted: &mut Sorted, messages: &mut Messages) {
    for (slot, piece) in &mut sorted.pieces {
        if let Piece::Call(call) | Piece::CallStart(call) = piece {
            call.number = messages.next_written(slot.choice);
        }
    }
}

/// The changes of one choice.
pub(crate) fn of_choice(changes: &mut Changes, choice: u64) -> impl Iterator<Item = &mut Change> {
    let is_its = move |change: &&mut Change| change.kind.choice() == Some(choice);
    changes.list.iter_mut().filter(is_its)
}

/// What a whole text becomes.
pub(crate) struct Whole {
    pub(crate) pieces: Pieces,
    /// What the message has contained after it.
    pub(crate) course: Course,
    /// How many calls were in it, refused ones too.
    pub(crate) calls: u64,
}

/// Reads a whole text once more: what it becomes, if the message had contained this much, and this
/// many calls, when it began. Nothing that is found in it is reported again.
pub(super) fn whole_text(
    text: &str,
    course: Course,
    calls: u64,
    slot: Slot,
    messages: &Messages,
    options: &Options,
    sorter: &Sorter,
) -> Whole {
    let mut again = sorter.again();
    let mut sorted = Sorted::default();
    let mut engine = messages.engine(course);
    engine.set_calls_elsewhere(calls);
    let (mut course, mut calls) = (course, 0);
    course.begins();
    let mut take = |event: Event<'_>| {
        course.takes(&event.kind);
        if let EventKind::CallEnd { index, .. } | EventKind::CallError { index, .. } = event.kind {
            calls = calls.max(index + 1);
        }
        let event = WireEvent {
            choice: slot.choice,
            span: Some(event.span),
            raw: event.raw,
            event: WireKind::Message(event.kind),
        };
        let origin = Origin::Text(slot.block);
        again.take(origin, &event, options, None, &mut sorted);
    };
    engine.push(text, &mut take);
    // As where the text was read first.
    engine.set_cut_off();
    engine.finish(&mut take);
    let pieces = sorted.pieces.into_iter().map(|(_, piece)| piece).collect();
    Whole {
        pieces: super::joined(pieces),
        course,
        calls,
    }
}
