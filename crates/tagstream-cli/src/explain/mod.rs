//! `explain`: what each byte was read as, and why a call was refused.
//!
//! The page is the same however the input was cut: what belongs together is one row, and a row is
//! printed when the next one begins.

mod excerpt;
mod places;
mod row;
mod summary;

use crate::args::Common;
use crate::failure::Failure;
use crate::feedback::Feedback;
use crate::output::{Output, visible};
use crate::problems::Problem;
use crate::stream::{self, Outcome, View};
use excerpt::Excerpt;
use places::Places;
use row::{Class, Row, Words};
use summary::Summary;
use tagstream::{Event, EventKind, NoticeCode, Span};
use tagstream_wire::{Format, WireEvent, WireKind};

#[derive(clap::Args)]
#[command(after_help = "\
Example:
  printf '<tool_call>{\"name\":\"now\",\"arguments\":[]}</tool_call>' | tagstream explain")]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    common: Common,
}

pub(crate) fn run(args: &ExplainArgs) -> Result<Outcome, Failure> {
    let profile = args.common.profile_with_calls("explain")?;
    let mut page = Page {
        choice: 0,
        row: None,
        places: None,
        summary: Summary::default(),
        feedback: Feedback::new(&profile),
    };
    stream::run(&args.common, &profile, &mut page)
}

struct Page {
    /// The choice that the last rows belong to.
    choice: u64,
    /// The row that may continue.
    row: Option<Row>,
    /// Where the message is in the input, if the input is a message and not a stream that contains one.
    places: Option<Places>,
    summary: Summary,
    feedback: Feedback,
}

impl View for Page {
    const SHOWS_REFUSALS: bool = true;

    fn hints(&self) -> bool {
        true
    }

    fn format(&mut self, format: Format) {
        self.places = (format == Format::Text).then(Places::default);
    }

    fn chunk(&mut self, bytes: &[u8]) {
        if let Some(places) = &mut self.places {
            places.chunk(bytes);
        }
    }

    fn event(&mut self, _event: Event<'_>, _out: &mut Output) {}

    fn wire(&mut self, event: &WireEvent<'_>, out: &mut Output) {
        self.choose(event.choice, out);
        match event.event {
            WireKind::Message(kind) => {
                if !is_counted(&kind) {
                    self.message(event, &kind, out);
                }
                self.summary.note(event.choice, &kind);
                self.summary.explain(&mut self.feedback, event);
                self.feedback.follow(event);
            }
            WireKind::Finish { reason } => self.stream(&format!("finished: {reason}"), out),
            WireKind::Usage { usage } => self.stream(&format!("usage: {usage}"), out),
            _ => {}
        }
    }

    fn finished(&mut self, out: &mut Output) {
        self.print_row(out);
        self.summary.print(out);
    }
}

impl Page {
    /// Prints a heading where the rows continue with another choice.
    fn choose(&mut self, choice: u64, out: &mut Output) {
        if choice != self.choice {
            self.print_row(out);
            out.text(&format!("choice {choice}\n"));
            self.choice = choice;
        }
    }

    fn message(&mut self, event: &WireEvent<'_>, kind: &EventKind<'_>, out: &mut Output) {
        let text = run_of(kind, event.raw);
        let span = event.span.map(|span| match &mut self.places {
            Some(places) => places.span(span),
            None => span,
        });
        let row = Row {
            span,
            class: class(kind),
            words: words(kind, text),
        };
        self.add(row, text, out);
    }

    fn stream(&mut self, said: &str, out: &mut Output) {
        self.print_row(out);
        self.row = Some(Row {
            span: None,
            class: Class::Stream,
            words: Words::Said(visible(said)),
        });
    }

    /// Adds a row, or its text to the row before it.
    fn add(&mut self, row: Row, text: &str, out: &mut Output) {
        if let Some(before) = self.row.as_mut().filter(|before| row.continues(before))
            && let Words::Quoted(excerpt) = &mut before.words
        {
            excerpt.push(text);
            let spans = before.span.zip(row.span);
            before.span = spans.map(|(first, last)| Span::new(first.start, last.end));
            return;
        }
        self.print_row(out);
        self.row = Some(row);
    }

    fn print_row(&mut self, out: &mut Output) {
        if let Some(row) = self.row.take() {
            row.print(out);
        }
    }
}

/// Whether this is only counted, in the summary: garbage has thousands of bytes that are not UTF-8.
fn is_counted(kind: &EventKind<'_>) -> bool {
    let EventKind::Notice { code, .. } = *kind else {
        return false;
    };
    code == NoticeCode::InvalidUtf8
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
        EventKind::Skip { reason, .. } => Class::Skip(reason),
        _ => Class::Other,
    }
}

/// The text of an event that may be cut into several; of the others, none.
fn run_of<'a>(kind: &EventKind<'a>, raw: &'a str) -> &'a str {
    match *kind {
        EventKind::Skip { .. } => raw,
        EventKind::Text(text) | EventKind::Thought(text) => text,
        EventKind::CallDelta { text, .. } | EventKind::ElementDelta { text, .. } => text,
        _ => "",
    }
}

fn words(kind: &EventKind<'_>, text: &str) -> Words {
    match said(kind) {
        Some(said) => Words::Said(visible(&said)),
        None => {
            let mut excerpt = Excerpt::default();
            excerpt.push(text);
            Words::Quoted(excerpt)
        }
    }
}

/// The words for an event that is not a run of text.
fn said(kind: &EventKind<'_>) -> Option<String> {
    Some(match *kind {
        EventKind::ThoughtStart { tag: Some(tag), .. } => format!("begins: {tag}"),
        EventKind::ThoughtStart { tag: None, .. } => "begins: the prompt opened it".to_owned(),
        EventKind::ThoughtEnd { closed: true, .. } => "ends".to_owned(),
        EventKind::ThoughtEnd { closed: false, .. } => "ends, without a closing tag".to_owned(),
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
