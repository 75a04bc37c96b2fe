//! Document 003, directives: thinking, fences that never close, and the work of the list.

use tagstream::view::directives::{Directive, Directives, Registry};
use tagstream::{CodeStyle, NoticeCode, ToolSignature, preset};
use tagstream_testing::cuts::{cuts, every};

fn roo() -> Registry {
    Registry::new(&preset("roo").unwrap()).unwrap()
}

fn types(directives: &[Directive]) -> Vec<(&str, &str)> {
    let pair = |directive| {
        (
            Directive::type_name(directive),
            Directive::content(directive),
        )
    };
    directives.iter().map(pair).collect()
}

/// The codes of the notices of a message, however it is cut.
fn notices(registry: &Registry, message: &str) -> Vec<NoticeCode> {
    let read = |chunks: Vec<&str>| {
        let mut directives = Directives::new(registry);
        for chunk in chunks {
            directives.push(chunk);
        }
        let before = directives.notices();
        directives.finish();
        let notices = before.into_iter().chain(directives.notices());
        notices.map(|notice| notice.code).collect::<Vec<_>>()
    };
    let mut all = cuts(message).into_iter().map(read);
    let first = all.next().unwrap();
    all.for_each(|other| assert_eq!(other, first, "{message:?}"));
    first
}

#[test]
fn s003_thinking_is_not_run_by_the_preset() {
    let inner = "I could <read_file><path>a</path></read_file> or \
        <log_message><message>m</message></log_message>";
    for tag in ["thinking", "think", "Thinking"] {
        let message = format!("<{tag}>{inner}</{tag}>Done.<log_message>n</log_message>");
        for chunks in cuts(&message) {
            let mut directives = Directives::new(&roo());
            for chunk in &chunks {
                let list = directives.push(chunk);
                assert!(list.iter().all(|one| one.type_name() != "tool_use"));
            }
            directives.finish();
            let expected = [("thought", inner), ("text", "Done."), ("log_message", "n")];
            assert_eq!(types(directives.directives()), expected, "{chunks:?}");
        }
    }
}

#[test]
fn s003_thinking_that_never_ends_runs_nothing_and_is_reported() {
    let message = "<thinking>hm <read_file><path>a</path></read_file>";
    let list = Directives::parse(&roo(), message);
    assert_eq!(list.len(), 1);
    assert_eq!((list[0].type_name(), list[0].partial()), ("thought", true));
    assert_eq!(notices(&roo(), message), [NoticeCode::UnclosedThought]);
}

#[test]
fn s003_thinking_in_code_is_text_and_code_does_not_reach_into_it() {
    let message =
        "```\n<thinking>a</thinking>\n```\n<thinking>```</thinking><log_message>b</log_message>";
    let expected = [
        ("text", "```\n<thinking>a</thinking>\n```"),
        ("thought", "```"),
        ("log_message", "b"),
    ];
    assert_eq!(types(&Directives::parse(&roo(), message)), expected);
}

#[test]
fn s003_unclosed_fence_that_made_text_of_directives_is_a_notice_at_the_end() {
    let tool = "<read_file><path>a</path></read_file>";
    let made = Registry::new(&Directives::profile([ToolSignature::new(
        "read_file",
        ["path"],
    )]))
    .unwrap();
    for registry in [&roo(), &made] {
        for fence in ["```", "~~~~", "```rust"] {
            for markup in [tool, "<log_message>m</log_message>"] {
                let message = format!("See:\n{fence}\nfn main() {{}}\n{markup}\nDone.");
                let codes = notices(registry, &message);
                assert_eq!(codes, [NoticeCode::UnclosedFence], "{message:?}");
                let list = Directives::parse(registry, &message);
                assert_eq!(types(&list), [("text", message.as_str())]);
            }
        }
    }
}

#[test]
fn s003_unclosed_fence_notices_are_only_for_what_it_made_text_of() {
    for message in [
        "```\n<log_message>an example</log_message>\n```\n<log_message>m</log_message>",
        "<log_message>m</log_message>\n```\nfn main() {}",
        "```\n<div>x</div> <log_messages>",
        "`<log_message>m</log_message>`",
    ] {
        assert_eq!(notices(&roo(), message), [], "{message:?}");
    }
}

/// The work for a message of this unit, asked after each character.
fn steps(registry: &Registry, before: &str, unit: &str, times: usize) -> u64 {
    let mut directives = Directives::new(registry);
    directives.push(before);
    let mut shown = 0;
    for piece in every(&unit.repeat(times)) {
        directives.push(piece);
        let last = directives.directives().last();
        shown += last.map_or(0, |last| last.content().len());
    }
    assert!(shown < usize::MAX);
    directives.steps()
}

#[test]
fn s003_work_of_a_chunk_does_not_depend_on_what_came_before_it() {
    let registry = roo();
    for before in [
        "",
        "<thinking>",
        "<log_message>",
        "<log_message><message>",
        "<write_to_file><path>a</path><content>",
        "```\n",
    ] {
        for unit in [
            "a",
            "a ",
            "\n",
            "`",
            "` ",
            "<",
            "</m",
            "a < b\n",
            "```\n",
            "&amp;",
            "<log_message>m</log_message>",
            "<read_file><path>a</path></read_file> x",
            "<message>m</message>",
            "`<log_message>`",
        ] {
            let cost = |times| steps(&registry, before, unit, times);
            let (n, twice) = (cost(1_000), cost(2_000));
            assert!(twice <= n * 22 / 10, "{before:?} {unit:?}: {n} {twice}");
        }
    }
}

#[test]
fn s003_work_of_one_chunk_is_bounded_by_its_length() {
    let registry = roo();
    let mut directives = Directives::new(&registry);
    let unit = "Read `a < b` first.\n```\nlet x = 1;\n```\n<write_to_file>\n<path>p</path>\n<content>\n\
        fn main() {}\n</content>\n</write_to_file>\n<log_message><message>m</message></log_message>\n";
    let text = unit.repeat(2_000);
    let mut most = 0;
    for chunk in text.as_bytes().chunks(64) {
        let before = directives.steps();
        directives.push(std::str::from_utf8(chunk).unwrap());
        assert!(directives.directives().last().is_some());
        most = most.max(directives.steps() - before);
    }
    // What a chunk ends is read at most a few times more: a tool with its values is some 60 bytes.
    assert!(most <= 16 * 64, "{most} steps for a chunk of 64 bytes");
}

/// `./test` counts the instructions; this counts what is looked at.
#[test]
fn s003_success_criterion_performance_is_the_same_without_code_within_ten_percent() {
    let none = preset("roo").unwrap().code(CodeStyle::None);
    let none = Registry::new(&none).unwrap();
    for unit in [
        "The loop ends while a < b; Vec<T> is not a tag here.\n\n- one\n- two\n",
        "Read.\n<read_file>\n<path>a</path>\n</read_file>\n",
        "<log_message>\n<message>m</message>\n<level>warn</level>\n</log_message>\n",
    ] {
        let (markdown, none) = (steps(&roo(), "", unit, 50), steps(&none, "", unit, 50));
        assert!(10 * markdown <= 11 * none, "{markdown} and {none}: {unit}");
    }
}

#[test]
fn s003_an_undeclared_parameter_of_a_log_is_named_in_a_notice_wherever_it_is() {
    for message in [
        "<log_message><foo>1</foo><message>m</message></log_message>",
        "<log_message><message>m</message><foo>1</foo></log_message>",
        "<log_message><level>warn</level>\n<foo>1</foo>\n<message>m</message></log_message>",
    ] {
        for chunks in cuts(message) {
            let registry = roo();
            let mut directives = Directives::new(&registry);
            for chunk in chunks {
                directives.push(chunk);
            }
            assert_eq!(types(directives.directives()), [("log_message", "m")]);
            let notices = directives.notices();
            assert_eq!(
                notices.iter().map(ToString::to_string).collect::<Vec<_>>(),
                ["dropped: text between the parts of <log_message> was dropped: <foo>1</foo>"]
            );
        }
    }
}

#[test]
fn s003_an_undeclared_parameter_is_reported_wherever_it_is() {
    for message in [
        "<read_file><foo>1</foo><path>a</path></read_file>",
        "<read_file><path>a</path><foo>1</foo></read_file>",
        "<write_to_file><path>a</path><foo>1</foo><content>b</content></write_to_file>",
        "<read_file>\n<foo>1</foo>\n</read_file>",
    ] {
        let mut directives = Directives::new(&roo());
        directives.push(message);
        directives.finish();
        let [tool] = directives.directives() else {
            panic!("{message}: {:?}", directives.directives());
        };
        assert!(tool.partial(), "it is not run: {message}");
        let [refusal] = tool.refusals() else {
            panic!("{message}: {:?}", tool.refusals());
        };
        assert!(
            refusal.message.contains("has no argument `foo`"),
            "{message}"
        );
    }
}
