//! Document 001: inline tags in chat completions.

use tagstream::Limits;
use tagstream::view::inline::{Inline, InlineSplitter, split_inline_xml};
use tagstream::view::{Whitespace, strip_inline_xml_tags_with};
use tagstream_testing::cuts::cuts;

/// The content and the names of the tags.
fn split(chunks: &[&str]) -> (String, Vec<String>) {
    let (mut content, mut names) = (String::new(), Vec::new());
    split_inline_xml(chunks.iter().copied(), |piece| match piece {
        Inline::Content(text) => content.push_str(text),
        Inline::Tag(tag) => names.push(tag.name.to_owned()),
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
