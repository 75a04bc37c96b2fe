//! Owned events, in the form in which two readings of a message are compared.

use tagstream::{Attributes, CallErrorCode, ElementView, Event, EventKind, NoticeCode};

/// Names and values as written, in order.
pub type Attrs = Vec<(String, String)>;

/// An event that borrows nothing and knows nothing of its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ev {
    Text(String),
    ThoughtStart {
        tag: Option<String>,
        attributes: Attrs,
    },
    Thought(String),
    ThoughtEnd {
        closed: bool,
    },
    CallStart {
        index: u64,
        id: String,
        name: String,
    },
    CallDelta {
        index: u64,
        argument: Option<String>,
        text: String,
    },
    CallEnd(Box<Call>),
    CallError(Box<Refused>),
    ElementStart {
        id: u64,
        parent: Option<u64>,
        name: String,
        attributes: Attrs,
    },
    ElementDelta {
        id: u64,
        part: Option<String>,
        text: String,
    },
    ElementEnd(Box<Element>),
    Notice(NoticeCode),
    Skip(String),
}

/// A call that is complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub index: u64,
    pub id: String,
    pub name: String,
    pub arguments: String,
}

/// One thing wrong with a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    pub index: u64,
    pub name: Option<String>,
    pub code: CallErrorCode,
    pub argument: Option<String>,
    pub message: String,
    pub raw: String,
}

/// An element when it has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    pub id: u64,
    pub parent: Option<u64>,
    pub name: String,
    pub attributes: Attrs,
    pub body: Option<String>,
    pub parts: Vec<Part>,
    pub complete: bool,
}

/// A part of an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub name: String,
    pub attributes: Attrs,
    pub text: String,
}

impl Ev {
    /// The same event, owned.
    pub fn of(event: &Event<'_>) -> Ev {
        match event.kind {
            EventKind::Text(text) => Ev::Text(text.into()),
            EventKind::ThoughtStart {
                tag, attributes, ..
            } => Ev::ThoughtStart {
                tag: tag.map(Into::into),
                attributes: attrs(&attributes),
            },
            EventKind::Thought(text) => Ev::Thought(text.into()),
            EventKind::ThoughtEnd { closed, .. } => Ev::ThoughtEnd { closed },
            EventKind::CallStart {
                index, id, name, ..
            } => Ev::CallStart {
                index,
                id: id.into(),
                name: name.into(),
            },
            EventKind::CallDelta {
                index,
                argument,
                text,
                ..
            } => Ev::CallDelta {
                index,
                argument: argument.map(Into::into),
                text: text.into(),
            },
            EventKind::CallEnd {
                index,
                id,
                name,
                arguments,
                ..
            } => Ev::CallEnd(Box::new(Call {
                index,
                id: id.into(),
                name: name.into(),
                arguments: arguments.into(),
            })),
            EventKind::CallError {
                index,
                name,
                code,
                argument,
                message,
                raw,
                ..
            } => Ev::CallError(Box::new(Refused {
                index,
                name: name.map(Into::into),
                code,
                argument: argument.map(Into::into),
                message: message.into(),
                raw: raw.into(),
            })),
            EventKind::ElementStart {
                id,
                parent,
                name,
                attributes,
                ..
            } => Ev::ElementStart {
                id,
                parent,
                name: name.into(),
                attributes: attrs(&attributes),
            },
            EventKind::ElementDelta { id, part, text, .. } => Ev::ElementDelta {
                id,
                part: part.map(Into::into),
                text: text.into(),
            },
            EventKind::ElementEnd(view) => Ev::ElementEnd(Box::new(Element::of(&view))),
            EventKind::Notice { code, .. } => Ev::Notice(code),
            EventKind::Skip { .. } => Ev::Skip(event.raw.into()),
            _ => unreachable!("the suite knows all events"),
        }
    }

    /// An element that is open, as if it had ended.
    pub fn snapshot(view: ElementView<'_>) -> Ev {
        Ev::ElementEnd(Box::new(Element::of(&view)))
    }

    /// The text of an event that may be cut into several.
    pub fn run(&self) -> Option<&str> {
        match self {
            Ev::Text(text) | Ev::Thought(text) | Ev::Skip(text) => Some(text),
            Ev::CallDelta { text, .. } | Ev::ElementDelta { text, .. } => Some(text),
            _ => None,
        }
    }

    fn run_mut(&mut self) -> Option<&mut String> {
        match self {
            Ev::Text(text) | Ev::Thought(text) | Ev::Skip(text) => Some(text),
            Ev::CallDelta { text, .. } | Ev::ElementDelta { text, .. } => Some(text),
            _ => None,
        }
    }

    /// Whether both are runs of the same kind, so that one may continue the other.
    fn continues(&self, other: &Ev) -> bool {
        match (self, other) {
            (Ev::Text(_), Ev::Text(_))
            | (Ev::Thought(_), Ev::Thought(_))
            | (Ev::Skip(_), Ev::Skip(_)) => true,
            (
                Ev::ElementDelta { id, part, .. },
                Ev::ElementDelta {
                    id: other_id,
                    part: other_part,
                    ..
                },
            ) => id == other_id && part == other_part,
            (
                Ev::CallDelta {
                    index, argument, ..
                },
                Ev::CallDelta {
                    index: other_index,
                    argument: other_argument,
                    ..
                },
            ) => index == other_index && argument == other_argument,
            _ => false,
        }
    }
}

impl Element {
    fn of(view: &ElementView<'_>) -> Element {
        Element {
            id: view.id,
            parent: view.parent,
            name: view.name.into(),
            attributes: attrs(&view.attributes),
            body: view.body.map(Into::into),
            parts: view
                .parts
                .iter()
                .map(|part| Part {
                    name: part.name.into(),
                    attributes: attrs(&part.attributes),
                    text: part.text.into(),
                })
                .collect(),
            complete: view.complete,
        }
    }
}

fn attrs(attributes: &Attributes<'_>) -> Attrs {
    attributes
        .iter()
        .map(|a| (a.name.into(), a.value.into()))
        .collect()
}

/// Normal form: adjacent runs of the same kind are one, and none is empty.
///
/// Two parts of the same name that are side by side are joined too: that is what a reader of
/// deltas sees, and `element_end` tells them apart.
pub fn join(events: impl IntoIterator<Item = Ev>) -> Vec<Ev> {
    let mut joined = Vec::new();
    for event in events {
        add(&mut joined, event);
    }
    joined
}

/// Adds one event to a list in normal form.
pub fn add(joined: &mut Vec<Ev>, event: Ev) {
    match (event.run(), joined.last_mut()) {
        (Some(""), _) => {}
        (Some(more), Some(last)) if last.continues(&event) => {
            last.run_mut().expect("only runs continue").push_str(more);
        }
        _ => joined.push(event),
    }
}

/// Normal form without what was passed over: what a user sees.
pub fn seen(events: Vec<Ev>) -> Vec<Ev> {
    join(events.into_iter().filter(|e| !matches!(e, Ev::Skip(_))))
}

/// What two lists have in common from the start, to the character.
pub fn common(mut one: Vec<Ev>, other: &[Ev]) -> Vec<Ev> {
    let same = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let partial = match (one.get_mut(same), other.get(same)) {
        (Some(a), Some(b)) if a.continues(b) => {
            let length = common_text(a.run().unwrap_or(""), b.run().unwrap_or(""));
            a.run_mut().expect("only runs continue").truncate(length);
            length > 0
        }
        _ => false,
    };
    one.truncate(same + usize::from(partial));
    one
}

fn common_text(a: &str, b: &str) -> usize {
    a.chars()
        .zip(b.chars())
        .take_while(|(a, b)| a == b)
        .map(|(a, _)| a.len_utf8())
        .sum()
}
