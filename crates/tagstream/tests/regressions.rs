//! What the fuzzer has found, once and for all: a profile and a message each.

mod support;

use support::{cut, laws};
use tagstream::Profile;

const FOUND: &[(&str, &str)] = &[
    // An element of any name that was given up was text only as far as the chunk went.
    (
        r#"{"elements": [{"name": "*"}], "limits": {"lookahead": 20}}"#,
        "<any><any><any>vJ\n\n<any/>",
    ),
    // White space that had waited was looked through again.
    (
        r#"{"markers": ["\n"], "thinking": {"starts_open": true, "tags": ["é"], "trim": "both"}}"#,
        "<é\n<a",
    ),
    // A section was taken for too long as soon as no closer could come in time, also where the
    // message ended before that.
    (
        r#"{"thinking": {"tags": ["t"], "unclosed": "reveal"}, "limits": {"lookahead": 9}}"#,
        "<t>aa<t>a",
    ),
    // What might have been a repeated opener was not waited for.
    (
        r#"{"thinking": {"tags": ["é"], "starts_open": true, "trim": "both", "unclosed": "hide"}, "limits": {"lookahead": 7, "tag": 7}}"#,
        "  <é aaa",
    ),
    // Spaces and tabs may stand before a fence, but no other white space.
    (r#"{"thinking": {"tags": ["t"]}}"#, "\r~~~</t>"),
    (r#"{"thinking": {"tags": ["t"]}}"#, "\r```\n</t>"),
    // A part counts for more than its text.
    (
        r#"{"elements": [{"name": "e", "children": ["p"]}], "limits": {"value": 60}}"#,
        "<e>aaaaaa<p/><p>aaaaaaa",
    ),
    // What seemed to change nothing was let go, and was not there when it had to be read again.
    (
        r#"{"thinking": {"delimiters": [["a", "  <"]], "mode": "hide"}}"#,
        "a   <",
    ),
    (
        r#"{"markers": ["t"], "thinking": {"tags": ["t"]}}"#,
        "<t>a<ta",
    ),
    (
        r#"{"markers": ["t"], "thinking": {"tags": ["t"], "orphan_close": "keep"}}"#,
        "</ta",
    ),
    (
        r#"{"markers": ["abcd"], "thinking": {"delimiters": [["x", "ab"]], "mode": "hide"}}"#,
        "xyabce",
    ),
];

#[test]
fn all_laws_hold() {
    for (profile, message) in FOUND {
        let profile: Profile = serde_json::from_str(profile).expect("the profile is good");
        let bytes = message.as_bytes();
        laws::meaning(&profile, bytes);
        let mut cuts: Vec<_> = cut::in_two(bytes).collect();
        cuts.extend((1..4).map(|size| cut::every(bytes, size)));
        for pieces in cuts {
            laws::chunking(&profile, &pieces);
            laws::lossless(&profile, &pieces);
            laws::bounded(&profile, &pieces);
        }
    }
}
