//! What becomes of the texts of a stream: which of their pieces go where.

use super::sent::{Changed, Sent};
use super::{CallMode, Options, OrphanClose, Refused, Thinking};
use crate::aggregate::Notice;
use crate::delta::Slot;
use crate::event::{WireEvent, WireKind};
use crate::message::Origin;
use tagstream_core::check::Checker;
use tagstream_core::{CallErrorCode, EventKind, SkipReason};

/// How many notices are kept until somebody takes them.
const MAX_NOTICES: usize = 1024;

/// A piece of what is left of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Text(String),
    Thought(String),
    Call(Call),
    /// The start of a call that is sent while it arrives; it has no arguments yet.
    CallStart(Call),
    /// More of the JSON text of its arguments.
    CallDelta(String),
    CallEnd,
    /// It was refused after its start was sent.
    CallFailed {
        code: &'static str,
        message: String,
    },
}

/// A call that is complete and valid.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Call {
    /// Its place among all calls of the choice.
    pub(crate) number: u64,
    /// The provider's id, if it is a native one.
    pub(crate) id: Option<String>,
    pub(crate) name: String,
    /// A JSON object.
    pub(crate) arguments: String,
}

/// Pieces in their order; those of one kind that touch are one.
pub(crate) type Pieces = Vec<Piece>;

/// All text of some pieces.
pub(crate) fn text_of(pieces: &[Piece]) -> String {
    let texts = pieces.iter().filter_map(|piece| match piece {
        Piece::Text(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

/// What was found in the texts of a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Found {
    /// Thoughts that were in the text.
    pub thoughts: u64,
    /// Calls that were in the text, complete and valid.
    pub calls: u64,
    /// Calls in the text that were refused.
    pub refused: u64,
}

/// Sorts events into pieces.
#[derive(Debug, Default)]
pub(crate) struct Sorter {
    pub(crate) notices: Vec<Notice>,
    pub(crate) tally: Found,
    /// Empty, with room for the pieces of the next delta.
    pub(crate) scratch: Vec<(Slot, Piece)>,
    /// The calls that are being sent while they arrive.
    sent: Vec<Sent>,
    /// Knows which of their arguments are texts, if these are passed on as they are read.
    texts: Option<Checker>,
    /// The call that was refused last, by choice and number; each thing wrong with it is an event.
    refused: Option<(u64, u64)>,
    /// How closing tags of thinking begin: `</think`.
    closers: Vec<String>,
    /// The block whose text has no place for calls: they stay in it.
    pub(crate) without_calls: Option<u64>,
    /// What is read is whole: calls in it are too.
    pub(crate) is_whole: bool,
}

/// What comes of one delta.
#[derive(Debug, Default)]
pub(crate) struct Sorted {
    /// The pieces of the text that was read, and of others that ended meanwhile.
    pub(crate) pieces: Vec<(Slot, Piece)>,
    /// Something was found in a text.
    pub(crate) has_found: bool,
}

/// The text that is being read, as long as it is left as it is.
#[derive(Debug)]
pub(crate) struct Reading<'r> {
    pub(crate) slot: Slot,
    pub(crate) text: &'r str,
    /// How much of it came out as it was.
    same: usize,
}

impl<'r> Reading<'r> {
    pub(crate) fn new(slot: Slot, text: &'r str) -> Self {
        Reading {
            slot,
            text,
            same: 0,
        }
    }

    /// Whether the text goes on as it was; then it makes no piece.
    fn goes_on(&mut self, slot: Slot, shown: &str, pieces: &[(Slot, Piece)]) -> bool {
        let goes_on =
            pieces.is_empty() && slot == self.slot && self.text[self.same..].starts_with(shown);
        if goes_on {
            self.same += shown.len();
        }
        goes_on
    }

    /// Puts what came out as it was before the first piece.
    fn put_first(&mut self, pieces: &mut Vec<(Slot, Piece)>) {
        let same = &self.text[..std::mem::take(&mut self.same)];
        match pieces.first_mut() {
            _ if same.is_empty() => {}
            Some((slot, Piece::Text(text))) if *slot == self.slot => text.insert_str(0, same),
            _ => pieces.insert(0, (self.slot, Piece::Text(same.to_owned()))),
        }
    }

    /// Whether all of the text is left as it was; otherwise its pieces are complete now.
    pub(crate) fn finish(mut self, sorted: &mut Sorted) -> bool {
        let is_same = sorted.pieces.is_empty() && self.same == self.text.len();
        if !is_same && sorted.pieces.is_empty() {
            self.put_first(&mut sorted.pieces);
        }
        is_same
    }
}

impl Sorter {
    pub(crate) fn new(closers: Vec<String>, texts: Option<Checker>) -> Self {
        Sorter {
            closers,
            texts,
            ..Sorter::default()
        }
    }

    /// One for a text that is read once more: nothing is reported again, and calls are whole.
    pub(crate) fn again(&self) -> Self {
        Sorter {
            closers: self.closers.clone(),
            without_calls: self.without_calls,
            is_whole: true,
            ..Sorter::default()
        }
    }

    pub(crate) fn notice(&mut self, code: &'static str, message: &str) {
        if self.notices.len() < MAX_NOTICES {
            self.notices.push(Notice::new(code, message));
        }
    }

    /// Takes an event. Text that is left as it is makes no piece.
    pub(crate) fn take(
        &mut self,
        origin: Origin,
        event: &WireEvent<'_>,
        options: &Options,
        reading: Option<&mut Reading<'_>>,
        sorted: &mut Sorted,
    ) {
        let WireKind::Message(kind) = event.event else {
            return;
        };
        let slot = match origin {
            Origin::Text(block) => Slot::new(event.choice, block),
            Origin::Native => return self.note(kind),
            Origin::Held => {
                let slot = Slot::new(event.choice, u64::MAX);
                return held(kind, slot, sorted);
            }
        };
        let shown = self.shown(kind, event.raw, slot, options);
        if shown.is_some() {
            // What stays in the text may be refused all the same.
            self.note(kind);
        }
        match (shown, reading) {
            (Some(""), _) => {}
            (Some(shown), Some(reading)) => {
                if !reading.goes_on(slot, shown, &sorted.pieces) {
                    let is_first = sorted.pieces.is_empty();
                    add(&mut sorted.pieces, slot, Piece::Text(shown.to_owned()));
                    if is_first {
                        reading.put_first(&mut sorted.pieces);
                    }
                }
            }
            (Some(shown), None) => add(&mut sorted.pieces, slot, Piece::Text(shown.to_owned())),
            (None, reading) => {
                sorted.has_found |= !matches!(kind, EventKind::Notice { .. });
                let is_first = sorted.pieces.is_empty();
                self.found(kind, slot, options, &mut sorted.pieces);
                if let Some(reading) = reading.filter(|_| is_first && !sorted.pieces.is_empty()) {
                    reading.put_first(&mut sorted.pieces);
                }
            }
        }
    }

    /// What of an event stays in the text.
    fn shown<'e>(
        &self,
        kind: EventKind<'e>,
        raw: &'e str,
        slot: Slot,
        options: &Options,
    ) -> Option<&'e str> {
        let is_verbatim = self.without_calls == Some(slot.block);
        match kind {
            EventKind::Text(text) => Some(text),
            EventKind::ThoughtStart { .. }
            | EventKind::ThoughtEnd { .. }
            | EventKind::Thought(_) => (options.thinking == Thinking::Keep).then_some(raw),
            EventKind::ElementStart { .. }
            | EventKind::ElementDelta { .. }
            | EventKind::ElementEnd(_) => Some(raw),
            EventKind::CallStart { .. }
            | EventKind::CallDelta { .. }
            | EventKind::CallEnd { .. }
            | EventKind::CallError { .. } => is_verbatim.then_some(raw),
            EventKind::Skip {
                reason: SkipReason::Wrapper | SkipReason::Call | SkipReason::WhiteSpace,
                ..
            } if is_verbatim => Some(raw),
            EventKind::Skip { reason, .. } => self.keeps(reason, raw, options).then_some(raw),
            _ => None,
        }
    }

    /// Notes an event that belongs to no text.
    pub(crate) fn report(&mut self, event: &WireEvent<'_>) {
        if let WireKind::Message(kind) = event.event {
            self.note(kind);
        }
    }

    fn note(&mut self, kind: EventKind<'_>) {
        match kind {
            EventKind::Notice { code, message, .. } => self.notice(code.as_str(), message),
            EventKind::CallError { code, message, .. } => self.notice(code.as_str(), message),
            _ => {}
        }
    }

    fn found(
        &mut self,
        kind: EventKind<'_>,
        slot: Slot,
        options: &Options,
        pieces: &mut Vec<(Slot, Piece)>,
    ) {
        match kind {
            EventKind::Thought(text) if options.thinking == Thinking::Move => {
                add(pieces, slot, Piece::Thought(text.to_owned()));
            }
            EventKind::Notice { .. } => self.note(kind),
            EventKind::ThoughtStart { .. } => self.tally.thoughts += 1,
            EventKind::CallStart { name, .. } if self.streams(options) => {
                self.start(slot, name, pieces);
            }
            EventKind::CallDelta { argument, text, .. } => {
                self.delta(slot, argument, text, pieces);
            }
            EventKind::CallEnd {
                name, arguments, ..
            } => self.end(slot, name, arguments, pieces),
            EventKind::CallError { .. } => self.refuse(kind, slot, options, pieces),
            _ => {}
        }
    }

    /// A client may split an answer at a closing tag of thinking that nothing opened, so it stays.
    fn keeps(&self, reason: SkipReason, raw: &str, options: &Options) -> bool {
        let is_closer = |closer: &String| {
            let start = raw.get(..closer.len());
            start.is_some_and(|start| start.eq_ignore_ascii_case(closer))
        };
        match reason {
            SkipReason::OrphanClose => {
                options.orphan_close == OrphanClose::Keep && self.closers.iter().any(is_closer)
            }
            SkipReason::Element => true,
            _ => false,
        }
    }

    fn streams(&self, options: &Options) -> bool {
        options.calls == CallMode::Stream && !self.is_whole
    }

    fn start(&mut self, slot: Slot, name: &str, pieces: &mut Vec<(Slot, Piece)>) {
        self.sent.push(Sent::new(slot, name));
        let call = Call {
            name: name.to_owned(),
            ..Call::default()
        };
        pieces.push((slot, Piece::CallStart(call)));
    }

    fn delta(
        &mut self,
        slot: Slot,
        argument: Option<&str>,
        text: &str,
        pieces: &mut Vec<(Slot, Piece)>,
    ) {
        let Some(sent) = self.sent.iter_mut().find(|sent| sent.slot == slot) else {
            return;
        };
        let json = match (argument, &self.texts) {
            (None, _) => sent.json(text),
            (Some(argument), Some(checker)) => sent.text(argument, text, checker),
            (Some(_), None) => return,
        };
        if !json.is_empty() {
            pieces.push((slot, Piece::CallDelta(json)));
        }
    }

    fn sent(&mut self, slot: Slot) -> Option<Sent> {
        let at = self.sent.iter().position(|sent| sent.slot == slot)?;
        Some(self.sent.swap_remove(at))
    }

    /// A call is complete: what has not been sent of it is.
    fn end(&mut self, slot: Slot, name: &str, arguments: &str, pieces: &mut Vec<(Slot, Piece)>) {
        let Some(sent) = self.sent(slot) else {
            self.tally.calls += 1;
            let call = Call {
                name: name.to_owned(),
                arguments: arguments.to_owned(),
                ..Call::default()
            };
            return pieces.push((slot, Piece::Call(call)));
        };
        match sent.rest(arguments) {
            Ok(rest) => {
                self.tally.calls += 1;
                if !rest.is_empty() {
                    pieces.push((slot, Piece::CallDelta(rest)));
                }
                pieces.push((slot, Piece::CallEnd));
            }
            Err(Changed) => {
                self.tally.refused += 1;
                let code = CallErrorCode::MalformedParameter.as_str();
                let message = "the arguments were repaired after they had been sent".to_owned();
                self.notice(code, &message);
                pieces.push((slot, Piece::CallFailed { code, message }));
            }
        }
    }

    /// A call that was cut off is shown to nobody.
    fn refuse(
        &mut self,
        kind: EventKind<'_>,
        slot: Slot,
        options: &Options,
        pieces: &mut Vec<(Slot, Piece)>,
    ) {
        let EventKind::CallError {
            index,
            code,
            message,
            raw,
            ..
        } = kind
        else {
            return;
        };
        self.notice(code.as_str(), message);
        let call = (slot.choice, index);
        let is_new = self.refused.replace(call) != Some(call);
        self.tally.refused += u64::from(is_new);
        if self.sent(slot).is_some() {
            let (code, message) = (code.as_str(), message.to_owned());
            return pieces.push((slot, Piece::CallFailed { code, message }));
        }
        let shows = options.refused == Refused::Show && code != CallErrorCode::IncompleteCall;
        if is_new && shows {
            add(pieces, slot, Piece::Text(raw.to_owned()));
        }
    }
}

fn held(kind: EventKind<'_>, slot: Slot, sorted: &mut Sorted) {
    if let EventKind::CallEnd {
        id,
        name,
        arguments,
        ..
    } = kind
    {
        let call = Call {
            id: (!id.is_empty()).then(|| id.to_owned()),
            name: name.to_owned(),
            arguments: arguments.to_owned(),
            ..Call::default()
        };
        sorted.pieces.push((slot, Piece::Call(call)));
    }
}

impl Piece {
    /// Takes the other in, if both are text or both are thinking.
    pub(crate) fn joins(&mut self, other: &Piece) -> bool {
        match (self, other) {
            (Piece::Text(text), Piece::Text(more))
            | (Piece::Thought(text), Piece::Thought(more)) => {
                text.push_str(more);
                true
            }
            _ => false,
        }
    }
}

/// Adds a piece of a text.
fn add(pieces: &mut Vec<(Slot, Piece)>, slot: Slot, piece: Piece) {
    let last = pieces.last_mut().filter(|(of, _)| *of == slot);
    if !last.is_some_and(|(_, last)| last.joins(&piece)) {
        pieces.push((slot, piece));
    }
}

/// Joins pieces that touch and are of one kind.
pub(crate) fn joined(pieces: Pieces) -> Pieces {
    if pieces.len() < 2 {
        return pieces;
    }
    let mut all = Pieces::new();
    for piece in pieces {
        if !all.last_mut().is_some_and(|last| last.joins(&piece)) {
            all.push(piece);
        }
    }
    all
}
