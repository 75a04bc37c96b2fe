//! Elements while they are open: what has been collected of them.

use crate::attributes::Attributes;
use crate::event::ElementView;
use crate::line::is_space;
use crate::policy::{ElementRule, PartRule, Rules};

/// One part of an element: a child that is not an element of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part<'a> {
    /// The profile's spelling of its name.
    pub name: &'a str,
    /// Its attributes.
    pub attributes: Attributes<'a>,
    /// Its text.
    pub text: &'a str,
}

/// The parts of an element, in order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Parts<'a> {
    rules: &'a [PartRule],
    ends: &'a [PartEnd],
    /// The attributes and the text of each part, one behind the other.
    text: &'a str,
}

/// What a part counts besides its text and attributes, so that empty ones are limited too.
const PART: usize = 24;
/// So many parts count by their text alone.
const FREE_PARTS: usize = 1024;

/// Where the pieces of a part end in the text of all parts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartEnd {
    rule: u16,
    attributes: usize,
    text: usize,
}

impl<'a> Parts<'a> {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The part with this number.
    #[must_use]
    pub fn get(&self, number: usize) -> Option<Part<'a>> {
        let PartEnd {
            rule,
            attributes,
            text,
        } = *self.ends.get(number)?;
        let start = number
            .checked_sub(1)
            .map_or(0, |before| self.ends[before].text);
        Some(Part {
            name: &self.rules[usize::from(rule)].name,
            attributes: Attributes::new(&self.text[start..attributes]),
            // The text of an open part may be shown without its end.
            text: &self.text[attributes..text.min(self.text.len())],
        })
    }

    /// Each part.
    pub fn iter(&self) -> impl Iterator<Item = Part<'a>> + use<'a> {
        let parts = *self;
        (0..parts.len()).filter_map(move |number| parts.get(number))
    }
}

impl PartialEq for Parts<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

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

/// What may be the beginning of a tag at the end of a text that grows.
///
/// The engine knows which tags count and holds those back. A reader of a snapshot should not see
/// the beginning of any other tag either, but here it is enough to leave it off until something
/// follows that no tag has.
#[derive(Clone, Copy, Debug)]
enum Tail {
    None,
    /// `<` or `</` and a name, or nothing yet.
    Name {
        start: usize,
    },
    /// White space behind the name.
    Space {
        start: usize,
    },
    /// Attributes of a declared element.
    Attributes {
        start: usize,
        quote: Option<u8>,
    },
}

/// A longer beginning of a tag is shown.
const LONGEST_TAIL: usize = 16_384;

impl Tail {
    fn start(self) -> Option<usize> {
        match self {
            Tail::None => None,
            Tail::Name { start } | Tail::Space { start } | Tail::Attributes { start, .. } => {
                Some(start)
            }
        }
    }

    /// Reads what has been added to `text` behind `from`.
    fn read(mut self, text: &str, mut from: usize, rules: &Rules) -> Self {
        let bytes = text.as_bytes();
        while from < bytes.len() {
            if matches!(self, Tail::None) {
                match memchr::memchr(b'<', &bytes[from..]) {
                    Some(n) => from += n,
                    None => break,
                }
            }
            self = self.step(bytes, from, rules);
            from += 1;
        }
        self
    }

    fn step(self, text: &[u8], at: usize, rules: &Rules) -> Self {
        let byte = text[at];
        match (self, byte) {
            (
                Tail::Attributes {
                    start,
                    quote: Some(quote),
                },
                _,
            ) if at - start < LONGEST_TAIL => {
                let quote = (quote != byte).then_some(quote);
                Tail::Attributes { start, quote }
            }
            (_, b'<') => Tail::Name { start: at },
            (Tail::None, _) | (_, b'>') => Tail::None,
            (Tail::Name { start }, b'/') if at == start + 1 => self,
            (Tail::Name { start }, b) if is_space(b) && !name_of(text, start, at).is_empty() => {
                Tail::Space { start }
            }
            (Tail::Name { start }, b) if is_name_byte(b, name_of(text, start, at).is_empty()) => {
                Tail::Name { start }
            }
            (Tail::Space { .. }, b) if is_space(b) => self,
            (Tail::Space { start }, _) if is_element(rules, name_of(text, start, at)) => {
                Tail::Attributes { start, quote: None }
            }
            (Tail::Attributes { start, .. }, _) if at - start < LONGEST_TAIL => {
                let quote = matches!(byte, b'"' | b'\'').then_some(byte);
                Tail::Attributes { start, quote }
            }
            _ => Tail::None,
        }
    }
}

/// The name in `<name …` or `</name …`, as far as it goes before `end`.
fn name_of(text: &[u8], start: usize, end: usize) -> &[u8] {
    let name = &text[start + 1..end];
    let name = name.strip_prefix(b"/").unwrap_or(name);
    name.split(|b| is_space(*b)).next().unwrap_or(name)
}

fn is_name_byte(byte: u8, first: bool) -> bool {
    match byte {
        b'0'..=b'9' | b'-' | b'.' => !first,
        _ => byte.is_ascii_alphabetic() || matches!(byte, b'_' | b':') || !byte.is_ascii(),
    }
}

fn is_element(rules: &Rules, name: &[u8]) -> bool {
    let names = rules.elements.iter().map(|rule| rule.name.as_bytes());
    names
        .into_iter()
        .any(|other| other.eq_ignore_ascii_case(name))
}
