//! Events as `docs/spec.md` defines them (section 7), for any serde format.
//!
//! Nothing is derived: what is written can be compared with the specification line by line, and
//! a change of the public types does not change it. Owned events are written by borrowing them.

use crate::json::Json;
use crate::owned::{OwnedAttributes, OwnedElement, OwnedElementPart, OwnedEvent};
use crate::{ElementPart, ElementParts, ElementView, Event, EventKind};
use serde::ser::SerializeMap;
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

impl Serialize for Event<'_> {
    /// One object with a `type`, without the span. Numbers in arguments may lose their spelling: see
    /// [`Event`].
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        write_event(self, &mut map)?;
        map.end()
    }
}

impl Serialize for WithSpan<'_> {
    /// The event, with `span` as a pair after its fields.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        write_event(&self.0, &mut map)?;
        map.serialize_entry("span", &[self.0.span.start, self.0.span.end])?;
        map.end()
    }
}

fn write_event<M: SerializeMap>(event: &Event<'_>, map: &mut M) -> Result<(), M::Error> {
    map.serialize_entry("type", type_of(&event.kind))?;
    match event.kind {
        EventKind::Text(text) | EventKind::Thought(text) => map.serialize_entry("text", text),
        EventKind::ThoughtStart { tag, attributes } => {
            map.serialize_entry("tag", &tag)?;
            map.serialize_entry("attributes", &attributes)
        }
        EventKind::ThoughtEnd { closed } => map.serialize_entry("closed", &closed),
        EventKind::ElementStart {
            id,
            parent,
            name,
            attributes,
        } => {
            map.serialize_entry("id", &id)?;
            map.serialize_entry("parent", &parent)?;
            map.serialize_entry("name", name)?;
            map.serialize_entry("attributes", &attributes)
        }
        EventKind::ElementDelta { id, part, text } => {
            map.serialize_entry("id", &id)?;
            write_if_some("part", part, map)?;
            map.serialize_entry("text", text)
        }
        EventKind::ElementEnd(element) => {
            map.serialize_entry("id", &element.id)?;
            write_element(&element, map)
        }
        EventKind::Notice { code, message } => {
            map.serialize_entry("code", code.as_str())?;
            map.serialize_entry("message", message)
        }
        EventKind::Skip { reason } => {
            map.serialize_entry("reason", reason.as_str())?;
            map.serialize_entry("text", event.raw)
        }
        EventKind::CallStart { .. }
        | EventKind::CallDelta { .. }
        | EventKind::CallEnd { .. }
        | EventKind::CallError { .. } => write_call_event(&event.kind, map),
    }
}

fn write_call_event<M: SerializeMap>(kind: &EventKind<'_>, map: &mut M) -> Result<(), M::Error> {
    match *kind {
        EventKind::CallStart { index, id, name } => {
            map.serialize_entry("index", &index)?;
            map.serialize_entry("id", id)?;
            map.serialize_entry("name", name)
        }
        EventKind::CallDelta {
            index,
            argument,
            text,
        } => {
            map.serialize_entry("index", &index)?;
            write_if_some("argument", argument, map)?;
            map.serialize_entry("text", text)
        }
        EventKind::CallEnd {
            index,
            id,
            name,
            arguments,
        } => {
            map.serialize_entry("index", &index)?;
            map.serialize_entry("id", id)?;
            map.serialize_entry("name", name)?;
            map.serialize_entry("arguments", &Json(arguments))
        }
        EventKind::CallError {
            index,
            name,
            code,
            argument,
            message,
            raw,
        } => {
            map.serialize_entry("index", &index)?;
            map.serialize_entry("name", &name)?;
            map.serialize_entry("code", code.as_str())?;
            map.serialize_entry("argument", &argument)?;
            map.serialize_entry("message", message)?;
            map.serialize_entry("raw", raw)
        }
        _ => Ok(()),
    }
}

/// What an element has besides its number and its parent.
fn write_element<M: SerializeMap>(element: &ElementView<'_>, map: &mut M) -> Result<(), M::Error> {
    map.serialize_entry("name", element.name)?;
    map.serialize_entry("attributes", &element.attributes)?;
    write_if_some("body", element.body, map)?;
    map.serialize_entry("parts", &element.parts)?;
    map.serialize_entry("complete", &element.complete)
}

fn write_if_some<M: SerializeMap>(
    key: &str,
    value: Option<&str>,
    map: &mut M,
) -> Result<(), M::Error> {
    value.map_or(Ok(()), |value| map.serialize_entry(key, value))
}

fn type_of(kind: &EventKind<'_>) -> &'static str {
    match kind {
        EventKind::Text(_) => "text",
        EventKind::ThoughtStart { .. } => "thought_start",
        EventKind::Thought(_) => "thought",
        EventKind::ThoughtEnd { .. } => "thought_end",
        EventKind::CallStart { .. } => "call_start",
        EventKind::CallDelta { .. } => "call_delta",
        EventKind::CallEnd { .. } => "call_end",
        EventKind::CallError { .. } => "call_error",
        EventKind::ElementStart { .. } => "element_start",
        EventKind::ElementDelta { .. } => "element_delta",
        EventKind::ElementEnd(_) => "element_end",
        EventKind::Notice { .. } => "notice",
        EventKind::Skip { .. } => "skip",
    }
}

impl Serialize for ElementView<'_> {
    /// An object. Unlike the event of the element's end it has a `parent`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &self.id)?;
        map.serialize_entry("parent", &self.parent)?;
        write_element(self, &mut map)?;
        map.end()
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
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("name", self.name)?;
        map.serialize_entry("attributes", &self.attributes)?;
        map.serialize_entry("text", self.text)?;
        map.end()
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
    /// As [`Attributes`](crate::Attributes).
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_attributes().serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{CallErrorCode, Problem};
    use crate::{Attributes, NoticeCode, SkipReason, Span};

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
            parent: Some(1),
            attributes: Attributes::new(r#" a="1" b a='2'"#),
            body,
            complete: true,
            ..ElementView::new(2, "node")
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
