//! A profile that is refused is refused with the key, the line and what is allowed.

use tagstream::profile::{load, parse};

/// The text of a profile, and the whole message.
const REFUSED: &[(&str, &str)] = &[
    // Unknown keys.
    (
        "code = 'none'\nmarker = []",
        "line 2: `marker`: unknown key `marker` (did you mean `markers`?); allowed: `models`, `code`, `code_notices`, `markers`, `unwrap`, `hide`, `hide_in_thinking`, `thinking`, `calls`, `elements`, `filter`, `limits`",
    ),
    (
        "[thinking]\ntags = []\nmod = 'hide'",
        "line 3: `thinking.mod`: unknown key `mod` (did you mean `mode`?); allowed: `tags`, `delimiters`, `ends_before`, `answers`, `mode`, `starts_open`, `anchor`, `unclosed`, `orphan_close`, `trim`, `nesting`",
    ),
    (
        "[[elements]]\nname = 'a'\n\n[[elements]]\nname = 'b'\nchild = []",
        "line 6: `elements[1].child`: unknown key `child`; allowed: `name`, `children`, `orphan_close`, `nests`",
    ),
    (
        "{\n  \"limits\": {\n    \"tags\": 1\n  }\n}",
        "line 3: `limits.tags`: unknown key `tags` (did you mean `tag`?); allowed: `tag`, `span`, `lookahead`, `value`, `depth`",
    ),
    // Unknown values.
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
        "[limits]\ntag = 99999999999999999999",
        "line 2: `limits.tag`: wrong value: 1e+20 is out of range; allowed: a whole number from 0 to 18446744073709551615",
    ),
    (
        "{\"limits\":\n{\"tag\": 99999999999999999999}}",
        "line 2: `limits.tag`: wrong value: 1e+20 is out of range; allowed: a whole number from 0 to 18446744073709551615",
    ),
    (
        "[limits]\ntag = 1.5",
        "line 2: `limits.tag`: wrong type: floating point `1.5`; allowed: a whole number, 0 or more",
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
    // Calls.
    (
        "hide = []\n[calls]\ndialect = 'hermes'\ntool = []",
        "line 4: `calls.tool`: unknown key `tool` (did you mean `tools`?); allowed: `dialect`, `dialect_files`, `tools`, `tools_file`, `unwrapped`, `missing_end`, `in_thinking`, `in_code`, `unknown_tool`, `refused`, `unknown_argument`, `coerce`, `wrap_single`, `infer_types`, `decode_entities`, `near_misses`, `orphan_close`, `aliases`, `max_calls`",
    ),
    (
        "[calls]\nunknown_argument = 'hide'",
        "line 2: `calls.unknown_argument`: unknown value `hide`; allowed: `pass`, `reject`, `drop`",
    ),
    (
        "{\"calls\":\n{\"in_thinking\": 1}}",
        "line 2: `calls.in_thinking`: wrong type; allowed: `ignore`, `promote`, `end`",
    ),
    (
        "[calls]\n\ndialect = 5",
        "line 3: `calls.dialect`: wrong type: integer `5`; allowed: a name, a list of names or `auto`",
    ),
    (
        "[calls]\ndialect = ['hermes', 5]",
        "line 2: `calls.dialect[1]`: wrong type: integer `5`; allowed: a string",
    ),
    (
        "[calls]\nmax_calls = -1",
        "line 2: `calls.max_calls`: wrong value: integer `-1`; allowed: a whole number, 0 or more",
    ),
    (
        "[calls]\ntools = 'x'",
        "line 2: `calls.tools`: wrong type: string \"x\"; allowed: a list",
    ),
    (
        "[calls]\ntools_file = 5",
        "line 2: `calls.tools_file`: wrong type: integer `5`; allowed: a string",
    ),
    (
        "[calls.aliases]\nbash = 'cmd'",
        "line 2: `calls.aliases.bash`: wrong type: string \"cmd\"; allowed: a table",
    ),
    (
        "[calls]\ntools = [{ name = 'f' },\n{ type = 'function' }]",
        "line 3: `calls.tools[1].name`: missing",
    ),
    (
        "{\"calls\": {\"tools\": [\n{\"function\": {\"name\": \"f\"}},\n{\"function\": {\"name\": \"f\", \"parameters\": {\"required\": [\"a\"]}}}]}}",
        "line 3: `calls.tools[1].function.name`: duplicate tool `f`, with another schema",
    ),
    (
        "[calls]\ntools = [{ name = 'bash' }]\n[calls.aliases.bsh]\ncommand = ['cmd']",
        "line 3: `calls.aliases.bsh`: unknown tool `bsh`; allowed: `bash`",
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
    let message = parse("[calls]\ntools_file = 'no/such.json'").unwrap_err();
    let message = message.to_string();
    let start = "line 2: `calls.tools_file`: no/such.json: ";
    assert!(message.starts_with(start), "{message}");
}

#[test]
fn an_unknown_dialect_is_named_with_all_that_there_are() {
    for (text, place) in [
        ("[calls]\ndialect = 'herms'", "line 2: `calls.dialect`"),
        (
            "[calls]\ndialect = [\n'hermes',\n'herms']",
            "line 4: `calls.dialect[1]`",
        ),
    ] {
        let message = parse(text).unwrap_err().to_string();
        let start =
            format!("{place}: unknown dialect `herms` (did you mean `hermes`?); allowed: `auto`, ");
        assert!(message.starts_with(&start), "{message}");
        for built_in in tagstream::dialect::built_in() {
            let name = format!("`{}`", built_in.name());
            assert!(message.contains(&name), "{message}");
        }
    }
}

#[test]
fn a_json_file_that_holds_no_object_is_not_called_toml() {
    let path = std::env::temp_dir().join(format!("tagstream-{}-list.json", std::process::id()));
    for (text, end) in [
        (
            "[]",
            ": line 1: a profile in JSON is an object; begin it with `{` and end it with `}`",
        ),
        (
            "{\"hide\": 1}",
            ": line 1: `hide`: wrong type: integer `1`; allowed: a list",
        ),
    ] {
        std::fs::write(&path, text).unwrap();
        let message = load(&path).unwrap_err().to_string();
        assert!(message.ends_with(end), "{message}");
    }
    std::fs::remove_file(&path).unwrap();
}
