//! Profiles as users have them, and some that ask for trouble.

use std::sync::LazyLock;
use tagstream::Profile;

const TABLE: &[&str] = &[
    // As the presets.
    r#"{"thinking": {"tags": ["think", "thinking", "thought", "reasoning"]}}"#,
    r#"{"markers": ["<｜User｜>", "<｜end▁of▁thinking｜>"], "thinking": {"tags": ["think"], "starts_open": true}}"#,
    r#"{"markers": ["<|im_start|>", "<|im_end|>"], "thinking": {"tags": ["think"], "trim": "both"}}"#,
    r#"{"markers": ["<|turn>", "<eos>"], "thinking": {"delimiters": [["<|channel>thought\n", "<channel|>"]]}}"#,
    r#"{"hide": ["attempt_completion"], "thinking": {"tags": ["think", "thinking"], "mode": "hide", "anchor": "start"}}"#,
    r#"{"elements": [{"name": "node"}, {"name": "group", "children": ["node", "group", "edge"]}]}"#,
    // Everything waits.
    r#"{"thinking": {"tags": ["t"], "unclosed": "reveal", "trim": "both"}, "limits": {"lookahead": 9, "span": 9, "tag": 12}}"#,
    r#"{"thinking": {"tags": ["t"], "unclosed": "hide", "starts_open": true, "nesting": "first"}, "limits": {"lookahead": 70}}"#,
    r#"{"thinking": {"tags": ["t"]}, "elements": [{"name": "*"}], "limits": {"lookahead": 20, "tag": 16}}"#,
    // Names and literals that begin alike.
    r#"{"markers": ["<t|>", "|", "é"], "thinking": {"tags": ["t", "tt"], "delimiters": [["<t>>", "<<"], [" t", "t "]], "orphan_close": "keep"}}"#,
    r#"{"markers": ["é"], "hide": ["h", "hh"], "thinking": {"tags": ["t"], "mode": "show"}, "elements": [{"name": "e", "children": ["p", "e"]}], "limits": {"value": 60, "depth": 2}}"#,
    r#"{"code": "none", "markers": ["`", "~~"], "thinking": {"delimiters": [["*", "*"]], "trim": "thought", "anchor": "start"}, "limits": {"lookahead": 3}}"#,
];

static PROFILES: LazyLock<Vec<Profile>> = LazyLock::new(|| {
    let read = |text: &&str| serde_json::from_str(text).expect("the profile is good");
    TABLE.iter().map(read).collect()
});

/// One of them, chosen by a byte.
pub fn choose(byte: u8) -> &'static Profile {
    &PROFILES[usize::from(byte) % PROFILES.len()]
}
