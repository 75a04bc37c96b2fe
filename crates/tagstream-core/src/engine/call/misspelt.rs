//! A closing tag that was meant to end a value, but is misspelt.
//!
//! To the engine such a tag is text of the value. Where it is most likely a mistake the call is
//! refused, because a command with half a tag at its end must not be executed.

use crate::line::is_space;
use crate::names::similar;

/// How the value with such a tag ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// With its closing tag.
    Closed,
    /// Without one.
    Open,
}

/// The misspelt closing tag in a value, and the name of the tag that opened the value. `before` is
/// the text of the call up to the value.
pub(super) fn find<'t>(
    before: &'t str,
    value: &'t str,
    ending: Ending,
) -> Option<(&'t str, &'t str)> {
    let own = own_name(before)?;
    let at_end = || {
        (ending == Ending::Open)
            .then(|| at_end(own, value))
            .flatten()
    };
    let found = inside(own, value, ending).or_else(at_end)?;
    Some((found, own))
}

/// A closing tag at the end of a value that closes nothing in it: where it begins, and its name.
pub(super) fn other_closer(value: &str) -> Option<(usize, &str)> {
    let at = value.rfind("</")?;
    let name = name_at_start(&value[at + 2..]);
    let after = value[at + 2 + name.len()..].trim_start_matches(white);
    let is_last = after.strip_prefix('>')?.trim_matches(white).is_empty();
    let opens = |start: usize| name_at_start(&value[start + 1..]).eq_ignore_ascii_case(name);
    let is_opened = memchr::memchr_iter(b'<', &value.as_bytes()[..at]).any(opens);
    (is_last && !name.is_empty() && !is_opened).then_some((at, name))
}

/// Whether what is in a value may be an opening tag with the name of the value's own, as far as it
/// goes.
pub(super) fn may_be_opener(before: &str, tag: impl Iterator<Item = u8>) -> bool {
    let own = own_name(before).unwrap_or("").bytes();
    own.zip(tag.skip(1))
        .all(|(a, b)| a.eq_ignore_ascii_case(&b))
}

/// The name of the tag that opened the value.
fn own_name(before: &str) -> Option<&str> {
    let name = name_at_start(&before[before.rfind('<')? + 1..]);
    (!name.is_empty()).then_some(name)
}

/// A closing tag with a similar name that nothing in the value has opened, and that is followed by
/// another tag, or by the end of a value without a closing tag.
fn inside<'t>(own: &str, value: &'t str, ending: Ending) -> Option<&'t str> {
    // Hardly any value has such a closing tag; only then do the opening tags matter.
    let mut closers = memchr::memmem::find_iter(value.as_bytes(), "</");
    closers.find(|at| is_misspelt(name_at_start(&value[at + 2..]), own))?;
    // How many tags with such names are open.
    let mut open = 0_u64;
    for at in memchr::memchr_iter(b'<', value.as_bytes()) {
        let rest = &value[at + 1..];
        let name = rest.strip_prefix('/').unwrap_or(rest);
        let end = end_of_name(name);
        if !is_misspelt(&name[..end], own) {
            continue;
        }
        if name.len() == rest.len() {
            open += 1;
        } else if open > 0 {
            open -= 1;
        } else if let Some(after) = name[end..].trim_start_matches(white).strip_prefix('>')
            && ends_there(after.trim_start_matches(white), own, ending)
        {
            return Some(&value[at..value.len() - after.len()]);
        }
    }
    None
}

/// Whether a value may have been meant to end before this text.
fn ends_there(after: &str, own: &str, ending: Ending) -> bool {
    let Some(tag) = after.strip_prefix('<') else {
        return after.is_empty() && ending == Ending::Open;
    };
    // In a value that ends properly, only an argument that was swallowed shows that it did not.
    let is_own = name_at_start(tag).eq_ignore_ascii_case(own);
    ending == Ending::Open || is_own
}

/// A tag of the value's own name at its end that is not written as a closing tag.
fn at_end<'t>(own: &str, value: &'t str) -> Option<&'t str> {
    let value = value.trim_end_matches(white);
    let tag = &value[value.rfind('<')?..];
    let name = tag.trim_start_matches(|c| matches!(c, '<' | '/' | '\\') || white(c));
    let end = end_of_name(name);
    let is_own = name[..end].eq_ignore_ascii_case(own)
        || !tag.ends_with('>') && is_misspelt(&name[..end], own);
    let ends = matches!(name[end..].trim_start_matches(white), "" | ">" | "/>");
    // `a <b` is a comparison, whatever the tag is called.
    let is_tag = tag.ends_with('>') || tag.starts_with("</") || tag.starts_with("<\\");
    (is_own && ends && is_tag).then_some(tag)
}

/// Whether a name is similar to another one, but not the same. A prefix as in `ns:name` is not
/// compared.
fn is_misspelt(name: &str, own: &str) -> bool {
    let own = local(own);
    // Most tags in a value are much shorter, or of quite another length.
    let max_difference = own.len() / 2;
    if name.len() + max_difference < own.len() {
        return false;
    }
    let name = local(name);
    name.len().abs_diff(own.len()) <= max_difference
        && !name.eq_ignore_ascii_case(own)
        && count_foreign(name, own) <= name.len() / 3
        && similar(name, [own].into_iter()).is_some()
}

/// How many ASCII letters of a name another name lacks. Each of them is an edit at least, and
/// [`similar`] allows one for three letters.
fn count_foreign(name: &str, other: &str) -> usize {
    let is_in_other = |byte: &u8| other.bytes().any(|own| own.eq_ignore_ascii_case(byte));
    let letters = name.bytes().filter(u8::is_ascii_alphabetic);
    letters.filter(|byte| !is_in_other(byte)).count()
}

fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

fn name_at_start(text: &str) -> &str {
    &text[..end_of_name(text)]
}

fn end_of_name(text: &str) -> usize {
    let ends =
        |byte: u8| matches!(byte, b'<' | b'>' | b'/' | b'=' | b'"' | b'\'') || is_space(byte);
    text.bytes().position(ends).unwrap_or(text.len())
}

fn white(c: char) -> bool {
    u8::try_from(c).is_ok_and(is_space)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPENER: &str = "<invoke name=\"f\"><parameter name=\"a\">";

    fn found(value: &str, ending: Ending) -> Option<&str> {
        find(OPENER, value, ending).map(|(tag, own)| {
            assert_eq!(own, "parameter");
            tag
        })
    }

    #[test]
    fn a_closing_tag_with_a_similar_name_is_misspelt() {
        for tag in [
            "</parametr>",
            "</Parametre >",
            "</ns:paramter>",
            "</ parameter>",
            "<parameter>",
            "<parameter/>",
            "<\\parameter>",
            "</parameter",
            "</parametr",
        ] {
            for value in [format!("ls{tag}"), format!("ls {tag} \n")] {
                assert_eq!(found(&value, Ending::Open), Some(tag), "{value}");
                assert_eq!(found(&value, Ending::Closed), None, "{value}");
            }
        }
        let swallowed = "ls</parametr>\n<parameter name=\"b\">x";
        assert_eq!(found(swallowed, Ending::Closed), Some("</parametr>"));
        assert_eq!(
            found("ls</parametr> <b>x</b>", Ending::Open),
            Some("</parametr>")
        );
    }

    #[test]
    fn other_text_is_not() {
        for value in [
            "",
            "ls",
            "a <parameter",
            "<div>x</div>",
            "</p>",
            "</parametr> and more",
            "<parametr>x</parametr>",
            "<parametr><b/></parametr><parameter name=\"b\">",
            "a < b",
        ] {
            assert_eq!(found(value, Ending::Open), None, "{value}");
        }
        assert_eq!(find("", "</parametr>", Ending::Open), None);
        assert_eq!(find("<a>", "x</b>", Ending::Open), None);
    }
}
