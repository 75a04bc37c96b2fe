//! The laws on random profiles and messages, and the defects that engines have had.

use tagstream::Profile;
use tagstream_testing::laws;
use tagstream_testing::random::engine::ThisEngine;
use tagstream_testing::random::message::Vocabulary;
use tagstream_testing::random::profile::profile;
use tagstream_testing::random::{Rng, Subject, batch, known};

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

/// The oracle does not know calls, nor the literals that only frames of tool calls need, so they are
/// taken out. `MEANING_PROFILES` sets how many profiles are
/// tried.
#[test]
fn random_profiles_mean_what_the_oracle_computes() {
    let wanted = std::env::var("MEANING_PROFILES").ok();
    let profiles = wanted.map_or(PROFILES, |number| number.parse().expect("a number"));
    let dialects = ThisEngine.dialects();
    let mut messages = 0;
    for seed in 0..profiles {
        let mut rng = Rng::new(seed);
        let mut json = profile(&mut rng, &dialects);
        let settings = json.as_object_mut().expect("a profile is an object");
        settings.retain(|key, _| key != "calls" && key != "own_dialects");
        if let Some(thinking) = settings.get_mut("thinking") {
            let thinking = thinking.as_object_mut().expect("settings are an object");
            thinking.retain(|key, _| key != "ends_before" && key != "answers");
        }
        let profile: Profile =
            serde_json::from_value(json.clone()).expect("the settings are known");
        if profile.compile().is_err() {
            continue;
        }
        let vocabulary = Vocabulary::new(&mut rng, &json, &[]);
        for _ in 0..MESSAGES_PER_PROFILE {
            laws::meaning(&profile, &vocabulary.message(&mut rng.fork()));
            messages += 1;
        }
    }
    println!("{messages} messages");
}
