//! Which names of models a pattern fits.

/// How well the pattern fits: how many characters of the name it accounts for, dashes aside. `None` if
/// it is not in the name.
///
/// A pattern may begin and end wherever a word of the name does. It may also end before a number, as
/// `glm` does in `glm4:9b`. Case and dashes do not matter, and `_` and a space are dashes. Between two
/// digits the letter of `deepseek-v3p1` and the dash of `deepseek-v3-1` are dots.
pub(super) fn fit(pattern: &str, model: &str) -> Option<usize> {
    let name = Name::new(model);
    let parts: Vec<Vec<char>> = pattern
        .split('*')
        .map(|part| Name::new(part).chars)
        .collect();
    let mut starts = (0..name.chars.len()).filter(|start| name.may_start[*start]);
    let fits = starts.any(|start| name.matches(&parts, start));
    fits.then(|| parts.iter().map(Vec::len).sum())
}

/// A name as it is compared.
#[derive(Default)]
struct Name {
    chars: Vec<char>,
    /// Whether a pattern may start before the character with this index.
    may_start: Vec<bool>,
    /// Whether a pattern may end there.
    may_end: Vec<bool>,
}

impl Name {
    fn new(name: &str) -> Self {
        let mut chars: Vec<char> = name.chars().map(folded).collect();
        restore_dots(&mut chars);
        let mut name = Name::default();
        for (at, &c) in chars.iter().enumerate() {
            if is_compared(&chars, at) {
                name.chars.push(c);
                name.may_start.push(is_start(&chars, at));
                name.may_end.push(is_end(&chars, at));
            }
        }
        name.may_start.push(false);
        name.may_end.push(true);
        name
    }

    /// Whether the parts follow each other from here on, and end where a pattern may.
    fn matches(&self, parts: &[Vec<char>], start: usize) -> bool {
        let Some((first, rest)) = parts.split_first() else {
            return self.may_end[start];
        };
        if !self.chars[start..].starts_with(first) {
            return false;
        }
        let end = start + first.len();
        if rest.is_empty() {
            return self.may_end[end];
        }
        (end..=self.chars.len()).any(|next| self.matches(rest, next))
    }
}

fn folded(c: char) -> char {
    match c {
        '_' | ' ' => '-',
        _ => c.to_ascii_lowercase(),
    }
}

/// Some hosts have no dots in names. A dash stands for one only before a single digit: what follows the
/// version in `llama-3-8b` and `deepseek-v3-0324` is something else.
fn restore_dots(name: &mut [char]) {
    for at in 1..name.len().saturating_sub(1) {
        let is_between_digits = name[at - 1].is_ascii_digit() && name[at + 1].is_ascii_digit();
        let is_dot = match name[at] {
            'p' => true,
            '-' => !is_word(name, at + 2),
            _ => false,
        };
        if is_dot && is_between_digits {
            name[at] = '.';
        }
    }
}

/// Dashes are not compared, except those that separate two numbers.
fn is_compared(name: &[char], at: usize) -> bool {
    let is_digit = |c: Option<&char>| c.is_some_and(char::is_ascii_digit);
    name[at] != '-' || (at > 0 && is_digit(name.get(at - 1)) && is_digit(name.get(at + 1)))
}

fn is_start(name: &[char], at: usize) -> bool {
    at == 0 || !is_word(name, at - 1) || !is_word(name, at)
}

fn is_end(name: &[char], at: usize) -> bool {
    let begins_number = at > 0 && name[at].is_ascii_digit() && name[at - 1].is_alphabetic();
    is_start(name, at) || begins_number
}

fn is_word(name: &[char], at: usize) -> bool {
    name.get(at).is_some_and(|c| c.is_alphanumeric())
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
        assert_eq!(fit("llama-3", "nvidia/Llama-3_3-Nemotron"), Some(6));
        assert_eq!(fit("p", "1p"), None);
    }

    #[test]
    fn a_pattern_may_end_before_a_number() {
        assert_eq!(fit("glm", "glm4:9b"), Some(3));
        assert_eq!(fit("exaone", "exaone3.5:7.8b"), Some(6));
        assert_eq!(fit("gemma3", "gemma3n:e4b"), None);
        assert_eq!(fit("r1", "deepseek-r10"), None);
    }

    #[test]
    fn dashes_do_not_matter() {
        assert_eq!(fit("gpt-oss", "gptoss:20b"), Some(6));
        assert_eq!(fit("qwen3-coder", "qwen3coder"), Some(10));
        assert_eq!(fit("qwen3-coder", "Qwen_3 Coder"), Some(10));
        assert_eq!(fit("qwen3", "qwen-3-235b-a22b"), Some(5));
        assert_eq!(fit("llama-3.1", "llama-3-1b"), None);
    }

    #[test]
    fn a_letter_or_a_dash_may_stand_for_a_dot() {
        assert_eq!(fit("deepseek-v3.1", "models/deepseek-v3p1"), Some(12));
        assert_eq!(fit("glm-4.5", "glm-4p5-air"), Some(6));
        assert_eq!(fit("deepseek-v3.1", "DeepSeek-V3-1"), Some(12));
        assert_eq!(fit("deepseek-v3.1", "DeepSeek-V3_1"), Some(12));
        assert_eq!(fit("qwen3.5", "Qwen3-5-27B"), Some(7));
        assert_eq!(fit("llama-3.8", "llama-3-8b"), None);
        assert_eq!(fit("deepseek-v3.0", "deepseek-v3-0324"), None);
    }

    #[test]
    fn an_asterisk_stands_for_anything() {
        assert_eq!(fit("qwen3*thinking", "Qwen3-4B-Thinking-2507"), Some(13));
        assert_eq!(fit("qwen3*thinking", "Qwen3-4B-Instruct-2507"), None);
        assert_eq!(fit("qwen3*thinking", "qwen3-thinking"), Some(13));
    }
}
