//! The connection of a client with time limits: for one that sends nothing, and for one that takes nothing
//! of what is sent to it. It also notices that a client leaves while nobody reads.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// How much is read ahead. A client that has sent more than its request and this is noticed to leave only
/// when something is written to it.
const AHEAD_BYTES: usize = 4096;

/// A connection with limits for its first byte and for each write.
pub(super) struct Patient<S> {
    inner: S,
    /// hyper does not read while it has bytes of the next request, not even to notice that the client
    /// leaves. These were read in its place.
    ahead: Vec<u8>,
    /// The last read waits, so the end will be noticed.
    is_reading: bool,
    /// `None` after the first byte.
    first_byte: Option<Pin<Box<Sleep>>>,
    write_limit: Duration,
    /// While nothing can be written.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl<S> Patient<S> {
    pub(super) fn new(inner: S, first_byte: Duration, write_limit: Duration) -> Self {
        Patient {
            inner,
            ahead: Vec::new(),
            is_reading: false,
            first_byte: Some(Box::pin(sleep(first_byte))),
            write_limit,
            stalled: None,
        }
    }

    /// The result of a write, or an error if writes have been pending for too long.
    fn written<T>(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let limit = self.write_limit;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(limit)));
        let late = stalled.as_mut().poll(cx);
        late.map(|()| Err(timed_out("the client reads nothing")))
    }
}

impl<S: AsyncRead + Unpin> Patient<S> {
    /// Reads what nobody has asked for; an error if the client has left.
    fn read_ahead(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        while !self.is_reading && self.ahead.len() < AHEAD_BYTES {
            let mut bytes = [0; 512];
            let mut buffer = ReadBuf::new(&mut bytes);
            match Pin::new(&mut self.inner).poll_read(cx, &mut buffer) {
                Poll::Pending => break,
                Poll::Ready(read) => read?,
            }
            if buffer.filled().is_empty() {
                let message = "the client has left";
                return Err(io::Error::new(io::ErrorKind::ConnectionAborted, message));
            }
            self.ahead.extend_from_slice(buffer.filled());
        }
        Ok(())
    }
}

fn timed_out(message: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, message)
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if !self.ahead.is_empty() {
            let count = self.ahead.len().min(buffer.remaining());
            buffer.put_slice(&self.ahead[..count]);
            self.ahead.drain(..count);
            return Poll::Ready(Ok(()));
        }
        let read = Pin::new(&mut self.inner).poll_read(cx, buffer);
        self.is_reading = read.is_pending();
        if read.is_ready() {
            self.first_byte = None;
            return read;
        }
        match &mut self.first_byte {
            Some(limit) => {
                let late = limit.as_mut().poll(cx);
                late.map(|()| Err(timed_out("the client sends nothing")))
            }
            None => Poll::Pending,
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        data: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write(cx, data);
        self.written(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        data: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write_vectored(cx, data);
        self.written(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // hyper flushes whenever it is woken, whether it has written or not.
        self.read_ahead(cx)?;
        let flushed = Pin::new(&mut self.inner).poll_flush(cx);
        self.written(cx, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.inner).poll_shutdown(cx);
        self.written(cx, shut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
    use tokio::time::Instant;

    const FIRST: Duration = Duration::from_secs(30);
    const WRITE: Duration = Duration::from_secs(300);

    #[tokio::test(start_paused = true)]
    async fn a_client_that_sends_nothing_is_given_up_but_not_after_its_first_byte() {
        let begun = Instant::now();
        let (server, mut client) = duplex(8);
        let mut server = Patient::new(server, FIRST, WRITE);
        let error = server.read_u8().await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert_eq!(begun.elapsed(), FIRST);
        client.write_u8(1).await.unwrap();
        assert_eq!(server.read_u8().await.unwrap(), 1);
        let waiting = tokio::time::timeout(WRITE * 10, server.read_u8());
        assert!(
            waiting.await.is_err(),
            "a keep-alive connection may be idle"
        );
    }

    #[tokio::test]
    async fn a_client_that_leaves_is_noticed_though_nobody_reads() {
        let (server, mut client) = duplex(8);
        let mut server = Patient::new(server, FIRST, WRITE);
        client.write_all(b"abc").await.unwrap();
        assert_eq!(server.read_u8().await.unwrap(), b'a');
        server.flush().await.unwrap();
        assert_eq!(server.read_u8().await.unwrap(), b'b');
        assert_eq!(server.read_u8().await.unwrap(), b'c');
        drop(client);
        let error = server.flush().await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionAborted);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_reads_nothing_is_given_up_but_not_a_slow_one() {
        let (server, mut client) = duplex(8);
        let mut server = Patient::new(server, FIRST, WRITE);
        let slow = async {
            for _ in 0..16 {
                tokio::time::sleep(WRITE - FIRST).await;
                client.read_u8().await.unwrap();
            }
        };
        let (sent, ()) = tokio::join!(server.write_all(&[0; 16]), slow);
        sent.unwrap();
        server.write_all(&[0; 8]).await.unwrap();
        let begun = Instant::now();
        let error = server.write_u8(0).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert_eq!(begun.elapsed(), WRITE);
    }
}
