//! The strings of a dialect file, read as what they stand for.

use crate::brackets::Brackets;

/// Markup that a dialect names: a tag, whatever its white space and case, or a literal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Pattern {
    Open(Box<str>),
    Close(Box<str>),
    Literal(Box<str>),
    /// A tag with brackets of its own.
    Bracketed {
        brackets: Brackets,
        closes: bool,
        name: Box<str>,
    },
}

/// What opens a call or an argument, and where its name stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Opening {
    /// `<invoke name="{name}">`
    Attribute { tag: Pattern, attribute: Box<str> },
    /// `<function={name}>`; the tag's name ends with `=`.
    Behind { tag: Pattern },
    /// `<{name}>`, and its brackets if they are others.
    Named(Option<Brackets>),
    /// `<tool_call>{name}`, and what ends the name if that is no tag of the dialect.
    Text {
        opener: Pattern,
        separator: Option<Box<str>>,
        /// What ends the id, where one follows the separator.
        behind_id: Option<Box<str>>,
    },
}

impl Pattern {
    /// Reads markup in a dialect whose tags may have brackets of their own.
    pub(crate) fn read(text: &str, brackets: Option<&Brackets>) -> Pattern {
        let inside = brackets.and_then(|brackets| Some((brackets, brackets.inside(text)?)));
        match inside {
            Some((brackets, (name, closes))) if is_name(name) => {
                Pattern::tag(name, closes, Some(brackets))
            }
            _ => Pattern::read_usual(text),
        }
    }

    /// The tag of this name.
    pub(crate) fn tag(name: &str, closes: bool, brackets: Option<&Brackets>) -> Pattern {
        match (brackets.cloned(), closes) {
            (None, false) => Pattern::Open(name.into()),
            (None, true) => Pattern::Close(name.into()),
            (Some(brackets), closes) => Pattern::Bracketed {
                brackets,
                closes,
                name: name.into(),
            },
        }
    }

    /// The same for all patterns that are found in the same places: without regard to the case of
    /// a name.
    pub(crate) fn folded(&self) -> Pattern {
        match self {
            Pattern::Open(name) => Pattern::Open(name.to_ascii_lowercase().into()),
            Pattern::Bracketed { brackets, name, .. } => Pattern::Bracketed {
                brackets: brackets.clone(),
                closes: false,
                name: name.to_ascii_lowercase().into(),
            },
            other => other.clone(),
        }
    }

    fn read_usual(text: &str) -> Pattern {
        let inner = text.strip_prefix('<').and_then(|t| t.strip_suffix('>'));
        let (name, closes) = match inner.map(|inner| (inner.strip_prefix('/'), inner)) {
            Some((Some(name), _)) => (name, true),
            Some((None, name)) => (name, false),
            None => return Pattern::Literal(text.into()),
        };
        match (is_name(name), closes) {
            (true, true) => Pattern::Close(name.into()),
            (true, false) => Pattern::Open(name.into()),
            (false, _) => Pattern::Literal(text.into()),
        }
    }
}

impl Opening {
    /// Reads a pattern that has `place` once, such as `{name}`.
    pub(crate) fn read(
        text: &str,
        place: &str,
        brackets: Option<&Brackets>,
    ) -> Result<Opening, String> {
        let Some((before, after)) = text.split_once(place) else {
            return Err(format!(
                "{text:?} has no {place} in it, where the name stands"
            ));
        };
        if after.contains(place) {
            return Err(format!(
                "{text:?} has {place} twice; it may stand there once"
            ));
        }
        let (tag, rest, own) = parts(text, place, brackets);
        let token = |tag| Pattern::tag(tag, false, own);
        match (tag, rest) {
            (Some(""), "") => Ok(Opening::Named(own.cloned())),
            (Some(tag), "") if tag.ends_with('=') && !tag.contains(' ') => {
                Ok(Opening::Behind { tag: token(tag) })
            }
            (Some(tag), "\"") => {
                let (tag, attribute) = attribute(tag, text)?;
                Ok(Opening::Attribute {
                    tag: token(tag),
                    attribute: attribute.into(),
                })
            }
            _ if before.is_empty() => Err(format!(
                "{text:?} begins with the name; what opens a call must be told from prose"
            )),
            _ => Opening::text(Pattern::read(before, brackets), after, text),
        }
    }

    /// An opener with the name behind it as text, and perhaps an id.
    fn text(opener: Pattern, after: &str, text: &str) -> Result<Opening, String> {
        let (separator, behind_id) = match after.split_once(ID) {
            None => (after, None),
            Some((before, behind)) if before.is_empty() || behind.is_empty() => {
                return Err(format!(
                    "{text:?} does not say where the id ends; allowed: {ID} between two literals"
                ));
            }
            Some((before, behind)) => (before, Some(behind.into())),
        };
        Ok(Opening::Text {
            opener,
            separator: (!separator.is_empty()).then(|| separator.into()),
            behind_id,
        })
    }
}

/// Where the id stands in what opens a call.
const ID: &str = "{id}";

/// What stands in a tag before the place of the name and behind it, and its brackets if they are
/// none of the usual ones; nothing if the pattern is no tag.
fn parts<'t, 'b>(
    text: &'t str,
    place: &str,
    brackets: Option<&'b Brackets>,
) -> (Option<&'t str>, &'t str, Option<&'b Brackets>) {
    let own = brackets.filter(|b| b.inside(text).is_some_and(|(inner, _)| b.is_one_tag(inner)));
    let inside = match own.and_then(|b| b.inside(text)) {
        Some((inner, closes)) => (!closes).then_some(inner),
        None => text.strip_prefix('<').and_then(|t| t.strip_suffix('>')),
    };
    match inside.and_then(|inner| inner.split_once(place)) {
        Some((before, behind)) => (Some(before), behind, own),
        None => (None, "", None),
    }
}

/// The name of a tag, and that of its attribute whose value follows.
fn attribute<'t>(tag: &'t str, text: &str) -> Result<(&'t str, &'t str), String> {
    let parts = tag.strip_suffix("=\"").and_then(|t| t.rsplit_once(' '));
    match parts {
        Some((tag, attribute)) if !tag.is_empty() && is_name(attribute) => Ok((tag, attribute)),
        _ => Err(format!(
            "{text:?} is no tag with one attribute; allowed: `<tag attribute=\"{{name}}\">`"
        )),
    }
}

/// Whether a tag may have this name without being a literal of its own kind.
fn is_name(name: &str) -> bool {
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let rest = |c: char| c.is_ascii_alphanumeric() || "_:.-".contains(c);
    begins && name.chars().all(rest)
}
