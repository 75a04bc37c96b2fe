//! The built-in profiles: data files that anyone can read, copy and change.

use crate::Profile;
use crate::profile::parse;
use tagstream_core::names::listed;

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

/// The built-in profile with this name.
///
/// ```
/// let policy = tagstream::preset("qwen3")?.compile()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// There is no such preset; [`presets`] lists them.
pub fn preset(name: &str) -> Result<Profile, UnknownPreset> {
    match Preset::find(name) {
        Some(preset) => Ok(preset.profile()),
        None => Err(UnknownPreset {
            name: name.to_owned(),
        }),
    }
}

/// All presets.
#[must_use]
pub fn presets() -> &'static [Preset] {
    PRESETS
}

/// No preset has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown preset `{name}`; allowed: {}", listed(PRESETS.iter().map(Preset::name)))]
pub struct UnknownPreset {
    name: String,
}

impl UnknownPreset {
    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Preset {
    /// The preset with this name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        PRESETS.iter().copied().find(|preset| preset.name == name)
    }

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

    /// Its purpose: the comment that its file begins with.
    #[must_use]
    pub fn description(&self) -> &'static str {
        let first = self.source.lines().next().unwrap_or("");
        first.trim_start_matches('#').trim()
    }

    /// The profile. To override its calls, pass its [source](Self::source) to
    /// [`parse_with`](crate::profile::parse_with).
    ///
    /// # Panics
    /// If the built-in file is not a profile. A test reads them all.
    #[must_use]
    pub fn profile(&self) -> Profile {
        parse(self.source).unwrap_or_else(|error| panic!("the preset `{}`: {error}", self.name))
    }
}
