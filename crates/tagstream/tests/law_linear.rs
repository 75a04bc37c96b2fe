//! Law: work is proportional to bytes, also in one-byte chunks.

use peak_alloc::PeakAlloc;
use serde_json::json;
use std::sync::Mutex;
use tagstream::{Engine, Profile};
use tagstream_testing::hostile::{self, Hostile};

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// One heap for all tests, so they take turns.
static TURN: Mutex<()> = Mutex::new(());

/// A byte may be read muted, then aloud, and once more by the token it belongs to. Where many
/// runs of backticks are open, each of another length, all that is held is read once for each of
/// them. `limits.span` bounds how many of them there can be.
fn steps_per_byte(profile: &Profile) -> u64 {
    8 + (2 * profile.limits.span as u64).isqrt()
}

#[test]
fn hostile_messages() {
    let _turn = TURN.lock();
    let small = json!({"tag": 256, "span": 128, "lookahead": 512, "value": 512, "depth": 8});
    // Several times the limits, so that what happens once at a limit does not look like growth.
    let sizes = [(small, 20_000), (json!({}), 300_000)];
    let mut failures = Vec::new();
    for (limits, size) in sizes {
        for hostile in hostile::all(&limits) {
            for chunk in [1, 7, usize::MAX] {
                failures.extend(check(&hostile, size, chunk));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn check(hostile: &Hostile, size: usize, chunk: usize) -> Option<String> {
    let steps = [1, 2, 4].map(|k| steps(&hostile.profile, &hostile.message(k * size), chunk));
    let [one, two, four] = steps;
    let linear = grows_at_most(one, two) && grows_at_most(two, four);
    let few = four <= steps_per_byte(&hostile.profile) * 4 * size as u64;
    let counted = one > 0;
    (!(linear && few && counted)).then(|| {
        let name = hostile.name;
        format!("{name}, in pieces of {chunk}: {steps:?} steps for {size} bytes, twice and four times that")
    })
}

/// Twice the bytes take at most 2.2 times the steps.
fn grows_at_most(steps: u64, twice: u64) -> bool {
    10 * twice <= 22 * steps
}

/// The bytes that the engine looks at, each as often as it does.
fn steps(profile: &Profile, message: &[u8], chunk: usize) -> u64 {
    let policy = profile.compile().expect("the profile is good");
    let mut engine = Engine::new(&policy);
    for piece in message.chunks(chunk.min(message.len())) {
        engine.push_bytes(piece, |_| ());
    }
    engine.steps()
}

#[test]
fn plain_text_allocates_nothing() {
    let _turn = TURN.lock();
    let profile = json!({
        "markers": ["<｜end｜>"], "hide": ["h"], "thinking": {"tags": ["think"], "trim": "both"},
        "elements": [{"name": "node", "children": ["title"]}]
    });
    let profile: Profile = serde_json::from_value(profile).expect("the profile is good");
    let policy = profile.compile().expect("the profile is good");
    let mut engine = Engine::new(&policy);
    let pieces = [
        "It was the best of times, ",
        "it was the worst of times.\n",
        "\n",
        "é",
        "x",
    ];
    let mut push = |times: usize| {
        for piece in pieces.iter().cycle().take(times) {
            engine.push(piece, |_| ());
        }
    };
    push(pieces.len());
    // The test harness may allocate meanwhile, but not every time.
    let quiet = (0..10).any(|_| {
        HEAP.reset_peak_usage();
        let before = HEAP.current_usage();
        push(10_000);
        HEAP.peak_usage() == before
    });
    assert!(quiet, "each of ten times something was allocated");
}
