//! A profile that is refused is refused with the key, the line and what is allowed.

use tagstream_profiles::{load, parse};

/// The text of a profile, and the whole message.
const REFUSED: &[(&str, &str)] = &[
    // Keys nobody knows.
    (
        "code = 'none'\nmarker = []",
        "line 2: `marker`: unknown key `marker`; allowed: `code`, `markers`, `hide`, `thinking`, `elements`, `limits`",
    ),
    (
        "[thinking]\ntags = []\nmod = 'hide'",
        "line 3: `thinking.mod`: unknown key `mod`; allowed: `tags`, `delimiters`, `mode`, `starts_open`, `anchor`, `unclosed`, `orphan_close`, `trim`, `nesting`",
    ),
    (
        "[[elements]]\nname = 'a'\n\n[[elements]]\nname = 'b'\nchild = []",
        "line 6: `elements[1].child`: unknown key `child`; allowed: `name`, `children`",
    ),
    (
        "{\n  \"limits\": {\n    \"tags\": 1\n  }\n}",
        "line 3: `limits.tags`: unknown key `tags`; allowed: `tag`, `span`, `lookahead`, `value`, `depth`",
    ),
    // Values nobody knows.
    (
        "code = 'html'",
        "line 1: `code`: unknown value `html`; allowed: `markdown`, `none`",
    ),
    (
        "[thinking]\n\ntrim = 'all'",
        "line 3: `thinking.trim`: unknown value `all`; allowed: `none`, `answer`, `thought`, `both`",
    ),
    (
        "{\"thinking\":\n {\"mode\": \"loud\"}}",
        "line 2: `thinking.mode`: unknown value `loud`; allowed: `extract`, `hide`, `show`",
    ),
    // Wrong types.
    (
        "[thinking]\nmode = 3",
        "line 2: `thinking.mode`: wrong type; allowed: `extract`, `hide`, `show`",
    ),
    (
        "{\"code\": true}",
        "line 1: `code`: wrong type; allowed: `markdown`, `none`",
    ),
    (
        "[thinking]\nstarts_open = 'yes'",
        "line 2: `thinking.starts_open`: wrong type: string \"yes\"; allowed: true or false",
    ),
    (
        "[thinking]\ntags = 'think'",
        "line 2: `thinking.tags`: wrong type: string \"think\"; allowed: a list",
    ),
    (
        "[thinking]\ntags = [\n  'think',\n  5,\n]",
        "line 4: `thinking.tags[1]`: wrong type: integer `5`; allowed: a string",
    ),
    (
        "[thinking]\ndelimiters = [['a']]",
        "line 2: `thinking.delimiters[0]`: wrong length 1; allowed: a list of 2 strings",
    ),
    (
        "[limits]\ntag = -1",
        "line 2: `limits.tag`: wrong value: integer `-1`; allowed: a whole number, 0 or more",
    ),
    (
        "code = 'usize, expected struct'",
        "line 1: `code`: unknown value `usize, expected struct`; allowed: `markdown`, `none`",
    ),
    (
        "thinking = 'x'",
        "line 1: `thinking`: wrong type: string \"x\"; allowed: a table",
    ),
    (
        "{\"hide\": [\n\"a\",\n1]}",
        "line 3: `hide[1]`: wrong type: integer `1`; allowed: a string",
    ),
    // Something is missing.
    (
        "code = 'none'\n[[elements]]\nchildren = []",
        "line 2: `elements[0]`: missing key `name`",
    ),
    // Not of this version.
    (
        "hide = []\n[calls]\ndialect = 'auto'",
        "line 2: `calls`: calls are not supported by this version",
    ),
    (
        "{\"calls\": {}}",
        "line 1: `calls`: calls are not supported by this version",
    ),
];

#[test]
fn messages() {
    for (text, message) in REFUSED {
        assert_eq!(parse(text).unwrap_err().to_string(), *message, "{text}");
    }
}

#[test]
fn a_text_that_is_neither_format() {
    for (text, start) in [
        ("hide = [\n'a'\n'b']", "line 3: not TOML: "),
        ("hide = []\nhide = []", "line 2: not TOML: duplicate key"),
        ("{\n\"hide\": [}", "line 2: not JSON: "),
        ("{}\n{}", "line 2: not JSON: trailing characters"),
    ] {
        let message = parse(text).unwrap_err().to_string();
        assert!(message.starts_with(start), "{message}");
    }
}

#[test]
fn the_same_profile_in_both_formats() {
    let toml = "hide = ['a']\n[thinking]\ntags = ['t']\ndelimiters = [['[', ']']]\n[[elements]]\nname = 'n'";
    let json = r#"{"hide":["a"],"thinking":{"tags":["t"],"delimiters":[["[","]"]]},"elements":[{"name":"n"}]}"#;
    assert_eq!(parse(toml).unwrap(), parse(json).unwrap());
}

#[test]
fn nothing_is_a_profile_in_which_nothing_counts() {
    assert_eq!(parse("").unwrap(), tagstream::Profile::new());
    assert_eq!(parse(" \u{20}{}").unwrap(), tagstream::Profile::new());
    assert_eq!(
        parse("\u{feff}hide = []").unwrap(),
        tagstream::Profile::new()
    );
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let message = load("no/such.toml").unwrap_err().to_string();
    assert!(message.starts_with("no/such.toml: "), "{message}");
}
