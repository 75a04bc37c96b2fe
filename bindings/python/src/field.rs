//! The values that events have, and what Python sees of them.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use tagstream::Attributes;

/// A value of an event.
pub(crate) trait Field {
    /// What the attribute of the event is.
    fn get<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>>;

    /// The same as an immutable value, from which the field can be made again.
    fn key<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py)
    }

    /// What the field is compared by.
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.key(py)
    }

    /// What counts for the hash: it is the same for fields that are equal.
    fn hashed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.key(py)
    }
}

impl Field for u64 {
    fn get<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.into_pyobject(py)?.into_any())
    }
}

impl Field for bool {
    fn get<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.into_pyobject(py)?.to_owned().into_any())
    }
}

impl Field for Py<PyString> {
    fn get<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.bind(py).clone().into_any())
    }
}

impl<T: Field> Field for Option<T> {
    fn get<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Some(value) => value.get(py),
            None => Ok(py.None().into_bound(py)),
        }
    }
}

/// The bytes of the message that an event accounts for; none if the provider reported it apart.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Extent(u64, u64);

impl Extent {
    pub(crate) const NONE: Extent = Extent(u64::MAX, u64::MAX);
}

impl From<tagstream::Span> for Extent {
    fn from(span: tagstream::Span) -> Self {
        Extent(span.start, span.end)
    }
}

impl From<Option<(u64, u64)>> for Extent {
    fn from(span: Option<(u64, u64)>) -> Self {
        span.map_or(Extent::NONE, |(start, end)| Extent(start, end))
    }
}

impl Field for Extent {
    fn get<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if *self == Extent::NONE {
            return Ok(py.None().into_bound(py));
        }
        Ok((self.0, self.1).into_pyobject(py)?.into_any())
    }
}

/// Attributes of a tag, in order; a name may occur twice.
#[derive(Default)]
pub(crate) struct Attrs(Vec<(String, String)>);

impl Attrs {
    /// As the contract writes them: one that is given twice is a list.
    pub(crate) fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (name, value) in &self.0 {
            match dict.get_item(name)? {
                None => dict.set_item(name, value)?,
                Some(first) => match first.cast_into::<PyList>() {
                    Ok(list) => list.append(value)?,
                    Err(first) => {
                        let value = value.into_pyobject(py)?.into_any();
                        dict.set_item(name, PyList::new(py, [first.into_inner(), value])?)?;
                    }
                },
            }
        }
        Ok(dict)
    }
}

impl From<Attributes<'_>> for Attrs {
    fn from(attributes: Attributes<'_>) -> Self {
        let pairs = attributes.iter();
        Attrs(
            pairs
                .map(|pair| (pair.name.to_owned(), pair.value.to_owned()))
                .collect(),
        )
    }
}

impl FromPyObject<'_, '_> for Attrs {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        match value.cast::<PyDict>() {
            Ok(dict) => Ok(Attrs(dict.items().extract()?)),
            Err(_) => Ok(Attrs(value.extract()?)),
        }
    }
}

impl Field for Attrs {
    /// Of those with the same name the first counts.
    fn get<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let dict = PyDict::new(py);
        for (name, value) in self.0.iter().rev() {
            dict.set_item(name, value)?;
        }
        let ordered = PyDict::new(py);
        for (name, _) in &self.0 {
            ordered.set_item(name, dict.get_item(name)?)?;
        }
        Ok(ordered.into_any())
    }

    fn key<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyTuple::new(py, &self.0)?.into_any())
    }
}

/// A JSON object, as its text: each `dict` is a new one, so that an event cannot be changed through it.
pub(crate) struct Json(pub(crate) Py<PyString>);

impl Json {
    pub(crate) fn new(py: Python<'_>, text: &str) -> Self {
        Json(PyString::new(py, text).unbind())
    }
}

impl FromPyObject<'_, '_> for Json {
    type Error = PyErr;

    /// A `dict` is written as the engine writes arguments, so that it is equal to what the engine found.
    fn extract(value: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if let Ok(text) = value.cast::<PyString>() {
            return Ok(Json(text.to_owned().unbind()));
        }
        let text = json(value.py())?.call_method1("dumps", (value,))?;
        Ok(Json(text.cast_into::<PyString>()?.unbind()))
    }
}

impl Field for Json {
    fn get<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        loads(py, self.0.bind(py))
    }

    fn key<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.0.get(py)
    }

    /// A text that is not JSON, which only a caller can pass, is compared as it is.
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py).or_else(|_| self.key(py))
    }

    /// Equal objects can be written in many ways, and cannot be hashed.
    fn hashed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(py.None().into_bound(py))
    }
}

fn json(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    py.import("tagstream._json")
}

/// The value of a text in JSON.
pub(crate) fn loads<'py>(
    py: Python<'py>,
    text: impl IntoPyObject<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    json(py)?.call_method1("loads", (text,))
}

/// The JSON of what may be a text already.
pub(crate) fn json_text(value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(text) = value.extract::<String>() {
        return Ok(text);
    }
    if let Ok(bytes) = value.extract::<&[u8]>() {
        return Ok(String::from_utf8_lossy(bytes).into_owned());
    }
    let text = json(value.py())?.call_method1("dumps", (value,));
    text.and_then(|text| text.extract()).map_err(|error| {
        PyTypeError::new_err(format!(
            "expected JSON, as str, bytes, dict or list: {error}"
        ))
    })
}
