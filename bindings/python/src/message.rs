//! Whole messages: parsed, aggregated from a provider's stream, stripped and filtered.

use crate::chunk::{Chunk, Half, LARGE_BYTES};
use crate::error;
use crate::event;
use crate::field::loads;
use crate::lock::Lock;
use crate::profile::{Profile, from_arguments};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use tagstream::message::MessageReader;
use tagstream::view::filter::{Piece, Pieces};
use tagstream::view::{FilterOptions, strip_inline_xml_tags, strip_profile};
use tagstream::wire::{Aggregate, Aggregator, Format, Session, WireEvent};
use tagstream::{Engine, Event, TextCleaner, Whitespace};

/// A Python message of its parts.
fn object<'py>(
    py: Python<'py>,
    (content, thoughts): (&str, &[String]),
    calls: impl Iterator<Item = PyResult<Bound<'py, PyAny>>>,
    notices: impl Iterator<Item = PyResult<Bound<'py, PyAny>>>,
    (choice, finish_reason, usage): (u64, Option<&str>, Option<Bound<'py, PyAny>>),
) -> PyResult<Bound<'py, PyAny>> {
    let class = py.import("tagstream._message")?.getattr("Message")?;
    class.call1((
        content,
        PyTuple::new(py, thoughts)?,
        PyTuple::new(py, calls.collect::<PyResult<Vec<_>>>()?)?,
        PyTuple::new(py, notices.collect::<PyResult<Vec<_>>>()?)?,
        choice,
        finish_reason,
        usage,
    ))
}

/// A whole message, parsed.
#[pyfunction]
#[pyo3(signature = (text, profile = None, **settings))]
pub(crate) fn parse<'py>(
    text: &Bound<'py, PyAny>,
    profile: Option<&Bound<'py, PyAny>>,
    settings: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = text.py();
    let profile = from_arguments(py, profile, settings)?;
    let policy = &profile.get().policy;
    let bytes = Half::read_whole(text)?;
    let message = py.detach(|| {
        let mut reader = MessageReader::new(policy);
        reader.read_bytes(&bytes);
        reader.into_message()
    });
    let calls = message.tool_calls.iter().enumerate();
    let calls =
        calls.map(|(index, call)| event::call(py, index, &call.id, &call.name, &call.arguments));
    let notices = message.notices.iter();
    let notices =
        notices.map(|notice| event::notice(py, notice.code, &notice.message, notice.call));
    let texts = (&*message.content, &*message.thoughts);
    object(py, texts, calls, notices, (0, None, None))
}

/// One choice of a provider's stream.
fn choice<'py>(py: Python<'py>, message: &Aggregate) -> PyResult<Bound<'py, PyAny>> {
    let calls = message.tool_calls.iter().enumerate();
    let calls = calls
        .map(|(index, call)| event::call(py, index, &call.id, &call.name, call.arguments.get()));
    let notices = message.notices.iter();
    let notices =
        notices.map(|notice| event::notice(py, notice.code, &notice.message, notice.call));
    let usage = message
        .usage
        .as_ref()
        .map(|usage| loads(py, serde_json::to_string(usage).unwrap_or_default()));
    let texts = (&*message.content, &*message.thoughts);
    let end = (
        message.choice,
        message.finish_reason.as_deref(),
        usage.transpose()?,
    );
    object(py, texts, calls, notices, end)
}

/// The messages of a provider's stream or body, one for each choice.
#[pyfunction]
#[pyo3(signature = (data, format = "auto", profile = None, **settings))]
pub(crate) fn aggregate<'py>(
    data: &Bound<'py, PyAny>,
    format: &str,
    profile: Option<&Bound<'py, PyAny>>,
    settings: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyList>> {
    let py = data.py();
    let (profile, format) = (
        from_arguments(py, profile, settings)?,
        read_format(py, format)?,
    );
    let bytes = Half::read_whole(data)?;
    let profile = &profile.get().profile;
    let messages = py.detach(|| {
        let mut aggregator = Aggregator::new();
        let mut take = |event: WireEvent<'_>| aggregator.event(&event);
        let mut session = Session::new(profile, format)?;
        session.push(&bytes, &mut take);
        session.finish(&mut take);
        Ok(aggregator.finish())
    });
    let messages = messages.map_err(|error| error::of_profile(py, &error))?;
    let list = PyList::empty(py);
    for message in &messages {
        list.append(choice(py, message)?)?;
    }
    Ok(list)
}

pub(crate) fn read_format(py: Python<'_>, name: &str) -> PyResult<Format> {
    name.parse().map_err(|error| {
        let message = format!("unknown format `{name}`; {error}");
        error::profile_error(py, &message, Some("format"), None)
    })
}

/// The text without its tags and their content.
#[pyfunction]
#[pyo3(signature = (text, *, whitespace = "preserve", profile = None, **settings))]
pub(crate) fn strip<'py>(
    text: &Bound<'py, PyAny>,
    whitespace: &str,
    profile: Option<&Bound<'py, PyAny>>,
    settings: Option<&Bound<'py, PyDict>>,
) -> PyResult<String> {
    let py = text.py();
    let names_a_profile = names_a_profile(profile, settings)?;
    let profile = from_arguments(py, profile, settings)?;
    let whitespace = match whitespace {
        "preserve" => Whitespace::Preserve,
        "collapse" => Whitespace::Collapse,
        "split" => Whitespace::Split,
        "as-is" => Whitespace::AsIs,
        _ => {
            let allowed = "allowed: preserve, collapse, split, as-is";
            return Err(PyValueError::new_err(format!(
                "whitespace: unknown value `{whitespace}`; {allowed}"
            )));
        }
    };
    let bytes = Half::read_whole(text)?;
    let text = String::from_utf8_lossy(&bytes);
    if whitespace == Whitespace::Collapse {
        if names_a_profile {
            return Err(PyTypeError::new_err(
                "whitespace=\"collapse\" removes the same tags whatever the profile is: give no profile, preset or model",
            ));
        }
        return Ok(py.detach(|| strip_inline_xml_tags(&text)));
    }
    let policy = strip_profile(&profile.get().profile).compile();
    let policy = policy.map_err(|error| error::of_profile(py, &error))?;
    Ok(py.detach(|| {
        let (mut cleaner, mut left) = (TextCleaner::new(whitespace), String::new());
        let mut engine = Engine::new(&policy);
        let mut take = |event: Event<'_>| cleaner.event(&event, |piece| left.push_str(piece));
        engine.push(&text, &mut take);
        engine.finish(&mut take);
        cleaner.finish(|piece| left.push_str(piece));
        left
    }))
}

fn names_a_profile(
    profile: Option<&Bound<'_, PyAny>>,
    settings: Option<&Bound<'_, PyDict>>,
) -> PyResult<bool> {
    let given = |name: &str| settings.map_or(Ok(None), |settings| settings.get_item(name));
    let given = [profile.cloned(), given("preset")?, given("model")?];
    Ok(given.iter().flatten().any(|value| !value.is_none()))
}

/// The text that a user should see, live.
#[pyclass(frozen, module = "tagstream")]
pub(crate) struct Filter(Lock<FilterState>);

struct FilterState {
    engine: Option<Engine>,
    pieces: Pieces,
    half: Half,
}

#[pymethods]
impl Filter {
    #[new]
    #[pyo3(signature = (profile = None, *, show_thinking = false, show = Vec::new(), hide = Vec::new(), **settings))]
    fn new(
        py: Python<'_>,
        profile: Option<&Bound<'_, PyAny>>,
        show_thinking: bool,
        show: Vec<String>,
        hide: Vec<String>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let settings = settings.map_or_else(|| Ok(PyDict::new(py)), |settings| settings.copy())?;
        if !names_a_profile(profile, Some(&settings))? {
            settings.set_item("preset", "filter")?;
        }
        let profile = from_arguments(py, profile, Some(&settings))?;
        let Profile {
            profile, filter, ..
        } = profile.get();
        let mut options = FilterOptions::new(profile.clone()).rules(filter.iter().cloned());
        if show_thinking {
            options = options.show_thinking();
        }
        options = show.into_iter().fold(options, FilterOptions::show);
        options = hide.into_iter().fold(options, FilterOptions::hide);
        let policy = options.profile().compile();
        let policy = policy.map_err(|error| error::of_profile(py, &error))?;
        Ok(Filter(Lock::new(FilterState {
            engine: Some(Engine::new(&policy)),
            pieces: Pieces::new(&options),
            half: Half::default(),
        })))
    }

    /// Reads the next chunk and returns the text that it made visible.
    fn push(&self, chunk: &Bound<'_, PyAny>) -> PyResult<String> {
        let py = chunk.py();
        let mut state = self.0.lock(py)?;
        if state.engine.is_none() {
            return Err(PyValueError::new_err("the message is finished"));
        }
        let read = state.half.read(chunk)?;
        if read.bytes().len() >= LARGE_BYTES {
            let state = &mut *state;
            return Ok(py.detach(|| state.push(&read)));
        }
        Ok(state.push(&read))
    }

    /// Ends the message and returns the rest of the visible text.
    fn finish(&self, py: Python<'_>) -> PyResult<String> {
        let mut state = self.0.lock(py)?;
        let half = state.half.finish();
        let mut visible = state.push(&Chunk::Bytes(half.into()));
        let engine = state.engine.take();
        let engine = engine.ok_or_else(|| PyValueError::new_err("the message is finished"))?;
        engine.finish(|event| {
            let mut show = |piece: Piece<'_>| visible.push_str(piece.visible());
            state.pieces.event(&event, &mut show);
        });
        Ok(visible)
    }
}

impl FilterState {
    /// The text that a chunk makes visible.
    fn push(&mut self, chunk: &Chunk<'_>) -> String {
        let mut visible = String::new();
        let take = |event: Event<'_>| {
            let mut show = |piece: Piece<'_>| visible.push_str(piece.visible());
            self.pieces.event(&event, &mut show);
        };
        if let Some(engine) = &mut self.engine {
            crate::parser::push(engine, chunk, take);
        }
        visible
    }
}
