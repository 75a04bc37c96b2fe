//! A call in a Markdown fence: it is text, but its author probably meant it.

use super::block::{Block, Found, Policies};
use super::error::BufferErrorKind;
use super::validate::Validator;
use super::{Fault, Raw, json};
use crate::{Engine, Event, Policy};

/// What is reported if a block without calls has one in a fence.
pub(super) fn read(text: &str, policies: &Policies, validator: &Validator) -> Option<Raw> {
    if !text.contains("```") && !text.contains("~~~") {
        return None;
    }
    xml(text, &policies.in_code).or_else(|| fenced_json(text, policies, validator))
}

/// A call in tags. In a code span it is an example, so it counts only at the start of a line.
fn xml(text: &str, in_code: &Policy) -> Option<Raw> {
    let mut found = Found::default();
    let mut engine = Engine::new(in_code);
    let mut sink = |event: Event<'_>| found.event(event);
    engine.push(text, &mut sink);
    engine.finish(&mut sink);
    let mut calls = found.calls.into_iter();
    let call = calls.find(|call| call.result.is_ok() && begins_line(text, call.place.start))?;
    Some(raw(call.name, call.place.start))
}

/// Whether only white space, or the wrapper of calls, precedes this byte in its line.
fn begins_line(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default().trim();
    line.is_empty() || line.starts_with('<')
}

/// A block that is one fence with a JSON object in it.
fn fenced_json(text: &str, policies: &Policies, validator: &Validator) -> Option<Raw> {
    let trimmed = text.trim();
    let mark = if trimmed.starts_with('~') { '~' } else { '`' };
    let inside = trimmed.trim_start_matches(mark).trim_end_matches(mark);
    let (_, inside) = inside.split_once('\n').filter(|_| inside != trimmed)?;
    let call = json::read(&Block::json(inside, policies), validator)?;
    let at = text.find(inside)?;
    Some(raw(call.name, at + call.at))
}

fn raw(name: Option<String>, at: usize) -> Raw {
    let message = "The call is in a Markdown fence, so it is text; write it without the fence";
    let fault = Fault {
        kind: BufferErrorKind::InFence,
        message: message.to_owned(),
        at,
    };
    Raw {
        name,
        at,
        result: Err(fault),
    }
}
