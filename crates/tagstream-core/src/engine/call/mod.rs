//! Tool calls: from an opening tag that may begin one to the end of the call.
//!
//! [`head`] looks ahead to find out whether there is a call; then a [`wrapper`] holds calls, and a
//! call is [`arguments`] with each [`key`] and [`value`], or [`json`]. [`follow`] looks ahead after
//! what may be the closing tag of a value.

pub(super) mod arguments;
mod envelope;
mod finish;
pub(super) mod follow;
pub(super) mod head;
pub(super) mod json;
pub(super) mod key;
mod misspelt;
mod name;
mod output;
pub(in crate::engine) mod python;
pub(in crate::engine) mod value;
pub(super) mod wrapper;

use super::context::Context;
use super::frame::{Ended, Frame, Step};
use crate::check::EnvelopeText;
use crate::event::SkipReason;
use crate::lexicon::Number;
use crate::policy::Rules;
use crate::policy::call::{CallRules, DialectRule, Style};
use crate::token::{Shape, Suffix, Token};
use arguments::Arguments;
use head::SeenHead;
use json::Json;
use wrapper::Wrapper;

/// Which call this is, for the places inside it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    pub(super) dialect: Number,
    /// The call is in a wrapper.
    pub(super) is_wrapped: bool,
    /// The call is in a thinking section.
    pub(super) in_thinking: bool,
    /// The suffix of its tags.
    pub(super) suffix: Option<Suffix>,
}

impl Site {
    /// Whether a tag has the suffix of the call's.
    fn fits(&self, token: &Token) -> bool {
        token.shape == Shape::Literal || token.suffix == self.suffix
    }

    fn rule<'r>(&self, rules: &'r Rules) -> &'r DialectRule {
        rules.calls().dialect(self.dialect)
    }

    /// The call is over; another may follow in its wrapper.
    fn leave_call(&self, cx: &Context<'_>) -> Ended {
        Ended::Call {
            is_bare: !self.is_wrapped && self.rule(cx.rules).has_wrapper,
        }
    }

    /// The call is over, and so is its wrapper.
    fn leave_calls(&self, cx: &Context<'_>) -> Ended {
        Ended::Calls {
            is_bare: !self.is_wrapped && self.rule(cx.rules).has_wrapper,
        }
    }
}

impl<'a> Context<'a> {
    pub(super) fn call_rules(&self) -> &'a CallRules {
        self.rules.calls()
    }
}

/// The arguments of a call as JSON, for the check.
trait JsonArguments {
    /// The text of a JSON object; empty if there is none.
    fn text<'a>(&'a self, raw: &'a str) -> &'a str;

    /// The object that also holds the name.
    fn envelope<'a>(&self, _raw: &'a str) -> Option<EnvelopeText<'a>> {
        None
    }

    /// Whether nothing of them has been emitted.
    fn is_unsaid(&self, raw: &str) -> bool;
}

/// Enters a call, or a wrapper with a call in it.
pub(super) fn enter(seen: SeenHead, in_thinking: bool, cx: &mut Context<'_>) -> Step {
    cx.reading.has_answer = true;
    match seen.wrapper {
        Some(dialect) => Step::Push(Frame::Wrapper(Wrapper::new(dialect, in_thinking, seen))),
        None => begin(
            &seen,
            Site {
                dialect: seen.dialect,
                is_wrapped: false,
                in_thinking,
                suffix: seen.suffix,
            },
            cx,
        ),
    }
}

/// Begins the call whose head has been seen. What is before it opens the wrapper.
fn begin(seen: &SeenHead, site: Site, cx: &mut Context<'_>) -> Step {
    if seen.has_text {
        cx.skip(seen.after, SkipReason::Wrapper);
        wrapper::drop_between_calls(seen.start, &mut false, crate::line::is_space, cx);
    }
    cx.skip(seen.start, SkipReason::Wrapper);
    cx.reading.at = seen.end;
    let Some(head) = seen.head else {
        return Step::Push(match site.rule(cx.rules).style {
            Style::Python => python::begin(site),
            _ => json::begin_envelope(site, cx),
        });
    };
    let site = Site {
        dialect: cx.call_rules().head(head).dialect,
        ..site
    };
    begin_call(cx);
    if site.rule(cx.rules).id.is_some() {
        let id = cx.text_of(seen.name);
        cx.store_mut().call.id.push_str(id);
    }
    let own_id = cx.text_of(seen.id).trim();
    cx.store_mut().call.id.push_str(own_id);
    let name = site.rule(cx.rules).decoded(seen.name(cx));
    finish::accept_name(&name, seen.end, cx);
    let json = match site.rule(cx.rules).style {
        Style::Elements | Style::Pairs => None,
        Style::Json | Style::Envelope | Style::Python => Some(Json::arguments(site)),
    };
    if seen.is_whole {
        let json = json.as_ref().map(|json| json as &dyn JsonArguments);
        finish::finish_call(seen.end, site, json, cx);
        return Step::BeganAndEnded(site.leave_call(cx));
    }
    Step::Push(match json {
        Some(json) => Frame::Json(json),
        None => Frame::Arguments(Arguments::new(site, cx)),
    })
}

/// Drops a wrapper without calls that this token opens, up to its end. From a head on, what is in it is
/// a call that cannot be read.
pub(super) fn drop_wrapper(
    token: &Token,
    head: Option<u64>,
    end: u64,
    in_thinking: bool,
    cx: &mut Context<'_>,
) {
    cx.skip(token.end, SkipReason::Wrapper);
    let dropped = head.unwrap_or(end);
    wrapper::drop_between_calls(dropped, &mut false, crate::line::is_space, cx);
    if head.is_some() {
        cx.reading.has_answer = true;
        finish::report_unreadable(end, in_thinking, cx);
    }
    cx.reading.at = end;
}

/// Begins the next call of the message.
fn begin_call(cx: &mut Context<'_>) {
    let index = cx.reading.next_call;
    cx.store_mut().call.begin(index);
    cx.reading.next_call += 1;
}
