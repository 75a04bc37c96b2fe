//! The strings of a dialect file, read as the markup that they describe.

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
    /// `<tool_call>{name}`; an id may come first, with what ends it.
    Text {
        opener: Pattern,
        after_id: Option<Box<Pattern>>,
        end: NameEnd,
    },
}

/// What ends a name that is text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NameEnd {
    /// The next tag of the dialect, or JSON.
    Arguments,
    Separator(Pattern),
    /// A separator, after which an id follows, and what ends the id.
    Id(Pattern, Pattern),
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

    /// The tag whose name is this one's without the `=` at its end.
    pub(crate) fn without_equals(&self) -> Option<Pattern> {
        let Pattern::Tag {
            brackets,
            closes,
            name,
        } = self
        else {
            return None;
        };
        Some(Pattern::tag(name.strip_suffix('=')?, *closes, brackets))
    }

    /// The same for all patterns that match the same text.
    pub(crate) fn folded(&self) -> Pattern {
        let mut folded = self.clone();
        if let Pattern::Tag { name, .. } = &mut folded {
            name.make_ascii_lowercase();
        }
        folded
    }
}

impl Opening {
    /// Reads a pattern that has `placeholder` once, such as `{name}`.
    pub(crate) fn read(
        text: &str,
        placeholder: &str,
        brackets: Option<&Brackets>,
    ) -> Result<Opening, String> {
        let Some((before, after)) = text.split_once(placeholder) else {
            return Err(format!(
                "{text:?} does not say where the name is; allowed: {placeholder} once"
            ));
        };
        if after.contains(placeholder) {
            return Err(format!("{text:?} has {placeholder} twice; allowed: once"));
        }
        let (own, inside) = inside(text, brackets);
        let tag = |name| Pattern::tag(name, false, own.unwrap_or(&Brackets::USUAL));
        match inside.and_then(|inside| inside.split_once(placeholder)) {
            Some(("", "")) => Ok(Opening::Named(own.cloned())),
            Some((name, "")) if name.ends_with('=') && !name.contains(' ') => {
                Ok(Opening::After { tag: tag(name) })
            }
            Some((start, "\"")) => {
                let (name, attribute) = attribute(start, text)?;
                Ok(Opening::Attribute {
                    tag: tag(name),
                    attribute: attribute.into(),
                })
            }
            _ if before.is_empty() => Err(format!(
                "{text:?} starts with the name, so that any word of prose would open a call; \
                 allowed: a tag or a literal before {placeholder}"
            )),
            _ => {
                let (opener, after_id) = match before.split_once("{id}") {
                    Some((opener, end)) if !opener.is_empty() && !end.is_empty() => {
                        (opener, Some(end))
                    }
                    Some(_) => return Err(no_end_of_id(text)),
                    None => (before, None),
                };
                Ok(Opening::Text {
                    opener: Pattern::read(opener, brackets),
                    after_id: after_id.map(|end| Box::new(Pattern::read(end, brackets))),
                    end: NameEnd::read(after, text, brackets)?,
                })
            }
        }
    }
}

impl NameEnd {
    /// Reads what follows a name in `pattern`.
    fn read(after: &str, pattern: &str, brackets: Option<&Brackets>) -> Result<NameEnd, String> {
        let read = |text| Pattern::read(text, brackets);
        match after.split_once("{id}") {
            None if after.is_empty() => Ok(NameEnd::Arguments),
            None => Ok(NameEnd::Separator(read(after))),
            Some((separator, end)) if !separator.is_empty() && !end.is_empty() => {
                Ok(NameEnd::Id(read(separator), read(end)))
            }
            Some(_) => Err(no_end_of_id(pattern)),
        }
    }
}

fn no_end_of_id(pattern: &str) -> String {
    format!("{pattern:?} does not say where the id ends; allowed: {{id}} between two literals")
}

/// The text between the brackets of a pattern that is one opening tag, and the brackets if they are
/// the dialect's own.
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

/// The name of a tag, and the name of the attribute at its end.
fn attribute<'t>(start: &'t str, text: &str) -> Result<(&'t str, &'t str), String> {
    let parts = start.strip_suffix("=\"").and_then(|t| t.rsplit_once(' '));
    match parts {
        Some((tag, attribute)) if !tag.is_empty() && is_name(attribute) => Ok((tag, attribute)),
        _ => Err(format!(
            "{text:?} is not a tag with one attribute; allowed: `<tag attribute=\"{{name}}\">`"
        )),
    }
}

/// Whether a tag of this name is read as a tag. With other names it is a literal.
fn is_name(name: &str) -> bool {
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let rest = |c: char| c.is_ascii_alphanumeric() || "_:.-".contains(c);
    begins && name.chars().all(rest)
}
