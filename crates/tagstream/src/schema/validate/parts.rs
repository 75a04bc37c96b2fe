//! A recursive schema, divided at the values that are inside others.
//!
//! Collecting all errors follows every alternative, so that with a recursive schema the work
//! doubles with every level of the value. Whether a value fits is cheap to decide: the validator
//! remembers those answers. So each part only asks whether what is inside fits, and if it does not,
//! the reasons are collected with that part alone.

use crate::schema::keywords::{About, Child, children};
use crate::schema::reference::{self, target_pointer};
use crate::schema::validate::validator;
use jsonschema::Validator;
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};

/// The pointer of the whole schema in the document of the parts.
const WHOLE: &str = "/$defs/whole";
/// The name of a part, and of the schema of all values that do not fit it; a number follows.
const PART: &str = "tagstream-part-";
const MISFIT: &str = "tagstream-misfit-";

/// The parts of a recursive schema; the first one is the whole.
#[derive(Debug)]
pub(crate) struct Parts {
    definitions: Map<String, Value>,
    language: Option<Value>,
}

impl Parts {
    /// `None` for a schema that is not recursive.
    pub(crate) fn new(schema: &Value) -> Option<Self> {
        let graph = Graph::new(schema);
        let recursive = graph.recursive();
        if !recursive.contains("") {
            return None;
        }
        let mut cutter = Cutter {
            schema,
            recursive,
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

/// The part that a value does not fit, by the schema that it must not fit.
pub(crate) fn number(forbidden: &Value) -> Option<usize> {
    let reference = forbidden.get("$ref")?.as_str()?;
    let name = reference.strip_prefix("#/$defs/")?;
    name.strip_prefix(MISFIT)?.parse().ok()
}

/// All schemas of a document that can be reached, and what each leads to.
struct Graph<'a> {
    schema: &'a Value,
    schemas: HashMap<String, Vec<String>>,
}

impl<'a> Graph<'a> {
    fn new(schema: &'a Value) -> Self {
        let mut schemas = HashMap::new();
        let mut stack = vec![String::new()];
        while let Some(pointer) = stack.pop() {
            let is_new = !schemas.contains_key(&pointer);
            let Some(here) = schema.pointer(&pointer).filter(|_| is_new) else {
                continue;
            };
            let mut targets: Vec<_> = target_pointer(here).into_iter().collect();
            for child in children(here, &pointer) {
                if child.about == About::Nothing {
                    stack.push(child.pointer);
                } else {
                    targets.push(child.pointer);
                }
            }
            stack.extend(targets.iter().cloned());
            schemas.insert(pointer, targets);
        }
        Graph { schema, schemas }
    }

    /// The pointers from which a cycle can be reached: all that remain when those that lead nowhere
    /// are removed again and again.
    fn recursive(&self) -> HashSet<String> {
        let mut sources: HashMap<&str, Vec<&str>> = HashMap::new();
        let mut remaining: HashMap<&str, usize> = HashMap::new();
        for (pointer, targets) in &self.schemas {
            let known = targets.iter().filter(|at| self.schemas.contains_key(*at));
            remaining.insert(pointer, known.clone().count());
            known.for_each(|at| sources.entry(at).or_default().push(pointer));
        }
        let ends = remaining.iter().filter(|(_, targets)| **targets == 0);
        let mut ends: Vec<&str> = ends.map(|(pointer, _)| *pointer).collect();
        while let Some(end) = ends.pop() {
            remaining.remove(end);
            for pointer in sources.remove(end).into_iter().flatten() {
                let targets = remaining.entry(pointer).or_default();
                *targets -= 1;
                ends.extend((*targets == 0).then_some(pointer));
            }
        }
        remaining.into_keys().map(str::to_owned).collect()
    }

    /// The schema unchanged, to be put into another document.
    fn whole(&self) -> Value {
        let mut whole = self.schema.clone();
        for pointer in self.schemas.keys() {
            let Some(Value::Object(schema)) = whole.pointer_mut(pointer) else {
                continue;
            };
            schema.shift_remove("$schema");
            if let Some(target) = target_pointer(&Value::Object(schema.clone())) {
                schema.insert("$ref".to_owned(), whole_at(&target));
            }
        }
        whole
    }
}

/// A reference to a pointer in the whole schema.
fn whole_at(pointer: &str) -> Value {
    reference::to(&format!("{WHOLE}{pointer}")).into()
}

/// A reference to a schema with a number.
fn numbered(name: &str, number: usize) -> Value {
    format!("#/$defs/{name}{number}").into()
}

/// Divides a schema into parts.
struct Cutter<'a> {
    schema: &'a Value,
    recursive: HashSet<String>,
    /// The pointers of the parts, and their numbers.
    parts: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl Cutter<'_> {
    fn definitions(&mut self, whole: Value) -> Map<String, Value> {
        let mut definitions = Map::new();
        self.number("");
        let mut number = 0;
        while let Some(pointer) = self.parts.get(number).cloned() {
            let misfit = json!({"not": {"$ref": whole_at(&pointer)}});
            definitions.insert(format!("{MISFIT}{number}"), misfit);
            definitions.insert(format!("{PART}{number}"), self.copy(&pointer));
            number += 1;
        }
        definitions.insert("whole".to_owned(), whole);
        definitions
    }

    fn number(&mut self, pointer: &str) -> usize {
        let next = self.parts.len();
        let number = *self.numbers.entry(pointer.to_owned()).or_insert(next);
        if number == next {
            self.parts.push(pointer.to_owned());
        }
        number
    }

    /// A schema in which what is inside others is only referred to.
    fn copy(&mut self, pointer: &str) -> Value {
        let mut copy = self.schema.pointer(pointer).cloned().unwrap_or_default();
        let mut children = children(&copy, "");
        children.retain(|child| child.about != About::Nothing);
        for child in children {
            let inner = self.inner(pointer, &child);
            let schema = copy.pointer_mut(&child.pointer);
            if let Some(schema) = schema.filter(|schema| schema.is_object()) {
                *schema = inner;
            }
        }
        let target = target_pointer(&copy);
        if let Some(schema) = copy.as_object_mut() {
            schema.retain(|key, _| !["$schema", "$defs", "definitions"].contains(&key.as_str()));
            target.map(|target| schema.insert("$ref".to_owned(), self.reference(&target)));
        }
        copy
    }

    fn inner(&mut self, pointer: &str, child: &Child) -> Value {
        let pointer = format!("{pointer}{}", child.pointer);
        match child.about {
            _ if !self.recursive.contains(&pointer) => json!({"$ref": whole_at(&pointer)}),
            About::Same => self.copy(&pointer),
            _ => json!({"not": {"$ref": numbered(MISFIT, self.number(&pointer))}}),
        }
    }

    fn reference(&mut self, target: &str) -> Value {
        if self.recursive.contains(target) {
            numbered(PART, self.number(target))
        } else {
            whole_at(target)
        }
    }
}
