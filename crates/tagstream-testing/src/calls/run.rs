//! Reads a message in pieces and keeps what came out.

use super::nasty::Tool;
use serde_json::Value;
use tagstream::{
    CallSettings, Dialect, Engine, Event, EventKind, Policy, Profile, Span, ToolSignature,
};

/// An event without its place, as far as it does not depend on the cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ev {
    Text(String),
    Start {
        index: u64,
        id: String,
        name: String,
    },
    Delta {
        index: u64,
        argument: Option<String>,
        text: String,
    },
    End {
        index: u64,
        id: String,
        name: String,
        arguments: String,
    },
    /// Anything that a well written call must not lead to.
    Other(String),
}

/// All that came out of a message.
#[derive(Debug, Default)]
pub struct Output {
    pub events: Vec<Ev>,
    pub spans: Vec<Span>,
}

/// A policy that reads calls of these tools in this dialect.
pub fn policy(dialect: Dialect, tools: &[Tool]) -> Policy {
    let calls = CallSettings::dialects([dialect]);
    let profile = Profile::new().calls(declared(calls, tools));
    profile
        .compile()
        .unwrap_or_else(|e| panic!("the dialect is refused: {e}"))
}

/// The settings with these tools.
pub fn declared(calls: CallSettings, tools: &[Tool]) -> CallSettings {
    let signature = |tool: &Tool| ToolSignature::new(tool.name.clone(), tool.arguments.clone());
    tools.iter().map(signature).fold(calls, CallSettings::tool)
}

/// Reads the pieces.
pub fn run<'a>(policy: &Policy, pieces: impl IntoIterator<Item = &'a [u8]>) -> Output {
    let mut output = Output::default();
    let mut engine = Engine::new(policy);
    for piece in pieces {
        engine.push_bytes(piece, |event| output.take(&event));
    }
    engine.finish(|event| output.take(&event));
    output
}

impl Output {
    fn take(&mut self, event: &Event<'_>) {
        self.spans.push(event.span);
        if let Some(ev) = ev(&event.kind) {
            self.add(ev);
        }
    }

    /// Adds an event; runs of one kind are joined.
    fn add(&mut self, ev: Ev) {
        match (self.events.last_mut(), &ev) {
            (Some(Ev::Text(old)), Ev::Text(new)) => old.push_str(new),
            (
                Some(Ev::Delta {
                    index: i,
                    argument: a,
                    text: old,
                }),
                Ev::Delta {
                    index,
                    argument,
                    text: new,
                },
            ) if i == index && a == argument => old.push_str(new),
            _ => self.events.push(ev),
        }
    }

    /// The visible text, joined.
    pub fn text(&self) -> String {
        let text = |ev: &Ev| match ev {
            Ev::Text(text) => Some(text.clone()),
            _ => None,
        };
        self.events.iter().filter_map(text).collect()
    }

    /// The calls that ended: id, name, arguments.
    pub fn calls(&self) -> Vec<(String, String, Value)> {
        let call = |ev: &Ev| match ev {
            Ev::End {
                id,
                name,
                arguments,
                ..
            } => {
                let arguments = serde_json::from_str(arguments).expect("arguments are JSON");
                Some((id.clone(), name.clone(), arguments))
            }
            _ => None,
        };
        self.events.iter().filter_map(call).collect()
    }

    /// What was shown of an argument while it came, or of the JSON object.
    pub fn shown(&self, call: u64, name: Option<&str>) -> String {
        let delta = |ev: &Ev| match ev {
            Ev::Delta {
                index,
                argument,
                text,
            } if *index == call && argument.as_deref() == name => Some(text.clone()),
            _ => None,
        };
        self.events.iter().filter_map(delta).collect()
    }

    /// The events that a well written call must not lead to.
    pub fn complaints(&self) -> Vec<&Ev> {
        self.events
            .iter()
            .filter(|ev| matches!(ev, Ev::Other(_)))
            .collect()
    }

    /// Whether each span starts where the one before ended, and the last one ends here.
    pub fn tiles(&self, length: usize) -> bool {
        let mut at = 0;
        for span in &self.spans {
            if span.start != at || span.end < at {
                return false;
            }
            at = span.end;
        }
        at == length as u64
    }
}

/// Where something is skipped may depend on the cut, so that is left out.
fn ev(kind: &EventKind<'_>) -> Option<Ev> {
    Some(match *kind {
        EventKind::Skip { .. } => return None,
        EventKind::Text(text) => Ev::Text(text.to_owned()),
        EventKind::CallStart {
            index, id, name, ..
        } => Ev::Start {
            index,
            id: id.to_owned(),
            name: name.to_owned(),
        },
        EventKind::CallDelta {
            index,
            argument,
            text,
            ..
        } => Ev::Delta {
            index,
            argument: argument.map(str::to_owned),
            text: text.to_owned(),
        },
        EventKind::CallEnd {
            index,
            id,
            name,
            arguments,
            ..
        } => Ev::End {
            index,
            id: id.to_owned(),
            name: name.to_owned(),
            arguments: arguments.to_owned(),
        },
        ref other => Ev::Other(format!("{other:?}")),
    })
}
