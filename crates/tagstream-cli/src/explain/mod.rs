//! `explain`: which bytes were taken for what, and why a call was refused.
//!
//! The page is the same however the input was cut: what belongs together is one row, and a row is
//! printed when the next one begins.

mod excerpt;
mod row;
mod summary;
mod why;

use crate::args::Common;
use crate::failure::Failure;
use crate::output::{Output, visible};
use crate::problems::Problem;
use crate::stream::{self, Outcome, View};
use excerpt::Excerpt;
use row::{Class, Row, Words};
use summary::Summary;
use tagstream::{Event, EventKind, Profile, Span};
use tagstream_wire::{WireEvent, WireKind};
use why::Around;

#[derive(clap::Args)]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    common: Common,
}

pub(crate) fn run(args: &ExplainArgs) -> Result<Outcome, Failure> {
    let profile = args.common.profile_with_calls("thinking")?;
    stream::run(&args.common, &profile, &mut Page::new(&profile))
}

struct Page {
    /// The choice that the last rows belong to.
    choice: u64,
    /// The row that may go on.
    row: Option<Row>,
    around: Around,
    summary: Summary,
}

impl View for Page {
    fn event(&mut self, _event: Event<'_>, _out: &mut Output) {}

    fn wire(&mut self, event: &WireEvent<'_>, out: &mut Output) {
        self.choose(event.choice, out);
        match event.event {
            WireKind::Message(kind) => {
                self.message(event.span, &kind, out);
                self.summary.note(event.choice, &kind);
            }
            WireKind::Finish { reason } => self.stream(&format!("finished: {reason}"), out),
            WireKind::Usage { usage } => self.stream(&format!("usage: {usage}"), out),
            _ => {}
        }
    }

    fn finished(&mut self, out: &mut Output) {
        self.print_row(None, out);
        self.summary.print(out);
    }
}

impl Page {
    fn new(profile: &Profile) -> Self {
        Page {
            choice: 0,
            row: None,
            around: Around::new(profile),
            summary: Summary::default(),
        }
    }

    /// Says so where the rows go on with another choice.
    fn choose(&mut self, choice: u64, out: &mut Output) {
        if choice != self.choice {
            self.print_row(None, out);
            out.text(&format!("choice {choice}\n"));
            self.choice = choice;
        }
    }

    fn message(&mut self, span: Option<Span>, kind: &EventKind<'_>, out: &mut Output) {
        let row = Row {
            span,
            class: class(kind),
            words: words(kind),
        };
        self.add(row, kind, out);
        self.around.note(kind);
    }

    fn stream(&mut self, said: &str, out: &mut Output) {
        self.print_row(None, out);
        self.row = Some(Row {
            span: None,
            class: Class::Stream,
            words: Words::Said(visible(said)),
        });
    }

    /// Adds a row, or its text to the row before it.
    fn add(&mut self, row: Row, kind: &EventKind<'_>, out: &mut Output) {
        if let Some(before) = self.row.as_mut().filter(|before| row.continues(before))
            && let Words::Quoted(excerpt) = &mut before.words
        {
            excerpt.push(run_of(kind));
            before.span = before.span.zip(row.span).map(|(start, end)| Span {
                start: start.start,
                end: end.end,
            });
            self.around.more(run_of(kind));
            return;
        }
        self.print_row(Some(kind), out);
        self.around.begin(run_of(kind));
        self.row = Some(row);
    }

    /// Prints the row that is complete, now that it is known what comes behind it.
    fn print_row(&mut self, next: Option<&EventKind<'_>>, out: &mut Output) {
        if let Some(row) = self.row.take() {
            let is_blank = matches!(&row.words, Words::Quoted(text) if text.is_blank());
            let why = (row.class == Class::Skip).then(|| self.around.why(is_blank, next));
            row.print(why, out);
        }
    }
}

fn class(kind: &EventKind<'_>) -> Class {
    let owned = |name: Option<&str>| name.map(visible);
    match *kind {
        EventKind::Text(_) => Class::Text,
        EventKind::ThoughtStart { .. } | EventKind::Thought(_) | EventKind::ThoughtEnd { .. } => {
            Class::Thought
        }
        EventKind::CallStart { index, .. } | EventKind::CallEnd { index, .. } => Class::Call(index),
        EventKind::CallDelta {
            index, argument, ..
        } => Class::Argument(index, owned(argument)),
        EventKind::CallError { index, .. } => Class::Refused(index),
        EventKind::ElementStart { id, .. } => Class::Element(id),
        EventKind::ElementDelta { id, part, .. } => Class::Part(id, owned(part)),
        EventKind::ElementEnd(view) => Class::Element(view.id),
        EventKind::Notice { .. } => Class::Notice,
        _ => Class::Skip,
    }
}

/// The text of an event that may be cut into several; of the others, none.
fn run_of<'a>(kind: &EventKind<'a>) -> &'a str {
    match *kind {
        EventKind::Text(text) | EventKind::Thought(text) | EventKind::Skip { .. } => text,
        EventKind::CallDelta { text, .. } | EventKind::ElementDelta { text, .. } => text,
        _ => "",
    }
}

fn words(kind: &EventKind<'_>) -> Words {
    match said(kind) {
        Some(said) => Words::Said(visible(&said)),
        None => {
            let mut excerpt = Excerpt::default();
            excerpt.push(run_of(kind));
            Words::Quoted(excerpt)
        }
    }
}

/// What is to be said of an event that is not a run of text.
fn said(kind: &EventKind<'_>) -> Option<String> {
    Some(match *kind {
        EventKind::ThoughtStart { tag: Some(tag), .. } => format!("begins: {tag}"),
        EventKind::ThoughtStart { tag: None, .. } => "begins: the prompt opened it".to_owned(),
        EventKind::ThoughtEnd { closed: true } => "ends".to_owned(),
        EventKind::ThoughtEnd { closed: false } => "ends, without a closer".to_owned(),
        EventKind::CallStart { id, name, .. } => format!("begins: {name}, id {id}"),
        EventKind::CallEnd {
            name, arguments, ..
        } => format!("accepted: {name} {}", shortened(arguments)),
        EventKind::ElementStart { name, .. } => format!("begins: {name}"),
        EventKind::ElementEnd(view) if view.complete => format!("ends: {}", view.name),
        EventKind::ElementEnd(view) => format!("ends: {}, not complete", view.name),
        kind => match Problem::of(kind)? {
            Problem::Refused { reason, .. } => format!("refused: {reason}"),
            Problem::Notice(line) => line,
        },
    })
}

/// JSON that is short enough for a line, as it is.
fn shortened(json: &str) -> String {
    let mut excerpt = Excerpt::default();
    excerpt.push(json);
    match json.chars().count() {
        0..=80 => json.to_owned(),
        _ => excerpt.shown(),
    }
}
