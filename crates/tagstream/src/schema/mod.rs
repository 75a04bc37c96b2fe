//! JSON Schemas of arguments: what they require of a value, with references followed and all parts
//! of a schema combined.

mod keywords;
mod kind;
pub(crate) mod reference;
pub(crate) mod repair;
pub(crate) mod shape;
mod spelling;
pub(crate) mod types;
#[cfg(not(feature = "schema"))]
pub(crate) mod unchecked;
#[cfg(feature = "schema")]
pub(crate) mod validate;

#[cfg(not(feature = "schema"))]
pub(crate) use unchecked as validate;

use crate::schema::reference::target;
use crate::schema::validate::Pattern;
use serde_json::Value;

/// At most this many schemas are followed to answer one question. Alternatives can refer to
/// alternatives that refer to others, so that there are more paths than schemas; a schema beyond
/// the limit counts as one that allows anything.
const MAX_STEPS: usize = 10_000;

/// So does a schema that is nested deeper than this.
const MAX_DEPTH: usize = 64;

/// A schema that allows anything.
static ANYTHING: Value = Value::Bool(true);

/// What a schema requires of a value.
#[derive(Clone, Debug)]
pub(crate) enum Constraint<'a> {
    /// The keywords of one schema, except those that apply other schemas to the same value.
    One(&'a Value),
    /// All of these.
    All(Vec<Constraint<'a>>),
    /// One of these.
    Any(Vec<Constraint<'a>>),
    /// The opposite.
    Not(Box<Constraint<'a>>),
}

impl<'a> Constraint<'a> {
    fn all(mut list: Vec<Constraint<'a>>) -> Option<Self> {
        match list.len() {
            0 | 1 => list.pop(),
            _ => Some(Constraint::All(list)),
        }
    }

    fn any(list: Vec<Constraint<'a>>) -> Option<Self> {
        (!list.is_empty()).then_some(Constraint::Any(list))
    }

    /// Calls `visit` with every schema that may apply to the value.
    fn each(&self, visit: &mut impl FnMut(&'a Value)) {
        match self {
            Constraint::One(schema) => visit(schema),
            Constraint::All(list) | Constraint::Any(list) => {
                list.iter().for_each(|constraint| constraint.each(visit));
            }
            Constraint::Not(_) => {}
        }
    }
}

/// A schema inside the schema of a tool's arguments.
#[derive(Clone, Debug)]
pub(crate) struct Schema<'a> {
    root: &'a Value,
    constraint: Constraint<'a>,
}

impl<'a> Schema<'a> {
    pub(crate) fn new(root: &'a Value) -> Self {
        Schema {
            root,
            constraint: Constraint::One(root),
        }
        .at(root)
    }

    /// Another schema of the same document.
    pub(crate) fn at(&self, schema: &'a Value) -> Self {
        let constraint = Expander::new(self.root).expand(schema);
        self.with(constraint.unwrap_or(Constraint::One(&ANYTHING)))
    }

    fn with(&self, constraint: Constraint<'a>) -> Self {
        let root = self.root;
        Schema { root, constraint }
    }

    pub(crate) fn constraint(&self) -> &Constraint<'a> {
        &self.constraint
    }

    /// The names of all properties that it or a part of it names, in order.
    pub(crate) fn names(&self) -> Vec<&'a str> {
        let mut names: Vec<&str> = Vec::new();
        let mut known = std::collections::HashSet::new();
        self.constraint.each(&mut |schema| {
            let own = entries(schema, "properties").map(|(name, _)| name);
            names.extend(own.filter(|name| known.insert(*name)));
        });
        names
    }

    /// Whether it, or a part of it, lists properties, or allows none besides those it lists.
    pub(crate) fn has_properties(&self) -> bool {
        let mut has = false;
        self.constraint.each(&mut |schema| {
            let is_closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
            has |= schema.get("properties").is_some() || is_closed;
        });
        has
    }

    /// Whether it has a schema for properties that it does not name.
    pub(crate) fn takes_others(&self) -> bool {
        let mut takes = false;
        self.constraint.each(&mut |schema| {
            takes |= schema.get("patternProperties").is_some() || others(schema).is_some();
        });
        takes
    }

    /// What is required of the property with this name. An alternative without a schema for it is
    /// left out.
    pub(crate) fn property(&self, name: &str) -> Option<Self> {
        self.part(&|schema| property(schema, name))
    }

    /// What is required of all items of a list.
    pub(crate) fn items(&self) -> Option<Self> {
        let items = |schema: &'a Value| schema.get("items").filter(|items| items.is_object());
        self.part(&|schema| items(schema).into_iter().collect())
    }

    /// What is required of a part of the value; `find` returns the schemas of that part.
    fn part(&self, find: &impl Fn(&'a Value) -> Vec<&'a Value>) -> Option<Self> {
        let constraint = Expander::new(self.root).part(&self.constraint, find)?;
        Some(self.with(constraint))
    }
}

/// Follows the references and combinations of a schema.
struct Expander<'a> {
    root: &'a Value,
    /// The schemas that lead to the current one.
    path: Vec<&'a Value>,
    steps: usize,
}

impl<'a> Expander<'a> {
    fn new(root: &'a Value) -> Self {
        Expander {
            root,
            path: Vec::new(),
            steps: MAX_STEPS,
        }
    }

    /// What a schema requires; `None` if it leads to itself, which adds nothing.
    fn expand(&mut self, schema: &'a Value) -> Option<Constraint<'a>> {
        if self.leads_here(schema) {
            return None;
        }
        if self.steps == 0 || self.path.len() == MAX_DEPTH {
            return Some(Constraint::One(&ANYTHING));
        }
        self.steps -= 1;
        self.path.push(schema);
        let constraint = self.parts(schema);
        self.path.pop();
        constraint
    }

    fn leads_here(&self, schema: &Value) -> bool {
        self.path.iter().any(|known| std::ptr::eq(*known, schema))
    }

    /// What an alternative requires. One that leads back to its own list adds nothing to it.
    fn alternative(&mut self, schema: &'a Value) -> Option<Constraint<'a>> {
        let target = target(self.root, schema);
        let is_circle = target.is_some_and(|target| self.leads_here(target));
        (!is_circle).then(|| self.expand(schema)).flatten()
    }

    fn parts(&mut self, schema: &'a Value) -> Option<Constraint<'a>> {
        let mut all = vec![Constraint::One(schema)];
        all.extend(target(self.root, schema).and_then(|target| self.expand(target)));
        all.extend(list(schema, "allOf").filter_map(|part| self.expand(part)));
        for key in ["anyOf", "oneOf"] {
            let any = list(schema, key).filter_map(|part| self.alternative(part));
            all.extend(Constraint::any(any.collect()));
        }
        all.extend(self.condition(schema));
        for key in ["dependentSchemas", "dependencies"] {
            all.extend(entries(schema, key).filter_map(|(_, part)| self.dependent(part)));
        }
        Constraint::all(all)
    }

    /// What is required only together with another property.
    fn dependent(&mut self, schema: &'a Value) -> Option<Constraint<'a>> {
        let constraint = self.expand(schema).filter(|_| schema.is_object())?;
        Some(Constraint::Any(vec![
            constraint,
            Constraint::One(&ANYTHING),
        ]))
    }

    /// `if` and `then`, or not `if` and `else`.
    fn condition(&mut self, schema: &'a Value) -> Option<Constraint<'a>> {
        let [condition, then, or_else] = ["if", "then", "else"].map(|key| schema.get(key));
        then.or(or_else)?;
        let mut part = |part: Option<&'a Value>| self.expand(part?);
        let condition = part(condition)?;
        let mut holds = vec![condition.clone()];
        holds.extend(part(then));
        let mut fails = vec![Constraint::Not(Box::new(condition))];
        fails.extend(part(or_else));
        Some(Constraint::Any(vec![
            Constraint::All(holds),
            Constraint::All(fails),
        ]))
    }

    fn part(
        &mut self,
        constraint: &Constraint<'a>,
        find: &impl Fn(&'a Value) -> Vec<&'a Value>,
    ) -> Option<Constraint<'a>> {
        match constraint {
            Constraint::One(schema) => {
                let found = find(schema).into_iter();
                Constraint::all(found.filter_map(|schema| self.expand(schema)).collect())
            }
            Constraint::All(list) => Constraint::all(self.parts_of(list, find)),
            Constraint::Any(list) => Constraint::any(self.parts_of(list, find)),
            Constraint::Not(_) => None,
        }
    }

    fn parts_of(
        &mut self,
        list: &[Constraint<'a>],
        find: &impl Fn(&'a Value) -> Vec<&'a Value>,
    ) -> Vec<Constraint<'a>> {
        list.iter()
            .filter_map(|constraint| self.part(constraint, find))
            .collect()
    }
}

/// The schemas in the list under a keyword.
fn list<'a>(schema: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    let list = schema.get(key).and_then(Value::as_array);
    list.into_iter().flatten()
}

/// The schemas under a keyword, by name.
pub(crate) fn entries<'a>(
    schema: &'a Value,
    key: &str,
) -> impl Iterator<Item = (&'a str, &'a Value)> + use<'a> {
    let entries = schema.get(key).and_then(Value::as_object);
    let entries = entries.into_iter().flatten();
    entries.map(|(name, schema)| (name.as_str(), schema))
}

/// The schemas that the keywords of one schema have for a property: by its name, by a pattern, or
/// for all others.
pub(crate) fn property<'a>(schema: &'a Value, name: &str) -> Vec<&'a Value> {
    let own = schema.get("properties").and_then(|own| own.get(name));
    let patterns = entries(schema, "patternProperties");
    let by_pattern = patterns.filter(|(pattern, _)| matches(pattern, name));
    let mut found: Vec<_> = own.into_iter().collect();
    found.extend(by_pattern.map(|(_, schema)| schema));
    if found.is_empty() {
        found.extend(others(schema));
    }
    found
}

/// The schema that the keywords of one schema have for properties that they do not name.
fn others(schema: &Value) -> Option<&Value> {
    let others = schema.get("additionalProperties")?;
    others.is_object().then_some(others)
}

/// Whether a name matches a pattern.
fn matches(pattern: &str, name: &str) -> bool {
    Pattern::new(pattern).is_some_and(|pattern| pattern.matches(name))
}
