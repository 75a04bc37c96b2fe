//! Document 000: a canvas of nodes.

use tagstream::view::Nodes;
use tagstream::view::nodes::Node;
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
