#![no_main]

//! The laws of rewriting, on streams made from the fuzzer's bytes.

use libfuzzer_sys::fuzz_target;
use tagstream::Profile;
use tagstream_wire::rewrite::{Options, Rewriter, Thinking};
use tagstream_wire::{Aggregator, Format, Session, WireEvent};

#[path = "../../crates/tagstream-wire/tests/laws/generator.rs"]
#[allow(dead_code)]
mod generator;

use generator::{Bytes, Choose, FORMATS, Oddity, stream};

fuzz_target!(|bytes: &[u8]| {
    let mut choose = Bytes(bytes);
    let format = FORMATS[choose.below(FORMATS.len())];
    let made = stream(format, Oddity::Odd, &mut choose).bytes;
    let profile = profile();
    let thoughts = thoughts(&profile, format, &made);
    for thinking in [Thinking::Move, Thinking::Hide] {
        let once = rewrite(&profile, format, thinking, [&made[..]]);
        let cut = rewrite(
            &profile,
            format,
            thinking,
            made.chunks(1 + choose.below(30)),
        );
        assert_eq!(once, cut, "the cut of the bytes changes the output");
        let twice = rewrite(&profile, format, thinking, [&once[..]]);
        assert_eq!(once, twice, "rewriting twice is not rewriting once");
        let shown = String::from_utf8_lossy(&once);
        for number in (1..100).filter(|_| thinking == Thinking::Hide) {
            let secret = format!("zq{number}x");
            let is_hidden = !thoughts.contains(&secret) || !shown.contains(&secret);
            assert!(is_hidden, "{secret} is shown");
        }
    }
});

fn profile() -> Profile {
    let text = "[thinking]\ntags = ['think']\n[calls]\ndialect = 'hermes'";
    tagstream::profile::parse(text).expect("the profile is valid")
}

fn rewrite<'a>(
    profile: &Profile,
    format: Format,
    thinking: Thinking,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Vec<u8> {
    let mut options = Options::default();
    options.thinking = thinking;
    let mut rewriter = Rewriter::new(profile, format, options).expect("it can be rewritten");
    let mut out = Vec::new();
    for piece in pieces {
        rewriter.push(piece, &mut out);
    }
    rewriter.finish(&mut out);
    out
}

fn thoughts(profile: &Profile, format: Format, bytes: &[u8]) -> String {
    let mut aggregator = Aggregator::new();
    let mut session = Session::new(profile, format).expect("the profile is valid");
    let mut sink = |event: WireEvent<'_>| aggregator.event(&event);
    session.push(bytes, &mut sink);
    session.finish(&mut sink);
    let messages = aggregator.finish();
    messages
        .iter()
        .map(|message| message.thoughts.concat())
        .collect()
}
