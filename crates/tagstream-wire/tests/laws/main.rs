//! The laws of rewriting, on streams that are made at random.

#[allow(dead_code, unreachable_pub, reason = "the fuzz target uses it too")]
mod generator;

use generator::{Choose, FORMATS, Oddity, Seed, stream};
use serde_json::{Value, json};
use tagstream::Profile;
use tagstream_wire::rewrite::{CallMode, Options, Rewriter, Thinking};
use tagstream_wire::{Aggregator, Format, Session, Whitespace, WireEvent};

/// How many streams of each format each law sees; `LAW_RUNS` sets another number.
fn runs() -> u64 {
    let given = std::env::var("LAW_RUNS").ok();
    given.and_then(|runs| runs.parse().ok()).unwrap_or(300)
}

/// Profiles under which the laws hold: with calls and without, with elements and markers.
const PROFILES: [&str; 3] = [
    "[thinking]\ntags = ['think']\n[calls]\ndialect = 'hermes'",
    "[thinking]\ntags = ['think', 'thinking']",
    "markers = ['&lt;']\n[thinking]\ntags = ['think']\n[calls]\ndialect = 'auto'\n[[elements]]\nname = 'b'",
];

thread_local! {
    /// The profile of the check that runs.
    static PROFILE: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

fn profile() -> Profile {
    tagstream::profile::parse(PROFILES[PROFILE.get()]).unwrap()
}

fn rewrite<'a>(
    format: Format,
    thinking: Thinking,
    calls: CallMode,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Vec<u8> {
    let mut options = Options::default();
    options.thinking = thinking;
    options.calls = calls;
    let mut rewriter = Rewriter::new(&profile(), format, options).unwrap();
    let mut out = Vec::new();
    for piece in pieces {
        rewriter.push(piece, &mut out);
    }
    rewriter.finish(&mut out);
    out
}

/// What the messages of a stream say, whatever place they say it in.
fn meaning(format: Format, bytes: &[u8]) -> Vec<Value> {
    // The older completions have no field for thinking.
    let is_legacy = String::from_utf8_lossy(bytes).contains("text_completion");
    let mut aggregator = Aggregator::new().whitespace(Whitespace::AsIs);
    let mut session = Session::new(&profile(), format).unwrap();
    let mut sink = |event: WireEvent<'_>| aggregator.event(&event);
    session.push(bytes, &mut sink);
    session.finish(&mut sink);
    let messages = aggregator.finish();
    let meaning = |message: &tagstream_wire::Aggregate| {
        let mut calls: Vec<String> = message
            .tool_calls
            .iter()
            .map(|call| format!("{} {}", call.name, call.arguments))
            .collect();
        calls.sort();
        let reason = message.finish_reason.as_deref();
        json!({
            "content": match is_legacy {
                // White space that touched a thought may touch a call without it.
                true => message.content.replace([' ', '\n'], ""),
                // Of blocks that are interleaved, one may hold text while another goes on.
                false if format == Format::Anthropic => sorted(&message.content),
                false => message.content.clone(),
            },
            "thoughts": if is_legacy { String::new() } else { message.thoughts.concat().replace('\n', "") },
            "calls": calls,
            "finish": match reason {
                Some("tool_calls") => Some("stop"),
                Some("tool_use") => Some("end_turn"),
                other => other,
            },
            "usage": message.usage,
        })
    };
    messages.iter().map(meaning).collect()
}

fn sorted(text: &str) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    letters.sort_unstable();
    letters.into_iter().collect()
}

fn each(oddity: Oddity, check: impl Fn(Format, &[u8], &mut Seed)) {
    for format in FORMATS {
        for run in 0..runs() {
            PROFILE.set(usize::try_from(run).unwrap() % PROFILES.len());
            let mut seed = Seed(run * 2_654_435_761 + 88_172_645_463_325_252);
            let made = stream(format, oddity, &mut seed);
            let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                check(format, &made.bytes, &mut seed);
            }));
            if caught.is_err() {
                panic!(
                    "{format:?}, run {run}:\n{}",
                    String::from_utf8_lossy(&made.bytes)
                );
            }
        }
    }
}

#[test]
fn a_rewritten_stream_means_the_same() {
    each(Oddity::Odd, |format, bytes, _| {
        let before = meaning(format, bytes);
        for calls in [CallMode::Whole, CallMode::Stream] {
            let out = rewrite(format, Thinking::Move, calls, [bytes]);
            let after = meaning(format, &out);
            assert_eq!(
                after,
                before,
                "\nit became\n{}",
                String::from_utf8_lossy(&out)
            );
        }
    });
}

#[test]
fn hidden_thinking_is_nowhere() {
    each(Oddity::Odd, |format, bytes, _| {
        let out = rewrite(format, Thinking::Hide, CallMode::Whole, [bytes]);
        let shown = String::from_utf8_lossy(&out);
        for message in meaning(format, bytes) {
            let thoughts = message["thoughts"].as_str().unwrap();
            let secrets = (1..100).map(|number| format!("zq{number}x"));
            for secret in secrets.filter(|secret| thoughts.contains(secret)) {
                assert!(!shown.contains(&secret), "{secret} is in\n{shown}");
            }
        }
    });
}

#[test]
fn no_cut_changes_the_output() {
    each(Oddity::Odd, |format, bytes, seed| {
        for thinking in [Thinking::Move, Thinking::Hide, Thinking::Keep] {
            let whole = rewrite(format, thinking, CallMode::Whole, [bytes]);
            let single = rewrite(format, thinking, CallMode::Whole, bytes.chunks(1));
            assert_eq!(
                String::from_utf8_lossy(&single),
                String::from_utf8_lossy(&whole)
            );
            let size = 1 + seed.below(40);
            let cut = rewrite(format, thinking, CallMode::Whole, bytes.chunks(size));
            assert_eq!(cut, whole);
        }
    });
}

#[test]
fn a_stream_with_nothing_to_find_stays_byte_for_byte() {
    each(Oddity::Plain, |format, bytes, _| {
        let out = rewrite(format, Thinking::Move, CallMode::Whole, [bytes]);
        assert_eq!(
            String::from_utf8_lossy(&out),
            String::from_utf8_lossy(bytes)
        );
    });
}

#[test]
fn rewriting_twice_is_rewriting_once() {
    each(Oddity::Odd, |format, bytes, _| {
        for thinking in [Thinking::Move, Thinking::Hide] {
            let once = rewrite(format, thinking, CallMode::Whole, [bytes]);
            let twice = rewrite(format, thinking, CallMode::Whole, [&once[..]]);
            assert_eq!(
                String::from_utf8_lossy(&twice),
                String::from_utf8_lossy(&once)
            );
        }
    });
}

#[test]
fn regular_streams_keep_all_laws_too() {
    each(Oddity::Regular, |format, bytes, _| {
        let out = rewrite(format, Thinking::Move, CallMode::Whole, [bytes]);
        assert_eq!(meaning(format, &out), meaning(format, bytes));
    });
}
