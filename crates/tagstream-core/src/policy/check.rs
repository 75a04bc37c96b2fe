//! Checks that a profile can work.

mod dialect;

pub(super) use dialect::dialect;

use super::{ProfileError, ProfileErrorKind as Kind};
use crate::lexicon::fold;
use crate::profile::{CallSettings, CodeStyle, Element, Limits, Profile, Thinking};
use std::collections::{HashMap, HashSet};

/// A cap keeps the work per byte small; no literal needs more.
const MAX_LITERAL_BYTES: usize = 256;
/// A longer list is a mistake.
const MAX_ENTRIES: usize = 10_000;

type Checked = Result<(), ProfileError>;

fn refuse(kind: Kind, key: impl Into<String>, problem: impl Into<String>) -> Checked {
    Err(ProfileError::new(kind, key, problem))
}

pub(super) fn profile(profile: &Profile) -> Checked {
    names(profile)?;
    literals(profile)?;
    starts_open(&profile.thinking)?;
    for (i, element) in profile.elements.iter().enumerate() {
        children(element, &format!("elements[{i}].children"))?;
        nests(element, &format!("elements[{i}].nests"))?;
    }
    limits(&profile.limits)
}

pub(super) fn tools(calls: &CallSettings) -> Checked {
    let mut names = HashSet::new();
    for (i, tool) in calls.tools.iter().enumerate() {
        if !names.insert(&tool.name) {
            let problem = format!("the tool `{}` is declared twice", tool.name);
            return refuse(Kind::Duplicate, format!("calls.tools[{i}].name"), problem);
        }
    }
    Ok(())
}

/// Each name counts in text, so each is in one list only.
fn names(profile: &Profile) -> Checked {
    let mut names = Vec::new();
    for (i, name) in profile.thinking.tags.iter().enumerate() {
        names.push((format!("thinking.tags[{i}]"), name));
    }
    for (i, name) in profile.hide.iter().enumerate() {
        names.push((format!("hide[{i}]"), name));
    }
    for (i, name) in profile.unwrap.iter().enumerate() {
        names.push((format!("unwrap[{i}]"), name));
    }
    for (i, element) in profile.elements.iter().enumerate() {
        names.push((format!("elements[{i}].name"), &element.name));
    }
    count("thinking.tags", names.len())?;
    let mut seen = HashMap::new();
    for (key, name) in &names {
        let is_any_element = key.starts_with("elements") && *name == "*";
        if !is_any_element {
            tag_name(key, name)?;
        }
        if let Some(other) = seen.insert(fold(name), key) {
            let problem = format!(
                "the name `{name}` is used twice, here and in `{other}`; allowed: once in \
                 thinking.tags, hide, unwrap and elements together, without regard to case"
            );
            return refuse(Kind::Duplicate, key, problem);
        }
    }
    Ok(())
}

fn tag_name(key: &str, name: &str) -> Checked {
    let allowed = "allowed: letters, digits, `_`, `-`, `:`, `.` and other characters \
                   except white space and < > / = \" ' `";
    let is_stray = |c: &char| c.is_whitespace() || c.is_control() || "<>/=\"'`".contains(*c);
    if name.is_empty() {
        return refuse(
            Kind::Name,
            key,
            format!("a tag name may not be empty; {allowed}"),
        );
    }
    if name == "*" {
        let problem = "`*` is allowed only as the name of an element; list the names of the tags";
        return refuse(Kind::Name, key, problem);
    }
    if let Some(c) = name.chars().find(is_stray) {
        return refuse(
            Kind::Name,
            key,
            format!("the tag name {name:?} has {c:?} in it; {allowed}"),
        );
    }
    length(key, "tag name", name)
}

fn length(key: &str, what: &str, text: &str) -> Checked {
    let len = text.len();
    if len > MAX_LITERAL_BYTES {
        let problem = format!("the {what} has {len} bytes; allowed: at most {MAX_LITERAL_BYTES}");
        return refuse(Kind::Limit, key, problem);
    }
    Ok(())
}

fn literals(profile: &Profile) -> Checked {
    let delimiters = &profile.thinking.delimiters;
    let mut unique = Vec::new();
    for (i, marker) in profile.markers.iter().enumerate() {
        unique.push((format!("markers[{i}]"), marker));
    }
    for (i, [open, _]) in delimiters.iter().enumerate() {
        unique.push((format!("thinking.delimiters[{i}][0]"), open));
    }
    for (i, [open, _]) in profile.thinking.answers.iter().enumerate() {
        unique.push((format!("thinking.answers[{i}][0]"), open));
    }
    // Several openers may share a closer, and a pair may be the same literal twice.
    let mut closers = Vec::new();
    for (i, [_, close]) in delimiters.iter().enumerate() {
        closers.push((format!("thinking.delimiters[{i}][1]"), close));
    }
    // What ends a section before it, or an answer, may have a meaning of its own.
    let mut ends = Vec::new();
    for (i, text) in profile.thinking.ends_before.iter().enumerate() {
        ends.push((format!("thinking.ends_before[{i}]"), text));
    }
    for (i, [_, close]) in profile.thinking.answers.iter().enumerate() {
        ends.push((format!("thinking.answers[{i}][1]"), close));
    }
    count("markers", unique.len() + closers.len() + ends.len())?;
    for (key, text) in unique.iter().chain(&closers).chain(&ends) {
        literal(key, text, profile.code)?;
    }
    // Of several equal closers, the first is named.
    let closers: HashMap<_, _> = closers
        .iter()
        .rev()
        .map(|(key, text)| (text, key))
        .collect();
    let mut seen = HashMap::new();
    for (key, text) in &unique {
        let closer = closers.get(text).filter(|_| key.starts_with("markers"));
        if let Some(other) = seen.insert(text, key).or(closer.copied()) {
            let problem = format!("the literal {text:?} is used twice, here and in `{other}`");
            return refuse(Kind::Duplicate, key, problem);
        }
    }
    Ok(())
}

fn literal(key: &str, text: &str, code: CodeStyle) -> Checked {
    if text.is_empty() {
        return refuse(Kind::Literal, key, "a literal may not be empty");
    }
    if code == CodeStyle::Markdown && text.starts_with(['`', '~']) {
        let problem = format!(
            "the literal {text:?} can never match, because code has precedence; \
             start it with another character, or set `code = \"none\"`"
        );
        return refuse(Kind::Conflict, key, problem);
    }
    if code == CodeStyle::Markdown && may_cut_code(text) {
        let problem = format!(
            "the literal {text:?} would match a part of what opens code; leave the backticks out, \
             and tildes at the start of a line, or set `code = \"none\"`"
        );
        return refuse(Kind::Conflict, key, problem);
    }
    length(key, "literal", text)
}

/// Whether a literal has something in it that may open code.
fn may_cut_code(literal: &str) -> bool {
    let mut lines = literal.split('\n');
    literal.contains('`') || lines.any(|line| line.trim_start().starts_with('~'))
}

fn starts_open(thinking: &Thinking) -> Checked {
    if thinking.starts_open && thinking.tags.is_empty() && thinking.delimiters.is_empty() {
        let problem = "the section could never end; list its tag in thinking.tags, \
                       or its literals in thinking.delimiters";
        return refuse(Kind::Missing, "thinking.starts_open", problem);
    }
    Ok(())
}

fn children(element: &Element, key: &str) -> Checked {
    if element.name == "*" && !element.children.is_empty() {
        let problem = "the body of an element of any name is raw, so that it has no children; \
                       declare them as elements, or name their parent";
        return refuse(Kind::Conflict, key, problem);
    }
    count(key, element.children.len())?;
    let mut seen = HashSet::new();
    for (i, child) in element.children.iter().enumerate() {
        let key = format!("{key}[{i}]");
        tag_name(&key, child)?;
        if !seen.insert(fold(child)) {
            return refuse(
                Kind::Duplicate,
                key,
                format!("the child `{child}` is listed twice"),
            );
        }
    }
    Ok(())
}

fn nests(element: &Element, key: &str) -> Checked {
    if !element.nests && (element.name == "*" || element.has_child(&element.name)) {
        let problem = "elements of any name, and an element that is its own child, nest; \
                       name the elements that do not, and list no such element as its own child";
        return refuse(Kind::Conflict, key, problem);
    }
    Ok(())
}

fn limits(limits: &Limits) -> Checked {
    // The shortest tag is `<a>`.
    for (key, value, min) in [
        ("limits.tag", limits.tag, 3),
        ("limits.span", limits.span, 1),
        ("limits.lookahead", limits.lookahead, 1),
        ("limits.value", limits.value, 1),
        ("limits.depth", limits.depth, 1),
    ] {
        if value < min {
            return refuse(
                Kind::Limit,
                key,
                format!("{value} is too small; allowed: at least {min}"),
            );
        }
    }
    Ok(())
}

fn count(key: &str, entries: usize) -> Checked {
    if entries > MAX_ENTRIES {
        let problem = format!("{entries} entries are too many; allowed: at most {MAX_ENTRIES}");
        return refuse(Kind::Limit, key, problem);
    }
    Ok(())
}
