//! Inside a wrapper, between calls.

use super::head::{self, Around, Decision, SeenHead};
use super::{Site, finish};
use crate::engine::context::{Context, Reading};
use crate::engine::frame::{Answer, Ended, Place, Step};
use crate::event::SkipReason;
use crate::lexicon::{Lexicon, Number, Role};
use crate::line::is_space;
use crate::policy::Rules;
use crate::policy::call::{DialectRule, Style};
use crate::profile::UnknownTool;
use crate::token::{Candidate, Suffix, Token};

/// A wrapper that is open.
#[derive(Debug)]
pub(in crate::engine) struct Wrapper {
    dialect: Number,
    in_thinking: bool,
    suffix: Option<Suffix>,
    /// The call that shows that this is a wrapper, until it has begun.
    first: Option<SeenHead>,
    /// Text that is not a call has come since the last call.
    has_junk: bool,
}

impl Place for Wrapper {
    fn fits(&self, token: &Token) -> bool {
        self.site().fits(token)
    }

    fn lexicon<'r>(&self, rules: &'r Rules, _reading: &Reading) -> &'r Lexicon {
        &rules.calls().dialect(self.dialect).wrapper
    }

    fn read(&mut self, cx: &mut Context<'_>) -> Step {
        if let Some(seen) = self.first.take() {
            return self.begin(&seen, cx);
        }
        if self.has_open_end(cx) {
            return self.read_open_end(cx);
        }
        cx.read_to(self.lexicon(cx.rules, cx.reading))
    }

    fn plain(&mut self, to: u64, cx: &mut Context<'_>) {
        if !self.has_open_end(cx) {
            drop_between_calls(to, &mut self.has_junk, is_space, cx);
        }
    }

    fn found(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        match token.role {
            Role::Head(head) => {
                self.plain(token.start, cx);
                let look = head::look_at_head(head, token, self.around(), cx);
                self.take_decision(look, token, cx)
            }
            Role::Argument(_) | Role::Key => {
                self.plain(token.start, cx);
                let head = cx.call_rules().head_of(self.dialect);
                let seen = SeenHead::at(token.start, token.start);
                self.begin(&head::nameless(head, token.start, seen), cx)
            }
            Role::WrapperEnd => {
                self.remove(token, cx);
                Step::Pop(Ended::Calls { is_bare: false })
            }
            Role::Marker if self.has_open_end(cx) => {
                let look = head::look_after_separator(self.dialect, token, self.around(), cx);
                self.take_decision(look, token, cx)
            }
            _ => {
                self.remove(token, cx);
                Step::Continue
            }
        }
    }

    fn not_markup(&mut self, _start: u64, _is_blank: bool, cx: &mut Context<'_>) -> Step {
        if self.has_open_end(cx) {
            return leave_open_end(cx);
        }
        Step::Continue
    }

    fn answered(&mut self, answer: Answer, token: &Token, cx: &mut Context<'_>) -> Step {
        cx.pass(token);
        match answer {
            Answer::Call(seen) => self.begin(&seen, cx),
            _ if self.has_open_end(cx) => leave_open_end(cx),
            Answer::CutOff(seen) => {
                head::report_cut_off(&seen, cx);
                Step::Continue
            }
            Answer::EmptyWrapper(end) => {
                cx.skip(end, SkipReason::Wrapper);
                cx.reading.at = end;
                Step::Continue
            }
            Answer::Prose if self.loses_call(token, cx) => {
                finish::report_unreadable(token.end, self.in_thinking, cx);
                Step::Continue
            }
            _ => Step::Continue,
        }
    }

    fn resumed(&mut self, ended: Ended, _cx: &mut Context<'_>) -> Step {
        self.has_junk = false;
        match ended {
            Ended::Calls { .. } => Step::Pop(ended),
            _ => Step::Continue,
        }
    }

    fn end_of_message(&mut self, cx: &mut Context<'_>) -> Option<Step> {
        if let Some(seen) = self.first.take() {
            return Some(self.begin(&seen, cx));
        }
        if self.has_open_end(cx) && cx.mark < cx.end() {
            return Some(leave_open_end(cx));
        }
        self.plain(cx.end(), cx);
        Some(Step::Pop(Ended::Calls { is_bare: false }))
    }

    fn takes_cut_off_tag(&mut self, _candidate: &Candidate, _cx: &mut Context<'_>) -> bool {
        true
    }
}

impl Wrapper {
    pub(super) fn new(dialect: Number, in_thinking: bool, first: SeenHead) -> Self {
        Wrapper {
            dialect,
            in_thinking,
            suffix: first.suffix,
            first: Some(first),
            has_junk: false,
        }
    }

    fn rule<'r>(&self, cx: &Context<'r>) -> &'r DialectRule {
        cx.call_rules().dialect(self.dialect)
    }

    fn around(&self) -> Around {
        Around {
            in_wrapper: true,
            in_thinking: self.in_thinking,
            in_call: false,
            needs_tag: false,
            begins_stretch: false,
        }
    }

    fn site(&self) -> Site {
        Site {
            dialect: self.dialect,
            is_wrapped: true,
            in_thinking: self.in_thinking,
            suffix: self.suffix,
        }
    }

    fn begin(&mut self, seen: &SeenHead, cx: &mut Context<'_>) -> Step {
        super::begin(seen, self.site(), cx)
    }

    fn take_decision(&mut self, decision: Decision, token: &Token, cx: &mut Context<'_>) -> Step {
        match decision {
            Decision::Later(step) => step,
            Decision::Now(answer) => self.answered(answer, token, cx),
        }
    }

    /// Whether a call is lost because the head that the token is cannot be read.
    fn loses_call(&self, token: &Token, cx: &Context<'_>) -> bool {
        let is_head = matches!(token.role, Role::Head(_)) && head::is_markup(token.start, cx);
        is_head && !self.in_thinking && cx.call_rules().unknown_tool != UnknownTool::Text
    }

    fn remove(&mut self, token: &Token, cx: &mut Context<'_>) {
        self.plain(token.start, cx);
        cx.skip(token.end, SkipReason::Wrapper);
    }

    // A wrapper that ends where its JSON ends.

    fn has_open_end(&self, cx: &Context<'_>) -> bool {
        let rule = self.rule(cx);
        rule.style == Style::Envelope && !rule.wrapper_closes
    }

    /// Another JSON may follow, by itself or after a literal that means nothing, such as `;`.
    fn read_open_end(&mut self, cx: &mut Context<'_>) -> Step {
        let next = cx.next_byte();
        if cx.reading.at - cx.mark > cx.rules.limits.lookahead as u64 {
            return leave_open_end(cx);
        }
        match next {
            None => Step::Continue,
            Some(byte) if self.lexicon(cx.rules, cx.reading).stops.stop(byte) => Step::BEGIN,
            Some(b'{') if self.rule(cx).several => {
                let token = Token::empty(cx.reading.at, Role::Value);
                let look = head::look_at_json(self.dialect, self.around(), cx);
                self.take_decision(look, &token, cx)
            }
            Some(_) => leave_open_end(cx),
        }
    }
}

/// No other call follows: what is here, white space too, is text.
fn leave_open_end(cx: &mut Context<'_>) -> Step {
    cx.reading.at = cx.mark;
    Step::Pop(Ended::Calls { is_bare: false })
}

/// Drops what is between calls, with a notice for what is not layout.
pub(super) fn drop_between_calls(
    to: u64,
    has_junk: &mut bool,
    is_layout: fn(u8) -> bool,
    cx: &mut Context<'_>,
) {
    if to <= cx.mark {
        return;
    }
    let text = cx.text(cx.mark, to);
    let layout = text.bytes().take_while(|byte| is_layout(*byte)).count();
    if layout < text.len() && !*has_junk {
        cx.skip(cx.mark + layout as u64, SkipReason::Wrapper);
        *has_junk = true;
        cx.dropped("text between calls was dropped");
    }
    cx.skip(to, SkipReason::Wrapper);
}
