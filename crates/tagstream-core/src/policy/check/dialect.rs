//! Checks that a dialect can be read. Keys are relative to the dialect.

use super::{Checked, Kind, refuse};
use crate::dialect::{Arguments, Dialect};
use crate::policy::call::Style;
use crate::policy::spellings::{MAX_SPELLINGS, count, spellings};
use crate::profile::CodeStyle;

/// The brackets of tags and the quotes of JSON have at most this many bytes.
const MAX_LITERAL_BYTES: usize = 64;

pub(in crate::policy) fn dialect(dialect: &Dialect, code: CodeStyle) -> Checked {
    openers(dialect)?;
    patterns(dialect)?;
    literals(dialect)?;
    code_comes_first(dialect, code)
}

/// Every call has an opener, of its own or of a wrapper.
fn openers(dialect: &Dialect) -> Checked {
    let wrapper = dialect.wrapper.as_ref();
    let is_wrapped = wrapper.is_some_and(|wrapper| !wrapper.open.is_empty());
    let has_head = dialect.call.as_ref().is_some_and(|c| !c.open.is_empty());
    match Style::of(&dialect.arguments) {
        Style::Envelope | Style::Python if !is_wrapped => refuse(
            Kind::Missing,
            "wrapper.open",
            "JSON or Python that holds a call needs an opener, or prose would be taken for calls; \
             allowed: openers such as \"<tool_call>\"",
        ),
        Style::Python if wrapper.is_none_or(|wrapper| wrapper.close.is_empty()) => refuse(
            Kind::Missing,
            "wrapper.close",
            "missing key; allowed: what closes the calls",
        ),
        Style::Envelope | Style::Python => Ok(()),
        _ if wrapper.is_some_and(|wrapper| wrapper.bare) => refuse(
            Kind::Conflict,
            "wrapper.bare",
            "only for JSON and Python that name the tool; other calls have an opener",
        ),
        _ if !has_head => refuse(
            Kind::Missing,
            "call.open",
            "missing key; allowed: what opens a call, such as \"<call name=\\\"{name}\\\">\"",
        ),
        _ if wrapper.is_some_and(|wrapper| wrapper.several) => refuse(
            Kind::Conflict,
            "wrapper.several",
            "only for JSON that holds calls; calls with a head may always follow each other",
        ),
        _ => Ok(()),
    }
}

/// No opener or closer is empty, or has too many spellings.
fn patterns(dialect: &Dialect) -> Checked {
    for (key, patterns) in lists(dialect) {
        for (i, pattern) in patterns.iter().enumerate() {
            let key = format!("{key}[{i}]");
            let spelled = count(pattern);
            if spelled > MAX_SPELLINGS {
                let problem = format!("{spelled} spellings are too many; allowed: {MAX_SPELLINGS}");
                return refuse(Kind::Limit, key, problem);
            }
            if spellings(pattern).iter().any(String::is_empty) {
                return refuse(Kind::Literal, key, "an opener or closer may not be empty");
            }
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
        Arguments::Elements {
            open,
            close,
            json_in,
            ..
        } => {
            lists.push(("arguments.open", open));
            lists.push(("arguments.close", close));
            lists.extend(json_in.iter().map(|pair| ("arguments.json_in", &pair[..])));
        }
        Arguments::Pairs { key, value, .. } => {
            lists.push(("arguments.key", key));
            lists.push(("arguments.value", value));
        }
        Arguments::Json { .. }
        | Arguments::Envelope { .. }
        | Arguments::Keyed
        | Arguments::Python => {}
    }
    lists
}

/// The literals that are parts of tags, of openers or of JSON.
fn literals(dialect: &Dialect) -> Checked {
    for (i, bracket) in dialect.brackets.iter().flatten().enumerate() {
        literal(&format!("brackets[{i}]"), bracket)?;
    }
    for (i, open) in dialect.wrapper.iter().flat_map(|w| &w.open).enumerate() {
        let parts = open.split_once("{skip}");
        if parts.is_some_and(|(before, after)| before.is_empty() || after.is_empty()) {
            let problem = format!("wrong value {open:?}; allowed: {{skip}} between two literals");
            return refuse(Kind::Literal, format!("wrapper.open[{i}]"), problem);
        }
    }
    match &dialect.arguments {
        Arguments::Json {
            quote: Some(quote), ..
        } => literal("arguments.quote", quote),
        _ => Ok(()),
    }
}

fn literal(key: &str, text: &str) -> Checked {
    let has_space = text.contains(char::is_whitespace);
    if has_space || text.is_empty() || text.len() > MAX_LITERAL_BYTES {
        let allowed = format!("1 to {MAX_LITERAL_BYTES} bytes without white space");
        return refuse(
            Kind::Literal,
            key,
            format!("wrong value {text:?}; allowed: {allowed}"),
        );
    }
    Ok(())
}

/// What opens calls in text does not start like code, which has precedence.
fn code_comes_first(dialect: &Dialect, code: CodeStyle) -> Checked {
    let (key, openers) = match (&dialect.wrapper, &dialect.call) {
        (Some(wrapper), _) => ("wrapper.open", &wrapper.open[..]),
        (None, Some(head)) => ("call.open", &head.open[..]),
        (None, None) => return Ok(()),
    };
    for (i, opener) in openers.iter().enumerate() {
        // A fence may be the format; an opener that is ordinary text counts only for declared tools.
        let is_fence = |text: &str| dialect.plain && text.starts_with("```");
        let is_code = |text: &String| text.starts_with(['`', '~']) && !is_fence(text);
        if code == CodeStyle::Markdown && spellings(opener).iter().any(is_code) {
            let problem = format!(
                "the opener {opener:?} of the dialect `{}` can never match, because code has \
                 precedence; start it with another character, or set `code = \"none\"`",
                dialect.name
            );
            return refuse(Kind::Conflict, format!("{key}[{i}]"), problem);
        }
    }
    Ok(())
}
