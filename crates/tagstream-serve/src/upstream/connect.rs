//! Connections to an upstream, with TLS and a time limit.

use super::BoxError;
use crate::server::tls::certificates;
use http::Uri;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use rustls::RootCertStore;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tower_service::Service;

/// A connector with a time limit, TLS included.
#[derive(Clone, Debug)]
pub(super) struct Timed {
    inner: HttpsConnector<HttpConnector>,
    limit: Duration,
}

impl Timed {
    pub(super) fn new(ca_file: Option<&Path>, limit: Duration) -> Result<Self, String> {
        let inner = connector(ca_file)?;
        Ok(Timed { inner, limit })
    }
}

impl Service<Uri> for Timed {
    type Response = <HttpsConnector<HttpConnector> as Service<Uri>>::Response;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let connecting = self.inner.call(uri);
        let limit = self.limit;
        Box::pin(async move {
            let connected = tokio::time::timeout(limit, connecting).await;
            connected.map_err(|_| BoxError::from("the connection took too long"))?
        })
    }
}

fn connector(ca_file: Option<&Path>) -> Result<HttpsConnector<HttpConnector>, String> {
    let mut http = HttpConnector::new();
    http.enforce_http(false);
    http.set_nodelay(true);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(roots(ca_file)?)
        .with_no_client_auth();
    let builder = HttpsConnectorBuilder::new()
        .with_tls_config(tls)
        .https_or_http();
    Ok(builder.enable_http1().enable_http2().wrap_connector(http))
}

/// The roots that browsers trust, and those of the file.
pub(crate) fn roots(ca_file: Option<&Path>) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore {
        roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
    };
    if let Some(path) = ca_file {
        for cert in certificates(path)? {
            let added = roots.add(cert);
            added.map_err(|error| format!("{}: {error}", path.display()))?;
        }
    }
    Ok(roots)
}
