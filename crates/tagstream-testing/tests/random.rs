//! The laws on random profiles and messages, and the defects that engines have had.

use tagstream_testing::random::engine::ThisEngine;
use tagstream_testing::random::{Subject, batch, known};

/// How many profiles are tried, each with [`MESSAGES_PER_PROFILE`] messages. `random_laws` of the
/// examples tries as many as it is asked to.
const PROFILES: u64 = 400;
const MESSAGES_PER_PROFILE: usize = 100;

#[test]
fn known_defects_do_not_come_back() {
    let wrong = known::all().into_iter().filter_map(|known| {
        let problem = known.check(&ThisEngine).err()?;
        Some(format!("{}: {problem}", known.name))
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_laws_hold_for_random_profiles_and_messages() {
    let dialects = ThisEngine.dialects();
    let mut messages = 0;
    for seed in 0..PROFILES {
        let batch = batch(&ThisEngine, &dialects, seed, MESSAGES_PER_PROFILE);
        messages += batch.messages;
        if let Some(case) = batch.failures.first() {
            panic!("seed {seed}: {}", case.to_json());
        }
    }
    assert!(
        messages > 30_000,
        "most profiles are accepted, but only {messages} messages were read"
    );
}
