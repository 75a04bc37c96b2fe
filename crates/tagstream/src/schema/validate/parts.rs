//! A schema that leads back to itself, taken apart at the values that lie inside others.
//!
//! Collecting all that is wrong goes every way that alternatives offer, so that in a schema that
//! leads back to itself the work doubles with every level of the value. Whether a value fits is
//! cheap: those answers are remembered. So each part only asks whether what is inside fits, and why
//! it does not is asked of that part alone.

use crate::schema::keywords::{About, Child, children};
use crate::schema::reference::{self, target_place};
use crate::schema::validate::validator;
use jsonschema::Validator;
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};

/// Where the whole schema stands in the document of the parts.
const WHOLE: &str = "/$defs/whole";
/// The name of a part, and of the schema of all that does not fit it; a number follows.
const PART: &str = "tagstream-part-";
const MISFIT: &str = "tagstream-misfit-";

/// The parts of a schema that leads back to itself; the first one is the whole.
#[derive(Debug)]
pub(crate) struct Parts {
    definitions: Map<String, Value>,
    language: Option<Value>,
}

impl Parts {
    /// `None` for a schema that does not lead back to itself.
    pub(crate) fn new(schema: &Value) -> Option<Self> {
        let graph = Graph::new(schema);
        let endless = graph.endless();
        if !endless.contains("") {
            return None;
        }
        let mut cutter = Cutter {
            schema,
            endless,
            parts: Vec::new(),
            numbers: HashMap::new(),
        };
        Some(Parts {
            definitions: cutter.definitions(graph.whole()),
            language: schema.get("$schema").cloned(),
        })
    }

    /// The validator for one part.
    pub(crate) fn validator(&self, part: usize) -> Option<Validator> {
        let mut document = json!({ "$ref": numbered(PART, part), "$defs": self.definitions });
        if let Some(language) = &self.language {
            document["$schema"] = language.clone();
        }
        validator(&document).ok()
    }
}

/// The part that a value was said not to fit, by the schema that it may not have.
pub(crate) fn number(forbidden: &Value) -> Option<usize> {
    let reference = forbidden.get("$ref")?.as_str()?;
    let name = reference.strip_prefix("#/$defs/")?;
    name.strip_prefix(MISFIT)?.parse().ok()
}

/// All schemas of a document that can be come to, and where each leads.
struct Graph<'a> {
    schema: &'a Value,
    places: HashMap<String, Vec<String>>,
}

impl<'a> Graph<'a> {
    fn new(schema: &'a Value) -> Self {
        let mut places = HashMap::new();
        let mut left = vec![String::new()];
        while let Some(place) = left.pop() {
            let Some(here) = schema
                .pointer(&place)
                .filter(|_| !places.contains_key(&place))
            else {
                continue;
            };
            let children = children(here, &place);
            let (only_named, held): (Vec<_>, Vec<_>) = children
                .into_iter()
                .partition(|child| child.about == About::Nothing);
            let mut leads: Vec<_> = held.into_iter().map(|child| child.place).collect();
            leads.extend(target_place(here));
            left.extend(only_named.into_iter().map(|child| child.place));
            left.extend(leads.iter().cloned());
            places.insert(place, leads);
        }
        Graph { schema, places }
    }

    /// The places from which one comes to a circle: all but those that only lead to ends.
    fn endless(&self) -> HashSet<String> {
        let mut from: HashMap<&str, Vec<&str>> = HashMap::new();
        let mut leads: HashMap<&str, usize> = HashMap::new();
        for (place, targets) in &self.places {
            let known = targets.iter().filter(|at| self.places.contains_key(*at));
            leads.insert(place, known.clone().count());
            known.for_each(|at| from.entry(at).or_default().push(place));
        }
        let mut ends: Vec<&str> = Vec::new();
        ends.extend(
            leads
                .iter()
                .filter(|(_, left)| **left == 0)
                .map(|(at, _)| at),
        );
        while let Some(end) = ends.pop() {
            leads.remove(end);
            for place in from.remove(end).into_iter().flatten() {
                let left = leads.entry(place).or_default();
                *left -= 1;
                ends.extend((*left == 0).then_some(place));
            }
        }
        leads.into_keys().map(str::to_owned).collect()
    }

    /// The schema as it is, for a place of its own in another document.
    fn whole(&self) -> Value {
        let mut whole = self.schema.clone();
        for place in self.places.keys() {
            let Some(Value::Object(schema)) = whole.pointer_mut(place) else {
                continue;
            };
            schema.shift_remove("$schema");
            if let Some(target) = target_place(&Value::Object(schema.clone())) {
                schema.insert("$ref".to_owned(), whole_at(&target));
            }
        }
        whole
    }
}

/// A reference to a place in the whole schema.
fn whole_at(place: &str) -> Value {
    reference::to(&format!("{WHOLE}{place}")).into()
}

/// A reference to a schema with a number.
fn numbered(name: &str, number: usize) -> Value {
    format!("#/$defs/{name}{number}").into()
}

/// Takes a schema apart.
struct Cutter<'a> {
    schema: &'a Value,
    endless: HashSet<String>,
    /// The places of the parts, and their numbers.
    parts: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl Cutter<'_> {
    fn definitions(&mut self, whole: Value) -> Map<String, Value> {
        let mut definitions = Map::new();
        self.number("");
        let mut number = 0;
        while let Some(place) = self.parts.get(number).cloned() {
            let misfit = json!({"not": {"$ref": whole_at(&place)}});
            definitions.insert(format!("{MISFIT}{number}"), misfit);
            definitions.insert(format!("{PART}{number}"), self.copy(&place));
            number += 1;
        }
        definitions.insert("whole".to_owned(), whole);
        definitions
    }

    fn number(&mut self, place: &str) -> usize {
        let next = self.parts.len();
        let number = *self.numbers.entry(place.to_owned()).or_insert(next);
        if number == next {
            self.parts.push(place.to_owned());
        }
        number
    }

    /// A schema without what is inside others.
    fn copy(&mut self, place: &str) -> Value {
        let mut copy = self.schema.pointer(place).cloned().unwrap_or_default();
        let inner = children(&copy, "");
        for child in inner
            .into_iter()
            .filter(|child| child.about != About::Nothing)
        {
            let inner = self.inner(place, &child);
            if let Some(schema) = copy
                .pointer_mut(&child.place)
                .filter(|schema| schema.is_object())
            {
                *schema = inner;
            }
        }
        let target = target_place(&copy);
        if let Some(schema) = copy.as_object_mut() {
            schema.retain(|key, _| !["$schema", "$defs", "definitions"].contains(&key.as_str()));
            target.map(|target| schema.insert("$ref".to_owned(), self.reference(&target)));
        }
        copy
    }

    fn inner(&mut self, place: &str, child: &Child) -> Value {
        let place = format!("{place}{}", child.place);
        match child.about {
            _ if !self.endless.contains(&place) => json!({"$ref": whole_at(&place)}),
            About::Same => self.copy(&place),
            _ => json!({"not": {"$ref": numbered(MISFIT, self.number(&place))}}),
        }
    }

    fn reference(&mut self, target: &str) -> Value {
        match self.endless.contains(target) {
            true => numbered(PART, self.number(target)),
            false => whole_at(target),
        }
    }
}
