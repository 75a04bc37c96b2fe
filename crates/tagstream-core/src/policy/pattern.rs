//! The strings of a dialect file, read as what they stand for.

use crate::brackets::Brackets;

/// Markup that a dialect names: a tag, whatever its white space and case, or a literal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Pattern {
    Tag {
        brackets: Brackets,
        closes: bool,
        name: Box<str>,
    },
    Literal(Box<str>),
}

/// What opens a call or an argument, and where its name is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Opening {
    /// `<invoke name="{name}">`
    Attribute { tag: Pattern, attribute: Box<str> },
    /// `<function={name}>`; the tag's name ends with `=`.
    After { tag: Pattern },
    /// `<{name}>`, and the brackets if they are the dialect's own.
    Named(Option<Brackets>),
    /// `<tool_call>{name}`, and what ends the name if that is not a tag of the dialect.
    Text {
        opener: Pattern,
        separator: Option<Box<str>>,
        /// What ends the id, where one follows the separator.
        after_id: Option<Box<str>>,
    },
}

impl Pattern {
    /// Reads markup in a dialect whose tags may have brackets of their own.
    pub(crate) fn read(text: &str, own: Option<&Brackets>) -> Pattern {
        for brackets in own.into_iter().chain([&Brackets::USUAL]) {
            if let Some((name, closes)) = brackets.inside(text).filter(|(name, _)| is_name(name)) {
                return Pattern::tag(name, closes, brackets);
            }
        }
        Pattern::Literal(text.into())
    }

    /// The tag of this name.
    pub(crate) fn tag(name: &str, closes: bool, brackets: &Brackets) -> Pattern {
        Pattern::Tag {
            brackets: brackets.clone(),
            closes,
            name: name.into(),
        }
    }

    /// The same for all patterns that are found at the same places.
    pub(crate) fn folded(&self) -> Pattern {
        let mut folded = self.clone();
        if let Pattern::Tag { name, .. } = &mut folded {
            name.make_ascii_lowercase();
        }
        folded
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
        let (own, inside) = inside(text, brackets);
        let pattern = |name| Pattern::tag(name, false, own.unwrap_or(&Brackets::USUAL));
        match inside.and_then(|inside| inside.split_once(place)) {
            Some(("", "")) => Ok(Opening::Named(own.cloned())),
            Some((name, "")) if name.ends_with('=') && !name.contains(' ') => {
                let tag = pattern(name);
                Ok(Opening::After { tag })
            }
            Some((tag, "\"")) => {
                let (name, attribute) = attribute(tag, text)?;
                Ok(Opening::Attribute {
                    tag: pattern(name),
                    attribute: attribute.into(),
                })
            }
            _ if before.is_empty() => Err(format!(
                "{text:?} begins with the name; what opens a call must be told from prose"
            )),
            _ => Opening::text(Pattern::read(before, brackets), after, text),
        }
    }

    /// An opener with the name after it as text, and perhaps an id.
    fn text(opener: Pattern, after: &str, text: &str) -> Result<Opening, String> {
        let (separator, after_id) = match after.split_once(ID) {
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
            after_id,
        })
    }
}

/// Where the id is in what opens a call.
const ID: &str = "{id}";

/// The text between the brackets of a pattern that is one opening tag, and these if they are the
/// dialect's own.
fn inside<'t, 'b>(
    text: &'t str,
    brackets: Option<&'b Brackets>,
) -> (Option<&'b Brackets>, Option<&'t str>) {
    let own = brackets.and_then(|own| Some((own, own.inside(text)?)));
    match own {
        Some((own, (inner, closes))) if !inner.contains(&*own.end) => {
            (Some(own), Some(inner).filter(|_| !closes))
        }
        _ => {
            let inner = text.strip_prefix('<').and_then(|t| t.strip_suffix('>'));
            (None, inner)
        }
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
