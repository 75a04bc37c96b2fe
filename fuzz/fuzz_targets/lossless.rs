#![no_main]

use libfuzzer_sys::fuzz_target;
use tagstream_fuzz::{Input, laws, profiles};

fuzz_target!(|input: (u8, Input<'_>)| {
    let (byte, input) = input;
    laws::lossless(profiles::choose(byte), &input.cut(input.raw()));
});
