//! `chat`: the events of chat completions, as JSON lines.

use crate::args::{Common, WhitespaceFlag};
use crate::failure::Failure;
use crate::output::Output;
use crate::stream::{self, Outcome, View};
use tagstream::Event;
use tagstream::view::InlineSplitter;
use tagstream::view::inline::Chats;
use tagstream_wire::WireEvent;

#[derive(clap::Args)]
#[command(after_help = "\
Example:
  printf 'Hi <thinking>plan</thinking>there' | tagstream chat")]
pub(crate) struct ChatArgs {
    #[command(flatten)]
    common: Common,

    #[command(flatten)]
    whitespace: WhitespaceFlag,
}

pub(crate) fn run(args: &ChatArgs) -> Result<Outcome, Failure> {
    let profile = InlineSplitter::extend(args.common.profile("chat")?);
    let whitespace = args.whitespace.policy();
    let mut view = Completions(Chats::default().whitespace(whitespace));
    stream::run(&args.common, &profile, &mut view)
}

struct Completions(Chats);

impl View for Completions {
    const SHOWS_REFUSALS: bool = true;
    const SHOWS_GARBAGE: bool = false;

    fn hints(&self) -> bool {
        true
    }

    fn event(&mut self, _event: Event<'_>, _out: &mut Output) {}

    fn wire(&mut self, event: &WireEvent<'_>, out: &mut Output) {
        self.0.event(event, |event| out.json(&event));
    }

    fn finished(&mut self, out: &mut Output) {
        std::mem::take(&mut self.0).finish(|event| out.json(&event));
    }
}
