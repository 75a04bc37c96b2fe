//! Ids for calls that have none: unique across answers, and the same however a stream is cut.

/// How much of an answer's id goes into those of its calls; some servers refuse long ones.
const MAX_SUFFIX_BYTES: usize = 24;

/// What is after the first separator of an answer's id, letters and digits only.
pub(super) fn suffix(id: &str) -> String {
    let rest = id.split_once(['-', '_']).map_or(id, |(_, rest)| rest);
    let plain: Vec<char> = rest.chars().filter(char::is_ascii_alphanumeric).collect();
    let start = plain.len().saturating_sub(MAX_SUFFIX_BYTES);
    plain[start..].iter().collect()
}

/// The id of a call: which of the calls of which choice of which answer.
pub(super) fn call(prefix: &str, suffix: &str, choice: u64, index: u64) -> String {
    let mut id = format!("{prefix}_");
    if !suffix.is_empty() {
        id = format!("{id}{suffix}_");
    }
    match choice {
        0 => format!("{id}{index}"),
        _ => format!("{id}{choice}_{index}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_names_its_answer_its_choice_and_its_number() {
        let id = |answer: &str, choice, index| call("call", &suffix(answer), choice, index);
        assert_eq!(id("chatcmpl-aB1", 0, 2), "call_aB1_2");
        assert_eq!(id("chatcmpl-aB1", 3, 2), "call_aB1_3_2");
        assert_eq!(id("gen-17-é-x", 0, 0), "call_17x_0");
        assert_eq!(id("", 0, 1), "call_1");
        assert_eq!(
            id(&"x".repeat(99), 0, 0).len(),
            "call__0".len() + MAX_SUFFIX_BYTES
        );
    }
}
