//! Which names of models a pattern fits.

/// How well the pattern fits: how many characters of the name it accounts for. `None` if it is not in
/// the name.
///
/// A pattern may begin and end wherever a word of the name does. Case does not matter, and `_` and a
/// space are the same as `-`. A `p` between two digits is a dot, as in `deepseek-v3p1`.
pub(super) fn fit(pattern: &str, model: &str) -> Option<usize> {
    let mut model: Vec<char> = model.chars().map(folded).collect();
    undo_letter_for_dot(&mut model);
    let parts: Vec<Vec<char>> = pattern
        .split('*')
        .map(|part| part.chars().map(folded).collect())
        .collect();
    let starts = 0..model.len();
    let fits = starts.filter(|start| is_boundary(&model, *start));
    let mut fits = fits.filter(|start| matches(&parts, &model, *start));
    fits.next().map(|_| parts.iter().map(Vec::len).sum())
}

fn folded(c: char) -> char {
    match c {
        '_' | ' ' => '-',
        _ => c.to_ascii_lowercase(),
    }
}

/// Some hosts have no dots in names.
fn undo_letter_for_dot(name: &mut [char]) {
    for at in 1..name.len().saturating_sub(1) {
        if name[at] == 'p' && name[at - 1].is_ascii_digit() && name[at + 1].is_ascii_digit() {
            name[at] = '.';
        }
    }
}

/// Whether the parts follow each other from here on, and end where a word does.
fn matches(parts: &[Vec<char>], model: &[char], start: usize) -> bool {
    let Some((first, rest)) = parts.split_first() else {
        return is_boundary(model, start);
    };
    if !model[start..].starts_with(first) {
        return false;
    }
    let end = start + first.len();
    if rest.is_empty() {
        return is_boundary(model, end);
    }
    (end..=model.len()).any(|next| matches(rest, model, next))
}

/// Whether a word may begin or end here.
fn is_boundary(model: &[char], at: usize) -> bool {
    let is_word = |c: Option<&char>| c.is_some_and(|c| c.is_alphanumeric());
    at == 0 || !is_word(model.get(at - 1)) || !is_word(model.get(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_whole_words_of_the_name() {
        assert_eq!(fit("qwen3", "Qwen/Qwen3-8B"), Some(5));
        assert_eq!(fit("qwen3", "qwen3:8b"), Some(5));
        assert_eq!(fit("qwen3", "Qwen/Qwen35-8B"), None);
        assert_eq!(fit("wen3", "Qwen3"), None);
        assert_eq!(fit("llama-3", "nvidia/Llama-3_3-Nemotron"), Some(7));
        assert_eq!(fit("deepseek-v3.1", "models/deepseek-v3p1"), Some(13));
        assert_eq!(fit("glm-4.5", "glm-4p5-air"), Some(7));
        assert_eq!(fit("p", "1p"), None);
    }

    #[test]
    fn an_asterisk_stands_for_anything() {
        assert_eq!(fit("qwen3*thinking", "Qwen3-4B-Thinking-2507"), Some(13));
        assert_eq!(fit("qwen3*thinking", "Qwen3-4B-Instruct-2507"), None);
        assert_eq!(fit("qwen3*thinking", "qwen3-thinking"), Some(13));
    }
}
