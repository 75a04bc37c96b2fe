//! Law: memory stays under the profile's limits, whatever comes.

use peak_alloc::PeakAlloc;
use serde_json::json;
use std::sync::Mutex;
use tagstream::{Engine, Profile};
use tagstream_testing::hostile::{self, Hostile};

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// One heap for all tests, so they take turns.
static TURN: Mutex<()> = Mutex::new(());

const SIZE: usize = 1 << 20;

/// A buffer may have twice the room it needs, and while it grows the old one is still there.
const GROWTH: usize = 4;

/// What does not depend on the message: the engine's own tables.
const FIXED: usize = 16 << 10;

#[test]
fn hostile_messages() {
    let _turn = TURN.lock();
    let limits = json!({"tag": 1024, "span": 512, "lookahead": 2048, "value": 4096, "depth": 8});
    let mut failures = Vec::new();
    for hostile in hostile::all(&limits) {
        let message = hostile.message(SIZE);
        for size in [1, 4 << 10, SIZE] {
            failures.extend(check(
                &hostile,
                message.chunks(size),
                &format!("in pieces of {size}"),
            ));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// What is held must not pull a whole large chunk into the engine.
#[test]
fn a_large_chunk_after_something_held() {
    let _turn = TURN.lock();
    let limits = json!({"tag": 1024, "span": 512, "lookahead": 2048, "value": 4096, "depth": 8});
    let large = "lorem ipsum ".repeat((8 << 20) / 12);
    let mut profiles = hostile::all(&limits);
    let mut known = Vec::new();
    profiles.retain(|hostile| {
        let new = !known.contains(&hostile.profile);
        known.push(hostile.profile.clone());
        new
    });
    let mut failures = Vec::new();
    for held in [
        "<",
        "<think a=\"",
        "`<think>",
        "<think> ",
        "<think>a ",
        "<b>",
        "<e>",
    ] {
        for hostile in &profiles {
            let pieces = [held.as_bytes(), large.as_bytes()];
            failures.extend(check(hostile, pieces, &format!("8 MiB after {held}")));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn check<'a>(
    hostile: &Hostile,
    pieces: impl IntoIterator<Item = &'a [u8]>,
    how: &str,
) -> Option<String> {
    let bound = bound(&hostile.profile);
    let peak = peak(&hostile.profile, pieces);
    (peak > bound).then(|| format!("{}, {how}: {peak} bytes, more than {bound}", hostile.name))
}

/// What the limits allow: a held tail that may be read ahead to twice its limit, and the bodies
/// of as many elements as may be open.
fn bound(profile: &Profile) -> usize {
    let limits = &profile.limits;
    let held = 2 * limits.tag.max(limits.span).max(limits.lookahead);
    let nested = profile.elements.iter().any(|e| !e.children.is_empty());
    let open = match profile.elements.len() {
        0 => 0,
        _ if nested => limits.depth,
        _ => 1,
    };
    // A tag of any name that is read ahead may have three bytes, and is kept in a few words.
    let any = profile.elements.iter().any(|element| element.name == "*");
    let pairs = if any { 16 * limits.lookahead } else { 0 };
    // An open element keeps its opening tag too.
    FIXED + GROWTH * (held + pairs + open * (limits.value + limits.tag))
}

/// The most that reading a message adds to the heap. The sink keeps nothing.
fn peak<'a>(profile: &Profile, pieces: impl IntoIterator<Item = &'a [u8]>) -> usize {
    let policy = profile.compile().expect("the profile is good");
    HEAP.reset_peak_usage();
    let before = HEAP.current_usage();
    let mut engine = Engine::new(&policy);
    for piece in pieces {
        engine.push_bytes(piece, |_| ());
    }
    engine.finish(|_| ());
    HEAP.peak_usage() - before
}

/// An engine is small enough to keep one for every stream.
#[test]
fn the_engine_itself() {
    assert!(size_of::<Engine>() < 1024, "{} bytes", size_of::<Engine>());
}
