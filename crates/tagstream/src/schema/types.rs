//! The types that a schema declares for an argument, and reading an argument from text.

use crate::json::{Fix, Json, mistake, preview};
use crate::schema::kind::Kind;
use crate::schema::{Constraint, Schema};
use serde_json::Value;
use std::fmt;

/// The types and values that a schema declares for an argument.
///
/// If there are none, anything is allowed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Declared {
    /// The types that any value may have, in the order of the schema.
    kinds: Vec<Kind>,
    /// The values that any value may have, listed one by one.
    literals: Vec<Value>,
}

/// A text that is not what was declared.
#[derive(Debug)]
pub(crate) struct Mismatch {
    /// Why it is not JSON, if it looks as if it should be.
    pub(crate) mistake: Option<String>,
}

/// What a text was read as.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) json: Json,
    /// What had to be repaired.
    pub(crate) fix: Option<Fix>,
}

impl From<Json> for Reading {
    fn from(json: Json) -> Self {
        Reading { json, fix: None }
    }
}

impl Declared {
    /// What a schema declares. If it names no type anywhere, its other keywords imply one.
    pub(crate) fn new(schema: &Schema<'_>) -> Self {
        let declared = Declared::by(schema.constraint(), &Declared::of_keywords);
        if declared.is_open() {
            Declared::by(schema.constraint(), &Declared::implied)
        } else {
            declared
        }
    }

    fn by(constraint: &Constraint<'_>, of_one: &impl Fn(&Value) -> Self) -> Self {
        match constraint {
            Constraint::One(schema) => of_one(schema),
            Constraint::All(list) => {
                let parts = list.iter().map(|part| Declared::by(part, of_one));
                parts.fold(Declared::default(), |all, part| all.and(&part))
            }
            Constraint::Any(list) => {
                let parts = list.iter().map(|part| Declared::by(part, of_one));
                parts.reduce(|any, part| any.or(&part)).unwrap_or_default()
            }
            Constraint::Not(_) => Declared::default(),
        }
    }

    /// What `enum`, `const` and `type` of one schema declare.
    fn of_keywords(schema: &Value) -> Self {
        Declared::by_values(schema).and(&Declared::by_types(schema))
    }

    fn by_values(schema: &Value) -> Self {
        let list = schema.get("enum").and_then(Value::as_array);
        let list = list.into_iter().flatten().cloned().collect();
        let constant = schema.get("const").into_iter().cloned().collect();
        Declared::listed(constant).and(&Declared::listed(list))
    }

    fn by_types(schema: &Value) -> Self {
        let names = match schema.get("type") {
            Some(Value::Array(names)) => names.as_slice(),
            Some(name) => std::slice::from_ref(name),
            None => &[],
        };
        let names = names.iter().filter_map(Value::as_str);
        Declared {
            kinds: names.filter_map(Kind::by_name).collect(),
            ..Declared::default()
        }
    }

    /// What other keywords of one schema imply, if it declares nothing.
    fn implied(schema: &Value) -> Self {
        let mut declared = Declared::of_keywords(schema);
        if declared.is_open() {
            let has = |key: &str| schema.get(key).is_some();
            declared
                .kinds
                .extend(has("properties").then_some(Kind::Object));
            let is_list = has("items") || has("prefixItems");
            declared.kinds.extend(is_list.then_some(Kind::Array));
        }
        declared
    }

    fn listed(literals: Vec<Value>) -> Self {
        Declared {
            literals,
            ..Declared::default()
        }
    }

    /// What both allow. If they contradict each other, this one counts; the check against the whole
    /// schema reports the contradiction.
    pub(crate) fn and(&self, other: &Self) -> Self {
        if self.is_open() || other.is_open() {
            return if self.is_open() { other } else { self }.clone();
        }
        let kinds = self.kinds.iter();
        let kinds = kinds.flat_map(|one| other.kinds.iter().filter_map(|other| one.and(*other)));
        let mut both = Declared::default();
        kinds.for_each(|kind| both.add_kind(kind));
        let own = self.literals.iter().filter(|value| other.takes(value));
        let is_new = |value: &&Value| !self.literals.contains(value);
        let others = other.literals.iter().filter(is_new);
        let others = others.filter(|value| self.takes(value));
        both.literals = own.chain(others).cloned().collect();
        if both.is_open() { self.clone() } else { both }
    }

    /// What one of the two allows.
    pub(crate) fn or(mut self, other: &Self) -> Self {
        if self.is_open() || other.is_open() {
            return Declared::default();
        }
        other.kinds.iter().for_each(|kind| self.add_kind(*kind));
        self.literals.extend_from_slice(&other.literals);
        self
    }

    fn add_kind(&mut self, kind: Kind) {
        if !self.kinds.contains(&kind) {
            self.kinds.push(kind);
        }
    }

    /// Whether only values that are listed one by one are allowed.
    pub(crate) fn is_listed(&self) -> bool {
        self.kinds.is_empty() && !self.literals.is_empty()
    }

    /// Whether anything is allowed.
    pub(crate) fn is_open(&self) -> bool {
        self.kinds.is_empty() && self.literals.is_empty()
    }

    /// Whether a value has a declared type, or is a declared value.
    pub(crate) fn takes(&self, value: &Value) -> bool {
        self.is_open()
            || self.kinds.iter().any(|kind| kind.takes(value))
            || self.literals.iter().any(|literal| same(literal, value))
    }

    /// Whether a text may also be taken as the string that it is.
    pub(crate) fn takes_text(&self, text: &str) -> bool {
        !self.is_open() && self.takes_strings() && self.takes(&Value::from(text))
    }

    /// Any value, each as JSON spells it.
    pub(crate) fn any_value() -> Self {
        Declared {
            kinds: Kind::ALL.to_vec(),
            ..Declared::default()
        }
    }

    /// Whether a list is declared.
    pub(crate) fn has_lists(&self) -> bool {
        self.kinds.contains(&Kind::Array)
    }

    /// Whether an object or a list is declared.
    pub(crate) fn has_containers(&self) -> bool {
        let container = |kind: &Kind| matches!(kind, Kind::Array | Kind::Object);
        self.kinds.iter().any(container)
    }

    pub(crate) fn takes_strings(&self) -> bool {
        self.kinds.contains(&Kind::String) || self.literals.iter().any(Value::is_string)
    }

    /// Whether nothing but a string is allowed.
    pub(crate) fn is_text(&self) -> bool {
        self.takes_strings() && self.other_kinds().is_empty()
    }

    /// The types other than string that a text may be read as, in the order of the schema.
    fn other_kinds(&self) -> Vec<Kind> {
        let literals = self.literals.iter().map(Kind::of);
        let mut kinds: Vec<Kind> = Vec::new();
        for kind in literals.chain(self.kinds.iter().copied()) {
            if kind != Kind::String && !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        kinds
    }

    /// Reads a text.
    ///
    /// If it may also be a string, it is read as another type only if JSON spells it like that.
    pub(crate) fn read(&self, text: &str) -> Result<Reading, Mismatch> {
        let string = Value::from(text);
        let how = if self.takes_strings() { Exact } else { Lenient };
        let mut mistake = None;
        let kinds = self.other_kinds().into_iter();
        let mut readings = kinds.filter_map(|kind| how.read(kind, text, &mut mistake));
        if let Some(reading) = readings.find(|reading| self.takes(&reading.json.value)) {
            return Ok(reading);
        }
        if self.is_open() || self.takes(&string) {
            return Ok(Json::from(string).into());
        }
        Err(Mismatch { mistake })
    }

    /// Converts a JSON value to a declared type, if it spells a value of that type.
    pub(crate) fn coerce(&self, json: &Json) -> Option<Reading> {
        match &json.value {
            Value::String(text) => self.read(text).ok(),
            Value::Number(_) | Value::Bool(_) => {
                let string = Value::from(json.text.as_str());
                self.takes(&string).then(|| Json::from(string).into())
            }
            _ => None,
        }
    }
}

/// How strictly a text is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    /// As JSON spells it, with nothing around it.
    Exact,
    /// Also with white space around it, and as other languages spell it.
    Lenient,
}
use How::{Exact, Lenient};

impl How {
    fn read(self, kind: Kind, text: &str, mistake: &mut Option<String>) -> Option<Reading> {
        let word = if self == Lenient { text.trim() } else { text };
        match kind {
            Kind::Null => self.null(word).then(|| Json::from(Value::Null).into()),
            Kind::Boolean => Some(Json::from(Value::Bool(self.boolean(word)?)).into()),
            Kind::Integer => Some(self.whole(self.number(word)?)?.into()),
            Kind::Number => Some(self.number(word)?.into()),
            Kind::Array => self.container(text, '[', mistake),
            Kind::Object => self.container(text, '{', mistake),
            Kind::String => None,
        }
    }

    /// A JSON array or object. If the text only begins like one, `mistake_out` receives the mistake.
    fn container(
        self,
        text: &str,
        open: char,
        mistake_out: &mut Option<String>,
    ) -> Option<Reading> {
        let begins = |start: char| text.trim_start().starts_with(start);
        let is_lenient = self == Lenient;
        let is_other = is_lenient && (begins('"') || open == '[' && begins('('));
        if !begins(open) && !is_other {
            return None;
        }
        match Json::read_repaired(text) {
            Ok((json, fix)) if is_lenient || fix != Some(Fix::AlmostJson) => {
                if !json.value.is_string() {
                    return Some(Reading { json, fix });
                }
            }
            Ok(_) => {}
            Err(error) if begins(open) => *mistake_out = Some(mistake(&error)),
            Err(_) => {}
        }
        let json = is_lenient.then(|| Json::read_escaped(text)).flatten()?;
        let fix = Some(Fix::Unescaped);
        Some(Reading { json, fix })
    }

    fn null(self, word: &str) -> bool {
        word == "null" || self == Lenient && word == "None"
    }

    fn boolean(self, word: &str) -> Option<bool> {
        let is = |name: &str| word == name || self == Lenient && word.eq_ignore_ascii_case(name);
        is("true").then_some(true).or(is("false").then_some(false))
    }

    fn whole(self, number: Json) -> Option<Json> {
        match self {
            Exact => Some(number).filter(is_digits),
            Lenient => whole(number),
        }
    }

    fn is_number(self, json: &Json) -> bool {
        json.value.is_number() && (self == Lenient || is_exact(json))
    }

    fn number(self, word: &str) -> Option<Json> {
        let digits = word.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
        if !digits || word.ends_with(|c: char| c.is_whitespace()) {
            return None;
        }
        match Json::read(word) {
            Ok(json) => Some(json).filter(|json| self.is_number(json)),
            Err(_) if self == Lenient => other_number(word),
            Err(_) => None,
        }
    }
}

/// Whether a number is spelled as JSON would write it. Otherwise it may be a string that only looks
/// like a number.
fn is_exact(json: &Json) -> bool {
    let written = json.value.to_string();
    written == json.text
}

/// Whether a number is written with digits only.
fn is_digits(number: &Json) -> bool {
    let mut digits = number.text.trim_start_matches('-').bytes();
    digits.all(|byte| byte.is_ascii_digit())
}

/// A number that JSON spells differently: `+5`, `007`, `.5`, `5.`
fn other_number(word: &str) -> Option<Json> {
    if let Ok(whole) = word.parse::<i64>() {
        return Some(Value::from(whole).into());
    }
    let number = word.parse::<f64>().ok().filter(|number| number.is_finite());
    Some(Value::from(number?).into())
}

/// Up to this one, a float represents every whole number exactly.
const MAX_EXACT_WHOLE: f64 = 9_007_199_254_740_992.0;

/// A number as an integer: `5.0` becomes `5`, and one with many digits stays as it is written.
fn whole(number: Json) -> Option<Json> {
    if is_digits(&number) {
        return Some(number);
    }
    let value = number.value.as_f64()?;
    let fits = value.fract() == 0.0 && value.abs() <= MAX_EXACT_WHOLE;
    fits.then(|| Value::from(value as i64).into())
}

/// Whether two values are equal; 1 and 1.0 are.
fn same(a: &Value, b: &Value) -> bool {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => a == b,
        _ => a == b,
    }
}

/// At most this many of the declared values are named in a message.
const MAX_VALUES_NAMED: usize = 20;

impl fmt::Display for Declared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words: Vec<String> = Vec::new();
        match self.literals.as_slice() {
            [] => {}
            [one] => words.push(preview(&one.to_string())),
            list => words.push(format!("one of {}", named(list))),
        }
        words.extend(self.kinds.iter().map(|kind| kind.words().to_owned()));
        f.write_str(&words.join(" or "))
    }
}

/// Declared values, for a message.
pub(crate) fn named(list: &[Value]) -> String {
    let shown = list
        .iter()
        .take(MAX_VALUES_NAMED)
        .map(|value| preview(&value.to_string()));
    let mut words = shown.collect::<Vec<_>>().join(", ");
    if list.len() > MAX_VALUES_NAMED {
        words.push_str(", …");
    }
    words
}
