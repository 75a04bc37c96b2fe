//! `rewrite`: the stream again, with thinking and calls in the fields that clients read.

use crate::args::Common;
use crate::failure::Failure;
use crate::format::Expected;
use crate::hints::Hints;
use crate::input::Input;
use crate::output::Output;
use crate::problems::{Problems, is_refusal, is_serious};
use crate::stream::Outcome;
use clap::ValueEnum;
use tagstream::Profile;
use tagstream_wire::rewrite::{
    CallMode, Options, OrphanClose, Refused, RewriteError, Rewriter, Thinking,
    check_reasoning_field,
};
use tagstream_wire::{Format, Notice, Session, WireEvent};

#[derive(clap::Args)]
#[command(after_help = "\
Example:
  printf 'data: {\"choices\":[{\"delta\":{\"content\":\"<think>plan</think>Hi\"},\"finish_reason\":\"stop\"}]}\\n\\ndata: [DONE]\\n\\n' | tagstream rewrite")]
pub(crate) struct RewriteArgs {
    #[command(flatten)]
    common: Common,

    /// What to do with thinking
    #[arg(long, value_name = "HOW", default_value = "move")]
    thinking: Thoughts,

    /// Field that thinking is moved to in the OpenAI format; otherwise the one that the provider uses,
    /// or reasoning_content
    #[arg(long, value_name = "NAME", value_parser = reasoning_field)]
    reasoning_field: Option<String>,

    /// When to send a call that was found in text
    #[arg(long, value_name = "WHEN", default_value = "whole")]
    calls: When,

    /// What to do with the text of a refused call
    #[arg(long, value_name = "HOW", default_value = "show")]
    refused: Refusals,
}

#[derive(Clone, Copy, ValueEnum)]
enum Thoughts {
    /// Move it to the format's own field or block for it
    Move,
    /// Drop it
    Hide,
    /// Leave it in the text with its tags
    Keep,
}

#[derive(Clone, Copy, ValueEnum)]
enum When {
    /// Once it is complete and valid
    Whole,
    /// While it arrives; if it is refused later, an error follows
    Stream,
}

#[derive(Clone, Copy, ValueEnum)]
enum Refusals {
    /// Leave it in the text
    Show,
    /// Drop it
    Drop,
}

fn reasoning_field(name: &str) -> Result<String, RewriteError> {
    check_reasoning_field(name).map(|()| name.to_owned())
}

pub(crate) fn run(args: &RewriteArgs) -> Result<Outcome, Failure> {
    let loaded = args.common.loaded_for_requests("rewrite")?;
    let profile = loaded.profile;
    let mut options = args.options();
    if loaded.sets_orphan_close {
        options.orphan_close = OrphanClose::AsProfile;
    }
    let mut input = Input::open(&args.common)?;
    let format = args.common.format_to_rewrite(&mut input)?;
    let rewriter = Rewriter::new(&profile, format, options);
    let mut rewriter = rewriter.map_err(Failure::because)?;
    let mut expected = Expected::new(format, args.common.names_format())?;
    let hints = args.common.hints(&profile);
    let left = hints.map(|hints| Left::new(hints, format));
    let mut left = left.transpose()?;
    let mut out = Output::new();
    let mut problems = Problems::new(args.common.strict, false);
    let mut bytes = Vec::new();
    let mut number = 0;
    while let Some(chunk) = input.next()? {
        expected.chunk(chunk);
        rewriter.push(chunk, &mut bytes);
        note(&rewriter.take_notices(), &bytes, &mut left, &mut problems);
        out.bytes(&mut bytes);
        if args.common.mark {
            out.mark(Some(number));
        }
        out.flush()?;
        problems.flush();
        number += 1;
    }
    let notices = rewriter.finish(&mut bytes);
    note(&notices, &bytes, &mut left, &mut problems);
    out.bytes(&mut bytes);
    if args.common.mark {
        out.mark(None);
    }
    out.flush()?;
    problems.expect(expected);
    if let Some(hint) = left.and_then(Left::finish) {
        problems.hint(&hint);
    }
    Ok(problems.outcome())
}

/// What is left as text in the stream that has been rewritten: there, a frame is whole, and thinking is
/// in a field of its own.
struct Left {
    hints: Hints,
    session: Session,
}

impl Left {
    fn new(hints: Hints, format: Format) -> Result<Self, Failure> {
        let session = Session::new(&Profile::new(), format).map_err(Failure::because)?;
        Ok(Left { hints, session })
    }

    fn push(&mut self, bytes: &[u8]) {
        let hints = &mut self.hints;
        self.session.push(bytes, &mut |event: WireEvent<'_>| {
            hints.wire(&event);
        });
    }

    fn finish(mut self) -> Option<String> {
        let hints = &mut self.hints;
        self.session.finish(&mut |event: WireEvent<'_>| {
            hints.wire(&event);
        });
        self.hints.finish()
    }
}

fn note(notices: &[Notice], rewritten: &[u8], left: &mut Option<Left>, problems: &mut Problems) {
    report(notices, problems);
    if let Some(left) = left {
        left.push(rewritten);
        // The text of a refused call may be left, too, and a hint would say less.
        if notices.iter().any(|notice| is_refusal(notice.code)) {
            left.hints.stop();
        }
    }
}

fn report(notices: &[Notice], problems: &mut Problems) {
    for notice in notices {
        let line = format!("{}: {}", notice.code, notice.message);
        match notice.code {
            "stream_error" => problems.fail(&line),
            code if is_serious(code) || is_refusal(code) => problems.report_always(&line),
            _ => problems.report(&line),
        }
    }
}

impl RewriteArgs {
    fn options(&self) -> Options {
        let mut options = Options::default();
        options.thinking = match self.thinking {
            Thoughts::Move => Thinking::Move,
            Thoughts::Hide => Thinking::Hide,
            Thoughts::Keep => Thinking::Keep,
        };
        options.refused = match self.refused {
            Refusals::Show => Refused::Show,
            Refusals::Drop => Refused::Drop,
        };
        options.calls = match self.calls {
            When::Whole => CallMode::Whole,
            When::Stream => CallMode::Stream,
        };
        options.reasoning_field.clone_from(&self.reasoning_field);
        options
    }
}
