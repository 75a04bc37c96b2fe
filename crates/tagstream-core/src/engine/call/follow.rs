//! Looks ahead: does this closing tag, or this key of another argument, end the value?

use super::Site;
use super::head::{self, Around, Decision, SeenHead};
use crate::dialect::Repair;
use crate::engine::context::{Context, Reading};
use crate::engine::frame::{Answer, Edge, Frame, Place, Step};
use crate::lexicon::{Lexicon, Number, Role};
use crate::policy::Rules;
use crate::policy::call::Style;
use crate::token::{Candidate, Token};

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

/// Whether the call that has been seen after the end of a value shows that it ended there.
pub(super) fn is_next_call(seen: &SeenHead, cx: &Context<'_>) -> bool {
    let is_declared = || cx.call_rules().is_declared(seen.name(cx));
    !is_in_line(seen.opener, cx) || is_declared()
}

/// Whether the next call may come within a line, where it is more likely text of the value: pairs are
/// written in one line. Its tool must be declared.
fn counts_in_line(site: Site, cx: &Context<'_>) -> bool {
    site.rule(cx.rules).style == Style::Pairs && !cx.call_rules().any_tool
}

fn is_in_line(start: u64, cx: &Context<'_>) -> bool {
    !cx.begins_after_indent(start)
}

const NO: Step = Step::Answer(Answer::EndsNothing);

impl Place for Follow {
    fn fits(&self, token: &Token) -> bool {
        self.site.fits(token)
    }

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
            role @ (Role::Head(_) | Role::Again) if self.may_follow(role, token.start, cx) => {
                return self.look_at_call(token, cx);
            }
            role => self.may_follow(role, token.start, cx),
        };
        if ends {
            Step::Answer(Answer::EndsValue((!self.is_key()).then_some(*token)))
        } else {
            self.no(token.start, cx)
        }
    }

    fn not_markup(&mut self, start: u64, _is_blank: bool, cx: &mut Context<'_>) -> Step {
        self.no(start, cx)
    }

    /// What is being read can no longer be anything that answers the question with yes.
    fn at_edge(&mut self, edge: &mut Edge<'_>, cx: &mut Context<'_>) -> Option<Step> {
        let may_end = match (&edge.candidate, self.is_key()) {
            (None, false) => true,
            (Some(candidate), false) => {
                let answers =
                    |role, _| role == Role::Marker || self.may_follow(role, candidate.start, cx);
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
        let start = edge
            .candidate
            .map_or(cx.reading.at, |candidate| candidate.start);
        // law: key-in-value
        (!may_end).then(|| self.no(start, cx))
    }

    fn takes_cut_off_tag(&mut self, candidate: &Candidate, cx: &mut Context<'_>) -> bool {
        let ends = |role, _| self.may_follow(role, candidate.start, cx);
        !self.is_key() && candidate.may_be(self.lexicon(cx.rules, cx.reading), ends)
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

    fn holds_all(&self) -> bool {
        true
    }
}

impl Follow {
    fn is_key(&self) -> bool {
        self.token.role == Role::Key
    }

    /// Whether this, after the closing tag, makes it one that ends the value.
    fn may_follow(&self, role: Role, start: u64, cx: &Context<'_>) -> bool {
        match (self.token.role, role) {
            (_, Role::WrapperEnd) => true,
            (Role::ValueEnd(_), Role::Head(_) | Role::Again) => {
                let rule = self.site.rule(cx.rules);
                let may_be_next = !is_in_line(start, cx) || counts_in_line(self.site, cx);
                rule.repairs(Repair::MissingCallCloser) && may_be_next
            }
            (Role::CallEnd, role) => matches!(role, Role::Head(_) | Role::Again),
            (_, role) => matches!(role, Role::Argument(_) | Role::Key | Role::CallEnd),
        }
    }

    /// The head of another call, or its wrapper, comes next: reads on to find out whether it is a call,
    /// which a name alone does not show here. The value gets that answer.
    fn look_at_call(&self, token: &Token, cx: &mut Context<'_>) -> Step {
        let around = Around {
            in_wrapper: self.site.is_wrapped,
            in_thinking: self.site.in_thinking,
            needs_tag: true,
            ..Around::default()
        };
        let decision = match token.role {
            Role::Head(head) => head::look_at_head(head, token, around, cx),
            _ => head::look_after_separator(self.site.dialect, token, around, cx),
        };
        match decision {
            Decision::Later(Step::Ask { frame, .. }) => Step::Push(frame),
            Decision::Later(step) => step,
            Decision::Now(answer) => Step::Answer(answer),
        }
    }

    /// Answers no. The answer depends only on the bytes up to the first that shows it, so that it is
    /// the same for every cut.
    fn no(&self, start: u64, cx: &Context<'_>) -> Step {
        let is_closer = matches!(self.token.role, Role::ValueEnd(_));
        if is_closer && self.begins_like_markup(start, cx) {
            return Step::Answer(Answer::EndsNothingOddly);
        }
        NO
    }

    /// Whether a tag that begins here has most of a name that would make the closing tag end the value.
    fn begins_like_markup(&self, start: u64, cx: &Context<'_>) -> bool {
        // A byte that differs from each of the names is in the window, whatever the deadline is.
        let bytes = cx.bytes(start, cx.end());
        let (name, closes) = match bytes {
            [b'<', b'/', name @ ..] => (name, true),
            [b'<', name @ ..] => (name, false),
            _ => return false,
        };
        let lexicon = self.lexicon(cx.rules, cx.reading);
        let names = lexicon.tags(0).names(closes).lists();
        names.into_iter().flatten().any(|(known, role)| {
            let pairs = known.iter().zip(name);
            let common = pairs.take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count();
            self.may_follow(*role, start, cx) && common >= 4 && common * 3 >= known.len() * 2
        })
    }

    /// The text of the key up to `end`.
    fn key_before<'a>(&self, end: u64, cx: &Context<'a>) -> &'a str {
        // The limit of what may be read may be inside a character.
        std::str::from_utf8(cx.bytes(self.token.end, end)).unwrap_or("")
    }

    /// Whether the tool has such an argument that has not come yet.
    fn awaits(&self, cx: &Context<'_>, is_it: impl Fn(&str) -> bool) -> bool {
        cx.store().call.awaits(cx.call_rules(), is_it)
    }
}
