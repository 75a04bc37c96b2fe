//! The attributes of an element of a canvas.

use super::Reason;
use crate::Attributes;
use crate::entities::decode;

/// Reads attributes, and notes what is wrong with them.
pub(super) struct Read<'a> {
    attributes: Attributes<'a>,
    pub(super) usable: bool,
    pub(super) reasons: Vec<Reason>,
}

impl<'a> Read<'a> {
    pub(super) fn new(attributes: Attributes<'a>) -> Self {
        Read {
            attributes,
            usable: true,
            reasons: Vec::new(),
        }
    }

    pub(super) fn optional(&self, name: &str) -> Option<String> {
        self.attributes
            .get(name)
            .map(|value| decode(value).into_owned())
    }

    pub(super) fn required(&mut self, name: &'static str) -> String {
        match self.optional(name) {
            Some(value) if !value.is_empty() => value,
            _ => {
                self.refuse(Reason::Missing(name));
                String::new()
            }
        }
    }

    /// An integer; 0 if there is none or it is wrong.
    pub(super) fn number(&mut self, attribute: &'static str, needed: bool) -> i64 {
        let Some(value) = self.optional(attribute) else {
            if needed {
                self.refuse(Reason::Missing(attribute));
            }
            return 0;
        };
        value.trim().parse().unwrap_or_else(|_| {
            self.reasons.push(Reason::Wrong {
                attribute,
                value,
                allowed: "an integer",
            });
            self.usable &= !needed;
            0
        })
    }

    /// One of these names, in any case; the default if there is none or it is wrong.
    pub(super) fn one_of<T: Copy + Default>(
        &mut self,
        attribute: &'static str,
        all: &[(&str, T)],
        allowed: &'static str,
    ) -> T {
        let Some(value) = self.optional(attribute) else {
            return T::default();
        };
        match all
            .iter()
            .find(|(name, _)| value.trim().eq_ignore_ascii_case(name))
        {
            Some((_, found)) => *found,
            None => {
                self.reasons.push(Reason::Wrong {
                    attribute,
                    value,
                    allowed,
                });
                T::default()
            }
        }
    }

    pub(super) fn refuse(&mut self, reason: Reason) {
        self.usable = false;
        self.reasons.push(reason);
    }
}
