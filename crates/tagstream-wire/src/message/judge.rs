//! Whether a native call is right, now that no more of it comes.

use super::calls::Call;
use super::emit::Emit;
use crate::framing::body::Nesting;
use serde::de::IgnoredAny;
use std::borrow::Cow;
use tagstream_core::check::{ArgumentsText, CallText, Checker, Problem, Verdict};
use tagstream_core::{CallErrorCode, EventKind, NoticeCode, Profile, UnknownTool};

/// Those who read on may do so by recursion; serde_json reads no deeper either.
const MAX_DEPTH: u32 = 128;

/// How many tools are named in the message about an unknown tool.
const MAX_NAMED: usize = 20;

/// Judges calls.
#[derive(Clone, Debug)]
pub(crate) struct Judge {
    checker: Option<Checker>,
    tools: Vec<String>,
    takes_any: bool,
    most: u64,
    /// Arguments may have this many bytes.
    pub(crate) limit: usize,
    /// All calls that are open, of all choices, may have this many bytes more.
    room: usize,
}

impl Judge {
    /// Judges native calls by the profile's settings, as those in text are judged.
    pub(crate) fn new(profile: &Profile, frame_limit: usize) -> Self {
        let calls = profile.calls.as_ref();
        let tools = calls.map(|calls| calls.tools.iter().map(|tool| tool.name.clone()).collect());
        let tools: Vec<String> = tools.unwrap_or_default();
        let passes = calls.is_some_and(|calls| calls.unknown_tool == UnknownTool::Pass);
        let limit = profile.limits.value;
        Judge {
            checker: calls.map(|calls| calls.checker.clone()),
            takes_any: passes || calls.is_none_or(|calls| calls.any_tool && tools.is_empty()),
            tools,
            most: calls.and_then(|calls| calls.max_calls).unwrap_or(u64::MAX),
            limit,
            room: limit.max(frame_limit),
        }
    }

    /// Sets how many bytes a frame may have: so many of open calls may be kept too.
    pub(crate) fn frame_limit(&mut self, bytes: usize) {
        self.room = self.limit.max(bytes);
    }

    /// Whether this many bytes of a call may be kept; from now on they are.
    pub(crate) fn admits(&mut self, bytes: usize) -> bool {
        let left = self.room.checked_sub(bytes);
        self.room = left.unwrap_or(self.room);
        left.is_some()
    }

    /// This many bytes are no longer kept.
    pub(crate) fn frees(&mut self, bytes: usize) {
        self.room += bytes;
    }

    /// What is wrong with a call of which only the name and the number are known.
    pub(crate) fn problems(&self, name: &str, number: u64) -> Vec<Problem> {
        let mut problems = Vec::new();
        if !self.takes_any && !self.tools.iter().any(|tool| tool == name) {
            let message = format!("there is no tool `{name}`; {}", self.names());
            problems.push(problem(CallErrorCode::UnknownTool, message));
        }
        if number >= self.most {
            problems.push(problem(CallErrorCode::Limit, too_many(self.most)));
        }
        problems
    }

    fn names(&self) -> String {
        let named = self.tools.iter().take(MAX_NAMED);
        let names: Vec<_> = named.map(|name| format!("`{name}`")).collect();
        let more = if self.tools.len() > MAX_NAMED {
            ", …"
        } else {
            ""
        };
        match names.join(", ") {
            names if names.is_empty() => "none is declared".to_owned(),
            names => format!("there are: {names}{more}"),
        }
    }

    /// Gives the end of a call, or what is wrong with it. One that was cut off is not complete.
    pub(crate) fn call(&self, call: &Call, number: u64, is_cut: bool, emit: &mut Emit<'_>) {
        match self.verdict(call, is_cut).into_result() {
            Ok((arguments, repaired)) => {
                for message in &repaired {
                    emit.notice(NoticeCode::Repaired, message);
                }
                emit.native(EventKind::call_end(
                    number,
                    call.begun.as_ref().map_or("", |(_, id)| id),
                    call.name.as_deref().unwrap_or(""),
                    &arguments,
                ));
            }
            Err(problems) => {
                for problem in &problems {
                    refuse(call, number, problem, emit);
                }
            }
        }
    }

    fn verdict(&self, call: &Call, is_cut: bool) -> Verdict {
        if !call.problems.is_empty() {
            return Verdict::Invalid(call.problems.clone());
        }
        if call.is_too_long {
            return invalid(CallErrorCode::Limit, "the arguments are too long".into());
        }
        let Some(name) = call.name.as_deref() else {
            return invalid(CallErrorCode::MalformedCall, "the call has no name".into());
        };
        // Where no arguments came, they may have been missing only because the stream was cut off.
        let is_open = is_cut && !call.identity.is_closed && !call.is_complete;
        let is_empty = call.arguments.trim_ascii().is_empty();
        let json = match read(&call.arguments) {
            Ok(json) if !(call.has_failed || is_open && is_empty) => json,
            Ok(_) => return incomplete(name),
            Err(_) if call.has_failed || is_open => return incomplete(name),
            Err(problem) => return invalid(CallErrorCode::InvalidJson, problem),
        };
        let arguments = ArgumentsText::json(&json);
        match &self.checker {
            Some(checker) if !call.is_own_tool => checker.check(&CallText::new(name, arguments)),
            _ => Verdict::valid(json.into_owned(), Vec::new()),
        }
    }
}

/// The JSON object that the arguments are.
///
/// No arguments at all are an empty object, and some servers put the object into a string.
fn read(arguments: &str) -> Result<Cow<'_, str>, String> {
    let text = arguments.trim_ascii();
    if text.is_empty() || text == "null" {
        return Ok(Cow::Borrowed("{}"));
    }
    if text.starts_with('"')
        && let Ok(inner) = serde_json::from_str::<String>(text)
        && is_object(&inner).is_ok()
    {
        return Ok(Cow::Owned(inner));
    }
    is_object(text)?;
    // A message is a line, and a body may be laid out on many. In strings there are no newlines.
    if text.contains(['\n', '\r']) {
        return Ok(Cow::Owned(text.replace(['\n', '\r'], " ")));
    }
    Ok(Cow::Borrowed(text))
}

fn is_object(text: &str) -> Result<(), String> {
    let read: Result<IgnoredAny, _> = serde_json::from_str(text);
    let mut nesting = Nesting::default();
    nesting.closes(text.as_bytes());
    match read {
        Err(error) => Err(format!("the arguments are not JSON: {error}")),
        Ok(_) if !text.starts_with('{') => Err("the arguments are not a JSON object".to_owned()),
        Ok(_) if nesting.deepest > MAX_DEPTH => Err("the arguments are too deep".to_owned()),
        Ok(_) => Ok(()),
    }
}

fn incomplete(name: &str) -> Verdict {
    let message = format!("the stream ended inside the call of `{name}`");
    invalid(CallErrorCode::IncompleteCall, message)
}

fn invalid(code: CallErrorCode, message: String) -> Verdict {
    Verdict::Invalid(vec![problem(code, message)])
}

/// The message for a model that has made too many calls.
fn too_many(most: u64) -> String {
    let calls = if most == 1 { "call" } else { "calls" };
    format!("a message may have {most} {calls}; send the others in the next one")
}

fn problem(code: CallErrorCode, message: String) -> Problem {
    Problem::new(code, None, message)
}

fn refuse(call: &Call, number: u64, problem: &Problem, emit: &mut Emit<'_>) {
    emit.native(EventKind::call_error(
        number,
        call.name.as_deref(),
        problem,
        &call.arguments,
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_call_is_not_reported_as_several() {
        assert!(too_many(1).starts_with("a message may have 1 call;"));
        assert!(too_many(2).starts_with("a message may have 2 calls;"));
    }
}
