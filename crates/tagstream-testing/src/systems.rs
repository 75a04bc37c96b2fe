//! What the documents of the five systems ask for, and the tests that show it.
//!
//! `systems.tsv` lists the items: an id and what the document asks for. A test belongs to an item
//! if its name starts with the item's id: `s000_r1_1_leaves_off_a_bracket` belongs to `s000_r1_1`.
//! The ids of further items may follow without their number: `s000_r2_2_r2_3_…` belongs to
//! `s000_r2_2` and to `s000_r2_3`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{fs, io};

const ITEMS: &str = include_str!("../systems.tsv");

const DOCUMENTS: [(&str, &str); 5] = [
    ("s000", "Nodes"),
    ("s001", "Inline tags"),
    ("s002", "Content filter"),
    ("s003", "Directives"),
    ("s004", "Tool-call buffer"),
];

/// A test: its name, and its file from the root of the repository.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Test {
    pub file: String,
    pub name: String,
}

/// The items, each with its tests, and what does not fit.
#[derive(Debug, Default)]
pub struct Table {
    rows: Vec<(&'static str, &'static str, BTreeSet<Test>)>,
    /// The tests that name no item.
    pub unknown: Vec<Test>,
}

impl Table {
    /// The table of these tests.
    #[must_use]
    pub fn new(tests: impl IntoIterator<Item = Test>) -> Self {
        let lines = ITEMS.lines().filter_map(|line| line.split_once('\t'));
        let rows: Vec<_> = lines
            .map(|(id, text)| (id, text, BTreeSet::new()))
            .collect();
        let unknown = Vec::new();
        let mut table = Table { rows, unknown };
        for test in tests {
            table.add(test);
        }
        table
    }

    fn add(&mut self, test: Test) {
        let (document, mut rest) = test.name.split_at(4);
        let mut is_known = false;
        while let Some(row) = self
            .rows
            .iter_mut()
            .filter(|row| names(row.0, document, rest))
            .max_by_key(|row| row.0.len())
        {
            rest = &rest[row.0.len() - document.len()..];
            row.2.insert(test.clone());
            is_known = true;
        }
        if !is_known {
            self.unknown.push(test);
        }
    }

    /// The ids of the items without a test.
    pub fn missing(&self) -> impl Iterator<Item = &str> {
        let missing = self.rows.iter().filter(|row| row.2.is_empty());
        missing.map(|row| row.0)
    }

    /// The ids that are listed twice.
    #[must_use]
    pub fn repeated(&self) -> Vec<&str> {
        let mut count = BTreeMap::new();
        for row in &self.rows {
            *count.entry(row.0).or_insert(0) += 1;
        }
        let repeated = count.into_iter().filter(|(_, count)| *count > 1);
        repeated.map(|(id, _)| id).collect()
    }

    /// The table as a page.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let mut page = String::from(
            "# The five systems: what is tested where\n\n\
             Each row is one thing that the document of a system asks for, with the tests whose names start with its\n\
             id. [systems.md](systems.md) describes the systems. The page is generated from\n\
             `crates/tagstream-testing/systems.tsv` and the names of the tests; a test checks that it is complete:\n\n\
             ```sh\ncargo run -p tagstream-testing --example systems_table > docs/systems-tests.md\n```\n",
        );
        for (document, title) in DOCUMENTS {
            write!(page, "\n## {title}\n\n| item | tests |\n|---|---|\n").expect("it is a string");
            for (id, text, tests) in self.rows.iter().filter(|row| row.0.starts_with(document)) {
                let tests: Vec<_> = tests
                    .iter()
                    .map(|test| format!("`{}`", test.name))
                    .collect();
                writeln!(
                    page,
                    "| `{id}`: {} | {} |",
                    text.replace('|', "\\|"),
                    tests.join("<br>")
                )
                .expect("it is a string");
            }
        }
        page
    }
}

/// Whether the rest of a test's name starts with the id of this item.
fn names(id: &str, document: &str, rest: &str) -> bool {
    let after = id
        .strip_prefix(document)
        .and_then(|id| rest.strip_prefix(id));
    after.is_some_and(|after| after.is_empty() || after.starts_with('_'))
}

/// The tests of the systems: those whose names start with the number of a document.
///
/// # Errors
/// A file cannot be read.
pub fn tests(root: &Path) -> io::Result<Vec<Test>> {
    let mut tests = Vec::new();
    for folder in fs::read_dir(root.join("crates"))? {
        let folder = folder?.path().join("tests");
        if folder.is_dir() {
            collect(root, folder, &mut tests)?;
        }
    }
    tests.sort();
    Ok(tests)
}

fn collect(root: &Path, folder: PathBuf, tests: &mut Vec<Test>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(root, path, tests)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let file = path
                .strip_prefix(root)
                .unwrap_or(&path)
                .display()
                .to_string();
            let names = names_in(&fs::read_to_string(&path)?);
            tests.extend(names.into_iter().map(|name| Test {
                file: file.clone(),
                name,
            }));
        }
    }
    Ok(())
}

/// The names of the tests of the systems in a file: functions directly after `#[test]`, without those
/// that are ignored.
fn names_in(source: &str) -> Vec<String> {
    let mut names = Vec::new();
    let (mut is_test, mut is_ignored) = (false, false);
    for line in source.lines() {
        let name = line
            .strip_prefix("fn ")
            .and_then(|rest| rest.split_once('('));
        match name {
            Some((name, _)) if is_test && !is_ignored && is_of_a_system(name) => {
                names.push(name.to_owned());
            }
            _ => {}
        }
        let is_attribute = line.starts_with("#[");
        is_test = is_attribute && (is_test || line == "#[test]");
        is_ignored = is_attribute && (is_ignored || line.starts_with("#[ignore"));
    }
    names
}

fn is_of_a_system(name: &str) -> bool {
    DOCUMENTS.iter().any(|(document, _)| {
        let rest = name.strip_prefix(document);
        rest.is_some_and(|rest| rest.starts_with('_'))
    })
}

#[cfg(test)]
mod tests {
    use super::names_in;

    #[test]
    fn an_ignored_test_shows_nothing() {
        let source = "#[test]\nfn s000_a() {}\n\n#[test]\n#[ignore = \"slow\"]\nfn s000_b() {}\n\n\
            #[ignore]\n#[test]\nfn s000_c() {}\n\nfn s000_d() {}\n\n\
            #[test]\n#[should_panic]\nfn s000_e() {}\n";
        assert_eq!(names_in(source), ["s000_a", "s000_e"]);
    }
}
