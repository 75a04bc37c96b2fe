//! A built-in upstream that plays answers as careless servers stream them: thinking in tags, calls as
//! text. To try the proxy without a model.

mod answers;

use crate::upstream::BoxError;
use answers::answer;
use bytes::Bytes;
use http::{HeaderValue, Request, Response, StatusCode, header};
use http_body::{Body, Frame};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::time::{Interval, interval};

/// Pause between two pieces.
const PAUSE: Duration = Duration::from_millis(10);
/// Bytes of a piece: frames and tags are cut, as they are in real streams.
const PIECE: usize = 64;

/// Starts the upstream; returns its address.
///
/// # Errors
/// There is no free port.
pub async fn start_demo() -> io::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let builder = auto::Builder::new(TokioExecutor::new());
                let connection = builder.serve_connection(TokioIo::new(stream), service_fn(play));
                // A client that leaves ends it.
                let _ = connection.await;
            });
        }
    });
    Ok(address)
}

async fn play(request: Request<Incoming>) -> Result<Response<Play>, Infallible> {
    let (parts, body) = request.into_parts();
    let body = body
        .collect()
        .await
        .map(http_body_util::Collected::to_bytes);
    let body = String::from_utf8_lossy(&body.unwrap_or_default()).into_owned();
    let played = answer(parts.uri.path(), parts.uri.query().unwrap_or(""), &body);
    let mut response = Response::new(Play {
        rest: Bytes::from(played.text),
        pause: interval(PAUSE),
    });
    *response.status_mut() = StatusCode::from_u16(played.status).unwrap_or_default();
    let kind = HeaderValue::from_static(played.kind);
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    Ok(response)
}

/// A body that is sent piece by piece.
struct Play {
    rest: Bytes,
    pause: Interval,
}

impl Body for Play {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = self.get_mut();
        if this.rest.is_empty() {
            return Poll::Ready(None);
        }
        if this.pause.poll_tick(cx).is_pending() {
            return Poll::Pending;
        }
        let piece = this.rest.split_to(this.rest.len().min(PIECE));
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }
}
