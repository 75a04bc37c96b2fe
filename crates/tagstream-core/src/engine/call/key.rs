//! The name of an argument in a tag of its own, before its value.
//!
//! Pairs are written like this. Where the name should be in the opening tag of the value
//! (`<parameter name="city">`), some models enclose it instead: `<parameter>city</parameter>Paris`.

use super::Site;
use super::finish;
use super::value::{NO_NAME, Value};
use crate::check::CallErrorCode;
use crate::dialect::Repair;
use crate::engine::context::{Context, Reading};
use crate::engine::frame::{Ended, Frame, Place, Step};
use crate::lexicon::{Lexicon, Number, Role};
use crate::policy::Rules;
use crate::policy::call::Style;
use crate::token::{Candidate, Token};

/// A key that is open, or one that is closed and waits for its value.
#[derive(Debug)]
pub(in crate::engine) struct Key {
    site: Site,
    tool: Option<Number>,
    /// Where it begins in the text of the call.
    start: usize,
    /// Its text, once it is over.
    name: Option<String>,
}

impl Place for Key {
    fn fits(&self, token: &Token) -> bool {
        self.site.fits(token)
    }

    fn lexicon<'r>(&self, rules: &'r Rules, _reading: &Reading) -> &'r Lexicon {
        self.site.rule(rules).between(self.tool)
    }

    fn read(&mut self, cx: &mut Context<'_>) -> Step {
        let lexicon = self.lexicon(cx.rules, cx.reading);
        if self.name.is_none() {
            return cx.read_to(lexicon);
        }
        match cx.next_byte() {
            None => Step::Continue,
            Some(byte) if lexicon.stops.stop(byte) => Step::BEGIN,
            Some(_) => self.begin_value_without_opener(cx.reading.at, cx),
        }
    }

    fn plain(&mut self, to: u64, cx: &mut Context<'_>) {
        cx.skip_call(to);
    }

    fn found(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        cx.skip_call(token.start);
        match (token.role, self.name.is_some()) {
            (Role::KeyEnd, false) => {
                self.end(cx);
                cx.skip_call(token.end);
                Step::Continue
            }
            (Role::ValueEnd(_), false) if self.is_nameless(cx) => {
                self.end(cx);
                cx.skip_call(token.end);
                self.check_name(cx)
            }
            (Role::Value, false) => {
                self.end(cx);
                cx.reading.at = token.start;
                self.report_unclosed(cx);
                Step::Continue
            }
            (Role::Value, true) => {
                cx.skip_call(token.end);
                self.begin_value(cx)
            }
            (Role::ValueEnd(_), true) => self.begin_value_without_opener(token.start, cx),
            (
                Role::CallEnd
                | Role::WrapperEnd
                | Role::Head(_)
                | Role::Again
                | Role::Key
                | Role::Argument(_),
                _,
            ) => {
                self.end(cx);
                let name = self.name();
                let message = format!("the argument `{name}` has no value");
                cx.refuse(CallErrorCode::MalformedParameter, Some(name), message);
                cx.reading.at = token.start;
                Step::Pop(Ended::Argument(None))
            }
            _ => Step::Continue,
        }
    }

    fn not_markup(&mut self, start: u64, _is_blank: bool, cx: &mut Context<'_>) -> Step {
        if self.name.is_some() {
            self.begin_value_without_opener(start, cx)
        } else {
            Step::Continue
        }
    }

    fn end_of_message(&mut self, cx: &mut Context<'_>) -> Option<Step> {
        cx.skip_call(cx.end());
        finish::cut_off(self.site, None, cx);
        Some(Step::Pop(self.site.leave_calls(cx)))
    }

    fn takes_cut_off_tag(&mut self, _candidate: &Candidate, _cx: &mut Context<'_>) -> bool {
        true
    }
}

impl Key {
    pub(super) fn new(site: Site, tool: Option<Number>, cx: &Context<'_>) -> Self {
        Key {
            site,
            tool,
            start: cx.store().call.raw.len(),
            name: None,
        }
    }

    /// The key is over, if it is not already.
    fn end(&mut self, cx: &Context<'_>) {
        let raw = &cx.store().call.raw;
        let key = || raw[self.start.min(raw.len())..].trim().to_owned();
        self.name.get_or_insert_with(key);
    }

    fn name(&self) -> &str {
        self.name.as_deref().unwrap_or("")
    }

    fn begin_value(&mut self, cx: &mut Context<'_>) -> Step {
        let mut value = Value::begin(self.name(), None, self.site, self.tool, cx);
        if self.is_nameless(cx) {
            value.ends_at_next_tag();
        }
        Step::Replace(Frame::Value(value))
    }

    // A tag that should have the name of an argument in it, and has it as its content.

    fn is_nameless(&self, cx: &Context<'_>) -> bool {
        self.site.rule(cx.rules).style == Style::Elements
    }

    /// What the tag encloses is the name if it is that of an argument that has not come yet. Anything
    /// else may be a value of any argument.
    fn check_name(&mut self, cx: &mut Context<'_>) -> Step {
        let call = &cx.store().call;
        if call.awaits(cx.call_rules(), |name| name == self.name()) {
            return Step::Continue;
        }
        cx.refuse(CallErrorCode::MalformedParameter, None, NO_NAME);
        Step::Pop(Ended::Argument(None))
    }

    /// The value begins right after its key.
    fn begin_value_without_opener(&mut self, start: u64, cx: &mut Context<'_>) -> Step {
        cx.skip_call(start);
        cx.reading.at = start;
        let message = "the value had no opening tag and begins after its key";
        if self.is_nameless(cx) {
            let name = self.name();
            cx.repaired(&format!(
                "the name of the argument `{name}` was not in its tag"
            ));
        } else if !cx.repairs(self.site, Repair::MissingValueOpener, message) {
            let key = self.name();
            let message =
                format!("the value of `{key}` has no opening tag; write it after the key");
            cx.refuse(CallErrorCode::MalformedParameter, Some(key), message);
        }
        self.begin_value(cx)
    }

    /// The value's opening tag has come before the key's closing tag.
    fn report_unclosed(&mut self, cx: &mut Context<'_>) {
        let key = self.name();
        // With a wrong tag at its end it is not the name of an argument.
        let has_tag = key.contains('<');
        let message = format!("the key `{key}` had no closing tag");
        if !has_tag && cx.repairs(self.site, Repair::MissingKeyCloser, &message) {
            return;
        }
        let message = if has_tag {
            format!("the key `{key}` has a wrong tag in it; close it with its own")
        } else {
            format!("the key `{key}` has no closing tag; write it before the value")
        };
        cx.refuse(CallErrorCode::MalformedParameter, Some(key), message);
    }
}
