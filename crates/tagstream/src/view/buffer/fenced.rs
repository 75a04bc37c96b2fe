//! A call in a Markdown fence: it is text, but its author probably meant it.

use super::block::{Block, Found, Policies};
use super::error::BufferErrorKind;
use super::validate::Validator;
use super::{Fault, Raw, json};
use crate::{Engine, Event, Policy};
use std::ops::Range;

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

/// A call in JSON that is all of a fence.
fn fenced_json(text: &str, policies: &Policies, validator: &Validator) -> Option<Raw> {
    insides(text).into_iter().find_map(|inside| {
        // The closing backticks may be in the last line of the JSON.
        let json = text[inside.clone()].trim_end().trim_end_matches(['`', '~']);
        if !json.trim_start().starts_with('{') {
            return None;
        }
        let call = json::read(&Block::json(json, policies), validator)?;
        Some(raw(call.name, inside.start + call.at))
    })
}

/// What is inside of the fences of a text.
fn insides(text: &str) -> Vec<Range<usize>> {
    let mut insides = Vec::new();
    let mut open: Option<(usize, &str)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let (mark, rest) = fence_mark(line);
        match open {
            None if !mark.is_empty() => open = Some((at + line.len(), mark)),
            Some((start, opener)) if mark.starts_with(opener) && rest.trim().is_empty() => {
                insides.push(start..at);
                open = None;
            }
            _ => {}
        }
        at += line.len();
    }
    insides.extend(open.map(|(start, _)| start..at));
    insides
}

/// The backticks or tildes of a fence that this line opens or closes, and what follows them.
fn fence_mark(line: &str) -> (&str, &str) {
    let line = line.trim_start();
    let rest = line.trim_start_matches(if line.starts_with('~') { '~' } else { '`' });
    match line.len() - rest.len() {
        0..3 => ("", line),
        length => line.split_at(length),
    }
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
