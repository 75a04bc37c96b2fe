//! A whole message at once.

use tagstream::message::{MessageReader, parse};
use tagstream::{Calls, Policy, Profile, Thinking, Tools};

fn policy() -> Policy {
    let tools = Tools::parse(
        r#"[{"name": "now", "parameters": {"type": "object", "properties": {"zone": {"type": "string"}}}}]"#,
    )
    .unwrap();
    let profile = Profile::new().thinking(Thinking::tags(["think"]));
    profile.calls(Calls::auto(&tools)).compile().unwrap()
}

#[test]
fn a_message_is_taken_apart() {
    let text = "<think>a</think>One<tool_call>{\"name\":\"now\",\"arguments\":{\"zone\":\"x\"}}</tool_call>\
                two<tool_call>{\"name\":\"then\",\"arguments\":{}}</tool_call>";
    let message = parse(&policy(), text);
    assert_eq!(message.content, "One two");
    assert_eq!(message.thoughts, ["a"]);
    assert_eq!(message.tool_calls.len(), 1);
    assert_eq!(message.tool_calls[0].arguments, "{\"zone\":\"x\"}");
    let notice = &message.notices[0];
    assert_eq!((notice.code, notice.call), ("unknown_tool", Some(1)));
    assert_eq!(notice.tool.as_deref(), Some("then"));
}

#[test]
fn a_reader_forgets_the_previous_message() {
    let policy = policy();
    let texts = ["<think>a</think>b</think>", "", "plain", "<think>open"];
    let mut reader = MessageReader::new(&policy);
    for text in texts.iter().chain(texts.iter().rev()) {
        assert_eq!(*reader.read(text), parse(&policy, text), "{text}");
        assert_eq!(
            *reader.read_bytes(text.as_bytes()),
            parse(&policy, text),
            "{text}"
        );
    }
}
