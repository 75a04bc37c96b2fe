//! `strip`: the message without any tags.

use crate::args::{Common, WhitespaceFlag};
use crate::failure::Failure;
use crate::output::Output;
use crate::problems::Problems;
use crate::stream::{self, Outcome, View};
use crate::unclosed::Unclosed;
use tagstream::view::{strip_inline_xml_tags, strip_profile};
use tagstream::{Event, EventKind, Profile, TextCleaner, Whitespace};
use tagstream_wire::WireEvent;

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
    let given = args.common.profile("strip")?;
    match args.whitespace.policy() {
        // This profile has no markup: the whole message is text.
        Whitespace::Collapse => {
            stream::run(&args.common, &Profile::new(), &mut Collapse::default())
        }
        whitespace => {
            let mut view = Live {
                cleaner: Some(TextCleaner::new(whitespace)),
                unclosed: Unclosed::default(),
            };
            stream::run(&args.common, &strip_profile(&given), &mut view)
        }
    }
}

/// The text as it is left, until the message is over.
struct Live {
    cleaner: Option<TextCleaner>,
    unclosed: Unclosed,
}

impl View for Live {
    fn reports(&self, event: &WireEvent<'_>) -> bool {
        Unclosed::reports(event)
    }

    fn problems(&mut self, problems: &mut Problems) {
        self.unclosed.report(problems);
    }

    fn event(&mut self, event: Event<'_>, out: &mut Output) {
        let remedy = |_: &str| "use `tagstream filter --show-thinking`".to_owned();
        self.unclosed.event(&event.kind, remedy);
        if let Some(cleaner) = &mut self.cleaner {
            cleaner.event(&event, |piece| out.text(piece));
        }
    }

    fn finished(&mut self, out: &mut Output) {
        if let Some(cleaner) = self.cleaner.take() {
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
