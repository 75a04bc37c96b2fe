//! Explains why XML that looks like a call is not one. The engine reports the structure.

use super::error::BufferErrorKind;
use crate::{Element, Engine, Event, EventKind, Policy, Profile, ProfileError};
use std::collections::BTreeMap;

/// A mistake in the structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mistake {
    pub(super) at: usize,
    pub(super) kind: BufferErrorKind,
    pub(super) message: String,
    /// The number of the call that it is a mistake of.
    pub(super) call: u64,
    /// The tool that is named there.
    pub(super) name: Option<String>,
}

const MISSING_WRAPPER: &str = "Missing function_calls tags";

impl Mistake {
    /// There is no wrapper at all.
    pub(super) fn missing_wrapper(at: usize) -> Self {
        Mistake {
            at,
            kind: BufferErrorKind::MissingWrapper,
            message: MISSING_WRAPPER.to_owned(),
            call: 0,
            name: None,
        }
    }
}

/// Reads the tags of a call as elements, whatever is around them.
pub(super) fn policy() -> Result<Policy, ProfileError> {
    Profile::new()
        .element(Element::named("function_calls").children(["invoke"]))
        .element(Element::named("invoke").children(["parameter"]))
        .element(Element::named("parameter"))
        .compile()
}

/// A tag that was opened.
#[derive(Debug)]
struct Tag {
    at: usize,
    tag: Which,
    parent: Option<u64>,
    name: Option<String>,
    children: usize,
    complete: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    Wrapper,
    Invoke,
    Parameter,
}

/// What is wrong with the structure, in the order of the text.
pub(super) fn diagnose(policy: &Policy, text: &str) -> Vec<Mistake> {
    let mut tags = BTreeMap::new();
    let mut engine = Engine::new(policy);
    let mut sink = |event: Event<'_>| note(&mut tags, &event);
    engine.push(text, &mut sink);
    engine.finish(&mut sink);
    tags.iter()
        .filter_map(|(id, tag)| mistake(*id, tag, &tags))
        .collect()
}

fn note(tags: &mut BTreeMap<u64, Tag>, event: &Event<'_>) {
    match event.kind {
        EventKind::ElementStart {
            id,
            parent,
            name,
            attributes,
            ..
        } => {
            let around = parent.and_then(|parent| tags.get_mut(&parent));
            if let Some(around) = around {
                around.children += 1;
            }
            let name_attribute = attributes.get("name").map(str::trim);
            let tag = Tag {
                at: usize::try_from(event.span.start).unwrap_or(usize::MAX),
                tag: which(name),
                parent,
                name: name_attribute
                    .filter(|name| !name.is_empty())
                    .map(str::to_owned),
                children: 0,
                complete: false,
            };
            tags.insert(id, tag);
        }
        EventKind::ElementEnd(view) => {
            if let Some(tag) = tags.get_mut(&view.id) {
                tag.complete = view.complete;
            }
        }
        _ => {}
    }
}

fn which(name: &str) -> Which {
    match name {
        "function_calls" => Which::Wrapper,
        "invoke" => Which::Invoke,
        _ => Which::Parameter,
    }
}

/// What is wrong with a tag. A tag that was only opened, with nothing in it, is prose.
fn mistake(id: u64, tag: &Tag, tags: &BTreeMap<u64, Tag>) -> Option<Mistake> {
    let begun = tag.complete || tag.children > 0;
    let (kind, message) = match (tag.tag, tag.parent) {
        (Which::Wrapper, _) if tag.complete && tag.children == 0 => {
            (BufferErrorKind::MissingInvoke, "Missing invoke tag")
        }
        (Which::Invoke | Which::Parameter, None) if begun => {
            (BufferErrorKind::MissingWrapper, MISSING_WRAPPER)
        }
        (Which::Invoke, Some(_)) if tag.name.is_none() => (
            BufferErrorKind::MissingInvokeName,
            "Missing 'name' attribute in <invoke> tag",
        ),
        (Which::Parameter, Some(_)) if tag.name.is_none() => (
            BufferErrorKind::MissingParameterName,
            "Missing 'name' attribute in <parameter> tag",
        ),
        _ => return None,
    };
    Some(Mistake {
        at: tag.at,
        kind,
        message: message.to_owned(),
        call: call(id, tag, tags),
        name: tag.name.clone().filter(|_| tag.tag == Which::Invoke),
    })
}

/// The number of the call that a tag belongs to: of its `<invoke>`, or else its own.
fn call(id: u64, tag: &Tag, tags: &BTreeMap<u64, Tag>) -> u64 {
    let parent = tag.parent.filter(|parent| {
        let around = tags.get(parent);
        around.is_some_and(|around| around.tag == Which::Invoke)
    });
    parent.filter(|_| tag.tag == Which::Parameter).unwrap_or(id)
}
