//! What has been collected of an element that is open.

use crate::attributes::Attributes;
use crate::element::{CollectedParts, ElementParts, PartEnd};
use crate::event::{ElementView, TagStart};
use crate::lexicon::Number;
use crate::policy::{ElementRule, Rules};
use crate::token::Tail;

/// What a part counts besides its text and attributes, so that empty ones are limited too.
const PART_BYTES: usize = 24;
/// This many parts count by their text alone.
const FREE_PARTS: usize = 1024;

/// An element that is open.
#[derive(Debug)]
pub(in crate::engine) struct OpenElement {
    pub(in crate::engine) id: u64,
    pub(in crate::engine) parent: Option<u64>,
    /// Its rule; `None` for an element of any name.
    pub(in crate::engine) rule: Option<Number>,
    /// Its name as written, where it has no rule.
    pub(in crate::engine) any_name: String,
    /// It was longer than the limit.
    pub(in crate::engine) is_truncated: bool,
    attributes: String,
    body: String,
    /// The attributes and the text of each part, one after the other.
    parts: String,
    part_ends: Vec<PartEnd>,
    /// The last part is open.
    in_part: bool,
    /// What may be the beginning of a tag at the end of the text that grows.
    tail: Tail,
}

impl OpenElement {
    pub(in crate::engine) fn new(
        id: u64,
        parent: Option<u64>,
        rule: Option<Number>,
        attributes: &str,
    ) -> Self {
        OpenElement {
            id,
            parent,
            rule,
            any_name: String::new(),
            is_truncated: false,
            attributes: attributes.to_owned(),
            body: String::new(),
            parts: String::new(),
            part_ends: Vec::new(),
            in_part: false,
            tail: Tail::default(),
        }
    }

    fn rule<'r>(&self, rules: &'r Rules) -> Option<&'r ElementRule> {
        self.rule.map(|rule| rules.element(rule))
    }

    pub(in crate::engine) fn name<'a>(&'a self, rules: &'a Rules) -> &'a str {
        self.rule(rules).map_or(&self.any_name, |rule| &rule.name)
    }

    /// How much of `text` may still be collected.
    pub(in crate::engine) fn room(&self, text: &str, limit: usize) -> usize {
        text.floor_char_boundary(self.room_for(limit))
    }

    /// How many bytes may still be collected.
    pub(in crate::engine) fn room_for(&self, limit: usize) -> usize {
        if self.is_truncated {
            return 0;
        }
        // law: body-limit
        limit.saturating_sub(self.used())
    }

    pub(in crate::engine) fn has_room_for_part(&self, attributes: &str, limit: usize) -> bool {
        let weight = if self.part_ends.len() < FREE_PARTS {
            0
        } else {
            PART_BYTES
        };
        self.used() + attributes.len() + weight <= limit
    }

    fn used(&self) -> usize {
        let weighed = self.part_ends.len().saturating_sub(FREE_PARTS);
        self.body.len() + self.parts.len() + weighed * PART_BYTES
    }

    pub(in crate::engine) fn collect(&mut self, text: &str, rules: &Rules) {
        let all = match self.part_ends.last_mut().filter(|_| self.in_part) {
            Some(end) => {
                end.text += text.len();
                &mut self.parts
            }
            None => &mut self.body,
        };
        let from = all.len();
        all.push_str(text);
        self.tail.read(all, from, &rules.snapshot_tags);
    }

    /// Begins a part.
    pub(in crate::engine) fn add_part(&mut self, part: Number, attributes: &str) {
        self.parts.push_str(attributes);
        let end = self.parts.len();
        self.part_ends.push(PartEnd {
            rule: part,
            attributes: end,
            text: end,
        });
        self.in_part = true;
    }

    /// Something other than text follows.
    pub(in crate::engine) fn interrupt(&mut self) {
        self.in_part = false;
        self.tail = Tail::default();
    }

    /// The element as it is now. A complete one has its closing tag, so that nothing at its end is
    /// the beginning of a tag.
    pub(in crate::engine) fn view<'a>(
        &'a self,
        rules: &'a Rules,
        complete: bool,
    ) -> ElementView<'a> {
        ElementView {
            parent: self.parent,
            attributes: Attributes::new(&self.attributes),
            body: Some(&self.body),
            parts: ElementParts::from(CollectedParts {
                rules: self.rule(rules).map_or(&[], |rule| &rule.parts),
                ends: &self.part_ends,
                text: &self.parts,
            }),
            complete,
            tail: TagStart {
                at: self.tail.start().filter(|_| !complete),
                in_part: self.in_part,
            },
            ..ElementView::new(self.id, self.name(rules))
        }
    }

    /// The element as far as it has come, without what may be the beginning of a tag.
    pub(in crate::engine) fn snapshot<'a>(&'a self, rules: &'a Rules) -> ElementView<'a> {
        self.view(rules, false).without_tag_start()
    }
}
