//! Document 000, nodes: each requirement and criterion by its number, then what SYSTEMS.md adds.

use tagstream::view::nodes::{
    Direction, Edge, Group, IncrementalXmlParser, Node, NodeKind, Notice, Reason,
};
use tagstream::view::{Nodes, sanitize_content};
use tagstream::{CodeStyle, Limits};
use tagstream_testing::cuts::{cuts, every, strings};

const P: &str = r#"<node id="n1" type="concept" row="0" col="0">"#;

/// A reader that has read these pieces.
fn read(pieces: &[&str]) -> Nodes {
    let mut nodes = Nodes::new();
    pieces.iter().for_each(|piece| nodes.append(piece));
    nodes
}

/// The content of the only incomplete node.
fn incomplete(nodes: &Nodes) -> &str {
    let mut all = nodes.detect_incomplete_nodes();
    let node = all.next().expect("there is an incomplete node");
    assert!(all.next().is_none(), "there is only one");
    node.content
}

/// The content of the only complete node, and there is no incomplete one.
fn complete(nodes: &mut Nodes) -> String {
    let all = nodes.detect_complete_nodes();
    assert_eq!(all.len(), 1, "{all:?}");
    assert_eq!(nodes.detect_incomplete_nodes().count(), 0);
    all[0].content.clone()
}

fn ids(nodes: &[Node]) -> Vec<&str> {
    nodes.iter().map(|node| node.id.as_str()).collect()
}

/// What the document's pattern `<\/?[a-zA-Z]*$` removes, by trying every place.
fn naive_sanitize(content: &str) -> &str {
    let matches = |tail: &str| {
        let Some(tail) = tail.strip_prefix('<') else {
            return false;
        };
        let tail = tail.strip_prefix('/').unwrap_or(tail);
        tail.bytes().all(|b| b.is_ascii_alphabetic())
    };
    let mut places = content.char_indices().map(|(at, _)| at);
    places
        .find(|at| matches(&content[*at..]))
        .map_or(content, |at| &content[..at])
}

// Requirement 1: partial tags at the end of content.

#[test]
fn s000_r1_1_leaves_off_a_bracket() {
    assert_eq!(incomplete(&read(&[P, "text<"])), "text");
    assert_eq!(incomplete(&read(&[P, "text <"])), "text");
}

#[test]
fn s000_r1_2_leaves_off_a_bracket_and_slash() {
    assert_eq!(incomplete(&read(&[P, "text</"])), "text");
}

#[test]
fn s000_r1_3_leaves_off_partial_closers() {
    for name in [
        "n",
        "no",
        "nod",
        "node",
        "h1",
        "no-de",
        "b2345678",
        "abcdefghij",
        "ns:x",
        "a_b",
    ] {
        let message = format!("{P}text</{name}");
        for pieces in cuts(&message) {
            assert_eq!(incomplete(&read(&pieces)), "text", "{pieces:?}");
        }
    }
}

#[test]
fn s000_r1_4_leaves_off_a_whole_closer() {
    for pieces in cuts(&format!("{P}text</node>")) {
        assert_eq!(complete(&mut read(&pieces)), "text", "{pieces:?}");
    }
}

// Requirement 2: the function.

#[test]
fn s000_r2_1_the_parser_provides_the_function() {
    assert_eq!(IncrementalXmlParser::sanitize_content("text</no"), "text");
    assert_eq!(sanitize_content("text</no"), "text");
}

#[test]
fn s000_r2_2_r2_3_r2_4_the_function_removes_partial_tags() {
    for (content, sanitized) in [
        ("text<", "text"),
        ("text</", "text"),
        ("text</node", "text"),
        ("text</n", "text"),
        ("text<node", "text"),
        ("中文</", "中文"),
        ("日本語<", "日本語"),
        ("한국어</node", "한국어"),
        ("العربية<tag", "العربية"),
        ("<", ""),
        ("</", ""),
        ("a<b<c", "a<b"),
        ("a<</", "a<"),
    ] {
        assert_eq!(sanitize_content(content), sanitized, "{content}");
    }
}

#[test]
fn s000_r2_5_the_function_changes_nothing_else() {
    for content in [
        "",
        "a < b",
        "x<5",
        "a<1 and b<2",
        "if (a < b)",
        "text<!",
        "text< ",
        "text</node>",
        "text",
        "<//",
        "a</b/",
        "text<\n",
        "text<é",
    ] {
        assert_eq!(sanitize_content(content), content);
    }
}

#[test]
fn s000_r2_6_the_function_does_what_the_pattern_does() {
    for content in strings(&["<", "/", "a", "Z", "5", " ", "é", ">", "\n"], 6) {
        assert_eq!(
            sanitize_content(&content),
            naive_sanitize(&content),
            "{content:?}"
        );
    }
}

// Requirement 3: closers cut by the edge of a chunk.

#[test]
fn s000_r3_1_a_closer_cut_after_its_slash() {
    let mut nodes = read(&[P, "Content text</"]);
    assert_eq!(incomplete(&nodes), "Content text");
    nodes.append("node>");
    assert_eq!(complete(&mut nodes), "Content text");
}

#[test]
fn s000_r3_2_a_closer_cut_after_its_bracket() {
    let mut nodes = read(&[P, "Some content<"]);
    assert_eq!(incomplete(&nodes), "Some content");
    nodes.append("/node>");
    assert_eq!(complete(&mut nodes), "Some content");
}

#[test]
fn s000_r3_3_a_closer_cut_in_its_name() {
    let mut nodes = read(&[P, "成本控制：优化Token使用。</no"]);
    assert_eq!(incomplete(&nodes), "成本控制：优化Token使用。");
    nodes.append("de>");
    assert_eq!(complete(&mut nodes), "成本控制：优化Token使用。");
}

#[test]
fn s000_r3_a_closer_in_five_pieces() {
    let mut nodes = read(&[P, "Text content"]);
    for piece in ["<", "/", "n"] {
        nodes.append(piece);
        assert_eq!(incomplete(&nodes), "Text content", "{piece}");
    }
    nodes.append("ode>");
    assert_eq!(complete(&mut nodes), "Text content");
}

/// Contents that have all kinds of brackets in them.
const TRICKY: [&str; 12] = [
    "a < b and c > d",
    "x<5, a<1 and b<2",
    "if (a < b) { return </div> }",
    "a<b is not lost",
    "see <b>bold</b> and <br/> and <h1 class=\"x\">t</h1>",
    "</ p>",
    "< < <",
    "`<edge from=\"a\" to=\"b\"/>` and `<node>` are quoted",
    "</no more",
    "中文</b>日本語",
    "a & b &lt; c &amp;",
    "one\n  two < \n\nthree </\n",
];

#[test]
fn s000_r3_4_r4_1_r4_2_r4_3_nothing_that_is_shown_ends_with_a_partial_tag() {
    for content in TRICKY {
        let message = format!("{P}{content}</node>");
        let mut nodes = Nodes::new();
        for piece in every(&message) {
            nodes.append(piece);
            for node in nodes.detect_incomplete_nodes() {
                let decoded = node.content.ends_with('<') && content.contains("&lt;");
                assert!(
                    decoded || sanitize_content(node.content) == node.content,
                    "{content}: {:?}",
                    node.content
                );
                assert_eq!(node.content.trim(), node.content, "{content}");
            }
        }
        assert_eq!(nodes.complete_nodes().len(), 1, "{content}");
    }
}

#[test]
fn s000_r4_no_part_of_a_tag_shows_that_the_function_would_miss() {
    for part in [
        "</h1",
        "</no-de",
        "</node ",
        "<edge from=\"a",
        "<edge from=\"a\" to='b",
        "<b ",
        "</x:y ",
    ] {
        for pieces in cuts(&format!("{P}text{part}")) {
            assert_eq!(incomplete(&read(&pieces)), "text", "{pieces:?}");
        }
    }
}

// Requirement 5: what is not a tag stays.

#[test]
fn s000_r5_1_a_bracket_and_a_space_stay() {
    assert_eq!(incomplete(&read(&[P, "a < b"])), "a < b");
    assert_eq!(complete(&mut read(&[P, "a < b", "</node>"])), "a < b");
}

#[test]
fn s000_r5_2_a_bracket_and_a_digit_stay() {
    assert_eq!(incomplete(&read(&[P, "x<5"])), "x<5");
    assert_eq!(complete(&mut read(&[P, "x<5", "</node>"])), "x<5");
}

#[test]
fn s000_r5_3_r5_4_at_the_very_end_they_do_not_and_come_back_when_text_follows() {
    for (end, more, whole) in [
        ("<", " b", "text< b"),
        ("</", " b", "text</ b"),
        ("<b", " c", "text<b c"),
        ("</b", "> c", "text</b> c"),
    ] {
        let mut nodes = read(&[P, "text", end]);
        assert_eq!(incomplete(&nodes), "text", "{end}");
        nodes.append(more);
        assert_eq!(incomplete(&nodes), whole, "{end}");
    }
}

#[test]
fn s000_r5_what_is_complete_is_all_there_whatever_it_ends_with() {
    for content in TRICKY.into_iter().filter(|content| !content.contains('&')) {
        for pieces in cuts(&format!("{P}{content}</node>")) {
            let whole = content.trim();
            assert_eq!(complete(&mut read(&pieces)), whole, "{pieces:?}");
        }
    }
    assert_eq!(complete(&mut read(&[P, "a <</node>"])), "a <");
}

#[test]
fn s000_a_forgotten_closer_swallows_no_edge_and_no_group() {
    let mut nodes = read(&[
        P,
        "one<edge from=\"n1\" to=\"n2\"/>",
        "<node id=\"n2\" row=\"0\" col=\"1\">two<group id=\"g\">",
        "<node id=\"n3\" row=\"0\" col=\"2\">three<member id=\"n1\"/></group>",
    ]);
    let contents = nodes.complete_nodes();
    let contents: Vec<_> = contents.iter().map(|node| &*node.content).collect();
    assert_eq!(contents, ["one", "two", "three"]);
    assert_eq!(nodes.complete_edges().len(), 1);
    assert_eq!(nodes.complete_groups().len(), 1);
    let notices = nodes.notices();
    assert_eq!(notices.len(), 3, "{notices:?}");
    assert!(notices.iter().all(|n| n.reasons == [Reason::NoCloser]));
}

// Requirement 6: the cost.

#[test]
fn s000_r6_1_r6_2_the_function_borrows_and_reads_from_the_end_once() {
    let content = "<a".repeat(50_000);
    let sanitized = sanitize_content(&content);
    assert_eq!(sanitized.len(), content.len() - 2);
    assert_eq!(sanitized.as_ptr(), content.as_ptr(), "nothing is copied");
}

/// How many bytes are looked at for a node of this content, character by character, read each time.
fn steps(content: &str) -> u64 {
    let mut nodes = read(&[P]);
    let mut shown = 0;
    for piece in every(content) {
        nodes.append(piece);
        shown += incomplete(&nodes).len();
    }
    assert!(shown > 0 || content.starts_with('<'));
    nodes.steps()
}

#[test]
fn s000_r6_3_a_snapshot_costs_as_much_as_the_new_text() {
    for unit in [
        "a",
        "<a",
        "</no",
        "a ",
        "< ",
        "\n  a",
        "&amp;",
        "&",
        "<node x='",
        "x\n",
    ] {
        let cost = |n| steps(&unit.repeat(n));
        let (n, twice, four_times) = (cost(2_000), cost(4_000), cost(8_000));
        assert!(twice <= n * 21 / 10, "{unit:?}: {n} {twice}");
        assert!(
            four_times <= twice * 21 / 10,
            "{unit:?}: {twice} {four_times}"
        );
    }
}

#[test]
fn s000_r6_3_reading_a_snapshot_borrows() {
    let nodes = read(&[P, "one\n  two"]);
    let place = |nodes: &Nodes| incomplete(nodes).as_ptr();
    assert_eq!(place(&nodes), place(&nodes));
}

// SYSTEMS.md: the model.

#[test]
fn s000_model_a_node_has_all_its_fields() {
    let message = "<node id='n' type=\"Insight\" title='A &amp; B' row='-2' col=\" 3 \">x</node>";
    let mut expected = Node::new("n");
    expected.kind = NodeKind::Insight;
    expected.title = Some("A & B".into());
    (expected.row, expected.col) = (-2, 3);
    expected.content = "x".into();
    for pieces in cuts(message) {
        let mut nodes = read(&pieces);
        assert_eq!(nodes.complete_nodes(), std::slice::from_ref(&expected));
        assert_eq!(nodes.notices(), []);
    }
}

#[test]
fn s000_model_types_are_known_in_any_case_and_others_are_default_with_a_notice() {
    for (name, kind) in [
        ("default", NodeKind::Default),
        ("CONCEPT", NodeKind::Concept),
        ("step", NodeKind::Step),
        ("Resource", NodeKind::Resource),
        ("warning", NodeKind::Warning),
        ("insight", NodeKind::Insight),
        ("question", NodeKind::Question),
    ] {
        let mut nodes = read(&[&format!("<node id='n' type='{name}' row='0' col='0'/>")]);
        assert_eq!(nodes.complete_nodes()[0].kind, kind);
        assert_eq!(kind.as_str(), name.to_ascii_lowercase());
        assert_eq!(nodes.notices(), []);
    }
    let mut nodes = read(&["<node id='n' type='idea' row='0' col='0'/>"]);
    assert_eq!(nodes.complete_nodes()[0].kind, NodeKind::Default);
    let notice = &nodes.notices()[0];
    assert!(!notice.left_out);
    assert_eq!(
        notice.to_string(),
        "<node> at byte 0: `type` is \"idea\"; allowed: default, concept, step, resource, warning, insight, question"
    );
    assert_eq!(nodes.notices(), [], "it is reported once");
}

#[test]
fn s000_model_a_complete_node_needs_id_row_and_col() {
    for (attributes, reasons) in [
        ("row='0' col='0'", vec![Reason::Missing("id")]),
        ("id='' row='0' col='0'", vec![Reason::Missing("id")]),
        ("id='n' col='0'", vec![Reason::Missing("row")]),
        (
            "id='n'",
            vec![Reason::Missing("row"), Reason::Missing("col")],
        ),
        ("id='n' row='x' col='0'", vec![wrong("row", "x")]),
        ("id='n' row='0' col='1.5'", vec![wrong("col", "1.5")]),
    ] {
        let message = format!("a<node {attributes}>x</node><node id='m' row='0' col='0'>y</node>");
        for pieces in cuts(&message) {
            let mut nodes = read(&pieces);
            assert_eq!(ids(&nodes.complete_nodes()), ["m"], "{attributes}");
            let notice = Notice::new("node", 1, true, reasons.clone());
            assert_eq!(nodes.notices(), [notice], "{attributes}");
        }
    }
}

fn wrong(attribute: &'static str, value: &str) -> Reason {
    Reason::Wrong {
        attribute,
        value: value.into(),
        allowed: "an integer",
    }
}

#[test]
fn s000_model_an_incomplete_node_needs_only_id() {
    let nodes = read(&["<node id='n'>x"]);
    let node = nodes.incomplete_nodes().next().unwrap();
    assert_eq!(
        (node.id, node.row, node.col, node.content),
        ("n", 0, 0, "x")
    );
    assert_eq!(
        (node.kind, node.title, node.group_id),
        (NodeKind::Default, None, None)
    );
    assert_eq!(
        read(&["<node row='0' col='0'>x"])
            .incomplete_nodes()
            .count(),
        0
    );
}

#[test]
fn s000_model_an_edge_points_forward_unless_it_says_otherwise() {
    for (dir, direction, notices) in [
        ("", Direction::Forward, 0),
        ("dir='forward'", Direction::Forward, 0),
        ("dir='BI'", Direction::Bi, 0),
        ("dir=\"none\"", Direction::None, 0),
        ("dir='back'", Direction::Forward, 1),
    ] {
        for pieces in cuts(&format!("<edge from='a' to='b' {dir} label='l'/>")) {
            let mut nodes = read(&pieces);
            let mut edge = Edge::new("a", "b");
            edge.dir = direction;
            edge.label = Some("l".into());
            assert_eq!(nodes.complete_edges(), [edge], "{dir}");
            assert_eq!(nodes.notices().len(), notices, "{dir}");
        }
    }
    let mut nodes = read(&["<edge from='a'/><edge from='a' to='c'></edge>"]);
    assert_eq!(nodes.detect_complete_edges()[0].to, "c");
    assert_eq!(nodes.notices()[0].reasons, [Reason::Missing("to")]);
}

#[test]
fn s000_model_a_group_has_nodes_or_members() {
    let message = "<group id='g' row='1' col='2'><node id='n' row='0' col='0'>x</node></group>\
                   <group id='h' title='T'><member id='n'/><member id=\"m\"></member></group>";
    for pieces in cuts(message) {
        let mut nodes = read(&pieces);
        let groups = nodes.detect_complete_groups();
        assert_eq!(groups[0].title, "Untitled Group");
        assert_eq!((groups[0].row, groups[0].col), (1, 2));
        assert_eq!(ids(&groups[0].nodes), ["n"]);
        assert_eq!(groups[0].nodes, nodes.complete_nodes());
        let mut expected = Group::new("h", "T");
        expected.members = vec!["n".into(), "m".into()];
        assert_eq!(groups[1..], [expected]);
        assert_eq!(nodes.notices(), []);
    }
}

#[test]
fn s000_model_what_cannot_be_used_is_reported_and_blocks_nothing() {
    let message = "<member id='m'/><group title='x'><node id='a' row='0' col='0'/><member/></group>\
                   <edge to='b'/><node id='b' row='0' col='0'>y</node>";
    for pieces in cuts(message) {
        let mut nodes = read(&pieces);
        assert_eq!(ids(&nodes.complete_nodes()), ["a", "b"]);
        assert_eq!(nodes.complete_groups(), []);
        assert_eq!(nodes.complete_edges(), []);
        let reported: Vec<_> = nodes
            .notices()
            .into_iter()
            .map(|n| (n.element, n.reasons))
            .collect();
        assert_eq!(
            reported,
            [
                ("member", vec![Reason::NoGroup]),
                ("group", vec![Reason::Missing("id")]),
                ("member", vec![Reason::Missing("id")]),
                ("edge", vec![Reason::Missing("from")]),
            ]
        );
    }
}

// SYSTEMS.md: groups and order.

#[test]
fn s000_groups_a_node_is_in_the_innermost_open_group() {
    let nodes = read(&[
        "<group id=\"g1\" title=\"T\" row=\"0\" col=\"0\">",
        P,
        "Node inside group",
    ]);
    let node = nodes.incomplete_nodes().next().unwrap();
    assert_eq!(
        (node.content, node.group_id),
        ("Node inside group", Some("g1"))
    );

    let message = "<group id='g1'><group id='g2'><node id='a' row='0' col='0'/></group>\
                   <node id='b' row='0' col='0'/></group><node id='c' row='0' col='0'/>";
    for pieces in cuts(message) {
        let mut nodes = read(&pieces);
        let of = |nodes: &[Node]| -> Vec<Option<String>> {
            nodes.iter().map(|node| node.group_id.clone()).collect()
        };
        let complete = nodes.complete_nodes();
        assert_eq!(ids(&complete), ["a", "b", "c"]);
        assert_eq!(of(&complete), [Some("g2".into()), Some("g1".into()), None]);
        let groups = nodes.complete_groups();
        assert_eq!((groups[0].id.as_str(), groups[1].id.as_str()), ("g2", "g1"));
        assert_eq!(
            (ids(&groups[0].nodes), ids(&groups[1].nodes)),
            (vec!["a"], vec!["b"])
        );
        assert_eq!(groups[0].group_id.as_deref(), Some("g1"));
    }
}

#[test]
fn s000_groups_an_incomplete_group_and_no_node_yet() {
    let nodes = read(&[
        "<group id=\"g1\" title=\"Streaming Group\" row=\"0\" col=\"0\">",
        "  <node id=\"n1\"",
    ]);
    let groups: Vec<_> = nodes.detect_incomplete_groups().collect();
    assert_eq!(groups.len(), 1);
    assert_eq!(
        (groups[0].id.as_str(), groups[0].title.as_str()),
        ("g1", "Streaming Group")
    );
    assert_eq!(nodes.incomplete_nodes().count(), 0);
}

const MIXED: &str = "<node id='a' row='0' col='0'>1</node><edge from='a' to='b'/>\
    <group id='g'><node id='b' row='0' col='0'>2</node><edge from='b' to='c'/></group>\
    <node id='c' row='0' col='0'>3</node>";

#[test]
fn s000_order_each_is_given_once_whatever_order_the_methods_are_called_in() {
    type Ask = fn(&mut Nodes, &mut Vec<String>);
    let asks: [Ask; 3] = [
        |nodes, seen| seen.extend(nodes.complete_nodes().into_iter().map(|node| node.id)),
        |nodes, seen| seen.extend(nodes.complete_edges().into_iter().map(|edge| edge.to)),
        |nodes, seen| {
            let groups = nodes.complete_groups().into_iter();
            seen.extend(groups.map(|group| format!("{}{}", group.id, group.nodes.len())));
        },
    ];
    for order in [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ] {
        for pieces in cuts(MIXED) {
            let mut nodes = Nodes::new();
            let mut seen: [Vec<String>; 3] = Default::default();
            for piece in pieces {
                nodes.append(piece);
                order
                    .iter()
                    .for_each(|i| asks[*i](&mut nodes, &mut seen[*i]));
            }
            assert_eq!(seen[0], ["a", "b", "c"]);
            assert_eq!(seen[1], ["b", "c"]);
            assert_eq!(
                seen[2],
                ["g1"],
                "the group has its node, though it was taken before"
            );
        }
    }
}

#[test]
fn s000_order_taking_the_complete_nodes_leaves_no_incomplete_ones() {
    let mut nodes = read(&[MIXED]);
    assert_eq!(nodes.complete_nodes().len(), 3);
    assert_eq!(nodes.incomplete_nodes().count(), 0);
    assert_eq!(nodes.complete_nodes(), []);
}

// SYSTEMS.md: content.

#[test]
fn s000_content_is_the_same_for_complete_and_incomplete_nodes() {
    for (raw, content) in [
        (
            "\n    one\n      two\n\n    three\n  ",
            "one\n  two\n\nthree",
        ),
        ("  a &lt; b &amp;&amp; &#x263A;  ", "a < b && ☺"),
        ("\n\tx\n\ty", "x\ny"),
        ("first\n  second", "first\n  second"),
    ] {
        for pieces in cuts(&format!("{P}{raw}")) {
            let mut nodes = read(&pieces);
            assert_eq!(incomplete(&nodes), content, "{pieces:?}");
            nodes.append("</node>");
            assert_eq!(complete(&mut nodes), content, "{pieces:?}");
        }
    }
}

#[test]
fn s000_content_an_indent_that_falls_changes_what_came_before() {
    let mut nodes = read(&[P, "\n    a\n      b"]);
    assert_eq!(incomplete(&nodes), "a\n  b");
    nodes.append("\n  c");
    assert_eq!(incomplete(&nodes), "a\n    b\nc");
}

#[test]
fn s000_content_half_an_entity_is_not_shown() {
    let mut nodes = read(&[P, "a &l"]);
    assert_eq!(incomplete(&nodes), "a");
    nodes.append("t; b");
    assert_eq!(incomplete(&nodes), "a < b");
    assert_eq!(incomplete(&read(&[P, "AT&T"])), "AT&T");
}

// The message itself.

#[test]
fn s000_message_full_and_unprocessed_content() {
    let mut nodes = read(&["Hi <node id='a' row='0' col='0'>1</node> and <no"]);
    assert_eq!(nodes.unprocessed_content(), "<no");
    nodes.append("de id='b'>2 <x");
    assert_eq!(nodes.unprocessed_content(), "<node id='b'>2 <x");
    nodes.append("</node> bye");
    assert_eq!(nodes.unprocessed_content(), "");
    assert_eq!(
        nodes.full_content(),
        "Hi <node id='a' row='0' col='0'>1</node> and <node id='b'>2 <x</node> bye"
    );
}

#[test]
fn s000_message_what_is_open_at_the_end_stays_incomplete_and_is_reported() {
    for pieces in cuts("<group id='g'><node id='a' row='0' col='0'>text</no") {
        let mut nodes = read(&pieces);
        nodes.finish();
        nodes.append("de></group>");
        assert_eq!(incomplete(&nodes), "text", "{pieces:?}");
        assert_eq!(nodes.incomplete_groups().count(), 1);
        assert_eq!(nodes.complete_nodes(), []);
        assert_eq!(nodes.complete_groups(), []);
        let reported: Vec<_> = nodes
            .notices()
            .into_iter()
            .map(|n| (n.element, n.reasons))
            .collect();
        assert_eq!(
            reported,
            [
                ("group", vec![Reason::Unclosed]),
                ("node", vec![Reason::Unclosed])
            ]
        );
    }
}

#[test]
fn s000_message_tags_in_code_are_text_unless_the_policy_says_otherwise() {
    let message = "```xml\n<node id='a' row='0' col='0'>1</node>\n```";
    assert_eq!(read(&[message]).complete_nodes(), []);
    let policy = Nodes::profile().code(CodeStyle::None).compile().unwrap();
    let mut nodes = Nodes::with_policy(&policy);
    nodes.append(message);
    assert_eq!(ids(&nodes.complete_nodes()), ["a"]);
}

#[test]
fn s000_message_a_node_past_the_limit_is_reported_and_left_out() {
    let limits = Limits::default().value(10);
    let policy = Nodes::profile().limits(limits).compile().unwrap();
    let mut nodes = Nodes::with_policy(&policy);
    nodes.append(
        "<node id='a' row='0' col='0'>0123456789abc</node><node id='b' row='0' col='0'>1</node>",
    );
    assert_eq!(ids(&nodes.complete_nodes()), ["b"]);
    assert_eq!(nodes.notices()[0].reasons, [Reason::TooLong]);
}
