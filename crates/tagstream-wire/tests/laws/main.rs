//! The laws of rewriting, on streams that are made at random.

#[allow(dead_code, unreachable_pub, reason = "the fuzz target uses it too")]
mod generator;
#[allow(dead_code, unreachable_pub, reason = "the fuzz target uses it too")]
mod laws;

use generator::{Choose, FORMATS, Oddity, Seed, stream};
use laws::{Law, profile};
use tagstream_wire::Format;

/// How many streams of each format each law sees; `LAW_RUNS` sets another number.
fn runs() -> u64 {
    let given = std::env::var("LAW_RUNS").ok();
    given.and_then(|runs| runs.parse().ok()).unwrap_or(300)
}

/// The formats of the streams; `LAW_FORMAT` names one.
fn formats() -> impl Iterator<Item = Format> {
    let only = std::env::var("LAW_FORMAT").ok();
    let is_tried = move |format: &Format| only.as_ref().is_none_or(|only| only == format.name());
    FORMATS.into_iter().filter(is_tried)
}

fn each(oddity: Oddity, check: impl Fn(&Law<'_>, &mut Seed)) {
    for format in formats() {
        for run in 0..runs() {
            let mut seed = Seed(run * 2_654_435_761 + 88_172_645_463_325_252);
            let stream = &stream(format, oddity, &mut seed);
            let profile = &profile(usize::try_from(run).unwrap());
            let law = Law { profile, stream };
            let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                check(&law, &mut seed);
            }));
            if caught.is_err() {
                panic!(
                    "{format:?}, run {run}:\n{}",
                    String::from_utf8_lossy(&stream.bytes)
                );
            }
        }
    }
}

#[test]
fn a_rewritten_stream_means_the_same() {
    each(Oddity::Odd, |law, _| law.means_the_same());
}

#[test]
fn hidden_thinking_is_nowhere() {
    each(Oddity::Odd, |law, _| law.hides());
}

#[test]
fn no_cut_changes_the_output() {
    each(Oddity::Odd, |law, seed| {
        law.ignores_cuts(1);
        law.ignores_cuts(1 + seed.below(40));
    });
}

#[test]
fn a_stream_with_nothing_to_find_stays_byte_for_byte() {
    each(Oddity::Plain, |law, _| law.passes());
}

#[test]
fn rewriting_twice_is_rewriting_once() {
    each(Oddity::Odd, |law, _| law.is_idempotent());
}

#[test]
fn what_is_json_stays_json() {
    each(Oddity::Odd, |law, _| law.stays_json());
}

#[test]
fn regular_streams_keep_all_laws_too() {
    each(Oddity::Regular, |law, seed| {
        law.means_the_same();
        law.hides();
        law.ignores_cuts(1 + seed.below(40));
        law.is_idempotent();
        law.stays_json();
    });
}
