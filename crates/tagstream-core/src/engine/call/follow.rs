//! Looks ahead: does this closing tag, or this key of another argument, end the value?

use super::Site;
use crate::engine::context::{Context, Reading};
use crate::engine::frame::{Answer, Edge, Frame, Place, Step};
use crate::lexicon::{Lexicon, Number, Role};
use crate::policy::Rules;
use crate::token::Token;

/// After what may end a value.
#[derive(Debug)]
pub(in crate::engine) struct Follow {
    site: Site,
    tool: Option<Number>,
    token: Token,
}

/// Asks whether this ends the value.
pub(super) fn ask(token: &Token, site: Site, tool: Option<Number>, cx: &Context<'_>) -> Step {
    Step::Ask {
        token: *token,
        deadline: cx.deadline(token),
        frame: Frame::Follow(Follow {
            site,
            tool,
            token: *token,
        }),
    }
}

const NO: Step = Step::Answer(Answer::EndsNothing);

impl Place for Follow {
    fn lexicon<'r>(&self, rules: &'r Rules, _reading: &Reading) -> &'r Lexicon {
        self.site.rule(rules).between(self.tool)
    }

    fn read(&mut self, cx: &mut Context<'_>) -> Step {
        let lexicon = self.lexicon(cx.rules, cx.reading);
        if self.is_key() {
            return cx.read_to(lexicon);
        }
        match cx.next_byte() {
            None => Step::Continue,
            Some(byte) if lexicon.stops.stop(byte) => Step::BEGIN,
            // law: text-after-closer
            Some(_) => NO,
        }
    }

    fn plain(&mut self, _to: u64, _cx: &mut Context<'_>) {}

    fn found(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        let ends = match token.role {
            Role::KeyEnd if self.is_key() => {
                let key = self.key_before(token.start, cx).trim();
                self.awaits(cx, |name| name == key)
            }
            _ if self.is_key() => false,
            Role::Marker => return Step::Continue,
            role => self.may_follow(role),
        };
        if ends {
            Step::Answer(Answer::EndsValue((!self.is_key()).then_some(*token)))
        } else {
            NO
        }
    }

    fn not_markup(&mut self, _start: u64, _is_blank: bool, _cx: &mut Context<'_>) -> Step {
        NO
    }

    /// What is being read can no longer be anything that answers the question with yes.
    fn at_edge(&mut self, edge: &mut Edge<'_>, cx: &mut Context<'_>) -> Option<Step> {
        let may_end = match (&edge.candidate, self.is_key()) {
            (None, false) => true,
            (Some(candidate), false) => {
                let answers = |role, _| role == Role::Marker || self.may_follow(role);
                candidate.may_be(self.lexicon(cx.rules, cx.reading), answers)
            }
            (Some(candidate), true) => {
                let key = self.key_before(candidate.start, cx).trim();
                candidate.may_be(self.lexicon(cx.rules, cx.reading), |role, _| {
                    role == Role::KeyEnd
                }) && self.awaits(cx, |name| name == key)
            }
            (None, true) => {
                let key = self.key_before(cx.reading.at, cx).trim_start();
                self.awaits(cx, |name| name.starts_with(key) || key.trim_end() == name)
            }
        };
        // law: key-in-value
        (!may_end).then_some(NO)
    }

    fn end_of_message(&mut self, _cx: &mut Context<'_>) -> Option<Step> {
        // Nothing says that a call's closing tag, or a key, is not text of the value.
        Some(match self.token.role {
            Role::ValueEnd(_) => Step::Answer(Answer::EndsValue(None)),
            _ => NO,
        })
    }

    fn give_up(&mut self, _deadline: u64, _cx: &mut Context<'_>) -> Step {
        NO
    }
}

impl Follow {
    fn is_key(&self) -> bool {
        self.token.role == Role::Key
    }

    /// Whether this, after the closing tag, makes it one that ends the value.
    fn may_follow(&self, role: Role) -> bool {
        match (self.token.role, role) {
            (_, Role::WrapperEnd) => true,
            (Role::CallEnd, role) => matches!(role, Role::Head(_) | Role::Again),
            (_, role) => matches!(role, Role::Argument(_) | Role::Key | Role::CallEnd),
        }
    }

    /// The text of the key up to `end`.
    fn key_before<'a>(&self, end: u64, cx: &Context<'a>) -> &'a str {
        // The limit of what may be read may be inside a character.
        std::str::from_utf8(cx.bytes(self.token.end, end)).unwrap_or("")
    }

    /// Whether the tool has such an argument that has not come yet.
    fn awaits(&self, cx: &Context<'_>, is_it: impl Fn(&str) -> bool) -> bool {
        cx.store.call.awaits(cx.call_rules(), is_it)
    }
}
