//! `dialects`: the built-in tool call dialects, listed or printed.

use crate::failure::Failure;
use crate::output::Output;
use crate::stream::Outcome;
use clap::builder::PossibleValuesParser;
use tagstream::dialect::{BuiltIn, built_in, find};

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  tagstream dialects
  tagstream dialects hermes > mine.toml")]
pub(crate) struct DialectsArgs {
    /// Dialect to print; without it, all are listed
    #[arg(value_parser = names(), hide_possible_values = true)]
    name: Option<String>,
}

pub(crate) fn run(args: &DialectsArgs) -> Result<Outcome, Failure> {
    let mut out = Output::new();
    match &args.name {
        // The file as it is, ready to be saved, changed and given to `--dialect-file`.
        Some(name) => out.text(find(name).map_or("", BuiltIn::source)),
        None => out.table(built_in().iter().map(|d| (d.name(), about(d)))),
    }
    out.flush()?;
    Ok(Outcome::Done)
}

fn about(built_in: &BuiltIn) -> &str {
    &built_in.dialect().about
}

fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(built_in().iter().map(BuiltIn::name))
}
