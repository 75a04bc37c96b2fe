//! `directives`: finished ones as JSON lines, and with `--partial` also while they grow.

use crate::args::Common;
use crate::cut_off::CutOff;
use crate::failure::Failure;
use crate::output::Output;
use crate::problems::{Problems, is_serious};
use crate::stream::{self, Outcome, View};
use serde::Serialize;
use tagstream::view::directives::{Directive, DirectiveKind, DirectiveList, Registry};
use tagstream::{Attributes, Event, EventKind, NoticeCode};
use tagstream_wire::{Session, WireEvent, WireKind};

#[derive(clap::Args)]
#[command(after_help = "\
Example:
  printf 'Look: <read_file><path>a.rs</path></read_file>' | tagstream directives")]
pub(crate) struct DirectivesArgs {
    #[command(flatten)]
    common: Common,

    /// After each chunk, print what is new in directives that are still growing
    #[arg(long)]
    partial: bool,
}

pub(crate) fn run(args: &DirectivesArgs) -> Result<Outcome, Failure> {
    let profile = args.common.profile("directives")?;
    let registry = Registry::new(&profile).map_err(Failure::because)?;
    let mut view = Directives {
        partial: args.partial,
        list: registry.list(),
        shown: Vec::new(),
        cut_off: CutOff::default(),
        refused: Vec::new(),
    };
    stream::run(&args.common, registry.profile(), &mut view)
}

struct Directives {
    partial: bool,
    list: DirectiveList,
    /// For each directive, how much of it has been printed.
    shown: Vec<Shown>,
    cut_off: CutOff,
    /// Why tools were refused, if that has not been reported yet.
    refused: Vec<String>,
}

/// How much of a directive has been printed. Lengths instead of copies of the text.
#[derive(Default)]
struct Shown {
    any: bool,
    finished: bool,
    /// How many refusals have been reported.
    refused: usize,
    content: usize,
    params: Vec<ShownParam>,
}

/// Of a parameter, how often it was given, and how much of the last time was printed.
#[derive(Clone, Copy, Default)]
struct ShownParam {
    given: usize,
    length: usize,
}

/// A directive that is finished.
#[derive(Serialize)]
struct Numbered<'a> {
    id: usize,
    #[serde(flatten)]
    directive: &'a Directive,
}

/// What is new in a directive that is growing.
#[derive(Serialize)]
struct Growth<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    id: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    attributes: Option<Attributes<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    param: Option<&'a str>,
    text: &'a str,
    #[serde(skip_serializing_if = "is_false")]
    reset: bool,
    partial: bool,
}

fn is_false(value: &bool) -> bool {
    !value
}

impl View for Directives {
    fn event(&mut self, event: Event<'_>, _out: &mut Output) {
        self.cut_off.event(&event);
        self.list.event(event);
    }

    /// The list has all problems of the first choice, and adds some of its own.
    fn reports(&self, event: &WireEvent<'_>) -> bool {
        let is_problem = matches!(
            event.event,
            WireKind::Message(EventKind::Notice { .. } | EventKind::CallError { .. })
        );
        event.choice == 0 && is_problem
    }

    fn problems(&mut self, problems: &mut Problems) {
        for notice in self.list.notices() {
            // Tools that were not run, and what was dropped, would be missing without a word.
            match notice.code {
                NoticeCode::UnclosedFence
                | NoticeCode::UnclosedThought
                | NoticeCode::NearMiss
                | NoticeCode::Dropped => problems.report_always(&notice.to_string()),
                code if is_serious(code.as_str()) => problems.report_always(&notice.to_string()),
                _ => problems.report(&notice.to_string()),
            }
        }
        let refused = self.refused.drain(..);
        for line in refused.chain(self.cut_off.take()) {
            problems.report_always(&line);
        }
    }

    fn chunk_read(&mut self, session: &Session, out: &mut Output) {
        let open = session.open_elements();
        let first = open.filter(|(choice, _)| *choice == 0);
        self.list.leave_off(first.map(|(_, view)| view));
        self.print(out);
    }

    fn finished(&mut self, out: &mut Output) {
        self.list.end();
        self.print(out);
    }
}

impl Directives {
    /// Prints what has changed since this was last done.
    fn print(&mut self, out: &mut Output) {
        let directives = self.list.directives();
        self.shown.resize_with(directives.len(), Shown::default);
        let changed = directives.iter().enumerate();
        for (id, directive) in changed.skip(self.list.first_changed()) {
            let shown = &mut self.shown[id];
            match (directive.partial(), self.partial) {
                (false, with_id) => finish(id, directive, with_id, shown, out),
                (true, true) => grow(id, directive, shown, out),
                (true, false) => {}
            }
            let refused = refusals(directive, shown);
            // It is not finished, so it is printed only where growing ones are.
            if self.partial && !refused.is_empty() {
                out.json(&Numbered { id, directive });
            }
            self.refused.extend(refused);
        }
        self.list.mark_read();
    }
}

fn finish(id: usize, directive: &Directive, with_id: bool, shown: &mut Shown, out: &mut Output) {
    if std::mem::replace(&mut shown.finished, true) {
        return;
    }
    if with_id {
        out.json(&Numbered { id, directive });
    } else {
        out.json(directive);
    }
}

/// Why a tool's use was refused, as far as that is new.
fn refusals(directive: &Directive, shown: &mut Shown) -> Vec<String> {
    let refusals = directive.refusals();
    let new = &refusals[std::mem::replace(&mut shown.refused, refusals.len())..];
    let lines = new
        .iter()
        .map(|why| format!("{}: {}", why.code.as_str(), why.message));
    lines.collect()
}

/// Prints what is new in this directive. One that has just begun is new even without text.
fn grow(id: usize, directive: &Directive, shown: &mut Shown, out: &mut Output) {
    let before = shown.content;
    let content = body(directive);
    shown.content = content.len();
    let is_new = !std::mem::replace(&mut shown.any, true);
    if is_new || before < content.len() {
        out.json(&growth(id, directive, None, &content[before..], false));
    }
    let params = growing(directive);
    shown.params.resize(params.len(), ShownParam::default());
    for ((name, given, value), shown) in params.into_iter().zip(&mut shown.params) {
        let reset = shown.length > 0 && shown.given != given;
        let before = if reset { 0 } else { shown.length };
        *shown = ShownParam {
            given,
            length: value.len(),
        };
        if reset || before < value.len() {
            out.json(&growth(id, directive, Some(name), &value[before..], reset));
        }
    }
}

/// The parameters, each with how often it was given. The message of a log is its text, until there
/// is a part of that name.
fn growing(directive: &Directive) -> Vec<(&str, usize, &str)> {
    let params = directive.params();
    let given = |(name, value)| (name, params.given(name), value);
    let DirectiveKind::LogMessage { message, .. } = directive.kind() else {
        return params.iter().map(given).collect();
    };
    let others = params.iter().filter(|(name, _)| *name != "message");
    let message = std::iter::once(("message", message));
    message.chain(others).map(given).collect()
}

/// The text of a directive outside its parameters.
fn body(directive: &Directive) -> &str {
    match directive.kind() {
        DirectiveKind::LogMessage { .. } => "",
        _ => directive.content(),
    }
}

fn growth<'a>(
    id: usize,
    directive: &'a Directive,
    param: Option<&'a str>,
    text: &'a str,
    reset: bool,
) -> Growth<'a> {
    let (name, attributes) = match directive.kind() {
        DirectiveKind::ToolUse { name, .. } => (Some(name), None),
        DirectiveKind::Own { attributes, .. } => (None, Some(attributes)),
        _ => (None, None),
    };
    Growth {
        kind: directive.type_name(),
        id,
        name,
        attributes,
        param,
        text,
        reset,
        partial: true,
    }
}
