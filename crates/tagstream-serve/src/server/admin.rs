//! The admin listener: health, readiness and metrics.

use crate::proxy::Proxy;
use bytes::Bytes;
use http::{HeaderValue, Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

pub(super) async fn serve(listener: TcpListener, proxy: Proxy, is_ready: Arc<AtomicBool>) {
    let mut connections = JoinSet::new();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                while connections.try_join_next().is_some() {}
                connections.spawn(connection(stream, proxy.clone(), Arc::clone(&is_ready)));
            }
            Err(_) => tokio::time::sleep(super::ACCEPT_PAUSE).await,
        }
    }
}

async fn connection(stream: TcpStream, proxy: Proxy, is_ready: Arc<AtomicBool>) {
    let service = service_fn(|request: Request<Incoming>| {
        let response = answer(
            request.uri().path(),
            &proxy,
            is_ready.load(Ordering::Relaxed),
        );
        async move { Ok::<_, Infallible>(response) }
    });
    let builder = auto::Builder::new(TokioExecutor::new());
    let served = builder
        .serve_connection(TokioIo::new(stream), service)
        .await;
    if let Err(error) = served {
        tracing::debug!(error, "a connection of the admin listener ended");
    }
}

fn answer(path: &str, proxy: &Proxy, is_ready: bool) -> Response<Full<Bytes>> {
    let (status, text) = match path {
        "/healthz" => (StatusCode::OK, "ok\n".to_owned()),
        "/readyz" if is_ready => (StatusCode::OK, "ready\n".to_owned()),
        "/readyz" => (StatusCode::SERVICE_UNAVAILABLE, "draining\n".to_owned()),
        "/metrics" => (StatusCode::OK, proxy.metrics().text()),
        _ => {
            let text = "see /healthz, /readyz and /metrics\n";
            (StatusCode::NOT_FOUND, text.to_owned())
        }
    };
    let kind = match path {
        "/metrics" => "application/openmetrics-text; version=1.0.0; charset=utf-8",
        _ => "text/plain; charset=utf-8",
    };
    let mut response = Response::new(Full::from(text));
    *response.status_mut() = status;
    let kind = HeaderValue::from_static(kind);
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}
