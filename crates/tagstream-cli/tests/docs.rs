//! The console examples of the pages are run, and print what the pages say.

#![cfg(unix)]

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

const PAGES: &[&str] = &[
    include_str!("../../../README.md"),
    include_str!("../README.md"),
    include_str!("../../../docs/cli.md"),
    include_str!("../../../docs/profiles.md"),
    #[cfg(feature = "batch")]
    include_str!("../../../docs/scale.md"),
    include_str!("../../../docs/systems.md"),
    include_str!("../../../docs/wire.md"),
];

#[test]
fn the_examples_print_what_the_pages_say() {
    let folder = env::temp_dir().join(format!("tagstream-docs-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let examples: Vec<_> = PAGES.iter().copied().flat_map(examples).collect();
    assert!(examples.len() > 9);
    for (command, expected) in &examples {
        assert_eq!(run(command, &folder), *expected, "$ {command}");
    }
    fs::remove_dir_all(&folder).unwrap();
}

/// Each command of the console blocks, and the output below it.
fn examples(page: &str) -> Vec<(String, String)> {
    let mut examples: Vec<(String, String)> = Vec::new();
    let mut console = false;
    for line in page.lines() {
        if line.starts_with("```") {
            console = line == "```console";
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| console) {
            examples.push((command.to_owned(), String::new()));
        } else if let Some((_, output)) = examples.last_mut().filter(|_| console) {
            output.push_str(line);
            output.push('\n');
        }
    }
    examples
}

fn run(command: &str, folder: &Path) -> String {
    let binary = PathBuf::from(env!("CARGO_BIN_EXE_tagstream"));
    let path = format!(
        "{}:{}",
        binary.parent().unwrap().display(),
        env::var("PATH").unwrap()
    );
    let output = Command::new("sh")
        .args(["-c", &format!("({command}) 2>&1")])
        .current_dir(folder)
        .env("PATH", path)
        .output()
        .unwrap();
    let mut text = String::from_utf8(output.stdout).unwrap();
    // The page is easier to read with a line for each output, also where none ends.
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text
}
