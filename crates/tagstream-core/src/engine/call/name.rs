//! Words in the head of a call: names that are text, ids, and what means nothing.

use super::head::{At, Head, SeenHead};
use crate::engine::context::Context;
use crate::engine::frame::{Answer, Place, Step};
use crate::lexicon::{Number, Role};
use crate::line::is_space;
use crate::policy::call::Style;
use crate::token::Token;

/// A longer word is not a name.
pub(super) const MAX_NAME_BYTES: u64 = 256;

impl Head {
    // Names.

    /// The name begins here, or the id before it.
    pub(super) fn begin_name(&mut self, head: Number, start: u64, cx: &Context<'_>) -> Step {
        let step = self.read_name_at(head, start, cx);
        if cx.call_rules().head(head).before_name.is_some() {
            return self.go_to(At::FirstId(head));
        }
        step
    }

    pub(super) fn read_name_at(&mut self, head: Number, start: u64, cx: &Context<'_>) -> Step {
        let here = (cx.reading.at, cx.reading.at);
        self.seen.head = Some(head);
        self.seen.start = start;
        self.seen.name = here;
        self.seen.id = here;
        self.go_to(At::Name(head))
    }

    pub(super) fn read_name(&mut self, head: Number, cx: &mut Context<'_>) -> Step {
        let rule = cx.call_rules().head(head);
        let rest = cx.rest();
        let is_plain = |byte: &&u8| is_name_byte(**byte) && !rule.lexicon.stops.stop(**byte);
        let len = rest.iter().take_while(is_plain).count();
        let begins = self.seen.name.0 == self.seen.name.1 && len > 0;
        cx.reading.at += len as u64;
        self.seen.name.1 = cx.reading.at;
        let is_name = !begins || begins_name(rest[0]);
        if !is_name || self.seen.name.1 - self.seen.name.0 > MAX_NAME_BYTES {
            return self.is_prose(cx);
        }
        match rest.get(len) {
            None => Step::Continue,
            Some(byte) if rule.lexicon.stops.stop(*byte) => Step::BEGIN,
            Some(byte) if is_space(*byte) => self.pass_space(head, cx),
            Some(b'{') if rule.is_bare => self.json_after_name(head, cx),
            Some(_) => self.is_prose(cx),
        }
    }

    /// White space comes before the name or after it.
    fn pass_space(&mut self, head: Number, cx: &mut Context<'_>) -> Step {
        let here = cx.reading.at;
        cx.reading.at += 1;
        if self.seen.name.0 == here {
            self.seen.name = (here + 1, here + 1);
            Step::Continue
        } else if self.is_unknown(cx) {
            self.is_undeclared(cx)
        } else {
            self.go_to(At::AfterName(head))
        }
    }

    /// What might have ended the name does not: it is part of it, or there is none.
    pub(super) fn no_tag_in_name(
        &mut self,
        head: Number,
        start: u64,
        cx: &mut Context<'_>,
    ) -> Step {
        let byte = cx.byte(start);
        cx.reading.at = start;
        if is_space(byte) {
            self.pass_space(head, cx)
        } else if is_name_byte(byte) {
            cx.reading.at += 1;
            Step::Continue
        } else {
            self.is_prose(cx)
        }
    }

    pub(super) fn read_after_name(&mut self, cx: &mut Context<'_>) -> Step {
        let (rest, stops) = (cx.rest(), &self.lexicon(cx.rules, cx.reading).stops);
        let is_plain = |byte: &&u8| is_space(**byte) && !stops.stop(**byte);
        let spaces = rest.iter().take_while(is_plain).count();
        cx.reading.at += spaces as u64;
        match rest.get(spaces) {
            None => Step::Continue,
            Some(byte) if stops.stop(*byte) => Step::BEGIN,
            Some(byte) => self.end_after_name(*byte, cx),
        }
    }

    /// Something other than white space follows a name.
    pub(super) fn end_after_name(&mut self, byte: u8, cx: &mut Context<'_>) -> Step {
        match self.at {
            At::AfterName(head) if byte == b'{' && cx.call_rules().head(head).is_bare => {
                self.json_after_name(head, cx)
            }
            _ if self.is_certain(cx) => {
                self.seen.end = cx.reading.at;
                self.is_call(cx)
            }
            _ => self.is_prose(cx),
        }
    }

    /// The name may end where JSON begins.
    fn json_after_name(&mut self, head: Number, cx: &mut Context<'_>) -> Step {
        self.seen.end = cx.reading.at;
        if self.is_unknown(cx) {
            self.is_undeclared(cx)
        } else if self.has_name() {
            self.see_json(cx.call_rules().head(head).dialect, cx)
        } else {
            self.is_prose(cx)
        }
    }

    pub(super) fn found_after_name(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        let seen = &mut self.seen;
        seen.name.1 = seen.name.1.min(token.start).max(seen.name.0);
        if token.role == Role::Id {
            return self.begin_id(token, cx);
        }
        let is_separator = token.role == Role::Separator;
        seen.end = if is_separator { token.end } else { token.start };
        if self.has_name() {
            self.see_name(token, cx)
        } else if token.role == Role::CallEnd {
            self.pass_empty_call(token, cx)
        } else if self.is_wrapped() && !self.around.in_thinking {
            self.is_call(cx)
        } else {
            self.is_prose(cx)
        }
    }

    /// A call with nothing in it is nothing; in a wrapper another may follow.
    fn pass_empty_call(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        let Some(dialect) = self.seen.wrapper else {
            return Step::Answer(Answer::EmptyWrapper(token.end));
        };
        self.seen = SeenHead {
            opener: self.seen.opener,
            after: token.end,
            start: self.seen.opener,
            end: token.end,
            wrapper: Some(dialect),
            suffix: self.seen.suffix,
            ..SeenHead::default()
        };
        self.look_after_wrapper(dialect, cx)
    }

    /// The name is whole. Where JSON has to follow, it must, unless the name is declared and in its
    /// wrapper.
    fn see_name(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        let Some(head) = self.seen.head else {
            return self.is_prose(cx);
        };
        let dialect = cx.call_rules().head(head).dialect;
        if cx.call_rules().dialect(dialect).style != Style::Json || self.is_certain(cx) {
            return self.is_call(cx);
        }
        self.seen.dialect = dialect;
        cx.reading.at = token.end.min(self.seen.end);
        self.go_to_named(head, cx)
    }

    // Other words.

    pub(super) fn begin_skip(&mut self, opener: Number, cx: &Context<'_>) -> Step {
        self.seen.id = (cx.reading.at, cx.reading.at);
        self.go_to(At::Skip(opener))
    }

    fn begin_id(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        self.seen.id = (token.end, token.end);
        match self.seen.head {
            Some(head) if self.has_name() => self.go_to(At::Id(head)),
            _ => self.is_prose(cx),
        }
    }

    /// Reads a word up to what may end it. It cannot be longer than a name.
    pub(super) fn read_word(&mut self, cx: &mut Context<'_>) -> Step {
        let (rest, stops) = (cx.rest(), &self.lexicon(cx.rules, cx.reading).stops);
        let is_plain = |byte: &&u8| is_name_byte(**byte) && !stops.stop(**byte);
        let len = rest.iter().take_while(is_plain).count();
        cx.reading.at += len as u64;
        self.seen.id.1 = cx.reading.at;
        if self.seen.id.1 - self.seen.id.0 > MAX_NAME_BYTES {
            return self.is_prose(cx);
        }
        match rest.get(len) {
            None => Step::Continue,
            Some(byte) if stops.stop(*byte) => Step::BEGIN,
            Some(_) => self.is_prose(cx),
        }
    }

    /// What might have ended the word does not.
    pub(super) fn no_end_of_word(&mut self, start: u64, cx: &mut Context<'_>) -> Step {
        if is_name_byte(cx.byte(start)) {
            cx.reading.at = start + 1;
            Step::Continue
        } else {
            self.is_prose(cx)
        }
    }
}

pub(super) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'_' | b'-' | b'.' | b':' | b'/')
        || !byte.is_ascii()
}

pub(super) fn begins_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}
