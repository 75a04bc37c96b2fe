//! The kernel for columns: arrays come in and go out over Arrow's C data interface, in capsules, so that
//! no Arrow library is needed.

use crate::profile::from_arguments;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi, to_ffi};
use arrow_array::ffi_stream::{ArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchIterator, StructArray, make_array};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyTuple};
use std::ffi::CStr;
use std::sync::Arc;
use tagstream::message::MessageReader;
use tagstream_batch::arrow::{self, message_type};

const ARRAY: &CStr = c"arrow_array";
const SCHEMA: &CStr = c"arrow_schema";
const STREAM: &CStr = c"arrow_array_stream";

/// An array of messages. It offers itself to any Arrow library.
#[pyclass(frozen, module = "tagstream.arrow", name = "Messages")]
pub(crate) struct Messages(Vec<StructArray>);

#[pymethods]
impl Messages {
    fn __len__(&self) -> usize {
        self.0.iter().map(Array::len).sum()
    }

    /// The type: a struct of content, thoughts, tool_calls and notices.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py)
    }

    /// The array.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let _ = requested_schema;
        let [array] = self.0.as_slice() else {
            let text = "the messages are several arrays; read them as a stream, such as with pyarrow.chunked_array";
            return Err(PyValueError::new_err(text));
        };
        let (array, _) = to_ffi(&array.to_data()).map_err(failed)?;
        let array = PyCapsule::new_with_value(py, array, ARRAY)?;
        PyTuple::new(py, [schema_capsule(py)?, array])
    }

    /// The array, as a stream of its parts.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let DataType::Struct(fields) = message_type() else {
            unreachable!("a message is a struct");
        };
        let schema = Arc::new(Schema::new(fields));
        let batches: Vec<_> = self.0.iter().map(rows).collect();
        let reader = RecordBatchIterator::new(batches, schema);
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, STREAM)
    }
}

/// The messages as rows, which is what a stream carries.
fn rows(array: &StructArray) -> Result<RecordBatch, ArrowError> {
    let (fields, columns, _) = array.clone().into_parts();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
}

fn schema_capsule(py: Python<'_>) -> PyResult<Bound<'_, PyCapsule>> {
    let field = Field::new("messages", message_type(), true);
    let schema = FFI_ArrowSchema::try_from(&field).map_err(failed)?;
    PyCapsule::new_with_value(py, schema, SCHEMA)
}

/// Reads each text of an array, or of a column of a table.
#[pyfunction]
#[pyo3(signature = (texts, profile = None, **settings))]
pub(crate) fn arrow_parse<'py>(
    texts: &Bound<'py, PyAny>,
    profile: Option<&Bound<'py, PyAny>>,
    settings: Option<&Bound<'py, PyDict>>,
) -> PyResult<Messages> {
    let py = texts.py();
    let profile = from_arguments(py, profile, settings)?;
    let policy = &profile.get().policy;
    let arrays = arrays(texts)?;
    let messages = py.detach(|| {
        let mut reader = MessageReader::new(policy);
        let parts = arrays
            .iter()
            .map(|array| arrow::parse(&mut reader, array.as_ref()));
        let mut parts: Vec<_> = parts
            .collect::<Result<Vec<_>, _>>()?
            .into_iter()
            .flatten()
            .collect();
        if parts.is_empty() {
            parts = arrow::parse(&mut reader, &arrow_array::StringArray::new_null(0))?;
        }
        Ok(parts)
    });
    messages.map(Messages).map_err(failed)
}

/// The arrays of an object that has one, or a stream of several.
fn arrays(object: &Bound<'_, PyAny>) -> PyResult<Vec<ArrayRef>> {
    if object.hasattr("__arrow_c_array__")? {
        let pair = object.call_method0("__arrow_c_array__")?;
        let (schema, array): (Bound<'_, PyCapsule>, Bound<'_, PyCapsule>) = pair.extract()?;
        return Ok(vec![import(&schema, &array)?]);
    }
    if object.hasattr("__arrow_c_stream__")? {
        let capsule = object.call_method0("__arrow_c_stream__")?;
        return stream(capsule.cast::<PyCapsule>()?);
    }
    Err(PyTypeError::new_err(
        "expected an Arrow array or column: an object with __arrow_c_array__ or __arrow_c_stream__",
    ))
}

fn import(schema: &Bound<'_, PyCapsule>, array: &Bound<'_, PyCapsule>) -> PyResult<ArrayRef> {
    let schema = schema
        .pointer_checked(Some(SCHEMA))?
        .cast::<FFI_ArrowSchema>();
    let array = array.pointer_checked(Some(ARRAY))?.cast::<FFI_ArrowArray>();
    // SAFETY: capsules of these names contain these structs, by the rules of the interface. The array is
    // moved out, and what is left in its capsule is marked as released.
    let (array, schema) = unsafe { (FFI_ArrowArray::from_raw(array.as_ptr()), schema.as_ref()) };
    if array.is_released() || schema.release().is_none() {
        return Err(PyValueError::new_err(
            "the Arrow array is released: its capsules can be read only once",
        ));
    }
    // SAFETY: neither is released, so both are what their producer made.
    let data = unsafe { from_ffi(array, schema) };
    Ok(make_array(data.map_err(failed)?))
}

fn stream(capsule: &Bound<'_, PyCapsule>) -> PyResult<Vec<ArrayRef>> {
    let stream = capsule
        .pointer_checked(Some(STREAM))?
        .cast::<FFI_ArrowArrayStream>();
    // SAFETY: a capsule of this name contains this struct, by the rules of the interface. The stream is
    // moved out, and what is left in its capsule is marked as released.
    let reader = unsafe { ArrayStreamReader::from_raw(stream.as_ptr()) };
    reader.and_then(Iterator::collect).map_err(failed)
}

fn failed(error: ArrowError) -> PyErr {
    match error {
        ArrowError::InvalidArgumentError(text) => PyTypeError::new_err(text),
        other => PyValueError::new_err(other.to_string()),
    }
}
