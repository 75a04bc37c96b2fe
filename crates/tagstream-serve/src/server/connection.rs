//! The connections of clients.

use super::patient::Patient;
use super::tls::Acceptor;
use crate::proxy::Proxy;
use crate::upstream::seconds;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// A client must have completed TLS in this time, and then have sent its first byte. Its HTTP headers have
/// the same limit, by hyper.
const HANDSHAKE: Duration = Duration::from_secs(30);
/// What is buffered for a client that does not read, on HTTP/2.
const SEND_BYTES: usize = 64 << 10;

/// All open connections. When it is dropped, they are cut off.
pub(super) struct Connections {
    proxy: Proxy,
    tasks: JoinSet<()>,
    graceful: GracefulShutdown,
}

impl Connections {
    pub(super) fn new(proxy: Proxy) -> Self {
        Connections {
            proxy,
            tasks: JoinSet::new(),
            graceful: GracefulShutdown::new(),
        }
    }

    pub(super) fn add(&mut self, stream: TcpStream) {
        self.forget_ended();
        // What is certain goes out at once.
        let _ = stream.set_nodelay(true);
        let (proxy, watcher) = (self.proxy.clone(), self.graceful.watcher());
        self.tasks.spawn(async move {
            match proxy.live().tls.clone() {
                None => serve(stream, proxy, watcher).await,
                Some(acceptor) => serve_tls(&acceptor, stream, proxy, watcher).await,
            }
        });
    }

    /// Those that are over need not be kept.
    fn forget_ended(&mut self) {
        while self.tasks.try_join_next().is_some() {}
    }

    /// Waits until all requests are over, at most for this time.
    pub(super) async fn drain(mut self, limit: Duration) {
        tracing::info!(seconds = limit.as_secs_f64(), "draining");
        let graceful = std::mem::take(&mut self.graceful);
        if timeout(limit, graceful.shutdown()).await.is_err() {
            self.forget_ended();
            let count = self.tasks.len();
            tracing::warn!(
                count,
                "connections were cut off: the time limit for draining is over"
            );
        }
    }
}

impl Drop for Connections {
    /// The requests that are in flight now end with it, not because their clients have left.
    fn drop(&mut self) {
        self.proxy.metrics().stop();
    }
}

async fn serve_tls(acceptor: &Acceptor, stream: TcpStream, proxy: Proxy, watcher: Watcher) {
    match timeout(HANDSHAKE, acceptor.accept(stream)).await {
        Ok(Ok(stream)) => serve(stream, proxy, watcher).await,
        Ok(Err(error)) => tracing::debug!(%error, "TLS failed"),
        Err(_) => tracing::debug!("TLS took too long"),
    }
}

async fn serve<S>(stream: S, proxy: Proxy, watcher: Watcher)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let write_limit = seconds(proxy.live().config.timeouts.client);
    let stream = Patient::new(stream, HANDSHAKE, write_limit);
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new());
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_send_buf_size(SEND_BYTES);
    let service = TowerToHyperService::new(proxy);
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    if let Err(error) = watcher.watch(connection.into_owned()).await {
        tracing::debug!(error, "a connection ended");
    }
}
