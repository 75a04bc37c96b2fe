//! The pages of the repository: their links lead somewhere, and the files that they name exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders with pages, besides those of the crates.
const FOLDERS: [&str; 5] = ["", "docs", "cases", "fuzz", "bench"];

/// A word in backticks that begins like this is a path from the root of the repository.
const ROOTS: [&str; 7] = [
    "crates/", "docs/", "cases/", "scripts/", "tests/", "fuzz/", "bench/",
];

#[test]
fn links_lead_to_files_and_headings() {
    let mut broken = Vec::new();
    for page in pages() {
        let text = prose(&page);
        for link in between(&text, "](", ")").filter(|link| !link.contains("://")) {
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() {
                page.clone()
            } else {
                page.with_file_name("").join(file)
            };
            let found = target.exists() && (heading.is_empty() || has_heading(&target, heading));
            if !found {
                broken.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn files_that_are_named_exist() {
    let mut missing = Vec::new();
    for page in pages() {
        let text = prose(&page);
        let is_path = |word: &&str| {
            ROOTS.iter().any(|root| word.starts_with(root))
                && !word.contains(char::is_whitespace)
                && !word.contains("NAME")
        };
        for word in between(&text, "`", "`").filter(is_path) {
            // Of a pattern such as `cases/*.jsonl`, the folder must exist.
            let path = match word.split_once('*') {
                Some((folder, _)) => folder.rsplit_once('/').map_or("", |(folder, _)| folder),
                None => word,
            };
            if !root().join(path).exists() {
                missing.push(format!("{}: {word}", page.display()));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap()
}

fn pages() -> BTreeSet<PathBuf> {
    let crates = fs::read_dir(root().join("crates")).unwrap();
    let crates = crates.map(|entry| entry.unwrap().path());
    let folders = FOLDERS.map(|folder| root().join(folder));
    let files = folders.into_iter().chain(crates).flat_map(|folder| {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().path())
    });
    let pages: BTreeSet<_> = files
        .filter(|file| file.extension().is_some_and(|end| end == "md"))
        .collect();
    assert!(pages.len() > 12, "the pages are there");
    pages
}

/// A page without its blocks of code.
fn prose(page: &Path) -> String {
    let text = fs::read_to_string(page).unwrap();
    let blocks = text.split("\n```");
    blocks.step_by(2).collect()
}

/// What is between two marks, wherever both are in one line.
fn between<'a>(text: &'a str, open: &'a str, close: &'a str) -> impl Iterator<Item = &'a str> {
    text.lines().flat_map(move |line| {
        let mut rest = line;
        std::iter::from_fn(move || {
            let (_, after) = rest.split_once(open)?;
            let (found, after) = after.split_once(close)?;
            rest = after;
            Some(found)
        })
    })
}

/// Whether a page has the heading that this anchor is made from.
fn has_heading(page: &Path, anchor: &str) -> bool {
    prose(page).lines().any(|line| {
        let heading = line.trim_start_matches('#').trim();
        line.starts_with('#') && anchor_of(heading) == anchor
    })
}

fn anchor_of(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || " -_".contains(*c);
    let words: String = heading.to_lowercase().chars().filter(kept).collect();
    words.replace(' ', "-")
}
