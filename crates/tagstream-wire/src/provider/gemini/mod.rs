//! Gemini's `streamGenerateContent`, as events or as a list, and `generateContent`.

mod partial;
mod write;

pub(crate) use write::Writer;

use super::{Input, Unknown, arguments, error};
use crate::delta::{CallPiece, Delta, Each, Joins, Slot};
use crate::json::{Kind, Value};
use partial::{Partial, Piece};

/// What must be known of the frames before.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    /// The reasons of choices that seem to be over. Some versions say so in every frame, so that
    /// only the end of the stream shows that it was true.
    over: Vec<(u64, String)>,
    /// The calls of which more comes.
    open: Vec<Open>,
    /// How many calls came in pieces.
    count: u64,
    /// Arguments that come in pieces have no more bytes.
    limit: usize,
}

/// A call that comes in pieces.
#[derive(Debug)]
struct Open {
    choice: u64,
    index: u64,
    id: Option<String>,
    partial: Partial,
}

/// No message has more open at once: the first of them gets no more pieces, and is not complete.
const MAX_OPEN_CALLS: usize = 16;
/// No request asks for more choices, and no reason has more bytes.
const MAX_CHOICES: usize = 1024;
const MAX_REASON_BYTES: usize = 256;
/// Where the numbers of calls begin that come in pieces, so that no text has the same.
const FIRST_CALL: u64 = 1 << 32;

impl Reader {
    /// With this limit for arguments that come in pieces.
    pub(super) fn new(limit: usize) -> Self {
        Reader {
            limit,
            ..Self::default()
        }
    }

    pub(super) fn read<'f>(
        &mut self,
        input: Input<'f>,
        each: &mut Each<'_, 'f>,
    ) -> Result<(), Unknown> {
        let root = input.doc.root();
        for (choice, candidate) in candidates(root) {
            self.candidate(candidate, choice, each);
        }
        let feedback = root.get("promptFeedback");
        if let Some(reason) = feedback.and_then(|feedback| feedback.given("blockReason")) {
            let message = format!("the prompt was blocked: {reason}").into();
            each.note(Delta::Error { message });
        }
        let is_error = error(root, each);
        each.usage(root.get("usageMetadata"));
        let keys = ["candidates", "usageMetadata", "promptFeedback"];
        if is_error || keys.iter().any(|key| root.has(key)) {
            Ok(())
        } else {
            Err(Unknown)
        }
    }

    /// The stream is over, and so are the choices that said so.
    pub(super) fn finish(&mut self, each: &mut Each<'_, 'static>) {
        for (choice, reason) in std::mem::take(&mut self.over) {
            let reason = reason.into();
            each.note(Delta::Finish { choice, reason });
        }
    }

    fn candidate<'f>(&mut self, candidate: Value<'f>, choice: u64, each: &mut Each<'_, 'f>) {
        let parts = candidate
            .get("content")
            .and_then(|content| content.get("parts"));
        for part in parts.into_iter().flat_map(Value::list) {
            self.part(part, choice, each);
        }
        if let Some(reason) = candidate.given("finishReason") {
            self.is_over(choice, &reason);
        }
    }

    fn is_over(&mut self, choice: u64, reason: &str) {
        self.over.retain(|(other, _)| *other != choice);
        if self.over.len() < MAX_CHOICES {
            let end = reason.floor_char_boundary(MAX_REASON_BYTES);
            self.over.push((choice, reason[..end].to_owned()));
        }
    }

    fn part<'f>(&mut self, part: Value<'f>, choice: u64, each: &mut Each<'_, 'f>) {
        let slot = Slot::new(choice, 0);
        if part.is_true("thought") {
            each.reasoning(slot, part.get("text"));
        } else {
            each.text(slot, part.get("text"));
        }
        if let Some(function) = part
            .get("functionCall")
            .filter(|function| function.is_object())
        {
            self.call(function, choice, each);
        }
    }

    fn call<'f>(&mut self, function: Value<'f>, choice: u64, each: &mut Each<'_, 'f>) {
        let pieces = function.get("partialArgs");
        let has_pieces = pieces.is_some_and(|pieces| !pieces.is_empty());
        let streams = function.is_true("willContinue") || has_pieces;
        match self.find(function, choice) {
            Some(at) => self.go_on(at, function, each),
            None if streams => {
                self.make_room(each);
                let at = self.begin(function, choice, each);
                self.go_on(at, function, each);
            }
            None => {
                let call = CallPiece {
                    id: function.given("id"),
                    name: function.given("name"),
                    arguments: arguments(function.get("args")),
                    joins: Joins::Nothing,
                    ..CallPiece::default()
                };
                each.give(function, Delta::Call { choice, call });
            }
        }
    }

    /// The call that a piece goes on with: the one with its id, or the last, if it has no name.
    fn find(&self, function: Value<'_>, choice: u64) -> Option<usize> {
        let id = function.given("id");
        let is_named = function.given("name").is_some();
        self.open.iter().rposition(|open| {
            let is_it = match (id.as_deref(), open.id.as_deref()) {
                (Some(id), Some(known)) => id == known,
                _ => !is_named,
            };
            open.choice == choice && is_it
        })
    }

    fn make_room(&mut self, each: &mut Each<'_, '_>) {
        if self.open.len() >= MAX_OPEN_CALLS {
            let Open { choice, index, .. } = self.open.remove(0);
            let slot = Slot::new(choice, index);
            each.note(Delta::BlockEnd { slot });
        }
    }

    fn begin<'f>(&mut self, function: Value<'f>, choice: u64, each: &mut Each<'_, 'f>) -> usize {
        let index = FIRST_CALL + self.count;
        self.count += 1;
        let id = function.given("id");
        let whole = function.get("args").filter(|args| args.is_object());
        self.open.push(Open {
            choice,
            index,
            id: id.as_deref().map(str::to_owned),
            partial: Partial::new(whole.map(Value::raw), self.limit),
        });
        // Without its end, what follows is not JSON, and the call not complete.
        let call = CallPiece {
            index: Some(index),
            id,
            name: function.given("name"),
            arguments: "{".into(),
            ..CallPiece::default()
        };
        each.give(function, Delta::Call { choice, call });
        self.open.len() - 1
    }

    fn go_on<'f>(&mut self, at: usize, function: Value<'f>, each: &mut Each<'_, 'f>) {
        let open = &mut self.open[at];
        let pieces = function.get("partialArgs");
        for piece in pieces.into_iter().flat_map(Value::list) {
            open.partial.add(Piece::of(piece));
        }
        if function.is_true("willContinue") {
            return;
        }
        let Open {
            choice,
            index,
            partial,
            ..
        } = self.open.remove(at);
        let json = partial.json().unwrap_or_default();
        let rest = json.get(1..).unwrap_or("").to_owned();
        let call = CallPiece::more(index, rest.into());
        each.give(function, Delta::Call { choice, call });
        let slot = Slot::new(choice, index);
        each.note(Delta::BlockEnd { slot });
    }
}

/// The candidates of a frame, each with its index.
fn candidates(root: Value<'_>) -> impl Iterator<Item = (u64, Value<'_>)> {
    let list = root
        .get("candidates")
        .filter(|list| list.kind() == Kind::List);
    let candidates = list.into_iter().flat_map(Value::list).zip(0..);
    let candidates = candidates.filter(|(candidate, _)| candidate.is_object());
    candidates.map(|(candidate, place)| (candidate.number_at("index").unwrap_or(place), candidate))
}
