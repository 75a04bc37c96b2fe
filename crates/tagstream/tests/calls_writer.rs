//! The writer and the generator of the round trips do what the round trips need of them.

use serde_json::Value;
use tagstream::Dialect;
use tagstream::dialect::Arguments;
use tagstream_testing::calls::nasty::{Tool, calls, tools};
use tagstream_testing::calls::representable::{fits, representable};
use tagstream_testing::calls::rng::Rng;
use tagstream_testing::calls::writer::{
    Call, Style, dialects, raw_dialects, raw_text, render, takes_json, variants,
};
use tagstream_testing::calls::{files, raw_writer};

#[test]
fn the_writer_knows_every_dialect_file() {
    let known = dialects();
    let files: Vec<String> = files::all().into_iter().map(|file| file.stem).collect();
    for file in &files {
        assert!(
            known.contains(&&**file),
            "the dialect `{file}` has no writer: add a line with `\"dialect\": \"{file}\"` to \
             cases/formats/dialects.jsonl (cases/README.md describes the keys), or, if a template cannot write it, \
             a function to raw_writer.rs or json_writer.rs in crates/tagstream-testing/src/calls, and its \
             name to the list in writer.rs"
        );
    }
    for name in known {
        let has_file = files.iter().any(|file| file == name);
        assert!(
            has_file,
            "the writer knows `{name}`, but dialects/{name}.toml is missing"
        );
    }
}

/// Both were written from the same facts, but not from each other.
#[test]
fn the_writer_writes_what_the_comment_of_the_file_shows() {
    for file in files::all() {
        let comment = squeeze(&file.text.replace("\n# ", "\n"));
        let texts = all_styles(&file.stem);
        let shown = texts.iter().any(|text| comment.contains(&squeeze(text)));
        assert!(
            shown,
            "the comment at the top of dialects/{0}.toml and the writer of `{0}` (cases/formats/dialects.jsonl) \
             disagree: the comment has none of {texts:#?}",
            file.stem
        );
    }
}

fn squeeze(text: &str) -> String {
    text.split_whitespace().collect()
}

/// The call that the comments show, in every way and with the ids that some of them have.
fn all_styles(dialect: &str) -> Vec<String> {
    let ids = [None, Some("0"), Some("abc123def")];
    let texts = ids.map(|id| all_variants(dialect, &[shown_call(id)]));
    texts.concat()
}

fn shown_call(id: Option<&str>) -> Call {
    Call {
        name: "get_weather".to_owned(),
        arguments: vec![("city".to_owned(), Value::from("Paris"))],
        id: id.map(str::to_owned),
        json: false,
    }
}

fn all_variants(dialect: &str, calls: &[Call]) -> Vec<String> {
    let each = false;
    let styles = (0..variants(dialect)).map(|variant| Style { each, variant });
    let texts = styles.map(|style| render(dialect, calls, style).text);
    texts.collect()
}

/// What few dialects may do, the writer does for just these.
#[test]
fn the_writer_takes_the_freedom_that_a_file_gives() {
    for file in files::all() {
        let calls = [shown_call(None), shown_call(None)];
        let texts = all_variants(&file.stem, &calls);
        // Two objects, each with the arguments at its end. Braces alone may be the syntax of a head.
        let several = texts.iter().any(|text| squeeze(text).contains(r#""}}{""#));
        assert_eq!(
            several,
            says_several(&file.dialect),
            "{}: whether the writer puts one object after another (left) and `wrapper.several` of the file \
             (right) differ",
            file.stem
        );
        assert_eq!(
            takes_json(&file.stem),
            says_json(&file.dialect),
            "{}: whether the writer puts JSON in place of tags (left) and `arguments.json` or `json_in` of \
             the file (right) differ",
            file.stem
        );
    }
}

fn says_several(dialect: &Dialect) -> bool {
    let wrapper = dialect.wrapper.as_ref();
    wrapper.is_some_and(|wrapper| wrapper.several)
}

fn says_json(dialect: &Dialect) -> bool {
    match &dialect.arguments {
        Arguments::Elements { json, json_in, .. } => *json || json_in.is_some(),
        _ => false,
    }
}

#[test]
fn all_generated_calls_can_be_carried_and_many_are_nasty() {
    for dialect in raw_dialects() {
        let (mut values, mut nasty) = (0, 0);
        for seed in 1..400 {
            let mut rng = Rng::new(seed);
            let tools = tools(&mut rng);
            for call in calls(&mut rng, dialect, &tools) {
                assert!(representable(dialect, &tools, &call), "{dialect}: {call:?}");
                values += call.arguments.len();
                nasty += call
                    .arguments
                    .iter()
                    .filter(|(name, v)| has_own_closer(dialect, name, v))
                    .count();
            }
        }
        assert!(nasty * 20 > values, "{dialect}: {nasty} of {values}");
    }
}

/// Whether the closer of the value is in it.
fn has_own_closer(dialect: &str, name: &str, value: &Value) -> bool {
    let text = raw_text(value).to_lowercase();
    raw_writer::formats(dialect)
        .iter()
        .any(|format| text.contains(&format.argument[1].replace("{}", name).to_lowercase()))
}

/// Section 6 of the contract, in small.
#[test]
fn what_would_end_a_value_cannot_stand_in_it() {
    let cases = [
        ("qwen3-coder", "echo </parameter> here", true),
        ("qwen3-coder", "a</parameter>", false),
        ("qwen3-coder", "a</parameter>\n</function>", false),
        ("qwen3-coder", "a</PARAMETER ><parameter=b>", false),
        ("qwen3-coder", "a</parameters></function", true),
        ("qwen3-coder", "<parameter=a>x</parameter></function>", true),
        ("qwen3-coder", "<parameter=a>x", false),
        ("qwen3-coder", "<parameter=b>x", false),
        ("qwen3-coder", "so <parameter=b>x", true),
        ("qwen3-coder", "<parameter=z>x", true),
        ("qwen3-coder", "</function>", true),
        ("qwen3-coder", "</function> </tool_call>", false),
        (
            "qwen3-coder",
            "<tool_call><function=f></function></tool_call>",
            true,
        ),
        ("qwen3-coder", "<function=f></function></tool_call>", false),
        ("qwen3-coder", "<parameter=\"", false),
        ("qwen3-coder", "line\r", false),
        ("function_calls", "line\r", true),
        ("function_calls", "<invoke name=\"", false),
        (
            "function_calls",
            "<invoke name=\"f\"><parameter name=\"a\">1</parameter></invoke>",
            true,
        ),
        ("glm", "</tool_call>", false),
        (
            "glm",
            "<tool_call>f<arg_key>a</arg_key><arg_value>1</arg_value></tool_call>",
            true,
        ),
        (
            "glm",
            "<tool_call>f<arg_key>b</arg_key><arg_value>1</arg_value></tool_call>",
            false,
        ),
        ("glm", "<arg_value>", false),
        ("glm", "a </arg_value> b", true),
        ("tags", "x</a>", false),
        ("tags", "x</a>y", true),
        ("tags", "</f>", false),
        ("tags", "<f><a>1</a></f>", true),
        ("tags", "<b>", false),
        ("tags", "in <b>", true),
        ("dsml", "x</|DSML| parameter></‖DSML‖invoke>", false),
        ("dsml", "x</|DSML| parameter> y", true),
        ("beam", "x <|end|> y", false),
        ("step3", "</steptml:invoke><｜tool_call_end｜>", false),
    ];
    let tools = [Tool {
        name: "f".to_owned(),
        arguments: vec!["a".to_owned(), "b".to_owned()],
    }];
    for (dialect, text, expected) in cases {
        assert_eq!(
            fits(dialect, &tools, "f", "a", text),
            expected,
            "{dialect}: {text:?}"
        );
    }
}
