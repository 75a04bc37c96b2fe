//! What the tests share: running the engine, cutting messages, comparing readings, the suite of
//! cases, the oracle, and writers of calls in every dialect.

#![allow(missing_docs, reason = "the names of test support say enough")]

pub mod calls;
pub mod cases;
pub mod cuts;
pub mod docs;
pub mod ev;
pub mod hostile;
pub mod laws;
pub mod oracle;
pub mod random;
pub mod suite;
pub mod systems;
pub mod worlds;

use ev::{Ev, join};
use tagstream::{Engine, Event, NoticeCode, Profile, Span};

/// All that came out of an engine, with the places.
#[derive(Default)]
pub struct Collected {
    pub events: Vec<(Span, Ev)>,
}

impl Collected {
    pub fn take(&mut self, event: &Event<'_>) {
        self.events.push((event.span, Ev::of(event)));
    }

    /// The events in normal form. Where a notice of broken bytes is depends on when they
    /// arrived, so it is not compared; [`Collected::notices`] counts them.
    pub fn joined(&self) -> Vec<Ev> {
        let broken = Ev::Notice(NoticeCode::InvalidUtf8);
        join(
            self.events
                .iter()
                .map(|(_, ev)| ev)
                .filter(|ev| **ev != broken)
                .cloned(),
        )
    }

    pub fn notices(&self, code: NoticeCode) -> usize {
        let notice = Ev::Notice(code);
        self.events.iter().filter(|(_, ev)| *ev == notice).count()
    }

    /// The law "lossless": the spans tile the message, and text is what is there.
    pub fn check_spans(&self, message: &str) -> Result<(), String> {
        let mut at = 0;
        let mut is_after_error = false;
        for (span, ev) in &self.events {
            if span.start != at || span.end < span.start {
                return Err(format!("{ev:?} has the span {span:?}, but {at} is next"));
            }
            at = span.end;
            let raw = message
                .get(place(*span))
                .ok_or_else(|| format!("{span:?} cuts a character or is past the end"))?;
            // The events of a refused call account for its bytes; its text comes after them.
            let is_refused_call = is_after_error && raw.is_empty() && ev.run().is_some();
            if !is_refused_call {
                check_raw(ev, raw)?;
            }
            is_after_error = matches!(ev, Ev::CallError { .. });
        }
        if at == message.len() as u64 {
            Ok(())
        } else {
            Err(format!("the spans end at {at} of {}", message.len()))
        }
    }
}

fn place(span: Span) -> std::ops::Range<usize> {
    let index = |n| usize::try_from(n).expect("messages in tests are short");
    index(span.start)..index(span.end)
}

/// What an event reports about its bytes must be true of them.
fn check_raw(ev: &Ev, raw: &str) -> Result<(), String> {
    let right = match ev {
        Ev::Notice(_) => raw.is_empty(),
        // Entities are decoded, strings that hold JSON too; a name after its arguments holds them
        // back, so that they come without a place.
        Ev::CallDelta { .. } => true,
        Ev::ElementStart { name, .. } => {
            raw.starts_with('<')
                && raw
                    .to_ascii_lowercase()
                    .contains(&name.to_ascii_lowercase())
        }
        _ => ev.run().is_none_or(|text| text == raw),
    };
    if right {
        Ok(())
    } else {
        Err(format!("{ev:?} is where the message has {raw:?}"))
    }
}

/// Reads a message in these pieces.
pub fn run<B: AsRef<[u8]>>(profile: &Profile, pieces: impl IntoIterator<Item = B>) -> Collected {
    let policy = profile.compile().expect("the profile is good");
    let mut engine = Engine::new(&policy);
    let mut out = Collected::default();
    for piece in pieces {
        engine.push_bytes(piece.as_ref(), |event| out.take(&event));
    }
    engine.finish(|event| out.take(&event));
    out
}

/// The message as the engine is to read it: invalid UTF-8 replaced.
pub fn lossy(pieces: &[impl AsRef<[u8]>]) -> String {
    let bytes: Vec<u8> = pieces.iter().flat_map(AsRef::as_ref).copied().collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Ways to cut a message in pieces.
pub mod cut {
    use super::Rng;

    /// In two, at every byte.
    pub fn in_two(message: &[u8]) -> impl Iterator<Item = Vec<&[u8]>> {
        (1..message.len()).map(|at| vec![&message[..at], &message[at..]])
    }

    /// In pieces of this many bytes.
    pub fn every(message: &[u8], size: usize) -> Vec<&[u8]> {
        message.chunks(size).collect()
    }

    /// In pieces of one to nine bytes, now and then an empty one.
    pub fn randomly<'a>(message: &'a [u8], rng: &mut Rng) -> Vec<&'a [u8]> {
        let mut pieces = Vec::new();
        let mut rest = message;
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(rng.below(10).min(rest.len()));
            pieces.push(piece);
            rest = after;
        }
        pieces
    }
}

/// A small generator of random numbers (xorshift), so that a failure can be repeated.
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Rng(seed | 1)
    }

    /// A number less than `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 11) % n as u64).expect("less than n")
    }

    pub fn choose<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

/// A line an event, for messages of failed tests.
pub fn describe(events: &[Ev]) -> String {
    events.iter().map(|ev| format!("\n    {ev:?}")).collect()
}

/// Pieces as one can read them, for messages of failed tests.
pub fn readable(pieces: &[&[u8]]) -> Vec<String> {
    pieces
        .iter()
        .map(|piece| String::from_utf8_lossy(piece).into_owned())
        .collect()
}

/// Names the message that made the engine panic, which else would not be known.
pub struct Reading<'a>(pub &'a str);

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("while reading {:?}", self.0);
        }
    }
}
