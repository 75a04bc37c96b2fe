//! The five systems: what their documents promise beyond the tests of the views.
//!
//! A test is named `sNNN_` and then what it shows, where NNN is the number of the document: 000
//! nodes, 001 inline tags, 002 the content filter, 003 directives, 004 the tool-call buffer. The
//! command line's part is in `crates/tagstream-cli/tests/systems.rs`, that of providers' streams in
//! `crates/tagstream-wire/tests/systems.rs`.

mod buffer;
mod filter;
mod inline;
mod nodes;
