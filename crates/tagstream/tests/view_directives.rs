//! Document 003, directives, with the preset `roo`: what SYSTEMS.md settles, then the document's
//! sections by name. Every message is read whole, in two at every place, and byte by byte.

use serde_json::{Value, json};
use tagstream::preset;
use tagstream::profile::{Preset, parse};
use tagstream::view::directives::{Directive, DirectiveStreamingParser, Directives, Registry};
use tagstream::{
    CallErrorCode, CodeStyle, NoticeCode, Profile, Thinking, ThinkingTrim, ToolSignature,
};
use tagstream_testing::cuts::{cuts, every};

fn roo() -> Profile {
    preset("roo").unwrap()
}

fn registry() -> Registry {
    Registry::new(&roo()).unwrap()
}

fn values(directives: &[Directive]) -> Vec<Value> {
    let value = |directive: &Directive| serde_json::to_value(directive).unwrap();
    directives.iter().map(value).collect()
}

fn text(content: &str) -> Value {
    json!({"type": "text", "content": content, "partial": false})
}

fn log(message: &str, level: &str) -> Value {
    json!({"type": "log_message", "message": message, "level": level, "partial": false})
}

#[allow(clippy::needless_pass_by_value)]
fn tool(name: &str, params: Value) -> Value {
    let mut directive = json!({"type": "tool_use", "name": name, "partial": false});
    directive["params"] = params;
    directive
}

fn partial(mut directive: Value) -> Value {
    directive["partial"] = true.into();
    directive
}

/// The list after these chunks, before the end.
fn open(registry: &Registry, chunks: &[&str]) -> Directives {
    let mut directives = Directives::new(registry);
    for chunk in chunks {
        directives.push(chunk);
    }
    directives
}

/// The list at the end of the message, however it is cut.
fn check_with(registry: &Registry, message: &str, expected: &[Value]) {
    for chunks in cuts(message) {
        let mut directives = open(registry, &chunks);
        directives.finish();
        let list = values(directives.directives());
        assert_eq!(list, expected, "{chunks:?}");
    }
}

fn check(message: &str, expected: &[Value]) {
    check_with(&registry(), message, expected);
}

/// The notices of a message, however it is cut.
fn notices(message: &str) -> Vec<(NoticeCode, String)> {
    let registry = registry();
    let mut all = cuts(message).into_iter().map(|chunks| {
        let mut directives = open(&registry, &chunks);
        directives.finish();
        let notices = directives.notices().into_iter();
        notices.map(|n| (n.code, n.message)).collect::<Vec<_>>()
    });
    let first = all.next().unwrap();
    all.for_each(|other| assert_eq!(other, first, "{message:?}"));
    first
}

const LOG: &str =
    "<log_message>\n<message>This is an example</message>\n<level>warn</level>\n</log_message>";

// What SYSTEMS.md settles.

#[test]
fn s003_a_log_in_a_fence_is_text_and_the_text_is_the_input() {
    let message = format!("Some text\n```\n{LOG}\n```\nMore text");
    check(&message, &[text(&message)]);
}

#[test]
fn s003_a_log_in_a_fence_and_then_a_real_one() {
    let fenced = format!("Some text\n```xml\n{LOG}\n```");
    let real = log("This is an example", "warn");
    check(&format!("{fenced}\n{LOG}"), &[text(&fenced), real]);
}

#[test]
fn s003_two_fences_are_one_text() {
    let message = format!("a\n```\n{LOG}\n```\nb\n```\n{LOG}\n```\nc");
    check(&message, &[text(&message)]);
}

#[test]
fn s003_single_or_double_backticks_do_not_hide_a_log_after_them() {
    for ticks in ["`code`", "``code``", "`", "``", "`a`` b"] {
        let message = format!("{ticks} text\n{LOG}");
        let real = log("This is an example", "warn");
        check(&message, &[text(&format!("{ticks} text")), real]);
    }
}

#[test]
fn s003_a_result_with_a_fence_is_exactly_its_inner_text() {
    let result = format!("Done:\n\n```\n{LOG}\n```\n\n  and more");
    let message =
        format!("<attempt_completion>\n<result>\n{result}\n</result>\n</attempt_completion>");
    check(
        &message,
        &[tool("attempt_completion", json!({"result": result}))],
    );
}

#[test]
fn s003_an_unfenced_log_inside_a_result_is_text_there() {
    let message = format!("<attempt_completion><result>{LOG}</result></attempt_completion>");
    check(
        &message,
        &[tool("attempt_completion", json!({"result": LOG}))],
    );
}

#[test]
fn s003_text_tool_text() {
    let message = "text<apply_diff><path>a.rs</path><diff>\n-  a\n+  b\n</diff></apply_diff>More";
    let params = json!({"path": "a.rs", "diff": "-  a\n+  b"});
    check(
        message,
        &[text("text"), tool("apply_diff", params), text("More")],
    );
}

#[test]
fn s003_a_tool_that_is_cut_off_is_partial_with_its_content_so_far() {
    let message = "<write_to_file><path>a</path><content>Some content";
    let params = json!({"path": "a", "content": "Some content"});
    for chunks in cuts(message) {
        let mut directives = open(&registry(), &chunks);
        let expected = partial(tool("write_to_file", params.clone()));
        assert_eq!(
            values(directives.directives()),
            std::slice::from_ref(&expected)
        );
        directives.finish();
        let [cut] = directives.directives() else {
            panic!("{chunks:?}");
        };
        assert!(cut.partial());
        assert_eq!(serde_json::to_value(cut.params()).unwrap(), params);
        let codes: Vec<_> = cut.refusals().iter().map(|refusal| refusal.code).collect();
        assert_eq!(codes, [CallErrorCode::IncompleteCall]);
    }
}

#[test]
fn s003_four_logs_in_a_row_are_four_logs_with_no_text_between() {
    let message = ["debug", "info", "warn", "error"]
        .map(|level| {
            format!("<log_message><message>m</message><level>{level}</level></log_message>")
        })
        .join("\n \t");
    let logs = ["debug", "info", "warn", "error"].map(|level| log("m", level));
    check(&message, &logs);
}

#[test]
fn s003_what_is_no_directive_is_verbatim() {
    for message in [
        "if a < b then",
        "<div>x</div>",
        "&lt; and &amp;",
        "<![CDATA[ <x> ]]>",
        "a <log_messages> b",
        "</log_message> alone",
        "the <read_file> tool",
    ] {
        check(message, &[text(message)]);
    }
}

#[test]
fn s003_a_parameter_is_verbatim() {
    for value in [
        "if a < b then",
        "cat < file > out && echo 2>&1",
        "&lt;b&gt; &amp;",
        "<![CDATA[ <x> ]]>",
        "<div>x</div>",
        "echo </command> here",
        "`` ` ```",
    ] {
        let message = format!("<execute_command><command>{value}</command></execute_command>");
        check(
            &message,
            &[tool("execute_command", json!({"command": value}))],
        );
    }
}

#[test]
fn s003_a_directive_inside_a_parameter_is_text_there() {
    let inner = "<read_file><path>b</path></read_file>";
    let message = format!(
        "<write_to_file><path>a</path><content>{inner}{LOG}</content></write_to_file>{LOG}"
    );
    let params = json!({"path": "a", "content": format!("{inner}{LOG}")});
    let expected = [
        tool("write_to_file", params),
        log("This is an example", "warn"),
    ];
    check(&message, &expected);
}

#[test]
fn s003_text_and_parameters_are_trimmed() {
    let message = "\n\n  a \t\r\n b  \n<read_file>\n<path>\n  c  \n</path>\n</read_file>\n\n d \n";
    let expected = [
        text("a \t\r\n b"),
        tool("read_file", json!({"path": "c"})),
        text("d"),
    ];
    check(message, &expected);
}

#[test]
fn s003_content_and_diff_keep_their_white_space_less_one_newline_at_each_end() {
    for (name, param) in [("write_to_file", "content"), ("apply_diff", "diff")] {
        for (written, value) in [
            ("\n  a\n\n", "  a\n"),
            ("\n\n\ta \n", "\n\ta "),
            ("  a  ", "  a  "),
            ("\r\n a\r\n", " a"),
            ("\n", ""),
            ("", ""),
        ] {
            let message = format!("<{name}><{param}>{written}</{param}></{name}>");
            check(&message, &[tool(name, json!({param: value}))]);
        }
    }
}

#[test]
fn s003_only_the_trailing_text_is_partial() {
    let registry = registry();
    let mut directives = Directives::new(&registry);
    directives.push("One ");
    assert_eq!(values(directives.directives()), [partial(text("One"))]);
    directives.push(LOG);
    let logged = log("This is an example", "warn");
    assert_eq!(
        values(directives.directives()),
        [text("One"), logged.clone()]
    );
    directives.push(" Two");
    let expected = [text("One"), logged.clone(), partial(text("Two"))];
    assert_eq!(values(directives.directives()), expected);
    directives.finish();
    assert_eq!(
        values(directives.directives()),
        [text("One"), logged, text("Two")]
    );
}

#[test]
fn s003_an_open_directive_does_not_make_those_before_it_partial() {
    let message = format!("a{LOG}<read_file><path>b</path></read_file>c<log_message><message>d");
    for chunks in cuts(&message) {
        let directives = open(&registry(), &chunks);
        let partials: Vec<_> = directives
            .directives()
            .iter()
            .map(Directive::partial)
            .collect();
        assert_eq!(partials, [false, false, false, false, true], "{chunks:?}");
    }
}

#[test]
fn s003_a_tool_is_complete_at_its_closer_whatever_follows() {
    let registry = registry();
    let mut directives = Directives::new(&registry);
    directives.push("<list_files><path>.</path></list_files>");
    assert!(!directives.directives()[0].partial());
}

#[test]
fn s003_a_log_that_is_cut_off_is_partial() {
    let message = "<log_message><message>so far";
    check(message, &[partial(log("so far", "info"))]);
}

#[test]
fn s003_a_level_is_info_unless_it_is_one_of_four() {
    for (level, read) in [
        ("", "info"),
        ("<level></level>", "info"),
        ("<level> Error </level>", "error"),
        ("<level>loud</level>", "info"),
    ] {
        let message = format!("<log_message><message>m</message>{level}</log_message>");
        check(&message, &[log("m", read)]);
    }
    let message = "<log_message><message>m</message><level>loud</level></log_message>";
    let reported = "unknown level `loud`, so it is info; allowed: debug, info, warn, error";
    assert_eq!(
        notices(message),
        [(NoticeCode::Repaired, reported.to_owned())]
    );
}

#[test]
fn s003_a_log_without_a_message_part_is_its_text() {
    check(
        "<log_message> content </log_message>",
        &[log("content", "info")],
    );
    check("<log_message/>", &[log("", "info")]);
}

#[test]
fn s003_a_parameter_given_twice_is_the_last_one_with_a_notice() {
    let message = "<read_file><path>a</path><path>b</path></read_file>";
    check(message, &[tool("read_file", json!({"path": "b"}))]);
    let [(code, reported)] = notices(message).try_into().unwrap();
    assert_eq!(code, NoticeCode::Repaired);
    assert!(reported.contains("`path` was given twice"), "{reported}");

    let message = "<log_message><message>a</message><message>b</message></log_message>";
    check(message, &[log("b", "info")]);
    let [(code, reported)] = notices(message).try_into().unwrap();
    assert_eq!(code, NoticeCode::Repaired);
    assert!(reported.contains("`message` was given twice"), "{reported}");
}

#[test]
fn s003_a_parameter_given_twice_begins_anew_while_it_grows() {
    let registry = registry();
    let mut directives = Directives::new(&registry);
    directives.push("<read_file><path>long</path><path>b");
    let tool = &directives.directives()[0];
    assert_eq!(
        (tool.params().get("path"), tool.params().given("path")),
        (Some("b"), 2)
    );
    directives.push("</path><path></path></read_file>");
    assert_eq!(directives.directives()[0].params().get("path"), Some(""));
}

#[test]
fn s003_text_between_the_parameters_is_dropped_with_a_notice() {
    let message = "<read_file><path/>so<start_line>1</start_line></read_file>";
    check(
        message,
        &[tool("read_file", json!({"path": "", "start_line": "1"}))],
    );
    let codes: Vec<_> = notices(message).into_iter().map(|(code, _)| code).collect();
    assert_eq!(codes, [NoticeCode::Dropped]);
    let message = "<log_message>so<message>m</message></log_message>";
    check(message, &[log("m", "info")]);
    let codes: Vec<_> = notices(message).into_iter().map(|(code, _)| code).collect();
    assert_eq!(codes, [NoticeCode::Dropped]);
}

#[test]
fn s003_a_closer_followed_by_anything_else_is_part_of_the_value() {
    let message = "<read_file><path>a</path>b</path></read_file>";
    check(message, &[tool("read_file", json!({"path": "a</path>b"}))]);
}

#[test]
fn s003_all_18_tools_of_roo_are_read_with_each_of_their_parameters() {
    let registry = registry();
    assert_eq!(registry.tools().count(), 18);
    for ToolSignature {
        name, arguments, ..
    } in registry.tools()
    {
        let given = |argument: &String| format!("<{argument}>v {argument}</{argument}>\n");
        let params = arguments
            .iter()
            .map(|a| (a.clone(), json!(format!("v {a}"))));
        let body: String = arguments.iter().map(given).collect();
        let expected = tool(name, Value::Object(params.collect()));
        check_with(
            &registry,
            &format!("<{name}>\n{body}</{name}>"),
            &[expected],
        );
    }
}

#[test]
fn s003_the_preset_has_the_tools_that_the_systems_page_names() {
    let registry = registry();
    let names: Vec<_> = registry.tools().map(|tool| tool.name.as_str()).collect();
    let expected = "execute_command read_file write_to_file apply_diff insert_content \
        search_and_replace search_files list_files list_code_definition_names browser_action \
        use_mcp_tool access_mcp_resource ask_followup_question attempt_completion switch_mode \
        new_task fetch_instructions codebase_search";
    assert_eq!(names, expected.split_whitespace().collect::<Vec<_>>());
    let kinds = ["text", "thought", "tool_use", "log_message"];
    assert_eq!(registry.kinds(), kinds);
}

#[test]
fn s003_the_preset_is_the_profile_of_the_view() {
    let registry = registry();
    let tools: Vec<_> = registry.tools().cloned().collect();
    let thinking = Thinking::tags(["thinking", "think"]).trim(ThinkingTrim::Answer);
    let mut made = Directives::profile(tools).thinking(thinking);
    let calls = registry.profile().calls.clone().unwrap();
    made.calls.as_mut().unwrap().checker = calls.checker;
    assert_eq!(made, *registry.profile());
}

#[test]
fn s003_the_arguments_of_an_mcp_tool_are_a_string_as_written() {
    let message = "<use_mcp_tool><server_name>s</server_name><tool_name>t</tool_name>\
        <arguments>\n{\"n\": 02}\n</arguments></use_mcp_tool>";
    let params = json!({"server_name": "s", "tool_name": "t", "arguments": "{\"n\": 02}"});
    check(message, &[tool("use_mcp_tool", params)]);
}

#[test]
fn s003_several_files_in_one_read_are_one_parameter() {
    let args =
        "<file>\n    <path>a.ts</path>\n  </file>\n  <file>\n    <path>b.ts</path>\n  </file>";
    let message = format!("<read_file>\n<args>\n  {args}\n</args>\n</read_file>");
    check(&message, &[tool("read_file", json!({"args": args}))]);
}

// Kinds that a profile declares.

#[test]
fn s003_a_kind_is_added_by_lines_of_the_profile() {
    let roo = Preset::find("roo").unwrap().source();
    let mine = "
        [[elements]]
        name = 'question'
        children = ['text', 'choice', 'content']
        [[calls.tools]]
        name = 'shout'
        parameters.properties.word.type = 'string'";
    let registry = Registry::new(&parse(&format!("{roo}{mine}")).unwrap()).unwrap();
    assert_eq!(
        registry.kinds(),
        ["text", "thought", "tool_use", "log_message", "question"]
    );
    assert_eq!(registry.tools().count(), 19);
    let message = "Q: <question to='all'>\n<text> Now? </text>hm\
        <content>\n  a\n\n</content></question><shout><word>hey</word></shout>";
    let question = json!({
        "type": "question", "attributes": {"to": "all"},
        "params": {"text": "Now?", "content": "  a\n"}, "content": "hm", "partial": false,
    });
    let expected = [text("Q:"), question, tool("shout", json!({"word": "hey"}))];
    check_with(&registry, message, &expected);
}

#[test]
fn s003_a_kind_inside_another_is_listed_after_it_with_its_parent() {
    let profile = "[[elements]]\nname = 'plan'\nchildren = ['step']\n[[elements]]\nname = 'step'";
    let registry = Registry::new(&parse(profile).unwrap()).unwrap();
    let own = |kind: &str, content: &str, partial: bool| json!({"type": kind, "attributes": {}, "params": {}, "content": content, "partial": partial});
    let inside = |mut directive: Value| {
        directive["parent"] = 0.into();
        directive
    };
    let expected = [
        own("plan", "a c", true),
        inside(own("step", "b", false)),
        inside(own("step", "d", true)),
    ];
    check_with(&registry, "<plan>a<step>b</step> c<step>d", &expected);
}

#[test]
fn s003_thoughts_are_directives_where_the_profile_lists_them() {
    let profile = roo().thinking(Thinking::tags(["plan"]));
    let registry = Registry::new(&profile).unwrap();
    let thought = json!({"type": "thought", "content": "hm", "partial": false});
    check_with(&registry, "<plan> hm </plan> a", &[thought, text("a")]);
}

#[test]
fn s003_calls_of_another_dialect_are_tools_too() {
    let profile = parse("[calls]\ndialect = 'hermes'").unwrap();
    let registry = Registry::new(&profile).unwrap();
    let message = "a <tool_call>{\"name\":\"f\",\"arguments\":{\"a\":\" x \\u00e9\",\"n\":[1, 2],\
        \"content\":\" k\\n\"}}</tool_call>";
    let params = json!({"a": "x é", "n": "[1, 2]", "content": " k\n"});
    check_with(&registry, message, &[text("a"), tool("f", params)]);
}

// What is refused.

#[test]
fn s003_a_refused_tool_stays_in_the_list_and_stays_partial() {
    let mut profile = roo();
    profile.calls.as_mut().unwrap().max_calls = Some(1);
    let registry = Registry::new(&profile).unwrap();
    let call = "<list_files><path>.</path></list_files>";
    for chunks in cuts(&format!("{call}a{call}b")) {
        let mut directives = open(&registry, &chunks);
        directives.finish();
        let [first, _, second, last] = directives.directives() else {
            panic!("{chunks:?}");
        };
        assert!(!first.partial() && second.partial() && !last.partial());
        let refusal = &second.refusals()[0];
        assert_eq!(
            (refusal.code, refusal.raw.as_str()),
            (CallErrorCode::Limit, call)
        );
    }
}

#[test]
fn s003_an_opener_at_the_end_of_the_message_is_a_partial_tool() {
    for chunks in cuts("a <list_files>") {
        let mut directives = open(&registry(), &chunks);
        directives.finish();
        let [text, tool] = directives.directives() else {
            panic!("{chunks:?}");
        };
        assert_eq!((text.content(), text.partial()), ("a", false));
        assert_eq!((tool.type_name(), tool.partial()), ("tool_use", true));
    }
}

// The document: problem statement and streaming scenario.

#[test]
fn s003_should_not_parse_directives_inside_triple_backticks_as_directives() {
    let message = "Some text\n```\n<log_message>content</log_message>\n```\nMore text";
    check(message, &[text(message)]);
}

#[test]
fn s003_streaming_scenario_with_the_fence_split_across_chunks() {
    let chunks = [
        "Some text with\n`",
        "``\n<log_message>\n<message>",
        "This is an example</message>\n<level>warn</level>",
        "\n</log_message>\n```\nMore text",
    ];
    let message = chunks.concat();
    let mut directives = open(&registry(), &chunks);
    directives.finish();
    assert_eq!(values(directives.directives()), [text(&message)]);
    check(&message, &[text(&message)]);
}

// The document: edge cases to handle.

#[test]
fn s003_edge_case_1_partial_boundaries_across_chunks() {
    let mut directives = open(&registry(), &["text `", "``\ncontent", LOG]);
    directives.finish();
    assert_eq!(
        values(directives.directives()),
        [text(&format!("text ```\ncontent{LOG}"))]
    );
}

#[test]
fn s003_edge_case_2_multiple_code_blocks() {
    let message = "text ```code1``` more ```code2``` end";
    check(message, &[text(message)]);
    let message = "text ```<log_message>a</log_message>``` more ```<log_message/>``` end";
    check(message, &[text(message)]);
}

#[test]
fn s003_edge_case_3_nested_backticks() {
    let message = "```\nSome `code` here\n```";
    check(message, &[text(message)]);
    let message = format!("```\nSome `code` here\n{LOG}\n```");
    check(&message, &[text(&message)]);
}

#[test]
fn s003_edge_case_4_malformed_boundaries() {
    check("text `` incomplete", &[text("text `` incomplete")]);
    let message = format!("text `` incomplete {LOG}");
    let expected = [
        text("text `` incomplete"),
        log("This is an example", "warn"),
    ];
    check(&message, &expected);
}

#[test]
fn s003_edge_case_5_mixed_content() {
    let message = "text ```code``` <log_message>content</log_message>";
    check(message, &[text("text ```code```"), log("content", "info")]);
}

// The document: new test cases required.

#[test]
fn s003_should_handle_partial_code_block_boundaries_across_chunks() {
    for fence in ["```", "````", "~~~"] {
        let message = format!("a\n{fence}\n{LOG}\n{fence}\n{LOG}");
        let code = format!("a\n{fence}\n{LOG}\n{fence}");
        check(&message, &[text(&code), log("This is an example", "warn")]);
    }
}

#[test]
fn s003_should_handle_multiple_code_blocks_in_single_message() {
    let message = format!("```\n{LOG}\n```\nb\n{LOG}\n```\n{LOG}\n```");
    let first = text(&format!("```\n{LOG}\n```\nb"));
    let last = text(&format!("```\n{LOG}\n```"));
    check(&message, &[first, log("This is an example", "warn"), last]);
}

#[test]
fn s003_should_handle_mixed_content_with_code_blocks_and_directives() {
    let call = "<execute_command><command>ls</command></execute_command>";
    let message = format!("One\n```\n{call}\n```\n{call}\nTwo `{call}` {LOG}");
    let expected = [
        text(&format!("One\n```\n{call}\n```")),
        tool("execute_command", json!({"command": "ls"})),
        text(&format!("Two `{call}`")),
        log("This is an example", "warn"),
    ];
    check(&message, &expected);
}

#[test]
fn s003_should_handle_nested_backticks_inside_code_blocks() {
    let message = format!("````\n```\n{LOG}\n```\n{LOG}\n````");
    check(&message, &[text(&message)]);
}

#[test]
fn s003_should_handle_malformed_code_block_boundaries() {
    let message = format!("```\n{LOG}\n``\n{LOG}");
    check(&message, &[text(&message)]);
    let message = format!("a ` b\n\n{LOG}");
    check(
        &message,
        &[text("a ` b"), log("This is an example", "warn")],
    );
}

/// What a chunk changes is what it is about; the work is counted in the crate of the view.
#[test]
fn s003_should_maintain_performance_with_large_messages() {
    let registry = registry();
    let mut directives = Directives::new(&registry);
    for _ in 0..2_000 {
        let text = directives.push("a `code` < b ").len();
        let log = directives.push(LOG).len();
        assert_eq!((text, log), (1, 2));
    }
    assert_eq!(directives.directives().len(), 4_000);
}

// The document: success criteria.

#[test]
fn s003_success_criterion_no_regression_in_normal_directive_parsing() {
    check("", &[]);
    check(" \n ", &[]);
    check("plain", &[text("plain")]);
    check(LOG, &[log("This is an example", "warn")]);
    let list = DirectiveStreamingParser::parse(&registry(), LOG);
    assert_eq!(values(&list), [log("This is an example", "warn")]);
}

#[test]
fn s003_success_criterion_handles_streaming_with_partial_boundaries() {
    let message = format!(
        "a `b` ``` c\n```\n{LOG}\n```\n<write_to_file>\n<path>p</path>\n<content>\n x\n``` y\n\
         </content>\n</write_to_file>\n{LOG}\ntail `"
    );
    let registry = registry();
    let mut grown = Directives::new(&registry);
    for (at, piece) in message.char_indices() {
        let end = at + piece.len_utf8();
        grown.push(&message[at..end]);
        let at_once = open(&registry, &[&message[..end]]);
        assert_eq!(
            grown.directives(),
            at_once.directives(),
            "{:?}",
            &message[..end]
        );
    }
}

#[test]
fn s003_what_is_shown_only_grows() {
    let message = format!(
        "a `b`  c\n```\n{LOG}\n```\n<write_to_file>\n<path> p q </path>\n<content>\n x\n\n y < z \
         </con\n</content>\n</write_to_file>\n{LOG}\ntail "
    );
    let registry = registry();
    let whole = Directives::parse(&registry, &message);
    let mut grown = Directives::new(&registry);
    for piece in every(&message) {
        grown.push(piece);
        for (now, then) in grown.directives().iter().zip(&whole) {
            assert!(then.content().starts_with(now.content()), "{now:?}");
            for (name, value) in now.params().iter() {
                assert!(
                    then.params().get(name).unwrap().starts_with(value),
                    "{now:?}"
                );
            }
        }
    }
}

#[test]
fn s003_the_feature_flag_is_code_none() {
    let registry = Registry::new(&roo().code(CodeStyle::None)).unwrap();
    let message = "Some text\n```\n<log_message>content</log_message>\n```\nMore text";
    let expected = [
        text("Some text\n```"),
        log("content", "info"),
        text("```\nMore text"),
    ];
    check_with(&registry, message, &expected);
}

// SPEC.md section 5, snapshots.

#[test]
fn s003_the_text_of_an_element_leaves_off_what_may_be_the_beginning_of_a_tag() {
    let registry = registry();
    let message = |directives: &Directives| directives.directives()[0].content().to_owned();
    let mut directives = Directives::new(&registry);
    for (chunk, shown) in [
        ("<log_message><message>a b", "a b"),
        (" <", "a b"),
        ("/no", "a b"),
        ("de", "a b"),
        (" ", "a b"),
        ("c", "a b </node c"),
        ("<mess", "a b </node c"),
        ("</message>", "a b </node c<mess"),
    ] {
        directives.push(chunk);
        assert_eq!(message(&directives), shown, "{chunk}");
    }
    let changed = directives.push("</log_message>");
    assert_eq!(values(changed), [log("a b </node c<mess", "info")]);
}

#[test]
fn s003_a_cut_off_element_has_all_of_its_text_in_the_end() {
    let mut directives = Directives::new(&registry());
    assert_eq!(
        values(directives.push("<log_message>a <b")),
        [partial(log("a", "info"))]
    );
    assert_eq!(values(directives.finish()), [partial(log("a <b", "info"))]);
}
