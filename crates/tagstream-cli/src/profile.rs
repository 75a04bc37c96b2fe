//! `profile`: the built-in profiles, listed or printed.

use crate::args::unknown_preset;
use crate::failure::Failure;
use crate::output::Output;
use crate::stream::Outcome;
use tagstream::profile::{Preset, presets};

#[derive(clap::Args)]
pub(crate) struct ProfileArgs {
    /// Preset to print; without it, all are listed
    name: Option<String>,
}

pub(crate) fn run(args: &ProfileArgs) -> Result<Outcome, Failure> {
    match &args.name {
        Some(name) => print(name),
        None => list(),
    }
}

/// Prints the file of a preset, ready to be saved, changed and given to `--profile`.
fn print(name: &str) -> Result<Outcome, Failure> {
    let preset = Preset::find(name).ok_or_else(|| unknown_preset(name))?;
    let mut out = Output::new();
    out.text(preset.source());
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
