//! A user's own dialect, in all that its file can say of brackets, quotes and ids.

use serde_json::json;
use tagstream::dialect;
use tagstream::{CallSettings, Engine, Event, EventKind, OrphanClose, Profile, ToolSignature};
use tagstream_testing::calls::run::run;

/// The calls in a message, each as `id name arguments`, and the text; byte by byte and whole.
fn read(dialect: &str, message: &str) -> (Vec<String>, String) {
    let dialect = dialect::parse(dialect).unwrap();
    let calls = CallSettings::dialects([dialect]).tool(ToolSignature::new("f", ["a", "b"]));
    let policy = Profile::new().calls(calls).compile().unwrap();
    let in_pieces = |size: usize| {
        let (mut calls, mut text) = (Vec::new(), String::new());
        let mut sink = |event: Event<'_>| match event.kind {
            EventKind::CallEnd {
                id,
                name,
                arguments,
                ..
            } => calls.push(format!("{id} {name} {arguments}")),
            EventKind::CallError { message, .. } => calls.push(message.to_owned()),
            EventKind::Text(more) => text.push_str(more),
            _ => {}
        };
        let mut engine = Engine::new(&policy);
        for piece in message.as_bytes().chunks(size) {
            engine.push_bytes(piece, &mut sink);
        }
        engine.finish(&mut sink);
        (calls, text)
    };
    let whole = in_pieces(message.len());
    assert_eq!(in_pieces(1), whole, "{message}");
    whole
}

fn one(dialect: &str, message: &str) -> String {
    let (calls, text) = read(dialect, message);
    assert_eq!(text, "", "{message}");
    calls.join(" | ")
}

/// A dialect with a tag for each argument; `more` is what else it says of arguments.
fn elements([open, close]: [&str; 2], [argument, argument_close]: [&str; 2], more: &str) -> String {
    format!(
        "
        name = 'mine'
        [call]
        open = ['{open}']
        close = ['{close}']
        [arguments]
        style = 'elements'
        open = ['{argument}']
        close = ['{argument_close}']
        {more}"
    )
}

/// The same, with tags in double square brackets.
fn in_brackets(call: [&str; 2], argument: [&str; 2]) -> String {
    let brackets = "brackets = ['[[', '[[/', ']]']";
    format!("{brackets}{}", elements(call, argument, ""))
}

#[test]
fn tags_of_the_tools_names_in_brackets() {
    let dialect = &in_brackets(
        ["[[{name}]]", "[[/{name}]]"],
        ["[[{argument}]]", "[[/{argument}]]"],
    );
    // The case of a name counts only where the dialect leaves it open what the name is.
    let message = "[[f]][[C]]z[[/c]][[/f]]";
    let problem = "the value of `C` has no closing tag; write it after the value";
    assert_eq!(one(dialect, message), problem);
    let message = "[[f]][[a]]x[[b]]y[[/b]][[/a]] [[ c ]]z]][[/c]] [[/F ]]";
    assert_eq!(
        one(dialect, message),
        r#"call_0 f {"a":"x[[b]]y[[/b]]","c":"z]]"}"#
    );
    let prose = "A list [[g]] of [[f] lists [[f]] here.";
    assert_eq!(read(dialect, prose), (vec![], prose.to_owned()));
}

#[test]
fn names_after_an_equals_sign_in_brackets() {
    let dialect = &in_brackets(
        ["[[tool={name}]]", "[[/tool]]"],
        ["[[arg={argument}]]", "[[/arg]]"],
    );
    let message = "[[tool=f]][[arg=a]]x[[/arg]][[arg='b']]2[[/arg]][[/tool]]";
    assert_eq!(one(dialect, message), r#"call_0 f {"a":"x","b":"2"}"#);
}

#[test]
fn json_with_single_quotes_and_an_id() {
    let dialect = "
        name = 'mine'
        [call]
        open = ['@call {name} #{id}: ']
        [arguments]
        style = 'json'
        quote = \"'\"";
    let message = r#"@call f #x-1: {'a': '"b"', "c": 1}"#;
    assert_eq!(one(dialect, message), r#"x-1 f {"a": "\"b\"", "c": 1}"#);
    let prose = "@call f #x 1: {}";
    assert_eq!(read(dialect, prose), (vec![], prose.to_owned()));
}

const TOOL: [&str; 2] = ["<tool={name}>", "</tool>"];
const ARG: [&str; 2] = ["<arg={argument}>", "</arg>"];

#[test]
fn json_in_place_of_arguments_by_itself_or_between_tags() {
    let json = "json = true\njson_in = ['<json>', '</json>']";
    let dialect = &elements(TOOL, ARG, json);
    let both = "<tool=f>{\"a\": 1}</tool><tool=f><json>{\"a\": 2}</json></tool>";
    assert_eq!(
        one(dialect, both),
        r#"call_0 f {"a": 1} | call_1 f {"a": 2}"#
    );
    let tags = "<tool=f> <arg=a>{\"a\": 1}</arg> </tool>";
    assert_eq!(one(dialect, tags), r#"call_0 f {"a":"{\"a\": 1}"}"#);
    let open = "<tool=f><json>{\"a\": 2}</tool>";
    let problem = "the JSON has no closing tag; write it before the call ends";
    assert_eq!(one(dialect, open), problem);
}

#[test]
fn objects_by_key_may_follow_each_other_where_the_file_says_so() {
    let dialect = "
        name = 'mine'
        [wrapper]
        open = ['@calls']
        close = ['@end']
        several = true
        [arguments]
        style = 'keyed'";
    let message = "@calls {\"f\": {\"a\": 1}} {\"f\": {}} @end";
    assert_eq!(one(dialect, message), r#"call_0 f {"a": 1} | call_1 f {}"#);
}

#[test]
fn what_cannot_be_meant_is_refused_by_its_key() {
    let key = |dialect: &str| dialect::parse(dialect).unwrap_err().to_string();
    let tags = "
        name = 'mine'
        [wrapper]
        open = ['<calls>']
        several = true
        [call]
        open = ['<tool={name}>']
        [arguments]
        style = 'json'";
    assert!(key(tags).contains("wrapper.several"), "{}", key(tags));
    let empty = &elements(TOOL, ARG, "json_in = ['', '</json>']");
    assert!(key(empty).contains("json_in"), "{}", key(empty));
}

/// Numbers of tools do not wrap, and no step of the compiler compares all tools with each other.
#[test]
fn a_profile_may_have_70_000_tools() {
    const TOOLS: usize = 70_000;
    let tool =
        |i: usize| ToolSignature::new(format!("tool_{i}"), ["a".to_owned(), format!("b_{i}")]);
    let tags = dialect::find("tags").unwrap().dialect().clone();
    let calls = CallSettings::dialects([tags]).tools((0..TOOLS).map(tool));
    let policy = Profile::new().calls(calls).compile().unwrap();
    for i in [0, 65_535, 65_536, TOOLS - 1] {
        let call = format!("<tool_{i}><a>1</a><b_{i}>2</b_{i}></tool_{i}>");
        let message = format!("<tool_{TOOLS}>{call}");
        for size in [1, message.len()] {
            let output = run(&policy, message.as_bytes().chunks(size));
            let calls = output.calls();
            assert_eq!(calls.len(), 1, "{:?}", output.events);
            let (_, name, arguments) = &calls[0];
            assert_eq!(*name, format!("tool_{i}"));
            assert_eq!(*arguments, json!({"a": "1", format!("b_{i}"): "2"}));
            assert_eq!(output.text(), format!("<tool_{TOOLS}>"));
        }
    }
}

#[test]
fn closing_tags_of_tools_in_brackets_can_be_orphans() {
    let dialect = "
        name = 'mine'
        brackets = ['[[', '[[/', ']]']
        [call]
        open = ['[[{name}]]']
        close = ['[[/{name}]]']
        [arguments]
        style = 'elements'
        open = ['[[p name=\"{argument}\"]]']
        close = ['[[/p]]']";
    for (orphan_close, text) in [(OrphanClose::Drop, "ab"), (OrphanClose::Keep, "a[[/f]]b")] {
        let mut calls = CallSettings::dialects([dialect::parse(dialect).unwrap()])
            .tool(ToolSignature::new("f", ["a"]));
        calls.orphan_close = orphan_close;
        let policy = Profile::new().calls(calls).compile().unwrap();
        assert_eq!(run(&policy, [&b"a[[/f]]b"[..]]).text(), text);
    }
}
