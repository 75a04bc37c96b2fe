//! The flags for tool calls, which override the profile.

use crate::failure::{Failure, say};
use crate::suggested::Suggested;
use std::{
    fmt, fs,
    path::{Path, PathBuf},
};
use tagstream::Dialect;
use tagstream::calls::DialectChoice;
use tagstream::dialect::{BuiltIn, built_in};
use tagstream::profile::{CallOptions, LoadError};
use tagstream::tools::{Tools, ToolsErrorKind, ToolsWarning};
use tagstream::{FileError, dialect};

#[derive(clap::Args)]
pub(crate) struct CallFlags {
    /// Declare the tools in this JSON file: a `tools` array, or a request that contains one
    #[arg(long, value_name = "FILE")]
    tools: Option<PathBuf>,

    /// Read calls in these dialects (`tagstream dialects` lists them), or in any dialect: auto, the
    /// default where calls are read and the profile names none
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = Suggested(dialects),
        hide_possible_values = true)]
    dialect: Vec<String>,

    /// Read calls in the dialect of this file
    #[arg(long, value_name = "FILE")]
    dialect_file: Vec<PathBuf>,
}

/// The dialects that need no file.
fn dialects() -> Vec<&'static str> {
    let names = built_in().iter().map(BuiltIn::name);
    std::iter::once("auto").chain(names).collect()
}

/// What the flags set.
pub(crate) struct SetCalls {
    pub(crate) options: CallOptions,
    /// The request allows no calls: none are looked for, whatever the profile says.
    pub(crate) is_off: bool,
}

impl CallFlags {
    /// What the flags set. Files are read here, so that an error names its file.
    pub(crate) fn set(&self) -> Result<SetCalls, Failure> {
        self.read(false)
    }

    /// The same, where an empty list of tools is that of a request without tools.
    pub(crate) fn set_for_requests(&self) -> Result<SetCalls, Failure> {
        self.read(true)
    }

    pub(crate) fn has_tools(&self) -> bool {
        self.tools.is_some()
    }

    fn read(&self, is_request: bool) -> Result<SetCalls, Failure> {
        let dialects: Result<Vec<_>, _> = self.dialect_file.iter().map(read_dialect).collect();
        let dialects = dialects?;
        let choice = self.choice(&dialects);
        let read = self.tools.as_ref().map(|path| read_tools(path, is_request));
        let tools = read.transpose()?;
        let is_off = matches!(tools, Some(None));
        let options = CallOptions::new()
            .dialect(choice)
            .dialects(dialects)
            .tools(tools.flatten());
        Ok(SetCalls { options, is_off })
    }

    /// All that the flags are: names, and the contents of files.
    #[cfg(feature = "batch")]
    pub(crate) fn sources(&self) -> Result<Vec<String>, Failure> {
        let files = self.tools.iter().chain(&self.dialect_file);
        let names = self.dialect.iter().cloned().map(Ok);
        names.chain(files.map(|path| read(path))).collect()
    }

    /// The dialects to read. A dialect file counts even if `--dialect` does not name it.
    fn choice(&self, files: &[Dialect]) -> Option<DialectChoice> {
        let mut names = self.dialect.clone();
        if names.is_empty() {
            names.extend(files.iter().map(|dialect| dialect.name.clone()));
        }
        (!names.is_empty()).then_some(DialectChoice::List(names))
    }

    /// Why a profile could not be loaded with these flags.
    pub(crate) fn failure_of_load(&self, error: &LoadError) -> Failure {
        match error {
            LoadError::Invalid { source, .. } => self.failure(source, error),
            _ => Failure::because(error),
        }
    }

    /// An error caused by a flag names the flag, not the profile.
    pub(crate) fn failure(&self, error: &FileError, message: &impl fmt::Display) -> Failure {
        let is_choice = |key: &str| key == "calls.dialect" || key.starts_with("calls.dialect[");
        if !self.dialect.is_empty() && error.key().is_some_and(is_choice) {
            return Failure::because(format_args!("--dialect: {}", error.problem()));
        }
        Failure::because(message)
    }
}

fn read_dialect(path: impl AsRef<Path>) -> Result<Dialect, Failure> {
    let path = path.as_ref();
    dialect::parse(&read(path)?).map_err(|error| of_file(path, &error))
}

/// The tools in a file; `None` if it is a request that allows no calls, or if the server runs all of
/// its tools.
fn read_tools(path: &Path, is_request: bool) -> Result<Option<Tools>, Failure> {
    let text = read(path)?;
    if forbids_calls(&text) {
        return Ok(None);
    }
    match Tools::parse_some(&text) {
        Ok(tools) if is_request && tools.is_empty() => Ok(None),
        Ok(tools) => {
            warn(path, tools.warnings());
            Ok(Some(tools))
        }
        Err(error) if error.kind() == ToolsErrorKind::Empty => {
            say(&format!("{}: {error}; no calls are read", path.display()));
            Ok(None)
        }
        Err(error) => Err(of_file(path, &error)),
    }
}

/// Whether a request says that the model must not call tools: `tool_choice` of OpenAI and Anthropic,
/// or the mode of Gemini.
fn forbids_calls(json: &str) -> bool {
    let request: serde_json::Value = serde_json::from_str(json).unwrap_or_default();
    let choice = &request["tool_choice"];
    let config = ["toolConfig", "tool_config"].map(|key| &request[key]);
    let modes = config.map(|config| &config["functionCallingConfig"]["mode"]);
    choice == "none" || choice["type"] == "none" || modes.iter().any(|mode| *mode == "NONE")
}

/// Reports what is odd about tools that can be used all the same.
pub(crate) fn warn(path: &Path, warnings: &[ToolsWarning]) {
    for warning in warnings {
        say(&format!("{}: {warning}", path.display()));
    }
}

fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|error| of_file(path, &error))
}

fn of_file(path: &Path, problem: &impl fmt::Display) -> Failure {
    Failure::because(format_args!("{}: {problem}", path.display()))
}
