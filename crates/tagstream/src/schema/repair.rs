//! Repairs what people write as a JSON Schema.
//!
//! Other names for types, `nullable` and references of every kind are replaced by the keywords that
//! the rest of this crate knows. What is not JSON Schema is removed and reported: the rest of the
//! tool, and all other tools, can still be used.

use crate::json::preview;
use crate::schema::Schema;
use crate::schema::keywords::children;
use crate::schema::reference::{SchemaNames, target, unescaped};
use crate::schema::{spelling, validate};
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};

/// A part of a schema that was removed.
#[derive(Debug)]
pub(crate) struct Defect {
    /// Its JSON pointer.
    pub(crate) pointer: String,
    /// The argument that it belongs to.
    pub(crate) argument: Option<String>,
    pub(crate) problem: String,
}

/// The repaired schema, and what had to be removed from it.
pub(crate) fn repair(schema: &Value) -> (Value, Vec<Defect>) {
    let mut repairer = Repairer {
        schema: schema.clone(),
        names: SchemaNames::default(),
        seen: HashMap::new(),
        defects: Vec::new(),
    };
    repairer.require_object();
    repairer.collect_names();
    repairer.rewrite_all();
    repairer.require_object_type();
    repairer.remove_invalid();
    (repairer.schema, repairer.defects)
}

/// After this many rounds of removals, everything is removed.
const MAX_ROUNDS: usize = 32;

struct Repairer {
    schema: Value,
    names: SchemaNames,
    /// The pointers of all schemas, and the argument that led to each.
    seen: HashMap<String, Option<String>>,
    defects: Vec<Defect>,
}

impl Repairer {
    /// Reports a defect, once for each pointer.
    fn report(&mut self, pointer: &str, argument: Option<String>, problem: String) {
        if self.defects.iter().any(|known| known.pointer == pointer) {
            return;
        }
        self.defects.push(Defect {
            pointer: pointer.to_owned(),
            argument,
            problem,
        });
    }

    fn require_object(&mut self) {
        if self.schema.is_object() {
            return;
        }
        let got = std::mem::replace(&mut self.schema, json!({}));
        if !got.is_null() && got != true {
            let got = preview(&got.to_string());
            self.report("", None, format!("not a JSON Schema, got {got}"));
        }
    }

    fn collect_names(&mut self) {
        let mut pointers = vec![String::new()];
        while let Some(pointer) = pointers.pop() {
            if let Some(schema) = self.schema.pointer(&pointer) {
                self.names.add(schema, &pointer);
                let children = children(schema, &pointer).into_iter();
                pointers.extend(children.map(|child| child.pointer));
            }
        }
    }

    /// Rewrites all schemas: those inside, and those that are referred to.
    fn rewrite_all(&mut self) {
        let mut pointers = vec![(String::new(), None)];
        while let Some((pointer, argument)) = pointers.pop() {
            if self.seen.contains_key(&pointer) {
                continue;
            }
            self.seen.insert(pointer.clone(), argument.clone());
            let target = self.rewrite(&pointer, argument.as_ref());
            let Some(schema) = self.schema.pointer(&pointer) else {
                continue;
            };
            for child in children(schema, &pointer) {
                pointers.push((child.pointer, argument.clone().or(child.property)));
            }
            pointers.extend(target.map(|target| (target, argument)));
        }
    }

    /// Rewrites the keywords of one schema; returns the pointer that it refers to.
    fn rewrite(&mut self, pointer: &str, argument: Option<&String>) -> Option<String> {
        let tuples = self.schema.get("$schema").is_none_or(is_newest);
        spelling::keywords(self.schema.pointer_mut(pointer)?.as_object_mut()?, tuples);
        let target = self.target(pointer);
        let schema = self.schema.pointer_mut(pointer)?.as_object_mut()?;
        let problems = [
            ("type", spelling::types(schema).err()),
            ("enum", spelling::values(schema).err()),
            ("$ref", spelling::reference(schema, target.as_deref()).err()),
        ];
        spelling::nullable(schema);
        for (key, problem) in problems {
            if let Some(problem) = problem {
                self.report(&format!("{pointer}/{key}"), argument.cloned(), problem);
            }
        }
        target
    }

    /// The pointer that a schema refers to, if a schema is there.
    fn target(&self, from: &str) -> Option<String> {
        let reference = self.schema.pointer(from)?.get("$ref")?.as_str()?;
        let pointer = self.names.find(reference, from)?;
        let target = self.schema.pointer(&pointer)?;
        (target.is_object() || target.is_boolean()).then_some(pointer)
    }

    /// Arguments are an object, so that no arguments would fit a schema of another type.
    fn require_object_type(&mut self) {
        let Some(kinds) = self.schema.get("type") else {
            return;
        };
        let list = kinds
            .as_array()
            .map_or(std::slice::from_ref(kinds), Vec::as_slice);
        if !list.iter().any(|kind| kind == "object") {
            let problem = format!("wrong value; allowed: \"object\", got {kinds}");
            self.remove("/type", problem);
        }
    }

    /// Removes what is not JSON Schema, until the rest is.
    fn remove_invalid(&mut self) {
        for _ in 0..MAX_ROUNDS {
            let mistakes = self.mistakes();
            if mistakes.is_empty() {
                return;
            }
            for (pointer, problem) in mistakes {
                self.remove(&pointer, problem);
            }
        }
        self.remove("", "not a JSON Schema".to_owned());
    }

    /// The pointers at which it is not JSON Schema, and why.
    fn mistakes(&self) -> Vec<(String, String)> {
        let mut list = validate::mistakes(&self.schema);
        if list.is_empty() {
            list.extend(self.dangling());
        }
        if list.is_empty() {
            list.extend(validate::obstacle(&self.schema));
        }
        let mut known = HashSet::new();
        list.retain(|(pointer, _)| known.insert(pointer.clone()));
        list
    }

    /// References to what has been moved or removed since they were resolved.
    fn dangling(&self) -> Vec<(String, String)> {
        let is_dangling = |pointer: &&String| {
            let schema = self.schema.pointer(pointer);
            let refers = schema.filter(|schema| schema.get("$ref").is_some());
            refers.is_some_and(|schema| target(&self.schema, schema).is_none())
        };
        let mut pointers: Vec<_> = self.seen.keys().filter(is_dangling).collect();
        pointers.sort_unstable();
        let problem = "the reference leads to no schema";
        let mistakes = pointers.into_iter();
        let mistakes = mistakes.map(|at| (format!("{at}/$ref"), problem.to_owned()));
        mistakes.collect()
    }

    /// Removes what is at a pointer: a schema, or a keyword of one.
    fn remove(&mut self, pointer: &str, problem: String) {
        let (parent, keyword) = self.parent(pointer);
        let is_schema = self.seen.contains_key(pointer);
        let at = if is_schema { pointer } else { parent };
        let argument = self.seen.get(at).cloned().flatten();
        let keyword = format!("{parent}/{keyword}");
        self.report(pointer, argument, problem);
        if pointer.is_empty() {
            return self.keep_names();
        }
        match self.schema.pointer_mut(pointer) {
            Some(schema) if is_schema && *schema != json!({}) => *schema = json!({}),
            // The schema is empty already, so that its name must be wrong.
            Some(_) if is_schema => remove(&mut self.schema, pointer),
            _ => remove(&mut self.schema, &keyword),
        }
    }

    /// The innermost schema around a pointer, and its keyword that leads there.
    fn parent<'p>(&self, pointer: &'p str) -> (&'p str, &'p str) {
        let ends = pointer.rmatch_indices('/').map(|(end, _)| end);
        let mut parents = ends.map(|end| pointer.split_at(end));
        let parent = parents.find(|(parent, _)| self.seen.contains_key(*parent));
        let (parent, rest) = parent.unwrap_or_default();
        let keyword = rest.split('/').nth(1).unwrap_or_default();
        (parent, keyword)
    }

    /// Keeps only the names of the arguments.
    fn keep_names(&mut self) {
        let names = Schema::new(&self.schema).names().into_iter();
        let properties: Map<String, Value> =
            names.map(|name| (name.to_owned(), json!({}))).collect();
        self.schema = json!({ "properties": properties });
    }
}

/// Whether this is the draft that a schema without `$schema` has.
fn is_newest(draft: &Value) -> bool {
    draft
        .as_str()
        .is_some_and(|draft| draft.contains("2020-12"))
}

/// Removes an entry from its object.
fn remove(schema: &mut Value, pointer: &str) {
    let (parent, key) = pointer.rsplit_once('/').unwrap_or_default();
    if let Some(Value::Object(parent)) = schema.pointer_mut(parent) {
        parent.shift_remove(&unescaped(key));
    }
}
