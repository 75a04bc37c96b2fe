//! Which of several alternatives was meant, by the errors of each.

use crate::json::preview;
use crate::schema::types::named;
use crate::schema::validate::explain::part;
use crate::schema::validate::words::{argument, join, path};
use jsonschema::paths::Location;
use jsonschema::{ValidationError, error::ValidationErrorKind};
use serde_json::Value;

/// Alternatives that a value does not fit, and the errors of each.
pub(crate) struct Forms<'e> {
    /// The part of the arguments that locations are relative to.
    around: &'e Location,
    location: &'e Location,
    /// Those of the type of the value.
    forms: Vec<&'e [ValidationError<'static>]>,
}

impl<'e> Forms<'e> {
    pub(crate) fn of(error: &'e ValidationError<'_>, around: &'e Location) -> Option<Self> {
        let location = error.instance_path();
        let all = match error.kind() {
            ValidationErrorKind::AnyOf { context }
            | ValidationErrorKind::OneOfNotValid { context } => context.iter().map(Vec::as_slice),
            _ => return None,
        };
        let of_type = |form: &&[ValidationError<'_>]| !form.iter().any(|e| is_type(e, location));
        let forms = all.filter(of_type).collect();
        Some(Forms {
            around,
            location,
            forms,
        })
    }

    /// The errors of the alternative that was meant: the only one that no declared value inside
    /// excludes, or among several of these the only one whose errors are all inside. For all
    /// arguments together a single alternative is enough, since they are always an object.
    pub(crate) fn meant(&self) -> Option<&'e [ValidationError<'static>]> {
        let only_inside = |form: &&[_]| form.iter().all(|error| part(error).is_some());
        let meant = only(self.left()).or_else(|| only(self.left().filter(only_inside)));
        meant.filter(|_| self.forms.len() > 1 || self.is_all())
    }

    /// Whether these are alternatives for all arguments.
    fn is_all(&self) -> bool {
        self.around.is_empty() && self.location.is_empty()
    }

    /// The alternatives that no declared value inside excludes.
    fn left(&self) -> impl Iterator<Item = &'e [ValidationError<'static>]> {
        let is_left = |form: &&[_]| form.iter().all(|error| self.listed(error).is_none());
        self.forms.iter().copied().filter(is_left)
    }

    /// The values that are declared for something inside, which has another value.
    fn listed(&self, error: &'e ValidationError<'static>) -> Option<&'e [Value]> {
        let listed = match error.kind() {
            ValidationErrorKind::Constant { expected_value } => {
                std::slice::from_ref(&**expected_value)
            }
            ValidationErrorKind::Enum { options } => options.as_array()?,
            _ => return None,
        };
        (error.instance_path() != self.location).then_some(listed)
    }

    /// The argument for which every alternative declares other values, and what is wrong with it.
    pub(crate) fn unlisted(&self) -> Option<(String, String)> {
        let first = self.forms.first()?;
        let mut first = first.iter().filter(|error| self.listed(error).is_some());
        first.find_map(|error| {
            let location = error.instance_path();
            let forms = self.forms.iter().copied();
            let listed = forms.map(|form| self.listed_at(form, location));
            let values: Vec<Value> = listed.collect::<Option<Vec<_>>>()?.concat();
            let whole = join(self.around, location);
            let (path, values) = (path(&whole), named(&values));
            let got = preview(&error.instance().to_string());
            let message = format!("argument `{path}`: the value is not one of {values}, got {got}");
            Some((argument(&whole)?, message))
        })
    }

    fn listed_at(
        &self,
        form: &'e [ValidationError<'static>],
        location: &Location,
    ) -> Option<&'e [Value]> {
        let mut here = form
            .iter()
            .filter(|error| error.instance_path() == location);
        here.find_map(|error| self.listed(error))
    }

    /// The arguments that are missing in every alternative that is left.
    pub(crate) fn missing(&self) -> Vec<&'e str> {
        if !self.is_all() {
            return Vec::new();
        }
        let mut left = self.left();
        let first = left.next().unwrap_or_default();
        let mut missing: Vec<_> = first.iter().filter_map(missing).collect();
        for form in left {
            let others: Vec<_> = form.iter().filter_map(self::missing).collect();
            missing.retain(|name| others.contains(name));
        }
        missing
    }
}

/// The only item, if there is exactly one.
fn only<T>(mut list: impl Iterator<Item = T>) -> Option<T> {
    list.next().filter(|_| list.next().is_none())
}

/// Whether the error is that the value at a location has another type.
fn is_type(error: &ValidationError<'_>, location: &Location) -> bool {
    let is_type = matches!(error.kind(), ValidationErrorKind::Type { .. });
    is_type && error.instance_path() == location
}

/// The argument that is missing.
fn missing<'e>(error: &'e ValidationError<'static>) -> Option<&'e str> {
    match error.kind() {
        ValidationErrorKind::Required { property } if error.instance_path().is_empty() => {
            property.as_str()
        }
        _ => None,
    }
}
