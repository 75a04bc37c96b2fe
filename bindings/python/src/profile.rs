//! Profiles: what markup counts, from a preset, a file, a text or a `dict`.

use crate::error;
use crate::field::json_text;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping, PyString, PyTuple};
use std::path::PathBuf;
use tagstream::calls::DialectChoice;
use tagstream::profile::{
    CallOptions, LoadError, Loaded, Preset, UnknownPreset, load_with, parse_with, preset,
};
use tagstream::view::filter::FilterRule;
use tagstream::{FileError, Policy, Tools};

/// What markup counts. It is compiled once and can be shared by any number of parsers.
#[pyclass(frozen, module = "tagstream")]
pub(crate) struct Profile {
    pub(crate) profile: tagstream::Profile,
    pub(crate) policy: Policy,
    pub(crate) filter: Vec<FilterRule>,
    pub(crate) sets_orphan_close: bool,
    settings: Settings,
}

/// What a profile was made from: it is made again for each set of tools, and from a pickle.
#[derive(Clone)]
struct Settings {
    source: Source,
    choice: Option<DialectChoice>,
    tools: Option<Declared>,
    starts_open: Option<bool>,
    has_no_calls: bool,
}

/// The declared tools, and the JSON that they were read from.
#[derive(Clone)]
struct Declared {
    json: String,
    tools: Tools,
}

/// Where a profile comes from.
#[derive(Clone)]
enum Source {
    Preset(String),
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
            settings.tools = Some(Declared::read(py, json_text(tools)?)?);
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

    /// Whether a message begins in a thought that the prompt has opened.
    #[getter]
    fn starts_open(&self) -> bool {
        self.profile.thinking.starts_open
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        self.settings.repr(py)
    }

    /// Profiles are equal if they are made from the same.
    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let Ok(other) = other.cast::<Self>() else {
            return Ok(py.NotImplemented());
        };
        let is_equal = self.settings.key(py)?.eq(other.get().settings.key(py)?)?;
        Ok(is_equal.into_pyobject(py)?.to_owned().into_any().unbind())
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        self.settings.key(py)?.hash()
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restore = py.import("tagstream._tagstream")?.getattr("_restore")?;
        Ok((restore, self.settings.key(py)?))
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
            .tools(settings.tools.clone().map(|declared| declared.tools));
        let invalid = |error: FileError| settings.invalid(py, &error);
        let loaded: Loaded = match &settings.source {
            Source::Preset(name) => {
                let source = Preset::find(name).map_or("", |preset| preset.source());
                parse_with(source, &options).map_err(invalid)?
            }
            Source::Text(text) | Source::Dict(text) => {
                parse_with(text, &options).map_err(invalid)?
            }
            Source::File(path) => {
                load_with(path, &options).map_err(|error| settings.not_loaded(py, &error))?
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
        let declared = json.and_then(|json| Some((json.to_owned(), Tools::parse(json).ok()?)));
        let Some((json, tools)) = declared.filter(|(_, tools)| !tools.is_empty()) else {
            return self.without_calls(py);
        };
        let mut settings = self.settings.clone();
        settings.tools = Some(Declared { json, tools });
        settings.has_no_calls = false;
        Self::load(py, settings)
    }
}

impl Settings {
    /// All of them, as values that can be compared, hashed and pickled.
    fn key<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let (kind, source) = self.source.parts(py)?;
        let dialect = match &self.choice {
            Some(DialectChoice::One(name)) => Some(PyString::new(py, name).into_any()),
            Some(DialectChoice::List(names)) => Some(PyTuple::new(py, names)?.into_any()),
            _ => None,
        };
        let tools = self.tools.as_ref().map(|declared| &declared.json);
        let (starts_open, has_no_calls) = (self.starts_open, self.has_no_calls);
        (kind, source, dialect, tools, starts_open, has_no_calls).into_pyobject(py)
    }

    fn repr(&self, py: Python<'_>) -> PyResult<String> {
        let mut text = match &self.source {
            Source::Dict(json) => format!("Profile({json}"),
            Source::Preset(name) => format!("Profile(preset={}", quoted(py, name)?),
            source => format!("Profile({}", source.parts(py)?.1.repr()?),
        };
        match &self.choice {
            Some(DialectChoice::One(name)) => text += &format!(", dialect={}", quoted(py, name)?),
            Some(DialectChoice::List(names)) => text += &format!(", dialect={names:?}"),
            _ => {}
        }
        if let Some(declared) = &self.tools {
            text += &format!(", tools=<{}>", declared.tools.iter().count());
        }
        if let Some(starts_open) = self.starts_open {
            text += if starts_open {
                ", starts_open=True"
            } else {
                ", starts_open=False"
            };
        }
        let calls = if self.has_no_calls {
            ".without_calls()"
        } else {
            ""
        };
        Ok(format!("{text}){calls}"))
    }

    /// An error, in terms of what the caller has passed.
    fn invalid(&self, py: Python<'_>, error: &FileError) -> PyErr {
        match (&self.source, self.key_of_choice(error)) {
            (Source::Text(_) | Source::File(_), None) => error::of_file(py, error),
            (_, key) => error::without_line(py, error, key),
        }
    }

    fn not_loaded(&self, py: Python<'_>, error: &LoadError) -> PyErr {
        match error {
            LoadError::Invalid { source, .. } if self.key_of_choice(source).is_some() => {
                self.invalid(py, source)
            }
            error => error::of_load(py, error),
        }
    }

    /// The key, if the error is about the argument `dialect`, which overrides that of the profile.
    fn key_of_choice<'e>(&self, error: &'e FileError) -> Option<&'e str> {
        let key = error.key()?.strip_prefix("calls.")?;
        let is_own = key.split('[').next() == Some("dialect");
        (self.choice.is_some() && is_own).then_some(key)
    }
}

impl Source {
    /// Its kind, by which [`restore`] knows it, and its value.
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<(&'static str, Bound<'py, PyAny>)> {
        let text = |text: &String| PyString::new(py, text).into_any();
        Ok(match self {
            Source::Preset(name) => ("preset", text(name)),
            Source::Text(source) => ("text", text(source)),
            Source::File(path) => ("file", path.into_pyobject(py)?.into_any()),
            Source::Dict(json) => ("dict", text(json)),
        })
    }
}

impl Declared {
    fn read(py: Python<'_>, json: String) -> PyResult<Self> {
        let tools = Tools::parse(&json).map_err(|error| error::of_tools(py, &error))?;
        Ok(Declared { json, tools })
    }
}

fn quoted(py: Python<'_>, text: &str) -> PyResult<String> {
    PyString::new(py, text).repr()?.extract()
}

/// The profile of a pickle.
#[pyfunction(name = "_restore")]
pub(crate) fn restore(
    py: Python<'_>,
    kind: &str,
    source: &Bound<'_, PyAny>,
    dialect: Option<&Bound<'_, PyAny>>,
    tools: Option<String>,
    starts_open: Option<bool>,
    has_no_calls: bool,
) -> PyResult<Profile> {
    let source = match kind {
        "preset" => Source::Preset(source.extract()?),
        "text" => Source::Text(source.extract()?),
        "file" => Source::File(source.extract()?),
        _ => Source::Dict(source.extract()?),
    };
    let settings = Settings {
        source,
        choice: dialect.map(choice).transpose()?,
        tools: tools.map(|json| Declared::read(py, json)).transpose()?,
        starts_open,
        has_no_calls,
    };
    Profile::load(py, settings)
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
        return Ok(Source::Preset(found.name().to_owned()));
    }
    let Some(profile) = profile else {
        let name = name.unwrap_or("thinking");
        let unknown = |error: UnknownPreset| error::profile_error(py, &error, Some("preset"), None);
        preset(name).map_err(unknown)?;
        return Ok(Source::Preset(name.to_owned()));
    };
    if profile.cast::<PyMapping>().is_ok() {
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
