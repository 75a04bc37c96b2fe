//! The built-in profiles: data files that anyone can read, copy and change.

use crate::Profile;
use crate::file::Source;
use crate::profile::{model, parse};
use serde::Deserialize;
use std::sync::{LazyLock, OnceLock};
use tagstream_core::names::{did_you_mean, listed};

/// A built-in profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    name: &'static str,
    source: &'static str,
}

/// The files, by name. The build script lists them.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/presets.rs"));

static PRESETS: LazyLock<Vec<Preset>> = LazyLock::new(|| {
    let of_file = |&(name, source): &(&'static str, &'static str)| Preset { name, source };
    let mut presets: Vec<_> = FILES.iter().map(of_file).collect();
    // Those that are not made for a model come first, the most general of them at the top.
    presets.sort_by_key(|preset| (!preset.read_models().is_empty(), preset.name != "thinking"));
    presets
});

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
    &PRESETS
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
     A model needs none if its provider reports thinking and calls separately, as those of hosted \
     models do. The presets are {}",
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

/// A model whose name is similar to the beginning of the last part of this one: what follows is a size or
/// a variant, as in `gtp-oss-20b`.
fn did_you_mean_model(model: &str) -> String {
    let mut name = model.rsplit('/').next().unwrap_or(model);
    loop {
        let patterns = PRESETS.iter().flat_map(Preset::models).map(String::as_str);
        let meant = did_you_mean(name, patterns.filter(|pattern| !pattern.contains('*')));
        match name.rfind(['-', '_', ':', '.', ' ']) {
            Some(end) if meant.is_empty() => name = &name[..end],
            _ => return meant,
        }
    }
}

/// `Profile::for_model`: the profile for a model, by its name.
///
/// [`Profile`] comes from the crate of the engine, which does not have the presets. So this is a trait.
pub trait ForModel: Sized {
    /// The profile for a model, and the preset that it was taken from: of all whose patterns are in
    /// the name, the one with the longest.
    ///
    /// ```
    /// use tagstream::{ForModel, Profile};
    ///
    /// let (profile, preset) = Profile::for_model("Qwen/Qwen3-Coder-30B-A3B")?;
    /// assert_eq!(preset.name(), "qwen3-coder");
    /// let policy = profile.compile()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// No preset has a pattern for it.
    fn for_model(model: &str) -> Result<(Self, Preset), UnknownModel>;
}

impl ForModel for Profile {
    fn for_model(model: &str) -> Result<(Self, Preset), UnknownModel> {
        let preset = Preset::for_model(model)?;
        Ok((preset.profile(), preset))
    }
}

/// The key of a preset's file that the profile itself does not have.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Models {
    models: Vec<String>,
}

impl Preset {
    /// The preset for a model: of all whose patterns are in its name, the one with the longest. What comes
    /// before a slash, mostly its owner, counts only if nothing fits the rest.
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
        let own_name = model.rsplit('/').next().unwrap_or(model);
        let best = Self::for_name(own_name).or_else(|| Self::for_name(model));
        best.ok_or_else(|| UnknownModel {
            model: model.to_owned(),
        })
    }

    fn for_name(name: &str) -> Option<Self> {
        let fits = |preset: &Preset| {
            let patterns = preset.models().iter();
            patterns
                .filter_map(|pattern| model::fit(pattern, name))
                .max()
        };
        let fitting = PRESETS
            .iter()
            .filter_map(|preset| Some((fits(preset)?, preset)));
        // Of two that fit equally well the first counts.
        let best = fitting.rev().max_by_key(|(fit, _)| *fit);
        best.map(|(_, preset)| *preset)
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
        let read = Source::new(self.source).read();
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
