//! Looks ahead where nothing but itself marks a call, or where it is Python.

use super::{At, Head};
use crate::engine::call::name::{MAX_NAME_BYTES, begins_name, is_name_byte};
use crate::engine::context::{Context, count_spaces};
use crate::engine::frame::{Answer, Step};
use crate::lexicon::Number;
use crate::line::is_space;
use crate::token::Token;

/// How far the first keyword of a call that nothing marks is looked for, in bytes.
const MAX_KEYWORD_BYTES: usize = 1024;

impl Head {
    /// Looks at what may be a call without any markup: it must begin a line, or follow nothing but
    /// markup in it.
    pub(super) fn look_at_bare(
        &mut self,
        opener: Number,
        token: &Token,
        cx: &mut Context<'_>,
    ) -> Step {
        let rule = cx.call_rules().opener(opener);
        let is_thought = self.around.in_thinking && !cx.call_rules().ends_thinking;
        let begins = self.around.begins_stretch || cx.begins_after_indent(token.start);
        // law: bare-line
        if is_thought || !begins {
            return Step::Answer(Answer::Prose);
        }
        if rule.python.is_some() {
            return self.begin_python(opener, 0, cx);
        }
        self.see_bare_json(rule.envelope, cx)
    }

    /// The JSON begins with what has opened it.
    fn see_bare_json(&mut self, dialect: Option<Number>, cx: &mut Context<'_>) -> Step {
        let Some(dialect) = dialect else {
            return self.is_prose(cx);
        };
        self.seen.wrapper = Some(dialect);
        self.seen.after = self.seen.opener;
        cx.reading.at = self.seen.opener;
        self.see_json(dialect, cx)
    }

    pub(super) fn begin_python(
        &mut self,
        opener: Number,
        brackets: u64,
        cx: &mut Context<'_>,
    ) -> Step {
        let here = cx.reading.at;
        self.seen.end = here;
        self.seen.name = (here + brackets, here + brackets);
        cx.reading.at += brackets;
        self.go_to(At::Python(opener))
    }

    /// Reads the name of the first call.
    pub(super) fn read_python(&mut self, opener: Number, cx: &mut Context<'_>) -> Step {
        let rule = cx.call_rules().opener(opener);
        let rest = cx.rest();
        let len = rest.iter().take_while(|byte| is_name_byte(**byte)).count();
        let is_first = self.seen.name.0 == self.seen.name.1;
        cx.reading.at += len as u64;
        self.seen.name.1 = cx.reading.at;
        let is_long = self.seen.name.1 - self.seen.name.0 > MAX_NAME_BYTES;
        match rest.get(len) {
            _ if is_long || is_first && len > 0 && !begins_name(rest[0]) => self.is_prose(cx),
            None => Step::Continue,
            Some(byte) if is_space(*byte) && is_first && len == 0 => {
                cx.reading.at += 1;
                self.seen.name = (cx.reading.at, cx.reading.at);
                Step::Continue
            }
            Some(b'(') if (!is_first || len > 0) && rule.is_bare => {
                cx.reading.at += 1;
                self.go_to(At::Keyword(opener, cx.reading.at))
            }
            Some(b'(') if !is_first || len > 0 => self.is_python(rule.python, cx),
            // An empty list; what closes the wrapper may follow.
            Some(b']') if is_first && len == 0 && !rule.is_bare => {
                cx.reading.at += 1;
                self.go_to(At::Opened(opener))
            }
            // A list of JSON objects.
            Some(b'{') if is_first && len == 0 => match (rule.is_bare, rule.envelope) {
                (true, envelope) => self.see_bare_json(envelope, cx),
                (false, Some(envelope)) => {
                    self.seen.wrapper = Some(envelope);
                    cx.reading.at = self.seen.end;
                    self.see_json(envelope, cx)
                }
                (false, None) => self.is_prose(cx),
            },
            Some(_) => self.is_prose(cx),
        }
    }

    /// Reads on after the bracket of a call that nothing marks.
    pub(super) fn read_keyword(
        &mut self,
        opener: Number,
        start: u64,
        cx: &mut Context<'_>,
    ) -> Step {
        let text = cx.bytes(start, cx.limit);
        cx.reading.at = cx.limit;
        let begins_call = match begins_arguments(text) {
            None if text.len() <= MAX_KEYWORD_BYTES => return Step::Continue,
            begins => begins.unwrap_or(false),
        };
        self.end_keyword(begins_call, opener, cx)
    }

    fn end_keyword(&mut self, begins_call: bool, opener: Number, cx: &mut Context<'_>) -> Step {
        if begins_call {
            self.is_python(cx.call_rules().opener(opener).python, cx)
        } else {
            self.is_prose(cx)
        }
    }

    /// The message ends where a keyword was looked for: it is a call if that is complete.
    pub(super) fn end_in_keyword(
        &mut self,
        opener: Number,
        start: u64,
        cx: &mut Context<'_>,
    ) -> Step {
        let text = cx.text(start, cx.end()).trim_end();
        let is_whole = text.ends_with(']') && begins_arguments(text.as_bytes()).is_none();
        self.end_keyword(is_whole, opener, cx)
    }

    /// The first call has a name and a bracket after it.
    fn is_python(&mut self, dialect: Option<Number>, cx: &mut Context<'_>) -> Step {
        let is_declared = cx.call_rules().is_declared(cx.text_of(self.seen.name));
        let Some(dialect) = dialect.filter(|_| is_declared || !self.must_be_declared(cx)) else {
            return self.is_undeclared(cx);
        };
        self.seen.wrapper = Some(dialect);
        self.seen.dialect = dialect;
        self.seen.start = self.seen.end;
        self.seen.name = (0, 0);
        Step::Answer(Answer::Call(self.seen))
    }

    /// Whether the opener is ordinary text.
    pub(super) fn is_plain(&self, cx: &Context<'_>) -> bool {
        let opener = self.opener.map(|opener| cx.call_rules().opener(opener));
        opener.is_some_and(|opener| opener.is_plain)
    }
}

/// Whether the arguments of a call in Python begin with this: a keyword with its `=`, or the bracket
/// after no arguments, if the list does not go on as a link does: `[now()](…)`. `None` if that is not
/// known yet.
fn begins_arguments(text: &[u8]) -> Option<bool> {
    let text = &text[count_spaces(text)..];
    let len = text.iter().take_while(|byte| is_name_byte(**byte)).count();
    let after = &text[len..];
    let after = &after[count_spaces(after)..];
    match *after.first()? {
        b'=' if len > 0 => Some(*after.get(1)? != b'='),
        b')' if len == 0 => {
            let after = &after[1..];
            let after = &after[count_spaces(after)..];
            match *after.first()? {
                b']' => Some(*after.get(1)? != b'('),
                byte => Some(byte == b','),
            }
        }
        _ => Some(false),
    }
}
