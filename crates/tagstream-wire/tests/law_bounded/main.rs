//! Law: memory stays under the limits, whatever a stream brings, and however long it is.

#[path = "../laws/generator.rs"]
#[allow(
    dead_code,
    unreachable_pub,
    reason = "the laws of rewriting use all of it"
)]
mod generator;
mod hostile;

use generator::{FORMATS, Oddity, Seed, stream};
use hostile::Hostile;
use peak_alloc::PeakAlloc;
use tagstream::Profile;
use tagstream_wire::rewrite::{self, Rewriter, Thinking};
use tagstream_wire::{Format, Session};

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// How much of each stream is read.
const SIZE: usize = 8 << 20;

/// What may be kept of any of them. Most is for what is counted and has few bytes: choices, each
/// with its engine, and which ids and items there were.
const BOUND: usize = 5 << 20;

const LIMIT: usize = 4096;

/// How many generated streams of each format are repeated, and up to which size.
const GENERATED: u64 = 12;
const GENERATED_SIZE: usize = 1 << 20;

/// One test, since there is one heap.
#[test]
fn streams_without_an_end() {
    let profile = profile();
    let mut failures = Vec::new();
    for hostile in hostile::all() {
        failures.extend(check(&hostile, "a session", hostile.format, &|format| {
            session(&profile, format, pieces(&hostile));
        }));
        failures.extend(check(&hostile, "a session", Format::Auto, &|format| {
            session(&profile, format, pieces(&hostile));
        }));
        for thinking in [Thinking::Move, Thinking::Hide] {
            let who = format!("a rewriter ({thinking:?})");
            failures.extend(check(&hostile, &who, hostile.format, &|format| {
                rewriter(&profile, format, thinking, pieces(&hostile));
            }));
        }
    }
    failures.extend(generated(&profile));
    failures.extend(a_large_chunk(&profile));
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Streams of all providers, with all their oddities, each again and again in one connection.
fn generated(profile: &Profile) -> Vec<String> {
    let mut failures = Vec::new();
    for format in FORMATS {
        for seed in 1..=GENERATED {
            let made = stream(format, Oddity::Odd, &mut Seed(seed * 2_654_435_761)).bytes;
            let count = GENERATED_SIZE / made.len().max(1);
            let again = || std::iter::repeat_n(&made, count);
            let mut peaks = vec![peak(|| session(profile, format, again()))];
            for thinking in [Thinking::Move, Thinking::Hide] {
                peaks.push(peak(|| rewriter(profile, format, thinking, again())));
            }
            if peaks.iter().any(|peak| *peak > BOUND) {
                failures.push(format!("{}, seed {seed}: {peaks:?} bytes", format.name()));
            }
        }
    }
    failures
}

/// What is held must not pull a whole large chunk in.
fn a_large_chunk(profile: &Profile) -> Vec<String> {
    let large = "lorem ipsum ".repeat(SIZE / 12);
    let mut failures = Vec::new();
    for held in ["H", "data: {\"", "{\"choices\":[{\"delta\":{\"content\":\""] {
        let peak = peak(|| {
            let mut session = open(profile, Format::Auto);
            session.push(held.as_bytes(), &mut |_| ());
            session.push(large.as_bytes(), &mut |_| ());
            session.finish(&mut |_| ());
        });
        if peak > BOUND {
            failures.push(format!("a large chunk after {held}: {peak} bytes"));
        }
    }
    failures
}

fn check(hostile: &Hostile, who: &str, format: Format, run: &dyn Fn(Format)) -> Option<String> {
    let peak = peak(|| run(format));
    let (name, of) = (hostile.name, hostile.format.name());
    (peak > BOUND).then(|| format!("{of}, {name}: {who} keeps {peak} bytes ({format:?})"))
}

/// The most that something adds to the heap.
fn peak(run: impl FnOnce()) -> usize {
    HEAP.reset_peak_usage();
    let before = HEAP.current_usage();
    run();
    HEAP.peak_usage() - before
}

/// The pieces of a stream.
fn pieces(hostile: &Hostile) -> impl Iterator<Item = String> {
    let mut size = 0;
    let again = hostile.again;
    let pieces = std::iter::once(hostile.head.to_owned()).chain((0..).map(again));
    pieces.take_while(move |piece| {
        size += piece.len();
        size < SIZE
    })
}

fn session(profile: &Profile, format: Format, pieces: impl IntoIterator<Item = impl AsRef<[u8]>>) {
    let mut session = open(profile, format);
    for piece in pieces {
        session.push(piece.as_ref(), &mut |_| ());
    }
    session.finish(&mut |_| ());
}

/// What is written is taken at once.
fn rewriter(
    profile: &Profile,
    format: Format,
    thinking: Thinking,
    pieces: impl IntoIterator<Item = impl AsRef<[u8]>>,
) {
    let mut options = rewrite::Options::default();
    (options.frame_limit, options.thinking) = (LIMIT, thinking);
    let mut rewriter = Rewriter::new(profile, format, options).expect("it can be rewritten");
    let mut out = Vec::new();
    for piece in pieces {
        rewriter.push(piece.as_ref(), &mut out);
        out.clear();
    }
    rewriter.finish(&mut out);
}

fn open(profile: &Profile, format: Format) -> Session {
    let session = Session::new(profile, format).expect("the profile is good");
    session.frame_limit(LIMIT)
}

fn profile() -> Profile {
    let profile = r#"
        [thinking]
        tags = ["think"]
        [calls]
        dialect = "hermes"
        [limits]
        tag = 1024
        span = 512
        lookahead = 2048
        value = 4096
    "#;
    tagstream::profile::parse(profile).expect("the profile is good")
}
