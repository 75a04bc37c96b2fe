//! The built-in profiles: data files that anyone can read, copy and change.

use crate::Profile;
use crate::profile::{Error, parse};

/// A built-in profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    name: &'static str,
    source: &'static str,
}

macro_rules! presets {
    ($($name:literal),* $(,)?) => {
        &[$(Preset {
            name: $name,
            source: include_str!(concat!("../../presets/", $name, ".toml")),
        }),*]
    };
}

static PRESETS: &[Preset] = presets![
    "thinking",
    "filter",
    "canvas",
    "claude",
    "deepseek-r1",
    "gemma",
    "qwen3",
    "roo",
];

/// All presets.
#[must_use]
pub fn presets() -> &'static [Preset] {
    PRESETS
}

/// The preset with this name.
#[must_use]
pub fn preset(name: &str) -> Option<Preset> {
    PRESETS.iter().copied().find(|preset| preset.name == name)
}

impl Preset {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The text of its file, in TOML.
    #[must_use]
    pub fn source(&self) -> &'static str {
        self.source
    }

    /// What it is for: the comment that its file begins with.
    #[must_use]
    pub fn description(&self) -> &'static str {
        let first = self.source.lines().next().unwrap_or("");
        first.trim_start_matches('#').trim()
    }

    /// The profile. With what a caller says of calls over it, [`parse_with`](crate::profile::parse_with)
    /// gives it from the [source](Self::source).
    ///
    /// # Errors
    /// None that a released version has: every preset is read in a test. It is a `Result` all the
    /// same, so that a program cannot die of a data file.
    pub fn profile(&self) -> Result<Profile, Error> {
        parse(self.source)
    }
}
