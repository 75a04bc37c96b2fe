//! The beginning and the end of a call, as they are emitted.

use super::{JsonArguments, Site};
use crate::check::{ArgumentsText, CallErrorCode, CallText, Problem, Verdict};
use crate::engine::context::Context;
use crate::engine::store::call::{MAX_PROBLEMS, OpenCall, borrowed};
use crate::event::{EventKind, NoticeCode};
use crate::profile::{ThinkingMode, UnknownTool};
use std::fmt::Write;

pub(super) const CUT_OFF: &str =
    "the message ended before the call was complete; write the whole call again";

pub(super) const NAMELESS_KEY: &str =
    "the call does not say which tool it is for; write it as the key";

/// At most this many tools are named to a model that has called one that does not exist.
const MAX_TOOLS_NAMED: usize = 20;
/// At most this many characters of what is wrong are shown.
const MAX_CHARS_SHOWN: usize = 24;

/// The name of the call is certain: it starts, unless something is wrong with it already.
pub(super) fn accept_name(name: &str, end: u64, cx: &mut Context<'_>) {
    let rules = cx.call_rules();
    let call = &mut cx.store_mut().call;
    call.tool = rules.tool(name);
    let declared = call.tool.map(|tool| &*rules.tool_rule(tool).name);
    let own = declared.unwrap_or(name);
    call.name.clear();
    call.name.push_str(own);
    if call.id.is_empty() {
        // Writing to a string never fails.
        let _ = write!(call.id, "{}{}", rules.id_prefix, call.index);
    }
    if own != name {
        let message = format!("the tool was called `{}`; `{own}` is declared", shown(name));
        cx.repaired(&message);
    }
    if name.is_empty() {
        let message = "the call does not say which tool it is for; write its name at its beginning";
        cx.refuse(CallErrorCode::MalformedCall, None, message);
    } else {
        refuse_unknown_tool(cx);
    }
    refuse_one_too_many(cx);
    if cx.store().call.problems.is_empty() {
        cx.collect(end);
        let mut call = std::mem::take(&mut cx.store_mut().call);
        call.is_started = true;
        let kind = EventKind::CallStart {
            index: call.index,
            id: &call.id,
            name: &call.name,
        };
        cx.emit(end, kind);
        cx.store_mut().call = call;
    } else {
        cx.skip_call(end);
    }
}

fn refuse_unknown_tool(cx: &mut Context<'_>) {
    let rules = cx.call_rules();
    let accepts_any = rules.any_tool || rules.unknown_tool == UnknownTool::Pass;
    if cx.store().call.tool.is_some() || accepts_any {
        return;
    }
    let named = rules.tools.iter().take(MAX_TOOLS_NAMED);
    let named: Vec<_> = named.map(|tool| format!("`{}`", tool.name)).collect();
    let more = if rules.tools.len() > MAX_TOOLS_NAMED {
        ", …"
    } else {
        ""
    };
    let there_are = match named.join(", ") {
        names if names.is_empty() => "none is declared".to_owned(),
        names => format!("there are: {names}{more}"),
    };
    let message = format!("there is no tool `{}`; {there_are}", cx.store().call.name);
    cx.refuse(CallErrorCode::UnknownTool, None, message);
}

fn refuse_one_too_many(cx: &mut Context<'_>) {
    let max = cx.call_rules().max_calls;
    let calls = cx.reading.next_call;
    if calls.saturating_add(cx.store().calls_elsewhere) <= max {
        return;
    }
    let calls = if max == 1 { "call" } else { "calls" };
    let message = format!("a message may have {max} {calls}; send the others in the next one");
    cx.refuse(CallErrorCode::Limit, None, message);
}

/// The message has ended inside the call.
pub(super) fn cut_off(site: Site, json: Option<&dyn JsonArguments>, cx: &mut Context<'_>) {
    cx.refuse(CallErrorCode::IncompleteCall, None, CUT_OFF);
    finish_call(cx.end(), site, json, cx);
}

/// The call ends here: it is judged, and emitted.
pub(super) fn finish_call(
    end: u64,
    site: Site,
    json: Option<&dyn JsonArguments>,
    cx: &mut Context<'_>,
) {
    cx.collect(end);
    let mut call = std::mem::take(&mut cx.store_mut().call);
    refuse_nameless(&mut call, site, cx);
    if call.problems.is_empty() {
        judge(&mut call, end, site, json, cx);
    } else {
        emit_problems(&call, end, site, cx);
    }
    cx.store_mut().call = call;
}

fn refuse_nameless(call: &mut OpenCall, site: Site, cx: &Context<'_>) {
    if !call.name.is_empty() || !call.problems.is_empty() {
        return;
    }
    let keys = site.rule(cx.rules).keys.as_ref();
    let key = keys.and_then(|keys| keys.name.first());
    let key = key.map_or("name", |key| key);
    let message = if keys.is_some_and(|keys| keys.by_key) {
        NAMELESS_KEY.to_owned()
    } else {
        format!("the call does not say which tool it is for; write it in \"{key}\"")
    };
    call.add_problem(CallErrorCode::MalformedCall, None, message);
}

fn judge(
    call: &mut OpenCall,
    end: u64,
    site: Site,
    json: Option<&dyn JsonArguments>,
    cx: &mut Context<'_>,
) {
    let rules = cx.call_rules();
    let texts = call.texts(rules);
    let values = borrowed(&texts);
    let arguments = match (json, &site.rule(cx.rules).nested) {
        (Some(json), _) => ArgumentsText::Json {
            text: json.text(&call.raw),
            envelope: json.envelope(&call.raw),
            has_words: site.rule(cx.rules).relaxed.is_some(),
        },
        (None, None) => ArgumentsText::Values(&values),
        (None, Some(brackets)) => ArgumentsText::Nested {
            values: &values,
            brackets: [&brackets.open, &brackets.close, &brackets.end],
        },
    };
    let text = CallText::new(&call.name, arguments);
    match rules.checker.check(&text) {
        Verdict::Valid {
            arguments,
            repaired,
        } => {
            for message in &repaired {
                cx.notice(NoticeCode::Repaired, message);
            }
            if json.is_some_and(|json| json.is_unsaid(&call.raw)) {
                emit_arguments(call, &arguments, cx);
            }
            let kind = EventKind::CallEnd {
                index: call.index,
                id: &call.id,
                name: &call.name,
                arguments: &arguments,
            };
            cx.emit(end, kind);
        }
        Verdict::Invalid(problems) => {
            call.problems = problems;
            call.problems.truncate(MAX_PROBLEMS);
            emit_problems(call, end, site, cx);
        }
    }
}

/// Emits arguments of which nothing could be emitted before.
fn emit_arguments(call: &OpenCall, arguments: &str, cx: &mut Context<'_>) {
    let kind = EventKind::CallDelta {
        index: call.index,
        argument: None,
        text: arguments,
    };
    cx.emit(cx.mark, kind);
}

fn emit_problems(call: &OpenCall, end: u64, site: Site, cx: &mut Context<'_>) {
    for problem in &call.problems {
        let kind = EventKind::CallError {
            index: call.index,
            name: (!call.name.is_empty()).then_some(&*call.name),
            code: problem.code,
            argument: problem.argument.as_deref(),
            message: &problem.message,
            raw: &call.raw,
        };
        cx.emit(end, kind);
    }
    let is_cut_off = |problem: &Problem| problem.code == CallErrorCode::IncompleteCall;
    if !call.problems.iter().any(is_cut_off) {
        show_refused(&call.raw, site.in_thinking, cx);
    }
}

/// Reports that what has opened a call, and all up to `end`, cannot be read.
pub(super) fn report_unreadable(end: u64, in_thinking: bool, cx: &mut Context<'_>) {
    let raw = cx.text(cx.mark, end);
    let message = format!(
        "`{}` opens a call, and what follows is not written as one; write its name and its arguments",
        shown(raw)
    );
    let kind = EventKind::CallError {
        index: cx.reading.next_call,
        name: None,
        code: CallErrorCode::MalformedCall,
        argument: None,
        message: &message,
        raw,
    };
    cx.reading.next_call += 1;
    cx.emit(end, kind);
    show_refused(raw, in_thinking, cx);
}

/// Shows the text of a refused call, if that is wanted.
fn show_refused(raw: &str, in_thinking: bool, cx: &mut Context<'_>) {
    if cx.call_rules().shows_refused && !(in_thinking && hides_thoughts(cx)) {
        cx.reading.has_visible_text = true;
        cx.emit(cx.mark, EventKind::Text(raw));
    }
}

/// Whether thinking sections are not shown as text. One may not have begun for the outside, so nothing
/// can be said in its name.
fn hides_thoughts(cx: &Context<'_>) -> bool {
    let thinking = cx.rules.sections.first();
    thinking.is_some_and(|section| section.mode != ThinkingMode::Show)
}

/// As much of a text as is shown.
pub(super) fn shown(text: &str) -> String {
    let text = text.trim();
    let more = text.chars().nth(MAX_CHARS_SHOWN).map(|_| '…');
    text.chars().take(MAX_CHARS_SHOWN).chain(more).collect()
}
