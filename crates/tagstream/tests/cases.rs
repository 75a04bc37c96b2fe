//! Runs the suite in `cases/`, in every cut.

mod support;

use std::panic::{AssertUnwindSafe, catch_unwind};
use support::cases::{Case, all, check_point};
use support::{Collected, Rng, cut, ev::seen, lossy, oracle::meaning, readable, run};
use tagstream::{Engine, Event, Profile};

/// Longer messages are not cut at every byte, but at as many as this.
const CUTS: usize = 2_000;

#[test]
fn the_engine_passes_in_every_cut() {
    report("the engine", |case, profile| {
        let message = case.message();
        let text = lossy(&case.pieces);
        let given = run(profile, &case.pieces);
        case.check(&seen(given.joined()), &text)?;
        given.check_spans(&text)?;
        for pieces in cuts(&message) {
            let got = run(profile, &pieces);
            if got.joined() != given.joined() {
                return Err(format!(
                    "cut as {:?} it is {:?}",
                    readable(&pieces),
                    got.joined()
                ));
            }
            got.check_spans(&text)?;
        }
        stream(case, profile)
    });
}

#[test]
fn the_oracle_passes() {
    report("the oracle", |case, profile| {
        let text = lossy(&case.pieces);
        case.check(&seen(meaning(profile, &text)), &text)
    });
}

/// Runs a check on every case that can be run here, and names all that fail and all left out.
fn report(who: &str, check: impl Fn(&Case, &Profile) -> Result<(), String>) {
    let (mut failed, mut skipped, mut passed) = (Vec::new(), Vec::new(), 0);
    for case in all() {
        match &case.profile {
            Err(reason) => skipped.push(format!("{} {reason}", case.id)),
            Ok(profile) => match catching(|| check(&case, profile)) {
                Ok(()) => passed += 1,
                Err(problem) => failed.push(format!("{}: {problem}", case.id)),
            },
        }
    }
    println!("{who}: {passed} cases passed; left out: {skipped:#?}");
    assert!(
        passed > 0 && failed.is_empty(),
        "{who} failed {}:\n{}",
        failed.len(),
        failed.join("\n")
    );
}

/// A panic fails one case, not all behind it.
fn catching(check: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    catch_unwind(AssertUnwindSafe(check)).unwrap_or_else(|_| Err("it panicked".into()))
}

/// Whole, in two everywhere, byte by byte, at random.
fn cuts(message: &[u8]) -> Vec<Vec<&[u8]>> {
    let mut rng = Rng::new(1);
    let step = message.len().div_ceil(CUTS).max(1);
    let mut cuts: Vec<Vec<&[u8]>> = cut::in_two(message).step_by(step).collect();
    if message.len() > CUTS {
        // Each of these takes as long as the message is.
        cuts.truncate(20);
    }
    cuts.push(vec![message]);
    cuts.push(cut::every(message, 1));
    cuts.extend((0..8).map(|_| cut::randomly(message, &mut rng)));
    cuts
}

/// The checkpoints after some of the pieces.
fn stream(case: &Case, profile: &Profile) -> Result<(), String> {
    let policy = profile.compile().expect("the profile is good");
    let mut engine = Engine::new(&policy);
    let mut out = Collected::default();
    for (k, piece) in case.pieces.iter().enumerate() {
        engine.push_bytes(piece, &mut |event: Event<'_>| out.take(&event));
        for point in case.stream.iter().filter(|point| point["after_chunk"] == k) {
            check_point(point, &seen(out.joined()))?;
        }
    }
    Ok(())
}
