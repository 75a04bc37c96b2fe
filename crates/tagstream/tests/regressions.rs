//! What the fuzzer has found, once and for all: a profile and a message each.

use tagstream::{CallSettings, Dialect, Profile, ToolSignature};
use tagstream_testing::{cut, laws};

const FOUND: &[(&str, &str)] = &[
    // The rest of a run of backticks that begins in what is not a tag opened code, if a run before it had
    // lost its partner in the tag.
    (
        r#"{"limits": {"tag": 7, "span": 2}, "thinking": {"tags": ["A"]}, "markers": ["\u0001|"]}"#,
        "`x\n<A xxx``\u{1}|`",
    ),
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
    // Spaces and tabs may be before a fence, but no other white space.
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
    // Backticks at the very end of a tag that was too long opened a fence.
    (
        r#"{"thinking": {"tags": ["t"]}, "limits": {"tag": 12}}"#,
        "`<t aaaaaa```<t>",
    ),
    (r#"{"thinking": {"tags": ["t"]}}"#, "``<`<t>`"),
    // Markers are nothing, also in a section that is listed to be hidden.
    (r#"{"hide": ["h"], "markers": ["é"]}"#, "<h>éé"),
    // Backticks in a tag opened a fence, if another tag was before it.
    (r#"{"thinking": {"tags": ["t"]}}"#, "````<t ```>\na````"),
    (r#"{"thinking": {"tags": ["t"]}}"#, "````<t>a<t ```>\na````"),
    // A part that was passed over was not read as one.
    (
        r#"{"elements": [{"name": "e", "children": ["p", "e"]}], "limits": {"value": 20}}"#,
        "<e><p><e>a</e></p></e>",
    ),
    // White space in an inner opener was taken for the end of the thought, and the opener was lost.
    (
        r#"{"thinking": {"tags": ["t"], "trim": "both"}}"#,
        "<t>a<t >b</t>c</t>d",
    ),
    (
        r#"{"thinking": {"tags": ["t"], "trim": "both"}}"#,
        "<t>a<t ><t",
    ),
    // In a section that the prompt opened, openers after its start are not tags.
    (
        r#"{"thinking": {"tags": ["t"], "starts_open": true}}"#,
        "a<t a=\"</t>",
    ),
    // What was after a span was text, if the span ended in what was not a tag.
    (
        r#"{"markers": [" "], "thinking": {"tags": ["t"]}}"#,
        "``\n<t `` ",
    ),
    // What would be no element of any name nested in one.
    (r#"{"elements": [{"name": "*"}]}"#, "<b><b a></b>"),
    (r#"{"elements": [{"name": "*"}]}"#, "<b><b a a=\"</b>"),
    // A run of backticks that a tag's limit had cut opened a fence, or not, by what was before.
    (
        r#"{"thinking": {"tags": ["t"]}, "limits": {"tag": 5}}"#,
        "`<t a````<t/>",
    ),
    (
        r#"{"thinking": {"tags": ["t"]}, "limits": {"tag": 5}}"#,
        "<t a````<t/>",
    ),
    // A partner that might have opened a fence came too late, though it had begun in time.
    (
        r#"{"thinking": {"tags": ["t"]}, "limits": {"span": 9}}"#,
        "```<t>a`\n```a`",
    ),
    // A literal that opens and closes did either at the start of a section that the prompt opened.
    (
        r#"{"thinking": {"delimiters": [["|", "|"]], "starts_open": true}}"#,
        "|a",
    ),
    // The line break after a fence was code.
    (r#"{"markers": ["\n"]}"#, "```\n```\n"),
    // A tag that became too long in its name.
    (
        r#"{"markers": ["/"], "hide": ["a"], "limits": {"tag": 3}}"#,
        "</aa",
    ),
    // A closing tag of thinking that no longer counts was dropped as one of an element of any name.
    (
        r#"{"elements": [{"name": "*", "orphan_close": "drop"}], "thinking": {"tags": ["t"], "anchor": "start"}}"#,
        "x</t></b>",
    ),
    (
        r#"{"elements": [{"name": "*"}], "thinking": {"tags": ["t"], "anchor": "start"}}"#,
        "x<t a=\"<b/>\">\n<t>",
    ),
    // A closing literal of white space, which is text, was taken for visible text.
    (
        r#"{"thinking": {"delimiters": [["[t]", "\n"]], "anchor": "start", "orphan_close": "keep"}}"#,
        "\n[t]x\n",
    ),
    // A self-closing tag that is shown was not taken for visible text.
    (
        r#"{"elements": [{"name": "e"}], "thinking": {"tags": ["t"], "anchor": "start", "mode": "show"}}"#,
        "<t/><t><e>",
    ),
    // White space at the end that might have begun the closing literal was not counted.
    (
        r#"{"thinking": {"delimiters": [["[t]", "\n|"]], "starts_open": true}, "limits": {"lookahead": 3}}"#,
        "\n\n\n\n",
    ),
    // A repeated opening literal in a shown section was not longer than a marker in it.
    (
        r#"{"elements": [{"name": "e"}], "markers": ["<|"], "thinking": {"delimiters": [["<|t>", "é"]], "mode": "show", "starts_open": true}}"#,
        "<|t>",
    ),
];

/// What the fuzzer has found in calls: a dialect and a message each. One tool is declared, `f`.
const FOUND_IN_CALLS: &[(&str, &str)] = &[
    // A wrapper's closer after backticks, which is text, was held or not by the cut.
    (
        r#"{"name": "d", "wrapper": {"open": ["<w>"], "close": ["</w>"]},
            "arguments": {"style": "envelope", "name": ["name"], "arguments": ["arguments"]}}"#,
        "`</w>`",
    ),
];

fn with_calls(dialect: &str) -> Profile {
    let dialect: Dialect = serde_json::from_str(dialect).expect("the dialect is good");
    Profile::new().calls(CallSettings::dialects([dialect]).tool(ToolSignature::new("f", ["a"])))
}

/// What waits for the partner of a run of backticks was as long as the run, whatever the limits.
#[test]
fn endless_runs() {
    let profile =
        r#"{"thinking": {"tags": ["t"]}, "limits": {"tag": 3, "span": 5, "lookahead": 1}}"#;
    let profile: Profile = serde_json::from_str(profile).expect("the profile is good");
    let message = format!("a{}<t>{}", "`".repeat(400), "`".repeat(300));
    laws::meaning(&profile, message.as_bytes());
    laws::bounded(&profile, &[message.as_bytes()]);
    laws::bounded(&profile, &cut::every(message.as_bytes(), 1));
}

#[test]
fn all_laws_hold() {
    for (profile, message) in FOUND {
        let profile: Profile = serde_json::from_str(profile).expect("the profile is good");
        laws::meaning(&profile, message.as_bytes());
        laws_hold_however_cut(&profile, message.as_bytes());
    }
}

/// There is no oracle for calls.
#[test]
fn calls_keep_the_laws_however_cut() {
    for (dialect, message) in FOUND_IN_CALLS {
        laws_hold_however_cut(&with_calls(dialect), message.as_bytes());
    }
}

fn laws_hold_however_cut(profile: &Profile, message: &[u8]) {
    let sizes = (1..4).map(|size| cut::every(message, size));
    for pieces in cut::in_two(message).chain(sizes) {
        laws::chunking(profile, &pieces);
        laws::lossless(profile, &pieces);
        laws::bounded(profile, &pieces);
    }
}
