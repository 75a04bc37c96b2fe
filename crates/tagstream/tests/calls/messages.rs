//! What is reported to a model about a call that is malformed: what is there, and what to do.

use tagstream::dialect;
use tagstream::{CallSettings, Engine, Event, EventKind, Profile, ToolSignature};

/// The messages of the errors, whole and byte by byte.
fn errors(name: &str, message: &str) -> Vec<String> {
    let dialect = dialect::find(name).unwrap().dialect().clone();
    let calls = CallSettings::dialects([dialect]).tool(ToolSignature::new("f", ["a", "b"]));
    let policy = Profile::new().calls(calls).compile().unwrap();
    let in_pieces = |size: usize| {
        let mut errors = Vec::new();
        let mut sink = |event: Event<'_>| {
            if let EventKind::CallError { message, .. } = event.kind {
                errors.push(message.to_owned());
            }
        };
        let mut engine = Engine::new(&policy);
        for piece in message.as_bytes().chunks(size) {
            engine.push_bytes(piece, &mut sink);
        }
        engine.finish(&mut sink);
        errors
    };
    let whole = in_pieces(message.len());
    assert_eq!(in_pieces(1), whole, "{message}");
    whole
}

const CALL: &str = r#"<tool_call>{"name": "f", "arguments": {}}"#;

#[test]
fn the_next_opener_after_complete_json_is_not_an_error() {
    let message = format!("{CALL}\n{CALL}</tool_call>");
    assert!(errors("hermes", &message).is_empty());
}

#[test]
fn what_comes_after_json_is_shown_as_far_as_its_beginning() {
    for (junk, shown) in [
        ("}}", "}"),
        (" and that is all ", "and that is all"),
        (&"ab".repeat(99), &*format!("{}…", "ab".repeat(12))),
    ] {
        let message = format!("{CALL}{junk}</tool_call>");
        let reported = format!("`{shown}` is between the JSON and the closing tag; leave it out");
        assert_eq!(errors("hermes", &message), [reported]);
    }
}

#[test]
fn what_follows_a_closing_tag_in_a_value_is_shown() {
    for (after, shown) in [
        ("why <b>not</b>", "why <b>not</b>"),
        (" or <c>\nmore of this</c>", "or <c>\nmore of this</c>"),
        (&"é".repeat(30), &*format!("{}…", "é".repeat(24))),
    ] {
        let message = format!("<f><a>x</a>{after}</f>");
        let reported = format!(
            "the value of `a` has a closing tag in it that does not end it: `{shown}` follows it, \
             which is neither a declared argument nor the end of the call. It has none at its end; close \
             the value, or leave out what does not belong to it"
        );
        assert_eq!(errors("tags", &message), [reported]);
    }
}

#[test]
fn an_argument_that_is_not_declared_is_named() {
    for message in [
        "<f><a>x</a><why>because</why></f>",
        "<f><why>because</why><a>x</a></f>",
    ] {
        let reported = "`f` has no argument `why`; there are: `a`, `b`";
        assert_eq!(errors("tags", message), [reported]);
    }
}

#[test]
fn nothing_is_shown_where_nothing_follows() {
    let reported = "the value of `a` has a closing tag in it that does not end it. It has none at its \
                end; close the value, or leave out what does not belong to it";
    assert_eq!(errors("tags", "<f><a>say <a>x</a></f>"), [reported]);
}

#[test]
fn a_key_with_a_wrong_closer_is_named() {
    let message = "<tool_call>f<arg_key>a</arg_value><arg_value>x</arg_value></tool_call>";
    let reported = "the key `a</arg_value>` has a wrong tag in it; close it with its own";
    assert_eq!(errors("glm", message), [reported]);
}
