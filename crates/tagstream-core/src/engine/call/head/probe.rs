//! JSON that may be a call: whether it is JSON at all, and whom it calls.

use super::{At, Head};
use crate::engine::call::envelope::{Field, JsonEvent};
use crate::engine::call::name::{begins_name, is_name_byte};
use crate::engine::context::{Context, count_spaces};
use crate::engine::frame::{Answer, Step};
use crate::lexicon::Number;
use crate::policy::call::{HeadRule, Style, ToolRule};

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
            self.seen.start = if self.seen.has_text {
                cx.reading.at
            } else {
                self.seen.opener
            };
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
            (Some(b'{'), b'/') if self.may_be_relaxed(cx) => self.is_json(cx),
            (Some(b'{'), byte) if self.may_be_relaxed(cx) && begins_name(byte) => {
                self.go_to(At::BareKey)
            }
            _ => self.is_prose(cx),
        }
    }

    /// Whether JSON may begin with a key without quotes, or with a comment: after a whole head. If
    /// nothing but the bracket ends the name in it, the name must be declared.
    fn may_be_relaxed(&self, cx: &Context<'_>) -> bool {
        let head = self.seen.head.map(|head| cx.call_rules().head(head));
        let is_declared = || cx.call_rules().is_declared(self.seen.name(cx));
        let is_json = |head: &HeadRule| cx.call_rules().dialect(head.dialect).style == Style::Json;
        self.has_name()
            && head.is_some_and(|head| is_json(head) && (!head.is_bare || is_declared()))
    }

    /// Reads a key without quotes, which a colon follows.
    pub(super) fn read_bare_key(&mut self, cx: &mut Context<'_>) -> Step {
        let is_plain = |byte: &&u8| is_name_byte(**byte) && **byte != b':';
        cx.reading.at += cx.rest().iter().take_while(is_plain).count() as u64;
        match cx.rest().first() {
            None if cx.reading.at <= self.seen.end + PROBE_BYTES => Step::Continue,
            Some(b':') => self.is_json(cx),
            _ => self.is_prose(cx),
        }
    }

    /// Where an unknown tool is text, the name must be read before anything is emitted.
    fn is_json(&mut self, cx: &mut Context<'_>) -> Step {
        let is_marked = !self.must_be_declared(cx) && !self.seen.has_text;
        if is_marked || self.seen.head.is_some() || self.around.in_call {
            return self.is_call(cx);
        }
        if self.seen.has_text {
            self.text(cx).has_tried_json = true;
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
                let rules = cx.call_rules();
                self.tool = rules.tool(&name);
                self.is_named = self.tool.is_some() || rules.any_tool && !self.is_plain(cx);
                if self.is_named && self.is_unmarked(cx) {
                    self.see_arguments(cx)
                } else if self.is_named {
                    Step::Answer(Answer::Call(self.seen))
                } else if self.seen.has_text {
                    self.is_prose(cx)
                } else {
                    self.is_undeclared(cx)
                }
            }
            Some(JsonEvent::ArgumentsBegin) if self.is_unmarked(cx) => {
                if self.json.is_in_arguments() {
                    return self.go_to(At::FirstKey(cx.reading.at));
                }
                self.see_arguments(cx)
            }
            Some(JsonEvent::NoArguments) if self.is_unmarked(cx) => self.see_arguments(cx),
            Some(JsonEvent::Key(Field::Other)) if self.is_unmarked(cx) && !self.is_beside() => {
                self.is_prose(cx)
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

    // Where nothing marks a call, or text precedes it, a name alone does not show that there is one: a definition of the tool
    // has it too.

    /// Whether nothing marks the call, or text is between that and the call.
    fn is_unmarked(&self, cx: &Context<'_>) -> bool {
        let opener = self.opener.map(|opener| cx.call_rules().opener(opener));
        self.seen.has_text || opener.is_some_and(|opener| opener.is_bare)
    }

    /// Whether the key that has been read may be beside the name and the arguments.
    fn is_beside(&self) -> bool {
        let key = self.json.text().unwrap_or_default();
        matches!(&*key, "id" | "type" | "index")
    }

    /// Reads the first key of the arguments, or finds that there is none.
    pub(super) fn read_first_key(&mut self, start: u64, cx: &mut Context<'_>) -> Step {
        let rest = cx.bytes(start, cx.limit);
        let spaces = count_spaces(rest);
        let text = rest.get(spaces + 1..).unwrap_or_default();
        let end = match rest.get(spaces) {
            Some(b'"') => memchr::memchr(b'"', text),
            Some(_) => Some(0),
            None => None,
        };
        let Some(end) = end else {
            let is_short = rest.len() as u64 <= PROBE_BYTES;
            cx.reading.at = cx.limit;
            return if is_short {
                Step::Continue
            } else {
                self.is_prose(cx)
            };
        };
        let key = start + spaces as u64 + 1;
        self.first_key = (key, key + end as u64);
        cx.reading.at = start;
        self.at = At::Probe;
        self.see_arguments(cx)
    }

    /// It is a call if the tool is known and the arguments have come; their first one must be declared.
    fn see_arguments(&mut self, cx: &mut Context<'_>) -> Step {
        if !(self.is_named && self.json.names_arguments()) {
            return Step::Continue;
        }
        let tool = self.tool.map(|tool| cx.call_rules().tool_rule(tool));
        let key = cx.text_of(self.first_key);
        let takes_key = |tool: &ToolRule| tool.arguments.is_empty() || tool.argument(key).is_some();
        if key.is_empty() || tool.is_none_or(takes_key) {
            Step::Answer(Answer::Call(self.seen))
        } else {
            self.is_prose(cx)
        }
    }

    /// JSON has ended that does not name a tool. In thinking that is prose, elsewhere it is reported.
    pub(super) fn is_nameless(&mut self, cx: &mut Context<'_>) -> Step {
        if self.is_in_ended_thought(cx) || self.is_plain(cx) || self.seen.has_text {
            self.is_prose(cx)
        } else {
            self.is_call(cx)
        }
    }
}
