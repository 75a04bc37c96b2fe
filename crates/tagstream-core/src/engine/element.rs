//! Elements: their bodies, parts and children.

use super::context::{Context, Reading};
use super::fast::{Fast, Plain};
use super::frame::{Ended, Frame, Place, Step};
use super::store::element::OpenElement;
use crate::attributes::Attributes;
use crate::event::{ElementView, EventKind, NoticeCode, SkipReason};
use crate::lexicon::{Lexicon, Number, Role};
use crate::policy::Rules;
use crate::token::{Shape, Token};

/// An element that is open. What is collected of it is the last element in the store.
#[derive(Debug)]
pub(super) struct Element {
    /// Its rule; `None` for an element of any name, which is read at once.
    rule: Option<Number>,
    /// How many closing tags of its own name it needs besides its last.
    depth: usize,
    /// The part that is open.
    part: Option<Number>,
    /// What has been found last, and may be a tag, is in a code span.
    is_quoted: bool,
}

/// Opens an element. All text before it has been emitted.
pub(super) fn open(rule: Number, token: &Token, cx: &mut Context<'_>) -> Step {
    if cx.store().elements.len() >= cx.rules.limits.depth {
        return Step::Continue;
    }
    let parent = cx.store_mut().elements.last_mut().map(|parent| {
        parent.interrupt();
        parent.id
    });
    let attributes = cx.attributes(token);
    let element = OpenElement::new(cx.reading.next_element, parent, Some(rule), attributes);
    start(element, token, cx)
}

/// Reads an element of any name, whose closing tag is known.
pub(super) fn read_any(token: &Token, start: u64, end: u64, cx: &mut Context<'_>) -> Step {
    if let Step::Push(Frame::Element(mut element)) = start_any(token, cx) {
        element.plain(start, cx);
        element.end(end, true, cx);
    }
    cx.reading.at = end;
    Step::BeganAndEnded(Ended::Element)
}

/// Starts an element of any name.
pub(super) fn start_any(token: &Token, cx: &mut Context<'_>) -> Step {
    let tag = cx.text(token.start, token.end);
    let attributes = token.attributes(tag);
    let mut element = OpenElement::new(cx.reading.next_element, None, None, attributes);
    element.any_name.push_str(token.name(tag));
    start(element, token, cx)
}

fn start(element: OpenElement, token: &Token, cx: &mut Context<'_>) -> Step {
    let rules = cx.rules;
    let kind = EventKind::ElementStart {
        id: element.id,
        parent: element.parent,
        name: element.name(rules),
        attributes: Attributes::new(cx.attributes(token)),
    };
    cx.emit(token.end, kind);
    cx.reading.has_answer = true;
    cx.reading.next_element += 1;
    if token.shape == Shape::SelfClosing {
        let body = None;
        let view = ElementView {
            body,
            ..element.view(rules, true)
        };
        cx.emit(token.end, EventKind::ElementEnd(view));
        return Step::BeganAndEnded(Ended::Element);
    }
    let rule = element.rule;
    cx.store_mut().elements.push(element);
    Step::Push(Frame::Element(Element {
        rule,
        depth: 0,
        part: None,
        is_quoted: false,
    }))
}

impl Place for Element {
    fn lexicon<'r>(&self, rules: &'r Rules, _reading: &Reading) -> &'r Lexicon {
        let Some(rule) = self.rule else {
            return &rules.any_tags;
        };
        let rule = rules.element(rule);
        match self.part {
            Some(part) => &rule.parts[part as usize].lexicon,
            None => &rule.lexicon,
        }
    }

    fn read(&mut self, cx: &mut Context<'_>) -> Step {
        let step = cx.read_to(self.lexicon(cx.rules, cx.reading));
        if let Step::Begin { .. } = step
            && self.rule.is_some_and(|rule| !cx.rules.element(rule).nests)
        {
            self.is_quoted = cx.rules.code && cx.has_odd_backticks(cx.reading.at);
        }
        step
    }

    fn is_visible(&self, role: Role, shape: Shape, _start: u64, cx: &Context<'_>) -> bool {
        match role {
            Role::Again => false,
            Role::EndBefore(rule) => self.ends_before(rule, shape, cx),
            Role::End => self.depth == 0 || self.part.is_some(),
            _ => true,
        }
    }

    fn plain(&mut self, to: u64, cx: &mut Context<'_>) {
        if to <= cx.mark {
            return;
        }
        let (rules, text) = (cx.rules, cx.text(cx.mark, to));
        let element = cx.store_mut().innermost();
        let room = element.room(text, rules.limits.value);
        if room > 0 {
            element.collect(&text[..room], rules);
            let kind = EventKind::ElementDelta {
                id: element.id,
                part: self.part_name(cx),
                text: &text[..room],
            };
            cx.emit(cx.mark + room as u64, kind);
        }
        if cx.mark < to {
            cut(cx);
            cx.skip(to, SkipReason::Limit);
        }
    }

    fn found(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        match token.role {
            Role::Again => {
                if token.shape == Shape::Open && self.depth + 1 < cx.rules.limits.depth {
                    self.depth += 1;
                }
                Step::Continue
            }
            Role::End if self.part.is_some() => self.close_part(token, cx),
            Role::End if self.depth > 0 => {
                self.depth -= 1;
                Step::Continue
            }
            Role::EndParent if self.depth > 0 => self.end_part_early(token, cx),
            Role::End | Role::EndParent => self.close(token, cx),
            Role::Part(part) => self.open_part(part, token, cx),
            Role::EndBefore(rule) if self.ends_before(rule, token.shape, cx) => {
                self.end_before(token, cx)
            }
            Role::Element(rule) => {
                self.plain(token.start, cx);
                open(rule, token, cx)
            }
            _ => Step::Continue,
        }
    }

    fn end_of_message(&mut self, cx: &mut Context<'_>) -> Option<Step> {
        let end = cx.end();
        self.plain(end, cx);
        self.end(end, false, cx);
        Some(Step::Pop(Ended::Element))
    }

    fn fast(&self, cx: &Context<'_>) -> Option<Fast> {
        Some(Fast {
            plain: Plain::Element,
            stops: self
                .lexicon(cx.rules, cx.reading)
                .stops
                .short_search(b'`')?,
            asks_lexicon: true,
            holds_newline: false,
            room: cx.store().innermost_ref().room_for(cx.rules.limits.value),
        })
    }
}

impl Element {
    /// The part that is being read.
    pub(super) fn part(&self) -> Option<Number> {
        self.part
    }

    fn part_name<'r>(&self, cx: &Context<'r>) -> Option<&'r str> {
        let rule = cx.rules.element(self.rule?);
        Some(&rule.parts[self.part? as usize].name)
    }

    fn open_part(&mut self, part: Number, token: &Token, cx: &mut Context<'_>) -> Step {
        self.plain(token.start, cx);
        cx.skip(token.end, SkipReason::Element);
        let (attributes, limit) = (cx.attributes(token), cx.rules.limits.value);
        let element = cx.store_mut().innermost();
        let fits = !element.is_truncated && element.has_room_for_part(attributes, limit);
        element.interrupt();
        if fits {
            element.add_part(part, attributes);
        }
        self.part = (token.shape != Shape::SelfClosing).then_some(part);
        if self.part.is_none() {
            element.interrupt();
        }
        if !fits {
            cut(cx);
        }
        Step::Continue
    }

    fn close_part(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        self.plain(token.start, cx);
        cx.skip(token.end, SkipReason::Element);
        self.leave_part(cx);
        Step::Continue
    }

    /// The closing tag balances an inner opening tag of the element, and ends the part before it.
    fn end_part_early(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        self.plain(token.start, cx);
        self.leave_part(cx);
        self.depth -= 1;
        Step::Continue
    }

    fn leave_part(&mut self, cx: &mut Context<'_>) {
        self.part = None;
        cx.store_mut().innermost().interrupt();
    }

    fn close(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        self.plain(token.start, cx);
        self.end(token.end, true, cx);
        Step::Pop(Ended::Element)
    }

    /// Whether a tag of this element ends the open one, which does not nest: the closing tag of the element
    /// around it, or the opening tag of one that may be beside it.
    fn ends_before(&self, rule: Number, shape: Shape, cx: &Context<'_>) -> bool {
        let around = cx.store().elements.iter().rev().nth(1);
        let around = around.and_then(|around| around.rule);
        if shape == Shape::Close {
            return around == Some(rule);
        }
        let may_be_beside = |around| cx.rules.element(around).children.contains(&rule);
        // law: quoted-opener
        !self.is_quoted && (self.rule == Some(rule) || around.is_none_or(may_be_beside))
    }

    /// The closing tag was forgotten. The place around the element reads the token.
    fn end_before(&mut self, token: &Token, cx: &mut Context<'_>) -> Step {
        self.plain(token.start, cx);
        let message = format!(
            "the element `{}` has no closing tag and ends before `{}`",
            cx.store().innermost_ref().name(cx.rules),
            cx.text(token.start, token.end)
        );
        cx.notice(NoticeCode::Repaired, &message);
        self.end(token.start, true, cx);
        cx.reading.at = token.start;
        Step::Pop(Ended::Element)
    }

    fn end(&mut self, end: u64, is_closed: bool, cx: &mut Context<'_>) {
        if let Some(element) = cx.store_mut().elements.pop() {
            let view = element.view(cx.rules, is_closed && !element.is_truncated);
            cx.emit(end, EventKind::ElementEnd(view));
        }
    }
}

/// The rest of the innermost element is passed over.
fn cut(cx: &mut Context<'_>) {
    let (rules, element) = (cx.rules, cx.store_mut().innermost());
    if element.is_truncated {
        return;
    }
    element.is_truncated = true;
    let message = format!(
        "the element `{}` is longer than limits.value = {}; the rest of it is passed over",
        element.name(rules),
        rules.limits.value
    );
    cx.notice(NoticeCode::Limit, &message);
}
