//! Runs the suite in `cases/`, in every cut. Those that read a wire format run in
//! `tagstream-wire`.

use tagstream_testing::cases::{all, with_calls};
use tagstream_testing::suite::{in_every_cut, report};
use tagstream_testing::{ev::seen, lossy, oracle::meaning};

#[test]
fn the_engine_passes_in_every_cut() {
    report("the engine", &all(), in_every_cut);
}

#[test]
fn calls_pass_in_every_cut() {
    let passed = report("calls", &with_calls(), in_every_cut);
    assert!(passed > 100, "the suite is there");
}

#[test]
fn the_oracle_passes() {
    report("the oracle", &all(), |case, profile| {
        let text = lossy(&case.pieces);
        case.check(&seen(meaning(profile, &text)), &text)
    });
}
