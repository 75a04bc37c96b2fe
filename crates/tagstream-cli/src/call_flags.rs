//! The flags for tool calls, which override the profile.

use crate::failure::{Failure, say};
use std::{
    fmt, fs,
    path::{Path, PathBuf},
};
use tagstream::Dialect;
use tagstream::calls::DialectChoice;
use tagstream::profile::{CallOptions, LoadError};
use tagstream::tools::{Tools, ToolsWarning};
use tagstream::{FileError, dialect};

#[derive(clap::Args)]
pub(crate) struct CallFlags {
    /// Declare the tools in this JSON file: a `tools` array, or a request that contains one
    #[arg(long, value_name = "FILE")]
    tools: Option<PathBuf>,

    /// Read calls in these dialects (`tagstream dialects` lists them), or in any dialect: auto
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    dialect: Vec<String>,

    /// Read calls in the dialect of this file
    #[arg(long, value_name = "FILE")]
    dialect_file: Vec<PathBuf>,
}

impl CallFlags {
    /// The options that the flags set. Files are read here, so that an error names its file.
    pub(crate) fn options(&self) -> Result<CallOptions, Failure> {
        let dialects: Result<Vec<_>, _> = self.dialect_file.iter().map(read_dialect).collect();
        let dialects = dialects?;
        let choice = self.choice(&dialects);
        let tools = self.tools.as_ref().map(read_tools).transpose()?;
        Ok(CallOptions::new()
            .dialect(choice)
            .dialects(dialects)
            .tools(tools))
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

fn read_tools(path: impl AsRef<Path>) -> Result<Tools, Failure> {
    let path = path.as_ref();
    let tools = Tools::parse_some(&read(path)?).map_err(|error| of_file(path, &error))?;
    warn(path, tools.warnings());
    Ok(tools)
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
