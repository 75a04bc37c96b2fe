//! What is wrong with the input: told on standard error, and whether it is fatal.

use crate::failure::say;
use crate::output::visible;
use crate::stream::Outcome;
use tagstream::{CallErrorCode, Kind};
use tagstream_wire::{WireEvent, WireKind};

/// Notices and refused calls. With `--strict` they are told, since not every view shows them.
pub(crate) struct Problems {
    strict: bool,
    told: bool,
    any: bool,
}

impl Problems {
    pub(crate) fn new(strict: bool, told: bool) -> Self {
        Problems {
            strict,
            told: told || strict,
            any: false,
        }
    }

    pub(crate) fn note(&mut self, event: &WireEvent<'_>) {
        let WireKind::Message(kind) = event.event else {
            return;
        };
        let line = match kind {
            Kind::Notice { code, message } => format!("{}: {message}", code.as_str()),
            Kind::CallError {
                index,
                name,
                code,
                argument,
                message,
                ..
            } => {
                let reason = reason(code, argument, message);
                format!("call {index}{} was refused: {reason}", of_tool(name))
            }
            _ => return,
        };
        self.any = true;
        if self.told {
            say(&visible(&line));
        }
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
pub(crate) fn reason(code: CallErrorCode, argument: Option<&str>, message: &str) -> String {
    let code = code.as_str();
    match argument {
        Some(argument) if !message.contains(argument) => {
            format!("{code}: argument `{argument}`: {message}")
        }
        _ => format!("{code}: {message}"),
    }
}
