//! Document 002, the client's content filter: its requirements, edge cases, scenarios and
//! integration points by their numbers, then what SYSTEMS.md adds.

use tagstream::view::filter::{Piece, Section, SectionKind};
use tagstream::view::{ContentFilter, FilterOptions};
use tagstream::{Profile, Thinking, ThinkingAnchor};
use tagstream_testing::cuts::{cuts, every, strings};

fn hiding() -> FilterOptions {
    FilterOptions::default()
}

fn showing() -> FilterOptions {
    FilterOptions::default().show_thinking()
}

fn filter(options: &FilterOptions, chunks: &[&str]) -> String {
    let mut filter = ContentFilter::new(options).expect("the options are right");
    let mut visible = String::new();
    for chunk in chunks {
        visible.push_str(filter.process_text(chunk));
    }
    visible.push_str(filter.finish());
    visible
}

/// The message must be filtered to this, however it is cut.
#[track_caller]
fn check(options: &FilterOptions, message: &str, expected: &str) {
    for chunks in cuts(message) {
        assert_eq!(filter(options, &chunks), expected, "{chunks:?}");
    }
}

/// The pieces of verbose output, each as a line, text joined.
fn pieces(options: &FilterOptions, chunks: &[&str]) -> Vec<String> {
    let mut filter = ContentFilter::new(&options.clone().verbose()).expect("they are right");
    let mut reported: Vec<String> = Vec::new();
    let mut sink = |piece: Piece<'_>| {
        let (kind, text) = match piece {
            Piece::Text(text) => ("text ", text.to_owned()),
            Piece::Inside(text) => ("inside ", text.to_owned()),
            Piece::Dropped { text, .. } => ("dropped ", text.to_owned()),
            Piece::Open(section) => return reported.push(line(section)),
            Piece::Close => return reported.push("close".into()),
            Piece::Notice { code, .. } => return reported.push(code.as_str().into()),
            _ => unreachable!("there are no others"),
        };
        match reported.last_mut() {
            Some(last) if last.starts_with(kind) => last.push_str(&text),
            _ => reported.push(kind.to_owned() + &text),
        }
    };
    chunks
        .iter()
        .for_each(|chunk| filter.process(chunk, &mut sink));
    filter.finish_into(&mut sink);
    reported
}

fn line(section: Section<'_>) -> String {
    let kind = match section.kind {
        SectionKind::Thinking => "thinking",
        SectionKind::Tag => "tag",
        _ => "element",
    };
    let shown = if section.shown { "shown" } else { "hidden" };
    format!("{kind} {} {shown}", section.name)
}

// Requirements

#[test]
fn s002_r1_thinking_is_hidden_unless_it_is_asked_for() {
    let message = "before<thinking>hidden</thinking>after";
    check(&hiding(), message, "beforeafter");
    check(&showing(), message, message);
}

#[test]
fn s002_r2_tags_may_span_chunks() {
    let chunks = ["before<", "thin", "king", ">hidden<", "/thinking", ">after"];
    assert_eq!(filter(&hiding(), &chunks), "beforeafter");
}

#[test]
fn s002_r3_state_is_kept_between_chunks() {
    let mut filter = ContentFilter::new(&hiding()).unwrap();
    for (chunk, visible) in [
        ("a<thinking>", "a"),
        ("b", ""),
        ("", ""),
        ("c</thinking", ""),
        (">d", "d"),
    ] {
        assert_eq!(filter.process_text(chunk), visible, "{chunk}");
    }
    assert_eq!(filter.finish(), "");
}

#[test]
fn s002_r4_anything_may_stand_in_a_section() {
    for inside in [
        "<>{}[]\"'&",
        "<inner>x</inner>",
        "\n\n# é\n```\ncode\n",
        "a < b > c </",
        "</think>",
    ] {
        let message = format!("a<thinking>{inside}</thinking>c");
        check(&hiding(), &message, "ac");
    }
}

#[test]
fn s002_r5_only_whole_tags_of_the_name_are_recognised() {
    for message in [
        "<thinker>x</thinker>",
        "<overthinking>x</overthinking>",
        "<thinking-aloud>x</thinking-aloud>",
        "< thinking>x",
    ] {
        check(&hiding(), message, message);
    }
    check(&hiding(), "<THINKING>x</Thinking >a", "a");
}

// Edge cases to handle

#[test]
fn s002_edge_1_malformed_tags_are_text() {
    for message in [
        "a<thinking b",
        "a<thinking <b>c",
        "a<thinking",
        "a<",
        "a < b",
        "a</ thinking>b",
    ] {
        check(&hiding(), message, message);
        check(&showing(), message, message);
    }
}

#[test]
fn s002_edge_2_nested_tags() {
    check(
        &hiding(),
        "a<thinking>b<thinking>c</thinking>d</thinking>e",
        "ae",
    );
    check(
        &hiding(),
        "a<thinking><use_mcp_tool>b</use_mcp_tool></thinking>e",
        "ae",
    );
}

#[test]
fn s002_edge_3_tags_split_at_any_position() {
    let message = "é<thinking a=\"<\">\n日本</thinking >語<use_mcp_tool/>.";
    check(&hiding(), message, "é語.");
    check(&showing().show_mcp_use(), message, message);
}

#[test]
fn s002_edge_4_self_closing_tags() {
    check(&hiding(), "a<thinking/>b", "ab");
    check(&hiding(), "a<thinking />b", "ab");
    check(&showing(), "a<thinking/>b", "a<thinking/>b");
}

#[test]
fn s002_edge_5_tags_with_attributes() {
    check(
        &hiding(),
        "<thinking extra=\"attr\">x</thinking>after",
        "after",
    );
    check(&hiding(), "<thinking a=\">\" b>x</thinking>after", "after");
}

// Testing scenarios

#[test]
fn s002_scenario_1_a_section_in_a_single_chunk() {
    assert_eq!(filter(&hiding(), &["a<thinking>b</thinking>c"]), "ac");
}

#[test]
fn s002_scenario_2_the_opening_tag_is_split() {
    assert_eq!(filter(&hiding(), &["a<thi", "nking>b</thinking>c"]), "ac");
}

#[test]
fn s002_scenario_3_the_closing_tag_is_split() {
    assert_eq!(filter(&hiding(), &["a<thinking>b</thi", "nking>c"]), "ac");
}

#[test]
fn s002_scenario_4_the_content_is_split() {
    assert_eq!(filter(&hiding(), &["a<thinking>b", "b</thinking>c"]), "ac");
}

#[test]
fn s002_scenario_5_multiple_sections() {
    let message = "<thinking>1</thinking>a<thinking>2</thinking>b";
    check(&hiding(), message, "ab");
    check(&showing(), message, message);
}

#[test]
fn s002_scenario_6_special_characters() {
    check(&hiding(), "a<thinking><>{}[]\"'&</thinking>c", "ac");
    check(
        &showing(),
        "a<thinking><>{}[]\"'&</thinking>c",
        "a<thinking><>{}[]\"'&</thinking>c",
    );
}

#[test]
fn s002_scenario_7_malformed_thinking_tags() {
    check(&hiding(), "a<thinking b", "a<thinking b");
    check(&hiding(), "a</thinking>b", "ab");
    check(&hiding(), "a<thinking>b", "a");
}

// Integration points, and extensibility

#[test]
fn s002_integration_formatting_is_kept() {
    let message = "# T\n\n- a\n\t- b  \r\n<thinking>x</thinking>\n```\ncode\n```\n";
    check(
        &hiding(),
        message,
        "# T\n\n- a\n\t- b  \r\n\n```\ncode\n```\n",
    );
}

#[test]
fn s002_integration_simple_and_verbose_output() {
    let message = "a<thinking>b</thinking>c";
    check(&hiding(), message, "ac");
    for chunks in cuts(message) {
        let reported = pieces(&hiding(), &chunks);
        assert_eq!(
            reported,
            ["text a", "thinking thinking hidden", "close", "text c"]
        );
        let reported = pieces(&showing(), &chunks);
        assert_eq!(
            reported,
            [
                "text a",
                "thinking thinking shown",
                "inside b",
                "close",
                "text c"
            ]
        );
    }
}

#[test]
fn s002_integration_other_content_is_as_it_was() {
    for message in [
        "<other>content</other>",
        "plain",
        "",
        "&lt;thinking&gt;",
        "a > b",
    ] {
        check(&hiding(), message, message);
    }
}

#[test]
fn s002_future_more_tags_are_a_line_of_the_profile() {
    let thinking = Thinking::tags(["thinking"]);
    let profile = Profile::new()
        .thinking(thinking)
        .hide("tool_call")
        .hide("system")
        .hide("my_own");
    let options = FilterOptions::new(profile);
    let message = "<tool_call>1</tool_call><system>2</system><my_own>3</my_own>!";
    check(&options, message, "!");
    check(
        &options.clone().show_tools(),
        message,
        "<tool_call>1</tool_call>!",
    );
    check(
        &options.clone().show_system(),
        message,
        "<system>2</system>!",
    );
    check(
        &options.clone().show("MY_OWN"),
        message,
        "<my_own>3</my_own>!",
    );
    // Without that line they are unknown tags.
    check(&hiding(), message, message);
}

#[test]
fn s002_future_should_show_tag_returns_the_rule() {
    let filter = |options| ContentFilter::new(&options).unwrap();
    for tag in ["thinking", "Think", "attempt_completion", "use_mcp_tool"] {
        assert!(!filter(hiding()).should_show_tag(tag), "{tag}");
    }
    assert!(filter(hiding()).should_show_tag("other"));
    assert!(filter(showing()).should_show_tag("thinking"));
    assert!(filter(hiding().show_mcp_use()).should_show_tag("use_mcp_tool"));
    assert!(filter(hiding().show("think")).should_show_tag("think"));
    assert!(!filter(hiding().hide("b")).should_show_tag("b"));
    assert!(!filter(hiding().show("b").hide("b")).should_show_tag("b"));
}

// SYSTEMS.md

#[test]
fn s002_systems_each_kind_has_its_flag() {
    let message = "<thinking>t</thinking><attempt_completion>c</attempt_completion><use_mcp_tool>m</use_mcp_tool>!";
    check(&hiding(), message, "!");
    check(&showing(), message, "<thinking>t</thinking>!");
    check(
        &hiding().show_completion(),
        message,
        "<attempt_completion>c</attempt_completion>!",
    );
    check(
        &hiding().show_mcp_use(),
        message,
        "<use_mcp_tool>m</use_mcp_tool>!",
    );
    check(
        &showing().show_completion().show_mcp_use(),
        message,
        message,
    );
}

#[test]
fn s002_systems_newlines_and_ten_kilobytes_inside() {
    let long = format!(
        "before<thinking>\n{}\n</thinking>after",
        "0123456789".repeat(1000)
    );
    for size in [1, 7, 4096, long.len()] {
        let chunks: Vec<&str> = (0..long.len())
            .step_by(size)
            .map(|at| &long[at..long.len().min(at + size)])
            .collect();
        assert_eq!(filter(&hiding(), &chunks), "beforeafter");
        assert_eq!(filter(&showing(), &chunks), long);
    }
    check(
        &hiding(),
        "before<thinking>\na\n\nb\n</thinking>after",
        "beforeafter",
    );
    check(&hiding(), "before<thinking></thinking>after", "beforeafter");
}

#[test]
fn s002_systems_a_hidden_section_in_a_shown_one_is_hidden() {
    let message = "a<thinking>b<use_mcp_tool>c</use_mcp_tool>d</thinking>e";
    check(&showing(), message, "a<thinking>bd</thinking>e");
    let reported = [
        "text a",
        "thinking thinking shown",
        "inside bd",
        "close",
        "text e",
    ];
    for chunks in cuts(message) {
        assert_eq!(pieces(&showing(), &chunks), reported);
    }
    let message = "<attempt_completion>a<thinking>b</thinking>c</attempt_completion>";
    check(
        &hiding().show_completion(),
        message,
        "<attempt_completion>ac</attempt_completion>",
    );
    for chunks in cuts(message) {
        let reported = pieces(&hiding().show_completion(), &chunks);
        assert_eq!(
            reported,
            ["tag attempt_completion shown", "inside ac", "close"]
        );
    }
}

#[test]
fn s002_systems_known_defects_of_the_original() {
    // A shown section that a chunk's edge cut came out twice.
    let message = "<thinking>shown</thinking>after";
    assert_eq!(filter(&showing(), &every(message)), message);
    // An attribute made it swallow the rest.
    check(
        &hiding(),
        "<thinking extra=\"attr\">x</thinking>after",
        "after",
    );
    // A comparison lost its tail at the end.
    check(&hiding(), "a < b", "a < b");
}

#[test]
fn s002_verbose_sections_are_named_as_they_open() {
    let message =
        "<use_mcp_tool>x</use_mcp_tool><attempt_completion>y</attempt_completion>z</thinking>";
    let mut filter = ContentFilter::new(&hiding().verbose()).unwrap();
    let mut named = 0;
    filter.process("<use_mcp_tool>x", |piece| {
        named += u32::from(matches!(piece, Piece::Open(_)));
    });
    assert_eq!(named, 1, "before it has ended");
    for chunks in cuts(message) {
        assert_eq!(
            pieces(&hiding(), &chunks),
            [
                "tag use_mcp_tool hidden",
                "close",
                "tag attempt_completion hidden",
                "close",
                "text z",
                "orphan_close"
            ]
        );
    }
}

#[test]
fn s002_a_closer_without_an_opener_stays_where_its_tag_is_shown() {
    let message = "a</thinking>b</attempt_completion>c";
    let thinking = ["text a</thinking>b", "orphan_close", "text c"];
    let completion = ["text a", "orphan_close", "text b</attempt_completion>c"];
    for (options, reported) in [
        (showing(), &thinking[..]),
        (hiding().show_completion(), &completion),
        (showing().show_completion(), &[&*format!("text {message}")]),
    ] {
        for chunks in cuts(message) {
            assert_eq!(pieces(&options, &chunks), reported, "{chunks:?}");
        }
        let simple: Vec<_> = reported
            .iter()
            .filter_map(|line| line.strip_prefix("text "))
            .collect();
        check(&options, message, &simple.concat());
    }
}

#[test]
fn s002_verbose_and_simple_output_show_the_same() {
    let pieces = [
        "a",
        " ",
        "`",
        "<thinking>",
        "</thinking>",
        "<use_mcp_tool>",
        "</use_mcp_tool>",
        "<b>",
    ];
    for message in strings(&pieces, 5) {
        let simple = filter(&hiding(), &[&message]);
        let verbose = filter(&hiding().verbose(), &[&message]);
        assert_eq!(simple, verbose, "{message:?}");
    }
}

#[test]
fn s002_verbose_also_where_thinking_has_settings_of_its_own() {
    let thinking = Thinking::tags(["thinking"]).anchor(ThinkingAnchor::Start);
    let options = FilterOptions::new(Profile::new().thinking(thinking).hide("x"));
    let message = "<thinking>a</thinking>b<x>c</x>d<thinking>e";
    check(&options, message, "bd<thinking>e");
    assert_eq!(
        pieces(&options, &[message]),
        [
            "thinking thinking hidden",
            "close",
            "text b",
            "dropped <x>c</x>",
            "text d<thinking>e"
        ]
    );
}

#[test]
fn s002_options_a_tag_that_is_no_name_is_refused() {
    let error = ContentFilter::new(&hiding().hide("a b")).unwrap_err();
    assert_eq!(error.key(), "hide[2]");
}
