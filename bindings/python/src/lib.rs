//! The Python package: each class binds the verbs of one Rust type.

mod arrow;
mod chunk;
mod error;
mod event;
mod field;
mod lock;
mod message;
mod parser;
mod profile;
mod wire;

use pyo3::prelude::*;
use std::ffi::OsString;

/// Runs the command line; returns its exit code.
#[pyfunction]
fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| tagstream_cli::main(arguments))
}

/// The names of the presets.
#[pyfunction]
fn presets() -> Vec<&'static str> {
    let presets = tagstream::profile::presets();
    presets
        .iter()
        .map(tagstream::profile::Preset::name)
        .collect()
}

#[pymodule(gil_used = false)]
fn _tagstream(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    event::add(module)?;
    module.add_class::<profile::Profile>()?;
    module.add_class::<parser::Parser>()?;
    module.add_class::<message::Filter>()?;
    module.add_class::<wire::Rewriter>()?;
    module.add_class::<wire::Plan>()?;
    module.add_class::<wire::Session>()?;
    module.add_function(wrap_pyfunction!(message::parse, module)?)?;
    module.add_function(wrap_pyfunction!(message::aggregate, module)?)?;
    module.add_function(wrap_pyfunction!(message::strip, module)?)?;
    module.add_class::<arrow::Messages>()?;
    module.add_function(wrap_pyfunction!(arrow::arrow_parse, module)?)?;
    module.add_function(wrap_pyfunction!(profile::restore, module)?)?;
    module.add_function(wrap_pyfunction!(presets, module)?)?;
    module.add_function(wrap_pyfunction!(main, module)?)
}
