//! Fields beside the text of a choice that are about its tokens. They must not report what the text
//! no longer says.
//!
//! | field | when the text changes | when thinking is hidden |
//! |---|---|---|
//! | `logprobs` | null | null, unless its tokens are those of the text |
//! | `logprobs.reasoning_content` | with `logprobs` | removed |
//! | `token_ids`, `tokens` | removed | removed |

use crate::json::{Patch, Value};
use crate::provider::are_tokens_of;

/// Lists of tokens.
const TOKENS: [&str; 2] = ["token_ids", "tokens"];

/// Edits what is beside a text that changes, or beside thinking that is hidden.
pub(super) fn edit(
    choice: Value<'_>,
    text: &str,
    is_changed: bool,
    is_hidden: bool,
    patch: &mut Patch,
) {
    if !is_changed && !is_hidden {
        return;
    }
    for key in TOKENS {
        patch.drop_member(choice, key);
    }
    let Some(logprobs) = choice.get("logprobs") else {
        return;
    };
    if !is_changed && is_of(logprobs, text) {
        patch.drop_member(logprobs, "reasoning_content");
        patch.drop_member(logprobs, "reasoning");
    } else {
        patch.replace(logprobs, "null");
    }
}

/// Whether the tokens are those of the text.
fn is_of(logprobs: Value<'_>, text: &str) -> bool {
    let lists = ["content", "refusal"].map(|key| logprobs.get(key));
    are_tokens_of(lists.into_iter().flatten().flat_map(Value::list), text)
}
