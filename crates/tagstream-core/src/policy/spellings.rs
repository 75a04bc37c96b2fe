//! Patterns with several spellings: `{a,b}` is either, `{a,}` may be missing.

/// A pattern may have at most this many spellings.
pub(super) const MAX_SPELLINGS: usize = 256;

/// How many spellings a pattern has.
pub(super) fn count(pattern: &str) -> usize {
    match split(pattern) {
        None => 1,
        Some((_, choices, after)) => choices.split(',').count().saturating_mul(count(after)),
    }
}

/// All spellings of a pattern.
#[must_use]
pub fn spellings(pattern: &str) -> Vec<String> {
    let Some((before, choices, after)) = split(pattern) else {
        return vec![pattern.to_owned()];
    };
    let ends = spellings(after);
    let mut all = Vec::new();
    for choice in choices.split(',') {
        all.extend(ends.iter().map(|end| format!("{before}{choice}{end}")));
    }
    all
}

/// The first choice of a pattern, with the text before and after it. Braces without a comma, such
/// as `{name}`, are not a choice.
fn split(pattern: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    loop {
        let close = from + pattern[from..].find('}')?;
        let open = pattern[from..close].rfind('{').map(|at| from + at);
        match open.map(|open| (open, &pattern[open + 1..close])) {
            Some((open, inside)) if inside.contains(',') => {
                return Some((&pattern[..open], inside, &pattern[close + 1..]));
            }
            _ => from = close + 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{count, spellings};

    #[test]
    fn braces_with_a_comma_are_a_choice_and_others_are_not() {
        for (pattern, expected) in [
            ("<x>", &["<x>"][..]),
            ("<x>{name}", &["<x>{name}"]),
            ("{a,b}", &["a", "b"]),
            ("x{a,}y", &["xay", "xy"]),
            (
                "{a,}x{name}{b,c}",
                &["ax{name}b", "ax{name}c", "x{name}b", "x{name}c"],
            ),
            ("{a,b", &["{a,b"]),
            ("a,b}", &["a,b}"]),
            ("{ {a,b}", &["{ a", "{ b"]),
        ] {
            assert_eq!(spellings(pattern), expected);
            assert_eq!(count(pattern), expected.len());
        }
    }

    #[test]
    fn many_choices_are_counted_and_not_written_out() {
        assert_eq!(count(&"{a,b}".repeat(100)), usize::MAX);
    }
}
