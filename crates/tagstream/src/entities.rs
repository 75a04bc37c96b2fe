//! The entities of XML: the five named ones, and numbers.

use std::borrow::Cow;

/// The longest entity, `&#x10FFFF;`, and some leading zeros.
const LONGEST: usize = 16;

/// Decodes all entities in a text. What is none stays as it is.
pub(crate) fn decode(text: &str) -> Cow<'_, str> {
    let Some(first) = memchr::memchr(b'&', text.as_bytes()) else {
        return Cow::Borrowed(text);
    };
    let mut decoded = String::with_capacity(text.len());
    decoded.push_str(&text[..first]);
    let mut rest = &text[first..];
    while !rest.is_empty() {
        let (c, len) = match entity(rest) {
            Some(found) => found,
            None => ('&', 1),
        };
        decoded.push(c);
        rest = &rest[len..];
        let next = memchr::memchr(b'&', rest.as_bytes()).unwrap_or(rest.len());
        decoded.push_str(&rest[..next]);
        rest = &rest[next..];
    }
    Cow::Owned(decoded)
}

/// The entity that the text begins with, and how long it is.
pub(crate) fn entity(text: &str) -> Option<(char, usize)> {
    let inner = text.strip_prefix('&')?;
    let end = inner.bytes().take(LONGEST).position(|b| b == b';')?;
    let c = match &inner[..end] {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        number => {
            let number = number.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => digits(hex, 16),
                None => digits(number, 10),
            }?;
            char::from_u32(code).filter(|c| *c != '\0')?
        }
    };
    Some((c, end + 2))
}

/// A number, which may have no sign.
fn digits(text: &str, radix: u32) -> Option<u32> {
    let all = text.chars().all(|c| c.is_digit(radix));
    u32::from_str_radix(text, radix).ok().filter(|_| all)
}

/// Whether an entity may begin like this.
pub(crate) fn may_begin(text: &str) -> bool {
    let inner = text.as_bytes().get(1..).unwrap_or_default();
    inner.len() < LONGEST
        && inner
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || *b == b'#')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_are_decoded_and_nothing_else() {
        let cases = [
            ("a", "a"),
            ("&lt;&gt;&amp;&quot;&apos;", "<>&\"'"),
            ("&#65;&#x42;&#X43;", "ABC"),
            ("&amp;lt;", "&lt;"),
            ("a && b &", "a && b &"),
            ("&nbsp;&lt", "&nbsp;&lt"),
            ("&#+5;&#;&#x;&#0;&#xD800;", "&#+5;&#;&#x;&#0;&#xD800;"),
            ("&中;", "&中;"),
        ];
        for (text, decoded) in cases {
            assert_eq!(decode(text), decoded);
        }
    }
}
