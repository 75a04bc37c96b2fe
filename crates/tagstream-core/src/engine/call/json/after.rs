//! What comes after the JSON of a call, up to what closes it.

use super::{At, EXTRA_BRACKET, Json, begin_envelope};
use crate::check::CallErrorCode;
use crate::dialect::Repair;
use crate::engine::call::arguments::NO_CLOSING_TAG;
use crate::engine::call::finish::shown;
use crate::engine::call::name::is_name_byte;
use crate::engine::context::Context;
use crate::engine::frame::{Place, Step};
use crate::policy::call::Style;
use crate::token::Token;

impl Json {
    pub(super) fn read_after(&mut self, cx: &mut Context<'_>) -> Step {
        let rule = self.site.rule(cx.rules);
        if rule.style == Style::Json && !rule.call_closes && self.is_over(cx) {
            self.finish(cx.reading.at, cx);
            return Step::Pop(self.site.leave_call(cx));
        }
        let next = cx.next_byte();
        if let Some(marker) = self.marker_at {
            let is_far = cx.reading.at - marker > cx.rules.limits.lookahead as u64;
            let stops = &self.lexicon(cx.rules, cx.reading).stops;
            if is_far || next.is_some_and(|byte| !stops.stop(byte)) {
                return self.end_before_marker(marker, cx);
            }
        }
        match next {
            None => Step::Continue,
            Some(byte) if self.lexicon(cx.rules, cx.reading).stops.stop(byte) => Step::BEGIN,
            Some(b'{') if self.site.rule(cx.rules).several => {
                // The call ends where the next one begins.
                self.plain(cx.reading.at, cx);
                self.finish(cx.reading.at, cx);
                Step::Replace(begin_envelope(self.site, cx))
            }
            Some(b'}' | b']') if !self.has_extra_bracket => {
                self.has_extra_bracket = true;
                cx.reading.at += 1;
                self.plain(cx.reading.at, cx);
                cx.repaired(EXTRA_BRACKET);
                Step::Continue
            }
            Some(b'`') if self.fence_marks < 3 && self.site.is_wrapped => {
                self.fence_marks += 1;
                cx.reading.at += 1;
                self.plain(cx.reading.at, cx);
                if self.fence_marks == 3 {
                    cx.repaired("the fence around the JSON was passed over");
                }
                Step::Continue
            }
            Some(_) => {
                self.begin_junk_after(cx.reading.at, cx);
                Step::Continue
            }
        }
    }

    /// Whether JSON that nothing closes ends here. Where words need no quotes, a bracket that is followed
    /// by a word may be part of one.
    fn is_over(&self, cx: &Context<'_>) -> bool {
        let next = cx.rest().first();
        let stops = &self.lexicon(cx.rules, cx.reading).stops;
        next.is_some_and(|byte| !stops.stop(*byte) && !is_name_byte(*byte))
    }

    /// Text follows a marker after the JSON: the call has ended before the marker, which is read again.
    pub(super) fn end_before_marker(&mut self, marker: u64, cx: &mut Context<'_>) -> Step {
        self.marker_at = None;
        self.plain(marker, cx);
        cx.repaired(NO_CLOSING_TAG);
        self.finish(marker, cx);
        cx.reading.at = marker;
        Step::Pop(self.site.leave_call(cx))
    }

    pub(super) fn begin_junk_after(&mut self, start: u64, cx: &mut Context<'_>) {
        cx.skip_call(start);
        self.junk_after = Some(cx.store().call.raw.len());
        self.at = At::Broken;
    }

    /// What follows the JSON is known up to its end.
    pub(super) fn report_junk_after(&mut self, cx: &mut Context<'_>) {
        let Some(start) = self.junk_after.take() else {
            return;
        };
        let junk = shown(cx.store().call.raw.get(start..).unwrap_or(""));
        let message = format!("`{junk}` is between the JSON and the closing tag; leave it out");
        cx.refuse(CallErrorCode::MalformedCall, None, message);
    }

    pub(super) fn refuse_unfinished(&mut self, cx: &mut Context<'_>) {
        let message = if self.json.has_begun() {
            "the JSON is not complete: a bracket or a quote is missing"
        } else {
            "the call has no arguments; write a JSON object, `{}` if there are none"
        };
        cx.refuse(CallErrorCode::InvalidJson, None, message);
    }

    /// The closing tag of the JSON has come: after it, or too early, or once more.
    pub(super) fn close_tags(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        let closes = std::mem::take(&mut self.in_tags);
        match self.at {
            At::After if closes => cx.skip_call(token.end),
            At::After => self.begin_junk_after(token.start, cx),
            _ => self.at = At::Broken,
        }
        Step::Continue
    }

    /// The call ends, and the closing tag of its JSON has not come.
    pub(super) fn report_unclosed_tags(&mut self, cx: &mut Context<'_>) {
        if !std::mem::take(&mut self.in_tags) {
            return;
        }
        let message = "the JSON had no closing tag";
        if !cx.repairs(self.site, Repair::MissingValueCloser, message) {
            let message = "the JSON has no closing tag; write it before the call ends";
            cx.refuse(CallErrorCode::MalformedCall, None, message);
        }
    }
}
