//! Whether a native call is right, now that no more of it comes.

use crate::body::Nesting;
use crate::calls::Call;
use crate::emit::Emit;
use crate::text::Text;
use serde::de::IgnoredAny;
use std::borrow::Cow;
use tagstream::{
    ArgumentsText, CallErrorCode, CallText, Checker, Kind, NoticeCode, Problem, Verdict,
};

/// Those who read on may do so by recursion; serde_json reads no deeper either.
const DEEPEST: u32 = 128;

/// Judges calls.
#[derive(Debug)]
pub(crate) struct Judge {
    pub(crate) checker: Option<Checker>,
}

impl Judge {
    /// Gives the end of a call, or what is wrong with it. One that was cut off is not complete.
    pub(crate) fn call(&self, call: &Call, number: u64, is_cut: bool, emit: &mut Emit<'_>) {
        match self.verdict(call, is_cut) {
            Verdict::Valid {
                arguments,
                repaired,
            } => {
                for message in &repaired {
                    emit.notice(NoticeCode::Repaired, message);
                }
                let (_, id) = call
                    .begun
                    .as_ref()
                    .map_or((0, ""), |(n, id)| (*n, id.as_str()));
                emit.native(Kind::CallEnd {
                    index: number,
                    id,
                    name: call.name.as_deref().unwrap_or(""),
                    arguments: &arguments,
                });
            }
            Verdict::Invalid(problems) => {
                for problem in &problems {
                    refuse(call, number, problem, emit);
                }
            }
        }
    }

    fn verdict(&self, call: &Call, is_cut: bool) -> Verdict {
        let Some(name) = call.name.as_deref() else {
            return invalid(CallErrorCode::MalformedCall, "the call has no name".into());
        };
        if call.is_too_long {
            return invalid(CallErrorCode::Limit, "the arguments are too long".into());
        }
        let json = match read(&call.arguments) {
            Ok(json) => json,
            Err(_) if is_cut && !call.is_closed => {
                let message = format!("the stream ended inside the call of `{name}`");
                return invalid(CallErrorCode::IncompleteCall, message);
            }
            Err(problem) => return invalid(CallErrorCode::InvalidJson, problem),
        };
        let arguments = ArgumentsText::Json(&json);
        match &self.checker {
            Some(checker) => checker.0.check(&CallText { name, arguments }),
            None => Verdict::Valid {
                arguments: json.into_owned(),
                repaired: Vec::new(),
            },
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
        && let Ok(Text(inner)) = serde_json::from_str(text)
        && is_object(&inner).is_ok()
    {
        return Ok(Cow::Owned(inner.into_owned()));
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
        Err(error) => Err(format!("the arguments are no JSON: {error}")),
        Ok(_) if !text.starts_with('{') => Err("the arguments are no JSON object".to_owned()),
        Ok(_) if nesting.deepest > DEEPEST => Err("the arguments are too deep".to_owned()),
        Ok(_) => Ok(()),
    }
}

fn invalid(code: CallErrorCode, message: String) -> Verdict {
    let argument = None;
    Verdict::Invalid(vec![Problem {
        code,
        argument,
        message,
    }])
}

fn refuse(call: &Call, number: u64, problem: &Problem, emit: &mut Emit<'_>) {
    emit.native(Kind::CallError {
        index: number,
        name: call.name.as_deref(),
        code: problem.code,
        argument: problem.argument.as_deref(),
        message: &problem.message,
        raw: &call.arguments,
    });
}
