//! What is wrong with the input: reported on standard error, and whether it is fatal.

use crate::failure::{say, say_lines};
use crate::format::Expected;
use crate::output::visible;
use crate::stream::Outcome;
use std::collections::BTreeMap;
use std::fmt;
use tagstream::{CallErrorCode, EventKind, NoticeCode};
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

/// At most this many notices of one code are reported one by one.
const MAX_ALIKE: usize = 8;

/// Notices and refused calls. With `--strict` they are reported, since not every view shows them.
pub(crate) struct Problems {
    strict: bool,
    is_reported: bool,
    any: bool,
    /// The server reported an error, or nothing could be read.
    failed: bool,
    /// What has not been written yet.
    lines: Vec<String>,
    /// How often each code was reported.
    counts: BTreeMap<String, usize>,
}

impl Problems {
    pub(crate) fn new(strict: bool, is_reported: bool) -> Self {
        Problems {
            strict,
            is_reported: is_reported || strict,
            any: false,
            failed: false,
            lines: Vec::new(),
            counts: BTreeMap::new(),
        }
    }

    /// Notes a problem, unless the view itself `reports` it. A refused call is missing from the output
    /// unless the view `shows` it.
    pub(crate) fn note(&mut self, event: &WireEvent<'_>, reports: bool, shows: bool) {
        let WireKind::Message(kind) = event.event else {
            return;
        };
        let code = match kind {
            EventKind::Notice { code, .. } => Some(code),
            _ => None,
        };
        self.failed |= code == Some(NoticeCode::StreamError);
        if reports {
            return;
        }
        if let Some(problem) = Problem::of(kind) {
            match code {
                Some(code) if is_serious(code.as_str()) => self.report_always(&problem.to_string()),
                None if !shows => self.report_always(&problem.to_string()),
                _ => self.report(&problem.to_string()),
            }
        }
    }

    /// Notes a problem that is in words already.
    pub(crate) fn report(&mut self, line: &str) {
        self.report_lines(&visible(line));
    }

    /// Notes a problem with more than one line.
    pub(crate) fn report_lines(&mut self, lines: &str) {
        self.any |= !is_hint(code(lines));
        if self.is_reported {
            self.add(lines);
        }
    }

    /// The same for what would otherwise be missing from the output without a word: it is reported
    /// even without `--strict`.
    pub(crate) fn report_always(&mut self, line: &str) {
        self.any = true;
        self.add(&visible(line));
    }

    /// Reports an input that is not what was expected.
    pub(crate) fn expect(&mut self, expected: Expected) {
        if let Some(hint) = expected.hint() {
            self.hint(&hint);
        }
        if let Some(problem) = expected.problem() {
            self.fail(&problem);
        }
    }

    /// What makes the command fail, even without `--strict`.
    pub(crate) fn fail(&mut self, line: &str) {
        self.failed = true;
        self.add(&visible(line));
    }

    /// What the user may want to know, and is not a problem.
    pub(crate) fn hint(&mut self, line: &str) {
        self.add(&visible(line));
    }

    fn add(&mut self, lines: &str) {
        let count = self.counts.entry(code(lines).to_owned()).or_default();
        *count += 1;
        if *count <= MAX_ALIKE || code(lines).is_empty() {
            self.lines.push(lines.to_owned());
        }
    }

    /// Writes what has been noted.
    pub(crate) fn flush(&mut self) {
        self.lines.drain(..).for_each(|lines| say_lines(&lines));
    }

    pub(crate) fn outcome(&mut self) -> Outcome {
        self.flush();
        for (code, count) in std::mem::take(&mut self.counts) {
            if !code.is_empty() && count > MAX_ALIKE {
                say(&format!("{code}: {} more like these", count - MAX_ALIKE));
            }
        }
        if self.failed || (self.strict && self.any) {
            Outcome::HeldErrors
        } else {
            Outcome::Done
        }
    }
}

/// The code that a line begins with; empty if it begins with something else.
fn code(line: &str) -> &str {
    let code = line.split_once(": ").map_or("", |(code, _)| code);
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    let is_code = code.bytes().all(is_letter);
    if is_code { code } else { "" }
}

/// Whether a notice means that something may be missing from the output.
pub(crate) fn is_serious(code: &str) -> bool {
    let serious = [
        NoticeCode::StreamError,
        NoticeCode::InvalidFrame,
        NoticeCode::TruncatedStream,
        NoticeCode::Limit,
    ];
    serious.iter().any(|serious| serious.as_str() == code)
}

/// Whether this is why a call was refused.
pub(crate) fn is_refusal(code: &str) -> bool {
    let refusals = [
        CallErrorCode::UnknownTool,
        CallErrorCode::MissingRequired,
        CallErrorCode::UnknownArgument,
        CallErrorCode::TypeMismatch,
        CallErrorCode::InvalidJson,
        CallErrorCode::MalformedParameter,
        CallErrorCode::MalformedCall,
        CallErrorCode::IncompleteCall,
        CallErrorCode::Limit,
    ];
    refusals.iter().any(|refusal| refusal.as_str() == code)
}

/// Whether a notice says only that something was not what it may look like.
fn is_hint(code: &str) -> bool {
    let hints = [NoticeCode::NearMiss, NoticeCode::InCode];
    hints.iter().any(|hint| hint.as_str() == code)
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
