//! Iterator adapter: chunks in, owned events out.

use crate::{Engine, OwnedEvent, Policy};
use std::collections::VecDeque;
use std::iter::FusedIterator;

/// The events of one message, from an iterator over its chunks.
///
/// A chunk is a string or bytes: anything that is `AsRef<[u8]>`. Bytes may be cut inside a
/// character. Each event is available as soon as the chunks so far make it certain, so that an
/// iterator that blocks, such as the receiving end of a channel, is read live.
///
/// ```
/// use tagstream::{OwnedEventKind, Profile, Thinking};
///
/// let policy = Profile::new().thinking(Thinking::tags(["think"])).compile()?;
/// let mut answer = String::new();
/// for event in tagstream::events(&policy, ["<thi", "nk>plan</think>5 <", " 6"]) {
///     if let OwnedEventKind::Text(text) = event.kind {
///         answer += &text;
///     }
/// }
/// assert_eq!(answer, "5 < 6");
/// # Ok::<(), tagstream::ProfileError>(())
/// ```
///
/// An event per piece of text is copied. Where that matters, push into an [`Engine`], whose events
/// borrow.
pub fn events<I>(policy: &Policy, chunks: I) -> Events<I::IntoIter>
where
    I: IntoIterator,
    I::Item: AsRef<[u8]>,
{
    Events {
        chunks: chunks.into_iter(),
        reader: Reader::new(policy),
    }
}

/// The iterator that [`events`] returns.
#[derive(Debug)]
pub struct Events<I> {
    chunks: I,
    reader: Reader,
}

impl<I: Iterator<Item: AsRef<[u8]>>> Iterator for Events<I> {
    type Item = OwnedEvent;

    fn next(&mut self) -> Option<OwnedEvent> {
        loop {
            if let Some(event) = self.reader.next() {
                return Some(event);
            }
            if self.reader.is_finished() {
                return None;
            }
            self.reader.read(self.chunks.next());
        }
    }
}

impl<I: Iterator<Item: AsRef<[u8]>>> FusedIterator for Events<I> {}

/// An engine whose events wait to be taken.
#[derive(Debug)]
pub(crate) struct Reader {
    /// `None` once the message is finished.
    engine: Option<Engine>,
    waiting: VecDeque<OwnedEvent>,
}

impl Reader {
    pub(crate) fn new(policy: &Policy) -> Self {
        Reader {
            engine: Some(Engine::new(policy)),
            waiting: VecDeque::new(),
        }
    }

    /// Reads the next chunk; `None` ends the message.
    pub(crate) fn read(&mut self, chunk: Option<impl AsRef<[u8]>>) {
        let waiting = &mut self.waiting;
        match (chunk, &mut self.engine) {
            (Some(chunk), Some(engine)) => {
                engine.push_bytes(chunk.as_ref(), |event| waiting.push_back(event.to_owned()));
            }
            (None, engine) => {
                if let Some(engine) = engine.take() {
                    engine.finish(|event| waiting.push_back(event.to_owned()));
                }
            }
            (Some(_), None) => debug_assert!(false, "the message has ended"),
        }
    }

    pub(crate) fn next(&mut self) -> Option<OwnedEvent> {
        self.waiting.pop_front()
    }

    #[cfg(feature = "futures")]
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.engine.is_none()
    }
}
