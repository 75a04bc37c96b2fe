//! JSON that is not written as JSON: Python, other quotes and bare keys.

use super::{At, Json, NOT_LITERAL};
use crate::check::CallErrorCode;
use crate::engine::context::Context;
use crate::engine::frame::{Place, Step};
use crate::event::EventKind;
use crate::json::python::Taken;
use crate::json::relaxed::{RealJson, Relaxed};
use crate::token::Token;

impl Json {
    /// Emits what the text up to `to` is in JSON, as far as that is certain. What is not a literal is
    /// refused.
    pub(super) fn emit_python(&mut self, to: u64, cx: &mut Context<'_>) {
        if self.is_refused || cx.store.call.is_truncated {
            return cx.skip_call(to);
        }
        let Some(mut python) = self.python.take() else {
            return;
        };
        while cx.mark < to {
            let before = python.text.len();
            let room = cx.store.call.room_for(&cx.rules.limits);
            let bytes = cx.bytes(cx.mark, to);
            let is_cut = bytes.len() > room;
            match python.take(&bytes[..bytes.len().min(room)]) {
                Taken::Read(len) => {
                    let end = cx.mark + len as u64;
                    if python.text.len() == before {
                        cx.skip_call(end);
                    } else {
                        cx.emit_instead(end, &python.text[before..]);
                    }
                }
                Taken::More if !is_cut => break,
                Taken::More => cx.skip_call(to),
                Taken::End(_) | Taken::Wrong => {
                    cx.refuse(CallErrorCode::InvalidJson, None, NOT_LITERAL);
                    self.is_refused = true;
                    cx.skip_call(to);
                }
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
            At::Broken => return Step::Continue,
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
        let call = &cx.store.call;
        if call.is_started && !call.is_truncated {
            let room = call.room(cx.text(cx.mark, to), &cx.rules.limits);
            let end = cx.mark + room as u64;
            if room > 0 {
                self.emit_real_within(end, take, cx);
            }
            if end == to {
                return;
            }
        }
        cx.skip_call(to);
    }

    pub(super) fn emit_real_within(
        &mut self,
        to: u64,
        take: impl FnOnce(&mut RealJson, &str, &Relaxed),
        cx: &mut Context<'_>,
    ) {
        let Some(rule) = &self.site.rule(cx.rules).relaxed else {
            return;
        };
        let from = self.real.text.len();
        take(&mut self.real, cx.text(cx.mark, to), rule);
        let to = to - u64::from(self.real.give_back());
        if to == cx.mark {
            return;
        }
        cx.collect(to);
        let kind = EventKind::CallDelta {
            index: cx.store.call.index,
            argument: None,
            text: &self.real.text[from..],
        };
        cx.emit(to, kind);
    }
}
