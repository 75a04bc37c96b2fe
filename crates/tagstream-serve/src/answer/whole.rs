//! An answer that is not streamed: it is read as a whole, repaired, and sent with its length.

use super::body::{AnswerBody, Work};
use super::clock::{Due, Watch};
use crate::failure::{broken, error_response, truncated, whole};
use crate::headers;
use crate::record::Record;
use crate::upstream::OutBody;
use bytes::{Bytes, BytesMut};
use http::{Response, header, response};
use http_body::Body;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use serde::de::IgnoredAny;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;
use tagstream_wire::rewrite::Rewriter;
use tagstream_wire::{Format, ServerError};

/// An answer on its way.
pub(super) struct Whole {
    pub(super) upstream: Incoming,
    pub(super) watch: Watch,
    pub(super) record: Record,
    pub(super) rewriter: Rewriter,
}

impl Whole {
    pub(super) async fn answer(
        mut self,
        mut parts: response::Parts,
        format: Format,
        limit: usize,
    ) -> Response<OutBody> {
        let mut bytes = BytesMut::new();
        loop {
            match self.read().await {
                Ok(Some(data)) => bytes.extend_from_slice(&data),
                Ok(None) => break,
                Err(error) => {
                    self.record.fail(&error);
                    return error_response(&error, format);
                }
            }
            if bytes.len() > limit {
                self.record.unread = Some("the answer is longer than `limits.response`");
                let mut body = AnswerBody::new(self.upstream, Work::Pass, self.watch, self.record);
                body.start = Some(bytes.freeze());
                return Response::from_parts(parts, body.boxed_unsync());
            }
        }
        let bytes = match self.repaired(&bytes) {
            Ok(repaired) => repaired.map_or(bytes.freeze(), Bytes::from),
            Err(error) => return error_response(&error, format),
        };
        headers::for_repaired(&mut parts.headers);
        parts
            .headers
            .insert(header::CONTENT_LENGTH, bytes.len().into());
        Response::from_parts(parts, whole(bytes))
    }

    /// The next bytes; `None` at the end.
    async fn read(&mut self) -> Result<Option<Bytes>, ServerError> {
        let (upstream, watch) = (&mut self.upstream, &mut self.watch);
        let frame = poll_fn(|cx| {
            if let Poll::Ready(frame) = Pin::new(&mut *upstream).poll_frame(cx) {
                return Poll::Ready(frame.transpose().map_err(|error| broken(&error)));
            }
            watch.poll(cx).map(|due| match due {
                Due::Failed(error) => Err(error),
                // There is none for a whole answer.
                Due::KeepAlive(_) => Ok(None),
            })
        });
        let Some(frame) = frame.await? else {
            return Ok(None);
        };
        let data = frame.into_data().unwrap_or_default();
        self.watch.read();
        self.record.read(&data);
        Ok(Some(data))
    }

    /// What it becomes; `None` if it is not JSON, so that it stays as it is.
    fn repaired(mut self, bytes: &[u8]) -> Result<Option<Vec<u8>>, ServerError> {
        if let Err(problem) = serde_json::from_slice::<IgnoredAny>(bytes) {
            if problem.is_eof() && matches!(bytes.trim_ascii_start(), [b'{' | b'[', ..]) {
                // Its length was not given, so that only its brackets show that it broke off.
                let error = truncated();
                self.record.fail(&error);
                return Err(error);
            }
            self.record.done();
            return Ok(None);
        }
        self.record.done();
        let mut out = Vec::with_capacity(bytes.len());
        self.rewriter.push(bytes, &mut out);
        self.record.found = self.rewriter.found();
        self.rewriter.finish(&mut out);
        Ok(Some(out))
    }
}
