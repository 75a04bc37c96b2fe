//! Provider streams: bytes to events, and bytes to corrected bytes.

use crate::chunk::{Half, LARGE_BYTES};
use crate::error;
use crate::event::{self, Whole};
use crate::lock::Lock;
use crate::message::read_format;
use crate::profile::{Profile, from_arguments};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use std::sync::Arc;
use tagstream::wire::rewrite::{self, CallMode, OrphanClose, Refused, Thinking};
use tagstream::wire::{Endpoint, Format, Notice, Request, WireEvent, WireKind};
use tagstream::{OwnedEventKind, Span};

/// How many sets of tools a plan remembers.
const MAX_PLANS: usize = 16;

/// Rewrites one stream: thinking and calls that are in the text go to the format's own fields.
#[pyclass(frozen, module = "tagstream")]
pub(crate) struct Rewriter(Lock<State>);

struct State {
    rewriter: Option<rewrite::Rewriter>,
    half: Half,
    notices: Vec<Notice>,
}

#[pymethods]
impl Rewriter {
    #[new]
    #[pyo3(signature = (format = "auto", profile = None, *, thinking = "move", refused = "show", calls = "whole",
                        reasoning_field = None, **settings))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        format: &str,
        profile: Option<&Bound<'_, PyAny>>,
        thinking: &str,
        refused: &str,
        calls: &str,
        reasoning_field: Option<String>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let (profile, format) = (
            from_arguments(py, profile, settings)?,
            read_format(py, format)?,
        );
        let options = options(profile.get(), thinking, refused, calls, reasoning_field)?;
        let rewriter = rewrite::Rewriter::new(&profile.get().profile, format, options);
        let rewriter = rewriter.map_err(|error| error::of_rewrite(py, &error))?;
        Ok(rewriter.into())
    }

    /// Reads the next chunk and returns everything that it makes certain.
    fn push<'py>(&self, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        let py = chunk.py();
        let mut state = self.0.lock(py)?;
        let State {
            rewriter,
            half,
            notices,
        } = &mut *state;
        let rewriter = rewriter.as_mut().ok_or_else(finished)?;
        let read = half.read(chunk)?;
        let mut out = Vec::new();
        py.detach(|| rewriter.push(read.bytes(), &mut out));
        notices.extend(rewriter.take_notices());
        Ok(PyBytes::new(py, &out))
    }

    /// Ends the stream and returns the rest.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut state = self.0.lock(py)?;
        let mut rewriter = state.rewriter.take().ok_or_else(finished)?;
        let (rest, mut out) = (state.half.finish(), Vec::new());
        rewriter.push(rest, &mut out);
        let new = py.detach(|| rewriter.finish(&mut out));
        state.notices.extend(new);
        Ok(PyBytes::new(py, &out))
    }

    /// The notices, and the errors of refused calls, each returned once.
    fn take_notices<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let mut state = self.0.lock(py)?;
        let notices = std::mem::take(&mut state.notices);
        notices
            .iter()
            .map(|notice| event::notice(py, notice.code, &notice.message, notice.call))
            .collect()
    }
}

impl From<rewrite::Rewriter> for Rewriter {
    fn from(rewriter: rewrite::Rewriter) -> Self {
        Rewriter(Lock::new(State {
            rewriter: Some(rewriter),
            half: Half::default(),
            notices: Vec::new(),
        }))
    }
}

fn options(
    profile: &Profile,
    thinking: &str,
    refused: &str,
    calls: &str,
    reasoning_field: Option<String>,
) -> PyResult<rewrite::Options> {
    let thoughts = [
        ("move", Thinking::Move),
        ("hide", Thinking::Hide),
        ("keep", Thinking::Keep),
    ];
    let refusals = [("show", Refused::Show), ("drop", Refused::Drop)];
    let modes = [("whole", CallMode::Whole), ("stream", CallMode::Stream)];
    let mut options = rewrite::Options::default();
    options.thinking = one_of("thinking", thinking, &thoughts)?;
    options.refused = one_of("refused", refused, &refusals)?;
    options.calls = one_of("calls", calls, &modes)?;
    options.reasoning_field = reasoning_field;
    if profile.sets_orphan_close {
        options.orphan_close = OrphanClose::AsProfile;
    }
    Ok(options)
}

/// Settings for rewriting the answers to requests: the format comes from the request's path, the
/// tools from its body.
#[pyclass(frozen, module = "tagstream")]
pub(crate) struct Plan {
    profile: Py<Profile>,
    options: rewrite::Options,
    /// The most recently used first.
    recent: Lock<Vec<(Key, Arc<rewrite::Plan>)>>,
}

/// A format, and the tools as a request declares them.
type Key = (Format, Option<String>);

#[pymethods]
impl Plan {
    #[new]
    #[pyo3(signature = (profile = None, *, thinking = "move", refused = "show", calls = "whole",
                        reasoning_field = None, **settings))]
    fn new(
        py: Python<'_>,
        profile: Option<&Bound<'_, PyAny>>,
        thinking: &str,
        refused: &str,
        calls: &str,
        reasoning_field: Option<String>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let profile = from_arguments(py, profile, settings)?;
        let options = options(profile.get(), thinking, refused, calls, reasoning_field)?;
        let recent = Lock::default();
        Ok(Plan {
            profile,
            options,
            recent,
        })
    }

    /// Whether requests to this path are answered with messages.
    #[staticmethod]
    fn applies_to(path: &str) -> bool {
        Endpoint::of_path(path).is_some()
    }

    /// A rewriter for the answer to a request; None if such an answer has no messages.
    fn rewriter(&self, py: Python<'_>, path: &str, body: &[u8]) -> PyResult<Option<Rewriter>> {
        let Some(endpoint) = Endpoint::of_path(path) else {
            return Ok(None);
        };
        let Some(request) = Request::read(endpoint, &String::from_utf8_lossy(body)) else {
            return Ok(None);
        };
        let plan = self.plan(py, (endpoint.format, request.tools))?;
        Ok(Some(plan.rewriter().into()))
    }
}

impl Plan {
    fn plan(&self, py: Python<'_>, key: Key) -> PyResult<Arc<rewrite::Plan>> {
        let known = self.recall(py, |recent| {
            let place = recent.iter().position(|(known, _)| *known == key)?;
            recent[..=place].rotate_right(1);
            Some(recent[0].1.clone())
        })?;
        if let Some(plan) = known {
            return Ok(plan);
        }
        let profile = self.profile.get().for_tools(py, key.1.as_deref())?;
        let plan = rewrite::Plan::new(&profile.profile, key.0, self.options.clone());
        let plan = Arc::new(plan.map_err(|error| error::of_rewrite(py, &error))?);
        self.recall(py, |recent| {
            recent.truncate(MAX_PLANS - 1);
            recent.insert(0, (key, plan.clone()));
        })?;
        Ok(plan)
    }

    fn recall<T>(
        &self,
        py: Python<'_>,
        look: impl FnOnce(&mut Vec<(Key, Arc<rewrite::Plan>)>) -> T,
    ) -> PyResult<T> {
        Ok(look(&mut *self.recent.lock(py)?))
    }
}

fn finished() -> PyErr {
    PyValueError::new_err("the stream is finished")
}

fn one_of<T: Copy>(key: &str, name: &str, allowed: &[(&str, T)]) -> PyResult<T> {
    let known = allowed.iter().find(|(known, _)| *known == name);
    known.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<_> = allowed.iter().map(|(name, _)| *name).collect();
        PyValueError::new_err(format!(
            "{key}: unknown value `{name}`; allowed: {}",
            names.join(", ")
        ))
    })
}

/// Reads one stream: bytes in, events out, each with its choice.
#[pyclass(frozen, module = "tagstream")]
pub(crate) struct Session(Lock<SessionState>);

struct SessionState {
    session: Option<tagstream::wire::Session>,
    half: Half,
}

#[pymethods]
impl Session {
    #[new]
    #[pyo3(signature = (format = "auto", profile = None, **settings))]
    fn new(
        py: Python<'_>,
        format: &str,
        profile: Option<&Bound<'_, PyAny>>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let (profile, format) = (
            from_arguments(py, profile, settings)?,
            read_format(py, format)?,
        );
        let session = tagstream::wire::Session::new(&profile.get().profile, format);
        let session = Some(session.map_err(|error| error::of_profile(py, &error))?);
        let half = Half::default();
        Ok(Session(Lock::new(SessionState { session, half })))
    }

    /// Reads the next chunk and returns everything that is certain now.
    fn push<'py>(&self, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let py = chunk.py();
        let mut state = self.0.lock(py)?;
        let SessionState { session, half } = &mut *state;
        let session = session.as_mut().ok_or_else(finished)?;
        let read = half.read(chunk)?;
        let bytes = read.bytes();
        let mut events = Events::new(py);
        if bytes.len() < LARGE_BYTES {
            session.push(bytes, &mut |event| events.take(&event));
            return events.list;
        }
        let owned = py.detach(|| {
            let mut owned = Vec::new();
            session.push(bytes, &mut |event| owned.extend(Owned::of(&event)));
            owned
        });
        for Owned { choice, span, kind } in &owned {
            let kind = match kind {
                OwnedKind::Message(kind) => WireKind::Message(kind.as_kind()),
                OwnedKind::Finish(reason) => WireKind::Finish { reason },
                OwnedKind::Usage(usage) => WireKind::Usage { usage },
            };
            events.add(*choice, *span, kind);
        }
        events.list
    }

    /// Ends the stream and returns the rest.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let mut state = self.0.lock(py)?;
        let mut session = state.session.take().ok_or_else(finished)?;
        let mut events = Events::new(py);
        session.push(state.half.finish(), &mut |event| events.take(&event));
        session.finish(&mut |event| events.take(&event));
        events.list
    }
}

/// An event that was read while others ran.
struct Owned {
    choice: u64,
    span: Option<Span>,
    kind: OwnedKind,
}

enum OwnedKind {
    Message(OwnedEventKind),
    Finish(String),
    Usage(String),
}

impl Owned {
    fn of(event: &WireEvent<'_>) -> Option<Self> {
        let kind = match event.event {
            WireKind::Message(kind) => OwnedKind::Message(kind.to_owned()),
            WireKind::Finish { reason } => OwnedKind::Finish(reason.to_owned()),
            WireKind::Usage { usage } => OwnedKind::Usage(usage.to_owned()),
            _ => return None,
        };
        let (choice, span) = (event.choice, event.span);
        Some(Owned { choice, span, kind })
    }
}

/// Collects events as Python objects.
struct Events<'py> {
    py: Python<'py>,
    list: PyResult<Bound<'py, PyList>>,
}

impl<'py> Events<'py> {
    fn new(py: Python<'py>) -> Self {
        let list = Ok(PyList::empty(py));
        Events { py, list }
    }

    fn take(&mut self, event: &WireEvent<'_>) {
        self.add(event.choice, event.span, event.event);
    }

    fn add(&mut self, choice: u64, span: Option<Span>, kind: WireKind<'_>) {
        let object = match kind {
            WireKind::Message(kind) => event::object(self.py, kind, span, Whole(None)),
            WireKind::Finish { reason } => event::finish(self.py, reason),
            WireKind::Usage { usage } => event::usage(self.py, usage),
            _ => return,
        };
        if let Ok(known) = &self.list
            && let Err(error) = object.and_then(|object| known.append((choice, object)))
        {
            self.list = Err(error);
        }
    }
}
