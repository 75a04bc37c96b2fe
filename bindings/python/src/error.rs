//! The errors of Rust as Python exceptions, with the same texts.

use pyo3::prelude::*;
use std::fmt::Display;
use tagstream::profile::LoadError;
use tagstream::wire::rewrite::RewriteError;
use tagstream::{FileError, ProfileError, ToolsError};

/// A `tagstream.ProfileError`.
pub(crate) fn profile_error(
    py: Python<'_>,
    message: &impl Display,
    key: Option<&str>,
    line: Option<usize>,
) -> PyErr {
    let class = py
        .import("tagstream._errors")
        .and_then(|errors| errors.getattr("ProfileError"));
    match class.and_then(|class| class.call1((message.to_string(), key, line))) {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}

pub(crate) fn of_file(py: Python<'_>, error: &FileError) -> PyErr {
    profile_error(py, error, error.key(), error.line())
}

/// An error about something that the caller did not write as a text: there are no lines. Its key is
/// renamed if that is the place where the caller has written it.
pub(crate) fn without_line(py: Python<'_>, error: &FileError, key: Option<&str>) -> PyErr {
    match key.or(error.key()) {
        Some(key) => {
            let message = format!("`{key}`: {}", error.problem());
            profile_error(py, &message, Some(key), None)
        }
        None => profile_error(py, &error.problem(), None, None),
    }
}

pub(crate) fn of_load(py: Python<'_>, error: &LoadError) -> PyErr {
    match error {
        LoadError::Read { source, .. } => {
            std::io::Error::new(source.kind(), error.to_string()).into()
        }
        LoadError::Invalid { source, .. } => profile_error(py, error, source.key(), source.line()),
        _ => profile_error(py, error, None, Some(1)),
    }
}

pub(crate) fn of_tools(py: Python<'_>, error: &ToolsError) -> PyErr {
    profile_error(py, error, Some(error.place()), None)
}

pub(crate) fn of_profile(py: Python<'_>, error: &ProfileError) -> PyErr {
    profile_error(py, error, Some(error.key()), None)
}

pub(crate) fn of_rewrite(py: Python<'_>, error: &RewriteError) -> PyErr {
    match error {
        RewriteError::Profile(error) => of_profile(py, error),
        _ => profile_error(py, error, Some("format"), None),
    }
}
