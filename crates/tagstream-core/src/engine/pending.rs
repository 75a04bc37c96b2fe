//! White space that waits for what follows it, with the tokens that have been removed from it.

use super::context::Context;
use crate::event::{NoticeCode, SkipReason};
use crate::token::Token;

/// The tokens removed from the white space between the context's mark and the next byte to read.
///
/// Invariant: they are in order, none begins before the mark, and only white space lies before,
/// between and after them.
#[derive(Debug, Default)]
pub(super) struct Pending {
    removed: Vec<Removed>,
}

#[derive(Clone, Copy, Debug)]
struct Removed {
    start: u64,
    end: u64,
    reason: SkipReason,
}

impl Pending {
    pub(super) fn is_empty(&self) -> bool {
        self.removed.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.removed.clear();
    }

    /// Where the last token ends, if there is one.
    pub(super) fn end(&self) -> u64 {
        self.removed.last().map_or(0, |removed| removed.end)
    }

    /// Removes a token: now, or, if what is before it still waits, together with that.
    pub(super) fn remove(
        &mut self,
        token: &Token,
        reason: SkipReason,
        waits: bool,
        cx: &mut Context<'_>,
    ) {
        let removed = Removed {
            start: token.start,
            end: token.end,
            reason,
        };
        if waits || cx.mark < token.start {
            self.removed.push(removed);
        } else {
            removed.skip(cx);
        }
    }

    /// The white space is kept: emits it with `keep`, and removes the tokens.
    pub(super) fn keep(&mut self, cx: &mut Context<'_>, keep: impl Fn(u64, &mut Context<'_>)) {
        for removed in self.removed.drain(..) {
            keep(removed.start, cx);
            removed.skip(cx);
        }
    }

    /// The white space up to `to` is dropped, and the tokens are removed.
    pub(super) fn drop_all(&mut self, to: u64, cx: &mut Context<'_>) {
        let drop = |to, cx: &mut Context<'_>| cx.skip(to, SkipReason::WhiteSpace);
        self.keep(cx, drop);
        drop(to, cx);
    }
}

impl Removed {
    fn skip(&self, cx: &mut Context<'_>) {
        if self.reason == SkipReason::OrphanClose {
            let tag = cx.text(self.start, self.end);
            let message = format!("`{tag}` closes nothing and was dropped");
            cx.notice(NoticeCode::OrphanClose, &message);
        }
        cx.skip(self.end, self.reason);
    }
}
