//! Runs the suite in `cases/`, in every cut. Those that need calls run in `tagstream-profiles`.

mod support;

use support::cases::all;
use support::suite::{in_every_cut, report};
use support::{ev::seen, lossy, oracle::meaning};

#[test]
fn the_engine_passes_in_every_cut() {
    report("the engine", &all(), in_every_cut);
}

#[test]
fn the_oracle_passes() {
    report("the oracle", &all(), |case, profile| {
        let text = lossy(&case.pieces);
        case.check(&seen(meaning(profile, &text)), &text)
    });
}
