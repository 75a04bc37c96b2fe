#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use tagstream_fuzz::{Input, hostile::Hostile, laws};

fuzz_target!(|input: (Hostile, Input<'_>)| -> Corpus {
    let (Hostile(profile), input) = input;
    if profile.compile().is_err() {
        return Corpus::Reject;
    }
    let message = input.spelled(&profile);
    let pieces = input.cut(&message);
    laws::chunking(&profile, &pieces);
    laws::lossless(&profile, &pieces);
    laws::bounded(&profile, &pieces);
    Corpus::Keep
});
