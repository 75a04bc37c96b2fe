//! The events of a stream: those of its messages, each with its choice.

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use std::borrow::Cow;
use tagstream_core::{Event, EventKind, Span};

/// One certain statement about a message of a stream.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WireEvent<'a> {
    /// The choice that it belongs to; 0 for what belongs to the whole stream.
    pub choice: u64,
    /// Its bytes in the text that it was found in; `None` if the provider reported it separately.
    pub span: Option<Span>,
    /// Those bytes, as they arrived; empty without a span.
    pub raw: &'a str,
    /// What it is.
    pub event: WireKind<'a>,
}

/// What an event of a stream reports.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum WireKind<'a> {
    /// An event of a message, found in text or reported by the provider.
    Message(EventKind<'a>),
    /// The end of a choice.
    Finish {
        /// The reason, in the provider's spelling.
        reason: &'a str,
    },
    /// How many tokens were used.
    Usage {
        /// The provider's JSON object.
        usage: &'a str,
    },
}

impl<'a> WireEvent<'a> {
    /// This event, to be written with its span, if it has one.
    #[must_use]
    pub fn with_span(self) -> WithSpan<'a> {
        WithSpan(self)
    }

    /// The event of the message itself.
    #[must_use]
    pub fn message(&self) -> Option<Event<'a>> {
        let WireKind::Message(kind) = self.event else {
            return None;
        };
        let (span, raw) = (self.span.unwrap_or_default(), self.raw);
        Some(Event::new(span, raw, kind))
    }
}

/// An event of a stream that is written with its span.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WithSpan<'a>(pub WireEvent<'a>);

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Shape<'a> {
    Finish {
        choice: u64,
        reason: &'a str,
    },
    Usage {
        choice: u64,
        usage: &'a RawValue,
    },
    CallEnd {
        index: u64,
        id: &'a str,
        name: &'a str,
        /// As the model wrote it: numbers keep their spelling.
        arguments: &'a RawValue,
        #[serde(skip_serializing_if = "Option::is_none")]
        span: Option<[u64; 2]>,
        choice: u64,
    },
}

#[derive(Serialize)]
struct Chosen<T> {
    #[serde(flatten)]
    event: T,
    choice: u64,
}

impl Serialize for WireEvent<'_> {
    /// As the event of the message, with `choice` after its fields.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.write(None, serializer)
    }
}

impl Serialize for WithSpan<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.write(self.0.span, serializer)
    }
}

impl WireEvent<'_> {
    fn write<S: Serializer>(&self, span: Option<Span>, to: S) -> Result<S::Ok, S::Error> {
        let choice = self.choice;
        match self.event {
            WireKind::Message(EventKind::CallEnd {
                index,
                id,
                name,
                arguments,
                ..
            }) => Shape::CallEnd {
                index,
                id,
                name,
                arguments: raw(&one_line(arguments))?,
                span: span.map(|span| [span.start, span.end]),
                choice,
            }
            .serialize(to),
            WireKind::Message(kind) => {
                let event = Event::new(self.span.unwrap_or_default(), self.raw, kind);
                match span {
                    Some(_) => Chosen {
                        event: event.with_span(),
                        choice,
                    }
                    .serialize(to),
                    None => Chosen { event, choice }.serialize(to),
                }
            }
            WireKind::Finish { reason } => Shape::Finish { choice, reason }.serialize(to),
            WireKind::Usage { usage } => {
                let usage = one_line(usage);
                let usage = raw(&usage)?;
                Shape::Usage { choice, usage }.serialize(to)
            }
        }
    }
}

fn raw<E: serde::ser::Error>(json: &str) -> Result<&RawValue, E> {
    serde_json::from_str(json).map_err(E::custom)
}

/// JSON without line breaks. In JSON they can only be between tokens.
fn one_line(json: &str) -> Cow<'_, str> {
    if json.contains(['\n', '\r']) {
        Cow::Owned(json.replace(['\n', '\r'], " "))
    } else {
        Cow::Borrowed(json)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(event: WireKind<'_>) -> String {
        let event = WireEvent {
            choice: 1,
            span: Some(Span::new(0, 1)),
            raw: "a",
            event,
        };
        let plain = serde_json::to_string(&event).unwrap();
        format!(
            "{plain} {}",
            serde_json::to_string(&event.with_span()).unwrap()
        )
    }

    #[test]
    fn events_have_their_choice_after_their_fields() {
        assert_eq!(
            json(WireKind::Message(EventKind::Text("a"))),
            concat!(
                r#"{"type":"text","text":"a","choice":1} "#,
                r#"{"type":"text","text":"a","span":[0,1],"choice":1}"#
            )
        );
        let call = EventKind::call_end(0, "a", "f", r#"{"x":1}"#);
        assert!(json(WireKind::Message(call)).starts_with(
            r#"{"type":"call_end","index":0,"id":"a","name":"f","arguments":{"x":1},"choice":1} "#
        ));
    }

    #[test]
    fn finish_and_usage_are_written_as_the_contract_says() {
        assert!(
            json(WireKind::Finish { reason: "stop" })
                .starts_with(r#"{"type":"finish","choice":1,"reason":"stop"} "#)
        );
        assert!(
            json(WireKind::Usage {
                usage: r#"{"n": 1}"#
            })
            .starts_with(r#"{"type":"usage","choice":1,"usage":{"n": 1}} "#)
        );
    }

    #[test]
    fn an_event_is_one_line_and_numbers_keep_their_spelling() {
        let usage = WireKind::Usage {
            usage: "{\n \"n\":\r\n 1.50}",
        };
        let arguments = "{\"a\":99999999999999999999999,\n\"b\":1.50}";
        let call = WireKind::Message(EventKind::call_end(0, "a", "f", arguments));
        assert!(json(usage).contains("1.50}"));
        assert!(json(call).contains(r#"{"a":99999999999999999999999, "b":1.50}"#));
        assert!(!json(usage).contains('\n') && !json(call).contains('\n'));
    }
}
