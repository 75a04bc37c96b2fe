//! `calls`: the complete and valid calls as JSON lines; problems on standard error.

use crate::args::Common;
use crate::blocks::{self, BlockFlags};
use crate::failure::Failure;
use crate::feedback::Feedback;
use crate::output::Output;
use crate::problems::{Problem, Problems};
use crate::stream::{self, Outcome, View};
use serde::{Serialize, Serializer, ser::Error};
use serde_json::value::RawValue;
use tagstream::{Event, EventKind};
use tagstream_wire::{WireEvent, WireKind};

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  printf '<tool_call>{\"name\":\"now\",\"arguments\":{}}</tool_call>' | tagstream calls
  printf '[TOOL_CALLS]now{}' | tagstream calls --dialect mistral-args")]
pub(crate) struct CallsArgs {
    #[command(flatten)]
    common: Common,

    #[command(flatten)]
    blocks: BlockFlags,
}

pub(crate) fn run(args: &CallsArgs) -> Result<Outcome, Failure> {
    if args.blocks.blocks {
        return blocks::run(&args.common, &args.blocks);
    }
    let profile = args.common.profile_with_calls("calls")?;
    let mut view = Calls {
        feedback: Feedback::new(&profile),
        reports: Vec::new(),
        refused: None,
        refusals: 0,
    };
    stream::run(&args.common, &profile, &mut view)
}

struct Calls {
    feedback: Feedback,
    /// What is wrong, and has not been reported yet.
    reports: Vec<String>,
    /// The call that was refused last, and how it should be written.
    refused: Option<Refused>,
    /// How many calls were refused.
    refusals: usize,
}

/// At most this many refused calls are reported with their place and how they should be written, which
/// take far longer than reading them: nobody sends more of them back to a model.
const MAX_EXPLAINED: usize = 100;

struct Refused {
    /// Its choice and its number.
    call: (u64, u64),
    suggestion: Option<String>,
}

/// A call as it is printed.
#[derive(Serialize)]
struct Line<'a> {
    index: u64,
    id: &'a str,
    name: &'a str,
    #[serde(serialize_with = "as_json")]
    arguments: &'a str,
    /// Only where it is not the first choice, which nearly all streams have alone.
    #[serde(skip_serializing_if = "is_first")]
    choice: u64,
}

/// A text that is JSON already: numbers keep their spelling.
pub(crate) fn as_json<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    let raw: &RawValue = serde_json::from_str(text).map_err(S::Error::custom)?;
    raw.serialize(serializer)
}

/// Whether a choice need not be named.
pub(crate) fn is_first(choice: &u64) -> bool {
    *choice == 0
}

impl View for Calls {
    const REPORTS_PROBLEMS: bool = true;

    fn hints(&self) -> bool {
        true
    }

    fn event(&mut self, _event: Event<'_>, _out: &mut Output) {}

    /// All problems come from here, so that they stay in order.
    fn reports(&self, event: &WireEvent<'_>) -> bool {
        matches!(event.event, WireKind::Message(_))
    }

    fn problems(&mut self, problems: &mut Problems) {
        self.suggest();
        for report in self.reports.drain(..) {
            problems.report_lines(&report);
        }
    }

    fn wire(&mut self, event: &WireEvent<'_>, out: &mut Output) {
        self.note(event);
        self.feedback.follow(event);
        if let WireKind::Message(EventKind::CallEnd {
            index,
            id,
            name,
            arguments,
            ..
        }) = event.event
        {
            out.json(&Line {
                index,
                id,
                name,
                arguments,
                choice: event.choice,
            });
        }
    }
}

impl Calls {
    /// Notes what is wrong, with its place.
    fn note(&mut self, event: &WireEvent<'_>) {
        let WireKind::Message(kind) = event.event else {
            return;
        };
        let call = match kind {
            EventKind::CallError { index, .. } => Some((event.choice, index)),
            _ => None,
        };
        // One suggestion is enough for all that is wrong with a call.
        if self.refused.as_ref().map(|refused| refused.call) != call {
            self.suggest();
            self.refusals += usize::from(call.is_some());
        }
        let is_explained = self.refusals <= MAX_EXPLAINED;
        let Some(problem) = Problem::of(kind) else {
            return;
        };
        let mut report = problem.to_string();
        if is_explained && let Some(place) = self.feedback.place(event) {
            report.push('\n');
            report.push_str(&place);
        }
        self.reports.push(report);
        self.refused = call.map(|call| Refused {
            call,
            suggestion: is_explained
                .then(|| self.feedback.suggestion(event))
                .flatten(),
        });
    }

    /// Adds how the call that was refused should be written to the report about it.
    fn suggest(&mut self) {
        let suggestion = self.refused.take().and_then(|refused| refused.suggestion);
        if let (Some(suggestion), Some(report)) = (suggestion, self.reports.last_mut()) {
            report.push_str("\nWrite it like this:\n");
            report.push_str(&suggestion);
        }
    }
}
