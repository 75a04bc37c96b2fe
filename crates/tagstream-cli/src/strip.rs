//! `strip`: the message without any tags.

use crate::args::Common;
use crate::failure::Failure;
use crate::output::Output;
use crate::stream::{self, Outcome, View};
use tagstream::{Element, Event, Kind};

#[derive(clap::Args)]
pub(crate) struct StripArgs {
    #[command(flatten)]
    common: Common,
}

pub(crate) fn run(args: &StripArgs) -> Result<Outcome, Failure> {
    let mut profile = args.common.profile("thinking")?;
    if profile.elements.iter().all(|element| element.name != "*") {
        profile = profile.element(Element::named("*"));
    }
    stream::run(&args.common, &profile, &mut Strip::default())
}

/// The text, with a space where two words would touch that a tag kept apart.
#[derive(Default)]
struct Strip {
    last: Option<char>,
    gap: bool,
}

impl View for Strip {
    fn event(&mut self, event: Event<'_>, out: &mut Output) {
        match event.kind {
            Kind::Text(text) => self.text(text, out),
            Kind::Notice { .. } => {}
            _ => self.gap = true,
        }
    }

    fn finished(&mut self, out: &mut Output) {
        out.end_line_on_terminal();
    }
}

impl Strip {
    fn text(&mut self, text: &str, out: &mut Output) {
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        if self.gap && is_word(self.last) && is_word(text.chars().next()) {
            out.text(" ");
        }
        out.text(text);
        if let Some(last) = text.chars().last() {
            (self.last, self.gap) = (Some(last), false);
        }
    }
}
