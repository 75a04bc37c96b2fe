//! Server-sent events against two other readers of them, on the same random streams and cuts.

mod support;

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use sse_core::{SseDecoder, SseEvent};
use sse_stream::SseStream;
use std::convert::Infallible;
use support::Rng;
use tagstream_wire::{Content, Frame, Frames, Sse};

/// The name and the data of an event.
type Seen = (String, String);

/// What streams are made of; they end with a blank line, since the others lose what comes after.
const PIECES: [&[u8]; 25] = [
    b"data: ",
    b"data:",
    b"data",
    b"event: ",
    b"event:",
    b"id: 1",
    b"retry: 5",
    b": note",
    b":",
    b"foo: bar",
    b" ",
    b"x",
    b"{\"a\":1}",
    b"\xc3\xa9",
    b"\xf0\x9f\x98\x80",
    b"\n",
    b"\n",
    b"\r",
    b"\r\n",
    b"\n\n",
    b"\r\n\r\n",
    b"\r\r",
    b"ping",
    b"\xef\xbb\xbf",
    b"\xff",
];

fn random_stream(rng: &mut Rng) -> Vec<u8> {
    let count = rng.below(60);
    let mut bytes = Vec::new();
    for _ in 0..count {
        bytes.extend_from_slice(PIECES[rng.below(PIECES.len())]);
    }
    bytes.extend_from_slice(b"\n\n");
    bytes
}

fn ours(pieces: &[&[u8]]) -> Vec<Seen> {
    let mut seen = Vec::new();
    let mut each = |frame: Frame<'_>| {
        if let Content::Message(message) = frame.content
            && let Some(data) = message.data
        {
            let event = message
                .event
                .map_or("message".into(), std::borrow::Cow::into_owned);
            seen.push((event, data.into_owned()));
        }
    };
    let mut frames = Frames::new(Sse::default(), 1 << 20, 0);
    for piece in pieces {
        frames.push(piece, &mut each);
    }
    frames.finish(&mut each);
    seen
}

fn by_sse_core(pieces: &[&[u8]]) -> Vec<Seen> {
    let mut decoder = SseDecoder::new();
    let mut seen = Vec::new();
    for piece in pieces {
        let mut bytes = Bytes::copy_from_slice(piece);
        while let Some(event) = decoder.next(&mut bytes) {
            if let SseEvent::Message(message) = event.unwrap() {
                seen.push((message.event.into_owned(), message.data));
            }
        }
    }
    seen
}

fn by_sse_stream(pieces: &[&[u8]]) -> Vec<Seen> {
    let pieces: Vec<_> = pieces
        .iter()
        .map(|piece| Ok::<_, Infallible>(Bytes::copy_from_slice(piece)))
        .collect();
    let events = SseStream::from_bytes_stream(stream::iter(pieces));
    let events: Vec<_> = futures_executor::block_on(events.collect());
    events
        .into_iter()
        .filter_map(|event| {
            let event = event.expect("it is UTF-8");
            let name = event.event.filter(|name| !name.is_empty());
            Some((name.unwrap_or("message".into()), event.data?))
        })
        .collect()
}

fn check(name: &str, oracle: impl Fn(&[&[u8]]) -> Vec<Seen>, takes: impl Fn(&[u8]) -> bool) {
    let mut rng = Rng::new(11);
    let mut events = 0;
    for _ in 0..60_000 {
        let stream = random_stream(&mut rng);
        if !takes(&stream) {
            continue;
        }
        let pieces = rng.cut(&stream);
        let seen = ours(&pieces);
        events += seen.len();
        assert_eq!(
            seen,
            oracle(&pieces),
            "{name}: {:?}",
            String::from_utf8_lossy(&stream)
        );
    }
    assert!(events > 10_000, "only {events} were compared");
}

#[test]
fn events_are_those_of_sse_core() {
    check("sse-core", by_sse_core, |_| true);
}

#[test]
fn events_are_those_of_sse_stream() {
    // It refuses what is not UTF-8.
    let is_utf8 = |stream: &[u8]| std::str::from_utf8(stream).is_ok();
    check("sse-stream", by_sse_stream, is_utf8);
}
