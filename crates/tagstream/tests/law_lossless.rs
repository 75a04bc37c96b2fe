//! Law: the spans of all events tile the message, each starting where the one before ended, and
//! every piece of text is what is at its span.

use tagstream::Profile;
use tagstream_testing::{Rng, cases, cut, lossy, run, worlds};

#[test]
fn all_short_messages() {
    for world in worlds::all() {
        for message in world.messages(4) {
            tiles(&world.profile, &[&message]);
        }
    }
}

#[test]
fn long_messages_in_any_cut() {
    let mut rng = Rng::new(5);
    for world in worlds::all() {
        for length in 10..60 {
            let message = world.random(&mut rng, length);
            let bytes = message.as_bytes();
            tiles(&world.profile, &[bytes]);
            tiles(&world.profile, &cut::every(bytes, 1));
            tiles(&world.profile, &cut::randomly(bytes, &mut rng));
        }
    }
}

#[test]
fn the_suite() {
    for case in cases::all() {
        if let Ok(profile) = &case.profile {
            tiles(profile, &case.pieces);
            tiles(profile, &cut::every(&case.message(), 1));
        }
    }
}

fn tiles(profile: &Profile, pieces: &[impl AsRef<[u8]> + std::fmt::Debug]) {
    let message = lossy(pieces);
    if let Err(problem) = run(profile, pieces).check_spans(&message) {
        panic!("{problem} in {message:?}");
    }
}
