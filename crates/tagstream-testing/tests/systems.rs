//! Every item of the documents of the five systems has a test, and the page says which.

use std::path::{Path, PathBuf};
use tagstream_testing::systems::{Table, Test, tests};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn every_item_has_a_test_and_every_test_has_an_item() {
    let table = Table::new(tests(&root()).unwrap());
    assert_eq!(table.repeated(), [""; 0], "items that are listed twice");
    assert_eq!(
        table.missing().collect::<Vec<_>>(),
        [""; 0],
        "items without a test"
    );
    assert_eq!(table.unknown, [], "tests that name no item");
}

#[test]
fn the_page_is_up_to_date() {
    let table = Table::new(tests(&root()).unwrap());
    let page = std::fs::read_to_string(root().join("docs/systems-tests.md")).unwrap();
    assert!(
        page == table.to_markdown(),
        "run: cargo run -p tagstream-testing --example systems_table > docs/systems-tests.md"
    );
}

#[test]
fn a_missing_test_and_an_unknown_item_are_found() {
    let test = |name: &str| Test {
        file: "a.rs".to_owned(),
        name: name.to_owned(),
    };
    let table = Table::new(["s000_r2_2_r2_3_x", "s000_r1_12", "s004_nobody"].map(test));
    let missing: Vec<_> = table.missing().collect();
    assert!(!missing.contains(&"s000_r2_2") && !missing.contains(&"s000_r2_3"));
    assert!(missing.contains(&"s000_r2_4") && missing.contains(&"s000_r1_1"));
    assert_eq!(table.unknown, ["s000_r1_12", "s004_nobody"].map(test));
}
