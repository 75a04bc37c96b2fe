//! Looks ahead from a tag of another name where the first head should be.

use super::{At, Head};
use crate::engine::context::Context;
use crate::engine::frame::{Place, Step};
use crate::lexicon::{Number, Role};
use crate::policy::call::Style;
use crate::token::Token;

impl Head {
    /// What follows the opening tag of a wrapper is not markup of its calls. A tag of another name may
    /// be a misspelt head: an argument after it shows that.
    pub(super) fn no_tag_after_opener(
        &mut self,
        opener: Number,
        start: u64,
        cx: &mut Context<'_>,
    ) -> Step {
        let rules = cx.call_rules();
        let takes_tags = |dialect: &Number| {
            let style = rules.dialect(*dialect).style;
            matches!(style, Style::Elements | Style::Pairs)
        };
        let has_arguments = rules.opener(opener).wraps.iter().any(takes_tags);
        let begins_tag = cx.byte(start) == b'<' && cx.bytes(start, cx.end()).get(1) != Some(&b'/');
        if !has_arguments || self.around.in_thinking || !begins_tag {
            return self.is_prose(cx);
        }
        cx.reading.at = start;
        self.go_to(At::Odd(opener))
    }

    pub(super) fn read_odd(&mut self, cx: &mut Context<'_>) -> Step {
        let stops = &self.lexicon(cx.rules, cx.reading).stops;
        match cx.next_byte() {
            None => Step::Continue,
            Some(byte) if stops.stop(byte) => Step::BEGIN,
            Some(_) => self.is_not_odd(cx),
        }
    }

    pub(super) fn found_after_odd(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        match token.role {
            role if self.wrapper_of(role, cx).is_some() => {
                self.seen.has_text = true;
                self.see_argument(token, cx)
            }
            Role::Marker => Step::Continue,
            _ => self.is_not_odd(cx),
        }
    }

    /// No argument follows the tag: what is after the opening tag is read as any other text.
    pub(super) fn is_not_odd(&mut self, cx: &mut Context<'_>) -> Step {
        *cx.work += cx.reading.at.saturating_sub(self.seen.after);
        cx.reading.at = self.seen.after;
        self.is_prose(cx)
    }
}
