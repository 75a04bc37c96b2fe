//! Fields beside the text of a choice that are about its tokens. They must not report what the text
//! no longer says.
//!
//! | field | when the text changes | when thinking is hidden |
//! |---|---|---|
//! | `logprobs` | null | null, unless all its tokens are those of the text |
//! | `logprobs.reasoning_content` | with `logprobs` | removed |
//! | `token_ids`, `tokens` | removed | removed, unless the choice has nothing but text |

use super::REASONING;
use crate::json::{Kind, Patch, Value};
use crate::provider::are_tokens_of;

/// Lists of tokens.
const TOKENS: [&str; 2] = ["token_ids", "tokens"];
/// Log probabilities of the text: of chat completions, and of the older ones.
const LISTS: [&str; 3] = ["content", "refusal", "tokens"];
/// What the older ones have beside their tokens.
const NUMBERS: [&str; 3] = ["token_logprobs", "top_logprobs", "text_offset"];

/// What has become of the texts of a choice.
pub(super) struct Outcome {
    /// They are not what they were.
    pub(super) is_changed: bool,
    /// Native thinking was removed.
    pub(super) is_hidden: bool,
    /// What is left of them.
    pub(super) text: String,
}

/// Edits what is beside a text that changes, or that may be about thinking that `hides`.
pub(super) fn edit(choice: Value<'_>, outcome: &Outcome, hides: bool, patch: &mut Patch) {
    let Outcome {
        is_changed,
        is_hidden,
        text,
    } = outcome;
    if !is_changed && !hides {
        return;
    }
    if *is_changed || *is_hidden || text.is_empty() {
        for key in TOKENS {
            patch.drop_member(choice, key);
        }
    }
    let Some(logprobs) = choice.get("logprobs") else {
        return;
    };
    if *is_changed || !is_of(logprobs, text) {
        return patch.replace(logprobs, "null");
    }
    for key in REASONING {
        patch.drop_member(logprobs, key);
    }
}

/// Whether all tokens are those of the text, but for those of a thought that has a list of its own.
fn is_of(logprobs: Value<'_>, text: &str) -> bool {
    let is_known = |member: Value<'_>| {
        let keys = LISTS.iter().chain(&NUMBERS).chain(&REASONING);
        member.kind() == Kind::Null || keys.clone().any(|key| member.key() == *key)
    };
    let lists = LISTS.map(|key| logprobs.get(key)).into_iter().flatten();
    logprobs.items().all(is_known) && are_tokens_of(lists.flat_map(Value::list), text)
}
