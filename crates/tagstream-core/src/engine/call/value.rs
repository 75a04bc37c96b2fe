//! The value of an argument: raw text, up to the closing tag that ends it.

mod layout;
mod unclosed;

use super::arguments::name_in_argument;
use super::misspelt::{self, Ending};
use super::{Site, finish, follow};
use crate::check::CallErrorCode;
use crate::dialect::Layout;
use crate::engine::context::{Context, Reading};
use crate::engine::fast::{Fast, Plain};
use crate::engine::frame::{Answer, Ended, Place, Step};
use crate::engine::store::call::OpenCall;
use crate::lexicon::{Lexicon, Number, Role};
use crate::policy::Rules;
use crate::policy::call::{ANY_NAME, NAME_ELSEWHERE, NameAt};
use crate::token::{Candidate, Fate, Shape, Token};
use unclosed::refuse_misspelt_closer;

/// A value that is open.
#[derive(Debug)]
pub(in crate::engine) struct Value {
    site: Site,
    tool: Option<Number>,
    /// Where it begins.
    start: u64,
    /// Nothing of it has been emitted.
    is_fresh: bool,
    /// Values are on lines of their own: one newline at each end is layout.
    on_lines: bool,
    /// How many closing tags of its own it needs besides its last.
    depth: u32,
    /// Heads of calls in it that have no closing tag yet: those that arguments follow, and others.
    calls: u32,
    heads: u32,
    /// Only white space has come since the last head.
    is_after_head: bool,
    /// The end of the first closing tag of its own in it that does not end it.
    closer_inside: Option<u64>,
    /// The end of the first of them after which something begins like a tag that would make it end it.
    odd_closer: Option<u64>,
    /// It is between `<![CDATA[` and `]]>`.
    in_cdata: bool,
    /// How many opening tags of other arguments are in it for which no closing tag is: of those that are
    /// declared and not given yet, or of any if none are declared.
    others: u32,
    /// Something in it begins like an opening tag of the dialect.
    may_have_openers: bool,
    /// It began after its name, without an opening tag: any tag of the call ends it.
    is_unopened: bool,
}

pub(super) const NO_NAME: &str = "an argument has no name; write which one it is";

impl Place for Value {
    fn fits(&self, token: &Token) -> bool {
        self.site.fits(token)
    }

    fn lexicon<'r>(&self, rules: &'r Rules, _reading: &Reading) -> &'r Lexicon {
        let rule = self.site.rule(rules);
        if self.is_unopened {
            rule.between(self.tool)
        } else {
            rule.value(self.tool)
        }
    }

    fn read(&mut self, cx: &mut Context<'_>) -> Step {
        let from = cx.reading.at;
        let next = self.lexicon(cx.rules, cx.reading).find(cx.rest());
        cx.reading.at = next.map_or(cx.limit, |next| from + next as u64);
        if self.is_after_head {
            self.is_after_head = cx.is_blank(from, cx.reading.at);
        }
        if next.is_some() {
            Step::BEGIN
        } else {
            Step::Continue
        }
    }

    /// Whether this may end the value. All else is text, whatever it balances.
    fn is_visible(&self, role: Role, _shape: Shape, start: u64, cx: &Context<'_>) -> bool {
        // If some of it has been emitted, it was certain to be text.
        if start < cx.mark || self.is_unopened {
            return self.is_unopened;
        }
        let call = &cx.store().call;
        let is_outermost = self.calls == 0 && self.depth == 0;
        // After a head an argument belongs to the call that begins there.
        let begins_line = cx.begins_line(start) && !self.is_after_head;
        let may_begin = self.tool.is_some() && (begins_line || start == self.start);
        match role {
            Role::ValueEnd(_) | Role::CallEnd => self.may_be_ended_by(role, &cx.store().call),
            Role::Argument(ANY_NAME) => false,
            Role::Argument(number) => is_outermost && may_begin && !call.is_given(number),
            Role::Key => is_outermost && may_begin,
            _ => false,
        }
    }

    fn plain(&mut self, to: u64, cx: &mut Context<'_>) {
        if self.begin_text(to, false, cx) {
            let certain = self.certain(cx.text(cx.mark, to).as_bytes());
            self.emit(cx.mark + certain as u64, false, cx);
        }
    }

    fn found(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        if self.is_in_cdata(token.start, cx) {
            return Step::Continue;
        }
        if self.is_unopened {
            return self.end_at_tag(token, cx);
        }
        let is_after_head = self.count_head(token);
        self.may_have_openers |= !matches!(token.role, Role::ValueEnd(_) | Role::CallEnd);
        match token.role {
            Role::Argument(ANY_NAME) | Role::ValueEnd(ANY_NAME) => self.tag_inside(token, cx),
            Role::ValueEnd(number) if cx.store().call.closes(number) => self.closer(token, cx),
            Role::Argument(number) => self.argument_inside(number, token, cx),
            Role::Head(head) if self.is_own_head(head, cx) => self.head_inside(token, cx),
            Role::CallEnd => self.call_closer(token, cx),
            Role::Key if !is_after_head && self.shows(token, cx) => self.ask(token, cx),
            Role::Value => {
                self.depth += 1;
                Step::Continue
            }
            _ => Step::Continue,
        }
    }

    fn not_markup(&mut self, start: u64, _is_blank: bool, cx: &mut Context<'_>) -> Step {
        self.is_after_head = false;
        // Some of it may have been emitted.
        let call = &cx.store().call;
        let emitted = call.last_bytes(cx.mark.saturating_sub(start)).bytes();
        let rest = cx.bytes(start.max(cx.mark), cx.end());
        self.may_have_openers |= may_be_opener(emitted.chain(rest.iter().copied()), call);
        Step::Continue
    }

    fn answered(&mut self, answer: Answer, token: &Token, cx: &mut Context<'_>) -> Step {
        cx.pass(token);
        let is_closer = matches!(token.role, Role::ValueEnd(_));
        match answer {
            Answer::Call(seen) if follow::is_next_call(&seen, cx) => {
                self.end_before(None, is_closer, token, cx)
            }
            Answer::EndsValue(next) => self.end_before(next, is_closer, token, cx),
            _ => {
                if is_closer {
                    self.closer_inside.get_or_insert(token.end);
                    self.others = self.others.saturating_sub(1);
                }
                if matches!(answer, Answer::EndsNothingOddly) {
                    self.odd_closer.get_or_insert(token.end);
                }
                Step::Continue
            }
        }
    }

    fn end_of_message(&mut self, cx: &mut Context<'_>) -> Option<Step> {
        self.plain(cx.end(), cx);
        if let Some(closer) = self.odd_closer.filter(|closer| *closer < cx.mark) {
            self.refuse_odd_closer(closer, cx.mark, cx);
        }
        finish::cut_off(self.site, None, cx);
        Some(Step::Pop(self.site.leave_calls(cx)))
    }

    fn fast(&self, cx: &Context<'_>) -> Option<Fast> {
        let is_plain = !self.is_fresh && !self.is_after_head && !cx.store().call.is_truncated;
        let is_plain = is_plain && !self.in_cdata && !self.is_unopened;
        if !is_plain || cx.call_rules().decode_entities {
            return None;
        }
        Some(Fast {
            plain: Plain::Value,
            holds_newline: self.on_lines,
            stops: self
                .lexicon(cx.rules, cx.reading)
                .stops
                .short_search(b'`')?,
            asks_lexicon: true,
            room: cx.store().call.room_for(&cx.rules.limits),
        })
    }
}

impl Value {
    /// Begins the value of the argument with this name.
    pub(super) fn begin(
        name: &str,
        is_string: Option<bool>,
        site: Site,
        tool: Option<Number>,
        cx: &mut Context<'_>,
    ) -> Self {
        if name.is_empty() {
            cx.refuse(CallErrorCode::MalformedParameter, None, NO_NAME);
        }
        let rules = cx.call_rules();
        cx.store_mut().call.begin_value(rules, name, is_string);
        Value {
            site,
            tool,
            start: cx.reading.at,
            is_fresh: true,
            on_lines: site.rule(cx.rules).layout == Layout::Lines,
            depth: 0,
            calls: 0,
            heads: 0,
            is_after_head: false,
            closer_inside: None,
            odd_closer: None,
            in_cdata: false,
            others: 0,
            may_have_openers: false,
            is_unopened: false,
        }
    }

    pub(super) fn ends_at_next_tag(&mut self) {
        self.is_unopened = true;
    }

    /// The token ends the value, and this follows it.
    fn end_before(
        &mut self,
        next: Option<Token>,
        is_closer: bool,
        token: &Token,
        cx: &mut Context<'_>,
    ) -> Step {
        if !is_closer {
            return self.close_without_closing_tag(token.start, cx);
        }
        self.end(token.start, cx);
        // law: odd-closer
        match self.odd_closer {
            Some(closer) => self.refuse_odd_closer(closer, token.start, cx),
            None if !self.may_have_openers || self.in_cdata => {}
            None if refuse_misspelt_closer(Ending::Closed, cx) => {}
            // A closing tag with the name of the argument says what it closes.
            None if self.site.rule(cx.rules).has_named_tags() => {}
            None => {
                self.refuse_opener_inside(cx);
            }
        }
        cx.skip_call(token.end);
        Step::Pop(Ended::Argument(next))
    }

    // Markup in it.

    /// A head that is followed by a tag of the dialect begins a whole call inside the value. Returns
    /// whether only white space lies between a head and the token.
    fn count_head(&mut self, token: &Token) -> bool {
        let is_after_head = std::mem::take(&mut self.is_after_head);
        if is_after_head && matches!(token.role, Role::Argument(_)) {
            self.heads -= 1;
            self.calls += 1;
        }
        is_after_head
    }

    /// Whether a closing tag with this role may end the value, wherever it is.
    fn may_be_ended_by(&self, role: Role, call: &OpenCall) -> bool {
        match role {
            // law: value-closer
            Role::ValueEnd(number) => self.calls == 0 && self.depth == 0 && call.closes(number),
            Role::CallEnd => self.calls == 0 && self.heads == 0,
            _ => false,
        }
    }

    /// How many of these bytes are certain to be text of the value, if they are followed by what may be
    /// a closing tag that ends it, or by nothing; `None` if other markup may begin in them.
    pub(in crate::engine) fn certain_of(
        &mut self,
        bytes: &[u8],
        rules: &Rules,
        call: &OpenCall,
    ) -> Option<usize> {
        let lexicon = self.site.rule(rules).value(self.tool);
        let mut from = 0;
        while let Some(next) = lexicon.find(&bytes[from..]) {
            let start = from + next;
            let mut candidate = Candidate::new(start as u64, false, false, lexicon);
            match candidate.read(&bytes[start..], &rules.grammar(lexicon)).1 {
                Fate::Open => {
                    let may_end = |role, _| self.may_be_ended_by(role, call);
                    let is_held = candidate.may_be(lexicon, may_end);
                    return is_held.then(|| self.certain(&bytes[..start]));
                }
                Fate::Text { resume, .. } => {
                    self.may_have_openers |= may_be_opener(bytes[start..].iter().copied(), call);
                    from = resume as usize;
                }
                Fate::Found(_) => return None,
            }
        }
        Some(self.certain(bytes))
    }

    fn shows(&self, token: &Token, cx: &Context<'_>) -> bool {
        self.is_visible(token.role, token.shape, token.start, cx)
    }

    fn ask(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        follow::ask(token, self.site, self.tool, cx)
    }

    /// A closing tag of the value.
    fn closer(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        if self.calls > 0 {
            return Step::Continue;
        }
        if self.depth > 0 {
            self.depth -= 1;
            self.closer_inside.get_or_insert(token.end);
            return Step::Continue;
        }
        // law: value-end
        self.ask(token, cx)
    }

    /// The closing tag of a call.
    fn call_closer(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        if self.calls > 0 {
            self.calls -= 1;
            return Step::Continue;
        }
        if self.heads > 0 {
            self.heads -= 1;
            return Step::Continue;
        }
        if self.site.is_wrapped {
            self.ask(token, cx)
        } else {
            self.close_without_closing_tag(token.start, cx)
        }
    }

    /// The opening tag of an argument: the same one is balanced, another one may end the value.
    fn argument_inside(&mut self, number: Number, token: &Token, cx: &mut Context<'_>) -> Step {
        let begins_line = token.start >= cx.mark && cx.begins_line(token.start);
        let is_readable = self.is_readable(token, cx);
        self.emit_tag(token, cx);
        if self.calls > 0 || token.shape == Shape::SelfClosing {
            return Step::Continue;
        }
        let (rules, call) = (cx.call_rules(), &cx.store().call);
        let name = if is_readable {
            name_in_argument(number, token, tag_text(token, cx), self.site, cx)
        } else {
            ""
        };
        let tool = call.rule(rules);
        let declares_none = tool.is_none_or(|tool| tool.arguments.is_empty());
        let declared = tool.and_then(|tool| tool.argument(name));
        let is_next = declared.is_some_and(|number| !call.is_given(number));
        if call.is_current(rules, name) {
            // law: balanced-argument
            self.depth += 1;
        } else if is_next && self.depth == 0 && (begins_line || self.start == token.start) {
            return self.close_without_closing_tag(token.start, cx);
        } else if is_next || declares_none && number == NAME_ELSEWHERE {
            self.others = self.others.saturating_add(1);
        }
        Step::Continue
    }

    /// A tag of any name, in a dialect whose arguments are tags of any name. It belongs to the value,
    /// unless it has the argument's own name: these are balanced, and the last of them closes it.
    fn tag_inside(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        let is_readable = self.is_readable(token, cx);
        self.emit_tag(token, cx);
        let name = if is_readable {
            token.name(tag_text(token, cx))
        } else {
            ""
        };
        let is_own = cx.store().call.is_current(cx.call_rules(), name);
        match token.shape {
            Shape::Close if is_own => return self.closer(token, cx),
            Shape::Open if is_own && self.calls == 0 => self.depth += 1,
            _ => {}
        }
        Step::Continue
    }

    /// Whether the closing tag of a call with this head would be the closing tag of this call too.
    fn is_own_head(&self, head: Number, cx: &Context<'_>) -> bool {
        match cx.call_rules().head(head).name {
            NameAt::Tag(tool) => self.tool == Some(tool),
            _ => true,
        }
    }

    fn head_inside(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        if token.shape != Shape::SelfClosing {
            self.plain(token.end, cx);
            self.heads += 1;
            self.is_after_head = true;
        }
        Step::Continue
    }

    /// Emits the rest of a tag of which something has been emitted: it is text.
    fn emit_tag(&mut self, token: &Token, cx: &mut Context<'_>) {
        if token.start < cx.mark {
            self.plain(token.end, cx);
        }
    }

    /// Whether a tag has been held, or is kept as text of the call. Past the limit it is not, and then
    /// it must not matter how much of it has been emitted.
    fn is_readable(&self, token: &Token, cx: &Context<'_>) -> bool {
        let (call, limits) = (&cx.store().call, &cx.rules.limits);
        let more = token.end.saturating_sub(cx.mark);
        let fits = token.end - self.start <= limits.value as u64;
        let is_kept = !call.is_truncated && fits && more <= call.room_for(limits) as u64;
        is_kept || self.shows(token, cx)
    }

    /// A tag of the call ends a value without an opening tag. Its closing tag may be missing too.
    fn end_at_tag(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        if !matches!(token.role, Role::ValueEnd(_)) {
            return self.close_without_closing_tag(token.start, cx);
        }
        self.end(token.start, cx);
        cx.skip_call(token.end);
        Step::Pop(Ended::Argument(None))
    }
}

/// Whether this may be another opening tag with the name of the value's own.
fn may_be_opener(tag: impl Iterator<Item = u8>, call: &OpenCall) -> bool {
    let value = call.values.last();
    value.is_none_or(|value| misspelt::may_be_opener(&call.raw[..value.text.start], tag))
}

/// The text of a tag in a value. What has been emitted of it is in the text of the call.
fn tag_text<'s>(token: &Token, cx: &'s Context<'_>) -> &'s str {
    if token.start < cx.mark {
        cx.store().call.last_bytes(token.end - token.start)
    } else {
        cx.text(token.start, token.end)
    }
}
