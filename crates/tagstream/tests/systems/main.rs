//! The five systems: what their documents promise beyond the tests of the views.
//!
//! A test's name starts with the id of the item of the document that it shows, as listed in
//! `crates/tagstream-testing/systems.tsv`: `s000_` for nodes, `s001_` for inline tags, `s002_` for the
//! content filter, `s003_` for directives, `s004_` for the tool-call buffer. The command line's part
//! is in `crates/tagstream-cli/tests/systems.rs`.

mod buffer;
mod directives;
mod filter;
mod inline;
mod nodes;
