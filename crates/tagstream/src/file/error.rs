//! What can be wrong with a data file, in the words of its user.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use tagstream_core::names::did_you_mean;

/// What is wrong with the text of a data file: the line, the key, and what is allowed.
///
/// [`Display`](fmt::Display) gives the whole message. [`source`](Error::source) is the error it was
/// made from, for programs that look for one type of error.
#[derive(Clone, Debug)]
pub struct FileError {
    kind: FileErrorKind,
    line: Option<usize>,
    key: Option<String>,
    problem: String,
    source: Option<Cause>,
}

/// The error that another one was made from.
pub(crate) type Cause = Arc<dyn Error + Send + Sync>;

/// What kind of mistake a data file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FileErrorKind {
    /// The text is neither TOML nor JSON.
    Syntax,
    /// A key does not exist.
    UnknownKey,
    /// A key is missing.
    MissingKey,
    /// A key is given twice.
    DuplicateKey,
    /// A value is not one of those that are allowed.
    UnknownValue,
    /// A value has the wrong type.
    WrongType,
    /// A value has the right type, but it is not allowed.
    WrongValue,
    /// Each key can be read, but together they cannot work. The source says why.
    Unusable,
}

impl FileError {
    pub(super) fn new(kind: FileErrorKind, problem: String, source: Option<Cause>) -> Self {
        FileError {
            kind,
            line: None,
            key: None,
            problem,
            source,
        }
    }

    /// The error, about this place in the file.
    pub(super) fn at(mut self, line: Option<usize>, key: Option<String>) -> Self {
        self.line = line;
        self.key = key;
        self
    }

    /// What kind of mistake it is.
    #[must_use]
    pub fn kind(&self) -> FileErrorKind {
        self.kind
    }

    /// The line, counted from 1; `None` if the error is not about a place in the text.
    #[must_use]
    pub fn line(&self) -> Option<usize> {
        self.line
    }

    /// The key that is wrong, as a path: `thinking.tags[1]`. `None` for a text that is neither TOML
    /// nor JSON.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    /// What is wrong and what is allowed.
    #[must_use]
    pub fn problem(&self) -> &str {
        &self.problem
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        if let Some(key) = &self.key {
            write!(f, "`{key}`: ")?;
        }
        f.write_str(&self.problem)
    }
}

impl Error for FileError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

/// How serde's messages begin, what a user of data files would call it, and its kind.
const PROBLEMS: [(&str, &str, FileErrorKind); 7] = [
    ("unknown field", "unknown key", FileErrorKind::UnknownKey),
    (
        "unknown variant",
        "unknown value",
        FileErrorKind::UnknownValue,
    ),
    ("missing field", "missing key", FileErrorKind::MissingKey),
    (
        "duplicate field",
        "duplicate key",
        FileErrorKind::DuplicateKey,
    ),
    ("invalid type", "wrong type", FileErrorKind::WrongType),
    ("invalid value", "wrong value", FileErrorKind::WrongValue),
    ("invalid length", "wrong length", FileErrorKind::WrongValue),
];

/// A message of serde in the words of its user, and its kind.
pub(super) fn plain(message: &str) -> (FileErrorKind, String) {
    // Only the last one: what the user wrote is before it and may contain anything.
    let (problem, expected) = match message.rsplit_once(", expected ") {
        Some((problem, expected)) => (problem, Some(expected)),
        None => (message, None),
    };
    let words = PROBLEMS.iter().find(|(from, ..)| problem.starts_with(from));
    let (kind, problem) = match words {
        Some((from, to, kind)) => (*kind, format!("{to}{}", &problem[from.len()..])),
        None => (FileErrorKind::WrongValue, problem.to_owned()),
    };
    match expected {
        Some(expected) => {
            let meant = suggestion(&problem, expected);
            (
                kind,
                format!("{problem}{meant}; allowed: {}", allowed(expected)),
            )
        }
        None => (kind, problem),
    }
}

/// Which of the expected names the one in the message may have been meant to be.
fn suggestion(problem: &str, expected: &str) -> String {
    let mut given = problem.split('`').skip(1).step_by(2);
    let expected = expected.split('`').skip(1).step_by(2);
    given
        .next()
        .map_or(String::new(), |name| did_you_mean(name, expected))
}

fn allowed(expected: &str) -> String {
    match expected {
        "a sequence" => "a list".to_owned(),
        "a map" => "a table".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "an array of length 2" => "a list of 2 strings".to_owned(),
        "an array of length 3" => "a list of 3 strings".to_owned(),
        "usize" | "u64" | "u32" => "a whole number, 0 or more".to_owned(),
        "f64" => "a number".to_owned(),
        "path string" => "a string".to_owned(),
        _ if expected.starts_with("struct ") => "a table".to_owned(),
        _ if expected.starts_with("internally tagged enum ") => "a table".to_owned(),
        _ => expected
            .trim_start_matches("one of ")
            .replace("` or `", "`, `"),
    }
}
