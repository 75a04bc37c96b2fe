//! Making a JSON Schema of what people write for one.
//!
//! Other names for types, `nullable` and references of every kind are put into the words that the
//! rest of this crate knows. What is no JSON Schema is left out and told: the rest of the tool, and
//! all other tools, can be used all the same.

use crate::json::preview;
use crate::schema::Schema;
use crate::schema::keywords::children;
use crate::schema::reference::{Places, target, unescaped};
use crate::schema::{spelling, validate};
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};

/// A part of a schema that was left out.
#[derive(Debug)]
pub(crate) struct Oddity {
    /// The place, as a JSON pointer.
    pub(crate) place: String,
    /// The argument that it is about.
    pub(crate) argument: Option<String>,
    pub(crate) problem: String,
}

/// The schema that is meant, and what had to be left out.
pub(crate) fn mend(schema: &Value) -> (Value, Vec<Oddity>) {
    let mut mender = Mender {
        schema: schema.clone(),
        names: Places::default(),
        seen: HashMap::new(),
        odd: Vec::new(),
    };
    mender.must_be_object();
    mender.note_names();
    mender.spell_out();
    mender.arguments_are_objects();
    mender.leave_out_the_rest();
    (mender.schema, mender.odd)
}

/// How often something is left out before all is.
const ROUNDS: usize = 32;

struct Mender {
    schema: Value,
    names: Places,
    /// The places that hold schemas, and the argument that led to each.
    seen: HashMap<String, Option<String>>,
    odd: Vec<Oddity>,
}

impl Mender {
    /// Notes what is odd, once for each place.
    fn odd(&mut self, place: &str, argument: Option<String>, problem: String) {
        if self.odd.iter().any(|known| known.place == place) {
            return;
        }
        self.odd.push(Oddity {
            place: place.to_owned(),
            argument,
            problem,
        });
    }

    fn must_be_object(&mut self) {
        if self.schema.is_object() {
            return;
        }
        let got = std::mem::replace(&mut self.schema, json!({}));
        if !got.is_null() && got != true {
            let got = preview(&got.to_string());
            self.odd("", None, format!("not a JSON Schema, got {got}"));
        }
    }

    fn note_names(&mut self) {
        let mut places = vec![String::new()];
        while let Some(place) = places.pop() {
            if let Some(schema) = self.schema.pointer(&place) {
                self.names.note(schema, &place);
                places.extend(
                    children(schema, &place)
                        .into_iter()
                        .map(|child| child.place),
                );
            }
        }
    }

    /// Goes through all schemas: those inside, and those that are referred to.
    fn spell_out(&mut self) {
        let mut places = vec![(String::new(), None)];
        while let Some((place, argument)) = places.pop() {
            if self.seen.contains_key(&place) {
                continue;
            }
            self.seen.insert(place.clone(), argument.clone());
            let target = self.spell_out_one(&place, argument.as_ref());
            let Some(schema) = self.schema.pointer(&place) else {
                continue;
            };
            for child in children(schema, &place) {
                places.push((child.place, argument.clone().or(child.property)));
            }
            places.extend(target.map(|target| (target, argument)));
        }
    }

    /// Puts one schema into the words of JSON Schema; gives the place that it refers to.
    fn spell_out_one(&mut self, place: &str, argument: Option<&String>) -> Option<String> {
        let tuples = self.schema.get("$schema").is_none_or(is_newest);
        spelling::keywords(self.schema.pointer_mut(place)?.as_object_mut()?, tuples);
        let target = self.target(place);
        let schema = self.schema.pointer_mut(place)?.as_object_mut()?;
        let problems = [
            ("type", spelling::types(schema).err()),
            ("enum", spelling::values(schema).err()),
            ("$ref", spelling::reference(schema, target.as_deref()).err()),
        ];
        spelling::nullable(schema);
        for (key, problem) in problems {
            if let Some(problem) = problem {
                self.odd(&format!("{place}/{key}"), argument.cloned(), problem);
            }
        }
        target
    }

    /// The place that a schema refers to, if there is a schema.
    fn target(&self, from: &str) -> Option<String> {
        let reference = self.schema.pointer(from)?.get("$ref")?.as_str()?;
        let place = self.names.find(reference, from)?;
        let target = self.schema.pointer(&place)?;
        (target.is_object() || target.is_boolean()).then_some(place)
    }

    /// Arguments are an object, so a schema of anything else fits none.
    fn arguments_are_objects(&mut self) {
        let Some(kinds) = self.schema.get("type") else {
            return;
        };
        let list = kinds
            .as_array()
            .map_or(std::slice::from_ref(kinds), Vec::as_slice);
        if !list.iter().any(|kind| kind == "object") {
            let problem = format!("wrong value; allowed: \"object\", got {kinds}");
            self.leave_out("/type", problem);
        }
    }

    fn leave_out_the_rest(&mut self) {
        for _ in 0..ROUNDS {
            let wrong = self.wrong();
            if wrong.is_empty() {
                return;
            }
            for (place, problem) in wrong {
                self.leave_out(&place, problem);
            }
        }
        self.leave_out("", "not a JSON Schema".to_owned());
    }

    /// The places where it is no JSON Schema.
    fn wrong(&self) -> Vec<(String, String)> {
        let mut list = validate::mistakes(&self.schema);
        if list.is_empty() {
            list.extend(self.dangling());
        }
        if list.is_empty() {
            list.extend(validate::obstacle(&self.schema));
        }
        let mut told = HashSet::new();
        list.retain(|(place, _)| told.insert(place.clone()));
        list
    }

    /// References to what has been moved or left out since they were found.
    fn dangling(&self) -> Vec<(String, String)> {
        let is_dangling = |place: &&String| {
            let schema = self.schema.pointer(place);
            let refers = schema.filter(|schema| schema.get("$ref").is_some());
            refers.is_some_and(|schema| target(&self.schema, schema).is_none())
        };
        let mut places: Vec<_> = self.seen.keys().filter(is_dangling).collect();
        places.sort_unstable();
        let problem = "the reference leads to no schema";
        let told = places.into_iter();
        told.map(|place| (format!("{place}/$ref"), problem.to_owned()))
            .collect()
    }

    /// Leaves out what stands at a place: a schema, or the keyword of one.
    fn leave_out(&mut self, place: &str, problem: String) {
        let (holder, keyword) = self.holder(place);
        let is_schema = self.seen.contains_key(place);
        let at = if is_schema { place } else { holder };
        let argument = self.seen.get(at).cloned().flatten();
        let (holder, keyword) = (holder.to_owned(), keyword.to_owned());
        self.odd(place, argument, problem);
        if place.is_empty() {
            return self.leave_out_all();
        }
        match self.schema.pointer_mut(place) {
            Some(schema) if is_schema && *schema != json!({}) => *schema = json!({}),
            // With the schema gone, it is its name that is wrong.
            Some(_) if is_schema => remove(&mut self.schema, place),
            _ => remove(&mut self.schema, &format!("{holder}/{keyword}")),
        }
    }

    /// The innermost schema around a place, and its keyword that leads there.
    fn holder<'p>(&self, place: &'p str) -> (&'p str, &'p str) {
        let ends = place.rmatch_indices('/').map(|(end, _)| end);
        let mut holders = ends.map(|end| place.split_at(end));
        let holder = holders.find(|(holder, _)| self.seen.contains_key(*holder));
        let (holder, rest) = holder.unwrap_or_default();
        let keyword = rest.split('/').nth(1).unwrap_or_default();
        (holder, keyword)
    }

    /// Keeps only the names of the arguments.
    fn leave_out_all(&mut self) {
        let names = Schema::new(&self.schema).names().into_iter();
        let properties: Map<String, Value> =
            names.map(|name| (name.to_owned(), json!({}))).collect();
        self.schema = json!({ "properties": properties });
    }
}

/// Whether a schema is of the draft that is taken for granted where none is named.
fn is_newest(draft: &Value) -> bool {
    draft
        .as_str()
        .is_some_and(|draft| draft.contains("2020-12"))
}

/// Removes what has a name from what it is in.
fn remove(schema: &mut Value, place: &str) {
    let (around, name) = place.rsplit_once('/').unwrap_or_default();
    if let Some(Value::Object(around)) = schema.pointer_mut(around) {
        around.shift_remove(&unescaped(name));
    }
}
