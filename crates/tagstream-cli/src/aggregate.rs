//! `aggregate`: one JSON message for each choice, at the end of the stream.

use crate::args::{Common, WhitespaceFlag};
use crate::failure::Failure;
use crate::output::Output;
use crate::stream::{self, Outcome, View};
use clap::ValueEnum;
use tagstream::view::InlineSplitter;
use tagstream::{Event, ThinkingTrim};
use tagstream_wire::{Aggregator, WireEvent};

#[derive(clap::Args)]
#[command(after_help = "\
Example:
  printf 'data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"},\"finish_reason\":\"stop\"}]}\\n\\ndata: [DONE]\\n\\n' | tagstream aggregate")]
pub(crate) struct AggregateArgs {
    #[command(flatten)]
    common: Common,

    /// What to remove from the content
    #[arg(long, value_name = "WHAT", default_value = "profile")]
    clean: Clean,

    #[command(flatten)]
    whitespace: WhitespaceFlag,
}

#[derive(Clone, Copy, ValueEnum)]
enum Clean {
    /// What the profile lists
    Profile,
    /// The same, and every other tag with its content; the thought tags of `inline` are thinking, and
    /// the default profile trims nothing
    Inline,
}

pub(crate) fn run(args: &AggregateArgs) -> Result<Outcome, Failure> {
    let mut profile = args.common.profile("aggregate")?;
    if let Clean::Inline = args.clean {
        profile = InlineSplitter::extend(profile);
        // As in `chat` and `strip`, --whitespace alone decides.
        if args.common.has_default_profile() {
            profile.thinking.trim = ThinkingTrim::None;
        }
    }
    let whitespace = args.whitespace.policy();
    let mut view = Whole {
        aggregator: Aggregator::new().whitespace(whitespace),
    };
    stream::run(&args.common, &profile, &mut view)
}

struct Whole {
    aggregator: Aggregator,
}

impl View for Whole {
    const SHOWS_REFUSALS: bool = true;
    const SHOWS_GARBAGE: bool = false;

    fn hints(&self) -> bool {
        true
    }

    fn event(&mut self, _event: Event<'_>, _out: &mut Output) {}

    fn wire(&mut self, event: &WireEvent<'_>, _out: &mut Output) {
        self.aggregator.event(event);
    }

    fn finished(&mut self, out: &mut Output) {
        for message in std::mem::take(&mut self.aggregator).finish() {
            out.json(&message);
        }
    }
}
