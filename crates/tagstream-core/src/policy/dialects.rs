//! Refuses settings of calls, and dialects, that cannot work.

use super::spellings::{MOST, count, spellings};
use super::{ProfileError, ProfileErrorKind as Kind};
use crate::dialect::{Arguments, Dialect};
use crate::profile::{CallSettings, CodeStyle};
use std::collections::HashSet;

/// The longest literal that is part of tags or of JSON.
const MAX_LITERAL_BYTES: usize = 64;

type Checked = Result<(), ProfileError>;

fn refuse(kind: Kind, key: String, problem: impl Into<String>) -> Checked {
    Err(ProfileError::new(kind, key, problem))
}

pub(super) fn check(calls: &CallSettings) -> Checked {
    let mut names = HashSet::new();
    for (i, tool) in calls.tools.iter().enumerate() {
        if !names.insert(&tool.name) {
            let problem = format!("the tool `{}` is declared twice", tool.name);
            return refuse(Kind::Duplicate, format!("calls.tools[{i}].name"), problem);
        }
    }
    for (i, dialect) in calls.dialects.iter().enumerate() {
        let key = format!("calls.dialects[{i}]");
        let opens = dialect.wrapper.as_ref().is_some_and(|w| !w.open.is_empty());
        let named = dialect.call.as_ref().is_some_and(|c| !c.open.is_empty());
        let envelope = matches!(
            dialect.arguments,
            Arguments::Envelope { .. } | Arguments::Keyed
        );
        if envelope && !opens {
            return refuse(
                Kind::Missing,
                format!("{key}.wrapper.open"),
                "JSON that holds a call needs an opener, or else prose would be taken for calls",
            );
        }
        if !envelope && !named {
            return refuse(
                Kind::Missing,
                format!("{key}.call.open"),
                "missing key; it says what opens a call, with {name} where the name stands",
            );
        }
        if !envelope && dialect.wrapper.as_ref().is_some_and(|w| w.several) {
            return refuse(
                Kind::Conflict,
                format!("{key}.wrapper.several"),
                "this says how JSON that holds calls follows; calls with a head always may",
            );
        }
        patterns(dialect, &key)?;
        literals(dialect, &key)?;
    }
    Ok(())
}

/// What opens calls in text may not begin like code, which comes first.
pub(super) fn check_openers(calls: &CallSettings, code: CodeStyle) -> Checked {
    if code == CodeStyle::None {
        return Ok(());
    }
    for (i, dialect) in calls.dialects.iter().enumerate() {
        let (part, openers) = match (&dialect.wrapper, &dialect.call) {
            (Some(wrapper), _) => ("wrapper", &wrapper.open),
            (None, Some(head)) => ("call", &head.open),
            (None, None) => continue,
        };
        for (j, opener) in openers.iter().enumerate() {
            if spellings(opener)
                .iter()
                .any(|text| text.starts_with(['`', '~']))
            {
                return refuse(
                    Kind::Conflict,
                    format!("calls.dialects[{i}].{part}.open[{j}]"),
                    format!(
                        "the opener {opener:?} of the dialect `{}` can never match, because code \
                         comes first; let it begin otherwise, or set `code = \"none\"`",
                        dialect.name
                    ),
                );
            }
        }
    }
    Ok(())
}

/// No opener or closer may be empty, or stand for too many.
fn patterns(dialect: &Dialect, key: &str) -> Checked {
    for (list, patterns) in lists(dialect) {
        for (i, pattern) in patterns.iter().enumerate() {
            let problem = match count(pattern) {
                0..=MOST if !spellings(pattern).iter().any(String::is_empty) => continue,
                0..=MOST => "an opener or closer may not be empty".to_owned(),
                _ => format!("it stands for too many spellings; allowed: {MOST}"),
            };
            let key = format!("{key}.{list}[{i}]");
            return refuse(Kind::Literal, key, problem);
        }
    }
    Ok(())
}

/// The keys of a dialect that have lists of patterns, and these.
fn lists(dialect: &Dialect) -> Vec<(&'static str, &[String])> {
    let mut lists: Vec<(&str, &[String])> = Vec::new();
    if let Some(wrapper) = &dialect.wrapper {
        lists.push(("wrapper.open", &wrapper.open));
        lists.push(("wrapper.close", &wrapper.close));
        lists.push(("wrapper.ignore", &wrapper.ignore));
    }
    if let Some(head) = &dialect.call {
        lists.push(("call.open", &head.open));
        lists.push(("call.close", &head.close));
    }
    match &dialect.arguments {
        Arguments::Elements { open, close, .. } => {
            lists.push(("arguments.open", open));
            lists.push(("arguments.close", close));
        }
        Arguments::Pairs { key, value, .. } => {
            lists.push(("arguments.key", key));
            lists.push(("arguments.value", value));
        }
        _ => {}
    }
    lists
}

/// The literals that are parts of tags or of JSON.
fn literals(dialect: &Dialect, key: &str) -> Checked {
    for (i, bracket) in dialect.brackets.iter().flatten().enumerate() {
        literal(bracket, || format!("{key}.brackets[{i}]"))?;
    }
    for (i, open) in dialect.wrapper.iter().flat_map(|w| &w.open).enumerate() {
        skip(open, || format!("{key}.wrapper.open[{i}]"))?;
    }
    match &dialect.arguments {
        Arguments::Json {
            quote: Some(quote), ..
        } => literal(quote, || format!("{key}.arguments.quote")),
        Arguments::Elements {
            json_in: Some(pair),
            ..
        } if pair.iter().any(String::is_empty) => refuse(
            Kind::Literal,
            format!("{key}.arguments.json_in"),
            "what opens and what closes the JSON may not be empty",
        ),
        _ => Ok(()),
    }
}

fn literal(text: &str, key: impl Fn() -> String) -> Checked {
    let spaced = text.contains(char::is_whitespace);
    if !text.is_empty() && text.len() <= MAX_LITERAL_BYTES && !spaced {
        return Ok(());
    }
    let problem = format!(
        "wrong value {text:?}; allowed: 1 to {MAX_LITERAL_BYTES} bytes without white space"
    );
    refuse(Kind::Literal, key(), problem)
}

/// Text that is skipped must have a beginning and an end.
fn skip(text: &str, key: impl Fn() -> String) -> Checked {
    match text.split_once("{skip}") {
        Some((before, after)) if before.is_empty() || after.is_empty() => {
            let problem = format!("wrong value {text:?}; allowed: {{skip}} between two literals");
            refuse(Kind::Literal, key(), problem)
        }
        _ => Ok(()),
    }
}
