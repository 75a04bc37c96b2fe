//! `profile`: the built-in profiles, listed or printed.

use crate::args::{find_preset, preset_names};
use crate::failure::{Failure, say};
use crate::output::Output;
use crate::stream::Outcome;
use std::path::{Path, PathBuf};
use tagstream::profile::{from_tokenizer, presets};

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  tagstream profile
  tagstream profile qwen3 > mine.toml")]
pub(crate) struct ProfileArgs {
    /// Preset to print; without it, all are listed
    #[arg(value_parser = preset_names(), hide_possible_values = true)]
    name: Option<String>,
    /// Make a profile from the response_template of a tokenizer_config.json
    #[arg(long, value_name = "FILE", conflicts_with = "name")]
    from_tokenizer: Option<PathBuf>,
}

pub(crate) fn run(args: &ProfileArgs) -> Result<Outcome, Failure> {
    match (&args.name, &args.from_tokenizer) {
        (_, Some(file)) => make(file),
        (Some(name), None) => print(name),
        (None, None) => list(),
    }
}

/// Prints the profile that the template of a tokenizer describes, and notes on standard error.
fn make(file: &Path) -> Result<Outcome, Failure> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| Failure::because(format!("{}: {error}", file.display())))?;
    let made = from_tokenizer(&text)
        .map_err(|error| Failure::because(format!("{}: {error}", file.display())))?;
    for note in made.notes() {
        say(&format!("{}: {note}", file.display()));
    }
    let mut out = Output::new();
    out.text(made.source());
    out.flush()?;
    Ok(Outcome::Done)
}

/// Prints the file of a preset, ready to be saved, changed and given to `--profile`.
fn print(name: &str) -> Result<Outcome, Failure> {
    let mut out = Output::new();
    out.text(find_preset(name).source());
    out.flush()?;
    Ok(Outcome::Done)
}

/// Lists the presets, each with what it is for.
pub(crate) fn list() -> Result<Outcome, Failure> {
    let mut out = Output::new();
    out.table(presets().iter().map(|p| (p.name(), p.description())));
    out.flush()?;
    Ok(Outcome::Done)
}
