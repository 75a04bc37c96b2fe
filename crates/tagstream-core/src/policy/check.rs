//! Refuses profiles that cannot work.

use super::{ProfileError, ProfileErrorKind as Kind};
use crate::lexicon::fold;
use crate::profile::{CodeStyle, Element, Limits, Profile, Thinking};
use std::collections::{HashMap, HashSet};

/// No literal needs more. The limit keeps the work per byte small.
const MAX_LITERAL_BYTES: usize = 256;
/// A longer list is a mistake.
const MAX_ENTRIES: usize = 10_000;

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

fn refuse(kind: Kind, key: impl Into<String>, problem: impl Into<String>) -> Checked {
    Err(ProfileError::new(kind, key, problem))
}

/// Each name counts in text, so it may be listed once only.
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
            return refuse(Kind::Duplicate, key, problem);
        }
    }
    Ok(())
}

fn tag_name(key: &str, name: &str) -> Checked {
    let allowed = "allowed are letters, digits, `_`, `-`, `:`, `.` and other characters \
                   except white space and < > / = \" ' `";
    let is_stray = |c: &char| c.is_whitespace() || c.is_control() || "<>/=\"'`".contains(*c);
    let length = name.len();
    let problem = match name.chars().find(is_stray) {
        _ if name.is_empty() => format!("a tag name may not be empty; {allowed}"),
        _ if name == "*" => {
            "`*` is allowed only as the name of an element; name the tags here".to_owned()
        }
        Some(c) => format!("the tag name {name:?} has {c:?} in it; {allowed}"),
        None if length > MAX_LITERAL_BYTES => {
            format!("the tag name has {length} bytes; at most {MAX_LITERAL_BYTES} are allowed")
        }
        None => return Ok(()),
    };
    refuse(Kind::Name, key, problem)
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
            return refuse(Kind::Duplicate, key, problem);
        }
    }
    Ok(())
}

fn literal(key: &str, text: &str, code: CodeStyle) -> Checked {
    let length = text.len();
    if text.is_empty() {
        return refuse(Kind::Literal, key, "a literal may not be empty");
    }
    if length > MAX_LITERAL_BYTES {
        let problem =
            format!("the literal has {length} bytes; at most {MAX_LITERAL_BYTES} are allowed");
        return refuse(Kind::Limit, key, problem);
    }
    if code == CodeStyle::Markdown && text.starts_with(['`', '~']) {
        let problem = format!(
            "the literal {text:?} can never match, because code comes first; \
             let it begin otherwise, or set `code = \"none\"`"
        );
        return refuse(Kind::Conflict, key, problem);
    }
    Ok(())
}

fn starts_open(thinking: &Thinking) -> Checked {
    if thinking.starts_open && thinking.tags.is_empty() && thinking.delimiters.is_empty() {
        return refuse(
            Kind::Missing,
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
        return refuse(Kind::Conflict, key, problem);
    }
    count(key, element.children.len())?;
    let mut seen = HashSet::new();
    for (i, child) in element.children.iter().enumerate() {
        let key = format!("{key}[{i}]");
        tag_name(&key, child)?;
        if !seen.insert(fold(child)) {
            let problem = format!("the child `{child}` is listed twice");
            return refuse(Kind::Duplicate, key, problem);
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
            Kind::Limit,
            format!("limits.{name}"),
            format!("{value} is too small; at least {least} is allowed"),
        ),
        None => Ok(()),
    }
}

fn count(key: &str, entries: usize) -> Checked {
    if entries <= MAX_ENTRIES {
        return Ok(());
    }
    let problem = format!("{entries} entries; at most {MAX_ENTRIES} are allowed");
    refuse(Kind::Limit, key, problem)
}
