//! The few questions that are asked of a JSON Schema before it is used to check anything.

use serde_json::{Map, Value};
use std::cell::Cell;

/// How many schemas one may come to from the schema of a tool. References can lead in circles,
/// and each round can branch.
const STEPS: usize = 10_000;

/// The steps that are left.
pub(crate) struct Steps(Cell<usize>);

impl Steps {
    pub(crate) fn new() -> Self {
        Steps(Cell::new(STEPS))
    }

    fn take(&self) -> bool {
        let left = self.0.get();
        self.0.set(left.saturating_sub(1));
        left > 0
    }
}

/// A schema inside the schema of a tool's arguments.
#[derive(Clone, Copy)]
pub(crate) struct Schema<'a> {
    root: &'a Value,
    here: &'a Value,
    depth: usize,
    steps: &'a Steps,
}

/// References deeper than this are not followed.
const DEPTH: usize = 32;

impl<'a> Schema<'a> {
    pub(crate) fn new(root: &'a Value, steps: &'a Steps) -> Self {
        Schema {
            root,
            here: root,
            depth: 0,
            steps,
        }
    }

    /// The same schema with all steps ahead: the next question has nothing to do with the last.
    pub(crate) fn rested(self) -> Self {
        self.steps.0.set(STEPS);
        self
    }

    pub(crate) fn get(&self, key: &str) -> Option<&'a Value> {
        self.here.get(key)
    }

    /// A schema that this one leads to.
    fn at(&self, here: &'a Value) -> Option<Self> {
        let schema = Schema {
            here,
            depth: self.depth + 1,
            ..*self
        };
        (self.depth < DEPTH && self.steps.take()).then_some(schema)
    }

    /// The schema that a local reference names.
    pub(crate) fn target(&self) -> Option<Self> {
        let pointer = self.get("$ref")?.as_str()?.strip_prefix('#')?;
        self.at(self.root.pointer(pointer)?)
    }

    /// The schemas in the list under this key.
    pub(crate) fn list(&self, key: &str) -> impl Iterator<Item = Self> + use<'a> {
        let schema = *self;
        let list = self.get(key).and_then(Value::as_array);
        let list = list.into_iter().flatten();
        list.filter_map(move |here| schema.at(here))
    }

    /// The schemas that say more about the same value.
    fn further(&self) -> impl Iterator<Item = Self> + use<'a> {
        let lists = ["allOf", "anyOf", "oneOf"].map(|key| self.list(key));
        self.target().into_iter().chain(lists.into_iter().flatten())
    }

    /// All properties that it or what it refers to names, in order.
    pub(crate) fn properties(&self) -> Vec<(&'a str, Self)> {
        let mut found = Vec::new();
        self.collect_properties(&mut found);
        found
    }

    fn collect_properties(&self, found: &mut Vec<(&'a str, Self)>) {
        let own = self.get("properties").and_then(Value::as_object);
        for (name, here) in own.into_iter().flatten() {
            let is_new = !found.iter().any(|(known, _)| known == name);
            if let Some(schema) = self.at(here).filter(|_| is_new) {
                found.push((name, schema));
            }
        }
        for schema in self.further() {
            schema.collect_properties(found);
        }
    }

    /// The schema of the property with this name, or of those that it does not name.
    pub(crate) fn property(&self, name: &str) -> Option<Self> {
        let own = self.get("properties").and_then(|own| own.get(name));
        own.and_then(|here| self.at(here))
            .or_else(|| self.further().find_map(|schema| schema.property(name)))
            .or_else(|| self.other_properties())
    }

    /// The schema of what is in a list, by it or what it refers to.
    pub(crate) fn items(&self) -> Option<Self> {
        let own = self.get("items").filter(|items| items.is_object());
        match own {
            Some(here) => self.at(here),
            None => self.further().find_map(|schema| schema.items()),
        }
    }

    /// The schema of properties that it does not name.
    pub(crate) fn other_properties(&self) -> Option<Self> {
        let other = self.get("additionalProperties")?;
        self.at(other).filter(|_| other.is_object())
    }
}

/// Keys whose values are data and no schemas.
const DATA: [&str; 4] = ["const", "default", "enum", "examples"];

/// Says `nullable: true`, which is OpenAPI's, in the words of JSON Schema.
pub(crate) fn spell_out_nullable(schema: &mut Value) {
    match schema {
        Value::Array(list) => list.iter_mut().for_each(spell_out_nullable),
        Value::Object(map) => {
            if map.get("nullable") == Some(&Value::Bool(true)) {
                allow_null(map);
            }
            let inner = map
                .iter_mut()
                .filter(|(key, _)| !DATA.contains(&key.as_str()));
            inner.for_each(|(_, value)| spell_out_nullable(value));
        }
        _ => {}
    }
}

fn allow_null(map: &mut Map<String, Value>) {
    if let Some(kind) = map.get_mut("type").filter(|kind| kind.is_string()) {
        *kind = Value::Array(vec![kind.take()]);
    }
    for (key, null) in [("type", Value::from("null")), ("enum", Value::Null)] {
        if let Some(Value::Array(list)) = map.get_mut(key)
            && !list.contains(&null)
        {
            list.push(null);
        }
    }
}
