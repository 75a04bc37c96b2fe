//! Judging one call: each argument by itself, then all of them together.

#[cfg(not(feature = "schema"))]
mod names;
#[cfg(feature = "schema")]
mod violations;

use crate::check::arguments::{Arguments, Given, Written};
use crate::check::{CallErrorCode, Problem, Settings, ToolCheck, Verdict};
use crate::json::{Fix, Json, mistake, preview};
use crate::schema::shape::{self, Way};
use crate::schema::types::{Declared, Mismatch, Reading};
#[cfg(feature = "schema")]
use crate::schema::validate::explain::Explainer;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::HashSet;
use tagstream_core::names::{listed, similar};

/// At most this many problems of one call are reported.
const MAX_PROBLEMS: usize = 32;

/// At most this many arguments are tried as strings instead of what they were read as.
const MAX_STRINGS: usize = 16;

/// The judge of one call.
pub(crate) struct Judge<'a> {
    tool: &'a ToolCheck,
    settings: Settings,
    arguments: Arguments,
    values: Vec<(String, Json)>,
    problems: Vec<Problem>,
    /// The arguments that are wrong by themselves.
    wrong: HashSet<String>,
    /// What has been reported about which name, so that it is reported once.
    reported: HashSet<(CallErrorCode, String)>,
    #[cfg(feature = "schema")]
    explainer: Explainer<'a>,
}

impl<'a> Judge<'a> {
    pub(crate) fn new(tool: &'a ToolCheck, settings: Settings, arguments: Arguments) -> Self {
        Judge {
            tool,
            settings,
            arguments,
            values: Vec::new(),
            problems: Vec::new(),
            wrong: HashSet::new(),
            reported: HashSet::new(),
            #[cfg(feature = "schema")]
            explainer: Explainer::new(tool.whole.parts.as_ref()),
        }
    }

    pub(crate) fn verdict(mut self) -> Verdict {
        self.drop_undeclared();
        for (given, read) in self.best() {
            self.argument(given, read);
        }
        self.together();
        self.problems.truncate(MAX_PROBLEMS);
        if self.problems.is_empty() {
            Verdict::valid(object(&self.values), self.arguments.repaired)
        } else {
            Verdict::Invalid(self.problems)
        }
    }

    fn drop_undeclared(&mut self) {
        let (tool, arguments) = (self.tool, &mut self.arguments);
        let dropped = arguments
            .given
            .extract_if(.., |given| tool.drops(&given.name));
        let words = |given: Given| {
            format!(
                "the argument `{}` is not declared and was left out",
                given.name
            )
        };
        arguments.repaired.extend(dropped.map(words));
    }

    /// All arguments as the first alternative reads them for which they are valid; if there is
    /// none, as the best fit reads them.
    fn best(&mut self) -> Vec<(Given, Read<'a>)> {
        let ways = self.tool.shape.ways(self);
        let mut best = None;
        for way in &ways {
            let mut read = self.read(way);
            let is_sure = ways.len() == 1 && read.iter().all(|read| read.string.is_none());
            if is_sure || self.is_right(&read) || self.is_right_with_strings(&mut read) {
                best = Some(read);
                break;
            }
            best.get_or_insert(read);
        }
        let given = std::mem::take(&mut self.arguments.given);
        given.into_iter().zip(best.unwrap_or_default()).collect()
    }

    /// Whether the arguments are valid if one of them, or all of them, is taken as the string that
    /// it may also be. If so, `read` is changed accordingly.
    fn is_right_with_strings(&self, read: &mut [Read<'a>]) -> bool {
        let indexes = (0..read.len()).filter(|at| read[*at].string.is_some());
        let indexes: Vec<_> = indexes.take(MAX_STRINGS).collect();
        let each = indexes.iter().map(std::slice::from_ref);
        let all = (indexes.len() > 1).then_some(indexes.as_slice());
        for indexes in each.chain(all) {
            let swap = |read: &mut [Read<'a>]| indexes.iter().for_each(|at| read[*at].swap());
            swap(read);
            if self.is_right(read) {
                return true;
            }
            swap(read);
        }
        false
    }

    /// Reads each argument by itself.
    fn read(&self, way: &Way<'a>) -> Vec<Read<'a>> {
        let given = self.arguments.given.iter();
        given.map(|given| self.read_one(given, way)).collect()
    }

    fn read_one(&self, given: &Given, way: &Way<'a>) -> Read<'a> {
        if let Some(declared) = way.declared(&given.name) {
            let result = self.read_as(given, &declared);
            let string = given.value.as_string(&declared, &result);
            return Read {
                declared,
                result,
                string,
            };
        }
        // An alternative that may not apply refuses nothing.
        let possible = way.possible(&given.name);
        let possible = possible.and_then(|declared| self.read_as(given, &declared).ok());
        let declared = Cow::Owned(Declared::default());
        let result = possible.map_or_else(|| self.read_as(given, &declared), Ok);
        Read {
            declared,
            result,
            string: None,
        }
    }

    /// Reads what was given for an argument: the last value by itself or, where a list is declared, all
    /// values together.
    fn read_as(&self, given: &Given, declared: &Declared) -> Result<Reading, Wrong> {
        let read = self.read_value(&given.name, &given.value, declared);
        match read {
            Err(wrong) => self.read_list(given, declared).ok_or(wrong),
            read => read,
        }
    }

    /// Reads values that are the items of the list that is declared.
    fn read_list(&self, given: &Given, declared: &Declared) -> Option<Reading> {
        let fix = if !given.earlier.is_empty() {
            Fix::Several
        } else if self.settings.wrap_single {
            Fix::Single
        } else {
            return None;
        };
        let items = declared.has_lists().then(|| self.tool.items(&given.name))?;
        let values = given.earlier.iter().chain([&given.value]);
        let read = |value| self.read_value(&given.name, value, &items).ok();
        let list: Option<Vec<_>> = values.map(|value| Some(read(value)?.json)).collect();
        Some(Reading {
            json: Json::list(list?),
            fix: Some(fix),
        })
    }

    fn read_value(
        &self,
        name: &str,
        value: &Written,
        declared: &Declared,
    ) -> Result<Reading, Wrong> {
        match value {
            Written::Json(json) => self.read_json(declared, json),
            Written::Words(words) if declared.takes_text(words) => Ok(Json::string(words).into()),
            Written::Words(_) => Err(Wrong::Json("a string has quotes".to_owned())),
            Written::Text { text, is_string } => match self.read_tags(name, declared, text) {
                Some(reading) => Ok(reading),
                None => self.read_text(declared, text, *is_string),
            },
        }
    }

    /// Reads a value that was written as text.
    fn read_text(
        &self,
        declared: &Declared,
        text: &str,
        is_string: Option<bool>,
    ) -> Result<Reading, Wrong> {
        if is_string == Some(false) {
            match Json::read_repaired(text) {
                Ok((json, fix)) if declared.takes(&json.value) => {
                    return Ok(Reading { json, fix });
                }
                Err(error) if declared.is_open() => return Err(Wrong::Json(mistake(&error))),
                _ => {}
            }
        }
        let infers = self.settings.infer_types && declared.is_open() && is_string != Some(true);
        let read = if infers {
            Declared::any_value().read(text)
        } else {
            declared.read(text)
        };
        read.map_err(Wrong::Type)
    }

    /// Whether arguments that were read like this are valid, each by itself and all together.
    fn is_right(&self, read: &[Read<'_>]) -> bool {
        let given = self.arguments.given.iter().zip(read);
        let entry = |(given, read): (&Given, &Read<'_>)| {
            let reading = read.result.as_ref().ok()?;
            Some((given.name.clone(), reading.json.value.clone()))
        };
        let Some(all) = given.map(entry).collect::<Option<Map<_, _>>>() else {
            return false;
        };
        self.tool.whole.fits(&Value::Object(all))
    }

    /// Judges one argument by itself.
    fn argument(&mut self, given: Given, read: Read<'_>) {
        if self.tool.rejects(&given.name) {
            self.unknown_argument(&given.name);
            self.wrong.insert(given.name.clone());
        }
        let json = match read.result {
            Ok(reading) => self.take(&given.name, !given.earlier.is_empty(), reading),
            Err(wrong) => {
                let json = given.value.into_json();
                self.wrong.insert(given.name.clone());
                self.problems
                    .push(wrong.problem(&given.name, &json, &read.declared));
                json
            }
        };
        self.values.push((given.name, json));
    }

    fn take(&mut self, name: &str, is_repeated: bool, reading: Reading) -> Json {
        if is_repeated && reading.fix != Some(Fix::Several) {
            self.arguments.repair(format!(
                "the argument `{name}` was given twice; the last one counts"
            ));
        }
        if let Some(fix) = reading.fix {
            let words = fix.words();
            self.arguments.repair(format!("argument `{name}`: {words}"));
        }
        match self.tool.pruned(name, &reading.json) {
            Some((json, path)) => {
                let words = format!("`{path}` is not declared and was left out");
                self.arguments.repair(words);
                json
            }
            None => reading.json,
        }
    }

    fn read_json(&self, declared: &Declared, json: &Json) -> Result<Reading, Wrong> {
        if declared.takes(&json.value) {
            return Ok(json.clone().into());
        }
        let coerced = self
            .settings
            .coerce
            .then(|| declared.coerce(json))
            .flatten();
        coerced.ok_or(Wrong::Type(Mismatch { mistake: None }))
    }

    /// Reads tags in a text as the object or the list that is declared. In a dialect whose values are
    /// not written as tags, only what cannot be a string is read so, and that is a repair.
    fn read_tags(&self, name: &str, declared: &Declared, text: &str) -> Option<Reading> {
        if !declared.has_containers() {
            return None;
        }
        if let Some(brackets) = &self.arguments.brackets {
            let json = self.tool.read_tags(name, text, brackets)?;
            return Some(json.into());
        }
        let may_be_tags = text.trim_start().starts_with('<') && !declared.takes_strings();
        let usual = || ["<", "</", ">"].map(str::to_owned);
        let json = may_be_tags.then(|| self.tool.read_tags(name, text, &usual()))?;
        let fix = Some(Fix::Tags);
        json.map(|json| Reading { json, fix })
    }

    fn missing(&mut self, name: &str) {
        let message = format!("missing required argument `{name}`");
        self.problem_once(CallErrorCode::MissingRequired, name, message);
    }

    fn unknown_argument(&mut self, name: &str) {
        let message = unknown(name, self.tool);
        self.problem_once(CallErrorCode::UnknownArgument, name, message);
    }

    /// Reports what several parts of a schema, or a schema and a setting, can both find, once.
    fn problem_once(&mut self, code: CallErrorCode, name: &str, message: String) {
        if self.reported.insert((code, name.to_owned())) {
            self.problem(code, Some(name), message);
        }
    }

    fn problem(&mut self, code: CallErrorCode, argument: Option<&str>, message: String) {
        self.problems.push(Problem::new(code, argument, message));
    }
}

impl shape::Given for Judge<'_> {
    fn names(&self) -> Box<dyn Iterator<Item = &str> + '_> {
        Box::new(self.arguments.given.iter().map(|given| given.name.as_str()))
    }

    fn fits(&self, index: usize, declared: &Declared) -> bool {
        self.read_as(&self.arguments.given[index], declared).is_ok()
    }
}

/// An argument, read as what is declared.
struct Read<'a> {
    declared: Cow<'a, Declared>,
    result: Result<Reading, Wrong>,
    /// The text itself, if it was read as something else and may also be a string.
    string: Option<Json>,
}

impl Read<'_> {
    /// Exchanges the string and what was read.
    fn swap(&mut self) {
        if let (Some(string), Ok(reading)) = (&mut self.string, &mut self.result) {
            std::mem::swap(string, &mut reading.json);
        }
    }
}

impl Written {
    /// The text, if it was read as something else and may also be a string.
    fn as_string(&self, declared: &Declared, read: &Result<Reading, Wrong>) -> Option<Json> {
        let read = read.as_ref().ok()?;
        match self {
            Written::Text { text, .. } if !read.json.value.is_string() => {
                declared.takes_text(text).then(|| Json::string(text))
            }
            _ => None,
        }
    }

    /// The value as it is, whatever is declared.
    fn into_json(self) -> Json {
        match self {
            Written::Text { text, .. } | Written::Words(text) => Json::string(&text),
            Written::Json(json) => json,
        }
    }
}

/// Why an argument cannot be read.
enum Wrong {
    /// It is not JSON, for this reason.
    Json(String),
    /// It does not have a declared type.
    Type(Mismatch),
}

impl Wrong {
    fn problem(self, name: &str, json: &Json, declared: &Declared) -> Problem {
        let got = preview(&json.text);
        let (code, message) = match self {
            Wrong::Json(mistake) => (
                CallErrorCode::InvalidJson,
                format!("argument `{name}`: expected JSON, got {got} ({mistake})"),
            ),
            Wrong::Type(Mismatch { mistake }) => {
                let mistake = mistake.map_or(String::new(), |mistake| format!(" ({mistake})"));
                (
                    CallErrorCode::TypeMismatch,
                    format!("argument `{name}`: expected {declared}, got {got}{mistake}"),
                )
            }
        };
        Problem::new(code, Some(name), message)
    }
}

/// The message about an argument that is not declared. A similar name is suggested, but never used
/// instead.
fn unknown(name: &str, tool: &ToolCheck) -> String {
    let hint = similar(name, tool.names());
    let hint = hint.map_or(String::new(), |known| format!("; did you mean `{known}`?"));
    let known = listed(tool.names());
    let allowed = if known.is_empty() {
        "no arguments are allowed".to_owned()
    } else {
        format!("allowed: {known}")
    };
    let separator = if hint.is_empty() { "; " } else { " " };
    format!("unknown argument `{name}`{hint}{separator}{allowed}")
}

/// The text of a JSON object with these entries.
fn object(entries: &[(String, Json)]) -> String {
    let entry =
        |(name, json): &(String, Json)| format!("{}:{}", Value::from(name.as_str()), json.text);
    let entries: Vec<_> = entries.iter().map(entry).collect();
    format!("{{{}}}", entries.join(","))
}
