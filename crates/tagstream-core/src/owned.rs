//! Events that own their text.

use crate::attributes::{AttributeIter, Attributes};
use crate::check::CallErrorCode;
use crate::element::{ElementPart, ElementParts};
use crate::event::{ElementView, Event, EventKind, NoticeCode, SkipReason, Span};

/// An [`Event`] that owns its text, for channels and async code.
///
/// ```
/// use tagstream_core::{Engine, OwnedEvent, OwnedEventKind, Profile, Thinking};
///
/// let policy = Profile::new().thinking(Thinking::tags(["think"])).compile()?;
/// let mut events: Vec<OwnedEvent> = Vec::new();
/// let mut engine = Engine::new(&policy);
/// engine.push("<think>plan</think>Hi", |event| events.push(event.to_owned()));
/// engine.finish(|event| events.push(event.to_owned()));
/// assert_eq!(events[1].kind, OwnedEventKind::Thought("plan".to_owned()));
/// assert_eq!(events[3].raw, "Hi");
/// # Ok::<(), tagstream_core::ProfileError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct OwnedEvent {
    /// The bytes of the message that this event accounts for.
    pub span: Span,
    /// Those bytes, as they arrived.
    pub raw: String,
    /// What they are.
    pub kind: OwnedEventKind,
}

/// What the bytes of an [`OwnedEvent`] are. The variants are those of [`EventKind`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the fields are those of `EventKind`")]
pub enum OwnedEventKind {
    /// See [`EventKind::Text`].
    Text(String),
    /// See [`EventKind::ThoughtStart`].
    #[non_exhaustive]
    ThoughtStart {
        tag: Option<String>,
        attributes: OwnedAttributes,
    },
    /// See [`EventKind::Thought`].
    Thought(String),
    /// See [`EventKind::ThoughtEnd`].
    #[non_exhaustive]
    ThoughtEnd { closed: bool },
    /// See [`EventKind::CallStart`].
    #[non_exhaustive]
    CallStart {
        index: u64,
        id: String,
        name: String,
    },
    /// See [`EventKind::CallDelta`].
    #[non_exhaustive]
    CallDelta {
        index: u64,
        argument: Option<String>,
        text: String,
    },
    /// See [`EventKind::CallEnd`].
    #[non_exhaustive]
    CallEnd {
        index: u64,
        id: String,
        name: String,
        arguments: String,
    },
    /// See [`EventKind::CallError`].
    #[non_exhaustive]
    CallError {
        index: u64,
        name: Option<String>,
        code: CallErrorCode,
        argument: Option<String>,
        message: String,
        raw: String,
    },
    /// See [`EventKind::ElementStart`].
    #[non_exhaustive]
    ElementStart {
        id: u64,
        parent: Option<u64>,
        name: String,
        attributes: OwnedAttributes,
    },
    /// See [`EventKind::ElementDelta`].
    #[non_exhaustive]
    ElementDelta {
        id: u64,
        part: Option<String>,
        text: String,
    },
    /// See [`EventKind::ElementEnd`].
    ElementEnd(OwnedElement),
    /// See [`EventKind::Notice`].
    #[non_exhaustive]
    Notice { code: NoticeCode, message: String },
    /// See [`EventKind::Skip`].
    #[non_exhaustive]
    Skip { reason: SkipReason },
}

/// [`Attributes`] that own their text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnedAttributes {
    raw: String,
}

/// An [`ElementView`] that owns its text.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct OwnedElement {
    /// Its number in this message, counted from 0.
    pub id: u64,
    /// The element that contains it.
    pub parent: Option<u64>,
    /// The profile's spelling of its name; as written, for an element of any name.
    pub name: String,
    /// Its attributes.
    pub attributes: OwnedAttributes,
    /// The text in it that belongs to no child; `None` if the tag closed itself.
    pub body: Option<String>,
    /// Its parts, in order.
    pub parts: Vec<OwnedElementPart>,
    /// Whether it has ended with its own closing tag, with all its text.
    pub complete: bool,
}

/// An [`ElementPart`] that owns its text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OwnedElementPart {
    /// The profile's spelling of its name.
    pub name: String,
    /// Its attributes.
    pub attributes: OwnedAttributes,
    /// Its text.
    pub text: String,
}

impl Event<'_> {
    /// A copy that owns its text.
    #[must_use]
    pub fn to_owned(&self) -> OwnedEvent {
        OwnedEvent {
            span: self.span,
            raw: self.raw.to_owned(),
            kind: self.kind.to_owned(),
        }
    }
}

impl OwnedEvent {
    /// This event, borrowed: for code that takes an [`Event`].
    #[must_use]
    pub fn as_event(&self) -> Event<'_> {
        Event {
            span: self.span,
            raw: &self.raw,
            kind: self.kind.as_kind(),
        }
    }
}

impl From<Event<'_>> for OwnedEvent {
    fn from(event: Event<'_>) -> Self {
        event.to_owned()
    }
}

impl EventKind<'_> {
    /// A copy that owns its text.
    #[must_use]
    pub fn to_owned(&self) -> OwnedEventKind {
        match *self {
            EventKind::Text(text) => OwnedEventKind::Text(text.to_owned()),
            EventKind::ThoughtStart { tag, attributes } => OwnedEventKind::ThoughtStart {
                tag: tag.map(str::to_owned),
                attributes: attributes.to_owned(),
            },
            EventKind::Thought(text) => OwnedEventKind::Thought(text.to_owned()),
            EventKind::ThoughtEnd { closed } => OwnedEventKind::ThoughtEnd { closed },
            EventKind::CallStart { index, id, name } => OwnedEventKind::CallStart {
                index,
                id: id.to_owned(),
                name: name.to_owned(),
            },
            EventKind::CallDelta {
                index,
                argument,
                text,
            } => OwnedEventKind::CallDelta {
                index,
                argument: argument.map(str::to_owned),
                text: text.to_owned(),
            },
            EventKind::CallEnd {
                index,
                id,
                name,
                arguments,
            } => OwnedEventKind::CallEnd {
                index,
                id: id.to_owned(),
                name: name.to_owned(),
                arguments: arguments.to_owned(),
            },
            EventKind::CallError {
                index,
                name,
                code,
                argument,
                message,
                raw,
            } => OwnedEventKind::CallError {
                index,
                name: name.map(str::to_owned),
                code,
                argument: argument.map(str::to_owned),
                message: message.to_owned(),
                raw: raw.to_owned(),
            },
            EventKind::ElementStart {
                id,
                parent,
                name,
                attributes,
            } => OwnedEventKind::ElementStart {
                id,
                parent,
                name: name.to_owned(),
                attributes: attributes.to_owned(),
            },
            EventKind::ElementDelta { id, part, text } => OwnedEventKind::ElementDelta {
                id,
                part: part.map(str::to_owned),
                text: text.to_owned(),
            },
            EventKind::ElementEnd(element) => OwnedEventKind::ElementEnd(element.to_owned()),
            EventKind::Notice { code, message } => OwnedEventKind::Notice {
                code,
                message: message.to_owned(),
            },
            EventKind::Skip { reason } => OwnedEventKind::Skip { reason },
        }
    }
}

impl OwnedEventKind {
    /// This kind, borrowed.
    #[must_use]
    pub fn as_kind(&self) -> EventKind<'_> {
        match self {
            OwnedEventKind::Text(text) => EventKind::Text(text),
            OwnedEventKind::ThoughtStart { tag, attributes } => EventKind::ThoughtStart {
                tag: tag.as_deref(),
                attributes: attributes.as_attributes(),
            },
            OwnedEventKind::Thought(text) => EventKind::Thought(text),
            &OwnedEventKind::ThoughtEnd { closed } => EventKind::ThoughtEnd { closed },
            OwnedEventKind::CallStart { index, id, name } => {
                EventKind::call_start(*index, id, name)
            }
            OwnedEventKind::CallDelta {
                index,
                argument,
                text,
            } => EventKind::call_delta(*index, argument.as_deref(), text),
            OwnedEventKind::CallEnd {
                index,
                id,
                name,
                arguments,
            } => EventKind::call_end(*index, id, name, arguments),
            OwnedEventKind::CallError {
                index,
                name,
                code,
                argument,
                message,
                raw,
            } => EventKind::CallError {
                index: *index,
                name: name.as_deref(),
                code: *code,
                argument: argument.as_deref(),
                message,
                raw,
            },
            OwnedEventKind::ElementStart {
                id,
                parent,
                name,
                attributes,
            } => EventKind::element_start(*id, *parent, name, attributes.as_attributes()),
            OwnedEventKind::ElementDelta { id, part, text } => {
                EventKind::element_delta(*id, part.as_deref(), text)
            }
            OwnedEventKind::ElementEnd(element) => EventKind::ElementEnd(element.as_view()),
            OwnedEventKind::Notice { code, message } => EventKind::notice(*code, message),
            &OwnedEventKind::Skip { reason } => EventKind::Skip { reason },
        }
    }
}

impl Attributes<'_> {
    /// A copy that owns its text.
    #[must_use]
    pub fn to_owned(&self) -> OwnedAttributes {
        OwnedAttributes {
            raw: self.raw().to_owned(),
        }
    }
}

impl OwnedAttributes {
    /// These attributes, borrowed.
    #[must_use]
    pub fn as_attributes(&self) -> Attributes<'_> {
        Attributes::new(&self.raw)
    }

    /// The value of the first attribute with exactly this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.as_attributes().get(name)
    }

    /// All attributes, in order, repeated ones too.
    #[must_use]
    pub fn iter(&self) -> AttributeIter<'_> {
        self.as_attributes().iter()
    }
}

impl ElementView<'_> {
    /// A copy that owns its text.
    #[must_use]
    pub fn to_owned(&self) -> OwnedElement {
        OwnedElement {
            id: self.id,
            parent: self.parent,
            name: self.name.to_owned(),
            attributes: self.attributes.to_owned(),
            body: self.body.map(str::to_owned),
            parts: self.parts.iter().map(|part| part.to_owned()).collect(),
            complete: self.complete,
        }
    }
}

impl OwnedElement {
    /// This element, borrowed.
    #[must_use]
    pub fn as_view(&self) -> ElementView<'_> {
        ElementView {
            parent: self.parent,
            attributes: self.attributes.as_attributes(),
            body: self.body.as_deref(),
            parts: ElementParts::from(self.parts.as_slice()),
            complete: self.complete,
            ..ElementView::new(self.id, &self.name)
        }
    }
}

impl ElementPart<'_> {
    /// A copy that owns its text.
    #[must_use]
    pub fn to_owned(&self) -> OwnedElementPart {
        OwnedElementPart {
            name: self.name.to_owned(),
            attributes: self.attributes.to_owned(),
            text: self.text.to_owned(),
        }
    }
}

impl OwnedElementPart {
    /// This part, borrowed.
    #[must_use]
    pub fn as_part(&self) -> ElementPart<'_> {
        ElementPart::new(&self.name, self.attributes.as_attributes(), &self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Element, Engine, Profile, Thinking};

    fn is_sendable<T: Send + Sync + Clone + 'static>() {}

    #[test]
    fn owned_events_can_be_sent_to_other_threads() {
        is_sendable::<OwnedEvent>();
    }

    #[test]
    fn an_owned_event_borrows_as_the_event_it_was() {
        let policy = Profile::new()
            .thinking(Thinking::tags(["think"]))
            .element(Element::named("node").children(["title"]))
            .compile()
            .unwrap();
        let message =
            "<think a=1>plan</think></think><node id='7'><title lang=en>T</title>body</node>.";
        let mut kinds = 0;
        let mut compare = |event: Event<'_>| {
            assert_eq!(event.to_owned().as_event(), event);
            kinds += 1;
        };
        let mut engine = Engine::new(&policy);
        engine.push(message, &mut compare);
        engine.finish(&mut compare);
        assert!(kinds > 8, "{kinds}");
    }

    #[test]
    fn owned_attributes_and_parts_are_read_like_borrowed_ones() {
        let attributes = Attributes::new(" a='1' b=2 a=3").to_owned();
        assert_eq!(attributes.get("a"), Some("1"));
        assert_eq!(attributes.iter().count(), 3);
        let part = ElementPart::new("title", Attributes::default(), "T").to_owned();
        let parts = [part];
        let parts = ElementParts::from(&parts[..]);
        assert_eq!(
            (parts.len(), parts.get(0).map(|part| part.text)),
            (1, Some("T"))
        );
        assert_eq!(parts.get(1), None);
    }
}
