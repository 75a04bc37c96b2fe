//! Text between what opens a wrapper and the first call in it.

use super::{At, Head, SeenHead};
use crate::engine::context::Context;
use crate::engine::frame::{Place, Step};
use crate::lexicon::{Number, Role};
use crate::policy::call::Style;
use crate::token::Token;

/// How much text may be between the opening tag of a wrapper and the first call in it, in bytes.
const MAX_TEXT_BYTES: u64 = 1024;

impl Head {
    /// Whether text may come between what opens a wrapper and the first call: the opening tag is a
    /// special token, or is in a line of its own.
    fn may_have_text(&self, cx: &Context<'_>) -> bool {
        let Some(opener) = self.opener.map(|opener| cx.call_rules().opener(opener)) else {
            return false;
        };
        let SeenHead {
            opener: start,
            after,
            ..
        } = self.seen;
        let is_alone = || {
            let rest = cx.text(after, cx.reading.at);
            let rest = rest.trim_start_matches([' ', '\t', '\r']);
            rest.starts_with('\n') && cx.begins_after_indent(start)
        };
        let has_heads = |dialect: &Number| {
            !matches!(
                cx.call_rules().dialect(*dialect).style,
                Style::Envelope | Style::Python
            )
        };
        !opener.wraps.is_empty()
            && opener.wraps.iter().any(has_heads)
            && (opener.is_special() || is_alone())
    }

    pub(super) fn read_text(&mut self, cx: &mut Context<'_>) -> Step {
        let step = cx.read_to(self.lexicon(cx.rules, cx.reading));
        if self.has_room(cx.reading.at) {
            return step;
        }
        cx.reading.at = cx.reading.at.min(self.seen.after + MAX_TEXT_BYTES + 1);
        self.is_prose(cx)
    }

    fn has_room(&self, at: u64) -> bool {
        at <= self.seen.after + MAX_TEXT_BYTES
    }

    pub(super) fn found_in_text(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        match token.role {
            Role::Head(_) => self.found_after_opener(token, cx),
            Role::WrapperEnd | Role::Again | Role::Call(_) => {
                self.ended_in_text = true;
                let closes = token.role == Role::WrapperEnd;
                self.end_of_wrapper = closes.then_some(token.end);
                self.is_prose(cx)
            }
            _ => Step::Continue,
        }
    }

    /// Whether a call may still come in the wrapper, after text or after what is not a call.
    pub(super) fn looks_in_text(&self, cx: &Context<'_>) -> bool {
        let is_over = self.ended_in_text || !self.has_room(cx.reading.at);
        !is_over && (self.seen.has_text || self.may_have_text(cx))
    }

    pub(super) fn pass_text(&mut self, opener: Number) -> Step {
        let SeenHead {
            opener: start,
            after,
            ..
        } = self.seen;
        self.seen = SeenHead {
            has_text: true,
            ..SeenHead::at(start, after)
        };
        self.go_to(At::Text(opener))
    }
}
