//! What makes a profile impossible.

use super::ProfileError;
use crate::lexicon::fold;
use crate::profile::{CodeStyle, Element, Limits, Profile, Thinking};
use std::collections::{HashMap, HashSet};

/// No literal needs more; a cap keeps the work per byte small.
const LONGEST_LITERAL: usize = 256;
/// A longer list is a mistake.
const MOST_ENTRIES: usize = 10_000;

type Checked = Result<(), ProfileError>;

pub(super) fn profile(profile: &Profile) -> Checked {
    names(profile)?;
    literals(profile)?;
    starts_open(&profile.thinking)?;
    for (i, element) in profile.elements.iter().enumerate() {
        children(element, &format!("elements[{i}].children"))?;
    }
    limits(&profile.limits)
}

fn refuse(key: impl Into<String>, problem: impl Into<String>) -> Checked {
    Err(ProfileError {
        key: key.into(),
        problem: problem.into(),
    })
}

/// Each name counts in text, so each may stand in one place only.
fn names(profile: &Profile) -> Checked {
    let list = |key: &str, names: &[String]| -> Vec<(String, String)> {
        let keyed = |(i, name): (usize, &String)| (format!("{key}[{i}]"), name.clone());
        names.iter().enumerate().map(keyed).collect()
    };
    let mut all = list("thinking.tags", &profile.thinking.tags);
    all.extend(list("hide", &profile.hide));
    let elements = profile.elements.iter().enumerate();
    all.extend(elements.map(|(i, e)| (format!("elements[{i}].name"), e.name.clone())));
    count("thinking.tags", all.len())?;
    let mut seen = HashMap::new();
    for (key, name) in &all {
        let may_be_any = key.starts_with("elements") && name == "*";
        if !may_be_any {
            tag_name(key, name)?;
        }
        if let Some(other) = seen.insert(fold(name), key) {
            let problem = format!(
                "the name `{name}` is used twice, here and in `{other}`; \
                 a name may stand in one of thinking.tags, hide and elements, without regard to case"
            );
            return refuse(key, problem);
        }
    }
    Ok(())
}

fn tag_name(key: &str, name: &str) -> Checked {
    let allowed = "allowed are letters, digits, `_`, `-`, `:`, `.` and other characters \
                   except white space and < > / = \" ' `";
    let stray = |c: char| c.is_whitespace() || c.is_control() || "<>/=\"'`".contains(c);
    match name.chars().find(|c| stray(*c)) {
        _ if name.is_empty() => refuse(key, format!("a tag name may not be empty; {allowed}")),
        _ if name == "*" => refuse(
            key,
            "`*` is allowed only as the name of an element; name the tags here",
        ),
        Some(c) => refuse(
            key,
            format!("the tag name {name:?} has {c:?} in it; {allowed}"),
        ),
        None if name.len() > LONGEST_LITERAL => refuse(
            key,
            format!(
                "the tag name has {} bytes; at most {LONGEST_LITERAL} are allowed",
                name.len()
            ),
        ),
        None => Ok(()),
    }
}

fn literals(profile: &Profile) -> Checked {
    let mut all = Vec::new();
    for (i, marker) in profile.markers.iter().enumerate() {
        all.push((format!("markers[{i}]"), marker));
    }
    for (i, [open, _]) in profile.thinking.delimiters.iter().enumerate() {
        all.push((format!("thinking.delimiters[{i}][0]"), open));
    }
    // Several openers may share a closer, and a pair may be the same literal twice.
    let closers = profile.thinking.delimiters.iter().enumerate();
    let closers = closers.map(|(i, [_, close])| (format!("thinking.delimiters[{i}][1]"), close));
    let closers: Vec<_> = closers.collect();
    count("markers", all.len() + closers.len())?;
    for (key, text) in all.iter().chain(&closers) {
        literal(key, text, profile.code)?;
    }
    let by_text = |(key, text): &(String, &String)| ((*text).clone(), key.clone());
    // Of several closers, the first is named.
    let closing: HashMap<_, _> = closers.iter().rev().map(by_text).collect();
    let mut seen = HashMap::new();
    for (key, text) in &all {
        let closer = closing.get(*text).filter(|_| key.starts_with("markers"));
        if let Some(other) = seen.insert(text, key).or(closer) {
            let problem = format!("the literal {text:?} is used twice, here and in `{other}`");
            return refuse(key, problem);
        }
    }
    Ok(())
}

fn literal(key: &str, text: &str, code: CodeStyle) -> Checked {
    if text.is_empty() {
        return refuse(key, "a literal may not be empty");
    }
    if text.len() > LONGEST_LITERAL {
        let problem = format!(
            "the literal has {} bytes; at most {LONGEST_LITERAL} are allowed",
            text.len()
        );
        return refuse(key, problem);
    }
    if code == CodeStyle::Markdown && text.starts_with(['`', '~']) {
        let problem = format!(
            "the literal {text:?} can never match, because code comes first; \
             let it begin otherwise, or set `code = \"none\"`"
        );
        return refuse(key, problem);
    }
    Ok(())
}

fn starts_open(thinking: &Thinking) -> Checked {
    if thinking.starts_open && thinking.tags.is_empty() && thinking.delimiters.is_empty() {
        return refuse(
            "thinking.starts_open",
            "the section could never end; list its tag in thinking.tags, or its literals in thinking.delimiters",
        );
    }
    Ok(())
}

fn children(element: &Element, key: &str) -> Checked {
    if element.name == "*" && !element.children.is_empty() {
        let problem = "an element of any name has no children that could be reached: its body is raw; \
                       declare the children as elements, or name their parent";
        return refuse(key, problem);
    }
    count(key, element.children.len())?;
    let mut seen = HashSet::new();
    for (i, child) in element.children.iter().enumerate() {
        let key = format!("{key}[{i}]");
        tag_name(&key, child)?;
        if !seen.insert(fold(child)) {
            return refuse(key, format!("the child `{child}` is listed twice"));
        }
    }
    Ok(())
}

fn limits(limits: &Limits) -> Checked {
    // The shortest tag is `<a>`.
    let least = [
        ("tag", limits.tag, 3),
        ("span", limits.span, 1),
        ("lookahead", limits.lookahead, 1),
        ("value", limits.value, 1),
        ("depth", limits.depth, 1),
    ];
    match least.iter().find(|(_, value, least)| value < least) {
        Some((name, value, least)) => refuse(
            format!("limits.{name}"),
            format!("{value} is too small; at least {least} is allowed"),
        ),
        None => Ok(()),
    }
}

fn count(key: &str, entries: usize) -> Checked {
    match entries > MOST_ENTRIES {
        true => refuse(
            key,
            format!("{entries} entries; at most {MOST_ENTRIES} are allowed"),
        ),
        false => Ok(()),
    }
}
