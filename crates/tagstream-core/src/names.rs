//! Names in messages: a list of them, and the known name that may have been meant.

/// Names in backticks, separated by commas.
pub fn listed(names: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let names = names.into_iter().map(|name| format!("`{}`", name.as_ref()));
    names.collect::<Vec<_>>().join(", ")
}

/// The known name that is most similar to this one, if one is similar at all.
pub fn similar<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = plain(name);
    let known = known.map(|known| (distance(&name, &plain(known)), known));
    let (distance, known) = known.min_by_key(|(distance, _)| *distance)?;
    (distance * 3 <= name.len()).then_some(known)
}

/// The question whether the known name that is most similar to this one was meant, for a message about
/// an unknown name; empty if none is similar.
pub fn did_you_mean<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let meant = similar(name, known);
    meant.map_or(String::new(), |meant| format!(" (did you mean `{meant}`?)"))
}

/// At most this many characters are compared: the work grows with their square.
const MAX_CHARS: usize = 64;

/// A name without regard to case and punctuation.
fn plain(name: &str) -> Vec<char> {
    let letters = name.chars().filter(|c| c.is_alphanumeric());
    letters
        .flat_map(char::to_lowercase)
        .take(MAX_CHARS)
        .collect()
}

/// How many characters must be added, removed or changed to turn one into the other.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let changed = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::similar;

    #[test]
    fn case_punctuation_and_typos_do_not_hide_a_name() {
        let known = ["cmd", "_timeout_seconds", "path"];
        for (name, meant) in [
            ("TimeoutSeconds", Some("_timeout_seconds")),
            ("pth", Some("path")),
            ("paths", Some("path")),
            ("CMD", Some("cmd")),
            ("colour", None),
            ("x", None),
        ] {
            assert_eq!(similar(name, known.into_iter()), meant, "{name}");
        }
    }
}
