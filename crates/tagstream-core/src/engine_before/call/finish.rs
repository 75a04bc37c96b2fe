//! The beginning and the end of a call, as they are told.

use super::super::reader::Reader;
use super::state::{CallState, MOST_PROBLEMS, borrowed};
use crate::check::{ArgumentsText, CallErrorCode, CallText, Verdict};
use crate::event::{Kind, NoticeCode, Sink};
use crate::policy::call::Style;
use crate::profile::UnknownTool;

pub(super) const CUT_OFF: &str =
    "the message ended before the call was complete; write the whole call again";

/// So many tools are named to a model that has called one that there is not.
const MOST_NAMED: usize = 20;
/// So many characters of what is wrong are shown.
const MOST_SHOWN: usize = 24;

impl<S: Sink> Reader<'_, S> {
    pub(super) fn refuse_unknown_tool(&mut self) {
        let rules = self.call_rules();
        let call = &mut self.calls().call;
        let passes = rules.tools.is_empty() || rules.unknown_tool == UnknownTool::Pass;
        if call.tool.is_some() || passes {
            return;
        }
        let names = rules
            .tools
            .iter()
            .take(MOST_NAMED)
            .map(|tool| format!("`{}`", tool.name));
        let names = names.collect::<Vec<_>>().join(", ");
        let more = if rules.tools.len() > MOST_NAMED {
            ", …"
        } else {
            ""
        };
        let message = format!("there is no tool `{}`; there are: {names}{more}", call.name);
        call.problem(CallErrorCode::UnknownTool, None, message);
    }

    pub(super) fn refuse_one_too_many(&mut self) {
        let most = self.call_rules().max_calls;
        let calls = if most == 1 { "call" } else { "calls" };
        let message = format!("a message may have {most} {calls}; send the others in the next one");
        self.refuse(CallErrorCode::Limit, None, message);
    }

    /// Says that a call begins, unless something is wrong with it already.
    pub(super) fn start_call(&mut self, end: usize) {
        if !self.calls_ref().call.problems.is_empty() {
            return self.skip_call(end);
        }
        self.collect(end);
        let Some(mut calls) = self.state.calls.take() else {
            return;
        };
        calls.call.started = true;
        let kind = Kind::CallStart {
            index: calls.call.index,
            id: &calls.call.id,
            name: &calls.call.name,
        };
        self.emit(end, kind);
        self.state.calls = Some(calls);
    }

    /// The message has ended inside the call.
    pub(super) fn cut_off_call(&mut self) {
        let end = self.window.len();
        self.plain(end);
        if self.calls_ref().active {
            self.report_junk_behind_json();
            let call = &mut self.calls().call;
            if call.json.is_in_name() {
                call.name.clear();
            }
            call.problem(CallErrorCode::IncompleteCall, None, CUT_OFF);
            self.finish_call(end);
        }
        self.skip(end);
        self.leave_calls();
    }

    /// The call ends here: it is judged, and told.
    pub(super) fn finish_call(&mut self, end: usize) {
        self.collect(end);
        let Some(mut calls) = self.state.calls.take() else {
            return;
        };
        calls.active = false;
        calls.junk = false;
        self.refuse_nameless(&mut calls);
        refuse_broken_object(&mut calls);
        if calls.call.problems.is_empty() {
            self.judge(&mut calls, end);
        } else {
            self.tell_problems(&calls, end);
        }
        self.state.calls = Some(calls);
    }

    fn refuse_nameless(&mut self, calls: &mut CallState) {
        let rules = self.call_rules();
        if !calls.call.name.is_empty() || !calls.call.problems.is_empty() {
            return;
        }
        let keys = calls.rule(rules).keys.as_ref();
        let key = keys
            .and_then(|keys| keys.name.first())
            .map_or("name", |key| key);
        let message = match keys.is_some_and(|keys| keys.by_key) {
            true => "the call does not say which tool it is for; give it as the key".to_owned(),
            false => format!("the call does not say which tool it is for; give it in \"{key}\""),
        };
        calls
            .call
            .problem(CallErrorCode::MalformedCall, None, message);
    }

    fn judge(&mut self, calls: &mut CallState, end: usize) {
        let rules = self.call_rules();
        let call = &calls.call;
        let texts = call.texts(rules);
        let values = borrowed(&texts);
        let tags = matches!(calls.rule(rules).style, Style::Elements | Style::Pairs);
        let json = !tags || call.json.start.is_some();
        let text = CallText {
            name: &call.name,
            arguments: match json {
                true => ArgumentsText::Json(call.json_text()),
                false => self.dialect_values(calls, &values),
            },
        };
        match rules.checker.0.check(&text) {
            Verdict::Valid {
                arguments,
                repaired,
            } => {
                self.tell_repairs(calls, &repaired);
                self.tell_end(calls, &arguments, json, end);
            }
            Verdict::Invalid(problems) => {
                calls.call.problems = problems;
                calls.call.problems.truncate(MOST_PROBLEMS);
                self.tell_problems(calls, end);
            }
        }
    }

    fn tell_repairs(&mut self, calls: &CallState, repaired: &[String]) {
        for name in calls.call.repeated(self.call_rules()) {
            let message = format!("the argument `{name}` was given twice; the last one counts");
            self.notice(NoticeCode::Repaired, &message);
        }
        for message in repaired {
            self.notice(NoticeCode::Repaired, message);
        }
    }

    fn tell_end(&mut self, calls: &CallState, arguments: &str, json: bool, end: usize) {
        let call = &calls.call;
        let index = call.index;
        if json && (call.json.quoted || call.json_text().is_empty()) {
            // Nothing of them has been told yet.
            let kind = Kind::CallDelta {
                index,
                argument: None,
                text: arguments,
            };
            self.emit(self.mark, kind);
        }
        let kind = Kind::CallEnd {
            index,
            id: &call.id,
            name: &call.name,
            arguments,
        };
        self.emit(end, kind);
    }

    fn tell_problems(&mut self, calls: &CallState, end: usize) {
        let call = &calls.call;
        for problem in &call.problems {
            let kind = Kind::CallError {
                index: call.index,
                name: (!call.name.is_empty()).then_some(&*call.name),
                code: problem.code,
                argument: problem.argument.as_deref(),
                message: &problem.message,
                raw: &call.raw,
            };
            self.emit(end, kind);
        }
    }
}

/// What the check does not see of JSON: the object around the name and the arguments.
fn refuse_broken_object(calls: &mut CallState) {
    if !calls.call.problems.is_empty() || calls.call.json.object.is_empty() {
        return;
    }
    if let Some(rest) = calls.call.broken_object() {
        let seen = shown(rest);
        let message =
            format!("the call is no JSON from `{seen}` on; look for what is missing there");
        let code = CallErrorCode::InvalidJson;
        calls.call.problem(code, None, message);
    }
}

/// As much of a text as is shown.
pub(super) fn shown(text: &str) -> String {
    let text = text.trim();
    let more = text.chars().nth(MOST_SHOWN).map(|_| '…');
    text.chars().take(MOST_SHOWN).chain(more).collect()
}
