//! JSON that is not written as JSON: Python, other quotes and bare keys.

use super::{At, Json, NOT_LITERAL};
use crate::check::CallErrorCode;
use crate::engine::call::output::Written;
use crate::engine::context::Context;
use crate::engine::frame::{Place, Step};
use crate::json::relaxed::{RealJson, Relaxed};
use crate::token::Token;

impl Json {
    /// Emits what the text up to `to` is in JSON, as far as that is certain. What is not a literal is
    /// refused.
    pub(super) fn emit_python(&mut self, to: u64, cx: &mut Context<'_>) {
        if self.is_refused || cx.store().call.is_truncated {
            return cx.skip_call(to);
        }
        let Some(mut python) = self.python.take() else {
            return;
        };
        match cx.emit_literals(&mut python, to) {
            Written::Known => {}
            Written::TooLong => cx.skip_call(to),
            Written::End | Written::Wrong => {
                cx.refuse(CallErrorCode::InvalidJson, None, NOT_LITERAL);
                self.is_refused = true;
                cx.skip_call(to);
            }
        }
        self.python = Some(python);
    }

    /// One of the dialect's quotes begins or ends a string.
    pub(super) fn take_quote(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        let next = match self.at {
            At::Inside => At::Quoted,
            At::Quoted => At::Inside,
            At::After => {
                self.begin_junk_after(token.start, cx);
                return Step::Continue;
            }
            At::Broken | At::Over { .. } => return Step::Continue,
        };
        self.plain(token.start, cx);
        self.emit_real(token.end, |real, _, _| real.take_quote(), cx);
        self.at = next;
        Step::Continue
    }

    /// Emits what the text up to `to` is in real JSON.
    pub(super) fn emit_real(
        &mut self,
        to: u64,
        take: impl FnOnce(&mut RealJson, &str, &Relaxed),
        cx: &mut Context<'_>,
    ) {
        if to <= cx.mark {
            return;
        }
        let call = &cx.store().call;
        let rule = self.site.rule(cx.rules).relaxed.as_ref();
        let Some(rule) = rule.filter(|_| call.is_started && !call.is_truncated) else {
            return cx.skip_call(to);
        };
        let room = call.room(cx.text(cx.mark, to), &cx.rules.limits);
        let end = cx.mark + room as u64;
        if room > 0 {
            let from = self.real.text.len();
            take(&mut self.real, cx.text(cx.mark, end), rule);
            let end = end - u64::from(self.real.give_back());
            if end > cx.mark {
                cx.emit_instead(end, &self.real.text[from..]);
            }
        }
        if end < to {
            cx.skip_call(to);
        }
    }
}
