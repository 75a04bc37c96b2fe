//! What a schema declares for the arguments, in every call and by alternative.

use crate::schema::types::Declared;
use crate::schema::validate::Pattern;
use crate::schema::{Constraint, Schema, entries};
use serde_json::Value;
use std::borrow::Cow;

/// At most this many alternatives of one schema are compared with the arguments of a call. A list
/// of alternatives beyond that counts only when all arguments are checked together.
const MAX_ALTERNATIVES: usize = 128;

/// At most this many alternatives are tried. With several lists of them, the first ones of all
/// lists are tried together, then the second ones, and so on: trying every combination would take
/// too long.
const MAX_ATTEMPTS: usize = 16;

/// What is declared for the arguments.
#[derive(Debug, Default)]
pub(crate) struct Shape {
    properties: Vec<(String, Declared)>,
    /// For names that match a pattern.
    patterns: Vec<(Pattern, Declared)>,
    /// For all other names.
    others: Option<Declared>,
    /// No other names are allowed.
    closed: bool,
    required: Vec<String>,
    /// Lists of alternatives.
    choices: Vec<Vec<Shape>>,
    /// What must not apply.
    excluded: Vec<Shape>,
}

impl Shape {
    pub(crate) fn new(schema: &Schema<'_>) -> Self {
        Shape::of(schema, schema.constraint(), &mut MAX_ALTERNATIVES.clone())
    }

    fn of(schema: &Schema<'_>, constraint: &Constraint<'_>, left: &mut usize) -> Self {
        let mut shape = Shape::default();
        shape.add(schema, constraint, left);
        shape
    }

    fn add(&mut self, schema: &Schema<'_>, constraint: &Constraint<'_>, left: &mut usize) {
        match constraint {
            Constraint::One(own) => self.add_own(schema, own),
            Constraint::All(list) => list.iter().for_each(|part| self.add(schema, part, left)),
            Constraint::Any(list) => self.add_choice(schema, list, left),
            Constraint::Not(part) => self.excluded.push(Shape::of(schema, part, left)),
        }
    }

    fn add_own(&mut self, schema: &Schema<'_>, own: &Value) {
        let declared = |part: &Value| Declared::new(&schema.at(part));
        for (name, part) in entries(own, "properties") {
            self.declare(name, declared(part));
        }
        for (pattern, part) in entries(own, "patternProperties") {
            let pattern = Pattern::new(pattern);
            let pattern = pattern.map(|pattern| (pattern, declared(part)));
            self.patterns.extend(pattern);
        }
        match own.get("additionalProperties") {
            Some(Value::Bool(false)) => self.closed = true,
            Some(part @ Value::Object(_)) => self.others = Some(declared(part)),
            _ => {}
        }
        let required = own.get("required").and_then(Value::as_array);
        let required = required.into_iter().flatten().filter_map(Value::as_str);
        self.required.extend(required.map(str::to_owned));
    }

    /// Adds a declaration of an argument to those that it has.
    fn declare(&mut self, name: &str, declared: Declared) {
        match self.properties.iter_mut().find(|(known, _)| known == name) {
            Some((_, before)) => *before = before.and(&declared),
            None => self.properties.push((name.to_owned(), declared)),
        }
    }

    /// Adds alternatives, if they declare arguments.
    fn add_choice(&mut self, schema: &Schema<'_>, list: &[Constraint<'_>], left: &mut usize) {
        if list.len() > *left {
            return;
        }
        *left -= list.len();
        let choice = list.iter().map(|part| Shape::of(schema, part, left));
        let choice: Vec<_> = choice.collect();
        if choice.iter().any(Shape::declares) {
            self.choices.push(choice);
        }
    }

    fn declares(&self) -> bool {
        let own = !self.properties.is_empty() || !self.patterns.is_empty();
        own || self.others.is_some() || !self.choices.is_empty()
    }

    /// What is declared for an argument by its name, by patterns, or else for all others.
    fn declared(&self, name: &str) -> Option<Cow<'_, Declared>> {
        let own = self.properties.iter().find(|(known, _)| known == name);
        let own = own.map(|(_, declared)| Cow::Borrowed(declared));
        let matches = self.patterns.iter();
        let matches = matches.filter(|(pattern, _)| pattern.matches(name));
        let all = own
            .into_iter()
            .chain(matches.map(|(_, declared)| Cow::Borrowed(declared)));
        let all = all.reduce(|one, other| Cow::Owned(one.and(&other)));
        all.or(self.others.as_ref().map(Cow::Borrowed))
    }

    /// Whether an argument is a string in every call.
    pub(crate) fn is_text(&self, name: &str) -> bool {
        let declared = self.declared(name);
        self.choices.is_empty() && declared.is_some_and(|declared| declared.is_text())
    }

    /// How many ways there are to read arguments.
    fn attempts(&self) -> usize {
        let choices = self.choices.iter();
        let own = choices.clone().map(Vec::len);
        let inner = choices.flatten().map(Shape::attempts);
        own.chain(inner).max().unwrap_or(1).clamp(1, MAX_ATTEMPTS)
    }

    /// The ways to read the given arguments, the best one first.
    pub(crate) fn ways<'s>(&'s self, given: &dyn Given) -> Vec<Way<'s>> {
        let attempts: Vec<usize> = (0..self.attempts()).collect();
        let mut ways: Vec<_> = attempts.iter().map(|_| Way::default()).collect();
        let different = self.choose(given, &attempts, &mut ways);
        ways.truncate(different);
        ways
    }

    /// Applies to these attempts; for each of them, chooses one of each list of alternatives.
    /// Returns how many attempts differ.
    fn choose<'s>(&'s self, given: &dyn Given, attempts: &[usize], ways: &mut [Way<'s>]) -> usize {
        let mut different = 1;
        attempts.iter().for_each(|at| ways[*at].applies.push(self));
        for choice in self.choices.iter().filter(|_| !attempts.is_empty()) {
            let ranked = ranked(choice, given);
            if ranked.is_empty() {
                attempts
                    .iter()
                    .for_each(|at| ways[*at].other.extend(choice));
            }
            different = different.max(ranked.len());
            for (rank, shape) in ranked.iter().enumerate() {
                // A list that has no alternative for an attempt starts again.
                let is_now = |at: &usize| *at == rank || rank == 0 && *at >= ranked.len();
                let (now, other): (Vec<_>, Vec<_>) = attempts.iter().copied().partition(is_now);
                other.iter().for_each(|at| ways[*at].other.push(shape));
                different = different.max(shape.choose(given, &now, ways));
            }
        }
        different
    }

    /// The arguments that every call must have.
    #[cfg(not(feature = "schema"))]
    pub(crate) fn required(&self) -> &[String] {
        &self.required
    }

    /// Whether calls may only have arguments that are named.
    #[cfg(not(feature = "schema"))]
    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }

    /// How badly it fits the given arguments.
    fn misfit(&self, given: &dyn Given) -> Misfit {
        let mut misfit = Misfit::default();
        for (at, name) in given.names().enumerate() {
            match self.declared(name) {
                Some(declared) if !given.fits(at, &declared) => misfit.count(&declared),
                Some(_) => {}
                None => misfit.types += usize::from(self.closed),
            }
        }
        let is_missing = |name: &&String| !given.names().any(|given| given == name.as_str());
        misfit.missing = self.required.iter().filter(is_missing).count();
        for choice in &self.choices {
            let best = choice.iter().map(|shape| shape.misfit(given)).min();
            misfit.add(best.unwrap_or_default());
        }
        let holds = |shape: &&Shape| shape.misfit(given) == Misfit::default();
        misfit.listed += self.excluded.iter().filter(holds).count();
        misfit
    }
}

/// The alternatives that no declared value excludes, the best fit first.
fn ranked<'s>(choice: &'s [Shape], given: &dyn Given) -> Vec<&'s Shape> {
    let ranked = choice.iter().map(|shape| (shape.misfit(given), shape));
    let mut ranked: Vec<_> = ranked.filter(|(misfit, _)| misfit.listed == 0).collect();
    ranked.sort_by_key(|(misfit, _)| *misfit);
    ranked.into_iter().map(|(_, shape)| shape).collect()
}

/// The arguments of a call.
pub(crate) trait Given {
    /// The names of the arguments.
    fn names(&self) -> Box<dyn Iterator<Item = &str> + '_>;

    /// Whether the argument with this index can be read as what is declared.
    fn fits(&self, index: usize, declared: &Declared) -> bool;
}

/// What excludes an alternative, in the order of weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Misfit {
    /// Arguments without one of their declared values, and failed conditions. These exist to
    /// distinguish alternatives.
    listed: usize,
    /// Arguments of another type, or that are not allowed.
    types: usize,
    missing: usize,
}

impl Misfit {
    fn count(&mut self, declared: &Declared) {
        if declared.is_listed() {
            self.listed += 1;
        } else {
            self.types += 1;
        }
    }

    fn add(&mut self, other: Misfit) {
        self.listed += other.listed;
        self.types += other.types;
        self.missing += other.missing;
    }
}

/// A way to read the arguments of one call.
#[derive(Debug, Default)]
pub(crate) struct Way<'s> {
    /// These apply.
    applies: Vec<&'s Shape>,
    /// These may apply or not.
    other: Vec<&'s Shape>,
}

impl<'s> Way<'s> {
    /// What an argument must be.
    pub(crate) fn declared(&self, name: &str) -> Option<Cow<'s, Declared>> {
        let declared = self.applies.iter().filter_map(|shape| shape.declared(name));
        declared.reduce(|one, other| Cow::Owned(one.and(&other)))
    }

    /// What an argument may be, if what applies does not declare it.
    pub(crate) fn possible(&self, name: &str) -> Option<Cow<'s, Declared>> {
        let declared = self.other.iter().filter_map(|shape| shape.declared(name));
        declared.reduce(|one, other| Cow::Owned(one.into_owned().or(&other)))
    }
}
