//! The five systems on the command line: what `docs/spec.md` 10 and the systems' documents promise
//! their users there.
//!
//! A test is named `sNNN_` and then what it shows, where NNN is the number of the document: 000
//! nodes, 001 inline tags, 002 the content filter, 003 directives, 004 the tool-call buffer. The
//! same names are used in `crates/tagstream/tests/systems` and `crates/tagstream-wire/tests`.

mod support;

use serde_json::Value;
use support::{Temp, lines, run};

/// The lines of an output, as JSON.
fn values(output: &str) -> Vec<Value> {
    let lines = output.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// All ways to cut a text in two, as chunks.
fn cuts(text: &str) -> impl Iterator<Item = String> {
    text.char_indices()
        .map(|(at, _)| lines(&[&text[..at], &text[at..]]))
}

// 000: elements while they grow.

/// The text that `elements --partial` has shown of the element 0.
fn shown(output: &str) -> String {
    let mut shown = String::new();
    for value in values(output) {
        if value["reset"] == true {
            shown.clear();
        }
        shown.push_str(value["text"].as_str().unwrap_or_default());
    }
    shown
}

#[test]
fn s000_elements_partial_never_prints_the_start_of_a_tag() {
    let canvas = &["elements", "--preset", "canvas", "--partial", "--chunks"];
    for (tag, kept) in [
        ("", "text"),
        ("<", "text"),
        ("</", "text"),
        ("</no", "text"),
        ("</node ", "text"),
        ("<br/", "text"),
        ("<edge from=\"a", "text"),
        ("<5", "text<5"),
        (" < b", "text < b"),
    ] {
        let message = format!("<node id=\"n\">text{tag}");
        for input in cuts(&message) {
            let ran = run(canvas, &input);
            assert_eq!(shown(&ran.out), kept, "{input}{}", ran.out);
            assert!(ran.err.contains("incomplete_element"), "{}", ran.err);
        }
    }
}

/// A run of backticks without a partner holds the element until the message ends.
#[test]
fn s000_elements_partial_withholds_it_also_where_all_comes_at_the_end() {
    let args = &["elements", "--preset", "canvas", "--partial"];
    let ran = run(args, "a ` b <node id=\"n\">text</no");
    assert_eq!(shown(&ran.out), "text", "{}", ran.out);
}

#[test]
fn s000_elements_partial_withholds_it_in_parts_too() {
    let profile = Temp::new(
        "parts.toml",
        "[[elements]]\nname = \"log\"\nchildren = [\"m\"]\n",
    );
    let args = &["elements", "--profile", profile.path(), "--partial"];
    let ran = run(args, "a ` b <log><m>text</");
    assert_eq!(shown(&ran.out), "text", "{}", ran.out);
}
