//! Values whose closing tag is missing, or is not clear: repaired, or refused.

use super::Value;
use super::layout::newline_at_end;
use crate::check::CallErrorCode;
use crate::dialect::Repair;
use crate::engine::call::arguments::{refuse_undeclared, undeclared};
use crate::engine::call::finish::shown;
use crate::engine::call::misspelt::{self, Ending};
use crate::engine::context::Context;
use crate::engine::frame::{Ended, Step};
use crate::names::similar;

impl Value {
    /// The call's closing tag or another argument has come instead of the value's closing tag.
    pub(super) fn close_without_closing_tag(&mut self, start: u64, cx: &mut Context<'_>) -> Step {
        self.end(start, cx);
        let name = cx.store().call.argument().unwrap_or("").to_owned();
        // law: closer-inside
        match self.closer_inside {
            Some(closer) => self.refuse_closer_inside(closer, start, &name, cx),
            None if refuse_misspelt_closer(Ending::Open, cx) => {}
            None if self.refuse_opener_inside(cx) => {}
            None => match misspelt::other_closer(value_text(cx)) {
                None => self.repair_missing_closer(&name, cx),
                Some((at, tag)) if tag.eq_ignore_ascii_case(&name) => {
                    self.drop_own_name(at, &name, cx);
                }
                Some((_, tag)) => {
                    let message = format!(
                        "the value of `{name}` ends with `</{}>`, which closes nothing in it, and has no closing tag",
                        shown(tag)
                    );
                    cx.refuse(CallErrorCode::MalformedParameter, Some(&name), message);
                }
            },
        }
        cx.reading.at = start;
        Step::Pop(Ended::Argument(None))
    }

    /// The value ends with a closing tag of the argument's own name, in place of the dialect's. The tag
    /// was text when it arrived, and so it is in the deltas; it is not in the value.
    fn drop_own_name(&self, at: usize, name: &str, cx: &mut Context<'_>) {
        let message = format!(
            "the value of `{name}` had no closing tag; `</{name}>` at its end was taken for it"
        );
        if !cx.repairs(self.site, Repair::MissingValueCloser, &message) {
            return self.repair_missing_closer(name, cx);
        }
        let layout = if self.on_lines {
            newline_at_end(&value_text(cx)[..at])
        } else {
            0
        };
        if let Some(value) = cx.store_mut().call.values.last_mut() {
            value.text.end = value.text.start + at - layout;
        }
    }

    /// The value has a closing tag inside that does not end it, and none at its end.
    fn refuse_closer_inside(&self, closer: u64, end: u64, name: &str, cx: &mut Context<'_>) {
        let call = &cx.store().call;
        let text = call.last_bytes(end - closer);
        if let Some(name) = undeclared(text, self.site, cx) {
            return refuse_undeclared(&name, cx);
        }
        let text = shown(text);
        let follows = if text.is_empty() || call.is_truncated {
            String::new()
        } else {
            format!(
                ": `{text}` follows it, which is neither a declared argument nor the end of the call"
            )
        };
        let message = format!(
            "the value of `{name}` has a closing tag in it that does not end it{follows}. It has none \
             at its end; close the value, or leave out what does not belong to it"
        );
        cx.refuse(CallErrorCode::MalformedParameter, Some(name), message);
    }

    /// Refuses the call if the value has the opening tag of another argument in it, and at most one
    /// closing tag for both; false if it has none.
    pub(super) fn refuse_opener_inside(&self, cx: &mut Context<'_>) -> bool {
        if self.others == 0 || cx.store().call.is_truncated {
            return false;
        }
        let name = cx.store().call.argument().unwrap_or("").to_owned();
        let message = format!(
            "the value of `{name}` has the opening tag of another argument in it, and no closing tag before \
             it; close each value"
        );
        cx.refuse(CallErrorCode::MalformedParameter, Some(&name), message);
        true
    }

    /// The value has its closing tag in it, and after that something that was meant to be a tag.
    pub(super) fn refuse_odd_closer(&self, closer: u64, end: u64, cx: &mut Context<'_>) {
        let call = &cx.store().call;
        let name = call.argument().unwrap_or("").to_owned();
        let tag = tag_at_start(call.last_bytes(end - closer));
        let follows = if tag.is_empty() {
            String::new()
        } else {
            format!(": `{}`", shown(tag))
        };
        let meant = match self.closer_meant(tag, cx) {
            Some(closer) => format!("write `</{closer}>`"),
            None => "write that tag correctly, or leave it out".to_owned(),
        };
        let message = format!(
            "the value of `{name}` has its closing tag in it, and what follows looks like a tag of the call but is not one{follows}; {meant}"
        );
        cx.refuse(CallErrorCode::MalformedParameter, Some(&name), message);
    }

    /// The closing tag of the dialect that this one was meant to be.
    fn closer_meant<'r>(&self, tag: &str, cx: &Context<'r>) -> Option<&'r str> {
        let name = tag.strip_prefix("</")?.trim_end_matches('>');
        let closers = self
            .site
            .rule(cx.rules)
            .between(self.tool)
            .tags(0)
            .names(true);
        let known = closers.lists().into_iter().flatten();
        let known = known.filter_map(|(known, _)| std::str::from_utf8(known).ok());
        similar(name, known)
    }

    fn repair_missing_closer(&self, name: &str, cx: &mut Context<'_>) {
        let message = format!("the value of `{name}` had no closing tag");
        if !cx.repairs(self.site, Repair::MissingValueCloser, &message) {
            let message =
                format!("the value of `{name}` has no closing tag; write it after the value");
            cx.refuse(CallErrorCode::MalformedParameter, Some(name), message);
        }
    }
}

/// The tag that text begins with, white space aside.
fn tag_at_start(text: &str) -> &str {
    let text = text.trim_start();
    let end = text.find('>').map_or(text.len(), |end| end + 1);
    &text[..end]
}

/// The text of the last value, as far as it was kept.
fn value_text<'s>(cx: &'s Context<'_>) -> &'s str {
    let call = &cx.store().call;
    let value = call.values.last().filter(|_| !call.is_truncated);
    value.map_or("", |value| &call.raw[value.text.clone()])
}

/// Refuses the call if its last value has a tag that was meant to end it; false if it has none.
pub(super) fn refuse_misspelt_closer(ending: Ending, cx: &mut Context<'_>) -> bool {
    let call = &cx.store().call;
    let Some(value) = call.values.last().filter(|_| !call.is_truncated) else {
        return false;
    };
    let (before, text) = (&call.raw[..value.text.start], &call.raw[value.text.clone()]);
    let Some((tag, own)) = misspelt::find(before, text, ending) else {
        return false;
    };
    let name = call.argument().unwrap_or("").to_owned();
    let message = format!(
        "`{}` in the value of `{name}` is not its closing tag; write `</{}>`",
        shown(tag),
        shown(own)
    );
    cx.refuse(CallErrorCode::MalformedParameter, Some(&name), message);
    true
}
