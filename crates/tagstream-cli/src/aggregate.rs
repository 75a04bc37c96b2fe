//! `aggregate`: one JSON message for each choice, at the end of the stream.

use crate::args::Common;
use crate::failure::Failure;
use crate::output::Output;
use crate::stream::{self, Outcome, View};
use clap::ValueEnum;
use tagstream::Event;
use tagstream_wire::{Aggregator, Whitespace, WireEvent};

#[derive(clap::Args)]
pub(crate) struct AggregateArgs {
    #[command(flatten)]
    common: Common,

    /// What to leave where a tag was removed
    #[arg(long, value_name = "HOW", default_value = "as-is")]
    whitespace: Left,
}

#[derive(Clone, Copy, ValueEnum)]
enum Left {
    /// The white space that was there
    AsIs,
    /// The same, and a space where two words would touch
    Preserve,
    /// One space, as for every run of white space
    Collapse,
}

impl From<Left> for Whitespace {
    fn from(left: Left) -> Self {
        match left {
            Left::AsIs => Whitespace::AsIs,
            Left::Preserve => Whitespace::Preserve,
            Left::Collapse => Whitespace::Collapse,
        }
    }
}

pub(crate) fn run(args: &AggregateArgs) -> Result<Outcome, Failure> {
    let profile = args.common.profile("thinking")?;
    let mut view = Whole(Aggregator::new().whitespace(args.whitespace.into()));
    stream::run(&args.common, &profile, &mut view)
}

struct Whole(Aggregator);

impl View for Whole {
    fn event(&mut self, _event: Event<'_>, _out: &mut Output) {}

    fn wire(&mut self, event: &WireEvent<'_>, _out: &mut Output) {
        self.0.event(event);
    }

    fn finished(&mut self, out: &mut Output) {
        for message in std::mem::take(&mut self.0).finish() {
            out.json(&message);
        }
    }
}
