//! What an argument may be, and reading it from text.

use crate::json::{Json, mistake, preview};
use crate::schema::kind::Kind;
use crate::schema::{Said, Schema};
use serde_json::Value;
use std::fmt;

/// What the schema of an argument says about its type.
///
/// With nothing in it, the schema says nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Declared {
    /// The types that any value may have, in the order of the schema.
    kinds: Vec<Kind>,
    /// The values that are listed one by one.
    literals: Vec<Value>,
}

/// A text that is not what was declared.
#[derive(Debug)]
pub(crate) struct Mismatch {
    /// Why it is no JSON, if it looks as if it were meant to be.
    pub(crate) mistake: Option<String>,
}

/// What a text was read as.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) json: Json,
    /// Whether control characters in its strings had to be escaped.
    pub(crate) escaped: bool,
}

impl From<Json> for Reading {
    fn from(json: Json) -> Self {
        Reading {
            json,
            escaped: false,
        }
    }
}

impl Declared {
    /// What a schema says. Where it names no type anywhere, what it says of parts shows it.
    pub(crate) fn new(schema: &Schema<'_>) -> Self {
        match Declared::said(schema.said(), false) {
            said if said.is_open() => Declared::said(schema.said(), true),
            said => said,
        }
    }

    fn said(said: &Said<'_>, signs: bool) -> Self {
        let each = |list: &[Said<'_>]| {
            let list = list.iter().map(|said| Declared::said(said, signs));
            list.collect::<Vec<_>>()
        };
        match said {
            Said::One(schema) => Declared::own(schema, signs),
            Said::All(list) => {
                let start = Declared::default();
                each(list).iter().fold(start, |all, part| all.and(part))
            }
            Said::Any(list) => {
                let any = each(list).into_iter().reduce(|any, part| any.or(&part));
                any.unwrap_or_default()
            }
            Said::Not(_) => Declared::default(),
        }
    }

    /// What the keywords of one schema say.
    fn own(schema: &Value, signs: bool) -> Self {
        let own = Declared::by_values(schema).and(&Declared::by_types(schema));
        match own.is_open() && signs {
            true => Declared::by_signs(schema),
            false => own,
        }
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
        Declared::of(names.filter_map(Kind::by_name))
    }

    /// A schema that names no type may show it all the same.
    fn by_signs(schema: &Value) -> Self {
        let signs = [
            ("properties", Kind::Object),
            ("items", Kind::Array),
            ("prefixItems", Kind::Array),
        ];
        let signs = signs.iter().filter(|(key, _)| schema.get(key).is_some());
        let mut shown = Declared::default();
        signs.for_each(|(_, kind)| shown.add_kind(*kind));
        shown
    }

    fn of(kinds: impl Iterator<Item = Kind>) -> Self {
        Declared {
            kinds: kinds.collect(),
            ..Declared::default()
        }
    }

    fn listed(literals: Vec<Value>) -> Self {
        Declared {
            literals,
            ..Declared::default()
        }
    }

    /// What both allow. Where they contradict each other, the first one counts, and the schema
    /// tells.
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

    /// What one of the two allows; one that says nothing allows anything.
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

    /// Whether the schema says nothing about the type.
    pub(crate) fn is_open(&self) -> bool {
        self.kinds.is_empty() && self.literals.is_empty()
    }

    /// Whether a value is of a type, or one of the values, that are declared.
    pub(crate) fn takes(&self, value: &Value) -> bool {
        self.is_open()
            || self.kinds.iter().any(|kind| kind.takes(value))
            || self.literals.iter().any(|literal| same(literal, value))
    }

    /// Whether a text is taken as it is, if it must be.
    pub(crate) fn takes_text(&self, text: &str) -> bool {
        !self.is_open() && self.takes_strings() && self.takes(&Value::from(text))
    }

    /// Whether an object or a list is among what is declared.
    pub(crate) fn has_containers(&self) -> bool {
        let container = |kind: &Kind| matches!(kind, Kind::Array | Kind::Object);
        self.kinds.iter().any(container)
    }

    fn takes_strings(&self) -> bool {
        self.kinds.contains(&Kind::String) || self.literals.iter().any(Value::is_string)
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
    /// If it may also be a string, only what is exactly another type is taken for one.
    pub(crate) fn read(&self, text: &str) -> Result<Reading, Mismatch> {
        let string = Value::from(text);
        let how = if self.takes_strings() { Exact } else { Lenient };
        let mut mistake = None;
        for reading in self
            .other_kinds()
            .into_iter()
            .filter_map(|kind| how.read(kind, text, &mut mistake))
        {
            if self.takes(&reading.json.value) {
                return Ok(reading);
            }
        }
        if self.is_open() || self.takes(&string) {
            return Ok(Json::from(string).into());
        }
        Err(Mismatch { mistake })
    }

    /// Brings a JSON value into a declared type, if it reads exactly as one.
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
            Kind::Array => container(text, '[', mistake),
            Kind::Object => container(text, '{', mistake),
            Kind::String => None,
        }
    }

    fn null(self, word: &str) -> bool {
        word == "null" || self == Lenient && word == "None"
    }

    fn boolean(self, word: &str) -> Option<bool> {
        let is = |name: &str| word == name || self == Lenient && word.eq_ignore_ascii_case(name);
        match () {
            () if is("true") => Some(true),
            () if is("false") => Some(false),
            () => None,
        }
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

/// Whether a value is written as its number would be. What is not may be a string that only looks
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

/// A number that JSON would spell otherwise: `+5`, `007`, `.5`, `5.`
fn other_number(word: &str) -> Option<Json> {
    if let Ok(whole) = word.parse::<i64>() {
        return Some(Value::from(whole).into());
    }
    let number = word.parse::<f64>().ok().filter(|number| number.is_finite());
    Some(Value::from(number?).into())
}

/// Up to here every whole number has a value of its own in a float.
const EXACT_WHOLE: f64 = 9_007_199_254_740_992.0;

/// A number as an integer: `5.0` becomes `5`, and one with many digits stays as it is written.
fn whole(number: Json) -> Option<Json> {
    if is_digits(&number) {
        return Some(number);
    }
    let value = number.value.as_f64()?;
    let fits = value.fract() == 0.0 && value.abs() <= EXACT_WHOLE;
    fits.then(|| Value::from(value as i64).into())
}

/// A JSON array or object; if it only begins like one, the mistake is told.
fn container(text: &str, open: char, mistake_out: &mut Option<String>) -> Option<Reading> {
    if !text.trim_start().starts_with(open) {
        return None;
    }
    match Json::read_escaping(text) {
        Ok((json, escaped)) => Some(Reading { json, escaped }),
        Err(error) => {
            *mistake_out = Some(mistake(&error));
            None
        }
    }
}

/// Whether two values are equal; 1 and 1.0 are.
fn same(a: &Value, b: &Value) -> bool {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => a == b,
        _ => a == b,
    }
}

/// How many of the listed values a message names.
const NAMED: usize = 20;

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

/// Listed values, for a message.
pub(crate) fn named(list: &[Value]) -> String {
    let shown = list
        .iter()
        .take(NAMED)
        .map(|value| preview(&value.to_string()));
    let mut words = shown.collect::<Vec<_>>().join(", ");
    if list.len() > NAMED {
        words.push_str(", …");
    }
    words
}
