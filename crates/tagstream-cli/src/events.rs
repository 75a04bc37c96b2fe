//! `events`: all events as JSON lines.

use crate::args::Common;
use crate::failure::Failure;
use crate::output::Output;
use crate::stream::{self, Outcome, View};
use tagstream::{Event, Kind};
use tagstream_wire::{Format, WireEvent, WireKind};

#[derive(clap::Args)]
pub(crate) struct EventsArgs {
    #[command(flatten)]
    common: Common,

    /// Print the span of each event, and what was skipped
    #[arg(long)]
    spans: bool,
}

pub(crate) fn run(args: &EventsArgs) -> Result<Outcome, Failure> {
    let profile = args.common.profile("thinking")?;
    let mut view = Events {
        spans: args.spans,
        choices: args.common.from != Format::Text,
    };
    stream::run(&args.common, &profile, &mut view)
}

struct Events {
    spans: bool,
    /// The input is the stream of a provider, which may have several choices.
    choices: bool,
}

impl View for Events {
    fn event(&mut self, event: Event<'_>, out: &mut Output) {
        match event.kind {
            _ if self.spans => out.json(&event.with_span()),
            Kind::Skip(_) => {}
            _ => out.json(&event),
        }
    }

    fn wire(&mut self, event: &WireEvent<'_>, out: &mut Output) {
        match event.event {
            WireKind::Message(_) if !self.choices => {
                event.message().into_iter().for_each(|e| self.event(e, out));
            }
            _ if self.spans => out.json(&event.with_span()),
            WireKind::Message(Kind::Skip(_)) => {}
            _ => out.json(event),
        }
    }
}
