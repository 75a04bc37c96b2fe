//! `events`: all events as JSON lines.

use crate::args::Common;
use crate::failure::Failure;
use crate::output::Output;
use crate::stream::{self, Outcome, View};
use tagstream::{Event, Kind};

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
    stream::run(&args.common, &profile, &mut Events { spans: args.spans })
}

struct Events {
    spans: bool,
}

impl View for Events {
    fn event(&mut self, event: Event<'_>, out: &mut Output) {
        match event.kind {
            _ if self.spans => out.json(&event.with_span()),
            Kind::Skip(_) => {}
            _ => out.json(&event),
        }
    }
}
