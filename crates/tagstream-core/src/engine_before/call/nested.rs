//! Values that may hold tags of the same kind: objects and lists are written as tags in tags.

use super::super::reader::Reader;
use super::state::CallState;
use crate::check::{ArgumentText, ArgumentsText};
use crate::event::Sink;
use crate::token::{Found, Shape};

impl<'r, S: Sink> Reader<'r, S> {
    /// Values as the check is to read them.
    pub(super) fn dialect_values<'a>(
        &self,
        calls: &CallState,
        values: &'a [ArgumentText<'a>],
    ) -> ArgumentsText<'a>
    where
        'r: 'a,
    {
        match &calls.rule(self.call_rules()).nested {
            None => ArgumentsText::Values(values),
            Some(brackets) => ArgumentsText::Nested {
                values,
                brackets: [&brackets.open, &brackets.close, &brackets.end],
            },
        }
    }

    /// A tag of any name in a value. It belongs to the value, unless it has the argument's own
    /// name: these are balanced, and the last of them closes it.
    pub(super) fn tag_in_value(&mut self, found: &Found) {
        let rules = self.call_rules();
        let readable = self.is_readable(found);
        self.say_tag(found);
        let name = match readable {
            true => found.name(self.tag_text(found)),
            false => "",
        };
        let call = &self.calls_ref().call;
        let (own, in_call) = (call.is_current(rules, name), call.open.calls > 0);
        match found.shape {
            Shape::Close if own => return self.closer_in_value(found),
            Shape::Open if own && !in_call => self.calls().call.open.depth += 1,
            _ => {}
        }
        self.pass_over(found);
    }
}
