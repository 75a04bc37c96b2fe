//! The dialect files are well formed: what can be said of them without reading a call.

use tagstream::Dialect;
use tagstream::dialect::{Arguments, Repair};
use tagstream_testing::calls::files::{DialectFile, all};
use tagstream_testing::docs::check_table;

#[test]
fn a_file_says_what_its_dialect_is() {
    for file in all() {
        assert!(!file.dialect.about.is_empty(), "{}", file.stem);
    }
}

#[test]
fn no_dialect_of_the_contract_is_missing() {
    let names: Vec<String> = all().into_iter().map(|file| file.stem).collect();
    for name in [
        "function_calls",
        "tags",
        "hermes",
        "qwen3-coder",
        "glm",
        "minimax",
        "dsml",
        "kimi-k2",
    ] {
        assert!(names.iter().any(|n| n == name), "{name} is missing");
    }
}

#[test]
fn a_file_begins_with_a_call_in_its_own_syntax() {
    for file in all() {
        let call = comment(&file);
        for kind in openers(&file.dialect) {
            // After a colon any suffix may follow.
            let known = |opener: &String| opener.replace(":>", ":");
            let shown = kind.iter().any(|opener| call.contains(&known(opener)));
            assert!(
                shown,
                "{}.toml: the comment at the top shows a call, but none of {kind:?} is in it",
                file.stem
            );
        }
        for word in ["get_weather", "Paris"] {
            assert!(
                call.contains(word),
                "{}.toml: the call in the comment at the top has no `{word}`",
                file.stem
            );
        }
    }
}

#[test]
fn the_name_is_in_the_head_or_in_the_json_and_not_in_both() {
    for file in all() {
        let in_json = matches!(
            file.dialect.arguments,
            Arguments::Envelope { .. } | Arguments::Keyed | Arguments::Python
        );
        let heads = file.dialect.call.iter().flat_map(|head| &head.open);
        let named = heads.clone().filter(|open| open.contains("{name}"));
        assert_eq!(named.count(), heads.clone().count(), "{}", file.stem);
        assert_eq!(in_json, heads.count() == 0, "{}", file.stem);
        assert!(!in_json || file.dialect.wrapper.is_some(), "{}", file.stem);
    }
}

#[test]
fn every_opener_of_an_argument_names_it() {
    for file in all() {
        if let Arguments::Elements { open, close, .. } = &file.dialect.arguments {
            assert!(
                open.iter().all(|o| o.contains("{argument}")),
                "{}",
                file.stem
            );
            assert!(!close.is_empty(), "{}", file.stem);
        }
    }
}

#[test]
fn where_values_are_raw_the_usual_mistakes_are_put_right() {
    for file in all() {
        let wanted: &[Repair] = match &file.dialect.arguments {
            // Where tags belong to values, it cannot be decided which of them should have ended one.
            Arguments::Elements { open, .. }
                if file.dialect.brackets.is_some() && open[0].contains("<{argument}") =>
            {
                &[Repair::MissingCallCloser, Repair::StrayCloser]
            }
            Arguments::Elements { .. } => &[
                Repair::MissingValueCloser,
                Repair::MissingCallCloser,
                Repair::StrayCloser,
            ],
            Arguments::Pairs { .. } => &[
                Repair::MissingValueCloser,
                Repair::MissingValueOpener,
                Repair::MissingKeyCloser,
                Repair::MissingCallCloser,
                Repair::StrayCloser,
            ],
            _ => &[],
        };
        assert_eq!(
            file.dialect.repairs, wanted,
            "{}.toml: the `repairs` (left) must be those of its style of arguments (right)",
            file.stem
        );
    }
}

#[test]
fn no_syntax_is_listed_twice() {
    let files = all();
    for (i, one) in files.iter().enumerate() {
        for other in &files[i + 1..] {
            let mut named = other.dialect.clone();
            named.name.clone_from(&one.dialect.name);
            named.about.clone_from(&one.dialect.about);
            assert_ne!(one.dialect, named, "{} is {}", one.stem, other.stem);
        }
    }
}

/// The table of dialects in the docs is made from the files. `UPDATE_DOCS=1` writes it.
#[test]
fn the_table_of_dialects_is_that_of_the_files() {
    let mut rows =
        "\n| dialect | written by | a call | other parsers |\n|---|---|---|---|\n".to_owned();
    for file in all() {
        let call: Vec<_> = comment(&file).lines().map(code).collect();
        let other = file
            .text
            .lines()
            .find_map(|line| line.strip_prefix("# Other parsers: "));
        rows += &format!(
            "| `{}` | {} | {} | {} |\n",
            file.stem,
            file.dialect.about.replace('<', "\\<"),
            call.join("<br>"),
            other.unwrap_or("")
        );
    }
    check_table("docs/dialects.md", "dialects", &(rows + "\n"));
}

/// A line of code in a cell of a table.
fn code(line: &str) -> String {
    let line = line.replace('|', "\\|");
    if line.contains('`') {
        format!("`` {line} ``")
    } else {
        format!("`{line}`")
    }
}

#[test]
fn the_example_of_the_page_is_a_dialect() {
    let page = include_str!("../../../docs/dialects.md");
    let example = page
        .split("```toml\n")
        .find(|block| block.starts_with("name ="));
    let example = example.and_then(|block| block.split("```").next());
    let dialect: Dialect = toml::from_str(example.expect("there is one")).expect("it is good");
    assert_eq!(dialect.name, "hy4-6124c78e");
}

/// The comment at the top, without its marks.
fn comment(file: &DialectFile) -> String {
    let lines = file.text.lines().map_while(|line| line.strip_prefix("# "));
    lines.collect::<Vec<_>>().join("\n")
}

/// The openers of each kind, as far as the name.
fn openers(dialect: &Dialect) -> Vec<Vec<String>> {
    let wrapper = dialect.wrapper.iter().map(|wrapper| wrapper.open.clone());
    let head = dialect.call.iter().map(|head| head.open.clone());
    let argument = match &dialect.arguments {
        Arguments::Elements { open, .. } => Some(open.clone()),
        Arguments::Pairs { key, .. } => Some(key[..1].to_vec()),
        _ => None,
    };
    let kinds = wrapper.chain(head).chain(argument);
    kinds
        .map(|kind| kind.iter().map(|open| before_name(open)).collect())
        .collect()
}

fn before_name(open: &str) -> String {
    open.split('{').next().unwrap_or("").to_owned()
}
