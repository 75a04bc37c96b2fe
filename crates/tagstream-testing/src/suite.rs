//! Running the cases of the suite, each in every cut.

use crate::cases::{Case, check_point};
use crate::ev::seen;
use crate::{Collected, Rng, cut, lossy, readable, run};
use std::panic::{AssertUnwindSafe, catch_unwind};
use tagstream::{Engine, Profile};

/// Longer messages are not cut at every byte, but at as many as this.
const CUTS: usize = 2_000;

/// The case as it is given, cut in every way, and at its checkpoints.
pub fn in_every_cut(case: &Case, profile: &Profile) -> Result<(), String> {
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
}

/// Runs a check on every case that can be run here, and names all that fail and all left out.
///
/// A case that is marked as a known gap must fail: the mark goes when the gap does. With the variable
/// `CASES`, only the cases whose ids contain its value are run.
pub fn report(
    who: &str,
    cases: &[Case],
    check: impl Fn(&Case, &Profile) -> Result<(), String>,
) -> usize {
    let (mut failed, mut skipped, mut gaps, mut passed) = (Vec::new(), Vec::new(), Vec::new(), 0);
    let only = std::env::var("CASES").unwrap_or_default();
    for case in cases.iter().filter(|case| case.id.contains(&only)) {
        let profile = match &case.profile {
            Ok(profile) => profile,
            Err(reason) => {
                skipped.push(format!("{} {reason}", case.id));
                continue;
            }
        };
        match (catching(|| check(case, profile)), case.known_gap) {
            (Ok(()), false) => passed += 1,
            (Ok(()), true) => failed.push(format!("{}: no longer a known_gap", case.id)),
            (Err(problem), false) => failed.push(format!("{}: {problem}", case.id)),
            (Err(problem), true) => gaps.push(format!("{}: {problem}", case.id)),
        }
    }
    println!("{who}: {passed} cases passed; left out: {skipped:#?}; known gaps: {gaps:#?}");
    assert!(
        (passed > 0 || !only.is_empty()) && failed.is_empty(),
        "{who} failed {}:\n{}",
        failed.len(),
        failed.join("\n")
    );
    passed
}

/// A panic fails one case, not all after it.
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
        engine.push_bytes(piece, |event| out.take(&event));
        for point in case.stream.iter().filter(|point| point["after_chunk"] == k) {
            check_point(point, &seen(out.joined()))?;
        }
    }
    Ok(())
}
