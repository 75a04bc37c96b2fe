//! `elements`: finished ones as JSON lines, and with `--partial` also while they grow.

use crate::args::Common;
use crate::cut_off::CutOff;
use crate::failure::{Failure, say};
use crate::output::Output;
use crate::problems::Problems;
use crate::stream::{self, Outcome, View};
use serde::Serialize;
use std::collections::HashMap;
use tagstream::{Attributes, CodeNotices, ElementView, Event, EventKind, NoticeCode};
use tagstream_wire::{Session, WireEvent, WireKind};

#[derive(clap::Args)]
#[command(after_help = "\
Example:
  printf '<node id=\"n1\">Hi</node>' | tagstream elements --preset canvas")]
pub(crate) struct ElementsArgs {
    #[command(flatten)]
    common: Common,

    /// After each chunk, print what is new in elements that are still open
    #[arg(long)]
    partial: bool,
}

pub(crate) fn run(args: &ElementsArgs) -> Result<Outcome, Failure> {
    let mut profile = args.common.profile("elements")?;
    profile.code_notices = CodeNotices::All;
    if profile.elements.is_empty() {
        say(
            "the profile declares no elements, so none will be found; try one that does, such as --preset canvas",
        );
    }
    let mut view = Elements {
        partial: args.partial,
        shown: HashMap::new(),
        cut_off: CutOff::default(),
        in_code: Vec::new(),
    };
    stream::run(&args.common, &profile, &mut view)
}

struct Elements {
    partial: bool,
    /// How much of each open element has been printed. Lengths instead of copies of the text: what
    /// is new is found without looking at the rest.
    shown: HashMap<u64, Shown>,
    cut_off: CutOff,
    /// What is said of elements that are in code, so that they are text.
    in_code: Vec<String>,
}

/// How much of an element has been printed.
#[derive(Default)]
struct Shown {
    body: usize,
    /// Parts that are complete, and how much of the next one.
    parts: usize,
    part: usize,
}

/// What is new in an open element.
#[derive(Serialize)]
struct Growth<'a> {
    id: u64,
    parent: Option<u64>,
    name: &'a str,
    attributes: Attributes<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<&'a str>,
    /// Which of the parts it is: there may be several of one name.
    #[serde(skip_serializing_if = "Option::is_none")]
    part_number: Option<usize>,
    #[serde(flatten)]
    news: News<'a>,
    complete: bool,
}

/// The text that is new, or with `reset` all of it.
#[derive(Clone, Copy, Serialize)]
struct News<'a> {
    text: &'a str,
    #[serde(skip_serializing_if = "is_false")]
    reset: bool,
}

fn is_false(value: &bool) -> bool {
    !value
}

impl View for Elements {
    fn event(&mut self, event: Event<'_>, out: &mut Output) {
        self.cut_off.event(&event);
        if let EventKind::Notice { code, message, .. } = event.kind
            && is_about_code(code)
        {
            self.in_code.push(format!("{}: {message}", code.as_str()));
        }
        let EventKind::ElementEnd(view) = event.kind else {
            return;
        };
        if view.complete {
            out.json(&view);
        } else if self.partial {
            // It ends with the message: no closing tag follows, but it was cut off, perhaps in one.
            self.grown(&view.without_tag_start(), out);
        }
        self.shown.remove(&view.id);
    }

    fn reports(&self, event: &WireEvent<'_>) -> bool {
        let WireKind::Message(EventKind::Notice { code, .. }) = event.event else {
            return false;
        };
        event.choice == 0 && is_about_code(code)
    }

    fn problems(&mut self, problems: &mut Problems) {
        // An example in code is no mistake.
        self.in_code.drain(..).for_each(|line| problems.hint(&line));
        let lines = self.cut_off.take();
        lines.iter().for_each(|line| problems.report_always(line));
    }

    fn chunk_read(&mut self, session: &Session, out: &mut Output) {
        if self.partial {
            let open = session.open_elements();
            let shown = open.filter(|(choice, _)| *choice == 0);
            shown.for_each(|(_, view)| self.grown(&view, out));
        }
    }
}

fn is_about_code(code: NoticeCode) -> bool {
    matches!(code, NoticeCode::InCode | NoticeCode::UnclosedFence)
}

impl Elements {
    /// Prints what is new in this element. One that has just opened is new even without text.
    fn grown(&mut self, view: &ElementView<'_>, out: &mut Output) {
        let first = !self.shown.contains_key(&view.id);
        let shown = self.shown.entry(view.id).or_default();
        let body = news(view.body.unwrap_or(""), &mut shown.body);
        if first || body.is_any() {
            out.json(&growth(view, None, body));
        }
        while let Some(part) = view.parts.get(shown.parts) {
            let text = news(part.text, &mut shown.part);
            if text.is_any() {
                let number = shown.parts;
                out.json(&growth(view, Some((part.name, number)), text));
            }
            if shown.parts + 1 == view.parts.len() {
                break;
            }
            (shown.parts, shown.part) = (shown.parts + 1, 0);
        }
    }
}

impl News<'_> {
    fn is_any(self) -> bool {
        self.reset || !self.text.is_empty()
    }
}

/// What follows the part that was shown, which from now on is all.
fn news<'a>(text: &'a str, shown: &mut usize) -> News<'a> {
    let rest = text.get(*shown..);
    *shown = text.len();
    News {
        text: rest.unwrap_or(text),
        reset: rest.is_none(),
    }
}

fn growth<'a>(
    view: &ElementView<'a>,
    part: Option<(&'a str, usize)>,
    news: News<'a>,
) -> Growth<'a> {
    Growth {
        id: view.id,
        parent: view.parent,
        name: view.name,
        attributes: view.attributes,
        part: part.map(|(name, _)| name),
        part_number: part.map(|(_, number)| number),
        news,
        complete: false,
    }
}
