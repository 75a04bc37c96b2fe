//! `events`: all events as JSON lines.

use crate::args::Common;
use crate::calls::as_json;
use crate::failure::Failure;
use crate::output::Output;
use crate::stream::{self, Outcome, View};
use serde::Serialize;
use tagstream::{Event, EventKind};
use tagstream_wire::{Format, WireEvent, WireKind};

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  printf 'Hi <think>plan</think>there' | tagstream events
  printf 'a</think>b' | tagstream events --spans")]
pub(crate) struct EventsArgs {
    #[command(flatten)]
    common: Common,

    /// Print the span of each event, and skipped bytes with the reason
    #[arg(long)]
    spans: bool,
}

pub(crate) fn run(args: &EventsArgs) -> Result<Outcome, Failure> {
    let profile = args.common.profile("events")?;
    let mut view = Events {
        spans: args.spans,
        choices: false,
    };
    stream::run(&args.common, &profile, &mut view)
}

struct Events {
    spans: bool,
    /// The input is a provider's stream, which may have several choices.
    choices: bool,
}

/// The end of a call, with its arguments as they were written.
#[derive(Serialize)]
struct CallEnd<'a> {
    r#type: &'static str,
    index: u64,
    id: &'a str,
    name: &'a str,
    #[serde(serialize_with = "as_json")]
    arguments: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    span: Option<[u64; 2]>,
}

impl View for Events {
    const SHOWS_REFUSALS: bool = true;

    fn hints(&self) -> bool {
        true
    }

    fn format(&mut self, format: Format) {
        self.choices = !matches!(format, Format::Text | Format::Auto);
    }

    fn event(&mut self, event: Event<'_>, out: &mut Output) {
        match event.kind {
            EventKind::CallEnd {
                index,
                id,
                name,
                arguments,
                ..
            } => out.json(&CallEnd {
                r#type: "call_end",
                index,
                id,
                name,
                arguments,
                span: self.spans.then_some([event.span.start, event.span.end]),
            }),
            _ if self.spans => out.json(&event.with_span()),
            EventKind::Skip { .. } => {}
            _ => out.json(&event),
        }
    }

    fn wire(&mut self, event: &WireEvent<'_>, out: &mut Output) {
        match event.event {
            WireKind::Message(_) if !self.choices => {
                event.message().into_iter().for_each(|e| self.event(e, out));
            }
            _ if self.spans => out.json(&event.with_span()),
            WireKind::Message(EventKind::Skip { .. }) => {}
            _ => out.json(event),
        }
    }
}
