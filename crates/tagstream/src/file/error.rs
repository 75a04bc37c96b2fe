//! What can be wrong with a data file, in the words of its user.

use std::fmt;

/// What is wrong with the text of a data file: where, which key, and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub(crate) line: Option<usize>,
    pub(crate) key: Option<String>,
    pub(crate) problem: String,
}

impl Error {
    /// The line, counted from 1; `None` if it is about no place in the text.
    #[must_use]
    pub fn line(&self) -> Option<usize> {
        self.line
    }

    /// The key that is to blame, as a path: `thinking.tags[1]`. `None` for a text that is no TOML
    /// or JSON at all.
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

impl fmt::Display for Error {
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

impl std::error::Error for Error {}

/// How serde begins its messages, and how a user of data files would.
const PROBLEMS: [(&str, &str); 7] = [
    ("unknown field", "unknown key"),
    ("unknown variant", "unknown value"),
    ("missing field", "missing key"),
    ("duplicate field", "duplicate key"),
    ("invalid type", "wrong type"),
    ("invalid value", "wrong value"),
    ("invalid length", "wrong length"),
];

/// A message of serde in the words of its user.
pub(super) fn plain(message: &str) -> String {
    // Only the last one: what the user wrote stands before it and may hold anything.
    let (problem, expected) = match message.rsplit_once(", expected ") {
        Some((problem, expected)) => (problem, Some(expected)),
        None => (message, None),
    };
    let words = PROBLEMS.iter().find(|(from, _)| problem.starts_with(from));
    let problem = match words {
        Some((from, to)) => format!("{to}{}", &problem[from.len()..]),
        None => problem.to_owned(),
    };
    match expected {
        Some(expected) => format!("{problem}; allowed: {}", allowed(expected)),
        None => problem,
    }
}

fn allowed(expected: &str) -> String {
    match expected {
        "a sequence" => "a list".to_owned(),
        "a map" => "a table".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "an array of length 2" => "a list of 2 strings".to_owned(),
        "an array of length 3" => "a list of 3 strings".to_owned(),
        "usize" | "u64" => "a whole number, 0 or more".to_owned(),
        "path string" => "a string".to_owned(),
        _ if expected.starts_with("struct ") => "a table".to_owned(),
        _ if expected.starts_with("internally tagged enum ") => "a table".to_owned(),
        _ => expected
            .trim_start_matches("one of ")
            .replace("` or `", "`, `"),
    }
}
