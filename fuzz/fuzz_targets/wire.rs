#![no_main]

//! The laws of rewriting, on streams made from the fuzzer's bytes.

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/tagstream-wire/tests/laws/generator.rs"]
#[allow(dead_code)]
mod generator;
#[path = "../../crates/tagstream-wire/tests/laws/laws.rs"]
#[allow(dead_code)]
mod laws;

use generator::{Bytes, Choose, FORMATS, Oddity, stream};
use laws::{Law, PROFILES, profile};

fuzz_target!(|bytes: &[u8]| {
    let mut choose = Bytes(bytes);
    let format = FORMATS[choose.below(FORMATS.len())];
    let profile = &profile(choose.below(PROFILES.len()));
    let cut = 1 + choose.below(30);
    let is_plain = choose.chance(8);
    let oddity = if is_plain { Oddity::Plain } else { Oddity::Odd };
    let stream = &stream(format, oddity, &mut choose);
    let law = Law { profile, stream };
    if is_plain {
        return law.passes();
    }
    law.means_the_same();
    law.hides();
    law.ignores_cuts(cut);
    law.is_idempotent();
});
