//! Calls that are written as Python: a name, and arguments between brackets.

use super::finish;
use super::name::{begins_name, is_name_byte};
use super::output::Written;
use super::wrapper::drop_between_calls;
use super::{JsonArguments, Site, begin_call};
use crate::check::CallErrorCode;
use crate::engine::context::{Context, Reading};
use crate::engine::frame::{Ended, Frame, Place, Step};
use crate::event::SkipReason;
use crate::json::literals::Literals;
use crate::lexicon::{Lexicon, Role};
use crate::line::is_space;
use crate::policy::Rules;
use crate::token::{Candidate, Token};

const NOT_LITERALS: &str =
    "the arguments are not Python literals by name; write them as name=value, with a literal value";

/// Calls between what opens them and what closes them.
#[derive(Debug)]
pub(in crate::engine) struct Python {
    site: Site,
    at: At,
    arguments: Literals,
    /// Text that is not a call has come since the last call.
    has_junk: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Between,
    /// In a name, which begins here.
    Name(u64),
    Arguments,
    /// The call is broken: all is passed over to the end of the calls.
    Broken,
}

pub(super) fn begin(site: Site) -> Frame {
    Frame::Python(Python {
        site,
        at: At::Between,
        arguments: Literals::default(),
        has_junk: false,
    })
}

impl JsonArguments for Python {
    fn text<'a>(&'a self, _raw: &'a str) -> &'a str {
        &self.arguments.text
    }

    fn is_unsaid(&self, _raw: &str) -> bool {
        // Even without arguments the brackets have been.
        false
    }
}

impl Place for Python {
    fn fits(&self, token: &Token) -> bool {
        self.site.fits(token)
    }

    fn lexicon<'r>(&self, rules: &'r Rules, _reading: &Reading) -> &'r Lexicon {
        &self.site.rule(rules).closers
    }

    fn read(&mut self, cx: &mut Context<'_>) -> Step {
        match self.at {
            At::Between => self.read_between(cx),
            At::Name(start) => self.read_name(start, cx),
            At::Arguments => self.read_arguments(cx),
            At::Broken => cx.read_to(self.lexicon(cx.rules, cx.reading)),
        }
    }

    fn plain(&mut self, to: u64, cx: &mut Context<'_>) {
        match self.at {
            At::Between => self.drop_layout(to, cx),
            // What has been read of a name waits for its end.
            At::Name(start) => self.drop_layout(start.min(to), cx),
            // What has been read of a word waits for its end.
            At::Arguments => {}
            At::Broken => cx.skip_call(to),
        }
    }

    fn found(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        if token.role != Role::WrapperEnd {
            return self.not_markup(token.start, false, cx);
        }
        match self.at {
            At::Between | At::Name(_) => {
                self.drop_layout(token.start, cx);
                cx.skip(token.end, SkipReason::Wrapper);
            }
            At::Arguments => {
                let message = "the call is not complete: a bracket or a quote is missing";
                cx.skip_call(token.start);
                cx.refuse(CallErrorCode::InvalidJson, None, message);
                self.finish(token.start, cx);
                cx.skip(token.end, SkipReason::Wrapper);
            }
            At::Broken => {
                cx.skip_call(token.start);
                self.finish(token.start, cx);
                cx.skip(token.end, SkipReason::Wrapper);
            }
        }
        Step::Pop(Ended::Calls { is_bare: false })
    }

    fn not_markup(&mut self, start: u64, _is_blank: bool, cx: &mut Context<'_>) -> Step {
        match self.at {
            At::Arguments => {
                cx.reading.at = start;
                self.refuse(cx);
            }
            At::Between | At::Name(_) => {
                self.at = At::Between;
                cx.go_to(start + 1);
            }
            At::Broken => {}
        }
        Step::Continue
    }

    fn end_of_message(&mut self, cx: &mut Context<'_>) -> Option<Step> {
        let end = cx.end();
        match self.at {
            At::Between | At::Name(_) => self.drop_layout(end, cx),
            At::Arguments | At::Broken => {
                cx.skip_call(end);
                finish::cut_off(self.site, Some(self), cx);
            }
        }
        Some(Step::Pop(Ended::Calls { is_bare: false }))
    }

    fn takes_cut_off_tag(&mut self, _candidate: &Candidate, _cx: &mut Context<'_>) -> bool {
        true
    }
}

impl Python {
    fn drop_layout(&mut self, to: u64, cx: &mut Context<'_>) {
        let is_layout = |byte| is_space(byte) || matches!(byte, b'[' | b']' | b',' | b';');
        drop_between_calls(to, &mut self.has_junk, is_layout, cx);
    }

    /// Reads on to a name, or to what may close the calls.
    fn read_between(&mut self, cx: &mut Context<'_>) -> Step {
        let stops = &self.lexicon(cx.rules, cx.reading).stops;
        let rest = cx.rest();
        let is_next = |byte: &u8| begins_name(*byte) || stops.stop(*byte);
        let next = rest.iter().position(is_next);
        cx.reading.at += next.unwrap_or(rest.len()) as u64;
        match next.map(|next| rest[next]) {
            None => Step::Continue,
            Some(byte) if stops.stop(byte) => Step::BEGIN,
            Some(_) => {
                self.at = At::Name(cx.reading.at);
                Step::Continue
            }
        }
    }

    fn read_name(&mut self, start: u64, cx: &mut Context<'_>) -> Step {
        let rest = cx.rest();
        let len = rest.iter().take_while(|byte| is_name_byte(**byte)).count();
        cx.reading.at += len as u64;
        match rest.get(len) {
            None => Step::Continue,
            Some(b'(') => {
                cx.reading.at += 1;
                self.begin(start, cx);
                Step::Continue
            }
            Some(_) => {
                self.at = At::Between;
                Step::Continue
            }
        }
    }

    fn begin(&mut self, start: u64, cx: &mut Context<'_>) {
        self.drop_layout(start, cx);
        self.has_junk = false;
        self.arguments = Literals::default();
        self.at = At::Arguments;
        begin_call(cx);
        let end = cx.reading.at;
        finish::accept_name(cx.text(start, end - 1), end, cx);
        let here = cx.store().call.raw.len();
        cx.store_mut().call.text_start = Some(here);
    }

    fn read_arguments(&mut self, cx: &mut Context<'_>) -> Step {
        match cx.emit_literals(&mut self.arguments, cx.limit) {
            Written::Known => cx.reading.at = cx.limit,
            Written::End => {
                cx.reading.at = cx.mark;
                self.finish(cx.mark, cx);
            }
            Written::TooLong => {
                // What has been read of it may hold what closes the calls.
                cx.reading.at = cx.mark;
                self.at = At::Broken;
            }
            Written::Wrong => {
                cx.reading.at = cx.mark;
                let stops = &self.lexicon(cx.rules, cx.reading).stops;
                if stops.stop(cx.byte(cx.mark)) {
                    return Step::BEGIN;
                }
                self.refuse(cx);
            }
        }
        Step::Continue
    }

    fn refuse(&mut self, cx: &mut Context<'_>) {
        cx.refuse(CallErrorCode::InvalidJson, None, NOT_LITERALS);
        self.at = At::Broken;
    }

    fn finish(&mut self, end: u64, cx: &mut Context<'_>) {
        cx.store_mut().call.text_start = None;
        finish::finish_call(end, self.site, Some(self), cx);
        self.at = At::Between;
    }
}
