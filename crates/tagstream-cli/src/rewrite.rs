//! `rewrite`: the stream again, with thinking and calls in the fields that clients read.

use crate::args::Common;
use crate::failure::Failure;
use crate::input::Input;
use crate::output::Output;
use crate::problems::Problems;
use crate::stream::Outcome;
use clap::ValueEnum;
use tagstream_wire::rewrite::{Options, Refused, Rewriter, Thinking};
use tagstream_wire::{Notice, Policies};

#[derive(clap::Args)]
pub(crate) struct RewriteArgs {
    #[command(flatten)]
    common: Common,

    /// What to do with thinking
    #[arg(long, value_name = "HOW", default_value = "move")]
    thinking: Thoughts,

    /// Field that thinking is moved to in the OpenAI format
    #[arg(long, value_name = "NAME", default_value = "reasoning_content", value_parser = reasoning_field)]
    reasoning_field: String,

    /// What to do with the text of a refused call
    #[arg(long, value_name = "HOW", default_value = "show")]
    refused: Calls,
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
enum Calls {
    /// Leave it in the text
    Show,
    /// Drop it
    Drop,
}

/// Fields of a message that mean something else: thinking there would be shown, or break clients.
const TAKEN: [&str; 9] = [
    "annotations",
    "audio",
    "content",
    "function_call",
    "name",
    "reasoning_details",
    "refusal",
    "role",
    "tool_calls",
];

fn reasoning_field(name: &str) -> Result<String, String> {
    match name {
        "" => Err("the name of the field is empty".to_owned()),
        _ if TAKEN.contains(&name) => Err("clients use this field for something else".to_owned()),
        _ => Ok(name.to_owned()),
    }
}

pub(crate) fn run(args: &RewriteArgs) -> Result<Outcome, Failure> {
    let profile = args.common.profile("thinking")?;
    let policies = Policies::compile(&profile).map_err(Failure::because)?;
    let rewriter = Rewriter::new(policies, args.common.format(), args.options());
    let mut rewriter = rewriter.map_err(Failure::because)?;
    let mut input = Input::open(&args.common)?;
    let mut out = Output::new();
    let mut problems = Problems::new(args.common.strict, false);
    let mut bytes = Vec::new();
    let mut number = 0;
    while let Some(chunk) = input.next()? {
        rewriter.push(chunk, &mut bytes);
        report(&rewriter.take_notices(), &mut problems);
        out.bytes(&mut bytes);
        if args.common.mark {
            out.mark(Some(number));
        }
        out.flush()?;
        number += 1;
    }
    report(&rewriter.finish(&mut bytes), &mut problems);
    out.bytes(&mut bytes);
    if args.common.mark {
        out.mark(None);
    }
    out.flush()?;
    Ok(problems.outcome())
}

fn report(notices: &[Notice], problems: &mut Problems) {
    for notice in notices {
        problems.report(&format!("{}: {}", notice.code, notice.message));
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
            Calls::Show => Refused::Show,
            Calls::Drop => Refused::Drop,
        };
        options.reasoning_field.clone_from(&self.reasoning_field);
        options
    }
}
