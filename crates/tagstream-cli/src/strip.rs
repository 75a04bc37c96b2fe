//! `strip`: the message without any tags.

use crate::args::Common;
use crate::failure::Failure;
use crate::output::Output;
use crate::stream::{self, Outcome, View};
use tagstream::{Element, Event, Kind, Mode, Profile, Unclosed};

#[derive(clap::Args)]
pub(crate) struct StripArgs {
    #[command(flatten)]
    common: Common,
}

pub(crate) fn run(args: &StripArgs) -> Result<Outcome, Failure> {
    let profile = any_tag(&args.common.profile("thinking")?);
    stream::run(&args.common, &profile, &mut Strip::default())
}

/// A profile in which every tag counts, and every tag in the same way. Literals are no tags, so
/// what they enclose goes as the given profile says, unless they enclose nothing.
fn any_tag(given: &Profile) -> Profile {
    let mut profile = Profile::new().element(Element::named("*"));
    profile.code = given.code;
    profile.limits = given.limits;
    profile.markers.clone_from(&given.markers);
    profile
        .thinking
        .delimiters
        .clone_from(&given.thinking.delimiters);
    profile.thinking.mode = Mode::Hide;
    profile.thinking.unclosed = Unclosed::Reveal;
    profile
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
        let ends_word = is_word(self.last) || self.last.is_some_and(|c| ".,;:!?".contains(c));
        if self.gap && ends_word && is_word(text.chars().next()) {
            out.text(" ");
        }
        out.text(text);
        if let Some(last) = text.chars().last() {
            (self.last, self.gap) = (Some(last), false);
        }
    }
}
