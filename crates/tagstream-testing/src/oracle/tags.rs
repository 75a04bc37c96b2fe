//! Section 2 of the contract: is there a tag at this place?

use crate::ev::Attrs;

/// The names that count at a place.
#[derive(Clone, Debug, Default)]
pub(super) struct Names<'p> {
    pub(super) open: Vec<&'p str>,
    pub(super) close: Vec<&'p str>,
    /// Any name that is not listed in the profile opens (`*`); this is what is listed.
    pub(super) any_but: Option<Vec<&'p str>>,
    /// Closing tags of such names count too.
    pub(super) any_closes: bool,
    /// An attribute without a value makes it no tag, and so does a `<`, whatever the name.
    pub(super) strict: bool,
}

/// What a `<` turned out to be.
#[derive(Clone, Debug)]
pub(super) enum Found {
    /// Nothing: the `<` is text, and reading goes on with the next byte.
    Nothing,
    /// It failed after its name: all up to here is text.
    Text(usize),
    Tag(Tag),
}

#[derive(Clone, Debug)]
pub(super) struct Tag {
    /// As it was written.
    pub(super) name: String,
    pub(super) closing: bool,
    pub(super) self_closing: bool,
    pub(super) attributes: Attrs,
    /// How many bytes the attributes take.
    pub(super) attribute_bytes: usize,
    pub(super) start: usize,
    pub(super) end: usize,
}

pub(super) fn is_space(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\r' | b'\n')
}

fn has(names: &[&str], name: &str) -> bool {
    names.iter().any(|n| n.eq_ignore_ascii_case(name))
}

/// Whether names that are not listed count.
fn takes_any(names: &Names<'_>, closing: bool) -> bool {
    names.any_but.is_some() && (!closing || names.any_closes)
}

/// Whether what begins like this may become a name that counts.
fn may_become(names: &Names<'_>, closing: bool, start: &[u8]) -> bool {
    let begins = |name: &&str| {
        name.as_bytes()
            .get(..start.len())
            .is_some_and(|n| n.eq_ignore_ascii_case(start))
    };
    let listed = if closing { &names.close } else { &names.open };
    let any = takes_any(names, closing) && is_any_name(start);
    any || listed.iter().any(begins)
}

/// `[A-Za-z_:][\w:.-]*`
pub(super) fn is_any_name(name: &[u8]) -> bool {
    let first = |b: u8| b.is_ascii_alphabetic() || b == b'_' || b == b':';
    let rest = |b: u8| first(b) || b.is_ascii_digit() || b == b'.' || b == b'-';
    name.iter()
        .enumerate()
        .all(|(k, &b)| if k == 0 { first(b) } else { rest(b) })
}

/// Whether `<` at `start` begins a tag with one of these names.
pub(super) fn tag_at(msg: &str, start: usize, names: &Names<'_>, limit: usize) -> Found {
    let closing = msg[start..].starts_with("</");
    let name_start = start + 1 + usize::from(closing);
    let name_end = msg[name_start.min(msg.len())..]
        .find([' ', '\t', '\r', '\n', '>', '/', '<'])
        .map_or(msg.len(), |k| name_start + k);
    let name = msg.get(name_start..name_end).unwrap_or("");
    let listed = if closing { &names.close } else { &names.open };
    let any = takes_any(names, closing)
        && is_any_name(name.as_bytes())
        && names.any_but.as_ref().is_some_and(|but| !has(but, name));

    let most = start.saturating_add(limit).min(msg.len());
    if name_end >= most {
        // The message ended inside the name: all of it is text, if it could have become a tag. Where
        // the tag became too long there, its `<` is text.
        let begins = msg.as_bytes().get(name_start..most).unwrap_or(b"");
        let is_cut_off = start.saturating_add(limit) > msg.len();
        return if is_cut_off && may_become(names, closing, begins) {
            Found::Text(most)
        } else {
            Found::Nothing
        };
    }
    let whole = has(listed, name) || (any && !name.is_empty());
    if !whole || msg.as_bytes()[name_end] == b'<' {
        return Found::Nothing;
    }
    let strict = names.strict || !has(listed, name);
    let rest = if closing {
        close_rest(msg, name_end)
    } else {
        open_rest(msg, name_end, strict)
    };
    match rest {
        Rest::Ends {
            at,
            self_closing,
            attributes,
            attribute_bytes,
        } if at - start <= limit => Found::Tag(Tag {
            name: name.into(),
            closing,
            self_closing,
            attributes,
            attribute_bytes,
            start,
            end: at,
        }),
        Rest::Ends { at, .. } | Rest::Fails { at } => Found::Text(capped(start, msg, at, limit)),
    }
}

/// A candidate that is longer than the limit is text up to there, and reading goes on after it.
fn capped(start: usize, msg: &str, end: usize, limit: usize) -> usize {
    let mut cap = end.min(start.saturating_add(limit.max(1)));
    while !msg.is_char_boundary(cap) {
        cap += 1;
    }
    cap
}

enum Rest {
    Ends {
        at: usize,
        self_closing: bool,
        attributes: Attrs,
        attribute_bytes: usize,
    },
    /// Reading goes on with the byte that was not allowed there.
    Fails { at: usize },
}

/// After the name of a closer: optional white space and `>`.
fn close_rest(msg: &str, name_end: usize) -> Rest {
    let at = spaces(msg, name_end);
    match msg.as_bytes().get(at) {
        Some(b'>') => Rest::Ends {
            at: at + 1,
            self_closing: false,
            attributes: Vec::new(),
            attribute_bytes: 0,
        },
        _ => Rest::Fails { at },
    }
}

/// After the name of an opener: attributes up to `>` or `/>`.
fn open_rest(msg: &str, name_end: usize, strict: bool) -> Rest {
    let bytes = msg.as_bytes();
    let mut attributes = Vec::new();
    let mut at = name_end;
    loop {
        match bytes.get(at) {
            None | Some(b'<') => return Rest::Fails { at },
            Some(b'>') => {
                let attribute_bytes = at - name_end;
                return Rest::Ends {
                    at: at + 1,
                    self_closing: false,
                    attributes,
                    attribute_bytes,
                };
            }
            Some(b'/') if bytes.get(at + 1) == Some(&b'>') => {
                let attribute_bytes = at - name_end;
                return Rest::Ends {
                    at: at + 2,
                    self_closing: true,
                    attributes,
                    attribute_bytes,
                };
            }
            // `<name/` must be followed by `>`.
            Some(b'/') if at == name_end => return Rest::Fails { at: at + 1 },
            Some(b'/' | b'=' | b'"' | b'\'' | b' ' | b'\t' | b'\r' | b'\n') => at += 1,
            Some(_) => match attribute(msg, at, strict) {
                Ok((name, Some(value), next)) => {
                    attributes.push((name, value));
                    at = next;
                }
                Ok((name, None, next)) if !strict => {
                    attributes.push((name, String::new()));
                    at = next;
                }
                Ok((_, None, next)) | Err(next) => {
                    return Rest::Fails {
                        at: spaces(msg, next),
                    };
                }
            },
        }
    }
}

/// The attribute at this place: its name, its value if it has one, and where it ends.
fn attribute(
    msg: &str,
    start: usize,
    strict: bool,
) -> Result<(String, Option<String>, usize), usize> {
    let bytes = msg.as_bytes();
    let name_end = until(msg, start, |b| is_space(b) || b"=/\"'<>".contains(&b));
    let name = msg[start..name_end].to_string();
    let equals = spaces(msg, name_end);
    if bytes.get(equals) != Some(&b'=') {
        return Ok((name, None, name_end));
    }
    let value = spaces(msg, equals + 1);
    match bytes.get(value) {
        Some(quote @ (b'"' | b'\'')) => {
            let end = until(msg, value + 1, |b| b == *quote || (strict && b == b'<'));
            if end == msg.len() || bytes[end] != *quote {
                return Err(end);
            }
            Ok((name, Some(msg[value + 1..end].into()), end + 1))
        }
        _ => {
            let mut end = value;
            while let Some(&b) = bytes.get(end) {
                if is_space(b)
                    || b == b'<'
                    || b == b'>'
                    || (b == b'/' && bytes.get(end + 1) == Some(&b'>'))
                {
                    break;
                }
                end += 1;
            }
            let text = (end > value).then(|| msg[value..end].to_string());
            Ok((name, text, end))
        }
    }
}

fn spaces(msg: &str, from: usize) -> usize {
    until(msg, from, |b| !is_space(b))
}

fn until(msg: &str, from: usize, stop: impl Fn(u8) -> bool) -> usize {
    msg.as_bytes()[from..]
        .iter()
        .position(|&b| stop(b))
        .map_or(msg.len(), |k| from + k)
}
