//! Text between what opens a wrapper and the first call in it.

use super::{At, Head, SeenHead};
use crate::code::Code;
use crate::engine::call::name::begins_name;
use crate::engine::context::Context;
use crate::engine::frame::{Place, Step};
use crate::lexicon::{Number, Role};
use crate::policy::call::Style;
use crate::token::Token;

/// How much text may be between the opening tag of a wrapper and the first call in it, in bytes.
const MAX_TEXT_BYTES: u64 = 1024;

/// What is known about the text after what opens a wrapper.
#[derive(Debug)]
pub(super) struct Text {
    code: Code,
    /// How far it has been searched for JSON, and whether some has been read.
    searched: u64,
    pub(super) has_tried_json: bool,
    /// Where the first head in it begins that is not a call, although it is markup.
    pub(super) lost_head: Option<u64>,
}

/// Whether a head that begins here is markup, and not a word.
pub(in crate::engine::call) fn is_markup(start: u64, cx: &Context<'_>) -> bool {
    !begins_name(cx.byte(start))
}

impl Head {
    pub(super) fn text(&mut self, cx: &Context<'_>) -> &mut Text {
        let after = self.seen.after;
        self.text.get_or_insert_with(|| {
            let mut code = Code::new(cx.rules.limits.span);
            code.read_again(after);
            Box::new(Text {
                code,
                searched: after,
                has_tried_json: false,
                lost_head: None,
            })
        })
    }

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
        let begins = || self.around.begins_stretch || cx.begins_after_indent(start);
        let ends_line = || {
            let rest = cx.text(after, cx.reading.at);
            rest.trim_start_matches([' ', '\t', '\r']).starts_with('\n')
        };
        let is_markup = |dialect: &Number| cx.call_rules().dialect(*dialect).style != Style::Python;
        let is_alone = || begins() && (opener.has_prefix() || ends_line());
        let may_have_text = opener.is_special() || opener.wraps.iter().any(is_markup) && is_alone();
        // What opens a message of any kind, calls or not, is followed by what it is.
        !opener.wraps.is_empty() && opener.skip.is_none() && may_have_text
    }

    pub(super) fn read_text(&mut self, opener: Number, cx: &mut Context<'_>) -> Step {
        let step = cx.read_to(self.lexicon(cx.rules, cx.reading));
        let envelope = cx.call_rules().opener(opener).envelope;
        if let Some(dialect) = envelope.filter(|_| !self.text(cx).has_tried_json)
            && let Some(bracket) = self.json_in_text(cx)
        {
            cx.reading.at = bracket;
            self.seen.wrapper = Some(dialect);
            return self.see_json(dialect, cx);
        }
        if self.has_room(cx.reading.at) {
            return step;
        }
        cx.reading.at = cx.reading.at.min(self.seen.after + MAX_TEXT_BYTES + 1);
        self.is_prose(cx)
    }

    /// The next bracket in the text that has been read, outside code: JSON may begin there.
    fn json_in_text(&mut self, cx: &Context<'_>) -> Option<u64> {
        let from = self.text(cx).searched;
        let to = cx
            .reading
            .at
            .min(self.seen.after + MAX_TEXT_BYTES)
            .max(from);
        let brackets = memchr::memchr2_iter(b'{', b'[', cx.bytes(from, to));
        let mut brackets = brackets.map(|bracket| from + bracket as u64);
        let found = brackets.find(|at| !self.is_in_code(*at, cx) || self.is_own_fence(*at, cx));
        self.text(cx).searched = found.map_or(to, |bracket| bracket + 1);
        found
    }

    /// Whether the fence here begins right after what opens the wrapper: it is around the JSON of a call.
    fn is_own_fence(&self, at: u64, cx: &Context<'_>) -> bool {
        let before = cx.text(self.seen.after, at).trim();
        before.eq_ignore_ascii_case("```json") || before == "```"
    }

    fn has_room(&self, at: u64) -> bool {
        at <= self.seen.after + MAX_TEXT_BYTES
    }

    pub(super) fn found_in_text(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        match token.role {
            // law: head-in-code
            Role::Head(_) if self.is_in_code(token.start, cx) => Step::Continue,
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

    /// Whether this position in the text is in code, or may be.
    fn is_in_code(&mut self, at: u64, cx: &Context<'_>) -> bool {
        if !cx.rules.code || cx.call_rules().in_code {
            return false;
        }
        cx.may_be_in_code(&mut self.text(cx).code, at)
    }

    /// Whether a call may still come in the wrapper, after text or after what is not a call.
    pub(super) fn looks_in_text(&self, cx: &Context<'_>) -> bool {
        let is_over = self.ended_in_text || !self.has_room(cx.reading.at);
        !is_over && (self.seen.has_text || self.may_have_text(cx))
    }

    pub(super) fn pass_text(&mut self, opener: Number, cx: &Context<'_>) -> Step {
        if self.seen.head.is_some() && is_markup(self.seen.start, cx) {
            let start = self.seen.start;
            self.text(cx).lost_head.get_or_insert(start);
        }
        let SeenHead {
            opener: start,
            after,
            suffix,
            ..
        } = self.seen;
        self.seen = SeenHead {
            has_text: true,
            suffix,
            ..SeenHead::at(start, after)
        };
        self.go_to(At::Text(opener))
    }
}
