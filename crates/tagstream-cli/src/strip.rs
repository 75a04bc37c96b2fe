//! `strip`: the message without any tags.

use crate::args::Common;
use crate::failure::Failure;
use crate::output::Output;
use crate::stream::{self, Outcome, View};
use tagstream::view::{Strip, strip_inline_xml_tags};
use tagstream::{Event, EventKind, Profile};

#[derive(clap::Args)]
pub(crate) struct StripArgs {
    #[command(flatten)]
    common: Common,

    /// What to do with white space
    #[arg(long, value_enum, value_name = "POLICY", default_value_t = Whitespace::Preserve)]
    whitespace: Whitespace,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Whitespace {
    /// Keep it, and leave a space where two words would touch
    Preserve,
    /// Replace each run of it with one space, and print everything at the end
    Collapse,
}

pub(crate) fn run(args: &StripArgs) -> Result<Outcome, Failure> {
    let given = args.common.profile("thinking")?;
    match args.whitespace {
        Whitespace::Preserve => {
            let profile = Strip::profile(&given);
            stream::run(&args.common, &profile, &mut Preserve(Strip::default()))
        }
        // This profile has no markup: the whole message is text.
        Whitespace::Collapse => {
            stream::run(&args.common, &Profile::new(), &mut Collapse::default())
        }
    }
}

struct Preserve(Strip);

impl View for Preserve {
    fn event(&mut self, event: Event<'_>, out: &mut Output) {
        for piece in self.0.pieces(&event) {
            out.text(piece);
        }
    }

    fn finished(&mut self, out: &mut Output) {
        out.end_line_on_terminal();
    }
}

/// The message, which is stripped as a whole.
#[derive(Default)]
struct Collapse(String);

impl View for Collapse {
    fn event(&mut self, event: Event<'_>, _out: &mut Output) {
        if let EventKind::Text(text) = event.kind {
            self.0.push_str(text);
        }
    }

    fn finished(&mut self, out: &mut Output) {
        out.text(&strip_inline_xml_tags(&self.0));
        out.end_line_on_terminal();
    }
}
