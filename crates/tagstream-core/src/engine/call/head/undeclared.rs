//! Arguments that are not declared, where the tags are the names.

use super::tag_name::name_span;
use super::{At, Head};
use crate::engine::context::Context;
use crate::engine::frame::{Place, Step};
use crate::lexicon::Number;
use crate::policy::call::NameAt;
use crate::token::{Shape, Token};

impl Head {
    /// No tag of the call follows its head: it is prose, unless it is an argument that is not declared.
    pub(super) fn no_tag_after_named(
        &mut self,
        head: Number,
        start: u64,
        cx: &mut Context<'_>,
    ) -> Step {
        let is_named = matches!(cx.call_rules().head(head).name, NameAt::Tag(_));
        if !is_named || self.around.in_thinking || cx.byte(start) != b'<' {
            return self.is_prose(cx);
        }
        cx.reading.at = start;
        self.go_to(At::Undeclared { head, name: (0, 0) })
    }

    pub(super) fn read_undeclared(&mut self, name: (u64, u64), cx: &mut Context<'_>) -> Step {
        if name != (0, 0) {
            return cx.read_to(self.lexicon(cx.rules, cx.reading));
        }
        match cx.next_byte() {
            None => Step::Continue,
            Some(b'<') => Step::BEGIN,
            Some(_) => self.is_prose(cx),
        }
    }

    /// A tag of any name has come. After its closing tag, a declared argument or the closing tag of the
    /// call shows that there is a call. Another head does not belong to it; the search ends there, so
    /// that it is linear.
    pub(super) fn found_undeclared(
        &mut self,
        head: Number,
        name: (u64, u64),
        token: &Token,
        cx: &mut Context<'_>,
    ) -> Step {
        let rules = cx.call_rules();
        let tag = token.name(cx.text(token.start, token.end));
        let own = self.seen.name(cx);
        let closes = token.shape == Shape::Close;
        let tool = self.tool.map(|tool| rules.tool_rule(tool));
        let mut arguments = tool.into_iter().flat_map(|tool| &tool.names);
        if name != (0, 0) {
            if closes && tag.eq_ignore_ascii_case(cx.text_of(name)) {
                return self.go_to(At::Undeclared { head, name: (0, 0) });
            }
            if tag.eq_ignore_ascii_case(own) || !closes && rules.is_declared(tag) {
                return self.is_prose(cx);
            }
            return Step::Continue;
        }
        match token.shape {
            Shape::Close if tag.eq_ignore_ascii_case(own) => self.is_call(cx),
            Shape::Close => self.is_prose(cx),
            _ if arguments.any(|(name, _)| name.eq_ignore_ascii_case(tag)) => self.is_call(cx),
            Shape::SelfClosing => Step::Continue,
            _ => {
                let name = name_span(&NameAt::Name, token, cx).unwrap_or_default();
                self.go_to(At::Undeclared { head, name })
            }
        }
    }
}
