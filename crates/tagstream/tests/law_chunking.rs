//! Law: the joined events do not depend on how the input was cut.
//!
//! The suite's cases are cut everywhere by `cases.rs`.

use tagstream::{Engine, NoticeCode, Profile};
use tagstream_testing::ev::seen;
use tagstream_testing::worlds::{self, World};
use tagstream_testing::{Collected, Rng, cut, oracle::meaning, readable, run};

#[test]
fn short_messages_in_two() {
    for world in worlds::all() {
        for message in world.messages(3) {
            let whole = run(&world.profile, [&message]).joined();
            for pieces in cut::in_two(message.as_bytes()) {
                assert_eq!(
                    run(&world.profile, &pieces).joined(),
                    whole,
                    "{}: {:?}",
                    world.name,
                    readable(&pieces)
                );
            }
        }
    }
}

#[test]
fn long_messages_in_any_cut() {
    let mut rng = Rng::new(2);
    for world in worlds::all() {
        for length in (8..48).chain(200..204) {
            let message = world.random(&mut rng, length);
            in_any_cut(&world, &message, &mut rng);
        }
    }
}

fn in_any_cut(world: &World, message: &str, rng: &mut Rng) {
    let wanted = meaning(&world.profile, message);
    let bytes = message.as_bytes();
    let mut cuts: Vec<Vec<&[u8]>> = cut::in_two(bytes).collect();
    cuts.extend([vec![bytes], cut::every(bytes, 1), cut::every(bytes, 7)]);
    cuts.extend((0..8).map(|_| cut::randomly(bytes, rng)));
    for pieces in cuts {
        let got = run(&world.profile, &pieces).joined();
        assert_eq!(got, wanted, "{}: {:?}", world.name, readable(&pieces));
    }
}

/// Also what has come out of an unfinished message does not depend on the cut.
#[test]
fn every_prefix_in_single_bytes() {
    let mut rng = Rng::new(3);
    for world in worlds::all() {
        for length in 4..24 {
            let message = world.random(&mut rng, length);
            every_prefix(&world, &message);
        }
    }
}

fn every_prefix(world: &World, message: &str) {
    let policy = world.profile.compile().expect("the profile is good");
    let mut engine = Engine::new(&policy);
    let mut out = Collected::default();
    for (at, byte) in message.bytes().enumerate() {
        engine.push_bytes(&[byte], |event| out.take(&event));
        let Some(prefix) = message.get(..=at) else {
            continue;
        };
        let mut whole = Collected::default();
        Engine::new(&policy).push(prefix, |event| whole.take(&event));
        assert_eq!(
            seen(out.joined()),
            seen(whole.joined()),
            "{}: after {prefix:?}",
            world.name
        );
    }
}

/// Bytes that are no UTF-8 are replaced before anything else, wherever they are cut.
#[test]
fn broken_bytes_in_any_cut() {
    let profile: Profile =
        serde_json::from_str(r#"{"thinking": {"tags": ["t"]}}"#).expect("it is good");
    let broken: [&[u8]; 8] = [
        b"\xff",
        b"\xe2\x82",
        b"\xf0\x9f\x98",
        b"\xc3",
        b"\xed\xa0\x80",
        b"\x80",
        "€".as_bytes(),
        "😀".as_bytes(),
    ];
    let rest: [&[u8]; 6] = [b"<t>", b"</t>", b"`", b"a", b"\n", b"<"];
    let mut rng = Rng::new(4);
    for _ in 0..200 {
        let pieces: Vec<&[u8]> = (0..12)
            .map(|_| {
                if rng.below(3) == 0 {
                    *rng.choose(&broken)
                } else {
                    *rng.choose(&rest)
                }
            })
            .collect();
        let bytes = pieces.concat();
        let text = String::from_utf8_lossy(&bytes);
        let replaced = text.matches('\u{fffd}').count();
        let wanted = meaning(&profile, &text);
        for pieces in cut::in_two(&bytes).chain([vec![&bytes[..]], cut::every(&bytes, 1)]) {
            let got = run(&profile, &pieces);
            assert_eq!(got.joined(), wanted, "{pieces:?}");
            assert_eq!(got.notices(NoticeCode::InvalidUtf8), replaced, "{pieces:?}");
            assert_eq!(got.check_spans(&text), Ok(()), "{pieces:?}");
        }
    }
}
