//! What is wrong with the input: reported on standard error, and whether it is fatal.

use crate::failure::{say, say_lines};
use crate::output::visible;
use crate::stream::Outcome;
use std::fmt;
use tagstream::{CallErrorCode, EventKind};
use tagstream_wire::{WireEvent, WireKind};

/// One thing that is wrong, in words.
pub(crate) enum Problem<'k> {
    Refused {
        index: u64,
        name: Option<&'k str>,
        reason: String,
    },
    Notice(String),
}

impl<'k> Problem<'k> {
    pub(crate) fn of(kind: EventKind<'k>) -> Option<Self> {
        match kind {
            EventKind::Notice { code, message, .. } => {
                let line = format!("{}: {message}", code.as_str());
                Some(Problem::Notice(line))
            }
            EventKind::CallError {
                index,
                name,
                code,
                argument,
                message,
                ..
            } => Some(Problem::Refused {
                index,
                name,
                reason: reason(code, argument, message),
            }),
            _ => None,
        }
    }
}

impl fmt::Display for Problem<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Notice(line) => f.write_str(&visible(line)),
            Problem::Refused {
                index,
                name,
                reason,
            } => {
                let line = format!("call {index}{} was refused: {reason}", of_tool(*name));
                f.write_str(&visible(&line))
            }
        }
    }
}

/// Notices and refused calls. With `--strict` they are reported, since not every view shows them.
pub(crate) struct Problems {
    strict: bool,
    is_reported: bool,
    any: bool,
}

impl Problems {
    pub(crate) fn new(strict: bool, is_reported: bool) -> Self {
        Problems {
            strict,
            is_reported: is_reported || strict,
            any: false,
        }
    }

    pub(crate) fn note(&mut self, event: &WireEvent<'_>) {
        let WireKind::Message(kind) = event.event else {
            return;
        };
        if let Some(problem) = Problem::of(kind) {
            self.report(&problem.to_string());
        }
    }

    /// Notes a problem that is in words already.
    pub(crate) fn report(&mut self, line: &str) {
        self.any = true;
        if self.is_reported {
            say(line);
        }
    }

    /// Notes a problem with more than one line.
    pub(crate) fn report_lines(&mut self, lines: &str) {
        self.any = true;
        if self.is_reported {
            say_lines(lines);
        }
    }

    /// The same for what would otherwise be missing from the output without a word: it is reported
    /// even without `--strict`.
    pub(crate) fn report_always(&mut self, line: &str) {
        self.any = true;
        say(line);
    }

    pub(crate) fn outcome(&self) -> Outcome {
        if self.strict && self.any {
            Outcome::HeldErrors
        } else {
            Outcome::Done
        }
    }
}

fn of_tool(name: Option<&str>) -> String {
    name.map_or(String::new(), |name| format!(" of `{name}`"))
}

/// Why a call was refused. Most messages name the argument that they are about.
fn reason(code: CallErrorCode, argument: Option<&str>, message: &str) -> String {
    let code = code.as_str();
    match argument {
        Some(argument) if !message.contains(argument) => {
            format!("{code}: argument `{argument}`: {message}")
        }
        _ => format!("{code}: {message}"),
    }
}
