//! One message from the input through the engine into a view: the loop that all commands share.

use crate::args::Common;
use crate::failure::Failure;
use crate::input::Input;
use crate::output::Output;
use crate::own_frames::OwnFrames;
use crate::problems::Problems;
use tagstream::{Event, Profile};
use tagstream_wire::{Options, Policies, Session, WireEvent};

/// How a command ended that did not fail.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Done,
    /// The input held errors, and they were asked to be fatal.
    HeldErrors,
}

/// What a command makes of the events.
pub(crate) trait View {
    /// Whether notices and refused calls are reported on standard error even without `--strict`.
    const REPORTS_PROBLEMS: bool = false;

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
    let policies = Policies::compile(profile).map_err(Failure::because)?;
    // What the profile says of thoughts and calls holds for native ones too.
    let mut session = Session::with_options(policies, common.format(), Options::of(profile));
    let mut frames = common.own_frames()?;
    let mut input = Input::open(common)?;
    let mut out = Output::new();
    let mut problems = Problems::new(common.strict, V::REPORTS_PROBLEMS);
    let mut number = 0;
    while let Some(chunk) = input.next()? {
        let mut sink = |event: WireEvent<'_>| take(&event, view, &mut problems, &mut out);
        match &mut frames {
            Some(frames) => frames.push(chunk, |text| session.push(text.as_bytes(), &mut sink)),
            None => session.push(chunk, &mut sink),
        }
        report_frames(&mut frames, &mut problems);
        view.chunk_read(&session, &mut out);
        view.problems(&mut problems);
        if common.mark {
            out.mark(Some(number));
        }
        out.flush()?;
        number += 1;
        if view.is_over() {
            break;
        }
    }
    if !view.is_over() {
        let mut sink = |event: WireEvent<'_>| take(&event, view, &mut problems, &mut out);
        if let Some(frames) = &mut frames {
            frames.finish(|text| session.push(text.as_bytes(), &mut sink));
        }
        session.finish(&mut sink);
        report_frames(&mut frames, &mut problems);
    }
    view.finished(&mut out);
    view.problems(&mut problems);
    if common.mark {
        out.mark(None);
    }
    out.flush()?;
    Ok(problems.outcome())
}

fn take<V: View>(event: &WireEvent<'_>, view: &mut V, problems: &mut Problems, out: &mut Output) {
    if !view.reports(event) {
        problems.note(event);
    }
    view.wire(event, out);
}

fn report_frames(frames: &mut Option<OwnFrames>, problems: &mut Problems) {
    let lines = frames.as_mut().map(OwnFrames::problems);
    let lines = lines.into_iter().flatten();
    lines.for_each(|line| problems.report_always(&line));
}
