//! The body of an answer on its way to the client: each read of the upstream goes through the
//! rewriter, and what is certain goes out with it.
//!
//! Nothing runs on its own: the body is polled by the connection of the client, so a client that does
//! not read stops the upstream, and dropping the body closes the upstream's connection or resets its
//! stream.

use super::clock::{Due, Watch};
use crate::failure::{broken, truncated};
use crate::record::Record;
use crate::upstream::BoxError;
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tagstream_wire::ServerError;
use tagstream_wire::rewrite::{Ended, Rewriter};

/// What happens to the bytes.
#[derive(Debug)]
pub(crate) enum Work {
    Pass,
    /// They pass, and are read as well.
    Observe(Box<Rewriter>),
    Repair(Box<Rewriter>),
}

/// The body of an answer.
pub(crate) struct AnswerBody {
    /// Bytes that were read before; they come first.
    pub(crate) start: Option<Bytes>,
    upstream: Option<Incoming>,
    work: Work,
    watch: Watch,
    record: Record,
    out: Vec<u8>,
    /// How what was sent ends.
    tail: Tail,
    /// Whether its type says that it is a stream. What is neither one by its type nor in its bytes passes
    /// as it is.
    pub(crate) is_stream: bool,
}

/// Where the output so far ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tail {
    /// In the middle of a line.
    Line,
    /// After a line.
    LineEnd,
    /// After a frame, or at the start.
    FrameEnd,
}

impl Tail {
    fn of(bytes: &[u8]) -> Self {
        match bytes {
            [.., b'\n', b'\n'] | [.., b'\r', b'\r'] | [.., b'\n', b'\r', b'\n'] => Tail::FrameEnd,
            [.., b'\n' | b'\r'] => Tail::LineEnd,
            _ => Tail::Line,
        }
    }
}

type Polled = Option<Result<Frame<Bytes>, BoxError>>;

impl AnswerBody {
    pub(crate) fn new(upstream: Incoming, work: Work, watch: Watch, record: Record) -> Self {
        let mut body = AnswerBody {
            is_stream: true,
            start: None,
            upstream: Some(upstream),
            work,
            watch,
            record,
            out: Vec::new(),
            tail: Tail::FrameEnd,
        };
        body.end_if_over();
        body
    }

    /// Nobody polls a body after the last of its bytes if its length is known.
    fn end_if_over(&mut self) {
        let is_repaired = matches!(self.work, Work::Repair(_));
        if !is_repaired && self.upstream.as_ref().is_some_and(Body::is_end_stream) {
            self.end(None);
        }
    }

    /// What goes out for bytes that were read.
    fn push(&mut self, data: Bytes) -> Option<Bytes> {
        if data.is_empty() {
            return None;
        }
        self.watch.read();
        self.record.read(&data);
        match &mut self.work {
            Work::Pass => Some(data),
            Work::Observe(rewriter) => {
                rewriter.push(&data, &mut self.out);
                self.out.clear();
                self.record.found = rewriter.found();
                Some(data)
            }
            Work::Repair(rewriter) => {
                rewriter.push(&data, &mut self.out);
                self.record.found = rewriter.found();
                self.record.held(rewriter.swallowed());
                self.take_out()
            }
        }
    }

    fn take_out(&mut self) -> Option<Bytes> {
        if self.out.is_empty() {
            return None;
        }
        self.tail = Tail::of(&self.out);
        self.watch.sent();
        Some(Bytes::from(std::mem::take(&mut self.out)))
    }

    fn frame(&mut self, frame: Frame<Bytes>) -> Option<Frame<Bytes>> {
        match frame.into_data() {
            Ok(data) => self.push(data).map(Frame::data),
            // Those of a rewritten answer are about the bytes as they were.
            Err(_) if matches!(self.work, Work::Repair(_)) => None,
            Err(trailers) => {
                // Nobody polls a body after them.
                self.end(None);
                Some(trailers)
            }
        }
    }

    /// Ends the answer, because the upstream has closed it, or for this error. A rewritten answer that
    /// is not complete ends with an error frame; any other, with the end of the connection.
    fn end(&mut self, error: Option<ServerError>) -> Polled {
        self.upstream = None;
        let is_cut = error.is_some();
        let error = error.unwrap_or_else(truncated);
        let mut end = |rewriter: Box<Rewriter>, out: &mut Vec<u8>| {
            if !is_cut && !self.is_stream && !rewriter.is_understood() {
                rewriter.pass(out);
                return true;
            }
            let Ended {
                found, is_complete, ..
            } = rewriter.end(&error, self.tail != Tail::Line, out);
            self.record.found = found;
            is_complete
        };
        let (is_repaired, is_complete) = match std::mem::replace(&mut self.work, Work::Pass) {
            Work::Repair(rewriter) => (true, end(rewriter, &mut self.out)),
            Work::Observe(rewriter) => {
                end(rewriter, &mut Vec::new());
                (false, !is_cut)
            }
            Work::Pass => (false, !is_cut),
        };
        if is_complete {
            self.record.done();
        } else {
            self.record.fail(&error);
        }
        if !is_repaired && is_cut {
            return Some(Err(error.message.into()));
        }
        self.take_out().map(|bytes| Ok(Frame::data(bytes)))
    }

    /// What is due while the upstream is silent.
    fn silent(&mut self, cx: &mut Context<'_>) -> Poll<Polled> {
        loop {
            match ready!(self.watch.poll(cx)) {
                Due::Failed(error) => return Poll::Ready(self.end(Some(error))),
                Due::KeepAlive(frame) if self.tail == Tail::FrameEnd => {
                    let frame = Frame::data(Bytes::from_static(frame.as_bytes()));
                    return Poll::Ready(Some(Ok(frame)));
                }
                Due::KeepAlive(_) => {}
            }
        }
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Polled> {
        let this = self.get_mut();
        if let Some(bytes) = this.start.take().and_then(|start| this.push(start)) {
            return Poll::Ready(Some(Ok(Frame::data(bytes))));
        }
        loop {
            let Some(upstream) = &mut this.upstream else {
                return Poll::Ready(None);
            };
            match Pin::new(upstream).poll_frame(cx) {
                Poll::Ready(Some(Ok(frame))) => {
                    let frame = this.frame(frame);
                    this.end_if_over();
                    if let Some(frame) = frame {
                        return Poll::Ready(Some(Ok(frame)));
                    }
                }
                Poll::Ready(Some(Err(error))) => {
                    return Poll::Ready(this.end(Some(broken(&error))));
                }
                Poll::Ready(None) => return Poll::Ready(this.end(None)),
                Poll::Pending => return this.silent(cx),
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.start.is_none() && self.upstream.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        match (&self.work, &self.upstream, &self.start) {
            (Work::Pass | Work::Observe(_), Some(upstream), None) => upstream.size_hint(),
            _ => SizeHint::default(),
        }
    }
}
