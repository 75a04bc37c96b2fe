//! What makes the literals of a dialect impossible that are parts of tags or of JSON.

use super::ProfileError;
use crate::dialect::{Arguments, Dialect};

/// A longer one is none.
const LONGEST: usize = 64;

pub(super) fn check(dialect: &Dialect, key: &str) -> Result<(), ProfileError> {
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
