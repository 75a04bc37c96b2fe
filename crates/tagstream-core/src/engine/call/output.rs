//! What the places of a call emit, and what is kept of it.

use super::Site;
use crate::check::CallErrorCode;
use crate::dialect::Repair;
use crate::engine::context::Context;
use crate::event::{EventKind, NoticeCode, SkipReason};
use crate::json::literals::{Literals, Taken};

/// How far literals have been written as JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// As far as it is known what they are.
    Known,
    /// To the end of the arguments.
    End,
    /// There is no room for more.
    TooLong,
    /// What follows is not a literal.
    Wrong,
}

impl Context<'_> {
    /// Keeps the text of the call up to `to`.
    pub(super) fn collect(&mut self, to: u64) {
        let (text, rules) = (self.text(self.mark, to), self.rules);
        self.store_mut().call.collect(text, &rules.limits);
    }

    /// Passes over text of the call up to `to`.
    pub(super) fn skip_call(&mut self, to: u64) {
        if to > self.mark {
            self.collect(to);
            self.skip(to, SkipReason::Call);
        }
    }

    /// Emits text of an argument up to `to`.
    pub(super) fn emit_delta(&mut self, to: u64) {
        if to <= self.mark {
            return;
        }
        let call = &self.store().call;
        if call.is_started && !call.is_truncated {
            let room = call.room(self.text(self.mark, to), &self.rules.limits);
            let end = self.mark + room as u64;
            self.collect(end);
            if room > 0 {
                let text = self.text(self.mark, end);
                self.emit_argument(end, text);
            }
        }
        self.skip_call(to);
    }

    /// Emits `text` in place of the text up to `to`, whose meaning it is.
    pub(super) fn emit_instead(&mut self, to: u64, text: &str) {
        self.collect(to);
        if self.store().call.is_started && !self.store().call.is_truncated {
            self.emit_argument(to, text);
        } else {
            self.skip(to, SkipReason::Call);
        }
    }

    /// Reads literals up to `to`, and emits what they are in JSON.
    pub(super) fn emit_literals(&mut self, literals: &mut Literals, to: u64) -> Written {
        loop {
            let room = self.store().call.room_for(&self.rules.limits);
            let bytes = self.bytes(self.mark, to);
            let from = literals.text.len();
            let taken = literals.take(&bytes[..bytes.len().min(room)]);
            match taken {
                Taken::Read(len) | Taken::End(len) => {
                    let end = self.mark + len as u64;
                    match &literals.text[from..] {
                        "" => self.skip_call(end),
                        text => self.emit_instead(end, text),
                    }
                }
                Taken::More if bytes.len() > room => return Written::TooLong,
                Taken::More => return Written::Known,
                Taken::Wrong => return Written::Wrong,
            }
            if matches!(taken, Taken::End(_)) {
                return Written::End;
            }
        }
    }

    /// Emits text of the argument that is being read, for the bytes up to `to`.
    fn emit_argument(&mut self, to: u64, text: &str) {
        self.emit_stored(to, |store| EventKind::CallDelta {
            index: store.call.index,
            argument: store.call.argument(),
            text,
        });
    }

    /// Emits JSON arguments that have been read before.
    pub(super) fn emit_earlier_json(&mut self, text: &str) {
        self.emit_stored(self.mark, |store| EventKind::CallDelta {
            index: store.call.index,
            argument: None,
            text,
        });
    }

    pub(super) fn dropped(&mut self, message: &str) {
        self.notice(NoticeCode::Dropped, message);
    }

    pub(super) fn repaired(&mut self, message: &str) {
        self.notice(NoticeCode::Repaired, message);
    }

    /// Whether a mistake is repaired, because the dialect lists that repair. Reports it if so.
    pub(super) fn repairs(&mut self, site: Site, repair: Repair, message: &str) -> bool {
        let repairs = site.rule(self.rules).repairs(repair);
        if repairs {
            self.repaired(message);
        }
        repairs
    }

    /// Something is wrong with the call: it will be refused.
    pub(super) fn refuse(
        &mut self,
        code: CallErrorCode,
        argument: Option<&str>,
        message: impl Into<String>,
    ) {
        self.store_mut().call.add_problem(code, argument, message);
    }
}
