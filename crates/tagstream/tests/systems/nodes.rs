//! Document 000: a canvas of nodes.

use tagstream::CodeStyle;
use tagstream::view::Nodes;
use tagstream::view::nodes::{IncrementalXmlParser, Node};
use tagstream_testing::cuts::cuts;

const P: &str = r#"<node id="n1" type="concept" row="0" col="0">"#;

fn read(pieces: &[&str]) -> Nodes {
    let mut nodes = Nodes::new();
    pieces.iter().for_each(|piece| nodes.append(piece));
    nodes
}

fn contents(nodes: &[Node]) -> Vec<(&str, &str)> {
    let nodes = nodes.iter();
    nodes
        .map(|node| (node.id.as_str(), node.content.as_str()))
        .collect()
}

/// The beginning of a self-closing tag is withheld like that of any other.
#[test]
fn s000_an_unfinished_self_closing_tag_is_withheld() {
    for tag in ["<br", "<br/", "<br /", "<h1/", "<x-y /"] {
        let nodes = read(&[P, "text", tag]);
        let shown = nodes.incomplete_nodes().next().unwrap();
        assert_eq!(shown.content, "text", "{tag}");
    }
    let mut nodes = read(&[P, "text<br/", ">more</node>"]);
    assert_eq!(nodes.complete_nodes()[0].content, "text<br/>more");
}

/// After a run of backticks without a partner, a node is held until the message ends.
#[test]
fn s000_a_node_that_is_certain_only_at_the_end_is_complete() {
    for pieces in cuts("a ` b <node id='n' row='0' col='0'>text</node>") {
        let mut nodes = read(&pieces);
        nodes.finish();
        assert_eq!(contents(&nodes.complete_nodes()), [("n", "text")]);
        assert_eq!(nodes.incomplete_nodes().count(), 0);
        assert_eq!(nodes.notices(), []);
    }
}

/// What is finished at the end of a message that is cut in any way, and the notices.
fn finished(message: &str) -> Vec<(Vec<Node>, Vec<String>)> {
    let read = |pieces: Vec<&str>| {
        let mut nodes = read(&pieces);
        nodes.finish();
        let notices = nodes.notices().iter().map(ToString::to_string).collect();
        (nodes.complete_nodes(), notices)
    };
    cuts(message).into_iter().map(read).collect()
}

#[test]
fn s000_a_forgotten_closer_ends_at_the_next_node() {
    let message = "<node id='a' row='0' col='0'>one\n<node id='b' row='1' col='0'>two</node>\
        <node id='c' row='2' col='0'>three</node>";
    for (nodes, notices) in finished(message) {
        assert_eq!(
            contents(&nodes),
            [("a", "one"), ("b", "two"), ("c", "three")]
        );
        assert_eq!(
            notices,
            ["<node> at byte 0: it has no closing tag and ends before the next tag"]
        );
    }
}

#[test]
fn s000_a_forgotten_closer_ends_at_the_end_of_the_group() {
    let message = "<group id='g'><node id='a' row='0' col='0'>one</group>\
        <node id='b' row='1' col='0'>two</node>";
    for (nodes, notices) in finished(message) {
        assert_eq!(contents(&nodes), [("a", "one"), ("b", "two")]);
        let groups: Vec<_> = nodes.iter().map(|node| node.group_id.as_deref()).collect();
        assert_eq!(groups, [Some("g"), None]);
        assert_eq!(notices.len(), 1, "{notices:?}");
    }
}

#[test]
fn s000_nodes_nest_where_the_profile_says_so() {
    let mut profile = Nodes::profile();
    profile.elements[0].nests = true;
    let mut nodes = Nodes::with_policy(&profile.compile().unwrap());
    nodes.append("<node id='a' row='0' col='0'>1<node id='b'>2</node>3</node>");
    let all = nodes.complete_nodes();
    assert_eq!(contents(&all), [("a", "1<node id='b'>2</node>3")]);
}

const FENCED: &str = "Here:\n```xml\n<node id='a' row='0' col='0'>1</node>\n```\nDone.";

#[test]
fn s000_a_canvas_in_a_fence_is_found_where_the_profile_asks_for_it() {
    let policy = Nodes::profile().code(CodeStyle::None).compile().unwrap();
    for pieces in cuts(FENCED) {
        let mut nodes = Nodes::with_policy(&policy);
        pieces.iter().for_each(|piece| nodes.append(piece));
        nodes.finish();
        assert_eq!(contents(&nodes.complete_nodes()), [("a", "1")]);
        assert_eq!(nodes.notices(), []);
    }
}

#[test]
fn s000_a_canvas_in_a_fence_is_reported_otherwise() {
    for (nodes, notices) in finished(FENCED) {
        assert_eq!(nodes, []);
        assert_eq!(
            notices,
            ["`<node>` at byte 13 is in a Markdown fence, so it is text"]
        );
    }
    for (nodes, notices) in finished("~~~\n<edge from='a' to='b'/>\n") {
        assert_eq!(nodes, []);
        assert_eq!(
            notices,
            ["`<edge>` at byte 4 is text: the fence before it never closes"]
        );
    }
    for (_, notices) in finished("```\n<nodes>, `</node>` and <node x\n```\nand ` <node ` too") {
        assert_eq!(notices, [""; 0], "nothing there is an opening tag");
    }
}

/// A closing tag of a group is text in a node that is not in a group.
#[test]
fn s000_only_the_group_around_a_node_ends_it() {
    for (nodes, notices) in finished("<node id='a' row='0' col='0'>one</group>two</node>") {
        assert_eq!(contents(&nodes), [("a", "one</group>two")]);
        assert_eq!(notices, [""; 0]);
    }
}

#[test]
fn s000_names_of_the_document_do_the_same() {
    let message = r#"<group id="g" row="0" col="0"><node id="a" row="0" col="0">x</node></group>
        <edge from="a" to="b"/><group id="h"><node id="b">y</no"#;
    let (mut short, mut long) = (read(&[message]), IncrementalXmlParser::new());
    long.append(message);
    assert!(short.incomplete_nodes().eq(long.detect_incomplete_nodes()));
    assert!(
        short
            .incomplete_groups()
            .eq(long.detect_incomplete_groups())
    );
    assert_eq!(short.incomplete_nodes().count(), 1);
    assert_eq!(short.complete_nodes(), long.detect_complete_nodes());
    assert_eq!(short.complete_groups(), long.detect_complete_groups());
    assert_eq!(short.complete_edges(), long.detect_complete_edges());
    assert_eq!(IncrementalXmlParser::sanitize_content("x</no"), "x");
}

#[test]
fn s000_model_what_cannot_be_used_is_reported_once_also_where_it_is_cut_off() {
    for message in ["<node id='a' row='0'>text", "<group title='t'>text"] {
        for pieces in cuts(message) {
            let mut nodes = read(&pieces);
            nodes.finish();
            assert_eq!(nodes.notices().len(), 1, "{pieces:?}");
        }
    }
}
