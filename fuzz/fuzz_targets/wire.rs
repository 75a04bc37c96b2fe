#![no_main]

//! The laws of rewriting, on streams made from the fuzzer's bytes.

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/tagstream-wire/tests/laws/generator.rs"]
#[allow(dead_code)]
mod generator;
#[path = "../../crates/tagstream-wire/tests/laws/laws.rs"]
#[allow(dead_code)]
mod laws;

fuzz_target!(|bytes: &[u8]| laws::all(bytes));
