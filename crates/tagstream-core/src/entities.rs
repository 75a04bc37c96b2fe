//! The entities of XML: the five that have names, and the numeric ones.

use std::borrow::Cow;

/// A longer name or number is not an entity: leading zeros are allowed, but not without end.
const MAX_NAME_BYTES: usize = 16;

const NAMED: [(&str, char); 5] = [
    ("lt", '<'),
    ("gt", '>'),
    ("amp", '&'),
    ("apos", '\''),
    ("quot", '"'),
];

/// What a text that begins with `&` begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entity {
    /// An entity for this character, of this many bytes.
    Whole(char, usize),
    /// What may become an entity if more text follows.
    Unfinished,
    /// No entity: the `&` is text.
    None,
}

/// The entity at the start of `text`, which begins with `&`.
///
/// # Panics
/// If the text does not begin with a character of one byte.
#[must_use]
pub fn entity(text: &str) -> Entity {
    let rest = &text[1..];
    let in_entity = |b: &u8| b.is_ascii_alphanumeric() || *b == b'#';
    let len = rest
        .bytes()
        .take(MAX_NAME_BYTES)
        .take_while(in_entity)
        .count();
    let name = &rest[..len];
    match rest.as_bytes().get(len) {
        Some(b';') => character(name).map_or(Entity::None, |c| Entity::Whole(c, len + 2)),
        None if len < MAX_NAME_BYTES && may_become_one(name) => Entity::Unfinished,
        _ => Entity::None,
    }
}

fn character(name: &str) -> Option<char> {
    let number = match name.strip_prefix('#') {
        None => return NAMED.iter().find(|(n, _)| *n == name).map(|(_, c)| *c),
        Some(number) => number,
    };
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => number.parse(),
    };
    code.ok().and_then(char::from_u32).filter(|c| *c != '\0')
}

fn may_become_one(name: &str) -> bool {
    let Some(number) = name.strip_prefix('#') else {
        return NAMED.iter().any(|(named, _)| named.starts_with(name));
    };
    match number.strip_prefix(['x', 'X']) {
        Some(hex) => hex.bytes().all(|b| b.is_ascii_hexdigit()),
        None => number.bytes().all(|b| b.is_ascii_digit()),
    }
}

/// The text with all its entities decoded.
///
/// ```
/// assert_eq!(tagstream_core::entities::decode("a &lt; b &#38; c"), "a < b & c");
/// ```
#[must_use]
pub fn decode(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find('&') else {
        return Cow::Borrowed(text);
    };
    let mut decoded = text[..first].to_owned();
    let mut rest = &text[first..];
    while let Some(at) = rest.find('&') {
        decoded.push_str(&rest[..at]);
        rest = &rest[at..];
        let (c, len) = match entity(rest) {
            Entity::Whole(c, len) => (c, len),
            Entity::Unfinished | Entity::None => ('&', 1),
        };
        decoded.push(c);
        rest = &rest[len..];
    }
    decoded.push_str(rest);
    Cow::Owned(decoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_five_and_the_numeric_ones_are_decoded() {
        for (text, decoded) in [
            ("", ""),
            ("plain", "plain"),
            ("&lt;&gt;&amp;&apos;&quot;", "<>&'\""),
            ("&#65;&#x42;&#X43;&#0068;", "ABCD"),
            ("&#x1F600;", "\u{1f600}"),
            ("&amp;lt;", "&lt;"),
            (
                "a & b &nbsp; AT&T; &#; &#x; &#0; &#xD800; &LT;",
                "a & b &nbsp; AT&T; &#; &#x; &#0; &#xD800; &LT;",
            ),
            ("&lt", "&lt"),
            ("&&lt;é&gt;é", "&<é>é"),
            ("&#00000000000000065;", "&#00000000000000065;"),
        ] {
            assert_eq!(decode(text), decoded, "{text}");
        }
    }

    #[test]
    fn a_beginning_is_unfinished_only_while_it_can_become_one() {
        for text in ["&", "&l", "&lt", "&ap", "&#", "&#6", "&#x", "&#x1f"] {
            assert_eq!(entity(text), Entity::Unfinished, "{text}");
        }
        for text in [
            "& ",
            "&T",
            "&lx",
            "&#g",
            "&#xg",
            "&lt ",
            "&#000000000000000000",
            "&é",
        ] {
            assert_eq!(entity(text), Entity::None, "{text}");
        }
    }
}
