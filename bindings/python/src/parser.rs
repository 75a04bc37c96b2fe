//! The parser: chunks in, events out.

use crate::chunk::{Chunk, Half, LARGE_BYTES};
use crate::event::{self, Whole};
use crate::field::Extent;
use crate::lock::Lock;
use crate::profile::{Profile, from_arguments};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use tagstream::{Engine, Event, EventKind, OwnedEvent};

/// Reads one message.
#[pyclass(frozen, module = "tagstream")]
pub(crate) struct Parser {
    state: Lock<State>,
    #[pyo3(get)]
    profile: Py<Profile>,
}

struct State {
    /// None once the message is finished.
    engine: Option<Engine>,
    half: Half,
    /// The calls that have begun and not ended.
    calls: Vec<Growing>,
}

/// A call that has begun, as far as it has come.
struct Growing {
    index: u64,
    id: String,
    name: String,
    /// By their names; JSON has none.
    arguments: Vec<(Option<String>, String)>,
}

#[pymethods]
impl Parser {
    #[new]
    #[pyo3(signature = (profile = None, **settings))]
    fn new(
        py: Python<'_>,
        profile: Option<&Bound<'_, PyAny>>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let profile = from_arguments(py, profile, settings)?;
        let engine = Some(Engine::new(&profile.get().policy));
        let (half, calls) = (Half::default(), Vec::new());
        let state = Lock::new(State {
            engine,
            half,
            calls,
        });
        Ok(Parser { state, profile })
    }

    /// Reads the next chunk and returns everything that is certain now.
    fn push<'py>(&self, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let py = chunk.py();
        let mut state = self.state.lock(py)?;
        let State {
            engine,
            half,
            calls,
        } = &mut *state;
        let engine = engine.as_mut().ok_or_else(finished)?;
        let read = half.read(chunk)?;
        if read.bytes().len() >= LARGE_BYTES {
            let events = py.detach(|| {
                let mut events = Vec::new();
                push(engine, &read, |event| events.push(event.to_owned()));
                events
            });
            return list(py, events, calls);
        }
        let whole = match (&read, chunk.cast::<PyString>()) {
            (Chunk::Text(text), Ok(object)) => Whole(Some((text, object))),
            _ => Whole(None),
        };
        let mut events = Events::new(py, calls, whole);
        push(engine, &read, |event| events.take(&event));
        events.finish()
    }

    /// Ends the message and returns the rest.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let mut state = self.state.lock(py)?;
        let mut engine = state.engine.take().ok_or_else(finished)?;
        let half = state.half.finish();
        let mut calls = std::mem::take(&mut state.calls);
        let events = py.detach(|| {
            let mut events = Vec::new();
            engine.push_bytes(half, |event| events.push(event.to_owned()));
            engine.finish(|event| events.push(event.to_owned()));
            events
        });
        list(py, events, &mut calls)
    }

    /// The elements that are open now, outermost first, each as far as it has come.
    #[getter]
    fn open_elements<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let state = self.state.lock(py)?;
        let list = PyList::empty(py);
        for view in state.engine.iter().flat_map(Engine::open_elements) {
            list.append(event::element(py, &view, Extent::NONE)?)?;
        }
        Ok(list)
    }

    /// The tool calls that have begun and not ended, each as far as it has come.
    #[getter]
    fn open_calls<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let state = self.state.lock(py)?;
        let list = PyList::empty(py);
        let class = py.import("tagstream._message")?.getattr("OpenCall")?;
        for call in &state.calls {
            let (arguments, mut json) = (PyDict::new(py), None);
            for (name, text) in &call.arguments {
                match name {
                    Some(name) => arguments.set_item(name, text)?,
                    None => json = Some(text),
                }
            }
            list.append(class.call1((call.index, &call.id, &call.name, arguments, json))?)?;
        }
        Ok(list)
    }

    /// The end of the message so far that is not certain yet.
    #[getter]
    fn held(&self, py: Python<'_>) -> PyResult<String> {
        let state = self.state.lock(py)?;
        let engine = state.engine.as_ref();
        Ok(engine.map_or(String::new(), |engine| engine.held().to_owned()))
    }

    /// Whether `finish` was called.
    #[getter]
    fn is_finished(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.state.lock(py)?.engine.is_none())
    }
}

fn finished() -> PyErr {
    PyValueError::new_err("the message is finished; make a new parser for the next one")
}

#[inline]
pub(crate) fn push(engine: &mut Engine, chunk: &Chunk<'_>, sink: impl FnMut(Event<'_>)) {
    match chunk {
        Chunk::Text(text) => engine.push(text, sink),
        Chunk::Bytes(bytes) => engine.push_bytes(bytes, sink),
    }
}

/// Collects events as Python objects.
struct Events<'a, 'py> {
    py: Python<'py>,
    calls: &'a mut Vec<Growing>,
    whole: Whole<'a, 'py>,
    /// Most chunks have one event: its list is made with its final size.
    first: Option<Bound<'py, PyAny>>,
    others: Vec<Bound<'py, PyAny>>,
    error: Option<PyErr>,
}

impl<'a, 'py> Events<'a, 'py> {
    fn new(py: Python<'py>, calls: &'a mut Vec<Growing>, whole: Whole<'a, 'py>) -> Self {
        Events {
            py,
            calls,
            whole,
            first: None,
            others: Vec::new(),
            error: None,
        }
    }

    #[inline]
    fn take(&mut self, event: &Event<'_>) {
        follow(self.calls, &event.kind);
        match event::object(self.py, event.kind, Some(event.span), self.whole) {
            Ok(object) if self.first.is_none() => self.first = Some(object),
            Ok(object) => self.others.push(object),
            Err(error) => self.error = Some(error),
        }
    }

    fn finish(self) -> PyResult<Bound<'py, PyList>> {
        match (self.error, self.first) {
            (Some(error), _) => Err(error),
            (None, None) => Ok(PyList::empty(self.py)),
            (None, Some(first)) if self.others.is_empty() => PyList::new(self.py, [first]),
            (None, Some(first)) => PyList::new(self.py, [vec![first], self.others].concat()),
        }
    }
}

/// The same for events that were read while others ran.
fn list<'py>(
    py: Python<'py>,
    events: Vec<OwnedEvent>,
    calls: &mut Vec<Growing>,
) -> PyResult<Bound<'py, PyList>> {
    let mut objects = Events::new(py, calls, Whole(None));
    for event in events {
        objects.take(&event.as_event());
    }
    objects.finish()
}

/// Keeps what is known of calls that have begun.
#[inline]
fn follow(calls: &mut Vec<Growing>, kind: &EventKind<'_>) {
    match *kind {
        EventKind::CallStart {
            index, id, name, ..
        } => calls.push(Growing {
            index,
            id: id.to_owned(),
            name: name.to_owned(),
            arguments: Vec::new(),
        }),
        EventKind::CallDelta {
            index,
            argument,
            text,
            ..
        } => {
            if let Some(call) = calls.iter_mut().find(|call| call.index == index) {
                call.add(argument, text);
            }
        }
        EventKind::CallEnd { index, .. } | EventKind::CallError { index, .. } => {
            calls.retain(|call| call.index != index);
        }
        _ => {}
    }
}

impl Growing {
    fn add(&mut self, argument: Option<&str>, text: &str) {
        match self
            .arguments
            .last_mut()
            .filter(|(name, _)| name.as_deref() == argument)
        {
            Some((_, known)) => known.push_str(text),
            None => self
                .arguments
                .push((argument.map(str::to_owned), text.to_owned())),
        }
    }
}
