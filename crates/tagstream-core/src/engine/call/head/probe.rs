//! JSON that may be a call: whether it is JSON at all, and whom it calls.

use super::{At, Head};
use crate::engine::call::envelope::JsonEvent;
use crate::engine::context::Context;
use crate::engine::frame::{Answer, Step};
use crate::lexicon::Number;

/// How far into JSON its name is looked for before anything is emitted, in bytes.
const PROBE_BYTES: u64 = 1024;

impl Head {
    /// JSON may begin here.
    pub(in crate::engine::call) fn see_json(
        &mut self,
        dialect: Number,
        cx: &mut Context<'_>,
    ) -> Step {
        self.seen.dialect = dialect;
        if self.seen.head.is_none() {
            self.seen.start = self.seen.opener;
            self.seen.end = cx.reading.at;
        }
        cx.reading.at += 1;
        self.go_to(At::Bracket)
    }

    pub(super) fn read_after_bracket(&mut self, cx: &mut Context<'_>) -> Step {
        let Some(byte) = cx.next_byte() else {
            return Step::Continue;
        };
        let before = cx.text(self.seen.opener, cx.reading.at).trim_end();
        let relaxed = cx.call_rules().dialect(self.seen.dialect).relaxed.as_ref();
        match (before.bytes().next_back(), byte) {
            (Some(b'['), b'{') => {
                cx.reading.at += 1;
                Step::Continue
            }
            (Some(b'['), b']') | (Some(b'{'), b'"' | b'\'' | b'}') => self.is_json(cx),
            (Some(b'{'), _) if relaxed.is_some_and(|rule| rule.begins_key(byte)) => {
                self.is_json(cx)
            }
            _ => self.is_prose(cx),
        }
    }

    /// Where an unknown tool is text, the name must be read before anything is emitted.
    fn is_json(&mut self, cx: &mut Context<'_>) -> Step {
        if !self.must_be_declared(cx) || self.seen.head.is_some() || self.around.in_call {
            return self.is_call(cx);
        }
        cx.reading.at = self.seen.end;
        self.go_to(At::Probe)
    }

    pub(super) fn probe(&mut self, cx: &mut Context<'_>) -> Step {
        let rule = cx.call_rules().dialect(self.seen.dialect);
        let deadline = self.seen.end + PROBE_BYTES;
        let room = (deadline + 1).saturating_sub(cx.reading.at) as usize;
        let rest = cx.rest();
        let (read, event) = self.json.read(&rest[..rest.len().min(room)], rule);
        cx.reading.at += read as u64;
        match event {
            Some(JsonEvent::Name | JsonEvent::KeyIsName) => {
                let name = self.json.text().unwrap_or_default();
                if cx.call_rules().is_declared(&name) {
                    return Step::Answer(Answer::Call(self.seen));
                }
                self.is_undeclared(cx)
            }
            Some(JsonEvent::ObjectEnd | JsonEvent::ListEnd) => self.is_nameless(cx),
            Some(JsonEvent::Markup) => Step::BEGIN,
            Some(JsonEvent::Control(_)) => {
                cx.reading.at += 1;
                Step::Continue
            }
            Some(_) => Step::Continue,
            None if cx.reading.at > deadline => self.is_prose(cx),
            None => Step::Continue,
        }
    }

    /// JSON has ended that does not name a tool. In thinking that is prose, elsewhere it is reported.
    pub(super) fn is_nameless(&mut self, cx: &mut Context<'_>) -> Step {
        if self.is_in_ended_thought(cx) || self.is_plain(cx) {
            self.is_prose(cx)
        } else {
            self.is_call(cx)
        }
    }
}
