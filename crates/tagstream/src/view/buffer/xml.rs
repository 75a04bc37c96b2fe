//! A block that is text: the calls in it, and what only looks like a call.

use super::block::{Block, Found, FoundCall, FoundError};
use super::diagnose::{Mistake, diagnose};
use super::error::BufferErrorKind;
use super::validate::Written;
use super::{Fault, Given, Raw};
use crate::{CallErrorCode, Policy};

/// The calls of a block that has stopped, in the order of the text.
pub(super) fn read(block: &mut Block, structure: &Policy) -> Vec<Raw> {
    let found = block.finish();
    let mistakes = if is_suspect(&found) {
        diagnose(structure, &block.text)
    } else {
        Vec::new()
    };
    let mut calls: Vec<Raw> = Vec::new();
    let mut left: Vec<Mistake> = mistakes;
    for call in found.calls {
        // What has no head has its mistake at the tag around it.
        let lacks_head = |m: &Mistake| {
            let is_around = m.at < call.place.start && m.kind == BufferErrorKind::MissingInvoke;
            call.name.is_none() && is_around
        };
        let inside = left.extract_if(.., |m| call.place.contains(&m.at) || lacks_head(m));
        let inside: Vec<_> = inside.collect();
        calls.push(raw(call, joined(inside), block.text.len()));
    }
    // Of mistakes outside of calls, the first one of each kind is enough.
    let mut left = by_call(&left);
    left.dedup_by_key(|mistake| mistake.kind);
    calls.extend(left.into_iter().map(none));
    calls.sort_by_key(|call| call.at);
    calls
}

/// Whether something may look like a call without being one.
fn is_suspect(found: &Found) -> bool {
    found.dropped || found.calls.is_empty() || found.calls.iter().any(|call| call.result.is_err())
}

/// The mistakes of each call as one.
fn by_call(mistakes: &[Mistake]) -> Vec<Mistake> {
    let calls = mistakes.chunk_by(|one, next| one.call == next.call);
    calls
        .flat_map(|mistakes| joined(mistakes.to_vec()))
        .collect()
}

/// Mistakes of one call as one, which is where the first of them is.
fn joined(mistakes: Vec<Mistake>) -> Option<Mistake> {
    let mut mistakes = mistakes.into_iter();
    let mut first = mistakes.next()?;
    for mistake in mistakes {
        if !first.message.contains(&mistake.message) {
            first.message.push_str("; ");
            first.message.push_str(&mistake.message);
        }
    }
    Some(first)
}

/// A call that the engine has found; a mistake in its structure explains its error.
fn raw(call: FoundCall, mistake: Option<Mistake>, end: usize) -> Raw {
    let at = call.place.start;
    let result = match (call.result, mistake) {
        (Ok(arguments), _) => Ok(Given {
            arguments,
            written: Written::Text,
            fixes: call.fixes,
        }),
        (Err(_), Some(mistake)) => Err(Fault::from(mistake)),
        (Err(errors), None) => Err(fault(&errors, at, end)),
    };
    Raw {
        name: call.name,
        at,
        result,
    }
}

fn fault(errors: &[FoundError], start: usize, end: usize) -> Fault {
    let code = errors.first().map(|error| error.code);
    let messages: Vec<_> = errors.iter().map(|error| error.message.as_str()).collect();
    let message = messages.join("; ");
    let (kind, message) = match code {
        Some(CallErrorCode::UnknownTool) => (BufferErrorKind::Tool, message),
        Some(CallErrorCode::Limit) => (BufferErrorKind::Limit, message),
        _ => (BufferErrorKind::Xml, format!("XML parse error: {message}")),
    };
    let value = errors.first().and_then(|error| error.at);
    let at = match code {
        Some(CallErrorCode::IncompleteCall) => end,
        _ => value.unwrap_or(start),
    };
    Fault { kind, message, at }
}

/// A text in which nothing looks like a call, where there should be one.
pub(super) fn no_call(text: &str) -> Raw {
    let at = text.len() - text.trim_start().len();
    none(Mistake::missing_wrapper(at))
}

/// What looks like a call but is not one.
fn none(mistake: Mistake) -> Raw {
    Raw {
        name: mistake.name.clone(),
        at: mistake.at,
        result: Err(mistake.into()),
    }
}

impl From<Mistake> for Fault {
    fn from(mistake: Mistake) -> Self {
        Fault {
            kind: mistake.kind,
            message: mistake.message,
            at: mistake.at,
        }
    }
}
