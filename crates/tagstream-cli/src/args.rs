//! The arguments. Their `--help` is the reference for users.

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
use tagstream::profile::{CallOptions, Loaded, Preset, load_with, parse_with, presets};
use tagstream::{Profile, Tools};
use tagstream_wire::Format;

/// Parse the output of a language model while it streams: thinking, tool calls, elements.
#[derive(Parser)]
#[command(name = "tagstream", version)]
pub(crate) struct Args {
    /// List the built-in profiles and exit
    #[arg(long, global = true)]
    pub(crate) list_presets: bool,

    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Print all events as JSON lines
    Events(EventsArgs),
    /// Print complete and valid tool calls as JSON lines
    Calls(CallsArgs),
    /// Print the visible text as it arrives, without thinking
    Filter(FilterArgs),
    /// Print the message without any tags
    Strip(StripArgs),
    /// Print finished elements as JSON lines
    Elements(ElementsArgs),
    /// Print finished directives (text, tools, log messages) as JSON lines
    Directives(DirectivesArgs),
    /// Print each choice of a stream as one JSON message
    Aggregate(AggregateArgs),
    /// Show what each byte was read as, and why calls were refused
    Explain(ExplainArgs),
    /// List the built-in tool call dialects, or print one
    Dialects(DialectsArgs),
    /// Rewrite a provider's stream, with thinking and calls in the fields that clients read
    Rewrite(RewriteArgs),
    /// List the built-in profiles, or print one
    Profile(ProfileArgs),
    /// Replay a recorded answer in the terminal
    Demo(DemoArgs),
}

/// The arguments of all commands that read a message.
#[derive(clap::Args)]
pub(crate) struct Common {
    /// File to read; standard input if omitted or `-`
    pub(crate) file: Option<PathBuf>,

    /// Use the profile in this file, in TOML or JSON
    #[arg(long, value_name = "FILE", conflicts_with = "preset")]
    profile: Option<PathBuf>,

    /// Use this built-in profile (`tagstream profile` lists them)
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,

    #[command(flatten)]
    calls: CallFlags,

    /// Format of the input: text, openai, responses, anthropic, gemini, ollama or auto
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) from: Format,

    /// Read JSON lines, each of them one chunk: a string or {"hex":"…"}
    #[arg(long)]
    pub(crate) chunks: bool,

    /// Print a line {"type":"mark","chunk":N} after each chunk
    #[arg(long)]
    pub(crate) mark: bool,

    /// Exit with status 1 if there was a notice or a refused call
    #[arg(long)]
    pub(crate) strict: bool,
}

impl Common {
    /// The requested profile, or this command's default preset.
    pub(crate) fn profile(&self, default: &str) -> Result<Profile, Failure> {
        self.profile_with(default, &self.calls.options()?)
    }

    /// The same, for a command that reads calls even if the profile does not.
    pub(crate) fn profile_with_calls(&self, default: &str) -> Result<Profile, Failure> {
        let mut options = self.calls.options()?;
        options.wanted = true;
        self.profile_with(default, &options)
    }

    fn profile_with(&self, default: &str, options: &CallOptions) -> Result<Profile, Failure> {
        Ok(self.load(default, options)?.profile)
    }

    /// The requested profile, and the declared tools.
    pub(crate) fn profile_and_tools(&self, default: &str) -> Result<(Profile, Tools), Failure> {
        let loaded = self.load(default, &self.calls.options()?)?;
        Ok((loaded.profile, loaded.tools))
    }

    fn load(&self, default: &str, options: &CallOptions) -> Result<Loaded, Failure> {
        if let Some(path) = &self.profile {
            let loaded = load_with(path, options);
            let loaded = loaded.map_err(|error| self.calls.failure_of_load(&error))?;
            warn(path, &loaded.warnings);
            return Ok(loaded);
        }
        let name = self.preset.as_deref().unwrap_or(default);
        let preset = Preset::find(name).ok_or_else(|| unknown_preset(name))?;
        // A preset declares no tools, so there is nothing to warn about.
        let loaded = parse_with(preset.source(), options);
        loaded.map_err(|error| self.calls.failure(&error, &error))
    }
}

pub(crate) fn unknown_preset(name: &str) -> Failure {
    let names: Vec<_> = presets().iter().map(Preset::name).collect();
    Failure::because(format_args!(
        "unknown preset `{name}`; allowed: {}",
        names.join(", ")
    ))
}
