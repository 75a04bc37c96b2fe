//! The errors of a schema, in words that can be sent back to a model.

use crate::json::preview;
use crate::schema::types::named;
use crate::schema::validate::explain;
use jsonschema::paths::{Location, LocationSegment};
use jsonschema::{ValidationError, error::ValidationErrorKind};

/// The location of a value, as a path: `options.retries[0]`.
pub(crate) fn path(location: &Location) -> String {
    let mut path = String::new();
    for segment in location.segments() {
        match segment {
            LocationSegment::Property(name) if path.is_empty() => path.push_str(&name),
            LocationSegment::Property(name) => path.push_str(&format!(".{name}")),
            LocationSegment::Index(index) => path.push_str(&format!("[{index}]")),
        }
    }
    path
}

/// The location among all arguments of something inside a part of them.
pub(crate) fn join(around: &Location, inside: &Location) -> Location {
    let segments = inside.segments();
    segments.fold(around.clone(), |location, segment| location.join(segment))
}

/// The argument that contains a location; `None` for all of them together.
pub(crate) fn argument(location: &Location) -> Option<String> {
    match location.segments().next()? {
        LocationSegment::Property(name) => Some(name.into_owned()),
        LocationSegment::Index(_) => None,
    }
}

/// The whole message for an error in the part of the arguments at `around`.
pub(crate) fn message(error: &ValidationError<'_>, around: &Location) -> String {
    let path = path(&join(around, error.instance_path()));
    let problem = problem(error, around);
    if path.is_empty() {
        format!("the arguments do not fit: {problem}")
    } else {
        let got = preview(&error.instance().to_string());
        format!("argument `{path}`: {problem}, got {got}")
    }
}

/// What is wrong with a value.
pub(crate) fn problem(error: &ValidationError<'_>, around: &Location) -> String {
    match error.kind() {
        _ if explain::part(error).is_some() => "the value does not fit".to_owned(),
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            let reasons = reasons(context, error.instance_path(), around);
            format!("fits none of the allowed forms ({reasons})")
        }
        ValidationErrorKind::OneOfMultipleValid { .. } => {
            "fits more than one of the allowed forms".to_owned()
        }
        ValidationErrorKind::Enum { options } => match options.as_array() {
            Some(options) => format!("the value is not one of {}", named(options)),
            None => error.masked_with("the value").to_string(),
        },
        _ => error.masked_with("the value").to_string(),
    }
}

/// At most this many alternatives are explained in a message.
const MAX_FORMS: usize = 4;

/// The first error of each alternative. Alternatives inside them are not explained.
fn reasons(context: &[Vec<ValidationError<'_>>], whole: &Location, around: &Location) -> String {
    let reasons = context.iter().filter_map(|errors| errors.first());
    let reasons = reasons.take(MAX_FORMS).map(|error| {
        let problem = match error.kind() {
            ValidationErrorKind::AnyOf { .. } | ValidationErrorKind::OneOfNotValid { .. } => {
                error.masked_with("the value").to_string()
            }
            _ => problem(error, around),
        };
        match error.instance_path() {
            inside if inside == whole => problem,
            inside => format!("`{}`: {problem}", path(&join(around, inside))),
        }
    });
    reasons.collect::<Vec<_>>().join("; ")
}
