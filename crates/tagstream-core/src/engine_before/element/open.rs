//! An element while it is open: what has been collected of it.

mod tail;

use crate::attributes::Attributes;
use crate::element::{PartEnd, Parts};
use crate::event::ElementView;
use crate::policy::{ElementRule, Rules};
use tail::Tail;

/// What a part counts besides its text and attributes, so that empty ones are limited too.
const PART: usize = 24;
/// So many parts count by their text alone.
const FREE_PARTS: usize = 1024;

/// An element that is open.
#[derive(Debug)]
pub(crate) struct Open {
    pub(crate) id: u64,
    pub(crate) parent: Option<u64>,
    /// Its rule; none for an element of any name.
    pub(crate) rule: Option<u16>,
    /// Its name as written, where it has no rule.
    pub(crate) any_name: String,
    /// How many more closers of its own name it needs.
    pub(crate) depth: usize,
    /// The part that is open.
    pub(crate) part: Option<u16>,
    /// It was longer than the limit.
    pub(crate) cut: bool,
    attributes: String,
    body: String,
    parts: String,
    part_ends: Vec<PartEnd>,
    tail: Tail,
}

impl Open {
    pub(crate) fn new(id: u64, parent: Option<u64>, rule: Option<u16>, attributes: &str) -> Self {
        Open {
            id,
            parent,
            rule,
            any_name: String::new(),
            depth: 0,
            part: None,
            cut: false,
            attributes: attributes.to_owned(),
            body: String::new(),
            parts: String::new(),
            part_ends: Vec::new(),
            tail: Tail::None,
        }
    }

    pub(crate) fn rule<'a>(&self, rules: &'a Rules) -> Option<&'a ElementRule> {
        self.rule.map(|rule| &rules.elements[usize::from(rule)])
    }

    pub(crate) fn name<'a>(&'a self, rules: &'a Rules) -> &'a str {
        self.rule(rules).map_or(&self.any_name, |rule| &rule.name)
    }

    /// The name of the part that is open.
    pub(crate) fn part_name<'a>(&self, rules: &'a Rules) -> Option<&'a str> {
        let part = usize::from(self.part?);
        Some(&self.rule(rules)?.parts[part].name)
    }

    /// How many bytes the closers take that must come before its own.
    pub(crate) fn inner_closers(&self) -> usize {
        self.depth * ("</>".len() + self.any_name.len())
    }

    /// How much of `text` may still be collected.
    pub(crate) fn room(&self, text: &str, limit: usize) -> usize {
        text.floor_char_boundary(limit.saturating_sub(self.used()))
    }

    pub(crate) fn has_room_for_part(&self, attributes: &str, limit: usize) -> bool {
        let weight = if self.part_ends.len() < FREE_PARTS {
            0
        } else {
            PART
        };
        self.used() + attributes.len() + weight <= limit
    }

    fn used(&self) -> usize {
        let weighed = self.part_ends.len().saturating_sub(FREE_PARTS);
        self.body.len() + self.parts.len() + weighed * PART
    }

    pub(crate) fn collect(&mut self, text: &str, rules: &Rules) {
        let all = match self.part_ends.last_mut().filter(|_| self.part.is_some()) {
            Some(end) => {
                end.text += text.len();
                &mut self.parts
            }
            None => &mut self.body,
        };
        let from = all.len();
        all.push_str(text);
        self.tail = self.tail.read(all, from, rules);
    }

    pub(crate) fn add_part(&mut self, part: u16, attributes: &str) {
        self.parts.push_str(attributes);
        let end = self.parts.len();
        self.part_ends.push(PartEnd {
            rule: part,
            attributes: end,
            text: end,
        });
    }

    /// Something other than text follows.
    pub(crate) fn interrupt(&mut self) {
        self.part = None;
        self.tail = Tail::None;
    }

    pub(crate) fn view<'a>(&'a self, rules: &'a Rules, complete: bool) -> ElementView<'a> {
        ElementView {
            id: self.id,
            parent: self.parent,
            name: self.name(rules),
            attributes: Attributes::new(&self.attributes),
            body: Some(&self.body),
            parts: Parts {
                rules: self.rule(rules).map_or(&[], |rule| &rule.parts),
                ends: &self.part_ends,
                text: &self.parts,
            },
            complete,
        }
    }

    /// The element as far as it has come, without what may be the beginning of a tag.
    pub(crate) fn snapshot<'a>(&'a self, rules: &'a Rules) -> ElementView<'a> {
        let mut view = self.view(rules, false);
        if let Some(start) = self.tail.start() {
            match self.part {
                Some(_) => view.parts.text = &self.parts[..start],
                None => view.body = Some(&self.body[..start]),
            }
        }
        view
    }
}
