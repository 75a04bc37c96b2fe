//! Events as the specification writes them, for any serde format.
//!
//! The shapes are types of their own and not derives on the public types, so that they can be
//! compared with the specification line by line, and so that a change of the public types does not
//! change what is written. Owned events are written by borrowing them.

use crate::json::Json;
use crate::owned::{OwnedAttributes, OwnedElement, OwnedElementPart, OwnedEvent};
use crate::{Attributes, ElementPart, ElementParts, ElementView, Event, EventKind};
use serde::{Serialize, Serializer};

/// An event, to be written with its span.
///
/// ```
/// # use tagstream_core::{Engine, Profile};
/// let policy = Profile::new().compile()?;
/// let mut engine = Engine::new(&policy);
/// engine.push("hi", |event| {
///     let json = serde_json::to_string(&event.with_span()).unwrap();
///     assert_eq!(json, r#"{"type":"text","text":"hi","span":[0,2]}"#);
/// });
/// # Ok::<(), tagstream_core::ProfileError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WithSpan<'a>(pub Event<'a>);

impl<'a> Event<'a> {
    /// This event, to be written with its span.
    #[must_use]
    pub fn with_span(self) -> WithSpan<'a> {
        WithSpan(self)
    }
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Shape<'a> {
    Text {
        text: &'a str,
    },
    ThoughtStart {
        tag: Option<&'a str>,
        attributes: Attributes<'a>,
    },
    Thought {
        text: &'a str,
    },
    ThoughtEnd {
        closed: bool,
    },
    CallStart {
        index: u64,
        id: &'a str,
        name: &'a str,
    },
    CallDelta {
        index: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        argument: Option<&'a str>,
        text: &'a str,
    },
    CallEnd {
        index: u64,
        id: &'a str,
        name: &'a str,
        arguments: Json<'a>,
    },
    CallError {
        index: u64,
        name: Option<&'a str>,
        code: &'static str,
        argument: Option<&'a str>,
        message: &'a str,
        raw: &'a str,
    },
    ElementStart {
        id: u64,
        parent: Option<u64>,
        name: &'a str,
        attributes: Attributes<'a>,
    },
    ElementDelta {
        id: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        part: Option<&'a str>,
        text: &'a str,
    },
    ElementEnd {
        id: u64,
        name: &'a str,
        attributes: Attributes<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        body: Option<&'a str>,
        parts: ElementParts<'a>,
        complete: bool,
    },
    Notice {
        code: &'static str,
        message: &'a str,
    },
    Skip {
        reason: &'static str,
        text: &'a str,
    },
}

impl<'a> From<Event<'a>> for Shape<'a> {
    fn from(event: Event<'a>) -> Self {
        match event.kind {
            EventKind::Text(text) => Shape::Text { text },
            EventKind::ThoughtStart { tag, attributes } => Shape::ThoughtStart { tag, attributes },
            EventKind::Thought(text) => Shape::Thought { text },
            EventKind::ThoughtEnd { closed } => Shape::ThoughtEnd { closed },
            EventKind::CallStart { index, id, name } => Shape::CallStart { index, id, name },
            EventKind::CallDelta {
                index,
                argument,
                text,
            } => Shape::CallDelta {
                index,
                argument,
                text,
            },
            EventKind::CallEnd {
                index,
                id,
                name,
                arguments,
            } => Shape::CallEnd {
                index,
                id,
                name,
                arguments: Json(arguments),
            },
            EventKind::CallError {
                index,
                name,
                code,
                argument,
                message,
                raw,
            } => Shape::CallError {
                index,
                name,
                code: code.as_str(),
                argument,
                message,
                raw,
            },
            EventKind::ElementStart {
                id,
                parent,
                name,
                attributes,
            } => Shape::ElementStart {
                id,
                parent,
                name,
                attributes,
            },
            EventKind::ElementDelta { id, part, text } => Shape::ElementDelta { id, part, text },
            EventKind::ElementEnd(view) => view.into(),
            EventKind::Notice { code, message } => Shape::Notice {
                code: code.as_str(),
                message,
            },
            EventKind::Skip { reason } => Shape::Skip {
                reason: reason.as_str(),
                text: event.raw,
            },
        }
    }
}

impl<'a> From<ElementView<'a>> for Shape<'a> {
    fn from(view: ElementView<'a>) -> Self {
        Shape::ElementEnd {
            id: view.id,
            name: view.name,
            attributes: view.attributes,
            body: view.body,
            parts: view.parts,
            complete: view.complete,
        }
    }
}

impl Serialize for Event<'_> {
    /// One object with a `type`, without the span. Numbers in arguments may lose their spelling: see
    /// [`Event`].
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Shape::from(*self).serialize(serializer)
    }
}

impl Serialize for WithSpan<'_> {
    /// The event, with `span` as a pair after its fields.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Placed<'a> {
            #[serde(flatten)]
            shape: Shape<'a>,
            span: [u64; 2],
        }
        let span = [self.0.span.start, self.0.span.end];
        let shape = self.0.into();
        Placed { shape, span }.serialize(serializer)
    }
}

impl Serialize for ElementView<'_> {
    /// An object. Unlike the event of the element's end it has a `parent`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct View<'a> {
            id: u64,
            parent: Option<u64>,
            name: &'a str,
            attributes: Attributes<'a>,
            #[serde(skip_serializing_if = "Option::is_none")]
            body: Option<&'a str>,
            parts: ElementParts<'a>,
            complete: bool,
        }
        View {
            id: self.id,
            parent: self.parent,
            name: self.name,
            attributes: self.attributes,
            body: self.body,
            parts: self.parts,
            complete: self.complete,
        }
        .serialize(serializer)
    }
}

impl Serialize for ElementParts<'_> {
    /// A list.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl Serialize for ElementPart<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Shape<'a> {
            name: &'a str,
            attributes: Attributes<'a>,
            text: &'a str,
        }
        Shape {
            name: self.name,
            attributes: self.attributes,
            text: self.text,
        }
        .serialize(serializer)
    }
}

impl OwnedEvent {
    /// This event, to be written with its span.
    #[must_use]
    pub fn with_span(&self) -> WithSpan<'_> {
        WithSpan(self.as_event())
    }
}

impl Serialize for OwnedEvent {
    /// As [`Event`].
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_event().serialize(serializer)
    }
}

impl Serialize for OwnedElement {
    /// As [`ElementView`].
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_view().serialize(serializer)
    }
}

impl Serialize for OwnedElementPart {
    /// As [`ElementPart`].
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_part().serialize(serializer)
    }
}

impl Serialize for OwnedAttributes {
    /// As [`Attributes`].
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_attributes().serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{CallErrorCode, Problem};
    use crate::{NoticeCode, SkipReason, Span};

    /// The event as JSON, which is the same if it owns its text.
    fn json(kind: EventKind<'_>) -> String {
        let event = Event::new(Span::new(3, 7), "</x>", kind);
        let json = serde_json::to_string(&event).unwrap();
        assert_eq!(serde_json::to_string(&event.to_owned()).unwrap(), json);
        assert_eq!(event.to_owned().as_event(), event);
        json
    }

    fn node<'a>(body: Option<&'a str>) -> ElementView<'a> {
        ElementView {
            id: 2,
            parent: Some(1),
            name: "node",
            attributes: Attributes::new(r#" a="1" b a='2'"#),
            body,
            parts: ElementParts::default(),
            complete: true,
        }
    }

    #[test]
    fn events_are_written_as_the_specification_defines() {
        let none = Attributes::default();
        let problem = Problem::new(CallErrorCode::Limit, Some("p"), "m");
        let start = |tag| EventKind::ThoughtStart {
            tag,
            attributes: none,
        };
        let delta = |part| EventKind::ElementDelta {
            id: 0,
            part,
            text: "x",
        };
        let cases = [
            (EventKind::Text("a\"b"), r#"{"type":"text","text":"a\"b"}"#),
            (
                start(Some("think")),
                r#"{"type":"thought_start","tag":"think","attributes":{}}"#,
            ),
            (
                start(None),
                r#"{"type":"thought_start","tag":null,"attributes":{}}"#,
            ),
            (EventKind::Thought("x"), r#"{"type":"thought","text":"x"}"#),
            (
                EventKind::ThoughtEnd { closed: false },
                r#"{"type":"thought_end","closed":false}"#,
            ),
            (
                EventKind::ElementStart {
                    id: 0,
                    parent: None,
                    name: "node",
                    attributes: Attributes::new(" a=1"),
                },
                r#"{"type":"element_start","id":0,"parent":null,"name":"node","attributes":{"a":"1"}}"#,
            ),
            (delta(None), r#"{"type":"element_delta","id":0,"text":"x"}"#),
            (
                delta(Some("p")),
                r#"{"type":"element_delta","id":0,"part":"p","text":"x"}"#,
            ),
            (
                EventKind::ElementEnd(node(Some("x"))),
                r#"{"type":"element_end","id":2,"name":"node","attributes":{"a":["1","2"],"b":""},"body":"x","parts":[],"complete":true}"#,
            ),
            (
                EventKind::call_start(0, "call_0", "f"),
                r#"{"type":"call_start","index":0,"id":"call_0","name":"f"}"#,
            ),
            (
                EventKind::call_delta(0, Some("p"), "x"),
                r#"{"type":"call_delta","index":0,"argument":"p","text":"x"}"#,
            ),
            (
                EventKind::call_end(0, "call_0", "f", r#"{"p": 1}"#),
                r#"{"type":"call_end","index":0,"id":"call_0","name":"f","arguments":{"p":1}}"#,
            ),
            (
                EventKind::call_error(1, None, &problem, "<f>"),
                r#"{"type":"call_error","index":1,"name":null,"code":"limit","argument":"p","message":"m","raw":"<f>"}"#,
            ),
            (
                EventKind::Notice {
                    code: NoticeCode::OrphanClose,
                    message: "m",
                },
                r#"{"type":"notice","code":"orphan_close","message":"m"}"#,
            ),
            (
                EventKind::skip(SkipReason::OrphanClose),
                r#"{"type":"skip","reason":"orphan_close","text":"</x>"}"#,
            ),
        ];
        for (kind, expected) in cases {
            assert_eq!(json(kind), expected);
        }
    }

    #[test]
    fn the_body_of_a_tag_that_closed_itself_is_absent() {
        assert!(!json(EventKind::ElementEnd(node(None))).contains("body"));
    }

    #[test]
    fn an_element_by_itself_has_a_parent() {
        let json = serde_json::to_string(&node(None)).unwrap();
        assert!(json.starts_with(r#"{"id":2,"parent":1,"name":"node""#));
    }

    #[test]
    fn a_part_is_an_object() {
        let part = ElementPart {
            name: "level",
            attributes: Attributes::new(" k=v"),
            text: "info",
        };
        assert_eq!(
            serde_json::to_string(&part).unwrap(),
            r#"{"name":"level","attributes":{"k":"v"},"text":"info"}"#
        );
    }

    #[test]
    fn the_span_is_after_the_other_fields() {
        let event = Event::new(Span::new(3, 7), "</x>", EventKind::skip(SkipReason::Tag));
        let expected = r#"{"type":"skip","reason":"tag","text":"</x>","span":[3,7]}"#;
        let owned = event.to_owned();
        for event in [event.with_span(), owned.with_span()] {
            assert_eq!(serde_json::to_string(&event).unwrap(), expected);
        }
    }
}
