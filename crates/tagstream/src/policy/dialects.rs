//! What makes it impossible to read calls.

use super::ProfileError;
use crate::dialect::{Arguments, Dialect};
use crate::profile::Calls;

/// A longer one is none.
const LONGEST: usize = 64;

pub(super) fn check(calls: &Calls) -> Result<(), ProfileError> {
    let refuse = |key: String, problem: &str| {
        Err(ProfileError {
            key,
            problem: problem.to_owned(),
        })
    };
    for (i, tool) in calls.tools.iter().enumerate() {
        if calls.tools[..i].iter().any(|other| other.name == tool.name) {
            let problem = format!("the tool `{}` is declared twice", tool.name);
            return refuse(format!("calls.tools[{i}].name"), &problem);
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
                format!("{key}.wrapper.open"),
                "JSON that holds a call needs an opener, or else prose would be taken for calls",
            );
        }
        if !envelope && !named {
            return refuse(
                format!("{key}.call.open"),
                "missing key; it says what opens a call, with {name} where the name stands",
            );
        }
        if !envelope && dialect.wrapper.as_ref().is_some_and(|w| w.several) {
            return refuse(
                format!("{key}.wrapper.several"),
                "this says how JSON that holds calls follows; calls with a head always may",
            );
        }
        literals(dialect, &key)?;
        let strings = dialect
            .wrapper
            .iter()
            .flat_map(|w| w.open.iter().chain(&w.close).chain(&w.ignore));
        let strings = strings.chain(
            dialect
                .call
                .iter()
                .flat_map(|c| c.open.iter().chain(&c.close)),
        );
        if strings.into_iter().any(String::is_empty) {
            return refuse(key, "an opener or closer may not be empty");
        }
    }
    Ok(())
}

/// The literals that are parts of tags or of JSON.
fn literals(dialect: &Dialect, key: &str) -> Result<(), ProfileError> {
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
        } if pair.iter().any(String::is_empty) => Err(ProfileError {
            key: format!("{key}.arguments.json_in"),
            problem: "what opens and what closes the JSON may not be empty".to_owned(),
        }),
        _ => Ok(()),
    }
}

fn literal(text: &str, key: impl Fn() -> String) -> Result<(), ProfileError> {
    let spaced = text.contains(char::is_whitespace);
    if !text.is_empty() && text.len() <= LONGEST && !spaced {
        return Ok(());
    }
    Err(ProfileError {
        key: key(),
        problem: format!("wrong value {text:?}; allowed: 1 to {LONGEST} bytes without white space"),
    })
}

/// Text that is skipped must have a beginning and an end.
fn skip(text: &str, key: impl Fn() -> String) -> Result<(), ProfileError> {
    match text.split_once("{skip}") {
        Some((before, behind)) if before.is_empty() || behind.is_empty() => Err(ProfileError {
            key: key(),
            problem: format!("wrong value {text:?}; allowed: {{skip}} between two literals"),
        }),
        _ => Ok(()),
    }
}
