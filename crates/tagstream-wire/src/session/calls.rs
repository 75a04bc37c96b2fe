//! Native calls: their pieces are joined, and checked once they are complete.

use super::emit::Emit;
use super::identity::{self, Hint, Identity};
use super::judge::Judge;
use super::numbers::Numbers;
use crate::decode::delta::{CallPiece, Joins};
use tagstream_core::check::Problem;
use tagstream_core::{EventKind, NoticeCode};

/// No message has more; a stream that says so is broken.
const MOST: usize = 4096;

/// The native calls of a choice that are not over.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    open: Vec<Call>,
}

#[derive(Debug, Default)]
pub(crate) struct Call {
    pub(crate) identity: Identity,
    pub(crate) name: Option<String>,
    pub(crate) arguments: String,
    pub(crate) is_too_long: bool,
    /// Its number and id in the choice, once it has begun.
    pub(crate) begun: Option<(u64, String)>,
    /// Why it is refused, whatever its arguments are.
    pub(crate) problems: Vec<Problem>,
}

impl Calls {
    pub(crate) fn push(
        &mut self,
        piece: &CallPiece<'_>,
        judge: &mut Judge,
        numbers: &mut Numbers,
        emit: &mut Emit<'_>,
    ) {
        let Some(at) = self.find(piece).or_else(|| self.begin(piece)) else {
            if piece.joins != Joins::Begun {
                emit.notice(NoticeCode::Limit, "too many open calls: one is ignored");
            }
            return;
        };
        let call = &mut self.open[at];
        call.name(piece, judge, emit);
        call.id(piece, judge);
        call.push(&piece.arguments, judge, numbers, emit);
    }

    /// The call a piece belongs to.
    fn find(&self, piece: &CallPiece<'_>) -> Option<usize> {
        if piece.joins == Joins::Nothing {
            return None;
        }
        let hint = Hint {
            index: piece.index,
            id: piece.id.as_deref(),
            is_named: piece.name.is_some(),
        };
        identity::find(self.open.iter().map(|call| &call.identity), hint)
    }

    fn begin(&mut self, piece: &CallPiece<'_>) -> Option<usize> {
        if piece.joins == Joins::Begun || self.open.len() >= MOST {
            return None;
        }
        let mut call = Call::default();
        call.identity.index = piece.index;
        self.open.push(call);
        Some(self.open.len() - 1)
    }

    /// Ends the calls of a block.
    pub(crate) fn end_block(
        &mut self,
        block: u64,
        judge: &mut Judge,
        numbers: &mut Numbers,
        emit: &mut Emit<'_>,
    ) {
        let is_it = |call: &Call| call.identity.index == Some(block);
        while let Some(at) = self.open.iter().position(is_it) {
            self.open.remove(at).end(judge, false, numbers, emit);
        }
    }

    /// Ends all calls, in the provider's order.
    pub(crate) fn end(
        &mut self,
        judge: &mut Judge,
        is_cut: bool,
        numbers: &mut Numbers,
        emit: &mut Emit<'_>,
    ) {
        let mut open = std::mem::take(&mut self.open);
        open.sort_by_key(|call| call.identity.index);
        for call in open {
            call.end(judge, is_cut, numbers, emit);
        }
    }
}

impl Call {
    fn name(&mut self, piece: &CallPiece<'_>, judge: &mut Judge, emit: &mut Emit<'_>) {
        match (&self.name, &piece.name) {
            (None, Some(name)) if judge.admits(name.len()) => self.name = Some(name.to_string()),
            (None, Some(_)) => self.is_too_long = true,
            (Some(name), Some(other)) if name != other => {
                let id = self.identity.id.as_deref().unwrap_or("without an id");
                let message = format!(
                    "the call {id} is named `{name}` and later `{other}`; the first name is kept"
                );
                emit.notice(NoticeCode::IdentityConflict, &message);
            }
            _ => {}
        }
    }

    fn id(&mut self, piece: &CallPiece<'_>, judge: &mut Judge) {
        if let (None, Some(id)) = (&self.identity.id, &piece.id)
            && judge.admits(id.len())
        {
            self.identity.id = Some(id.to_string());
        }
    }

    /// How many bytes of it are kept.
    fn size(&self) -> usize {
        let words = [&self.name, &self.identity.id].into_iter().flatten();
        words.map(String::len).sum::<usize>() + self.arguments.len()
    }

    fn push(&mut self, text: &str, judge: &mut Judge, numbers: &mut Numbers, emit: &mut Emit<'_>) {
        let before = self.arguments.len();
        self.identity.read(text);
        self.is_too_long |= before + text.len() > judge.limit;
        self.is_too_long = self.is_too_long || !judge.admits(text.len());
        if !self.is_too_long {
            self.arguments.push_str(text);
        }
        match self.begun {
            // A name may come before its id; arguments do not.
            None if self.name.is_some()
                && (self.identity.id.is_some() || !self.arguments.is_empty()) =>
            {
                self.start(judge, numbers, emit);
                self.delta(0, emit);
            }
            None => {}
            Some(_) => self.delta(before, emit),
        }
    }

    /// Says that it begins, unless something is wrong with it already.
    fn start(&mut self, judge: &mut Judge, numbers: &mut Numbers, emit: &mut Emit<'_>) {
        let index = numbers.call();
        let id = numbers.id(self.identity.id.as_deref(), index);
        let name = self.name.as_deref().unwrap_or("");
        self.problems = judge.problems(name, index);
        if self.problems.is_empty() {
            emit.native(EventKind::call_start(index, &id, name));
        }
        self.begun = Some((index, id));
    }

    /// Gives the arguments from this place on.
    fn delta(&self, from: usize, emit: &mut Emit<'_>) {
        let text = &self.arguments[from..];
        if let Some((index, _)) = self.begun
            && !text.is_empty()
            && self.problems.is_empty()
        {
            let argument = None;
            emit.native(EventKind::call_delta(index, argument, text));
        }
    }

    fn end(mut self, judge: &mut Judge, is_cut: bool, numbers: &mut Numbers, emit: &mut Emit<'_>) {
        judge.frees(self.size());
        if self.begun.is_none() && self.name.is_some() {
            self.start(judge, numbers, emit);
        }
        let number = match &self.begun {
            Some((number, _)) => *number,
            None => numbers.call(),
        };
        judge.call(&self, number, is_cut, emit);
    }
}
