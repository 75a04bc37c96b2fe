//! Document 001, inline tags: the tables of SYSTEMS.md, then the document's sections by name.

use tagstream::view::inline::{
    ChatEvent, Inline, InlineChat, InlineSplitter, THOUGHT_TAGS, ToolCall, split_inline_xml,
};
use tagstream::view::{strip_inline_xml_tags, strip_inline_xml_tags_with};
use tagstream::{CodeStyle, Limits, Whitespace};
use tagstream_testing::cuts::{cuts, every, strings};

/// A piece, joined with its neighbours of the same kind.
#[derive(Clone, Debug, PartialEq)]
enum Piece {
    Content(String),
    Tag(String, Vec<(String, String)>, Option<String>),
}

fn content(text: &str) -> Piece {
    Piece::Content(text.into())
}

fn tag(name: &str, attributes: &[(&str, &str)], content: Option<&str>) -> Piece {
    let owned = |(name, value): &(&str, &str)| ((*name).into(), (*value).into());
    let attributes = attributes.iter().map(owned).collect();
    Piece::Tag(name.into(), attributes, content.map(Into::into))
}

fn add(pieces: &mut Vec<Piece>, piece: &Inline<'_>) {
    match (piece, pieces.last_mut()) {
        (Inline::Content(text), Some(Piece::Content(before))) => before.push_str(text),
        (Inline::Content(text), _) => pieces.push(content(text)),
        (Inline::Tag(found), _) => {
            let attributes = found.attributes.iter().map(|a| (a.name, a.value));
            pieces.push(tag(
                found.name,
                &attributes.collect::<Vec<_>>(),
                found.content,
            ));
        }
        (other, _) => panic!("{other:?}"),
    }
}

fn split(chunks: &[&str]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    split_inline_xml(chunks.iter().copied(), |piece| add(&mut pieces, &piece));
    pieces
}

// split_inline_xml

#[test]
fn s001_split_the_table_of_the_systems_page() {
    for (message, expected) in [
        (
            "Hello<tag />World",
            vec![content("Hello"), tag("tag", &[], None), content("World")],
        ),
        (
            "Hello <tag attr=\"val\"/> World",
            vec![
                content("Hello"),
                tag("tag", &[("attr", "val")], None),
                content("World"),
            ],
        ),
        ("<tag>content</tag>", vec![tag("tag", &[], Some("content"))]),
        (
            "<tag class=\"foo\" class=\"bar\"/>",
            vec![tag("tag", &[("class", "foo"), ("class", "bar")], None)],
        ),
        (
            "<tag>  inner  </tag>",
            vec![tag("tag", &[], Some("  inner  "))],
        ),
        ("<tag>incomplete", vec![content("<tag>incomplete")]),
        ("<tag", vec![content("<tag")]),
        ("a < b and c > d", vec![content("a < b and c > d")]),
        ("x<5 y>3 z", vec![content("x<5 y>3 z")]),
        (
            "<a b=\"x>y\">z</a>w",
            vec![tag("a", &[("b", "x>y")], Some("z")), content("w")],
        ),
        (
            "a<b>x<b>y</b>z</b>c",
            vec![
                content("a"),
                tag("b", &[], Some("x<b>y</b>z")),
                content("c"),
            ],
        ),
    ] {
        for chunks in cuts(message) {
            assert_eq!(split(&chunks), expected, "{chunks:?}");
        }
    }
}

#[test]
fn s001_split_a_closer_without_an_opener_is_dropped() {
    for chunks in cuts("</tag>content") {
        assert_eq!(split(&chunks), [content("content")], "{chunks:?}");
    }
}

#[test]
fn s001_split_an_attribute_given_twice_is_a_list() {
    split_inline_xml(["<tag class='foo' id=x class=\"bar\"/>"], |piece| {
        let Inline::Tag(tag) = piece else {
            panic!("{piece:?}");
        };
        assert_eq!(
            tag.attributes.get_all("class").collect::<Vec<_>>(),
            ["foo", "bar"]
        );
        assert_eq!(tag.attributes.get_all("id").collect::<Vec<_>>(), ["x"]);
        assert_eq!(tag.attributes.get_all("none").count(), 0);
    });
}

#[test]
fn s001_split_takes_any_name() {
    for name in ["a", "A", "_", ":", "ns:tag", "h1", "a.b-c_d", "x9"] {
        for chunks in cuts(&format!("<{name}>x</{name}>")) {
            assert_eq!(split(&chunks), [tag(name, &[], Some("x"))]);
        }
    }
    for name in ["1", "-", ".", "é", ""] {
        let message = format!("<{name}>x</{name}>");
        for chunks in cuts(&message) {
            assert_eq!(split(&chunks), [content(&message)]);
        }
    }
}

#[test]
fn s001_split_white_space_waits_for_what_follows_and_is_dropped_at_a_tag() {
    for (message, expected) in [
        (
            "a \n <b/> \n c",
            vec![content("a"), tag("b", &[], None), content("c")],
        ),
        (
            "a <b/> <c/> d",
            vec![
                content("a"),
                tag("b", &[], None),
                tag("c", &[], None),
                content("d"),
            ],
        ),
        (" a  b ", vec![content(" a  b ")]),
        (" <b/> ", vec![tag("b", &[], None)]),
        ("a <b", vec![content("a <b")]),
        ("a <b>x ", vec![content("a <b>x ")]),
        (
            "a <b/> c ",
            vec![content("a"), tag("b", &[], None), content("c ")],
        ),
    ] {
        for chunks in cuts(message) {
            assert_eq!(split(&chunks), expected, "{chunks:?}");
        }
    }
    let mut splitter = InlineSplitter::new();
    let mut seen = Vec::new();
    splitter.push("a ", |piece| add(&mut seen, &piece));
    assert_eq!(seen, [content("a")], "the space waits");
    splitter.push("b", |piece| add(&mut seen, &piece));
    assert_eq!(seen, [content("a b")], "now it is known");
}

#[test]
fn s001_split_white_space_that_waits_too_long_is_kept() {
    let limits = Limits::default().lookahead(4);
    let policy = InlineSplitter::profile().limits(limits).compile().unwrap();
    for (message, expected) in [
        ("a    <b/>", "a"),
        ("a     <b/>", "a     "),
        ("a               <b/>", "a               "),
    ] {
        for chunks in cuts(message) {
            let mut splitter = InlineSplitter::with_policy(&policy);
            let mut seen = Vec::new();
            let mut sink = |piece: Inline<'_>| add(&mut seen, &piece);
            chunks
                .iter()
                .for_each(|chunk| splitter.push(chunk, &mut sink));
            splitter.finish(&mut sink);
            assert_eq!(seen, [content(expected), tag("b", &[], None)], "{chunks:?}");
        }
    }
}

#[test]
fn s001_split_tags_in_code_are_content_unless_the_policy_says_otherwise() {
    let message = "`<b>x</b>` y";
    for chunks in cuts(message) {
        assert_eq!(split(&chunks), [content(message)]);
    }
    let policy = InlineSplitter::profile()
        .code(CodeStyle::None)
        .compile()
        .unwrap();
    let mut splitter = InlineSplitter::with_policy(&policy);
    let mut seen = Vec::new();
    splitter.push(message, |piece| add(&mut seen, &piece));
    splitter.finish(|piece| add(&mut seen, &piece));
    assert_eq!(
        seen,
        [content("`"), tag("b", &[], Some("x")), content("` y")]
    );
}

// strip_inline_xml_tags

#[test]
fn s001_strip_the_table_of_the_systems_page() {
    for (text, stripped) in [
        (
            "Let me think. <thinking>I should analyze</thinking> The answer is 42.",
            "Let me think. The answer is 42.",
        ),
        (
            "Processing<thinking />Now complete.",
            "Processing Now complete.",
        ),
        (
            "<thinking>First thought</thinking> Content <thinking>Second thought</thinking>",
            "Content",
        ),
        ("<a><b>x</b></a>tail", "tail"),
        ("<a>unclosed text", "<a>unclosed text"),
        ("</a> stray", "</a> stray"),
        ("a < b and c > d", "a < b and c > d"),
    ] {
        assert_eq!(strip_inline_xml_tags(text), stripped);
        assert_eq!(
            strip_inline_xml_tags_with(text, Whitespace::Collapse),
            stripped
        );
        assert_eq!(
            strip_inline_xml_tags_with(text, Whitespace::Collapse),
            stripped
        );
    }
}

#[test]
fn s001_strip_what_the_patterns_match_in_odd_places() {
    for (text, stripped) in [
        ("", ""),
        ("  a \n\n b\u{a0}c\u{feff}", "a b c"),
        ("<a/>", ""),
        ("<a b='>'/>x", "<a b='>'/>x"),
        ("<a <b>x</a>y", "y"),
        ("<a />x</a>y", "y"),
        ("<b<a>x</a>/>", ""),
        ("<A>x</a>", "<A>x</a>"),
        ("<a>x</a >", "<a>x</a >"),
        ("<a.b-1:c>x</a.b-1:c>", ""),
        ("<a>1<a>2</a>3</a>", "3</a>"),
        ("<a/ />", "<a/ />"),
    ] {
        assert_eq!(strip_inline_xml_tags(text), stripped, "{text:?}");
    }
}

/// The document's patterns, tried at every place and in every way, as a matcher with backtracking
/// tries them.
mod naive {
    fn white(c: char) -> bool {
        c == '\u{feff}' || c.is_whitespace() && c != '\u{85}'
    }

    fn is_name(name: &str) -> bool {
        let first = |c: char| c.is_ascii_alphabetic() || "_:".contains(c);
        name.starts_with(first)
            && name
                .chars()
                .all(|c| first(c) || c.is_ascii_digit() || ".-".contains(c))
    }

    fn boundaries(text: &str) -> impl Iterator<Item = usize> + Clone {
        (0..=text.len()).filter(|at| text.is_char_boundary(*at))
    }

    /// `(?:\s[^>]*)?`, all of the text.
    fn is_attributes(text: &str) -> bool {
        text.is_empty() || text.starts_with(white) && !text.contains('>')
    }

    /// How long a pair is that the text begins with.
    fn pair(text: &str) -> Option<usize> {
        let rest = text.strip_prefix('<')?;
        for name_end in boundaries(rest).filter(|end| is_name(&rest[..*end])) {
            let (name, rest) = rest.split_at(name_end);
            for end in boundaries(rest).filter(|end| rest[*end..].starts_with('>')) {
                let closer = format!("</{name}>");
                let body = &rest[end + 1..];
                if let Some(at) = body.find(&closer).filter(|_| is_attributes(&rest[..end])) {
                    return Some(1 + name_end + end + 1 + at + closer.len());
                }
            }
        }
        None
    }

    /// How long a tag is that closes itself and that the text begins with.
    fn closed(text: &str) -> Option<usize> {
        let rest = text.strip_prefix('<')?;
        for name_end in boundaries(rest).filter(|end| is_name(&rest[..*end])) {
            let rest = &rest[name_end..];
            for end in boundaries(rest).filter(|end| rest[*end..].starts_with("/>")) {
                let before = &rest[..end];
                if is_attributes(before.trim_end_matches(white)) || is_attributes(before) {
                    return Some(1 + name_end + end + 2);
                }
            }
        }
        None
    }

    fn replace(text: &str, pattern: impl Fn(&str) -> Option<usize>) -> String {
        let (mut result, mut rest) = (String::new(), text);
        while let Some(first) = rest.chars().next() {
            match pattern(rest) {
                Some(len) => {
                    result.push(' ');
                    rest = &rest[len..];
                }
                None => {
                    result.push(first);
                    rest = &rest[first.len_utf8()..];
                }
            }
        }
        result
    }

    pub(super) fn strip(text: &str) -> String {
        let text = replace(&replace(text, pair), closed);
        let mut result = String::new();
        for c in text.chars() {
            if !white(c) {
                result.push(c);
            } else if !result.ends_with(' ') {
                result.push(' ');
            }
        }
        result.trim_matches(' ').to_owned()
    }
}

#[test]
fn s001_strip_does_what_the_patterns_do() {
    let small = strings(&["<", ">", "/", "a", "b", " "], 7);
    let tags = strings(
        &["<a>", "</a>", "<b ", "/>", "<ab>", "</ab>", "<a", ">", "é"],
        5,
    );
    for text in small.chain(tags) {
        assert_eq!(
            strip_inline_xml_tags(&text),
            naive::strip(&text),
            "{text:?}"
        );
    }
}

/// That it is linear is tested where its steps can be counted; here, that it is right.
#[test]
fn s001_strip_is_right_on_hostile_texts() {
    for (unit, stripped) in [
        ("<a", None),
        ("<a>", None),
        ("</a>", None),
        ("<a></b>", None),
        ("<a/", None),
        ("<a><b></a>", Some("")),
        ("<a/>", Some("")),
    ] {
        let text = unit.repeat(100_000);
        assert_eq!(
            strip_inline_xml_tags(&text),
            stripped.unwrap_or(&text),
            "{unit}"
        );
    }
    let distinct: String = (0..100_000).map(|i| format!("<a{i}></b{i}>")).collect();
    assert_eq!(strip_inline_xml_tags(&distinct), distinct);
}

#[test]
fn s001_strip_preserving_white_space_leaves_a_space_only_between_words() {
    for (text, stripped) in [
        (
            "Processing<thinking />Now complete.",
            "Processing Now complete.",
        ),
        ("Hello <b>x</b> World", "Hello  World"),
        ("Hello<b>x</b>, World", "Hello, World"),
        ("think.<b>x</b>The", "think. The"),
        ("a<b>x</b><c/>b", "a b"),
        ("<a><b>x</b></a>tail", "tail"),
        ("<a>unclosed text", "<a>unclosed text"),
        ("</a> stray", " stray"),
        ("a < b and c > d", "a < b and c > d"),
        ("# One\n\n<b>x</b>\n- two\n", "# One\n\n\n- two\n"),
        ("`<b>x</b>`", "`<b>x</b>`"),
        ("```\n<b>x</b>\n```\n", "```\n<b>x</b>\n```\n"),
        ("<b>x</b>", ""),
    ] {
        assert_eq!(
            strip_inline_xml_tags_with(text, Whitespace::Preserve),
            stripped,
            "{text:?}"
        );
    }
}

// The events of a chat completion.

/// A chat with the white space that the document has.
fn document(index: u64) -> InlineChat {
    InlineChat::new(index).whitespace(Whitespace::Collapse)
}

/// The events of a chat, each as a line, deltas joined.
fn chat(mut chat: InlineChat, chunks: &[&str], calls: &[ToolCall]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut sink = |event: ChatEvent<'_>| {
        let kind = event.kind();
        let line = match event {
            ChatEvent::ContentDelta { delta, index } => match lines.last_mut() {
                Some(line) if line.starts_with(kind) => return line.push_str(delta),
                _ => format!("{kind} {index} {delta}"),
            },
            ChatEvent::ThoughtStream(t) => {
                let about = format!(
                    "{kind} {} {} {} {} ",
                    t.index, t.thought_id, t.thought_type, t.verbosity
                );
                match lines.last_mut() {
                    Some(line) if line.starts_with(&about) => return line.push_str(t.content),
                    _ => about + t.content,
                }
            }
            ChatEvent::InlineTag { tag, index } => format!("{kind} {index} {}", tag.name),
            ChatEvent::ToolCall { call, index } => format!("{kind} {index} {}", call.name),
            ChatEvent::ContentComplete {
                content,
                tool_calls,
                finish_reason,
                index,
            } => format!(
                "{kind} {index} {content}|{}|{finish_reason:?}",
                tool_calls.len()
            ),
            _ => unreachable!("there are no others"),
        };
        lines.push(line);
    };
    for (i, chunk) in chunks.iter().enumerate() {
        chat.push(chunk, &mut sink);
        if i == 0 {
            calls.iter().for_each(|call| chat.tool_call(call.clone()));
        }
    }
    chat.finish(Some("stop"), &mut sink);
    lines
}

#[test]
fn s001_events_come_in_their_order() {
    let call = |name: &str| ToolCall::new(name, name, "{}");
    let message = "A <thinking>b</thinking> C <note/> D";
    for chunks in cuts(message) {
        let lines = chat(document(3), &chunks, &[call("f"), call("g")]);
        assert_eq!(
            lines,
            [
                "content-delta 3 A",
                "thought-stream 3 thought_0 thinking normal b",
                "content-delta 3 C",
                "inline-tag 3 note",
                "content-delta 3 D",
                "tool-call 3 f",
                "tool-call 3 g",
                "content-complete 3 A C D|2|Some(\"stop\")",
            ],
            "{chunks:?}"
        );
    }
}

#[test]
fn s001_events_thoughts_take_their_type_and_verbosity_from_attributes() {
    for (tag, reported) in [
        ("<analysis>x</analysis>", "analysis normal x"),
        (
            "<analysis thoughtType=\"deep\" verbosity='high'>x</analysis>",
            "deep high x",
        ),
        ("<planning thought_type='p'> x </planning>", "p normal  x "),
        (
            "<Decision thoughtType='a' thought_type='b'>x</Decision>",
            "a normal x",
        ),
    ] {
        for chunks in cuts(tag) {
            let lines = chat(document(0), &chunks, &[]);
            assert_eq!(lines[0], format!("thought-stream 0 thought_0 {reported}"));
        }
    }
}

#[test]
fn s001_events_every_thought_tag_is_a_thought() {
    let message: String = THOUGHT_TAGS
        .iter()
        .map(|tag| format!("<{tag}>x</{tag}>"))
        .collect();
    let lines = chat(document(0), &every(&message), &[]);
    for (i, tag) in THOUGHT_TAGS.iter().enumerate() {
        assert_eq!(
            lines[i],
            format!("thought-stream 0 thought_{i} {tag} normal x")
        );
    }
    assert_eq!(
        lines[THOUGHT_TAGS.len()],
        "content-complete 0 |0|Some(\"stop\")"
    );
}

#[test]
fn s001_events_an_empty_thought_is_none() {
    for message in ["a<thinking/>b", "a<thinking> \n</thinking>b"] {
        let lines = chat(document(0), &[message], &[]);
        assert_eq!(
            lines,
            [
                "content-delta 0 ab",
                "content-complete 0 a b|0|Some(\"stop\")"
            ]
        );
    }
}

// The sections of the document.

#[test]
fn s001_issue_deltas_and_the_complete_content_are_both_clean() {
    let message =
        "Let me think about this. <thinking>I need to analyze</thinking> The answer is 42.";
    for chunks in cuts(message) {
        let lines = chat(document(0), &chunks, &[]);
        assert_eq!(lines[0], "content-delta 0 Let me think about this.");
        assert_eq!(lines[2], "content-delta 0 The answer is 42.");
        assert_eq!(
            lines[3],
            "content-complete 0 Let me think about this. The answer is 42.|0|Some(\"stop\")"
        );
    }
}

#[test]
fn s001_testing_1_paired_tags_across_chunks() {
    let chunks = [
        "Let me think. <thin",
        "king>I should ",
        "analyze</think",
        "ing> The answer is 42.",
    ];
    let lines = chat(document(0), &chunks, &[]);
    let last = lines.last().unwrap();
    assert_eq!(
        last,
        "content-complete 0 Let me think. The answer is 42.|0|Some(\"stop\")"
    );
}

#[test]
fn s001_testing_2_self_closing_tags() {
    let lines = chat(
        document(0),
        &["Processing<thinking ", "/>Now complete."],
        &[],
    );
    let last = lines.last().unwrap();
    assert_eq!(
        last,
        "content-complete 0 Processing Now complete.|0|Some(\"stop\")"
    );
}

#[test]
fn s001_testing_3_multiple_tags() {
    let message = "<thinking>First thought</thinking> Content <thinking>Second thought</thinking>";
    let lines = chat(document(0), &every(message), &[]);
    assert_eq!(
        lines.last().unwrap(),
        "content-complete 0 Content|0|Some(\"stop\")"
    );
}

#[test]
fn s001_benefit_streaming_and_whole_content_are_the_same() {
    let message = "One <thinking>x</thinking>\n\ntwo <b>y";
    for chunks in cuts(message) {
        let lines = chat(
            InlineChat::new(0).whitespace(Whitespace::Split),
            &chunks,
            &[],
        );
        assert_eq!(
            lines.last().unwrap(),
            "content-complete 0 Onetwo <b>y|0|Some(\"stop\")"
        );
        assert_eq!(
            strip_inline_xml_tags_with(message, Whitespace::Split),
            "Onetwo <b>y"
        );
    }
}

#[test]
fn s001_whitespace_handling_words_do_not_touch_and_runs_collapse() {
    assert_eq!(strip_inline_xml_tags("a<b>x</b>c"), "a c");
    assert_eq!(strip_inline_xml_tags("  a  <b>x</b>  c\n\n"), "a c");
}

#[test]
fn s001_migration_content_without_tags_and_no_content_are_left_alone() {
    assert_eq!(
        chat(document(0), &[], &[]),
        ["content-complete 0 |0|Some(\"stop\")"]
    );
    assert_eq!(strip_inline_xml_tags("no tags"), "no tags");
}
