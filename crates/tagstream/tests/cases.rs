//! Runs the suite in `cases/`, in every cut. Those that read a wire format run in
//! `tagstream-wire`.

use std::collections::BTreeSet;
use tagstream_testing::cases::{all, with_calls};
use tagstream_testing::suite::{in_every_cut, report};
use tagstream_testing::{ev::seen, lossy, oracle::meaning};

#[test]
fn ids_are_unique() {
    let mut seen = BTreeSet::new();
    for case in all() {
        assert!(seen.insert(case.id.clone()), "two cases are {}", case.id);
    }
}

#[test]
fn sources_cite_sections_that_exist() {
    let contract = include_str!("../../../docs/spec.md");
    let headings = contract.lines().filter(|line| line.starts_with("##"));
    let numbers: Vec<&str> = headings
        .filter_map(|heading| heading.split_whitespace().nth(1))
        .map(|number| number.trim_end_matches('.'))
        .collect();
    for case in all() {
        if let Some(cited) = case.source.strip_prefix("docs/spec.md ") {
            let number = cited.split(',').next().unwrap();
            assert!(numbers.contains(&number), "{}: {cited}", case.id);
        }
    }
}

#[test]
fn the_engine_passes_in_every_cut() {
    report("the engine", &all(), in_every_cut);
}

#[test]
fn calls_pass_in_every_cut() {
    let passed = report("calls", &with_calls(), in_every_cut);
    let is_filtered = std::env::var_os("CASES").is_some();
    assert!(passed > 100 || is_filtered, "the suite is there");
}

#[test]
fn the_oracle_passes() {
    report("the oracle", &all(), |case, profile| {
        let text = lossy(&case.pieces);
        case.check(&seen(meaning(profile, &text)), &text)
    });
}
