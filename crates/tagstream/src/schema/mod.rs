//! What a JSON Schema says about one value: the one place that follows references and puts the
//! parts of a schema together.

mod keywords;
mod kind;
pub(crate) mod mend;
pub(crate) mod reference;
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

/// How many schemas one may come to with one question. Alternatives can refer to alternatives that
/// refer to others, so that there are more ways than there are schemas; what lies beyond is taken
/// for a schema that says nothing.
const STEPS: usize = 10_000;

/// As for what is nested deeper than this.
const DEPTH: usize = 64;

/// A schema that says nothing.
static ANYTHING: Value = Value::Bool(true);

/// What is said about a value.
#[derive(Clone, Debug)]
pub(crate) enum Said<'a> {
    /// By the keywords of one schema, but for those that bring in other schemas for the same value.
    One(&'a Value),
    /// All of it holds.
    All(Vec<Said<'a>>),
    /// One of it holds.
    Any(Vec<Said<'a>>),
    /// It does not hold.
    Not(Box<Said<'a>>),
}

impl<'a> Said<'a> {
    fn all(mut list: Vec<Said<'a>>) -> Option<Self> {
        match list.len() {
            0 | 1 => list.pop(),
            _ => Some(Said::All(list)),
        }
    }

    fn any(list: Vec<Said<'a>>) -> Option<Self> {
        (!list.is_empty()).then_some(Said::Any(list))
    }

    /// All schemas that say something.
    fn each(&self, tell: &mut impl FnMut(&'a Value)) {
        match self {
            Said::One(schema) => tell(schema),
            Said::All(list) | Said::Any(list) => list.iter().for_each(|said| said.each(tell)),
            Said::Not(_) => {}
        }
    }
}

/// A schema inside the schema of a tool's arguments.
#[derive(Clone, Debug)]
pub(crate) struct Schema<'a> {
    root: &'a Value,
    said: Said<'a>,
}

impl<'a> Schema<'a> {
    pub(crate) fn new(root: &'a Value) -> Self {
        Schema {
            root,
            said: Said::One(root),
        }
        .at(root)
    }

    /// Another schema of the same document.
    pub(crate) fn at(&self, schema: &'a Value) -> Self {
        let said = Expander::new(self.root).expand(schema);
        self.with(said.unwrap_or(Said::One(&ANYTHING)))
    }

    fn with(&self, said: Said<'a>) -> Self {
        let root = self.root;
        Schema { root, said }
    }

    pub(crate) fn said(&self) -> &Said<'a> {
        &self.said
    }

    /// The names of all properties that it or a part of it names, in order.
    pub(crate) fn names(&self) -> Vec<&'a str> {
        let mut names: Vec<&str> = Vec::new();
        let mut known = std::collections::HashSet::new();
        self.said.each(&mut |schema| {
            let own = entries(schema, "properties").map(|(name, _)| name);
            names.extend(own.filter(|name| known.insert(*name)));
        });
        names
    }

    /// Whether it speaks of properties that it does not name.
    pub(crate) fn takes_others(&self) -> bool {
        let mut takes = false;
        self.said.each(&mut |schema| {
            takes |= schema.get("patternProperties").is_some() || others(schema).is_some();
        });
        takes
    }

    /// What is said of the property with this name. An alternative that does not speak of it is
    /// left out.
    pub(crate) fn property(&self, name: &str) -> Option<Self> {
        self.part(&|schema| property(schema, name))
    }

    /// What is said of all that is in a list.
    pub(crate) fn items(&self) -> Option<Self> {
        let items = |schema: &'a Value| schema.get("items").filter(|items| items.is_object());
        self.part(&|schema| items(schema).into_iter().collect())
    }

    /// What is said of a part of the value; `find` gives the schemas of that part.
    fn part(&self, find: &impl Fn(&'a Value) -> Vec<&'a Value>) -> Option<Self> {
        let said = Expander::new(self.root).part(&self.said, find)?;
        Some(self.with(said))
    }
}

/// Follows what a schema leads to.
struct Expander<'a> {
    root: &'a Value,
    /// The schemas that lead here.
    path: Vec<&'a Value>,
    steps: usize,
}

impl<'a> Expander<'a> {
    fn new(root: &'a Value) -> Self {
        Expander {
            root,
            path: Vec::new(),
            steps: STEPS,
        }
    }

    /// What a schema says; `None` if it leads to itself, which says nothing new.
    fn expand(&mut self, schema: &'a Value) -> Option<Said<'a>> {
        if self.leads_here(schema) {
            return None;
        }
        if self.steps == 0 || self.path.len() == DEPTH {
            return Some(Said::One(&ANYTHING));
        }
        self.steps -= 1;
        self.path.push(schema);
        let said = self.parts(schema);
        self.path.pop();
        said
    }

    fn leads_here(&self, schema: &Value) -> bool {
        self.path.iter().any(|known| std::ptr::eq(*known, schema))
    }

    /// What an alternative says. One that leads back to its own list adds nothing to it.
    fn alternative(&mut self, schema: &'a Value) -> Option<Said<'a>> {
        let target = target(self.root, schema);
        let is_circle = target.is_some_and(|target| self.leads_here(target));
        (!is_circle).then(|| self.expand(schema)).flatten()
    }

    fn parts(&mut self, schema: &'a Value) -> Option<Said<'a>> {
        let mut all = vec![Said::One(schema)];
        all.extend(target(self.root, schema).and_then(|target| self.expand(target)));
        all.extend(list(schema, "allOf").filter_map(|part| self.expand(part)));
        for key in ["anyOf", "oneOf"] {
            let any = list(schema, key).filter_map(|part| self.alternative(part));
            all.extend(Said::any(any.collect()));
        }
        all.extend(self.condition(schema));
        for key in ["dependentSchemas", "dependencies"] {
            all.extend(entries(schema, key).filter_map(|(_, part)| self.dependent(part)));
        }
        Said::all(all)
    }

    /// What holds only with another property there, or else nothing.
    fn dependent(&mut self, schema: &'a Value) -> Option<Said<'a>> {
        let said = self.expand(schema).filter(|_| schema.is_object())?;
        Some(Said::Any(vec![said, Said::One(&ANYTHING)]))
    }

    /// `if` with `then`, or else `else`.
    fn condition(&mut self, schema: &'a Value) -> Option<Said<'a>> {
        let [condition, then, or_else] = ["if", "then", "else"].map(|key| schema.get(key));
        then.or(or_else)?;
        let mut part = |part: Option<&'a Value>| self.expand(part?);
        let condition = part(condition)?;
        let mut holds = vec![condition.clone()];
        holds.extend(part(then));
        let mut fails = vec![Said::Not(Box::new(condition))];
        fails.extend(part(or_else));
        Some(Said::Any(vec![Said::All(holds), Said::All(fails)]))
    }

    fn part(
        &mut self,
        said: &Said<'a>,
        find: &impl Fn(&'a Value) -> Vec<&'a Value>,
    ) -> Option<Said<'a>> {
        match said {
            Said::One(schema) => {
                let found = find(schema).into_iter();
                Said::all(found.filter_map(|schema| self.expand(schema)).collect())
            }
            Said::All(list) => Said::all(self.parts_of(list, find)),
            Said::Any(list) => Said::any(self.parts_of(list, find)),
            Said::Not(_) => None,
        }
    }

    fn parts_of(
        &mut self,
        list: &[Said<'a>],
        find: &impl Fn(&'a Value) -> Vec<&'a Value>,
    ) -> Vec<Said<'a>> {
        list.iter()
            .filter_map(|said| self.part(said, find))
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

/// What the keywords of one schema say of a property: by its name, by the form of its name, or of
/// all others.
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

/// What the keywords of one schema say of properties that they do not name.
fn others(schema: &Value) -> Option<&Value> {
    let others = schema.get("additionalProperties")?;
    others.is_object().then_some(others)
}

/// Whether a name is of the form of a pattern.
fn matches(pattern: &str, name: &str) -> bool {
    Pattern::new(pattern).is_some_and(|pattern| pattern.matches(name))
}
