//! The escapes in strings of JSON.

use std::borrow::Cow;

/// Where the string ends that the text, behind its first quote, begins with.
pub(crate) fn string_end(text: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        at += text[at..].find(['"', '\\'])?;
        match text.as_bytes()[at] {
            b'"' => return Some(at),
            _ => at += 1 + text[at + 1..].chars().next()?.len_utf8(),
        }
    }
}

/// A control character as it must be written in a string.
pub(crate) fn escaped_control(byte: u8) -> Cow<'static, str> {
    Cow::Borrowed(match byte {
        b'\n' => "\\n",
        b'\r' => "\\r",
        b'\t' => "\\t",
        _ => return Cow::Owned(format!("\\u{byte:04x}")),
    })
}

/// The text of a string without its escapes; none if one of them is wrong.
pub(crate) fn unescaped(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('\\') {
        return Some(Cow::Borrowed(text));
    }
    let mut string = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(stop) = rest.find('\\') {
        string.push_str(&rest[..stop]);
        rest = unescape(&rest[stop + 1..], &mut string)?;
    }
    string.push_str(rest);
    Some(Cow::Owned(string))
}

/// Reads what follows a backslash; gives what is behind it.
fn unescape<'a>(text: &'a str, string: &mut String) -> Option<&'a str> {
    let mut chars = text.chars();
    string.push(match chars.next()? {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'u' => return unescape_unicode(chars.as_str(), string),
        other => other,
    });
    Some(chars.as_str())
}

fn unescape_unicode<'a>(text: &'a str, string: &mut String) -> Option<&'a str> {
    let unit = |text: &str| u16::from_str_radix(text.get(..4)?, 16).ok();
    let first = unit(text)?;
    let rest = &text[4..];
    let second = rest.strip_prefix("\\u").and_then(unit);
    let units = [first, second.unwrap_or(0)];
    match char::decode_utf16(units).next()? {
        Ok(c) if c.len_utf16() == 2 => {
            string.push(c);
            Some(&rest[6..])
        }
        Ok(c) => {
            string.push(c);
            Some(rest)
        }
        Err(_) => {
            string.push(char::REPLACEMENT_CHARACTER);
            Some(rest)
        }
    }
}
