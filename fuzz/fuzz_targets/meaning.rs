#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use tagstream_fuzz::{Input, hostile::Hostile, laws, profiles};

// A profile of the table, or any that can be compiled.
fuzz_target!(|input: (u8, Option<Hostile>, Input<'_>)| -> Corpus {
    let (byte, hostile, input) = input;
    let profile = match &hostile {
        Some(Hostile(profile)) => profile,
        None => profiles::choose(byte),
    };
    let thinking = &profile.thinking;
    // The oracle does not know these two, which serve dialects of calls.
    let is_unknown = !thinking.ends_before.is_empty() || !thinking.answers.is_empty();
    if is_unknown || profile.compile().is_err() {
        return Corpus::Reject;
    }
    laws::meaning(profile, &input.spelled(profile));
    Corpus::Keep
});
