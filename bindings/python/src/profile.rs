//! Profiles: what markup counts, from a preset, a file, a text or a `dict`.

use crate::error;
use crate::field::json_text;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::path::PathBuf;
use tagstream::calls::DialectChoice;
use tagstream::profile::{
    CallOptions, Loaded, Preset, UnknownPreset, load_with, parse_with, preset,
};
use tagstream::view::filter::FilterRule;
use tagstream::{Policy, Tools};

/// What markup counts. It is compiled once and can be shared by any number of parsers.
#[pyclass(frozen, module = "tagstream")]
pub(crate) struct Profile {
    pub(crate) profile: tagstream::Profile,
    pub(crate) policy: Policy,
    pub(crate) filter: Vec<FilterRule>,
    pub(crate) sets_orphan_close: bool,
    settings: Settings,
}

/// What a profile was made from: it is made again for each set of tools.
#[derive(Clone)]
struct Settings {
    source: Source,
    choice: Option<DialectChoice>,
    tools: Option<Tools>,
    starts_open: Option<bool>,
    has_no_calls: bool,
}

/// Where a profile comes from.
#[derive(Clone)]
enum Source {
    Text(String),
    File(PathBuf),
    /// A text that was not written by a person, so that its lines mean nothing.
    Dict(String),
}

#[pymethods]
impl Profile {
    #[new]
    #[pyo3(signature = (profile = None, *, preset = None, model = None, dialect = None, tools = None,
                        starts_open = None))]
    fn new(
        py: Python<'_>,
        profile: Option<&Bound<'_, PyAny>>,
        preset: Option<&str>,
        model: Option<&str>,
        dialect: Option<&Bound<'_, PyAny>>,
        tools: Option<&Bound<'_, PyAny>>,
        starts_open: Option<bool>,
    ) -> PyResult<Self> {
        let mut settings = settings(py, profile, preset, model)?;
        if let Some(dialect) = dialect {
            settings.choice = Some(choice(dialect)?);
        }
        if let Some(tools) = tools {
            settings.tools = Some(read_tools(py, tools)?);
            settings.has_no_calls = false;
        }
        settings.starts_open = starts_open.or(settings.starts_open);
        Self::load(py, settings)
    }

    /// This profile without tool calls: their markup is text.
    fn without_calls(&self, py: Python<'_>) -> PyResult<Self> {
        let mut settings = self.settings.clone();
        settings.has_no_calls = true;
        Self::load(py, settings)
    }

    /// What opens and what closes a thought.
    #[getter]
    fn thinking_markers(&self) -> Vec<(String, String)> {
        let thinking = &self.profile.thinking;
        let tags = thinking.tags.iter();
        let tags = tags.map(|tag| (format!("<{tag}>"), format!("</{tag}>")));
        let literals = thinking.delimiters.iter();
        let literals = literals.map(|[opener, closer]| (opener.clone(), closer.clone()));
        tags.chain(literals).collect()
    }
}

impl Profile {
    fn load(py: Python<'_>, settings: Settings) -> PyResult<Self> {
        let options = CallOptions::new()
            .dialect(settings.choice.clone())
            .tools(settings.tools.clone());
        let loaded: Loaded = match &settings.source {
            Source::Text(text) => {
                parse_with(text, &options).map_err(|error| error::of_file(py, &error))?
            }
            Source::Dict(text) => {
                parse_with(text, &options).map_err(|error| error::of_dict(py, &error))?
            }
            Source::File(path) => {
                load_with(path, &options).map_err(|error| error::of_load(py, &error))?
            }
        };
        let mut profile = loaded.profile;
        if let Some(starts_open) = settings.starts_open {
            profile.thinking.starts_open = starts_open;
        }
        if settings.has_no_calls {
            profile.calls = None;
        }
        let policy = profile.compile();
        Ok(Profile {
            policy: policy.map_err(|error| error::of_profile(py, &error))?,
            profile,
            filter: loaded.filter,
            sets_orphan_close: loaded.sets_orphan_close,
            settings,
        })
    }

    /// This profile for an answer to a request that declares these tools, in JSON: without calls if
    /// there are none, or if they cannot be understood.
    pub(crate) fn for_tools(&self, py: Python<'_>, json: Option<&str>) -> PyResult<Self> {
        let tools = json.and_then(|json| Tools::parse(json).ok());
        let Some(tools) = tools.filter(|tools| !tools.is_empty()) else {
            return self.without_calls(py);
        };
        let mut settings = self.settings.clone();
        settings.tools = Some(tools);
        settings.has_no_calls = false;
        Self::load(py, settings)
    }
}

/// A profile from the arguments that all functions have in common.
pub(crate) fn from_arguments<'py>(
    py: Python<'py>,
    profile: Option<&Bound<'py, PyAny>>,
    settings: Option<&Bound<'py, PyDict>>,
) -> PyResult<Py<Profile>> {
    if settings.is_none_or(|settings| settings.is_empty())
        && let Some(profile) = profile
        && let Ok(made) = profile.cast::<Profile>()
    {
        return Ok(made.clone().unbind());
    }
    let made = py.get_type::<Profile>().call((profile,), settings)?;
    Ok(made.cast_into::<Profile>()?.unbind())
}

/// The settings of a profile that was made already, or new ones.
fn settings(
    py: Python<'_>,
    profile: Option<&Bound<'_, PyAny>>,
    name: Option<&str>,
    model: Option<&str>,
) -> PyResult<Settings> {
    if [profile.is_some(), name.is_some(), model.is_some()]
        .iter()
        .filter(|given| **given)
        .count()
        > 1
    {
        return Err(PyTypeError::new_err(
            "give only one of profile, preset and model",
        ));
    }
    if let Some(made) = profile.and_then(|profile| profile.cast::<Profile>().ok()) {
        return Ok(made.get().settings.clone());
    }
    Ok(Settings {
        source: source(py, profile, name, model)?,
        choice: None,
        tools: None,
        starts_open: None,
        has_no_calls: false,
    })
}

fn source(
    py: Python<'_>,
    profile: Option<&Bound<'_, PyAny>>,
    name: Option<&str>,
    model: Option<&str>,
) -> PyResult<Source> {
    if let Some(model) = model {
        let found = Preset::for_model(model);
        let found = found.map_err(|error| error::profile_error(py, &error, Some("model"), None))?;
        return Ok(Source::Text(found.source().to_owned()));
    }
    let Some(profile) = profile else {
        let name = name.unwrap_or("thinking");
        let unknown = |error: UnknownPreset| error::profile_error(py, &error, Some("preset"), None);
        preset(name).map_err(unknown)?;
        let source = Preset::find(name).map_or("", |preset| preset.source());
        return Ok(Source::Text(source.to_owned()));
    };
    if profile.is_instance_of::<PyDict>() {
        return Ok(Source::Dict(json_text(profile)?));
    }
    if profile.is_instance_of::<PyString>() {
        let text: String = profile.extract()?;
        let is_file = !text.contains('\n') && (text.ends_with(".toml") || text.ends_with(".json"));
        return Ok(if is_file {
            Source::File(text.into())
        } else {
            Source::Text(text)
        });
    }
    let path = profile.extract::<PathBuf>();
    path.map(Source::File).map_err(|_| {
        PyTypeError::new_err(
            "a profile is a path, a str with TOML or JSON, a dict or a tagstream.Profile",
        )
    })
}

fn choice(dialect: &Bound<'_, PyAny>) -> PyResult<DialectChoice> {
    match dialect.extract::<String>() {
        Ok(name) => Ok(DialectChoice::One(name)),
        Err(_) => Ok(DialectChoice::List(dialect.extract()?)),
    }
}

fn read_tools(py: Python<'_>, tools: &Bound<'_, PyAny>) -> PyResult<Tools> {
    Tools::parse(&json_text(tools)?).map_err(|error| error::of_tools(py, &error))
}
