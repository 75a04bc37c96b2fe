//! One message from the input through the engine into a view: the loop that all commands share.

use crate::args::Common;
use crate::failure::{Failure, say};
use crate::input::Input;
use crate::output::Output;
use tagstream::{Engine, Event, Kind, Profile};

/// How a command ended that did not fail.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Done,
    /// The input held errors, and they were asked to be fatal.
    HeldErrors,
}

/// What a command makes of the events.
pub(crate) trait View {
    fn event(&mut self, event: Event<'_>, out: &mut Output);

    /// A chunk has been read.
    fn chunk_read(&mut self, _engine: &Engine, _out: &mut Output) {}

    /// The message is over.
    fn finished(&mut self, _out: &mut Output) {}
}

/// Reads the message and shows it.
pub(crate) fn run(
    common: &Common,
    profile: &Profile,
    view: &mut impl View,
) -> Result<Outcome, Failure> {
    let policy = profile.compile().map_err(Failure::because)?;
    let mut engine = Engine::new(&policy);
    let mut input = Input::open(common)?;
    let mut out = Output::new();
    let mut notices = Notices {
        strict: common.strict,
        any: false,
    };
    let mut number = 0;
    while let Some(chunk) = input.next()? {
        engine.push_bytes(chunk, &mut |event: Event<'_>| {
            notices.note(&event);
            view.event(event, &mut out);
        });
        view.chunk_read(&engine, &mut out);
        if common.mark {
            out.mark(Some(number));
        }
        out.flush()?;
        number += 1;
    }
    engine.finish(&mut |event: Event<'_>| {
        notices.note(&event);
        view.event(event, &mut out);
    });
    view.finished(&mut out);
    if common.mark {
        out.mark(None);
    }
    out.flush()?;
    Ok(notices.outcome())
}

/// Whether there were notices. With `--strict` they are told, since not every view shows them.
struct Notices {
    strict: bool,
    any: bool,
}

impl Notices {
    fn note(&mut self, event: &Event<'_>) {
        if let Kind::Notice { code, message } = event.kind {
            self.any = true;
            if self.strict {
                say(&format!("{}: {message}", code.as_str()));
            }
        }
    }

    fn outcome(&self) -> Outcome {
        if self.strict && self.any {
            Outcome::HeldErrors
        } else {
            Outcome::Done
        }
    }
}
