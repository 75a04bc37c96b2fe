//! Document 002: the content filter of a chat client.

use serde_json::json;
use tagstream::preset;
use tagstream::profile::{CallOptions, parse_with};
use tagstream::view::FilterOptions;
use tagstream::view::filter::{ClientContentFilter, Piece, TagRule};
use tagstream_testing::cuts::{cuts, strings};

/// The document's class, with the options and the methods that it names.
#[test]
fn s002_process_data_takes_the_data_of_an_event() {
    let options = FilterOptions::default().text_key("delta.content");
    let mut filter = ClientContentFilter::new(&options).unwrap();
    let mut seen = String::new();
    for data in [
        json!({"delta": {"content": "before<thin"}}),
        json!({"delta": {"content": "king>hidden</thinking>af"}}),
        json!({"delta": {"role": "assistant"}}),
        json!({"usage": {"tokens": 3}}),
        json!({"delta": {"content": "ter"}}),
    ] {
        seen.push_str(filter.process_data(&data).unwrap_or(""));
    }
    seen.push_str(filter.finish());
    assert_eq!(seen, "beforeafter");
}

#[test]
fn s002_process_data_leaves_other_content_to_the_caller() {
    let options = FilterOptions::default().text_key("parts.1.text");
    let mut filter = ClientContentFilter::new(&options).unwrap();
    for data in [
        json!({"parts": [{"text": "0"}]}),
        json!({"parts": [{}, {"text": 5}]}),
        json!({"parts": {"1": "x"}}),
        json!("text"),
        json!(null),
    ] {
        assert_eq!(filter.process_data(&data), None, "{data}");
    }
    let data = json!({"parts": [{}, {"text": "a<think>b</think>"}]});
    assert_eq!(filter.process_data(&data), Some("a"));
    let mut filter = ClientContentFilter::new(&FilterOptions::default()).unwrap();
    assert_eq!(filter.process_data(&json!("a")), Some("a"));
}

/// The visible text of a message, however it is cut.
#[track_caller]
fn check(options: &FilterOptions, message: &str, expected: &str) {
    for chunks in cuts(message) {
        let mut filter = ClientContentFilter::new(options).unwrap();
        let mut seen = String::new();
        for chunk in &chunks {
            seen.push_str(filter.process_text(chunk));
        }
        seen.push_str(filter.finish());
        assert_eq!(seen, expected, "{chunks:?}");
    }
}

#[test]
fn s002_a_rule_shows_the_content_without_the_tags() {
    let options = FilterOptions::default().rule("attempt_completion", TagRule::Content);
    check(
        &options,
        "a<attempt_completion r=1>b</attempt_completion>c",
        "abc",
    );
    check(
        &options,
        "a<attempt_completion>b<x>y</x> < 5",
        "ab<x>y</x> < 5",
    );
    check(
        &options,
        "<attempt_completion>a<thinking>b</thinking>c<use_mcp_tool>d</use_mcp_tool></attempt_completion>e",
        "ace",
    );
    check(
        &options,
        "a<attempt_completion/>b</attempt_completion>c",
        "abc",
    );
    check(&options, "<thinking><attempt_completion>a</thinking>b", "b");
}

#[test]
fn s002_a_rule_shows_the_first_line() {
    let options = FilterOptions::default().rule("thinking", TagRule::FirstLine);
    check(
        &options,
        "a <thinking>\n\n  First, look.\r\nThen think.\n</thinking>b",
        "a First, look.b",
    );
    check(&options, "<thinking>one line</thinking>!", "one line!");
    check(&options, "<thinking> \n </thinking>a", "a");
    check(&options, "<think>hidden</think>a", "a");
}

#[test]
fn s002_a_rule_replaces_a_section() {
    let replaced = TagRule::Replace("[tool]".to_owned());
    let options = FilterOptions::default().rule("use_mcp_tool", replaced);
    check(
        &options,
        "a<use_mcp_tool>secret</use_mcp_tool>b<use_mcp_tool/>",
        "a[tool]b[tool]",
    );
    check(&options, "`<use_mcp_tool>` x", "`<use_mcp_tool>` x");
    check(&options, "a<use_mcp_tool>never closed", "a[tool]");
}

#[test]
fn s002_rules_apply_in_what_is_shown_and_flags_override_them() {
    let options = FilterOptions::default()
        .rule("note", TagRule::Content)
        .rule("NOTE", TagRule::Replace("N".to_owned()))
        .rule("think", TagRule::Hide)
        .rule("other", TagRule::Show);
    check(
        &options,
        "<note>a</note><other>b</other>",
        "N<other>b</other>",
    );
    let shown = options.clone().show_thinking();
    check(
        &shown,
        "<thinking>a<note>b</note></thinking>",
        "<thinking>aN</thinking>",
    );
    check(
        &options.clone().show("note"),
        "<note>a</note>",
        "<note>a</note>",
    );
    check(&options.clone().hide("other"), "a<other>b</other>", "a");
    assert!(!options.should_show_tag("note") && options.should_show_tag("other"));
    let nested = options.rule("outer", TagRule::Content);
    check(&nested, "<outer>a<note>b</note>c</outer>", "aNc");
}

#[test]
fn s002_rules_are_a_line_of_the_profile() {
    let profile = "hide = ['a']\nfilter = [{ tag = 'a', show = 'content' }, \
        { tag = 'b', show = 'first_line' }, { tag = 'c', replace = '-' }, \
        { tag = 'd', show = 'none' }, { tag = 'e', show = 'all' }]";
    let loaded = parse_with(profile, &CallOptions::default()).unwrap();
    let options = FilterOptions::new(loaded.profile).rules(loaded.filter);
    check(
        &options,
        "<a>1</a><b>2\n3</b><c>4</c><d>5</d><e>6</e>",
        "12-<e>6</e>",
    );
    for (profile, problem) in [
        (
            "filter = [{ tag = 'a' }]",
            "line 1: `filter[0]`: a rule has either `show` or `replace`",
        ),
        (
            "filter = [{ tag = 'a', show = 'some' }]",
            "line 1: `filter[0].show`: unknown value `some`; allowed: `all`, `none`, `content`, `first_line`",
        ),
    ] {
        let error = parse_with(profile, &CallOptions::default()).unwrap_err();
        assert_eq!(error.to_string(), problem);
    }
}

/// Sections nest in the one engine of the filter: what is in a section of which something is shown is
/// read as the text around it is, code and calls included.
#[test]
fn s002_rules_nest_in_the_engine_that_reads_the_text() {
    let options = FilterOptions::new(preset("roo").unwrap()).rule("note", TagRule::Content);
    check(
        &options,
        "<note>`<thinking>` is a tag.\n```\n<thinking>\n```\n</note>a",
        "`<thinking>` is a tag.\n```\n<thinking>\n```\na",
    );
    check(
        &options,
        "<note>a<execute_command><command>ls</command></execute_command>b</note>",
        "ab",
    );
    let outer = options.rule("outer", TagRule::FirstLine);
    check(
        &outer,
        "<outer>a<note>b</note>\nc<note></outer>d</note>e",
        "abde",
    );
    // No more are remembered than may nest.
    let mut filter = ClientContentFilter::new(&outer).unwrap();
    let deep = "<outer><note>".repeat(1000) + "a\nb</outer>c";
    assert_eq!(filter.process_text(&deep), "ac");
}

#[test]
fn s002_verbose_output_shows_the_same_whatever_is_nested() {
    let options = FilterOptions::default()
        .rule("attempt_completion", TagRule::Content)
        .rule("think", TagRule::FirstLine)
        .rule("use_mcp_tool", TagRule::Replace("-".to_owned()));
    let pieces = [
        "a",
        "\n",
        "```\n",
        "<thinking>",
        "</thinking>",
        "<think>",
        "</think>",
        "<use_mcp_tool>",
        "</use_mcp_tool>",
        "<attempt_completion>",
        "</attempt_completion>",
    ];
    for message in strings(&pieces, 4) {
        let seen = |options: FilterOptions| {
            let mut filter = ClientContentFilter::new(&options).unwrap();
            let seen = filter.process_text(&message).to_owned();
            seen + filter.finish()
        };
        assert_eq!(
            seen(options.clone()),
            seen(options.clone().verbose()),
            "{message:?}"
        );
    }
}

/// Whatever is shown, it is the same in verbose output.
#[test]
fn s002_verbose_output_shows_the_same_by_the_rules() {
    let options = FilterOptions::default()
        .rule("attempt_completion", TagRule::Content)
        .rule("thinking", TagRule::FirstLine)
        .rule("use_mcp_tool", TagRule::Replace("-".to_owned()));
    let message = "a<attempt_completion>b<thinking>c\nd</thinking></attempt_completion>\
        <use_mcp_tool>e</use_mcp_tool><think>f</think><thinking>g\nh</thinking>i";
    check(&options, message, "abc-gi");
    let mut filter = ClientContentFilter::new(&options.verbose()).unwrap();
    let mut seen = String::new();
    filter.process(message, |piece| seen.push_str(piece.visible()));
    filter.finish_into(|piece| seen.push_str(piece.visible()));
    assert_eq!(seen, "abc-gi");
}

#[test]
fn s002_verbose_output_names_tool_calls_with_their_arguments() {
    let options = FilterOptions::new(preset("roo").unwrap()).verbose();
    let mut filter = ClientContentFilter::new(&options).unwrap();
    let mut seen = Vec::new();
    let mut sink = |piece: Piece<'_>| match piece {
        Piece::Call { name, arguments } => seen.push(format!("{name} {arguments}")),
        Piece::CallError { name, code, .. } => seen.push(format!("{name:?} {}", code.as_str())),
        _ => {}
    };
    let message = "a<execute_command><command>ls</command></execute_command>\
        <write_to_file><path>a</path></write_to_file>";
    filter.process(message, &mut sink);
    filter.finish_into(&mut sink);
    assert_eq!(
        seen,
        [
            "execute_command {\"command\":\"ls\"}",
            "Some(\"write_to_file\") missing_required"
        ]
    );
}
