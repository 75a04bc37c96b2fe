//! Native calls: their pieces are joined, and checked once they are complete.

use super::choice::Shared;
use super::emit::Emit;
use super::identity::{self, Hint, Identity};
use super::judge::Judge;
use super::numbers::Numbers;
use super::twins::Twin;
use crate::delta::{CallPiece, Joins};
use tagstream_core::check::Problem;
use tagstream_core::{EventKind, NoticeCode};

/// No message has more; a stream that reports more is broken.
const MAX_OPEN_CALLS: usize = 4096;

/// The native calls of a choice that are not over.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    open: Vec<Call>,
}

/// What a piece of a native call is to a writer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct NativePiece {
    /// Its call's number among all that are written, found or native; `None` if it is ignored.
    pub(crate) number: Option<u64>,
    /// It is the first of its call.
    pub(crate) is_first: bool,
    /// Its call had its name, and its id, before.
    pub(crate) was_named: bool,
    pub(crate) had_id: bool,
    /// Its call may have come in the text already. It is held, and written once it is complete.
    pub(crate) is_held: bool,
    /// Its call has come in the text already.
    pub(crate) is_twin: bool,
    /// With it, its call is a whole one.
    pub(crate) is_whole: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Call {
    pub(crate) identity: Identity,
    pub(crate) name: Option<String>,
    pub(crate) arguments: String,
    pub(crate) is_too_long: bool,
    pub(crate) is_own_tool: bool,
    /// It came as a whole, so that nothing of it is missing, whatever follows.
    pub(crate) is_complete: bool,
    /// The server reported an error while it was open.
    pub(crate) has_failed: bool,
    /// Its number and id in the choice, once it has begun.
    pub(crate) begun: Option<(u64, String)>,
    /// Why it is refused, whatever its arguments are.
    pub(crate) problems: Vec<Problem>,
    /// Its number among those that are written.
    written: Option<u64>,
    is_held: bool,
    /// Its arguments have been a whole JSON object.
    was_whole: bool,
    /// What it is then, unless the text has it too.
    twin: Option<Twin>,
}

impl Calls {
    pub(crate) fn push(
        &mut self,
        piece: &CallPiece<'_>,
        judge: &mut Judge,
        shared: &mut Shared,
        emit: &mut Emit<'_>,
    ) -> NativePiece {
        let known = self.find(piece);
        let Some(at) = known.or_else(|| self.begin(piece, shared)) else {
            if piece.joins != Joins::Begun {
                emit.notice(NoticeCode::Limit, "too many open calls: one is ignored");
            }
            return NativePiece::default();
        };
        let call = &mut self.open[at];
        let mut taken = NativePiece {
            number: call.written,
            is_first: known.is_none(),
            was_named: call.name.is_some(),
            had_id: call.identity.id.is_some(),
            is_held: call.is_held,
            is_twin: false,
            is_whole: false,
        };
        call.name(piece, judge, emit);
        call.id(piece, judge);
        if piece.joins == Joins::Nothing && call.is_held {
            taken.is_held = false;
            call.is_held = false;
            let name = piece.name.as_deref().unwrap_or("");
            if shared
                .twins
                .take_found(Twin::new(name, &piece.arguments).as_ref())
            {
                self.open.remove(at);
                taken.is_twin = true;
                return taken;
            }
            let number = shared.numbers.written();
            call.written = Some(number);
            taken.number = Some(number);
        }
        let call = &mut self.open[at];
        call.push(&piece.arguments, judge, &mut shared.numbers, emit);
        taken.is_whole = call.is_whole_now();
        taken
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

    fn begin(&mut self, piece: &CallPiece<'_>, shared: &mut Shared) -> Option<usize> {
        if piece.joins == Joins::Begun || self.open.len() >= MAX_OPEN_CALLS {
            return None;
        }
        let name = piece.name.as_deref();
        let is_held = name.is_some_and(|name| shared.twins.has_found(name));
        let mut call = Call {
            is_own_tool: piece.is_own_tool,
            is_complete: piece.joins == Joins::Nothing,
            written: (!is_held).then(|| shared.numbers.written()),
            is_held,
            ..Call::default()
        };
        call.identity.index = piece.index;
        self.open.push(call);
        Some(self.open.len() - 1)
    }

    /// Whether an open call is of this tool.
    pub(crate) fn has(&self, name: &str) -> bool {
        let is_it = |call: &Call| !call.is_held && call.name.as_deref() == Some(name);
        self.open.iter().any(is_it)
    }

    /// Whether a call of the same tool is open and goes on: it may yet be this one.
    pub(crate) fn has_unfinished(&self, twin: &Twin) -> bool {
        let goes_on = |call: &&Call| !call.is_held && !call.was_whole;
        let names = self.open.iter().filter(goes_on).map(|call| &call.name);
        names.flatten().any(|name| twin.has_name(name))
    }

    /// Whether an open call is this one; from now on it has its twin.
    pub(crate) fn take_twin(&mut self, twin: &Twin) -> bool {
        let mut open = self.open.iter_mut();
        let call = open.find(|call| !call.is_held && call.twin.as_ref() == Some(twin));
        call.map(|call| call.twin = None).is_some()
    }

    /// The server reports an error: clients run none of the calls that are open.
    pub(crate) fn fail(&mut self) {
        let open = self.open.iter_mut().filter(|call| !call.is_complete);
        open.for_each(|call| call.has_failed = true);
    }

    /// Ends the calls of a block.
    pub(crate) fn end_block(
        &mut self,
        block: u64,
        judge: &mut Judge,
        shared: &mut Shared,
        emit: &mut Emit<'_>,
    ) {
        let is_it = |call: &Call| call.identity.index == Some(block);
        while let Some(at) = self.open.iter().position(is_it) {
            self.open.remove(at).end(judge, false, shared, emit);
        }
    }

    /// Ends all calls, in the provider's order.
    pub(crate) fn end(
        &mut self,
        judge: &mut Judge,
        is_cut: bool,
        shared: &mut Shared,
        emit: &mut Emit<'_>,
    ) {
        let mut open = std::mem::take(&mut self.open);
        open.sort_by_key(|call| call.identity.index);
        for call in open {
            call.end(judge, is_cut, shared, emit);
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
        if self.is_held {
            return;
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

    /// Whether its arguments are a whole JSON object for the first time.
    fn is_whole_now(&mut self) -> bool {
        let is_now = self.identity.is_closed && !self.was_whole;
        if is_now {
            self.was_whole = true;
            let name = self.name.as_deref().unwrap_or("");
            self.twin = Twin::new(name, &self.arguments);
        }
        is_now
    }

    /// Emits its start, unless something is wrong with it already.
    fn start(&mut self, judge: &mut Judge, numbers: &mut Numbers, emit: &mut Emit<'_>) {
        let index = numbers.call();
        let id = numbers.id(self.identity.id.as_deref(), index);
        let name = self.name.as_deref().unwrap_or("");
        self.problems = if self.is_own_tool {
            Vec::new()
        } else {
            judge.problems(name, index)
        };
        if self.problems.is_empty() {
            emit.native(EventKind::call_start(index, &id, name));
        }
        self.begun = Some((index, id));
    }

    /// Emits the arguments from this byte on.
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

    fn end(mut self, judge: &mut Judge, is_cut: bool, shared: &mut Shared, emit: &mut Emit<'_>) {
        judge.frees(self.size());
        let name = self.name.as_deref().unwrap_or("");
        if !self.was_whole {
            self.twin = Twin::new(name, &self.arguments);
        }
        let twin = self.twin.take();
        if self.is_held && shared.twins.take_found(twin.as_ref()) {
            return;
        }
        if !self.is_held {
            shared.twins.native(twin);
        }
        let numbers = &mut shared.numbers;
        if self.begun.is_none() && self.name.is_some() {
            self.start(judge, numbers, emit);
            self.delta(0, emit);
        }
        let number = match &self.begun {
            Some((number, _)) => *number,
            None => numbers.call(),
        };
        judge.call(&self, number, is_cut, emit);
        if self.is_held {
            // Its pieces were not passed on: now all of it is.
            let id = self.identity.id.as_deref().unwrap_or("");
            let name = self.name.as_deref().unwrap_or("");
            emit.held(EventKind::call_end(number, id, name, &self.arguments));
        }
    }
}
