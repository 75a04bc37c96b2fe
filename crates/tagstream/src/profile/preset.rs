//! The built-in profiles: data files that anyone can read, copy and change.

use crate::Profile;
use crate::profile::{model, parse};
use serde::Deserialize;
use std::sync::OnceLock;
use tagstream_core::names::{did_you_mean, listed};

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
    "inline",
    "roo",
    "apertus",
    "claude",
    "command-a",
    "command-r",
    "deepseek-r1",
    "deepseek-v3",
    "deepseek-v3.1",
    "deepseek-v4",
    "dots",
    "ernie",
    "exaone",
    "function-gemma",
    "functionary",
    "gemma",
    "gemma-3",
    "gigachat",
    "glm",
    "gpt-oss",
    "granite",
    "granite-4",
    "hunyuan",
    "hy-4",
    "inkling",
    "internlm",
    "jamba",
    "kimi-k2",
    "kimi-k3",
    "laguna",
    "lfm2",
    "llama",
    "llama-4",
    "longcat",
    "magistral",
    "mimo",
    "minicpm-5",
    "minimax-m1",
    "minimax-m2",
    "minimax-m3",
    "mistral",
    "muse",
    "nemotron",
    "nemotron-3",
    "olmo-3",
    "phi-4",
    "qwen3",
    "qwen3-coder",
    "qwen3-thinking",
    "sarashina",
    "seed-oss",
    "solar",
    "step-3",
    "step-3.5",
    "xlam",
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
#[error(
    "unknown preset `{name}`{}; allowed: {}",
    did_you_mean(name, PRESETS.iter().map(Preset::name)),
    listed(PRESETS.iter().map(Preset::name))
)]
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

/// No preset fits a model with this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no preset fits the model `{model}`{}; name a preset, or read thinking alone with `thinking`. \
     The presets are {}",
    did_you_mean_model(model),
    listed(PRESETS.iter().map(Preset::name))
)]
pub struct UnknownModel {
    model: String,
}

impl UnknownModel {
    /// The name of the model.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }
}

/// A model with a name that is similar to the last part of this one.
fn did_you_mean_model(model: &str) -> String {
    let name = model.rsplit('/').next().unwrap_or(model);
    let patterns = PRESETS.iter().flat_map(Preset::models);
    did_you_mean(name, patterns.map(String::as_str))
}

/// The key of a preset's file that the profile itself does not have.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Models {
    models: Vec<String>,
}

impl Preset {
    /// The preset for a model: of all whose patterns are in its name, the one with the longest.
    ///
    /// ```
    /// use tagstream::profile::Preset;
    ///
    /// let preset = Preset::for_model("Qwen/Qwen3-Coder-30B-A3B")?;
    /// assert_eq!(preset.name(), "qwen3-coder");
    /// let policy = preset.profile().compile()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// No preset has a pattern for it.
    pub fn for_model(model: &str) -> Result<Self, UnknownModel> {
        let fits = |preset: &Preset| {
            let patterns = preset.models().iter();
            patterns
                .filter_map(|pattern| model::fit(pattern, model))
                .max()
        };
        let fitting = PRESETS
            .iter()
            .filter_map(|preset| Some((fits(preset)?, preset)));
        // Of two that fit equally well the first counts.
        let best = fitting.rev().max_by_key(|(fit, _)| *fit);
        best.map(|(_, preset)| *preset).ok_or_else(|| UnknownModel {
            model: model.to_owned(),
        })
    }

    /// The models that it fits: patterns for their names, in lower case, where `*` stands for anything.
    /// Empty if it is not made for a model.
    #[must_use]
    pub fn models(&self) -> &'static [String] {
        static MODELS: OnceLock<Vec<Vec<String>>> = OnceLock::new();
        let all = MODELS.get_or_init(|| PRESETS.iter().map(Preset::read_models).collect());
        let index = PRESETS.iter().position(|preset| preset.name == self.name);
        index.map_or(&[], |index| &all[index])
    }

    fn read_models(&self) -> Vec<String> {
        let read = toml::from_str(self.source);
        let Models { models } =
            read.unwrap_or_else(|error| panic!("the preset `{}`: {error}", self.name));
        models
    }

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
