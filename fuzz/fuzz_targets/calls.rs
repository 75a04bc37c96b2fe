#![no_main]

use libfuzzer_sys::fuzz_target;
use tagstream_fuzz::{Input, calls, laws};

fuzz_target!(|input: (calls::Settings, Input<'_>)| {
    let (settings, input) = input;
    let profile = settings.profile();
    let message = input.spelled_with(&settings.markup());
    let pieces = input.cut(&message);
    laws::chunking(&profile, &pieces);
    laws::lossless(&profile, &pieces);
});
