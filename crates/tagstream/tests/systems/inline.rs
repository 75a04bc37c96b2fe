//! Document 001: inline tags in chat completions.

use tagstream::message::MessageReader;
use tagstream::view::inline::{
    ChatEvent, Inline, InlineChat, InlineSplitter, THOUGHT_TAGS, split_inline_xml,
};
use tagstream::view::strip_inline_xml_tags_with;
use tagstream::{CallSettings, CodeStyle, Limits, Profile, Whitespace, preset};
use tagstream_testing::cuts::cuts;

/// The content and the names of the tags.
fn split(chunks: &[&str]) -> (String, Vec<String>) {
    let (mut content, mut names) = (String::new(), Vec::new());
    split_inline_xml(chunks.iter().copied(), |piece| match piece {
        Inline::Content(text) => content.push_str(text),
        Inline::Tag(tag) => names.push(tag.name.to_owned()),
        other => panic!("{other:?}"),
    });
    (content, names)
}

/// An unclosed tag is text for its own bytes: what follows it is read as if it were not there.
const UNCLOSED: [(&str, &str, &[&str]); 6] = [
    ("a <br> b <b>bold</b> end", "a <br> bend", &["b"]),
    ("Vec<T>, <b>x</b>, Vec<U> y", "Vec<T>,, Vec<U> y", &["b"]),
    ("<a><b>1</b><a><c>2</c></a>", "<a>", &["b", "a"]),
    ("<a x=\"<b>1</b>", "<a x=\"", &["b"]),
    ("<a> </b> <c/> x", "<a>x", &["c"]),
    ("a < b <i>c</i> > d", "a < b> d", &["i"]),
];

#[test]
fn s001_an_unclosed_tag_is_text_for_its_own_bytes_only() {
    for (message, content, names) in UNCLOSED {
        for chunks in cuts(message) {
            let (split, tags) = split(&chunks);
            assert_eq!(split, content, "{chunks:?}");
            assert_eq!(tags, names, "{chunks:?}");
        }
    }
}

#[test]
fn s001_strip_reads_on_after_an_unclosed_tag() {
    for (message, stripped) in [
        (
            "Use Vec<T>. <think>secret</think> done",
            "Use Vec<T>.  done",
        ),
        ("a <br> b <b>bold</b> end", "a <br> b  end"),
    ] {
        let preserved = strip_inline_xml_tags_with(message, Whitespace::Preserve);
        assert_eq!(preserved, stripped);
        let collapsed = strip_inline_xml_tags_with(message, Whitespace::Collapse);
        assert_eq!(collapsed, stripped.replace("  ", " "));
    }
}

/// What follows an unclosed tag is there as soon as it is certain that no closing tag comes in time.
#[test]
fn s001_what_follows_an_unclosed_tag_comes_live() {
    let limits = Limits::default().lookahead(100);
    let policy = InlineSplitter::profile().limits(limits).compile().unwrap();
    let mut splitter = InlineSplitter::with_policy(&policy);
    let mut content = String::new();
    let mut sink = |piece: Inline<'_>| {
        if let Inline::Content(text) = piece {
            content.push_str(text);
        }
    };
    splitter.push("Vec<T> is ", &mut sink);
    for _ in 0..100 {
        splitter.push("a<b>b</b>c ", &mut sink);
    }
    assert!(content.starts_with("Vec<T> is ac ac"), "{content}");
    assert!(content.len() >= "Vec<T> is ".len() + 85 * 3, "{content}");
}

// Thoughts.

/// What a chat gives: the joined deltas, the thoughts by id, the content at the end.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    deltas: String,
    thoughts: Vec<(String, String)>,
    tags: Vec<String>,
    calls: usize,
    content: String,
}

impl Seen {
    fn event(&mut self, event: &ChatEvent<'_>) {
        match event {
            ChatEvent::ContentDelta { delta, .. } => self.deltas.push_str(delta),
            ChatEvent::ThoughtStream(thought) => match self.thoughts.last_mut() {
                Some((id, text)) if id == thought.thought_id => text.push_str(thought.content),
                _ => {
                    let thought = (thought.thought_id.into(), thought.content.into());
                    self.thoughts.push(thought);
                }
            },
            ChatEvent::InlineTag { tag, .. } => self.tags.push(tag.name.to_owned()),
            ChatEvent::ToolCall { .. } => self.calls += 1,
            ChatEvent::ContentComplete { content, .. } => self.content.push_str(content),
            _ => {}
        }
    }

    fn of(mut chat: InlineChat, chunks: &[&str]) -> Self {
        let mut reported = Seen::default();
        let mut sink = |event: ChatEvent<'_>| reported.event(&event);
        for chunk in chunks {
            chat.push(chunk, &mut sink);
        }
        chat.finish(None, &mut sink);
        reported
    }
}

#[test]
fn s001_the_preset_lists_the_thought_tags() {
    assert_eq!(preset("inline").unwrap(), InlineSplitter::profile());
    assert_eq!(preset("inline").unwrap().thinking.tags, THOUGHT_TAGS);
}

#[test]
fn s001_the_thought_tags_stream_as_thinking() {
    for tag in THOUGHT_TAGS {
        let mut chat = InlineChat::new(0);
        let mut thought = String::new();
        let mut sink = |event: ChatEvent<'_>| {
            if let ChatEvent::ThoughtStream(piece) = event {
                thought.push_str(piece.content);
            }
        };
        chat.push(&format!("<{tag}>I should "), &mut sink);
        assert_eq!(thought, "I should ", "before its end has come");
    }
}

/// Closed or not, and whatever is asked for: `aggregate` of the command line is tested there.
#[test]
fn s001_a_thought_of_ten_megabytes_never_leaks_into_the_content() {
    let thought = "let me see ".repeat(1_000_000);
    for end in ["</analysis> B", ""] {
        let message = format!("A <analysis>{thought}{end}");
        let chunks: Vec<&str> = message.as_bytes().chunks(50_000).map(ascii).collect();
        let reported = Seen::of(InlineChat::new(0), &chunks);
        let expected = if end.is_empty() { "A " } else { "A  B" };
        assert_eq!(reported.content, expected);
        assert_eq!(reported.thoughts.len(), 1);
        assert_eq!(reported.thoughts[0].1.len(), thought.len());
        let (content, names) = split(&chunks);
        assert_eq!(content, expected.replace(' ', ""));
        assert_eq!(names, ["analysis"]);
    }
    let message = format!("A <analysis>{thought}</analysis> B");
    for whitespace in [Whitespace::Preserve, Whitespace::AsIs] {
        assert_eq!(strip_inline_xml_tags_with(&message, whitespace), "A  B");
    }
}

fn ascii(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn s001_an_empty_thought_is_a_tag_for_the_splitter() {
    for (message, content) in [
        ("a<thinking/>b", None),
        ("a<planning> </planning>b", Some(" ")),
    ] {
        let mut found = 0;
        split_inline_xml([message], |piece| {
            if let Inline::Tag(tag) = piece {
                assert_eq!(tag.content, content);
                found += 1;
            }
        });
        assert_eq!(found, 1, "{message}");
    }
}

// Policies and white space.

#[test]
fn s001_a_chat_takes_a_policy() {
    let profile = InlineSplitter::profile().code(CodeStyle::None);
    let chat = InlineChat::with_policy(0, &profile.compile().unwrap());
    let reported = Seen::of(chat, &["`<thinking>x</thinking>` y"]);
    assert_eq!(reported.content, "`` y");
    assert_eq!(reported.thoughts.len(), 1);
    let hermes = tagstream::dialect::find("hermes")
        .unwrap()
        .dialect()
        .clone();
    let calls = Profile::new().calls(CallSettings::dialects([hermes]));
    let policy = InlineSplitter::extend(calls).compile().unwrap();
    let message = "A <tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call> B <b>x</b>";
    let reported = Seen::of(InlineChat::with_policy(0, &policy), &[message]);
    assert_eq!(
        (reported.calls, reported.tags.as_slice()),
        (1, &["b".to_owned()][..])
    );
    assert_eq!(reported.content, "A  B ");
}

const TAGGED: [&str; 10] = [
    "Processing<thinking />Now complete.",
    "# One\n\n<thinking>x</thinking>\n\nTwo <b>y</b>, three  \n",
    " <a/> x </b> y `<i>z</i>` <c>",
    "no tags\n\n at all ",
    "a </b> c",
    "a</thinking> c",
    "<p>Hello</p> <p>World</p>",
    "  a<b/>b  ",
    "Use Vec<T>. <think>secret</think> done",
    "Hello<thinking>secret",
];

/// The messages for which the two patterns of the document have another meaning: they know no code, and
/// leave tags without a partner.
fn is_beyond_patterns(message: &str) -> bool {
    let parts = ["`", "a </b>", "a</thinking>", "Hello<thinking>"];
    parts.iter().any(|part| message.contains(part))
}

const WAYS: [Whitespace; 4] = [
    Whitespace::Split,
    Whitespace::Preserve,
    Whitespace::Collapse,
    Whitespace::AsIs,
];

/// For each way of cleaning but one; with the other, the deltas are those of `Split`.
#[test]
fn s001_joined_deltas_are_the_content() {
    for message in TAGGED {
        for chunks in cuts(message) {
            for whitespace in [Whitespace::Split, Whitespace::Preserve, Whitespace::AsIs] {
                let reported = Seen::of(InlineChat::new(0).whitespace(whitespace), &chunks);
                assert_eq!(
                    reported.deltas, reported.content,
                    "{whitespace:?} {chunks:?}"
                );
            }
            let split = Seen::of(InlineChat::new(0).whitespace(Whitespace::Split), &chunks);
            let collapse = InlineChat::new(0).whitespace(Whitespace::Collapse);
            let reported = Seen::of(collapse, &chunks);
            assert_eq!(reported.deltas, split.deltas, "{chunks:?}");
            assert!(!reported.content.contains("  ") && !reported.content.contains('\n'));
        }
    }
}

/// A chat, a whole string and a message are cleaned alike.
#[test]
fn s001_the_ways_of_cleaning_are_the_same_everywhere() {
    let policy = InlineSplitter::profile().compile().unwrap();
    for message in TAGGED {
        for whitespace in WAYS {
            let chat = Seen::of(InlineChat::new(0).whitespace(whitespace), &[message]);
            let mut reader = MessageReader::new(&policy).whitespace(whitespace);
            let content = &reader.read(message).content;
            assert_eq!(&chat.content, content, "{whitespace:?} {message:?}");
            if whitespace == Whitespace::Collapse && is_beyond_patterns(message) {
                continue;
            }
            let whole = strip_inline_xml_tags_with(message, whitespace);
            assert_eq!(chat.content, whole, "{whitespace:?} {message:?}");
        }
    }
    let words = "Processing<thinking />Now";
    assert_eq!(
        Seen::of(InlineChat::new(0), &[words]).content,
        "Processing Now"
    );
}

#[test]
fn s001_strip_hides_a_thought_without_a_closing_tag() {
    for (message, stripped) in [
        ("Hello<thinking>secret", "Hello"),
        ("Hello <planning>secret <b>x</b>", "Hello "),
        ("Hello<note>not a thought", "Hello<note>not a thought"),
    ] {
        let left = strip_inline_xml_tags_with(message, Whitespace::Preserve);
        assert_eq!(left, stripped);
    }
}

// From a provider's stream.

#[cfg(feature = "wire")]
#[test]
fn s001_a_providers_stream_becomes_the_events_of_chat_completions() {
    use tagstream::view::inline::ChatSession;
    use tagstream::wire::Format;

    let frames = [
        r#"{"choices":[{"index":0,"delta":{"content":"Let me think. <thin"}}]}"#,
        r#"{"choices":[{"index":1,"delta":{"reasoning_content":"native","content":"One"}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"content":"king>I should analyze</thinking> 42."}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"b","function":{"name":"g","arguments":"{}"}}]}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}}]}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]}}]}"#,
        r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"},{"index":1,"delta":{},"finish_reason":"stop"}]}"#,
        "[DONE]",
    ];
    let stream: String = frames.map(|frame| format!("data: {frame}\n\n")).concat();
    let read = |size: usize| {
        let mut lines: Vec<serde_json::Value> = Vec::new();
        let mut sink = |event: ChatEvent<'_>| lines.push(serde_json::to_value(event).unwrap());
        let mut session = ChatSession::new(&Profile::new(), Format::OpenAi).unwrap();
        for piece in stream.as_bytes().chunks(size) {
            session.push(piece, &mut sink);
        }
        session.finish(&mut sink);
        lines
    };
    let lines = read(stream.len());
    let kinds: Vec<_> = lines
        .iter()
        .map(|line| {
            (
                line["kind"].as_str().unwrap(),
                line["index"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        kinds,
        [
            ("content-delta", 0),
            ("thought-stream", 1),
            ("content-delta", 1),
            ("thought-stream", 0),
            ("content-delta", 0),
            ("tool-call", 0),
            ("tool-call", 0),
            ("content-complete", 0),
            ("content-complete", 1),
        ]
    );
    let f = serde_json::json!({"id": "a", "name": "f", "arguments": {"x": 1}});
    let g = serde_json::json!({"id": "b", "name": "g", "arguments": {}});
    assert_eq!(
        lines[7],
        serde_json::json!({"kind": "content-complete", "content": "Let me think.  42.",
            "toolCalls": [f, g], "finishReason": "tool_calls", "index": 0})
    );
    assert_eq!(read(1).last(), lines.last(), "however it is cut");
}
