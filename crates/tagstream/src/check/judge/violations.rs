//! Errors of all arguments together, and of what is inside them.

use super::Judge;
use crate::CallErrorCode;
use crate::json::Json;
use crate::schema::validate::explain::{self, shortened};
use crate::schema::validate::forms::Forms;
use crate::schema::validate::words;
use jsonschema::paths::Location;
use jsonschema::{ValidationError, Validator, error::ValidationErrorKind};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// A part of the arguments, and its location.
struct Part<'v> {
    location: Location,
    value: &'v Value,
}

impl<'v> Part<'v> {
    fn whole(value: &'v Value) -> Self {
        Part {
            location: Location::new(),
            value,
        }
    }

    /// The location of an error in it, among all arguments.
    fn location_of(&self, error: &ValidationError<'_>) -> Location {
        words::join(&self.location, error.instance_path())
    }
}

impl Judge<'_> {
    /// Judges all arguments together, and what is inside them.
    pub(super) fn together(&mut self) {
        let Some(validator) = &self.tool.whole.validator else {
            return;
        };
        let entry = |(name, json): &(String, Json)| (name.clone(), json.value.clone());
        let all = Value::Object(self.values.iter().map(entry).collect::<Map<_, _>>());
        if validator.is_valid(&all) {
            return;
        }
        if let Some(all) = shortened(Cow::Owned(all)) {
            let whole = Part::whole(&all);
            match self.tool.whole.parts {
                Some(_) => self.violations_by(0, &whole),
                None => self.violations(validator, &whole),
            }
        }
        if self.problems.is_empty() {
            let message = "the arguments do not fit the schema, and are too large to say where";
            self.problem(CallErrorCode::TypeMismatch, None, message.to_owned());
        }
    }

    fn violations_by(&mut self, number: usize, part: &Part<'_>) {
        if let Some(validator) = self.explainer.validator(number, part.location.as_str()) {
            self.violations(&validator, part);
        }
    }

    fn violations(&mut self, validator: &Validator, part: &Part<'_>) {
        for error in validator.iter_errors(part.value) {
            self.violation(&error, part);
        }
    }

    /// Reports an error, unless the argument is wrong by itself.
    fn violation(&mut self, error: &ValidationError<'_>, part: &Part<'_>) {
        if self.violation_inside(error, part) || self.violation_of_forms(error, part) {
            return;
        }
        let argument = words::argument(&part.location_of(error));
        match (error.kind(), &argument) {
            (ValidationErrorKind::Required { property }, None) => {
                self.missing(property.as_str().unwrap_or_default());
            }
            (
                ValidationErrorKind::AdditionalProperties { unexpected }
                | ValidationErrorKind::UnevaluatedProperties { unexpected },
                None,
            ) => unexpected
                .iter()
                .for_each(|name| self.unknown_argument(name)),
            // If an argument is wrong, it is obvious that they do not fit together.
            (_, None) if !self.problems.is_empty() => {}
            (_, Some(name)) if self.wrong.contains(name) => {}
            _ => {
                let message = words::message(error, &part.location);
                self.problem(CallErrorCode::TypeMismatch, argument.as_deref(), message);
            }
        }
    }

    /// Reports the errors of a value inside that has its own part of the schema.
    fn violation_inside(&mut self, error: &ValidationError<'_>, part: &Part<'_>) -> bool {
        let Some(number) = explain::part(error) else {
            return false;
        };
        let location = part.location_of(error);
        if words::argument(&location).is_some_and(|name| self.wrong.contains(&name)) {
            return true;
        }
        if let Some(value) = part.value.pointer(error.instance_path().as_str()) {
            self.violations_by(number, &Part { location, value });
        }
        true
    }

    /// Reports the errors of the alternative that is meant, if that can be found out.
    fn violation_of_forms(&mut self, error: &ValidationError<'_>, part: &Part<'_>) -> bool {
        let Some(forms) = Forms::of(error, &part.location) else {
            return false;
        };
        if let Some(errors) = forms.meant() {
            errors.iter().for_each(|error| self.violation(error, part));
            return true;
        }
        if let Some((argument, message)) = forms.unlisted() {
            if !self.wrong.contains(&argument) {
                self.problem_once(CallErrorCode::TypeMismatch, &argument, message);
            }
            return true;
        }
        let missing = forms.missing();
        missing.iter().for_each(|name| self.missing(name));
        !missing.is_empty()
    }
}
