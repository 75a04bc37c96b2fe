//! Adapters for asynchronous streams: chunks in, owned events out.

use crate::events::Reader;
use crate::{OwnedEvent, Policy};
use futures_core::Stream;
use futures_core::stream::FusedStream;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// The events of one message, from a stream of its chunks: [`events`](crate::events) for async code.
///
/// A chunk is a string or bytes: anything that is `AsRef<[u8]>`. For a stream that can fail, use
/// [`try_event_stream`].
///
/// ```
/// use futures_util::{StreamExt, stream};
/// use tagstream::{OwnedEventKind, event_stream, preset};
///
/// # futures_executor::block_on(async {
/// let policy = preset("thinking")?.compile()?;
/// let chunks = stream::iter(["<thi", "nk>plan</think>5 <", " 6"]);
/// let mut events = event_stream(&policy, chunks);
/// let mut answer = String::new();
/// while let Some(event) = events.next().await {
///     if let OwnedEventKind::Text(text) = event.kind {
///         answer += &text;
///     }
/// }
/// assert_eq!(answer, "5 < 6");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
pub fn event_stream<S>(policy: &Policy, chunks: S) -> EventStream<S>
where
    S: Stream<Item: AsRef<[u8]>>,
{
    EventStream(Inner::new(policy, chunks))
}

/// As [`event_stream`], for a stream of results, such as the body of an HTTP response.
///
/// An error is passed on in its place: after the events of the chunks before it. It does not end the
/// message. If the stream goes on, so does the message; when the stream ends, what the engine held is
/// emitted, as at the end of any message. To give up at the first error, stop polling.
pub fn try_event_stream<S, T, E>(policy: &Policy, chunks: S) -> TryEventStream<S>
where
    S: Stream<Item = Result<T, E>>,
    T: AsRef<[u8]>,
{
    TryEventStream(Inner::new(policy, chunks))
}

/// The stream that [`event_stream`] returns.
#[derive(Debug)]
#[must_use = "a stream does nothing unless it is polled"]
pub struct EventStream<S>(Inner<S>);

/// The stream that [`try_event_stream`] returns.
#[derive(Debug)]
#[must_use = "a stream does nothing unless it is polled"]
pub struct TryEventStream<S>(Inner<S>);

#[derive(Debug)]
struct Inner<S> {
    /// Boxed, so that these adapters can be polled without being pinned.
    chunks: Pin<Box<S>>,
    reader: Reader,
}

impl<S: Stream> Inner<S> {
    fn new(policy: &Policy, chunks: S) -> Self {
        Inner {
            chunks: Box::pin(chunks),
            reader: Reader::new(policy),
        }
    }

    fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Option<S::Item>> {
        self.chunks.as_mut().poll_next(cx)
    }

    fn is_terminated(&self) -> bool {
        self.reader.is_finished() && self.reader.is_empty()
    }
}

impl<S: Stream<Item: AsRef<[u8]>>> Stream for EventStream<S> {
    type Item = OwnedEvent;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<OwnedEvent>> {
        let inner = &mut self.0;
        loop {
            if let Some(event) = inner.reader.next() {
                return Poll::Ready(Some(event));
            }
            if inner.reader.is_finished() {
                return Poll::Ready(None);
            }
            let chunk = ready!(inner.poll_chunk(cx));
            inner.reader.read(chunk);
        }
    }
}

impl<S, T, E> Stream for TryEventStream<S>
where
    S: Stream<Item = Result<T, E>>,
    T: AsRef<[u8]>,
{
    type Item = Result<OwnedEvent, E>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let inner = &mut self.0;
        loop {
            if let Some(event) = inner.reader.next() {
                return Poll::Ready(Some(Ok(event)));
            }
            if inner.reader.is_finished() {
                return Poll::Ready(None);
            }
            match ready!(inner.poll_chunk(cx)).transpose() {
                Ok(chunk) => inner.reader.read(chunk),
                Err(error) => return Poll::Ready(Some(Err(error))),
            }
        }
    }
}

impl<S: Stream<Item: AsRef<[u8]>>> FusedStream for EventStream<S> {
    fn is_terminated(&self) -> bool {
        self.0.is_terminated()
    }
}

impl<S, T, E> FusedStream for TryEventStream<S>
where
    S: Stream<Item = Result<T, E>>,
    T: AsRef<[u8]>,
{
    fn is_terminated(&self) -> bool {
        self.0.is_terminated()
    }
}
