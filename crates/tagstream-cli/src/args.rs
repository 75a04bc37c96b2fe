//! The arguments. What they say in `--help` is the reference for users.

use crate::aggregate::AggregateArgs;
use crate::call_flags::{CallFlags, warn};
use crate::calls::CallsArgs;
use crate::demo::DemoArgs;
use crate::dialects::DialectsArgs;
use crate::directives::DirectivesArgs;
use crate::elements::ElementsArgs;
use crate::events::EventsArgs;
use crate::explain::ExplainArgs;
use crate::failure::Failure;
use crate::filter::FilterArgs;
use crate::profile::ProfileArgs;
use crate::rewrite::RewriteArgs;
use crate::strip::StripArgs;
use clap::{Parser, Subcommand};
use std::path::PathBuf;
use tagstream::Profile;
use tagstream::profile::{CallOptions, Preset, load_with, parse_with, preset, presets};
use tagstream_wire::Format;

/// Takes apart what a language model writes, as it arrives: thinking, tags, elements.
#[derive(Parser)]
#[command(name = "tagstream", version)]
pub(crate) struct Args {
    /// List the built-in profiles and stop
    #[arg(long, global = true)]
    pub(crate) list_presets: bool,

    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Print all events as JSON lines
    Events(EventsArgs),
    /// Print the complete and valid calls as JSON lines
    Calls(CallsArgs),
    /// Print the visible text, live, without thinking
    Filter(FilterArgs),
    /// Print the message without any tags
    Strip(StripArgs),
    /// Print finished elements as JSON lines
    Elements(ElementsArgs),
    /// Print finished directives (text, tools, log messages) as JSON lines
    Directives(DirectivesArgs),
    /// Print one JSON message for each choice of a stream
    Aggregate(AggregateArgs),
    /// Show which bytes were taken for what, and why a call was refused
    Explain(ExplainArgs),
    /// List the built-in dialects of calls, or print one
    Dialects(DialectsArgs),
    /// Write a provider's stream again, with thinking and calls where clients look for them
    Rewrite(RewriteArgs),
    /// List the built-in profiles, or print one
    Profile(ProfileArgs),
    /// Replay a recorded answer in the terminal
    Demo(DemoArgs),
}

/// What all commands that read a message have in common.
#[derive(clap::Args)]
pub(crate) struct Common {
    /// The message; standard input without it
    pub(crate) file: Option<PathBuf>,

    /// Use this profile, in TOML or JSON
    #[arg(long, value_name = "FILE", conflicts_with = "preset")]
    profile: Option<PathBuf>,

    /// Use this built-in profile
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,

    #[command(flatten)]
    calls: CallFlags,

    /// The format of the input: text, openai, responses, anthropic, gemini, ollama or auto
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) from: Format,

    /// The input is JSON lines: a string, or {"hex":"…"}, is fed as one chunk
    #[arg(long)]
    pub(crate) chunks: bool,

    /// After each chunk print a line {"type":"mark","chunk":N}
    #[arg(long)]
    pub(crate) mark: bool,

    /// Exit with 1 if the input held anything that makes a notice or a refused call
    #[arg(long)]
    pub(crate) strict: bool,
}

impl Common {
    /// The profile that was asked for, or the preset that this command uses by itself.
    pub(crate) fn profile(&self, default: &str) -> Result<Profile, Failure> {
        self.profile_with(default, &self.calls.options()?)
    }

    /// The same, for a command that reads calls also where the profile has none.
    pub(crate) fn profile_with_calls(&self, default: &str) -> Result<Profile, Failure> {
        let mut options = self.calls.options()?;
        options.wanted = true;
        self.profile_with(default, &options)
    }

    fn profile_with(&self, default: &str, options: &CallOptions) -> Result<Profile, Failure> {
        if let Some(path) = &self.profile {
            let loaded = load_with(path, options);
            let loaded = loaded.map_err(|error| self.calls.failure_of_load(&error))?;
            warn(path, &loaded.warnings);
            return Ok(loaded.profile);
        }
        let name = self.preset.as_deref().unwrap_or(default);
        let preset = preset(name).ok_or_else(|| unknown_preset(name))?;
        // A preset has no tools that are odd, so there is nothing to warn of.
        let loaded = parse_with(preset.source(), options);
        let loaded = loaded.map_err(|error| self.calls.failure(&error, &error))?;
        Ok(loaded.profile)
    }
}

pub(crate) fn unknown_preset(name: &str) -> Failure {
    let names: Vec<_> = presets().iter().map(Preset::name).collect();
    Failure::because(format_args!(
        "no preset is called `{name}`; allowed: {}",
        names.join(", ")
    ))
}
