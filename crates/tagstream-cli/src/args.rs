//! The arguments. Their `--help` is the reference for users.

use crate::aggregate::AggregateArgs;
#[cfg(feature = "batch")]
use crate::batch::BatchArgs;
use crate::call_flags::{CallFlags, SetCalls, warn};
use crate::calls::CallsArgs;
use crate::chat::ChatArgs;
use crate::demo::DemoArgs;
use crate::dialects::DialectsArgs;
use crate::directives::DirectivesArgs;
use crate::elements::ElementsArgs;
use crate::events::EventsArgs;
use crate::explain::ExplainArgs;
use crate::failure::{Failure, say};
use crate::filter::FilterArgs;
use crate::format::detect;
use crate::help::{CompletionsArgs, ManArgs};
use crate::hints::Hints;
use crate::input::Input;
use crate::nodes::NodesArgs;
use crate::own_frames::OwnFrames;
use crate::profile::ProfileArgs;
use crate::rewrite::RewriteArgs;
#[cfg(feature = "serve")]
use crate::serve::ServeArgs;
use crate::strip::StripArgs;
use crate::suggested::Suggested;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand};
use std::path::PathBuf;
use tagstream::profile::{CallOptions, Loaded, Preset, load_with, parse_with, presets};
use tagstream::{CodeNotices, Profile, RefusedCalls, Tools, Whitespace};
use tagstream_wire::Format;

/// Parse the output of a language model while it streams: thinking, tool calls, elements.
#[derive(Parser)]
#[command(
    name = "tagstream",
    version,
    after_help = "\
Examples:
  printf '<think>plan</think>5 < 6' | tagstream filter
  printf '<tool_call>{\"name\":\"now\",\"arguments\":{}}</tool_call>' | tagstream calls
  tagstream demo --scene calls

`tagstream COMMAND --help` has the options of a command and examples."
)]
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
    /// Print a canvas of nodes, groups and edges as JSON lines
    Nodes(NodesArgs),
    /// Print finished directives (text, tools, log messages) as JSON lines
    Directives(DirectivesArgs),
    /// Print each choice of a stream as one JSON message
    Aggregate(AggregateArgs),
    /// Print the events of chat completions as JSON lines: content, thoughts, tool calls
    Chat(ChatArgs),
    /// Read files of logged messages, on all cores: thinking and calls taken out of each
    #[cfg(feature = "batch")]
    Batch(BatchArgs),
    /// Show what each byte was read as, and why calls were refused
    Explain(ExplainArgs),
    /// List the built-in tool call dialects, or print one
    Dialects(DialectsArgs),
    /// Rewrite a provider's stream, with thinking and calls in the fields that clients read
    Rewrite(RewriteArgs),
    /// Repair the streams of a model server, as a proxy before it
    #[cfg(feature = "serve")]
    Serve(ServeArgs),
    /// List the built-in profiles, or print one
    Profile(ProfileArgs),
    /// Replay recorded answers in the terminal
    Demo(DemoArgs),
    /// Print a script that completes commands in a shell
    Completions(CompletionsArgs),
    /// Print the manual as a man page
    Man(ManArgs),
}

/// The arguments of all commands that read a message.
#[derive(clap::Args)]
pub(crate) struct Common {
    /// File to read; standard input if omitted or `-`
    pub(crate) file: Option<PathBuf>,

    #[command(flatten)]
    chosen: Chosen,

    /// Format of the input; sse: the frames of a server's own (see --text-key)
    #[arg(long, value_name = "FORMAT", default_value = "auto", value_parser = formats())]
    from: From,

    /// With --from sse, the key of the text in the JSON of each frame, such as delta.0.text; without
    /// it, the data of a frame is the text
    #[arg(long, value_name = "KEY")]
    text_key: Option<String>,

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

/// Which profile to use, and what the flags change in it.
#[derive(clap::Args)]
pub(crate) struct Chosen {
    /// Use the profile in this file, in TOML or JSON
    #[arg(long, value_name = "FILE", conflicts_with = "preset")]
    profile: Option<PathBuf>,

    /// Use this built-in profile (`tagstream profile` lists them)
    #[arg(long, value_name = "NAME", value_parser = preset_names(), hide_possible_values = true)]
    preset: Option<String>,

    /// Use the built-in profile for this model, such as Qwen/Qwen3-Coder-30B-A3B; standard error says
    /// which one that is
    #[arg(long, value_name = "NAME", conflicts_with_all = ["profile", "preset"],
        value_parser = Suggested(models), hide_possible_values = true)]
    model: Option<String>,

    #[command(flatten)]
    calls: CallFlags,
}

/// The format of the input.
#[derive(Clone, Copy)]
pub(crate) enum From {
    /// Frames of a server that has a format of its own.
    Sse,
    Format(Format),
}

/// The formats by their names.
fn formats() -> impl TypedValueParser<Value = From> {
    let names = Format::NAMES.map(|(name, _)| name);
    PossibleValuesParser::new(names.into_iter().chain(["sse"])).map(|name| match name.as_str() {
        "sse" => From::Sse,
        name => From::Format(name.parse().unwrap_or_default()),
    })
}

/// The presets that commands have by default, where it is not `thinking`.
const DEFAULT_PRESETS: [(&str, &str); 4] = [
    ("chat", "inline"),
    ("directives", "roo"),
    ("filter", "filter"),
    ("nodes", "canvas"),
];

/// The preset that a command has by default.
pub(crate) fn default_preset(command: &str) -> &'static str {
    let mut own = DEFAULT_PRESETS.iter();
    let own = own.find(|(name, _)| *name == command);
    own.map_or("thinking", |(_, preset)| preset)
}

/// The names of the presets.
pub(crate) fn preset_names() -> PossibleValuesParser {
    PossibleValuesParser::new(presets().iter().map(Preset::name))
}

impl Common {
    /// The format of the messages: the one that the user named, or else what the input looks like.
    /// The texts in frames of a server's own are text.
    pub(crate) fn format_of(&self, input: &mut Input) -> Result<Format, Failure> {
        match self.from {
            From::Sse => Ok(Format::Text),
            From::Format(Format::Auto) => detect(input),
            From::Format(format) => Ok(format),
        }
    }

    /// Whether the user named the format.
    pub(crate) fn names_format(&self) -> bool {
        !matches!(self.from, From::Format(Format::Auto))
    }

    /// The same for a stream that is written again. What is not recognized is passed on as it is.
    pub(crate) fn format_to_rewrite(&self, input: &mut Input) -> Result<Format, Failure> {
        match (self.from, self.format_of(input)?) {
            (From::Format(Format::Auto), Format::Text) => Ok(Format::Auto),
            (_, format) => Ok(format),
        }
    }

    /// What points out calls that are left as text; nothing if the request allows none, or if refused
    /// calls, which have been reported, are text too.
    pub(crate) fn hints(&self, profile: &Profile) -> Option<Hints> {
        let is_off = match &profile.calls {
            Some(calls) => calls.refused == RefusedCalls::Text,
            None => self.chosen.calls.has_tools(),
        };
        (!is_off).then(|| Hints::new(profile))
    }

    /// How frames of a server's own are read, if the input has such.
    pub(crate) fn own_frames(&self) -> Result<Option<OwnFrames>, Failure> {
        match (self.from, &self.text_key) {
            (From::Sse, key) => Ok(Some(OwnFrames::new(key.clone()))),
            (From::Format(_), None) => Ok(None),
            (From::Format(_), Some(_)) => Err(Failure::because(format_args!(
                "--text-key needs --from sse"
            ))),
        }
    }

    /// The requested profile, or this command's default preset.
    pub(crate) fn profile(&self, command: &str) -> Result<Profile, Failure> {
        self.profile_with(command, &self.chosen.calls.set()?)
    }

    /// The same, where an empty list of tools is that of a request without tools.
    pub(crate) fn loaded_for_requests(&self, command: &str) -> Result<Loaded, Failure> {
        self.chosen
            .loaded_with(command, &self.chosen.calls.set_for_requests()?)
    }

    /// The same, for a command that reads calls even if the profile does not.
    pub(crate) fn profile_with_calls(&self, command: &str) -> Result<Profile, Failure> {
        let mut set = self.chosen.calls.set()?;
        set.options.wanted = true;
        let mut profile = self.profile_with(command, &set)?;
        // What was not a call, and looks like one, is what the user wants to know about.
        profile.code_notices = CodeNotices::All;
        if let Some(calls) = &mut profile.calls {
            calls.near_misses = true;
        }
        Ok(profile)
    }

    fn profile_with(&self, command: &str, set: &SetCalls) -> Result<Profile, Failure> {
        Ok(self.chosen.loaded_with(command, set)?.profile)
    }

    /// The requested profile with the rules of its filter, or this command's default preset.
    pub(crate) fn loaded(&self, command: &str) -> Result<Loaded, Failure> {
        self.chosen.loaded_with(command, &self.chosen.calls.set()?)
    }

    /// The requested profile, and the declared tools: none at all if the request allows no calls.
    pub(crate) fn profile_and_tools(
        &self,
        command: &str,
    ) -> Result<(Profile, Option<Tools>), Failure> {
        let set = self.chosen.calls.set()?;
        let loaded = self.chosen.loaded_with(command, &set)?;
        let none = set.is_off.then(Tools::default);
        Ok((loaded.profile, none.or(loaded.tools)))
    }

    /// Whether the user named no profile.
    pub(crate) fn has_default_profile(&self) -> bool {
        let Chosen {
            profile,
            preset,
            model,
            ..
        } = &self.chosen;
        profile.is_none() && preset.is_none() && model.is_none()
    }
}

impl Chosen {
    fn loaded_with(&self, command: &str, set: &SetCalls) -> Result<Loaded, Failure> {
        let mut loaded = self.load(command, &set.options)?;
        if set.is_off {
            loaded.profile.calls = None;
        }
        Ok(loaded)
    }

    /// The requested profile with calls, and a text that names all it was made from: a resumed run must
    /// have the same.
    #[cfg(feature = "batch")]
    pub(crate) fn for_batch(&self, command: &str) -> Result<(Profile, String), Failure> {
        let mut set = self.calls.set()?;
        set.options.wanted = true;
        let profile = self.loaded_with(command, &set)?.profile;
        let file = self.profile.as_ref().map(std::fs::read_to_string);
        let file = file.transpose().map_err(Failure::because)?;
        let name = (file, &self.preset, &self.model, self.calls.sources()?);
        Ok((profile, format!("{name:?}")))
    }

    fn load(&self, command: &str, options: &CallOptions) -> Result<Loaded, Failure> {
        if let Some(path) = &self.profile {
            let loaded = load_with(path, options);
            let loaded = loaded.map_err(|error| self.calls.failure_of_load(&error))?;
            warn(path, &loaded.warnings);
            return Ok(loaded);
        }
        let preset = self.preset(command)?;
        // A preset declares no tools, so there is nothing to warn about.
        let loaded = parse_with(preset.source(), options);
        loaded.map_err(|error| self.calls.failure(&error, &error))
    }

    /// The requested preset, or the one that this command has by default.
    fn preset(&self, command: &str) -> Result<Preset, Failure> {
        if let Some(model) = &self.model {
            let preset = Preset::for_model(model).map_err(Failure::because)?;
            say(&format!("{model}: preset {}", preset.name()));
            return Ok(preset);
        }
        let name = self.preset.as_deref();
        Ok(find_preset(name.unwrap_or_else(|| default_preset(command))))
    }
}

/// Names of models that are known, without those that are patterns.
fn models() -> Vec<&'static str> {
    let presets = presets().iter();
    let names = presets.flat_map(Preset::models).map(String::as_str);
    names.filter(|name| !name.contains('*')).collect()
}

/// The preset with this name, which is known to exist.
pub(crate) fn find_preset(name: &str) -> Preset {
    Preset::find(name).unwrap_or_else(|| unreachable!("the preset `{name}` is built in"))
}

/// What becomes of white space where markup was taken out of the text.
#[derive(clap::Args)]
pub(crate) struct WhitespaceFlag {
    /// What to do with white space where markup was removed
    #[arg(long, value_enum, value_name = "POLICY", default_value = "preserve")]
    whitespace: Policy,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Policy {
    /// Drop it between text and tags
    Split,
    /// Keep it, and add a space where two words would touch
    Preserve,
    /// Replace each run of it, and each tag, with one space
    Collapse,
    /// Keep it, and add nothing
    AsIs,
}

impl WhitespaceFlag {
    pub(crate) fn policy(&self) -> Whitespace {
        match self.whitespace {
            Policy::Split => Whitespace::Split,
            Policy::Preserve => Whitespace::Preserve,
            Policy::Collapse => Whitespace::Collapse,
            Policy::AsIs => Whitespace::AsIs,
        }
    }
}
