//! The strings of a dialect file, read as what they stand for.

/// Markup that a dialect names: a tag, whatever its white space and case, or a literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    Open(Box<str>),
    Close(Box<str>),
    Literal(Box<str>),
}

/// What opens a call or an argument, and where its name stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Opening {
    /// `<invoke name="{name}">`
    Attribute { tag: Box<str>, attribute: Box<str> },
    /// `<function={name}>`; the tag's name ends with `=`.
    Behind { tag: Box<str> },
    /// `<{name}>`
    Named,
    /// `<tool_call>{name}`, and what ends the name if that is no tag of the dialect.
    Text {
        opener: Token,
        separator: Option<Box<str>>,
    },
}

impl Token {
    pub(crate) fn read(text: &str) -> Token {
        let inner = text.strip_prefix('<').and_then(|t| t.strip_suffix('>'));
        let (name, closes) = match inner.map(|inner| (inner.strip_prefix('/'), inner)) {
            Some((Some(name), _)) => (name, true),
            Some((None, name)) => (name, false),
            None => return Token::Literal(text.into()),
        };
        match (is_name(name), closes) {
            (true, true) => Token::Close(name.into()),
            (true, false) => Token::Open(name.into()),
            (false, _) => Token::Literal(text.into()),
        }
    }
}

impl Opening {
    /// Reads a pattern that has `place` once, such as `{name}`.
    pub(crate) fn read(text: &str, place: &str) -> Result<Opening, String> {
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
        let tag = before.strip_prefix('<').filter(|_| after.ends_with('>'));
        match (tag, after) {
            (Some(""), ">") => Ok(Opening::Named),
            (Some(tag), ">") if tag.ends_with('=') && !tag.contains(' ') => {
                Ok(Opening::Behind { tag: tag.into() })
            }
            (Some(tag), "\">") => attribute(tag, text),
            _ if before.is_empty() => Err(format!(
                "{text:?} begins with the name; what opens a call must be told from prose"
            )),
            _ => Ok(Opening::Text {
                opener: Token::read(before),
                separator: (!after.is_empty()).then(|| after.into()),
            }),
        }
    }
}

fn attribute(tag: &str, text: &str) -> Result<Opening, String> {
    let parts = tag.strip_suffix("=\"").and_then(|t| t.rsplit_once(' '));
    match parts {
        Some((tag, attribute)) if !tag.is_empty() && is_name(attribute) => Ok(Opening::Attribute {
            tag: tag.into(),
            attribute: attribute.into(),
        }),
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
