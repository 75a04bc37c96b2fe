//! Events as Python classes: small, immutable, usable with `match`.

use crate::field::{Attrs, Extent, Field, Json};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple, PyType};
use tagstream::{ElementView, EventKind, Span};

/// Defines a class: its name, its `type` in the contract, its fields with their defaults, and
/// further methods.
macro_rules! class {
    ($(#[$doc:meta])* $name:ident, $kind:literal, { $($field:ident: $type:ty $(= $default:expr)?),* $(,)? }
     $(, { $($more:tt)* })?) => {
        $(#[$doc])*
        #[pyclass(frozen, module = "tagstream", weakref)]
        pub(crate) struct $name {
            $(pub(crate) $field: $type,)*
            pub(crate) span: Extent,
        }

        #[pymethods]
        impl $name {
            #[new]
            #[pyo3(signature = ($($field $(= $default)?,)* span = None))]
            #[allow(clippy::too_many_arguments)]
            fn new($($field: $type,)* span: Option<(u64, u64)>) -> Self {
                $name { $($field,)* span: span.into() }
            }

            #[classattr]
            #[pyo3(name = "type")]
            fn kind() -> &'static str {
                $kind
            }

            #[classattr]
            #[pyo3(name = "__match_args__")]
            fn match_args(py: Python<'_>) -> PyResult<Py<PyTuple>> {
                let names: &[&str] = &[$(stringify!($field)),*];
                Ok(PyTuple::new(py, names)?.unbind())
            }

            $(
                #[getter]
                fn $field<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                    self.$field.get(py)
                }
            )*

            #[getter]
            fn span<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                self.span.get(py)
            }

            fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
                let fields: [(&str, Bound<'_, PyAny>); _] = [
                    $((stringify!($field), self.$field.get(py)?),)*
                    ("span", self.span.get(py)?),
                ];
                repr(stringify!($name), &fields)
            }

            fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
                let Ok(other) = other.cast::<Self>() else {
                    return Ok(py.NotImplemented());
                };
                let other = other.get();
                let is_equal =
                    self.key(py)?.eq(other.key(py)?)? || self.value(py)?.eq(other.value(py)?)?;
                Ok(is_equal.into_pyobject(py)?.to_owned().into_any().unbind())
            }

            fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
                (py.get_type::<Self>(), self.hashed(py)?).into_pyobject(py)?.hash()
            }

            fn __reduce__<'py>(
                slf: &Bound<'py, Self>,
            ) -> PyResult<(Bound<'py, PyType>, Bound<'py, PyTuple>)> {
                Ok((slf.get_type(), slf.get().key(slf.py())?))
            }

            /// The event as the contract writes it in JSON.
            fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
                let dict = PyDict::new(py);
                dict.set_item("type", $kind)?;
                $(self.$field.write(($kind, stringify!($field)), &dict)?;)*
                if self.span != Extent::NONE {
                    dict.set_item("span", PyList::new(py, self.span.get(py)?.extract::<Vec<u64>>()?)?)?;
                }
                Ok(dict)
            }

            $($($more)*)?
        }

        impl $name {
            /// The values that the event can be made from again.
            fn key<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
                PyTuple::new(py, [$(self.$field.key(py)?,)* self.span.key(py)?])
            }

            /// The values that it is compared by.
            fn value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
                PyTuple::new(py, [$(self.$field.value(py)?,)* self.span.value(py)?])
            }

            /// The values that count for its hash.
            fn hashed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
                PyTuple::new(py, [$(self.$field.hashed(py)?,)* self.span.hashed(py)?])
            }
        }
    };
}

/// The `type` of an event, and the name of a field.
type Place = (&'static str, &'static str);

/// Where the contract leaves out what is not there, rather than to write null.
const LEFT_OUT: [Place; 4] = [
    ("call_delta", "argument"),
    ("element_delta", "part"),
    ("element_end", "body"),
    ("notice", "call"),
];

/// How a field is written in the contract's JSON.
trait Write {
    fn write(&self, place: Place, to: &Bound<'_, PyDict>) -> PyResult<()>;
}

macro_rules! written_as_it_is {
    ($($type:ty),*) => {$(
        impl Write for $type {
            fn write(&self, place: Place, to: &Bound<'_, PyDict>) -> PyResult<()> {
                to.set_item(place.1, self.get(to.py())?)
            }
        }
    )*};
}
written_as_it_is!(u64, bool, Py<PyString>, Json);

impl<T> Write for Option<T>
where
    Option<T>: Field,
{
    fn write(&self, place: Place, to: &Bound<'_, PyDict>) -> PyResult<()> {
        if self.is_none() && LEFT_OUT.contains(&place) {
            return Ok(());
        }
        to.set_item(place.1, self.get(to.py())?)
    }
}

impl Write for Attrs {
    fn write(&self, place: Place, to: &Bound<'_, PyDict>) -> PyResult<()> {
        to.set_item(place.1, self.to_dict(to.py())?)
    }
}

/// The parts of an element.
pub(crate) struct Parts(Vec<Py<ElementPart>>);

impl Field for Parts {
    fn get<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyTuple::new(py, &self.0)?.into_any())
    }
}

impl Write for Parts {
    fn write(&self, place: Place, to: &Bound<'_, PyDict>) -> PyResult<()> {
        let py = to.py();
        let parts = PyList::empty(py);
        for part in &self.0 {
            let dict = part.get().to_dict(py)?;
            dict.del_item("type")?;
            parts.append(dict)?;
        }
        to.set_item(place.1, parts)
    }
}

impl FromPyObject<'_, '_> for Parts {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        Ok(Parts(value.extract()?))
    }
}

fn repr(name: &str, fields: &[(&str, Bound<'_, PyAny>)]) -> PyResult<String> {
    let mut text = format!("{name}(");
    for (i, (field, value)) in fields.iter().enumerate() {
        if *field == "span" && value.is_none() {
            continue;
        }
        let comma = if i == 0 { "" } else { ", " };
        text += &format!("{comma}{field}={}", value.repr()?.to_str()?);
    }
    Ok(text + ")")
}

class! {
    /// Visible text.
    Text, "text", { text: Py<PyString> }
}
class! {
    /// The start of a thinking section that is not empty.
    ThoughtStart, "thought_start", { tag: Option<Py<PyString>> = None, attributes: Attrs = Attrs::default() }
}
class! {
    /// Text of a thought.
    Thought, "thought", { text: Py<PyString> }
}
class! {
    /// The end of a thought.
    ThoughtEnd, "thought_end", { closed: bool = true }
}
class! {
    /// The start of a tool call: its name is certain and accepted.
    ToolCallStart, "call_start", { index: u64, id: Py<PyString>, name: Py<PyString> }
}
class! {
    /// Text of a call's arguments: to be shown, not to be acted on.
    ToolCallDelta, "call_delta", { index: u64, argument: Option<Py<PyString>>, text: Py<PyString> }
}
class! {
    /// A tool call that is complete and valid.
    ToolCall, "call_end", { index: u64, id: Py<PyString>, name: Py<PyString>, arguments: Json }, {
        /// The arguments as the text of a JSON object: numbers are spelled as the model spelled them.
        #[getter]
        fn arguments_json(&self, py: Python<'_>) -> Py<PyString> {
            self.arguments.0.clone_ref(py)
        }
    }
}
class! {
    /// A tool call is refused; one event for each problem.
    ToolCallError, "call_error", {
        index: u64, name: Option<Py<PyString>>, code: Py<PyString>, argument: Option<Py<PyString>>,
        message: Py<PyString>, raw: Py<PyString>,
    }
}
class! {
    /// The start of an element.
    ElementStart, "element_start", {
        id: u64, parent: Option<u64>, name: Py<PyString>, attributes: Attrs = Attrs::default(),
    }
}
class! {
    /// Text of an element.
    ElementDelta, "element_delta", { id: u64, part: Option<Py<PyString>>, text: Py<PyString> }
}
class! {
    /// The end of an element, or an element that is open.
    Element, "element_end", {
        id: u64, parent: Option<u64>, name: Py<PyString>, attributes: Attrs, body: Option<Py<PyString>>,
        parts: Parts, complete: bool,
    }
}
class! {
    /// A part of an element: one of its declared children.
    ElementPart, "element_part", { name: Py<PyString>, attributes: Attrs, text: Py<PyString> }
}
class! {
    /// Something the user may want to know; it takes no bytes.
    ///
    /// Of a whole message, `call` is the number of the refused call that it is about.
    Notice, "notice", { code: Py<PyString>, message: Py<PyString>, call: Option<u64> = None }
}
class! {
    /// Bytes that produce no other event.
    Skip, "skip", { reason: Py<PyString> }
}
class! {
    /// The end of a choice of a provider's stream.
    Finish, "finish", { reason: Py<PyString> }
}
class! {
    /// How many tokens were used, as the provider reports it.
    Usage, "usage", { usage: Json }
}

fn string(py: Python<'_>, text: &str) -> Py<PyString> {
    PyString::new(py, text).unbind()
}

/// Codes and reasons are few: each is one object.
fn word(py: Python<'_>, text: &'static str) -> Py<PyString> {
    PyString::intern(py, text).unbind()
}

fn some(py: Python<'_>, text: Option<&str>) -> Option<Py<PyString>> {
    text.map(|text| string(py, text))
}

/// The chunk that events are made from: a text that is all of it is the same object.
#[derive(Clone, Copy)]
pub(crate) struct Whole<'a, 'py>(pub(crate) Option<(&'a str, &'a Bound<'py, PyString>)>);

impl Whole<'_, '_> {
    #[inline]
    fn string(self, py: Python<'_>, text: &str) -> Py<PyString> {
        match self.0 {
            Some((chunk, object)) if std::ptr::eq(chunk, text) => object.clone().unbind(),
            _ => string(py, text),
        }
    }
}

/// The Python object of an event.
#[inline]
pub(crate) fn object<'py>(
    py: Python<'py>,
    kind: EventKind<'_>,
    span: Option<Span>,
    whole: Whole<'_, '_>,
) -> PyResult<Bound<'py, PyAny>> {
    let span = span.map_or(Extent::NONE, Extent::from);
    Ok(match kind {
        EventKind::Text(text) => {
            let text = whole.string(py, text);
            Bound::new(py, Text { text, span })?.into_any()
        }
        EventKind::Thought(text) => {
            let text = whole.string(py, text);
            Bound::new(py, Thought { text, span })?.into_any()
        }
        EventKind::CallDelta {
            index,
            argument,
            text,
            ..
        } => {
            let (argument, text) = (some(py, argument), whole.string(py, text));
            let delta = ToolCallDelta {
                index,
                argument,
                text,
                span,
            };
            Bound::new(py, delta)?.into_any()
        }
        EventKind::ElementDelta { id, part, text, .. } => {
            let (part, text) = (some(py, part), whole.string(py, text));
            let delta = ElementDelta {
                id,
                part,
                text,
                span,
            };
            Bound::new(py, delta)?.into_any()
        }
        _ => rare(py, kind, span)?,
    })
}

/// Events that are not pieces of text.
#[inline(never)]
fn rare<'py>(py: Python<'py>, kind: EventKind<'_>, span: Extent) -> PyResult<Bound<'py, PyAny>> {
    Ok(match kind {
        EventKind::ThoughtStart {
            tag, attributes, ..
        } => {
            let (tag, attributes) = (some(py, tag), attributes.into());
            let start = ThoughtStart {
                tag,
                attributes,
                span,
            };
            Bound::new(py, start)?.into_any()
        }
        EventKind::ThoughtEnd { closed, .. } => {
            Bound::new(py, ThoughtEnd { closed, span })?.into_any()
        }
        EventKind::CallStart {
            index, id, name, ..
        } => {
            let (id, name) = (string(py, id), string(py, name));
            let start = ToolCallStart {
                index,
                id,
                name,
                span,
            };
            Bound::new(py, start)?.into_any()
        }
        EventKind::CallEnd {
            index,
            id,
            name,
            arguments,
            ..
        } => {
            let call = ToolCall {
                index,
                id: string(py, id),
                name: string(py, name),
                arguments: Json::new(py, arguments),
                span,
            };
            Bound::new(py, call)?.into_any()
        }
        EventKind::CallError {
            index,
            name,
            code,
            argument,
            message,
            raw,
            ..
        } => {
            let error = ToolCallError {
                index,
                name: some(py, name),
                code: word(py, code.as_str()),
                argument: some(py, argument),
                message: string(py, message),
                raw: string(py, raw),
                span,
            };
            Bound::new(py, error)?.into_any()
        }
        EventKind::ElementStart {
            id,
            parent,
            name,
            attributes,
            ..
        } => {
            let (name, attributes) = (string(py, name), attributes.into());
            let start = ElementStart {
                id,
                parent,
                name,
                attributes,
                span,
            };
            Bound::new(py, start)?.into_any()
        }
        EventKind::ElementEnd(view) => element(py, &view, span)?.into_any(),
        EventKind::Notice { code, message, .. } => {
            let (code, message) = (word(py, code.as_str()), string(py, message));
            let notice = Notice {
                code,
                message,
                call: None,
                span,
            };
            Bound::new(py, notice)?.into_any()
        }
        EventKind::Skip { reason, .. } => {
            let reason = word(py, reason.as_str());
            Bound::new(py, Skip { reason, span })?.into_any()
        }
        _ => unreachable!("every kind of event has a class"),
    })
}

/// An element, as far as it has come.
pub(crate) fn element<'py>(
    py: Python<'py>,
    view: &ElementView<'_>,
    span: Extent,
) -> PyResult<Bound<'py, Element>> {
    let parts = view.parts.iter().map(|part| {
        let part = ElementPart {
            name: string(py, part.name),
            attributes: part.attributes.into(),
            text: string(py, part.text),
            span: Extent::NONE,
        };
        Py::new(py, part)
    });
    let element = Element {
        id: view.id,
        parent: view.parent,
        name: string(py, view.name),
        attributes: view.attributes.into(),
        body: some(py, view.body),
        parts: Parts(parts.collect::<PyResult<_>>()?),
        complete: view.complete,
        span,
    };
    Bound::new(py, element)
}

/// A call of a whole message.
pub(crate) fn call<'py>(
    py: Python<'py>,
    index: usize,
    id: &str,
    name: &str,
    arguments: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let call = ToolCall {
        index: index as u64,
        id: string(py, id),
        name: string(py, name),
        arguments: Json::new(py, arguments),
        span: Extent::NONE,
    };
    Ok(Bound::new(py, call)?.into_any())
}

/// A notice of a whole message.
pub(crate) fn notice<'py>(
    py: Python<'py>,
    code: &'static str,
    message: &str,
    call: Option<u64>,
) -> PyResult<Bound<'py, PyAny>> {
    let notice = Notice {
        code: word(py, code),
        message: string(py, message),
        call,
        span: Extent::NONE,
    };
    Ok(Bound::new(py, notice)?.into_any())
}

/// The end of a choice.
pub(crate) fn finish<'py>(py: Python<'py>, reason: &str) -> PyResult<Bound<'py, PyAny>> {
    let (reason, span) = (string(py, reason), Extent::NONE);
    Ok(Bound::new(py, Finish { reason, span })?.into_any())
}

/// The tokens used.
pub(crate) fn usage<'py>(py: Python<'py>, usage: &str) -> PyResult<Bound<'py, PyAny>> {
    let (usage, span) = (Json::new(py, usage), Extent::NONE);
    Ok(Bound::new(py, Usage { usage, span })?.into_any())
}

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Text>()?;
    module.add_class::<ThoughtStart>()?;
    module.add_class::<Thought>()?;
    module.add_class::<ThoughtEnd>()?;
    module.add_class::<ToolCallStart>()?;
    module.add_class::<ToolCallDelta>()?;
    module.add_class::<ToolCall>()?;
    module.add_class::<ToolCallError>()?;
    module.add_class::<ElementStart>()?;
    module.add_class::<ElementDelta>()?;
    module.add_class::<Element>()?;
    module.add_class::<ElementPart>()?;
    module.add_class::<Notice>()?;
    module.add_class::<Skip>()?;
    module.add_class::<Finish>()?;
    module.add_class::<Usage>()
}
