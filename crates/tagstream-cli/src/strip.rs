//! `strip`: the message without any tags.

use crate::args::{Common, WhitespaceFlag};
use crate::failure::Failure;
use crate::output::Output;
use crate::stream::{self, Outcome, View};
use tagstream::view::{strip_inline_xml_tags, strip_profile};
use tagstream::{Event, EventKind, Profile, TextCleaner, Whitespace};

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  printf 'Use Vec<T>. <note>x</note> Done.' | tagstream strip
  printf 'Now<thinking />then' | tagstream strip --whitespace collapse")]
pub(crate) struct StripArgs {
    #[command(flatten)]
    common: Common,

    #[command(flatten)]
    whitespace: WhitespaceFlag,
}

pub(crate) fn run(args: &StripArgs) -> Result<Outcome, Failure> {
    let given = args.common.profile("thinking")?;
    match args.whitespace.or(Whitespace::Preserve) {
        // This profile has no markup: the whole message is text.
        Whitespace::Collapse => {
            stream::run(&args.common, &Profile::new(), &mut Collapse::default())
        }
        whitespace => {
            let mut view = Live(Some(TextCleaner::new(whitespace)));
            stream::run(&args.common, &strip_profile(&given), &mut view)
        }
    }
}

/// The text as it is left, until the message is over.
struct Live(Option<TextCleaner>);

impl View for Live {
    fn event(&mut self, event: Event<'_>, out: &mut Output) {
        if let Some(cleaner) = &mut self.0 {
            cleaner.event(&event, |piece| out.text(piece));
        }
    }

    fn finished(&mut self, out: &mut Output) {
        if let Some(cleaner) = self.0.take() {
            cleaner.finish(|piece| out.text(piece));
        }
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
