//! One message from the input through the engine into a view: the loop that all commands share.

use crate::args::Common;
use crate::failure::Failure;
use crate::format::Expected;
use crate::garbage::Garbage;
use crate::hints::Hints;
use crate::input::Input;
use crate::output::Output;
use crate::problems::Problems;
use tagstream::{Event, Profile};
use tagstream_wire::{Format, Session, WireEvent};

/// How a command ended that did not fail.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Done,
    /// The server reported an error, or the input held errors that were asked to be fatal.
    HeldErrors,
}

/// What a command makes of the events.
pub(crate) trait View {
    /// Whether notices and refused calls are reported on standard error even without `--strict`.
    const REPORTS_PROBLEMS: bool = false;

    /// Whether the output has refused calls.
    const SHOWS_REFUSALS: bool = false;

    /// Whether the output has all notices about bytes that are not UTF-8: without them, spans have gaps.
    const SHOWS_GARBAGE: bool = true;

    /// Whether text that looks like a call is pointed out.
    fn hints(&self) -> bool {
        false
    }

    /// The format of the input is known. Nothing has been read yet.
    fn format(&mut self, _format: Format) {}

    fn event(&mut self, event: Event<'_>, out: &mut Output);

    /// The same with its choice, and what only streams of providers have. The first choice alone is
    /// shown unless a view overrides this: live, two answers at once cannot be read.
    fn wire(&mut self, event: &WireEvent<'_>, out: &mut Output) {
        if event.choice == 0
            && let Some(event) = event.message()
        {
            self.event(event, out);
        }
    }

    /// Whether the view itself reports this problem: it may know more, or better words.
    fn reports(&self, _event: &WireEvent<'_>) -> bool {
        false
    }

    /// Reports what the view has found wrong since the last call.
    fn problems(&mut self, _problems: &mut Problems) {}

    /// Whether the view needs no more of the message.
    fn is_over(&self) -> bool {
        false
    }

    /// These bytes of the message, or of the provider's stream, will be read next.
    fn chunk(&mut self, _bytes: &[u8]) {}

    /// A chunk has been read.
    fn chunk_read(&mut self, _session: &Session, _out: &mut Output) {}

    /// The message is over.
    fn finished(&mut self, _out: &mut Output) {}
}

/// Reads the message and shows it.
pub(crate) fn run<V: View>(
    common: &Common,
    profile: &Profile,
    view: &mut V,
) -> Result<Outcome, Failure> {
    // What is wrong with the profile is said before anything is read.
    profile.compile().map_err(Failure::because)?;
    let mut input = Input::open(common)?;
    let format = common.format_of(&mut input)?;
    run_input(common, profile, view, input, format)
}

/// The same for an input in this format.
pub(crate) fn run_input<V: View>(
    common: &Common,
    profile: &Profile,
    view: &mut V,
    mut input: Input,
    format: Format,
) -> Result<Outcome, Failure> {
    let mut session = Session::new(profile, format).map_err(Failure::because)?;
    let mut frames = common.own_frames()?;
    let mut out = Output::new();
    let mut watch = Watch {
        problems: Problems::new(common.strict, V::REPORTS_PROBLEMS),
        expected: Expected::new(format, common.names_format())?,
        hints: common.hints(profile).filter(|_| view.hints()),
        garbage: Garbage::default(),
    };
    view.format(format);
    let mut number = 0;
    while let Some(chunk) = input.next()? {
        watch.expected.chunk(chunk);
        if frames.is_none() {
            view.chunk(chunk);
        }
        let mut sink = |event: WireEvent<'_>| watch.take(&event, view, &mut out);
        match &mut frames {
            Some(frames) => frames.push(chunk, |text| session.push(text.as_bytes(), &mut sink)),
            None => session.push(chunk, &mut sink),
        }
        if let Some(frames) = &mut frames {
            frames.report(&mut watch.problems);
        }
        view.chunk_read(&session, &mut out);
        view.problems(&mut watch.problems);
        if common.mark {
            out.mark(Some(number));
        }
        out.flush()?;
        watch.problems.flush();
        number += 1;
        if view.is_over() {
            break;
        }
    }
    if !view.is_over() {
        let mut sink = |event: WireEvent<'_>| watch.take(&event, view, &mut out);
        if let Some(frames) = &mut frames {
            frames.finish(|text| session.push(text.as_bytes(), &mut sink));
        }
        session.finish(&mut sink);
        if let Some(frames) = &mut frames {
            frames.report(&mut watch.problems);
        }
    }
    view.finished(&mut out);
    view.problems(&mut watch.problems);
    if common.mark {
        out.mark(None);
    }
    out.flush()?;
    Ok(watch.outcome())
}

/// What is noted about an input, beside what the view makes of it.
struct Watch {
    problems: Problems,
    expected: Expected,
    hints: Option<Hints>,
    garbage: Garbage,
}

impl Watch {
    fn take<V: View>(&mut self, event: &WireEvent<'_>, view: &mut V, out: &mut Output) {
        self.problems
            .note(event, view.reports(event), V::SHOWS_REFUSALS);
        if let Some(hints) = &mut self.hints {
            hints.wire(event);
        }
        if V::SHOWS_GARBAGE || !self.garbage.is_over(event) {
            view.wire(event, out);
        }
    }

    fn outcome(mut self) -> Outcome {
        self.garbage.report(&mut self.problems);
        self.problems.expect(self.expected);
        if let Some(hint) = self.hints.and_then(Hints::finish) {
            self.problems.hint(&hint);
        }
        self.problems.outcome()
    }
}
