//! Frames that wait until it is certain whether they stay as they are.
//!
//! At the end of a frame's text there may be the start of a tag. If it turns out to be text, all
//! frames since then are written as they came; otherwise, as they have become. So a stream in which
//! nothing is found is passed on byte for byte. The wait is short: as a rule, the next frame decides.

use super::change::{Change, ChangeKind, Changes};
use super::out::Style;
use super::pieces::Piece;
use crate::delta::Slot;
use crate::framing::frame::Message;
use crate::json::{Doc, Value};
use crate::source::OpenedKind;

/// How many bytes of frames wait. There is no other limit: what a second rewriting reads has other
/// frames, and must not come to another limit than the first.
const MAX_BYTES: usize = 64 * 1024;

/// What to do with a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Nothing waits: it is written.
    Write,
    /// It waits.
    Wait,
    /// It is certain now what it and those before it are.
    Release,
}

#[derive(Debug, Default)]
pub(super) struct Queue {
    frames: Vec<Waiting>,
    bytes: usize,
    texts: Vec<Text>,
}

/// A frame that waits; without a message, one that says nothing.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) message: Option<(Message<'static>, OpenedKind)>,
    pub(super) raw: Vec<u8>,
    pub(super) style: Style,
    pub(super) changes: Changes,
}

/// A text since the first frame that waits.
#[derive(Debug)]
struct Text {
    slot: Slot,
    /// All that has come of it.
    all: String,
    /// How much of that has come out.
    came_out: usize,
    /// Its pieces in the frames.
    pieces: Vec<Waits>,
}

/// A piece of a text.
#[derive(Debug)]
struct Waits {
    /// The place of its frame, and of its change there.
    frame: usize,
    change: usize,
    length: usize,
}

impl Text {
    /// What has not come out.
    fn owed(&self) -> &str {
        &self.all[self.came_out..]
    }
}

impl Queue {
    /// Notes what a frame became.
    pub(super) fn take(&mut self, doc: Option<Doc<'_>>, changes: &mut Changes) -> Step {
        let is_plain = |change: &Change| {
            !matches!(
                change.kind,
                ChangeKind::Text {
                    pieces: Some(_),
                    ..
                } | ChangeKind::Flushed { .. }
            )
        };
        if self.frames.is_empty() && (changes.has_found || changes.list.iter().all(is_plain)) {
            return Step::Write;
        }
        if changes.has_found {
            self.absorb(changes);
            self.split();
        }
        let mut all = changes.list.iter().enumerate();
        if changes.has_found || !all.all(|(at, change)| self.note(at, change, doc)) {
            self.texts.clear();
            return if self.frames.is_empty() {
                Step::Write
            } else {
                Step::Release
            };
        }
        if self.texts.iter().all(|text| text.owed().is_empty()) {
            self.texts.clear();
            self.frames
                .iter_mut()
                .for_each(|frame| frame.changes.stay());
            changes.stay();
            return if self.frames.is_empty() {
                Step::Write
            } else {
                Step::Release
            };
        }
        if self.bytes > MAX_BYTES {
            return Step::Release;
        }
        Step::Wait
    }

    /// Takes what comes out now of the texts that wait, and puts it where it came from: something was
    /// found, and what is before it stays in its own frame.
    fn absorb(&mut self, changes: &mut Changes) {
        for text in &mut self.texts {
            for change in &mut changes.list {
                let pieces = match &mut change.kind {
                    ChangeKind::Text { slot, pieces, .. } if *slot == text.slot => pieces.as_mut(),
                    ChangeKind::Flushed { slot, pieces } if *slot == text.slot => Some(pieces),
                    _ => continue,
                };
                let Some(pieces) = pieces else { break };
                while let Some(Piece::Text(first)) = pieces.first_mut() {
                    if text.owed().starts_with(&**first) {
                        text.came_out += first.len();
                        pieces.remove(0);
                        continue;
                    }
                    if first.starts_with(text.owed()) {
                        first.drain(..text.owed().len());
                        text.came_out = text.all.len();
                    }
                    break;
                }
                if !pieces.is_empty() {
                    break;
                }
            }
        }
    }

    /// Gives each frame as much of its own text as has come out, so that it does not matter when
    /// that was. The texts begin and end nowhere else.
    fn split(&mut self) {
        for text in &self.texts {
            let mut left = &text.all[..text.came_out];
            for piece in &text.pieces {
                let length = left.len().min(piece.length);
                let (own, others) = left.split_at(length);
                left = others;
                let frame = self.frames.get_mut(piece.frame);
                let change = frame.map(|frame| &mut frame.changes.list[piece.change].kind);
                if let Some(ChangeKind::Text { pieces, .. }) = change {
                    let new = (!own.is_empty()).then(|| Piece::Text(own.to_owned()));
                    *pieces = (length < piece.length).then(|| new.into_iter().collect());
                }
            }
        }
        let texts = std::mem::take(&mut self.texts);
        let is_waiting = |slot: Slot| texts.iter().any(|text| text.slot == slot);
        for frame in &mut self.frames {
            frame.changes.list.retain(
                |change| !matches!(change.kind, ChangeKind::Flushed { slot, .. } if is_waiting(slot)),
            );
        }
    }

    /// Notes a change; whether its text is nothing but text.
    fn note(&mut self, at: usize, change: &Change, doc: Option<Doc<'_>>) -> bool {
        let frame = self.frames.len();
        let (slot, pieces) = match &change.kind {
            ChangeKind::Text { slot, pieces, .. } => {
                let value = change.at.and_then(|at| Some(doc?.value(at)));
                let text = value.and_then(Value::text).unwrap_or_default();
                let known = self.text(*slot);
                known.all.push_str(&text);
                known.pieces.push(Waits {
                    frame,
                    change: at,
                    length: text.len(),
                });
                match pieces {
                    Some(pieces) => (*slot, &pieces[..]),
                    None => return self.pay(*slot, &text),
                }
            }
            ChangeKind::Flushed { slot, pieces } => (*slot, &pieces[..]),
            _ => return true,
        };
        pieces.iter().all(|piece| match piece {
            Piece::Text(text) => self.pay(slot, text),
            _ => false,
        })
    }

    fn text(&mut self, slot: Slot) -> &mut Text {
        let known = self.texts.iter().position(|text| text.slot == slot);
        let at = known.unwrap_or_else(|| {
            self.texts.push(Text {
                slot,
                all: String::new(),
                came_out: 0,
                pieces: Vec::new(),
            });
            self.texts.len() - 1
        });
        &mut self.texts[at]
    }

    /// Text comes out; whether it is what is owed.
    fn pay(&mut self, slot: Slot, text: &str) -> bool {
        let known = self.text(slot);
        let is_owed = known.owed().starts_with(text);
        if is_owed {
            known.came_out += text.len();
        }
        is_owed
    }

    /// Lets a frame wait.
    pub(super) fn push(
        &mut self,
        message: &Message<'_>,
        raw: &[u8],
        style: Style,
        kind: OpenedKind,
        changes: Changes,
    ) {
        self.bytes += raw.len();
        self.frames.push(Waiting {
            message: Some((message.clone().into_owned(), kind)),
            raw: raw.to_vec(),
            style,
            changes,
        });
    }

    /// Lets a frame wait that says nothing; whether it does.
    pub(super) fn aside(&mut self, raw: &[u8], style: Style) -> bool {
        if self.frames.is_empty() || self.bytes + raw.len() > MAX_BYTES {
            return false;
        }
        self.bytes += raw.len();
        self.frames.push(Waiting {
            message: None,
            raw: raw.to_vec(),
            style,
            changes: Changes::default(),
        });
        true
    }

    pub(super) fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    pub(super) fn drain(&mut self) -> Vec<Waiting> {
        self.bytes = 0;
        self.split();
        std::mem::take(&mut self.frames)
    }
}

impl Changes {
    /// All texts stay as they are.
    fn stay(&mut self) {
        self.list
            .retain(|change| !matches!(change.kind, ChangeKind::Flushed { .. }));
        for change in &mut self.list {
            if let ChangeKind::Text { pieces, .. } = &mut change.kind {
                *pieces = None;
            }
        }
    }
}
