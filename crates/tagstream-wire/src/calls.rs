//! Calls that the provider tells apart by itself: their pieces joined, and judged once complete.

use crate::body::Nesting;
use crate::delta::{CallPiece, Joins};
use crate::emit::Emit;
use crate::judge::Judge;
use crate::numbers::Numbers;
use tagstream::{Kind, NoticeCode, Problem};

/// No message has more; a stream that says so is broken.
const MOST: usize = 4096;

/// The native calls of a choice that are not over.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    open: Vec<Call>,
}

#[derive(Debug, Default)]
pub(crate) struct Call {
    /// The provider's number for it.
    index: Option<u64>,
    /// The provider's id for it.
    id: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) arguments: String,
    nesting: Nesting,
    /// Its arguments are a whole JSON object, as far as brackets tell.
    pub(crate) is_closed: bool,
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
        judge: &Judge,
        numbers: &mut Numbers,
        emit: &mut Emit<'_>,
    ) {
        let Some(at) = self.find(piece).or_else(|| self.begin(piece)) else {
            if piece.joins != Joins::Begun {
                emit.notice(
                    NoticeCode::Limit,
                    "there are too many calls: one is passed over",
                );
            }
            return;
        };
        let call = &mut self.open[at];
        call.name(piece, emit);
        call.id = call.id.take().or(piece.id.as_deref().map(str::to_owned));
        call.push(&piece.arguments, judge, numbers, emit);
    }

    /// The call a piece belongs to.
    fn find(&self, piece: &CallPiece<'_>) -> Option<usize> {
        if piece.joins == Joins::Nothing {
            return None;
        }
        let last = |is: &dyn Fn(&Call) -> bool| self.open.iter().rposition(is);
        let at = match (piece.index, &piece.id) {
            (Some(_), _) => last(&|call| call.index == piece.index),
            (None, Some(id)) => last(&|call| call.id.as_deref() == Some(id)),
            (None, None) => self.open.len().checked_sub(1),
        };
        at.filter(|at| !self.open[*at].is_another(piece))
    }

    fn begin(&mut self, piece: &CallPiece<'_>) -> Option<usize> {
        if piece.joins == Joins::Begun || self.open.len() >= MOST {
            return None;
        }
        self.open.push(Call {
            index: piece.index,
            ..Call::default()
        });
        Some(self.open.len() - 1)
    }

    /// Ends the calls of a block.
    pub(crate) fn end_block(
        &mut self,
        block: u64,
        judge: &Judge,
        numbers: &mut Numbers,
        emit: &mut Emit<'_>,
    ) {
        while let Some(at) = self.open.iter().position(|call| call.index == Some(block)) {
            self.open.remove(at).end(judge, false, numbers, emit);
        }
    }

    /// Ends all calls, in the provider's order.
    pub(crate) fn end(
        &mut self,
        judge: &Judge,
        is_cut: bool,
        numbers: &mut Numbers,
        emit: &mut Emit<'_>,
    ) {
        let mut open = std::mem::take(&mut self.open);
        open.sort_by_key(|call| call.index);
        for call in open {
            call.end(judge, is_cut, numbers, emit);
        }
    }
}

impl Call {
    /// Whether a piece with this call's index is of another call all the same.
    ///
    /// Another id says so. With no ids at all, a name says so that comes when all arguments are
    /// there: some servers number all calls alike.
    fn is_another(&self, piece: &CallPiece<'_>) -> bool {
        match (&self.id, &piece.id) {
            (Some(id), Some(other)) => id != other,
            (None, None) => piece.name.is_some() && self.is_closed,
            _ => false,
        }
    }

    fn name(&mut self, piece: &CallPiece<'_>, emit: &mut Emit<'_>) {
        match (&self.name, &piece.name) {
            (None, Some(name)) => self.name = Some(name.to_string()),
            (Some(name), Some(other)) if name != other => {
                let id = self.id.as_deref().unwrap_or("without an id");
                let message =
                    format!("the call {id} is `{name}`, and then `{other}`; `{name}` stays");
                emit.notice(NoticeCode::IdentityConflict, &message);
            }
            _ => {}
        }
    }

    fn push(&mut self, text: &str, judge: &Judge, numbers: &mut Numbers, emit: &mut Emit<'_>) {
        let before = self.arguments.len();
        if !text.is_empty() {
            let closes = self.nesting.closes(text.as_bytes());
            self.is_closed = closes || (self.is_closed && text.trim_ascii().is_empty());
            self.is_too_long |= before + text.len() > judge.limit;
            if !self.is_too_long {
                self.arguments.push_str(text);
            }
        }
        match self.begun {
            // A name may come before its id; arguments do not.
            None if self.name.is_some() && (self.id.is_some() || !self.arguments.is_empty()) => {
                self.start(judge, numbers, emit);
                self.delta(0, emit);
            }
            None => {}
            Some(_) => self.delta(before, emit),
        }
    }

    /// Says that it begins, unless something is wrong with it already.
    fn start(&mut self, judge: &Judge, numbers: &mut Numbers, emit: &mut Emit<'_>) {
        let index = numbers.call();
        let id = numbers.id(self.id.as_deref(), index);
        let name = self.name.as_deref().unwrap_or("");
        self.problems = judge.problems(name, index);
        if self.problems.is_empty() {
            emit.native(Kind::CallStart {
                index,
                id: &id,
                name,
            });
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
            emit.native(Kind::CallDelta {
                index,
                argument,
                text,
            });
        }
    }

    fn end(mut self, judge: &Judge, is_cut: bool, numbers: &mut Numbers, emit: &mut Emit<'_>) {
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
