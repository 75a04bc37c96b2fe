//! The flags that say which calls count, over what the profile says.

use crate::failure::{Failure, say};
use std::{
    fmt, fs,
    path::{Path, PathBuf},
};
use tagstream::Dialect;
use tagstream_calls::{DialectChoice, Settings, Tools, file::Source, parse_dialect};
use tagstream_profiles::{CallOptions, Error, LoadError};

#[derive(clap::Args)]
pub(crate) struct CallFlags {
    /// The tools there are: a JSON file with a `tools` array, or with a request that has one
    #[arg(long, value_name = "FILE")]
    tools: Option<PathBuf>,

    /// Read calls in these dialects (`tagstream dialects` lists them), or in any of them: auto
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    dialect: Vec<String>,

    /// Read calls in the dialect of this file
    #[arg(long, value_name = "FILE")]
    dialect_file: Vec<PathBuf>,
}

impl CallFlags {
    /// What the flags say. Files are read here, so that what is wrong with one is told with its
    /// name.
    pub(crate) fn options(&self) -> Result<CallOptions, Failure> {
        let dialects: Result<Vec<_>, _> = self.dialect_file.iter().map(read_dialect).collect();
        let dialects = dialects?;
        Ok(CallOptions {
            wanted: false,
            dialect: self.choice(&dialects),
            dialects,
            tools: self.tools.as_ref().map(read_tools).transpose()?,
        })
    }

    /// The dialects that count. A file that is given counts, also if nobody names its dialect.
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

    /// What is wrong with a flag is told as such, and not as the profile's.
    pub(crate) fn failure(&self, error: &Error, told: &impl fmt::Display) -> Failure {
        let is_choice = |key: &str| key == "calls.dialect" || key.starts_with("calls.dialect[");
        if !self.dialect.is_empty() && error.key().is_some_and(is_choice) {
            return Failure::because(format_args!("--dialect: {}", error.problem()));
        }
        Failure::because(told)
    }
}

fn read_dialect(path: impl AsRef<Path>) -> Result<Dialect, Failure> {
    let path = path.as_ref();
    parse_dialect(&read(path)?).map_err(|error| of_file(path, &error))
}

fn read_tools(path: impl AsRef<Path>) -> Result<Tools, Failure> {
    let path = path.as_ref();
    let tools = Tools::parse(&read(path)?).map_err(|error| of_file(path, &error))?;
    warn(path, &tools);
    Ok(tools)
}

/// Tells what is odd about tools that can be used all the same.
fn warn(path: &Path, tools: &Tools) {
    for warning in tools.warnings() {
        say(&format!("{}: {warning}", path.display()));
    }
}

/// The part of a profile that names tools.
#[derive(serde::Deserialize)]
struct WithCalls {
    calls: Option<Settings>,
}

/// Tells what is odd about the tools of a profile. What is wrong with it was told before.
pub(crate) fn warn_of_profile(path: &Path) {
    let profile = read(path).ok();
    let profile = profile.and_then(|text| Source::new(&text).read::<WithCalls>().ok());
    let settings = profile.and_then(|profile| profile.calls);
    let tools = settings.and_then(|settings| settings.read_tools(path.parent()).ok());
    warn(path, &tools.unwrap_or_default());
}

fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|error| of_file(path, &error))
}

fn of_file(path: &Path, problem: &impl fmt::Display) -> Failure {
    Failure::because(format_args!("{}: {problem}", path.display()))
}
